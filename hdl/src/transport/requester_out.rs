//! Packets and arms of the requester: one register a stream.
//!
//! # Interface timing  part of `requester`: filled in Send and Arm, and only when empty
//! # Reset             synchronous, high: empty, fields 0; they hold their last value while empty
//! # Twins             sim/src/golden/transport/requester.rs, tests/requester.rs

use super::requester_ctl::State;
use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Output registers; `FB` = log2 of the flow count.
#[block]
pub struct RequesterOut<const FB: usize> {
    /// State of the sequencer.
    pub state: Signal<In, State>,
    /// Its flow.
    pub flow: Signal<In, Bits<FB>>,
    /// Next PSN to send.
    pub nxt: Signal<In, Bits<24>>,
    /// Bytes sent and not acknowledged.
    pub inflight: Signal<In, Bits<32>>,
    /// The packet that was prepared may not be sent yet.
    pub blocked: Signal<In, Bit>,
    /// Operation code of the packet.
    pub opcode: Signal<In, Bits<8>>,
    /// It asks for an ACK.
    pub ack_req: Signal<In, Bit>,
    /// It asks for an event.
    pub solicited: Signal<In, Bit>,
    /// Its payload bytes.
    pub bytes: Signal<In, Bits<13>>,
    /// Their local address.
    pub address: Signal<In, Bits<64>>,
    /// Frame bytes of the next packet.
    pub frame_bytes: Signal<In, Bits<14>>,
    /// Remote address of the work request at hand.
    pub va: Signal<In, Bits<64>>,
    /// Its remote key.
    pub rkey: Signal<In, Bits<32>>,
    /// Bytes of the message, or that a READ asks for.
    pub dma_len: Signal<In, Bits<32>>,
    /// Its immediate data.
    pub imm: Signal<In, Bits<32>>,
    /// It goes without telemetry.
    pub bare: Signal<In, Bit>,
    /// Mark of its flow's row.
    pub mark: Signal<In, Bits<4>>,
    /// The packet slots are free.
    pub packet_free: Signal<Out, Bit>,
    /// The arm slot is taken.
    pub work_busy: Signal<Out, Bit>,
    /// A packet for the tx pipe.
    pub m_pkt_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_pkt_ready: Signal<In, Bit>,
    /// Flow.
    pub m_pkt_flow: Signal<Out, Bits<FB>>,
    /// BTH operation code.
    pub m_pkt_opcode: Signal<Out, Bits<8>>,
    /// PSN.
    pub m_pkt_psn: Signal<Out, Bits<24>>,
    /// An ACK is asked for.
    pub m_pkt_ack_req: Signal<Out, Bit>,
    /// An event is asked for.
    pub m_pkt_solicited: Signal<Out, Bit>,
    /// Payload, 0..=4096.
    pub m_pkt_payload_bytes: Signal<Out, Bits<13>>,
    /// Remote address of the message.
    pub m_pkt_va: Signal<Out, Bits<64>>,
    /// Remote key.
    pub m_pkt_rkey: Signal<Out, Bits<32>>,
    /// Bytes of the message.
    pub m_pkt_dma_len: Signal<Out, Bits<32>>,
    /// Immediate data.
    pub m_pkt_imm: Signal<Out, Bits<32>>,
    /// It goes without telemetry, though its queue pair's packets have it.
    pub m_pkt_bare: Signal<Out, Bit>,
    /// Mark of its flow's row.
    pub m_pkt_mark: Signal<Out, Bits<4>>,
    /// A read command, one for each packet with payload.
    pub m_read_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_read_ready: Signal<In, Bit>,
    /// Local address of the payload.
    pub m_read_addr: Signal<Out, Bits<64>>,
    /// Its bytes, 1..=4096.
    pub m_read_bytes: Signal<Out, Bits<13>>,
    /// Arms the flow in the scheduler.
    pub m_work_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_work_ready: Signal<In, Bit>,
    /// Flow.
    pub m_work_flow: Signal<Out, Bits<FB>>,
    /// Frame bytes of its next packet.
    pub m_work_len_bytes: Signal<Out, Bits<14>>,
    /// Bytes sent and not acknowledged.
    pub m_work_inflight_bytes: Signal<Out, Bits<32>>,
    pkt_valid: Reg<Bit>,
    pkt_flow: Reg<Bits<FB>>,
    pkt_opcode: Reg<Bits<8>>,
    pkt_psn: Reg<Bits<24>>,
    pkt_ack_req: Reg<Bit>,
    pkt_solicited: Reg<Bit>,
    pkt_payload_bytes: Reg<Bits<13>>,
    pkt_va: Reg<Bits<64>>,
    pkt_rkey: Reg<Bits<32>>,
    pkt_dma_len: Reg<Bits<32>>,
    pkt_imm: Reg<Bits<32>>,
    pkt_bare: Reg<Bit>,
    pkt_mark: Reg<Bits<4>>,
    read_valid: Reg<Bit>,
    read_addr: Reg<Bits<64>>,
    read_bytes: Reg<Bits<13>>,
    work_valid: Reg<Bit>,
    work_flow: Reg<Bits<FB>>,
    work_len_bytes: Reg<Bits<14>>,
    work_inflight_bytes: Reg<Bits<32>>,
}

