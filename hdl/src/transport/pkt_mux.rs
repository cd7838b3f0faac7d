//! Packets of both halves of the NIC on their way to the tx pipe, with their read commands: data of
//! the requester, and READ responses, whose flow gets the top bit. Between them probes of the data,
//! windows that are computed here for the peer's data, and ends of READs.
//!
//! A packet waits here for the tx pipe, which has room for it once the payload of those before it has
//! come. Its read command has left at once, so host memory works on as many as wait: as many bytes
//! as it brings in its latency, for more would only make a queue.
//!
//! # Interface timing  cycle 0: a packet stands, with its read command if it has payload (both rise in
//!                     the same cycle, and the next packet when both are taken); cycle 1:
//!                     m_read_valid and the sink's readies; cycle 2: m_pkt_valid if none waits
//! # Latency and rate  [`LATENCY_CYCLES`]; one packet every 2 cycles
//! # Order             an end first; then a probe, else a window, but no two of them in a row while a
//!                     half waits; the halves take turns by packet; read commands leave in the order
//!                     of their packets. A packet without payload has no read command. An end
//!                     leaves when the responses before it are with the tx pipe: no ACK that waits
//!                     for it can overtake them
//! # Shape             FP1 = FB + 1; 2^D packets wait at most, D1 = D + 1, and none comes while 2^L
//!                     bytes of payload wait or more
//! # Reset             synchronous, high: empty, the requester goes first, all data 0; data holds
//!                     its last value while its valid is low. What a packet has no use for is
//!                     that of the sink that has it
//! # Twins             sim/models/src/golden/transport/pkt_mux.rs, tests/transport/pkt_mux.rs

use crate::streams::{
    AnyPacket, Packet, PayloadSource, Probe, ReadCommand, ReadJobEnd, Reply, Window,
};
use crate::util::fifo::Fifo;
use crate::{block, kernel, row, Reg, Regs, Wire};
use nic_spec::wire::bth::opcode;
use rust_hdl_core::prelude::*;

/// Cycles from a packet at a sink to the packet at the source.
pub const LATENCY_CYCLES: usize = 2;

/// Packets that wait for the tx pipe at most, log2, beside a datapath of so many bits.
pub const fn waiting_packets_log2(bits: usize) -> usize {
    if bits > 64 {
        7
    } else {
        4
    }
}

/// Bytes of their payload, log2: 512 beats, which a memory of 2 us brings in its latency.
pub const fn waiting_bytes_log2(bits: usize) -> usize {
    9 + bits.ilog2() as usize - 3
}

/// What waits: a packet, or the end of READs.
#[row]
pub struct WaitingPacket<const FP1: usize> {
    pub is_end: Bit,             // The end of READs
    pub is_extra: Bit,           // A probe or a window
    pub flow: Bits<FP1>,         // Flow
    pub opcode: Bits<8>,         // Operation code
    pub psn: Bits<24>,           // PSN
    pub ack_req: Bit,            // It asks for an ACK
    pub solicited: Bit,          // It asks for an event
    pub payload_bytes: Bits<13>, // Bytes of its payload
    pub va: Bits<64>,            // RETH: address
    pub rkey: Bits<32>,          // RETH: key
    pub dma_len: Bits<32>,       // RETH: length
    pub imm: Bits<32>,           // Immediate data, or a window
    pub syndrome: Bits<8>,       // AETH: syndrome
    pub msn: Bits<24>,           // AETH: MSN
    pub mark: Bits<4>,           // Mark of its flow's row
    pub bare: Bit,               // It goes without telemetry
}

/// An end in the place of immediate data.
#[row]
struct EndFields {
    jobs: Bits<5>,
    reads: Bits<5>,
    error: Bit,
    cleared: Bit,
    unused: Bits<20>,
}

/// Mux of packets; `FP1 = FB + 1`, `D1 = D + 1`.
#[block(check(FP1 == FB + 1 && D1 == D + 1 && L < 16))]
pub struct PktMux<
    const FB: usize,
    const FP1: usize,
    const D: usize,
    const D1: usize,
    const L: usize,
