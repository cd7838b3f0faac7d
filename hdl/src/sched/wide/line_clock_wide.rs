//! When the line carries what is granted next, of several engines: `line_clock`, moved by all grants.
//!
//! A turn has to wait for the grants that other engines have decided before it, two each, and for the
//! packets on the line: it comes earlier than in `line_clock` by 16 times the most that is granted in a
//! cycle.
//!
//! # Interface timing  cycle 0: s_*; cycle 2: m_time; m_is_low one cycle later, m_turn_age four
//! # Latency and rate  [`LATENCY_CYCLES`]; one grant of each engine per cycle
//! # Number formats    m_time  | UQ22.0 | cycles, modulo 2^22: the cycle in which the next packet
//!                             |        | starts on a line of one beat a cycle that never waits.
//!                     Work of more than 2^13 cycles is not counted
//!                     s_beats | UQ12.0 | at most 256
//! # Reset             synchronous, high: all zero
//! # Twins             `LineClock` of sim/models/src/golden/sched/calendar.rs

use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Cycles from a grant to the time of the next one.
pub const LATENCY_CYCLES: usize = 2;
/// A turn comes this many cycles, and 16 times the beats of the longest packets, before its time.
pub const LEAD_CYCLES: u64 = 64;
/// 1 ms at 250 MHz.
pub const WINDOW_CYCLES: u32 = 250_000;

/// Clock of the line of eight engines.
#[block]
pub struct LineClockWide {
    /// Engine i has granted a packet.
    pub s_valid: [Signal<In, Bit>; 8],
    /// Its beats.
    pub s_beats: [Signal<In, Bits<12>>; 8],
    /// Start of the next packet.
    pub m_time: Signal<Out, Bits<22>>,
    /// The line has less than 32 cycles of work.
    pub m_is_low: Signal<Out, Bit>,
    /// Age of a packet at which its flow's turn comes again, cycles.
    pub m_turn_age: Signal<Out, Bits<18>>,
    beats: Reg<Bits<12>>,
    now: Reg<Bits<23>>,
    ahead: Reg<Bits<14>>,
    is_low: Reg<Bit>,
    epoch: Reg<Bit>,
    longest: Reg<Bits<12>>,
    longest_before: Reg<Bits<12>>,
    longest_of_both: Reg<Bits<12>>,
    lead: Reg<Bits<18>>,
    turn_age: Reg<Bits<18>>,
    granted: [Signal<Local, Bits<12>>; 8],
    sum_2: [Signal<Local, Bits<12>>; 4],
    sum_4: [Signal<Local, Bits<12>>; 2],
    waits: Signal<Local, Bit>,
    added: Signal<Local, Bits<14>>,
    added_wide: Signal<Local, Bits<23>>,
    now_sum: Signal<Local, Bits<23>>,
    ahead_sum: Signal<Local, Bits<14>>,
    above_low: Signal<Local, Bits<9>>,
    base: Signal<Local, Bits<12>>,
    both_wide: Signal<Local, Bits<18>>,
    both_x16: Signal<Local, Bits<18>>,
    #[value(0)]
    none: Constant<Bits<14>>,
    #[value(LEAD_CYCLES)]
    lead_cycles: Constant<Bits<18>>,
    #[value(u64::from(WINDOW_CYCLES))]
    window: Constant<Bits<18>>,
}

impl Logic for LineClockWide {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_time.next = self.now.val().get_bits::<22>(0);
        self.m_is_low.next = self.is_low.val();
        self.m_turn_age.next = self.turn_age.val();
        comment!("Beats of all that is granted in a cycle.");
        for i in 0..8 {
            self.granted[i].next = 0.into();
            if self.s_valid[i].val() {
                self.granted[i].next = self.s_beats[i].val();
            }
        }
        self.sum_2[0].next = self.granted[0].val() + self.granted[1].val();
        self.sum_2[1].next = self.granted[2].val() + self.granted[3].val();
        self.sum_2[2].next = self.granted[4].val() + self.granted[5].val();
        self.sum_2[3].next = self.granted[6].val() + self.granted[7].val();
        self.sum_4[0].next = self.sum_2[0].val() + self.sum_2[1].val();
        self.sum_4[1].next = self.sum_2[2].val() + self.sum_2[3].val();
        self.beats.next = self.sum_4[0].val() + self.sum_4[1].val();
        comment!("Time passes while the line has nothing to do, and jumps with each grant.");
        self.waits.next = self.ahead.val() == self.none.val();
        self.added.next = 0.into();
        if !self.ahead.val().get_bit(13) {
            self.added.next = bit_cast::<14, 12>(self.beats.val());
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
        comment!("The most beats of a cycle in this and in the last 2^17 cycles.");
        self.epoch.next = self.now.val().get_bit(17);
        self.base.next = self.longest.val();
        if self.epoch.val() != self.now.val().get_bit(17) {
            self.base.next = 0.into();
            self.longest_before.next = self.longest.val();
        }
        self.longest.next = self.base.val();
        if self.base.val() < self.beats.val() {
            self.longest.next = self.beats.val();
        }
        self.longest_of_both.next = self.longest.val();
        if self.longest.val() < self.longest_before.val() {
            self.longest_of_both.next = self.longest_before.val();
        }
        self.both_wide.next = bit_cast::<18, 12>(self.longest_of_both.val());
        self.both_x16.next = self.both_wide.val() << 4;
        self.lead.next = self.both_x16.val() + self.lead_cycles.val();
        self.turn_age.next = self.window.val() - self.lead.val();
    }
}
