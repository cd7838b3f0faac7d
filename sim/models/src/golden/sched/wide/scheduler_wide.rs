//! Twin of `hdl/src/sched/wide/scheduler_wide.rs`, the flow scheduler of several engines: each
//! engine is the scheduler of the flows whose number has the engine's number in its low bits.
//!
//! Events are taken for two cycles, one of each stream in each, and delivered in the two after:
//! engines take work in the first of them and bytes in flight in the second. Where that would
//! give an engine two of a kind, or turn two events of a flow round, the first cycle's events are
//! delivered before the second's, and no event is taken meanwhile.
//!
//! Grants leave in the order in which they were decided, and one clock of the line, moved by all
//! grants, tells the engines when the line carries what they grant.

use crate::golden::sched::calendar::{Line, LineClock};
use crate::golden::sched::scheduler::{Scheduler, SchedulerIn, SchedulerOut};
use crate::golden::util::fifo::LutFifo;
use crate::golden::util::skid::Skid;
use crate::ports::Golden;
use crate::streams::{Flow, InFlight, Rate, ReadyPort, Work};
use nic_spec::NicConfig;

/// Engines.
pub const ENGINE_COUNT: usize = 8;

/// What is taken in one cycle.
#[derive(Clone, Copy, Debug, Default)]
struct Events {
    work: Option<Work>,
    inflight: Option<InFlight>,
    rate: Option<Rate>,
}

/// The scheduler.
#[derive(Clone, Debug)]
pub struct SchedulerWide {
    engines: Vec<Scheduler>,
    /// What the engines have shown.
    shown: Vec<SchedulerOut>,
    /// Events of the first cycle of a pair, until its second one.
    earlier: Events,
    /// Events of the first and of the second cycle of the last pair.
    first: Events,
    second: Events,
    /// The second cycle's events wait for the next pair of cycles.
    is_held: bool,
    /// When the line carries what is granted next, and beats that were granted in a cycle.
    clock: LineClock,
    beats: Option<u32>,
    /// Engines that decided for a grant in the same cycle, one bit each; oldest first.
    order: LutFifo<u16>,
    /// Bits of the oldest that have been served.
    served: u16,
    output: Skid<u16>,
}

impl SchedulerWide {
    /// Scheduler for the flows of `config`.
    pub fn new(config: &NicConfig) -> Self {
        Self::of_engines(config.flow_count, ENGINE_COUNT)
    }

    /// Scheduler of `engine_count` engines for `flow_count` flows.
    fn of_engines(flow_count: usize, engine_count: usize) -> Self {
        let engine = Scheduler::of(flow_count / engine_count, Line::OF_512_BITS);
        Self {
            engines: vec![engine; engine_count],
            shown: vec![SchedulerOut::default(); engine_count],
            earlier: Events::default(),
            first: Events::default(),
            second: Events::default(),
            is_held: false,
            clock: LineClock::default(),
            beats: None,
            order: LutFifo::new(2 * engine_count),
            served: 0,
            output: Skid::default(),
        }
    }

    fn engine_of(&self, flow: u16) -> usize {
        usize::from(flow) % self.engines.len()
    }

    fn number_in_engine(&self, flow: u16) -> u16 {
        flow / self.engines.len() as u16
    }

    /// The engines take work in this cycle, or bytes in flight.
    fn phase(&self) -> (bool, bool) {
        (self.shown[0].s_work.ready, self.shown[0].s_inflight.ready)
    }

    fn is_ready(&self) -> bool {
        let (takes_work, takes_inflight) = self.phase();
        (takes_work || takes_inflight) && !self.is_held
    }

    fn out(&self) -> SchedulerOut {
        let ready = ReadyPort { ready: self.is_ready() };
        let (valid, flow) = (self.output.m_valid(), self.output.m_data());
        let m_grant = Flow { valid, flow: if valid { flow } else { 0 } };
        SchedulerOut { s_work: ready, s_inflight: ready, s_rate: ready, m_grant }
    }
}

impl SchedulerWide {
    /// Whether the second cycle's events must come after all of the first's.
    fn conflicts(&self, first: &Events, second: &Events) -> bool {
        let same = |a: Option<u16>, b: Option<u16>| match (a, b) {
            (Some(a), Some(b)) => self.engine_of(a) == self.engine_of(b),
            _ => false,
        };
        let work = |events: &Events| events.work.map(|w| w.flow);
        let inflight = |events: &Events| events.inflight.map(|i| i.flow);
        let is_turned = inflight(first).is_some() && inflight(first) == work(second);
        same(work(first), work(second)) || same(inflight(first), inflight(second)) || is_turned
    }

