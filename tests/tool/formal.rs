//! Properties of the flow scheduler, proved on the emitted Verilog of 4 flows with yosys-smtbmc
//! and z3: nothing that its inputs do breaks them.
//!
//! Proved: a flow is granted only with a packet, inside its window, with credit or on its turn;
//! credit stays below its cap, a debt within 48 KiB, and a closed window holds one packet of
//! credit; late flows that find no room hold the ticket in that order, each after 3 others at
//! most, and stay in the ring until then; its holder is granted at its next visit that finds a
//! place, or at the one after that, and nobody else gets the last place until then; of the whole
//! scheduler, that a flow whose user tells its bytes in flight never has more of them than its
//! window and one packet.
//!
//! Of visits: a turn is free when no flow is armed or called, and of 13 cycles one at most is a
//! call's; a flow with n others before it in its line is visited by the 2 (n + 1)th free turn. A
//! grant keeps the next one waiting for 6 cycles at most.

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
const CREDIT_PIPE: Proof =
    Proof { block: "credit_pipe", cuts: &[], connects: &[], stages: &[], runs: &[&["-t", "9"]] };

/// From reset, and by induction.
const GRANT_RULE: Proof = Proof {
    block: "grant_rule",
    cuts: &[],
    connects: &[
        ("dut_armed", "dut.set.armed"),
        ("dut_in_ring", "dut.set.in_ring"),
        ("dut_grant", "dut.grant"),
        ("ticket_valid", "dut.late.head_valid"),
        ("ticket_flow", "dut.late.head"),
        ("word_valid", "dut.late.word_valid"),
        ("word", "dut.late.word"),
        ("held", "dut.late.held"),
        ("space", "dut.late.space"),
        ("write_index", "dut.late.write_index"),
        ("read_index", "dut.late.read_index"),
        ("joins", "dut.joins"),
        ("ticket_ends", "dut.ticket_ends"),
        ("ticket_is_due", "dut.ticket_is_due"),
        ("second_valid", "dut.queue.second_valid"),
    ],
    stages: &[("words", 2, "dut.late.mem[#]", 0, 3)],
    runs: &[&["-i", "-t", "6"], &["-t", "12"]],
};

/// By induction, and from reset; whatever the order of visits and calls is, and the credit.
const SCHEDULER: Proof = Proof {
    block: "scheduler",
    cuts: &["scheduler/ring", "scheduler/turns", "credit_pipe/product"],
    connects: &[
        ("inflight_0", "dut.flow_state.inflight_table.mem[0]"),
        ("inflight_1", "dut.flow_state.inflight_table.mem[1]"),
        ("inflight_2", "dut.flow_state.inflight_table.mem[2]"),
        ("inflight_3", "dut.flow_state.inflight_table.mem[3]"),
        ("rate_0", "dut.flow_state.rate_table.mem[0]"),
        ("rate_1", "dut.flow_state.rate_table.mem[1]"),
        ("rate_2", "dut.flow_state.rate_table.mem[2]"),
        ("rate_3", "dut.flow_state.rate_table.mem[3]"),
        ("inflight_forwarded", "dut.flow_state.inflight_table.is_written"),
        ("inflight_written", "dut.flow_state.inflight_table.written"),
        ("inflight_read", "dut.flow_state.inflight_table.word"),
        ("inflight_word", "dut.flow_state.inflight_table.read_data"),
        ("rate_forwarded", "dut.flow_state.rate_table.is_written"),
        ("rate_written", "dut.flow_state.rate_table.written"),
        ("rate_read", "dut.flow_state.rate_table.word"),
        ("rate_word", "dut.flow_state.rate_table.read_data"),
        ("word_created", "dut.flow_state.is_created"),
        ("created_flow", "dut.flow_state.flow"),
        ("created", "dut.flow_state.created"),
        ("armed", "dut.grant_rule.set.armed"),
        ("work_valid", "dut.grant_rule.set.work_valid"),
        ("work_flow", "dut.grant_rule.set.work_flow"),
        ("first_valid", "dut.grant_rule.queue.first_valid"),
        ("first_flow", "dut.grant_rule.queue.first_flow"),
        ("second_valid", "dut.grant_rule.queue.second_valid"),
        ("second_flow", "dut.grant_rule.queue.second_flow"),
    ],
    stages: &[
        ("visit_valid", 1, "dut.visits.valid_#", 0, 7),
        ("visit_flow", 2, "dut.visits.flow_#", 0, 7),
        ("visit_stale", 1, "dut.visits.is_stale_#", 0, 6),
        ("visit_created", 1, "dut.visits.created_#", 0, 5),
        ("visit_open", 1, "dut.credit_pipe.open_#", 1, 6),
    ],
    runs: &[&["-i", "-t", "3"], &["-t", "12"]],
};

/// By induction, and from reset.
const ACTIVE_RING: Proof = Proof {
    block: "active_ring",
    cuts: &[],
    connects: &[
        ("pop", "dut.pop"),
        ("pop_express", "dut.pop_express"),
        ("is_express_turn", "dut.is_express_turn"),
        ("head", "dut.head"),
        ("tail", "dut.tail"),
        ("ram_read_data", "dut.ram.read_data"),
        ("choice_flow", "dut.arm_flow"),
        ("count", "dut.count"),
        ("express_head", "dut.express_head"),
        ("express_tail", "dut.express_tail"),
        ("express_count", "dut.express_count"),
        ("ring_chosen", "dut.ring_chosen"),
        ("express_chosen", "dut.express_chosen"),
        ("arm_chosen", "dut.arm_chosen"),
        ("call_chosen", "dut.call_chosen"),
    ],
    stages: &[("ring", 2, "dut.ram.mem[#]", 0, 3), ("express", 2, "dut.express.mem[#]", 0, 7)],
    runs: &[&["-i", "-t", "3"], &["-t", "6"]],
};

