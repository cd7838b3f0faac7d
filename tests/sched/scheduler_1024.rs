//! The schedulers with 1024 flows, as Verilog alone: what the proofs hold at a few flows is watched at their
//! ports, with one flow at line rate among 1023 slow ones; and how far apart their grants are.

use nic_harness::lockstep::{Dut, LockStep, Stepper};
use nic_harness::verilator::{Flavour, Source};
use nic_models::golden::sched::scheduler::{
    Scheduler, SchedulerIn, SchedulerOut, CREDIT_CAP_BYTES,
};
use nic_models::golden::sched::wide::scheduler_wide::SchedulerWide;
use nic_models::ports::Golden;
use nic_models::streams::{InFlight, Rate, Work};
use nic_sim::bench::emitted;
use nic_spec::NicConfig;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, VecDeque};

const FLOWS: usize = 1024;
/// Flow that asks for much.
const HOT: u16 = 3;
/// From a grant to the ACK of its packet.
const ROUND_TRIP_CYCLES: u64 = 3000;
/// Cycles until a flow is visited again (`VISIT_CYCLES`).
const VISIT_CYCLES: u64 = 12;

/// A scheduler and the line in front of it.
#[derive(Clone, Copy, Debug)]
struct Unit {
    block: &'static str,
    preset: &'static str,
    beat_bytes: u64,
    /// 1 ms.
    window_cycles: u64,
    /// Flows that share a ring.
    ring_flows: u64,
    /// Packets of others between a flow's ticket and the line: the grants that wait, and the line's.
    grants_before: u64,
    /// Packets by which the clock may be ahead of the line, and one.
    clock_packets: u64,
}

const ONE: Unit = Unit {
    block: "scheduler",
    preset: "gbe",
    beat_bytes: 8,
    window_cycles: 125_000,
    ring_flows: FLOWS as u64,
    grants_before: 1,
    clock_packets: 7,
};

/// Two grants of each engine, and two more behind them.
const EIGHT: Unit = Unit {
    block: "scheduler_wide",
    preset: "hundred",
    beat_bytes: 64,
    window_cycles: 250_000,
    ring_flows: FLOWS as u64 / 8,
    grants_before: 18,
    clock_packets: 24,
};

impl Unit {
    fn config(&self) -> NicConfig {
        NicConfig { flow_count: FLOWS, ..NicConfig::preset(self.preset).expect("preset") }
    }

    fn whole(&self) -> Source {
        emitted(self.block, &self.config()).expect("emits")
    }
}

type Verilog = dyn Stepper<In = SchedulerIn, Out = SchedulerOut>;

fn alone(source: &Source, seed: u64) -> Dut<SchedulerIn, SchedulerOut> {
    let model = source.model(Flavour::Fast).unwrap_or_else(|e| panic!("{e}"));
    Dut::new(&model, seed).unwrap_or_else(|e| panic!("{e}"))
}

/// What the flows ask for, and the line.
#[derive(Clone, Debug)]
struct Load {
    unit: Unit,
    hot_rate: u32,
    hot_len_bytes: u16,
    hot_window_packets: u32,
    slow_rate: u32,
    slow_len_bytes: u16,
    slow_window_packets: u32,
    /// The line stands for so many of `line_cycles`.
    stands_cycles: u64,
    /// 0: the line is as fast as grants come.
    line_cycles: u64,
}

/// One flow asks for the whole line, and the others for a tenth of it.
const LINE_RATE: Load = Load {
    unit: ONE,
    hot_rate: 8 << 24,
    hot_len_bytes: 1082,
    hot_window_packets: 600,
    slow_rate: (8 << 24) / 10 / 1023,
    slow_len_bytes: 64,
    slow_window_packets: 2,
    stands_cycles: 0,
    line_cycles: 1 << 20,
};

/// The same of the wide one. A flow has at most a packet in 40 cycles, see `scheduler_wide.rs`.
const LINE_RATE_WIDE: Load = Load {
    unit: EIGHT,
    hot_rate: 64 << 24,
    hot_len_bytes: 4154,
    slow_rate: (64 << 24) / 10 / 1023,
    ..LINE_RATE
};

/// What a property has found.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Broken {
    Window,
    Credit,
    Wait,
}

/// Flows with their windows and ACKs in front of a line.
struct Senders {
    load: Load,
    rng: ChaCha8Rng,
    to_create: VecDeque<u16>,
    to_arm: VecDeque<(u64, u16)>,
    acks: VecDeque<(u64, u16)>,
    inflight: Vec<u32>,
    /// Since when a flow has work and an open window.
    since: Vec<Option<u64>>,
    armed: Vec<bool>,
    /// Bytes beyond what the rate has given since, and when; UQ.24.
    ahead: Vec<(u64, u64)>,
    queue: VecDeque<u16>,
    busy_until: u64,
    grants: Vec<u64>,
    intervals: BTreeMap<u64, u64>,
    last_grant: Option<u64>,
    /// Largest of what the properties watch: bytes in flight over the window, bytes ahead, cycles waited.
    most: [u64; 3],
    broken: Option<(u64, u16, Broken)>,
}

