//! Twin of `hdl/src/cc/unit.rs`: HPCC++ NewAck for every flow.
//!
//! Every [`SLOT_CYCLES`] one ACK or flow command may start; its result leaves [`FLIGHT_CYCLES`]
//! later. A start waits while its flow is under way or the results might find no room. W_ai may
//! change at any time: it is that of [`W_AI_SLOT`] and [`W_AI_PHASE`].

pub use super::flow_state::{FlowState, Ignored, NO_HOP, OP_CREATE, OP_REMOVE, OP_UPDATE};
use crate::events::CcEvents;
use crate::golden::cc::CcCfg;
use crate::golden::util::fifo::LutFifo;
use crate::ports;
use crate::ports::Golden;
use crate::streams::{AckTelemetry, Decision, FlowCommand, ReadyPort};
use nic_spec::cc_params::CcParams;
use nic_spec::NicConfig;

/// Cycles between two starts.
pub const SLOT_CYCLES: usize = 8;
/// Slots from the start of a flow's ACK to the next start of that flow.
pub const FLIGHT_SLOTS: usize = 7;
/// Cycles from the start to the cycle in which the result enters the output FIFO.
pub const FLIGHT_CYCLES: usize = 50;
/// Slot in which the telemetry is judged.
const JUDGED_SLOT: usize = 3;
/// Phase of that slot.
const JUDGED_PHASE: usize = 3;
/// Slot in which W_ai is added.
const W_AI_SLOT: usize = 5;
/// Phase of that slot.
const W_AI_PHASE: usize = 1;
/// Results that the output FIFO holds.
pub const RESULT_DEPTH: usize = 16;

ports! {
    /// Inputs.
    pub struct CcUnitIn {
        pub reset: bool,
        pub cfg: CcCfg,
        pub s_ack: AckTelemetry,
        pub s_flow: FlowCommand,
        pub m_rate: ReadyPort,
    }
}

impl CcEvents {
    /// The event of `ignored`.
    pub fn of(ignored: Option<Ignored>) -> Self {
        let is = |reason| ignored == Some(reason);
        Self {
            psn: is(Ignored::Psn),
            time: is(Ignored::Time),
            bytes: is(Ignored::Bytes),
            queue: is(Ignored::Queue),
        }
    }
}

ports! {
    /// Outputs.
    pub struct CcUnitOut {
        pub s_ack: ReadyPort,
        pub s_flow: ReadyPort,
        pub m_rate: Decision,
        pub event_cc: CcEvents,
    }
}

/// What waits for its start.
#[derive(Clone, Copy, Debug)]
enum Candidate {
    Ack(u16),
    Flow(u16),
}

/// What has started and is under way.
#[derive(Clone, Copy, Debug)]
struct Start {
    flow: u16,
    /// `None`: its telemetry is ignored.
    result: Option<Decision>,
    ignored: Option<Ignored>,
    /// An ACK.
    ack: Option<Taken>,
}

/// An ACK that has started, and with what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taken {
    before: FlowState,
    cfg: CcCfg,
    ack: AckTelemetry,
}

impl Taken {
    /// `ack`, which starts with this state and these parameters.
    pub fn new(before: &FlowState, cfg: &CcCfg, ack: &AckTelemetry) -> Self {
        Self { before: *before, cfg: *cfg, ack: *ack }
    }

    /// Its result, and the state of its flow after it, by the W_ai of later.
    pub fn add(&self, flows: &mut [FlowState], w_ai: u32, result: Decision) -> Decision {
        if w_ai == self.cfg.w_ai {
            return result;
        }
        let state = &mut flows[usize::from(self.ack.flow)];
        *state = self.before;
        let answer = state.new_ack(&CcCfg { w_ai, ..self.cfg }, &self.ack);
        answer.ok().flatten().expect("it had a result before")
    }
}

/// The unit.
#[derive(Clone, Debug)]
pub struct CcUnit {
    flows: Vec<FlowState>,
    scrub_left: usize,
    phase: usize,
    ack_ready: bool,
    flow_ready: bool,
    ack: Option<AckTelemetry>,
    flow: Option<FlowCommand>,
    candidate: Option<Candidate>,
    go: bool,
    /// By the slot in which they started, youngest first.
    slots: [Option<Start>; FLIGHT_SLOTS],
    /// An ACK of a PSN that was never sent has started in the youngest slot.
    never_sent: bool,
    events: CcEvents,
    results: LutFifo<Decision>,
}

