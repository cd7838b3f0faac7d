//! Packets of both halves of the NIC on their way to the tx pipe, with their read commands: data of
//! the requester, and READ responses, whose flow gets the top bit. Between them probes of the data, and windows
//! that are computed here for the peer's data.
//!
//! # Interface timing  cycle 0: a packet stands, with its read command if it has payload (both rise in
//!                     the same cycle, and the next packet when both are taken); cycle 1:
//!                     m_pkt_valid, m_read_valid and s_*_read_ready; the cycle after m_pkt_ready:
//!                     s_*_pkt_ready. So a packet that was taken here is with the tx pipe: no ACK
//!                     that waits for it can overtake it
//! # Latency and rate  [`LATENCY_CYCLES`]; one packet every 3 cycles
//! # Order             a probe first, else a window, but no two of them in a row while a half waits;
//!                     the halves take turns by packet; read commands leave in the order of their packets. A packet without
//!                     payload has no read command
//! # Reset             synchronous, high: empty, the requester goes first, all data 0; data holds
//!                     its last value while its valid is low, and of a probe or window what it has no use for
//! # Twins             sim/models/src/golden/transport/pkt_mux.rs, tests/transport/pkt_mux.rs

use crate::streams::{AnyPacket, Packet, Probe, ReadCommand, Reply, Window};
use crate::{block, kernel, Reg};
use rust_hdl_core::prelude::*;

/// Cycles from a packet at a sink to the packet at the source.
pub const LATENCY_CYCLES: usize = 1;

/// Mux of packets; `FP1 = FB + 1`.
#[block(check(FP1 == FB + 1))]
pub struct PktMux<const FB: usize, const FP1: usize> {
    /// A probe waits.
    pub s_probe: Probe<In, FB>,
    /// A window waits.
    pub s_window: Window<In, FB>,
    /// The requester has a packet.
    pub s_data_pkt: Packet<In, FB>,
    /// The requester has a read command.
    pub s_data_read: ReadCommand<In>,
    /// `read_reply` has a packet.
    pub s_reply_pkt: Reply<In, FB>,
    /// `read_reply` has a read command.
    pub s_reply_read: ReadCommand<In>,
    /// A packet stands.
    pub m_pkt: AnyPacket<Out, FP1>,
    /// It is no probe and no window.
    pub sent_valid: Signal<Out, Bit>,
    /// A read command stands.
    pub m_read: ReadCommand<Out>,
    busy: Reg<Bit>,
    is_reply: Reg<Bit>,
    is_probe: Reg<Bit>,
    is_window: Reg<Bit>,
    take_pkt: Reg<Bit>,
    take_read: Reg<Bit>,
    reply_next: Reg<Bit>,
    pkt_full: Reg<Bit>,
    flow: Reg<Bits<FP1>>,
    opcode: Reg<Bits<8>>,
    psn: Reg<Bits<24>>,
    ack_req: Reg<Bit>,
    solicited: Reg<Bit>,
    payload_bytes: Reg<Bits<13>>,
    va: Reg<Bits<64>>,
    rkey: Reg<Bits<32>>,
    dma_len: Reg<Bits<32>>,
    imm: Reg<Bits<32>>,
    mark: Reg<Bits<4>>,
    bare: Reg<Bit>,
    syndrome: Reg<Bits<8>>,
    msn: Reg<Bits<24>>,
    read_full: Reg<Bit>,
    addr: Reg<Bits<64>>,
    bytes: Reg<Bits<13>>,
    free: Signal<Local, Bit>,
    is_extra: Signal<Local, Bit>,
    extra_waits: Signal<Local, Bit>,
    extra_first: Signal<Local, Bit>,
    load_extra: Signal<Local, Bit>,
    load_data: Signal<Local, Bit>,
    load_reply: Signal<Local, Bit>,
    #[init(Constant::new(0xc2u64.to_bits()))]
    probe: Constant<Bits<8>>,
    #[init(Constant::new(0xc4u64.to_bits()))]
    window: Constant<Bits<8>>,
    #[init(Constant::new((1u64 << FB).to_bits()))]
    top: Constant<Bits<FP1>>,
}

