//! Sequencer of the requester: takes the operation that was picked and walks through its states.
//!
//! # Source            InfiniBand, volume 1, section 9.7.5 (reliable requester)
//! # Interface timing  part of `requester`: the operation that is picked in [`State::Idle`] has its
//!                     flow's row in registers from [`State::Check`] on; the sink's ready is high
//!                     in [`State::Save`]
//! # Latency and rate  one state a cycle; states that fill an output slot wait until it is free
//! # Reset             synchronous, high: scrubs the 2^FB flow rows, one a cycle
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::streams::FlowPulse;
use crate::transport::requester::{
    answer::next::RequesterNextAnswer,
    answer::verdict::{RequesterEvents, RequesterVerdict},
    send::next::RequesterNextPacket,
    state::{Op, State},
};
use crate::{block, kernel, row, Reg};
use rust_hdl_core::prelude::*;

/// Which sink is ready.
#[row]
pub struct SinkReadies {
    pub ack: Bit,
    pub cfg: Bit,
    pub fail: Bit,
    pub grant: Bit,
}

/// Sequencer; `FB` = log2 of the flow count.
#[block]
pub struct RequesterCtl<const FB: usize> {
    /// There is something to do.
    pub picked: Signal<In, Bit>,
    /// What.
    pub pick_op: Signal<In, Op>,
    /// For which flow.
    pub pick_flow: Signal<In, Bits<FB>>,
    /// It was the flow at hand in the cycle before.
    pub pick_same: Signal<In, Bit>,
    /// A grant waits and the packet's output slots are free.
    pub grant_valid: Signal<In, Bit>,
    /// Its flow.
    pub grant_flow: Signal<In, Bits<FB>>,
    /// A work request waits.
    pub wr_valid: Signal<In, Bit>,
    /// Its flow.
    pub wr_flow: Signal<In, Bits<FB>>,
    /// A work request is coming.
    pub hint: FlowPulse<In, FB>,
    /// The ACK is worked on.
    pub ack_accept: Signal<In, Bit>,
    /// How it is counted.
    pub ack_pulse: Signal<In, RequesterEvents>,
    /// Completion status if it is a fatal NAK.
    pub ack_status: Signal<In, Bits<8>>,
    /// It is an ACK.
    pub is_ack: Signal<In, Bit>,
    /// It is a NAK for a PSN sequence error.
    pub is_nak_sequence: Signal<In, Bit>,
    /// It is another NAK, RNR excepted.
    pub is_nak_fatal: Signal<In, Bit>,
    /// The queue pair is valid.
    pub qp_valid: Signal<In, Bit>,
    /// It is in error.
    pub qp_error: Signal<In, Bit>,
    /// The read error is of a packet that was made by a row of before.
    pub is_old: Signal<In, Bit>,
    /// An arm is outstanding.
    pub armed: Signal<In, Bit>,
    /// Waits for the RNR timer.
    pub is_rnr: Signal<In, Bit>,
    /// Work requests left to send.
    pub pending: Signal<In, Bit>,
    /// No work request in the queue.
    pub sq_empty: Signal<In, Bit>,
    /// No room in the queue.
    pub sq_full: Signal<In, Bit>,
    /// The head is the only work request.
    pub sq_single: Signal<In, Bit>,
    /// The unacknowledged PSN has moved.
    pub has_progress: Signal<In, Bit>,
    /// The head is acknowledged as a whole.
    pub covered: Signal<In, Bit>,
    /// And nothing behind it.
    pub meets: Signal<In, Bit>,
    /// A timer of the flow runs.
    pub timed: Signal<In, Bit>,
    /// The flow's timer has run out.
    pub expired: Signal<In, Bit>,
    /// No retry is left.
    pub retry_out: Signal<In, Bit>,
    /// No RNR retry is left.
    pub rnr_out: Signal<In, Bit>,
    /// It is an RNR NAK.
    pub is_nak_rnr: Signal<In, Bit>,
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
    /// It is the last one of the READ.
    pub last_response: Signal<In, Bit>,
    /// The next packet is a READ that waits for another one to end.
    pub held: Signal<In, Bit>,
    /// Not all of the messages that wait leave at once.
    pub part: Signal<In, Bit>,
    /// The packet that was prepared may not be sent yet.
    pub blocked: Signal<In, Bit>,
    /// The packet slots are free.
    pub packet_free: Signal<In, Bit>,
    /// Packets that are armed behind the first one.
    pub rest: Signal<In, Bits<5>>,
    /// The packet that was prepared ends its message.
    pub last_packet: Signal<In, Bit>,
    /// The packet's PSN has been sent before.
    pub is_resend: Signal<In, Bit>,
    /// The order slot is taken.
    pub order_busy: Signal<In, Bit>,
    /// The slot of what the scheduler is told is taken.
    pub work_busy: Signal<In, Bit>,
    /// The telemetry slot is taken, by another flow.
    pub cc_busy: Signal<In, Bit>,
    /// The next operation may start, and its row is read: between two, while this one is done ahead
    /// of its time, or while it ends and the next is of another flow.
    pub is_open: Signal<Out, Bit>,
    /// An operation is under way: what it is about still stands at its sink.
    pub is_busy: Signal<Out, Bit>,
    /// The last flow that was armed can be prepared.
    pub is_fresh: Signal<Out, Bit>,
    /// State.
    pub state: Signal<Out, State>,
    /// Operation.
    pub op: Signal<Out, Op>,
    /// Flow of the operation.
    pub flow: Signal<Out, Bits<FB>>,
    /// Everything sent and not acknowledged is sent again.
    pub rewind: Signal<Out, Bit>,
    /// The packet that is prepared is the first of the work request behind the one that was sent.
    pub begins: Signal<Out, Bit>,
    /// The packet that is prepared is to be armed; else it is to be sent or has come.
    pub arming: Signal<Out, Bit>,
    /// WRITEs stand before the READ that was found.
    pub passed: Signal<Out, Bit>,
    /// The payload at hand lands; else it is dropped.
    pub lands: Signal<Out, Bit>,
    /// Completion status of the next failed work request.
    pub status: Signal<Out, Bits<8>>,
    /// Readies of the sinks.
    pub ready: Signal<Out, SinkReadies>,
    /// Events.
    pub pulse: Signal<Out, RequesterEvents>,
    #[reset(State::Scrub)]
    now_state: Reg<State>,
    #[reset(Op::Scan)]
    now_op: Reg<Op>,
    now_flow: Reg<Bits<FB>>,
    readies: Reg<SinkReadies>,
    fresh: Reg<Bit>,
    is_first: Reg<Bit>,
    prepares: Reg<Bit>,
    left: Reg<Bits<5>>,
    has_posted: Reg<Bit>,
    posts: Reg<Bits<2>>,
    verdict: RequesterVerdict,
    answers: RequesterNextAnswer,
    packets: RequesterNextPacket,
    goto: Signal<Local, State>,
    rests: Signal<Local, Bit>,
    opens: Signal<Local, Bit>,
    is_held: Signal<Local, Bit>,
    takes_wr: Signal<Local, Bit>,
    takes_grant: Signal<Local, Bit>,
    keeps: Signal<Local, Bit>,
    goes_on: Signal<Local, Bit>,
    answer_waits: Signal<Local, Bit>,
    posts_on: Signal<Local, Bit>,
}

