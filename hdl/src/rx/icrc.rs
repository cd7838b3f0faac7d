//! Invariant CRC of the packet as it would be without telemetry.
//!
//! The register starts as if eight bytes of ones had passed; changing fields are set to ones. With
//! telemetry the two lengths must be reduced, but the total length has passed before that is
//! known. The CRC is linear, so the difference is added later: what it has become after five more
//! beats is exclusive-ored to the sixth.
//!
//! The CRC runs over whole beats: what it must be then depends on the zeros behind the last byte.
//!
//! # Source            InfiniBand architecture, annex A17; hdl/rx.md
//! # Interface timing  cycle 0: last beat; cycle [`LATENCY_CYCLES`]: ok, until the next packet's.
//!                     s_close: a packet without last beat is over
//! # Latency and rate  [`LATENCY_CYCLES`]; one beat per cycle, no ready
//! # Number formats    lengths | UQ16.0 | bytes, as the headers have them
//! # Reset             synchronous, high: between packets
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::rx::tel::len_fix::RxLenFix;
use crate::util::crc32::{advance, latency_cycles, Crc32};
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from the last beat to `ok`.
pub const LATENCY_CYCLES: usize = 1 + latency_cycles(8, 8);

/// What the CRC of a message with its own ICRC behind it is.
const GOOD_CRC: u32 = 0x2144_df1c;

/// The same with so many zeros behind the ICRC.
fn good_crc(zero_count: usize) -> u32 {
    !(0..zero_count).fold(!GOOD_CRC, |state, _| advance(state, 0))
}

/// The register after the eight bytes of ones that stand for the LRH.
fn seed() -> u32 {
    (0..8).fold(0xffff_ffff, |state, _| advance(state, 0xff))
}

/// ICRC stage of the 64-bit rx pipe.
#[block]
pub struct RxIcrc {
    /// A beat of the packet without telemetry.
    pub s_valid: Signal<In, Bit>,
    /// Its bytes; those behind the end are 0.
    pub s_data: Signal<In, Bits<64>>,
    /// First beat.
    pub s_first: Signal<In, Bit>,
    /// Last beat.
    pub s_last: Signal<In, Bit>,
    /// With `s_last`: bytes, 0..=8.
    pub s_bytes: Signal<In, Bits<4>>,
    /// The frame is over.
    pub s_close: Signal<In, Bit>,
    /// The packet had telemetry.
    pub tel_valid: Signal<In, Bit>,
    /// Bytes of telemetry.
    pub tel_bytes: Signal<In, Bits<11>>,
    /// IPv4 total length of the header.
    pub ip_len: Signal<In, Bits<16>>,
    /// UDP length of the header.
    pub udp_len: Signal<In, Bits<16>>,
    /// The ICRC is right.
    pub ok: Signal<Out, Bit>,
    crc: Crc32<64, 8, 8>,
    fix: RxLenFix,
    beat: Unreset<Bits<3>>,
    open: Reg<Bit>,
    ip_short: Unreset<Bits<16>>,
    udp_short: Unreset<Bits<16>>,
    difference: Unreset<Bits<16>>,
    in_valid: Reg<Bit>,
    in_data: Unreset<Bits<64>>,
    in_last: Reg<Bit>,
    in_keep: Unreset<Bits<8>>,
    end_1: Unreset<Bit>,
    keep_1: Unreset<Bits<8>>,
    wanted: Unreset<Bits<32>>,
    index: Signal<Local, Bits<3>>,
    tel_wide: Signal<Local, Bits<16>>,
    ones: Signal<Local, Bits<64>>,
    data: Signal<Local, Bits<64>>,
    udp_high: Signal<Local, Bits<64>>,
    udp_low: Signal<Local, Bits<64>>,
    fix_wide: Signal<Local, Bits<64>>,
    upper: Signal<Local, Bits<64>>,
    #[value(u64::from(seed()))]
    seed: Constant<Bits<32>>,
    #[init(core::array::from_fn(|zeros| Constant::new(u64::from(good_crc(zeros)).into())))]
    good: [Constant<Bits<32>>; 8],
    #[value(0x0000_0000_0000_ff00_u64)]
    ones_0: Constant<Bits<64>>,
    #[value(0x0000_0000_ffff_00ff_u64)]
    ones_1: Constant<Bits<64>>,
    #[value(0x0000_0000_ffff_0000_u64)]
    ones_3: Constant<Bits<64>>,
    #[value(0x0000_0000_0000_00ff_u64)]
    ones_4: Constant<Bits<64>>,
    #[value(0xb712_0000_0000_0000_u64)]
    roce_port: Constant<Bits<64>>,
}

