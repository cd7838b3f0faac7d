//! Twin of `hdl/src/cc/wide/unit.rs`: HPCC++ NewAck for every flow, an ACK a cycle.
//!
//! In each cycle one event may start, in order; its result is ready [`FLIGHT_CYCLES`] later. An
//! event waits while an event of its flow started less than [`SAME_FLOW_CYCLES`] before, or while
//! the results might find no room. W_ai may change at any time: it is that of [`W_AI_CYCLES`] after
//! the start.

use crate::events::CcEvents;
use crate::golden::cc::flow_state::{FlowState, Ignored};
use crate::golden::cc::unit::{CcUnitIn, CcUnitOut, Taken};
use crate::golden::cc::{CcCfg, Pipe};
use crate::golden::util::fifo::RamFifo;
use crate::golden::util::skid::Skid;
use crate::ports::Golden;
use crate::streams::{AckTelemetry, Decision, FlowCommand, ReadyPort};
use nic_spec::NicConfig;

/// Cycles between two starts of the same flow, at least.
pub const SAME_FLOW_CYCLES: u64 = 61;
/// Cycles from the start to the cycle in which the result enters the output FIFO.
pub const FLIGHT_CYCLES: usize = 61;
/// Cycles from the start to that in which W_ai is added.
pub const W_AI_CYCLES: usize = 50;
/// Cycles from there on.
const REST_CYCLES: usize = FLIGHT_CYCLES - W_AI_CYCLES;
/// Stages until then.
const W_AI_STAGES: usize = W_AI_CYCLES + 1;
/// Cycles from the start of an ACK of a PSN that was never sent to its event.
pub const PSN_CYCLES: usize = 4;
/// Cycles from the start of an ACK with a bad hop to its event.
pub const HOP_CYCLES: usize = 8;
/// Results that the output FIFO holds.
pub const RESULT_DEPTH: usize = 128;
/// With so many results in it nothing starts: those under way must find room.
pub const RESULTS_MAX: usize = 64;

/// An event on its way to its start.
#[derive(Clone, Copy, Debug)]
enum Event {
    Ack(AckTelemetry),
    Flow(FlowCommand),
}

impl Default for Event {
    fn default() -> Self {
        Self::Ack(AckTelemetry::default())
    }
}

impl Event {
    fn flow(&self) -> usize {
        match self {
            Self::Ack(ack) => ack.flow.into(),
            Self::Flow(command) => command.flow.into(),
        }
    }
}

/// The unit.
#[derive(Clone, Debug)]
pub struct CcUnitWide {
    flows: Vec<FlowState>,
    /// First cycle in which an event of the flow may start.
    free_at: Vec<u64>,
    cycle: u64,
    /// Cycles of clearing that are left, and one in which the sinks open.
    scrub_left: usize,
    skid: Skid<Event>,
    flow: Option<FlowCommand>,
    head: Option<Event>,
    room: bool,
    /// Until W_ai is added.
    in_flight: Pipe<Option<(Decision, Option<Taken>)>, W_AI_STAGES>,
    with_w_ai: Pipe<Option<Decision>, REST_CYCLES>,
    psn_events: Pipe<bool, PSN_CYCLES>,
    hop_events: Pipe<Option<Ignored>, HOP_CYCLES>,
    events: CcEvents,
    /// What enters the FIFO in the coming step.
    done: Option<Decision>,
    results: RamFifo<Decision>,
}

