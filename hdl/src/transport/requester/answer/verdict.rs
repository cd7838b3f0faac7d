//! What an operation of the requester has found out: events, completion status, what follows.
//!
//! # Interface timing  part of `requester`: set in the state that judges, for the ones behind it; an
//!                     event is high in the next cycle
//! # Reset             synchronous, high: fields 0
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::transport::requester::state::{Op, State};
use crate::{block, row, Reg};
use rust_hdl_core::prelude::*;

/// Events of the requester, a pulse each.
#[row]
pub struct RequesterEvents {
    pub ack: Bit,
    pub coalesced_stale: Bit,
    pub ghost: Bit,
    pub nak_sequence: Bit,
    pub nak_rnr: Bit,
    pub nak_fatal: Bit,
    pub no_qp: Bit,
    pub retransmit_packet: Bit,
    pub timeout: Bit,
    pub wr_refused: Bit,
}

/// Findings of the operation.
#[block]
pub struct RequesterVerdict {
    /// State of the sequencer.
    pub state: Signal<In, State>,
    /// Its operation.
    pub op: Signal<In, Op>,
    /// How it is counted.
    pub ack_pulse: Signal<In, RequesterEvents>,
    /// Completion status if it is a fatal NAK.
    pub ack_status: Signal<In, Bits<8>>,
    /// It is an ACK.
    pub is_ack: Signal<In, Bit>,
    /// It is a NAK for a PSN sequence error.
    pub is_nak_sequence: Signal<In, Bit>,
    /// It is an RNR NAK.
    pub is_nak_rnr: Signal<In, Bit>,
    /// The answer is for the queue pair and its PSN is outstanding.
    pub outstanding: Signal<In, Bit>,
    /// READs have been sent and have not ended.
    pub reads_open: Signal<In, Bit>,
    /// The work request at hand is a READ.
    pub is_read: Signal<In, Bit>,
    /// It is the READ response whose turn it is.
    pub due: Signal<In, Bit>,
    /// Its PSN is before the READ.
    pub behind: Signal<In, Bit>,
    /// A gap in READ responses was answered, and there was no progress since.
    pub had_gap: Signal<In, Bit>,
    /// It has the opcode and the bytes that are due.
    pub good: Signal<In, Bit>,
    /// The queue pair is valid.
    pub qp_valid: Signal<In, Bit>,
    /// No room in the queue.
    pub sq_full: Signal<In, Bit>,
    /// The flow's timer has run out.
    pub expired: Signal<In, Bit>,
    /// Waits for the RNR timer.
    pub is_rnr: Signal<In, Bit>,
    /// No retry is left.
    pub retry_out: Signal<In, Bit>,
    /// The packet's PSN has been sent before.
    pub is_resend: Signal<In, Bit>,
    /// The packet that follows was granted with this one.
    pub goes_on: Signal<In, Bit>,
    /// The order slot is taken.
    pub order_busy: Signal<In, Bit>,
    /// Everything sent and not acknowledged is sent again.
    pub rewind: Signal<Out, Bit>,
    /// The packet that is prepared is to be armed; else it is to be sent or has come.
    pub arming: Signal<Out, Bit>,
    /// WRITEs stand before the READ that was found.
    pub passed: Signal<Out, Bit>,
    /// The payload at hand lands; else it is dropped.
    pub lands: Signal<Out, Bit>,
    /// The READ response ends the queue pair.
    pub spoils: Signal<Out, Bit>,
    /// Completion status of the next failed work request.
    pub status: Signal<Out, Bits<8>>,
    /// Events.
    pub pulse: Signal<Out, RequesterEvents>,
    again: Reg<Bit>,
    for_arm: Reg<Bit>,
    has_passed: Reg<Bit>,
    is_landing: Reg<Bit>,
    is_bad: Reg<Bit>,
    fail_status: Reg<Bits<8>>,
    pulses: Reg<RequesterEvents>,
}

impl Logic for RequesterVerdict {
    #[hdl_gen]
    fn update(&mut self) {
        self.rewind.next = self.again.val();
        self.arming.next = self.for_arm.val();
        self.passed.next = self.has_passed.val();
        self.lands.next = self.is_landing.val();
        self.spoils.next = self.is_bad.val();
        self.status.next = self.fail_status.val();
        self.pulse.next = self.pulses.val();
        self.pulses.next = 0.into();
        if (self.state.val() == State::Idle) | (self.state.val() == State::Load) {
            self.again.next = false;
            self.for_arm.next = false;
            self.has_passed.next = false;
            self.is_landing.next = false;
            self.is_bad.next = false;
        }
        match self.state.val() {
            State::Check => {
                self.fail_status.next = 5.into();
                if (self.op.val() == Op::Wr) & (!self.qp_valid.val() | self.sq_full.val()) {
                    self.pulses.next.wr_refused = true;
                }
            }
            State::Decide => {
                if self.op.val() == Op::Ack {
                    self.again.next = !self.is_ack.val();
                    self.fail_status.next = self.ack_status.val();
                    self.pulses.next = self.ack_pulse.val();
                } else {
                    self.again.next = true;
                    self.fail_status.next = 1.into();
                    if self.expired.val() & !self.is_rnr.val() {
                        self.pulses.next.timeout = true;
                    }
                }
            }
            State::Seek => {
                if !self.outstanding.val() {
                    self.pulses.next = self.ack_pulse.val();
                } else if !self.reads_open.val() {
                    self.pulses.next.ghost = true;
                } else if !self.is_read.val() {
                    self.has_passed.next = true;
                }
            }
            State::Answer => {
                self.fail_status.next = 8.into();
                if !self.due.val() {
                    if self.behind.val() {
                        self.pulses.next.coalesced_stale = true;
                    } else if !self.had_gap.val() {
                        comment!("One before it is lost: as good as a NAK.");
                        self.pulses.next.nak_sequence = true;
                        self.again.next = true;
                    } else {
                        self.pulses.next.ghost = true;
                    }
                } else if self.has_passed.val() {
                    comment!("It acknowledges the WRITEs before; then it is judged again.");
                    self.has_passed.next = false;
                } else if self.good.val() {
                    self.pulses.next.ack = true;
                    self.is_landing.next = true;
                } else {
                    self.pulses.next.nak_fatal = true;
                    self.is_bad.next = true;
                }
            }
            State::Fin => {
                if (self.is_nak_sequence.val() | (self.op.val() == Op::Response))
                    & self.retry_out.val()
                {
                    self.fail_status.next = 1.into();
                } else if self.is_nak_rnr.val() {
                    self.fail_status.next = 7.into();
                }
            }
            State::WrRead => {
                self.for_arm.next = true;
            }
            State::Send => {
                self.for_arm.next = !self.goes_on.val();
                if self.is_resend.val() {
                    self.pulses.next.retransmit_packet = true;
                }
            }
            State::FailEmit => {
                if !self.order_busy.val() {
                    self.fail_status.next = 6.into();
                }
            }
            _ => {}
        }
    }
}
