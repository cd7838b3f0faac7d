//! Next state of the requester where work requests are read, posted or ended and packets prepared.
//!
//! # Interface timing  part of `requester_ctl`, in the same cycle
//! # Reset             none: combinational
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::block;
use crate::transport::requester::state::{Op, State};
use rust_hdl_core::prelude::*;

/// States of packets and work requests.
#[block(comb)]
pub struct RequesterNextPacket {
    /// State of the sequencer.
    pub state: Signal<In, State>,
    /// Its operation.
    pub op: Signal<In, Op>,
    /// The packet that is prepared is to be armed.
    pub arming: Signal<In, Bit>,
    /// Not all of the messages that wait leave at once.
    pub part: Signal<In, Bit>,
    /// The packet that was prepared may not be sent yet.
    pub blocked: Signal<In, Bit>,
    /// The packet slots are free.
    pub packet_free: Signal<In, Bit>,
    /// An arm is outstanding.
    pub armed: Signal<In, Bit>,
    /// Waits for the RNR timer.
    pub is_rnr: Signal<In, Bit>,
    /// Work requests left to send.
    pub pending: Signal<In, Bit>,
    /// The head is the only work request.
    pub sq_single: Signal<In, Bit>,
    /// The order slot is taken.
    pub order_busy: Signal<In, Bit>,
    /// The arm slot is taken.
    pub work_busy: Signal<In, Bit>,
    /// What follows if the state is none of these.
    pub other: Signal<In, State>,
    /// The state that follows.
    pub goto: Signal<Out, State>,
}

impl Logic for RequesterNextPacket {
    #[hdl_gen]
    fn update(&mut self) {
        self.goto.next = self.other.val();
        match self.state.val() {
            State::NextRead => {
                self.goto.next = State::NextLoad;
            }
            State::NextLoad => {
                self.goto.next = State::NextDiff;
            }
            State::NextDiff => {
                self.goto.next = State::Retire;
            }
            State::WrRead => {
                self.goto.next = State::WrLoad;
            }
            State::WrLoad => {
                self.goto.next = State::P0;
            }
            State::P0 => {
                self.goto.next = State::P1;
            }
            State::P1 => {
                self.goto.next = State::P2;
            }
            State::P2 => {
                self.goto.next = State::Len;
                if self.part.val() {
                    self.goto.next = State::Part0;
                }
                if !self.arming.val() {
                    if self.op.val() == Op::Response {
                        self.goto.next = State::Match;
                    } else if self.op.val() == Op::Grant {
                        self.goto.next = State::P2;
                        if self.packet_free.val() {
                            self.goto.next = State::Send;
                        }
                    }
                }
            }
            State::Send => {
                self.goto.next = State::More;
            }
            State::More => {
                self.goto.next = State::Save;
                if self.pending.val() {
                    self.goto.next = State::P1;
                }
            }
            State::Part0 => {
                self.goto.next = State::Part1;
            }
            State::Part1 => {
                self.goto.next = State::Part2;
            }
            State::Part2 => {
                self.goto.next = State::Len;
            }
            State::Len => {
                self.goto.next = State::Arm;
            }
            State::Arm => {
                if self.blocked.val() | !self.work_busy.val() {
                    self.goto.next = State::Save;
                }
            }
            State::Save => {
                self.goto.next = State::Idle;
            }
            State::Post0 => {
                self.goto.next = State::Post1;
            }
            State::Post1 => {
                self.goto.next = State::Post2;
            }
            State::Post2 => {
                comment!("Its first packet is the next one; what else is not armed waits.");
                self.goto.next = State::Save;
                if !self.pending.val() & !self.armed.val() & !self.is_rnr.val() {
                    self.goto.next = State::Arm;
                }
            }
            State::FailRead => {
                self.goto.next = State::FailLoad;
            }
            State::FailLoad => {
                self.goto.next = State::FailEmit;
            }
            State::FailEmit => {
                if !self.order_busy.val() {
                    self.goto.next = State::FailRead;
                    if self.sq_single.val() {
                        self.goto.next = State::FailEnd;
                    }
                }
            }
            State::FailEnd => {
                self.goto.next = State::Save;
            }
            State::Flush => {
                if !self.order_busy.val() {
                    self.goto.next = State::Save;
                }
            }
            _ => {}
        }
    }
}
