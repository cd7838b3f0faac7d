//! Properties of the flow scheduler, proved on the emitted Verilog of 4 flows with yosys-smtbmc
//! and z3: nothing that its inputs do breaks them. The headers of `tests/formal/` say exactly what
//! is proved, with which cuts and assumptions.
//!
//! Proved: no work is lost, each is granted once and no flow without work; credit is never more
//! than 64 KiB and covers what is paid; no flow has more in flight than its window and one work
//! (`scheduler`, with `settle` for the sums). A queue keeps its entries in order, and the earliest
//! of the heads is chosen, so that behind its deadline a flow lets 31 pops go at most (`octave`,
//! `octaves`, `earliest`; `octave.v` says how that follows). A flow whose time has come is found
//! within 41 cycles in which the scan is not held up (`scan`). Of two free slots one at least
//! takes a pop, and one a flow that was found (`intake`).
//!
//! Not proved: how `octaves` leads pushes, words and pops to its queues, and that a slot is free in
//! time (`intake.v`). Nor does a proof show that a grant can be reached under what it assumes.
//!
//! A planted break must fail the property that is named with it, which is often one that carries
//! the induction, in a state that need not be reachable.

mod proofs;

use nic_sim::bench::emitted;
use nic_spec::NicConfig;
use proofs::{Proof, EARLIEST, INTAKE, OCTAVE, OCTAVES, SCAN, SCHEDULER, SETTLE};
use rdma_nic::tried;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

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
    // Without `-nounset` a wire that only renames another would lose it.
    let mut connects = String::new();
    for (wire, register) in proof.connects {
        writeln!(connects, "connect -nounset -set {wire} \\{register}")
            .expect("a string takes text");
    }
    for (wire, bits, name, first, last) in proof.stages {
        for (stage, number) in (*first..=*last).enumerate() {
            let (low, high) = (stage * bits, stage * bits + bits - 1);
            let name = name.replace('#', &number.to_string());
            writeln!(connects, "connect -nounset -set {wire}[{high}:{low}] \\{name}")
                .expect("a string takes text");
        }
    }
    let cuts: String = proof.cuts.iter().map(|cell| format!("cutpoint {cell}\n")).collect();
    // Without `SYNTHESIS` a block RAM's word is wrong when it is read and written at once.
    let script = format!(
        "read_verilog -nosynthesis design.v\nread_verilog -formal {}\n\
         hierarchy -check -top {}_properties\nproc\n{cuts}flatten\nmemory_map\n{connects}opt\n\
         opt -fast\nasync2sync\ndffunmap\nwrite_smt2 -wires design.smt2\n",
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
            .args(["900", "yosys-smtbmc", "--noprogress", "--noincr", "--unroll", "-s", "z3"])
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

/// Each break of the design that is tried must fail the property that is named with it, or one of
/// them: what the solver finds first is its choice.
fn check(proof: &Proof, breaks: &[(&str, &str, &str)]) {
    if !can_prove() {
        return;
    }
    let verilog = scheduler_verilog();
    prove(proof, &verilog, proof.block).unwrap_or_else(|text| panic!("{}: {text}", proof.block));
    let missing: Vec<_> = breaks.iter().filter(|(from, ..)| !verilog.contains(from)).collect();
    assert!(missing.is_empty(), "the Verilog has none of {missing:?}");
    for (i, (from, to, property)) in tried(breaks).enumerate() {
        let broken = verilog.replacen(from, to, 1);
        let found = prove(proof, &broken, &format!("{}_{i}", proof.block));
        let text = found.expect_err(&format!("{from:?} -> {to:?} breaks no property"));
        let fails = |property| {
            let failed = format!("Assert failed in {}_properties: {property}\n", proof.block);
            text.contains(&failed)
        };
        assert!(property.split('|').any(fails), "{from:?} -> {to:?} fails otherwise: {text}");
    }
}

#[test]
fn formal_credit_is_capped_and_covers_what_it_says() {
    check(
        &SETTLE,
        &[
            ("limit_2 <= limit;", "limit_2 <= limit + 33'd1;", "cap"),
            ("full_3_next = credit_2;", "full_3_next = limit_2;", "kept"),
            ("covers_4 <= earned >= need", "covers_4 <= earned + 1 >= need", "covers"),
            ("rest_4 <= above_3 - gain", "rest_4 <= above_3", "lacks"),
        ],
    );
}

#[test]
fn formal_no_work_is_lost_and_each_is_granted_once() {
    check(
        &SCHEDULER,
        &[
            ("assign push = due & (!(|ahead));", "assign push = due & (!(|kept));", "lost|queued"),
            ("ahead = kept & below;", "ahead = kept & below & ~own;", "twice_in_queue|entries"),
            ("waits_0 <= can & !due;", "waits_0 <= can & !due & !changed_q[3];", "waiting"),
            ("m_grant_flow = operation_2[1:0]", "m_grant_flow = 2'd0", "once"),
            ("if (|s_work_frame_count)", "if (1'b1)", "once"),
            ("assign grant = is_pop & row_2[3];", "assign grant = is_pop & row_2[1];", "pays|paid"),
            ("(row_3[73:42] < row_3[105:74])", "(row_3[73:42] <= row_3[105:74])", "moves"),
            ("if (under_way_6 & (flows_6", "if (1'b0 & (flows_6", "reads|waiting"),
            (
                "ended[170:138] = settle_m_credit;",
                "ended[170:138] = settle_m_credit + 33'd1;",
                "cap",
            ),
            ("is_pop = (slot == pop_slot)", "is_pop = (slot != rate_slot)", "pace"),
            ("line_m_free & !pops[1]", "line_m_free", "room|pops"),
        ],
    );
}

#[test]
fn formal_queues_keep_entries_in_order_and_the_earliest_is_chosen() {
    check(
        &OCTAVE,
        &[
            ("s_push & (stored | !lacks)", "s_push & !lacks", "kept|distinct|alone"),
            ("next_read = read + 3'd1", "next_read = read + 3'd2", "kept|distinct|alone"),
            ("lacks & stored;", "!fetching & stored;", "wants|alone"),
            ("write_up | number", "write_up", "own"),
        ],
    );
    check(
        &EARLIEST,
        &[
            ("(!a[0] | ahead[19])", "(!a[0] | ahead[18])", "earliest"),
            ("m = heads_3;", "m = 26'd0;", "one"),
        ],
    );
    check(
        &OCTAVES,
        &[
            ("four_1 <= second_m", "four_1 <= first_m", "chosen"),
            ("best_next = four_1", "best_next = four_0", "chosen"),
            ("m_flow = best[5:4]", "m_flow = four_0[5:4]", "front"),
        ],
    );
}

#[test]
fn formal_slots_are_for_pops_and_found_flows_in_turn() {
    check(
        &INTAKE,
        &[
            ("(!(due_waited & s_due_valid))", "(!s_due_valid)", "pop_in_turn"),
            ("(!(due_waited & s_due_valid))", "1'b1", "due_in_turn"),
            ("if (under_way_5 & (flows_5 == flow))", "if (under_way_5 & 1'b0)", "apart"),
        ],
    );
}

#[test]
fn formal_the_scan_reaches_each_flow_in_time() {
    check(
        &SCAN,
        &[
            ("index_next = word_row + 5'd1", "index_next = word_row + 5'd2", "bound"),
            ("hits_next = hits & less", "hits_next = hits & (hits + less)", "bound"),
            ("lanes_1_s_write_row = write_row", "lanes_1_s_write_row = 5'd0", "kept"),
        ],
    );
}
