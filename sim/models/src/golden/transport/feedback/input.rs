//! Twin of `hdl/src/transport/feedback/input.rs`: telemetry responses, of the peer about READ
//! responses and direct ones and probes' about data, on their way to the congestion control beside
//! the requester's ACKs; with windows that a receiver computes, telemetry of the peer's requests
//! instead, and the peer's windows.

use crate::events::FeedbackEvents;
use crate::golden::transport::requester::ValidPort;
use crate::ports;
use crate::ports::{Golden, Wide};
use crate::starts::{Starts, SOON_CYCLES};
use crate::streams::{self, back, AckTelemetry, Feedback, FlowPulse, ReadyPort, Telemetry};
use nic_spec::config::NicConfig;
use nic_spec::rows::QpRow;

/// Cycles from one sample of a request to the next one.
const SAMPLE_CYCLES: u32 = 64;
/// Cycles from the choice of a telemetry response to its verdict.
const LOOK_CYCLES: u32 = 3;
/// A step of a PSN that is as large is shown as this.
const FAR_STEP: u32 = 1 << 22;
/// A telemetry response that is behind by no more than this was overtaken; a direct one is then stale.
const BACK_MAX: u32 = 1 << 16;

ports! {
    /// A stream that passes: taken when both are high.
    pub struct RowWatch {
        pub valid: bool,
        pub ready: bool,
    }
}
ports! {
    /// Packets on their way out; top bit of the flow: READ responses.
    pub struct SentWatch {
        pub valid: bool,
        pub ready: bool,
        pub flow: u16,
        pub psn: u32,
    }
}
ports! {
    /// Inputs.
    pub struct FeedbackInIn {
        pub reset: bool,
        /// ACKs echo the most loaded hop alone, which the congestion control finds.
        pub cfg_worst_hop: bool,
        /// The receiver of data computes its window.
        pub cfg_by_time: bool,
        /// T, cycles.
        pub cfg_feedback_cycles: u32,
        /// The fields of `s_feedback` are those of a request; the responder takes it.
        pub req: RowWatch,
        pub row: RowWatch,
        pub cfg_index: u16,
        pub cfg_row: Wide<8>,
        pub sent: SentWatch,
        pub s_feedback: Feedback,
        pub s_cc: AckTelemetry,
        pub m_cc: ReadyPort,
        pub m_probe: back::ProbeOffer,
        pub m_window: ReadyPort,
    }
}
ports! {
    /// Outputs.
    pub struct FeedbackInOut {
        pub s_feedback: ReadyPort,
        pub s_cc: ReadyPort,
        pub m_cc: AckTelemetry,
        /// It is of the peer's data.
        pub m_cc_peer: bool,
        /// The telemetry response that is offered is a probe with telemetry.
        pub m_probe: ValidPort,
        /// The flow is that of what was looked up last, and follows what is offered.
        pub m_window: streams::Flow,
        /// The probe of a flow is answered; the flow follows what is offered.
        pub m_answer: FlowPulse,
        pub event_feedback: FeedbackEvents,
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    row: QpRow,
    /// PSN behind the latest READ response.
    snd_nxt: Option<u32>,
    /// PSN of the latest telemetry response.
    last: Option<u32>,
    /// PSN behind the latest data packet.
    data_nxt: u32,
    /// PSN of the latest telemetry of data, or time of the latest window.
    data_last: u32,
    /// There has been one.
    data_seen: bool,
}

/// What is looked up.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// A telemetry response of any kind.
    Response,
    /// A window of the peer.
    Window,
    /// A request of the peer.
    Request,
}

/// What becomes of a telemetry response.
#[derive(Clone, Copy, Debug)]
struct Verdict {
    kind: Kind,
    flow: usize,
    /// What the congestion control hears; nothing if it does not count.
    cc: Option<AckTelemetry>,
    /// It is a window that counts.
    is_window: bool,
    /// Its row was written meanwhile: it is dropped.
    is_void: bool,
    /// It was overtaken.
    is_back: bool,
    /// It answers the probe of its flow.
    answers: bool,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Cycles of clearing that are left.
    Scrub(usize),
    Idle,
    Ack,
    /// Cycles left until the verdict is carried out.
    Judge(u32, Verdict),
    /// A probe is looked up elsewhere.
    Probe,
    /// A window waits until it is taken.
    Window,
    Done,
}

