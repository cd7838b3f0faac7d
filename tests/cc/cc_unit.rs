//! cc_unit: Verilog against golden model, golden model against the f64 reference, and the claims
//! of its header.

use nic_harness::bench::Options;
use nic_harness::lockstep::{GoldenOnly, LockStep};
use nic_harness::verilator::Flavour;
use nic_models::golden::cc::hop::hop_utilisation;
use nic_models::golden::cc::unit::{
    CcUnit, CcUnitIn, CcUnitOut, FlowState, NO_HOP, OP_CREATE, OP_REMOVE, OP_UPDATE,
};
use nic_models::golden::cc::CcCfg;
use nic_models::ports::Golden;
use nic_models::reference::hpcc::Ignored;
use nic_models::streams::{self, AckTelemetry, FlowCommand, ReadyPort, Telemetry};
use nic_sim::bench;
use nic_sim::replay::cc_random::{chunk, Statistics, CHUNK_ACKS};
use nic_sim::replay::cc_trace::{against_trace, resynchronised, State, Trace};
use nic_spec::cc_params::{CcConfig, CcParams, U_ONE};
use nic_spec::NicConfig;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rdma_nic::{assert_catches, assert_matches_golden, bench_and_verilog, gbe};
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
        let source = bench::verilog(&bench).unwrap_or_else(|e| panic!("{flow_count} flows: {e}"));
        for seed in 0..2 {
            let run = bench.run(&source, &Options::new(seed, 60_000));
            run.unwrap_or_else(|failure| panic!("{flow_count} flows: {failure}"));
        }
    }
}

#[test]
fn cc_unit_breaks_are_caught() {
    // Telemetry of a PSN that was never sent counts, a bad hop counts.
    assert_catches("cc_unit", "behind_2[23]", "1'b0", 60_000);
    assert_catches("cc_unit", "is_bad = judged && (|records_bad)", "is_bad = 1'b0", 60_000);
    // A flow may start again too early; a row is written to the wrong flow.
    assert_catches("cc_unit", "slot_7 = slot - 3'd7", "slot_7 = slot - 3'd6", 60_000);
    assert_catches("cc_unit", "alive_q[6]", "1'b0", 60_000);
    // The worst hop is another one, or that of the next ACK.
    assert_catches("cc_unit", "phase - 3'd2", "phase - 3'd3", 60_000);
    assert_catches("cc_unit", "hop_new(worst_wind)", "hop_new(worst_ewma)", 60_000);
    // A receiver's update is due T after the last one, or goes by PSN; seed 2 is a receiver.
    for (from, to) in [("until_2 > behind_2", "until_2 >= behind_2"), ("cfg_by_time", "1'b0")] {
        let (bench, mut source) = bench_and_verilog("cc_unit");
        let at = source.text.find("is_ahead = (|ahead_2)").expect("the rule for full updates");
        let rule = source.text.split_off(at);
        assert!(rule.contains(from), "no {from:?}");
        source.text += &rule.replacen(from, to, 1);
        let options = Options { failure_dir: None, ..Options::new(2, 60_000) };
        assert!(bench.run(&source, &options).is_err(), "{from:?} -> {to:?} is not noticed");
    }
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
        assert!(states.iter().all(|s| s.outcome.ignored.is_none()));
    }
}

#[test]
fn cc_unit_golden_follows_reference_and_traces() {
    for (trace, config) in [trace_a(), trace_b()] {
        let states = golden_states(&trace, &config, 63);
        // An honest network: the checks change nothing.
        let unchecked = CcConfig { checks: false, ..config };
        assert!(config.checks && states == golden_states(&trace, &unchecked, 63));
        let stepped = resynchronised(&trace, &config, &states);
        assert_eq!((stepped.rows_above_bound, stepped.rows_other_stage), (0, 0), "{stepped:?}");
        assert!(stepped.bytes_max < 2.0, "{stepped:?}");
        let traced = against_trace(&trace, &states).expect("the trace has win");
        assert!(traced.share_within_percent() >= 0.999, "{traced:?}");
    }
}

