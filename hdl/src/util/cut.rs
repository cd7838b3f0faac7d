//! Cuts bytes out of packets: those in front of byte `A` stay, so many behind it go, and what
//! follows moves up.
//!
//! A beat that comes is turned, so that its bytes stand where they belong; a beat that leaves is put
//! together of the one before and this one. So a packet's k-th beat leaves with a later one of its
//! own, or in the cycle after its last one: never later, whatever is cut. With the next packet's
//! first beat none leaves, so packets of any length come back to back and no cycle is lost.
//!
//! # Interface timing  cycle 0: s, s_more; cycle 1: s_side; cycle 2: m of what this beat completes;
//!                     cycle 3: what is left behind a last beat, and m_end
//! # Latency and rate  2, for the end 3; one beat per cycle, no ready
//! # Shape             `BASE + s_more` bytes are cut, from byte `A` on; all of them, if `A` is not in
//!                     the first beat, without `BASE`. s_more is looked at from the beat with byte
//!                     `A + BASE` on, s_side belongs to the same beats. W2 = 2 W, KB = W / 8
//! # Packets           one that is over in what is cut has no last beat, only its end. Bytes behind
//!                     the end are anything
//! # Reset             synchronous, high: between packets
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::streams::PacketBeat;
use crate::util::ones;
use crate::{block, kernel, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cuts bytes behind byte `A` of packets in `W`-bit beats; `SB` bits go with each packet.
#[block(check(W == 8 * KB && W2 == 2 * W, KB.is_power_of_two() && KB <= 64, A < KB || BASE == 0))]
pub struct Cut<
    const W: usize,
    const W2: usize,
    const KB: usize,
    const A: usize,
    const BASE: usize,
    const SB: usize,
> {
    /// A beat of the packet.
    pub s: PacketBeat<In, W>,
    /// Bytes to cut beside `BASE`.
    pub s_more: Signal<In, Bits<11>>,
    /// What is known of the packet, one cycle after its beat.
    pub s_side: Signal<In, Bits<SB>>,
    /// A beat of what is left.
    pub m: PacketBeat<Out, W>,
    /// What was known of the packet, until its end.
    pub m_side: Signal<Out, Bits<SB>>,
    count: Reg<Bits<8>>,
    in_valid: Reg<Bit>,
    in_first: Unreset<Bit>,
    in_border: Unreset<Bit>,
    in_passes: Unreset<Bit>,
    in_last: Unreset<Bit>,
    in_fits: Unreset<Bit>,
    in_rest: Unreset<Bit>,
    in_bytes: Unreset<Bits<7>>,
    in_end: Reg<Bit>,
    in_front: Unreset<Bits<W>>,
    turned: Unreset<Bits<W>>,
    turned_old: Unreset<Bits<W>>,
    earlier: Unreset<Bits<W>>,
    earlier_old: Unreset<Bits<W>>,
    front: Unreset<Bits<W>>,
    joins: Unreset<Bit>,
    has_begun: Unreset<Bit>,
    flush: Reg<Bit>,
    flush_bytes: Unreset<Bits<7>>,
    flush_end: Reg<Bit>,
    side: Unreset<Bits<SB>>,
    out_valid: Reg<Bit>,
    out_data: Unreset<Bits<W>>,
    out_first: Unreset<Bit>,
    out_last: Unreset<Bit>,
    out_bytes: Unreset<Bits<7>>,
    out_end: Reg<Bit>,
    out_side: Unreset<Bits<SB>>,
    index: Signal<Local, Bits<8>>,
    bytes: Signal<Local, Bits<11>>,
    beats: Signal<Local, Bits<11>>,
    resume: Signal<Local, Bits<8>>,
    is_border: Signal<Local, Bit>,
    is_behind: Signal<Local, Bit>,
    is_front: Signal<Local, Bit>,
    lanes: Signal<Local, Bits<7>>,
    more_lanes: Signal<Local, Bits<7>>,
    old_bits: Signal<Local, Bits<10>>,
    more_bits: Signal<Local, Bits<10>>,
    once: Signal<Local, Bits<W2>>,
    twice: Signal<Local, Bits<W2>>,
    moved: Signal<Local, Bits<W2>>,
    based: Signal<Local, Bits<W>>,
    based_wide: Signal<Local, Bits<W2>>,
    again: Signal<Local, Bits<W2>>,
    shifted: Signal<Local, Bits<W2>>,
    fits: Signal<Local, Bit>,
    rest: Signal<Local, Bits<7>>,
    emits: Signal<Local, Bit>,
    new_bits: Signal<Local, Bits<W>>,
    joined: Signal<Local, Bits<W>>,
    #[value(BASE as u64)]
    base: Constant<Bits<11>>,
    #[value((A / KB) as u64)]
    border: Constant<Bits<8>>,
    #[value(u64::from(KB.trailing_zeros()))]
    beat_shift: Constant<Bits<4>>,
    #[value(KB as u64 - 1)]
    lane_mask: Constant<Bits<7>>,
    #[value(KB as u64)]
    beat_bytes: Constant<Bits<7>>,
    #[value(W as u64)]
    width: Constant<Bits<11>>,
    #[value((8 * (BASE % KB)) as u64)]
    base_bits: Constant<Bits<10>>,
    #[value(ones(W))]
    all: Constant<Bits<W>>,
    #[value(ones(8 * (A % KB)))]
    front_mask: Constant<Bits<W>>,
    #[value(ones(W) ^ ones(8 * (A % KB)))]
    back_mask: Constant<Bits<W>>,
}

#[kernel]
impl<
        const W: usize,
        const W2: usize,
        const KB: usize,
        const A: usize,
        const BASE: usize,
        const SB: usize,
    > Cut<W, W2, KB, A, BASE, SB>
{
    fn update(&mut self) {
        self.m.valid.next = self.out_valid.val();
        self.m.data.next = self.out_data.val();
        self.m.first.next = self.out_first.val();
        self.m.last.next = self.out_last.val();
        self.m.bytes.next = self.out_bytes.val();
        self.m.end.next = self.out_end.val();
        self.m_side.next = self.out_side.val();
        self.place();
        self.turn();
        self.join();
    }

    /// Where this beat is, and whether the one that it completes leaves.
    fn place(&mut self) {
        self.index.next = self.count.val();
        if self.s.first.val() {
            self.index.next = 0.into();
        }
        if self.s.valid.val() {
            self.count.next = self.index.val();
            if self.index.val() != 255 {
                self.count.next = self.index.val() + 1;
            }
        }
        self.bytes.next = self.s_more.val() + self.base.val();
        self.beats.next = self.bytes.val() >> self.beat_shift.val();
        self.resume.next = bit_cast::<8, 11>(self.beats.val()) + self.border.val();
        self.is_border.next = self.index.val() == self.border.val();
        self.is_behind.next = self.index.val() > self.border.val();
        self.is_front.next = !self.is_behind.val() & !self.is_border.val();
        self.in_valid.next = self.s.valid.val();
        self.in_first.next = self.s.first.val();
        self.in_border.next = self.is_border.val();
        self.in_passes.next = (self.index.val() != 0)
            & (!self.is_behind.val() | (self.index.val() > self.resume.val()));
        comment!("A last beat completes its packet, or leaves a rest behind.");
        self.lanes.next = bit_cast::<7, 11>(self.bytes.val()) & self.lane_mask.val();
        if self.is_front.val() {
            self.lanes.next = 0.into();
        }
        self.fits.next = self.s.bytes.val() <= self.lanes.val();
        self.rest.next = self.s.bytes.val() - self.lanes.val();
        self.in_last.next = self.s.last.val();
        self.in_fits.next = self.fits.val();
        self.in_rest.next = self.s.last.val()
            & !self.fits.val()
            & (self.is_front.val() | (self.index.val() >= self.resume.val()));
        self.in_bytes.next = self.rest.val();
        if self.fits.val() {
            self.in_bytes.next = self.rest.val() + self.beat_bytes.val();
        }
        self.in_end.next = self.s.end.val();
    }

    /// Turns this beat by what is cut; bytes in front of byte `A` stay as they are.
    fn turn(&mut self) {
        self.once.next = bit_cast::<W2, W>(self.s.data.val());
        self.twice.next = self.once.val() | (self.once.val() << self.width.val());
        self.moved.next = self.twice.val() >> self.base_bits.val();
        self.based.next = bit_cast::<W, W2>(self.moved.val());
        self.more_lanes.next = bit_cast::<7, 11>(self.s_more.val()) & self.lane_mask.val();
        if self.is_front.val() {
            self.more_lanes.next = 0.into();
        }
        self.more_bits.next = bit_cast::<10, 7>(self.more_lanes.val()) << 3;
        self.based_wide.next = bit_cast::<W2, W>(self.based.val());
        self.again.next = self.based_wide.val() | (self.based_wide.val() << self.width.val());
        self.shifted.next = self.again.val() >> self.more_bits.val();
        self.turned.next = bit_cast::<W, W2>(self.shifted.val());
        self.old_bits.next = bit_cast::<10, 7>(self.lanes.val()) << 3;
        self.turned_old.next = self.all.val() >> self.old_bits.val();
        self.in_front.next = self.s.data.val() & self.front_mask.val();
    }

    /// Puts a beat together of the one before, this one and, at byte `A`, what stands in front of it.
    fn join(&mut self) {
        self.emits.next = (self.in_valid.val() & self.in_passes.val()) | self.flush.val();
        self.new_bits.next = !self.earlier_old.val();
        self.joined.next = (self.earlier.val() & self.earlier_old.val())
            | (self.turned.val() & self.new_bits.val());
        self.out_valid.next = self.emits.val();
        self.out_end.next = self.flush_end.val();
        if self.emits.val() {
            self.out_data.next = self.joined.val();
            if self.joins.val() {
                self.out_data.next = (self.joined.val() & self.back_mask.val()) | self.front.val();
            }
            self.out_first.next = !self.has_begun.val();
            self.out_last.next = self.flush.val() | (self.in_last.val() & self.in_fits.val());
            self.out_bytes.next = self.in_bytes.val();
            if self.flush.val() {
                self.out_bytes.next = self.flush_bytes.val();
            }
            self.out_side.next = self.side.val();
            self.joins.next = false;
            self.has_begun.next = true;
        }
        self.flush.next = self.in_valid.val() & self.in_rest.val();
        self.flush_end.next = self.in_end.val();
        if self.in_valid.val() {
            self.earlier.next = self.turned.val();
            self.earlier_old.next = self.turned_old.val();
            self.flush_bytes.next = self.in_bytes.val();
            self.side.next = self.s_side.val();
            if self.in_first.val() {
                self.has_begun.next = false;
                self.joins.next = false;
            }
            if self.in_border.val() {
                self.front.next = self.in_front.val();
                self.joins.next = true;
            }
        }
    }
}
