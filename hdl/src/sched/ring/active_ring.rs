//! The flows that have work, in the order of their visits: one visit starts in each cycle.
//!
//! # Interface timing  cycle 0: s_arm_* or s_return_*; cycle 2 (arm), from cycle 3 on (return):
//!                     m_visit_*. A call is taken unless there is an arm; cycle 2: m_visit_*
//! # Latency and rate  [`ARM_CYCLES`]; one arm and one return per cycle. Arms go before the call,
//!                     and both before the flows that wait in the ring; each flow is in it at
//!                     most once (the user's duty), a called one besides
//!                     Flows of the express ring (8 places; what finds none goes to the other) and
//!                     of the other are visited in turn
//! # Shape             2^FB flows, CB = FB + 1
//! # Reset             synchronous, high: empty, m_visit_* = 0
//! # Twins             rings of sim/models/src/golden/sched/scheduler.rs

use crate::util::{lut_ram::LutRam, ram::Ram};
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from an arm to its visit.
pub const ARM_CYCLES: usize = 2;

/// Ring of up to `2^FB` flow ids.
#[block(check(CB == FB + 1))]
pub struct ActiveRing<const FB: usize, const CB: usize> {
    /// A flow with new work.
    pub s_arm_valid: Signal<In, Bit>,
    /// Its id.
    pub s_arm_flow: Signal<In, Bits<FB>>,
    /// A flow that stays after its visit.
    pub s_return_valid: Signal<In, Bit>,
    /// Its id.
    pub s_return_flow: Signal<In, Bits<FB>>,
    /// To the express ring.
    pub s_return_is_express: Signal<In, Bit>,
    /// A flow to be visited once more.
    pub s_call_valid: Signal<In, Bit>,
    /// Its id.
    pub s_call_flow: Signal<In, Bits<FB>>,
    /// A visit starts.
    pub m_visit_valid: Signal<Out, Bit>,
    /// Flow to visit, 0 while m_visit_valid is low.
    pub m_visit_flow: Signal<Out, Bits<FB>>,
    /// It is a call.
    pub m_visit_is_call: Signal<Out, Bit>,
    ram: Ram<FB, Bits<FB>>,
    express: LutRam<3, Bits<FB>>,
    express_head: Reg<Bits<3>>,
    express_tail: Reg<Bits<3>>,
    express_count: Reg<Bits<4>>,
    is_express_turn: Reg<Bit>,
    express_chosen: Reg<Bit>,
    head: Reg<Bits<FB>>,
    tail: Reg<Bits<FB>>,
    count: Reg<Bits<CB>>,
    arm_chosen: Reg<Bit>,
    arm_flow: Unreset<Bits<FB>>,
    call_chosen: Reg<Bit>,
    ring_chosen: Reg<Bit>,
    visit_valid: Reg<Bit>,
    visit_flow: Reg<Bits<FB>>,
    visit_is_call: Reg<Bit>,
    is_free: Signal<Local, Bit>,
    has_flow: Signal<Local, Bit>,
    has_express: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    pop_express: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    push_express: Signal<Local, Bit>,
}

impl<const FB: usize, const CB: usize> Logic for ActiveRing<FB, CB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_visit_valid.next = self.visit_valid.val();
        self.m_visit_flow.next = self.visit_flow.val();
        self.m_visit_is_call.next = self.visit_is_call.val();
        comment!("Choose: a flow with new work, else the called one, else the head of a ring.");
        self.is_free.next = !self.s_arm_valid.val() & !self.s_call_valid.val();
        self.has_flow.next = self.count.val().any();
        self.has_express.next = self.express_count.val().any();
        self.pop_express.next = self.is_free.val()
            & self.has_express.val()
            & (self.is_express_turn.val() | !self.has_flow.val());
        self.pop.next = self.is_free.val() & !self.pop_express.val() & self.has_flow.val();
        if self.is_free.val() {
            self.is_express_turn.next = !self.pop_express.val();
        }
        self.arm_chosen.next = self.s_arm_valid.val();
        self.call_chosen.next = self.s_call_valid.val() & !self.s_arm_valid.val();
        self.arm_flow.next = self.s_call_flow.val();
        if self.s_arm_valid.val() {
            self.arm_flow.next = self.s_arm_flow.val();
        } else if !self.s_call_valid.val() {
            self.arm_flow.next = self.express.read_data.val();
        }
        self.express_chosen.next = self.pop_express.val();
        self.express.read_address.next = self.express_head.val();
        if self.pop_express.val() {
            self.express_head.next = self.express_head.val() + 1;
        }
        self.ring_chosen.next = self.pop.val();
        self.ram.read_enable.next = self.pop.val();
        self.ram.read_address.next = self.head.val();
        if self.pop.val() {
            self.head.next = self.head.val() + 1;
        }
        comment!("Visit.");
        self.visit_valid.next = self.arm_chosen.val()
            | self.call_chosen.val()
            | self.express_chosen.val()
            | self.ring_chosen.val();
        self.visit_is_call.next = self.call_chosen.val();
        self.visit_flow.next = 0.into();
        if self.arm_chosen.val() | self.call_chosen.val() | self.express_chosen.val() {
            self.visit_flow.next = self.arm_flow.val();
        } else if self.ring_chosen.val() {
            self.visit_flow.next = self.ram.read_data.val();
        }
        comment!("Return: a flow that may not send yet goes to the tail of its ring.");
        self.push_express.next = self.s_return_valid.val()
            & self.s_return_is_express.val()
            & (!self.express_count.val().get_bit(3) | self.pop_express.val());
        self.push.next = self.s_return_valid.val() & !self.push_express.val();
        self.express.write_enable.next = self.push_express.val();
        self.express.write_address.next = self.express_tail.val();
        self.express.write_data.next = self.s_return_flow.val();
        if self.push_express.val() {
            self.express_tail.next = self.express_tail.val() + 1;
        }
        if self.push_express.val() & !self.pop_express.val() {
            self.express_count.next = self.express_count.val() + 1;
        } else if self.pop_express.val() & !self.push_express.val() {
            self.express_count.next = self.express_count.val() - 1;
        }
        self.ram.write_enable.next = self.push.val();
        self.ram.write_address.next = self.tail.val();
        self.ram.write_data.next = self.s_return_flow.val();
        if self.push.val() {
            self.tail.next = self.tail.val() + 1;
        }
        if self.push.val() & !self.pop.val() {
            self.count.next = self.count.val() + 1;
        } else if self.pop.val() & !self.push.val() {
            self.count.next = self.count.val() - 1;
        }
    }
}
