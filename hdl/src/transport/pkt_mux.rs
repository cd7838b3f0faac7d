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
//! # Twins             sim/src/golden/transport/pkt_mux.rs, tests/pkt_mux.rs

use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Cycles from a packet at a sink to the packet at the source.
pub const LATENCY_CYCLES: usize = 1;

/// Mux of packets; `FP1 = FB + 1`.
#[block(check(FP1 == FB + 1))]
pub struct PktMux<const FB: usize, const FP1: usize> {
    /// A probe waits.
    pub s_probe_valid: Signal<In, Bit>,
    /// The tx pipe has taken it.
    pub s_probe_ready: Signal<Out, Bit>,
    /// Its flow.
    pub s_probe_flow: Signal<In, Bits<FB>>,
    /// PSN of the flow's latest data packet.
    pub s_probe_psn: Signal<In, Bits<24>>,
    /// A window waits.
    pub s_window_valid: Signal<In, Bit>,
    /// The tx pipe has taken it.
    pub s_window_ready: Signal<Out, Bit>,
    /// Its flow.
    pub s_window_flow: Signal<In, Bits<FB>>,
    /// Its time.
    pub s_window_psn: Signal<In, Bits<24>>,
    /// The window.
    pub s_window_bytes: Signal<In, Bits<32>>,
    /// The requester has a packet.
    pub s_data_pkt_valid: Signal<In, Bit>,
    /// It will be taken.
    pub s_data_pkt_ready: Signal<Out, Bit>,
    /// Flow.
    pub s_data_pkt_flow: Signal<In, Bits<FB>>,
    /// Opcode.
    pub s_data_pkt_opcode: Signal<In, Bits<8>>,
    /// PSN.
    pub s_data_pkt_psn: Signal<In, Bits<24>>,
    /// AckReq.
    pub s_data_pkt_ack_req: Signal<In, Bit>,
    /// Solicited event.
    pub s_data_pkt_solicited: Signal<In, Bit>,
    /// Payload bytes.
    pub s_data_pkt_payload_bytes: Signal<In, Bits<13>>,
    /// RETH: virtual address.
    pub s_data_pkt_va: Signal<In, Bits<64>>,
    /// RETH: rkey.
    pub s_data_pkt_rkey: Signal<In, Bits<32>>,
    /// RETH: length of the message.
    pub s_data_pkt_dma_len: Signal<In, Bits<32>>,
    /// Immediate.
    pub s_data_pkt_imm: Signal<In, Bits<32>>,
    /// Mark of its flow's row.
    pub s_data_pkt_mark: Signal<In, Bits<4>>,
    /// It goes without telemetry.
    pub s_data_pkt_bare: Signal<In, Bit>,
    /// The requester has a read command.
    pub s_data_read_valid: Signal<In, Bit>,
    /// It will be taken.
    pub s_data_read_ready: Signal<Out, Bit>,
    /// Byte address.
    pub s_data_read_addr: Signal<In, Bits<64>>,
    /// Bytes.
    pub s_data_read_bytes: Signal<In, Bits<13>>,
    /// `read_reply` has a packet.
    pub s_reply_pkt_valid: Signal<In, Bit>,
    /// It will be taken.
    pub s_reply_pkt_ready: Signal<Out, Bit>,
    /// Flow.
    pub s_reply_pkt_flow: Signal<In, Bits<FB>>,
    /// Opcode.
    pub s_reply_pkt_opcode: Signal<In, Bits<8>>,
    /// PSN.
    pub s_reply_pkt_psn: Signal<In, Bits<24>>,
    /// Payload bytes.
    pub s_reply_pkt_payload_bytes: Signal<In, Bits<13>>,
    /// AETH: syndrome.
    pub s_reply_pkt_syndrome: Signal<In, Bits<8>>,
    /// AETH: MSN.
    pub s_reply_pkt_msn: Signal<In, Bits<24>>,
    /// Mark of its flow's row.
    pub s_reply_pkt_mark: Signal<In, Bits<4>>,
    /// `read_reply` has a read command.
    pub s_reply_read_valid: Signal<In, Bit>,
    /// It will be taken.
    pub s_reply_read_ready: Signal<Out, Bit>,
    /// Byte address.
    pub s_reply_read_addr: Signal<In, Bits<64>>,
    /// Bytes.
    pub s_reply_read_bytes: Signal<In, Bits<13>>,
    /// A packet stands.
    pub m_pkt_valid: Signal<Out, Bit>,
    /// It is no probe and no window.
    pub sent_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_pkt_ready: Signal<In, Bit>,
    /// Flow; top bit: READ response.
    pub m_pkt_flow: Signal<Out, Bits<FP1>>,
    /// Opcode.
    pub m_pkt_opcode: Signal<Out, Bits<8>>,
    /// PSN.
    pub m_pkt_psn: Signal<Out, Bits<24>>,
    /// AckReq.
    pub m_pkt_ack_req: Signal<Out, Bit>,
    /// Solicited event.
    pub m_pkt_solicited: Signal<Out, Bit>,
    /// Payload bytes.
    pub m_pkt_payload_bytes: Signal<Out, Bits<13>>,
    /// RETH: virtual address.
    pub m_pkt_va: Signal<Out, Bits<64>>,
    /// RETH: rkey.
    pub m_pkt_rkey: Signal<Out, Bits<32>>,
    /// RETH: length of the message.
    pub m_pkt_dma_len: Signal<Out, Bits<32>>,
    /// Immediate.
    pub m_pkt_imm: Signal<Out, Bits<32>>,
    /// Mark of its flow's row.
    pub m_pkt_mark: Signal<Out, Bits<4>>,
    /// It goes without telemetry; READ responses do not.
    pub m_pkt_bare: Signal<Out, Bit>,
    /// AETH: syndrome.
    pub m_pkt_syndrome: Signal<Out, Bits<8>>,
    /// AETH: MSN.
    pub m_pkt_msn: Signal<Out, Bits<24>>,
    /// A read command stands.
    pub m_read_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_read_ready: Signal<In, Bit>,
    /// Byte address.
    pub m_read_addr: Signal<Out, Bits<64>>,
    /// Bytes.
    pub m_read_bytes: Signal<Out, Bits<13>>,
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

impl<const FB: usize, const FP1: usize> Logic for PktMux<FB, FP1> {
    #[hdl_gen]
    fn update(&mut self) {
        self.is_extra.next = self.is_probe.val() | self.is_window.val();
        self.s_probe_ready.next = self.take_pkt.val() & self.is_probe.val();
        self.s_window_ready.next = self.take_pkt.val() & self.is_window.val();
        self.s_data_pkt_ready.next =
            self.take_pkt.val() & !self.is_reply.val() & !self.is_extra.val();
        self.s_data_read_ready.next = self.take_read.val() & !self.is_reply.val();
        self.s_reply_pkt_ready.next = self.take_pkt.val() & self.is_reply.val();
        self.s_reply_read_ready.next = self.take_read.val() & self.is_reply.val();
        self.m_pkt_valid.next = self.pkt_full.val();
        self.sent_valid.next = self.pkt_full.val() & !self.is_extra.val();
        self.m_pkt_flow.next = self.flow.val();
        self.m_pkt_opcode.next = self.opcode.val();
        self.m_pkt_psn.next = self.psn.val();
        self.m_pkt_ack_req.next = self.ack_req.val();
        self.m_pkt_solicited.next = self.solicited.val();
        self.m_pkt_payload_bytes.next = self.payload_bytes.val();
        self.m_pkt_va.next = self.va.val();
        self.m_pkt_rkey.next = self.rkey.val();
        self.m_pkt_dma_len.next = self.dma_len.val();
        self.m_pkt_imm.next = self.imm.val();
        self.m_pkt_mark.next = self.mark.val();
        self.m_pkt_bare.next = self.bare.val();
        self.m_pkt_syndrome.next = self.syndrome.val();
        self.m_pkt_msn.next = self.msn.val();
        self.m_read_valid.next = self.read_full.val();
        self.m_read_addr.next = self.addr.val();
        self.m_read_bytes.next = self.bytes.val();
        self.free.next = !self.busy.val() & (self.m_read_ready.val() | !self.read_full.val());
        self.extra_waits.next = self.s_probe_valid.val() | self.s_window_valid.val();
        self.extra_first.next = self.extra_waits.val() & !self.is_extra.val();
        self.load_extra.next = self.free.val()
            & self.extra_waits.val()
            & (!self.is_extra.val()
                | (!self.s_data_pkt_valid.val() & !self.s_reply_pkt_valid.val()));
        self.load_data.next = self.free.val()
            & !self.extra_first.val()
            & self.s_data_pkt_valid.val()
            & (!self.reply_next.val() | !self.s_reply_pkt_valid.val());
        self.load_reply.next = self.free.val()
            & !self.extra_first.val()
            & self.s_reply_pkt_valid.val()
            & (self.reply_next.val() | !self.s_data_pkt_valid.val());
        comment!("The tx pipe has the packet: its half may go on.");
        self.take_pkt.next = self.pkt_full.val() & self.m_pkt_ready.val();
        self.take_read.next = false;
        if self.take_pkt.val() {
            self.busy.next = false;
        }
        if self.m_pkt_ready.val() {
            self.pkt_full.next = false;
        }
        if self.m_read_ready.val() {
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
            self.is_probe.next = self.s_probe_valid.val();
            self.is_window.next = !self.s_probe_valid.val();
            self.pkt_full.next = true;
            self.flow.next = bit_cast::<FP1, FB>(self.s_window_flow.val());
            self.opcode.next = self.window.val();
            self.psn.next = self.s_window_psn.val();
            self.ack_req.next = false;
            self.solicited.next = false;
            self.payload_bytes.next = 0.into();
            self.imm.next = self.s_window_bytes.val();
            self.bare.next = true;
            if self.s_probe_valid.val() {
                self.flow.next = bit_cast::<FP1, FB>(self.s_probe_flow.val());
                self.opcode.next = self.probe.val();
                self.psn.next = self.s_probe_psn.val();
                self.bare.next = false;
            }
        } else if self.load_data.val() {
            self.flow.next = bit_cast::<FP1, FB>(self.s_data_pkt_flow.val());
            self.opcode.next = self.s_data_pkt_opcode.val();
            self.psn.next = self.s_data_pkt_psn.val();
            self.ack_req.next = self.s_data_pkt_ack_req.val();
            self.solicited.next = self.s_data_pkt_solicited.val();
            self.payload_bytes.next = self.s_data_pkt_payload_bytes.val();
            self.va.next = self.s_data_pkt_va.val();
            self.rkey.next = self.s_data_pkt_rkey.val();
            self.dma_len.next = self.s_data_pkt_dma_len.val();
            self.imm.next = self.s_data_pkt_imm.val();
            self.mark.next = self.s_data_pkt_mark.val();
            self.bare.next = self.s_data_pkt_bare.val();
            self.syndrome.next = 0.into();
            self.msn.next = 0.into();
        } else if self.load_reply.val() {
            self.flow.next = bit_cast::<FP1, FB>(self.s_reply_pkt_flow.val()) | self.top.val();
            self.opcode.next = self.s_reply_pkt_opcode.val();
            self.psn.next = self.s_reply_pkt_psn.val();
            self.ack_req.next = false;
            self.solicited.next = false;
            self.payload_bytes.next = self.s_reply_pkt_payload_bytes.val();
            self.va.next = 0.into();
            self.rkey.next = 0.into();
            self.dma_len.next = 0.into();
            self.imm.next = 0.into();
            self.mark.next = self.s_reply_pkt_mark.val();
            self.bare.next = false;
            self.syndrome.next = self.s_reply_pkt_syndrome.val();
            self.msn.next = self.s_reply_pkt_msn.val();
        }
        comment!("A read command that stands is the packet's.");
        if self.load_data.val() & self.s_data_read_valid.val() {
            self.take_read.next = true;
            self.read_full.next = true;
            self.addr.next = self.s_data_read_addr.val();
            self.bytes.next = self.s_data_read_bytes.val();
        }
        if self.load_reply.val() & self.s_reply_read_valid.val() {
            self.take_read.next = true;
            self.read_full.next = true;
            self.addr.next = self.s_reply_read_addr.val();
            self.bytes.next = self.s_reply_read_bytes.val();
        }
    }
}
