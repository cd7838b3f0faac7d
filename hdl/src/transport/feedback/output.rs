//! Telemetry responses out: the newest telemetry that READ responses of a queue pair have brought
//! goes back to their sender, at most once in an interval. Probes are answered beside that.
//!
//! # Source            hdl/feedback.md
//! # Interface timing  cycle 0: watch_valid and watch_ready of a READ response; its telemetry response
//!                     stands from cycle [`LATENCY_CYCLES`] on if its flow does not wait. The interval
//!                     counts from m_feedback_ready. Probe: s_probe_valid with the watched fields, of a
//!                     packet that the requester does not see; s_probe_ready with its verdict 5 to 7
//!                     cycles later, its answer 3 to 5 cycles behind that at the earliest. A row stands at m_cfg 2 cycles after it came,
//!                     s_cfg_ready 1 cycle behind m_cfg_ready
//! # Latency and rate  a READ response every 8 cycles at most; one operation every other cycle
//! # Shape             2^FB flows; RB = FB + 24, CW = FB + 1
//! # Number formats    cfg_feedback_cycles | UQ20.0 | cycles; 0: no limit
//! # Rules             a flow's first telemetry response leaves at once; then it waits, and what comes
//!                     meanwhile replaces what came before. When its time is up the newest leaves.
//!                     None leaves without telemetry in the queue pair's row, nor for a READ response
//!                     whose QPN or source is another. A row makes its flow forget; it goes on to the
//!                     tx pipe once no telemetry response of the flow stands at m_feedback. A new
//!                     queue pair inherits what is left of the wait.
//!                     A probe is answered if QPN and source are those of a row with telemetry. Answers
//!                     leave in the order of their probes, in turn with the others; they wait for no
//!                     interval and nothing replaces them. [`ANSWERS`] have a place, a probe that
//!                     finds none is dropped. A row waits until all have left, and while it waits
//!                     probes are dropped
//! # Reset             synchronous, high: for 2^FB cycles nothing is taken or looked at; then no flow
//!                     has telemetry, none waits
//! # Twins             sim/models/src/golden/transport/feedback/output.rs,
//!                     tests/transport/feedback_out.rs

use crate::rows::StagedRow;
use crate::streams::{FeedbackPacket, Offer, ProbeOffer, Telemetry};
use crate::transport::feedback::{
    due::FeedbackDue,
    held::{FeedbackHeld, HeldTelemetry},
};
use crate::util::{fifo::Fifo, ram::Ram};
use crate::{block, kernel, row, Reg, Unreset, Wire};
use rust_hdl_core::prelude::*;

/// Cycles from a READ response to its telemetry response, with nothing else to do.
pub const LATENCY_CYCLES: usize = 11;

/// Answers to probes that can wait for the tx pipe.
pub const ANSWERS: usize = 16;

/// What a cycle's successor does.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum FeedbackOp {
    /// Nothing: the next operation is chosen.
    None,
    /// A READ response or probe that has been looked up.
    Arrive,
    /// A row.
    Cfg,
    /// A flow has waited long enough.
    Expire,
    /// The output is free, a flow is next.
    Load,
    /// Or the answer to a probe is.
    Answer,
}

/// What is known of a flow.
#[row]
struct FlagsRow {
    enabled: Bit, // Its row is valid and has telemetry
    busy: Bit,    // It stands in the queue, at the output, or waits
    pending: Bit, // It has telemetry to send
}

