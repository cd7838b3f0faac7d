//! Order of the engines' grants: whose is the oldest.
//!
//! Each engine has at most two grants that are not taken, so sixteen items are enough: each has a grant
//! that is not taken. Those of one cycle leave from the lowest engine to the highest.
//!
//! # Interface timing  cycle 0: s_valid; cycle [`LATENCY_CYCLES`]: m_is_next, when nothing is older.
//!                     s_take: m_is_next changes in the next cycle
//! # Latency and rate  [`LATENCY_CYCLES`]; one grant taken per cycle
//! # Reset             synchronous, high: empty
//! # Twins             `order` of sim/models/src/golden/sched/wide/scheduler_wide.rs

use crate::util::fifo::Fifo;
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a grant to its place in the order.
pub const LATENCY_CYCLES: usize = 2;

/// Order of the grants of eight engines.
#[block]
pub struct GrantOrder {
    /// Engine i has granted a packet.
    pub s_valid: [Signal<In, Bit>; 8],
    /// The oldest grant is taken.
    pub s_take: Signal<In, Bit>,
    /// There is a grant.
    pub m_valid: Signal<Out, Bit>,
    /// The oldest one is of engine i.
    pub m_is_next: [Signal<Out, Bit>; 8],
    fifo: Fifo<Bits<8>, 4, 5>,
    has_rest: Reg<Bit>,
    rest: Unreset<Bits<8>>,
    granted: [Signal<Local, Bits<8>>; 9],
    left: Signal<Local, Bits<8>>,
    below_first: Signal<Local, Bits<8>>,
    others: Signal<Local, Bits<8>>,
    first: Signal<Local, Bits<8>>,
    #[init(core::array::from_fn(|i| Constant::new((1_u64 << i).into())))]
    bit: [Constant<Bits<8>>; 8],
}

impl Logic for GrantOrder {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Engines that grant in the same cycle are one item.");
        self.granted[0].next = 0.into();
        for i in 0..8 {
            self.granted[i + 1].next = self.granted[i].val();
            if self.s_valid[i].val() {
                self.granted[i + 1].next = self.granted[i].val() | self.bit[i].val();
            }
        }
        self.fifo.s.valid.next = self.granted[8].val().any();
        self.fifo.s.data.next = self.granted[8].val();
        comment!("Of an item the lowest engine goes first.");
        self.left.next = self.fifo.m.data.val();
        if self.has_rest.val() {
            self.left.next = self.rest.val();
        }
        self.below_first.next = self.left.val() - 1;
        self.others.next = self.left.val() & self.below_first.val();
        self.first.next = self.left.val() ^ self.others.val();
        self.m_valid.next = self.fifo.m.valid.val();
        for i in 0..8 {
            self.m_is_next[i].next = self.first.val().get_bit(i) & self.fifo.m.valid.val();
        }
        self.fifo.m.ready.next = self.s_take.val() & !self.others.val().any();
        if self.s_take.val() & self.fifo.m.valid.val() {
            self.has_rest.next = self.others.val().any();
            self.rest.next = self.others.val();
        }
    }
}
