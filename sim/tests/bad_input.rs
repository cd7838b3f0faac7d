//! Bad input to every verb of the CLI: one sentence that says where and what to do, exit code 2,
//! and nothing on the standard output.

use std::path::{Path, PathBuf};
use std::process::Command;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data").join(name)
}

fn file(name: &str, content: &[u8]) -> String {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bad_input");
    std::fs::create_dir_all(&dir).unwrap();
    let path = dir.join(name);
    std::fs::write(&path, content).unwrap();
    path.display().to_string()
}

/// Runs `nic`; its error must be one sentence with all of `wanted` in it.
fn refuses(arguments: &[&str], wanted: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_nic")).args(arguments).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert!(output.stdout.is_empty(), "{arguments:?}: something was printed");
    assert_eq!(error.lines().count(), 1, "{arguments:?}: {error}");
    for part in wanted {
        assert!(error.contains(part), "{arguments:?}: no {part:?} in {error}");
    }
}

#[test]
fn replay_refuses_bad_captures() {
    let capture = std::fs::read(data("rxe/loss_nak.pcap")).unwrap();
    let truncated = file("truncated.pcap", &capture[..100]);
    let other = file("other.pcap", &capture[1..]);
    refuses(&["replay", &truncated, "--role", "responder"], &[&truncated, "record 1", "copy"]);
    refuses(&["replay", &other, "--role", "responder"], &[&other, "not a pcap file"]);
    refuses(&["replay", "/none.pcap", "--role", "requester"], &["/none.pcap", "cannot open"]);
    let good = data("rxe/loss_nak.pcap").display().to_string();
    refuses(&["replay", &good, "--role", "both"], &["--role", "responder, requester"]);
    let verilog = file("nic.v", b"module nic; endmodule\n");
    let flags = ["replay", &good, "--role", "responder", "--engine", "golden", "--verilog"];
    refuses(&[&flags[..], &[&verilog]].concat(), &["--verilog contradicts --engine golden"]);
}

#[test]
fn cc_replay_refuses_bad_traces() {
    let trace = std::fs::read_dir(data("hpcc")).unwrap().map(|e| e.unwrap().path());
    let trace = trace.filter(|p| p.extension().is_some_and(|e| e == "csv")).min().unwrap();
    let text = std::fs::read_to_string(trace).unwrap();
    let mut lines: Vec<String> = text.lines().take(5).map(str::to_string).collect();
    let run = |path: &str, wanted: &[&str]| {
        let out = file("state.csv", b"");
        let rest = "--t-ns 4160 --w-init-bytes 52000 --w-ai-bytes 80 --line-rate-gbps 100 \
                    --rate-min-mbps 100 --engine golden --out";
        let arguments: Vec<&str> =
            ["cc-replay", path].into_iter().chain(rest.split_whitespace()).collect();
        refuses(&[&arguments[..], &[&out]].concat(), wanted);
    };
    let columns = file("columns.csv", b"a,b\n1,2\n");
    run(&columns, &[&columns, "line 1"]);
    let sequence = lines[3].split(',').nth(2).unwrap().to_string();
    lines[3] = lines[3].replacen(&sequence, "x", 1);
    let row = file("row.csv", lines.join("\n").as_bytes());
    run(&row, &[&row, "line 4"]);
    lines[3] = "1,2,3".into();
    let short = file("short.csv", lines.join("\n").as_bytes());
    run(&short, &[&short, "line 4"]);
    run("/none.csv", &["/none.csv"]);
}

#[test]
fn other_verbs_refuse_bad_arguments() {
    refuses(&["emit", "--preset", "foo", "-o", "x"], &["--preset foo", "gbe"]);
    let cores = ["nic", "hundred", "only the cores cc and sched"];
    refuses(&["emit", "--preset", "hundred", "-o", "x"], &cores);
    refuses(&["emit", "--preset", "cu", "-o", "x"], &["nic", "cu", "only the core cc"]);
    refuses(&["emit", "--block", "cc_unit_serial", "-o", "x"], &["cc_unit_serial", "gbe"]);
    refuses(&["emit", "--block", "cc_unit_wide", "-o", "x"], &["cc_unit_wide", "gbe"]);
    let both = ["emit", "--preset", "gbe", "--core", "cc", "--block", "fifo", "-o", "x"];
    refuses(&both, &["--core", "--block"]);
    refuses(&["verify", "--preset", "gbe", "--seed", "1", "--seeds", "8"], &["--seed", "--seeds"]);
    let unknown = file("unknown.toml", b"nonsense = 1\n");
    refuses(&["net", &unknown], &[&unknown, "line 1", "nonsense"]);
    let kind = file("kind.toml", b"qp_count = \"many\"\n");
    refuses(&["net", &kind], &[&kind, "line 1"]);
    refuses(&["net", "/none.toml"], &["/none.toml"]);
    refuses(&["interop"], &["--guest"]);
    refuses(&["interop", "--guest", "/none"], &["/none", "scripts/guest/build"]);
}

#[test]
fn regmap_refuses_cores_that_a_preset_has_not() {
    refuses(&["regmap", "--preset", "cu"], &["--preset cu", "no nic", "cc_core"]);
    refuses(&["regmap", "--preset", "none"], &["--preset none", "gbe"]);
}