/// Telemetry responses of `2^FB` flows.
#[block(check(RB == FB + 24 && CW == FB + 1))]
pub struct FeedbackOut<const FB: usize, const RB: usize, const CW: usize> {
    /// Cycles between two telemetry responses of a flow.
    pub cfg_feedback_cycles: Signal<In, Bits<20>>,
    /// A queue pair row is offered.
    pub s_cfg: Offer<In>,
    /// Index of the row.
    pub cfg_index: Signal<In, Bits<16>>,
    /// The row.
    pub cfg_row: Signal<In, StagedRow>,
    /// The row is in force here: the tx pipe's turn.
    pub m_cfg: Offer<Out>,
    /// An answer stands at the requester.
    pub watch_valid: Signal<In, Bit>,
    /// The requester takes it.
    pub watch_ready: Signal<In, Bit>,
    /// Its operation code.
    pub watch_opcode: Signal<In, Bits<8>>,
    /// Its queue pair.
    pub watch_qpn: Signal<In, Bits<24>>,
    /// Its PSN.
    pub watch_psn: Signal<In, Bits<24>>,
    /// Its source address.
    pub watch_src_ip: Signal<In, Bits<32>>,
    /// It has telemetry.
    pub watch_tel: Telemetry<In>,
    /// A probe that the requester does not see, with the watched fields.
    pub s_probe: ProbeOffer<In>,
    /// A telemetry response stands at the source.
    pub m_feedback: FeedbackPacket<Out, FB>,
    held: FeedbackHeld<FB>,
    due: FeedbackDue<FB, RB, CW>,
    queue: Fifo<Bits<FB>, FB, CW>,
    answers: Fifo<Bits<FB>, 4, 5>,
    stacks: Ram<CW, HeldTelemetry>,
    flags: Ram<FB, FlagsRow>,
    scrub: Reg<Bits<CW>>,
    #[reset(FeedbackOp::None)]
    op: Reg<FeedbackOp>,
    flow: Unreset<Bits<FB>>,
    joins: Reg<Bit>,
    answer_joins: Reg<Bit>,
    answer_in: Reg<Bits<4>>,
    answer_out: Reg<Bits<4>>,
    answer: Reg<Bit>,
    row_waits: Reg<Bit>,
    joining: Unreset<Bits<FB>>,
    cfg_valid: Reg<Bit>,
    cfg_done: Reg<Bit>,
    loading: Reg<Bit>,
    full: Reg<Bit>,
    shown_flow: Reg<Bits<FB>>,
    shown: Reg<HeldTelemetry>,
    cfg_flow: Signal<Local, Bits<FB>>,
    cfg_waits: Signal<Local, Bit>,
    has_telemetry: Signal<Local, Bit>,
    accepts: Signal<Local, Bit>,
    probe_arrives: Signal<Local, Bit>,
    probe_accepts: Signal<Local, Bit>,
    answer_goes: Signal<Local, Bit>,
    is_free: Signal<Local, Bit>,
    place_in: Signal<Local, Bits<CW>>,
    place_out: Signal<Local, Bits<CW>>,
    #[init(Constant::new((1u64 << FB).to_bits()))]
    top: Constant<Bits<CW>>,
    is_open: Signal<Local, Bit>,
    picks: Signal<Local, Bit>,
    picked: Signal<Local, Bits<FB>>,
    is_enabled: Signal<Local, Bit>,
    is_busy: Signal<Local, Bit>,
    is_pending: Signal<Local, Bit>,
}

#[kernel]
impl<const FB: usize, const RB: usize, const CW: usize> FeedbackOut<FB, RB, CW> {
    fn update(&mut self) {
        self.s_cfg.ready.next = self.cfg_done.val();
        self.m_cfg.valid.next = self.cfg_valid.val();
        self.m_feedback.valid.next = self.full.val();
        self.m_feedback.flow.next = self.shown_flow.val();
        self.m_feedback.psn.next = self.shown.val().psn;
        self.m_feedback.answer.next = self.answer.val();
        self.m_feedback.tel.valid.next = self.full.val();
        self.m_feedback.tel.hops.next = self.shown.val().hops;
        self.m_feedback.tel.path.next = self.shown.val().path;
        self.m_feedback.tel.hop[0].next = self.shown.val().hop_0;
        self.m_feedback.tel.hop[1].next = self.shown.val().hop_1;
        self.m_feedback.tel.hop[2].next = self.shown.val().hop_2;
        self.m_feedback.tel.hop[3].next = self.shown.val().hop_3;
        self.m_feedback.tel.hop[4].next = self.shown.val().hop_4;
        self.is_open.next = (self.scrub.val() & self.top.val()).any();
        if !self.is_open.val() {
            self.scrub.next = self.scrub.val() + 1;
        }
        self.held.is_open.next = self.is_open.val();
        self.held.probe_valid.next = self.s_probe.valid.val();
        self.held.watch_valid.next = self.watch_valid.val();
        self.held.watch_ready.next = self.watch_ready.val();
        self.held.watch_opcode.next = self.watch_opcode.val();
        self.held.watch_qpn.next = self.watch_qpn.val();
        self.held.watch_psn.next = self.watch_psn.val();
        self.held.watch_src_ip.next = self.watch_src_ip.val();
        Wire::join(&mut self.watch_tel, &mut self.held.watch_tel);
        self.choice();
        self.operations();
    }

