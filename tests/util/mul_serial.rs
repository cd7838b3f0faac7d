//! mul_serial: Verilog against golden model.

use nic_harness::lockstep::Stepper;
use nic_hdl::util::mul_serial::MulSerial as Hdl;
use nic_models::golden::util::mul::{MulSerial, MulSerialIn};
use rdma_nic::{assert_catches, assert_matches_golden, bench_and_verilog, lock_step};

#[test]
fn mul_serial_matches_golden() {
    assert_matches_golden("mul_serial", 0..4, 50_000, &[]);
}

#[test]
fn mul_serial_gives_the_product_after_its_latency() {
    let (_, source) = bench_and_verilog("mul_serial");
    let mut engine = lock_step(MulSerial::new(32), &source, 1);
    for (s_a, s_b) in [(0, 0), (1, 0xff_ffff), (0xffff_ffff, 0xff_ffff), (0x8000_0000, 1)] {
        let mut pins = MulSerialIn { s_valid: true, s_a, s_b, ..MulSerialIn::default() };
        for cycle in 1..=Hdl::<32, 24, 56>::LATENCY_CYCLES {
            let out = engine.step(&pins).expect("equal");
            assert_eq!(out.m_valid, cycle == Hdl::<32, 24, 56>::LATENCY_CYCLES);
            pins.s_valid = false;
        }
        pins.m_ready = true;
        assert_eq!(engine.last_out().m_p, u128::from(s_a) * u128::from(s_b));
        assert!(engine.step(&pins).expect("equal").s_ready);
    }
}

#[test]
fn mul_serial_breaks_are_caught() {
    let breaks = [("bits_left == one_left", "bits_left == 7'd2"), ("if (a[31])", "if (a[30])")];
    assert_catches("mul_serial", 2000, &breaks);
}