> {
    /// A probe waits.
    pub s_probe: Probe<In, FB>,
    /// A window waits.
    pub s_window: Window<In, FB>,
    /// The requester has a packet.
    pub s_data_pkt: Packet<In, FB>,
    /// The requester says where its payload is.
    pub s_data_read: PayloadSource<In>,
    /// `read_reply` has a packet.
    pub s_reply_pkt: Reply<In, FB>,
    /// `read_reply` has a read command.
    pub s_reply_read: ReadCommand<In>,
    /// READs have ended, behind the responses that were taken before.
    pub s_end: ReadJobEnd<In, FB>,
    /// A packet stands.
    pub m_pkt: AnyPacket<Out, FP1>,
    /// It is no probe and no window.
    pub sent_valid: Signal<Out, Bit>,
    /// Where a packet's payload is.
    pub m_read: PayloadSource<Out>,
    /// READs have ended, and their responses are with the tx pipe.
    pub m_end: ReadJobEnd<Out, FB>,
    waiting: Fifo<WaitingPacket<FP1>, D, D1>,
    bytes: Reg<Bits<17>>,
    is_full: Reg<Bit>,
    busy: Reg<Bit>,
    take_end: Reg<Bit>,
    take_probe: Reg<Bit>,
    take_window: Reg<Bit>,
    take_data: Reg<Bit>,
    take_reply: Reg<Bit>,
    take_read: Reg<Bit>,
    was_extra: Reg<Bit>,
    reply_next: Reg<Bit>,
    read: PayloadSource<Regs>,
    head: Signal<Local, WaitingPacket<FP1>>,
    head_fields: Signal<Local, EndFields>,
    end_fields: Signal<Local, EndFields>,
    more_bytes: Signal<Local, Bits<17>>,
    less_bytes: Signal<Local, Bits<17>>,
    free: Signal<Local, Bit>,
    half_waits: Signal<Local, Bit>,
    extra_waits: Signal<Local, Bit>,
    half_goes: Signal<Local, Bit>,
    load_end: Signal<Local, Bit>,
    load_extra: Signal<Local, Bit>,
    load_data: Signal<Local, Bit>,
    load_reply: Signal<Local, Bit>,
    loads: Signal<Local, Bit>,
    #[value(1u64 << L)]
    bytes_max: Constant<Bits<17>>,
    #[value(u64::from(opcode::TELEMETRY_PROBE))]
    probe: Constant<Bits<8>>,
    #[value(u64::from(opcode::TELEMETRY_WINDOW))]
    window: Constant<Bits<8>>,
    #[value(1u64 << FB)]
    top: Constant<Bits<FP1>>,
}