    /// Choice: a row waits while a packet is looked up, its flow's frame stands or an answer
    /// waits.
    fn choice(&mut self) {
        self.cfg_flow.next = self.cfg_index.val().get_bits::<FB>(0);
        self.cfg_waits.next = self.cfg_valid.val()
            | self.cfg_done.val()
            | self.held.busy.val()
            | self.s_probe.valid.val()
            | self.answer_joins.val()
            | self.answers.count.val().any()
            | (self.watch_valid.val() & self.watch_ready.val())
            | ((self.full.val() | self.loading.val())
                & (self.shown_flow.val() == self.cfg_flow.val()));
        self.row_waits.next = self.s_cfg.valid.val();
        self.is_free.next = !self.full.val() & !self.loading.val();
        self.answer_goes.next =
            self.answers.m.valid.val() & (!self.queue.m.valid.val() | !self.answer.val());
        self.op.next = FeedbackOp::None;
        self.picked.next = self.held.m_flow.val();
        self.picks.next = self.is_open.val() & (self.op.val() == FeedbackOp::None);
        if self.picks.val() {
            if self.held.m_valid.val() {
                self.op.next = FeedbackOp::Arrive;
            } else if self.s_cfg.valid.val() & !self.cfg_waits.val() {
                self.op.next = FeedbackOp::Cfg;
                self.picked.next = self.cfg_flow.val();
            } else if self.due.m_valid.val() {
                self.op.next = FeedbackOp::Expire;
                self.picked.next = self.due.m_flow.val();
            } else if self.answer_goes.val() & self.is_free.val() {
                self.op.next = FeedbackOp::Answer;
                self.picked.next = self.answers.m.data.val();
            } else if self.queue.m.valid.val() & self.is_free.val() {
                self.op.next = FeedbackOp::Load;
                self.picked.next = self.queue.m.data.val();
            }
        }
        self.flow.next = self.picked.val();
    }