/// The block.
#[derive(Clone, Debug)]
pub struct FeedbackIn {
    flows: Vec<Flow>,
    step: Step,
    feedback_next: bool,
    /// The row that was taken, until it counts, and its flow.
    row: Option<(usize, QpRow)>,
    /// It counts for the data.
    row_has_data: bool,
    /// The request that stands has been looked up.
    is_sampled: bool,
    /// A verdict has counted in the cycle before.
    counts: bool,
    /// An ACK has waited in the cycle before, or nothing else may be taken.
    from_cc: bool,
    /// Cycles until the next sample.
    rest_cycles: u32,
    /// Cycles since reset, modulo 2^24.
    now: u32,
    out: FeedbackInOut,
}

impl Verdict {
    /// What is about a flow, but does not count.
    fn nothing(flow: usize) -> Self {
        Self {
            kind: Kind::Response,
            flow,
            cc: None,
            is_window: false,
            is_void: false,
            is_back: false,
            answers: false,
        }
    }
}

fn psn_sub(a: u32, b: u32) -> u32 {
    a.wrapping_sub(b) & 0xff_ffff
}

impl FeedbackIn {
    /// For the flows of `config`.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            flows: vec![Flow::default(); config.flow_count],
            step: Step::Scrub(config.flow_count),
            feedback_next: false,
            row: None,
            row_has_data: false,
            is_sampled: false,
            counts: false,
            from_cc: true,
            rest_cycles: 0,
            now: 0,
            out: FeedbackInOut::default(),
        }
    }

    fn flow_at(&self, index: u32) -> usize {
        index as usize % self.flows.len()
    }

    /// Flow of a telemetry response, if it is anyone's.
    fn flow_of(&self, p: &Feedback) -> usize {
        let by_port = p.valid && p.direct && !p.probe;
        self.flow_at(if by_port { p.port.into() } else { p.qpn })
    }

    /// Whether a packet is from the peer of the row, to its queue pair.
    fn is_peer(row: &QpRow, p: &Feedback) -> bool {
        row.valid && row.telemetry && row.qpn == p.qpn && row.remote_ip == p.src_ip
    }

    /// A request of the peer: what its telemetry tells of the peer's data.
    fn judge_request(&self, p: &Feedback) -> Verdict {
        let at = self.flow_of(p);
        let tel = Telemetry { valid: true, hops: p.tel.hops, path: p.tel.path, hop: p.tel.hop };
        let cc = AckTelemetry { valid: true, flow: at as u16, psn: 0, snd_nxt: 0, tel };
        let cc = Some(cc).filter(|_| Self::is_peer(&self.flows[at].row, p));
        Verdict { kind: Kind::Request, cc, ..Verdict::nothing(at) }
    }

    /// A window of the peer, whose PSN is a time.
    fn judge_window(&self, p: &Feedback, by_time: bool) -> Verdict {
        let at = self.flow_of(p);
        let Flow { row, data_last, data_seen, .. } = &self.flows[at];
        let is_new = !data_seen || psn_sub(*data_last, p.psn) > BACK_MAX;
        let is_window = by_time && is_new && Self::is_peer(row, p);
        Verdict { kind: Kind::Window, is_window, ..Verdict::nothing(at) }
    }

    /// About data. The queue pair of a direct one is that which the data packet went to, that of an
    /// answer to a probe our own.
    fn judge_direct(&self, p: &Feedback) -> Verdict {
        let at = self.flow_of(p);
        let Flow { row, data_nxt, data_last, .. } = self.flows[at];
        let qpn = if p.probe { row.qpn } else { row.remote_qpn };
        let is_peer = qpn == p.qpn && row.remote_ip == p.src_ip;
        let is_ours = row.valid && row.telemetry && is_peer && p.tel.valid;
        let is_sent = (1..=1 << 23).contains(&psn_sub(data_nxt, p.psn));
        let is_new = psn_sub(data_last, p.psn) > BACK_MAX;
        let counts = is_ours && is_sent && is_new;
        let tel = Telemetry { valid: true, hops: p.tel.hops, path: p.tel.path, hop: p.tel.hop };
        let (flow, psn, snd_nxt) = (at as u16, p.psn, data_nxt);
        let cc = counts.then_some(AckTelemetry { valid: true, flow, psn, snd_nxt, tel });
        Verdict { cc, answers: is_ours && p.probe, ..Verdict::nothing(at) }
    }

    fn judge(&self, p: &Feedback, by_time: bool) -> Verdict {
        match (p.window, p.direct) {
            (true, _) => return self.judge_window(p, by_time),
            // Whoever sends data leaves it to the receiver what they tell.
            (_, true) if by_time => return Verdict::nothing(self.flow_of(p)),
            (_, true) => return self.judge_direct(p),
            _ => {}
        }
        let at = self.flow_of(p);
        let flow = &self.flows[at];
        let is_ours = Self::is_peer(&flow.row, p);
        // Behind: half of all PSNs are.
        let snd_nxt = flow.snd_nxt.filter(|next| psn_sub(*next, p.psn).wrapping_sub(1) < 1 << 23);
        let (true, Some(snd_nxt)) = (is_ours && p.tel.valid, snd_nxt) else {
            return Verdict::nothing(at);
        };
        let is_back = flow.last.is_some_and(|last| (1..=BACK_MAX).contains(&psn_sub(last, p.psn)));
        let is_far = |last: &u32| !is_back && psn_sub(p.psn, *last) >= FAR_STEP;
        let psn = flow.last.filter(is_far).map_or(p.psn, |last| (last + FAR_STEP) & 0xff_ffff);
        let tel = Telemetry { valid: true, hops: p.tel.hops, path: p.tel.path, hop: p.tel.hop };
        let flow = (at + self.flows.len()) as u16;
        let cc = Some(AckTelemetry { valid: true, flow, psn, snd_nxt, tel });
        Verdict { cc, is_back, ..Verdict::nothing(at) }
    }

    /// What the congestion control hears; who computes windows goes by the time.
    fn timed(&self, cc: AckTelemetry, kind: Kind, i: &FeedbackInIn) -> AckTelemetry {
        let span_cycles = match (i.cfg_by_time, kind) {
            (true, _) => i.cfg_feedback_cycles,
            (false, Kind::Request) => 1,
            _ => return cc,
        };
        AckTelemetry { psn: self.now, snd_nxt: (self.now + span_cycles) & 0xff_ffff, ..cc }
    }

    /// While `m_cc` is empty its fields follow what may fill it.
    fn follow(&mut self, i: &FeedbackInIn) {
        let (cc, peer) = match self.step {
            Step::Judge(0, verdict) => {
                let Some(cc) = verdict.cc else { return };
                (self.timed(cc, verdict.kind, i), verdict.kind == Kind::Request)
            }
            Step::Idle if self.from_cc => (i.s_cc, false),
            // What stands may be a request, which is taken before it is looked up.
            Step::Idle => {
                let Telemetry { hops, path, hop, .. } = i.s_feedback.tel;
                let tel = Telemetry { hops, path, hop, ..self.out.m_cc.tel };
                (AckTelemetry { tel, ..self.out.m_cc }, self.out.m_cc_peer)
            }
            _ => return,
        };
        self.out.m_cc = AckTelemetry { valid: false, ..cc };
        self.out.m_cc_peer = peer;
    }

    /// Whether a request is looked up.
    fn samples(&self, i: &FeedbackInIn, row: Option<usize>, is_free: bool) -> bool {
        let stands = (i.cfg_by_time || i.cfg_worst_hop) && i.req.valid && i.s_feedback.tel.valid;
        let is_due = self.rest_cycles == 0 && !self.from_cc;
        stands && is_due && !self.is_sampled && is_free && row.is_none()
    }

    /// The verdict on what was looked up is carried out, unless there is no room.
    fn judged(&mut self, i: &FeedbackInIn, verdict: Verdict, is_free: bool) -> Step {
        let p = &i.s_feedback;
        let at = verdict.flow;
        if verdict.is_window && !verdict.is_void {
            if !i.m_window.ready {
                return Step::Judge(0, verdict);
            }
            (self.flows[at].data_last, self.flows[at].data_seen) = (p.psn, true);
            (self.out.event_feedback.accepted, self.counts) = (true, true);
            self.feedback_next = false;
            return Step::Window;
        }
        let is_request = verdict.kind == Kind::Request;
        match verdict.cc.filter(|_| !verdict.is_void) {
            Some(_) if !is_free => return Step::Judge(0, verdict),
            Some(cc) => {
                self.out.m_cc = self.timed(cc, verdict.kind, i);
                self.out.m_cc_peer = is_request;
                (self.out.event_feedback.accepted, self.counts) = (!is_request, !is_request);
                match (is_request, p.direct) {
                    (true, _) => {}
                    (_, true) => {
                        (self.flows[at].data_last, self.flows[at].data_seen) = (p.psn, true);
                    }
                    _ if verdict.is_back => {}
                    _ => self.flows[at].last = Some(p.psn),
                }
            }
            None => self.out.event_feedback.dropped = !is_request,
        }
        if is_request {
            return Step::Idle;
        }
        self.out.m_answer.valid = verdict.answers && !verdict.is_void;
        self.feedback_next = false;
        Step::Done
    }

    /// Whether an ACK is taken: at once, or beside samples when it has waited for a cycle.
    fn takes_ack(&self, i: &FeedbackInIn, is_free: bool) -> bool {
        let is_turn = !(self.feedback_next && i.s_feedback.valid);
        i.s_cc.valid && (self.from_cc || i.cfg_by_time) && is_free && is_turn
    }

    /// The row that has come counts for the data, in a later cycle for all else.
    fn write_row(&mut self) {
        let Some((at, row)) = self.row else { return };
        let flow = &mut self.flows[at];
        if self.row_has_data {
            *flow = Flow { row, snd_nxt: None, last: None, ..*flow };
            self.row = None;
        } else {
            let (data_nxt, data_last) = (row.sq_psn, psn_sub(row.sq_psn, 1));
            *flow = Flow { data_nxt, data_last, data_seen: false, ..*flow };
        }
        self.row_has_data ^= true;
    }

    /// The step after this one; `row`: flow of a row that counts from now, `is_free`: `m_cc` was empty.
    fn next(&mut self, i: &FeedbackInIn, row: Option<usize>, sends: bool, is_free: bool) -> Step {
        let p = &i.s_feedback;
        match self.step {
            Step::Idle if self.takes_ack(i, is_free) => {
                if !i.cfg_by_time {
                    (self.out.m_cc, self.out.m_cc_peer) = (i.s_cc, false);
                }
                self.feedback_next = true;
                Step::Ack
            }
            Step::Idle if p.valid && p.probe && !p.direct => {
                self.feedback_next = false;
                self.out.event_feedback.dropped = !p.tel.valid;
                if p.tel.valid {
                    Step::Probe
                } else {
                    Step::Done
                }
            }
            Step::Idle if p.valid && row.is_none() && !sends => {
                Step::Judge(LOOK_CYCLES - 1, self.judge(p, i.cfg_by_time))
            }
            Step::Idle if self.samples(i, row, is_free) => {
                self.is_sampled = true;
                self.rest_cycles = SAMPLE_CYCLES;
                Step::Judge(LOOK_CYCLES - 1, self.judge_request(p))
            }
            Step::Window if !i.m_window.ready => Step::Window,
            Step::Window => Step::Done,
            Step::Scrub(left @ 1..) => Step::Scrub(left - 1),
            Step::Scrub(0) | Step::Idle | Step::Ack | Step::Done => Step::Idle,
            Step::Probe if i.m_probe.ready => {
                self.out.event_feedback.accepted = i.m_probe.accepted;
                self.out.event_feedback.dropped = !i.m_probe.accepted;
                Step::Done
            }
            Step::Probe => Step::Probe,
            Step::Judge(left, mut verdict) => {
                verdict.is_void |= row == Some(verdict.flow);
                // The queue pair of a window may be about to change.
                verdict.is_void |= verdict.kind == Kind::Window && (row.is_some() || i.row.valid);
                if left > 0 {
                    return Step::Judge(left - 1, verdict);
                }
                self.judged(i, verdict, is_free)
            }
        }
    }
}

