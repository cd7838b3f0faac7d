//! Properties of the flow scheduler, proved on the emitted Verilog of 4 flows with yosys-smtbmc
//! and z3: nothing that its inputs do breaks them. The headers of `tests/formal/` say exactly what
//! is proved, with which cuts and assumptions.
//!
//! Proved: no work is lost, each is granted once and no flow without work; credit is never more than
//! 64 KiB and covers what is paid; no flow has more in flight than its window and one work
//! (`scheduler`, with `settle` for the sums). A flow whose time has come is found within 41 cycles
//! in which the scan is not held up (`scan`). Of two free slots one at least takes a pop, and one a
//! flow that was found (`intake`).
//!
//! A planted break must fail the property that is named with it.

use nic_sim::bench::emitted;
use nic_spec::NicConfig;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Properties of one block.
struct Proof {
    block: &'static str,
    /// Cells, as module/cell, whose outputs may be anything: what is proved holds whatever they do.
    cuts: &'static [&'static str],
    /// Wires of the property module, and the registers of the design that drive them.
    connects: &'static [(&'static str, &'static str)],
    /// Likewise the registers of pipeline stages and the words of memories: wire, bits of a stage,
    /// name with `#` for the number of the stage, first and last number.
    stages: &'static [(&'static str, usize, &'static str, usize, usize)],
    /// Options of yosys-smtbmc, one run each.
    runs: &'static [&'static [&'static str]],
}

/// A pipeline without state: eight cycles from any state are all that it can do.
const SETTLE: Proof = Proof {
    block: "settle",
    cuts: &["settle/product"],
    connects: &[],
    stages: &[],
    runs: &[&["-t", "9"]],
};

/// By induction, and from reset; whatever queues, scan and sums do.
const SCHEDULER: Proof = Proof {
    block: "scheduler",
    cuts: &[
        "scheduler/octaves",
        "scheduler/scan",
        "ledger/settle",
        "ledger/due_time",
        "ledger/overhead",
    ],
    connects: &[
        ("is_clean", "dut.is_clean"),
        ("pop_open", "dut.pop_open"),
        ("pop_taken", "dut.intake_m_pop_taken"),
        ("clear_index", "dut.clear_index"),
        ("slot", "dut.intake.slot"),
        ("pop_flow", "dut.octaves_m_flow"),
        ("pop_queue", "dut.octaves_m_queue"),
        ("head_valid", "dut.intake.waiting.head_valid"),
        ("empty_spare", "dut.intake.waiting.empty_spare"),
        ("head", "dut.intake.waiting.head"),
        ("spare", "dut.intake.waiting.spare"),
        ("operation_1", "dut.ledger.operation_1"),
        ("operation_2", "dut.ledger.operation_2"),
        ("start", "dut.intake_m_start"),
        ("start_1", "dut.ledger.start_1"),
        ("start_2", "dut.ledger.start_2"),
        ("grants", "dut.ledger_m_grant"),
        ("popped", "dut.ledger_m_popped"),
        ("pushes", "dut.ledger_m_push"),
        ("push_queue", "dut.ledger_m_push_queue"),
        ("read_row", "dut.ledger.rows.read_data"),
        ("row_2", "dut.ledger.row_2"),
        ("row_3", "dut.ledger.row_3"),
        ("changed_q", "dut.ledger.changed.q"),
        ("changed_index", "dut.ledger.changed.index"),
        ("write_flow_index", "dut.ledger.write_flows.index"),
        ("write_flow_q", "dut.ledger.write_flows.q"),
        ("write_flow", "dut.ledger_m_write_flow"),
        ("covers", "dut.ledger.settle_m_covers"),
        ("credit", "dut.ledger.settle_m_credit"),
        ("time_write", "dut.ledger_m_write"),
        ("clock_bytes", "dut.line.clock_bytes"),
        ("time_due", "dut.ledger_m_due"),
    ],
    stages: &[
        ("under_way", 1, "dut.intake.under_way_#", 0, 6),
        ("flows", 2, "dut.intake.flows_#", 0, 6),
        ("rows", 191, "dut.ledger.rows.mem[#]", 0, 3),
        ("changed_ring", 191, "dut.ledger.changed.ring[#]", 0, 2),
        ("write_flow_ring", 2, "dut.ledger.write_flows.ring[#]", 0, 2),
        ("writes", 1, "dut.ledger.writes_#", 0, 3),
        ("waits_stage", 1, "dut.ledger.waits_#", 0, 3),
    ],
    runs: &[&["-i", "-t", "1"], &["-t", "3"]],
};

