//! Which flows have work, and which of them are in the ring.
//!
//! # Interface timing  cycle 0: s_visit_flow, s_grant, s_leave; cycle 1: m_armed.
//!                     Cycle 0: s_work_* or s_remove_*; cycle 2: m_arm_*, when the flow is not in
//!                     the ring yet
//! # Latency and rate  [`LATENCY_CYCLES`]; one visit, one work and one remove per cycle
//! # Shape             F = 2^FB flows
//! # Reset             synchronous, high: no flow has work, m_arm_flow = 0
//! # Twins             `arm_and_remove` of sim/src/golden/sched/scheduler.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from work to the arm of its flow.
pub const LATENCY_CYCLES: usize = 2;

/// Two bits for each of `F = 2^FB` flows.
#[derive(LogicBlock)]
pub struct ActiveSet<const F: usize, const FB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// Flow of a visit.
    pub s_visit_flow: Signal<In, Bits<FB>>,
    /// It is granted.
    pub s_grant: Signal<In, Bit>,
    /// It leaves the ring.
    pub s_leave: Signal<In, Bit>,
    /// A flow has work.
    pub s_work_valid: Signal<In, Bit>,
    /// Its id.
    pub s_work_flow: Signal<In, Bits<FB>>,
    /// A flow is removed.
    pub s_remove_valid: Signal<In, Bit>,
    /// Its id.
    pub s_remove_flow: Signal<In, Bits<FB>>,
    /// Flows that have work.
    pub m_armed: Signal<Out, Bits<F>>,
    /// A flow enters the ring.
    pub m_arm_valid: Signal<Out, Bit>,
    /// Its id.
    pub m_arm_flow: Signal<Out, Bits<FB>>,
    armed: DFF<Bits<F>>,
    in_ring: DFF<Bits<F>>,
    work_valid: DFF<Bit>,
    work_flow: DFF<Bits<FB>>,
    remove_valid: DFF<Bit>,
    remove_flow: DFF<Bits<FB>>,
    arm_valid: DFF<Bit>,
    arm_flow: DFF<Bits<FB>>,
    visit_mask: Signal<Local, Bits<F>>,
    work_mask: Signal<Local, Bits<F>>,
    remove_mask: Signal<Local, Bits<F>>,
    disarm_mask: Signal<Local, Bits<F>>,
    leave_mask: Signal<Local, Bits<F>>,
    keep_armed: Signal<Local, Bits<F>>,
    keep_in_ring: Signal<Local, Bits<F>>,
    one: Constant<Bits<F>>,
}

impl<const F: usize, const FB: usize> Default for ActiveSet<F, FB> {
    fn default() -> Self {
        assert!(F == 1 << FB, "F = 2^FB");
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_visit_flow: Default::default(),
            s_grant: Default::default(),
            s_leave: Default::default(),
            s_work_valid: Default::default(),
            s_work_flow: Default::default(),
            s_remove_valid: Default::default(),
            s_remove_flow: Default::default(),
            m_armed: Default::default(),
            m_arm_valid: Default::default(),
            m_arm_flow: Default::default(),
            armed: Default::default(),
            in_ring: Default::default(),
            work_valid: Default::default(),
            work_flow: Default::default(),
            remove_valid: Default::default(),
            remove_flow: Default::default(),
            arm_valid: Default::default(),
            arm_flow: Default::default(),
            visit_mask: Default::default(),
            work_mask: Default::default(),
            remove_mask: Default::default(),
            disarm_mask: Default::default(),
            leave_mask: Default::default(),
            keep_armed: Default::default(),
            keep_in_ring: Default::default(),
            one: Constant::new(1.into()),
        }
    }
}

impl<const F: usize, const FB: usize> Logic for ActiveSet<F, FB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            armed,
            in_ring,
            work_valid,
            work_flow,
            remove_valid,
            remove_flow,
            arm_valid,
            arm_flow
        );
        self.m_arm_valid.next = self.arm_valid.q.val();
        self.m_arm_flow.next = self.arm_flow.q.val();
        self.m_armed.next = self.armed.q.val();
        comment!("Work arms a flow, a grant or a remove disarms it; work wins.");
        self.work_valid.d.next = self.s_work_valid.val();
        self.work_flow.d.next = self.s_work_flow.val();
        self.remove_valid.d.next = self.s_remove_valid.val();
        self.remove_flow.d.next = self.s_remove_flow.val();
        self.visit_mask.next = self.one.val() << self.s_visit_flow.val();
        self.work_mask.next = 0.into();
        if self.work_valid.q.val() {
            self.work_mask.next = self.one.val() << self.work_flow.q.val();
        }
        self.remove_mask.next = 0.into();
        if self.remove_valid.q.val() {
            self.remove_mask.next = self.one.val() << self.remove_flow.q.val();
        }
        self.disarm_mask.next = self.remove_mask.val();
        if self.s_grant.val() {
            self.disarm_mask.next = self.remove_mask.val() | self.visit_mask.val();
        }
        self.leave_mask.next = 0.into();
        if self.s_leave.val() {
            self.leave_mask.next = self.visit_mask.val();
        }
        self.keep_armed.next = !self.disarm_mask.val();
        self.keep_in_ring.next = !self.leave_mask.val();
        self.armed.d.next = (self.armed.q.val() & self.keep_armed.val()) | self.work_mask.val();
        self.in_ring.d.next =
            (self.in_ring.q.val() & self.keep_in_ring.val()) | self.work_mask.val();
        comment!("A flow enters the ring unless it is there and stays.");
        self.arm_flow.d.next = self.work_flow.q.val();
        self.arm_valid.d.next = self.work_valid.q.val()
            & (!self.in_ring.q.val().get_bit(self.work_flow.q.val().index())
                | (self.s_leave.val() & (self.s_visit_flow.val() == self.work_flow.q.val())));
        if self.reset.val() {
            self.armed.d.next = 0.into();
            self.in_ring.d.next = 0.into();
            self.work_valid.d.next = false;
            self.remove_valid.d.next = false;
            self.arm_valid.d.next = false;
            self.arm_flow.d.next = 0.into();
        }
    }
}
