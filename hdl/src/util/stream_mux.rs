//! Two streams into one, in turn: items of sink a and sink b leave at one source.
//!
//! # Interface timing  cycle 0: an item is taken; cycle 1: it stands at the source, with the sink
//!                     that it came from. While the source is free one sink is ready: a, or b if
//!                     that had an item in the cycle before and a had none or was served last
//! # Latency and rate  [`LATENCY_CYCLES`] for a, 1 more for b; one item every other cycle
//! # Shape             W bits of payload, opaque; when both sinks have items they take turns
//! # Reset             synchronous, high: empty, neither sink ready, a goes first, m_data = 0; m_data
//!                     holds its last value while m_valid is low
//! # Twins             sim/models/src/golden/util/stream_mux.rs, tests/util/stream_mux.rs

use crate::streams::Word;
use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Cycles from an item at sink a to the item at the source.
pub const LATENCY_CYCLES: usize = 1;

/// Mux of two streams of `W` bits.
#[block]
pub struct StreamMux<const W: usize> {
    /// An item is offered.
    pub s_a: Word<In, Bits<W>>,
    /// An item is offered.
    pub s_b: Word<In, Bits<W>>,
    /// An item stands.
    pub m_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_ready: Signal<In, Bit>,
    /// The item.
    pub m_data: Signal<Out, Bits<W>>,
    /// It came from sink b.
    pub m_is_b: Signal<Out, Bit>,
    a_ready: Reg<Bit>,
    b_ready: Reg<Bit>,
    b_next: Reg<Bit>,
    full: Reg<Bit>,
    item: Reg<Bits<W>>,
    is_b: Reg<Bit>,
    free: Signal<Local, Bit>,
    take_a: Signal<Local, Bit>,
    take_b: Signal<Local, Bit>,
    b_turn: Signal<Local, Bit>,
}

impl<const W: usize> Logic for StreamMux<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.s_a.ready.next = self.a_ready.val();
        self.s_b.ready.next = self.b_ready.val();
        self.m_valid.next = self.full.val();
        self.m_data.next = self.item.val();
        self.m_is_b.next = self.is_b.val();
        self.take_a.next = self.s_a.valid.val() & self.a_ready.val();
        self.take_b.next = self.s_b.valid.val() & self.b_ready.val();
        comment!("The source is free in the next cycle: whose turn it is then.");
        self.free.next =
            (self.m_ready.val() | !self.full.val()) & !self.take_a.val() & !self.take_b.val();
        self.b_turn.next = self.s_b.valid.val() & (self.b_next.val() | !self.s_a.valid.val());
        self.a_ready.next = self.free.val() & !self.b_turn.val();
        self.b_ready.next = self.free.val() & self.b_turn.val();
        if self.m_ready.val() {
            self.full.next = false;
        }
        if self.take_a.val() {
            self.b_next.next = true;
            self.full.next = true;
            self.item.next = self.s_a.data.val();
            self.is_b.next = false;
        }
        if self.take_b.val() {
            self.b_next.next = false;
            self.full.next = true;
            self.item.next = self.s_b.data.val();
            self.is_b.next = true;
        }
    }
}
