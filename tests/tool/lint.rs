//! Every block's Verilog under the tools that a user would run: Verilator's lint with all
//! warnings and no waiver, iverilog, and yosys with checks for latches, loops and undriven nets.

use nic_hdl::emit::{self, Layout};
use nic_spec::config::NicConfig;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Emits every block once, a folder each under the build directory of the tests.
fn emitted(test: &str) -> Vec<(&'static str, PathBuf)> {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let of_preset = |preset: &str, least: usize| {
        let config = NicConfig::preset(preset).expect("it is a preset");
        let mut blocks = emit::blocks(&config);
        if preset == "ten" {
            // Other sizes of the same blocks, all of which the NIC has.
            blocks.retain(|block| *block == "nic");
        }
        assert!(blocks.len() >= least, "the catalogue lost its blocks of {preset}");
        let emit = |block: &'static str| {
            let dir = root.join(preset).join(block);
            let _ = std::fs::remove_dir_all(&dir);
            let design = emit::by_name(block, &config).unwrap_or_else(|e| panic!("{block}: {e}"));
            design.write_dir(&dir, Layout::FilePerModule).expect("build directory is writable");
            (block, dir)
        };
        blocks.into_iter().map(emit).collect::<Vec<_>>()
    };
    [of_preset("gbe", 10), of_preset("ten", 1), of_preset("hundred", 5), of_preset("cu", 2)]
        .concat()
}

/// What a tool says about a block; empty when it is content.
pub(super) fn complaint(tool: &str, arguments: &[&str], dir: &Path) -> String {
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

fn check(blocks: Vec<(&str, PathBuf)>, arguments: impl Fn(&str) -> (&'static str, Vec<String>)) {
    let mut bad = vec![];
    for (block, dir) in blocks {
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
    check(emitted("lint_verilator"), |block| {
        ("verilator", words(&format!("--lint-only -Wall --top-module {block} FILES")))
    });
}

#[test]
fn lint_iverilog_finds_nothing() {
    check(emitted("lint_iverilog"), |block| {
        ("iverilog", words(&format!("-g2005 -Wall -Wno-timescale -t null -s {block} FILES")))
    });
}

#[test]
fn lint_yosys_finds_no_latch_loop_or_undriven_net() {
    // It takes long: a block that another one of its preset has in it is looked at there.
    let all = emitted("lint_yosys");
    let is_part = |(block, dir): &(&str, PathBuf)| {
        all.iter().any(|(other, whole)| {
            let has = whole.join(format!("{block}.v")).exists();
            other != block && whole.parent() == dir.parent() && has
        })
    };
    let wholes = all.iter().filter(|block| !is_part(block)).cloned().collect();
    check(wholes, |block| {
        let script = format!(
            "read_verilog -D SYNTHESIS FILES; hierarchy -check -top {block}; proc; \
             select -assert-none t:$dlatch t:$adlatch t:$dlatchsr; flatten; opt_clean; \
             check -assert"
        );
        ("yosys", vec!["-q".into(), "-p".into(), script])
    });
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