/// The unit of a receiver: the same, with times in the place of PSNs.
#[test]
fn cc_unit_of_a_receiver_sends_the_window_once_in_t() {
    for (trace, config) in [trace_a(), trace_b()] {
        let trace = trace.received().unwrap();
        let states = golden_states(&trace, &config, 5);
        let reference = trace.run_reference(&config, || {});
        let stepped = resynchronised(&trace, &config, &states);
        let others = (stepped.rows_other_stage, stepped.rows_other_psn, stepped.rows_above_bound);
        assert_eq!(others, (0, 0, 0), "{stepped:?}");
        let sent =
            |states: &[State]| -> Vec<bool> { states.iter().map(|s| s.outcome.full).collect() };
        assert_eq!(sent(&states), sent(&reference));
        // More than T lies between two of them, and no longer than there was no packet.
        let times: Vec<u64> = trace.acks.iter().map(|a| a.now_ns.unwrap()).collect();
        let mut last = None;
        for (n, sends) in sent(&states).into_iter().enumerate() {
            let is_due = last.is_none_or(|last| times[n] > last + u64::from(config.t_ns));
            assert_eq!(sends, is_due, "packet {n}");
            last = if sends { Some(times[n]) } else { last };
        }
        let sent_count = sent(&states).iter().filter(|s| **s).count();
        println!("{} packets, {sent_count} windows sent", states.len());
        assert!(sent_count > 30 && states.len() >= sent_count);
    }
    // However long a flow is silent: an idle link, packets 1.5 us to 25 ms apart, times that wrap.
    let mut lines = String::from("now_ns,ack_seq,snd_nxt,nhop,h0,h1,h2,h3,h4\n");
    let (mut now_ns, mut rng) = (0_u64, ChaCha8Rng::seed_from_u64(9));
    for _ in 0..500 {
        now_ns += 3 << rng.gen_range(9..24);
        lines += &format!("{now_ns},0,0,1,{:x},0,0,0,0\n", 2 | (now_ns & 0xff_ffff) << 3);
    }
    let config = CcConfig { checks: false, ..testbed() };
    let silent = Trace::parse(&lines).unwrap().received().unwrap();
    let full = |states: Vec<State>| states.iter().map(|s| s.outcome.full).collect::<Vec<_>>();
    assert_eq!(
        full(golden_states(&silent, &config, 5)),
        full(silent.run_reference(&config, || {}))
    );
    let no_time = Trace::parse("ack_seq,snd_nxt,nhop,h0,h1,h2,h3,h4\n1,2,1,0,0,0,0,0\n").unwrap();
    assert!(no_time.received().unwrap_err().contains("now_ns"));
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
        let config = CcConfig { checks: seed % 4 != 0, queue_max_bytes: 80.0 * 400.0, ..config };
        let states = golden_states(&trace, &config, 1);
        let errors = resynchronised(&trace, &config, &states);
        assert_eq!(errors.rows_above_bound, 0, "seed {seed}: {errors:?}");
        assert_eq!(errors.rows_other_psn, 0, "seed {seed}: {errors:?}");
        assert_eq!(errors.rows_other_ignored, 0, "seed {seed}: {errors:?}");
        let ignored = states.iter().filter(|s| s.outcome.ignored.is_some()).count();
        assert!((200..1900).contains(&ignored), "seed {seed}: {ignored} of 2000 ignored");
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
    answers: Vec<(u64, streams::Decision)>,
}

impl Bench {
    fn new() -> Self {
        let cfg = CcUnit::cfg(CcParams::derive(&testbed()).unwrap());
        let unit = CcUnit::new(&gbe());
        let mut bench = Self { unit, out: CcUnitOut::default(), cfg, cycle: 0, answers: vec![] };
        bench.unit.step(&CcUnitIn { reset: true, cfg, ..CcUnitIn::default() });
        bench
    }

    fn step(&mut self, ack: Option<AckTelemetry>, flow: Option<FlowCommand>) {
        if self.out.m_rate.valid {
            self.answers.push((self.cycle, self.out.m_rate));
        }
        let (s_ack, s_flow) = (ack.unwrap_or_default(), flow.unwrap_or_default());
        let m_rate = ReadyPort { ready: true };
        self.out = self.unit.step(&CcUnitIn { reset: false, cfg: self.cfg, s_ack, s_flow, m_rate });
        self.cycle += 1;
    }

    fn idle(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| self.step(None, None));
    }

    /// Offers until it is taken; the cycle in which it was.
    fn ack(&mut self, ack: AckTelemetry) -> u64 {
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
        let command = FlowCommand { valid: true, flow, op, telemetry, window_bytes, rate };
        loop {
            let taken = self.out.s_flow.ready;
            self.step(None, Some(command));
            if taken {
                return;
            }
        }
    }
}

