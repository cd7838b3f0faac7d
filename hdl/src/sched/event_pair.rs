//! Events of one stream in two cycles, until the engines have taken them in the two cycles after.
//!
//! # Interface timing  s_is_first, s_is_second in turn. Taken while s_is_first: m_earlier_* in the next
//!                     cycle, m_first_* for the next pair. Taken while s_is_second: m_second_* for the
//!                     next pair, and for one more with s_is_held
//! # Latency and rate  one event per cycle, none while s_is_held
//! # Shape             W bits of payload, opaque
//! # Reset             synchronous, high: empty
//! # Twins             `take` of sim/src/golden/sched/scheduler_wide.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Events of one stream.
#[derive(LogicBlock)]
pub struct EventPair<const W: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    earlier_valid: DFF<Bit>,
    earlier_data: DFF<Bits<W>>,
    first_valid: DFF<Bit>,
    first_data: DFF<Bits<W>>,
    second_valid: DFF<Bit>,
    second_data: DFF<Bits<W>>,
}

impl<const W: usize> Default for EventPair<W> {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_is_first: Default::default(),
            s_is_second: Default::default(),
            s_is_held: Default::default(),
            s_valid: Default::default(),
            s_data: Default::default(),
            m_earlier_valid: Default::default(),
            m_earlier_data: Default::default(),
            m_first_valid: Default::default(),
            m_first_data: Default::default(),
            m_second_valid: Default::default(),
            m_second_data: Default::default(),
            earlier_valid: Default::default(),
            earlier_data: Default::default(),
            first_valid: Default::default(),
            first_data: Default::default(),
            second_valid: Default::default(),
            second_data: Default::default(),
        }
    }
}

impl<const W: usize> Logic for EventPair<W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            earlier_valid,
            earlier_data,
            first_valid,
            first_data,
            second_valid,
            second_data
        );
        self.m_earlier_valid.next = self.earlier_valid.q.val();
        self.m_earlier_data.next = self.earlier_data.q.val();
        self.m_first_valid.next = self.first_valid.q.val();
        self.m_first_data.next = self.first_data.q.val();
        self.m_second_valid.next = self.second_valid.q.val();
        self.m_second_data.next = self.second_data.q.val();
        if self.s_is_first.val() {
            self.earlier_valid.d.next = self.s_valid.val();
            self.earlier_data.d.next = self.s_data.val();
        }
        if self.s_is_second.val() {
            self.earlier_valid.d.next = false;
            self.first_valid.d.next = self.earlier_valid.q.val();
            self.first_data.d.next = self.earlier_data.q.val();
            if !self.s_is_held.val() {
                self.second_valid.d.next = self.s_valid.val();
                self.second_data.d.next = self.s_data.val();
            }
        }
        if self.reset.val() {
            self.earlier_valid.d.next = false;
            self.first_valid.d.next = false;
            self.second_valid.d.next = false;
        }
    }
}
