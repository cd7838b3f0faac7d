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
//! # Twins             rings of sim/src/golden/sched/scheduler.rs

use crate::util::lut_ram::LutRam;
use crate::util::ram::Ram;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from an arm to its visit.
pub const ARM_CYCLES: usize = 2;

/// Ring of up to `2^FB` flow ids.
#[derive(LogicBlock)]
pub struct ActiveRing<const FB: usize, const CB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    ram: Ram<FB, FB>,
    express: LutRam<3, FB>,
    express_head: DFF<Bits<3>>,
    express_tail: DFF<Bits<3>>,
    express_count: DFF<Bits<4>>,
    is_express_turn: DFF<Bit>,
    express_chosen: DFF<Bit>,
    head: DFF<Bits<FB>>,
    tail: DFF<Bits<FB>>,
    count: DFF<Bits<CB>>,
    arm_chosen: DFF<Bit>,
    arm_flow: DFF<Bits<FB>>,
    call_chosen: DFF<Bit>,
    ring_chosen: DFF<Bit>,
    visit_valid: DFF<Bit>,
    visit_flow: DFF<Bits<FB>>,
    visit_is_call: DFF<Bit>,
    is_free: Signal<Local, Bit>,
    has_flow: Signal<Local, Bit>,
    has_express: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    pop_express: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    push_express: Signal<Local, Bit>,
}

impl<const FB: usize, const CB: usize> Default for ActiveRing<FB, CB> {
    fn default() -> Self {
        assert!(CB == FB + 1, "CB = FB + 1");
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_arm_valid: Default::default(),
            s_arm_flow: Default::default(),
            s_return_valid: Default::default(),
            s_return_flow: Default::default(),
            s_return_is_express: Default::default(),
            s_call_valid: Default::default(),
            s_call_flow: Default::default(),
            m_visit_valid: Default::default(),
            m_visit_flow: Default::default(),
            m_visit_is_call: Default::default(),
            ram: Default::default(),
            express: Default::default(),
            express_head: Default::default(),
            express_tail: Default::default(),
            express_count: Default::default(),
            is_express_turn: Default::default(),
            express_chosen: Default::default(),
            head: Default::default(),
            tail: Default::default(),
            count: Default::default(),
            arm_chosen: Default::default(),
            arm_flow: Default::default(),
            call_chosen: Default::default(),
            ring_chosen: Default::default(),
            visit_valid: Default::default(),
            visit_flow: Default::default(),
            visit_is_call: Default::default(),
            is_free: Default::default(),
            has_flow: Default::default(),
            has_express: Default::default(),
            pop: Default::default(),
            pop_express: Default::default(),
            push: Default::default(),
            push_express: Default::default(),
        }
    }
}

impl<const FB: usize, const CB: usize> Logic for ActiveRing<FB, CB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            head,
            tail,
            count,
            arm_chosen,
            arm_flow,
            call_chosen,
            ring_chosen,
            visit_valid,
            visit_flow,
            visit_is_call,
            express_head,
            express_tail,
            express_count,
            is_express_turn,
            express_chosen
        );
        self.express.clock.next = self.clock.val();
        self.ram.clock.next = self.clock.val();
        self.m_visit_valid.next = self.visit_valid.q.val();
        self.m_visit_flow.next = self.visit_flow.q.val();
        self.m_visit_is_call.next = self.visit_is_call.q.val();
        comment!("Choose: a flow with new work, else the called one, else the head of a ring.");
        self.is_free.next = !self.s_arm_valid.val() & !self.s_call_valid.val();
        self.has_flow.next = self.count.q.val().any();
        self.has_express.next = self.express_count.q.val().any();
        self.pop_express.next = self.is_free.val()
            & self.has_express.val()
            & (self.is_express_turn.q.val() | !self.has_flow.val());
        self.pop.next = self.is_free.val() & !self.pop_express.val() & self.has_flow.val();
        if self.is_free.val() {
            self.is_express_turn.d.next = !self.pop_express.val();
        }
        self.arm_chosen.d.next = self.s_arm_valid.val();
        self.call_chosen.d.next = self.s_call_valid.val() & !self.s_arm_valid.val();
        self.arm_flow.d.next = self.s_call_flow.val();
        if self.s_arm_valid.val() {
            self.arm_flow.d.next = self.s_arm_flow.val();
        } else if !self.s_call_valid.val() {
            self.arm_flow.d.next = self.express.read_data.val();
        }
        self.express_chosen.d.next = self.pop_express.val();
        self.express.read_address.next = self.express_head.q.val();
        if self.pop_express.val() {
            self.express_head.d.next = self.express_head.q.val() + 1;
        }
        self.ring_chosen.d.next = self.pop.val();
        self.ram.read_enable.next = self.pop.val();
        self.ram.read_address.next = self.head.q.val();
        if self.pop.val() {
            self.head.d.next = self.head.q.val() + 1;
        }
        comment!("Visit.");
        self.visit_valid.d.next = self.arm_chosen.q.val()
            | self.call_chosen.q.val()
            | self.express_chosen.q.val()
            | self.ring_chosen.q.val();
        self.visit_is_call.d.next = self.call_chosen.q.val();
        self.visit_flow.d.next = 0.into();
        if self.arm_chosen.q.val() | self.call_chosen.q.val() | self.express_chosen.q.val() {
            self.visit_flow.d.next = self.arm_flow.q.val();
        } else if self.ring_chosen.q.val() {
            self.visit_flow.d.next = self.ram.read_data.val();
        }
        comment!("Return: a flow that may not send yet goes to the tail of its ring.");
        self.push_express.next = self.s_return_valid.val()
            & self.s_return_is_express.val()
            & (!self.express_count.q.val().get_bit(3) | self.pop_express.val());
        self.push.next = self.s_return_valid.val() & !self.push_express.val();
        self.express.write_enable.next = self.push_express.val();
        self.express.write_address.next = self.express_tail.q.val();
        self.express.write_data.next = self.s_return_flow.val();
        if self.push_express.val() {
            self.express_tail.d.next = self.express_tail.q.val() + 1;
        }
        if self.push_express.val() & !self.pop_express.val() {
            self.express_count.d.next = self.express_count.q.val() + 1;
        } else if self.pop_express.val() & !self.push_express.val() {
            self.express_count.d.next = self.express_count.q.val() - 1;
        }
        self.ram.write_enable.next = self.push.val();
        self.ram.write_address.next = self.tail.q.val();
        self.ram.write_data.next = self.s_return_flow.val();
        if self.push.val() {
            self.tail.d.next = self.tail.q.val() + 1;
        }
        if self.push.val() & !self.pop.val() {
            self.count.d.next = self.count.q.val() + 1;
        } else if self.pop.val() & !self.push.val() {
            self.count.d.next = self.count.q.val() - 1;
        }
        if self.reset.val() {
            self.head.d.next = 0.into();
            self.tail.d.next = 0.into();
            self.count.d.next = 0.into();
            self.express_head.d.next = 0.into();
            self.express_tail.d.next = 0.into();
            self.express_count.d.next = 0.into();
            self.is_express_turn.d.next = false;
            self.express_chosen.d.next = false;
            self.arm_chosen.d.next = false;
            self.call_chosen.d.next = false;
            self.ring_chosen.d.next = false;
            self.visit_valid.d.next = false;
            self.visit_flow.d.next = 0.into();
            self.visit_is_call.d.next = false;
        }
    }
}
