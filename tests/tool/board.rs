//! The hand-written Verilog of boards/ in its own test benches, under iverilog.

use std::path::Path;
use std::process::Command;

/// Runs a test bench; its last line must be PASS.
fn passes(bench: &str, files: &[&str]) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("boards/ecp5-85");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{bench}.vvp"));
    let source = format!("test/{bench}.v");
    let run = |command: &mut Command| {
        let done = command.current_dir(&dir).output();
        let done = done.unwrap_or_else(|e| panic!("{command:?}: {e}; scripts/setup installs it"));
        let text = [done.stdout, done.stderr].map(|b| String::from_utf8_lossy(&b).into_owned());
        assert!(done.status.success(), "{command:?}: {}", text.concat());
        text.concat()
    };
    run(Command::new("iverilog").args(["-g2005", "-o"]).arg(&program).arg(&source).args(files));
    let text = run(Command::new("vvp").arg(&program));
    assert_eq!(text.lines().next(), Some("PASS"), "{text}");
}

#[test]
fn board_mac_carries_frames_of_all_lengths_and_finds_wrong_bits() {
    passes("mac_tb", &["mac_tx.v", "mac_rx.v", "../common/async_fifo.v"]);
}
