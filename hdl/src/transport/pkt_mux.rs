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

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from a packet at a sink to the packet at the source.
pub const LATENCY_CYCLES: usize = 1;

/// Mux of packets; `FP1 = FB + 1`.
#[derive(LogicBlock)]
pub struct PktMux<const FB: usize, const FP1: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    busy: DFF<Bit>,
    is_reply: DFF<Bit>,
    is_probe: DFF<Bit>,
    is_window: DFF<Bit>,
    take_pkt: DFF<Bit>,
    take_read: DFF<Bit>,
    reply_next: DFF<Bit>,
    pkt_full: DFF<Bit>,
    flow: DFF<Bits<FP1>>,
    opcode: DFF<Bits<8>>,
    psn: DFF<Bits<24>>,
    ack_req: DFF<Bit>,
    solicited: DFF<Bit>,
    payload_bytes: DFF<Bits<13>>,
    va: DFF<Bits<64>>,
    rkey: DFF<Bits<32>>,
    dma_len: DFF<Bits<32>>,
    imm: DFF<Bits<32>>,
    mark: DFF<Bits<4>>,
    bare: DFF<Bit>,
    syndrome: DFF<Bits<8>>,
    msn: DFF<Bits<24>>,
    read_full: DFF<Bit>,
    addr: DFF<Bits<64>>,
    bytes: DFF<Bits<13>>,
    free: Signal<Local, Bit>,
    is_extra: Signal<Local, Bit>,
    extra_waits: Signal<Local, Bit>,
    extra_first: Signal<Local, Bit>,
    load_extra: Signal<Local, Bit>,
    load_data: Signal<Local, Bit>,
    load_reply: Signal<Local, Bit>,
    probe: Constant<Bits<8>>,
    window: Constant<Bits<8>>,
    top: Constant<Bits<FP1>>,
}

impl<const FB: usize, const FP1: usize> Default for PktMux<FB, FP1> {
    fn default() -> Self {
        assert!(FP1 == FB + 1, "FP1 = FB + 1");
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_data_pkt_valid: Default::default(),
            s_data_pkt_ready: Default::default(),
            s_data_pkt_flow: Default::default(),
            s_data_pkt_opcode: Default::default(),
            s_data_pkt_psn: Default::default(),
            s_data_pkt_ack_req: Default::default(),
            s_data_pkt_solicited: Default::default(),
            s_data_pkt_payload_bytes: Default::default(),
            s_data_pkt_va: Default::default(),
            s_data_pkt_rkey: Default::default(),
            s_data_pkt_dma_len: Default::default(),
            s_data_pkt_imm: Default::default(),
            s_data_pkt_mark: Default::default(),
            s_data_pkt_bare: Default::default(),
            s_data_read_valid: Default::default(),
            s_data_read_ready: Default::default(),
            s_data_read_addr: Default::default(),
            s_data_read_bytes: Default::default(),
            s_reply_pkt_valid: Default::default(),
            s_reply_pkt_ready: Default::default(),
            s_reply_pkt_flow: Default::default(),
            s_reply_pkt_opcode: Default::default(),
            s_reply_pkt_psn: Default::default(),
            s_reply_pkt_payload_bytes: Default::default(),
            s_reply_pkt_syndrome: Default::default(),
            s_reply_pkt_msn: Default::default(),
            s_reply_pkt_mark: Default::default(),
            s_reply_read_valid: Default::default(),
            s_reply_read_ready: Default::default(),
            s_reply_read_addr: Default::default(),
            s_reply_read_bytes: Default::default(),
            s_probe_valid: Default::default(),
            s_probe_ready: Default::default(),
            s_probe_flow: Default::default(),
            s_probe_psn: Default::default(),
            s_window_valid: Default::default(),
            s_window_ready: Default::default(),
            s_window_flow: Default::default(),
            s_window_psn: Default::default(),
            s_window_bytes: Default::default(),
            sent_valid: Default::default(),
            is_probe: Default::default(),
            is_window: Default::default(),
            probe: Constant::new(0xc2u64.to_bits()),
            window: Constant::new(0xc4u64.to_bits()),
            m_pkt_valid: Default::default(),
            m_pkt_ready: Default::default(),
            m_pkt_flow: Default::default(),
            m_pkt_opcode: Default::default(),
            m_pkt_psn: Default::default(),
            m_pkt_ack_req: Default::default(),
            m_pkt_solicited: Default::default(),
            m_pkt_payload_bytes: Default::default(),
            m_pkt_va: Default::default(),
            m_pkt_rkey: Default::default(),
            m_pkt_dma_len: Default::default(),
            m_pkt_imm: Default::default(),
            m_pkt_mark: Default::default(),
            m_pkt_bare: Default::default(),
            m_pkt_syndrome: Default::default(),
            m_pkt_msn: Default::default(),
            m_read_valid: Default::default(),
            m_read_ready: Default::default(),
            m_read_addr: Default::default(),
            m_read_bytes: Default::default(),
            busy: Default::default(),
            is_reply: Default::default(),
            take_pkt: Default::default(),
            take_read: Default::default(),
            reply_next: Default::default(),
            pkt_full: Default::default(),
            flow: Default::default(),
            opcode: Default::default(),
            psn: Default::default(),
            ack_req: Default::default(),
            solicited: Default::default(),
            payload_bytes: Default::default(),
            va: Default::default(),
            rkey: Default::default(),
            dma_len: Default::default(),
            imm: Default::default(),
            mark: Default::default(),
            bare: Default::default(),
            syndrome: Default::default(),
            msn: Default::default(),
            read_full: Default::default(),
            addr: Default::default(),
            bytes: Default::default(),
            free: Default::default(),
            is_extra: Default::default(),
            extra_waits: Default::default(),
            extra_first: Default::default(),
            load_extra: Default::default(),
            load_data: Default::default(),
            load_reply: Default::default(),
            top: Constant::new((1u64 << FB).to_bits()),
        }
    }
}