impl Golden for FeedbackIn {
    type In = FeedbackInIn;
    type Out = FeedbackInOut;

    fn step(&mut self, i: &FeedbackInIn) -> FeedbackInOut {
        if i.reset {
            self.flows.fill(Flow::default());
            self.step = Step::Scrub(self.flows.len());
            (self.feedback_next, self.row, self.row_has_data) = (false, None, false);
            (self.is_sampled, self.counts, self.now) = (false, false, 0);
            (self.from_cc, self.rest_cycles) = (true, 0);
            self.out = FeedbackInOut::default();
            return self.out;
        }
        let is_ack = matches!(self.step, Step::Ack);
        let acked = Some(self.out.m_cc).filter(|_| is_ack && !i.cfg_by_time);
        let sends = i.sent.valid && i.sent.ready;
        self.out.event_feedback = FeedbackEvents::default();
        let flow = self.flow_of(&i.s_feedback) as u16;
        self.out.m_answer = FlowPulse { valid: false, flow };
        if matches!(self.step, Step::Idle) {
            self.out.m_window.flow = flow;
        }
        let is_free = !self.out.m_cc.valid;
        let flow_count = self.flows.len();
        let counts = core::mem::take(&mut self.counts);
        self.out.m_cc.valid &= !i.m_cc.ready;
        if is_free {
            self.follow(i);
        }
        self.step = self.next(i, self.row.map(|(at, _)| at), sends, is_free);
        if sends {
            let at = self.flow_at(i.sent.flow.into());
            let (flow, next) = (&mut self.flows[at], (i.sent.psn + 1) & 0xff_ffff);
            if usize::from(i.sent.flow) < flow_count {
                flow.data_nxt = next;
            } else {
                flow.snd_nxt = Some(next);
            }
        }
        if let Some(cc) = acked {
            let flow = &mut self.flows[usize::from(cc.flow)];
            (flow.data_last, flow.data_seen) = (cc.psn, true);
        }
        // Each of these has the tables for a cycle of its own, a verdict that behind it.
        if !sends && !is_ack && !counts {
            self.write_row();
        }
        if i.row.valid && i.row.ready {
            let words = |n: usize| (i.cfg_row.0[n / 2] >> (32 * (n % 2))) as u32;
            let row = QpRow::from_row(&core::array::from_fn(words));
            assert!(self.row.is_none(), "rows come too fast");
            assert!(!matches!(self.step, Step::Scrub(_)), "rows come too early");
            self.row = Some((self.flow_at(i.cfg_index.into()), row));
        }
        self.is_sampled &= !(i.req.valid && i.req.ready);
        self.now = (self.now + 1) & 0xff_ffff;
        self.from_cc = !i.cfg_by_time && (!i.cfg_worst_hop || i.s_cc.valid);
        self.rest_cycles = self.rest_cycles.saturating_sub(1);
        self.out.s_feedback.ready = matches!(self.step, Step::Done);
        self.out.m_window.valid = matches!(self.step, Step::Window);
        self.out.m_probe.valid = matches!(self.step, Step::Probe);
        self.out.s_cc.ready = matches!(self.step, Step::Ack);
        self.out
    }

    fn starts(&mut self, starts: &mut Starts<'_>) -> Option<FeedbackInOut> {
        self.now = starts.after_reset("now", 24, SOON_CYCLES)? as u32;
        Some(self.out)
    }
}