    /// What engine `id` sees in this cycle.
    fn inputs(&self, id: usize, is_asked: bool) -> SchedulerIn {
        let (takes_work, takes_inflight) = self.phase();
        let second = if self.is_held { Events::default() } else { self.second };
        let is_its = |flow: u16| self.engine_of(flow) == id;
        let mine = |flow: u16| self.number_in_engine(flow);
        let work = [self.first.work, second.work].into_iter().flatten().find(|w| is_its(w.flow));
        let inflight =
            [self.first.inflight, second.inflight].into_iter().flatten().find(|i| is_its(i.flow));
        let rate = match () {
            () if takes_work => self.first.rate,
            () if takes_inflight => second.rate,
            () => None,
        };
        let rate = rate.filter(|r| is_its(r.flow));
        SchedulerIn {
            reset: false,
            s_work: work.map(|w| Work { flow: mine(w.flow), ..w }).unwrap_or_default(),
            s_inflight: inflight.map(|i| InFlight { flow: mine(i.flow), ..i }).unwrap_or_default(),
            s_rate: rate.map(|r| Rate { flow: mine(r.flow), ..r }).unwrap_or_default(),
            m_grant: ReadyPort { ready: is_asked },
        }
    }

    /// Notes which engines have granted, and what; `asked` of those that are `left` is served.
    fn note(&mut self, asked: Option<usize>, left: u16) {
        let granted = |(id, engine): (usize, &Scheduler)| engine.granted_beats().map(|b| (id, b));
        let granted: Vec<_> = self.engines.iter().enumerate().filter_map(granted).collect();
        let mask = granted.iter().fold(0, |mask, (id, _)| mask | 1 << id);
        let bit = asked.map_or(0, |id| 1 << id);
        let is_last = bit != 0 && left == bit;
        self.order.step(false, (mask != 0).then_some(mask), is_last);
        self.served = if is_last { 0 } else { self.served | bit };
        self.clock.step(self.beats, &Line::OF_512_BITS);
        self.beats = granted.iter().map(|(_, beats)| *beats).reduce(|a, b| a + b);
    }

    fn reset(&mut self) {
        let reset = SchedulerIn { reset: true, ..SchedulerIn::default() };
        let (mut engines, mut shown) =
            (core::mem::take(&mut self.engines), core::mem::take(&mut self.shown));
        for (engine, shown) in engines.iter_mut().zip(&mut shown) {
            *shown = engine.step(&reset);
            engine.set_clock(LineClock::default());
        }
        *self = Self { engines, shown, ..Self::of_engines(0, ENGINE_COUNT) };
    }

    /// Takes this cycle's events.
    fn take(&mut self, i: &SchedulerIn) {
        let is_ready = self.is_ready();
        let events = Events {
            work: Some(i.s_work).filter(|w| w.valid && is_ready),
            inflight: Some(i.s_inflight).filter(|f| f.valid && is_ready),
            rate: Some(i.s_rate).filter(|r| r.valid && is_ready),
        };
        match self.phase() {
            (true, _) => self.earlier = events,
            (_, true) => {
                let earlier = core::mem::take(&mut self.earlier);
                let was_held = core::mem::take(&mut self.is_held);
                if !was_held {
                    self.is_held = self.conflicts(&earlier, &events);
                    self.second = events;
                }
                self.first = earlier;
            }
            _ => {}
        }
    }
}

impl Golden for SchedulerWide {
    type In = SchedulerIn;
    type Out = SchedulerOut;

    fn step(&mut self, i: &SchedulerIn) -> SchedulerOut {
        if i.reset {
            self.reset();
            return self.out();
        }
        let count = self.engines.len();
        let left = if self.order.m_valid() { self.order.m_data() & !self.served } else { 0 };
        let asked = (left != 0 && self.output.s_ready()).then_some(left.trailing_zeros() as usize);
        let inputs: Vec<_> = (0..count).map(|id| self.inputs(id, asked == Some(id))).collect();
        let grant = asked.map(|id| {
            assert!(self.shown[id].m_grant.valid, "a grant is there when it is asked for");
            self.shown[id].m_grant.flow * count as u16 + id as u16
        });
        self.output.step(false, grant, i.m_grant.ready);
        self.take(i);
        self.note(asked, left);
        for ((engine, shown), inputs) in self.engines.iter_mut().zip(&mut self.shown).zip(&inputs) {
            *shown = engine.step(inputs);
            engine.set_clock(self.clock);
        }
        self.out()
    }
}
