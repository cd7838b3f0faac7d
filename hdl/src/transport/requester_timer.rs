//! Ticks of 4.096 us and the deadlines that a timer started now would have.
//!
//! # Source            InfiniBand, volume 1, sections 9.7.6.1.3 (4.096 us x 2^n) and 9.7.5.2.8
//!                     (RNR timer codes)
//! # Interface timing  part of `requester`: `now` is the tick count of the last cycle in Idle; the
//!                     deadlines are there from the third cycle after their operands
//! # Number formats    ticks | 33 bits, modulo 2^33 | 4.096 us, rounded down to core clocks
//!                     retransmission | 2^n + 1 ticks after now: never early
//!                     RNR | 2.5 ticks for each 10 us of the code, and 2: never early, 2.4 % late
//! # Reset             synchronous, high: tick 0
//! # Twins             sim/src/golden/transport/requester.rs, tests/requester.rs

use super::requester_ctl::State;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Core clock cycles in a tick.
pub fn tick_cycles(clock_hz: u64) -> u64 {
    (clock_hz * 4096 / 1_000_000_000).max(1)
}

/// Time base of the requester.
#[derive(LogicBlock)]
pub struct RequesterTimer {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    is_on: DFF<Bit>,
    divider: DFF<Bits<16>>,
    tick: DFF<Bits<33>>,
    held: DFF<Bits<33>>,
    duration: DFF<Bits<33>>,
    retry_end: DFF<Bits<33>>,
    rnr_fifths: DFF<Bits<20>>,
    rnr_ticks: DFF<Bits<33>>,
    rnr_end: DFF<Bits<33>>,
    rnr_factor: Signal<Local, Bits<20>>,
    rnr_shift: Signal<Local, Bits<5>>,
    half_code: Signal<Local, Bits<5>>,
    rnr_half: Signal<Local, Bits<33>>,
    one: Constant<Bits<33>>,
    two: Constant<Bits<33>>,
    last_cycle: Constant<Bits<16>>,
}

impl RequesterTimer {
    /// Timers for a core clock of `clock_hz`.
    pub fn new(clock_hz: u64) -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            state: Default::default(),
            is_open: Default::default(),
            timeout: Default::default(),
            rnr_code: Default::default(),
            now: Default::default(),
            timer_on: Default::default(),
            retry_deadline: Default::default(),
            rnr_deadline: Default::default(),
            is_on: Default::default(),
            divider: Default::default(),
            tick: Default::default(),
            held: Default::default(),
            duration: Default::default(),
            retry_end: Default::default(),
            rnr_fifths: Default::default(),
            rnr_ticks: Default::default(),
            rnr_end: Default::default(),
            rnr_factor: Default::default(),
            rnr_shift: Default::default(),
            half_code: Default::default(),
            rnr_half: Default::default(),
            one: Constant::new(1.into()),
            two: Constant::new(2.into()),
            last_cycle: Constant::new((tick_cycles(clock_hz) - 1).into()),
        }
    }
}

impl Logic for RequesterTimer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, is_on, divider, tick, held, duration, retry_end, rnr_fifths, rnr_ticks,
            rnr_end
        );
        self.now.next = self.held.q.val();
        self.timer_on.next = self.is_on.q.val();
        self.is_on.d.next = self.timeout.val().any();
        self.retry_deadline.next = self.retry_end.q.val();
        self.rnr_deadline.next = self.rnr_end.q.val();
        self.divider.d.next = self.divider.q.val() + 1;
        if self.divider.q.val() == self.last_cycle.val() {
            self.divider.d.next = 0.into();
            self.tick.d.next = self.tick.q.val() + 1;
        }
        if self.is_open.val() {
            self.held.d.next = self.tick.q.val();
        }
        self.duration.d.next = (self.one.val() << self.timeout.val()) | self.one.val();
        self.retry_end.d.next = self.held.q.val() + self.duration.q.val();
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
        self.rnr_fifths.d.next = self.rnr_factor.val() << self.rnr_shift.val();
        self.rnr_half.next = bit_cast::<33, 20>(self.rnr_fifths.q.val() >> 1);
        self.rnr_ticks.d.next = self.rnr_half.val() + self.two.val();
        self.rnr_end.d.next = self.held.q.val() + self.rnr_ticks.q.val();
        if self.reset.val() {
            self.divider.d.next = 0.into();
            self.tick.d.next = 0.into();
            self.held.d.next = 0.into();
        }
    }
}