#[kernel]
impl<const FB: usize, const FP1: usize, const D: usize, const D1: usize, const L: usize>
    PktMux<FB, FP1, D, D1, L>
{
    fn update(&mut self) {
        self.choose();
        self.take();
        self.waits();
        self.reads();
        self.leaves();
        self.bytes();
    }

    /// Who is next.
    fn choose(&mut self) {
        self.free.next = !self.busy.val()
            & !self.is_full.val()
            & self.waiting.s.ready.val()
            & (self.m_read.ready.val() | !self.read.valid.val());
        self.half_waits.next = self.s_data_pkt.valid.val() | self.s_reply_pkt.valid.val();
        self.extra_waits.next = self.s_probe.valid.val() | self.s_window.valid.val();
        self.load_end.next = self.free.val() & self.s_end.valid.val();
        self.load_extra.next = self.free.val()
            & !self.s_end.valid.val()
            & self.extra_waits.val()
            & !(self.was_extra.val() & self.half_waits.val());
        self.half_goes.next = self.free.val()
            & !self.s_end.valid.val()
            & (self.was_extra.val() | !self.extra_waits.val());
        self.load_data.next = self.half_goes.val()
            & self.s_data_pkt.valid.val()
            & (!self.reply_next.val() | !self.s_reply_pkt.valid.val());
        self.load_reply.next = self.half_goes.val()
            & self.s_reply_pkt.valid.val()
            & (self.reply_next.val() | !self.s_data_pkt.valid.val());
    }

    /// Its sink is ready in the next cycle, in which nobody is chosen.
    fn take(&mut self) {
        self.loads.next = self.load_end.val()
            | self.load_extra.val()
            | self.load_data.val()
            | self.load_reply.val();
        self.busy.next = self.loads.val();
        self.take_end.next = self.load_end.val();
        self.take_probe.next = self.load_extra.val() & self.s_probe.valid.val();
        self.take_window.next = self.load_extra.val() & !self.s_probe.valid.val();
        self.take_data.next = self.load_data.val();
        self.take_reply.next = self.load_reply.val();
        self.s_end.ready.next = self.take_end.val();
        self.s_probe.ready.next = self.take_probe.val();
        self.s_window.ready.next = self.take_window.val();
        self.s_data_pkt.ready.next = self.take_data.val();
        self.s_data_read.ready.next = self.take_data.val() & self.take_read.val();
        self.s_reply_pkt.ready.next = self.take_reply.val();
        self.s_reply_read.ready.next = self.take_reply.val() & self.take_read.val();
        if self.load_extra.val() {
            self.was_extra.next = true;
        }
        if self.load_data.val() | self.load_reply.val() {
            self.was_extra.next = false;
            self.reply_next.next = self.load_data.val();
        }
    }

    /// It waits for the tx pipe.
    fn waits(&mut self) {
        self.waiting.s.valid.next = self.loads.val();
        self.waiting.s.data.next.is_end = self.load_end.val();
        self.waiting.s.data.next.is_extra = self.load_extra.val();
        self.waiting.s.data.next.flow = bit_cast::<FP1, FB>(self.s_data_pkt.flow.val());
        self.waiting.s.data.next.opcode = self.s_data_pkt.opcode.val();
        self.waiting.s.data.next.psn = self.s_data_pkt.psn.val();
        self.waiting.s.data.next.ack_req = self.s_data_pkt.ack_req.val() & self.load_data.val();
        self.waiting.s.data.next.solicited = self.s_data_pkt.solicited.val() & self.load_data.val();
        self.waiting.s.data.next.payload_bytes = self.s_data_pkt.payload_bytes.val();
        self.waiting.s.data.next.va = self.s_data_pkt.va.val();
        self.waiting.s.data.next.rkey = self.s_data_pkt.rkey.val();
        self.waiting.s.data.next.dma_len = self.s_data_pkt.dma_len.val();
        self.waiting.s.data.next.imm = self.s_data_pkt.imm.val();
        self.waiting.s.data.next.syndrome = self.s_reply_pkt.syndrome.val();
        self.waiting.s.data.next.msn = self.s_reply_pkt.msn.val();
        self.waiting.s.data.next.mark = self.s_data_pkt.mark.val();
        self.waiting.s.data.next.bare = self.s_data_pkt.bare.val() & self.load_data.val();
        self.end_fields.next = 0.into();
        self.end_fields.next.jobs = self.s_end.jobs.val();
        self.end_fields.next.reads = self.s_end.reads.val();
        self.end_fields.next.error = self.s_end.error.val();
        self.end_fields.next.cleared = self.s_end.cleared.val();
        if self.load_end.val() {
            self.waiting.s.data.next.flow = bit_cast::<FP1, FB>(self.s_end.flow.val());
            self.waiting.s.data.next.imm = self.end_fields.val().to_bits::<32>();
        } else if self.load_reply.val() {
            self.waiting.s.data.next.flow =
                bit_cast::<FP1, FB>(self.s_reply_pkt.flow.val()) | self.top.val();
            self.waiting.s.data.next.opcode = self.s_reply_pkt.opcode.val();
            self.waiting.s.data.next.psn = self.s_reply_pkt.psn.val();
            self.waiting.s.data.next.payload_bytes = self.s_reply_pkt.payload_bytes.val();
            self.waiting.s.data.next.mark = self.s_reply_pkt.mark.val();
        } else if self.load_extra.val() {
            self.waiting.s.data.next.payload_bytes = 0.into();
            self.waiting.s.data.next.imm = self.s_window.bytes.val();
            if self.s_probe.valid.val() {
                self.waiting.s.data.next.flow = bit_cast::<FP1, FB>(self.s_probe.flow.val());
                self.waiting.s.data.next.opcode = self.probe.val();
                self.waiting.s.data.next.psn = self.s_probe.psn.val();
            } else {
                self.waiting.s.data.next.flow = bit_cast::<FP1, FB>(self.s_window.flow.val());
                self.waiting.s.data.next.opcode = self.window.val();
                self.waiting.s.data.next.psn = self.s_window.psn.val();
                self.waiting.s.data.next.bare = true;
            }
        }
    }

    /// A read command that stands is the packet's.
    fn reads(&mut self) {
        Wire::join(&mut self.read, &mut self.m_read);
        self.take_read.next = false;
        if self.m_read.ready.val() {
            self.read.valid.next = false;
        }
        if self.load_data.val() & self.s_data_read.valid.val() {
            self.take_read.next = true;
            self.read.valid.next = true;
            self.read.addr.next = self.s_data_read.addr.val();
            self.read.bytes.next = self.s_data_read.bytes.val();
            self.read.is_inline.next = self.s_data_read.is_inline.val();
            self.read.inline_rest.next = self.s_data_read.inline_rest.val();
        }
        if self.load_reply.val() & self.s_reply_read.valid.val() {
            self.take_read.next = true;
            self.read.valid.next = true;
            self.read.addr.next = self.s_reply_read.addr.val();
            self.read.bytes.next = self.s_reply_read.bytes.val();
            self.read.is_inline.next = false;
        }
    }

    /// The oldest one goes to the tx pipe, or to the responder.
    fn leaves(&mut self) {
        self.head.next = self.waiting.m.data.val();
        self.m_pkt.valid.next = self.waiting.m.valid.val() & !self.head.val().is_end;
        self.sent_valid.next = self.m_pkt.valid.val() & !self.head.val().is_extra;
        self.m_end.valid.next = self.waiting.m.valid.val() & self.head.val().is_end;
        self.waiting.m.ready.next = self.m_pkt.ready.val();
        if self.head.val().is_end {
            self.waiting.m.ready.next = self.m_end.ready.val();
        }
        self.m_pkt.flow.next = self.head.val().flow;
        self.m_pkt.opcode.next = self.head.val().opcode;
        self.m_pkt.psn.next = self.head.val().psn;
        self.m_pkt.ack_req.next = self.head.val().ack_req;
        self.m_pkt.solicited.next = self.head.val().solicited;
        self.m_pkt.payload_bytes.next = self.head.val().payload_bytes;
        self.m_pkt.va.next = self.head.val().va;
        self.m_pkt.rkey.next = self.head.val().rkey;
        self.m_pkt.dma_len.next = self.head.val().dma_len;
        self.m_pkt.imm.next = self.head.val().imm;
        self.m_pkt.syndrome.next = self.head.val().syndrome;
        self.m_pkt.msn.next = self.head.val().msn;
        self.m_pkt.mark.next = self.head.val().mark;
        self.m_pkt.bare.next = self.head.val().bare;
        self.head_fields.next = self.head.val().imm.into();
        self.m_end.flow.next = self.head.val().flow.get_bits::<FB>(0);
        self.m_end.jobs.next = self.head_fields.val().jobs;
        self.m_end.reads.next = self.head_fields.val().reads;
        self.m_end.error.next = self.head_fields.val().error;
        self.m_end.cleared.next = self.head_fields.val().cleared;
    }

    /// Bytes of payload that wait; after a packet came they are looked at before the next one.
    fn bytes(&mut self) {
        self.more_bytes.next = 0.into();
        if self.load_data.val() {
            self.more_bytes.next = bit_cast::<17, 13>(self.s_data_pkt.payload_bytes.val());
        } else if self.load_reply.val() {
            self.more_bytes.next = bit_cast::<17, 13>(self.s_reply_pkt.payload_bytes.val());
        }
        self.less_bytes.next = 0.into();
        if self.m_pkt.valid.val() & self.m_pkt.ready.val() {
            self.less_bytes.next = bit_cast::<17, 13>(self.head.val().payload_bytes);
        }
        self.bytes.next = self.bytes.val() + self.more_bytes.val() - self.less_bytes.val();
        self.is_full.next = self.bytes.val() >= self.bytes_max.val();
    }
}
