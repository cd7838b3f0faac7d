//! The requester and the line around a scheduler: takes grants, arms again, sends rates and the
//! bytes in flight, and writes down when each of these was accepted.

use super::history::{Event, FlowHistory, History, Sent};
use super::load::{Arm, Asks, Case, Load, Windows, HOT_FLOW, MS_CYCLES};
use nic_models::golden::sched::scheduler::{SchedulerIn, SchedulerOut};
use nic_models::streams::{Rate, ReadyPort, Work};
use nic_sim::bench::sched::{OP_CREATE, OP_UPDATE};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Grants that wait in front of the line.
const QUEUE_DEPTH: usize = 2;
/// From the taking of a grant to the next arm.
const REARM_CYCLES: core::ops::Range<u64> = 10..21;
/// 5 to 50 us: how long a window stays closed.
const CLOSED_CYCLES: core::ops::Range<u64> = 625..6250;
/// 5 to 500 us: how long a flow asks for nothing.
const PAUSE_CYCLES: core::ops::Range<u64> = 625..62_500;
/// How long a window stays open, or a flow goes on asking.
const ACTIVE_CYCLES: core::ops::Range<u64> = 6250..243_750;
/// Windows that open together have this long for the promise to hold again, and to be measured.
const TOGETHER_OPEN_CYCLES: u64 = 3 * MS_CYCLES;
/// After all windows have opened at once the promise has this long.
const SETTLE_CYCLES: u64 = MS_CYCLES;
/// Grants that can wait for room in front of the line, where it carries another.
const LATE_GRANTS: f64 = 4.0;
/// From a decision to its grant.
const LATE_CYCLES: u64 = 64;
const WINDOW_BYTES: u32 = 1 << 20;

/// What is to be done at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
    Arm(u16),
    Window(u16, bool),
    WindowsTogether(bool),
    NextRates,
}

/// A flow as the requester sees it.
#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    /// As the scheduler has heard.
    is_closed: bool,
    /// While the window is closed: from here on no grant may come.
    blocked_from: Option<u64>,
    asks: bool,
    /// It stops asking with its first grant from here on.
    stops_at: Option<u64>,
}

/// The requester, and the line behind it.
pub struct Requester {
    case: Case,
    load: Load,
    rng: ChaCha8Rng,
    flows: Vec<Flow>,
    timers: BinaryHeap<Reverse<(u64, Timer)>>,
    works: VecDeque<u16>,
    windows: VecDeque<(u16, bool)>,
    rates: VecDeque<(u16, u32)>,
    /// The next item is a window, if one waits.
    is_window_next: bool,
    /// What stands at the ports until it is taken.
    work: Option<Work>,
    rate: Option<Rate>,
    /// Flows that wait for the line, and when their grants were taken.
    queue: VecDeque<(u16, u64)>,
    line_free_at: f64,
    /// A grant that was decided before a window closed is taken within this time.
    late_cycles: u64,
    /// All flows are created.
    is_started: bool,
    pub history: History,
}

impl Requester {
    pub fn new(case: &Case) -> Self {
        let mut load = Load::new(case);
        let rates = load.changes();
        let longest = load.arms.iter().map(|arm| case.line.cycles(*arm)).fold(0.0, f64::max);
        let flows = vec![FlowHistory::default(); case.flow_count];
        let history = History { arms: load.arms.clone(), flows, ..History::default() };
        Self {
            rng: ChaCha8Rng::seed_from_u64(!case.seed),
            flows: vec![Flow::default(); case.flow_count],
            timers: BinaryHeap::new(),
            works: VecDeque::new(),
            windows: VecDeque::new(),
            rates,
            is_window_next: false,
            work: None,
            rate: None,
            queue: VecDeque::new(),
            line_free_at: 0.0,
            late_cycles: (LATE_GRANTS * longest) as u64 + LATE_CYCLES,
            is_started: false,
            history,
            case: case.clone(),
            load,
        }
    }

