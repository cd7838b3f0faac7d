//! skid: Verilog against golden model.

use nic_harness::lockstep::Stepper;
use nic_models::golden::util::skid::{ItemIn, Skid};
use rdma_nic::{assert_catches, assert_matches_golden, bench_and_verilog, lock_step};

#[test]
fn skid_matches_golden() {
    assert_matches_golden("skid", 0..4, 50_000, &[]);
}

#[test]
fn skid_passes_one_item_a_cycle_and_stalls_without_loss() {
    let (_, source) = bench_and_verilog("skid");
    let mut engine = lock_step(Skid::<u64>::default(), &source, 1);
    let offer = |n, m_ready| ItemIn { s_valid: true, s_data: n, m_ready, reset: false };
    for n in 0..100 {
        let out = engine.step(&offer(n, true)).expect("equal");
        assert_eq!((out.s_ready, out.m_valid, out.m_data), (true, true, n));
    }
    let out = engine.step(&offer(100, false)).expect("equal");
    assert_eq!((out.s_ready, out.m_data), (false, 99));
    for _ in 0..10 {
        assert_eq!(engine.step(&offer(101, false)).expect("equal"), out);
    }
    assert_eq!(engine.step(&offer(101, true)).expect("equal").m_data, 100);
    assert_eq!(engine.step(&offer(101, true)).expect("equal").m_data, 101);
}

#[test]
fn skid_breaks_are_caught() {
    let breaks =
        [("m_ready | !head_valid", "m_ready"), ("empty_spare <= 1'b0", "empty_spare <= 1'b1")];
    assert_catches("skid", 2000, &breaks);
}
