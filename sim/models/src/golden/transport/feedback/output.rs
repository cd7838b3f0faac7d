//! Twin of `hdl/src/transport/feedback/output.rs`: the newest telemetry of each queue pair's READ
//! responses, and when it may go back; and answers to probes.

use crate::golden::transport::requester::ValidPort;
use crate::golden::util::fifo::LutFifo;
use crate::ports;
use crate::ports::{Golden, Wide};
use crate::starts::{Starts, SOON_CYCLES};
use crate::streams::{back, FeedbackPacket, ReadyPort, Telemetry};
use nic_spec::config::NicConfig;
use nic_spec::rows::QpRow;
use nic_spec::wire::bth::opcode;

/// Cycles that a READ response or probe is looked up.
const LOOK_CYCLES: u32 = 3;
/// Answers to probes that can wait for the tx pipe.
const ANSWERS: usize = 16;

ports! {
    /// Answers on their way to the requester.
    pub struct WatchPorts {
        pub valid: bool,
        /// The requester takes it.
        pub ready: bool,
        pub opcode: u8,
        pub qpn: u32,
        pub psn: u32,
        pub src_ip: u32,
        pub tel: Telemetry,
    }
}
ports! {
    /// Inputs.
    pub struct FeedbackOutIn {
        pub reset: bool,
        pub cfg_feedback_cycles: u32,
        pub s_cfg: ValidPort,
        pub cfg_index: u16,
        pub cfg_row: Wide<8>,
        pub m_cfg: ReadyPort,
        pub watch: WatchPorts,
        /// A probe with telemetry stands, and the watched fields are its.
        pub s_probe: ValidPort,
        pub m_feedback: ReadyPort,
    }
}
ports! {
    /// Outputs.
    pub struct FeedbackOutOut {
        pub s_cfg: ReadyPort,
        pub m_cfg: ValidPort,
        pub s_probe: back::ProbeOffer,
        pub m_feedback: FeedbackPacket,
    }
}

/// What a READ response or probe brought.
#[derive(Clone, Copy, Debug, Default)]
struct Stack {
    psn: u32,
    tel: Telemetry,
}

#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    row: QpRow,
    /// What is to be sent.
    newest: Option<Stack>,
    /// It stands in the queue, at the output, or among those that wait.
    is_busy: bool,
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Arrive,
    Cfg,
    Expire,
    Load,
    Answer,
}

/// The block.
#[derive(Clone, Debug)]
pub struct FeedbackOut {
    flows: Vec<Flow>,
    /// Cycles of clearing that are left.
    scrub_left: usize,
    /// The READ response or probe that is looked up: what it is, and cycles left.
    held: Option<(WatchPorts, u32)>,
    /// It is a probe.
    is_probe: bool,
    /// The answer that joins those that wait in the next cycle.
    answers_next: Option<(u16, Stack)>,
    answers: LutFifo<(u16, Stack)>,
    /// A row stood in the cycle before.
    row_waits: bool,
    op: Option<Op>,
    /// The flow that joins the queue in the next cycle.
    joins: Option<u16>,
    /// Flows whose telemetry may go.
    queue: LutFifo<u16>,
    /// Flows that wait, and the cycle in which they began.
    waiting: LutFifo<(u16, u32)>,
    now: u32,
    /// How long the oldest had waited a cycle ago.
    age: Option<u32>,
    /// Two cycles ago that was long enough.
    is_due: bool,
    loading: Option<Stack>,
    out: FeedbackOutOut,
}

impl FeedbackOut {
    /// For the flows of `config`.
    pub fn new(config: &NicConfig) -> Self {
        let flow_count = config.flow_count;
        Self {
            flows: vec![Flow::default(); flow_count],
            scrub_left: flow_count,
            held: None,
            is_probe: false,
            answers_next: None,
            answers: LutFifo::new(ANSWERS),
            row_waits: false,
            op: None,
            joins: None,
            queue: LutFifo::new(flow_count),
            waiting: LutFifo::new(flow_count),
            now: 0,
            age: None,
            is_due: false,
            loading: None,
            out: FeedbackOutOut::default(),
        }
    }

