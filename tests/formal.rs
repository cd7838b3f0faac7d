//! Properties of the flow scheduler, proved on the emitted Verilog of 4 flows with yosys-smtbmc
//! and z3: nothing that its inputs do breaks them.
//!
//! Proved: a flow is granted only with a packet, inside its window, with credit or on its turn;
//! credit stays below its cap, a debt within 48 KiB, and a closed window holds one packet of
//! credit; the holder of the ticket is granted at its next visit that finds a place, and nobody
//! else gets the last place until then. That visits come in time is the matter of
//! tests/scheduler.rs.

use nic_sim::bench::emitted;
use nic_spec::NicConfig;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Properties of one block.
struct Proof {
    block: &'static str,
    /// Wires of the property module, and the registers of the design that drive them.
    connects: &'static [(&'static str, &'static str)],
    /// Options of yosys-smtbmc, one run each.
    runs: &'static [&'static [&'static str]],
}

/// A pipeline without state: eight cycles from any state are all that it can do.
const CREDIT_PIPE: Proof = Proof { block: "credit_pipe", connects: &[], runs: &[&["-t", "9"]] };

/// From reset, and by induction.
const GRANT_RULE: Proof = Proof {
    block: "grant_rule",
    connects: &[
        ("ticket_valid", "dut.ticket_valid"),
        ("ticket_flow", "dut.ticket_flow"),
        ("dut_armed", "dut.set.armed"),
        ("dut_grant", "dut.grant"),
    ],
    runs: &[&["-t", "12"], &["-i", "-t", "6"]],
};

/// Whether the tools are here; says so loudly if not.
fn can_prove() -> bool {
    let runs = |tool: &str| Command::new(tool).arg("--help").output().is_ok();
    let missing: Vec<_> =
        ["yosys", "yosys-smtbmc", "z3"].into_iter().filter(|tool| !runs(tool)).collect();
    if !missing.is_empty() {
        eprintln!("SKIPPED: NOTHING IS PROVED without {missing:?}; scripts/setup installs them");
    }
    missing.is_empty()
}

fn scheduler_verilog() -> String {
    let config = NicConfig { flow_count: 4, ..rdma_nic::gbe() };
    emitted("scheduler", &config).expect("emits").text
}

/// Proves the properties of `proof` for the design `verilog`; otherwise what the solver says.
fn prove(proof: &Proof, verilog: &str, name: &str) -> Result<(), String> {
    let dir: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("formal").join(name);
    std::fs::create_dir_all(&dir).expect("build directory is writable");
    std::fs::write(dir.join("design.v"), verilog).expect("build directory is writable");
    let properties =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/formal/{}.v", proof.block));
    let connects: String = proof
        .connects
        .iter()
        .map(|(wire, register)| format!("connect -set {wire} \\{register}\n"))
        .collect();
    let script = format!(
        "read_verilog design.v\nread_verilog -formal {}\nhierarchy -check -top {}_properties\n\
         proc\nflatten\n{connects}opt\nmemory_map\nopt -fast\nasync2sync\ndffunmap\n\
         write_smt2 -wires design.smt2\n",
        properties.display(),
        proof.block
    );
    std::fs::write(dir.join("prepare.ys"), script).expect("build directory is writable");
    let prepared = Command::new("yosys").args(["-q", "prepare.ys"]).current_dir(&dir).output();
    let prepared = prepared.expect("yosys runs");
    let error = String::from_utf8_lossy(&prepared.stderr);
    assert!(prepared.status.success(), "yosys: {error}");
    for options in proof.runs {
        let run = Command::new("timeout")
            .args(["300", "yosys-smtbmc", "--noprogress", "-s", "z3"])
            .args(*options)
            .arg("design.smt2")
            .current_dir(&dir)
            .output()
            .expect("timeout runs");
        let text = String::from_utf8_lossy(&run.stdout);
        if !run.status.success() || !text.contains("Status: PASSED") {
            return Err(text.into_owned());
        }
    }
    Ok(())
}

/// Each break of the design must fail the property that is named with it.
fn check(proof: &Proof, breaks: &[(&str, &str, &str)]) {
    if !can_prove() {
        return;
    }
    let verilog = scheduler_verilog();
    prove(proof, &verilog, proof.block).unwrap_or_else(|text| panic!("{}: {text}", proof.block));
    for (i, (from, to, property)) in breaks.iter().enumerate() {
        assert!(verilog.contains(from), "the Verilog has no {from:?}");
        let broken = verilog.replacen(from, to, 1);
        let found = prove(proof, &broken, &format!("{}_{i}", proof.block));
        let text = found.expect_err(&format!("{from:?} -> {to:?} breaks no property"));
        let failed = format!("Assert failed in {}_properties: {property}", proof.block);
        assert!(text.contains(&failed), "{from:?} -> {to:?} fails otherwise: {text}");
    }
}

#[test]
fn formal_credit_stays_within_its_bounds() {
    check(
        &CREDIT_PIPE,
        &[
            ("s_inflight_bytes < s_window_bytes", "s_inflight_bytes <= s_window_bytes", "window"),
            ("credit_5[40] | credit_5[39]", "1'b1", "debt"),
            ("credit_wide + product_wide", "credit_wide - product_wide", "earn"),
        ],
    );
}

#[test]
fn formal_grants_are_allowed_and_the_ticket_is_kept() {
    check(
        &GRANT_RULE,
        &[
            ("is_able & is_armed", "is_able & (is_armed | is_late)", "once"),
            ("is_mine & s_visit_must_send", "s_visit_must_send", "allowed"),
            ("& !s_visit_is_stale", "", "allowed"),
            (
                "!queue_m_grant_valid | !ticket_valid | is_holder",
                "!queue_m_grant_valid | !ticket_valid",
                "holder",
            ),
            ("& (!queue_m_grant_valid | !ticket_valid | is_holder)", "", "kept_place"),
        ],
    );
}
