//! Twin of `hdl/src/cc/wide/unit.rs`: HPCC++ NewAck for every flow, an ACK a cycle.
//!
//! In each cycle one event may start; its result is ready [`FLIGHT_CYCLES`] later. Of the ACKs that
//! come while their flow is under way the newest waits, and starts [`AGAIN_CYCLES`] after the one
//! before it. W_ai may change at any time: it is that of [`W_AI_CYCLES`] after the start.

use crate::events::CcEvents;
use crate::golden::cc::flow_state::{FlowState, Ignored};
use crate::golden::cc::unit::{CcUnitIn, CcUnitOut, Taken};
use crate::golden::cc::{CcCfg, Pipe};
use crate::golden::util::fifo::RamFifo;
use crate::ports::Golden;
use crate::streams::{AckTelemetry, Decision, FlowCommand, ReadyPort};
use nic_spec::NicConfig;
use std::collections::VecDeque;

/// Cycles between two starts of the same flow, at least.
pub const SAME_FLOW_CYCLES: u64 = 48;
/// Cycles from the start of a flow to that of the ACK that has waited for it.
pub const AGAIN_CYCLES: u64 = 51;
/// Cycles that an ACK is looked for and led to its start, when it has waited.
const AGAIN_LEAD_CYCLES: u64 = 3;
/// Cycles from the start to the cycle in which the result enters the output FIFO.
pub const FLIGHT_CYCLES: usize = 47;
/// Cycles from the start to that in which W_ai is added.
pub const W_AI_CYCLES: usize = 38;
/// Cycles from there on.
const REST_CYCLES: usize = FLIGHT_CYCLES - W_AI_CYCLES;
/// Stages until then.
const W_AI_STAGES: usize = W_AI_CYCLES + 1;
/// Cycles from the start of an ACK of a PSN that was never sent to its event.
pub const PSN_CYCLES: usize = 4;
/// Cycles from the start of an ACK with a bad hop to its event.
pub const HOP_CYCLES: usize = 8;
/// Results that the output FIFO holds.
pub const RESULT_DEPTH: usize = 256;
/// With so many results in it no ACK enters: those under way, and those that wait for them, must
/// find room.
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

/// What is looked for among the flows under way, and a cycle later may start.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    event: Event,
    /// It has waited.
    again: bool,
    /// Found under way: it may not start.
    is_hit: bool,
    /// A command waits for its flow: it is of the flow of before.
    is_void: bool,
}

impl Candidate {
    fn new(event: Event, again: bool) -> Self {
        Self { event, again, is_hit: false, is_void: false }
    }

    fn is_command(&self) -> bool {
        matches!(self.event, Event::Flow(_))
    }

    fn starts(&self) -> bool {
        !self.is_hit && !self.is_void
    }
}

/// An event under way, and the newest ACK that waits for its end.
#[derive(Clone, Copy, Debug)]
struct Flight {
    flow: usize,
    start: u64,
    waits: Option<AckTelemetry>,
}

/// Flows under way, oldest first.
#[derive(Clone, Debug, Default)]
struct Intake {
    flights: VecDeque<Flight>,
    look: Option<Candidate>,
    head: Option<Candidate>,
    again: Option<AckTelemetry>,
}

impl Intake {
    /// The flight that keeps an event of `flow` from starting in the next cycle.
    fn holds(&mut self, flow: usize, cycle: u64) -> Option<&mut Flight> {
        let is_near = |f: &&mut Flight| f.flow == flow && cycle + 1 < f.start + SAME_FLOW_CYCLES;
        self.flights.iter_mut().rev().find(is_near)
    }