#[kernel]
impl<const FB: usize, const FP1: usize> PktMux<FB, FP1> {
    fn update(&mut self) {
        self.is_extra.next = self.is_probe.val() | self.is_window.val();
        self.s_probe.ready.next = self.take_pkt.val() & self.is_probe.val();
        self.s_window.ready.next = self.take_pkt.val() & self.is_window.val();
        self.s_data_pkt.ready.next =
            self.take_pkt.val() & !self.is_reply.val() & !self.is_extra.val();
        self.s_data_read.ready.next = self.take_read.val() & !self.is_reply.val();
        self.s_reply_pkt.ready.next = self.take_pkt.val() & self.is_reply.val();
        self.s_reply_read.ready.next = self.take_read.val() & self.is_reply.val();
        self.m_pkt.valid.next = self.pkt_full.val();
        self.sent_valid.next = self.pkt_full.val() & !self.is_extra.val();
        self.m_pkt.flow.next = self.flow.val();
        self.m_pkt.opcode.next = self.opcode.val();
        self.m_pkt.psn.next = self.psn.val();
        self.m_pkt.ack_req.next = self.ack_req.val();
        self.m_pkt.solicited.next = self.solicited.val();
        self.m_pkt.payload_bytes.next = self.payload_bytes.val();
        self.m_pkt.va.next = self.va.val();
        self.m_pkt.rkey.next = self.rkey.val();
        self.m_pkt.dma_len.next = self.dma_len.val();
        self.m_pkt.imm.next = self.imm.val();
        self.m_pkt.mark.next = self.mark.val();
        self.m_pkt.bare.next = self.bare.val();
        self.m_pkt.syndrome.next = self.syndrome.val();
        self.m_pkt.msn.next = self.msn.val();
        self.m_read.valid.next = self.read_full.val();
        self.m_read.addr.next = self.addr.val();
        self.m_read.bytes.next = self.bytes.val();
        self.free.next = !self.busy.val() & (self.m_read.ready.val() | !self.read_full.val());
        self.extra_waits.next = self.s_probe.valid.val() | self.s_window.valid.val();
        self.extra_first.next = self.extra_waits.val() & !self.is_extra.val();
        self.load_extra.next = self.free.val()
            & self.extra_waits.val()
            & (!self.is_extra.val()
                | (!self.s_data_pkt.valid.val() & !self.s_reply_pkt.valid.val()));
        self.load_data.next = self.free.val()
            & !self.extra_first.val()
            & self.s_data_pkt.valid.val()
            & (!self.reply_next.val() | !self.s_reply_pkt.valid.val());
        self.load_reply.next = self.free.val()
            & !self.extra_first.val()
            & self.s_reply_pkt.valid.val()
            & (self.reply_next.val() | !self.s_data_pkt.valid.val());
        self.packets();
        self.reads();
    }

    /// The tx pipe has the packet: its half may go on.
    fn packets(&mut self) {
        self.take_pkt.next = self.pkt_full.val() & self.m_pkt.ready.val();
        self.take_read.next = false;
        if self.take_pkt.val() {
            self.busy.next = false;
        }
        if self.m_pkt.ready.val() {
            self.pkt_full.next = false;
        }
        if self.m_read.ready.val() {
            self.read_full.next = false;
        }
        if self.load_data.val() | self.load_reply.val() {
            self.busy.next = true;
            self.is_reply.next = self.load_reply.val();
            self.is_probe.next = false;
            self.is_window.next = false;
            self.reply_next.next = self.load_data.val();
            self.pkt_full.next = true;
        }
        if self.load_extra.val() {
            self.busy.next = true;
            self.is_reply.next = false;
            self.is_probe.next = self.s_probe.valid.val();
            self.is_window.next = !self.s_probe.valid.val();
            self.pkt_full.next = true;
            self.flow.next = bit_cast::<FP1, FB>(self.s_window.flow.val());
            self.opcode.next = self.window.val();
            self.psn.next = self.s_window.psn.val();
            self.ack_req.next = false;
            self.solicited.next = false;
            self.payload_bytes.next = 0.into();
            self.imm.next = self.s_window.bytes.val();
            self.bare.next = true;
            if self.s_probe.valid.val() {
                self.flow.next = bit_cast::<FP1, FB>(self.s_probe.flow.val());
                self.opcode.next = self.probe.val();
                self.psn.next = self.s_probe.psn.val();
                self.bare.next = false;
            }
        } else if self.load_data.val() {
            self.flow.next = bit_cast::<FP1, FB>(self.s_data_pkt.flow.val());
            self.opcode.next = self.s_data_pkt.opcode.val();
            self.psn.next = self.s_data_pkt.psn.val();
            self.ack_req.next = self.s_data_pkt.ack_req.val();
            self.solicited.next = self.s_data_pkt.solicited.val();
            self.payload_bytes.next = self.s_data_pkt.payload_bytes.val();
            self.va.next = self.s_data_pkt.va.val();
            self.rkey.next = self.s_data_pkt.rkey.val();
            self.dma_len.next = self.s_data_pkt.dma_len.val();
            self.imm.next = self.s_data_pkt.imm.val();
            self.mark.next = self.s_data_pkt.mark.val();
            self.bare.next = self.s_data_pkt.bare.val();
            self.syndrome.next = 0.into();
            self.msn.next = 0.into();
        } else if self.load_reply.val() {
            self.flow.next = bit_cast::<FP1, FB>(self.s_reply_pkt.flow.val()) | self.top.val();
            self.opcode.next = self.s_reply_pkt.opcode.val();
            self.psn.next = self.s_reply_pkt.psn.val();
            self.ack_req.next = false;
            self.solicited.next = false;
            self.payload_bytes.next = self.s_reply_pkt.payload_bytes.val();
            self.va.next = 0.into();
            self.rkey.next = 0.into();
            self.dma_len.next = 0.into();
            self.imm.next = 0.into();
            self.mark.next = self.s_reply_pkt.mark.val();
            self.bare.next = false;
            self.syndrome.next = self.s_reply_pkt.syndrome.val();
            self.msn.next = self.s_reply_pkt.msn.val();
        }
    }

    /// A read command that stands is the packet's.
    fn reads(&mut self) {
        if self.load_data.val() & self.s_data_read.valid.val() {
            self.take_read.next = true;
            self.read_full.next = true;
            self.addr.next = self.s_data_read.addr.val();
            self.bytes.next = self.s_data_read.bytes.val();
        }
        if self.load_reply.val() & self.s_reply_read.valid.val() {
            self.take_read.next = true;
            self.read_full.next = true;
            self.addr.next = self.s_reply_read.addr.val();
            self.bytes.next = self.s_reply_read.bytes.val();
        }
    }
}
