//! Telemetry responses in, beside the ACKs of the requester: those of the peer go to the congestion control
//! of the READ responses, direct ones of switches and answers to probes to that of the data, as ACKs do.
//! Probes of the peer pass to who answers them.
//!
//! # Source            ARCHITECTURE.md, telemetry responses and probes
//! # Interface timing  cycle 0: s_feedback_valid with nothing under way; cycle 4: m_cc and
//!                     event_feedback_accepted, if m_cc is free, or event_feedback_dropped, and
//!                     s_feedback_ready; with it m_answer, if it answers a probe. Probe: cycle 1:
//!                     m_probe_valid; the cycle after m_probe_ready: its event and s_feedback_ready;
//!                     without telemetry cycle 1: these. ACK: cycle 0: s_cc_valid; cycle 1: s_cc_ready, m_cc
//! # Latency and rate  an ACK every other cycle, a telemetry response every 6 cycles; when both wait
//!                     they take turns. m_cc is filled when it was empty in the cycle before
//! # Shape             2^FB = F flows, FP1 = FB + 1
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
//!                     A row counts from the cycle after that in which it was taken, later by the cycles
//!                     in which a packet is sent, an ACK was taken or a verdict may count: each takes
//!                     the tables for one. Rows are 4 cycles apart or more, packets 3
//! # Reset             synchronous, high: no flow has telemetry, outputs 0. While m_cc is empty its
//!                     fields follow s_cc, or a telemetry response with its verdict that counts,
//!                     taken or not: so their enable depends on no other block
//! # Twins             sim/src/golden/transport/feedback_in.rs, tests/feedback_in.rs

use super::feedback_flows::FeedbackFlows;
use super::feedback_judge::FeedbackJudge;
use crate::emit::{self, Design, EmitError};
use crate::Module;
use nic_spec::NicConfig;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// States of the block.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum FeedbackState {
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
    /// It is taken.
    Done,
}

