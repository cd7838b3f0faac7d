//! Benches: scheduler.

use super::axil::Software;
use crate::env::stream::{Sink, Source};
use nic_harness::bench::{Bench, Stimulus};
use nic_models::golden::sched::sched_core::{SchedCore, SchedCoreIn, SchedCoreOut};
use nic_models::golden::sched::scheduler::{Scheduler, SchedulerIn, SchedulerOut};
use nic_models::streams::{AxisEvent, Flow, InFlight, Rate, ReadyPort, TreadyPort, Work};
use nic_spec::config::NicConfig;
use nic_spec::regs::{self, sched_offset};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// The benches of this area.
pub fn benches(config: &NicConfig) -> Vec<Bench> {
    vec![scheduler(config), core(config)]
}

/// Bench of the scheduler.
pub fn scheduler(config: &NicConfig) -> Bench {
    let (sizes, flow_count, beat_bytes) = (config.clone(), config.flow_count, config.data_bytes());
    let stimulus = move |seed| Flows::new(seed, flow_count, beat_bytes);
    Bench::new("scheduler", config, move || Scheduler::new(&sizes), stimulus)
}

/// Bench of the core around it.
fn core(config: &NicConfig) -> Bench {
    let (sizes, flow_count, beat_bytes) = (config.clone(), config.flow_count, config.data_bytes());
    let stimulus = move |seed| CoreFlows::new(seed, flow_count, beat_bytes);
    Bench::new("sched_core", config, move || SchedCore::new(&sizes), stimulus)
}

/// Flows of every kind: one seed in four keeps rates on a full line.
enum Flows {
    Random(Box<RandomFlows>),
    Restless(Box<RestlessLine>),
}

impl Flows {
    fn new(seed: u64, flow_count: usize, beat_bytes: usize) -> Self {
        match seed % 4 {
            3 => Self::Restless(Box::new(RestlessLine::new(seed / 4, flow_count, beat_bytes))),
            _ => Self::Random(Box::new(RandomFlows::new(seed, flow_count))),
        }
    }

    fn next(&mut self, cycle: u64, out: &SchedulerOut) -> SchedulerIn {
        match self {
            Self::Random(flows) => flows.next(cycle, out),
            Self::Restless(line) => line.next(cycle, out),
        }
    }
}

impl Stimulus<Scheduler> for Flows {
    fn next(&mut self, cycle: u64, out: &SchedulerOut) -> SchedulerIn {
        self.next(cycle, out)
    }
}

/// `op` of `s_rate`.
pub const OP_UPDATE: u8 = 0;
/// `op` of `s_rate`.
pub const OP_CREATE: u8 = 1;
/// `op` of `s_rate`.
pub const OP_REMOVE: u8 = 2;

/// Longest time between two changes of what the flows do.
const PHASE_CYCLES_MAX: u64 = 2500;
/// A pause lasts longer than any time that counts for credit.
const PAUSE_CYCLES: u64 = 4600;

/// Flows that come, go, change their rates and windows and are armed at random, with stalls on
/// every stream. Most arms follow a grant, as they should; some come twice or without a flow.
pub struct RandomFlows {
    rng: ChaCha8Rng,
    flow_count: u16,
    work: Source<Work>,
    inflight: Source<InFlight>,
    rate: Source<Rate>,
    grant: Sink,
    /// Granted flows that will be armed again.
    rearm: VecDeque<u16>,
    /// Flows that are created and armed in this phase: this many from the first one on.
    active: (u16, u16),
    phase_end: u64,
    /// No work arrives in this phase.
    is_pause: bool,
    len_bytes_max: u16,
    /// One `s_rate` in this many cycles.
    rate_interval: u32,
    grant_is_open: bool,
    /// What the line carries.
    cfg_line: u32,
}

