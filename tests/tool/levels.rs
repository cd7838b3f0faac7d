//! `scripts/levels`, with a block within its budget and one with a longer path.

use nic_spec::config::NicConfig;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A block whose netlist Yosys makes in seconds.
const BLOCK: &str = "work_mux";

fn levels(arguments: &[&str]) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/levels");
    Command::new(script).args(arguments).output().expect("scripts/levels starts")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[output.stdout.as_slice(), &output.stderr].concat()).into_owned()
}

/// The block's Verilog in a file, changed by `change`.
fn verilog(name: &str, change: fn(&str) -> String) -> PathBuf {
    let config = NicConfig::preset("gbe").expect("preset");
    let bench = nic_sim::bench::by_name(BLOCK, &config).expect("a block");
    let source = nic_sim::bench::verilog(&bench).expect("it is emitted");
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("levels_{name}.v"));
    std::fs::write(&path, change(&source.text)).expect("the folder is writable");
    path
}

#[test]
fn levels_holds_a_block_to_its_budget() {
    let path = verilog("same", str::to_string);
    let ran = levels(&["--check", BLOCK, "--verilog", path.to_str().expect("UTF-8")]);
    assert_eq!(ran.status.code(), Some(0), "{}", said(&ran));
    assert!(said(&ran).contains(BLOCK), "{}", said(&ran));
}

#[test]
fn levels_sees_a_longer_path() {
    const FROM: &str = "item <= take_b ? s_b_data : s_a_data;";
    let path = verilog("longer", |text| {
        assert!(text.contains(FROM), "{BLOCK} has changed");
        text.replace(FROM, "item <= (take_b ? s_b_data : s_a_data) * s_a_data + s_b_data;")
    });
    let ran = levels(&["--check", BLOCK, "--verilog", path.to_str().expect("UTF-8")]);
    let said = said(&ran);
    assert_eq!(ran.status.code(), Some(1), "{said}");
    assert!(said.contains("work_mux (gbe) is over its budget: levels "), "{said}");
    assert!(said.contains("slow endpoints in "), "{said}");
}

#[test]
fn levels_says_what_is_wrong_with_its_input() {
    let ran = levels(&["--check", "nothing"]);
    let text = said(&ran);
    assert_eq!(ran.status.code(), Some(1), "{text}");
    assert_eq!(text, "levels: boards/xcup/budget.csv has no block nothing\n");
    let path = verilog("no_verilog", |_| "module work_mux (\n".into());
    let ran = levels(&["--check", BLOCK, "--verilog", path.to_str().expect("UTF-8")]);
    let text = said(&ran);
    assert_eq!(ran.status.code(), Some(1), "{text}");
    assert!(text.starts_with("levels: ") && text.contains("syntax error"), "{text}");
}