/// Telemetry responses of `F = 2^FB` flows.
#[derive(LogicBlock)]
pub struct FeedbackIn<const FB: usize, const F: usize, const FP1: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// A queue pair row waits.
    pub row_valid: Signal<In, Bit>,
    /// It is taken by who keeps the telemetry to send.
    pub row_ready: Signal<In, Bit>,
    /// Index of the row.
    pub cfg_index: Signal<In, Bits<16>>,
    /// The row.
    pub cfg_row: Signal<In, Bits<512>>,
    /// A packet waits to be sent.
    pub sent_valid: Signal<In, Bit>,
    /// It is sent.
    pub sent_ready: Signal<In, Bit>,
    /// Its paced flow; top bit: a READ response.
    pub sent_flow: Signal<In, Bits<FP1>>,
    /// Its PSN.
    pub sent_psn: Signal<In, Bits<24>>,
    /// A telemetry response is offered.
    pub s_feedback_valid: Signal<In, Bit>,
    /// It is taken.
    pub s_feedback_ready: Signal<Out, Bit>,
    /// Queue pair.
    pub s_feedback_qpn: Signal<In, Bits<24>>,
    /// PSN of the packet whose telemetry it brings.
    pub s_feedback_psn: Signal<In, Bits<24>>,
    /// Source address.
    pub s_feedback_src_ip: Signal<In, Bits<32>>,
    /// It is about data: a direct one, or the answer to a probe.
    pub s_feedback_direct: Signal<In, Bit>,
    /// It is a probe or, about data, the answer to one.
    pub s_feedback_probe: Signal<In, Bit>,
    /// Low byte of the UDP source port.
    pub s_feedback_port: Signal<In, Bits<8>>,
    /// Telemetry is there.
    pub s_feedback_tel_valid: Signal<In, Bit>,
    /// Records; 6: not usable.
    pub s_feedback_tel_hops: Signal<In, Bits<3>>,
    /// XOR of the switches' identifiers.
    pub s_feedback_tel_path: Signal<In, Bits<12>>,
    /// Records.
    pub s_feedback_tel_hop: [Signal<In, Bits<64>>; 5],
    /// Telemetry of an ACK is offered.
    pub s_cc_valid: Signal<In, Bit>,
    /// It is taken.
    pub s_cc_ready: Signal<Out, Bit>,
    /// Flow.
    pub s_cc_flow: Signal<In, Bits<FB>>,
    /// PSN of the ACK.
    pub s_cc_psn: Signal<In, Bits<24>>,
    /// Next PSN to send.
    pub s_cc_snd_nxt: Signal<In, Bits<24>>,
    /// Telemetry came with it.
    pub s_cc_tel_valid: Signal<In, Bit>,
    /// Records; 6: not usable.
    pub s_cc_tel_hops: Signal<In, Bits<3>>,
    /// XOR of the switches' identifiers.
    pub s_cc_tel_path: Signal<In, Bits<12>>,
    /// Records.
    pub s_cc_tel_hop: [Signal<In, Bits<64>>; 5],
    /// Telemetry for the congestion control.
    pub m_cc_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_cc_ready: Signal<In, Bit>,
    /// Paced flow; top bit: READ responses.
    pub m_cc_flow: Signal<Out, Bits<FP1>>,
    /// PSN that it acknowledges.
    pub m_cc_psn: Signal<Out, Bits<24>>,
    /// Next PSN to send.
    pub m_cc_snd_nxt: Signal<Out, Bits<24>>,
    /// Telemetry came with it.
    pub m_cc_tel_valid: Signal<Out, Bit>,
    /// Records; 6: not usable.
    pub m_cc_tel_hops: Signal<Out, Bits<3>>,
    /// XOR of the switches' identifiers.
    pub m_cc_tel_path: Signal<Out, Bits<12>>,
    /// Records.
    pub m_cc_tel_hop: [Signal<Out, Bits<64>>; 5],
    /// The telemetry response that is offered is a probe with telemetry.
    pub m_probe_valid: Signal<Out, Bit>,
    /// It has been looked up.
    pub m_probe_ready: Signal<In, Bit>,
    /// It will be answered.
    pub m_probe_accepted: Signal<In, Bit>,
    /// The probe of a flow is answered.
    pub m_answer_valid: Signal<Out, Bit>,
    /// The flow.
    pub m_answer_flow: Signal<Out, Bits<FB>>,
    /// A telemetry response counts.
    pub event_feedback_accepted: Signal<Out, Bit>,
    /// A telemetry response is dropped.
    pub event_feedback_dropped: Signal<Out, Bit>,
    flows: FeedbackFlows<FB, F, FP1>,
    judge: FeedbackJudge,
    state: DFF<FeedbackState>,
    feedback_next: DFF<Bit>,
    accepted: DFF<Bit>,
    dropped: DFF<Bit>,
    answered: DFF<Bit>,
    answer_flow: DFF<Bits<FB>>,
    full: DFF<Bit>,
    cc_flow: DFF<Bits<FP1>>,
    cc_psn: DFF<Bits<24>>,
    cc_snd_nxt: DFF<Bits<24>>,
    tel_valid: DFF<Bit>,
    tel_hops: DFF<Bits<3>>,
    tel_path: DFF<Bits<12>>,
    tel_hop: [DFF<Bits<64>>; 5],
    row_comes: DFF<Bit>,
    row_flow: DFF<Bits<FB>>,
    row_telemetry: DFF<Bit>,
    row_qpn: DFF<Bits<24>>,
    row_ip: DFF<Bits<32>>,
    row_remote: DFF<Bits<24>>,
    row_before: DFF<Bits<24>>,
    first_psn: Signal<Local, Bits<24>>,
    acks: Signal<Local, Bit>,
    row_applies: Signal<Local, Bit>,
    half: Signal<Local, Bits<FP1>>,
    sends: Signal<Local, Bit>,
    stale: DFF<Bit>,
    row_hits: Signal<Local, Bit>,
    is_void: Signal<Local, Bit>,
    is_judged: Signal<Local, Bit>,
    load_ack: Signal<Local, Bit>,
    load_feedback: Signal<Local, Bit>,
    flow: Signal<Local, Bits<FB>>,
    top: Constant<Bits<FP1>>,
}