    /// Operations. A flow is busy from the queue over the output to the end of its wait.
    fn operations(&mut self) {
        comment!("Its flags are read when it is picked, and written with it.");
        self.flags.read_enable.next = self.picks.val();
        self.flags.read_address.next = self.picked.val();
        self.is_enabled.next = self.flags.read_data.val().enabled;
        self.is_busy.next = self.flags.read_data.val().busy;
        self.is_pending.next = self.flags.read_data.val().pending;
        self.accepts.next = self.is_enabled.val() & self.held.m_match.val();
        self.flags.write_enable.next = !self.is_open.val() | (self.op.val() != FeedbackOp::None);
        self.flags.write_address.next = self.flow.val();
        self.flags.write_data.next.enabled = self.is_enabled.val();
        self.flags.write_data.next.busy = self.is_busy.val();
        self.flags.write_data.next.pending = self.is_pending.val();
        self.has_telemetry.next = self.cfg_row.val().qp_valid & self.cfg_row.val().qp_telemetry;
        self.held.m_take.next = self.op.val() == FeedbackOp::Arrive;
        self.held.row_write.next = self.op.val() == FeedbackOp::Cfg;
        self.held.row_flow.next = self.flow.val();
        self.held.row_qpn.next = self.cfg_row.val().qp_qpn;
        self.held.row_ip.next = self.cfg_row.val().qp_remote_ip;
        self.stacks.write_enable.next = false;
        self.stacks.write_address.next = bit_cast::<CW, FB>(self.flow.val());
        self.stacks.write_data.next = self.held.m_word.val();
        self.stacks.read_enable.next =
            (self.op.val() == FeedbackOp::Load) | (self.op.val() == FeedbackOp::Answer);
        self.stacks.read_address.next = bit_cast::<CW, FB>(self.flow.val());
        self.joins.next = false;
        comment!("Answers have the upper half of the stacks, in a ring.");
        self.place_in.next = bit_cast::<CW, 4>(self.answer_in.val()) | self.top.val();
        self.place_out.next = bit_cast::<CW, 4>(self.answer_out.val()) | self.top.val();
        self.probe_arrives.next = (self.op.val() == FeedbackOp::Arrive) & self.held.m_probe.val();
        self.probe_accepts.next = self.probe_arrives.val()
            & self.accepts.val()
            & self.answers.s.ready.val()
            & !self.row_waits.val();
        self.s_probe.ready.next = self.probe_arrives.val();
        self.s_probe.accepted.next = self.probe_accepts.val();
        self.answer_joins.next = self.probe_accepts.val();
        self.answers.s.valid.next = self.answer_joins.val();
        self.answers.s.data.next = self.joining.val();
        self.answers.m.ready.next = self.op.val() == FeedbackOp::Answer;
        self.joining.next = self.flow.val();
        self.queue.s.valid.next = self.joins.val();
        self.queue.s.data.next = self.joining.val();
        self.queue.m.ready.next = self.op.val() == FeedbackOp::Load;
        self.due.s_valid.next = self.full.val() & self.m_feedback.ready.val() & !self.answer.val();
        self.due.s_flow.next = self.shown_flow.val();
        self.due.interval.next = self.cfg_feedback_cycles.val();
        self.due.m_take.next = self.op.val() == FeedbackOp::Expire;
        self.cfg_done.next = self.cfg_valid.val() & self.m_cfg.ready.val();
        self.loading.next = false;
        if self.m_cfg.ready.val() {
            self.cfg_valid.next = false;
        }
        if self.m_feedback.ready.val() {
            self.full.next = false;
        }
        if self.loading.val() {
            self.full.next = true;
            self.shown.next = self.stacks.read_data.val();
        }
        match self.op.val() {
            FeedbackOp::None => {}
            FeedbackOp::Arrive => {
                if self.held.m_probe.val() {
                    self.stacks.write_enable.next = self.probe_accepts.val();
                    self.stacks.write_address.next = self.place_in.val();
                    if self.probe_accepts.val() {
                        self.answer_in.next = self.answer_in.val() + 1;
                    }
                } else if self.accepts.val() {
                    self.stacks.write_enable.next = true;
                    self.flags.write_data.next.pending = true;
                    self.flags.write_data.next.busy = true;
                    self.joins.next = !self.is_busy.val();
                }
            }
            FeedbackOp::Cfg => {
                self.cfg_valid.next = true;
                self.flags.write_data.next.pending = false;
                self.flags.write_data.next.enabled = self.has_telemetry.val();
            }
            FeedbackOp::Expire => {
                self.joins.next = self.is_pending.val();
                self.flags.write_data.next.busy = self.is_pending.val();
            }
            FeedbackOp::Load => {
                self.flags.write_data.next.pending = false;
                self.flags.write_data.next.busy = self.is_pending.val();
                self.loading.next = self.is_pending.val();
                if self.is_pending.val() {
                    self.shown_flow.next = self.flow.val();
                    self.answer.next = false;
                }
            }
            FeedbackOp::Answer => {
                self.stacks.read_address.next = self.place_out.val();
                self.answer_out.next = self.answer_out.val() + 1;
                self.loading.next = true;
                self.shown_flow.next = self.flow.val();
                self.answer.next = true;
            }
        }
        if !self.is_open.val() {
            self.flags.write_address.next = self.scrub.val().get_bits::<FB>(0);
            self.flags.write_data.next = 0.into();
        }
    }
}
