//! The packet at a PSN of the work request at hand: the next one to send, or a READ response.
//!
//! # Source            InfiniBand, volume 1, section 9.7.4 (packets of a message)
//! # Interface timing  part of `requester`, free running: P0 packet number, P1 rest and addresses,
//!                     P2 bytes. A posted work request's first packet comes from its row
//! # Number formats    bytes 0..=4096
//! # Reset             none: every result is used only after its operands were valid
//! # Twins             sim/src/golden/transport/requester.rs, tests/requester.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Packet of the work request at hand.
#[derive(LogicBlock)]
pub struct RequesterPacket {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// A work request is posted: its first packet.
    pub posts: Signal<In, Bit>,
    /// Its bytes.
    pub post_len: Signal<In, Bits<32>>,
    /// Next PSN to send.
    pub nxt: Signal<In, Bits<24>>,
    /// The packet is that of a READ response.
    pub takes_response: Signal<In, Bit>,
    /// Its PSN.
    pub response_psn: Signal<In, Bits<24>>,
    /// log2(MTU) - 8.
    pub mtu: Signal<In, Bits<3>>,
    /// log2 of the AckReq interval.
    pub interval: Signal<In, Bits<4>>,
    /// First PSN of the work request at hand.
    pub first_psn: Signal<In, Bits<24>>,
    /// It is a READ.
    pub is_read: Signal<In, Bit>,
    /// 0: WRITE, 1: WRITE with immediate, 2: READ.
    pub operation: Signal<In, Bits<2>>,
    /// It asks for an event.
    pub solicits: Signal<In, Bit>,
    /// Its bytes.
    pub len: Signal<In, Bits<32>>,
    /// Its local address.
    pub local_address: Signal<In, Bits<64>>,
    /// Its remote address.
    pub remote_address: Signal<In, Bits<64>>,
    /// Operation code of the packet.
    pub opcode: Signal<Out, Bits<8>>,
    /// The packet asks for an ACK.
    pub ack_req: Signal<Out, Bit>,
    /// The packet asks for an event.
    pub solicited: Signal<Out, Bit>,
    /// Local address of its payload, or of the response's.
    pub address: Signal<Out, Bits<64>>,
    /// Its payload bytes.
    pub bytes: Signal<Out, Bits<13>>,
    /// Remote address of the message, or of what a READ asks for.
    pub va: Signal<Out, Bits<64>>,
    /// Bytes of the message, or that a READ asks for.
    pub dma_len: Signal<Out, Bits<32>>,
    /// It is the first of its message.
    pub first: Signal<Out, Bit>,
    /// It is the last of its message.
    pub last: Signal<Out, Bit>,
    /// Packet number in the message.
    pub index: Signal<Out, Bits<24>>,
    /// Bytes of the message that belong to its PSN.
    pub due_bytes: Signal<Out, Bits<13>>,
    /// They are the last ones.
    pub ends: Signal<Out, Bit>,
    number: DFF<Bits<24>>,
    rest: DFF<Bits<32>>,
    place: DFF<Bits<64>>,
    far_place: DFF<Bits<64>>,
    size: DFF<Bits<13>>,
    is_end: DFF<Bit>,
    starts: DFF<Bit>,
    on_interval: DFF<Bit>,
    reads: DFF<Bit>,
    sends_imm: DFF<Bit>,
    asks: DFF<Bit>,
    total: DFF<Bits<32>>,
    psn: Signal<Local, Bits<24>>,
    wide_index: Signal<Local, Bits<32>>,
    offset: Signal<Local, Bits<32>>,
    far_offset: Signal<Local, Bits<32>>,
    mtu_bytes: Signal<Local, Bits<32>>,
    power: Signal<Local, Bits<16>>,
    low_mask: Signal<Local, Bits<16>>,
    lifted: Signal<Local, Bits<16>>,
    one: Constant<Bits<16>>,
    with_imm: Constant<Bits<2>>,
}

impl Default for RequesterPacket {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            posts: Default::default(),
            post_len: Default::default(),
            nxt: Default::default(),
            takes_response: Default::default(),
            response_psn: Default::default(),
            mtu: Default::default(),
            interval: Default::default(),
            first_psn: Default::default(),
            is_read: Default::default(),
            operation: Default::default(),
            solicits: Default::default(),
            len: Default::default(),
            local_address: Default::default(),
            remote_address: Default::default(),
            opcode: Default::default(),
            ack_req: Default::default(),
            solicited: Default::default(),
            address: Default::default(),
            bytes: Default::default(),
            va: Default::default(),
            dma_len: Default::default(),
            first: Default::default(),
            last: Default::default(),
            index: Default::default(),
            due_bytes: Default::default(),
            ends: Default::default(),
            number: Default::default(),
            rest: Default::default(),
            place: Default::default(),
            far_place: Default::default(),
            size: Default::default(),
            is_end: Default::default(),
            starts: Default::default(),
            on_interval: Default::default(),
            reads: Default::default(),
            sends_imm: Default::default(),
            asks: Default::default(),
            total: Default::default(),
            psn: Default::default(),
            wide_index: Default::default(),
            offset: Default::default(),
            far_offset: Default::default(),
            mtu_bytes: Default::default(),
            power: Default::default(),
            low_mask: Default::default(),
            lifted: Default::default(),
            one: Constant::new(1.into()),
            with_imm: Constant::new(1.into()),
        }
    }
}