    fn reset(&mut self) {
        let flow_count = self.flows.len();
        self.flows.fill(Flow::default());
        self.scrub_left = flow_count;
        (self.held, self.op, self.joins) = (None, None, None);
        (self.age, self.is_due, self.loading) = (None, false, None);
        (self.is_probe, self.answers_next, self.row_waits) = (false, None, false);
        self.answers = LutFifo::new(ANSWERS);
        (self.queue, self.waiting) = (LutFifo::new(flow_count), LutFifo::new(flow_count));
        self.now = 0;
        self.out = FeedbackOutOut::default();
    }

    fn flow_at(&self, index: u32) -> usize {
        index as usize % self.flows.len()
    }

    /// What becomes of the probe that has been looked up.
    fn verdict(&self) -> back::ProbeOffer {
        let (Some(Op::Arrive), true, Some((packet, _))) = (self.op, self.is_probe, self.held)
        else {
            return back::ProbeOffer::default();
        };
        let row = &self.flows[self.flow_at(packet.qpn)].row;
        let is_ours = packet.qpn == row.qpn && packet.src_ip == row.remote_ip;
        let has_room = self.answers.s_ready() && !self.row_waits;
        back::ProbeOffer {
            ready: true,
            accepted: is_ours && row.valid && row.telemetry && has_room,
        }
    }

    /// The operation of the next cycle.
    fn choose(&self, i: &FeedbackOutIn) -> Option<Op> {
        let shown = &self.out.m_feedback;
        let is_used = shown.valid || self.loading.is_some();
        let is_under_way = self.out.m_cfg.valid || self.out.s_cfg.ready;
        let index = self.flow_at(i.cfg_index.into());
        let is_shown = is_used && usize::from(shown.flow) == index;
        // An answer that is taken in this cycle may be one to look up.
        let comes = i.watch.valid && i.watch.ready;
        let answers = i.s_probe.valid || self.answers_next.is_some() || self.answers.count() > 0;
        let cfg_can = !is_under_way && self.held.is_none() && !comes && !is_shown && !answers;
        // Answers and the others in turn.
        let answer_goes = self.answers.m_valid() && !(self.queue.m_valid() && shown.answer);
        if self.held.is_some_and(|(_, left)| left == 0) {
            Some(Op::Arrive)
        } else if i.s_cfg.valid && cfg_can {
            Some(Op::Cfg)
        } else if self.is_due {
            Some(Op::Expire)
        } else {
            let waits = answer_goes || self.queue.m_valid();
            let op = if answer_goes { Op::Answer } else { Op::Load };
            (waits && !is_used).then_some(op)
        }
    }

    /// Carries out an operation; the flow that joins the queue.
    fn act(&mut self, op: Op, i: &FeedbackOutIn) -> Option<u16> {
        match op {
            Op::Arrive => {
                let (packet, _) = self.held.take().expect("looked up");
                let at = self.flow_at(packet.qpn);
                let flow = &mut self.flows[at];
                let is_ours = packet.qpn == flow.row.qpn && packet.src_ip == flow.row.remote_ip;
                let accepts = is_ours && flow.row.valid && flow.row.telemetry;
                let stack = Stack { psn: packet.psn, tel: packet.tel };
                if self.is_probe {
                    let answers = accepts && self.answers.s_ready() && !self.row_waits;
                    self.answers_next = answers.then_some((at as u16, stack));
                    return None;
                }
                if !accepts {
                    return None;
                }
                flow.newest = Some(stack);
                let was_busy = core::mem::replace(&mut flow.is_busy, true);
                (!was_busy).then_some(at as u16)
            }
            Op::Cfg => {
                let words = |n: usize| (i.cfg_row.0[n / 2] >> (32 * (n % 2))) as u32;
                let at = self.flow_at(i.cfg_index.into());
                self.flows[at].row = QpRow::from_row(&core::array::from_fn(words));
                self.flows[at].newest = None;
                self.out.m_cfg.valid = true;
                None
            }
            Op::Expire => {
                let (at, _) = self.waiting.m_data();
                let flow = &mut self.flows[usize::from(at)];
                flow.is_busy = flow.newest.is_some();
                flow.is_busy.then_some(at)
            }
            Op::Load => {
                let at = self.queue.m_data();
                let flow = &mut self.flows[usize::from(at)];
                self.loading = flow.newest.take();
                flow.is_busy = self.loading.is_some();
                if flow.is_busy {
                    (self.out.m_feedback.flow, self.out.m_feedback.answer) = (at, false);
                }
                None
            }
            Op::Answer => {
                let (at, stack) = self.answers.m_data();
                self.loading = Some(stack);
                (self.out.m_feedback.flow, self.out.m_feedback.answer) = (at, true);
                None
            }
        }
    }
}

