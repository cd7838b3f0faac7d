//! What `hdl/number-formats.md` prints of `nic cc-error` is what it prints.

use std::path::Path;
use std::process::Command;

/// Ten million ACKs. Run with `UPDATE_PAGES=1` after a change of the arithmetic or of the random ACKs: then
/// the page is written, not compared.
#[test]
fn cc_error_prints_what_the_page_says() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_nic")).arg("cc-error").output().expect("nic starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "an error beyond its bound, or another decision: {errors}");
    let printed = String::from_utf8(output.stdout).expect("nic prints UTF-8");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hdl/number-formats.md");
    let page = std::fs::read_to_string(&path).expect("hdl/number-formats.md is there");
    let (before, rest) = page.split_once("## Measured\n").expect("the page has a section of it");
    let (intro, rest) = rest.split_once("```\n").expect("with the output");
    let (shown, after) = rest.split_once("```\n").expect("to its end");
    if std::env::var_os("UPDATE_PAGES").is_some() {
        let text = format!("{before}## Measured\n{intro}```\n{printed}```\n{after}");
        std::fs::write(&path, text).expect("hdl/number-formats.md is writable");
        return;
    }
    let advice =
        "hdl/number-formats.md is stale: run UPDATE_PAGES=1 cargo test -p nic-sim --test cc_error";
    assert!(shown == printed, "{advice}; printed:\n{printed}");
}
