//! Benches: scheduler.

use super::axil::Software;
use crate::env::stream::{Sink, Source};
use nic_harness::bench::{Bench, Stimulus};
use nic_models::golden::sched::sched_core::{SchedCore, SchedCoreIn, SchedCoreOut};
use nic_models::golden::sched::scheduler::{Scheduler, SchedulerIn, SchedulerOut};
use nic_models::streams::{AxisEvent, Flow, Rate, ReadyPort, TreadyPort, Work};
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
    let sizes = config.clone();
    let flows = FlowSizes::new(config);
    Bench::new("scheduler", config, move || Scheduler::new(&sizes), move |seed| flows.random(seed))
        .telling_after(CLOCKS_WRAPPED)
}

/// Bench of the core around it.
fn core(config: &NicConfig) -> Bench {
    let sizes = config.clone();
    let flows = FlowSizes::new(config);
    let stimulus = move |seed| CoreFlows::new(seed, flows);
    Bench::new("sched_core", config, move || SchedCore::new(&sizes), stimulus)
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
/// Rates that share the line stay for longer.
const SHARE_CYCLES: core::ops::Range<u64> = 3000..20_000;
/// Nothing happens to half of the flows for so long that their time's highest bit counts.
const SLEEP_CYCLES: core::ops::Range<u64> = 200_000..900_000;
/// The lines behind that are fast, so that by now its time has wrapped too.
const CLOCKS_WRAPPED: u64 = 1_400_000;

/// What the flows do for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Anything.
    Any,
    /// No work arrives.
    Pause,
    /// Credit grows to its limits, and nobody takes grants.
    Hoard,
    /// Nothing is earned, and what is there is spent to the byte.
    Spend,
    /// All flows send without end at rates that share the line.
    Share,
}

/// How many flows there are, and what the line carries by itself.
#[derive(Clone, Copy, Debug)]
struct FlowSizes {
    flow_count: u16,
    beat_bytes: u16,
}

impl FlowSizes {
    fn new(config: &NicConfig) -> Self {
        let beat_bytes = config.data_bytes() as u16;
        Self { flow_count: config.flow_count as u16, beat_bytes }
    }

    fn random(self, seed: u64) -> RandomFlows {
        RandomFlows::new(seed, self)
    }
}

/// Flows that come, go, change their rates and windows and are armed at random. Most arms follow a
/// grant, as they should; some come twice or without a flow.
struct Traffic {
    rng: ChaCha8Rng,
    sizes: FlowSizes,
    phase: Phase,
    phase_end: u64,
    /// Flows that are created and armed in this phase: this many from the first one on.
    active: (u16, u16),
    /// The others sleep.
    awake_count: u16,
    /// Flows that will be armed: they were granted.
    rearm: VecDeque<u16>,
    /// Flows that get a rate, whether or not it is time.
    to_rate: VecDeque<u16>,
    len_bytes_max: u16,
    /// One `s_rate` in this many cycles.
    rate_interval: u32,
    /// Few flows have most of the line.
    is_uneven: bool,
    grant_is_open: bool,
    /// What the line carries.
    cfg_line: u32,
}

impl Traffic {
    fn new(rng: ChaCha8Rng, sizes: FlowSizes) -> Self {
        Self {
            rng,
            sizes,
            phase: Phase::Any,
            phase_end: 0,
            active: (0, 1),
            awake_count: sizes.flow_count,
            rearm: VecDeque::new(),
            to_rate: VecDeque::new(),
            len_bytes_max: 100,
            rate_interval: 1,
            is_uneven: false,
            grant_is_open: true,
            cfg_line: 0,
        }
    }

    fn begin_phase(&mut self, cycle: u64) {
        let rng = &mut self.rng;
        self.phase = match rng.gen_range(0..8) {
            _ if self.phase == Phase::Hoard => Phase::Spend,
            0 if cycle > 0 => Phase::Pause,
            1 | 2 => Phase::Hoard,
            3 => Phase::Share,
            _ => Phase::Any,
        };
        let is_asleep = SLEEP_CYCLES.contains(&cycle);
        self.awake_count = self.sizes.flow_count / if is_asleep { 2 } else { 1 };
        let length = rng.gen_range(500..PHASE_CYCLES_MAX);
        self.phase_end = cycle + if self.phase == Phase::Pause { PAUSE_CYCLES } else { length };
        self.len_bytes_max = [1, 64, 300, 1100, 4200, 16383][rng.gen_range(0..6)];
        // The first phase creates most flows.
        self.rate_interval = if cycle == 0 { 2 } else { 1 << rng.gen_range(1..9) };
        self.grant_is_open = rng.gen();
        // The datapath's beats, from the slowest line to the fastest, Ethernet, anything.
        let lines = [0, 1, 0x100, 0xffff, 24 << 16 | 50 << 8, rng.gen::<u32>() >> 8];
        self.cfg_line = lines[rng.gen_range(0..6)];
        if cycle == 0 && rng.gen() {
            // What a reset leaves of the backlog stays on the slowest line.
            (self.cfg_line, self.len_bytes_max) = (1, 300);
        }
        if cycle >= SLEEP_CYCLES.start && rng.gen_range(0..8) > 0 {
            self.cfg_line |= 0xffff;
        }
        match self.phase {
            Phase::Spend => self.begin_spending(),
            Phase::Any | Phase::Pause | Phase::Hoard => self.choose_flows(),
            Phase::Share => self.begin_sharing(cycle),
        }
    }