impl RandomFlows {
    /// Stimulus for `flow_count` flows.
    pub fn new(seed: u64, flow_count: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut child = || ChaCha8Rng::seed_from_u64(rng.gen());
        let (work, inflight) = (Source::new(child()), Source::new(child()));
        let (rate, grant) = (Source::new(child()), Sink::new(child()));
        Self {
            rng,
            flow_count: flow_count as u16,
            work,
            inflight,
            rate,
            grant,
            rearm: VecDeque::new(),
            active: (0, 1),
            phase_end: 0,
            is_pause: false,
            len_bytes_max: 100,
            rate_interval: 1,
            grant_is_open: true,
            cfg_line: 0,
        }
    }

    fn begin_phase(&mut self, cycle: u64) {
        let rng = &mut self.rng;
        let count = match rng.gen_range(0..4) {
            0 => 1,
            1 => rng.gen_range(1..=self.flow_count.min(4)),
            _ => rng.gen_range(1..=self.flow_count),
        };
        self.active = (rng.gen_range(0..self.flow_count), count);
        self.len_bytes_max = [1, 64, 300, 1100, 4200, 16383][rng.gen_range(0..6)];
        // The first phase creates most flows.
        self.rate_interval = if cycle == 0 { 2 } else { 1 << rng.gen_range(1..9) };
        self.grant_is_open = rng.gen();
        // The datapath's beats, a slow line, Ethernet, anything.
        self.cfg_line = [0, 0x100, 24 << 16 | 50 << 8, rng.gen::<u32>() >> 8][rng.gen_range(0..4)];
        self.is_pause = cycle > 0 && rng.gen_range(0..8) == 0;
        let length = rng.gen_range(500..PHASE_CYCLES_MAX);
        self.phase_end = cycle + if self.is_pause { PAUSE_CYCLES } else { length };
    }

    /// One of the flows of this phase.
    fn flow(rng: &mut ChaCha8Rng, active: (u16, u16), flow_count: u16) -> u16 {
        (active.0 + rng.gen_range(0..active.1)) % flow_count
    }

    fn inflight_bytes(rng: &mut ChaCha8Rng) -> u32 {
        match rng.gen_range(0..4) {
            0 => 0,
            1 => 8192,
            2 => rng.gen_range(0..16384),
            _ => rng.gen::<u32>() & 0x8010_3fff,
        }
    }

    fn next_work(&mut self) -> Option<Work> {
        let rng = &mut self.rng;
        let is_random = rng.gen_range(0..16) == 0;
        let any = Self::flow(rng, self.active, self.flow_count);
        let flow = if is_random { Some(any) } else { self.rearm.pop_front() };
        let small = rng.gen_range(0..3) == 0;
        let inflight_bytes = if small { 0 } else { Self::inflight_bytes(rng) };
        let len_bytes = rng.gen_range(0..=self.len_bytes_max);
        let frame_count = rng.gen_range(0..128);
        flow.map(|flow| Work { valid: true, flow, len_bytes, frame_count, inflight_bytes })
    }

    fn next_rate(&mut self) -> Rate {
        let rng = &mut self.rng;
        let op = match rng.gen_range(0..16) {
            0 => OP_REMOVE,
            1..=7 => OP_UPDATE,
            _ => OP_CREATE,
        };
        // A window equal to the bytes in flight is the edge.
        let window_bytes = [0, 1, 8192, 16384, 1 << 20, u32::MAX][rng.gen_range(0..6)];
        // From a trickle to more than the line.
        let rate_bits = [0, 8, 16, 20, 22, 24, 25, 26, 27, 32][rng.gen_range(0..10)];
        let rate = (rng.gen::<u64>() & ((1 << rate_bits) - 1)) as u32;
        let flow = Self::flow(rng, self.active, self.flow_count);
        Rate { valid: true, flow, op, window_bytes, rate }
    }
}

