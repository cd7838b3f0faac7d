//! `scripts/synth --board` with a board that can't meet its clock.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Set by `scripts/test --full`: what routes a bitstream is fetched then.
const FULL: &str = "NIC_BITSTREAM";

#[test]
fn synth_makes_no_bitstream_when_a_clock_is_missed() {
    if std::env::var_os(FULL).is_none() {
        println!("not run: {FULL} isn't set");
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("missed-clock");
    std::fs::create_dir_all(out.join("rtl")).expect("the folder is writable");
    for name in ["missed.v", "missed.lpf", "rtl/product.v"] {
        let from = root.join("tests/data/missed-clock").join(name);
        std::fs::copy(from, out.join(name)).expect("a file of the repository");
    }
    let mut command = Command::new(root.join("scripts/synth"));
    let ran = command.arg("--board").arg(&out).output().expect("it starts");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(1), "{said}");
    assert!(said.contains("synth: no seed is routed and meets its clocks: seed "), "{said}");
    let clocks = said.matches(": clock ").count();
    assert!(clocks >= 6 && said.contains("MHz"), "a reason of each seed: {said}");
    assert!(!out.join("missed.bit").exists());
}
