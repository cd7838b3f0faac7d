//! Chooses the next operation of the requester, and when a flow's timer is looked at.
//!
//! # Interface timing  part of `requester`: chooses in each cycle, for the next. What is chosen
//!                     is taken where an operation may start. The order is that of the requester's
//!                     page
//! # Latency and rate  a timer scan is due every 32 cycles; one that has waited for a whole interval
//!                     goes first
//! # Rules             Behind an answer what else waits goes before the next answer.
//!                     A queue pair row waits until no read error has stood for 4 cycles: those that
//!                     are on their way are about the queue pair of before
//! # Reset             synchronous, high: nothing chosen, flow 0 is the first to be scanned
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::streams::FlowPulse;
use crate::transport::requester::state::{Op, State};
use crate::{block, Reg};
use nic_spec::wire::bth::opcode;
use rust_hdl_core::prelude::*;

/// Chooses the next operation; `FB` = log2 of the flow count.
#[block]
pub struct RequesterPick<const FB: usize> {
    /// State of the sequencer.
    pub state: Signal<In, State>,
    /// An ACK waits.
    pub ack_valid: Signal<In, Bit>,
    /// Its flow.
    pub ack_flow: Signal<In, Bits<FB>>,
    /// Its operation code.
    pub ack_opcode: Signal<In, Bits<8>>,
    /// A row waits.
    pub cfg_valid: Signal<In, Bit>,
    /// Its table.
    pub cfg_table: Signal<In, Bits<2>>,
    /// Its flow.
    pub cfg_flow: Signal<In, Bits<FB>>,
    /// A read error waits.
    pub fail_valid: Signal<In, Bit>,
    /// Its flow.
    pub fail_flow: Signal<In, Bits<FB>>,
    /// A grant waits and the packet's output slots are free.
    pub grant_valid: Signal<In, Bit>,
    /// Its flow.
    pub grant_flow: Signal<In, Bits<FB>>,
    /// An operation is under way: what it is about still stands at its sink.
    pub is_busy: Signal<In, Bit>,
    /// Which operation.
    pub own: Signal<In, Op>,
    /// Its flow.
    pub own_flow: Signal<In, Bits<FB>>,
    /// The last flow that was armed can be prepared.
    pub is_fresh: Signal<In, Bit>,
    /// A work request is coming.
    pub hint: FlowPulse<In, FB>,
    /// There is something to do, if an operation may start.
    pub picked: Signal<Out, Bit>,
    /// What.
    pub op: Signal<Out, Op>,
    /// For which flow.
    pub flow: Signal<Out, Bits<FB>>,
    /// It was the flow of the operation under way.
    pub same: Signal<Out, Bit>,
    scan_flow: Reg<Bits<FB>>,
    scan_count: Reg<Bits<5>>,
    scan_due: Reg<Bit>,
    scan_urgent: Reg<Bit>,
    fails: Reg<Bits<4>>,
    answered: Reg<Bit>,
    found: Reg<Bit>,
    #[reset(Op::Ack)]
    choice: Reg<Op>,
    place: Reg<Bits<FB>>,
    is_own: Reg<Bit>,
    is_idle: Signal<Local, Bit>,
    answers: Signal<Local, Bit>,
    was_ack: Reg<Bit>,
    was_row: Reg<Bit>,
    was_fail: Reg<Bit>,
    was_grant: Reg<Bit>,
    ack_waits: Signal<Local, Bit>,
    fail_waits: Signal<Local, Bit>,
    grant_waits: Signal<Local, Bit>,
    row_goes: Signal<Local, Bit>,
    others: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    #[value(u64::from(opcode::ACKNOWLEDGE))]
    acknowledge: Constant<Bits<8>>,
}

impl<const FB: usize> Logic for RequesterPick<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.picked.next = self.found.val();
        self.op.next = self.choice.val();
        self.flow.next = self.place.val();
        self.same.next = self.is_own.val();
        self.is_idle.next = self.state.val() == State::Idle;
        self.waits.next = true;
        self.choice.next = Op::Scan;
        self.place.next = self.scan_flow.val();
        comment!("compared before it is chosen");
        self.is_own.next = self.scan_flow.val() == self.own_flow.val();
        comment!("What is done still stands at its sink.");
        self.answers.next = (self.own.val() == Op::Ack) | (self.own.val() == Op::Response);
        self.was_ack.next = self.answers.val();
        self.was_fail.next = self.own.val() == Op::Fail;
        self.was_grant.next = self.own.val() == Op::Grant;
        self.was_row.next = (self.own.val() == Op::Qp)
            | (self.own.val() == Op::Wr)
            | (self.own.val() == Op::Next)
            | (self.own.val() == Op::Other);
        comment!("Errors of a queue pair are taken before its new row.");
        self.ack_waits.next = self.ack_valid.val() & !(self.is_busy.val() & self.was_ack.val());
        self.fail_waits.next = self.fail_valid.val() & !(self.is_busy.val() & self.was_fail.val());
        self.grant_waits.next =
            self.grant_valid.val() & !(self.is_busy.val() & self.was_grant.val());
        self.fails.next = (self.fails.val() << 1) | bit_cast::<4, 1>(self.fail_valid.val().into());
        self.row_goes.next = self.cfg_valid.val()
            & !(self.is_busy.val() & self.was_row.val())
            & (!self.fails.val().any() | self.cfg_table.val().any());
        self.others.next = self.fail_waits.val() | self.row_goes.val() | self.grant_waits.val();
        if !self.scan_urgent.val() {
            if self.ack_waits.val() & !(self.answered.val() & self.others.val()) {
                self.choice.next = Op::Response;
                if self.ack_opcode.val() == self.acknowledge.val() {
                    self.choice.next = Op::Ack;
                }
                self.place.next = self.ack_flow.val();
                self.is_own.next = self.ack_flow.val() == self.own_flow.val();
            } else if self.fail_waits.val() {
                self.choice.next = Op::Fail;
                self.place.next = self.fail_flow.val();
                self.is_own.next = self.fail_flow.val() == self.own_flow.val();
            } else if self.row_goes.val() {
                self.choice.next = Op::Other;
                if self.cfg_table.val() == 0 {
                    self.choice.next = Op::Qp;
                } else if self.cfg_table.val() == 2 {
                    self.choice.next = Op::Wr;
                }
                self.place.next = self.cfg_flow.val();
                self.is_own.next = self.cfg_flow.val() == self.own_flow.val();
            } else if self.grant_waits.val() {
                self.choice.next = Op::Grant;
                self.place.next = self.grant_flow.val();
                self.is_own.next = self.grant_flow.val() == self.own_flow.val();
            } else {
                self.waits.next = false;
            }
        }
        self.found.next = self.waits.val();
        if !self.waits.val() & self.is_idle.val() & !self.is_fresh.val() {
            self.found.next = self.scan_due.val() | self.hint.valid.val();
            if self.hint.valid.val() {
                self.choice.next = Op::Next;
                self.place.next = self.hint.flow.val();
            }
        }
        self.scan_count.next = self.scan_count.val() + 1;
        if self.scan_count.val().all() {
            self.scan_due.next = true;
            self.scan_urgent.next = self.scan_due.val();
        }
        if self.state.val() == State::Load {
            self.answered.next = self.answers.val();
            if self.own.val() == Op::Scan {
                self.scan_flow.next = self.scan_flow.val() + 1;
                self.scan_due.next = false;
                self.scan_urgent.next = false;
            }
        }
    }
}
