//! ram_fifo: Verilog against golden model.

use nic_harness::lockstep::Stepper;
use nic_models::golden::util::fifo::RamFifo;
use nic_models::golden::util::skid::ItemIn;
use rdma_nic::{assert_catches, assert_matches_golden, bench_and_verilog, lock_step};

#[test]
fn ram_fifo_matches_golden() {
    assert_matches_golden("ram_fifo", 0..4, 50_000, &[]);
}

#[test]
fn ram_fifo_fills_to_its_depth_and_keeps_one_a_cycle_through_the_wrap() {
    let (_, source) = bench_and_verilog("ram_fifo");
    let mut engine = lock_step(RamFifo::<u64>::new(512), &source, 1);
    let pins = |s_data, m_ready| ItemIn { s_valid: true, s_data, m_ready, reset: false };
    for n in 0..512 {
        let out = engine.step(&pins(n, false)).expect("equal");
        assert_eq!(out.s_ready, n < 511);
    }
    // Full: one leaves, and from then on one comes and one leaves in each cycle.
    assert_eq!(engine.step(&pins(512, true)).expect("equal").m_data, 1);
    for n in 0..1500 {
        let out = engine.step(&pins(512 + n, true)).expect("equal");
        assert_eq!((out.m_valid, out.m_data, out.count), (true, n + 2, 511));
    }
}

#[test]
fn ram_fifo_breaks_are_caught() {
    let breaks = [
        ("held != (1 << AW) - 1", "1'b1"),
        ("if (fetch) word", "word"),
        // What comes passes one that is held; what has passed comes again.
        ("none <= held == 1", "none <= held == 2"),
        ("push & !none", "push"),
    ];
    assert_catches("ram_fifo", 50_000, &breaks);
}