impl Senders {
    fn new(load: &Load, seed: u64) -> Self {
        let all = 0..FLOWS as u16;
        Self {
            load: load.clone(),
            rng: ChaCha8Rng::seed_from_u64(seed),
            to_create: all.clone().collect(),
            to_arm: all.map(|flow| (0, flow)).collect(),
            acks: VecDeque::new(),
            inflight: vec![0; FLOWS],
            since: vec![None; FLOWS],
            armed: vec![false; FLOWS],
            ahead: vec![(0, 0); FLOWS],
            queue: VecDeque::new(),
            busy_until: 0,
            grants: vec![0; FLOWS],
            intervals: BTreeMap::new(),
            last_grant: None,
            most: [0; 3],
            broken: None,
        }
    }

    fn len(&self, flow: u16) -> u16 {
        if flow == HOT {
            self.load.hot_len_bytes
        } else {
            self.load.slow_len_bytes
        }
    }

    fn rate(&self, flow: u16) -> u32 {
        if flow == HOT {
            self.load.hot_rate
        } else {
            self.load.slow_rate
        }
    }

    fn window(&self, flow: u16) -> u32 {
        let load = &self.load;
        let packets = if flow == HOT { load.hot_window_packets } else { load.slow_window_packets };
        packets * u32::from(self.len(flow))
    }

    fn is_open(&self, flow: u16) -> bool {
        let inflight = self.inflight[usize::from(flow)];
        inflight == 0 || inflight < self.window(flow)
    }

    /// The bound of the scheduler's header: credit for a packet, one that a turn took early, three periods
    /// of lag, and a ticket of each other flow: a packet on the line and two rounds.
    fn wait_max(&self, flow: u16) -> u64 {
        let period = (u64::from(self.len(flow)) << 24) / u64::from(self.rate(flow));
        let unit = &self.load.unit;
        let packet = u64::from(self.load.hot_len_bytes).div_ceil(unit.beat_bytes);
        let ticket = unit.grants_before * packet + 2 * (unit.ring_flows + 2 * VISIT_CYCLES);
        5 * period + (unit.ring_flows - 1) * ticket + self.load.stands_cycles
    }

    fn check(&mut self, which: usize, value: u64, most: u64, at: (u64, u16, Broken)) {
        self.most[which] = self.most[which].max(value);
        if value > most && self.broken.is_none() {
            self.broken = Some(at);
        }
    }

    fn granted(&mut self, cycle: u64, flow: u16) {
        let (at, len) = (usize::from(flow), u64::from(self.len(flow)));
        if let Some(last) = self.last_grant.replace(cycle) {
            *self.intervals.entry(cycle - last).or_default() += 1;
        }
        self.grants[at] += 1;
        self.armed[at] = false;
        // Never more in flight than W and one packet, that is: W is not reached before it.
        let over =
            (u64::from(self.inflight[at]) + len).saturating_sub(u64::from(self.window(flow)));
        self.check(0, over, len - 1, (cycle, flow, Broken::Window));
        self.inflight[at] += len as u32;
        // Never ahead of its rate by more than the cap; its clock may be six packets ahead of the line.
        let (ahead, then) = self.ahead[at];
        let given = u64::from(self.rate(flow)) * (cycle - then);
        let now = ahead.saturating_sub(given) + (len << 24);
        self.ahead[at] = (now, cycle);
        if flow == HOT {
            let most = CREDIT_CAP_BYTES as u64 + self.load.unit.clock_packets * len;
            self.check(1, now >> 24, most, (cycle, flow, Broken::Credit));
        }
        self.waited(cycle, flow);
        self.since[at] = None;
        self.to_arm.push_back((cycle + self.rng.gen_range(10..20), flow));
        self.acks.push_back((cycle + ROUND_TRIP_CYCLES, flow));
    }

    fn waited(&mut self, cycle: u64, flow: u16) {
        if let Some(since) = self.since[usize::from(flow)] {
            let most = self.wait_max(flow);
            self.check(2, cycle - since, most, (cycle, flow, Broken::Wait));
        }
    }

