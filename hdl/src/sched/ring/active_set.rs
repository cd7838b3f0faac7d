//! Which flows have work, and which of them are in the ring.
//!
//! # Interface timing  cycle 0: s_visit_flow, s_grant, s_leave; cycle 1: m_armed.
//!                     Cycle 0: s_work_* or s_remove_*; cycle 2: m_arm_*, when the flow is not in
//!                     the ring yet
//! # Latency and rate  [`LATENCY_CYCLES`]; one visit, one work and one remove per cycle
//! # Shape             F = 2^FB flows
//! # Reset             synchronous, high: no flow has work, m_arm_flow = 0
//! # Twins             `arm_and_remove` of sim/models/src/golden/sched/scheduler.rs

use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from work to the arm of its flow.
pub const LATENCY_CYCLES: usize = 2;

/// Two bits for each of `F = 2^FB` flows.
#[block(check(F == 1 << FB))]
pub struct ActiveSet<const F: usize, const FB: usize> {
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
    armed: Reg<Bits<F>>,
    in_ring: Reg<Bits<F>>,
    work_valid: Reg<Bit>,
    work_flow: Unreset<Bits<FB>>,
    remove_valid: Reg<Bit>,
    remove_flow: Unreset<Bits<FB>>,
    arm_valid: Reg<Bit>,
    arm_flow: Reg<Bits<FB>>,
    visit_mask: Signal<Local, Bits<F>>,
    work_mask: Signal<Local, Bits<F>>,
    remove_mask: Signal<Local, Bits<F>>,
    disarm_mask: Signal<Local, Bits<F>>,
    leave_mask: Signal<Local, Bits<F>>,
    keep_armed: Signal<Local, Bits<F>>,
    keep_in_ring: Signal<Local, Bits<F>>,
    #[value(1)]
    one: Constant<Bits<F>>,
}

impl<const F: usize, const FB: usize> Logic for ActiveSet<F, FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_arm_valid.next = self.arm_valid.val();
        self.m_arm_flow.next = self.arm_flow.val();
        self.m_armed.next = self.armed.val();
        comment!("Work arms a flow, a grant or a remove disarms it; work wins.");
        self.work_valid.next = self.s_work_valid.val();
        self.work_flow.next = self.s_work_flow.val();
        self.remove_valid.next = self.s_remove_valid.val();
        self.remove_flow.next = self.s_remove_flow.val();
        self.visit_mask.next = self.one.val() << self.s_visit_flow.val();
        self.work_mask.next = 0.into();
        if self.work_valid.val() {
            self.work_mask.next = self.one.val() << self.work_flow.val();
        }
        self.remove_mask.next = 0.into();
        if self.remove_valid.val() {
            self.remove_mask.next = self.one.val() << self.remove_flow.val();
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
        self.armed.next = (self.armed.val() & self.keep_armed.val()) | self.work_mask.val();
        self.in_ring.next = (self.in_ring.val() & self.keep_in_ring.val()) | self.work_mask.val();
        comment!("A flow enters the ring unless it is there and stays.");
        self.arm_flow.next = self.work_flow.val();
        self.arm_valid.next = self.work_valid.val()
            & (!self.in_ring.val().get_bit(self.work_flow.val().index())
                | (self.s_leave.val() & (self.s_visit_flow.val() == self.work_flow.val())));
    }
}
