//! What the requester tells scheduler and CC unit after an answer: one register a stream.
//!
//! # Interface timing  part of `requester`: filled in Emit, and only when both are empty
//! # Reset             synchronous, high: empty, fields 0; they hold their last value while empty,
//!                     but those of m_cc that s_ack has follow it: so their enable is one register
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::streams::{AckTelemetry, InFlight, Telemetry};
use crate::transport::requester::state::{Op, State};
use crate::{block, Reg, Regs, Wire};
use rust_hdl_core::prelude::*;

/// Output registers; `FB` = log2 of the flow count.
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
    /// Bytes sent and not acknowledged.
    pub inflight: Signal<In, Bits<32>>,
    /// The in-flight slot or the telemetry slot is taken.
    pub inflight_busy: Signal<Out, Bit>,
    /// After an ACK or a rewind.
    pub m_inflight: InFlight<Out, FB>,
    /// Telemetry of an ACK.
    pub m_cc: AckTelemetry<Out, FB>,
    inflight_valid: Reg<Bit>,
    inflight_flow: Reg<Bits<FB>>,
    inflight_inflight_bytes: Reg<Bits<32>>,
    cc: AckTelemetry<Regs, FB>,
}

impl<const FB: usize> Logic for RequesterFeedback<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_inflight.valid.next = self.inflight_valid.val();
        self.m_inflight.flow.next = self.inflight_flow.val();
        self.m_inflight.inflight_bytes.next = self.inflight_inflight_bytes.val();
        Wire::join(&mut self.cc, &mut self.m_cc);
        self.inflight_busy.next = self.inflight_valid.val() | self.cc.valid.val();
        if self.m_inflight.ready.val() {
            self.inflight_valid.next = false;
        }
        if self.m_cc.ready.val() {
            self.cc.valid.next = false;
        }
        if !self.cc.valid.val() {
            self.cc.flow.next = self.ack_flow.val();
            self.cc.psn.next = self.ack_psn.val();
            Wire::join(&mut self.ack_tel, &mut self.cc.tel);
        }
        if (self.state.val() == State::Emit) & !self.inflight_valid.val() & !self.cc.valid.val() {
            self.inflight_valid.next = true;
            self.inflight_flow.next = self.flow.val();
            self.inflight_inflight_bytes.next = self.inflight.val();
            if (self.op.val() == Op::Ack) & self.is_ack.val() & self.ack_tel.valid.val() {
                self.cc.valid.next = true;
                self.cc.snd_nxt.next = self.nxt.val();
            }
        }
    }
}