    fn next(&mut self, cycle: u64, out: &SchedulerOut) -> SchedulerIn {
        let mut inputs = SchedulerIn::default();
        let stands =
            self.load.line_cycles > 0 && cycle % self.load.line_cycles < self.load.stands_cycles;
        if cycle >= self.busy_until && !stands {
            if let Some(flow) = self.queue.pop_front() {
                self.busy_until =
                    cycle + u64::from(self.len(flow)).div_ceil(self.load.unit.beat_bytes);
            }
        }
        let is_line = self.load.line_cycles > 0;
        inputs.m_grant.ready = !is_line || self.queue.len() < 2;
        if inputs.m_grant.ready && out.m_grant.valid {
            self.granted(cycle, out.m_grant.flow);
            if is_line {
                self.queue.push_back(out.m_grant.flow);
            }
        }
        if let (Some(&flow), true) = (self.to_create.front(), out.s_rate.ready) {
            self.to_create.pop_front();
            let (rate, window_bytes) = (self.rate(flow), self.window(flow));
            inputs.s_rate = Rate { valid: true, flow, op: 1, window_bytes, rate };
        }
        let ack = self.acks.front().filter(|(at, _)| *at <= cycle);
        if let (Some(&(_, flow)), true) = (ack, out.s_inflight.ready) {
            self.acks.pop_front();
            let at = usize::from(flow);
            self.inflight[at] -= u32::from(self.len(flow));
            let inflight_bytes = self.inflight[at];
            inputs.s_inflight = InFlight { valid: true, flow, inflight_bytes };
            if self.armed[at] && self.is_open(flow) {
                self.since[at].get_or_insert(cycle);
            }
        }
        let arm = self.to_arm.front().filter(|(at, _)| *at <= cycle);
        if let (Some(&(_, flow)), true) = (arm, out.s_work.ready && self.to_create.is_empty()) {
            self.to_arm.pop_front();
            let (at, len_bytes) = (usize::from(flow), self.len(flow));
            let inflight_bytes = self.inflight[at];
            inputs.s_work = Work { valid: true, flow, len_bytes, inflight_bytes };
            self.armed[at] = true;
            self.since[at] = self.is_open(flow).then_some(cycle);
        }
        inputs
    }
}

/// Runs a load until a property is broken, and at most for so long.
fn serve(unit: &mut Verilog, load: &Load, cycles: u64) -> Senders {
    let mut senders = Senders::new(load, 1);
    let mut out = unit.reset().unwrap_or_else(|e| panic!("{e}"));
    for cycle in 0..cycles {
        let inputs = senders.next(cycle, &out);
        out = unit.step(&inputs).unwrap_or_else(|e| panic!("{e}"));
        if cycle % 4096 == 0 {
            (0..FLOWS as u16).for_each(|flow| senders.waited(cycle, flow));
        }
        if senders.broken.is_some() {
            break;
        }
    }
    senders
}

/// Holds the load, and finds the break that is planted in the Verilog.
fn holds_and_finds(load: &Load, cycles: u64, property: Broken, (from, to): (&str, &str)) {
    let whole = load.unit.whole();
    let senders = serve(&mut alone(&whole, 1), load, cycles);
    let [over, ahead, waited] = senders.most;
    let grants: u64 = senders.grants.iter().sum();
    println!(
        "{grants} grants, {} of the hot flow; over its window {over} bytes, ahead of the rate {ahead} bytes, \
         waited {waited} of {} cycles",
        senders.grants[usize::from(HOT)],
        senders.wait_max(0)
    );
    assert_eq!(senders.broken, None);
    assert!(senders.grants.iter().all(|n| *n > 1), "a flow had no second packet");
    let mut broken = whole;
    assert!(broken.text.contains(from), "the Verilog has no {from:?}");
    broken.text = broken.text.replacen(from, to, 1);
    let found = serve(&mut alone(&broken, 1), load, cycles).broken;
    assert_eq!(found.map(|(_, _, what)| what), Some(property), "{from:?} -> {to:?}: {found:?}");
}

/// The window is full most of the time: line rate, 8 packets, a round trip of 3000 cycles.
#[test]
fn scheduler_1024_keeps_windows() {
    let load = Load { hot_window_packets: 8, ..LINE_RATE };
    let planted = ("s_inflight_bytes < s_window_bytes", "s_inflight_bytes <= s_window_bytes");
    holds_and_finds(&load, 400_000, Broken::Window, planted);
}

/// The line stands for longer than credit may grow, again and again.
#[test]
fn scheduler_1024_caps_credit() {
    let load = Load { hot_rate: 2 << 24, stands_cycles: 60_000, line_cycles: 150_000, ..LINE_RATE };
    let planted = ("excess = credit_whole - len_whole", "excess = credit_whole");
    holds_and_finds(&load, 600_000, Broken::Credit, planted);
}

