//! What the requester tells scheduler and CC unit after an answer: one register a stream.
//!
//! # Interface timing  part of `requester`: filled in Emit, and only when both are empty
//! # Reset             synchronous, high: empty, fields 0; they hold their last value while empty,
//!                     but those of m_cc that s_ack has follow it: so their enable is one register
//! # Twins             sim/src/golden/transport/requester.rs, tests/requester.rs

use super::requester_ctl::{Op, State};
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Output registers; `FB` = log2 of the flow count.
#[derive(LogicBlock, Default)]
pub struct RequesterFeedback<const FB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    inflight_valid: DFF<Bit>,
    inflight_flow: DFF<Bits<FB>>,
    inflight_inflight_bytes: DFF<Bits<32>>,
    cc_valid: DFF<Bit>,
    cc_flow: DFF<Bits<FB>>,
    cc_psn: DFF<Bits<24>>,
    cc_snd_nxt: DFF<Bits<24>>,
    cc_tel_valid: DFF<Bit>,
    cc_tel_hops: DFF<Bits<3>>,
    cc_tel_path: DFF<Bits<12>>,
    cc_tel_hop_0: DFF<Bits<64>>,
    cc_tel_hop_1: DFF<Bits<64>>,
    cc_tel_hop_2: DFF<Bits<64>>,
    cc_tel_hop_3: DFF<Bits<64>>,
    cc_tel_hop_4: DFF<Bits<64>>,
}

impl<const FB: usize> Logic for RequesterFeedback<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            inflight_valid,
            inflight_flow,
            inflight_inflight_bytes,
            cc_valid,
            cc_flow,
            cc_psn,
            cc_snd_nxt,
            cc_tel_valid,
            cc_tel_hops,
            cc_tel_path,
            cc_tel_hop_0,
            cc_tel_hop_1,
            cc_tel_hop_2,
            cc_tel_hop_3,
            cc_tel_hop_4
        );
        self.m_inflight_valid.next = self.inflight_valid.q.val();
        self.m_inflight_flow.next = self.inflight_flow.q.val();
        self.m_inflight_inflight_bytes.next = self.inflight_inflight_bytes.q.val();
        self.m_cc_valid.next = self.cc_valid.q.val();
        self.m_cc_flow.next = self.cc_flow.q.val();
        self.m_cc_psn.next = self.cc_psn.q.val();
        self.m_cc_snd_nxt.next = self.cc_snd_nxt.q.val();
        self.m_cc_tel_valid.next = self.cc_tel_valid.q.val();
        self.m_cc_tel_hops.next = self.cc_tel_hops.q.val();
        self.m_cc_tel_path.next = self.cc_tel_path.q.val();
        self.m_cc_tel_hop_0.next = self.cc_tel_hop_0.q.val();
        self.m_cc_tel_hop_1.next = self.cc_tel_hop_1.q.val();
        self.m_cc_tel_hop_2.next = self.cc_tel_hop_2.q.val();
        self.m_cc_tel_hop_3.next = self.cc_tel_hop_3.q.val();
        self.m_cc_tel_hop_4.next = self.cc_tel_hop_4.q.val();
        self.inflight_busy.next = self.inflight_valid.q.val() | self.cc_valid.q.val();
        if self.m_inflight_ready.val() {
            self.inflight_valid.d.next = false;
        }
        if self.m_cc_ready.val() {
            self.cc_valid.d.next = false;
        }
        if !self.cc_valid.q.val() {
            self.cc_flow.d.next = self.ack_flow.val();
            self.cc_psn.d.next = self.ack_psn.val();
            self.cc_tel_valid.d.next = self.ack_tel_valid.val();
            self.cc_tel_hops.d.next = self.ack_tel_hops.val();
            self.cc_tel_path.d.next = self.ack_tel_path.val();
            self.cc_tel_hop_0.d.next = self.ack_tel_hop_0.val();
            self.cc_tel_hop_1.d.next = self.ack_tel_hop_1.val();
            self.cc_tel_hop_2.d.next = self.ack_tel_hop_2.val();
            self.cc_tel_hop_3.d.next = self.ack_tel_hop_3.val();
            self.cc_tel_hop_4.d.next = self.ack_tel_hop_4.val();
        }
        if (self.state.val() == State::Emit) & !self.inflight_valid.q.val() & !self.cc_valid.q.val()
        {
            self.inflight_valid.d.next = true;
            self.inflight_flow.d.next = self.flow.val();
            self.inflight_inflight_bytes.d.next = self.inflight.val();
            if (self.op.val() == Op::Ack) & self.is_ack.val() & self.ack_tel_valid.val() {
                self.cc_valid.d.next = true;
                self.cc_snd_nxt.d.next = self.nxt.val();
            }
        }
        if self.reset.val() {
            self.inflight_valid.d.next = false;
            self.inflight_flow.d.next = 0.into();
            self.inflight_inflight_bytes.d.next = 0.into();
            self.cc_valid.d.next = false;
            self.cc_flow.d.next = 0.into();
            self.cc_psn.d.next = 0.into();
            self.cc_snd_nxt.d.next = 0.into();
            self.cc_tel_valid.d.next = false;
            self.cc_tel_hops.d.next = 0.into();
            self.cc_tel_path.d.next = 0.into();
            self.cc_tel_hop_0.d.next = 0.into();
            self.cc_tel_hop_1.d.next = 0.into();
            self.cc_tel_hop_2.d.next = 0.into();
            self.cc_tel_hop_3.d.next = 0.into();
            self.cc_tel_hop_4.d.next = 0.into();
        }
    }
}
