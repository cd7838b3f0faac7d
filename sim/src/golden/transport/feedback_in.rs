//! Twin of `transport/feedback_in`: telemetry responses, of the peer about READ responses and direct ones
//! and probes' about data, on their way to the congestion control beside the requester's ACKs.

use super::probe_out::AnswerPorts;
use super::requester::{CcPorts, ReadyPort, TelPorts};
use crate::golden::rx::rx_pipe::FeedbackPorts;
use crate::golden::tx::tx_pipe::CfgPort;
use crate::ports;
use crate::ports::{Golden, Wide};
use nic_spec::config::NicConfig;
use nic_spec::rows::QpRow;

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
    /// What becomes of a probe.
    pub struct ProbeVerdict {
        /// It has been looked up.
        pub ready: bool,
        /// It will be answered.
        pub accepted: bool,
    }
}
ports! {
    /// Inputs.
    pub struct FeedbackInIn {
        pub reset: bool,
        pub row: RowWatch,
        pub cfg_index: u16,
        pub cfg_row: Wide<8>,
        pub sent: SentWatch,
        pub s_feedback: FeedbackPorts,
        pub s_cc: CcPorts,
        pub m_cc: ReadyPort,
        pub m_probe: ProbeVerdict,
    }
}
ports! {
    /// Events.
    pub struct FeedbackEvents {
        /// A telemetry response counts.
        pub accepted: bool,
        /// It is dropped.
        pub dropped: bool,
    }
}
ports! {
    /// Outputs.
    pub struct FeedbackInOut {
        pub s_feedback: ReadyPort,
        pub s_cc: ReadyPort,
        pub m_cc: CcPorts,
        /// The telemetry response that is offered is a probe with telemetry.
        pub m_probe: CfgPort,
        /// The probe of a flow is answered; the flow follows what is offered.
        pub m_answer: AnswerPorts,
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
    /// PSN of the latest telemetry of data.
    data_last: u32,
}

/// What becomes of a telemetry response.
#[derive(Clone, Copy, Debug)]
struct Verdict {
    /// What the congestion control hears; nothing if it does not count.
    cc: Option<CcPorts>,
    /// Its row was written meanwhile: it is dropped.
    is_void: bool,
    /// It was overtaken.
    is_back: bool,
    /// It answers the probe of its flow.
    answers: bool,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Idle,
    Ack,
    /// Cycles left until the verdict is carried out.
    Judge(u32, Verdict),
    /// A probe is looked up elsewhere.
    Probe,
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
    out: FeedbackInOut,
}

fn psn_sub(a: u32, b: u32) -> u32 {
    a.wrapping_sub(b) & 0xff_ffff
}

impl FeedbackIn {
    /// For the flows of `config`.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            flows: vec![Flow::default(); config.flow_count],
            step: Step::Idle,
            feedback_next: false,
            row: None,
            out: FeedbackInOut::default(),
        }
    }

    fn flow_at(&self, index: u32) -> usize {
        index as usize % self.flows.len()
    }

    /// Flow of a telemetry response, if it is anyone's.
    fn flow_of(&self, p: &FeedbackPorts) -> usize {
        self.flow_at(if p.direct && !p.probe { p.port.into() } else { p.qpn })
    }

    /// About data. The queue pair of a direct one is that which the data packet went to, that of an
    /// answer to a probe our own.
    fn judge_direct(&self, p: &FeedbackPorts) -> Verdict {
        let at = self.flow_of(p);
        let Flow { row, data_nxt, data_last, .. } = self.flows[at];
        let qpn = if p.probe { row.qpn } else { row.remote_qpn };
        let is_peer = qpn == p.qpn && row.remote_ip == p.src_ip;
        let is_ours = row.valid && row.telemetry && is_peer && p.tel.valid;
        let is_sent = (1..=1 << 23).contains(&psn_sub(data_nxt, p.psn));
        let is_new = psn_sub(data_last, p.psn) > BACK_MAX;
        let counts = is_ours && is_sent && is_new;
        let tel = TelPorts { valid: true, hops: p.tel.hops, path: p.tel.path, hop: p.tel.hop };
        let (flow, psn, snd_nxt) = (at as u16, p.psn, data_nxt);
        let cc = counts.then_some(CcPorts { valid: true, flow, psn, snd_nxt, tel });
        Verdict { cc, is_void: false, is_back: false, answers: is_ours && p.probe }
    }

    fn judge(&self, p: &FeedbackPorts) -> Verdict {
        if p.direct {
            return self.judge_direct(p);
        }
        let at = self.flow_of(p);
        let flow = &self.flows[at];
        let row = &flow.row;
        let is_ours = row.valid && row.telemetry && row.qpn == p.qpn && row.remote_ip == p.src_ip;
        // Behind: half of all PSNs are.
        let snd_nxt = flow.snd_nxt.filter(|next| psn_sub(*next, p.psn).wrapping_sub(1) < 1 << 23);
        let (true, Some(snd_nxt)) = (is_ours && p.tel.valid, snd_nxt) else {
            return Verdict { cc: None, is_void: false, is_back: false, answers: false };
        };
        let is_back = flow.last.is_some_and(|last| (1..=BACK_MAX).contains(&psn_sub(last, p.psn)));
        let is_far = |last: &u32| !is_back && psn_sub(p.psn, *last) >= FAR_STEP;
        let psn = flow.last.filter(is_far).map_or(p.psn, |last| (last + FAR_STEP) & 0xff_ffff);
        let tel = TelPorts { valid: true, hops: p.tel.hops, path: p.tel.path, hop: p.tel.hop };
        let flow = (at + self.flows.len()) as u16;
        Verdict {
            cc: Some(CcPorts { valid: true, flow, psn, snd_nxt, tel }),
            is_void: false,
            is_back,
            answers: false,
        }
    }

    /// While `m_cc` is empty its fields follow what may fill it.
    fn follow(&mut self, i: &FeedbackInIn) {
        let cc = match self.step {
            Step::Judge(0, verdict) => verdict.cc,
            _ => Some(i.s_cc),
        };
        if let Some(cc) = cc {
            self.out.m_cc = CcPorts { valid: false, ..cc };
        }
    }

    /// The step after this one; `row`: flow of a row that counts from now, `is_free`: `m_cc` was empty.
    fn next(&mut self, i: &FeedbackInIn, row: Option<usize>, sends: bool, is_free: bool) -> Step {
        let p = &i.s_feedback;
        match self.step {
            Step::Idle if i.s_cc.valid && is_free && !(self.feedback_next && p.valid) => {
                self.out.m_cc = i.s_cc;
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
                Step::Judge(LOOK_CYCLES - 1, self.judge(p))
            }
            Step::Idle | Step::Ack | Step::Done => Step::Idle,
            Step::Probe if i.m_probe.ready => {
                self.out.event_feedback.accepted = i.m_probe.accepted;
                self.out.event_feedback.dropped = !i.m_probe.accepted;
                Step::Done
            }
            Step::Probe => Step::Probe,
            Step::Judge(left, mut verdict) => {
                let at = self.flow_of(p);
                verdict.is_void |= row == Some(at);
                if left > 0 {
                    return Step::Judge(left - 1, verdict);
                }
                match verdict.cc.filter(|_| !verdict.is_void) {
                    Some(_) if !is_free => return Step::Judge(0, verdict),
                    Some(cc) => {
                        self.out.m_cc = cc;
                        self.out.event_feedback.accepted = true;
                        if p.direct {
                            self.flows[at].data_last = p.psn;
                        } else if !verdict.is_back {
                            self.flows[at].last = Some(p.psn);
                        }
                    }
                    None => self.out.event_feedback.dropped = true,
                }
                self.out.m_answer.valid = verdict.answers && !verdict.is_void;
                self.feedback_next = false;
                Step::Done
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
            (self.step, self.feedback_next, self.row) = (Step::Idle, false, None);
            self.out = FeedbackInOut::default();
            return self.out;
        }
        let acked = matches!(self.step, Step::Ack).then_some(self.out.m_cc);
        let sends = i.sent.valid && i.sent.ready;
        self.out.event_feedback = FeedbackEvents::default();
        let flow = self.flow_of(&i.s_feedback) as u16;
        self.out.m_answer = AnswerPorts { valid: false, flow };
        let is_free = !self.out.m_cc.valid;
        let flow_count = self.flows.len();
        let is_judged = matches!(self.step, Step::Judge(0, _));
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
            self.flows[usize::from(cc.flow)].data_last = cc.psn;
        }
        // Each of these has the tables for a cycle of its own, a verdict whether it counts or not.
        if !sends && acked.is_none() && !(is_judged && is_free) {
            if let Some((at, row)) = self.row.take() {
                let (data_nxt, data_last) = (row.sq_psn, psn_sub(row.sq_psn, 1));
                self.flows[at] = Flow { row, data_nxt, data_last, ..Flow::default() };
            }
        }
        if i.row.valid && i.row.ready {
            let words = |n: usize| (i.cfg_row.0[n / 2] >> (32 * (n % 2))) as u32;
            let row = QpRow::from_row(&core::array::from_fn(words));
            assert!(self.row.is_none(), "rows come too fast");
            self.row = Some((self.flow_at(i.cfg_index.into()), row));
        }
        self.out.s_feedback.ready = matches!(self.step, Step::Done);
        self.out.m_probe.valid = matches!(self.step, Step::Probe);
        self.out.s_cc.ready = matches!(self.step, Step::Ack);
        self.out
    }
}