/// From reset, and by induction.
const CALLER: Proof = Proof {
    block: "caller",
    cuts: &[],
    connects: &[
        ("on_way", "dut.on_way"),
        ("ending", "dut.ending"),
        ("quiet_cycles", "dut.quiet_cycles"),
    ],
    stages: &[],
    runs: &[&["-i", "-t", "3"], &["-t", "30"]],
};

/// By induction, and from reset; whatever the packets of the last window are.
const CALENDAR: Proof = Proof {
    block: "calendar",
    cuts: &["calendar/history", "calendar/rows"],
    connects: &[("step", "dut.step")],
    stages: &[],
    runs: &[&["-i", "-t", "2"], &["-t", "20"]],
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
    let mut connects = String::new();
    for (wire, register) in proof.connects {
        writeln!(connects, "connect -set {wire} \\{register}").expect("a string takes text");
    }
    for (wire, bits, name, first, last) in proof.stages {
        for (stage, number) in (*first..=*last).enumerate() {
            let (low, high) = (stage * bits, stage * bits + bits - 1);
            let name = name.replace('#', &number.to_string());
            writeln!(connects, "connect -set {wire}[{high}:{low}] \\{name}")
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
            .args(["900", "yosys-smtbmc", "--noprogress", "--unroll", "-s", "z3"])
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
            (
                "grant = may_send &",
                "grant = (may_send | (is_able & s_visit_levels[0] & !s_visit_is_stale)) &",
                "once",
            ),
            (
                "grant = may_send &",
                "grant = (may_send | (is_able & is_armed & !s_visit_is_stale & s_visit_must_send)) &",
                "allowed",
            ),
            (
                "grant = may_send &",
                "grant = (may_send | (is_able & is_armed & s_visit_levels[0])) &",
                "allowed",
            ),
            (
                "grant = may_send &",
                "grant = may_send & (!is_holder | ticket_is_due) &",
                "holder",
            ),
            ("(!place_is_kept | is_holder)", "!place_is_kept", "refused_once"),
            (
                "grant = may_send & has_room &",
                "grant = may_send & (has_room | (late_m_valid & queue_m_grant_valid & !queue_m_is_full \
                 & !packet_valid & !s_is_pending)) &",
                "kept_place",
            ),
            (
                "grant = may_send & has_room &",
                "grant = may_send & (has_room | (ticket_is_due & !queue_m_grant_valid \
                 & !packet_valid & !s_is_pending)) &",
                "returns",
            ),
            ("ticket_is_due_next = passed_over", "ticket_is_due_next = is_late", "due"),
            ("is_holder & !passed_over;", "is_holder & grant;", "waiting"),
            ("is_late & !s_visit_is_queued", "is_late", "waiting"),
            ("is_late & !s_visit_is_queued", "1'b0", "waiting"),
            (
                "head <= word;\n        if (push) write_index <= write_index + 1'b1;",
                "head <= word;",
                "waiting",
            ),
            (
                "(grant | !is_armed) & (!s_visit_is_queued |\n        is_holder)",
                "(grant | !is_armed)",
                "returns",
            ),
            ("is_joining | keeps_ticket |", "is_joining |", "queued"),
            ("return_is_express <= keeps_ticket |", "return_is_express <=", "hurries"),
        ],
    );
}

#[test]
fn formal_no_flow_sends_beyond_its_window_and_a_packet() {
    check(
        &SCHEDULER,
        &[
            ("s_inflight_bytes < s_window_bytes", "s_inflight_bytes <= s_window_bytes", "visit_2"),
            (
                "inflight_table_write_enable = work_taken | inflight_taken",
                "inflight_table_write_enable = inflight_taken",
                "known",
            ),
            ("is_stale_3 <= is_stale_2 | is_hit_3", "is_stale_3 <= is_stale_2", "visit_4"),
            ("disarm_mask = remove_mask | visit_mask", "disarm_mask = remove_mask", "once"),
        ],
    );
}

#[test]
fn formal_each_flow_is_visited_in_time() {
    check(
        &ACTIVE_RING,
        &[
            ("has_express & (is_express_turn | !has_flow)", "has_express", "pace"),
            ("is_express_turn_next = !pop_express", "is_express_turn_next = 1'b1", "pace"),
            ("is_free & !pop_express & has_flow", "is_free & !has_express & has_flow", "take"),
            ("s_return_is_express & (", "(", "kept"),
            ("head_next = head + 2'd1", "head_next = head + 2'd2", "kept"),
            ("ring_chosen <= pop;", "ring_chosen <= pop | pop_express;", "choice"),
            (
                "visit_is_call <= call_chosen;",
                "visit_is_call <= call_chosen | express_chosen;",
                "visit",
            ),
        ],
    );
    check(
        &CALLER,
        &[
            ("!on_way & is_quiet", "!on_way", "spaced"),
            ("if (on_way | is_seen)", "if (is_seen)", "quiet"),
            (
                "visit_valid <= starts | (visit_valid & !m_visit_ready)",
                "visit_valid <= starts",
                "waits",
            ),
            ("if (s_turn_valid & !called_valid)", "if (s_turn_valid)", "called"),
        ],
    );
    check(
        &CALENDAR,
        &[
            ("pending_next = 1'b0", "pending_next = pending & !records", "pending"),
            ("step == step_5", "step == 3'd7", "steps"),
        ],
    );
}
