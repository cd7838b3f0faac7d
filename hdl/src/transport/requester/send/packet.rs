//! The packet at a PSN of the work request at hand: the next one to send, or a READ response.
//!
//! # Source            InfiniBand, volume 1, section 9.7.4 (packets of a message)
//! # Interface timing  part of `requester`, free running: P0 packet number, P1 rest and addresses,
//!                     P2 bytes. A posted work request's first packet comes from its row
//! # Number formats    bytes 0..=4096
//! # Reset             none: every result is used only after its operands were valid
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Packet of the work request at hand.
#[block(no_reset)]
pub struct RequesterPacket {
    /// A work request is posted: its first packet.
    pub posts: Signal<In, Bit>,
    /// Its bytes.
    pub post_len: Signal<In, Bits<32>>,
    /// It is the first packet of the work request at hand.
    pub begins: Signal<In, Bit>,
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
    /// Remote address of its first byte, or of the first that a READ asks for.
    pub va: Signal<Out, Bits<64>>,
    /// Bytes of the message, or that a READ asks for.
    pub dma_len: Signal<Out, Bits<32>>,
    /// Bytes of its message from its first one on.
    pub rest_bytes: Signal<Out, Bits<32>>,
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
    mtu_is: Unreset<Bits<5>>,
    number: Unreset<Bits<24>>,
    rest: Unreset<Bits<32>>,
    place: Unreset<Bits<64>>,
    far_place: Unreset<Bits<64>>,
    size: Unreset<Bits<13>>,
    is_end: Unreset<Bit>,
    starts: Unreset<Bit>,
    on_interval: Unreset<Bit>,
    reads: Unreset<Bit>,
    sends_imm: Unreset<Bit>,
    asks: Unreset<Bit>,
    total: Unreset<Bits<32>>,
    psn: Signal<Local, Bits<24>>,
    wide_index: Signal<Local, Bits<32>>,
    offset: Signal<Local, Bits<32>>,
    offset_of: [Signal<Local, Bits<32>>; 5],
    mtu_bytes: Signal<Local, Bits<32>>,
    high_mask: Signal<Local, Bits<16>>,
    lifted: Signal<Local, Bits<16>>,
    #[value(0xffff)]
    ones: Constant<Bits<16>>,
    #[value(1)]
    with_imm: Constant<Bits<2>>,
}

impl Logic for RequesterPacket {
    #[hdl_gen]
    fn update(&mut self) {
        self.address.next = self.place.val();
        self.index.next = self.number.val();
        self.rest_bytes.next = self.rest.val();
        self.due_bytes.next = self.size.val();
        self.ends.next = self.is_end.val();
        self.first.next = self.starts.val();
        self.last.next = self.is_end.val() | self.reads.val();
        self.va.next = self.far_place.val();
        self.dma_len.next = self.total.val();
        self.bytes.next = self.size.val();
        if self.reads.val() {
            self.dma_len.next = self.rest.val();
            self.bytes.next = 0.into();
        }
        self.psn.next = self.nxt.val();
        if self.takes_response.val() {
            self.psn.next = self.response_psn.val();
        }
        self.number.next = self.psn.val() - self.first_psn.val();
        self.wide_index.next = bit_cast::<32, 24>(self.number.val());
        comment!("The MTU does not change while a packet is prepared: one bit for each.");
        match self.mtu.val().index() {
            0 => self.mtu_is.next = 1.into(),
            1 => self.mtu_is.next = 2.into(),
            2 => self.mtu_is.next = 4.into(),
            3 => self.mtu_is.next = 8.into(),
            _ => self.mtu_is.next = 16.into(),
        }
        self.mtu_bytes.next = bit_cast::<32, 5>(self.mtu_is.val()) << 8;
        for i in 0..5 {
            self.offset_of[i].next = 0.into();
            if self.mtu_is.val().get_bit(i) {
                self.offset_of[i].next = (self.wide_index.val() << 8) << i.to_bits::<3>();
            }
        }
        self.offset.next = self.offset_of[0].val()
            | self.offset_of[1].val()
            | self.offset_of[2].val()
            | self.offset_of[3].val()
            | self.offset_of[4].val();
        self.starts.next = !self.number.val().any();
        self.rest.next = self.len.val() - self.offset.val();
        if self.posts.val() {
            self.starts.next = true;
            self.rest.next = self.post_len.val();
        } else if self.begins.val() {
            self.starts.next = true;
            self.rest.next = self.len.val();
        }
        self.place.next = self.local_address.val() + bit_cast::<64, 32>(self.offset.val());
        self.far_place.next = self.remote_address.val() + bit_cast::<64, 32>(self.offset.val());
        self.is_end.next = true;
        self.size.next = self.rest.val().get_bits::<13>(0);
        if self.rest.val() > self.mtu_bytes.val() {
            self.is_end.next = false;
            self.size.next = self.mtu_bytes.val().get_bits::<13>(0);
        }
        comment!("What the work request is does not change while its packet is prepared.");
        self.reads.next = self.is_read.val();
        self.total.next = self.len.val();
        self.sends_imm.next = self.operation.val() == self.with_imm.val();
        self.asks.next = self.solicits.val();
        self.solicited.next = self.asks.val() & self.sends_imm.val() & self.is_end.val();
        self.opcode.next = 7.into();
        if self.reads.val() {
            self.opcode.next = 12.into();
        } else if self.starts.val() & self.is_end.val() {
            self.opcode.next = 10.into();
            if self.sends_imm.val() {
                self.opcode.next = 11.into();
            }
        } else if self.starts.val() {
            self.opcode.next = 6.into();
        } else if self.is_end.val() {
            self.opcode.next = 8.into();
            if self.sends_imm.val() {
                self.opcode.next = 9.into();
            }
        }
        comment!("AckReq on the last packet and where the low bits of the PSN are all ones.");
        self.high_mask.next = self.ones.val() << self.interval.val();
        self.lifted.next = self.nxt.val().get_bits::<16>(0) | self.high_mask.val();
        self.on_interval.next = self.lifted.val().all();
        self.ack_req.next = self.is_end.val() | self.reads.val() | self.on_interval.val();
    }
}
