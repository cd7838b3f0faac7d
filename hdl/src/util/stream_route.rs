//! One stream into two: the top bit of an item says where it goes, and ends here.
//!
//! # Interface timing  cycle 0: s_valid and s_ready; cycle 1: the item at m_a (top bit 0) or m_b (top
//!                     bit 1). s_ready is high while both sources are free
//! # Latency and rate  [`LATENCY_CYCLES`]; one item every other cycle
//! # Shape             W bits of payload, opaque; an item that is not taken holds up those behind it
//! # Reset             synchronous, high: empty, s_ready = 1, m_a_data = m_b_data = 0; both show the last item
//!                     while their valids are low
//! # Twins             sim/src/golden/util/stream_route.rs, tests/stream_route.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from an item at the sink to the item at its source.
pub const LATENCY_CYCLES: usize = 1;

/// Router of items of `WP1 = W + 1` bits.
#[derive(LogicBlock)]
pub struct StreamRoute<const W: usize, const WP1: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// An item is offered.
    pub s_valid: Signal<In, Bit>,
    /// It will be taken.
    pub s_ready: Signal<Out, Bit>,
    /// The item; top bit: goes to b.
    pub s_data: Signal<In, Bits<WP1>>,
    /// An item for a stands.
    pub m_a_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_a_ready: Signal<In, Bit>,
    /// The item.
    pub m_a_data: Signal<Out, Bits<W>>,
    /// An item for b stands.
    pub m_b_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_b_ready: Signal<In, Bit>,
    /// The item.
    pub m_b_data: Signal<Out, Bits<W>>,
    room: DFF<Bit>,
    a_full: DFF<Bit>,
    b_full: DFF<Bit>,
    item: DFF<Bits<W>>,
    free: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    is_b: Signal<Local, Bit>,
    top: Constant<Bits<16>>,
}

impl<const W: usize, const WP1: usize> Default for StreamRoute<W, WP1> {
    fn default() -> Self {
        assert!(WP1 == W + 1, "WP1 = W + 1");
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_valid: Default::default(),
            s_ready: Default::default(),
            s_data: Default::default(),
            m_a_valid: Default::default(),
            m_a_ready: Default::default(),
            m_a_data: Default::default(),
            m_b_valid: Default::default(),
            m_b_ready: Default::default(),
            m_b_data: Default::default(),
            room: Default::default(),
            a_full: Default::default(),
            b_full: Default::default(),
            item: Default::default(),
            free: Default::default(),
            take: Default::default(),
            is_b: Default::default(),
            top: Constant::new((W as u64).to_bits()),
        }
    }
}

impl<const W: usize, const WP1: usize> Logic for StreamRoute<W, WP1> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, room, a_full, b_full, item);
        self.s_ready.next = self.room.q.val();
        self.m_a_valid.next = self.a_full.q.val();
        self.m_a_data.next = self.item.q.val();
        self.m_b_valid.next = self.b_full.q.val();
        self.m_b_data.next = self.item.q.val();
        self.free.next = (self.m_a_ready.val() | !self.a_full.q.val())
            & (self.m_b_ready.val() | !self.b_full.q.val());
        self.take.next = self.s_valid.val() & self.room.q.val();
        self.room.d.next = self.free.val() & !self.take.val();
        if self.m_a_ready.val() {
            self.a_full.d.next = false;
        }
        if self.m_b_ready.val() {
            self.b_full.d.next = false;
        }
        self.is_b.next = self.s_data.val().get_bit(self.top.val().index());
        if self.take.val() {
            self.a_full.d.next = !self.is_b.val();
            self.b_full.d.next = self.is_b.val();
            self.item.d.next = self.s_data.val().get_bits::<W>(0);
        }
        if self.reset.val() {
            self.room.d.next = true;
            self.a_full.d.next = false;
            self.b_full.d.next = false;
            self.item.d.next = 0.into();
        }
    }
}