    fn choose_flows(&mut self) {
        let rng = &mut self.rng;
        let count = match rng.gen_range(0..4) {
            0 => 1,
            1 => rng.gen_range(1..=self.awake_count.min(4)),
            _ => rng.gen_range(1..=self.awake_count),
        };
        self.active = (rng.gen_range(0..self.awake_count), count);
        if self.phase == Phase::Hoard {
            // All limits are multiples of it.
            self.len_bytes_max = 1 << rng.gen_range(8..14);
            self.rate_all();
            self.rearm = self.to_rate.clone();
        }
    }

    /// The flows of the phase before have full credit: each is told that it earns no more.
    fn begin_spending(&mut self) {
        self.rate_all();
        self.cfg_line |= 0xffff;
        self.rearm.extend(&self.to_rate);
    }

    fn begin_sharing(&mut self, cycle: u64) {
        let rng = &mut self.rng;
        self.phase_end = cycle + rng.gen_range(SHARE_CYCLES);
        self.is_uneven = rng.gen();
        if self.cfg_line & 0xffff < 0x100 {
            self.cfg_line = 0;
        }
        self.active = (0, self.awake_count);
        self.rate_all();
        self.rearm = self.to_rate.clone();
    }

    /// All flows of the phase get a rate.
    fn rate_all(&mut self) {
        self.rate_interval = 1 << self.rng.gen_range(9..13);
        let (first, count) = self.active;
        self.to_rate = (first..first + count).map(|flow| flow % self.awake_count).collect();
    }

    /// One of the flows of this phase.
    fn flow(&mut self) -> u16 {
        (self.active.0 + self.rng.gen_range(0..self.active.1)) % self.awake_count
    }

    fn inflight_bytes(&mut self) -> u32 {
        match self.rng.gen_range(0..4) {
            0 => 0,
            1 => 8192,
            2 => self.rng.gen_range(0..16384),
            _ => self.rng.gen::<u32>() & 0x8010_3fff,
        }
    }

    fn len_bytes(&mut self) -> u16 {
        let most = self.len_bytes_max;
        match self.phase {
            Phase::Hoard | Phase::Share => most,
            Phase::Spend if self.rng.gen_range(0..3) > 0 => most,
            Phase::Spend => self.rng.gen_range(0..20),
            Phase::Any | Phase::Pause if self.rng.gen_range(0..8) == 0 => most,
            Phase::Any | Phase::Pause => self.rng.gen_range(0..=most),
        }
    }

    /// Work, or bytes in flight alone.
    fn next_work(&mut self) -> Option<Work> {
        if self.phase == Phase::Pause || self.rng.gen() {
            return Some(self.next_inflight());
        }
        let random_one_in = if self.phase == Phase::Spend { 4 } else { 16 };
        let is_random = self.rng.gen_range(0..random_one_in) == 0;
        let flow = if is_random { self.flow() } else { self.rearm.pop_front()? };
        if flow >= self.awake_count {
            return None;
        }
        let small = self.rng.gen_range(0..3) == 0;
        let inflight_bytes = if small { 0 } else { self.inflight_bytes() };
        let (len_bytes, frame_count) = (self.len_bytes(), self.rng.gen_range(1..128));
        Some(Work { valid: true, flow, len_bytes, frame_count, inflight_bytes })
    }

    fn next_inflight(&mut self) -> Work {
        let (flow, inflight_bytes) = (self.flow(), self.inflight_bytes());
        let len_bytes = self.rng.gen_range(0..1 << 14);
        Work { valid: true, flow, len_bytes, frame_count: 0, inflight_bytes }
    }

    fn next_rate(&mut self) -> Option<Rate> {
        let told = self.to_rate.pop_front();
        if told.is_none() && self.rng.gen_range(0..self.rate_interval) > 0 {
            return None;
        }
        let op = match self.rng.gen_range(0..16) {
            _ if told.is_some() && self.phase == Phase::Spend => OP_UPDATE,
            _ if told.is_some() => OP_CREATE,
            0 => OP_REMOVE,
            1..=7 => OP_UPDATE,
            _ => OP_CREATE,
        };
        // A window equal to the bytes in flight is the edge.
        let windows = [0, 1, 8192, 16384, 1 << 20, u32::MAX];
        let is_open = match self.phase {
            Phase::Any | Phase::Pause => false,
            Phase::Hoard => self.rng.gen_range(0..4) > 0,
            Phase::Spend | Phase::Share => true,
        };
        let window_bytes = if is_open { u32::MAX } else { windows[self.rng.gen_range(0..6)] };
        let flow = told.unwrap_or_else(|| self.flow());
        let rate = self.rate(flow);
        Some(Rate { valid: true, flow, op, window_bytes, rate })
    }

