//! `nic verify` as a user runs it: exit codes, one-sentence errors, Verilog from outside.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder of its own for each test.
fn folder(test: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a folder for the test");
    dir
}

/// Exit code, stdout, stderr.
fn nic(dir: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nic"));
    // The models' cache is found through the program's own path, not through this folder.
    let output = command.args(arguments).current_dir(dir).output().expect("nic starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

/// The emitted skid in a file, changed.
fn skid_file(dir: &Path, change: impl Fn(&str) -> String) -> PathBuf {
    let config = nic_spec::config::NicConfig::preset("gbe").expect("preset");
    let text = nic_sim::bench::emitted("skid", &config).expect("emitted").text;
    let path = dir.join("changed.v");
    let changed = change(&text);
    assert_ne!(changed, text, "the change must change something");
    std::fs::write(&path, changed).expect("written");
    path
}

#[test]
fn verify_prints_a_row_for_each_block() {
    let dir = folder("row");
    let arguments = ["verify", "--preset", "gbe", "--block", "skid", "--seeds", "3", "--cycles"];
    let (code, stdout, stderr) = nic(&dir, &[&arguments[..], &["5000"]].concat());
    assert_eq!((code, &*stderr), (0, ""));
    let row: Vec<&str> = stdout.lines().nth(2).expect("a row").split_whitespace().collect();
    assert_eq!(row[..4], ["skid", "3", "15000", "0"]);
}

#[test]
fn verify_refuses_wrong_arguments_in_one_sentence() {
    let dir = folder("arguments");
    let cases: &[(&[&str], &str)] = &[
        (&["--preset", "huge"], "nic: --preset huge: unknown preset; presets are gbe"),
        (&["--block", "skidd"], "nic: --block skidd: no such block; there are skid,"),
        (&["--seed", "1", "--seeds", "2"], "nic: the argument '--seed <SEED>' cannot be used with"),
        (&["--cycles", "0"], "nic: invalid value '0' for '--cycles <CYCLES>'"),
        (&["--trace", "a.fst"], "nic: the following required arguments were not provided"),
        (&["--block", "skid", "--verilog", "none.v"], "nic: none.v: No such file or directory"),
    ];
    for (arguments, expected) in cases {
        let (code, stdout, stderr) = nic(&dir, &[&["verify"], *arguments].concat());
        assert_eq!((code, &*stdout), (2, ""), "{arguments:?}");
        assert!(stderr.starts_with(expected), "{arguments:?}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
}

#[test]
fn verify_refuses_verilog_that_is_wrong_and_says_where() {
    let dir = folder("verilog");
    let verify = |path: &Path| {
        let path = path.to_str().expect("UTF-8");
        nic(&dir, &["verify", "--block", "skid", "--verilog", path, "--seed", "1"])
    };
    let narrow = |text: &str| text.replacen("[WIDTH-1:0] s_data", "[WIDTH-2:0] s_data", 1);
    let (code, _, stderr) = verify(&skid_file(&dir, narrow));
    assert_eq!(code, 2, "{stderr}");
    let expected = "port s_data of Verilog module skid has 63 bits, the model's has 64";
    assert!(stderr.trim_end().ends_with(expected), "{stderr}");
    let broken = |text: &str| text.replacen("endmodule", "assign ;\nendmodule", 1);
    let (code, _, stderr) = verify(&skid_file(&dir, broken));
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("changed.v:") && stderr.contains("syntax error"), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

#[test]
fn verify_takes_verilog_from_outside_and_finds_its_mistake() {
    let dir = folder("outside");
    let same = skid_file(&dir, |text| format!("// from outside\n{text}"));
    let arguments = ["verify", "--block", "skid", "--cycles", "2000", "--seed", "3", "--verilog"];
    let path = same.to_str().expect("UTF-8");
    let (code, stdout, stderr) = nic(&dir, &[&arguments[..], &[path]].concat());
    assert_eq!(code, 0, "{stdout}{stderr}");

    // The first assignment that a mutant leaves out and the bench sees.
    let text = std::fs::read_to_string(&same).expect("written above");
    let mutants = nic_harness::mutate::mutants(&text, 1);
    let is_enable = |m: &&nic_harness::mutate::Mutant| m.kind == nic_harness::mutate::Kind::Enable;
    for mutant in mutants.iter().filter(is_enable) {
        std::fs::write(&same, mutant.apply(&text)).expect("written");
        let (code, stdout, stderr) = nic(&dir, &[&arguments[..], &[path]].concat());
        if code == 0 {
            continue;
        }
        assert_eq!(code, 1, "{stderr}");
        let waveform = dir.join("build/skid_3.fst");
        std::fs::remove_file(&waveform).expect("a waveform");
        let quick = [&arguments[..], &[path, "--no-waveform"]].concat();
        let (code, without, stderr) = nic(&dir, &quick);
        assert_eq!(code, 1, "{stderr}");
        assert!(!without.contains("waveform") && !waveform.exists(), "{without}");
        assert_eq!(nic(&dir, &[&arguments[..], &[path]].concat()).0, 1);
        assert!(stdout.contains("skid: mismatch: seed 3") && stdout.contains("golden"), "{stdout}");
        assert!(waveform.metadata().expect("a waveform").len() > 200);
        // The replay line, word by word, meets the same mismatch.
        let replay = without.lines().find_map(|l| l.trim().strip_prefix("replay: nic "));
        let replay: Vec<&str> = replay.expect("a replay line").split_whitespace().collect();
        let (code, again, _) = nic(&dir, &replay);
        let mismatch =
            |text: &str| text.lines().find(|l| l.contains("mismatch:")).map(String::from);
        assert_eq!((code, mismatch(&again)), (1, mismatch(&stdout)));
        return;
    }
    panic!("no mutant was caught");
}

/// What `nic emit --prefix` wrote is taken as it is, and compared.
#[test]
fn verify_takes_emitted_verilog_with_a_prefix() {
    let dir = folder("prefix");
    let emit = ["emit", "--block", "stream_route", "--prefix", "mine", "--one-file", "-o", "rtl"];
    let (code, _, stderr) = nic(&dir, &emit);
    assert_eq!(code, 0, "{stderr}");
    let path = dir.join("rtl/mine_stream_route.v");
    let verify = ["verify", "--block", "stream_route", "--seed", "1", "--cycles", "2000"];
    let verify = [&verify[..], &["--verilog", path.to_str().expect("UTF-8")]].concat();
    let (code, stdout, stderr) = nic(&dir, &verify);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let text = std::fs::read_to_string(&path).expect("emitted");
    let changed = text.replacen("item <= s_data", "item <= ~s_data", 1);
    assert_ne!(changed, text, "the change must change something");
    std::fs::write(&path, changed).expect("written");
    let (code, stdout, stderr) = nic(&dir, &verify);
    assert_eq!(code, 1, "{stdout}{stderr}");
    assert!(stdout.contains("stream_route: mismatch"), "{stdout}");
}
