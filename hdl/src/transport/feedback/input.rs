//! Telemetry responses in, beside the ACKs of the requester: those of the peer go to the congestion control
//! of the READ responses, direct ones of switches and answers to probes to that of the data, as ACKs do.
//! Probes of the peer pass to who answers them. A receiver that computes windows hears of the peer's data instead
//! of its own, and the peer's windows pass to the scheduler.
//!
//! # Source            hdl/feedback.md
//! # Interface timing  cycle 0: s_feedback_valid with nothing under way; cycle 4: m_cc and
//!                     event_feedback_accepted, if m_cc is free, or event_feedback_dropped, and
//!                     s_feedback_ready; with it m_answer, if it answers a probe. Probe: cycle 1:
//!                     m_probe_valid; the cycle after m_probe_ready: its event and s_feedback_ready;
//!                     without telemetry cycle 1: these. ACK: cycle 0: s_cc_valid; cycle 1: s_cc_ready, m_cc.
//!                     Window: cycle 4: m_window_valid, if m_window_ready was high in cycle 3; the cycle after it
//!                     is taken: s_feedback_ready. Request: cycle 0: req_valid; cycle 4: m_cc
//! # Latency and rate  an ACK every other cycle, a telemetry response every 6 cycles; when both wait
//!                     they take turns. m_cc is filled when it was empty in the cycle before
//! # Shape             2^FB flows, FP1 = FB + 1
//! # Number formats    PSNs | UQ24.0 | serial numbers
//! # Rules             a telemetry response counts if its QPN and source are those of a row with
//!                     telemetry, telemetry came with it, and its PSN is behind that of the latest
//!                     READ response sent. Others are dropped, also if their row is written
//!                     meanwhile. snd_nxt is the PSN behind the latest.
//!                     A direct one is looked up by the low bits of its UDP source port, its QPN is the
//!                     peer's of the row, its source the peer. Its PSN is behind that of the latest data
//!                     packet, and it is new: not that of the latest telemetry of the data, an ACK's or a
//!                     direct one's, nor behind it by 2^16 or less. An answer to a probe counts as a
//!                     direct one, but is looked up by its QPN, which is the row's own; whatever its
//!                     PSN, the probe of that queue pair is answered
//!                     WRITEs of the peer take PSNs of the same space and bring no telemetry response:
//!                     behind a step of 2^22 or more its PSN is shown as 2^22 ahead of the one
//!                     before, so that the congestion control never sees it behind. A step back by
//!                     2^16 at most is one of a telemetry response that was overtaken
//!                     With `cfg_worst_hop` or `cfg_by_time` telemetry of requests tells of the peer's data (m_cc_peer). A request is
//!                     looked up as an answer is, once, as soon as it stands, nothing else is under way, no ACK
//!                     waits and the sample before is [`SAMPLE_CYCLES`] old; one that is taken before, or while
//!                     m_cc is full, is a sample that is missed. Its PSN is the time, in cycles, and snd_nxt that and 1.
//!                     With `cfg_worst_hop` an ACK is taken a cycle later: s_cc_ready in cycle 2
//!                     With `cfg_by_time` snd_nxt is that time and cfg_feedback_cycles, telemetry responses
//!                     have the same two, and ACKs, direct responses and answers are taken and dropped, ACKs
//!                     without an event
//!                     A window of the peer is looked up as an answer is; it counts if it is the first of its
//!                     row or not behind the one before by up to 2^16, and no row waits or comes. Without
//!                     `cfg_by_time` it is dropped
//!                     A row counts for the data from the cycle after that in which it was taken, for
//!                     READ responses and for looks a cycle later, each later by the cycles
//!                     in which a packet is sent, an ACK was taken or a verdict has counted: each takes
//!                     the tables for one. Rows are 12 cycles apart or more, packets 3
//! # Reset             synchronous, high: outputs 0; for 2^FB cycles nothing is taken, and no row comes;
//!                     then no flow has telemetry. While m_cc is empty its
//!                     fields follow s_cc while nothing is under way, or a telemetry response with its verdict
//!                     that counts, taken or not: so their enable depends on no other block
//! # Twins             sim/models/src/golden/transport/feedback/input.rs,
//!                     tests/transport/feedback_in.rs

