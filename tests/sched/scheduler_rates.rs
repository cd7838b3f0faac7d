//! The scheduler's rate promise: at 100 % load each flow gets the bytes that it asked for in any
//! millisecond.

use nic_harness::lockstep::{GoldenOnly, LockStep, Stepper};
use nic_harness::verilator::Flavour;
use nic_models::golden::sched::scheduler::{Scheduler, SchedulerIn, SchedulerOut};
use nic_models::golden::sched::wide::scheduler_wide::SchedulerWide;
use nic_sim::bench::emitted;
use nic_sim::bench::sched::{BusyLine, Sent};
use nic_spec::NicConfig;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A line and what is asked of it.
#[derive(Clone, Copy, Debug)]
struct Line {
    beat_bytes: u16,
    /// 1 ms.
    window_cycles: u64,
    /// Most frames.
    frame_bytes: u16,
}

/// 64 bits at 125 MHz.
const NARROW: Line = Line { beat_bytes: 8, window_cycles: 125_000, frame_bytes: 1082 };
/// 512 bits at 250 MHz; MTU 2048: one flow has a packet in 32 cycles at most.
const WIDE: Line = Line { beat_bytes: 64, window_cycles: 250_000, frame_bytes: 2106 };

/// Rates whose sum is 100 % of the datapath's beats.
#[derive(Clone, Debug)]
struct Load {
    line: Line,
    name: String,
    rates: Vec<u32>,
    lens_bytes: Vec<u16>,
}

impl Load {
    /// Flows that share the beats in proportion to `weights`.
    fn new(line: Line, name: &str, weights: &[f64], lens_bytes: Vec<u16>) -> Self {
        let total: f64 = weights.iter().sum();
        let rate = |(weight, len): (&f64, &u16)| {
            let beats = f64::from(len.div_ceil(line.beat_bytes));
            (weight / total * f64::from(*len) / beats * f64::from(1 << 24)) as u32
        };
        let rates = weights.iter().zip(&lens_bytes).map(rate).collect();
        Self { line, name: name.into(), rates, lens_bytes }
    }

    /// Bytes that a flow asks for in a window.
    fn asked_bytes(&self, flow: usize) -> f64 {
        f64::from(self.rates[flow]) / f64::from(1 << 24) * self.line.window_cycles as f64
    }

    /// 1 % or one packet, whichever is larger.
    fn tolerance_bytes(&self, flow: usize) -> f64 {
        f64::from(self.lens_bytes[flow]).max(0.01 * self.asked_bytes(flow))
    }
}

/// The 20 rate vectors: equal, one flow, skews, random.
fn loads(line: Line, flow_count: usize) -> Vec<Load> {
    let mut rng = ChaCha8Rng::seed_from_u64(20);
    let same = vec![line.frame_bytes; flow_count];
    let one = |hot: f64, rest: f64| {
        (0..flow_count).map(|f| if f == 3 { hot } else { rest }).collect::<Vec<_>>()
    };
    let half: Vec<f64> = (0..flow_count).map(|f| if f % 2 == 0 { 1000.0 } else { 1.0 }).collect();
    let ramp: Vec<f64> =
        (0..flow_count).map(|f| 1000_f64.powf(f as f64 / (flow_count - 1) as f64)).collect();
    let mut loads = vec![
        Load::new(line, "equal", &vec![1.0; flow_count], same.clone()),
        Load::new(line, "one at line rate", &one(1.0, 0.0), same.clone()),
        Load::new(line, "1000:1", &one(1000.0, 1.0), same.clone()),
        Load::new(line, "1:1000", &one(1.0, 1000.0), same.clone()),
        Load::new(line, "half 1000:1", &half, same.clone()),
        Load::new(line, "ramp 1000:1", &ramp, same.clone()),
    ];
    for i in loads.len()..20 {
        let lens = |rng: &mut ChaCha8Rng| match i % 3 {
            0 => same.clone(),
            1 => vec![4154; flow_count],
            _ => (0..flow_count).map(|_| rng.gen_range(300..1500)).collect(),
        };
        let is_log = i % 2 == 0;
        let weight = |rng: &mut ChaCha8Rng| {
            let exponent = rng.gen_range(0.0..1.0);
            if is_log {
                1000_f64.powf(exponent)
            } else {
                1.0 + 999.0 * exponent
            }
        };
        let weights: Vec<f64> = (0..flow_count).map(|_| weight(&mut rng)).collect();
        let lens_bytes = lens(&mut rng);
        let name = format!("random {}{i}", if is_log { "log " } else { "" });
        loads.push(Load::new(line, &name, &weights, lens_bytes));
    }
    loads
}

/// What went wrong most.
#[derive(Clone, Copy, Debug, Default)]
struct Worst {
    /// Bytes too many or too few, in units of the tolerance, in any window.
    deviation: f64,
    /// Share of windows (that begin or end with a packet) outside of the tolerance.
    outside: f64,
    /// Packets too many or too few in the whole time.
    drift: f64,
    /// The same beyond three packets, as a share of those asked for.
    drift_share: f64,
    utilisation: f64,
}

