//! Twin of `hdl/src/cc/serial/unit.rs`: HPCC++ NewAck for every flow, one event at a time.
//!
//! An event stays offered until it is taken, at its end. How long it takes follows from what it is and
//! from its hops; a result that is not taken holds up the next one, just before that would be shown.
//! W_ai may change at any time: it is that of [`W_AI_CYCLES`] before the end.

use crate::events::CcEvents;
use crate::golden::cc::flow_state::{FlowState, Ignored};
use crate::golden::cc::unit::{CcUnitIn, CcUnitOut, Taken};
use crate::golden::cc::CcCfg;
use crate::ports::Golden;
use crate::streams::{AckTelemetry, Decision, ReadyPort};
use nic_spec::NicConfig;

/// Cycles from the first one of an ACK that has no result, because it is no flow's that adapts or is
/// of a PSN that was never sent, to that in which it is taken.
pub const DROP_CYCLES: u32 = 42;
/// The same of an ACK whose records of one hop are bad.
pub const BAD_CYCLES: u32 = 41;
/// The same of an ACK without usable records.
pub const HOLD_CYCLES: u32 = 145;
/// The same of an ACK whose records are only stored, less [`STORE_CYCLES`] for each.
pub const FIRST_CYCLES: u32 = 145;
/// Cycles to store the record of a hop.
pub const STORE_CYCLES: u32 = 6;
/// The same of an update, less [`HOP_CYCLES`] for each hop.
pub const UPDATE_CYCLES: u32 = 397;
/// Cycles for u' of a hop.
pub const HOP_CYCLES: u32 = 211;
/// The same of a flow command.
pub const COMMAND_CYCLES: u32 = 106;
/// Cycles from that in which an update reads W_ai to its end.
const W_AI_CYCLES: u32 = 102;
/// At the end of which the words of a result replace those of the result before, which must be gone.
const SHOW_CYCLES: u32 = 10;

/// How an event ends.
#[derive(Clone, Copy, Debug)]
enum End {
    Result(Decision),
    Ignored(Ignored),
    Nothing,
}

/// What is carried out.
#[derive(Clone, Copy, Debug)]
struct Work {
    is_command: bool,
    /// Cycles until it is taken.
    left: u32,
    end: End,
    /// An ACK.
    ack: Option<Taken>,
}

/// The unit.
#[derive(Clone, Debug)]
pub struct CcUnitSerial {
    flows: Vec<FlowState>,
    scrub_left: usize,
    work: Option<Work>,
    /// The event is taken in this cycle.
    taken: Option<Work>,
    result: Option<Decision>,
}

impl CcUnitSerial {
    /// The unit of a NIC of these sizes.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            flows: vec![FlowState::default(); config.flow_count],
            scrub_left: config.flow_count,
            work: None,
            taken: None,
            result: None,
        }
    }

    fn reset(&mut self) {
        self.flows.fill(FlowState::default());
        self.scrub_left = self.flows.len();
        (self.work, self.taken, self.result) = (None, None, None);
    }

    fn ack(&mut self, cfg: &CcCfg, ack: &AckTelemetry) -> Work {
        let state = &mut self.flows[usize::from(ack.flow)];
        let hops = u32::from(ack.tel.hops);
        let taken = Some(Taken::new(state, cfg, ack));
        let (left, end) = match state.new_ack(cfg, ack) {
            Err(Ignored::Psn) => (DROP_CYCLES, End::Ignored(Ignored::Psn)),
            Err(reason) => (BAD_CYCLES + HOP_CYCLES * hops, End::Ignored(reason)),
            Ok(None) => (DROP_CYCLES, End::Nothing),
            Ok(Some(rate)) => {
                let cycles = match hops {
                    1..=5 if rate.first => FIRST_CYCLES + STORE_CYCLES * hops,
                    1..=5 => UPDATE_CYCLES + HOP_CYCLES * hops,
                    _ => HOLD_CYCLES,
                };
                (cycles, End::Result(rate))
            }
        };
        Work { is_command: false, left, end, ack: taken }
    }

    /// What is offered, a command before an ACK.
    fn begin(&mut self, i: &CcUnitIn) -> Option<Work> {
        if i.s_flow.valid {
            let end =
                End::Result(self.flows[usize::from(i.s_flow.flow)].command(&i.cfg, &i.s_flow));
            return Some(Work { is_command: true, left: COMMAND_CYCLES, end, ack: None });
        }
        i.s_ack.valid.then(|| self.ack(&i.cfg, &i.s_ack))
    }
}

impl Golden for CcUnitSerial {
    type In = CcUnitIn;
    type Out = CcUnitOut;

    fn step(&mut self, i: &CcUnitIn) -> CcUnitOut {
        let result_waits = self.result.is_some();
        let was_taken = self.taken.take().is_some();
        if i.reset {
            self.reset();
        } else if self.scrub_left > 0 {
            self.scrub_left -= 1;
        } else {
            if i.m_rate.ready {
                self.result = None;
            }
            if self.work.is_none() && !was_taken {
                self.work = self.begin(i);
            }
            if let Some(work) = &mut self.work {
                if let (End::Result(rate), Some(ack), W_AI_CYCLES) = (work.end, work.ack, work.left)
                {
                    work.end = End::Result(ack.add(&mut self.flows, i.cfg.w_ai, rate));
                }
                let shows = matches!(work.end, End::Result(_));
                if !(shows && work.left == SHOW_CYCLES && result_waits) {
                    work.left -= 1;
                }
                if work.left == 0 {
                    self.taken = self.work.take();
                }
            }
            if let Some(Work { end: End::Result(rate), .. }) = self.taken {
                self.result = Some(rate);
            }
        }
        let taken = |command: bool| ReadyPort {
            ready: self.taken.is_some_and(|work| work.is_command == command),
        };
        let ignored = match self.taken {
            Some(Work { end: End::Ignored(reason), .. }) => Some(reason),
            _ => None,
        };
        CcUnitOut {
            s_ack: taken(false),
            s_flow: taken(true),
            m_rate: self.result.unwrap_or_default(),
            event_cc: CcEvents::of(ignored),
        }
    }
}
