//! The flow whose turn has come, until it is granted or found to have nothing to send.
//!
//! Its visits in the ring come too seldom: one more is put between them, once no other is on its
//! way; those that come meanwhile are sent back to the ring.
//!
//! # Interface timing  cycle 0: s_turn_*; cycle 1: m_called_*; cycle [`QUIET_CYCLES`] + 2 or later:
//!                     m_visit_*. Cycle 0: s_seen_*, s_end, s_done; cycle 1: their effect
//! # Latency and rate  [`LATENCY_CYCLES`]; one flow at a time
//! # Shape             2^FB flows
//! # Reset             synchronous, high: nobody is called, m_called_flow = 0
//! # Twins             `Caller` of sim/models/src/golden/sched/calendar.rs

use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Cycles from a turn to the called flow.
pub const LATENCY_CYCLES: usize = 1;
/// A flow is visited when it had no visit for so many cycles: the last one has been
/// decided and stored then.
pub const QUIET_CYCLES: u64 = 9;

/// The called flow.
#[block]
pub struct Caller<const FB: usize> {
    /// A flow's turn has come; it passes while another is called.
    pub s_turn_valid: Signal<In, Bit>,
    /// The flow.
    pub s_turn_flow: Signal<In, Bits<FB>>,
    /// A visit starts.
    pub s_seen_valid: Signal<In, Bit>,
    /// Its flow.
    pub s_seen_flow: Signal<In, Bits<FB>>,
    /// It is the one of m_visit.
    pub s_seen_is_call: Signal<In, Bit>,
    /// The visit of m_visit is decided.
    pub s_end: Signal<In, Bit>,
    /// The turn is over.
    pub s_done: Signal<In, Bit>,
    /// There is a place for a grant.
    pub s_has_place: Signal<In, Bit>,
    /// Somebody is called.
    pub m_called_valid: Signal<Out, Bit>,
    /// The flow.
    pub m_called_flow: Signal<Out, Bits<FB>>,
    /// The visit that started in the last cycle is sent back.
    pub m_bounce: Signal<Out, Bit>,
    /// The called flow is to be visited.
    pub m_visit_valid: Signal<Out, Bit>,
    /// Its visit is chosen.
    pub m_visit_ready: Signal<In, Bit>,
    called_valid: Reg<Bit>,
    called_flow: Reg<Bits<FB>>,
    bounce: Reg<Bit>,
    on_way: Reg<Bit>,
    ending: Reg<Bit>,
    visit_valid: Reg<Bit>,
    quiet_cycles: Reg<Bits<4>>,
    is_seen: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    is_quiet: Signal<Local, Bit>,
    #[value(QUIET_CYCLES)]
    quiet: Constant<Bits<4>>,
}

impl<const FB: usize> Logic for Caller<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_called_valid.next = self.called_valid.val();
        self.m_called_flow.next = self.called_flow.val();
        self.m_visit_valid.next = self.visit_valid.val();
        self.is_seen.next = self.called_valid.val()
            & self.s_seen_valid.val()
            & !self.s_seen_is_call.val()
            & (self.s_seen_flow.val() == self.called_flow.val());
        self.bounce.next = self.on_way.val() & self.is_seen.val();
        self.m_bounce.next = self.bounce.val();
        comment!("Wait until the flow's last visit has been stored, then ask for one more.");
        self.is_quiet.next = self.quiet_cycles.val() == self.quiet.val();
        self.starts.next = self.called_valid.val()
            & !self.on_way.val()
            & self.is_quiet.val()
            & !self.is_seen.val()
            & self.s_has_place.val();
        if !self.is_quiet.val() {
            self.quiet_cycles.next = self.quiet_cycles.val() + 1;
        }
        if self.on_way.val() | self.is_seen.val() {
            self.quiet_cycles.next = 0.into();
        }
        if self.starts.val() {
            self.on_way.next = true;
        }
        self.ending.next = self.s_end.val();
        if self.ending.val() {
            self.on_way.next = false;
        }
        self.visit_valid.next =
            self.starts.val() | (self.visit_valid.val() & !self.m_visit_ready.val());
        if self.s_done.val() {
            self.called_valid.next = false;
        }
        if self.s_turn_valid.val() & !self.called_valid.val() {
            self.called_valid.next = true;
            self.called_flow.next = self.s_turn_flow.val();
            self.quiet_cycles.next = 0.into();
        }
    }
}
