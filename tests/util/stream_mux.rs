//! stream_mux: Verilog against golden model.

use nic_harness::lockstep::Stepper;
use nic_models::golden::util::stream_mux::{StreamMux, StreamMuxIn};
use rdma_nic::{assert_catches, assert_matches_golden, bench_and_verilog, lock_step};

#[test]
fn stream_mux_matches_golden() {
    assert_matches_golden("stream_mux", 0..4, 50_000, &[]);
}

#[test]
fn stream_mux_gives_both_sinks_the_same_share() {
    let (_, source) = bench_and_verilog("stream_mux");
    let mut engine = lock_step(StreamMux::<u64>::default(), &source, 1);
    let pins = StreamMuxIn {
        s_a_valid: true,
        s_a_data: 10,
        s_b_valid: true,
        s_b_data: 11,
        m_ready: true,
        ..StreamMuxIn::default()
    };
    let outs: Vec<_> = (0..40).map(|_| engine.step(&pins).expect("equal")).collect();
    let items: Vec<_> = outs.iter().filter(|o| o.m_valid).map(|o| (o.m_data, o.m_is_b)).collect();
    assert_eq!(items.len(), 20, "one item every other cycle");
    for pair in items.chunks(2) {
        assert_eq!(pair, [(10, false), (11, true)]);
    }
}

#[test]
fn stream_mux_breaks_are_caught() {
    let breaks = [("b_next <= take_a", "b_next <= 1'b0"), ("m_ready | !full", "1'b1")];
    assert_catches("stream_mux", 2000, &breaks);
}
