//! The flows that have work, in the order of their visits: one visit starts in each cycle.
//!
//! # Interface timing  cycle 0: s_arm_* or s_return_*; cycle 2 (arm), from cycle 3 on (return):
//!                     m_visit_*. A call is taken unless there is an arm; cycle 2: m_visit_*
//! # Latency and rate  [`ARM_CYCLES`]; one arm and one return per cycle. Arms go before the call,
//!                     and both before the flows that wait in the ring; each flow is in it at
//!                     most once (the user's duty), a called one besides
//! # Shape             2^FB flows, CB = FB + 1
//! # Reset             synchronous, high: empty, m_visit_* = 0
//! # Twins             ring of sim/src/golden/sched/scheduler.rs

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
    /// A flow to be visited once more.
    pub s_call_valid: Signal<In, Bit>,
    /// Its id.
    pub s_call_flow: Signal<In, Bits<FB>>,
    /// A visit starts.
    pub m_visit_valid: Signal<Out, Bit>,
    /// Flow to visit, 0 while m_visit_valid is low.
    pub m_visit_flow: Signal<Out, Bits<FB>>,
    /// It is the first visit since the flow was armed.
    pub m_visit_is_arm: Signal<Out, Bit>,
    /// It is a call.
    pub m_visit_is_call: Signal<Out, Bit>,
    ram: Ram<FB, FB>,
    head: DFF<Bits<FB>>,
    tail: DFF<Bits<FB>>,
    count: DFF<Bits<CB>>,
    arm_chosen: DFF<Bit>,
    arm_flow: DFF<Bits<FB>>,
    call_chosen: DFF<Bit>,
    ring_chosen: DFF<Bit>,
    visit_valid: DFF<Bit>,
    visit_flow: DFF<Bits<FB>>,
    visit_is_arm: DFF<Bit>,
    visit_is_call: DFF<Bit>,
    pop: Signal<Local, Bit>,
    none: Constant<Bits<CB>>,
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
            s_call_valid: Default::default(),
            s_call_flow: Default::default(),
            m_visit_valid: Default::default(),
            m_visit_flow: Default::default(),
            m_visit_is_arm: Default::default(),
            m_visit_is_call: Default::default(),
            ram: Default::default(),
            head: Default::default(),
            tail: Default::default(),
            count: Default::default(),
            arm_chosen: Default::default(),
            arm_flow: Default::default(),
            call_chosen: Default::default(),
            ring_chosen: Default::default(),
            visit_valid: Default::default(),
            visit_flow: Default::default(),
            visit_is_arm: Default::default(),
            visit_is_call: Default::default(),
            pop: Default::default(),
            none: Constant::new(0.into()),
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
            visit_is_arm,
            visit_is_call
        );
        self.ram.clock.next = self.clock.val();
        self.m_visit_valid.next = self.visit_valid.q.val();
        self.m_visit_flow.next = self.visit_flow.q.val();
        self.m_visit_is_arm.next = self.visit_is_arm.q.val();
        self.m_visit_is_call.next = self.visit_is_call.q.val();
        comment!("Choose: a flow with new work, else the called one, else the head of the ring.");
        self.pop.next = !self.s_arm_valid.val()
            & !self.s_call_valid.val()
            & (self.count.q.val() != self.none.val());
        self.arm_chosen.d.next = self.s_arm_valid.val();
        self.call_chosen.d.next = self.s_call_valid.val() & !self.s_arm_valid.val();
        self.arm_flow.d.next = self.s_call_flow.val();
        if self.s_arm_valid.val() {
            self.arm_flow.d.next = self.s_arm_flow.val();
        }
        self.ring_chosen.d.next = self.pop.val();
        self.ram.read_enable.next = self.pop.val();
        self.ram.read_address.next = self.head.q.val();
        if self.pop.val() {
            self.head.d.next = self.head.q.val() + 1;
        }
        comment!("Visit.");
        self.visit_valid.d.next =
            self.arm_chosen.q.val() | self.call_chosen.q.val() | self.ring_chosen.q.val();
        self.visit_is_arm.d.next = self.arm_chosen.q.val();
        self.visit_is_call.d.next = self.call_chosen.q.val();
        self.visit_flow.d.next = 0.into();
        if self.arm_chosen.q.val() | self.call_chosen.q.val() {
            self.visit_flow.d.next = self.arm_flow.q.val();
        } else if self.ring_chosen.q.val() {
            self.visit_flow.d.next = self.ram.read_data.val();
        }
        comment!("Return: a flow that may not send yet goes to the tail.");
        self.ram.write_enable.next = self.s_return_valid.val();
        self.ram.write_address.next = self.tail.q.val();
        self.ram.write_data.next = self.s_return_flow.val();
        if self.s_return_valid.val() {
            self.tail.d.next = self.tail.q.val() + 1;
        }
        if self.s_return_valid.val() & !self.pop.val() {
            self.count.d.next = self.count.q.val() + 1;
        } else if self.pop.val() & !self.s_return_valid.val() {
            self.count.d.next = self.count.q.val() - 1;
        }
        if self.reset.val() {
            self.head.d.next = 0.into();
            self.tail.d.next = 0.into();
            self.count.d.next = 0.into();
            self.arm_chosen.d.next = false;
            self.call_chosen.d.next = false;
            self.ring_chosen.d.next = false;
            self.visit_valid.d.next = false;
            self.visit_flow.d.next = 0.into();
            self.visit_is_arm.d.next = false;
            self.visit_is_call.d.next = false;
        }
    }
}
