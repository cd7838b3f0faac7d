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
    refuses(&["replay", &other, "--role", "responder"], &[&other, "not a pcap or pcapng file"]);
    refuses(&["replay", "/none.pcap", "--role", "requester"], &["/none.pcap", "cannot open"]);
    let good = data("rxe/loss_nak.pcap").display().to_string();
    refuses(&["replay", &good, "--role", "both"], &["--role", "responder, requester"]);
    let settings = |name: &str, text: &str, wanted: &[&str]| {
        let path = file(name, text.as_bytes());
        let wanted = [&[path.as_str()], wanted].concat();
        refuses(&["replay", &good, "--role", "responder", "--config", &path], &wanted);
    };
    settings("qp.toml", "[[qp]]\nqpn = 1\n", &["line 1: missing field `remote_qpn`"]);
    let region = "\n[[region]]\nrkey = 1\nva = 0\n";
    settings("no.toml", region, &["line 2: missing field `length_bytes`"]);
    let long = format!("{region}length_bytes = 1073741825\n");
    settings("long.toml", &long, &["rkey 0x1", "1073741825 bytes, not 1..=1073741824"]);
    let verilog = file("nic.v", b"module nic; endmodule\n");
    let flags = ["replay", &good, "--role", "responder", "--engine", "golden", "--verilog"];
    refuses(&[&flags[..], &[&verilog]].concat(), &["--verilog contradicts --engine golden"]);
}

#[test]
fn cc_replay_refuses_bad_traces_and_numbers() {
    let trace = std::fs::read_dir(data("hpcc")).unwrap().map(|e| e.unwrap().path());
    let trace = trace.filter(|p| p.extension().is_some_and(|e| e == "csv")).min().unwrap();
    let text = std::fs::read_to_string(trace).unwrap();
    let mut lines: Vec<String> = text.lines().take(5).map(str::to_string).collect();
    let good = [
        ("--t-ns", "4160"),
        ("--w-init-bytes", "52000"),
        ("--w-ai-bytes", "80"),
        ("--line-rate-gbps", "100"),
        ("--rate-min-mbps", "100"),
    ];
    let with = |path: &str, option: &str, value: &str, wanted: &[&str]| {
        let others = good.iter().filter(|(name, _)| *name != option);
        let others = others.flat_map(|(name, value)| [*name, *value]);
        let arguments: Vec<&str> = ["cc-replay", path].into_iter().chain(others).collect();
        refuses(&[&arguments[..], &[option, value]].concat(), wanted);
    };
    let run = |path: &str, wanted: &[&str]| with(path, "--engine", "golden", wanted);
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
    let trace = file("good.csv", text.as_bytes());
    for (option, value, range) in [
        ("--eta", "2", "0.05..=1"),
        ("--eta", "nan", "0.05..=1"),
        ("--line-rate-gbps", "nan", "0.001..=10000"),
        ("--line-rate-gbps", "inf", "0.001..=10000"),
        ("--rate-min-mbps", "nan", "0.001..="),
        ("--rate-min-mbps", "200000", "at most --line-rate-gbps"),
        ("--w-ai-bytes", "nan", "0..=4194303"),
        ("--w-init-bytes", "0", "at least 1"),
        ("--t-ns", "256", "257..=1048575"),
        ("--multi", "17", "1..=16"),
        ("--clock-mhz", "18446744073709551", "1..=10000"),
        ("--flow", "64", "0..64"),
        ("--max-stage", "256", "0..=255"),
    ] {
        with(&trace, option, value, &[option, range]);
    }
}

/// A file that cannot be written is named before anything runs: nothing is printed.
#[test]
fn verbs_refuse_files_that_cannot_be_written() {
    let capture = data("rxe/loss_nak.pcap").display().to_string();
    let scenario = data("two_nics.toml").display().to_string();
    let trace = data("hpcc/a_ramp_mi5.csv").display().to_string();
    let replay = ["replay", &capture, "--role", "responder", "--engine", "golden"];
    let cc_replay = "--t-ns 4160 --w-init-bytes 52000 --w-ai-bytes 80 --line-rate-gbps 100 \
                     --rate-min-mbps 100";
    let cc_replay: Vec<&str> =
        ["cc-replay", &trace].into_iter().chain(cc_replay.split_whitespace()).collect();
    let verify = ["verify", "--block", "skid", "--seed", "1"];
    let net = ["net", &scenario, "--engine", "golden"];
    let all: [(&[&str], &str); 5] = [
        (&replay, "--out"),
        (&cc_replay, "--out"),
        (&verify, "--trace"),
        (&net, "--out"),
        (&["regmap"], "--out"),
    ];
    let folder = env!("CARGO_TARGET_TMPDIR");
    for (arguments, option) in all {
        let run = |path: &str, wanted: &str| {
            refuses(
                &[arguments, &[option, path]].concat(),
                &[&format!("{option} {path}: {wanted}")],
            );
        };
        run("none/a", "there is no folder none; make it first");
        run(folder, "is a folder; name a file");
    }
    let inside_a_file = format!("{capture}/a");
    refuses(&[&replay[..], &["--memory", &inside_a_file]].concat(), &["--memory", "the folder"]);
    refuses(&["interop", "--guest", folder, "--out", &inside_a_file], &[folder]);
}

