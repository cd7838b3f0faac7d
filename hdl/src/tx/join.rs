//! Puts two parts of a frame together: the second one begins in the byte behind the first.
//!
//! # Interface timing  a part's last beat and the first one of the part behind it leave in the same
//!                     cycle if they share a beat. A beat of b is turned to its place in cycle 0;
//!                     cycle 1: m, if a has come to its end and the sink takes a beat
//! # Latency and rate  [`LATENCY_CYCLES`] from a, 1 more from b; a beat a cycle of what leaves
//! # Shape             KB = W / 8 <= 64, PB = log2 KB - 1. Part a has an even number of bytes, also
//!                     none; b_offset is that number modulo KB. Bytes of b behind its last one are
//!                     0, and then so are those of m
//! # Reset             synchronous, high: empty
//! # Twins             sim/models/src/golden/tx/join.rs, tests/tx/tx_pipe.rs

use crate::streams::FramePart;
use crate::util::bytes::{ByteRotate, ByteSelect};
use crate::util::ones;
use crate::{block, kernel, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a beat of the first part to the beat that it is in.
pub const LATENCY_CYCLES: usize = 1;

/// Joins parts on a `W`-bit stream; `PB` = log2 of the pairs of bytes in a beat.
#[block(mealy, check(W == 8 * KB && KB == 2 << PB && KB <= 64))]
pub struct TxJoin<const W: usize, const KB: usize, const PB: usize> {
    /// First part.
    pub a: FramePart<In, W>,
    /// Second part.
    pub b: FramePart<In, W>,
    /// Bytes of its first part, modulo KB.
    pub b_offset: Signal<In, Bits<6>>,
    /// Both.
    pub m: FramePart<Out, W>,
    rotate: ByteRotate<W, PB>,
    choose: ByteSelect<W, KB>,
    keep_rest: ByteSelect<W, KB>,
    turned_valid: Reg<Bit>,
    turned: Unreset<Bits<W>>,
    turned_here: Unreset<Bits<KB>>,
    turned_bytes: Unreset<Bits<7>>,
    turned_over: Unreset<Bit>,
    turned_last: Unreset<Bit>,
    turned_bad: Unreset<Bit>,
    is_second: Reg<Bit>,
    flush: Reg<Bit>,
    rest: Unreset<Bits<W>>,
    rest_bytes: Unreset<Bits<7>>,
    rest_bad: Unreset<Bit>,
    valid: Reg<Bit>,
    data: Unreset<Bits<W>>,
    bytes: Unreset<Bits<7>>,
    last: Unreset<Bit>,
    bad: Unreset<Bit>,
    total: Signal<Local, Bits<7>>,
    moves: Signal<Local, Bit>,
    a_full: Signal<Local, Bit>,
    a_shares: Signal<Local, Bit>,
    in_first: Signal<Local, Bit>,
    take_a: Signal<Local, Bit>,
    take_b: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    #[value(KB as u64)]
    beat_bytes: Constant<Bits<7>>,
    #[value(KB as u64 - 1)]
    byte_mask: Constant<Bits<7>>,
    #[value(ones(KB))]
    all_bytes: Constant<Bits<KB>>,
}

#[kernel]
impl<const W: usize, const KB: usize, const PB: usize> TxJoin<W, KB, PB> {
    fn update(&mut self) {
        self.m.valid.next = self.valid.val();
        self.m.data.next = self.data.val();
        self.m.bytes.next = self.bytes.val();
        self.m.last.next = self.last.val();
        self.m.bad.next = self.bad.val();
        self.takes();
        self.turn();
        self.merge();
    }

    /// What moves in this cycle.
    fn takes(&mut self) {
        self.moves.next = !self.valid.val() | self.m.ready.val();
        self.in_first.next = !self.is_second.val() & !self.flush.val();
        self.a_full.next = self.a.bytes.val() == self.beat_bytes.val();
        self.a_shares.next = self.a.last.val() & !self.a_full.val();
        self.take_b.next = self.moves.val()
            & self.turned_valid.val()
            & (self.is_second.val()
                | (self.in_first.val() & self.a.valid.val() & self.a_shares.val()));
        self.a.ready.next = self.moves.val()
            & self.in_first.val()
            & (!self.a_shares.val() | self.turned_valid.val());
        self.take_a.next = self.a.valid.val() & self.a.ready.val();
        self.b.ready.next = !self.turned_valid.val() | self.take_b.val();
    }

    /// The second part, turned to its place.
    fn turn(&mut self) {
        self.rotate.d.next = self.b.data.val();
        self.rotate.pairs.next = self.b_offset.val().get_bits::<PB>(1);
        self.total.next = self.b.bytes.val() + bit_cast::<7, 6>(self.b_offset.val());
        if self.b.ready.val() {
            self.turned_valid.next = self.b.valid.val();
            self.turned.next = self.rotate.q.val();
            self.turned_here.next = self.all_bytes.val() << self.b_offset.val();
            self.turned_bytes.next = self.total.val();
            self.turned_over.next = self.total.val() > self.beat_bytes.val();
            self.turned_last.next = self.b.last.val();
            self.turned_bad.next = self.b.bad.val();
        }
    }

    /// A beat of both.
    fn merge(&mut self) {
        self.choose.chosen.next = 0.into();
        if self.take_b.val() {
            self.choose.chosen.next = self.turned_here.val();
        }
        self.choose.a.next = self.turned.val();
        self.choose.b.next = self.rest.val();
        if self.in_first.val() {
            self.choose.b.next = self.a.data.val();
        }
        self.ends.next = self.take_b.val() & self.turned_last.val() & !self.turned_over.val();
        if self.moves.val() {
            self.valid.next = self.flush.val() | self.take_a.val() | self.take_b.val();
            self.data.next = self.choose.q.val();
            self.bytes.next = self.beat_bytes.val();
            self.last.next = self.flush.val() | self.ends.val();
            self.bad.next = self.turned_bad.val();
            if self.flush.val() {
                self.bytes.next = self.rest_bytes.val();
                self.bad.next = self.rest_bad.val();
            } else if self.ends.val() {
                self.bytes.next = self.turned_bytes.val();
            }
            self.flush.next = false;
        }
        comment!("What does not fit waits for the next beat.");
        self.keep_rest.chosen.next = self.turned_here.val();
        self.keep_rest.a.next = 0.into();
        self.keep_rest.b.next = self.turned.val();
        if self.take_b.val() {
            self.rest.next = self.keep_rest.q.val();
            self.rest_bytes.next = self.turned_bytes.val() & self.byte_mask.val();
            self.rest_bad.next = self.turned_bad.val();
            self.is_second.next = !self.turned_last.val();
            self.flush.next = self.turned_last.val() & self.turned_over.val();
        } else if self.take_a.val() & self.a.last.val() {
            self.is_second.next = true;
        }
    }
}