impl CcUnit {
    /// The unit of a NIC of these sizes.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            flows: vec![FlowState::default(); config.flow_count],
            scrub_left: config.flow_count,
            phase: 0,
            ack_ready: false,
            flow_ready: false,
            ack: None,
            flow: None,
            candidate: None,
            go: false,
            slots: [None; FLIGHT_SLOTS],
            never_sent: false,
            events: CcEvents::default(),
            results: LutFifo::new(RESULT_DEPTH),
        }
    }

    /// State of `flow`, that of an ACK under way included.
    pub fn flow_state(&self, flow: u16) -> &FlowState {
        &self.flows[usize::from(flow)]
    }

    /// Parameters as the unit's inputs.
    pub fn cfg(params: CcParams) -> CcCfg {
        params.into()
    }

    fn reset(&mut self) {
        self.flows.fill(FlowState::default());
        self.scrub_left = self.flows.len();
        (self.phase, self.go) = (0, false);
        (self.ack_ready, self.flow_ready) = (false, false);
        (self.ack, self.flow, self.candidate) = (None, None, None);
        self.slots = [None; FLIGHT_SLOTS];
        (self.never_sent, self.events) = (false, CcEvents::default());
        self.results.step(true, None, false);
    }

    /// What the phase of the slot brings.
    fn advance(&mut self, cfg: &CcCfg) {
        self.events = CcEvents::default();
        match self.phase {
            W_AI_PHASE => {
                if let Some(Start { ack: Some(ack), result: Some(rate), .. }) =
                    &mut self.slots[W_AI_SLOT]
                {
                    *rate = ack.add(&mut self.flows, cfg.w_ai, *rate);
                }
            }
            2 => {
                self.events.psn = std::mem::take(&mut self.never_sent);
            }
            JUDGED_PHASE => {
                self.events = CcEvents::of(self.slots[JUDGED_SLOT].and_then(|s| s.ignored));
            }
            5 => {
                let flow = self.flow.map(|c| Candidate::Flow(c.flow));
                self.candidate = flow.or(self.ack.map(|a| Candidate::Ack(a.flow)));
            }
            6 => {
                self.go = self.candidate.is_some_and(|candidate| {
                    let (Candidate::Ack(flow) | Candidate::Flow(flow)) = candidate;
                    let young = &self.slots[..FLIGHT_SLOTS - 1];
                    let is_under_way = young.iter().flatten().any(|r| r.flow == flow);
                    !is_under_way && self.results.count() < RESULT_DEPTH - FLIGHT_SLOTS
                });
            }
            7 => {
                self.slots.rotate_right(1);
                self.slots[0] = if self.go { self.start(cfg) } else { None };
            }
            _ => {}
        }
        self.phase = (self.phase + 1) % SLOT_CYCLES;
    }

    fn start(&mut self, cfg: &CcCfg) -> Option<Start> {
        match self.candidate? {
            Candidate::Ack(flow) => {
                self.ack_ready = true;
                let ack = self.ack.take()?;
                let state = &mut self.flows[usize::from(flow)];
                let taken = Some(Taken::new(state, cfg, &ack));
                match state.new_ack(cfg, &ack) {
                    Ok(None) => None,
                    Ok(result) => Some(Start { flow, result, ignored: None, ack: taken }),
                    Err(Ignored::Psn) => {
                        self.never_sent = true;
                        None
                    }
                    Err(ignored) => {
                        Some(Start { flow, result: None, ignored: Some(ignored), ack: None })
                    }
                }
            }
            Candidate::Flow(flow) => {
                self.flow_ready = true;
                let command = self.flow.take()?;
                let result = Some(self.flows[usize::from(flow)].command(cfg, &command));
                Some(Start { flow, result, ignored: None, ack: None })
            }
        }
    }
}

impl Golden for CcUnit {
    type In = CcUnitIn;
    type Out = CcUnitOut;

    fn step(&mut self, i: &CcUnitIn) -> CcUnitOut {
        if i.reset {
            self.reset();
        } else {
            let taken_ack = (i.s_ack.valid && self.ack_ready).then_some(i.s_ack);
            let taken_flow = (i.s_flow.valid && self.flow_ready).then_some(i.s_flow);
            let ends = self.phase == FLIGHT_CYCLES % SLOT_CYCLES;
            let oldest = self.slots[FLIGHT_CYCLES / SLOT_CYCLES].filter(|_| ends);
            let result = oldest.and_then(|start| start.result);
            let count_before = self.results.count();
            debug_assert!(result.is_none() || count_before < RESULT_DEPTH);
            self.advance(&i.cfg);
            self.results.step(false, result, i.m_rate.ready);
            if let Some(ack) = taken_ack {
                (self.ack, self.ack_ready) = (Some(ack), false);
            }
            if let Some(flow) = taken_flow {
                (self.flow, self.flow_ready) = (Some(flow), false);
            }
            if self.scrub_left > 0 {
                self.scrub_left -= 1;
                if self.scrub_left == 0 {
                    (self.ack_ready, self.flow_ready) = (true, true);
                }
            }
        }
        CcUnitOut {
            s_ack: ReadyPort { ready: self.ack_ready },
            s_flow: ReadyPort { ready: self.flow_ready },
            m_rate: Decision { valid: self.results.m_valid(), ..self.results.m_data() },
            event_cc: self.events,
        }
    }
}
