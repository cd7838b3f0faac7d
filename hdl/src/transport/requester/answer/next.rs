//! Next state of the requester where answers and timers are judged.
//!
//! # Source            InfiniBand, volume 1, section 9.7.5 (reliable requester)
//! # Interface timing  part of `requester_ctl`, in the same cycle
//! # Reset             none: combinational
//! # Length            the kernel is one `match`, an arm a state.
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::block;
use crate::transport::requester::state::{Op, State};
use rust_hdl_core::prelude::*;

/// States of answers and timers.
#[block(comb)]
pub struct RequesterNextAnswer {
    /// State of the sequencer.
    pub state: Signal<In, State>,
    /// Its operation.
    pub op: Signal<In, Op>,
    /// The ACK is worked on.
    pub ack_accept: Signal<In, Bit>,
    /// It is a NAK for a PSN sequence error.
    pub is_nak_sequence: Signal<In, Bit>,
    /// It is an RNR NAK.
    pub is_nak_rnr: Signal<In, Bit>,
    /// It is another NAK, RNR excepted.
    pub is_nak_fatal: Signal<In, Bit>,
    /// The answer is for the queue pair and its PSN is outstanding.
    pub outstanding: Signal<In, Bit>,
    /// READs have been sent and have not ended.
    pub reads_open: Signal<In, Bit>,
    /// The work request at hand is a READ.
    pub is_read: Signal<In, Bit>,
    /// The answer has payload.
    pub has_payload: Signal<In, Bit>,
    /// It is the READ response whose turn it is.
    pub due: Signal<In, Bit>,
    /// Its PSN is before the READ.
    pub behind: Signal<In, Bit>,
    /// A gap in READ responses was answered, and there was no progress since.
    pub had_gap: Signal<In, Bit>,
    /// It has the opcode and the bytes that are due.
    pub good: Signal<In, Bit>,
    /// WRITEs stand before the READ that was found.
    pub passed: Signal<In, Bit>,
    /// The payload at hand lands.
    pub lands: Signal<In, Bit>,
    /// The READ response ends the queue pair.
    pub spoils: Signal<In, Bit>,
    /// It is the last one of the READ.
    pub last_response: Signal<In, Bit>,
    /// The head is acknowledged as a whole.
    pub covered: Signal<In, Bit>,
    /// And nothing behind it.
    pub meets: Signal<In, Bit>,
    /// The head is the only work request.
    pub sq_single: Signal<In, Bit>,
    /// The flow's timer has run out.
    pub expired: Signal<In, Bit>,
    /// Waits for the RNR timer.
    pub is_rnr: Signal<In, Bit>,
    /// An arm is outstanding.
    pub armed: Signal<In, Bit>,
    /// Work requests left to send.
    pub pending: Signal<In, Bit>,
    /// No retry is left.
    pub retry_out: Signal<In, Bit>,
    /// No RNR retry is left.
    pub rnr_out: Signal<In, Bit>,
    /// Everything sent and not acknowledged is sent again.
    pub rewind: Signal<In, Bit>,
    /// The unacknowledged PSN has moved.
    pub has_progress: Signal<In, Bit>,
    /// The next packet is a READ that waits for another one to end.
    pub held: Signal<In, Bit>,
    /// The order slot is taken.
    pub order_busy: Signal<In, Bit>,
    /// The slot of what the scheduler is told is taken.
    pub work_busy: Signal<In, Bit>,
    /// The telemetry slot is taken, by another flow.
    pub cc_busy: Signal<In, Bit>,
    /// The state that follows; the same one if it is none of these.
    pub goto: Signal<Out, State>,
    refused: Signal<Local, State>,
    ends: Signal<Local, Bit>,
    goes_on: Signal<Local, Bit>,
    arms: Signal<Local, Bit>,
}

