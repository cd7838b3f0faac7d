//! ack_gen: Verilog against golden model.

use rdma_nic::{assert_catches, assert_matches_golden};

#[test]
fn ack_gen_matches_golden() {
    assert_matches_golden("ack_gen", 0..4, 100_000, &["m_cqe_status", "m_cqe_wr_id"]);
}

#[test]
fn ack_gen_bench_notices_broken_verilog() {
    let breaks = [
        ("queue_s_valid = !was_queued", "queue_s_valid = 1'b1"),
        ("tel_store & (tel_flow == at)", "1'b0"),
        ("& !queue_m_valid & !was_queued", "& !was_queued"),
        ("& !was_queued & !holds", "& !holds"),
        ("same_next = finishes & (flow == at)", "same_next = 1'b0"),
        ("msn_before = tag_msn - ends", "msn_before = tag_msn"),
        ("is_done & has_imm & cqe_valid", "1'b0"),
        ("& !(can_send & send_turn)", ""),
        ("& !hands_over", ""),
        ("end_waits & !(applies & is_end)", "end_waits"),
        ("holds = |was_jobs", "holds = 1'b0"),
        ("jobs_less = was_jobs - ", "jobs_less = was_jobs - 1 - "),
        ("ended_more = was_ended + end_reads", "ended_more = was_ended"),
        ("keep = held_valid & store_enable & store", "keep = store"),
        ("(forget | (shows & !renewed)) & !renews", "(shows & !renewed) & !renews"),
        ("(forget | (shows & !renewed)) & !renews", "(forget | shows) & !renews"),
        ("(forget | (shows & !renewed)) & !renews", "forget | (shows & !renewed)"),
        ("show & send & (fetched_mark ^ sent_copy_read_data)", "show & send"),
        ("new_mark = !sent_read_data", "new_mark = 1'b1"),
        ("cfg_worst_hop & (hop < hops)", "(hop < hops)"),
        ("(hop < hops) & (hops < hops_above)", "(hops < hops_above)"),
        ("(hop < hops) & (hops < hops_above)", "(hop < hops)"),
        ("hop + 3'd1", "hop"),
        ("<< 9", "<< 8"),
        ("chosen_next = flows_read_data[207:144]", "chosen_next = flows_read_data[79:16]"),
        ("if (latest == worst)", "if (1'b1)"),
        ("if (forgets | scrub)", "if (scrub)"),
        ("watch_ready & watch_peer", "watch_ready"),
        ("watch_valid & watch_ready", "watch_valid"),
        ("((|watch_op) | (watch_worst_hop != none))", "1'b1"),
        ("last = worst", "last = none"),
    ];
    assert_catches("ack_gen", 100_000, &breaks);
}