impl RandomFlows {
    /// Inputs for `cycle`, see [`Stimulus`].
    pub fn next(&mut self, cycle: u64, out: &SchedulerOut) -> SchedulerIn {
        if cycle == self.phase_end {
            self.begin_phase(cycle);
        }
        let next_work = if self.is_pause { None } else { self.next_work() };
        let mut given_back = next_work;
        let work = self.work.drive(out.s_work.ready, || given_back.take());
        if let Some(work) = given_back {
            self.rearm.push_front(work.flow);
        }
        let inflight_bytes = Self::inflight_bytes(&mut self.rng);
        let flow = Self::flow(&mut self.rng, self.active, self.flow_count);
        let inflight = InFlight { valid: true, flow, inflight_bytes };
        let inflight = self.inflight.drive(out.s_inflight.ready, || Some(inflight));
        let rate = self.next_rate();
        let is_due = self.rng.gen_range(0..self.rate_interval) == 0;
        let rate = self.rate.drive(out.s_rate.ready, || is_due.then_some(rate));
        let ready = self.grant.drive() | self.grant_is_open;
        if ready && out.m_grant.valid {
            self.rearm.push_back(out.m_grant.flow);
        }
        SchedulerIn {
            reset: false,
            s_work: work.unwrap_or_default(),
            s_inflight: inflight.unwrap_or_default(),
            s_rate: rate.unwrap_or_default(),
            m_grant: ReadyPort { ready },
            cfg_line: self.cfg_line,
        }
    }
}

/// One packet on the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// First cycle of the packet on the line.
    pub cycle: u64,
    /// Its flow.
    pub flow: u16,
}

/// A requester with endless work in front of a line of some bytes a cycle: a grant is taken into
/// a short queue, its packet then holds the line for as many cycles as it has beats, and the flow
/// is armed again some cycles after the grant was taken.
pub struct BusyLine {
    rng: ChaCha8Rng,
    beat_bytes: u64,
    /// UQ8.24 bytes a cycle, 0: no such flow.
    rates: Vec<u32>,
    lens_bytes: Vec<u16>,
    window_bytes: u32,
    to_create: VecDeque<u16>,
    to_arm: VecDeque<(u64, u16)>,
    queue: VecDeque<u16>,
    busy_until: u64,
    /// Cycles from the taking of a grant to the next arm, at least and at most.
    rearm_cycles: (u64, u64),
    /// What went out so far.
    pub sent: Vec<Sent>,
    /// Grants taken so far, by flow.
    pub taken: Vec<u64>,
}

impl BusyLine {
    /// Grants that wait in front of the line.
    pub const QUEUE_DEPTH: usize = 2;

    /// A line for flows that ask for `rates` and send packets of `lens_bytes`.
    pub fn new(seed: u64, beat_bytes: usize, rates: Vec<u32>, lens_bytes: Vec<u16>) -> Self {
        let flows = 0..rates.len() as u16;
        let used: VecDeque<u16> = flows.filter(|f| rates[usize::from(*f)] > 0).collect();
        Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
            beat_bytes: beat_bytes as u64,
            taken: vec![0; rates.len()],
            rates,
            lens_bytes,
            window_bytes: u32::MAX,
            to_arm: used.iter().map(|flow| (0, *flow)).collect(),
            to_create: used,
            queue: VecDeque::new(),
            busy_until: 0,
            rearm_cycles: (10, 20),
            sent: Vec::new(),
        }
    }

    /// Cycles that a packet of this flow holds the line.
    pub fn packet_cycles(&self, flow: u16) -> u64 {
        u64::from(self.lens_bytes[usize::from(flow)]).div_ceil(self.beat_bytes)
    }

    fn move_line(&mut self, cycle: u64) {
        if cycle < self.busy_until {
            return;
        }
        if let Some(flow) = self.queue.pop_front() {
            self.sent.push(Sent { cycle, flow });
            self.busy_until = cycle + self.packet_cycles(flow);
        }
    }
}