#[kernel]
impl<const FB: usize> RequesterCtl<FB> {
    fn update(&mut self) {
        self.state.next = self.now_state.val();
        self.op.next = self.now_op.val();
        self.flow.next = self.now_flow.val();
        self.ready.next = self.readies.val();
        self.is_fresh.next = self.fresh.val();
        self.begins.next = self.is_first.val();
        self.is_first.next = (self.now_state.val() == State::More) & self.last_packet.val();
        self.rests.next = self.prepares.val()
            | (self.now_state.val() == State::Await)
            | (self.now_state.val() == State::Idle);
        self.is_busy.next = !self.rests.val();
        self.opens.next = self.rests.val() | (self.now_state.val() == State::Save);
        self.is_open.next = self.opens.val();
        self.rewind.next = self.verdict.rewind.val();
        self.arming.next = self.verdict.arming.val();
        self.passed.next = self.verdict.passed.val();
        self.lands.next = self.verdict.lands.val();
        self.status.next = self.verdict.status.val();
        self.pulse.next = self.verdict.pulse.val();
        self.verdict.state.next = self.now_state.val();
        self.verdict.op.next = self.now_op.val();
        self.verdict.ack_pulse.next = self.ack_pulse.val();
        self.verdict.ack_status.next = self.ack_status.val();
        self.verdict.is_ack.next = self.is_ack.val();
        self.verdict.is_nak_sequence.next = self.is_nak_sequence.val();
        self.verdict.is_nak_rnr.next = self.is_nak_rnr.val();
        self.verdict.outstanding.next = self.outstanding.val();
        self.verdict.reads_open.next = self.reads_open.val();
        self.verdict.is_read.next = self.is_read.val();
        self.verdict.due.next = self.due.val();
        self.verdict.behind.next = self.behind.val();
        self.verdict.had_gap.next = self.had_gap.val();
        self.verdict.good.next = self.good.val();
        self.verdict.qp_valid.next = self.qp_valid.val();
        self.verdict.sq_full.next = self.sq_full.val();
        self.verdict.expired.next = self.expired.val();
        self.verdict.is_rnr.next = self.is_rnr.val();
        self.verdict.retry_out.next = self.retry_out.val();
        self.verdict.is_resend.next = self.is_resend.val();
        self.verdict.order_busy.next = self.order_busy.val();
        self.goes_on.next = self.left.val().any();
        self.verdict.goes_on.next = self.goes_on.val();
        self.answers.state.next = self.now_state.val();
        self.answers.op.next = self.now_op.val();
        self.answers.passed.next = self.verdict.passed.val();
        self.answers.lands.next = self.verdict.lands.val();
        self.answers.spoils.next = self.verdict.spoils.val();
        self.answers.rewind.next = self.verdict.rewind.val();
        self.answers.ack_accept.next = self.ack_accept.val();
        self.answers.is_nak_sequence.next = self.is_nak_sequence.val();
        self.answers.is_nak_rnr.next = self.is_nak_rnr.val();
        self.answers.is_nak_fatal.next = self.is_nak_fatal.val();
        self.answers.outstanding.next = self.outstanding.val();
        self.answers.reads_open.next = self.reads_open.val();
        self.answers.is_read.next = self.is_read.val();
        self.answers.has_payload.next = self.has_payload.val();
        self.answers.due.next = self.due.val();
        self.answers.behind.next = self.behind.val();
        self.answers.had_gap.next = self.had_gap.val();
        self.answers.good.next = self.good.val();
        self.answers.last_response.next = self.last_response.val();
        self.answers.covered.next = self.covered.val();
        self.answers.meets.next = self.meets.val();
        self.answers.sq_single.next = self.sq_single.val();
        self.answers.expired.next = self.expired.val();
        self.answers.is_rnr.next = self.is_rnr.val();
        self.answers.armed.next = self.armed.val();
        self.answers.pending.next = self.pending.val();
        self.answers.retry_out.next = self.retry_out.val();
        self.answers.rnr_out.next = self.rnr_out.val();
        self.answers.has_progress.next = self.has_progress.val();
        self.answers.held.next = self.held.val();
        self.answers.order_busy.next = self.order_busy.val();
        self.answers.work_busy.next = self.work_busy.val();
        self.answers.cc_busy.next = self.cc_busy.val();
        self.packets.state.next = self.now_state.val();
        self.packets.op.next = self.now_op.val();
        self.packets.arming.next = self.verdict.arming.val();
        self.packets.other.next = self.answers.goto.val();
        self.packets.part.next = self.part.val();
        self.packets.blocked.next = self.blocked.val();
        self.packets.armed.next = self.armed.val();
        self.packets.packet_free.next = self.packet_free.val();
        self.packets.is_rnr.next = self.is_rnr.val();
        self.packets.pending.next = self.pending.val();
        self.packets.sq_single.next = self.sq_single.val();
        self.packets.order_busy.next = self.order_busy.val();
        self.packets.work_busy.next = self.work_busy.val();
        self.goto.next = self.packets.goto.val();
        self.takes_wr.next = self.wr_valid.val() & (self.wr_flow.val() == self.now_flow.val());
        self.takes_grant.next =
            self.grant_valid.val() & (self.grant_flow.val() == self.now_flow.val());
        self.keeps.next = self.hint.valid.val() & (self.hint.flow.val() == self.now_flow.val());
        if (self.now_state.val() == State::Arm) & !self.work_busy.val() & !self.blocked.val() {
            self.fresh.next = true;
        }
        self.states();
        self.end();
    }