fn ack(flow: u16, psn: u32, ts_ns: u64) -> AckTelemetry {
    let hop = 2 | (ts_ns & 0xff_ffff) << 3 | (ts_ns / 8 & 0xf_ffff) << 27;
    let tel = Telemetry { valid: true, hops: 1, path: 1, hop: [hop, 0, 0, 0, 0] };
    AckTelemetry { valid: true, flow, psn, snd_nxt: (psn + 9) & 0xff_ffff, tel }
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
    use nic_hdl::cc::unit::{LATENCY_CYCLES, SAME_FLOW_CYCLES, SLOT_CYCLES};
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
    (0..500).for_each(|index| all.merge(&chunk(7, index, CHUNK_ACKS)));
    assert!(all.u.of_bound_max <= 1.0 && all.w.of_bound_max <= 1.0, "{all:?}");
    assert!(all.rate.of_bound_max <= 1.0, "{all:?}");
    // Bounds that are far away would prove nothing.
    assert!(all.u.of_bound_max > 0.9 && all.w.of_bound_max > 0.5, "{all:?}");
    assert_eq!((all.w_far, all.decisions_wrong, all.other_outcome), (0, 0, 0));
    let e = all.extremes;
    let met = [e.time_still, e.time_one, e.time_wrap, e.sent_wrap, e.queue_full, e.queue_empty];
    let ends = [e.hops_0, e.hops_5, e.hops_6, e.u_small, e.u_large];
    assert!(met.iter().chain(&ends).all(|count| *count > 100), "{e:?}");
}

/// Two ACKs of five hops each; which hop of the second has the largest u'.
#[test]
fn cc_unit_names_the_worst_hop() {
    let cfg = CcCfg::from(CcParams::derive(&testbed()).unwrap());
    let tel = |hops: u8, path: u16, hop: [Hop; 5]| Telemetry {
        valid: true,
        hops,
        path,
        hop: hop.map(record),
    };
    let before = [(2, 1000, 50, 10); 5];
    let after = [(2, 2000, 90, 10); 5];
    let with = |changes: &[(usize, Hop)]| {
        let mut hops = after;
        changes.iter().for_each(|(i, hop)| hops[*i] = *hop);
        hops
    };
    let cases = [
        ("of equal ones the first", with(&[]), 0),
        ("more bytes", with(&[(2, (2, 2000, 91, 10))]), 2),
        ("the same bytes in less time", with(&[(3, (2, 1990, 90, 10))]), 3),
        ("the same on a slower link", with(&[(4, (1, 2000, 90, 10))]), 4),
        ("a queue, if it is in both records", with(&[(1, (2, 2000, 90, 4000))]), 0),
        ("the larger of two", with(&[(1, (2, 2000, 95, 10)), (3, (2, 2000, 99, 10))]), 3),
        ("not one whose time stands still", with(&[(0, (2, 1000, 99, 10))]), 1),
        ("none, with all of them", with(&[0, 1, 2, 3, 4].map(|i| (i, before[i]))), NO_HOP),
    ];
    for (name, hops, expected) in cases {
        let mut flow = FlowState::default();
        let create =
            FlowCommand { valid: true, op: OP_CREATE, telemetry: true, ..FlowCommand::default() };
        assert_eq!(flow.command(&cfg, &create).worst_hop, NO_HOP, "a command");
        let mut worst_hop = |psn, tel| {
            let ack = AckTelemetry { psn, snd_nxt: psn + 10, tel, ..AckTelemetry::default() };
            flow.new_ack(&cfg, &ack).unwrap().unwrap().worst_hop
        };
        assert_eq!(worst_hop(100, tel(5, 1, before)), NO_HOP, "records that are only stored");
        assert_eq!(worst_hop(101, tel(6, 1, after)), NO_HOP, "more than five");
        assert_eq!(worst_hop(102, tel(5, 1, hops)), expected, "{name}");
        assert_eq!(worst_hop(103, tel(5, 2, hops)), NO_HOP, "another path");
    }
}

/// A record: rate code, time, units sent, units queued.
type Hop = (u64, u64, u64, u64);

fn record((code, ts_ns, sent, queue): Hop) -> u64 {
    code | (ts_ns & 0xff_ffff) << 3 | (sent & 0xf_ffff) << 27 | queue << 47
}

/// Two ACKs: PSN, next PSN to send and records of the second, and why it is ignored. The first has the
/// PSN 1 less, the path 1, and records of these values.
struct Vector {
    name: &'static str,
    before: Vec<Hop>,
    acked: (u32, u32),
    path: u16,
    after: Vec<Hop>,
    ignored: Option<Ignored>,
}

