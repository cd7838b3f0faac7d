//! The interrupt line: completions that software has asked to be told of, and errors.
//!
//! # Source            hdl/host.md
//! # Interface timing  cycle 0: ring_armed, ring_waiting or error; cycle 1: armed or the sticky bit; cycle 2: irq
//! # Latency and rate  [`LATENCY_CYCLES`]
//! # Shape             status: 0 completion pending, 1 armed, 2 completion ring full, 3 it is on,
//!                     4 doorbell
//!                     refused, 5 work request not readable, 6 completion not written, 7 consumer
//!                     index refused, 31:16 flow of the doorbell that was refused last
//! # Reset             synchronous, high: nothing pending, not armed
//! # Twins             sim/models/src/golden/host/interrupt.rs, tests/host/cq_ring.rs

use crate::streams::{RingStatus, StatusClear};
use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Cycles from a cause to the line.
pub const LATENCY_CYCLES: usize = 2;

/// The interrupt line.
#[block]
pub struct Interrupt {
    /// 0: completions raise the line, 1: errors do.
    pub cfg_enable: Signal<In, Bits<2>>,
    /// State of the completion ring.
    pub ring: RingStatus<In>,
    /// A doorbell was refused: status bit 4. Errors last a cycle.
    pub error_doorbell: Signal<In, Bit>,
    /// A work request could not be read: 5.
    pub error_sq: Signal<In, Bit>,
    /// A completion could not be written: 6.
    pub error_cq: Signal<In, Bit>,
    /// The consumer's index was refused: 7.
    pub error_consumer: Signal<In, Bit>,
    /// Flow of a refused doorbell.
    pub doorbell_flow: Signal<In, Bits<16>>,
    /// Software clears.
    pub clear: StatusClear<In>,
    /// The line, high while something that is enabled is pending.
    pub irq: Signal<Out, Bit>,
    /// Status.
    pub status: Signal<Out, Bits<32>>,
    pending: Reg<Bit>,
    armed: Reg<Bit>,
    is_full: Reg<Bit>,
    is_on: Reg<Bit>,
    doorbell: Reg<Bit>,
    unread: Reg<Bit>,
    unwritten: Reg<Bit>,
    consumer: Reg<Bit>,
    flow: Reg<Bits<16>>,
    line: Reg<Bit>,
    has_error: Signal<Local, Bit>,
    flow_wide: Signal<Local, Bits<32>>,
    low: Signal<Local, Bits<8>>,
}

impl Logic for Interrupt {
    #[hdl_gen]
    fn update(&mut self) {
        self.irq.next = self.line.val();
        self.low.next = 0.into();
        self.low.next = self.low.val().replace_bit(0, self.pending.val());
        self.low.next = self.low.val().replace_bit(1, self.armed.val());
        self.low.next = self.low.val().replace_bit(2, self.is_full.val());
        self.low.next = self.low.val().replace_bit(3, self.is_on.val());
        self.low.next = self.low.val().replace_bit(4, self.doorbell.val());
        self.low.next = self.low.val().replace_bit(5, self.unread.val());
        self.low.next = self.low.val().replace_bit(6, self.unwritten.val());
        self.low.next = self.low.val().replace_bit(7, self.consumer.val());
        self.flow_wide.next = bit_cast::<32, 16>(self.flow.val());
        self.status.next = bit_cast::<32, 8>(self.low.val()) | (self.flow_wide.val() << 16);
        self.has_error.next =
            self.doorbell.val() | self.unread.val() | self.unwritten.val() | self.consumer.val();
        self.line.next = (self.pending.val() & self.cfg_enable.val().get_bit(0))
            | (self.has_error.val() & self.cfg_enable.val().get_bit(1));
        self.is_full.next = self.ring.full.val();
        self.is_on.next = self.ring.owns.val();
        comment!("a cause in the cycle of a clear is kept");
        if self.clear.valid.val() {
            if self.clear.bits.val().get_bit(0) {
                self.pending.next = false;
            }
            if self.clear.bits.val().get_bit(4) {
                self.doorbell.next = false;
            }
            if self.clear.bits.val().get_bit(5) {
                self.unread.next = false;
            }
            if self.clear.bits.val().get_bit(6) {
                self.unwritten.next = false;
            }
            if self.clear.bits.val().get_bit(7) {
                self.consumer.next = false;
            }
        }
        if self.ring.armed.val() {
            self.pending.next = false;
            self.armed.next = true;
        } else if self.armed.val() & self.ring.waiting.val() {
            self.pending.next = true;
            self.armed.next = false;
        }
        if self.error_doorbell.val() {
            self.doorbell.next = true;
            self.flow.next = self.doorbell_flow.val();
        }
        if self.error_sq.val() {
            self.unread.next = true;
        }
        if self.error_cq.val() {
            self.unwritten.next = true;
        }
        if self.error_consumer.val() {
            self.consumer.next = true;
        }
    }
}