/// By induction, and from reset.
const INTAKE: Proof = Proof {
    block: "intake",
    cuts: &[],
    connects: &[
        ("head_valid", "dut.waiting.head_valid"),
        ("empty_spare", "dut.waiting.empty_spare"),
        ("slot", "dut.slot"),
        ("due_waited", "dut.due_waited"),
        ("head_flow", "dut.flow"),
        ("start", "dut.start"),
    ],
    stages: &[("under_way", 1, "dut.under_way_#", 0, 6), ("flows", 2, "dut.flows_#", 0, 6)],
    runs: &[&["-i", "-t", "1"], &["-t", "3"]],
};

/// By induction, and from reset.
const SCAN: Proof = Proof {
    block: "scan",
    cuts: &[],
    connects: &[
        ("index", "dut.index"),
        ("read_valid", "dut.read_valid"),
        ("read_row", "dut.read_row"),
        ("word_valid", "dut.word_valid"),
        ("word_row", "dut.word_row"),
        ("hits", "dut.hits"),
        ("hits_row", "dut.hits_row"),
    ],
    stages: &[
        ("read_data", 17, "dut.lanes_#.times.read_data", 0, 1),
        ("word", 17, "dut.lanes_#.word", 0, 1),
        ("fresh_1", 1, "dut.lanes_#.fresh_1", 0, 1),
        ("fresh_2", 1, "dut.lanes_#.fresh_2", 0, 1),
        ("times_0", 17, "dut.lanes_0.times.mem[#]", 0, 31),
        ("times_1", 17, "dut.lanes_1.times.mem[#]", 0, 31),
    ],
    runs: &[&["-i", "-t", "1"], &["-t", "3"]],
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
fn formal_credit_is_capped_and_covers_what_it_says() {
    check(
        &SETTLE,
        &[
            ("full_2_next = limit;", "full_2_next = limit + 33'd1;", "cap"),
            ("full_2_next = credit_1;", "full_2_next = limit;", "kept"),
            ("covers_4 <= earned >= need", "covers_4 <= earned + 1 >= need", "covers"),
            ("rest_4 <= need_3 - gain", "rest_4 <= need_3", "lacks"),
        ],
    );
}

#[test]
fn formal_no_work_is_lost_and_each_is_granted_once() {
    check(
        &SCHEDULER,
        &[
            ("assign push = due & (!(|ahead));", "assign push = due & (!(|kept));", "lost"),
            (
                "assign ahead = kept & below;",
                "assign ahead = kept & below & ~own;",
                "twice_in_queue",
            ),
            ("waits_0 <= can & !due;", "waits_0 <= can & !due & !changed_q[3];", "waiting"),
            (
                "row_3_next[1] = 1'b0;\n                row_3_next[170:138]",
                "row_3_next[170:138]",
                "once",
            ),
            ("assign grant = is_pop & row_2[3];", "assign grant = is_pop & row_2[1];", "pays"),
            ("= credit_up | credit_low;", "= 33'h1_ffff_ffff;", "moves"),
            ("(row_3[73:42] < row_3[105:74])", "(row_3[73:42] <= row_3[105:74])", "moves"),
            ("        if (under_way_6 & (flows_6", "        if (1'b0 & (flows_6", "reads"),
            ("pop_slot) & s_pop_valid", "pop_slot | slot == 2'd2) & s_pop_valid", "pace"),
        ],
    );
}

#[test]
fn formal_slots_are_for_pops_and_found_flows_in_turn() {
    check(
        &INTAKE,
        &[
            ("due_waited_next = is_pop & s_due_valid", "due_waited_next = 1'b1", "pop_in_turn"),
            ("due_waited_next = is_pop & s_due_valid", "due_waited_next = 1'b0", "due_in_turn"),
            ("if (under_way_5 & (flows_5 == flow))", "if (under_way_5 & 1'b0)", "apart"),
        ],
    );
}

#[test]
fn formal_the_scan_reaches_each_flow_in_time() {
    check(
        &SCAN,
        &[
            ("index_next = word_row + 5'd1", "index_next = word_row + 5'd2", "reached"),
            ("hits_next = hits & less", "hits_next = hits & (hits + less)", "reached"),
            ("& !fresh_2;", ";", "reached"),
        ],
    );
}
