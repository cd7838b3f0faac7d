//! Every block's Verilog under the tools that a user would run: Verilator's lint with all
//! warnings and no waiver, iverilog, and yosys with checks for latches, loops and undriven nets.

use nic_hdl::emit::{self, Layout};
use nic_spec::config::NicConfig;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Emits every block once, a folder each under the build directory of the tests.
fn emitted(test: &str) -> Vec<(&'static str, PathBuf)> {
    let config = NicConfig::preset("gbe").expect("gbe is a preset");
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let blocks = emit::blocks();
    assert!(blocks.len() >= 10, "the catalogue lost its blocks");
    blocks
        .into_iter()
        .map(|block| {
            let dir = root.join(block);
            let _ = std::fs::remove_dir_all(&dir);
            let design = emit::by_name(block, &config).unwrap_or_else(|e| panic!("{block}: {e}"));
            design.write_dir(&dir, Layout::FilePerModule).expect("build directory is writable");
            (block, dir)
        })
        .collect()
}

/// What a tool says about a block; empty when it is content.
fn complaint(tool: &str, arguments: &[&str], dir: &Path) -> String {
    let list = std::fs::read_to_string(dir.join("files.f")).expect("files.f was written");
    let files: Vec<&str> = list.lines().collect();
    let arguments: Vec<String> = arguments
        .iter()
        .flat_map(|a| match *a {
            "FILES" => files.iter().map(|f| f.to_string()).collect(),
            _ => vec![a.replace("FILES", &files.join(" "))],
        })
        .collect();
    let run = Command::new(tool).args(&arguments).current_dir(dir).output();
    let run = run.unwrap_or_else(|e| panic!("{tool} can't run: {e}; scripts/setup installs it"));
    let text = [run.stdout, run.stderr].map(|b| String::from_utf8_lossy(&b).into_owned()).concat();
    if run.status.success() && text.trim().is_empty() {
        return String::new();
    }
    format!("{tool} exits with {}:\n{text}", run.status)
}

fn check(test: &str, arguments: impl Fn(&str) -> (&'static str, Vec<String>)) {
    let mut bad = vec![];
    for (block, dir) in emitted(test) {
        let (tool, arguments) = arguments(block);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let text = complaint(tool, &arguments, &dir);
        if !text.is_empty() {
            bad.push(format!("{block}: {text}"));
        }
    }
    assert!(bad.is_empty(), "{} blocks:\n{}", bad.len(), bad.join("\n"));
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(Into::into).collect()
}

#[test]
fn lint_verilator_finds_nothing() {
    check("lint_verilator", |block| {
        ("verilator", words(&format!("--lint-only -Wall --top-module {block} FILES")))
    });
}

#[test]
fn lint_iverilog_finds_nothing() {
    check("lint_iverilog", |block| {
        ("iverilog", words(&format!("-g2005 -Wall -Wno-timescale -t null -s {block} FILES")))
    });
}

#[test]
fn lint_yosys_finds_no_latch_loop_or_undriven_net() {
    check("lint_yosys", |block| {
        let script = format!(
            "read_verilog -D SYNTHESIS FILES; hierarchy -check -top {block}; proc; \
             select -assert-none t:$dlatch t:$adlatch t:$dlatchsr; flatten; opt_clean; \
             check -assert"
        );
        ("yosys", vec!["-q".into(), "-p".into(), script])
    });
}

/// Rust files with a block in `dir` and below.
fn block_files(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("the sources are readable") {
        let path = entry.expect("the sources are readable").path();
        if path.is_dir() && !path.ends_with("emit") {
            block_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path).expect("the sources are readable");
            if text.contains("#[derive(LogicBlock") {
                found.push(path);
            }
        }
    }
}

#[test]
fn lint_readme_has_a_row_for_each_block() {
    let hdl = Path::new(env!("CARGO_MANIFEST_DIR")).join("hdl");
    let page = std::fs::read_to_string(hdl.join("README.md")).expect("hdl/README.md is there");
    let mut files = vec![];
    block_files(&hdl.join("src"), &mut files);
    assert!(files.len() >= 20, "blocks were not found");
    let row = |file: &PathBuf| {
        let path = file.strip_prefix(&hdl).expect("below hdl").display().to_string();
        page.contains(&format!("]({path}) |")).then_some(()).ok_or(path)
    };
    let missing: Vec<String> = files.iter().filter_map(|f| row(f).err()).collect();
    assert!(missing.is_empty(), "hdl/README.md has no row for {missing:?}");
}

/// The checks themselves can fail: a latch, an undriven net, a loop and a width error are found.
#[test]
fn lint_finds_planted_faults() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lint_planted");
    std::fs::create_dir_all(&dir).expect("build directory is writable");
    std::fs::write(dir.join("files.f"), "bad.v\n").expect("build directory is writable");
    let faults = [
        ("latch", "reg q; always @(*) if (a) q = b; assign y = q;"),
        ("undriven", "wire q; assign y = q & a & b;"),
        ("loop", "wire p, q; assign p = q ^ a; assign q = p & b; assign y = q;"),
    ];
    let yosys = "read_verilog bad.v; hierarchy -check -top bad; proc; \
                 select -assert-none t:$dlatch; flatten; check -assert";
    for (what, body) in faults {
        let text =
            format!("module bad(input wire a, input wire b, output wire y);\n{body}\nendmodule\n");
        std::fs::write(dir.join("bad.v"), text).expect("build directory is writable");
        assert!(!complaint("yosys", &["-q", "-p", yosys], &dir).is_empty(), "yosys: {what}");
        let verilator = ["--lint-only", "-Wall", "bad.v"];
        assert!(!complaint("verilator", &verilator, &dir).is_empty(), "verilator: {what}");
    }
}
