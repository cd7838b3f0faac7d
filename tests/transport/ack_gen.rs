//! ack_gen: Verilog against golden model.

use nic_models::golden::transport::ack::gen::{AckGen, AckGenIn, Outcome, Tag};
use nic_models::ports::Golden;
use nic_models::streams::{ReadyPort, WriteDone};
use rdma_nic::{assert_catches, assert_matches_golden, gbe, hundred, Runs};

#[test]
fn ack_gen_matches_golden() {
    assert_matches_golden("ack_gen", 0..4, 100_000, &["m_cqe_status", "m_cqe_wr_id"]);
}

#[test]
fn ack_gen_matches_golden_in_the_sizes_of_hundred() {
    let runs = Runs::of_block("ack_gen", &hundred(), 0..4, 50_000);
    runs.assert_match_golden(&["m_cqe_status", "m_cqe_wr_id"]);
}

/// Cycles in which `flow_count` flows in turn get 100 ACKs.
fn cycles_of_acks(flow_count: u16) -> usize {
    let mut block = AckGen::new(&gbe());
    let mut out = block.step(&AckGenIn { reset: true, ..AckGenIn::default() });
    let (mut done_count, mut ack_count) = (0, 0);
    let start = 100;
    for cycle in 0.. {
        let flow = done_count % flow_count;
        let tag = Tag { psn: 7, msn: 3, flow, outcome: Outcome::Ack, ends: true, ..Tag::default() };
        let done = WriteDone { valid: cycle >= start, tag: tag.to_bits(), error: false };
        let i = AckGenIn {
            s_done: done,
            m_ack: ReadyPort { ready: true },
            m_cqe_ready: true,
            m_job: ReadyPort { ready: true },
            ..AckGenIn::default()
        };
        done_count += u16::from(done.valid && out.s_done.ready);
        ack_count += usize::from(out.m_ack.valid);
        if ack_count == 100 {
            return cycle - start;
        }
        out = block.step(&i);
    }
    unreachable!("cycles never end")
}

#[test]
fn ack_gen_makes_an_ack_every_other_cycle() {
    assert_eq!(cycles_of_acks(2), 2 * 99 + 3);
    assert_eq!(cycles_of_acks(1), 2 * 99 + 3, "of one flow");
}

#[test]
fn ack_gen_bench_notices_broken_verilog() {
    let breaks = [
        ("joins_next = !was_queued", "joins_next = 1'b1"),
        ("joins_next = queued", "joins_next = 1'b0"),
        ("tel_store & (tel_flow == at)", "1'b0"),
        ("& !queue_m_valid & !owed_ack", "& !owed_ack"),
        ("& !owed_ack & !owed_nak & !holds", "& !holds"),
        ("same_next = finishes & (flow == at)", "same_next = 1'b0"),
        ("ends_since[2]))", "1'b0))"),
        ("(ends_since << 1) | one_end", "3'd7"),
        ("may_show & !finishes", "may_show"),
        ("& !job_valid & !hands_over", "& !job_valid"),
        ("end_waits & (!(applies & is_end))", "end_waits"),
        ("msn_before = tag_msn - ends", "msn_before = tag_msn"),
        ("brings & cqe_valid", "1'b0"),
        ("holds = |was_jobs", "holds = 1'b0"),
        ("jobs_less = was_jobs - ", "jobs_less = was_jobs - 1 - "),
        ("ended_more = was_ended + end_reads", "ended_more = was_ended"),
        ("keep = oldest[0] & store_enable & store", "keep = store"),
        ("take_at_next = take_at + 2'd1", "take_at_next = take_at + 2'd2"),
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
