//! Invariant CRC of the packet as it would be without telemetry.
//!
//! The register starts as if eight bytes of ones had passed; fields that change on the way are set
//! to ones, and those that telemetry has changed to what they were. The CRC runs over whole beats:
//! what it must be then depends on the zeros behind the last byte.
//!
//! # Source            InfiniBand architecture, annex A17; hdl/rx.md
//! # Interface timing  cycle 0: s, and the fields of its packet that stand behind byte 24; cycle
//!                     [`LATENCY_CYCLES`] after the last beat: ok, until the next packet's
//! # Latency and rate  [`LATENCY_CYCLES`]; one beat per cycle, no ready
//! # Number formats    ip_len | UQ16.0 | bytes, without telemetry
//! # Reset             synchronous, high: between packets
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

pub mod good;
pub mod late;

use crate::rx::icrc::{good::RxIcrcGood, late::RxIcrcLate};
use crate::streams::PacketBeat;
use crate::util::crc32::{advance, latency_cycles, Crc32};
use crate::util::ones;
use crate::{block, kernel, Reg, Unreset};
use num_bigint::BigUint;
use rust_hdl_core::prelude::*;

/// Cycles from the last beat to `ok`.
pub const LATENCY_CYCLES: usize = 1 + latency_cycles(8, 8);
/// Bytes of the packet in which something is replaced, in whole beats of any width.
const HEAD_BYTES: usize = 64;
/// Bytes that pass as ones: ToS; TTL; header checksum; UDP checksum; the BTH's reserved byte.
const ONES: [usize; 7] = [1, 8, 10, 11, 26, 27, 32];
/// Bytes that pass as what they are in each packet: protocol UDP, port 4791.
const SAME: [(usize, u8); 3] = [(9, 17), (22, 0x12), (23, 0xb7)];
/// Bytes that pass as zeros: total length and source port, which are added later.
const LATER: [usize; 4] = [2, 3, 20, 21];
/// Bytes of the UDP length.
const UDP_LEN: [usize; 2] = [24, 25];

/// The register after the eight bytes of ones that stand for the LRH.
fn seed() -> u32 {
    (0..8).fold(0xffff_ffff, |state, _| advance(state, 0xff))
}

/// Ones in all bits of beat `beat`, but for the bytes that something replaces.
fn kept(beat_bytes: usize, beat: usize) -> BigUint {
    let same = SAME.iter().map(|(at, _)| *at);
    let replaced = ONES.into_iter().chain(same).chain(LATER).chain(UDP_LEN);
    let lanes = replaced.filter(|at| at / beat_bytes == beat).map(|at| at % beat_bytes);
    lanes.fold(ones(8 * beat_bytes), |mask, lane| mask ^ (BigUint::from(255_u32) << (8 * lane)))
}

/// What replaces them, as far as it is the same in each packet.
fn replacing(beat_bytes: usize, beat: usize) -> BigUint {
    let all = ONES.into_iter().map(|at| (at, 255)).chain(SAME);
    let here = all.filter(|(at, _)| at / beat_bytes == beat);
    here.fold(BigUint::from(0_u32), |sum, (at, byte)| {
        sum + (BigUint::from(byte) << (8 * (at % beat_bytes)))
    })
}

/// ICRC stage of the rx pipe; `HB` beats have 64 bytes.
#[block(check(W == 8 * KB && HB * KB == HEAD_BYTES))]
pub struct RxIcrc<const W: usize, const KB: usize, const HB: usize> {
    /// A beat of the packet without telemetry.
    pub s: PacketBeat<In, W>,
    /// IPv4 total length.
    pub ip_len: Signal<In, Bits<16>>,
    /// UDP source port.
    pub src_port: Signal<In, Bits<16>>,
    /// The ICRC is right.
    pub ok: Signal<Out, Bit>,
    crc: Crc32<W, KB, KB>,
    late: RxIcrcLate,
    good: RxIcrcGood<KB>,
    beat: Unreset<Bits<4>>,
    is_open: Reg<Bit>,
    in_valid: Reg<Bit>,
    in_data: Unreset<Bits<W>>,
    in_late: Unreset<Bit>,
    in_last: Reg<Bit>,
    in_bytes: Unreset<Bits<7>>,
    in_keep: Unreset<Bits<KB>>,
    ends: Unreset<Bit>,
    wanted: Unreset<Bits<32>>,
    index: Signal<Local, Bits<4>>,
    keep_mask: Signal<Local, Bits<W>>,
    replacement: Signal<Local, Bits<W>>,
    udp_len: Signal<Local, Bits<16>>,
    udp_part: Signal<Local, Bits<W>>,
    udp_high: Signal<Local, Bits<W>>,
    udp_low: Signal<Local, Bits<W>>,
    late_wide: Signal<Local, Bits<W>>,
    late_part: Signal<Local, Bits<W>>,
    absent: Signal<Local, Bits<7>>,
    #[value(u64::from(seed()))]
    seed: Constant<Bits<32>>,
    #[init(core::array::from_fn(|beat| Constant::new(kept(KB, beat).into())))]
    kept: [Constant<Bits<W>>; HB],
    #[init(core::array::from_fn(|beat| Constant::new(replacing(KB, beat).into())))]
    replacing: [Constant<Bits<W>>; HB],
    #[value(ones(W))]
    all_bits: Constant<Bits<W>>,
    #[value(ones(KB))]
    all_lanes: Constant<Bits<KB>>,
    #[value(KB as u64)]
    beat_bytes: Constant<Bits<7>>,
    #[value((UDP_LEN[0] / KB) as u64)]
    udp_beat: Constant<Bits<4>>,
    #[value((8 * (UDP_LEN[0] % KB)) as u64)]
    udp_bit: Constant<Bits<10>>,
    #[value((late::PLACE / KB) as u64)]
    late_beat: Constant<Bits<4>>,
    #[value((8 * (late::PLACE % KB)) as u64)]
    late_bit: Constant<Bits<10>>,
}

