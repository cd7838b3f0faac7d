//! Telemetry that no honest network gives: what is ignored, for which reason, and how far a forger
//! gets with the rest.

use super::{ack, record, testbed, Hop};
use crate::driver::cfg_of;
use nic_harness::lockstep::GoldenOnly;
use nic_models::golden::cc::hop::hop_utilisation;
use nic_models::golden::cc::unit::{CcUnit, FlowState, OP_CREATE};
use nic_models::reference::hpcc::Ignored;
use nic_models::streams::{AckTelemetry, FlowCommand};
use nic_sim::bench;
use nic_sim::replay::cc_trace::{State, Trace};
use nic_spec::cc_params::{CcConfig, U_ONE};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rdma_nic::{gbe, lock_step};

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
    let cfg = cfg_of(&config);
    let source = bench::emitted("cc_unit", &gbe()).unwrap();
    for v in vectors() {
        let trace = v.trace();
        let mut verilog = lock_step(CcUnit::new(&gbe()), &source, 5);
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
                assert_eq!(State { outcome, ..second }, first);
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
        let mut cfg = cfg_of(&config);
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
        5 => *hop = (*hop & ((1 << 47) - 8)) | 1000 << 47,
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
    let cfg = cfg_of(&config);
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