impl Logic for RxIcrc {
    #[hdl_gen]
    fn update(&mut self) {
        self.crc.cfg_seed.next = self.seed.val();
        self.crc.s_valid.next = self.in_valid.val();
        self.crc.s_data.next = self.in_data.val();
        self.crc.s_keep.next = self.in_keep.val();
        self.crc.s_last.next = self.in_last.val();
        self.ok.next = self.crc.m_crc.val() == self.wanted.val();
        comment!("What the CRC must be, in the cycle in which it is there.");
        self.end_1.next = self.in_valid.val() & self.in_last.val();
        self.keep_1.next = self.in_keep.val();
        if self.end_1.val() {
            match self.keep_1.val().index() {
                1 => self.wanted.next = self.good[7].val(),
                3 => self.wanted.next = self.good[6].val(),
                7 => self.wanted.next = self.good[5].val(),
                15 => self.wanted.next = self.good[4].val(),
                31 => self.wanted.next = self.good[3].val(),
                63 => self.wanted.next = self.good[2].val(),
                127 => self.wanted.next = self.good[1].val(),
                _ => self.wanted.next = self.good[0].val(),
            }
        }
        self.index.next = self.beat.val();
        if self.s_first.val() {
            self.index.next = 0.into();
        }
        if self.s_valid.val() {
            self.open.next = !self.s_last.val();
            self.beat.next = self.index.val();
            if self.index.val() != 7 {
                self.beat.next = self.index.val() + 1;
            }
        }
        comment!("Lengths without telemetry, and what the total length's difference becomes.");
        self.tel_wide.next = bit_cast::<16, 11>(self.tel_bytes.val());
        self.ip_short.next = self.ip_len.val() - self.tel_wide.val();
        self.udp_short.next = self.udp_len.val() - self.tel_wide.val();
        self.difference.next = self.ip_len.val() ^ self.ip_short.val();
        self.fix.difference.next = self.difference.val();
        self.fix_wide.next = bit_cast::<64, 32>(self.fix.contribution.val());
        comment!(
            "Ones: ToS; TTL, header checksum; UDP checksum; reserved byte of the BTH. The port"
        );
        comment!("is RoCEv2's, whatever marks the packet now.");
        self.ones.next = 0.into();
        self.data.next = self.s_data.val();
        self.upper.next = self.s_data.val() >> 16;
        self.udp_high.next = bit_cast::<64, 8>(self.udp_short.val().get_bits::<8>(8));
        self.udp_low.next = bit_cast::<64, 8>(self.udp_short.val().get_bits::<8>(0));
        match self.index.val().index() {
            0 => self.ones.next = self.ones_0.val(),
            1 => self.ones.next = self.ones_1.val(),
            2 => {
                self.data.next =
                    self.roce_port.val() | bit_cast::<64, 48>(self.s_data.val().get_bits::<48>(0));
            }
            3 => {
                self.ones.next = self.ones_3.val();
                if self.tel_valid.val() {
                    self.data.next =
                        self.udp_high.val() | (self.udp_low.val() << 8) | (self.upper.val() << 16);
                }
            }
            4 => self.ones.next = self.ones_4.val(),
            5 => {
                if self.tel_valid.val() {
                    self.data.next = self.s_data.val() ^ self.fix_wide.val();
                }
            }
            _ => {}
        }
        self.in_valid.next = self.s_valid.val();
        self.in_data.next = self.data.val() | self.ones.val();
        self.in_last.next = self.s_last.val();
        self.in_keep.next = 255.into();
        if self.s_last.val() {
            match self.s_bytes.val().index() {
                0 => self.in_keep.next = 1.into(),
                1 => self.in_keep.next = 1.into(),
                2 => self.in_keep.next = 3.into(),
                3 => self.in_keep.next = 7.into(),
                4 => self.in_keep.next = 15.into(),
                5 => self.in_keep.next = 31.into(),
                6 => self.in_keep.next = 63.into(),
                7 => self.in_keep.next = 127.into(),
                _ => self.in_keep.next = 255.into(),
            }
        }
        comment!("A packet that was cut off is ended, so that the next one starts afresh.");
        if self.s_close.val() & self.open.val() & !self.s_valid.val() {
            self.in_valid.next = true;
            self.in_last.next = true;
            self.open.next = false;
        }
    }
}