impl BusyLine {
    /// Inputs for `cycle`, see [`Stimulus`].
    pub fn next(&mut self, cycle: u64, out: &SchedulerOut) -> SchedulerIn {
        let mut inputs = SchedulerIn::default();
        self.move_line(cycle);
        inputs.m_grant.ready = self.queue.len() < Self::QUEUE_DEPTH;
        if inputs.m_grant.ready && out.m_grant.valid {
            let flow = out.m_grant.flow;
            self.queue.push_back(flow);
            self.taken[usize::from(flow)] += 1;
            let (least, most) = self.rearm_cycles;
            self.to_arm.push_back((cycle + self.rng.gen_range(least..=most), flow));
        }
        if let (Some(&flow), true) = (self.to_create.front(), out.s_rate.ready) {
            self.to_create.pop_front();
            let (rate, window_bytes) = (self.rates[usize::from(flow)], self.window_bytes);
            inputs.s_rate = Rate { valid: true, flow, op: OP_CREATE, window_bytes, rate };
        }
        let due = self.to_arm.front().filter(|(at, _)| *at <= cycle);
        if let (Some(&(_, flow)), true) = (due, out.s_work.ready && self.to_create.is_empty()) {
            self.to_arm.pop_front();
            let len_bytes = self.lens_bytes[usize::from(flow)];
            inputs.s_work =
                Work { valid: true, flow, len_bytes, frame_count: 1, inflight_bytes: 0 };
        }
        inputs
    }
}

/// A busy line whose flows mostly keep their rates for longer than the scheduler remembers, while
/// some change their rates, leave and come back, and the line itself stands still now and then.
pub struct RestlessLine {
    rng: ChaCha8Rng,
    line: BusyLine,
    flow_count: u16,
    /// A removed flow that comes back, and when.
    away: Option<(u64, u16)>,
    /// Cycles between two disturbances, about.
    interval: u32,
}

impl RestlessLine {
    /// Stimulus for `flow_count` flows and a line of `beat_bytes` a cycle.
    pub fn new(seed: u64, flow_count: usize, beat_bytes: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let len_bytes = [100, 1082, 4154, 0][seed as usize % 4];
        let lens: Vec<u16> = (0..flow_count)
            .map(|_| if len_bytes == 0 { rng.gen_range(300..1500) } else { len_bytes })
            .collect();
        let weights: Vec<f64> =
            (0..flow_count).map(|_| 100_f64.powf(rng.gen_range(0.0..1.0))).collect();
        let total: f64 = weights.iter().sum();
        let load = [0.9, 0.999, 1.0, 1.3][rng.gen_range(0..4)];
        let line_rate = load * beat_bytes as f64 * f64::from(1 << 24);
        let rates = weights.iter().map(|w| (w / total * line_rate) as u32).collect();
        let interval = [1000, 4000, 20_000][rng.gen_range(0..3)];
        let line = BusyLine::new(rng.gen(), beat_bytes, rates, lens);
        Self { rng, line, flow_count: flow_count as u16, away: None, interval }
    }

    /// Changes of one of the first flows, and stops of the line.
    fn disturb(&mut self, cycle: u64) -> Option<Rate> {
        let flow = self.rng.gen_range(0..self.flow_count.div_ceil(4));
        let rate = self.line.rates[usize::from(flow)];
        let window_bytes = self.line.window_bytes;
        let update = Rate { valid: true, flow, op: OP_UPDATE, window_bytes, rate };
        match self.rng.gen_range(0..8) {
            0 if self.away.is_none() => {
                self.away = Some((cycle + self.rng.gen_range(1..3000), flow));
                Some(Rate { op: OP_REMOVE, ..update })
            }
            1 => {
                self.line.busy_until = cycle + self.rng.gen_range(1..12_000);
                None
            }
            2 => {
                let rate = self.rng.gen_range(0..=rate);
                Some(Rate { rate, ..update })
            }
            _ => Some(update),
        }
    }
}