impl<const FB: usize, const FP1: usize> Logic for PktMux<FB, FP1> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            busy,
            is_reply,
            is_probe,
            is_window,
            take_pkt,
            take_read,
            reply_next,
            pkt_full,
            flow,
            opcode,
            psn,
            ack_req,
            solicited,
            payload_bytes,
            va,
            rkey,
            dma_len,
            imm,
            mark,
            bare,
            syndrome,
            msn,
            read_full,
            addr,
            bytes
        );
        self.is_extra.next = self.is_probe.q.val() | self.is_window.q.val();
        self.s_probe_ready.next = self.take_pkt.q.val() & self.is_probe.q.val();
        self.s_window_ready.next = self.take_pkt.q.val() & self.is_window.q.val();
        self.s_data_pkt_ready.next =
            self.take_pkt.q.val() & !self.is_reply.q.val() & !self.is_extra.val();
        self.s_data_read_ready.next = self.take_read.q.val() & !self.is_reply.q.val();
        self.s_reply_pkt_ready.next = self.take_pkt.q.val() & self.is_reply.q.val();
        self.s_reply_read_ready.next = self.take_read.q.val() & self.is_reply.q.val();
        self.m_pkt_valid.next = self.pkt_full.q.val();
        self.sent_valid.next = self.pkt_full.q.val() & !self.is_extra.val();
        self.m_pkt_flow.next = self.flow.q.val();
        self.m_pkt_opcode.next = self.opcode.q.val();
        self.m_pkt_psn.next = self.psn.q.val();
        self.m_pkt_ack_req.next = self.ack_req.q.val();
        self.m_pkt_solicited.next = self.solicited.q.val();
        self.m_pkt_payload_bytes.next = self.payload_bytes.q.val();
        self.m_pkt_va.next = self.va.q.val();
        self.m_pkt_rkey.next = self.rkey.q.val();
        self.m_pkt_dma_len.next = self.dma_len.q.val();
        self.m_pkt_imm.next = self.imm.q.val();
        self.m_pkt_mark.next = self.mark.q.val();
        self.m_pkt_bare.next = self.bare.q.val();
        self.m_pkt_syndrome.next = self.syndrome.q.val();
        self.m_pkt_msn.next = self.msn.q.val();
        self.m_read_valid.next = self.read_full.q.val();
        self.m_read_addr.next = self.addr.q.val();
        self.m_read_bytes.next = self.bytes.q.val();
        self.free.next = !self.busy.q.val() & (self.m_read_ready.val() | !self.read_full.q.val());
        self.extra_waits.next = self.s_probe_valid.val() | self.s_window_valid.val();
        self.extra_first.next = self.extra_waits.val() & !self.is_extra.val();
        self.load_extra.next = self.free.val()
            & self.extra_waits.val()
            & (!self.is_extra.val()
                | (!self.s_data_pkt_valid.val() & !self.s_reply_pkt_valid.val()));
        self.load_data.next = self.free.val()
            & !self.extra_first.val()
            & self.s_data_pkt_valid.val()
            & (!self.reply_next.q.val() | !self.s_reply_pkt_valid.val());
        self.load_reply.next = self.free.val()
            & !self.extra_first.val()
            & self.s_reply_pkt_valid.val()
            & (self.reply_next.q.val() | !self.s_data_pkt_valid.val());
        comment!("The tx pipe has the packet: its half may go on.");
        self.take_pkt.d.next = self.pkt_full.q.val() & self.m_pkt_ready.val();
        self.take_read.d.next = false;
        if self.take_pkt.q.val() {
            self.busy.d.next = false;
        }
        if self.m_pkt_ready.val() {
            self.pkt_full.d.next = false;
        }
        if self.m_read_ready.val() {
            self.read_full.d.next = false;
        }
        if self.load_data.val() | self.load_reply.val() {
            self.busy.d.next = true;
            self.is_reply.d.next = self.load_reply.val();
            self.is_probe.d.next = false;
            self.is_window.d.next = false;
            self.reply_next.d.next = self.load_data.val();
            self.pkt_full.d.next = true;
        }
        if self.load_extra.val() {
            self.busy.d.next = true;
            self.is_reply.d.next = false;
            self.is_probe.d.next = self.s_probe_valid.val();
            self.is_window.d.next = !self.s_probe_valid.val();
            self.pkt_full.d.next = true;
            self.flow.d.next = bit_cast::<FP1, FB>(self.s_window_flow.val());
            self.opcode.d.next = self.window.val();
            self.psn.d.next = self.s_window_psn.val();
            self.ack_req.d.next = false;
            self.solicited.d.next = false;
            self.payload_bytes.d.next = 0.into();
            self.imm.d.next = self.s_window_bytes.val();
            self.bare.d.next = true;
            if self.s_probe_valid.val() {
                self.flow.d.next = bit_cast::<FP1, FB>(self.s_probe_flow.val());
                self.opcode.d.next = self.probe.val();
                self.psn.d.next = self.s_probe_psn.val();
                self.bare.d.next = false;
            }
        } else if self.load_data.val() {
            self.flow.d.next = bit_cast::<FP1, FB>(self.s_data_pkt_flow.val());
            self.opcode.d.next = self.s_data_pkt_opcode.val();
            self.psn.d.next = self.s_data_pkt_psn.val();
            self.ack_req.d.next = self.s_data_pkt_ack_req.val();
            self.solicited.d.next = self.s_data_pkt_solicited.val();
            self.payload_bytes.d.next = self.s_data_pkt_payload_bytes.val();
            self.va.d.next = self.s_data_pkt_va.val();
            self.rkey.d.next = self.s_data_pkt_rkey.val();
            self.dma_len.d.next = self.s_data_pkt_dma_len.val();
            self.imm.d.next = self.s_data_pkt_imm.val();
            self.mark.d.next = self.s_data_pkt_mark.val();
            self.bare.d.next = self.s_data_pkt_bare.val();
            self.syndrome.d.next = 0.into();
            self.msn.d.next = 0.into();
        } else if self.load_reply.val() {
            self.flow.d.next = bit_cast::<FP1, FB>(self.s_reply_pkt_flow.val()) | self.top.val();
            self.opcode.d.next = self.s_reply_pkt_opcode.val();
            self.psn.d.next = self.s_reply_pkt_psn.val();
            self.ack_req.d.next = false;
            self.solicited.d.next = false;
            self.payload_bytes.d.next = self.s_reply_pkt_payload_bytes.val();
            self.va.d.next = 0.into();
            self.rkey.d.next = 0.into();
            self.dma_len.d.next = 0.into();
            self.imm.d.next = 0.into();
            self.mark.d.next = self.s_reply_pkt_mark.val();
            self.bare.d.next = false;
            self.syndrome.d.next = self.s_reply_pkt_syndrome.val();
            self.msn.d.next = self.s_reply_pkt_msn.val();
        }
        comment!("A read command that stands is the packet's.");
        if self.load_data.val() & self.s_data_read_valid.val() {
            self.take_read.d.next = true;
            self.read_full.d.next = true;
            self.addr.d.next = self.s_data_read_addr.val();
            self.bytes.d.next = self.s_data_read_bytes.val();
        }
        if self.load_reply.val() & self.s_reply_read_valid.val() {
            self.take_read.d.next = true;
            self.read_full.d.next = true;
            self.addr.d.next = self.s_reply_read_addr.val();
            self.bytes.d.next = self.s_reply_read_bytes.val();
        }
        if self.reset.val() {
            self.busy.d.next = false;
            self.is_reply.d.next = false;
            self.is_probe.d.next = false;
            self.is_window.d.next = false;
            self.take_pkt.d.next = false;
            self.take_read.d.next = false;
            self.reply_next.d.next = false;
            self.pkt_full.d.next = false;
            self.flow.d.next = 0.into();
            self.opcode.d.next = 0.into();
            self.psn.d.next = 0.into();
            self.ack_req.d.next = false;
            self.solicited.d.next = false;
            self.payload_bytes.d.next = 0.into();
            self.va.d.next = 0.into();
            self.rkey.d.next = 0.into();
            self.dma_len.d.next = 0.into();
            self.imm.d.next = 0.into();
            self.mark.d.next = 0.into();
            self.bare.d.next = false;
            self.syndrome.d.next = 0.into();
            self.msn.d.next = 0.into();
            self.read_full.d.next = false;
            self.addr.d.next = 0.into();
            self.bytes.d.next = 0.into();
        }
    }
}