use crate::events::FeedbackEvents;
use crate::rows::StagedRow;
use crate::streams::{AckTelemetry, Feedback, Flow, FlowPulse, ProbeOffer, Telemetry};
use crate::transport::feedback::{flows::FeedbackFlows, judge::FeedbackJudge};
use crate::{block, kernel, Reg, Regs, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from one sample to the next one at least: as long as the congestion control takes for ACKs of a flow.
const SAMPLE_CYCLES: u64 = 64;

/// States of the block.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum FeedbackState {
    /// The tables are cleared.
    Scrub,
    /// Nothing under way.
    Idle,
    /// The ACK is taken.
    Ack,
    /// The tables show the flow of a telemetry response.
    Look,
    /// Compares.
    Match,
    /// Verdict: waits for room if it counts.
    Judge,
    /// A probe: until who answers it has looked it up.
    Probe,
    /// A window: until it is taken.
    Window,
    /// It is taken.
    Done,
}

/// Telemetry responses of `2^FB` flows.
#[block(check(FP1 == FB + 1 && FB <= 14))]
pub struct FeedbackIn<const FB: usize, const FP1: usize> {
    /// ACKs echo the most loaded hop alone, which the congestion control finds.
    pub cfg_worst_hop: Signal<In, Bit>,
    /// The receiver of data computes its window.
    pub cfg_by_time: Signal<In, Bit>,
    /// T, cycles.
    pub cfg_feedback_cycles: Signal<In, Bits<20>>,
    /// A queue pair row waits.
    pub row_valid: Signal<In, Bit>,
    /// It is taken by who keeps the telemetry to send.
    pub row_ready: Signal<In, Bit>,
    /// Index of the row.
    pub cfg_index: Signal<In, Bits<16>>,
    /// The row.
    pub cfg_row: Signal<In, StagedRow>,
    /// A packet waits to be sent.
    pub sent_valid: Signal<In, Bit>,
    /// It is sent.
    pub sent_ready: Signal<In, Bit>,
    /// Its paced flow; top bit: a READ response.
    pub sent_flow: Signal<In, Bits<FP1>>,
    /// Its PSN.
    pub sent_psn: Signal<In, Bits<24>>,
    /// The fields of the telemetry response are those of a request, which stands at the responder.
    pub req_valid: Signal<In, Bit>,
    /// The responder takes it.
    pub req_ready: Signal<In, Bit>,
    /// A telemetry response is offered.
    pub s_feedback: Feedback<In>,
    /// Telemetry of an ACK is offered.
    pub s_cc: AckTelemetry<In, FB>,
    /// Telemetry for the congestion control.
    pub m_cc_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_cc_ready: Signal<In, Bit>,
    /// Paced flow; top bit: READ responses.
    pub m_cc_flow: Signal<Out, Bits<FP1>>,
    /// It is of the peer's data, and the flow that of our answers.
    pub m_cc_peer: Signal<Out, Bit>,
    /// PSN that it acknowledges.
    pub m_cc_psn: Signal<Out, Bits<24>>,
    /// Next PSN to send.
    pub m_cc_snd_nxt: Signal<Out, Bits<24>>,
    /// Telemetry came with it.
    pub m_cc_tel: Telemetry<Out>,
    /// A probe to answer.
    pub m_probe: ProbeOffer<Out>,
    /// The telemetry response that is offered is a window that counts.
    pub m_window: Flow<Out, FB>,
    /// A probe is answered.
    pub m_answer: FlowPulse<Out, FB>,
    /// What it counts.
    pub event_feedback: FeedbackEvents<Out>,
    flows: FeedbackFlows<FB, FP1>,
    judge: FeedbackJudge,
    #[reset(FeedbackState::Scrub)]
    state: Reg<FeedbackState>,
    feedback_next: Reg<Bit>,
    accepted: Reg<Bit>,
    dropped: Reg<Bit>,
    answered: Reg<Bit>,
    answer_flow: Reg<Bits<FB>>,
    now: Reg<Bits<24>>,
    sampled: Reg<Bit>,
    counting: Reg<Bit>,
    at: Reg<Bits<FB>>,
    qpn: Unreset<Bits<24>>,
    src_ip: Unreset<Bits<32>>,
    may: Unreset<Bit>,
    is_data: Unreset<Bit>,
    is_window: Unreset<Bit>,
    is_request: Unreset<Bit>,
    full: Reg<Bit>,
    #[reset(true)]
    from_cc: Reg<Bit>,
    rest: Reg<Bits<6>>,
    cc_flow: Reg<Bits<FP1>>,
    cc_peer: Reg<Bit>,
    cc_psn: Reg<Bits<24>>,
    cc_snd_nxt: Reg<Bits<24>>,
    tel: Telemetry<Regs>,
    row_comes: Reg<Bit>,
    row_replies: Reg<Bit>,
    row_flow: Unreset<Bits<FB>>,
    row_telemetry: Unreset<Bit>,
    row_qpn: Unreset<Bits<24>>,
    row_ip: Unreset<Bits<32>>,
    row_remote: Unreset<Bits<24>>,
    row_before: Unreset<Bits<24>>,
    first_psn: Signal<Local, Bits<24>>,
    acks: Signal<Local, Bit>,
    row_writes: Signal<Local, Bit>,
    row_applies: Signal<Local, Bit>,
    half: Signal<Local, Bits<FP1>>,
    sends: Signal<Local, Bit>,
    stale: Reg<Bit>,
    row_hits: Signal<Local, Bit>,
    is_void: Signal<Local, Bit>,
    is_judged: Signal<Local, Bit>,
    load_ack: Signal<Local, Bit>,
    load_feedback: Signal<Local, Bit>,
    flow: Signal<Local, Bits<FB>>,
    is_idle: Signal<Local, Bit>,
    by_port: Signal<Local, Bit>,
    about_data: Signal<Local, Bit>,
    samples: Signal<Local, Bit>,
    is_probe: Signal<Local, Bit>,
    looks: Signal<Local, Bit>,
    has_room: Signal<Local, Bit>,
    fills: Signal<Local, Bit>,
    copies: Signal<Local, Bit>,
    row_stands: Signal<Local, Bit>,
    later: Signal<Local, Bits<24>>,
    span: Signal<Local, Bits<20>>,
    #[init(Constant::new(1u64.to_bits()))]
    one: Constant<Bits<20>>,
    #[init(Constant::new((SAMPLE_CYCLES - 1).to_bits()))]
    most: Constant<Bits<6>>,
    #[init(Constant::new((1u64 << FB).to_bits()))]
    top: Constant<Bits<FP1>>,
}

