//! Twin of `hdl/src/transport/probe_out.rs`: which queue pair sends a probe, and when.

use super::feedback::input::RowWatch;
use crate::events::ProbeEvents;
use crate::ports;
use crate::ports::Golden;
use crate::streams::{self, Probe, ReadyPort};
use nic_spec::config::NicConfig;

/// Turns of a queue pair after which a probe without an answer is lost.
const LOST_TURNS: u32 = 4;
/// The place of a flow with nothing in flight, among what has been seen.
const QUIET: usize = 3;

ports! {
    /// Packets on their way out; top bit of the flow: READ responses.
    pub struct DataWatch {
        pub valid: bool,
        pub ready: bool,
        pub flow: u16,
        pub psn: u32,
        pub payload_bytes: u16,
        pub bare: bool,
    }
}
ports! {
    /// Bytes in flight on their way to the scheduler, with work or without.
    pub struct InflightWatch {
        pub valid: bool,
        pub ready: bool,
        pub flow: u16,
        pub bytes: u32,
    }
}
ports! {
    /// Inputs.
    pub struct ProbeOutIn {
        pub reset: bool,
        pub cfg_probe_cycles: u32,
        pub row: RowWatch,
        pub cfg_index: u16,
        pub sent: DataWatch,
        pub inflight: InflightWatch,
        pub answer: streams::FlowPulse,
        pub m_probe: ReadyPort,
    }
}
ports! {
    /// Outputs.
    pub struct ProbeOutOut {
        pub m_probe: Probe,
        pub event_probe: ProbeEvents,
    }
}

/// What is known of a queue pair.
#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    /// PSN of the latest data packet.
    psn: u32,
    /// Data have been sent since the last probe, and not all is acknowledged.
    is_new: bool,
    /// Turns since the probe that has no answer.
    open_turns: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Sent(usize),
    Quiet(usize),
    Answered(usize),
    Forget(usize),
    /// A turn, and the PSN of the latest data packet.
    Turn(usize, u32),
}

/// The block.
#[derive(Clone, Debug)]
pub struct ProbeOut {
    flows: Vec<Flow>,
    /// Rows still to be cleared after reset.
    clears: usize,
    /// What has been seen and not noted: a packet, an answer, a row, all acknowledged.
    seen: [Option<usize>; 4],
    op: Option<Op>,
    /// The queue pair that has its turn next.
    at: usize,
    /// Cycles since the last turn, until the next one is due.
    elapsed: u32,
    is_time: bool,
    out: ProbeOutOut,
}

impl ProbeOut {
    /// For the flows of `config`.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            flows: vec![Flow::default(); config.flow_count],
            clears: config.flow_count,
            seen: [None; 4],
            op: None,
            at: 0,
            elapsed: 0,
            is_time: false,
            out: ProbeOutOut::default(),
        }
    }

    /// The data packet that is sent in this cycle, if it goes without telemetry and has payload.
    fn sent(&self, i: &ProbeOutIn) -> Option<usize> {
        let (p, flow) = (&i.sent, usize::from(i.sent.flow));
        let counts = p.valid && p.ready && p.bare && p.payload_bytes > 0;
        (counts && flow < self.flows.len()).then_some(flow)
    }

    /// Carries out an operation.
    fn act(&mut self, op: Op) {
        match op {
            Op::Sent(at) => self.flows[at].is_new = true,
            Op::Quiet(at) => self.flows[at].is_new = false,
            Op::Answered(at) => self.flows[at].open_turns = None,
            Op::Forget(at) => {
                (self.flows[at].is_new, self.flows[at].open_turns) = (false, None);
            }
            Op::Turn(at, psn) => {
                let flow = &mut self.flows[at];
                flow.open_turns = flow.open_turns.map(|turns| turns + 1);
                if flow.open_turns == Some(LOST_TURNS) {
                    flow.open_turns = None;
                    self.out.event_probe.lost = true;
                }
                if flow.is_new && flow.open_turns.is_none() {
                    (flow.is_new, flow.open_turns) = (false, Some(0));
                    self.out.m_probe = Probe { valid: true, flow: at as u16, psn };
                }
            }
        }
    }

    /// The operation of the next cycle.
    fn choose(&mut self, period: u32, sends: bool, is_free: bool) -> Option<Op> {
        if self.clears > 0 {
            self.clears -= 1;
            return Some(Op::Forget(self.flows.len() - 1 - self.clears));
        }
        let ops = [Op::Sent, Op::Answered, Op::Forget, Op::Quiet];
        if let Some(first) = self.seen.iter().position(Option::is_some) {
            return self.seen[first].take().map(ops[first]);
        }
        if !self.is_time || period == 0 || !is_free || sends {
            return None;
        }
        let at = self.at;
        self.at = (at + 1) % self.flows.len();
        Some(Op::Turn(at, self.flows[at].psn))
    }

    /// Of two flows with nothing in flight the older one, if it still waits, is forgotten.
    fn note(&mut self, place: usize, flow: usize) {
        let is_free = place == QUIET || self.seen[place].is_none();
        assert!(is_free, "what is watched ({place}) comes too fast");
        self.seen[place] = Some(flow);
    }
}

impl Golden for ProbeOut {
    type In = ProbeOutIn;
    type Out = ProbeOutOut;

    fn step(&mut self, i: &ProbeOutIn) -> ProbeOutOut {
        let flow_count = self.flows.len();
        if i.reset {
            self.flows.fill(Flow::default());
            (self.clears, self.seen, self.op) = (flow_count, [None; 4], None);
            (self.at, self.elapsed, self.is_time) = (0, 0, false);
            self.out = ProbeOutOut::default();
            return self.out;
        }
        let (was_clearing, is_free) = (self.clears > 0, !self.out.m_probe.valid);
        let sent = self.sent(i);
        let leaves = !is_free && i.m_probe.ready;
        self.out.m_probe.valid &= !i.m_probe.ready;
        self.out.event_probe = ProbeEvents { sent: leaves, lost: false };
        let period = i.cfg_probe_cycles / flow_count as u32;
        let next = self.choose(period, sent.is_some(), is_free);
        if let Some(op) = core::mem::replace(&mut self.op, next) {
            self.act(op);
        }
        let due = self.elapsed + 1 >= period;
        if matches!(next, Some(Op::Turn(..))) {
            (self.elapsed, self.is_time) = (1, false);
        } else {
            self.elapsed += u32::from(!self.is_time);
            self.is_time = due;
        }
        if let Some(at) = sent {
            self.flows[at].psn = i.sent.psn;
        }
        if was_clearing {
            return self.out;
        }
        let quiet = i.inflight.valid && i.inflight.ready && i.inflight.bytes == 0;
        let row = i.row.valid && i.row.ready;
        let flow_at = |index: u16| usize::from(index) % flow_count;
        for (place, flow) in [
            (0, sent),
            (1, i.answer.valid.then(|| flow_at(i.answer.flow))),
            (2, row.then(|| flow_at(i.cfg_index))),
            (QUIET, quiet.then(|| flow_at(i.inflight.flow))),
        ] {
            if let Some(flow) = flow {
                self.note(place, flow);
            }
        }
        self.out
    }
}
