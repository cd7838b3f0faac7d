//! Requesters side by side against their golden twin, and what they promise together.

use crate::requester::row_behind_an_error;
use nic_harness::verilator::Source;
use nic_models::golden::transport::requester::array::RequesterArray;
use nic_models::golden::transport::requester::RequesterIn;
use nic_models::ports::Golden;
use nic_spec::wire::bth::opcode;
use rdma_nic::{assert_runs_catch, hundred, Runs};

#[test]
fn requester_array_matches_golden() {
    Runs::of_block("requester_array", &hundred(), 1..5, 60_000).assert_match_golden(&[]);
}

#[test]
fn requester_array_breaks_are_caught() {
    let breaks = [
        // A flow, a QPN of another engine.
        ("one_flow = high_flow | low_bits_1", "one_flow = high_flow | low_bits_0"),
        // The lowest always goes first.
        ("above <= later", "above <= {COUNT{1'b0}}"),
        // A pair of packet and read command is torn apart.
        ("& (m_read_ready | !read_full)", "& 1'b1"),
        // Bytes in flight overtake an arm.
        ("(work_first_0 | !engines_0_m_inflight_valid)", "!engines_0_m_inflight_valid"),
        // A payload's order leaves before it is its turn.
        ("payloads_m_data[0]", "1'b1"),
        // READ responses follow each other at once.
        ("pause_next = response_pause", "pause_next = 3'd0"),
        // Orders come faster than `sq_fetch` counts them.
        ("order_pause_next = between_orders", "order_pause_next = 2'd0"),
        // Events of the same cycle are one.
        ("sum = sum + {3'd0, pulses[at]}", "sum = {3'd0, |sum | pulses[at]}"),
    ];
    let seeds = [1, 2];
    assert_runs_catch(&[Runs::of_block("requester_array", &hundred(), seeds, 60_000)], &breaks);
}

#[test]
fn requester_array_row_waits_for_errors_of_all() {
    let runs = Runs::of_block("requester_array", &hundred(), [], 0);
    // Flows of different engines.
    let run =
        |source: &Source| row_behind_an_error(RequesterArray::new(&hundred()), source, [3, 6]);
    run(runs.source()).expect("equal");
    let text = runs.source().text.replacen("(is_qp & (|errors))", "1'b0", 1);
    assert_ne!(runs.source().text, text);
    let broken = Source { text, ..runs.source().clone() };
    assert!(run(&broken).is_err(), "a row that does not wait is noticed");
}

/// Events of several engines in one cycle count one by one.
#[test]
fn requester_array_counts_every_event() {
    let mut array = RequesterArray::new(&hundred());
    let mut i = RequesterIn { reset: true, ..RequesterIn::default() };
    let mut out = array.step(&i);
    i.reset = false;
    let (mut offered, mut counted) = (0, 0);
    for cycle in 0..4000 {
        // At first behind the scrubbing, so that all engines begin at once.
        let is_more = offered < 500;
        (i.s_ack.valid, i.s_ack.qpn, i.s_ack.opcode) = (is_more, cycle, opcode::ACKNOWLEDGE);
        offered += u32::from(is_more && out.s_ack.ready);
        out = array.step(&i);
        counted += u32::from(out.event_reqr.no_qp);
    }
    assert_eq!((offered, counted), (500, 500));
}
