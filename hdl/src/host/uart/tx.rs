//! UART transmitter, 8N1.
//!
//! # Interface timing  cycle 0: s_valid and s_ready, byte taken; cycle 1: start bit
//! # Latency and rate  [`LATENCY_CYCLES`]; one byte every 10 bits and a cycle
//! # Shape             a bit lasts 2^16 / step cycles, at least 4; the remainder is carried on
//! # Number formats    phase | UQ0.16 | bits | wraps
//! # Reset             synchronous, high: idle, line = 1
//! # Twins             sim/models/src/golden/host/uart.rs, tests/host/uart.rs

use crate::streams::Word;
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a byte to its start bit.
pub const LATENCY_CYCLES: usize = 1;

/// Transmitter of bytes.
#[block(new(step: u64), check(step > 0 && step <= 1 << 14))]
pub struct UartTx {
    /// A byte is offered.
    pub s: Word<In, Bits<8>>,
    /// The line, high when idle.
    pub line: Signal<Out, Bit>,
    #[reset(true)]
    idle: Reg<Bit>,
    phase: Unreset<Bits<16>>,
    bits_left: Unreset<Bits<4>>,
    #[reset(0x3ff)]
    bits: Reg<Bits<10>>,
    phase_wide: Signal<Local, Bits<17>>,
    phase_sum: Signal<Local, Bits<17>>,
    wide: Signal<Local, Bits<10>>,
    #[value(step)]
    step: Constant<Bits<17>>,
    #[value(0x200)]
    stop: Constant<Bits<10>>,
    #[value(10)]
    all: Constant<Bits<4>>,
    #[value(1)]
    one: Constant<Bits<4>>,
}

impl Logic for UartTx {
    #[hdl_gen]
    fn update(&mut self) {
        self.s.ready.next = self.idle.val();
        self.line.next = self.bits.val().get_bit(0);
        self.phase_wide.next = bit_cast::<17, 16>(self.phase.val());
        self.phase_sum.next = self.phase_wide.val() + self.step.val();
        self.wide.next = bit_cast::<10, 8>(self.s.data.val());
        if self.idle.val() {
            self.phase.next = 0.into();
            self.bits_left.next = self.all.val();
            if self.s.valid.val() {
                comment!("Start bit below, stop bit above.");
                self.idle.next = false;
                self.bits.next = (self.wide.val() << 1) | self.stop.val();
            }
        } else {
            self.phase.next = self.phase_sum.val().get_bits::<16>(0);
            if self.phase_sum.val().get_bit(16) {
                self.bits.next = (self.bits.val() >> 1) | self.stop.val();
                self.bits_left.next = self.bits_left.val() - 1;
                self.idle.next = self.bits_left.val() == self.one.val();
            }
        }
    }
}