#[kernel]
impl<const FB: usize, const FP1: usize> FeedbackIn<FB, FP1> {
    fn update(&mut self) {
        self.s_feedback.ready.next = self.state.val() == FeedbackState::Done;
        self.s_cc.ready.next = self.state.val() == FeedbackState::Ack;
        self.event_feedback.accepted.next = self.accepted.val();
        self.event_feedback.dropped.next = self.dropped.val();
        self.m_probe.valid.next = self.state.val() == FeedbackState::Probe;
        self.m_window.valid.next = self.state.val() == FeedbackState::Window;
        self.m_window.flow.next = self.at.val();
        self.m_answer.valid.next = self.answered.val();
        self.m_answer.flow.next = self.answer_flow.val();
        self.m_cc_valid.next = self.full.val();
        self.m_cc_flow.next = self.cc_flow.val();
        self.m_cc_peer.next = self.cc_peer.val();
        self.m_cc_psn.next = self.cc_psn.val();
        self.m_cc_snd_nxt.next = self.cc_snd_nxt.val();
        self.m_cc_tel.valid.next = self.tel.valid.val();
        self.m_cc_tel.hops.next = self.tel.hops.val();
        self.m_cc_tel.path.next = self.tel.path.val();
        self.capture();
        self.tables();
        self.choice();
        self.lookup();
        self.output();
    }

