//! Two streams into one, in turn: items of sink a and sink b leave at one source.
//!
//! # Interface timing  cycle 0: an item is taken; cycle 1: it stands at the source, with the sink
//!                     that it came from. While the source is free one sink is ready: a, or b if
//!                     that had an item in the cycle before and a had none or was served last
//! # Latency and rate  [`LATENCY_CYCLES`] for a, 1 more for b; one item every other cycle
//! # Shape             W bits of payload, opaque; when both sinks have items they take turns
//! # Reset             synchronous, high: empty, neither sink ready, a goes first, m_data = 0; m_data
//!                     holds its last value while m_valid is low
//! # Twins             sim/src/golden/util/stream_mux.rs, tests/stream_mux.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from an item at sink a to the item at the source.
pub const LATENCY_CYCLES: usize = 1;

/// Mux of two streams of `W` bits.
#[derive(LogicBlock, Default)]
pub struct StreamMux<const W: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// An item is offered.
    pub s_a_valid: Signal<In, Bit>,
    /// It will be taken.
    pub s_a_ready: Signal<Out, Bit>,
    /// The item.
    pub s_a_data: Signal<In, Bits<W>>,
    /// An item is offered.
    pub s_b_valid: Signal<In, Bit>,
    /// It will be taken.
    pub s_b_ready: Signal<Out, Bit>,
    /// The item.
    pub s_b_data: Signal<In, Bits<W>>,
    /// An item stands.
    pub m_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_ready: Signal<In, Bit>,
    /// The item.
    pub m_data: Signal<Out, Bits<W>>,
    /// It came from sink b.
    pub m_is_b: Signal<Out, Bit>,
    a_ready: DFF<Bit>,
    b_ready: DFF<Bit>,
    b_next: DFF<Bit>,
    full: DFF<Bit>,
    item: DFF<Bits<W>>,
    is_b: DFF<Bit>,
    free: Signal<Local, Bit>,
    take_a: Signal<Local, Bit>,
    take_b: Signal<Local, Bit>,
    b_turn: Signal<Local, Bit>,
}

impl<const W: usize> Logic for StreamMux<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, a_ready, b_ready, b_next, full, item, is_b);
        self.s_a_ready.next = self.a_ready.q.val();
        self.s_b_ready.next = self.b_ready.q.val();
        self.m_valid.next = self.full.q.val();
        self.m_data.next = self.item.q.val();
        self.m_is_b.next = self.is_b.q.val();
        self.take_a.next = self.s_a_valid.val() & self.a_ready.q.val();
        self.take_b.next = self.s_b_valid.val() & self.b_ready.q.val();
        comment!("The source is free in the next cycle: whose turn it is then.");
        self.free.next =
            (self.m_ready.val() | !self.full.q.val()) & !self.take_a.val() & !self.take_b.val();
        self.b_turn.next = self.s_b_valid.val() & (self.b_next.q.val() | !self.s_a_valid.val());
        self.a_ready.d.next = self.free.val() & !self.b_turn.val();
        self.b_ready.d.next = self.free.val() & self.b_turn.val();
        if self.m_ready.val() {
            self.full.d.next = false;
        }
        if self.take_a.val() {
            self.b_next.d.next = true;
            self.full.d.next = true;
            self.item.d.next = self.s_a_data.val();
            self.is_b.d.next = false;
        }
        if self.take_b.val() {
            self.b_next.d.next = false;
            self.full.d.next = true;
            self.item.d.next = self.s_b_data.val();
            self.is_b.d.next = true;
        }
        if self.reset.val() {
            self.a_ready.d.next = false;
            self.b_ready.d.next = false;
            self.b_next.d.next = false;
            self.full.d.next = false;
            self.item.d.next = 0.into();
            self.is_b.d.next = false;
        }
    }
}
