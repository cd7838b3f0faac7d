//! What the requester tells the CC unit after an ACK: one register.
//!
//! # Interface timing  part of `requester`: filled in Emit, and only when m_work is empty
//! # Rules             While an ACK waits, a newer one of its flow takes its place; that of another
//!                     flow waits behind it
//! # Reset             synchronous, high: empty, fields 0; they hold their last value while empty,
//!                     but those of m_cc that s_ack has follow it: so their enable is one register
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::streams::{AckTelemetry, Telemetry};
use crate::transport::requester::state::{Op, State};
use crate::{block, Reg, Regs, Wire};
use rust_hdl_core::prelude::*;

/// Output register; `FB` = log2 of the flow count.
#[block]
pub struct RequesterFeedback<const FB: usize> {
    /// State of the sequencer.
    pub state: Signal<In, State>,
    /// Its operation.
    pub op: Signal<In, Op>,
    /// Its flow.
    pub flow: Signal<In, Bits<FB>>,
    /// It is an ACK.
    pub is_ack: Signal<In, Bit>,
    /// The flow of an answer that waits.
    pub ack_flow: Signal<In, Bits<FB>>,
    /// Its PSN.
    pub ack_psn: Signal<In, Bits<24>>,
    /// ACK: Telemetry came with it.
    pub ack_tel: Telemetry<In>,
    /// Next PSN to send.
    pub nxt: Signal<In, Bits<24>>,
    /// The slot of what the scheduler is told is taken.
    pub work_busy: Signal<In, Bit>,
    /// The telemetry slot is taken, by another flow.
    pub cc_busy: Signal<Out, Bit>,
    /// Telemetry of an ACK.
    pub m_cc: AckTelemetry<Out, FB>,
    cc: AckTelemetry<Regs, FB>,
    is_same: Reg<Bit>,
    has_tel: Reg<Bit>,
    emits: Signal<Local, Bit>,
}

impl<const FB: usize> Logic for RequesterFeedback<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        Wire::join(&mut self.cc, &mut self.m_cc);
        comment!("Known long before Emit.");
        self.is_same.next = self.cc.flow.val() == self.flow.val();
        self.has_tel.next =
            (self.op.val() == Op::Ack) & self.is_ack.val() & self.ack_tel.valid.val();
        self.cc_busy.next = self.cc.valid.val() & self.has_tel.val() & !self.is_same.val();
        self.emits.next =
            (self.state.val() == State::Emit) & !self.work_busy.val() & self.has_tel.val();
        if self.m_cc.ready.val() {
            self.cc.valid.next = false;
        }
        if !self.cc.valid.val() | (self.emits.val() & self.is_same.val()) {
            self.cc.flow.next = self.ack_flow.val();
            self.cc.psn.next = self.ack_psn.val();
            Wire::join(&mut self.ack_tel, &mut self.cc.tel);
        }
        if self.emits.val() & !self.cc_busy.val() {
            self.cc.valid.next = true;
            self.cc.snd_nxt.next = self.nxt.val();
        }
    }
}