impl RestlessLine {
    /// Inputs for `cycle`, see [`Stimulus`].
    pub fn next(&mut self, cycle: u64, out: &SchedulerOut) -> SchedulerIn {
        let mut inputs = self.line.next(cycle, out);
        if !self.line.to_create.is_empty() || inputs.s_rate.valid {
            return inputs;
        }
        if let Some((_, flow)) = self.away.filter(|(at, _)| *at <= cycle) {
            self.away = None;
            let (window_bytes, rate) = (self.line.window_bytes, self.line.rates[usize::from(flow)]);
            inputs.s_rate = Rate { valid: true, flow, op: OP_CREATE, window_bytes, rate };
            self.line.to_arm.push_back((cycle, flow));
        } else if self.rng.gen_range(0..self.interval) == 0 {
            inputs.s_rate = self.disturb(cycle).unwrap_or_default();
        }
        inputs
    }
}

/// The events of [`Flows`] on the core's streams; software that also gives flow commands, some of
/// them while the core clears its rows after reset.
pub struct CoreFlows {
    rng: ChaCha8Rng,
    flows: Flows,
    software: Software,
    flow_count: u16,
    /// One flow command by register in this many cycles.
    command_interval: u32,
    /// What stands in the bits of a flow's index that the core ignores.
    ignored: u16,
}

impl CoreFlows {
    /// Stimulus for `flow_count` flows and a line of `beat_bytes` a cycle.
    pub fn new(seed: u64, flow_count: usize, beat_bytes: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(!seed);
        let software = ChaCha8Rng::seed_from_u64(rng.gen());
        let mut software = Software::new(software, regs::SCHED_REGISTERS);
        // Two at once: the scheduler is still clearing, the second one is refused.
        software.restart([
            (sched_offset::flow_command, 1 << 16),
            (sched_offset::flow_command, 1 << 16 | 1),
        ]);
        Self {
            ignored: rng.gen::<u16>() & !(flow_count as u16 - 1),
            command_interval: [200, 2000, 20_000][rng.gen_range(0..3)],
            flows: Flows::new(seed, flow_count, beat_bytes),
            software,
            flow_count: flow_count as u16,
            rng,
        }
    }
}

impl Stimulus<SchedCore> for CoreFlows {
    fn next(&mut self, cycle: u64, out: &SchedCoreOut) -> SchedCoreIn {
        let rng = &mut self.rng;
        if self.software.is_done() && rng.gen_range(0..self.command_interval) == 0 {
            let flow = u32::from(rng.gen_range(0..self.flow_count));
            let command = rng.gen_range(0..4) << 16 | flow | u32::from(self.ignored);
            self.software.writes.extend([
                (sched_offset::flow_window, rng.gen()),
                (sched_offset::flow_rate, rng.gen::<u32>() >> 8),
            ]);
            self.software.writes.push_back((sched_offset::flow_command, command));
        }
        let grant = Flow { valid: out.m_axis_grant.tvalid, flow: out.m_axis_grant.tdata };
        let unit_out = SchedulerOut {
            s_work: ReadyPort { ready: out.s_axis_work.tready },
            s_inflight: ReadyPort { ready: out.s_axis_inflight.tready },
            s_rate: ReadyPort { ready: out.s_axis_rate.tready },
            m_grant: grant,
        };
        let events = self.flows.next(cycle, &unit_out);
        let mut s_axis_rate = AxisEvent::from(events.s_rate);
        s_axis_rate.tdata |= u128::from(self.ignored);
        SchedCoreIn {
            reset: events.reset,
            s_axil: self.software.drive(&out.s_axil),
            s_axis_work: events.s_work.into(),
            s_axis_inflight: events.s_inflight.into(),
            s_axis_rate,
            m_axis_grant: TreadyPort { tready: events.m_grant.ready },
        }
    }
}