    fn states(&mut self) {
        match self.now_state.val() {
            State::Scrub => {
                self.now_flow.next = self.now_flow.val() + 1;
                if self.now_flow.val().all() {
                    self.goto.next = State::Idle;
                }
            }
            State::Idle => {
                if self.fresh.val() {
                    comment!("The flow that was armed is still at hand.");
                    self.now_op.next = Op::Grant;
                    self.fresh.next = false;
                    self.prepares.next = true;
                    self.goto.next = State::WrRead;
                }
            }
            State::Load => {
                self.fresh.next = false;
                self.goto.next = State::Check;
                if self.now_op.val() == Op::Qp {
                    self.goto.next = State::Begin;
                }
            }
            State::Begin => {
                self.goto.next = State::Save;
            }
            State::P0 => {
                self.left.next = self.rest.val();
            }
            State::Send => {
                if self.left.val().any() {
                    self.left.next = self.left.val() - 1;
                }
            }
            State::P2 => {
                if self.prepares.val() {
                    self.goto.next = State::Held;
                }
            }
            State::Held => {
                if self.takes_grant.val() {
                    self.prepares.next = false;
                    self.goto.next = State::Send;
                }
            }
            State::Await => {
                if self.takes_wr.val() {
                    self.now_op.next = Op::Wr;
                    self.goto.next = State::Check;
                    if self.qp_valid.val() & !self.sq_full.val() & !self.qp_error.val() {
                        self.goto.next = State::Post0;
                    }
                } else if !self.keeps.val() {
                    self.goto.next = State::Idle;
                }
            }
            State::Check => {
                self.goto.next = State::Class;
                if self.now_op.val() == Op::Other {
                    self.goto.next = State::Save;
                } else if self.now_op.val() == Op::Next {
                    self.goto.next = State::Await;
                } else if self.now_op.val() == Op::Wr {
                    self.goto.next = State::Post0;
                    if !self.qp_valid.val() | self.sq_full.val() {
                        self.goto.next = State::Save;
                    } else if self.qp_error.val() {
                        self.goto.next = State::Flush;
                    }
                } else if (self.now_op.val() == Op::Scan) & !self.timed.val() {
                    self.goto.next = State::Idle;
                } else if self.now_op.val() == Op::Fail {
                    self.goto.next = State::FailRead;
                    if self.sq_empty.val() | self.is_old.val() {
                        self.goto.next = State::Save;
                    }
                } else if self.now_op.val() == Op::Grant {
                    self.goto.next = State::WrLoad;
                    if !self.armed.val() | !self.pending.val() | self.is_rnr.val() {
                        self.goto.next = State::Save;
                    }
                }
            }
            _ => {}
        }
    }

