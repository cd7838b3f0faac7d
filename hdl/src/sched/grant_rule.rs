//! Decides each visit: grant, back to the ring, or leave it.
//!
//! A flow is granted when it is armed, created, inside its window, has credit for a packet, and
//! lags at least as much as the floor of the grant queue. A flow on the top level that finds no
//! room takes the ticket: the last place for grants is then kept for it.
//!
//! # Interface timing  cycle 0: s_visit_*; cycle 1: m_grant_*, m_return_*, m_store_*.
//!                     Cycle 0: s_work_* or s_remove_*; cycle 2: m_arm_*, when the flow is not in
//!                     the ring yet
//! # Latency and rate  [`LATENCY_CYCLES`]; one visit, one work and one remove per cycle
//! # Shape             F = 2^FB flows
//! # Number formats    as credit_pipe.rs
//! # Reset             synchronous, high: nothing armed, no grant, no ticket
//! # Twins             `decide` of sim/src/golden/sched/scheduler.rs

use super::grant_queue::GrantQueue;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from a visit's credit to its grant.
pub const LATENCY_CYCLES: usize = 1;
/// Decision for `F = 2^FB` flows.
#[derive(LogicBlock)]
pub struct GrantRule<const F: usize, const FB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// A visit ends.
    pub s_visit_valid: Signal<In, Bit>,
    /// Its flow.
    pub s_visit_flow: Signal<In, Bits<FB>>,
    /// It is the first visit since the flow was armed.
    pub s_visit_is_arm: Signal<In, Bit>,
    /// The flow exists.
    pub s_visit_created: Signal<In, Bit>,
    /// Its window is open.
    pub s_visit_is_open: Signal<In, Bit>,
    /// Credit to keep when nothing is sent, UQ16.24 bytes.
    pub s_visit_kept_credit: Signal<In, Bits<40>>,
    /// Credit that its packet leaves, UQ16.24 bytes.
    pub s_visit_spent_credit: Signal<In, Bits<40>>,
    /// Levels reached.
    pub s_visit_levels: Signal<In, Bits<8>>,
    /// A flow has work.
    pub s_work_valid: Signal<In, Bit>,
    /// Its id.
    pub s_work_flow: Signal<In, Bits<FB>>,
    /// A flow is removed.
    pub s_remove_valid: Signal<In, Bit>,
    /// Its id.
    pub s_remove_flow: Signal<In, Bits<FB>>,
    /// A flow enters the ring.
    pub m_arm_valid: Signal<Out, Bit>,
    /// Its id.
    pub m_arm_flow: Signal<Out, Bits<FB>>,
    /// A flow stays in the ring.
    pub m_return_valid: Signal<Out, Bit>,
    /// The flow of the last visit.
    pub m_visit_flow: Signal<Out, Bits<FB>>,
    /// The last visit's credit is to be stored.
    pub m_store_valid: Signal<Out, Bit>,
    /// Credit after the visit, UQ16.24 bytes.
    pub m_store_credit: Signal<Out, Bits<40>>,
    /// The flow existed.
    pub m_store_started: Signal<Out, Bit>,
    /// A flow may send its packet.
    pub m_grant_valid: Signal<Out, Bit>,
    /// The requester takes the grant.
    pub m_grant_ready: Signal<In, Bit>,
    /// The flow, 0 while m_grant_valid is low.
    pub m_grant_flow: Signal<Out, Bits<FB>>,
    armed: DFF<Bits<F>>,
    in_ring: DFF<Bits<F>>,
    work_valid: DFF<Bit>,
    work_flow: DFF<Bits<FB>>,
    remove_valid: DFF<Bit>,
    remove_flow: DFF<Bits<FB>>,
    arm_valid: DFF<Bit>,
    arm_flow: DFF<Bits<FB>>,
    return_valid: DFF<Bit>,
    visit_flow: DFF<Bits<FB>>,
    store_valid: DFF<Bit>,
    store_credit: DFF<Bits<40>>,
    store_started: DFF<Bit>,
    queue: GrantQueue<FB>,
    ticket_valid: DFF<Bit>,
    ticket_flow: DFF<Bits<FB>>,
    is_armed: Signal<Local, Bit>,
    is_holder: Signal<Local, Bit>,
    has_room: Signal<Local, Bit>,
    is_high: Signal<Local, Bit>,
    may_send: Signal<Local, Bit>,
    grant: Signal<Local, Bit>,
    passed_over: Signal<Local, Bit>,
    leave: Signal<Local, Bit>,
    below_floor: Signal<Local, Bits<8>>,
    not_reached: Signal<Local, Bits<8>>,
    visit_mask: Signal<Local, Bits<F>>,
    work_mask: Signal<Local, Bits<F>>,
    remove_mask: Signal<Local, Bits<F>>,
    disarm_mask: Signal<Local, Bits<F>>,
    leave_mask: Signal<Local, Bits<F>>,
    keep_armed: Signal<Local, Bits<F>>,
    keep_in_ring: Signal<Local, Bits<F>>,
    one: Constant<Bits<F>>,
}

