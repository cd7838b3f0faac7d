//! rr_arb: Verilog against golden model.

use nic_harness::lockstep::Stepper;
use nic_hdl::emit::emit;
use nic_hdl::util::rr_arb::{RrArb as Hdl, GRANT_CYCLES, LATENCY_CYCLES};
use nic_models::golden::util::rr_arb::{RrArb, RrArbIn, RrArbOut};
use nic_models::ports;
use nic_models::ports::{Golden, Wide};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rdma_nic::{
    assert_catches, assert_matches_golden, bench_and_verilog, gbe, lock_step, verilog_of,
};

#[test]
fn rr_arb_matches_golden() {
    assert_matches_golden("rr_arb", 0..4, 50_000, &[]);
}

#[test]
fn rr_arb_serves_all_requesters_in_turn() {
    let (_, source) = bench_and_verilog("rr_arb");
    let mut engine = lock_step(RrArb::<1>::new(64), &source, 1);
    let all = RrArbIn { reset: false, request: Wide([u64::MAX]), m_ready: true };
    let none = RrArbIn { request: Wide([0]), ..all };
    (0..4).for_each(|_| assert!(!engine.step(&none).expect("equal").m_valid));
    let mut grants = Vec::new();
    for cycle in 1..=LATENCY_CYCLES + 199 * GRANT_CYCLES {
        let out = engine.step(&all).expect("equal");
        if out.m_valid {
            assert_eq!(cycle, LATENCY_CYCLES + grants.len() * GRANT_CYCLES);
            grants.push(usize::from(out.m_index));
        }
    }
    assert_eq!(grants, (0..200).map(|n| n % 64).collect::<Vec<_>>());
}

ports! {
    struct WideIn { pub reset: bool, pub request: Wide<4>, pub m_ready: bool }
}

/// The golden model over 256 lines or fewer.
struct WideArb(RrArb<4>);

impl Golden for WideArb {
    type In = WideIn;
    type Out = RrArbOut;
    fn step(&mut self, i: &WideIn) -> RrArbOut {
        self.0.step(i.reset, &i.request.0, i.m_ready);
        RrArbOut { m_valid: self.0.m_valid(), m_index: self.0.m_index() as u16 }
    }
}

fn check_size(source: &nic_harness::verilator::Source, request_count: usize) {
    let mut engine = lock_step(WideArb(RrArb::new(request_count)), source, 1);
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..20_000 {
        let sparse = rng.gen_range(0..8);
        let mut request = [0; 4];
        for line in 0..request_count {
            request[line / 64] |= u64::from(rng.gen_ratio(1, 1 << sparse)) << (line % 64);
        }
        let pins = WideIn { reset: false, request: Wide(request), m_ready: rng.gen() };
        engine.step(&pins).expect("equal");
    }
}

#[test]
fn rr_arb_matches_golden_with_4_and_256_requesters() {
    let source = verilog_of(emit("rr_arb_4", Hdl::<4, 2, 2>::default(), &gbe()));
    check_size(&source, 4);
    let source = verilog_of(emit("rr_arb_256", Hdl::<256, 16, 8>::default(), &gbe()));
    check_size(&source, 256);
}

#[test]
fn rr_arb_breaks_are_caught() {
    let breaks = [("|above ?", "&above ?"), ("<< last_member) << 1", "<< last_member)")];
    assert_catches("rr_arb", 5000, &breaks);
}