    /// Inputs for `cycle`, when the last edge left `out`.
    pub fn next(&mut self, cycle: u64, out: &SchedulerOut) -> SchedulerIn {
        if cycle as f64 >= self.line_free_at {
            self.send(cycle);
        }
        while self.timers.peek().is_some_and(|Reverse((at, _))| *at <= cycle) {
            let Reverse((_, timer)) = self.timers.pop().expect("one was there");
            self.expire(cycle, timer);
        }
        self.offer();
        let inputs = self.inputs();
        if inputs.m_grant.ready && out.m_grant.valid {
            self.take_grant(cycle, out.m_grant.flow);
        }
        if out.s_work.ready {
            self.work_accepted(cycle);
        }
        if out.s_rate.ready {
            self.rate_accepted(cycle);
        }
        inputs
    }

    /// The one place that knows the ports.
    fn inputs(&self) -> SchedulerIn {
        SchedulerIn {
            reset: false,
            s_work: self.work.unwrap_or_default(),
            s_rate: self.rate.unwrap_or_default(),
            m_grant: ReadyPort { ready: self.queue.len() < QUEUE_DEPTH },
            cfg_line: self.case.line.register(),
        }
    }

    fn work_of(&self, flow: u16) -> Work {
        let Arm { len_bytes, frame_count } = self.load.arms[usize::from(flow)];
        let inflight_bytes = inflight_bytes(self.flows[usize::from(flow)].is_closed);
        Work { valid: true, flow, len_bytes, frame_count, inflight_bytes }
    }

    /// Fills the ports. Works and windows that wait take turns.
    fn offer(&mut self) {
        if self.work.is_none() {
            let is_window = self.is_window_next || self.works.is_empty();
            let window = if is_window { self.windows.pop_front() } else { None };
            self.work = match window {
                Some(window) => Some(inflight_of(window)),
                None => self.works.pop_front().map(|flow| self.work_of(flow)),
            };
            self.is_window_next = self.work.is_some_and(|work| work.frame_count > 0);
        }
        if self.rate.is_none() {
            let op = if self.is_started { OP_UPDATE } else { OP_CREATE };
            let window_bytes = WINDOW_BYTES;
            let next = self.rates.pop_front();
            self.rate = next.map(|(flow, rate)| Rate { valid: true, flow, op, window_bytes, rate });
        }
    }

    fn work_accepted(&mut self, cycle: u64) {
        let Some(work) = self.work.take() else { return };
        if work.frame_count == 0 {
            return self.inflight_accepted(cycle, work);
        }
        let flow = &mut self.flows[usize::from(work.flow)];
        flow.blocked_from = flow.is_closed.then_some(cycle);
        if !flow.asks {
            flow.asks = true;
            self.write_down(cycle, work.flow, Event::Asks(true));
        }
    }

    fn inflight_accepted(&mut self, cycle: u64, inflight: Work) {
        let is_open = inflight.inflight_bytes == 0;
        let flow = &mut self.flows[usize::from(inflight.flow)];
        flow.is_closed = !is_open;
        flow.blocked_from = flow.is_closed.then_some(cycle + self.late_cycles);
        self.write_down(cycle, inflight.flow, Event::Opens(is_open));
        if let (true, Some(settling)) = (is_open, self.history.settling.last_mut()) {
            settling.1 = cycle + SETTLE_CYCLES;
        }
    }

    fn rate_accepted(&mut self, cycle: u64) {
        let Some(rate) = self.rate.take() else { return };
        self.write_down(cycle, rate.flow, Event::Rate(rate.rate));
        if !self.is_started {
            self.write_down(cycle, rate.flow, Event::Opens(true));
            self.works.push_back(rate.flow);
            self.is_started = self.rates.is_empty();
            if self.is_started {
                self.start(cycle);
            }
        }
    }

    fn write_down(&mut self, cycle: u64, flow: u16, event: Event) {
        self.history.flows[usize::from(flow)].events.push((cycle, event));
    }

