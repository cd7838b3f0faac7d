//! Ticks of 4.096 us and the deadlines that a timer started now would have.
//!
//! # Source            InfiniBand, volume 1, sections 9.7.6.1.3 (4.096 us x 2^n) and 9.7.5.2.8
//!                     (RNR timer codes)
//! # Interface timing  part of `requester`: `now` is the tick count of the last cycle in Idle or Save; the
//!                     deadlines are there from the third cycle after their operands
//! # Number formats    ticks | 33 bits, modulo 2^33 | 4.096 us, rounded down to core clocks
//!                     retransmission | 2^n + 1 ticks after now: never early
//!                     RNR | 2.5 ticks for each 10 us of the code, and 2: never early, 2.4 % late
//! # Reset             synchronous, high: tick 0
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::transport::requester::state::State;
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Core clock cycles in a tick.
pub fn tick_cycles(clock_hz: u64) -> u64 {
    (clock_hz * 4096 / 1_000_000_000).max(1)
}

/// Time base of the requester.
#[block(new(clock_hz: u64))]
pub struct RequesterTimer {
    /// State of the sequencer.
    pub state: Signal<In, State>,
    /// The next operation may be chosen.
    pub is_open: Signal<In, Bit>,
    /// Timeout exponent of the queue pair; 0: off.
    pub timeout: Signal<In, Bits<5>>,
    /// RNR timer code.
    pub rnr_code: Signal<In, Bits<5>>,
    /// Time of the operation.
    pub now: Signal<Out, Bits<33>>,
    /// The timeout is on.
    pub timer_on: Signal<Out, Bit>,
    /// End of a retransmission timer that starts now.
    pub retry_deadline: Signal<Out, Bits<33>>,
    /// End of an RNR timer that starts now.
    pub rnr_deadline: Signal<Out, Bits<33>>,
    is_on: Unreset<Bit>,
    divider: Reg<Bits<16>>,
    tick: Reg<Bits<33>>,
    held: Reg<Bits<33>>,
    duration: Unreset<Bits<33>>,
    retry_end: Unreset<Bits<33>>,
    rnr_fifths: Unreset<Bits<20>>,
    rnr_ticks: Unreset<Bits<33>>,
    rnr_end: Unreset<Bits<33>>,
    rnr_factor: Signal<Local, Bits<20>>,
    rnr_shift: Signal<Local, Bits<5>>,
    half_code: Signal<Local, Bits<5>>,
    rnr_half: Signal<Local, Bits<33>>,
    #[value(1)]
    one: Constant<Bits<33>>,
    #[value(2)]
    two: Constant<Bits<33>>,
    #[value(tick_cycles(clock_hz) - 1)]
    last_cycle: Constant<Bits<16>>,
}

impl Logic for RequesterTimer {
    #[hdl_gen]
    fn update(&mut self) {
        self.now.next = self.held.val();
        self.timer_on.next = self.is_on.val();
        self.is_on.next = self.timeout.val().any();
        self.retry_deadline.next = self.retry_end.val();
        self.rnr_deadline.next = self.rnr_end.val();
        self.divider.next = self.divider.val() + 1;
        if self.divider.val() == self.last_cycle.val() {
            self.divider.next = 0.into();
            self.tick.next = self.tick.val() + 1;
        }
        if self.is_open.val() {
            self.held.next = self.tick.val();
        }
        self.duration.next = (self.one.val() << self.timeout.val()) | self.one.val();
        self.retry_end.next = self.held.val() + self.duration.val();
        comment!("RNR codes count 1, 2, 3, 4, 6, 8, 12, 16.. times 10 us; code 0 is 65536 times.");
        self.half_code.next = self.rnr_code.val() >> 1;
        self.rnr_factor.next = 5.into();
        self.rnr_shift.next = self.half_code.val();
        if self.rnr_code.val() == 0 {
            self.rnr_shift.next = 16.into();
        } else if self.rnr_code.val().get_bit(0) & self.half_code.val().any() {
            self.rnr_factor.next = 15.into();
            self.rnr_shift.next = self.half_code.val() - 1;
        }
        self.rnr_fifths.next = self.rnr_factor.val() << self.rnr_shift.val();
        self.rnr_half.next = bit_cast::<33, 20>(self.rnr_fifths.val() >> 1);
        self.rnr_ticks.next = self.rnr_half.val() + self.two.val();
        self.rnr_end.next = self.held.val() + self.rnr_ticks.val();
    }
}