impl Logic for RequesterPacket {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            number,
            rest,
            place,
            far_place,
            size,
            is_end,
            starts,
            on_interval,
            reads,
            sends_imm,
            asks,
            total
        );
        self.address.next = self.place.q.val();
        self.index.next = self.number.q.val();
        self.due_bytes.next = self.size.q.val();
        self.ends.next = self.is_end.q.val();
        self.first.next = self.starts.q.val();
        self.last.next = self.is_end.q.val() | self.reads.q.val();
        self.va.next = self.far_place.q.val();
        self.dma_len.next = self.total.q.val();
        self.bytes.next = self.size.q.val();
        if self.reads.q.val() {
            self.dma_len.next = self.rest.q.val();
            self.bytes.next = 0.into();
        }
        self.psn.next = self.nxt.val();
        if self.takes_response.val() {
            self.psn.next = self.response_psn.val();
        }
        self.number.d.next = self.psn.val() - self.first_psn.val();
        self.wide_index.next = bit_cast::<32, 24>(self.number.q.val());
        match self.mtu.val().index() {
            0 => {
                self.mtu_bytes.next = 256.into();
                self.offset.next = self.wide_index.val() << 8;
            }
            1 => {
                self.mtu_bytes.next = 512.into();
                self.offset.next = self.wide_index.val() << 9;
            }
            2 => {
                self.mtu_bytes.next = 1024.into();
                self.offset.next = self.wide_index.val() << 10;
            }
            3 => {
                self.mtu_bytes.next = 2048.into();
                self.offset.next = self.wide_index.val() << 11;
            }
            _ => {
                self.mtu_bytes.next = 4096.into();
                self.offset.next = self.wide_index.val() << 12;
            }
        }
        self.starts.d.next = !self.number.q.val().any();
        self.rest.d.next = self.len.val() - self.offset.val();
        if self.posts.val() {
            self.starts.d.next = true;
            self.rest.d.next = self.post_len.val();
        }
        self.place.d.next = self.local_address.val() + bit_cast::<64, 32>(self.offset.val());
        self.far_offset.next = 0.into();
        if self.is_read.val() {
            self.far_offset.next = self.offset.val();
        }
        self.far_place.d.next =
            self.remote_address.val() + bit_cast::<64, 32>(self.far_offset.val());
        self.is_end.d.next = true;
        self.size.d.next = self.rest.q.val().get_bits::<13>(0);
        if self.rest.q.val() > self.mtu_bytes.val() {
            self.is_end.d.next = false;
            self.size.d.next = self.mtu_bytes.val().get_bits::<13>(0);
        }
        comment!("What the work request is does not change while its packet is prepared.");
        self.reads.d.next = self.is_read.val();
        self.total.d.next = self.len.val();
        self.sends_imm.d.next = self.operation.val() == self.with_imm.val();
        self.asks.d.next = self.solicits.val();
        self.solicited.next = self.asks.q.val() & self.sends_imm.q.val() & self.is_end.q.val();
        self.opcode.next = 7.into();
        if self.reads.q.val() {
            self.opcode.next = 12.into();
        } else if self.starts.q.val() & self.is_end.q.val() {
            self.opcode.next = 10.into();
            if self.sends_imm.q.val() {
                self.opcode.next = 11.into();
            }
        } else if self.starts.q.val() {
            self.opcode.next = 6.into();
        } else if self.is_end.q.val() {
            self.opcode.next = 8.into();
            if self.sends_imm.q.val() {
                self.opcode.next = 9.into();
            }
        }
        comment!("AckReq on the last packet and where the low bits of the PSN are all ones.");
        self.power.next = self.one.val() << self.interval.val();
        self.low_mask.next = self.power.val() - 1;
        self.lifted.next = self.nxt.val().get_bits::<16>(0) | !self.low_mask.val();
        self.on_interval.d.next = self.lifted.val().all();
        self.ack_req.next = self.is_end.q.val() | self.reads.q.val() | self.on_interval.q.val();
    }
}
