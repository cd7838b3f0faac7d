//! When the line carries what is granted next: time that stands still while the line is busy with
//! what is granted already.
//!
//! # Interface timing  cycle 0: s_grant_*; cycle 1: m_time; m_is_low one cycle later, m_turn_age
//!                     four
//! # Latency and rate  [`LATENCY_CYCLES`]; one grant per cycle
//! # Number formats    m_time | UQ23.0 | cycles, modulo 2^23: the cycle in which the next packet
//!                            |        | starts on a line of one beat a cycle that never waits.
//!                     Work of more than 2^13 cycles is not counted
//! # Reset             synchronous, high: all zero
//! # Twins             `LineClock` of sim/models/src/golden/sched/calendar.rs

use crate::sched::credit::share_pipe::WINDOW_CYCLES;
use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Cycles from a grant to the time of the next one.
pub const LATENCY_CYCLES: usize = 1;
/// A turn comes this many cycles, and those of the longest packet, before its time.
pub const LEAD_CYCLES: u64 = 32;

/// Clock of the line.
#[block]
pub struct LineClock {
    /// A packet is granted.
    pub s_grant_valid: Signal<In, Bit>,
    /// Its beats.
    pub s_grant_beats: Signal<In, Bits<12>>,
    /// Start of the next packet.
    pub m_time: Signal<Out, Bits<23>>,
    /// The line has less than 32 cycles of work.
    pub m_is_low: Signal<Out, Bit>,
    /// Age of a packet at which its flow's turn comes again, cycles.
    pub m_turn_age: Signal<Out, Bits<18>>,
    now: Reg<Bits<23>>,
    ahead: Reg<Bits<14>>,
    is_low: Reg<Bit>,
    epoch: Reg<Bit>,
    longest: Reg<Bits<12>>,
    longest_before: Reg<Bits<12>>,
    longest_of_both: Reg<Bits<12>>,
    lead: Reg<Bits<18>>,
    turn_age: Reg<Bits<18>>,
    waits: Signal<Local, Bit>,
    added: Signal<Local, Bits<14>>,
    added_wide: Signal<Local, Bits<23>>,
    now_sum: Signal<Local, Bits<23>>,
    ahead_sum: Signal<Local, Bits<14>>,
    above_low: Signal<Local, Bits<9>>,
    base: Signal<Local, Bits<12>>,
    both_wide: Signal<Local, Bits<18>>,
    #[value(0)]
    none: Constant<Bits<14>>,
    #[value(LEAD_CYCLES)]
    lead_cycles: Constant<Bits<18>>,
    #[value(u64::from(WINDOW_CYCLES))]
    window: Constant<Bits<18>>,
}

impl Logic for LineClock {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_time.next = self.now.val();
        self.m_is_low.next = self.is_low.val();
        self.m_turn_age.next = self.turn_age.val();
        comment!("Time passes while the line has nothing to do, and jumps with each grant.");
        self.waits.next = self.ahead.val() == self.none.val();
        self.added.next = 0.into();
        if self.s_grant_valid.val() & !self.ahead.val().get_bit(13) {
            self.added.next = bit_cast::<14, 12>(self.s_grant_beats.val());
        }
        self.added_wide.next = bit_cast::<23, 14>(self.added.val());
        self.now_sum.next = self.now.val() + self.added_wide.val();
        self.ahead_sum.next = self.ahead.val() + self.added.val();
        self.now.next = self.now_sum.val();
        self.ahead.next = self.ahead_sum.val() - 1;
        if self.waits.val() {
            self.now.next = self.now_sum.val() + 1;
            self.ahead.next = self.ahead_sum.val();
        }
        self.above_low.next = self.ahead.val().get_bits::<9>(5);
        self.is_low.next = !self.above_low.val().any();
        comment!("The longest packet of this and of the last 2^17 cycles.");
        self.epoch.next = self.now.val().get_bit(17);
        self.base.next = self.longest.val();
        if self.epoch.val() != self.now.val().get_bit(17) {
            self.base.next = 0.into();
            self.longest_before.next = self.longest.val();
        }
        self.longest.next = self.base.val();
        if self.s_grant_valid.val() & (self.base.val() < self.s_grant_beats.val()) {
            self.longest.next = self.s_grant_beats.val();
        }
        self.longest_of_both.next = self.longest.val();
        if self.longest.val() < self.longest_before.val() {
            self.longest_of_both.next = self.longest_before.val();
        }
        self.both_wide.next = bit_cast::<18, 12>(self.longest_of_both.val());
        self.lead.next = self.both_wide.val() + self.lead_cycles.val();
        self.turn_age.next = self.window.val() - self.lead.val();
    }
}
