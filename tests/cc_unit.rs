//! cc_unit: Verilog against golden model, golden model against the f64 reference, and the claims
//! of its header.

use nic_sim::bench::{self, Options};
use nic_sim::golden::cc::cc_unit::{
    CcAck, CcFlow, CcReady, CcUnit, CcUnitIn, CcUnitOut, Tel, OP_CREATE, OP_REMOVE, OP_UPDATE,
};
use nic_sim::golden::cc::CcCfg;
use nic_sim::lockstep::{GoldenOnly, LockStep};
use nic_sim::ports::Golden;
use nic_sim::replay::cc_random::{chunk, Statistics, CHUNK_ACKS};
use nic_sim::replay::cc_trace::{against_trace, resynchronised, State, Trace};
use nic_sim::verilator::Flavour;
use nic_spec::cc_params::{CcConfig, CcParams};
use nic_spec::NicConfig;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rdma_nic::{assert_catches, assert_matches_golden, gbe};
use std::path::Path;

#[test]
fn cc_unit_matches_golden() {
    assert_matches_golden("cc_unit", 0..4, 60_000, &[]);
}

#[test]
fn cc_unit_matches_golden_with_4_and_1024_flows() {
    for flow_count in [4, 1024] {
        let config = NicConfig { flow_count, ..gbe() };
        let bench = bench::by_name("cc_unit", &config).expect("the bench exists");
        let source = bench.emitted().unwrap_or_else(|e| panic!("{flow_count} flows: {e}"));
        for seed in 0..2 {
            let run = bench.run(&source, &Options::new(seed, 60_000));
            run.unwrap_or_else(|failure| panic!("{flow_count} flows: {failure}"));
        }
    }
}

#[test]
fn cc_unit_breaks_are_caught() {
    // A flow may start again too early; a row is written to the wrong flow.
    assert_catches("cc_unit", "slot_7 = slot - 3'd7", "slot_7 = slot - 3'd6", 60_000);
    assert_catches("cc_unit", "alive_q[6]", "1'b0", 60_000);
}

fn trace_a() -> (Trace, CcConfig) {
    let config = CcConfig { t_ns: 4160, w_init_bytes: 52_000, w_ai_bytes: 26.0, ..testbed() };
    (trace("a_ramp_mi5.csv"), config)
}

fn trace_b() -> (Trace, CcConfig) {
    (trace("b_5hop_random_mi5.csv"), testbed())
}

fn testbed() -> CcConfig {
    CcConfig {
        t_ns: 13_000,
        w_init_bytes: 162_500,
        w_ai_bytes: 81.25,
        rate_min_bps: 100e6,
        ..CcConfig::for_line(100e9, 64, 250_000_000)
    }
}

fn trace(name: &str) -> Trace {
    let path = format!("{}/tests/data/hpcc/{name}", env!("CARGO_MANIFEST_DIR"));
    Trace::read(Path::new(&path)).unwrap()
}

fn golden_states(trace: &Trace, config: &CcConfig, flow: u16) -> Vec<State> {
    let cfg = CcUnit::cfg(CcParams::derive(config).unwrap());
    let mut unit = GoldenOnly(CcUnit::new(&gbe()));
    trace.run_unit(&mut unit, config, cfg, flow, || {}).unwrap()
}

#[test]
fn cc_unit_reference_follows_the_traces() {
    for (trace, config) in [trace_a(), trace_b()] {
        let states = trace.run_reference(&config, || {});
        let errors = against_trace(&trace, &states).expect("the trace has win");
        assert!(errors.bytes_max <= 1.0 + 1e-6, "{errors:?}");
    }
}

#[test]
fn cc_unit_golden_follows_reference_and_traces() {
    for (trace, config) in [trace_a(), trace_b()] {
        let states = golden_states(&trace, &config, 63);
        let stepped = resynchronised(&trace, &config, &states);
        assert_eq!((stepped.rows_above_bound, stepped.rows_other_stage), (0, 0), "{stepped:?}");
        assert!(stepped.bytes_max < 2.0, "{stepped:?}");
        let traced = against_trace(&trace, &states).expect("the trace has win");
        assert!(traced.share_within_percent() >= 0.999, "{traced:?}");
    }
}

#[test]
fn cc_unit_verilog_follows_a_trace_bit_by_bit() {
    let (trace, config) = trace_b();
    let source = bench::emitted("cc_unit", &gbe()).unwrap();
    let model = source.model(Flavour::Fast).unwrap();
    let mut unit = LockStep::new(CcUnit::new(&gbe()), &[model], 5).unwrap();
    let cfg = CcUnit::cfg(CcParams::derive(&config).unwrap());
    let states = trace.run_unit(&mut unit, &config, cfg, 7, || {}).unwrap();
    assert_eq!(states, golden_states(&trace, &config, 7));
}