    fn start(&mut self, cycle: u64) {
        self.history.begin = cycle;
        if !self.case.rates.is_still() {
            self.timers.push(Reverse((cycle + self.case.change_cycles(), Timer::NextRates)));
        }
        for flow in 0..self.case.flow_count {
            if self.case.windows == Windows::CloseAtRandom {
                let at = cycle + self.rng.gen_range(ACTIVE_CYCLES);
                self.timers.push(Reverse((at, Timer::Window(flow as u16, false))));
            }
            if self.case.asks == Asks::WithPauses {
                let stops_at = cycle + self.rng.gen_range(ACTIVE_CYCLES);
                self.flows[flow].stops_at = Some(stops_at);
            }
        }
        if self.case.windows.are_together() {
            let timer = Timer::WindowsTogether(false);
            self.timers.push(Reverse((cycle + TOGETHER_OPEN_CYCLES, timer)));
        }
    }

    fn expire(&mut self, cycle: u64, timer: Timer) {
        let until = |rng: &mut ChaCha8Rng, is_open: bool| {
            cycle + rng.gen_range(if is_open { ACTIVE_CYCLES } else { CLOSED_CYCLES })
        };
        let next = match timer {
            Timer::Arm(flow) => return self.works.push_back(flow),
            Timer::Window(flow, is_open) => {
                self.windows.push_back((flow, is_open));
                (until(&mut self.rng, is_open), Timer::Window(flow, !is_open))
            }
            Timer::WindowsTogether(is_open) => {
                let all = (0..self.case.flow_count)
                    .filter(|f| *f != HOT_FLOW || self.case.windows == Windows::OpenTogether);
                self.windows.extend(all.map(|flow| (flow as u16, is_open)));
                if is_open {
                    self.history.settling.push((cycle, cycle + SETTLE_CYCLES));
                }
                let at = if is_open {
                    cycle + TOGETHER_OPEN_CYCLES
                } else {
                    until(&mut self.rng, false)
                };
                (at, Timer::WindowsTogether(!is_open))
            }
            // A scheduler that takes rates slowly still gets all of them.
            Timer::NextRates if !self.rates.is_empty() => (cycle + 100, timer),
            Timer::NextRates => {
                self.rates = self.load.changes();
                (cycle + self.case.change_cycles(), timer)
            }
        };
        self.timers.push(Reverse(next));
    }

    fn take_grant(&mut self, cycle: u64, id: u16) {
        let is_over = |time: Option<u64>| time.is_some_and(|at| at <= cycle);
        self.queue.push_back((id, cycle));
        let flow = &mut self.flows[usize::from(id)];
        self.history.blocked_grants += u64::from(is_over(flow.blocked_from));
        let stops = is_over(flow.stops_at);
        let gap = if stops { PAUSE_CYCLES } else { REARM_CYCLES };
        let rearm_at = cycle + self.rng.gen_range(gap);
        self.timers.push(Reverse((rearm_at, Timer::Arm(id))));
        if stops {
            flow.asks = false;
            flow.stops_at = Some(rearm_at + self.rng.gen_range(ACTIVE_CYCLES));
            self.write_down(cycle, id, Event::Asks(false));
        }
    }

    /// The line is free: the next arm goes.
    fn send(&mut self, cycle: u64) {
        let Some((flow, granted)) = self.queue.pop_front() else { return };
        let start = self.line_free_at.max((granted + 1) as f64);
        let end = start + self.case.line.cycles(self.load.arms[usize::from(flow)]);
        debug_assert!(start <= cycle as f64, "an arm starts before it is taken");
        self.history.flows[usize::from(flow)].sent.push(Sent { granted, start, end });
        self.line_free_at = end;
    }
}

fn inflight_of((flow, is_open): (u16, bool)) -> Work {
    let inflight_bytes = inflight_bytes(!is_open);
    Work { valid: true, flow, inflight_bytes, ..Work::default() }
}

/// Bytes in flight that close a window, or leave it open.
fn inflight_bytes(is_closed: bool) -> u32 {
    u32::from(is_closed) * WINDOW_BYTES
}