/// A flow at line rate takes nobody's turn.
#[test]
fn scheduler_1024_serves_all() {
    // A flow that goes back to the ring becomes its neighbour: half of them are lost.
    let planted = (".write_data(s_return_flow)", ".write_data(s_return_flow & 10'h3fe)");
    holds_and_finds(&LINE_RATE, 3_200_000, Broken::Wait, planted);
}

#[test]
fn scheduler_wide_1024_keeps_windows() {
    let load = Load { hot_window_packets: 8, ..LINE_RATE_WIDE };
    let planted =
        ("s_inflight_bytes < s_window_bytes", "{1'b0, s_inflight_bytes[31:1]} < s_window_bytes");
    holds_and_finds(&load, 400_000, Broken::Window, planted);
}

/// Turns come to flows whose work comes while they are visited, with what was in flight before it.
#[test]
fn scheduler_wide_1024_keeps_windows_of_turns() {
    let [_, (_, load)] = greedy(&LINE_RATE_WIDE);
    holds_and_finds(&load, 400_000, Broken::Window, ("& !s_visit_is_stale", ""));
}

#[test]
fn scheduler_wide_1024_caps_credit() {
    let (stands_cycles, line_cycles) = (60_000, 150_000);
    let load = Load { hot_rate: 16 << 24, stands_cycles, line_cycles, ..LINE_RATE_WIDE };
    let planted = ("excess = credit_whole - len_whole", "excess = credit_whole");
    holds_and_finds(&load, 600_000, Broken::Credit, planted);
}

#[test]
fn scheduler_wide_1024_serves_all() {
    // In each engine a flow that goes back to the ring becomes its neighbour.
    let planted = (".write_data(s_return_flow)", ".write_data(s_return_flow & 7'h7e)");
    holds_and_finds(&LINE_RATE_WIDE, 3_200_000, Broken::Wait, planted);
}

/// A line without end: as near as grants come, in lock-step. Returns the grants by their distance.
fn intervals(load: &Load) -> BTreeMap<u64, u64> {
    fn serve_both<G>(golden: G, load: &Load) -> Senders
    where
        G: Golden<In = SchedulerIn, Out = SchedulerOut> + 'static,
    {
        let model = load.unit.whole().model(Flavour::Fast).unwrap_or_else(|e| panic!("{e}"));
        let mut unit = LockStep::new(golden, &[model], 2).unwrap_or_else(|e| panic!("{e}"));
        serve(&mut unit, load, 400_000)
    }
    let config = load.unit.config();
    let senders = match load.unit.block {
        "scheduler" => serve_both(Scheduler::new(&config), load),
        _ => serve_both(SchedulerWide::new(&config), load),
    };
    senders.intervals
}

/// Least and mean of the distances of grants. Prints what hdl/sched-core.md says.
fn measure(name: &str, load: &Load) -> (u64, f64) {
    let intervals = intervals(load);
    let (cycles, grants) =
        intervals.iter().fold((0, 0), |(c, n), (cycles, count)| (c + cycles * count, n + count));
    let least = *intervals.keys().next().expect("grants");
    let mean = cycles as f64 / grants as f64;
    let below_9: u64 = intervals.range(..9).map(|(_, n)| n).sum();
    println!("{name}: {grants} grants, least {least}, mean {mean:.2}, {below_9} below 9 cycles");
    (least, mean)
}

/// All flows ask for more than they get: for much more, and for 255 packets in 1 ms each, so that
/// each one is written into the calendar while there is room.
fn greedy(line: &Load) -> [(&'static str, Load); 2] {
    let hot_rate = line.hot_rate;
    let fast = Load {
        slow_rate: hot_rate,
        hot_len_bytes: 64,
        slow_len_bytes: 64,
        line_cycles: 0,
        ..line.clone()
    };
    let kept_rate = ((255 * 64) << 24) / line.unit.window_cycles;
    [("fast", fast.clone()), ("kept", Load { slow_rate: kept_rate as u32, ..fast })]
}

#[test]
fn scheduler_1024_grants_are_three_cycles_apart_at_least() {
    for ((name, load), mean_max) in greedy(&LINE_RATE).into_iter().zip([4.5, 6.0]) {
        let (least, mean) = measure(name, &load);
        assert!(least >= 3, "{name}: {least}");
        assert!(mean <= mean_max, "{name}: {mean}");
    }
}

#[test]
fn scheduler_wide_1024_grants_in_each_cycle() {
    // 1024 x 2 packets in a round trip would be fewer than one in each cycle.
    let line = Load { slow_window_packets: 64, ..LINE_RATE_WIDE };
    for ((name, load), mean_max) in greedy(&line).into_iter().zip([1.05, 1.05]) {
        let (least, mean) = measure(name, &load);
        assert_eq!(least, 1, "{name}");
        assert!(mean <= mean_max, "{name}: {mean}");
    }
}