impl<const FB: usize, const F: usize, const FP1: usize> Default for FeedbackIn<FB, F, FP1> {
    fn default() -> Self {
        assert!(F == 1 << FB && FP1 == FB + 1 && FB <= 8, "F = 2^FB, FP1 = FB + 1, a byte of port");
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            row_valid: Default::default(),
            row_ready: Default::default(),
            cfg_index: Default::default(),
            cfg_row: Default::default(),
            sent_valid: Default::default(),
            sent_ready: Default::default(),
            sent_flow: Default::default(),
            sent_psn: Default::default(),
            s_feedback_valid: Default::default(),
            s_feedback_ready: Default::default(),
            s_feedback_qpn: Default::default(),
            s_feedback_psn: Default::default(),
            s_feedback_src_ip: Default::default(),
            s_feedback_direct: Default::default(),
            s_feedback_probe: Default::default(),
            s_feedback_port: Default::default(),
            s_feedback_tel_valid: Default::default(),
            s_feedback_tel_hops: Default::default(),
            s_feedback_tel_path: Default::default(),
            s_feedback_tel_hop: Default::default(),
            s_cc_valid: Default::default(),
            s_cc_ready: Default::default(),
            s_cc_flow: Default::default(),
            s_cc_psn: Default::default(),
            s_cc_snd_nxt: Default::default(),
            s_cc_tel_valid: Default::default(),
            s_cc_tel_hops: Default::default(),
            s_cc_tel_path: Default::default(),
            s_cc_tel_hop: Default::default(),
            m_cc_valid: Default::default(),
            m_cc_ready: Default::default(),
            m_cc_flow: Default::default(),
            m_cc_psn: Default::default(),
            m_cc_snd_nxt: Default::default(),
            m_cc_tel_valid: Default::default(),
            m_cc_tel_hops: Default::default(),
            m_cc_tel_path: Default::default(),
            m_cc_tel_hop: Default::default(),
            m_probe_valid: Default::default(),
            m_probe_ready: Default::default(),
            m_probe_accepted: Default::default(),
            m_answer_valid: Default::default(),
            m_answer_flow: Default::default(),
            event_feedback_accepted: Default::default(),
            event_feedback_dropped: Default::default(),
            flows: Default::default(),
            judge: Default::default(),
            state: Default::default(),
            feedback_next: Default::default(),
            accepted: Default::default(),
            dropped: Default::default(),
            answered: Default::default(),
            answer_flow: Default::default(),
            full: Default::default(),
            cc_flow: Default::default(),
            cc_psn: Default::default(),
            cc_snd_nxt: Default::default(),
            tel_valid: Default::default(),
            tel_hops: Default::default(),
            tel_path: Default::default(),
            tel_hop: Default::default(),
            row_comes: Default::default(),
            row_flow: Default::default(),
            row_telemetry: Default::default(),
            row_qpn: Default::default(),
            row_ip: Default::default(),
            row_remote: Default::default(),
            row_before: Default::default(),
            first_psn: Default::default(),
            acks: Default::default(),
            row_applies: Default::default(),
            half: Default::default(),
            sends: Default::default(),
            stale: Default::default(),
            row_hits: Default::default(),
            is_void: Default::default(),
            is_judged: Default::default(),
            load_ack: Default::default(),
            load_feedback: Default::default(),
            flow: Default::default(),
            top: Constant::new((1u64 << FB).to_bits()),
        }
    }
}