    /// What stands: copied until it is looked up, as a request may be taken meanwhile.
    fn capture(&mut self) {
        self.is_idle.next = self.state.val() == FeedbackState::Idle;
        self.by_port.next = self.s_feedback.valid.val()
            & self.s_feedback.direct.val()
            & !self.s_feedback.probe.val();
        self.about_data.next = !self.s_feedback.valid.val()
            | self.s_feedback.direct.val()
            | self.s_feedback.window.val();
        self.flow.next = self.s_feedback.qpn.val().get_bits::<FB>(0);
        if self.by_port.val() {
            self.flow.next = self.s_feedback.port.val().get_bits::<FB>(0);
        }
        if self.is_idle.val() {
            self.at.next = self.flow.val();
            self.qpn.next = self.s_feedback.qpn.val();
            self.src_ip.next = self.s_feedback.src_ip.val();
            self.is_data.next = self.about_data.val();
            self.is_window.next = self.s_feedback.valid.val() & self.s_feedback.window.val();
            self.is_request.next = !self.s_feedback.valid.val();
            self.may.next = self.s_feedback.tel.valid.val()
                & (!self.cfg_by_time.val()
                    | !self.s_feedback.valid.val()
                    | !self.s_feedback.direct.val());
            if self.s_feedback.valid.val() & self.s_feedback.window.val() {
                self.may.next = self.cfg_by_time.val();
            }
        }
        self.half.next = self.top.val();
        if self.is_data.val() {
            self.half.next = 0.into();
        }
    }

    /// Tables: rows and packets sent are seen as they pass.
    fn tables(&mut self) {
        self.acks.next = self.state.val() == FeedbackState::Ack;
        self.sends.next = self.sent_valid.val() & self.sent_ready.val();
        self.flows.row_flow.next = self.row_flow.val();
        self.flows.row_telemetry.next = self.row_telemetry.val();
        self.flows.row_qpn.next = self.row_qpn.val();
        self.flows.row_ip.next = self.row_ip.val();
        self.flows.row_remote.next = self.row_remote.val();
        self.flows.row_before.next = self.row_before.val();
        self.flows.ack.next = self.acks.val() & !self.cfg_by_time.val();
        self.flows.ack_flow.next = self.cc_flow.val().get_bits::<FB>(0);
        self.flows.ack_psn.next = self.cc_psn.val();
        self.flows.sends.next = self.sends.val();
        self.flows.sent_flow.next = self.sent_flow.val();
        self.flows.sent_psn.next = self.sent_psn.val();
        self.flows.flow.next = self.flow.val();
        self.flows.direct.next = self.about_data.val();
        self.flows.count_flow.next = self.at.val();
        self.flows.count_direct.next = self.is_data.val();
        self.judge.look.next = self.state.val() == FeedbackState::Look;
        self.judge.compare.next = self.state.val() == FeedbackState::Match;
        self.judge.may.next = self.may.val();
        self.judge.psn.next = self.s_feedback.psn.val();
        self.judge.direct.next = self.is_data.val();
        self.judge.by_port.next = self.by_port.val() & !self.is_request.val();
        self.judge.window.next = self.is_window.val();
        self.judge.request.next = self.is_request.val();
        self.judge.qpn.next = self.qpn.val();
        self.judge.src_ip.next = self.src_ip.val();
        self.judge.row_qpn.next = self.flows.qpn.val();
        self.judge.row_remote.next = self.flows.remote.val();
        self.judge.row_ip.next = self.flows.ip.val();
        self.judge.row_snd_nxt.next = self.flows.snd_nxt.val();
        self.judge.row_last.next = self.flows.last.val();
        self.judge.is_on.next = self.flows.is_on.val();
        self.judge.is_followed.next = self.flows.is_followed.val();
        self.judge.is_seen.next = self.flows.is_seen.val();
        comment!("A window beside any row might be of the queue pair of before.");
        self.row_stands.next = self.is_window.val() & (self.row_valid.val() | self.row_comes.val());
        self.row_hits.next = self.row_comes.val() & (self.row_flow.val() == self.at.val());
        self.is_void.next = self.stale.val() | self.row_hits.val() | self.row_stands.val();
        self.stale.next = self.is_void.val() & !self.is_idle.val();
        self.is_judged.next = self.state.val() == FeedbackState::Judge;
        self.load_ack.next = self.is_idle.val()
            & self.s_cc.valid.val()
            & (self.from_cc.val() | self.cfg_by_time.val())
            & !self.full.val()
            & (!self.feedback_next.val() | !self.s_feedback.valid.val());
        self.has_room.next = !self.full.val();
        if self.is_window.val() {
            self.has_room.next = self.m_window.ready.val();
        }
        self.load_feedback.next = self.is_judged.val()
            & self.judge.m_counts.val()
            & !self.is_void.val()
            & self.has_room.val();
    }