/// Random ACKs with every kind of telemetry, as a trace.
fn random_trace(seed: u64, ack_count: usize) -> Trace {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut hops: [u64; 5] = rng.gen();
    let mut psn: u64 = rng.gen_range(0..1 << 24);
    let (mut nhop, mut path) = (rng.gen_range(1..6), 0);
    let mut text = String::from("ack_seq,snd_nxt,nhop,path,h0,h1,h2,h3,h4\n");
    for _ in 0..ack_count {
        for hop in &mut hops {
            let tau = [0, 1, 0xff_ffff, rng.gen_range(1..40_000), rng.gen_range(1..400)];
            let tau: u64 = tau[rng.gen_range(0..5)];
            let sent = [0, 0xf_ffff, tau / 50 << (*hop & 3), tau / 100, tau / 400];
            let sent: u64 = sent[rng.gen_range(0..5)];
            let queue = [0, 0, 0x1_ffff, rng.gen_range(0..500), 3];
            let queue: u64 = queue[rng.gen_range(0..5)];
            let (ts, tx) = ((*hop >> 3) + tau, (*hop >> 27) + sent);
            *hop = *hop & 7 | (ts & 0xff_ffff) << 3 | (tx & 0xf_ffff) << 27 | queue << 47;
        }
        match rng.gen_range(0..60) {
            0 => nhop = rng.gen_range(0..8),
            1 => path = rng.gen_range(0..4096),
            2 => hops[rng.gen_range(0..5)] = rng.gen(),
            _ => {}
        }
        psn += rng.gen_range(0..4);
        let next = psn + rng.gen_range(0..12);
        text += &format!("{psn},{next},{nhop},{path}");
        hops.iter().for_each(|hop| text += &format!(",{hop:016x}"));
        text.push('\n');
    }
    Trace::parse(&text).unwrap()
}

#[test]
fn cc_unit_is_within_bounds_of_the_reference_on_hostile_telemetry() {
    for seed in 0..20 {
        let trace = random_trace(seed, 2000);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let config = CcConfig { max_stage: rng.gen_range(0..6), ..testbed() };
        let config = CcConfig { eta: rng.gen_range(0.5..1.5), ..config };
        let states = golden_states(&trace, &config, 1);
        let errors = resynchronised(&trace, &config, &states);
        assert_eq!(errors.rows_above_bound, 0, "seed {seed}: {errors:?}");
        assert_eq!(errors.rows_other_psn, 0, "seed {seed}: {errors:?}");
    }
}

#[test]
fn cc_unit_trace_errors_say_where() {
    let missing = Trace::parse("ack_seq,snd_nxt,nhop,h0,h1,h2,h3\n").unwrap_err();
    assert!(missing.contains("line 1") && missing.contains("h4"), "{missing}");
    let header = "ack_seq,snd_nxt,nhop,h0,h1,h2,h3,h4\n";
    let bad = Trace::parse(&format!("{header}1,2,1,0,0,0,0,0\n1,2,one,0,0,0,0,0\n")).unwrap_err();
    assert!(bad.contains("line 3") && bad.contains("nhop"), "{bad}");
    let short = Trace::parse(&format!("{header}1,2,1\n")).unwrap_err();
    assert!(short.contains("line 2"), "{short}");
    assert!(Trace::parse(header).is_err());
}

/// Drives the golden unit by hand.
struct Bench {
    unit: CcUnit,
    out: CcUnitOut,
    cfg: CcCfg,
    cycle: u64,
    answers: Vec<(u64, nic_sim::golden::cc::cc_unit::CcRate)>,
}

impl Bench {
    fn new() -> Self {
        let cfg = CcUnit::cfg(CcParams::derive(&testbed()).unwrap());
        let unit = CcUnit::new(&gbe());
        let mut bench = Self { unit, out: CcUnitOut::default(), cfg, cycle: 0, answers: vec![] };
        bench.unit.step(&CcUnitIn { reset: true, cfg, ..CcUnitIn::default() });
        bench
    }

    fn step(&mut self, ack: Option<CcAck>, flow: Option<CcFlow>) {
        if self.out.m_rate.valid {
            self.answers.push((self.cycle, self.out.m_rate));
        }
        let (s_ack, s_flow) = (ack.unwrap_or_default(), flow.unwrap_or_default());
        let m_rate = CcReady { ready: true };
        self.out = self.unit.step(&CcUnitIn { reset: false, cfg: self.cfg, s_ack, s_flow, m_rate });
        self.cycle += 1;
    }

    fn idle(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| self.step(None, None));
    }

    /// Offers until it is taken; the cycle in which it was.
    fn ack(&mut self, ack: CcAck) -> u64 {
        loop {
            let taken = self.out.s_ack.ready;
            self.step(Some(ack), None);
            if taken {
                return self.cycle - 1;
            }
        }
    }

    fn command(&mut self, flow: u16, op: u8, telemetry: bool) {
        let (window_bytes, rate) = (100_000, 0x0123_4567);
        let command = CcFlow { valid: true, flow, op, telemetry, window_bytes, rate };
        loop {
            let taken = self.out.s_flow.ready;
            self.step(None, Some(command));
            if taken {
                return;
            }
        }
    }
}

