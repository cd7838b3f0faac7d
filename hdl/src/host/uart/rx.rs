//! UART receiver, 8N1: finds the start bit and samples the middle of each bit.
//!
//! # Interface timing  m_valid is high for one cycle, in the middle of the stop bit. The pin comes
//!                     through two registers
//! # Latency and rate  one byte every 10 bits; no ready: who takes the bytes must keep up
//! # Shape             a bit lasts 2^16 / step cycles, at least 4; the remainder is carried on
//! # Number formats    phase | UQ0.16 | bits | wraps
//! # Errors            a start bit that is high in its middle is none. A stop bit that is low:
//!                     event_broken instead of m_valid
//! # Reset             synchronous, high: idle, m_data = 0; m_data shows the bits so far while
//!                     m_valid is low
//! # Twins             sim/models/src/golden/host/uart.rs, tests/host/uart.rs

use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Receiver of bytes.
#[block(new(step: u64), check(step > 0 && step <= 1 << 14))]
pub struct UartRx {
    /// The line, high when idle; not of this clock.
    pub line: Signal<In, Bit>,
    /// A byte has come.
    pub m_valid: Signal<Out, Bit>,
    /// The byte.
    pub m_data: Signal<Out, Bits<8>>,
    /// A stop bit was low.
    pub event_broken: Signal<Out, Bit>,
    #[reset(true)]
    early: Reg<Bit>,
    #[reset(true)]
    level: Reg<Bit>,
    phase: Unreset<Bits<16>>,
    bits_left: Reg<Bits<4>>,
    data: Reg<Bits<8>>,
    valid: Reg<Bit>,
    broken: Reg<Bit>,
    phase_wide: Signal<Local, Bits<17>>,
    phase_sum: Signal<Local, Bits<17>>,
    sampled: Signal<Local, Bits<8>>,
    #[value(step)]
    step: Constant<Bits<17>>,
    #[value(0x8000)]
    half_bit: Constant<Bits<16>>,
    #[value(0x80)]
    top: Constant<Bits<8>>,
    #[value(10)]
    all: Constant<Bits<4>>,
    #[value(1)]
    stop: Constant<Bits<4>>,
    #[value(0)]
    none: Constant<Bits<4>>,
}

impl Logic for UartRx {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_valid.next = self.valid.val();
        self.m_data.next = self.data.val();
        self.event_broken.next = self.broken.val();
        self.early.next = self.line.val();
        self.level.next = self.early.val();
        self.valid.next = false;
        self.broken.next = false;
        self.phase_wide.next = bit_cast::<17, 16>(self.phase.val());
        self.phase_sum.next = self.phase_wide.val() + self.step.val();
        self.sampled.next = self.data.val() >> 1;
        if self.level.val() {
            self.sampled.next = (self.data.val() >> 1) | self.top.val();
        }
        if self.bits_left.val() == self.none.val() {
            comment!("The first sample is half a bit after the edge of the start bit.");
            self.phase.next = self.half_bit.val();
            if !self.level.val() {
                self.bits_left.next = self.all.val();
            }
        } else {
            self.phase.next = self.phase_sum.val().get_bits::<16>(0);
            if self.phase_sum.val().get_bit(16) {
                self.bits_left.next = self.bits_left.val() - 1;
                if self.bits_left.val() == self.all.val() {
                    if self.level.val() {
                        self.bits_left.next = 0.into();
                    }
                } else if self.bits_left.val() == self.stop.val() {
                    self.valid.next = self.level.val();
                    self.broken.next = !self.level.val();
                } else {
                    self.data.next = self.sampled.val();
                }
            }
        }
    }
}