    fn end(&mut self) {
        comment!("The row that is written in Save is not read in it.");
        self.is_held.next = (self.now_state.val() == State::Save) & self.pick_same.val();
        comment!("The next work request of the flow follows; before an answer that waits, 3 do.");
        self.answer_waits.next = self.picked.val()
            & ((self.pick_op.val() == Op::Ack) | (self.pick_op.val() == Op::Response));
        self.has_posted.next = self.now_state.val() == State::Post2;
        self.posts_on.next = (self.now_state.val() == State::Save)
            & self.has_posted.val()
            & self.takes_wr.val()
            & !self.sq_full.val()
            & !(self.answer_waits.val() & self.posts.val().all());
        if self.now_state.val() == State::Load {
            self.posts.next = 0.into();
        }
        if self.posts_on.val() {
            if !self.posts.val().all() {
                self.posts.next = self.posts.val() + 1;
            }
            self.goto.next = State::Post0;
        } else if self.opens.val() & self.picked.val() & !self.is_held.val() {
            self.now_op.next = self.pick_op.val();
            self.now_flow.next = self.pick_flow.val();
            self.prepares.next = false;
            self.goto.next = State::Load;
        }
        self.now_state.next = self.goto.val();
        self.readies.next = 0.into();
        comment!("A work request is taken in Post2 if its first packet is not armed now.");
        if (self.now_state.val() == State::Post1)
            & (self.pending.val() | self.armed.val() | self.is_rnr.val())
        {
            self.readies.next.cfg = true;
        }
        if (self.goto.val() == State::Save) & (self.now_state.val() != State::Post2) {
            if (self.now_op.val() == Op::Ack) | (self.now_op.val() == Op::Response) {
                self.readies.next.ack = true;
            } else if self.now_op.val() == Op::Fail {
                self.readies.next.fail = true;
            } else if self.now_op.val() == Op::Grant {
                self.readies.next.grant = true;
            } else if self.now_op.val() != Op::Scan {
                self.readies.next.cfg = true;
            }
        }
    }
}
