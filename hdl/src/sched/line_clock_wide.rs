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
//! # Twins             `LineClock` of sim/src/golden/sched/calendar.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from a grant to the time of the next one.
pub const LATENCY_CYCLES: usize = 2;
/// A turn comes this many cycles, and 16 times the beats of the longest packets, before its time.
pub const LEAD_CYCLES: u64 = 64;
/// 1 ms at 250 MHz.
pub const WINDOW_CYCLES: u32 = 250_000;

/// Clock of the line of eight engines.
#[derive(LogicBlock)]
pub struct LineClockWide {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    beats: DFF<Bits<12>>,
    now: DFF<Bits<23>>,
    ahead: DFF<Bits<14>>,
    is_low: DFF<Bit>,
    epoch: DFF<Bit>,
    longest: DFF<Bits<12>>,
    longest_before: DFF<Bits<12>>,
    longest_of_both: DFF<Bits<12>>,
    lead: DFF<Bits<18>>,
    turn_age: DFF<Bits<18>>,
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
    none: Constant<Bits<14>>,
    lead_cycles: Constant<Bits<18>>,
    window: Constant<Bits<18>>,
}

impl Default for LineClockWide {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_valid: Default::default(),
            s_beats: Default::default(),
            m_time: Default::default(),
            m_is_low: Default::default(),
            m_turn_age: Default::default(),
            beats: Default::default(),
            now: Default::default(),
            ahead: Default::default(),
            is_low: Default::default(),
            epoch: Default::default(),
            longest: Default::default(),
            longest_before: Default::default(),
            longest_of_both: Default::default(),
            lead: Default::default(),
            turn_age: Default::default(),
            granted: Default::default(),
            sum_2: Default::default(),
            sum_4: Default::default(),
            waits: Default::default(),
            added: Default::default(),
            added_wide: Default::default(),
            now_sum: Default::default(),
            ahead_sum: Default::default(),
            above_low: Default::default(),
            base: Default::default(),
            both_wide: Default::default(),
            both_x16: Default::default(),
            none: Constant::new(0.into()),
            lead_cycles: Constant::new(LEAD_CYCLES.into()),
            window: Constant::new(u64::from(WINDOW_CYCLES).into()),
        }
    }
}

impl Logic for LineClockWide {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            now,
            ahead,
            is_low,
            epoch,
            longest,
            longest_before,
            longest_of_both,
            lead,
            turn_age,
            beats
        );
        self.m_time.next = self.now.q.val().get_bits::<22>(0);
        self.m_is_low.next = self.is_low.q.val();
        self.m_turn_age.next = self.turn_age.q.val();
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
        self.beats.d.next = self.sum_4[0].val() + self.sum_4[1].val();
        comment!("Time passes while the line has nothing to do, and jumps with each grant.");
        self.waits.next = self.ahead.q.val() == self.none.val();
        self.added.next = 0.into();
        if !self.ahead.q.val().get_bit(13) {
            self.added.next = bit_cast::<14, 12>(self.beats.q.val());
        }
        self.added_wide.next = bit_cast::<23, 14>(self.added.val());
        self.now_sum.next = self.now.q.val() + self.added_wide.val();
        self.ahead_sum.next = self.ahead.q.val() + self.added.val();
        self.now.d.next = self.now_sum.val();
        self.ahead.d.next = self.ahead_sum.val() - 1;
        if self.waits.val() {
            self.now.d.next = self.now_sum.val() + 1;
            self.ahead.d.next = self.ahead_sum.val();
        }
        self.above_low.next = self.ahead.q.val().get_bits::<9>(5);
        self.is_low.d.next = !self.above_low.val().any();
        comment!("The most beats of a cycle in this and in the last 2^17 cycles.");
        self.epoch.d.next = self.now.q.val().get_bit(17);
        self.base.next = self.longest.q.val();
        if self.epoch.q.val() != self.now.q.val().get_bit(17) {
            self.base.next = 0.into();
            self.longest_before.d.next = self.longest.q.val();
        }
        self.longest.d.next = self.base.val();
        if self.base.val() < self.beats.q.val() {
            self.longest.d.next = self.beats.q.val();
        }
        self.longest_of_both.d.next = self.longest.q.val();
        if self.longest.q.val() < self.longest_before.q.val() {
            self.longest_of_both.d.next = self.longest_before.q.val();
        }
        self.both_wide.next = bit_cast::<18, 12>(self.longest_of_both.q.val());
        self.both_x16.next = self.both_wide.val() << 4;
        self.lead.d.next = self.both_x16.val() + self.lead_cycles.val();
        self.turn_age.d.next = self.window.val() - self.lead.q.val();
        if self.reset.val() {
            self.now.d.next = 0.into();
            self.ahead.d.next = 0.into();
            self.is_low.d.next = false;
            self.epoch.d.next = false;
            self.longest.d.next = 0.into();
            self.longest_before.d.next = 0.into();
            self.longest_of_both.d.next = 0.into();
            self.lead.d.next = 0.into();
            self.turn_age.d.next = 0.into();
            self.beats.d.next = 0.into();
        }
    }
}