fn ack(flow: u16, psn: u32, ts_ns: u64) -> CcAck {
    let hop = 2 | (ts_ns & 0xff_ffff) << 3 | (ts_ns / 8 & 0xf_ffff) << 27;
    let tel = Tel { valid: true, hops: 1, path: 1, hop: [hop, 0, 0, 0, 0] };
    CcAck { valid: true, flow, psn, snd_nxt: (psn + 9) & 0xff_ffff, tel }
}

#[test]
fn cc_unit_spacing_of_a_flows_acks_changes_nothing() {
    let run = |gap: u64| {
        let mut bench = Bench::new();
        (0..8).for_each(|flow| bench.command(flow, OP_CREATE, true));
        for n in 0..60 {
            let mut a = ack(3, (0xff_ffe0 + n) & 0xff_ffff, u64::from(n) * 700);
            a.tel.hop[0] |= u64::from(n % 9) << 47;
            bench.ack(a);
            bench.idle(gap);
        }
        bench.idle(300);
        bench.answers.iter().skip(8).map(|(_, rate)| *rate).collect::<Vec<_>>()
    };
    let close = run(0);
    assert_eq!(close.len(), 60);
    for gap in [1, 7, 8, 9, 63, 64, 200] {
        assert_eq!(run(gap), close, "gap {gap}");
    }
}

#[test]
fn cc_unit_keeps_its_latency_and_rate() {
    use nic_hdl::cc::cc_unit::{LATENCY_CYCLES, SAME_FLOW_CYCLES, SLOT_CYCLES};
    let mut bench = Bench::new();
    (0..64).for_each(|flow| bench.command(flow, OP_CREATE, true));
    bench.idle(200);
    for lead in 0..16 {
        bench.answers.clear();
        bench.idle(lead);
        let taken = bench.ack(ack(5, 1, 100));
        bench.idle(100);
        let latency = (bench.answers[0].0 - taken) as usize;
        assert!((LATENCY_CYCLES..LATENCY_CYCLES + 8).contains(&latency), "{latency}");
    }
    // Different flows: one each slot. The same flow: one each eight slots.
    bench.ack(ack(0, 1, 50));
    let first = bench.ack(ack(1, 1, 50));
    let last = (2..40).map(|n| bench.ack(ack(n, 1, 50))).last().unwrap();
    assert_eq!((last - first) as usize, 38 * SLOT_CYCLES);
    bench.idle(200);
    bench.ack(ack(0, 1, 50));
    let first = bench.ack(ack(0, 1, 50));
    let last = (1..20).map(|_| bench.ack(ack(0, 1, 50))).last().unwrap();
    assert_eq!((last - first) as usize, 19 * SAME_FLOW_CYCLES);
}

#[test]
fn cc_unit_flows_without_telemetry_keep_window_and_rate() {
    let mut bench = Bench::new();
    bench.command(9, OP_CREATE, false);
    bench.ack(ack(9, 1, 50));
    bench.idle(200);
    bench.command(9, OP_REMOVE, true);
    bench.command(9, OP_CREATE, true);
    bench.ack(ack(9, 1, 50));
    bench.idle(200);
    let told: Vec<_> = bench.answers.iter().map(|(_, r)| (r.op, r.window_bytes, r.rate)).collect();
    // 100000 bytes a 13 us: 7.69 bytes/ns, 4 ns a cycle.
    let adaptive = told[2].2;
    assert!((f64::from(adaptive) / 2_f64.powi(24) - 100_000.0 / 13_000.0 * 4.0).abs() < 1e-3);
    let fixed = 0x0123_4567;
    assert_eq!(
        told,
        [
            (OP_CREATE, 100_000, fixed),
            (OP_REMOVE, 100_000, fixed),
            (OP_CREATE, 100_000, adaptive),
            (OP_UPDATE, 100_000, adaptive)
        ]
    );
}

/// The bounds of `hdl/number-formats.md`; `nic cc-error` tries more ACKs.
#[test]
fn cc_unit_arithmetic_stays_within_its_bounds() {
    let mut all = Statistics::default();
    (0..50).for_each(|index| all.merge(&chunk(7, index, CHUNK_ACKS)));
    assert!(all.u.of_bound_max <= 1.0 && all.w.of_bound_max <= 1.0, "{all:?}");
    assert!(all.rate.of_bound_max <= 1.0, "{all:?}");
    // Bounds that are far away would prove nothing.
    assert!(all.u.of_bound_max > 0.9 && all.w.of_bound_max > 0.5, "{all:?}");
    assert_eq!((all.decisions_wrong, all.other_outcome), (0, 0));
    let e = all.extremes;
    let met = [e.time_still, e.time_one, e.time_wrap, e.sent_wrap, e.queue_full, e.queue_empty];
    let ends = [e.hops_0, e.hops_5, e.hops_6, e.u_small, e.u_large];
    assert!(met.iter().chain(&ends).all(|count| *count > 100), "{e:?}");
}
