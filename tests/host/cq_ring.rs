//! cq_ring and interrupt: Verilog against golden model, and the scoreboard of the bench.

use rdma_nic::{assert_catches, assert_matches_golden};

#[test]
fn cq_ring_matches_golden() {
    let fixed = ["m_cmd_bytes", "m_cmd_tag", "s_done_ready"];
    assert_matches_golden("cq_ring", 0..6, 120_000, &fixed);
}

#[test]
fn interrupt_matches_golden() {
    assert_matches_golden("interrupt", 0..2, 20_000, &[]);
}

#[test]
fn cq_ring_breaks_are_caught() {
    let breaks = [
        // An entry more than there is room for.
        ("used_wide < size", "used_wide <= size"),
        // Software is ahead of the reports: no interrupt.
        ("(|unseen) & (unseen < ahead)", "(|unseen)"),
    ];
    assert_catches("cq_ring", 20_000, &breaks);
    assert_catches("interrupt", 1_000, &[("pending_next = 1'b1", "pending_next = 1'b0")]);
    assert_catches("completion_queue", 60_000, &[("& !ring_owns", "")]);
}
