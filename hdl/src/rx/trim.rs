//! Ends the IP packet where its total length says and zeroes what follows in the last beat. Takes
//! the four bytes of an IFA header out from between IPv4 and UDP.
//!
//! # Source            RFC 791; draft-kumar-ippm-ifa (protocol 253 stands for IFA's header)
//! # Interface timing  cycle 0: s_valid; cycle 1: m_valid (IFA: a beat when its last byte is there,
//!                     and what is left behind the last beat in cycle 2). ip_len: from
//!                     cycle 1 of the first beat on
//! # Latency and rate  1; one beat per cycle, no ready. A packet is followed by one idle cycle
//! # Number formats    ip_len | UQ16.0 | bytes, as the header has it
//! # Reset             synchronous, high: between packets
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::streams::PacketBeat;
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Removes Ethernet padding and IFA's header in the 64-bit rx pipe. What is left of a packet with
/// IFA is one that has UDP behind IPv4.
#[block]
pub struct RxTrim {
    /// Packets of protocol 253 have an IFA header.
    pub cfg_is_ifa: Signal<In, Bit>,
    /// A beat of the packet.
    pub s_valid: Signal<In, Bit>,
    /// Its bytes.
    pub s_data: Signal<In, Bits<64>>,
    /// The frame is over.
    pub s_end: Signal<In, Bit>,
    /// A beat of the packet, without what follows it in the frame.
    pub m: PacketBeat<Out>,
    /// IPv4 total length, until the next packet's.
    pub ip_len: Signal<Out, Bits<16>>,
    in_packet: Reg<Bit>,
    over: Reg<Bit>,
    left: Unreset<Bits<16>>,
    total: Unreset<Bits<16>>,
    index: Unreset<Bits<2>>,
    cut: Unreset<Bit>,
    held: Unreset<Bits<32>>,
    flush: Reg<Bit>,
    flush_bytes: Unreset<Bits<4>>,
    out_valid: Reg<Bit>,
    out_data: Unreset<Bits<64>>,
    out_first: Unreset<Bit>,
    out_last: Unreset<Bit>,
    out_bytes: Unreset<Bits<4>>,
    is_end: Signal<Local, Bit>,
    left_now: Signal<Local, Bits<16>>,
    tail: Signal<Local, Bits<4>>,
    none: Signal<Local, Bits<64>>,
    all: Signal<Local, Bits<64>>,
    mask: Signal<Local, Bits<64>>,
    total_high: Signal<Local, Bits<16>>,
    total_low: Signal<Local, Bits<16>>,
    header_total: Signal<Local, Bits<16>>,
    take: Signal<Local, Bit>,
    place: Signal<Local, Bits<2>>,
    masked: Signal<Local, Bits<64>>,
    held_wide: Signal<Local, Bits<64>>,
    starts_cut: Signal<Local, Bit>,
    is_cut: Signal<Local, Bit>,
    #[value(0xffff_ffff_ffff_00ff_u64)]
    without_protocol: Constant<Bits<64>>,
    #[value(0x1100_u64)]
    udp_protocol: Constant<Bits<64>>,
}

impl Logic for RxTrim {
    #[hdl_gen]
    fn update(&mut self) {
        self.m.valid.next = self.out_valid.val();
        self.m.data.next = self.out_data.val();
        self.m.first.next = self.out_first.val();
        self.m.last.next = self.out_last.val();
        self.m.bytes.next = self.out_bytes.val();
        self.ip_len.next = self.total.val();
        self.total_high.next = bit_cast::<16, 8>(self.s_data.val().get_bits::<8>(16));
        self.total_low.next = bit_cast::<16, 8>(self.s_data.val().get_bits::<8>(24));
        self.header_total.next = (self.total_high.val() << 8) | self.total_low.val();
        self.left_now.next = self.left.val();
        if !self.in_packet.val() {
            self.left_now.next = self.header_total.val();
        }
        self.is_end.next = self.left_now.val() < 9;
        self.tail.next = self.left_now.val().get_bits::<4>(0);
        self.none.next = 0.into();
        self.all.next = !self.none.val();
        self.mask.next = self.all.val();
        if self.is_end.val() {
            match self.tail.val().index() {
                0 => self.mask.next = 0.into(),
                1 => self.mask.next = self.all.val() >> 56,
                2 => self.mask.next = self.all.val() >> 48,
                3 => self.mask.next = self.all.val() >> 40,
                4 => self.mask.next = self.all.val() >> 32,
                5 => self.mask.next = self.all.val() >> 24,
                6 => self.mask.next = self.all.val() >> 16,
                7 => self.mask.next = self.all.val() >> 8,
                _ => self.mask.next = self.all.val(),
            }
        }
        self.take.next = self.s_valid.val() & (!self.in_packet.val() | !self.over.val());
        self.masked.next = self.s_data.val() & self.mask.val();
        comment!(
            "Which beat this is; 3 stands for all that follow. The second one has the protocol."
        );
        self.place.next = self.index.val();
        if !self.in_packet.val() {
            self.place.next = 0.into();
        }
        self.starts_cut.next = self.cfg_is_ifa.val()
            & (self.place.val() == 1)
            & (self.s_data.val().get_bits::<8>(8) == 253);
        self.is_cut.next = self.cut.val() & self.place.val().get_bit(1);
        self.out_valid.next =
            (self.take.val() & !(self.is_cut.val() & (self.place.val() == 2))) | self.flush.val();
        self.out_data.next = self.masked.val();
        self.out_first.next = !self.in_packet.val() & !self.flush.val();
        self.out_last.next = self.is_end.val();
        self.out_bytes.next = self.tail.val();
        comment!("Behind IFA's header the packet moves by four bytes, and has UDP's protocol.");
        self.held_wide.next = bit_cast::<64, 32>(self.held.val());
        if self.starts_cut.val() {
            self.out_data.next =
                (self.masked.val() & self.without_protocol.val()) | self.udp_protocol.val();
        }
        if self.is_cut.val() {
            self.out_data.next = self.held_wide.val() | (self.masked.val() << 32);
            self.out_last.next = self.is_end.val() & (self.tail.val() < 5);
            self.out_bytes.next = self.tail.val() + 4;
        }
        self.flush.next = self.take.val()
            & self.is_cut.val()
            & (self.place.val() == 3)
            & self.is_end.val()
            & (self.tail.val() > 4);
        if self.take.val() {
            self.flush_bytes.next = self.tail.val() - 4;
            self.held.next = self.masked.val().get_bits::<32>(32);
            if self.place.val() == 2 {
                self.held.next = self.masked.val().get_bits::<32>(0);
            }
        }
        if self.flush.val() {
            self.out_data.next = self.held_wide.val();
            self.out_last.next = true;
            self.out_bytes.next = self.flush_bytes.val();
        }
        if self.s_valid.val() {
            self.left.next = self.left_now.val() - 8;
            self.over.next = self.is_end.val() | (self.over.val() & self.in_packet.val());
            self.in_packet.next = true;
            if self.place.val() != 3 {
                self.index.next = self.place.val() + 1;
            }
            if !self.in_packet.val() {
                self.total.next = self.header_total.val();
                self.cut.next = false;
            }
            if self.starts_cut.val() {
                self.cut.next = true;
            }
        }
        if self.s_end.val() {
            self.in_packet.next = false;
        }
    }
}