impl Logic for RequesterNextAnswer {
    // Longer than 120 lines because it is one table: each state, and what follows it.
    #[hdl_gen]
    fn update(&mut self) {
        self.refused.next = State::Save;
        if self.has_payload.val() {
            self.refused.next = State::Order;
        }
        self.ends.next = self.is_nak_fatal.val()
            | (self.is_nak_sequence.val() & self.retry_out.val())
            | (self.is_nak_rnr.val() & self.rnr_out.val());
        comment!("What was sent is sent again, or something may go that could not before.");
        self.goes_on.next = self.rewind.val() | (self.has_progress.val() & !self.held.val());
        self.arms.next =
            self.pending.val() & !self.armed.val() & !self.is_rnr.val() & self.goes_on.val();
        self.goto.next = self.state.val();
        match self.state.val() {
            State::Class => {
                if !self.cc_busy.val() {
                    self.goto.next = State::Decide;
                    if self.op.val() == Op::Response {
                        self.goto.next = State::Seek;
                    }
                }
            }
            State::Decide => {
                if self.op.val() == Op::Ack {
                    self.goto.next = State::Save;
                    if self.ack_accept.val() {
                        self.goto.next = State::Retire;
                    }
                } else {
                    self.goto.next = State::Idle;
                    if self.expired.val() & self.is_rnr.val() {
                        self.goto.next = State::Save;
                        if self.pending.val() & !self.armed.val() {
                            self.goto.next = State::WrRead;
                        }
                    } else if self.expired.val() {
                        self.goto.next = State::Fin;
                        if self.retry_out.val() {
                            self.goto.next = State::FailRead;
                        }
                    }
                }
            }
            State::Seek => {
                comment!("The oldest READ; the first cycle of its preparation, like P0.");
                self.goto.next = State::P1;
                if !self.outstanding.val() | !self.reads_open.val() {
                    self.goto.next = self.refused.val();
                } else if !self.is_read.val() {
                    self.goto.next = State::SeekRead;
                }
            }
            State::SeekRead => {
                self.goto.next = State::SeekLoad;
            }
            State::SeekLoad => {
                self.goto.next = State::Seek;
            }
            State::Match => {
                self.goto.next = State::Answer;
            }
            State::Answer => {
                self.goto.next = self.refused.val();
                if !self.due.val() {
                    if !self.behind.val() & !self.had_gap.val() & !self.has_payload.val() {
                        self.goto.next = State::Fin;
                    }
                } else if self.passed.val() {
                    self.goto.next = State::NextRead;
                } else if !self.has_payload.val() {
                    self.goto.next = State::FailRead;
                    if self.good.val() {
                        self.goto.next = State::Advance;
                    }
                }
            }
            State::Order => {
                if !self.order_busy.val() {
                    self.goto.next = State::Save;
                    if self.lands.val() {
                        self.goto.next = State::Advance;
                    } else if self.spoils.val() {
                        self.goto.next = State::FailRead;
                    } else if self.rewind.val() {
                        self.goto.next = State::Fin;
                    }
                }
            }
            State::Advance => {
                if !self.last_response.val() | !self.order_busy.val() {
                    self.goto.next = State::Fin;
                }
            }
            State::Retire => {
                if !self.covered.val() {
                    self.goto.next = State::Seq;
                } else if !self.order_busy.val() {
                    self.goto.next = State::NextLoad;
                    if self.sq_single.val() | (self.meets.val() & (self.op.val() == Op::Ack)) {
                        self.goto.next = State::Seq;
                    }
                }
            }
            State::Seq => {
                self.goto.next = State::Fin;
                if self.op.val() == Op::Response {
                    self.goto.next = State::P0;
                }
            }
            State::Fin => {
                self.goto.next = State::Emit;
                if (self.op.val() == Op::Ack) & self.ends.val() {
                    self.goto.next = State::FailRead;
                }
                if (self.op.val() == Op::Response) & self.rewind.val() & self.retry_out.val() {
                    self.goto.next = State::FailRead;
                }
            }
            State::Emit => {
                if !self.work_busy.val() {
                    self.goto.next = State::Save;
                    if self.arms.val() {
                        self.goto.next = State::WrRead;
                    }
                }
            }
            _ => {}
        }
    }
}
