//! Chooses the next operation of the requester, and when a flow's timer is looked at.
//!
//! # Interface timing  part of `requester`: chooses in the first cycle of Idle, for the second, and
//!                     in each cycle in which the requester works ahead, for the next. The order is that of the requester's
//!                     page
//! # Latency and rate  a timer scan is due every 32 cycles; one that has waited for a whole interval
//!                     goes first
//! # Rules             A queue pair row waits until no read error has stood for 4 cycles: those that
//!                     are on their way are about the queue pair of before
//! # Reset             synchronous, high: nothing chosen, flow 0 is the first to be scanned
//! # Twins             sim/src/golden/transport/requester.rs, tests/requester.rs

use super::requester_ctl::{Op, State};
use crate::Module;
use nic_spec::wire::bth::opcode;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Chooses the next operation; `FB` = log2 of the flow count.
#[derive(LogicBlock)]
pub struct RequesterPick<const FB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    /// The next operation may be chosen.
    pub is_open: Signal<In, Bit>,
    /// The last flow that was armed can be prepared.
    pub is_fresh: Signal<In, Bit>,
    /// A work request is coming.
    pub hint_valid: Signal<In, Bit>,
    /// Its flow.
    pub hint_flow: Signal<In, Bits<FB>>,
    /// There is something to do, if an operation may be chosen.
    pub picked: Signal<Out, Bit>,
    /// What.
    pub op: Signal<Out, Op>,
    /// For which flow.
    pub flow: Signal<Out, Bits<FB>>,
    scan_flow: DFF<Bits<FB>>,
    scan_count: DFF<Bits<5>>,
    scan_due: DFF<Bit>,
    scan_urgent: DFF<Bit>,
    fails: DFF<Bits<4>>,
    found: DFF<Bit>,
    choice: DFF<Op>,
    place: DFF<Bits<FB>>,
    is_idle: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    acknowledge: Constant<Bits<8>>,
}

impl<const FB: usize> Default for RequesterPick<FB> {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            state: Default::default(),
            ack_valid: Default::default(),
            ack_flow: Default::default(),
            ack_opcode: Default::default(),
            cfg_valid: Default::default(),
            cfg_table: Default::default(),
            cfg_flow: Default::default(),
            fail_valid: Default::default(),
            fail_flow: Default::default(),
            grant_valid: Default::default(),
            grant_flow: Default::default(),
            is_open: Default::default(),
            is_fresh: Default::default(),
            hint_valid: Default::default(),
            hint_flow: Default::default(),
            picked: Default::default(),
            op: Default::default(),
            flow: Default::default(),
            scan_flow: Default::default(),
            scan_count: Default::default(),
            scan_due: Default::default(),
            scan_urgent: Default::default(),
            fails: Default::default(),
            found: Default::default(),
            choice: Default::default(),
            place: Default::default(),
            is_idle: Default::default(),
            waits: Default::default(),
            acknowledge: Constant::new(u64::from(opcode::ACKNOWLEDGE).into()),
        }
    }
}

impl<const FB: usize> Logic for RequesterPick<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            scan_flow,
            scan_count,
            scan_due,
            scan_urgent,
            fails,
            found,
            choice,
            place
        );
        self.picked.next = self.found.q.val();
        self.op.next = self.choice.q.val();
        self.flow.next = self.place.q.val();
        self.is_idle.next = self.state.val() == State::Idle;
        self.waits.next = true;
        self.choice.d.next = Op::Scan;
        self.place.d.next = self.scan_flow.q.val();
        comment!("Errors of a queue pair are taken before its new row.");
        self.fails.d.next =
            (self.fails.q.val() << 1) | bit_cast::<4, 1>(self.fail_valid.val().into());
        if !self.scan_urgent.q.val() {
            if self.ack_valid.val() {
                self.choice.d.next = Op::Response;
                if self.ack_opcode.val() == self.acknowledge.val() {
                    self.choice.d.next = Op::Ack;
                }
                self.place.d.next = self.ack_flow.val();
            } else if self.fail_valid.val() {
                self.choice.d.next = Op::Fail;
                self.place.d.next = self.fail_flow.val();
            } else if self.cfg_valid.val()
                & (!self.fails.q.val().any() | self.cfg_table.val().any())
            {
                self.choice.d.next = Op::Other;
                if self.cfg_table.val() == 0 {
                    self.choice.d.next = Op::Qp;
                } else if self.cfg_table.val() == 2 {
                    self.choice.d.next = Op::Wr;
                }
                self.place.d.next = self.cfg_flow.val();
            } else if self.grant_valid.val() {
                self.choice.d.next = Op::Grant;
                self.place.d.next = self.grant_flow.val();
            } else {
                self.waits.next = false;
            }
        }
        self.found.d.next = self.waits.val() & self.is_open.val();
        if !self.waits.val() & self.is_idle.val() & !self.is_fresh.val() {
            self.found.d.next = self.scan_due.q.val() | self.hint_valid.val();
            if self.hint_valid.val() {
                self.choice.d.next = Op::Next;
                self.place.d.next = self.hint_flow.val();
            }
        }
        self.scan_count.d.next = self.scan_count.q.val() + 1;
        if self.scan_count.q.val().all() {
            self.scan_due.d.next = true;
            self.scan_urgent.d.next = self.scan_due.q.val();
        }
        if self.is_open.val() & self.found.q.val() & (self.choice.q.val() == Op::Scan) {
            self.scan_flow.d.next = self.scan_flow.q.val() + 1;
            self.scan_due.d.next = false;
            self.scan_urgent.d.next = false;
        }
        if self.reset.val() {
            self.scan_flow.d.next = 0.into();
            self.scan_count.d.next = 0.into();
            self.scan_due.d.next = false;
            self.scan_urgent.d.next = false;
            self.fails.d.next = 0.into();
            self.found.d.next = false;
            self.choice.d.next = Op::Ack;
            self.place.d.next = 0.into();
        }
    }
}
