//! What the requester tells the CC unit after an ACK: one register.
//!
//! # Interface timing  part of `requester`: filled in Decide, if the ACK is worked on
//! # Number formats    snd_nxt | UQ24.0 | next PSN to send, or the one behind the ACK's if that is
//!                     ahead of it
//! # Rules             While an ACK waits, a newer one of its flow takes its place; that of another
//!                     flow waits behind it
//! # Reset             synchronous, high: empty, fields 0; they hold their last value while empty,
//!                     but those of m_cc that s_ack has follow it: so their enable is one register
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::streams::{AckTelemetry, Telemetry};
use crate::transport::requester::state::{Op, State};
use crate::{block, Reg, Regs, Unreset, Wire};
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
    /// The answer is for the queue pair and its PSN is outstanding. As of Decide.
    pub outstanding: Signal<In, Bit>,
    /// The PSN behind the ACK's.
    pub target: Signal<In, Bits<24>>,
    /// Next PSN to send.
    pub nxt: Signal<In, Bits<24>>,
    /// The telemetry slot is taken, by another flow.
    pub cc_busy: Signal<Out, Bit>,
    /// Telemetry of an ACK.
    pub m_cc: AckTelemetry<Out, FB>,
    cc: AckTelemetry<Regs, FB>,
    is_same: Reg<Bit>,
    has_tel: Reg<Bit>,
    beyond_nxt: Unreset<Bits<24>>,
    emits: Signal<Local, Bit>,
}

impl<const FB: usize> Logic for RequesterFeedback<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        Wire::join(&mut self.cc, &mut self.m_cc);
        comment!("Known before Class.");
        self.is_same.next = self.cc.flow.val() == self.flow.val();
        self.has_tel.next =
            (self.op.val() == Op::Ack) & self.is_ack.val() & self.ack_tel.valid.val();
        self.cc_busy.next = self.cc.valid.val() & self.has_tel.val() & !self.is_same.val();
        self.emits.next =
            (self.state.val() == State::Decide) & self.has_tel.val() & self.outstanding.val();
        self.beyond_nxt.next = self.target.val() - self.nxt.val();
        if self.m_cc.ready.val() {
            self.cc.valid.next = false;
        }
        if !self.cc.valid.val() | self.emits.val() {
            self.cc.flow.next = self.ack_flow.val();
            self.cc.psn.next = self.ack_psn.val();
            Wire::join(&mut self.ack_tel, &mut self.cc.tel);
        }
        if self.emits.val() {
            self.cc.valid.next = true;
            self.cc.snd_nxt.next = self.target.val();
            if self.beyond_nxt.val().get_bit(23) {
                self.cc.snd_nxt.next = self.nxt.val();
            }
        }
    }
}
