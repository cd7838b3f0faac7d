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
//! # Twins             part of sim/src/golden/rx/rx_pipe.rs, tests/rx_pipe.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Removes Ethernet padding and IFA's header in the 64-bit rx pipe. What is left of a packet with
/// IFA is one that has UDP behind IPv4.
#[derive(LogicBlock)]
pub struct RxTrim {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// Packets of protocol 253 have an IFA header.
    pub cfg_is_ifa: Signal<In, Bit>,
    /// A beat of the packet.
    pub s_valid: Signal<In, Bit>,
    /// Its bytes.
    pub s_data: Signal<In, Bits<64>>,
    /// The frame is over.
    pub s_end: Signal<In, Bit>,
    /// A beat of the packet, without what follows it in the frame.
    pub m_valid: Signal<Out, Bit>,
    /// Its bytes.
    pub m_data: Signal<Out, Bits<64>>,
    /// First beat.
    pub m_first: Signal<Out, Bit>,
    /// Last beat of the IPv4 total length.
    pub m_last: Signal<Out, Bit>,
    /// With `m_last`: bytes, 0..=8.
    pub m_bytes: Signal<Out, Bits<4>>,
    /// IPv4 total length, until the next packet's.
    pub ip_len: Signal<Out, Bits<16>>,
    in_packet: DFF<Bit>,
    over: DFF<Bit>,
    left: DFF<Bits<16>>,
    total: DFF<Bits<16>>,
    index: DFF<Bits<2>>,
    cut: DFF<Bit>,
    held: DFF<Bits<32>>,
    flush: DFF<Bit>,
    flush_bytes: DFF<Bits<4>>,
    out_valid: DFF<Bit>,
    out_data: DFF<Bits<64>>,
    out_first: DFF<Bit>,
    out_last: DFF<Bit>,
    out_bytes: DFF<Bits<4>>,
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
    without_protocol: Constant<Bits<64>>,
    udp_protocol: Constant<Bits<64>>,
}

impl Default for RxTrim {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            cfg_is_ifa: Default::default(),
            s_valid: Default::default(),
            s_data: Default::default(),
            s_end: Default::default(),
            m_valid: Default::default(),
            m_data: Default::default(),
            m_first: Default::default(),
            m_last: Default::default(),
            m_bytes: Default::default(),
            ip_len: Default::default(),
            in_packet: Default::default(),
            over: Default::default(),
            left: Default::default(),
            total: Default::default(),
            index: Default::default(),
            cut: Default::default(),
            held: Default::default(),
            flush: Default::default(),
            flush_bytes: Default::default(),
            out_valid: Default::default(),
            out_data: Default::default(),
            out_first: Default::default(),
            out_last: Default::default(),
            out_bytes: Default::default(),
            is_end: Default::default(),
            left_now: Default::default(),
            tail: Default::default(),
            none: Default::default(),
            all: Default::default(),
            mask: Default::default(),
            total_high: Default::default(),
            total_low: Default::default(),
            header_total: Default::default(),
            take: Default::default(),
            place: Default::default(),
            masked: Default::default(),
            held_wide: Default::default(),
            starts_cut: Default::default(),
            is_cut: Default::default(),
            without_protocol: Constant::new(0xffff_ffff_ffff_00ff_u64.into()),
            udp_protocol: Constant::new(0x1100_u64.into()),
        }
    }
}

impl Logic for RxTrim {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            in_packet,
            over,
            left,
            total,
            index,
            cut,
            held,
            flush,
            flush_bytes,
            out_valid,
            out_data,
            out_first,
            out_last,
            out_bytes
        );
        self.m_valid.next = self.out_valid.q.val();
        self.m_data.next = self.out_data.q.val();
        self.m_first.next = self.out_first.q.val();
        self.m_last.next = self.out_last.q.val();
        self.m_bytes.next = self.out_bytes.q.val();
        self.ip_len.next = self.total.q.val();
        self.total_high.next = bit_cast::<16, 8>(self.s_data.val().get_bits::<8>(16));
        self.total_low.next = bit_cast::<16, 8>(self.s_data.val().get_bits::<8>(24));
        self.header_total.next = (self.total_high.val() << 8) | self.total_low.val();
        self.left_now.next = self.left.q.val();
        if !self.in_packet.q.val() {
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
        self.take.next = self.s_valid.val() & (!self.in_packet.q.val() | !self.over.q.val());
        self.masked.next = self.s_data.val() & self.mask.val();
        comment!(
            "Which beat this is; 3 stands for all that follow. The second one has the protocol."
        );
        self.place.next = self.index.q.val();
        if !self.in_packet.q.val() {
            self.place.next = 0.into();
        }
        self.starts_cut.next = self.cfg_is_ifa.val()
            & (self.place.val() == 1)
            & (self.s_data.val().get_bits::<8>(8) == 253);
        self.is_cut.next = self.cut.q.val() & self.place.val().get_bit(1);
        self.out_valid.d.next =
            (self.take.val() & !(self.is_cut.val() & (self.place.val() == 2))) | self.flush.q.val();
        self.out_data.d.next = self.masked.val();
        self.out_first.d.next = !self.in_packet.q.val() & !self.flush.q.val();
        self.out_last.d.next = self.is_end.val();
        self.out_bytes.d.next = self.tail.val();
        comment!("Behind IFA's header the packet moves by four bytes, and has UDP's protocol.");
        self.held_wide.next = bit_cast::<64, 32>(self.held.q.val());
        if self.starts_cut.val() {
            self.out_data.d.next =
                (self.masked.val() & self.without_protocol.val()) | self.udp_protocol.val();
        }
        if self.is_cut.val() {
            self.out_data.d.next = self.held_wide.val() | (self.masked.val() << 32);
            self.out_last.d.next = self.is_end.val() & (self.tail.val() < 5);
            self.out_bytes.d.next = self.tail.val() + 4;
        }
        self.flush.d.next = self.take.val()
            & self.is_cut.val()
            & (self.place.val() == 3)
            & self.is_end.val()
            & (self.tail.val() > 4);
        if self.take.val() {
            self.flush_bytes.d.next = self.tail.val() - 4;
            self.held.d.next = self.masked.val().get_bits::<32>(32);
            if self.place.val() == 2 {
                self.held.d.next = self.masked.val().get_bits::<32>(0);
            }
        }
        if self.flush.q.val() {
            self.out_data.d.next = self.held_wide.val();
            self.out_last.d.next = true;
            self.out_bytes.d.next = self.flush_bytes.q.val();
        }
        if self.s_valid.val() {
            self.left.d.next = self.left_now.val() - 8;
            self.over.d.next = self.is_end.val() | (self.over.q.val() & self.in_packet.q.val());
            self.in_packet.d.next = true;
            if self.place.val() != 3 {
                self.index.d.next = self.place.val() + 1;
            }
            if !self.in_packet.q.val() {
                self.total.d.next = self.header_total.val();
                self.cut.d.next = false;
            }
            if self.starts_cut.val() {
                self.cut.d.next = true;
            }
        }
        if self.s_end.val() {
            self.in_packet.d.next = false;
        }
        if self.reset.val() {
            self.in_packet.d.next = false;
            self.over.d.next = false;
            self.flush.d.next = false;
            self.out_valid.d.next = false;
        }
    }
}