impl Golden for FeedbackOut {
    type In = FeedbackOutIn;
    type Out = FeedbackOutOut;

    fn step(&mut self, i: &FeedbackOutIn) -> FeedbackOutOut {
        if i.reset {
            self.reset();
            return self.out;
        }
        let is_open = self.scrub_left == 0;
        self.scrub_left = self.scrub_left.saturating_sub(1);
        let (w, was_idle) = (&i.watch, self.held.is_none());
        let comes =
            is_open && w.valid && w.ready && w.tel.valid && opcode::is_read_response(w.opcode);
        let next = if is_open && self.op.is_none() { self.choose(i) } else { None };
        let leaves = self.out.m_feedback.valid && i.m_feedback.ready;
        let is_answer = self.out.m_feedback.answer;
        let waits = (leaves && !is_answer).then_some((self.out.m_feedback.flow, self.now));
        self.out.s_cfg.ready = self.out.m_cfg.valid && i.m_cfg.ready;
        self.out.m_cfg.valid &= !i.m_cfg.ready;
        self.out.m_feedback.valid &= !i.m_feedback.ready;
        if let Some(Stack { psn, tel }) = self.loading.take() {
            let FeedbackPacket { flow, answer, .. } = self.out.m_feedback;
            self.out.m_feedback = FeedbackPacket { valid: true, flow, psn, answer, tel };
        }
        self.out.m_feedback.tel.valid = self.out.m_feedback.valid;
        let op = core::mem::replace(&mut self.op, next);
        let joins_answers = self.answers_next.take();
        let next = op.and_then(|op| self.act(op, i));
        let joins = core::mem::replace(&mut self.joins, next);
        let expires = matches!(op, Some(Op::Expire));
        self.is_due = !expires && self.age.is_some_and(|age| age >= i.cfg_feedback_cycles);
        let oldest = self.waiting.m_valid() && !expires;
        let age = self.now.wrapping_sub(self.waiting.m_data().1) & 0xff_ffff;
        self.age = oldest.then_some(age);
        self.waiting.step(false, waits, expires);
        self.queue.step(false, joins, matches!(op, Some(Op::Load)));
        self.answers.step(false, joins_answers, matches!(op, Some(Op::Answer)));
        if let Some((_, left)) = &mut self.held {
            *left = left.saturating_sub(1);
        }
        let takes_probe = is_open && i.s_probe.valid && was_idle;
        if comes || takes_probe {
            assert!(self.held.is_none(), "the requester takes READ responses too fast");
            assert!(!(comes && takes_probe), "one of them stands in front of the other");
            self.held = Some((*w, LOOK_CYCLES));
            self.is_probe = takes_probe;
        }
        self.row_waits = i.s_cfg.valid;
        self.out.s_probe = self.verdict();
        self.now = (self.now + 1) & 0xff_ffff;
        self.out
    }

    fn starts(&mut self, starts: &mut Starts<'_>) -> Option<FeedbackOutOut> {
        self.now = starts.after_reset("due.now", 24, SOON_CYCLES)? as u32;
        Some(self.out)
    }
}
