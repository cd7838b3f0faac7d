//! fifo: Verilog against golden model.

use nic_harness::lockstep::Stepper;
use nic_models::golden::util::fifo::LutFifo;
use nic_models::golden::util::skid::ItemIn;
use rdma_nic::{assert_catches, assert_matches_golden, bench_and_verilog, lock_step};

#[test]
fn fifo_matches_golden() {
    assert_matches_golden("fifo", 0..4, 50_000, &[]);
}

#[test]
fn fifo_fills_to_its_depth_and_drains_one_a_cycle() {
    let (_, source) = bench_and_verilog("fifo");
    let mut engine = lock_step(LutFifo::<u64>::new(16), &source, 1);
    let pins = |s_valid, s_data, m_ready| ItemIn { s_valid, s_data, m_ready, reset: false };
    for n in 0..16 {
        let out = engine.step(&pins(true, n, false)).expect("equal");
        assert_eq!((u64::from(out.count), out.s_ready), (n + 1, n < 15));
    }
    for _ in 0..5 {
        assert_eq!(engine.step(&pins(true, 99, false)).expect("equal").count, 16);
    }
    for n in 1..16 {
        assert_eq!(engine.step(&pins(false, 0, true)).expect("equal").m_data, n);
    }
    let out = engine.step(&pins(false, 0, true)).expect("equal");
    assert_eq!((out.m_valid, out.count), (false, 0));
}

#[test]
fn fifo_breaks_are_caught() {
    let breaks = [("held != (1 << AW) - 1", "1'b1"), ("write_index != read_index", "1'b1")];
    assert_catches("fifo", 20_000, &breaks);
}
