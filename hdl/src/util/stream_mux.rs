//! Two streams into one, in turn: items of sink a and sink b leave at one source.
//!
//! # Interface timing  cycle 0: an item stands at a sink and the source is free; cycle 1: ready;
//!                     cycle 2: the item at the source, with the sink that it came from
//! # Latency and rate  [`LATENCY_CYCLES`]; one item every other cycle
//! # Shape             W bits of payload, opaque; when both sinks have items they take turns
//! # Reset             synchronous, high: empty, a goes first, m_data = 0; m_data holds its last
//!                     value while m_valid is low
//! # Twins             sim/src/golden/util/stream_mux.rs, tests/stream_mux.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from an item at a sink to the item at the source.
pub const LATENCY_CYCLES: usize = 2;

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
    take_a: DFF<Bit>,
    take_b: DFF<Bit>,
    b_next: DFF<Bit>,
    full: DFF<Bit>,
    item: DFF<Bits<W>>,
    is_b: DFF<Bit>,
    free: Signal<Local, Bit>,
}

impl<const W: usize> Logic for StreamMux<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, take_a, take_b, b_next, full, item, is_b);
        self.s_a_ready.next = self.take_a.q.val();
        self.s_b_ready.next = self.take_b.q.val();
        self.m_valid.next = self.full.q.val();
        self.m_data.next = self.item.q.val();
        self.m_is_b.next = self.is_b.q.val();
        comment!("A sink is ready for one cycle, once its item stands and the source is free.");
        self.free.next =
            (self.m_ready.val() | !self.full.q.val()) & !self.take_a.q.val() & !self.take_b.q.val();
        self.take_a.d.next = false;
        self.take_b.d.next = false;
        if self.free.val() {
            if self.s_a_valid.val() & (!self.b_next.q.val() | !self.s_b_valid.val()) {
                self.take_a.d.next = true;
                self.b_next.d.next = true;
            } else if self.s_b_valid.val() {
                self.take_b.d.next = true;
                self.b_next.d.next = false;
            }
        }
        if self.m_ready.val() {
            self.full.d.next = false;
        }
        if self.take_a.q.val() {
            self.full.d.next = true;
            self.item.d.next = self.s_a_data.val();
            self.is_b.d.next = false;
        }
        if self.take_b.q.val() {
            self.full.d.next = true;
            self.item.d.next = self.s_b_data.val();
            self.is_b.d.next = true;
        }
        if self.reset.val() {
            self.take_a.d.next = false;
            self.take_b.d.next = false;
            self.b_next.d.next = false;
            self.full.d.next = false;
            self.item.d.next = 0.into();
            self.is_b.d.next = false;
        }
    }
}