    /// Each request once, if nothing else is under way and no ACK waits or, without samples,
    /// might.
    fn choice(&mut self) {
        self.from_cc.next =
            !self.cfg_by_time.val() & (!self.cfg_worst_hop.val() | self.s_cc.valid.val());
        self.samples.next = self.is_idle.val()
            & self.req_valid.val()
            & self.s_feedback.tel.valid.val()
            & !self.sampled.val()
            & !self.full.val()
            & !self.from_cc.val()
            & !self.rest.val().any()
            & !self.row_comes.val()
            & !self.load_ack.val();
        if self.rest.val().any() {
            self.rest.next = self.rest.val() - 1;
        }
        if self.samples.val() {
            self.rest.next = self.most.val();
        }
        self.sampled.next = (self.sampled.val() | self.samples.val())
            & (!self.req_valid.val() | !self.req_ready.val());
        self.is_probe.next = self.s_feedback.valid.val()
            & self.s_feedback.probe.val()
            & !self.s_feedback.direct.val();
        self.looks.next = self.samples.val()
            | (self.is_idle.val()
                & self.s_feedback.valid.val()
                & !self.load_ack.val()
                & !self.is_probe.val()
                & !self.row_comes.val()
                & !self.sends.val());
        self.flows.look.next = self.looks.val();
        self.row_writes.next =
            self.row_comes.val() & !self.sends.val() & !self.acks.val() & !self.counting.val();
        self.row_applies.next = self.row_writes.val() & self.row_replies.val();
        if self.row_writes.val() {
            self.row_replies.next = !self.row_replies.val();
        }
        self.flows.row_comes.next = self.row_comes.val();
        self.flows.row_writes.next = self.row_writes.val();
        self.flows.row_replies.next = self.row_replies.val();
        self.first_psn.next = self.cfg_row.val().qp_sq_psn;
        if self.row_applies.val() {
            self.row_comes.next = false;
        }
        if !self.row_comes.val() {
            self.row_comes.next = self.row_valid.val() & self.row_ready.val();
            self.row_flow.next = self.cfg_index.val().get_bits::<FB>(0);
            self.row_telemetry.next = self.cfg_row.val().qp_valid & self.cfg_row.val().qp_telemetry;
            self.row_qpn.next = self.cfg_row.val().qp_qpn;
            self.row_remote.next = self.cfg_row.val().qp_remote_qpn;
            self.row_ip.next = self.cfg_row.val().qp_remote_ip;
            self.row_before.next = self.first_psn.val() - 1;
        }
    }

