//! Packets of the requester, and what it tells the scheduler: one register a stream.
//!
//! # Interface timing  part of `requester`: filled in Send, Arm and Emit, and only when empty
//! # Reset             synchronous, high: empty, fields 0; they hold their last value while empty
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::streams::{Packet, PayloadSource, Work};
use crate::transport::requester::state::State;
use crate::{block, Regs, Wire};
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
    /// Their local address; inline: the first 8.
    pub address: Signal<In, Bits<64>>,
    /// They stand in the work request.
    pub is_inline: Signal<In, Bit>,
    /// Those behind the first 8.
    pub inline_rest: Signal<In, Bits<128>>,
    /// Frame bytes of what leaves at once.
    pub frame_bytes: Signal<In, Bits<14>>,
    /// Its packets.
    pub frame_count: Signal<In, Bits<7>>,
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
    /// The slot of what the scheduler is told is taken.
    pub work_busy: Signal<Out, Bit>,
    /// A packet for the tx pipe.
    pub m_pkt: Packet<Out, FB>,
    /// Where the payload is, once for each packet with payload.
    pub m_read: PayloadSource<Out>,
    /// Arms the flow in the scheduler; without frames only its bytes in flight.
    pub m_work: Work<Out, FB>,
    pkt: Packet<Regs, FB>,
    read: PayloadSource<Regs>,
    work: Work<Regs, FB>,
}

impl<const FB: usize> Logic for RequesterOut<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        Wire::join(&mut self.pkt, &mut self.m_pkt);
        Wire::join(&mut self.read, &mut self.m_read);
        Wire::join(&mut self.work, &mut self.m_work);
        self.packet_free.next = !self.pkt.valid.val() & !self.read.valid.val();
        self.work_busy.next = self.work.valid.val();
        if self.m_pkt.ready.val() {
            self.pkt.valid.next = false;
        }
        if self.m_read.ready.val() {
            self.read.valid.next = false;
        }
        if self.m_work.ready.val() {
            self.work.valid.next = false;
        }
        if self.state.val() == State::Send {
            self.pkt.valid.next = true;
            self.pkt.flow.next = self.flow.val();
            self.pkt.opcode.next = self.opcode.val();
            self.pkt.psn.next = self.nxt.val();
            self.pkt.ack_req.next = self.ack_req.val();
            self.pkt.solicited.next = self.solicited.val();
            self.pkt.payload_bytes.next = self.bytes.val();
            self.pkt.va.next = self.va.val();
            self.pkt.rkey.next = self.rkey.val();
            self.pkt.dma_len.next = self.dma_len.val();
            self.pkt.imm.next = self.imm.val();
            self.pkt.bare.next = self.bare.val();
            self.pkt.mark.next = self.mark.val();
            self.read.valid.next = self.bytes.val().any();
            self.read.addr.next = self.address.val();
            self.read.bytes.next = self.bytes.val();
            self.read.is_inline.next = self.is_inline.val();
            self.read.inline_rest.next = self.inline_rest.val();
        }
        if (self.state.val() == State::Arm) & !self.work.valid.val() & !self.blocked.val() {
            self.work.valid.next = true;
            self.work.flow.next = self.flow.val();
            self.work.len_bytes.next = self.frame_bytes.val();
            self.work.frame_count.next = self.frame_count.val();
            self.work.inflight_bytes.next = self.inflight.val();
        }
        if (self.state.val() == State::Emit) & !self.work.valid.val() {
            self.work.valid.next = true;
            self.work.flow.next = self.flow.val();
            self.work.frame_count.next = 0.into();
            self.work.inflight_bytes.next = self.inflight.val();
        }
    }
}