impl<const FB: usize> Logic for RequesterOut<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_pkt_valid.next = self.pkt_valid.val();
        self.m_pkt_flow.next = self.pkt_flow.val();
        self.m_pkt_opcode.next = self.pkt_opcode.val();
        self.m_pkt_psn.next = self.pkt_psn.val();
        self.m_pkt_ack_req.next = self.pkt_ack_req.val();
        self.m_pkt_solicited.next = self.pkt_solicited.val();
        self.m_pkt_payload_bytes.next = self.pkt_payload_bytes.val();
        self.m_pkt_va.next = self.pkt_va.val();
        self.m_pkt_rkey.next = self.pkt_rkey.val();
        self.m_pkt_dma_len.next = self.pkt_dma_len.val();
        self.m_pkt_imm.next = self.pkt_imm.val();
        self.m_pkt_bare.next = self.pkt_bare.val();
        self.m_pkt_mark.next = self.pkt_mark.val();
        self.m_read_valid.next = self.read_valid.val();
        self.m_read_addr.next = self.read_addr.val();
        self.m_read_bytes.next = self.read_bytes.val();
        self.m_work_valid.next = self.work_valid.val();
        self.m_work_flow.next = self.work_flow.val();
        self.m_work_len_bytes.next = self.work_len_bytes.val();
        self.m_work_inflight_bytes.next = self.work_inflight_bytes.val();
        self.packet_free.next = !self.pkt_valid.val() & !self.read_valid.val();
        self.work_busy.next = self.work_valid.val();
        if self.m_pkt_ready.val() {
            self.pkt_valid.next = false;
        }
        if self.m_read_ready.val() {
            self.read_valid.next = false;
        }
        if self.m_work_ready.val() {
            self.work_valid.next = false;
        }
        if self.state.val() == State::Send {
            self.pkt_valid.next = true;
            self.pkt_flow.next = self.flow.val();
            self.pkt_opcode.next = self.opcode.val();
            self.pkt_psn.next = self.nxt.val();
            self.pkt_ack_req.next = self.ack_req.val();
            self.pkt_solicited.next = self.solicited.val();
            self.pkt_payload_bytes.next = self.bytes.val();
            self.pkt_va.next = self.va.val();
            self.pkt_rkey.next = self.rkey.val();
            self.pkt_dma_len.next = self.dma_len.val();
            self.pkt_imm.next = self.imm.val();
            self.pkt_bare.next = self.bare.val();
            self.pkt_mark.next = self.mark.val();
            if self.bytes.val().any() {
                self.read_valid.next = true;
                self.read_addr.next = self.address.val();
                self.read_bytes.next = self.bytes.val();
            }
        }
        if (self.state.val() == State::Arm) & !self.work_valid.val() & !self.blocked.val() {
            self.work_valid.next = true;
            self.work_flow.next = self.flow.val();
            self.work_len_bytes.next = self.frame_bytes.val();
            self.work_inflight_bytes.next = self.inflight.val();
        }
    }
}
