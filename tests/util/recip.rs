//! recip: Verilog against golden model. The error bound is proved beside the golden model.

use nic_harness::lockstep::{LockStep, Stepper};
use nic_hdl::util::recip::{Recip as Hdl, LATENCY_CYCLES};
use nic_models::golden::util::recip::{Recip, RecipIn, Reciprocal};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rdma_nic::{assert_catches, assert_matches_golden, gbe, lock_step, verilog_of};

#[test]
fn recip_matches_golden() {
    assert_matches_golden("recip", 0..4, 50_000, &[]);
}

/// |x * 1/x - 1| < 2^-18, in integers: mantissa * x against 2^(22 + exponent).
fn check(x: u64, r: Reciprocal) {
    let product = u128::from(r.mantissa) * u128::from(x);
    let one = 1_u128 << (22 + r.exponent);
    assert!(product.abs_diff(one) << 18 < one, "1 / {x} is {r:?}");
}

fn run(engine: &mut LockStep<Recip>, arguments: impl Iterator<Item = u64>) {
    let mut waiting = std::collections::VecDeque::new();
    for x in arguments {
        waiting.push_back(x);
        let out = engine.step(&RecipIn { reset: false, x }).expect("equal");
        if waiting.len() == LATENCY_CYCLES {
            match waiting.pop_front().expect("not empty") {
                0 => assert_eq!((out.zero, out.mantissa, out.exponent), (true, 0x3f_ffff, 0)),
                x => check(x, out),
            }
        }
    }
}

#[test]
fn recip_of_64_bits_keeps_its_error_bound_at_every_magnitude() {
    let source = verilog_of(nic_hdl::emit::emit("recip_64", Hdl::<64>::default(), &gbe()));
    let mut engine = lock_step(Recip::default(), &source, 1);
    let edges = (0..64).flat_map(|bit| {
        let power = 1_u64 << bit;
        [power - 1, power, power + 1, power | power >> 1, (power - 1) | power]
    });
    run(&mut engine, edges);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    run(&mut engine, (0..100_000).map(|_| rng.gen::<u64>() >> rng.gen_range(0..64)));
}

#[test]
fn recip_of_narrow_numbers_is_exhaustively_equal() {
    let source = verilog_of(nic_hdl::emit::emit("recip_12", Hdl::<12>::default(), &gbe()));
    run(&mut lock_step(Recip::default(), &source, 1), (0..4096).chain(0..8));
}

#[test]
fn recip_breaks_are_caught() {
    let breaks = [("rom[200] = {21'd", "rom[200] = {21'd1"), ("6'd4 << 3", "6'd3 << 3")];
    assert_catches("recip", 50_000, &breaks);
}
