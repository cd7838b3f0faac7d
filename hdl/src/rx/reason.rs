//! What became of a frame, the ICRC aside.
//!
//! Reasons are places in the pipe's list of events. The order in which they rank is that of
//! rx_verdict.rs.
//!
//! # Source            hdl/rx.md
//! # Interface timing  cycle 0: the flags of a frame; cycle 1: early, late
//! # Latency and rate  1; one frame per cycle, no valid
//! # Number formats    early: a reason that ranks before the ICRC, 15 none; late: one behind it
//! # Reset             none: follows its inputs
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Priority of the reasons.
#[block(no_reset)]
pub struct RxReason {
    /// It is RoCEv2 for us.
    pub s_roce: Signal<In, Bit>,
    /// The MAC called it bad.
    pub s_user: Signal<In, Bit>,
    /// It is too long.
    pub s_oversize: Signal<In, Bit>,
    /// It ends before its IP packet.
    pub s_truncated: Signal<In, Bit>,
    /// IP and UDP lengths disagree.
    pub s_length: Signal<In, Bit>,
    /// The host's FIFO had no room for it.
    pub s_overflow: Signal<In, Bit>,
    /// The IPv4 header checksum is right.
    pub checksum_ok: Signal<In, Bit>,
    /// Telemetry does not fit.
    pub tel_long: Signal<In, Bit>,
    /// Transport headers do not fit.
    pub len_short: Signal<In, Bit>,
    /// Payload too long.
    pub len_big: Signal<In, Bit>,
    /// Payload not empty.
    pub len_some: Signal<In, Bit>,
    /// Opcode of a request.
    pub is_request: Signal<In, Bit>,
    /// Opcode of an ACK.
    pub is_ack: Signal<In, Bit>,
    /// Opcode of a READ response.
    pub is_response: Signal<In, Bit>,
    /// Opcode of a telemetry response.
    pub is_feedback: Signal<In, Bit>,
    /// Transport version 0.
    pub version_ok: Signal<In, Bit>,
    /// Partition keys match.
    pub pkey_ok: Signal<In, Bit>,
    /// Reason that ranks before the ICRC, or 15.
    pub m_early: Signal<Out, Bits<4>>,
    /// Reason that ranks behind it.
    pub m_late: Signal<Out, Bits<4>>,
    early: Unreset<Bits<4>>,
    late: Unreset<Bits<4>>,
    is_bare: Signal<Local, Bit>,
}

impl Logic for RxReason {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_early.next = self.early.val();
        self.m_late.next = self.late.val();
        self.is_bare.next = self.is_ack.val() | self.is_feedback.val();
        comment!("Reasons that rank before the ICRC.");
        self.early.next = 15.into();
        if self.s_user.val() {
            self.early.next = 4.into();
        } else if self.s_oversize.val() {
            self.early.next = 6.into();
        } else if !self.s_roce.val() {
            self.early.next = 0.into();
            if self.s_overflow.val() {
                self.early.next = 1.into();
            }
        } else if !self.checksum_ok.val() {
            self.early.next = 7.into();
        } else if self.s_truncated.val() {
            self.early.next = 5.into();
        } else if self.s_length.val() {
            self.early.next = 8.into();
        } else if self.tel_long.val() {
            self.early.next = 13.into();
        } else if self.len_short.val() | (self.is_bare.val() & self.len_some.val()) {
            self.early.next = 8.into();
        } else if self.len_big.val() {
            self.early.next = 6.into();
        }
        comment!("Reasons that rank behind it.");
        self.late.next = 2.into();
        if !self.version_ok.val() {
            self.late.next = 11.into();
        } else if !self.is_request.val() & !self.is_bare.val() & !self.is_response.val() {
            self.late.next = 10.into();
        } else if !self.pkey_ok.val() {
            self.late.next = 12.into();
        } else if self.is_ack.val() {
            self.late.next = 3.into();
        } else if self.is_response.val() {
            self.late.next = 14.into();
        } else if self.is_feedback.val() {
            self.late.next = 15.into();
        }
    }
}
