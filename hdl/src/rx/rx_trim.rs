//! Ends the IP packet where its total length says and zeroes what follows in the last beat.
//!
//! # Source            RFC 791
//! # Interface timing  cycle 0: s_valid; cycle 1: m_valid. ip_len: from
//!                     cycle 1 of the first beat on
//! # Latency and rate  1; one beat per cycle, no ready
//! # Number formats    ip_len | UQ16.0 | bytes, as the header has it
//! # Reset             synchronous, high: between packets
//! # Twins             part of sim/src/golden/rx/rx_pipe.rs, tests/rx_pipe.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Removes Ethernet padding in the 64-bit rx pipe.
#[derive(LogicBlock, Default)]
pub struct RxTrim {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
}

impl Logic for RxTrim {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, in_packet, over, left, total, out_valid, out_data, out_first, out_last,
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
        self.out_valid.d.next = self.s_valid.val() & (!self.in_packet.q.val() | !self.over.q.val());
        self.out_data.d.next = self.s_data.val() & self.mask.val();
        self.out_first.d.next = !self.in_packet.q.val();
        self.out_last.d.next = self.is_end.val();
        self.out_bytes.d.next = self.tail.val();
        if self.s_valid.val() {
            self.left.d.next = self.left_now.val() - 8;
            self.over.d.next = self.is_end.val() | (self.over.q.val() & self.in_packet.q.val());
            self.in_packet.d.next = true;
            if !self.in_packet.q.val() {
                self.total.d.next = self.header_total.val();
            }
        }
        if self.s_end.val() {
            self.in_packet.d.next = false;
        }
        if self.reset.val() {
            self.in_packet.d.next = false;
            self.over.d.next = false;
            self.out_valid.d.next = false;
        }
    }
}