fn vector(name: &'static str, before: Hop, after: Hop, ignored: Option<Ignored>) -> Vector {
    let (before, after) = (vec![before], vec![after]);
    Vector { name, before, acked: (100, 110), path: 1, after, ignored }
}

/// 28 Gb/s for each 25 are 28 tau/1024 units of 128 bytes; 74 more may be.
fn vectors() -> Vec<Vector> {
    use Ignored::{Bytes, Psn, Queue, Time};
    let (start, next) = ((2, 1000, 50, 10), (2, 2000, 150, 10));
    let sends = |name, code: u64, sent: u64, ignored| {
        vector(name, (code, 1000, 50, 10), (code, 2000, 50 + sent, 10), ignored)
    };
    let acks = |name, psn, snd_nxt, ignored| Vector {
        acked: (psn, snd_nxt),
        ..vector(name, start, next, ignored)
    };
    vec![
        vector("honest", start, next, None),
        sends("25 Gb/s, 27 + 74 units in 1000 ns", 0, 101, None),
        sends("25 Gb/s, one more", 0, 102, Some(Bytes)),
        sends("100 Gb/s, 109 + 74 units in 1000 ns", 2, 183, None),
        sends("100 Gb/s, one more", 2, 184, Some(Bytes)),
        sends("400 Gb/s, 437 + 74 units in 1000 ns", 4, 511, None),
        sends("400 Gb/s, one more", 4, 512, Some(Bytes)),
        sends("40 Gb/s, 54 + 74 units in 1000 ns", 7, 128, None),
        sends("40 Gb/s, one more", 7, 129, Some(Bytes)),
        sends("no rate, any bytes", 5, 0xf_ffff, None),
        vector("a frame in no time", start, (2, 1000, 124, 10), None),
        vector("more than a frame in no time", start, (2, 1000, 125, 10), Some(Bytes)),
        vector("sent wraps", (2, 1000, 0xf_fff0, 10), (2, 2000, 80, 10), None),
        vector("sent goes back", start, (2, 2000, 49, 10), Some(Bytes)),
        vector("time wraps", (2, 0xff_ff00, 50, 10), (2, 232, 80, 10), None),
        vector("time ahead by 2^23 - 1", start, (2, 1000 + 0x7f_ffff, 150, 10), None),
        vector("time ahead by 2^23 is behind", start, (2, 1000 + 0x80_0000, 150, 10), Some(Time)),
        vector("time back by 1", start, (2, 999, 50, 10), Some(Time)),
        vector("time back over the wrap", (2, 5, 50, 10), (2, 0xff_fffe, 50, 10), Some(Time)),
        vector("queue of 1000 units", start, (2, 2000, 150, 1000), None),
        vector("queue of 1001 units", start, (2, 2000, 150, 1001), Some(Queue)),
        vector("no rate, long queue", start, (6, 2000, 150, 1001), Some(Queue)),
        acks("the last PSN", 109, 110, None),
        acks("a PSN that comes next", 110, 110, Some(Psn)),
        acks("a PSN far ahead", 0x40_0000, 110, Some(Psn)),
        acks("the last PSN before the wrap", 0xff_ffff, 0, None),
        acks("a PSN behind the wrap", 0, 0xff_ffff, Some(Psn)),
        acks("a PSN 2^23 - 1 back", 110_u32.wrapping_sub(0x7f_ffff) & 0xff_ffff, 110, None),
        acks("a PSN 2^23 back is ahead", 110_u32.wrapping_sub(0x80_0000) & 0xff_ffff, 110, {
            Some(Psn)
        }),
        vector("bytes before queue", start, (2, 2000, 9999, 1001), Some(Bytes)),
        vector("time before bytes and queue", start, (2, 0, 9999, 1001), Some(Time)),
        Vector {
            acked: (110, 110),
            ..vector("PSN before time, bytes and queue", start, (2, 0, 9999, 1001), Some(Psn))
        },
        Vector {
            before: vec![start, start],
            after: vec![next, (2, 2000, 9999, 10)],
            ..vector("the second hop", start, next, Some(Bytes))
        },
        Vector {
            before: vec![start; 5],
            after: vec![(2, 2000, 9999, 10), next, next, next, (2, 999, 150, 10)],
            ..vector("time of the last hop before bytes of the first", start, next, Some(Time))
        },
        Vector {
            path: 2,
            ..vector("another path is compared with nothing", start, (2, 0, 9999, 1001), None)
        },
        Vector {
            after: vec![(2, 0, 9999, 1001); 2],
            ..vector("so are more hops", start, next, None)
        },
    ]
}