impl<const FB: usize, const F: usize, const FP1: usize> Logic for FeedbackIn<FB, F, FP1> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            state,
            feedback_next,
            accepted,
            dropped,
            answered,
            answer_flow,
            stale,
            row_comes,
            row_flow,
            row_telemetry,
            row_qpn,
            row_ip,
            row_remote,
            row_before,
            full,
            cc_flow,
            cc_psn,
            cc_snd_nxt,
            tel_valid,
            tel_hops,
            tel_path
        );
        self.flows.clock.next = self.clock.val();
        self.flows.reset.next = self.reset.val();
        self.judge.clock.next = self.clock.val();
        self.s_feedback_ready.next = self.state.q.val() == FeedbackState::Done;
        self.s_cc_ready.next = self.state.q.val() == FeedbackState::Ack;
        self.event_feedback_accepted.next = self.accepted.q.val();
        self.event_feedback_dropped.next = self.dropped.q.val();
        self.m_probe_valid.next = self.state.q.val() == FeedbackState::Probe;
        self.m_answer_valid.next = self.answered.q.val();
        self.m_answer_flow.next = self.answer_flow.q.val();
        self.m_cc_valid.next = self.full.q.val();
        self.m_cc_flow.next = self.cc_flow.q.val();
        self.m_cc_psn.next = self.cc_psn.q.val();
        self.m_cc_snd_nxt.next = self.cc_snd_nxt.q.val();
        self.m_cc_tel_valid.next = self.tel_valid.q.val();
        self.m_cc_tel_hops.next = self.tel_hops.q.val();
        self.m_cc_tel_path.next = self.tel_path.q.val();
        comment!("Tables: rows and packets sent are seen as they pass.");
        self.acks.next = self.state.q.val() == FeedbackState::Ack;
        self.sends.next = self.sent_valid.val() & self.sent_ready.val();
        self.flow.next = self.s_feedback_qpn.val().get_bits::<FB>(0);
        self.half.next = self.top.val();
        if self.s_feedback_direct.val() {
            self.half.next = 0.into();
            if !self.s_feedback_probe.val() {
                self.flow.next = self.s_feedback_port.val().get_bits::<FB>(0);
            }
        }
        self.flows.row_flow.next = self.row_flow.q.val();
        self.flows.row_telemetry.next = self.row_telemetry.q.val();
        self.flows.row_qpn.next = self.row_qpn.q.val();
        self.flows.row_ip.next = self.row_ip.q.val();
        self.flows.row_remote.next = self.row_remote.q.val();
        self.flows.row_before.next = self.row_before.q.val();
        self.flows.ack.next = self.acks.val();
        self.flows.ack_flow.next = self.cc_flow.q.val().get_bits::<FB>(0);
        self.flows.ack_psn.next = self.cc_psn.q.val();
        self.flows.sends.next = self.sends.val();
        self.flows.sent_flow.next = self.sent_flow.val();
        self.flows.sent_psn.next = self.sent_psn.val();
        self.flows.look.next = false;
        self.flows.flow.next = self.flow.val();
        self.flows.direct.next = self.s_feedback_direct.val();
        self.judge.look.next = self.state.q.val() == FeedbackState::Look;
        self.judge.compare.next = self.state.q.val() == FeedbackState::Match;
        self.judge.tel_valid.next = self.s_feedback_tel_valid.val();
        self.judge.psn.next = self.s_feedback_psn.val();
        self.judge.direct.next = self.s_feedback_direct.val();
        self.judge.answer.next = self.s_feedback_probe.val();
        self.judge.qpn.next = self.s_feedback_qpn.val();
        self.judge.src_ip.next = self.s_feedback_src_ip.val();
        self.judge.row_qpn.next = self.flows.qpn.val();
        self.judge.row_remote.next = self.flows.remote.val();
        self.judge.row_ip.next = self.flows.ip.val();
        self.judge.row_snd_nxt.next = self.flows.snd_nxt.val();
        self.judge.row_last.next = self.flows.last.val();
        self.judge.is_on.next = self.flows.is_on.val();
        self.judge.is_followed.next = self.flows.is_followed.val();
        self.row_hits.next = self.row_comes.q.val() & (self.row_flow.q.val() == self.flow.val());
        self.is_void.next = self.stale.q.val() | self.row_hits.val();
        self.stale.d.next = self.is_void.val() & (self.state.q.val() != FeedbackState::Idle);
        self.is_judged.next = self.state.q.val() == FeedbackState::Judge;
        self.load_ack.next = (self.state.q.val() == FeedbackState::Idle)
            & self.s_cc_valid.val()
            & !self.full.q.val()
            & (!self.feedback_next.q.val() | !self.s_feedback_valid.val());
        self.load_feedback.next = self.is_judged.val()
            & self.judge.m_counts.val()
            & !self.is_void.val()
            & !self.full.q.val();
        self.row_applies.next = self.row_comes.q.val()
            & !self.sends.val()
            & !self.acks.val()
            & (!self.is_judged.val() | self.full.q.val());
        self.flows.row_comes.next = self.row_comes.q.val();
        self.flows.row_writes.next = self.row_applies.val();
        self.first_psn.next = self.cfg_row.val().get_bits::<24>(224);
        if self.row_applies.val() | !self.row_comes.q.val() {
            self.row_comes.d.next = self.row_valid.val() & self.row_ready.val();
            self.row_flow.d.next = self.cfg_index.val().get_bits::<FB>(0);
            self.row_telemetry.d.next =
                self.cfg_row.val().get_bit(0) & self.cfg_row.val().get_bit(1);
            self.row_qpn.d.next = self.cfg_row.val().get_bits::<24>(32);
            self.row_remote.d.next = self.cfg_row.val().get_bits::<24>(64);
            self.row_ip.d.next = self.cfg_row.val().get_bits::<32>(96);
            self.row_before.d.next = self.first_psn.val() - 1;
        }
        self.flows.count.next = self.load_feedback.val();
        self.flows.count_ahead.next = !self.judge.m_is_back.val();
        self.flows.count_psn.next = self.s_feedback_psn.val();
        self.accepted.d.next = self.load_feedback.val();
        self.dropped.d.next = false;
        self.answered.d.next = false;
        self.answer_flow.d.next = self.flow.val();
        if self.m_cc_ready.val() {
            self.full.d.next = false;
        }
        match self.state.q.val() {
            FeedbackState::Idle => {
                if self.load_ack.val() {
                    self.state.d.next = FeedbackState::Ack;
                    self.feedback_next.d.next = true;
                } else if self.s_feedback_valid.val()
                    & self.s_feedback_probe.val()
                    & !self.s_feedback_direct.val()
                {
                    self.state.d.next = FeedbackState::Done;
                    self.dropped.d.next = !self.s_feedback_tel_valid.val();
                    self.feedback_next.d.next = false;
                    if self.s_feedback_tel_valid.val() {
                        self.state.d.next = FeedbackState::Probe;
                    }
                } else if self.s_feedback_valid.val() & !self.row_comes.q.val() & !self.sends.val()
                {
                    self.flows.look.next = true;
                    self.state.d.next = FeedbackState::Look;
                }
            }
            FeedbackState::Ack => {
                self.state.d.next = FeedbackState::Idle;
            }
            FeedbackState::Look => {
                self.state.d.next = FeedbackState::Match;
            }
            FeedbackState::Match => {
                self.state.d.next = FeedbackState::Judge;
            }
            FeedbackState::Judge => {
                if self.load_feedback.val() | !self.judge.m_counts.val() | self.is_void.val() {
                    self.dropped.d.next = !self.load_feedback.val();
                    self.answered.d.next = self.s_feedback_probe.val()
                        & self.judge.m_is_ours.val()
                        & !self.is_void.val();
                    self.feedback_next.d.next = false;
                    self.state.d.next = FeedbackState::Done;
                }
            }
            FeedbackState::Probe => {
                if self.m_probe_ready.val() {
                    self.accepted.d.next = self.m_probe_accepted.val();
                    self.dropped.d.next = !self.m_probe_accepted.val();
                    self.state.d.next = FeedbackState::Done;
                }
            }
            FeedbackState::Done => {
                self.state.d.next = FeedbackState::Idle;
            }
        }
        if self.load_ack.val() | self.load_feedback.val() {
            self.full.d.next = true;
        }
        comment!("While the output is empty its fields follow what may fill it.");
        if !self.full.q.val() & !self.is_judged.val() {
            self.cc_flow.d.next = bit_cast::<FP1, FB>(self.s_cc_flow.val());
            self.cc_psn.d.next = self.s_cc_psn.val();
            self.cc_snd_nxt.d.next = self.s_cc_snd_nxt.val();
            self.tel_valid.d.next = self.s_cc_tel_valid.val();
            self.tel_hops.d.next = self.s_cc_tel_hops.val();
            self.tel_path.d.next = self.s_cc_tel_path.val();
        }
        if !self.full.q.val() & self.is_judged.val() & self.judge.m_counts.val() {
            self.cc_flow.d.next = bit_cast::<FP1, FB>(self.flow.val()) | self.half.val();
            self.cc_psn.d.next = self.judge.m_psn.val();
            self.cc_snd_nxt.d.next = self.judge.m_snd_nxt.val();
            self.tel_valid.d.next = true;
            self.tel_hops.d.next = self.s_feedback_tel_hops.val();
            self.tel_path.d.next = self.s_feedback_tel_path.val();
        }
        for i in 0..5 {
            self.tel_hop[i].clock.next = self.clock.val();
            self.tel_hop[i].d.next = self.tel_hop[i].q.val();
            self.m_cc_tel_hop[i].next = self.tel_hop[i].q.val();
            if !self.full.q.val() & !self.is_judged.val() {
                self.tel_hop[i].d.next = self.s_cc_tel_hop[i].val();
            }
            if !self.full.q.val() & self.is_judged.val() & self.judge.m_counts.val() {
                self.tel_hop[i].d.next = self.s_feedback_tel_hop[i].val();
            }
            if self.reset.val() {
                self.tel_hop[i].d.next = 0.into();
            }
        }
        if self.reset.val() {
            self.state.d.next = FeedbackState::Idle;
            self.feedback_next.d.next = false;
            self.stale.d.next = false;
            self.row_comes.d.next = false;
            self.accepted.d.next = false;
            self.dropped.d.next = false;
            self.answered.d.next = false;
            self.answer_flow.d.next = 0.into();
            self.full.d.next = false;
            self.cc_flow.d.next = 0.into();
            self.cc_psn.d.next = 0.into();
            self.cc_snd_nxt.d.next = 0.into();
            self.tel_valid.d.next = false;
            self.tel_hops.d.next = 0.into();
            self.tel_path.d.next = 0.into();
        }
    }
}

/// Emits the block.
pub fn emit(config: &NicConfig) -> Result<Design, EmitError> {
    match config.flow_count {
        64 => emit::emit("feedback_in", FeedbackIn::<6, 64, 7>::default(), config),
        _ => Err(emit::no_such_size("feedback_in", config)),
    }
}