impl<const F: usize, const FB: usize> Default for GrantRule<F, FB> {
    fn default() -> Self {
        assert!(F == 1 << FB, "F = 2^FB");
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_visit_valid: Default::default(),
            s_visit_flow: Default::default(),
            s_visit_is_arm: Default::default(),
            s_visit_created: Default::default(),
            s_visit_is_open: Default::default(),
            s_visit_kept_credit: Default::default(),
            s_visit_spent_credit: Default::default(),
            s_visit_levels: Default::default(),
            s_work_valid: Default::default(),
            s_work_flow: Default::default(),
            s_remove_valid: Default::default(),
            s_remove_flow: Default::default(),
            m_arm_valid: Default::default(),
            m_arm_flow: Default::default(),
            m_return_valid: Default::default(),
            m_visit_flow: Default::default(),
            m_store_valid: Default::default(),
            m_store_credit: Default::default(),
            m_store_started: Default::default(),
            m_grant_valid: Default::default(),
            m_grant_ready: Default::default(),
            m_grant_flow: Default::default(),
            armed: Default::default(),
            in_ring: Default::default(),
            work_valid: Default::default(),
            work_flow: Default::default(),
            remove_valid: Default::default(),
            remove_flow: Default::default(),
            arm_valid: Default::default(),
            arm_flow: Default::default(),
            return_valid: Default::default(),
            visit_flow: Default::default(),
            store_valid: Default::default(),
            store_credit: Default::default(),
            store_started: Default::default(),
            queue: Default::default(),
            ticket_valid: Default::default(),
            ticket_flow: Default::default(),
            is_armed: Default::default(),
            is_holder: Default::default(),
            has_room: Default::default(),
            is_high: Default::default(),
            may_send: Default::default(),
            grant: Default::default(),
            passed_over: Default::default(),
            leave: Default::default(),
            below_floor: Default::default(),
            not_reached: Default::default(),
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

impl<const F: usize, const FB: usize> Logic for GrantRule<F, FB> {
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
            arm_flow,
            return_valid,
            visit_flow,
            store_valid,
            store_credit,
            store_started,
            ticket_valid,
            ticket_flow
        );
        self.queue.clock.next = self.clock.val();
        self.queue.reset.next = self.reset.val();
        self.m_arm_valid.next = self.arm_valid.q.val();
        self.m_arm_flow.next = self.arm_flow.q.val();
        self.m_return_valid.next = self.return_valid.q.val();
        self.m_visit_flow.next = self.visit_flow.q.val();
        self.m_store_valid.next = self.store_valid.q.val();
        self.m_store_credit.next = self.store_credit.q.val();
        self.m_store_started.next = self.store_started.q.val();
        self.m_grant_valid.next = self.queue.m_grant_valid.val();
        self.m_grant_flow.next = self.queue.m_grant_flow.val();
        self.queue.m_grant_ready.next = self.m_grant_ready.val();
        comment!("May the flow send, and is there room for its grant?");
        self.is_armed.next = self.armed.q.val().get_bit(self.s_visit_flow.val().index());
        self.may_send.next = self.s_visit_valid.val()
            & self.s_visit_created.val()
            & self.s_visit_is_open.val()
            & self.s_visit_levels.val().get_bit(0)
            & self.is_armed.val();
        self.is_holder.next =
            self.ticket_valid.q.val() & (self.ticket_flow.q.val() == self.s_visit_flow.val());
        self.has_room.next = !self.queue.m_is_full.val()
            & (!self.queue.m_grant_valid.val() | !self.ticket_valid.q.val() | self.is_holder.val());
        self.not_reached.next = !self.s_visit_levels.val();
        self.below_floor.next = self.queue.m_floor.val() & self.not_reached.val();
        self.is_high.next = self.is_holder.val() | !self.below_floor.val().any();
        self.grant.next = self.may_send.val() & self.has_room.val() & self.is_high.val();
        self.passed_over.next = self.may_send.val() & !self.grant.val();
        self.leave.next = self.s_visit_valid.val() & (self.grant.val() | !self.is_armed.val());
        self.queue.s_push.next = self.grant.val();
        self.queue.s_push_flow.next = self.s_visit_flow.val();
        self.queue.s_seen.next = self.may_send.val();
        self.queue.s_seen_levels.next = self.s_visit_levels.val();
        comment!("Ticket: for the first flow on the top level that finds both places taken.");
        if self.s_visit_valid.val() & self.is_holder.val() {
            self.ticket_valid.d.next = self.passed_over.val();
        } else if !self.ticket_valid.q.val()
            & self.passed_over.val()
            & self.s_visit_levels.val().get_bit(7)
            & self.queue.m_is_full.val()
            & !self.s_visit_is_arm.val()
        {
            self.ticket_valid.d.next = true;
            self.ticket_flow.d.next = self.s_visit_flow.val();
        }
        comment!("Credit to keep, and the flow's way back.");
        self.store_valid.d.next = self.s_visit_valid.val();
        self.store_started.d.next = self.s_visit_created.val();
        self.visit_flow.d.next = self.s_visit_flow.val();
        self.return_valid.d.next = self.s_visit_valid.val() & !self.leave.val();
        self.store_credit.d.next = self.s_visit_kept_credit.val();
        if !self.s_visit_created.val() {
            self.store_credit.d.next = 0.into();
        } else if self.grant.val() {
            self.store_credit.d.next = self.s_visit_spent_credit.val();
        }
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
        if self.grant.val() {
            self.disarm_mask.next = self.remove_mask.val() | self.visit_mask.val();
        }
        self.leave_mask.next = 0.into();
        if self.leave.val() {
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
                | (self.leave.val() & (self.s_visit_flow.val() == self.work_flow.q.val())));
        if self.reset.val() {
            self.armed.d.next = 0.into();
            self.in_ring.d.next = 0.into();
            self.work_valid.d.next = false;
            self.remove_valid.d.next = false;
            self.arm_valid.d.next = false;
            self.arm_flow.d.next = 0.into();
            self.return_valid.d.next = false;
            self.visit_flow.d.next = 0.into();
            self.store_valid.d.next = false;
            self.ticket_valid.d.next = false;
        }
    }
}