impl Vector {
    /// The two ACKs, and an honest one behind them.
    fn trace(&self) -> Trace {
        let mut text = String::from("ack_seq,snd_nxt,nhop,path,h0,h1,h2,h3,h4\n");
        let mut line = |(psn, snd_nxt): (u32, u32), path: u16, hops: &[Hop]| {
            text += &format!("{psn},{snd_nxt},{},{path}", hops.len());
            let records = hops.iter().map(|hop| record(*hop)).chain([0; 5]).take(5);
            records.for_each(|record| text += &format!(",{record:016x}"));
            text.push('\n');
        };
        let (psn, snd_nxt) = self.acked;
        line((110_u32.wrapping_sub(11), 110), 1, &self.before);
        line((psn, snd_nxt), self.path, &self.after);
        // What it is compared with: records of a PSN that was never sent are not stored.
        let is_stored = self.ignored != Some(Ignored::Psn);
        let (path, stored) = if is_stored { (self.path, &self.after) } else { (1, &self.before) };
        let later = |hop: &Hop| (hop.0, hop.1 + 500, hop.2 + 40, 0);
        let hops: Vec<Hop> = stored.iter().map(later).collect();
        line((snd_nxt.wrapping_sub(1) & 0xff_ffff, snd_nxt), path, &hops);
        Trace::parse(&text).expect("a trace")
    }
}

/// What no honest network gives is ignored by reference, golden unit and Verilog for the same reason, it
/// changes nothing, and what comes behind it counts.
#[test]
fn cc_unit_ignores_what_no_honest_network_gives() {
    let config = CcConfig { queue_max_bytes: 80_000.0, ..testbed() };
    let cfg = CcUnit::cfg(CcParams::derive(&config).unwrap());
    let source = bench::emitted("cc_unit", &gbe()).unwrap();
    for v in vectors() {
        let trace = v.trace();
        let model = source.model(Flavour::Fast).unwrap();
        let mut verilog = LockStep::new(CcUnit::new(&gbe()), &[model], 5).unwrap();
        let mut golden = GoldenOnly(CcUnit::new(&gbe()));
        let runs = [
            trace.run_reference(&config, || {}),
            trace.run_unit(&mut golden, &config, cfg, 3, || {}).unwrap(),
            trace.run_unit(&mut verilog, &config, cfg, 3, || {}).unwrap(),
        ];
        for states in runs {
            let [first, second, third] = states[..] else { panic!("three ACKs") };
            assert_eq!((first.outcome.first, first.outcome.ignored), (true, None), "{}", v.name);
            assert_eq!(second.outcome.ignored, v.ignored, "{}", v.name);
            assert_eq!((third.outcome.first, third.outcome.ignored), (false, None), "{}", v.name);
            if v.ignored.is_some() {
                let outcome = first.outcome;
                assert_eq!(nic_sim::replay::cc_trace::State { outcome, ..second }, first);
            }
        }
    }
}

/// Registers switch each check off by itself.
#[test]
fn cc_unit_checks_only_what_it_is_told_to() {
    use nic_spec::cc_params::{CHECK_BYTES, CHECK_PSN, CHECK_TIME, QUEUE_NO_LIMIT};
    let config = CcConfig { queue_max_bytes: 80_000.0, ..testbed() };
    for v in vectors() {
        let Some(reason) = v.ignored.filter(|_| !v.name.contains("before")) else { continue };
        let mut cfg = CcUnit::cfg(CcParams::derive(&config).unwrap());
        match reason {
            Ignored::Psn => cfg.check &= !CHECK_PSN,
            Ignored::Time => cfg.check &= !CHECK_TIME,
            Ignored::Bytes => cfg.check &= !CHECK_BYTES,
            Ignored::Queue => cfg.check |= QUEUE_NO_LIMIT << 6,
        }
        let mut golden = GoldenOnly(CcUnit::new(&gbe()));
        let states = v.trace().run_unit(&mut golden, &config, cfg, 3, || {}).unwrap();
        assert_eq!(states[1].outcome.ignored, None, "{}", v.name);
    }
}