#[kernel]
impl<const W: usize, const KB: usize, const HB: usize> RxIcrc<W, KB, HB> {
    fn update(&mut self) {
        self.index.next = self.beat.val();
        if self.s.first.val() {
            self.index.next = 0.into();
        }
        if self.s.valid.val() {
            self.beat.next = self.index.val();
            if self.index.val() != 8 {
                self.beat.next = self.index.val() + 1;
            }
        }
        self.replace();
        self.run();
    }

    /// What is not invariant, or not as the sender had it.
    fn replace(&mut self) {
        self.keep_mask.next = self.all_bits.val();
        self.replacement.next = 0.into();
        for i in 0..HB {
            if self.index.val() == i.to_bits::<4>() {
                self.keep_mask.next = self.kept[i].val();
                self.replacement.next = self.replacing[i].val();
            }
        }
        self.udp_len.next = self.ip_len.val() - 20;
        self.udp_high.next = bit_cast::<W, 8>(self.udp_len.val().get_bits::<8>(8));
        self.udp_low.next = bit_cast::<W, 8>(self.udp_len.val().get_bits::<8>(0));
        self.udp_part.next = self.udp_high.val() | (self.udp_low.val() << 8);
        self.in_data.next = (self.s.data.val() & self.keep_mask.val()) | self.replacement.val();
        if self.index.val() == self.udp_beat.val() {
            self.in_data.next = (self.s.data.val() & self.keep_mask.val())
                | self.replacement.val()
                | (self.udp_part.val() << self.udp_bit.val());
        }
        self.late.ip_len.next = self.ip_len.val();
        self.late.src_port.next = self.src_port.val();
        self.in_late.next = self.index.val() == self.late_beat.val();
        comment!("A packet that was cut off is ended, so that the next one starts afresh.");
        self.in_valid.next = self.s.valid.val() | (self.s.end.val() & self.is_open.val());
        self.in_last.next = (self.s.valid.val() & self.s.last.val()) | self.s.end.val();
        if self.s.valid.val() {
            self.is_open.next = !self.s.last.val();
        }
        if self.s.end.val() {
            self.is_open.next = false;
        }
        self.absent.next = self.beat_bytes.val() - self.s.bytes.val();
        self.in_bytes.next = self.s.bytes.val();
        self.in_keep.next = self.all_lanes.val();
        if self.s.last.val() {
            self.in_keep.next = self.all_lanes.val() >> self.absent.val();
        }
    }

    /// The CRC, and what it must be, in the cycle in which it is there.
    fn run(&mut self) {
        self.late_wide.next = bit_cast::<W, 32>(self.late.contribution.val());
        self.late_part.next = 0.into();
        if self.in_late.val() {
            self.late_part.next = self.late_wide.val() << self.late_bit.val();
        }
        self.crc.cfg_seed.next = self.seed.val();
        self.crc.s_valid.next = self.in_valid.val();
        self.crc.s_data.next = self.in_data.val() ^ self.late_part.val();
        self.crc.s_keep.next = self.in_keep.val();
        self.crc.s_last.next = self.in_last.val();
        self.ok.next = self.crc.m_crc.val() == self.wanted.val();
        self.good.s_bytes.next = self.in_bytes.val();
        self.ends.next = self.in_valid.val() & self.in_last.val();
        if self.ends.val() {
            self.wanted.next = self.good.m_crc.val();
        }
    }
}
