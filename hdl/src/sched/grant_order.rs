//! Order of the engines' grants: whose is the oldest.
//!
//! Each engine has at most two grants that are not taken, so sixteen items are enough: each has a grant
//! that is not taken. Those of one cycle leave from the lowest engine to the highest.
//!
//! # Interface timing  cycle 0: s_valid; cycle [`LATENCY_CYCLES`]: m_is_next, when nothing is older.
//!                     s_take: m_is_next changes in the next cycle
//! # Latency and rate  [`LATENCY_CYCLES`]; one grant taken per cycle
//! # Reset             synchronous, high: empty
//! # Twins             `order` of sim/src/golden/sched/scheduler_wide.rs

use crate::util::fifo::Fifo;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from a grant to its place in the order.
pub const LATENCY_CYCLES: usize = 2;

/// Order of the grants of eight engines.
#[derive(LogicBlock)]
pub struct GrantOrder {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// Engine i has granted a packet.
    pub s_valid: [Signal<In, Bit>; 8],
    /// The oldest grant is taken.
    pub s_take: Signal<In, Bit>,
    /// There is a grant.
    pub m_valid: Signal<Out, Bit>,
    /// The oldest one is of engine i.
    pub m_is_next: [Signal<Out, Bit>; 8],
    fifo: Fifo<8, 4, 5>,
    has_rest: DFF<Bit>,
    rest: DFF<Bits<8>>,
    granted: [Signal<Local, Bits<8>>; 9],
    left: Signal<Local, Bits<8>>,
    below_first: Signal<Local, Bits<8>>,
    others: Signal<Local, Bits<8>>,
    first: Signal<Local, Bits<8>>,
    bit: [Constant<Bits<8>>; 8],
}

impl Default for GrantOrder {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_valid: Default::default(),
            s_take: Default::default(),
            m_valid: Default::default(),
            m_is_next: Default::default(),
            fifo: Default::default(),
            has_rest: Default::default(),
            rest: Default::default(),
            granted: Default::default(),
            left: Default::default(),
            below_first: Default::default(),
            others: Default::default(),
            first: Default::default(),
            bit: core::array::from_fn(|i| Constant::new((1_u64 << i).into())),
        }
    }
}

impl Logic for GrantOrder {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, has_rest, rest);
        self.fifo.clock.next = self.clock.val();
        self.fifo.reset.next = self.reset.val();
        comment!("Engines that grant in the same cycle are one item.");
        self.granted[0].next = 0.into();
        for i in 0..8 {
            self.granted[i + 1].next = self.granted[i].val();
            if self.s_valid[i].val() {
                self.granted[i + 1].next = self.granted[i].val() | self.bit[i].val();
            }
        }
        self.fifo.s_valid.next = self.granted[8].val().any();
        self.fifo.s_data.next = self.granted[8].val();
        comment!("Of an item the lowest engine goes first.");
        self.left.next = self.fifo.m_data.val();
        if self.has_rest.q.val() {
            self.left.next = self.rest.q.val();
        }
        self.below_first.next = self.left.val() - 1;
        self.others.next = self.left.val() & self.below_first.val();
        self.first.next = self.left.val() ^ self.others.val();
        self.m_valid.next = self.fifo.m_valid.val();
        for i in 0..8 {
            self.m_is_next[i].next = self.first.val().get_bit(i) & self.fifo.m_valid.val();
        }
        self.fifo.m_ready.next = self.s_take.val() & !self.others.val().any();
        if self.s_take.val() & self.fifo.m_valid.val() {
            self.has_rest.d.next = self.others.val().any();
            self.rest.d.next = self.others.val();
        }
        if self.reset.val() {
            self.has_rest.d.next = false;
        }
    }
}
