//! mul_pipe: Verilog against golden model.

use nic_harness::lockstep::Stepper;
use nic_harness::verilator::Source;
use nic_hdl::emit::emit;
use nic_hdl::util::mul_pipe::{latency_cycles, MulPipe as Hdl};
use nic_models::golden::util::mul::{MulPipe, MulPipeIn};
use rdma_nic::{assert_catches, assert_matches_golden, gbe, lock_step, verilog_of};

#[test]
fn mul_pipe_matches_golden() {
    assert_matches_golden("mul_pipe", 0..4, 50_000, &[]);
}

fn check(source: &Source, a_bits: usize, b_bits: usize, latency_cycles: usize) {
    let mut engine = lock_step(MulPipe::new(a_bits, b_bits), source, 1);
    let max = |bits: usize| u64::MAX >> (64 - bits);
    let (a_max, b_max) = (max(a_bits), max(b_bits));
    let corners = [(0, 0), (1, b_max), (a_max, 1), (a_max, b_max), (a_max / 3, b_max / 5)];
    for (a, b) in corners {
        let mut p = 0;
        for _ in 0..latency_cycles {
            p = engine.step(&MulPipeIn { reset: false, a, b }).expect("equal").p;
        }
        assert_eq!(p, u128::from(a) * u128::from(b), "{a} * {b}");
    }
}

#[test]
fn mul_pipe_multiplies_corners_in_every_shape() {
    let source = verilog_of(emit("mul_16_17", Hdl::<16, 17, 33>::default(), &gbe()));
    check(&source, 16, 17, Hdl::<16, 17, 33>::LATENCY_CYCLES);
    let source = verilog_of(emit("mul_64_64", Hdl::<64, 64, 128>::default(), &gbe()));
    check(&source, 64, 64, Hdl::<64, 64, 128>::LATENCY_CYCLES);
    let source = verilog_of(emit("mul_48_1", Hdl::<48, 1, 49>::default(), &gbe()));
    check(&source, 48, 1, Hdl::<48, 1, 49>::LATENCY_CYCLES);
}

#[test]
fn mul_pipe_latency_follows_the_part_count() {
    assert_eq!(latency_cycles(16, 17), 1);
    assert_eq!(latency_cycles(24, 16), 2);
    assert_eq!(latency_cycles(32, 32), 3);
    assert_eq!(latency_cycles(48, 32), 4);
}

#[test]
fn mul_pipe_breaks_are_caught() {
    let breaks = [("a[i*A_BITS", "a[0"), ("terms[(2*i+1)*P", "terms[2*i*P")];
    assert_catches("mul_pipe", 2000, &breaks);
}
