//! cc_unit: Verilog against golden model, golden model against the f64 reference, and the claims
//! of its header.

mod hostile;

use crate::driver::{cfg_of, Driver};
use nic_harness::lockstep::GoldenOnly;
use nic_models::golden::cc::unit::{CcUnit, FlowState, NO_HOP, OP_CREATE, OP_REMOVE, OP_UPDATE};
use nic_models::golden::cc::CcCfg;
use nic_models::streams::{AckTelemetry, FlowCommand, Telemetry};
use nic_sim::replay::cc_random::{chunk, Statistics, CHUNK_ACKS};
use nic_sim::replay::cc_trace::{against_trace, resynchronised, State, Trace};
use nic_spec::cc_params::{CcConfig, CcParams};
use nic_spec::NicConfig;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rdma_nic::{assert_matches_golden, assert_runs_catch, gbe, Runs};
use std::path::Path;

#[test]
fn cc_unit_matches_golden() {
    assert_matches_golden("cc_unit", 0..4, 60_000, &[]);
}

#[test]
fn cc_unit_matches_golden_with_4_and_1024_flows() {
    for flow_count in [4, 1024] {
        let config = NicConfig { flow_count, ..gbe() };
        Runs::of_block("cc_unit", &config, 0..2, 60_000).reports();
    }
}

#[test]
fn cc_unit_breaks_are_caught() {
    let breaks = [
        // Telemetry of a PSN that was never sent counts, a bad hop counts.
        ("behind_2[23]", "1'b0"),
        ("is_bad = judged && (|records_bad)", "is_bad = 1'b0"),
        // A flow may start again too early; a row is written to the wrong flow.
        ("slot_6 = slot - 3'd6", "slot_6 = slot - 3'd5"),
        ("alive_q[5]", "1'b0"),
        // The worst hop is another one, or that of the next ACK.
        ("phase + 3'd1", "phase + 3'd2"),
        ("hop_new(worst_ewma)", "hop_new(records_worst_hop)"),
        // A receiver's update is due T after the last one, or goes by PSN; seed 2 is a receiver.
        ("is_ahead = until_2 > behind_2", "is_ahead = until_2 >= behind_2"),
        ("is_ahead = until_2 > behind_2", "is_ahead = is_ahead"),
    ];
    assert_runs_catch(&[Runs::of_block("cc_unit", &gbe(), 1..=2, 60_000)], &breaks);
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
            let sent = [0, 0xf_ffff, (tau / 50) << (*hop & 3), tau / 100, tau / 400];
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

fn command(flow: u16, op: u8, telemetry: bool) -> FlowCommand {
    let (window_bytes, rate) = (100_000, 0x0123_4567);
    FlowCommand { valid: true, flow, op, telemetry, window_bytes, rate }
}

fn ack(flow: u16, psn: u32, ts_ns: u64) -> AckTelemetry {
    let hop = 2 | (ts_ns & 0xff_ffff) << 3 | ((ts_ns / 8) & 0xf_ffff) << 27;
    let tel = Telemetry { valid: true, hops: 1, path: 1, hop: [hop, 0, 0, 0, 0] };
    AckTelemetry { valid: true, flow, psn, snd_nxt: (psn + 9) & 0xff_ffff, tel }
}

#[test]
fn cc_unit_keeps_its_latency_and_rate() {
    use nic_hdl::cc::unit::{LATENCY_CYCLES, SAME_FLOW_CYCLES, SLOT_CYCLES};
    let mut unit = GoldenOnly(CcUnit::new(&gbe()));
    let mut driver = Driver::idle_unit(&mut unit, cfg_of(&testbed()));
    (0..64).for_each(|flow| driver.command(command(flow, OP_CREATE, true)));
    driver.idle(200);
    for lead in 0..16 {
        driver.answers.clear();
        driver.idle(lead);
        let taken = driver.ack(ack(5, 1, 100));
        driver.idle(100);
        let latency = (driver.answers[0].0 - taken) as usize;
        assert!((LATENCY_CYCLES..LATENCY_CYCLES + 8).contains(&latency), "{latency}");
    }
    // Different flows: one each slot. The same flow: one each eight slots.
    driver.ack(ack(0, 1, 50));
    let first = driver.ack(ack(1, 1, 50));
    let last = (2..40).map(|n| driver.ack(ack(n, 1, 50))).last().unwrap();
    assert_eq!((last - first) as usize, 38 * SLOT_CYCLES);
    driver.idle(200);
    driver.ack(ack(0, 1, 50));
    let first = driver.ack(ack(0, 1, 50));
    let last = (1..20).map(|_| driver.ack(ack(0, 1, 50))).last().unwrap();
    assert_eq!((last - first) as usize, 19 * SAME_FLOW_CYCLES);
}

#[test]
fn cc_unit_flows_without_telemetry_keep_window_and_rate() {
    let mut unit = GoldenOnly(CcUnit::new(&gbe()));
    let mut driver = Driver::idle_unit(&mut unit, cfg_of(&testbed()));
    driver.command(command(9, OP_CREATE, false));
    driver.ack(ack(9, 1, 50));
    driver.idle(200);
    driver.command(command(9, OP_REMOVE, true));
    driver.command(command(9, OP_CREATE, true));
    driver.ack(ack(9, 1, 50));
    driver.idle(200);
    let told: Vec<_> = driver.answers.iter().map(|(_, r)| (r.op, r.window_bytes, r.rate)).collect();
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