impl CcUnitWide {
    /// The unit of a NIC of these sizes.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            flows: vec![FlowState::default(); config.flow_count],
            free_at: vec![0; config.flow_count],
            cycle: 0,
            scrub_left: config.flow_count + 1,
            skid: Skid::default(),
            flow: None,
            head: None,
            room: false,
            in_flight: Pipe::default(),
            with_w_ai: Pipe::default(),
            psn_events: Pipe::default(),
            hop_events: Pipe::default(),
            events: CcEvents::default(),
            done: None,
            results: RamFifo::new(RESULT_DEPTH),
        }
    }

    fn is_open(&self) -> bool {
        self.scrub_left == 0
    }

    fn ack_ready(&self) -> bool {
        self.is_open() && self.skid.s_ready() && self.flow.is_none()
    }

    fn flow_ready(&self) -> bool {
        self.is_open() && self.flow.is_none()
    }

    fn reset(&mut self) {
        self.flows.fill(FlowState::default());
        self.free_at.fill(0);
        self.cycle = 0;
        self.scrub_left = self.flows.len() + 1;
        self.skid.step(true, None, false);
        (self.flow, self.head, self.done) = (None, None, None);
        self.in_flight.step(true, None);
        self.with_w_ai.step(true, None);
        self.psn_events.step(true, false);
        self.hop_events.step(true, None);
        self.events = CcEvents::default();
        self.results.step(true, None, false);
    }

    /// Carries the head out, if it may start; what it tells, if anything, and why its telemetry is
    /// ignored, if it is.
    fn start(&mut self, cfg: &CcCfg) -> (Option<(Decision, Option<Taken>)>, Option<Ignored>) {
        let may_start = |e: &Event| self.room && self.cycle >= self.free_at[e.flow()];
        let Some(event) = self.head.filter(may_start) else { return (None, None) };
        self.head = None;
        self.free_at[event.flow()] = self.cycle + SAME_FLOW_CYCLES;
        let state = &mut self.flows[event.flow()];
        match event {
            Event::Ack(ack) => {
                let taken = Taken::new(state, cfg, &ack);
                let answer = state.new_ack(cfg, &ack);
                (answer.ok().flatten().map(|rate| (rate, Some(taken))), answer.err())
            }
            Event::Flow(command) => (Some((state.command(cfg, &command), None)), None),
        }
    }
}

impl Golden for CcUnitWide {
    type In = CcUnitIn;
    type Out = CcUnitOut;

    fn step(&mut self, i: &CcUnitIn) -> CcUnitOut {
        if i.reset {
            self.reset();
        } else {
            let offered_ack = (i.s_ack.valid && self.ack_ready()).then_some(i.s_ack);
            let offered_flow = (i.s_flow.valid && self.flow_ready()).then_some(i.s_flow);
            let (result, ignored) = self.start(&i.cfg);
            let never_sent = ignored == Some(Ignored::Psn);
            let bad_hop = self.hop_events.step(false, ignored.filter(|_| !never_sent));
            let psn = self.psn_events.step(false, never_sent);
            self.events = CcEvents { psn, ..CcEvents::of(bad_hop) };
            let is_free = self.head.is_none();
            if is_free {
                self.head = self.skid.m_valid().then(|| self.skid.m_data());
            }
            let enters = self.skid.s_ready();
            let offered = self.flow.map(Event::Flow).or(offered_ack.map(Event::Ack));
            self.skid.step(false, offered, is_free);
            self.flow = self.flow.filter(|_| !enters).or(offered_flow);
            debug_assert!(self.done.is_none() || self.results.s_ready());
            self.room = self.results.count() < RESULTS_MAX;
            self.results.step(false, self.done, i.m_rate.ready);
            let rate = self.in_flight.step(false, result).map(|(rate, ack)| match ack {
                Some(ack) => ack.add(&mut self.flows, i.cfg.w_ai, rate),
                None => rate,
            });
            self.done = self.with_w_ai.step(false, rate);
            self.cycle += 1;
            self.scrub_left = self.scrub_left.saturating_sub(1);
        }
        CcUnitOut {
            s_ack: ReadyPort { ready: self.ack_ready() },
            s_flow: ReadyPort { ready: self.flow_ready() },
            m_rate: Decision { valid: self.results.m_valid(), ..self.results.m_data() },
            event_cc: self.events,
        }
    }
}
