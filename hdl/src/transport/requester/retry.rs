//! Timer of a flow, and what was tried again without progress.
//!
//! # Source            InfiniBand, volume 1, sections 9.7.5.2.8 (RNR) and 9.7.6.1.3 (timer)
//! # Interface timing  part of `requester`: read in Idle and Save, in registers from Check on, written in
//!                     Save
//! # Number formats    deadline | 33 bits, modulo 2^33 | ticks
//! # Invariants        the retransmission timer runs only while something is outstanding
//! # Reset             synchronous, high: fields 0; the sequencer scrubs the rows
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::transport::requester::state::{Op, State};
use crate::util::ram::Ram;
use crate::{block, row, Reg};
use rust_hdl_core::prelude::*;

/// Row of a flow's retries.
#[row]
struct RetryRow {
    timer: Bit,
    rnr: Bit,
    retry: Bits<3>,
    rnr_retry: Bits<3>,
    deadline: Bits<33>,
    gap: Bit,
}

/// Timer and retries of the operation's flow; `FB` = log2 of the flow count.
#[block]
pub struct RequesterRetry<const FB: usize> {
    /// State of the sequencer.
    pub state: Signal<In, State>,
    /// Its operation.
    pub op: Signal<In, Op>,
    /// The next operation may be chosen.
    pub is_open: Signal<In, Bit>,
    /// Flow that is read then.
    pub read_flow: Signal<In, Bits<FB>>,
    /// Flow of the operation.
    pub flow: Signal<In, Bits<FB>>,
    /// Everything sent and not acknowledged is sent again.
    pub rewind: Signal<In, Bit>,
    /// What is acknowledged is behind the next PSN to send.
    pub overtakes: Signal<In, Bit>,
    /// The unacknowledged PSN has moved.
    pub has_progress: Signal<In, Bit>,
    /// It is an RNR NAK.
    pub is_nak_rnr: Signal<In, Bit>,
    /// Progress in this operation.
    pub forgets: Signal<In, Bit>,
    /// Retries without progress before this operation.
    pub retry_base: Signal<In, Bits<3>>,
    /// RNR retries without progress before this operation.
    pub rnr_base: Signal<In, Bits<3>>,
    /// The flow's timer has run out.
    pub expired: Signal<In, Bit>,
    /// The queue pair's timeout is on.
    pub timer_on: Signal<In, Bit>,
    /// When a retransmission timer that starts now runs out.
    pub retry_deadline: Signal<In, Bits<33>>,
    /// When an RNR timer that starts now runs out.
    pub rnr_deadline: Signal<In, Bits<33>>,
    /// The retransmission timer runs.
    pub timer: Signal<Out, Bit>,
    /// Waits for the RNR timer.
    pub rnr: Signal<Out, Bit>,
    /// A gap in READ responses was answered, and there was no progress since.
    pub gap: Signal<Out, Bit>,
    /// Retries without progress.
    pub retry: Signal<Out, Bits<3>>,
    /// RNR retries without progress.
    pub rnr_retry: Signal<Out, Bits<3>>,
    /// When the timer runs out.
    pub deadline: Signal<Out, Bits<33>>,
    rows: Ram<FB, RetryRow>,
    r_timer: Reg<Bit>,
    r_rnr: Reg<Bit>,
    r_gap: Reg<Bit>,
    r_retry: Reg<Bits<3>>,
    r_rnr_retry: Reg<Bits<3>>,
    r_deadline: Reg<Bits<33>>,
}

impl<const FB: usize> Logic for RequesterRetry<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.timer.next = self.r_timer.val();
        self.rnr.next = self.r_rnr.val();
        self.gap.next = self.r_gap.val();
        self.retry.next = self.r_retry.val();
        self.rnr_retry.next = self.r_rnr_retry.val();
        self.deadline.next = self.r_deadline.val();
        self.rows.read_enable.next = self.is_open.val();
        self.rows.read_address.next = self.read_flow.val();
        self.rows.write_enable.next =
            (self.state.val() == State::Scrub) | (self.state.val() == State::Save);
        self.rows.write_address.next = self.flow.val();
        self.rows.write_data.next.timer = self.r_timer.val();
        self.rows.write_data.next.rnr = self.r_rnr.val();
        self.rows.write_data.next.retry = self.r_retry.val();
        self.rows.write_data.next.rnr_retry = self.r_rnr_retry.val();
        self.rows.write_data.next.deadline = self.r_deadline.val();
        self.rows.write_data.next.gap = self.r_gap.val();
        match self.state.val() {
            State::Load => {
                self.r_timer.next = self.rows.read_data.val().timer;
                self.r_rnr.next = self.rows.read_data.val().rnr;
                self.r_retry.next = self.rows.read_data.val().retry;
                self.r_rnr_retry.next = self.rows.read_data.val().rnr_retry;
                self.r_deadline.next = self.rows.read_data.val().deadline;
                self.r_gap.next = self.rows.read_data.val().gap;
            }
            State::Begin => {
                self.r_timer.next = false;
                self.r_rnr.next = false;
                self.r_gap.next = false;
                self.r_retry.next = 0.into();
                self.r_rnr_retry.next = 0.into();
            }
            State::Decide => {
                comment!("The RNR timer has run out: sending goes on.");
                if (self.op.val() == Op::Scan) & self.expired.val() {
                    self.r_rnr.next = false;
                }
            }
            State::Fin => {
                self.r_retry.next = self.retry_base.val();
                self.r_rnr_retry.next = self.rnr_base.val();
                if self.forgets.val() {
                    self.r_gap.next = false;
                }
                if self.rewind.val() & (self.op.val() == Op::Response) {
                    self.r_gap.next = true;
                }
                if self.rewind.val() {
                    self.r_timer.next = false;
                    if (self.op.val() == Op::Ack) & self.is_nak_rnr.val() {
                        self.r_rnr_retry.next = self.rnr_base.val() + 1;
                        self.r_rnr.next = true;
                        self.r_deadline.next = self.rnr_deadline.val();
                    } else {
                        self.r_retry.next = self.retry_base.val() + 1;
                    }
                } else if self.overtakes.val() {
                    self.r_timer.next = false;
                } else if self.has_progress.val() & !self.r_rnr.val() {
                    self.r_timer.next = self.timer_on.val();
                    self.r_deadline.next = self.retry_deadline.val();
                }
            }
            State::Send => {
                if !self.r_timer.val() {
                    self.r_timer.next = self.timer_on.val();
                    self.r_deadline.next = self.retry_deadline.val();
                }
            }
            State::FailEnd => {
                self.r_timer.next = false;
                self.r_rnr.next = false;
            }
            _ => {}
        }
    }
}