    /// A cycle; what starts in it, and whether the place behind takes an event of its own.
    fn step(&mut self, cycle: u64, command: Option<&FlowCommand>) -> Option<Event> {
        let head = self.head.take();
        let started = head.filter(Candidate::starts).map(|c| c.event);
        if let (
            None,
            Some(Candidate { event: Event::Ack(ack), again: false, is_void: false, .. }),
        ) = (started, head)
        {
            // It was looked for a cycle ago.
            let flight = self.holds(ack.flow.into(), cycle - 1);
            flight.expect("it was found under way").waits = Some(ack);
        }
        self.again = None;
        if self.flights.front().is_some_and(|f| cycle == f.start + AGAIN_CYCLES - AGAIN_LEAD_CYCLES)
        {
            self.again = self.flights.pop_front().expect("one is there").waits;
        }
        if let Some(event) = started {
            self.flights.push_back(Flight { flow: event.flow(), start: cycle, waits: None });
        }
        if let Some(mut look) = self.look.take() {
            let flow = look.event.flow();
            let command = command.filter(|_| !matches!(started, Some(Event::Flow(_))));
            let of_before = command.is_some_and(|c| usize::from(c.flow) == flow);
            look.is_void = of_before && !look.is_command();
            look.is_hit = self.holds(flow, cycle).is_some();
            self.head = Some(look);
        }
        started
    }
}

/// The unit.
#[derive(Clone, Debug)]
pub struct CcUnitWide {
    flows: Vec<FlowState>,
    cycle: u64,
    /// Cycles of clearing that are left, and one in which the sinks open.
    scrub_left: usize,
    /// It may not enter yet.
    held: Option<AckTelemetry>,
    flow: Option<FlowCommand>,
    intake: Intake,
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
            cycle: 0,
            scrub_left: config.flow_count + 1,
            held: None,
            flow: None,
            intake: Intake::default(),
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
        self.is_open() && self.held.is_none()
    }

    fn flow_ready(&self) -> bool {
        self.is_open() && self.flow.is_none()
    }

    fn reset(&mut self) {
        self.flows.fill(FlowState::default());
        self.cycle = 0;
        self.scrub_left = self.flows.len() + 1;
        self.held = None;
        (self.flow, self.done, self.intake) = (None, None, Intake::default());
        self.room = false;
        self.in_flight.step(true, None);
        self.with_w_ai.step(true, None);
        self.psn_events.step(true, false);
        self.hop_events.step(true, None);
        self.events = CcEvents::default();
        self.results.step(true, None, false);
    }

    /// Carries an event out; what it tells, if anything, and why its telemetry is ignored, if it is.
    fn start(
        &mut self,
        cfg: &CcCfg,
        event: Event,
    ) -> (Option<(Decision, Option<Taken>)>, Option<Ignored>) {
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

    /// What starts in this cycle, and what is looked for in the next one.
    fn enter(&mut self, offered: Option<AckTelemetry>) -> Option<Event> {
        let is_command = |c: Option<Candidate>| c.is_some_and(|c| c.is_command());
        let is_tried = is_command(self.intake.look) || is_command(self.intake.head);
        let again = self.intake.again.map(|ack| Candidate::new(Event::Ack(ack), true));
        let tries = self.flow.filter(|_| !is_tried && self.room);
        let command = tries.map(|c| Candidate::new(Event::Flow(c), false));
        let started = self.intake.step(self.cycle, self.flow.as_ref());
        if let Some(Event::Flow(_)) = started {
            self.flow = None;
        }
        let enters = self.room && again.is_none() && command.is_none();
        let waiting = self.held.or(offered);
        let (next, held) = if enters { (waiting, None) } else { (None, waiting) };
        self.held = held;
        let ack = next.map(|ack| Candidate::new(Event::Ack(ack), false));
        self.intake.look = again.or(command).or(ack);
        started
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
            let started = self.enter(offered_ack.filter(|ack| ack.tel.valid));
            self.flow = self.flow.or(offered_flow);
            let (result, ignored) = match started {
                Some(event) => self.start(&i.cfg, event),
                None => (None, None),
            };
            let never_sent = ignored == Some(Ignored::Psn);
            let bad_hop = self.hop_events.step(false, ignored.filter(|_| !never_sent));
            let psn = self.psn_events.step(false, never_sent);
            self.events = CcEvents { psn, ..CcEvents::of(bad_hop) };
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