/// Bytes of one flow on the line in `[0, cycle)`; a packet's bytes leave evenly.
struct Served<'a> {
    starts: &'a [u64],
    packet_cycles: u64,
    len_bytes: f64,
}

impl Served<'_> {
    fn until(&self, cycle: u64) -> f64 {
        let begun = self.starts.partition_point(|start| *start < cycle);
        let Some(last) = begun.checked_sub(1).map(|i| self.starts[i]) else { return 0.0 };
        let on_line = (cycle - last).min(self.packet_cycles) as f64 / self.packet_cycles as f64;
        self.len_bytes * ((begun - 1) as f64 + on_line)
    }
}

/// Slides a window over `[from, end)`. Its extremes begin or end where a packet does.
fn worst(load: &Load, line: &BusyLine, from: u64, end: u64) -> Worst {
    let flow_count = load.rates.len();
    let window_cycles = load.line.window_cycles;
    let mut starts = vec![Vec::new(); flow_count];
    let mut worst = Worst::default();
    for Sent { cycle, flow } in &line.sent {
        starts[usize::from(*flow)].push(*cycle);
        if (from..end).contains(cycle) {
            worst.utilisation += line.packet_cycles(*flow) as f64 / (end - from) as f64;
        }
    }
    let (mut outside, mut windows) = (0, 0);
    for flow in (0..flow_count).filter(|f| load.rates[*f] > 0) {
        let packet_cycles = line.packet_cycles(flow as u16);
        let len_bytes = f64::from(load.lens_bytes[flow]);
        let served = Served { starts: &starts[flow], packet_cycles, len_bytes };
        let asked = load.asked_bytes(flow) * (end - from) as f64 / window_cycles as f64;
        let drift = (served.until(end) - served.until(from) - asked) / len_bytes;
        if drift.abs() > worst.drift.abs() {
            worst.drift = drift;
        }
        worst.drift_share = worst.drift_share.max((drift.abs() - 3.0) * len_bytes / asked);
        let edges = starts[flow].iter().flat_map(|s| [*s, *s + packet_cycles]);
        let begins = edges.flat_map(|e| [e, e.saturating_sub(window_cycles)]);
        for begin in begins.filter(|b| *b >= from && b + window_cycles <= end) {
            let bytes = served.until(begin + window_cycles) - served.until(begin);
            let deviation = (bytes - load.asked_bytes(flow)) / load.tolerance_bytes(flow);
            windows += 1;
            outside += u32::from(deviation.abs() > 1.0);
            if deviation.abs() > worst.deviation.abs() {
                worst.deviation = deviation;
            }
        }
    }
    worst.outside = f64::from(outside) / f64::from(windows.max(1));
    worst
}

fn config(flow_count: usize) -> NicConfig {
    NicConfig { flow_count, ..NicConfig::preset("gbe").expect("preset") }
}

fn wide(flow_count: usize) -> NicConfig {
    NicConfig { flow_count, ..NicConfig::preset("hundred").expect("preset") }
}

/// Runs `load` on the golden model; the line, and how many turns were given when a packet left.
fn serve(load: &Load, seed: u64, cycles: u64) -> (BusyLine, u64) {
    let mut engine = GoldenOnly(Scheduler::new(&config(load.rates.len())));
    let line = serve_on(&mut engine, load, seed, cycles);
    (line, engine.0.cases().second_turns)
}

/// Runs `load` on golden model and Verilog in lock-step.
fn serve_in_lock_step(load: &Load, seed: u64, cycles: u64) -> BusyLine {
    let config = config(load.rates.len());
    let model = emitted("scheduler", &config).expect("emits").model(Flavour::Fast);
    let engine = LockStep::new(Scheduler::new(&config), &[model.expect("builds")], seed);
    serve_on(&mut engine.expect("ports"), load, seed, cycles)
}

fn serve_on(
    engine: &mut impl Stepper<In = SchedulerIn, Out = SchedulerOut>,
    load: &Load,
    seed: u64,
    cycles: u64,
) -> BusyLine {
    let beat_bytes = load.line.beat_bytes.into();
    let mut line = BusyLine::new(seed, beat_bytes, load.rates.clone(), load.lens_bytes.clone());
    let mut out = engine.reset().unwrap_or_else(|e| panic!("{e}"));
    for cycle in 0..cycles {
        let inputs = line.next(cycle, &out);
        out = engine.step(&inputs).unwrap_or_else(|e| panic!("{e}"));
    }
    line
}

/// Longest wait of a flow for its next packet, in units of its period plus one round of all flows.
fn longest_gap(load: &Load, line: &BusyLine, end: u64) -> f64 {
    let flow_count = load.rates.len() as u16;
    let round: u64 = (0..flow_count).map(|f| line.packet_cycles(f)).sum();
    let mut last = vec![0; load.rates.len()];
    let mut longest = 0.0_f64;
    let ends = (0..flow_count).map(|flow| Sent { cycle: end, flow });
    for Sent { cycle, flow } in line.sent.iter().copied().chain(ends) {
        let at = usize::from(flow);
        let period =
            f64::from(load.lens_bytes[at]) * f64::from(1 << 24) / f64::from(load.rates[at]);
        longest = longest.max((cycle - last[at]) as f64 / (period + round as f64));
        last[at] = cycle;
    }
    longest
}

