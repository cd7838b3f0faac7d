//! Skid buffer: two entries, both directions registered.
//!
//! # Interface timing  cycle 0: s_valid and s_ready, data taken; cycle 1: m_valid, m_data
//! # Latency and rate  [`LATENCY_CYCLES`]; one item per cycle
//! # Shape             W bits of payload, opaque
//! # Reset             synchronous, high: empty, s_ready = 1, m_data = 0; m_data holds its last
//!                     value while m_valid is low
//! # Twins             sim/src/golden/util/skid.rs, tests/skid.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from an item at the sink to the item at the source.
pub const LATENCY_CYCLES: usize = 1;

/// Skid buffer of `W` bits.
#[derive(LogicBlock, Default)]
pub struct Skid<const W: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// An item is offered.
    pub s_valid: Signal<In, Bit>,
    /// The item will be taken.
    pub s_ready: Signal<Out, Bit>,
    /// The item.
    pub s_data: Signal<In, Bits<W>>,
    /// An item stands at the source.
    pub m_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_ready: Signal<In, Bit>,
    /// The item.
    pub m_data: Signal<Out, Bits<W>>,
    empty_spare: DFF<Bit>,
    head_valid: DFF<Bit>,
    head: DFF<Bits<W>>,
    spare: DFF<Bits<W>>,
    push: Signal<Local, Bit>,
    advance: Signal<Local, Bit>,
}

impl<const W: usize> Logic for Skid<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, empty_spare, head_valid, head, spare);
        self.s_ready.next = self.empty_spare.q.val();
        self.m_valid.next = self.head_valid.q.val();
        self.m_data.next = self.head.q.val();
        self.push.next = self.s_valid.val() & self.empty_spare.q.val();
        self.advance.next = self.m_ready.val() | !self.head_valid.q.val();
        comment!("What comes while it is empty is kept only if the head is blocked.");
        if self.empty_spare.q.val() {
            self.spare.d.next = self.s_data.val();
        }
        if self.advance.val() {
            comment!("The head is free: it takes the spare entry, else the new item.");
            self.head_valid.d.next = self.push.val() | !self.empty_spare.q.val();
            self.empty_spare.d.next = true;
            if !self.empty_spare.q.val() {
                self.head.d.next = self.spare.q.val();
            } else if self.push.val() {
                self.head.d.next = self.s_data.val();
            }
        } else if self.push.val() {
            comment!("The head is blocked: the item on its way stays in the spare entry.");
            self.empty_spare.d.next = false;
        }
        if self.reset.val() {
            self.empty_spare.d.next = true;
            self.head_valid.d.next = false;
            self.head.d.next = 0.into();
        }
    }
}
