//! What the requester tells the CC unit after an answer: one register.
//!
//! # Interface timing  part of `requester`: filled in Emit, and only when it and m_work are empty
//! # Reset             synchronous, high: empty, fields 0; they hold their last value while empty,
//!                     but those of m_cc that s_ack has follow it: so their enable is one register
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::streams::{AckTelemetry, Telemetry};
use crate::transport::requester::state::{Op, State};
use crate::{block, Regs, Wire};
use rust_hdl_core::prelude::*;

/// Output register; `FB` = log2 of the flow count.
#[block]
pub struct RequesterFeedback<const FB: usize> {
    /// State of the sequencer.
    pub state: Signal<In, State>,
    /// Its operation.
    pub op: Signal<In, Op>,
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
    /// The telemetry slot is taken.
    pub cc_busy: Signal<Out, Bit>,
    /// Telemetry of an ACK.
    pub m_cc: AckTelemetry<Out, FB>,
    cc: AckTelemetry<Regs, FB>,
}

impl<const FB: usize> Logic for RequesterFeedback<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        Wire::join(&mut self.cc, &mut self.m_cc);
        self.cc_busy.next = self.cc.valid.val();
        if self.m_cc.ready.val() {
            self.cc.valid.next = false;
        }
        if !self.cc.valid.val() {
            self.cc.flow.next = self.ack_flow.val();
            self.cc.psn.next = self.ack_psn.val();
            Wire::join(&mut self.ack_tel, &mut self.cc.tel);
        }
        if (self.state.val() == State::Emit)
            & !self.work_busy.val()
            & !self.cc.valid.val()
            & (self.op.val() == Op::Ack)
            & self.is_ack.val()
            & self.ack_tel.valid.val()
        {
            self.cc.valid.next = true;
            self.cc.snd_nxt.next = self.nxt.val();
        }
    }
}