/// The promise holds from one window after the last `s_rate`.
const SETTLE_WINDOWS: u64 = 1;

/// Share of what a flow asks for by which it may be wrong in the long run.
const DRIFT_SHARE_MAX: f64 = 0.003;

/// Returns how many turns were given when a packet left the window.
fn check_loads(flow_count: usize, windows: u64) -> u64 {
    let mut second_turns = 0;
    check_loads_on(NARROW, flow_count, windows, |load, cycles| {
        let (line, seconds) = serve(load, 1, cycles);
        second_turns += seconds;
        line
    });
    second_turns
}

fn check_loads_on(
    line: Line,
    flow_count: usize,
    windows: u64,
    mut serve: impl FnMut(&Load, u64) -> BusyLine,
) {
    let cycles = windows * line.window_cycles;
    let mut failed = Vec::new();
    for load in loads(line, flow_count) {
        let line = serve(&load, cycles);
        let from = SETTLE_WINDOWS * load.line.window_cycles + 4 * flow_count as u64;
        let w = worst(&load, &line, from, cycles);
        let gap = longest_gap(&load, &line, cycles);
        println!(
            "{:16} deviation {:+.3}, drift {:+.2} {:.4}, gap {gap:.2}, line {:.4}",
            load.name, w.deviation, w.drift, w.drift_share, w.utilisation
        );
        if w.deviation.abs() > 1.0 || w.outside > 0.0 {
            failed.push((load.name.clone(), w.deviation));
        }
        let drift_share_max = if flow_count > 64 { 1.0 } else { DRIFT_SHARE_MAX };
        assert!(w.drift_share <= drift_share_max, "{}: drift {}", load.name, w.drift);
        assert!(gap <= GAP_MAX, "{}: a flow starves: gap {gap}", load.name);
    }
    assert!(failed.is_empty(), "{failed:?}");
}

/// Longest wait of a flow, in its period and one round of all flows.
const GAP_MAX: f64 = 2.5;

/// So long that packets of "random log 14" bunch (-1.47, flow 61, if nothing takes them apart: `scheduler.rs`).
#[test]
fn scheduler_gives_64_flows_their_rates() {
    check_loads(64, 100);
}

#[test]
fn scheduler_gives_4_flows_their_rates() {
    let second_turns = check_loads(4, 50);
    assert!(second_turns >= 100, "the case is not reached: {second_turns}");
}

#[test]
fn scheduler_gives_1024_flows_their_rates() {
    check_loads(1024, 24);
}

/// Eight engines.
#[test]
fn scheduler_wide_gives_1024_flows_their_rates() {
    check_loads_on(WIDE, 1024, 6, |load, cycles| {
        let mut engine = GoldenOnly(SchedulerWide::new(&wide(1024)));
        serve_on(&mut engine, load, 1, cycles)
    });
}

/// Eight engines in lock-step: one flow with half of the line among others that are slow, and a random
/// load. With this seed the fast flow of the first would get 2.3 % too little if it waited while the slow ones
/// of its engine, which have all begun at once, have their turns (header of `scheduler_wide.rs`).
#[test]
fn scheduler_wide_verilog_gives_1024_flows_their_rates() {
    for name in ["1000:1", "random log 10"] {
        let all = loads(WIDE, 1024);
        let load = all.iter().find(|l| l.name == name).expect("it is one of the 20");
        let cycles = 3 * load.line.window_cycles;
        let model = emitted("scheduler_wide", &wide(1024)).expect("emits").model(Flavour::Fast);
        let golden = SchedulerWide::new(&wide(1024));
        let engine = LockStep::new(golden, &[model.expect("builds")], 2);
        let line = serve_on(&mut engine.expect("ports"), load, 2, cycles);
        let w = worst(load, &line, SETTLE_WINDOWS * load.line.window_cycles + 4096, cycles);
        println!("{:16} deviation {:+.3}, outside {:.5}", load.name, w.deviation, w.outside);
        assert!(w.deviation.abs() <= 1.0, "{}: {}", load.name, w.deviation);
    }
}

#[test]
fn scheduler_verilog_gives_flows_their_rates() {
    let names = ["equal", "1000:1", "random 9", "random log 10", "random 19"];
    let both = [loads(NARROW, 64), loads(NARROW, 4)].concat();
    for load in both.iter().filter(|l| names.contains(&&*l.name)) {
        let window_cycles = load.line.window_cycles;
        let cycles = 5 * window_cycles;
        let line = serve_in_lock_step(load, 2, cycles);
        let w = worst(load, &line, SETTLE_WINDOWS * window_cycles + 200, cycles);
        assert!(w.deviation.abs() <= 1.0, "{}: {}", load.name, w.deviation);
    }
}
