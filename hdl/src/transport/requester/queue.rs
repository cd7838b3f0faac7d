//! Send queue positions of a flow, and whether it may be armed.
//!
//! # Interface timing  part of `requester`: read in Idle and Save, in registers from Check on, written in
//!                     Save
//! # Number formats    signal | bits | meaning
//!                     head, current, tail | 9 | send queue positions, modulo 512
//!                     used | 9 | work requests in the queue
//!                     open_reads | 5 | READs sent and not ended, 0..=16
//! # Invariants        head <= current <= tail, used = tail - head
//! # Reset             synchronous, high: fields 0; the sequencer scrubs the rows
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::transport::requester::state::{Op, State};
use crate::util::ram::Ram;
use crate::{block, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Row of a send queue.
#[row]
struct QueueRow {
    error: Bit,
    armed: Bit,
    rest: Bits<5>,
    plain: Bit,
    held: Bit,
    open_reads: Bits<5>,
    head: Bits<9>,
    current: Bits<9>,
    tail: Bits<9>,
    used: Bits<9>,
}

/// Send queue of the operation's flow; `FB` = log2 of the flow count.
#[block(new(sq_depth: usize))]
pub struct RequesterQueue<const FB: usize> {
    /// Send queues are 4 to the power of this times deeper than `sq_depth`; 3 counts as 2.
    pub cfg_sq_scale: Signal<In, Bits<2>>,
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
    /// The next packet has been sent before.
    pub is_resend: Signal<In, Bit>,
    /// The head leaves the queue in Retire.
    pub retires: Signal<In, Bit>,
    /// The head leaves the queue in FailEmit.
    pub fails: Signal<In, Bit>,
    /// Advance ends.
    pub advances: Signal<In, Bit>,
    /// The READ at the head ends with it.
    pub last_response: Signal<In, Bit>,
    /// The arm goes out.
    pub arms: Signal<In, Bit>,
    /// It is for so many packets.
    pub count: Signal<In, Bits<7>>,
    /// What is posted is a WRITE of one packet without padding or immediate data.
    pub post_is_plain: Signal<In, Bit>,
    /// The next packet is a READ that waits for another one to end; as of Arm.
    pub limited: Signal<In, Bit>,
    /// The packet that is sent is the last of its message.
    pub packet_last: Signal<In, Bit>,
    /// It is a READ that has not been sent before.
    pub is_new_read: Signal<In, Bit>,
    /// The queue pair is in error.
    pub error: Signal<Out, Bit>,
    /// An arm is outstanding.
    pub armed: Signal<Out, Bit>,
    /// It is for so many packets more than one.
    pub rest: Signal<Out, Bits<5>>,
    /// All that was posted since the queue was empty are such WRITEs.
    pub are_plain: Signal<Out, Bit>,
    /// Work requests left to send, a cycle late.
    pub waiting: Signal<Out, Bits<9>>,
    /// READs that were sent and have not ended.
    pub open_reads: Signal<Out, Bits<5>>,
    /// The next packet was a READ that waits for another one to end.
    pub held: Signal<Out, Bit>,
    /// Oldest work request.
    pub head: Signal<Out, Bits<9>>,
    /// The one behind it, a cycle late.
    pub second: Signal<Out, Bits<9>>,
    /// The one that the next PSN belongs to.
    pub current: Signal<Out, Bits<9>>,
    /// Place of the next one to be posted.
    pub tail: Signal<Out, Bits<9>>,
    /// The next one to look at: on the way to the first READ, else behind the current one, as of Send.
    pub probe: Signal<Out, Bits<9>>,
    /// Work requests left to send.
    pub pending: Signal<Out, Bit>,
    /// No work request.
    pub sq_empty: Signal<Out, Bit>,
    /// The head is the only work request.
    pub sq_single: Signal<Out, Bit>,
    /// No room.
    pub sq_full: Signal<Out, Bit>,
    rows: Ram<FB, QueueRow>,
    r_error: Reg<Bit>,
    r_armed: Reg<Bit>,
    r_rest: Reg<Bits<5>>,
    r_plain: Reg<Bit>,
    r_held: Reg<Bit>,
    r_open_reads: Reg<Bits<5>>,
    r_head: Reg<Bits<9>>,
    r_current: Reg<Bits<9>>,
    r_tail: Reg<Bits<9>>,
    r_used: Reg<Bits<9>>,
    after_head: Unreset<Bits<9>>,
    look: Unreset<Bits<9>>,
    left: Unreset<Bits<9>>,
    depth: Unreset<Bits<9>>,
    count_less: Signal<Local, Bits<7>>,
    head_next: Signal<Local, Bits<9>>,
    used_less: Signal<Local, Bits<9>>,
    #[value(sq_depth as u64)]
    least_depth: Constant<Bits<9>>,
}

impl<const FB: usize> Logic for RequesterQueue<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.error.next = self.r_error.val();
        self.armed.next = self.r_armed.val();
        self.rest.next = self.r_rest.val();
        self.are_plain.next = self.r_plain.val();
        self.left.next = self.r_tail.val() - self.r_current.val();
        self.waiting.next = self.left.val();
        self.count_less.next = self.count.val() - 1;
        self.open_reads.next = self.r_open_reads.val();
        self.held.next = self.r_held.val();
        self.head.next = self.r_head.val();
        self.current.next = self.r_current.val();
        self.tail.next = self.r_tail.val();
        self.probe.next = self.look.val();
        self.pending.next = self.r_current.val() != self.r_tail.val();
        self.sq_empty.next = self.r_used.val() == 0;
        self.head_next.next = self.r_head.val() + 1;
        self.after_head.next = self.head_next.val();
        self.second.next = self.after_head.val();
        if self.op.val() != Op::Response {
            self.look.next = self.r_current.val() + 1;
        } else if self.state.val() == State::Check {
            self.look.next = self.head_next.val();
        } else if self.state.val() == State::SeekLoad {
            self.look.next = self.look.val() + 1;
        }
        self.used_less.next = self.r_used.val() - 1;
        self.sq_single.next = self.r_used.val() == 1;
        self.depth.next = self.least_depth.val();
        if self.cfg_sq_scale.val().get_bit(1) {
            self.depth.next = self.least_depth.val() << 4;
        } else if self.cfg_sq_scale.val().get_bit(0) {
            self.depth.next = self.least_depth.val() << 2;
        }
        self.sq_full.next = self.r_used.val() == self.depth.val();
        self.rows.read_enable.next = self.is_open.val();
        self.rows.read_address.next = self.read_flow.val();
        self.rows.write_enable.next =
            (self.state.val() == State::Scrub) | (self.state.val() == State::Save);
        self.rows.write_address.next = self.flow.val();
        self.rows.write_data.next.error = self.r_error.val();
        self.rows.write_data.next.armed = self.r_armed.val();
        self.rows.write_data.next.rest = self.r_rest.val();
        self.rows.write_data.next.plain = self.r_plain.val();
        self.rows.write_data.next.held = self.r_held.val();
        self.rows.write_data.next.open_reads = self.r_open_reads.val();
        self.rows.write_data.next.head = self.r_head.val();
        self.rows.write_data.next.current = self.r_current.val();
        self.rows.write_data.next.tail = self.r_tail.val();
        self.rows.write_data.next.used = self.r_used.val();
        match self.state.val() {
            State::Load => {
                self.r_error.next = self.rows.read_data.val().error;
                self.r_armed.next = self.rows.read_data.val().armed;
                self.r_rest.next = self.rows.read_data.val().rest;
                self.r_plain.next = self.rows.read_data.val().plain;
                self.r_held.next = self.rows.read_data.val().held;
                self.r_open_reads.next = self.rows.read_data.val().open_reads;
                self.r_head.next = self.rows.read_data.val().head;
                self.r_current.next = self.rows.read_data.val().current;
                self.r_tail.next = self.rows.read_data.val().tail;
                self.r_used.next = self.rows.read_data.val().used;
            }
            State::Check => {
                if self.op.val() == Op::Grant {
                    self.r_armed.next = false;
                }
            }
            State::Begin => {
                self.r_error.next = false;
                self.r_armed.next = false;
                self.r_held.next = false;
                self.r_open_reads.next = 0.into();
                self.r_head.next = 0.into();
                self.r_current.next = 0.into();
                self.r_tail.next = 0.into();
                self.r_used.next = 0.into();
            }
            State::Retire => {
                if self.retires.val() {
                    self.r_head.next = self.head_next.val();
                    self.r_used.next = self.used_less.val();
                }
            }
            State::Advance => {
                if self.advances.val() & self.last_response.val() {
                    self.r_head.next = self.head_next.val();
                    self.r_used.next = self.used_less.val();
                    self.r_open_reads.next = self.r_open_reads.val() - 1;
                }
            }
            State::Fin => {
                if self.rewind.val() | (self.overtakes.val() & self.is_resend.val()) {
                    comment!("What is sent again may be other packets than those that are armed.");
                    self.r_rest.next = 0.into();
                }
                if self.rewind.val() | self.overtakes.val() {
                    self.r_current.next = self.r_head.val();
                }
            }
            State::Send => {
                self.r_armed.next = false;
                if self.is_new_read.val() {
                    self.r_open_reads.next = self.r_open_reads.val() + 1;
                }
                if self.packet_last.val() {
                    self.r_current.next = self.look.val();
                }
            }
            State::Arm => {
                self.r_held.next = self.limited.val();
                self.r_armed.next = self.r_armed.val() | self.arms.val();
                if self.arms.val() {
                    self.r_rest.next = self.count_less.val().get_bits::<5>(0);
                }
            }
            State::Post2 => {
                self.r_plain.next =
                    self.post_is_plain.val() & (self.r_plain.val() | (self.r_used.val() == 0));
                self.r_tail.next = self.r_tail.val() + 1;
                self.r_used.next = self.r_used.val() + 1;
            }
            State::FailEmit => {
                if self.fails.val() {
                    self.r_head.next = self.head_next.val();
                    self.r_used.next = self.used_less.val();
                }
            }
            State::FailEnd => {
                self.r_error.next = true;
                self.r_open_reads.next = 0.into();
                self.r_current.next = self.r_head.val();
            }
            _ => {}
        }
    }
}