/// The scenario of the README with another line in place of that of a field.
fn scenario(field: &str, line: &str) -> String {
    let text = std::fs::read_to_string(data("two_nics.toml")).unwrap();
    let others: Vec<&str> = text.lines().filter(|l| !l.starts_with(field)).collect();
    assert!(others.len() < text.lines().count(), "no field {field}");
    file(&format!("{field}.toml"), [&others.join("\n"), "\n", line].concat().as_bytes())
}

#[test]
fn net_refuses_bad_scenarios() {
    for (field, value, range) in [
        ("link_gbps", "1e30", "1..=1000"),
        ("link_gbps", "nan", "1..=1000"),
        ("loss_ppm", "1000001", "0..=1000000"),
        ("qp_count", "65", "1..=64"),
        ("message_count", "0", "1..=10000"),
        ("message_bytes_max", "1048577", "0..=1048576"),
        ("message_bytes_min", "20001", "0..=20000"),
        ("read_percent", "101", "0..=100"),
        ("t_ns", "256", "257..=1048575"),
        ("t_ns", "4294967295", "257..=1048575"),
        ("timeout_exponent", "32", "1..=31"),
    ] {
        let path = scenario(field, &format!("{field} = {value}"));
        refuses(&["net", &path], &[&path, field, range]);
    }
    let path = scenario("message_count", "message_count = 10000");
    refuses(&["net", &path], &[&path, "message_count", "kept in memory"]);
    // The misspelt name stands in the line that it is said to be in.
    let text = std::fs::read_to_string(data("two_nics.toml")).unwrap();
    let path = file("misspelt.toml", text.replace("qp_count", "qp_cuont").as_bytes());
    let line = 1 + text.lines().position(|l| l.starts_with("qp_count")).unwrap();
    refuses(&["net", &path], &[&path, &format!("line {line}: unknown field `qp_cuont`")]);
    let path = scenario("qp_count", "");
    refuses(&["net", &path], &[&format!("{path}: missing field `qp_count`")]);
    let path = scenario("qp_count", "qp_count = -1");
    let line = std::fs::read_to_string(&path).unwrap().lines().count();
    refuses(&["net", &path], &[&format!("{path}: line {line}: ")]);
}

#[test]
fn other_verbs_refuse_bad_arguments() {
    refuses(&["emit", "--preset", "foo", "-o", "x"], &["--preset foo", "gbe"]);
    refuses(
        &["emit", "--preset", "cu", "-o", "x"],
        &["--preset cu has no core nic, only cc: choose"],
    );
    refuses(&["emit", "--block", "cc_unit_serial", "-o", "x"], &["cc_unit_serial", "gbe"]);
    refuses(&["emit", "--block", "cc_unit_wide", "-o", "x"], &["cc_unit_wide", "gbe"]);
    let both = ["emit", "--preset", "gbe", "--core", "cc", "--block", "fifo", "-o", "x"];
    refuses(&both, &["--core", "--block"]);
    let flows = ["emit", "--preset", "cu", "--core", "cc", "--flows", "1024", "-o", "x"];
    refuses(&flows, &["--flows 1024: preset cu has cc_core with 4 or 8 flows"]);
    refuses(&["emit", "--flows", "63", "-o", "x"], &["--flows 63", "a power of two in 4..=2048"]);
    refuses(&["verify", "--preset", "gbe", "--seed", "1", "--seeds", "8"], &["--seed", "--seeds"]);
    let skid = ["verify", "--block", "skid"];
    let seeds = u64::MAX.to_string();
    refuses(&[&skid[..], &["--seeds", &seeds]].concat(), &["--seeds", "1..=100000"]);
    refuses(&[&skid[..], &["--cycles", &seeds]].concat(), &["--cycles", "1..=1000000000000"]);
    let late = ["--seed", "1", "--cycles", "100", "--trace", "x.fst", "--trace-from", "100"];
    refuses(&[&skid[..], &late].concat(), &["--trace-from 100", "only 100 cycles"]);
    refuses(&["cc-error", "--acks", "0"], &["--acks", "1.."]);
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

/// A reader that has seen enough, as `head`, is no error.
#[test]
fn a_closed_pipe_ends_the_output_quietly() {
    let nic = env!("CARGO_BIN_EXE_nic");
    let command = format!("(sleep 0.3; {nic} --help) | true");
    let output = Command::new("sh").args(["-c", &command]).output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}
