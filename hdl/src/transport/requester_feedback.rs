//! What the requester tells scheduler and CC unit after an answer: one register a stream.
//!
//! # Interface timing  part of `requester`: filled in Emit, and only when both are empty
//! # Reset             synchronous, high: empty, fields 0; they hold their last value while empty,
//!                     but those of m_cc that s_ack has follow it: so their enable is one register
//! # Twins             sim/src/golden/transport/requester.rs, tests/requester.rs

use super::requester_ctl::{Op, State};
use crate::{block, Reg};
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
    pub ack_tel_valid: Signal<In, Bit>,
    /// ACK: Records; 6: not usable.
    pub ack_tel_hops: Signal<In, Bits<3>>,
    /// ACK: XOR of the switches' identifiers.
    pub ack_tel_path: Signal<In, Bits<12>>,
    /// ACK: Record of hop 0.
    pub ack_tel_hop_0: Signal<In, Bits<64>>,
    /// ACK: Record of hop 1.
    pub ack_tel_hop_1: Signal<In, Bits<64>>,
    /// ACK: Record of hop 2.
    pub ack_tel_hop_2: Signal<In, Bits<64>>,
    /// ACK: Record of hop 3.
    pub ack_tel_hop_3: Signal<In, Bits<64>>,
    /// ACK: Record of hop 4.
    pub ack_tel_hop_4: Signal<In, Bits<64>>,
    /// Next PSN to send.
    pub nxt: Signal<In, Bits<24>>,
    /// Bytes sent and not acknowledged.
    pub inflight: Signal<In, Bits<32>>,
    /// The in-flight slot or the telemetry slot is taken.
    pub inflight_busy: Signal<Out, Bit>,
    /// After an ACK or a rewind.
    pub m_inflight_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_inflight_ready: Signal<In, Bit>,
    /// Flow.
    pub m_inflight_flow: Signal<Out, Bits<FB>>,
    /// Bytes sent and not acknowledged.
    pub m_inflight_inflight_bytes: Signal<Out, Bits<32>>,
    /// Telemetry of an ACK.
    pub m_cc_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_cc_ready: Signal<In, Bit>,
    /// Flow.
    pub m_cc_flow: Signal<Out, Bits<FB>>,
    /// PSN of the ACK.
    pub m_cc_psn: Signal<Out, Bits<24>>,
    /// Next PSN to send.
    pub m_cc_snd_nxt: Signal<Out, Bits<24>>,
    /// Telemetry came with it.
    pub m_cc_tel_valid: Signal<Out, Bit>,
    /// Records; 6: not usable.
    pub m_cc_tel_hops: Signal<Out, Bits<3>>,
    /// XOR of the switches' identifiers.
    pub m_cc_tel_path: Signal<Out, Bits<12>>,
    /// Record of hop 0.
    pub m_cc_tel_hop_0: Signal<Out, Bits<64>>,
    /// Record of hop 1.
    pub m_cc_tel_hop_1: Signal<Out, Bits<64>>,
    /// Record of hop 2.
    pub m_cc_tel_hop_2: Signal<Out, Bits<64>>,
    /// Record of hop 3.
    pub m_cc_tel_hop_3: Signal<Out, Bits<64>>,
    /// Record of hop 4.
    pub m_cc_tel_hop_4: Signal<Out, Bits<64>>,
    inflight_valid: Reg<Bit>,
    inflight_flow: Reg<Bits<FB>>,
    inflight_inflight_bytes: Reg<Bits<32>>,
    cc_valid: Reg<Bit>,
    cc_flow: Reg<Bits<FB>>,
    cc_psn: Reg<Bits<24>>,
    cc_snd_nxt: Reg<Bits<24>>,
    cc_tel_valid: Reg<Bit>,
    cc_tel_hops: Reg<Bits<3>>,
    cc_tel_path: Reg<Bits<12>>,
    cc_tel_hop_0: Reg<Bits<64>>,
    cc_tel_hop_1: Reg<Bits<64>>,
    cc_tel_hop_2: Reg<Bits<64>>,
    cc_tel_hop_3: Reg<Bits<64>>,
    cc_tel_hop_4: Reg<Bits<64>>,
}

impl<const FB: usize> Logic for RequesterFeedback<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_inflight_valid.next = self.inflight_valid.val();
        self.m_inflight_flow.next = self.inflight_flow.val();
        self.m_inflight_inflight_bytes.next = self.inflight_inflight_bytes.val();
        self.m_cc_valid.next = self.cc_valid.val();
        self.m_cc_flow.next = self.cc_flow.val();
        self.m_cc_psn.next = self.cc_psn.val();
        self.m_cc_snd_nxt.next = self.cc_snd_nxt.val();
        self.m_cc_tel_valid.next = self.cc_tel_valid.val();
        self.m_cc_tel_hops.next = self.cc_tel_hops.val();
        self.m_cc_tel_path.next = self.cc_tel_path.val();
        self.m_cc_tel_hop_0.next = self.cc_tel_hop_0.val();
        self.m_cc_tel_hop_1.next = self.cc_tel_hop_1.val();
        self.m_cc_tel_hop_2.next = self.cc_tel_hop_2.val();
        self.m_cc_tel_hop_3.next = self.cc_tel_hop_3.val();
        self.m_cc_tel_hop_4.next = self.cc_tel_hop_4.val();
        self.inflight_busy.next = self.inflight_valid.val() | self.cc_valid.val();
        if self.m_inflight_ready.val() {
            self.inflight_valid.next = false;
        }
        if self.m_cc_ready.val() {
            self.cc_valid.next = false;
        }
        if !self.cc_valid.val() {
            self.cc_flow.next = self.ack_flow.val();
            self.cc_psn.next = self.ack_psn.val();
            self.cc_tel_valid.next = self.ack_tel_valid.val();
            self.cc_tel_hops.next = self.ack_tel_hops.val();
            self.cc_tel_path.next = self.ack_tel_path.val();
            self.cc_tel_hop_0.next = self.ack_tel_hop_0.val();
            self.cc_tel_hop_1.next = self.ack_tel_hop_1.val();
            self.cc_tel_hop_2.next = self.ack_tel_hop_2.val();
            self.cc_tel_hop_3.next = self.ack_tel_hop_3.val();
            self.cc_tel_hop_4.next = self.ack_tel_hop_4.val();
        }
        if (self.state.val() == State::Emit) & !self.inflight_valid.val() & !self.cc_valid.val() {
            self.inflight_valid.next = true;
            self.inflight_flow.next = self.flow.val();
            self.inflight_inflight_bytes.next = self.inflight.val();
            if (self.op.val() == Op::Ack) & self.is_ack.val() & self.ack_tel_valid.val() {
                self.cc_valid.next = true;
                self.cc_snd_nxt.next = self.nxt.val();
            }
        }
    }
}