    fn rate(&mut self, flow: u16) -> u32 {
        let rng = &mut self.rng;
        match self.phase {
            Phase::Hoard => rng.gen::<u32>() | 1 << 31,
            Phase::Spend => 0,
            Phase::Share => {
                let line = match self.cfg_line & 0xffff {
                    0 => u64::from(self.sizes.beat_bytes) << 24,
                    rate => u64::from(rate) << 16,
                };
                let even = (2 << 16) / u64::from(self.sizes.flow_count);
                let share =
                    if self.is_uneven { (1 << 15) >> flow.min(12) } else { rng.gen_range(0..even) };
                u32::try_from((line * share) >> 16).unwrap_or(u32::MAX)
            }
            // From a trickle to more than the line.
            Phase::Any | Phase::Pause => {
                let bits = [0, 8, 16, 20, 22, 24, 25, 26, 27, 32][rng.gen_range(0..10)];
                (rng.gen::<u64>() & ((1 << bits) - 1)) as u32
            }
        }
    }
}

/// Random flows, with stalls on every stream.
pub struct RandomFlows {
    flows: Traffic,
    work: Source<Work>,
    rate: Source<Rate>,
    grant: Sink,
}

impl RandomFlows {
    fn new(seed: u64, sizes: FlowSizes) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut child = || ChaCha8Rng::seed_from_u64(rng.gen());
        let (work, rate) = (Source::new(child()), Source::new(child()));
        let grant = Sink::new(child());
        Self { flows: Traffic::new(rng, sizes), work, rate, grant }
    }

    fn next(&mut self, cycle: u64, out: &SchedulerOut) -> SchedulerIn {
        let flows = &mut self.flows;
        if cycle == flows.phase_end {
            flows.begin_phase(cycle);
        }
        let work = self.work.drive(out.s_work.ready, || flows.next_work());
        let rate = self.rate.drive(out.s_rate.ready, || flows.next_rate());
        let ready = (self.grant.drive() | flows.grant_is_open) && flows.phase != Phase::Hoard;
        if ready && out.m_grant.valid {
            flows.rearm.push_back(out.m_grant.flow);
        }
        SchedulerIn {
            reset: false,
            s_work: work.unwrap_or_default(),
            s_rate: rate.unwrap_or_default(),
            m_grant: ReadyPort { ready },
            cfg_line: flows.cfg_line,
        }
    }
}

impl Stimulus<Scheduler> for RandomFlows {
    fn next(&mut self, cycle: u64, out: &SchedulerOut) -> SchedulerIn {
        self.next(cycle, out)
    }
}

/// The events of [`RandomFlows`] on the core's streams; software that sets the line and also gives
/// flow commands, some of them while the core clears its rows after reset.
pub struct CoreFlows {
    rng: ChaCha8Rng,
    flows: RandomFlows,
    software: Software,
    flow_count: u16,
    /// What the software has set the line to.
    line: u32,
    /// One flow command by register in this many cycles.
    command_interval: u32,
    /// What stands in the bits of a flow's index that the core ignores.
    ignored: u16,
}

impl CoreFlows {
    fn new(seed: u64, sizes: FlowSizes) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(!seed);
        let software = ChaCha8Rng::seed_from_u64(rng.gen());
        let mut software = Software::new(software, regs::SCHED_REGISTERS);
        // Two at once: the scheduler is still clearing, the second one is refused.
        software.restart([
            (sched_offset::flow_command, 1 << 16),
            (sched_offset::flow_command, 1 << 16 | 1),
        ]);
        Self {
            ignored: rng.gen::<u16>() & !(sizes.flow_count - 1),
            command_interval: [200, 2000, 20_000][rng.gen_range(0..3)],
            flows: sizes.random(seed),
            software,
            flow_count: sizes.flow_count,
            line: 0,
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
                (sched_offset::flow_rate, rng.gen::<u32>() >> [0, 8][rng.gen_range(0..2)]),
            ]);
            self.software.writes.push_back((sched_offset::flow_command, command));
        }
        let grant = Flow { valid: out.m_axis_grant.tvalid, flow: out.m_axis_grant.tdata };
        let unit_out = SchedulerOut {
            s_work: ReadyPort { ready: out.s_axis_work.tready },
            s_rate: ReadyPort { ready: out.s_axis_rate.tready },
            m_grant: grant,
        };
        let events = self.flows.next(cycle, &unit_out);
        if events.cfg_line != self.line {
            self.line = events.cfg_line;
            self.software.writes.push_back((sched_offset::line, self.line));
        }
        let mut s_axis_rate = AxisEvent::of_rate(&events.s_rate);
        s_axis_rate.tdata |= u128::from(self.ignored);
        SchedCoreIn {
            reset: events.reset,
            s_axil: self.software.drive(&out.s_axil),
            s_axis_work: AxisEvent::of_work(&events.s_work),
            s_axis_rate,
            m_axis_grant: TreadyPort { tready: events.m_grant.ready },
        }
    }
}
