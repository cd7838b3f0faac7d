//! Skid buffer: two entries, both directions registered.
//!
//! # Interface timing  cycle 0: s_valid and s_ready, data taken; cycle 1: m_valid, m_data
//! # Latency and rate  [`LATENCY_CYCLES`]; one item per cycle
//! # Shape             payload of type T, opaque
//! # Reset             synchronous, high: empty, s_ready = 1, m_data = 0; m_data holds its last
//!                     value while m_valid is low
//! # Twins             sim/models/src/golden/util/skid.rs, tests/util/skid.rs

use crate::streams::Word;
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from an item at the sink to the item at the source.
pub const LATENCY_CYCLES: usize = 1;

/// Skid buffer of items of type `T`.
#[block]
pub struct Skid<T: Synth> {
    /// An item is offered.
    pub s: Word<In, T>,
    /// An item stands at the source.
    pub m: Word<Out, T>,
    #[reset(true)]
    empty_spare: Reg<Bit>,
    head_valid: Reg<Bit>,
    head: Reg<T>,
    spare: Unreset<T>,
    push: Signal<Local, Bit>,
    advance: Signal<Local, Bit>,
}

impl<T: Synth> Logic for Skid<T> {
    #[hdl_gen]
    fn update(&mut self) {
        self.s.ready.next = self.empty_spare.val();
        self.m.valid.next = self.head_valid.val();
        self.m.data.next = self.head.val();
        self.push.next = self.s.valid.val() & self.empty_spare.val();
        self.advance.next = self.m.ready.val() | !self.head_valid.val();
        comment!("What comes while it is empty is kept only if the head is blocked.");
        if self.empty_spare.val() {
            self.spare.next = self.s.data.val();
        }
        if self.advance.val() {
            comment!("The head is free: it takes the spare entry, else the new item.");
            self.head_valid.next = self.push.val() | !self.empty_spare.val();
            self.empty_spare.next = true;
            if !self.empty_spare.val() {
                self.head.next = self.spare.val();
            } else if self.push.val() {
                self.head.next = self.s.data.val();
            }
        } else if self.push.val() {
            comment!("The head is blocked: the item on its way stays in the spare entry.");
            self.empty_spare.next = false;
        }
    }
}
