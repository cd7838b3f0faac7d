//! cq_ring and interrupt: Verilog against golden model, and the scoreboard of the bench.

use rdma_nic::{assert_catches, assert_matches_golden, assert_runs_catch, hundred, Runs};

/// Outputs that never move.
const FIXED: [&str; 1] = ["s_done_ready"];

#[test]
fn cq_ring_matches_golden() {
    assert_matches_golden("cq_ring", 0..6, 120_000, &FIXED);
    Runs::of_block("cq_ring", &hundred(), 0..4, 120_000).assert_match_golden(&FIXED);
}

/// The bench read a ring only while it was the NIC's, so it lost what had landed before an error
/// where it switched the halted ring off without having looked in between.
#[test]
fn regress_cq_ring_is_read_when_off() {
    for (seed, cycles) in [(4, 406_062), (37, 4_169)] {
        assert_matches_golden("cq_ring", [seed], cycles, &FIXED);
    }
}

#[test]
fn interrupt_matches_golden() {
    assert_matches_golden("interrupt", 0..2, 20_000, &[]);
}

#[test]
fn cq_ring_breaks_are_caught() {
    let breaks = [
        // An entry more than there is room for.
        ("unused_next = room_end - producer", "unused_next = room_end - producer + 1"),
        // Software is ahead of the reports: no interrupt.
        ("(|unseen) & (unseen < ahead)", "(|unseen)"),
    ];
    assert_catches("cq_ring", 20_000, &breaks);
    let wide = [
        ("if (!is_whole)", "if (1'b1)"),
        // A write goes on around the ring, or into what software has not read.
        ("group_left = group - group_place", "group_left = group"),
        ("room_q_next = unused[2:0]", "room_q_next = to_group_end"),
        // A ring of two entries has writes of four.
        ("if (full_size < group_max)", "if (1'b0)"),
        // The entry that was just taken is taken again; nothing is waited for; all entries go to the
        // first place; one of those that landed counts.
        ("head_valid & !take & goes_on", "head_valid & goes_on"),
        ("longest = 4'd8", "longest = 4'd0"),
        ("(new_part << place)", "new_part"),
        ("commit_next = s_done_tag[2:0]", "commit_next = 3'd1"),
    ];
    assert_runs_catch(&[Runs::of_block("cq_ring", &hundred(), 1..4, 60_000)], &wide);
    assert_catches("interrupt", 1_000, &[("pending_next = 1'b1", "pending_next = 1'b0")]);
    assert_catches("completion_queue", 60_000, &[("& !ring_owns", "")]);
}
