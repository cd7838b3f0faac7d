//! Events of one stream in two cycles, until the engines have taken them in the two cycles after.
//!
//! # Interface timing  s_is_first, s_is_second in turn. Taken while s_is_first: m_earlier_* in the next
//!                     cycle, m_first_* for the next pair. Taken while s_is_second: m_second_* for the
//!                     next pair, and for one more with s_is_held
//! # Latency and rate  one event per cycle, none while s_is_held
//! # Shape             W bits of payload, opaque
//! # Reset             synchronous, high: empty
//! # Twins             `take` of sim/models/src/golden/sched/wide/scheduler_wide.rs

use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Events of one stream.
#[block]
pub struct EventPair<const W: usize> {
    /// First cycle of a pair.
    pub s_is_first: Signal<In, Bit>,
    /// Second cycle of a pair.
    pub s_is_second: Signal<In, Bit>,
    /// The second cycle's event stays.
    pub s_is_held: Signal<In, Bit>,
    /// An event is taken.
    pub s_valid: Signal<In, Bit>,
    /// The event.
    pub s_data: Signal<In, Bits<W>>,
    /// This pair's first cycle has brought an event.
    pub m_earlier_valid: Signal<Out, Bit>,
    /// The event.
    pub m_earlier_data: Signal<Out, Bits<W>>,
    /// The last pair's first cycle has.
    pub m_first_valid: Signal<Out, Bit>,
    /// The event.
    pub m_first_data: Signal<Out, Bits<W>>,
    /// The last pair's second cycle has.
    pub m_second_valid: Signal<Out, Bit>,
    /// The event.
    pub m_second_data: Signal<Out, Bits<W>>,
    earlier_valid: Reg<Bit>,
    earlier_data: Unreset<Bits<W>>,
    first_valid: Reg<Bit>,
    first_data: Unreset<Bits<W>>,
    second_valid: Reg<Bit>,
    second_data: Unreset<Bits<W>>,
}

impl<const W: usize> Logic for EventPair<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_earlier_valid.next = self.earlier_valid.val();
        self.m_earlier_data.next = self.earlier_data.val();
        self.m_first_valid.next = self.first_valid.val();
        self.m_first_data.next = self.first_data.val();
        self.m_second_valid.next = self.second_valid.val();
        self.m_second_data.next = self.second_data.val();
        if self.s_is_first.val() {
            self.earlier_valid.next = self.s_valid.val();
            self.earlier_data.next = self.s_data.val();
        }
        if self.s_is_second.val() {
            self.earlier_valid.next = false;
            self.first_valid.next = self.earlier_valid.val();
            self.first_data.next = self.earlier_data.val();
            if !self.s_is_held.val() {
                self.second_valid.next = self.s_valid.val();
                self.second_data.next = self.s_data.val();
            }
        }
    }
}