    /// A cycle later: the tables are far away.
    fn lookup(&mut self) {
        self.counting.next = self.load_feedback.val() & !self.is_request.val();
        self.flows.count.next = self.counting.val();
        self.flows.count_ahead.next = !self.judge.m_is_back.val();
        self.flows.count_psn.next = self.s_feedback.psn.val();
        self.accepted.next = self.load_feedback.val() & !self.is_request.val();
        self.dropped.next = false;
        self.answered.next = false;
        self.answer_flow.next = self.flow.val();
        if self.m_cc_ready.val() {
            self.full.next = false;
        }
        match self.state.val() {
            FeedbackState::Scrub => {
                if self.flows.ready.val() {
                    self.state.next = FeedbackState::Idle;
                }
            }
            FeedbackState::Idle => {
                if self.load_ack.val() {
                    self.state.next = FeedbackState::Ack;
                    self.feedback_next.next = true;
                } else if self.is_probe.val() {
                    self.state.next = FeedbackState::Done;
                    self.dropped.next = !self.s_feedback.tel.valid.val();
                    self.feedback_next.next = false;
                    if self.s_feedback.tel.valid.val() {
                        self.state.next = FeedbackState::Probe;
                    }
                } else if self.looks.val() {
                    self.state.next = FeedbackState::Look;
                }
            }
            FeedbackState::Ack => {
                self.state.next = FeedbackState::Idle;
            }
            FeedbackState::Look => {
                self.state.next = FeedbackState::Match;
            }
            FeedbackState::Match => {
                self.state.next = FeedbackState::Judge;
            }
            FeedbackState::Judge => {
                if self.load_feedback.val() | !self.judge.m_counts.val() | self.is_void.val() {
                    if self.is_request.val() {
                        self.state.next = FeedbackState::Idle;
                    } else {
                        self.dropped.next = !self.load_feedback.val();
                        self.answered.next = self.s_feedback.probe.val()
                            & self.judge.m_is_ours.val()
                            & !self.is_void.val();
                        self.feedback_next.next = false;
                        self.state.next = FeedbackState::Done;
                        if self.load_feedback.val() & self.is_window.val() {
                            self.state.next = FeedbackState::Window;
                        }
                    }
                }
            }
            FeedbackState::Probe => {
                if self.m_probe.ready.val() {
                    self.accepted.next = self.m_probe.accepted.val();
                    self.dropped.next = !self.m_probe.accepted.val();
                    self.state.next = FeedbackState::Done;
                }
            }
            FeedbackState::Window => {
                if self.m_window.ready.val() {
                    self.state.next = FeedbackState::Done;
                }
            }
            FeedbackState::Done => {
                self.state.next = FeedbackState::Idle;
            }
        }
        if (self.load_ack.val() & !self.cfg_by_time.val())
            | (self.load_feedback.val() & !self.is_window.val())
        {
            self.full.next = true;
        }
    }

    /// While the output is empty its fields follow what may fill it.
    fn output(&mut self) {
        self.now.next = self.now.val() + 1;
        self.span.next = self.one.val();
        if self.cfg_by_time.val() {
            self.span.next = self.cfg_feedback_cycles.val();
        }
        self.later.next = self.now.val() + bit_cast::<24, 20>(self.span.val());
        self.fills.next = self.is_judged.val() & self.judge.m_fills.val();
        if !self.full.val() & self.is_idle.val() & self.from_cc.val() {
            self.cc_flow.next = bit_cast::<FP1, FB>(self.s_cc.flow.val());
            self.cc_peer.next = false;
            self.cc_psn.next = self.s_cc.psn.val();
            self.cc_snd_nxt.next = self.s_cc.snd_nxt.val();
            self.tel.valid.next = self.s_cc.tel.valid.val();
            self.tel.hops.next = self.s_cc.tel.hops.val();
            self.tel.path.next = self.s_cc.tel.path.val();
        }
        if !self.full.val() & self.fills.val() {
            self.cc_flow.next = bit_cast::<FP1, FB>(self.at.val()) | self.half.val();
            self.cc_peer.next = self.is_request.val();
            self.cc_psn.next = self.judge.m_psn.val();
            self.cc_snd_nxt.next = self.judge.m_snd_nxt.val();
            if self.cfg_by_time.val() | self.is_request.val() {
                self.cc_psn.next = self.now.val();
                self.cc_snd_nxt.next = self.later.val();
            }
            self.tel.valid.next = true;
        }
        comment!("A request's telemetry is there since it was looked up.");
        self.copies.next = !self.full.val()
            & ((self.is_judged.val() & self.judge.m_copies.val())
                | (self.is_idle.val() & !self.from_cc.val()));
        if self.copies.val() {
            self.tel.hops.next = self.s_feedback.tel.hops.val();
            self.tel.path.next = self.s_feedback.tel.path.val();
        }
        for i in 0..5 {
            self.tel.hop[i].next = self.tel.hop[i].val();
            self.m_cc_tel.hop[i].next = self.tel.hop[i].val();
            if !self.full.val() & self.is_idle.val() & self.from_cc.val() {
                self.tel.hop[i].next = self.s_cc.tel.hop[i].val();
            }
            if self.copies.val() {
                self.tel.hop[i].next = self.s_feedback.tel.hop[i].val();
            }
        }
    }
}
