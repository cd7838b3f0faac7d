//! The interrupt line: completions that software has asked to be told of, and errors.
//!
//! # Source            ARCHITECTURE.md, Rings
//! # Interface timing  cycle 0: arm, waiting or error; cycle 1: armed or the sticky bit; cycle 2: irq
//! # Latency and rate  [`LATENCY_CYCLES`]
//! # Shape             status: 0 completion pending, 1 armed, 2 completion ring full, 3 it is on,
//!                     4 doorbell
//!                     refused, 5 work request not readable, 6 completion not written, 7 consumer
//!                     index refused, 31:16 flow of the doorbell that was refused last
//! # Reset             synchronous, high: nothing pending, not armed
//! # Twins             sim/src/golden/host/interrupt.rs, tests/cq_ring.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from a cause to the line.
pub const LATENCY_CYCLES: usize = 2;

/// The interrupt line.
#[derive(LogicBlock, Default)]
pub struct Interrupt {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// 0: completions raise the line, 1: errors do.
    pub cfg_enable: Signal<In, Bits<2>>,
    /// Software wants to be told once: what was pending is not any more.
    pub arm: Signal<In, Bit>,
    /// There are completions that it has not seen.
    pub waiting: Signal<In, Bit>,
    /// The completion ring is full.
    pub full: Signal<In, Bit>,
    /// It is on, or not yet off.
    pub ring_owns: Signal<In, Bit>,
    /// Errors, each one a cycle: status bits 4 to 7.
    pub error: [Signal<In, Bit>; 4],
    /// Flow of a refused doorbell.
    pub doorbell_flow: Signal<In, Bits<16>>,
    /// Software clears.
    pub clear_valid: Signal<In, Bit>,
    /// These bits of the status.
    pub clear_bits: Signal<In, Bits<8>>,
    /// The line, high while something that is enabled is pending.
    pub irq: Signal<Out, Bit>,
    /// Status.
    pub status: Signal<Out, Bits<32>>,
    pending: DFF<Bit>,
    armed: DFF<Bit>,
    is_full: DFF<Bit>,
    is_on: DFF<Bit>,
    doorbell: DFF<Bit>,
    unread: DFF<Bit>,
    unwritten: DFF<Bit>,
    consumer: DFF<Bit>,
    flow: DFF<Bits<16>>,
    line: DFF<Bit>,
    has_error: Signal<Local, Bit>,
    flow_wide: Signal<Local, Bits<32>>,
    low: Signal<Local, Bits<8>>,
}

impl Logic for Interrupt {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, pending, armed, is_full, is_on, doorbell, unread, unwritten, consumer,
            flow, line
        );
        self.irq.next = self.line.q.val();
        self.low.next = 0.into();
        self.low.next = self.low.val().replace_bit(0, self.pending.q.val());
        self.low.next = self.low.val().replace_bit(1, self.armed.q.val());
        self.low.next = self.low.val().replace_bit(2, self.is_full.q.val());
        self.low.next = self.low.val().replace_bit(3, self.is_on.q.val());
        self.low.next = self.low.val().replace_bit(4, self.doorbell.q.val());
        self.low.next = self.low.val().replace_bit(5, self.unread.q.val());
        self.low.next = self.low.val().replace_bit(6, self.unwritten.q.val());
        self.low.next = self.low.val().replace_bit(7, self.consumer.q.val());
        self.flow_wide.next = bit_cast::<32, 16>(self.flow.q.val());
        self.status.next = bit_cast::<32, 8>(self.low.val()) | (self.flow_wide.val() << 16);
        self.has_error.next = self.doorbell.q.val()
            | self.unread.q.val()
            | self.unwritten.q.val()
            | self.consumer.q.val();
        self.line.d.next = (self.pending.q.val() & self.cfg_enable.val().get_bit(0))
            | (self.has_error.val() & self.cfg_enable.val().get_bit(1));
        self.is_full.d.next = self.full.val();
        self.is_on.d.next = self.ring_owns.val();
        comment!("a cause in the cycle of a clear is kept");
        if self.clear_valid.val() {
            if self.clear_bits.val().get_bit(0) {
                self.pending.d.next = false;
            }
            if self.clear_bits.val().get_bit(4) {
                self.doorbell.d.next = false;
            }
            if self.clear_bits.val().get_bit(5) {
                self.unread.d.next = false;
            }
            if self.clear_bits.val().get_bit(6) {
                self.unwritten.d.next = false;
            }
            if self.clear_bits.val().get_bit(7) {
                self.consumer.d.next = false;
            }
        }
        if self.arm.val() {
            self.pending.d.next = false;
            self.armed.d.next = true;
        } else if self.armed.q.val() & self.waiting.val() {
            self.pending.d.next = true;
            self.armed.d.next = false;
        }
        if self.error[0].val() {
            self.doorbell.d.next = true;
            self.flow.d.next = self.doorbell_flow.val();
        }
        if self.error[1].val() {
            self.unread.d.next = true;
        }
        if self.error[2].val() {
            self.unwritten.d.next = true;
        }
        if self.error[3].val() {
            self.consumer.d.next = true;
        }
        if self.reset.val() {
            self.pending.d.next = false;
            self.armed.d.next = false;
            self.is_full.d.next = false;
            self.is_on.d.next = false;
            self.doorbell.d.next = false;
            self.unread.d.next = false;
            self.unwritten.d.next = false;
            self.consumer.d.next = false;
            self.flow.d.next = 0.into();
            self.line.d.next = false;
        }
    }
}
