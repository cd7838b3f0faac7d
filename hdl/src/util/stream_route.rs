//! One stream into two: the top bit of an item says where it goes, and ends here.
//!
//! # Interface timing  cycle 0: s_valid and s_ready; cycle 1: the item at m_a (top bit 0) or m_b (top
//!                     bit 1). s_ready is high while both sources are free
//! # Latency and rate  [`LATENCY_CYCLES`]; one item every other cycle
//! # Shape             W bits of payload, opaque; an item that is not taken holds up those behind it
//! # Reset             synchronous, high: empty, s_ready = 1, m_a_data = m_b_data = 0; both show the last item
//!                     while their valids are low
//! # Twins             sim/models/src/golden/util/stream_route.rs, tests/util/stream_route.rs

use crate::streams::Word;
use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Cycles from an item at the sink to the item at its source.
pub const LATENCY_CYCLES: usize = 1;

/// Router of items of `WP1 = W + 1` bits.
#[block(check(WP1 == W + 1))]
pub struct StreamRoute<const W: usize, const WP1: usize> {
    /// An item is offered.
    pub s: Word<In, Bits<WP1>>,
    /// An item for a stands.
    pub m_a: Word<Out, Bits<W>>,
    /// An item for b stands.
    pub m_b: Word<Out, Bits<W>>,
    #[reset(true)]
    room: Reg<Bit>,
    a_full: Reg<Bit>,
    b_full: Reg<Bit>,
    item: Reg<Bits<W>>,
    free: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    is_b: Signal<Local, Bit>,
    #[init(Constant::new((W as u64).to_bits()))]
    top: Constant<Bits<16>>,
}

impl<const W: usize, const WP1: usize> Logic for StreamRoute<W, WP1> {
    #[hdl_gen]
    fn update(&mut self) {
        self.s.ready.next = self.room.val();
        self.m_a.valid.next = self.a_full.val();
        self.m_a.data.next = self.item.val();
        self.m_b.valid.next = self.b_full.val();
        self.m_b.data.next = self.item.val();
        self.free.next = (self.m_a.ready.val() | !self.a_full.val())
            & (self.m_b.ready.val() | !self.b_full.val());
        self.take.next = self.s.valid.val() & self.room.val();
        self.room.next = self.free.val() & !self.take.val();
        if self.m_a.ready.val() {
            self.a_full.next = false;
        }
        if self.m_b.ready.val() {
            self.b_full.next = false;
        }
        self.is_b.next = self.s.data.val().get_bit(self.top.val().index());
        if self.take.val() {
            self.a_full.next = !self.is_b.val();
            self.b_full.next = self.is_b.val();
            self.item.next = self.s.data.val().get_bits::<W>(0);
        }
    }
}