/// What a forger puts in the place of, or beside, an honest record.
fn forge(rng: &mut ChaCha8Rng, honest: &AckTelemetry) -> AckTelemetry {
    let mut ack = *honest;
    let hop = &mut ack.tel.hop[0];
    match rng.gen_range(0..8) {
        0 => ack.psn = (ack.snd_nxt + rng.gen_range(0..1 << 22)) & 0xff_ffff,
        1 => *hop = hop.wrapping_sub(rng.gen_range(1..1 << 22) << 3),
        2 => *hop ^= 1 << 45,
        3 => *hop |= 1 << 60,
        // An idle link, a full one, a slow one with the longest queue.
        4 => *hop = *hop & !7 | 4,
        5 => *hop = (*hop & (1 << 47) - 8) | 1000 << 47,
        6 => ack.tel.path ^= 1,
        _ => *hop = rng.gen(),
    }
    ack
}

/// A forged ACK touches two updates at most: its own, and that of the honest ACK behind it. Those that it
/// touches move U no further than a link that is full, with the longest queue, and a frame.
#[test]
fn cc_unit_forged_feedback_moves_little() {
    let config = CcConfig { queue_max_bytes: 80_000.0, ..testbed() };
    let cfg = CcUnit::cfg(CcParams::derive(&config).unwrap());
    // The slowest link that a record can name has 3.125 bytes a ns: the forger chooses.
    let slowest_bdp_bytes = 3.125 * f64::from(config.t_ns);
    let u_full = 1.4 + config.queue_max_bytes / slowest_bdp_bytes;
    let u_frame = 74.0 * 128.0 / slowest_bdp_bytes;
    let (mut ignored_total, mut answered_total) = (0, 0);
    for seed in 0..20 {
        println!("seed {seed}");
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (window_bytes, telemetry) = (config.w_init_bytes, true);
        let create =
            FlowCommand { valid: true, flow: 0, op: OP_CREATE, telemetry, window_bytes, rate: 0 };
        let mut flow = FlowState::default();
        flow.command(&cfg, &create);
        let (mut honest, mut forged, mut touched) = (ack(0, 0, 0), 0_u32, 0_u32);
        for n in 0..2000_u32 {
            let before = honest;
            let tau_ns = rng.gen_range(80..2000);
            let sent = tau_ns * 100 / 1024 * rng.gen_range(0..=100) / 100;
            let (ts, total) = ((honest.tel.hop[0] >> 3) + tau_ns, (honest.tel.hop[0] >> 27) + sent);
            honest.tel.hop[0] = record((2, ts, total, rng.gen_range(0..500)));
            (honest.psn, honest.snd_nxt) = (n + 1, n + 20);
            let is_forged = n > 0 && rng.gen_ratio(1, 1 + 3 * (seed as u32 % 5));
            let acks =
                if is_forged { vec![forge(&mut rng, &honest), honest] } else { vec![honest] };
            for (at, ack) in acks.iter().enumerate() {
                let state = flow;
                let answer = flow.new_ack(&cfg, ack).ok().flatten();
                let is_honest = at + 1 == acks.len();
                // It counts as if nothing were forged if it is compared with the honest one before.
                let counts = answer.is_some() && state.records == Some(before.tel);
                touched += u32::from(is_honest && n > 0 && !counts);
                forged += u32::from(!is_honest);
                let Some(answer) = answer else {
                    ignored_total += 1;
                    assert_eq!(FlowState { records: state.records, ..flow }, state);
                    continue;
                };
                answered_total += u32::from(!is_honest);
                let of_one = |u: u64| u as f64 / U_ONE as f64;
                let u_max = of_one(state.u).max(u_full) + u_frame;
                assert!(of_one(answer.u) <= u_max, "{n}: {}", of_one(answer.u));
                let w_least = (state.wc as f64 / 65536.0 * config.eta / u_max)
                    .min(f64::from(config.w_init_bytes));
                assert!(f64::from(answer.window_bytes) >= (w_least * 0.999).floor() - 1.0, "{n}");
                assert!(answer.window_bytes <= config.w_init_bytes);
            }
            assert!(touched <= forged, "{n}: {touched} honest updates, {forged} forged ACKs");
        }
        assert!(touched > 0 && touched < forged, "{touched} of {forged}");
    }
    assert!(ignored_total > 1000 && answered_total > 1000, "{ignored_total} {answered_total}");
    // Plausible lies may say what they like within that.
    assert!(hop_utilisation(cfg.queue_gain, 0, 2, record((2, 1000, 0, 0))) == Some((0, 1000)));
}
