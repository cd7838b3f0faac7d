//! Decides each visit: grant, back to the ring, or leave it.
//!
//! A flow may send when it is armed, created, inside its window, has not got more than its share,
//! and has credit for a packet, or is called and must send; but not by a visit that read the flow's
//! state before its work came. It is granted when it is called and
//! must send, or when nobody is called and it lags at least as much as the floor of the grant
//! queue, or is too fast to be remembered. Flows on the top level that find no room queue up.
//! The first of them holds the ticket, until it is granted or may not send: the last place for
//! grants is kept for it, and both once it has found one just behind a grant. It returns to the
//! express ring. A flow that is queued stays in the ring.
//!
//! A flow that has its share holds at most 7/4 packets of credit while it is bunched, and forgets
//! one packet when it lags 4.
//!
//! A turn is over with the grant, or when the visit that was called for finds that the flow need
//! not or cannot send. It waits while the flow's last packet may still be on its way to the line:
//! the flow has none to send then, but will have.
//!
//! # Interface timing  cycle 0: s_visit_*; cycle 1: m_grant_*, m_packet_valid, m_turn_done, m_return_*, m_store_*.
//!                     Cycle 0: s_work_* or s_remove_*; cycle 2: m_arm_*, when the flow is not in
//!                     the ring yet
//! # Latency and rate  [`LATENCY_CYCLES`]; one visit, one work and one remove per cycle; those of a
//!                     flow that are not bounced are 9 cycles apart at least
//! # Shape             F = 2^FB flows, CB = FB + 1
//! # Number formats    as credit_pipe.rs
//! # Reset             synchronous, high: nothing armed, no grant, nobody queued
//! # Twins             `decide` and `keep_ticket` of sim/models/src/golden/sched/scheduler.rs

use crate::sched::{
    credit::credit_pipe::CREDIT_ZERO, grant::queue::GrantQueue, ring::active_set::ActiveSet,
};
use crate::streams::Flow;
use crate::util::ram_fifo::RamFifo;
use crate::{block, kernel, Reg, Unreset, Wire};
use rust_hdl_core::prelude::*;

/// Cycles from a visit's credit to its grant.
pub const LATENCY_CYCLES: usize = 1;
/// Decision for `F = 2^FB` flows.
#[block(check(F == 1 << FB && CB == FB + 1))]
pub struct GrantRule<const F: usize, const FB: usize, const CB: usize> {
    /// A visit ends.
    pub s_visit_valid: Signal<In, Bit>,
    /// Its flow.
    pub s_visit_flow: Signal<In, Bits<FB>>,
    /// It is a call: the flow's place in the ring does not change.
    pub s_visit_is_call: Signal<In, Bit>,
    /// It goes back to the ring, nothing else.
    pub s_visit_is_bounced: Signal<In, Bit>,
    /// The flow got work after its state was read.
    pub s_visit_is_stale: Signal<In, Bit>,
    /// The flow exists.
    pub s_visit_created: Signal<In, Bit>,
    /// It is queued for the ticket, or holds it.
    pub s_visit_is_queued: Signal<In, Bit>,
    /// Its window is open.
    pub s_visit_is_open: Signal<In, Bit>,
    /// It has not got more than its share.
    pub s_visit_is_within: Signal<In, Bit>,
    /// Without its packet it gets less than its share.
    pub s_visit_must_send: Signal<In, Bit>,
    /// Two of its packets are about to leave, and it is short.
    pub s_visit_is_bunched: Signal<In, Bit>,
    /// Its packets are remembered.
    pub s_visit_is_kept: Signal<In, Bit>,
    /// Credit to keep when nothing is sent.
    pub s_visit_kept_credit: Signal<In, Bits<41>>,
    /// Credit that its packet leaves.
    pub s_visit_spent_credit: Signal<In, Bits<41>>,
    /// Credit of level 3, in quarters of a byte: more is not kept when it is bunched.
    pub s_visit_held_quarters: Signal<In, Bits<18>>,
    /// Levels reached.
    pub s_visit_levels: Signal<In, Bits<8>>,
    /// It pays for its packet: it does not owe much.
    pub s_visit_may_owe: Signal<In, Bit>,
    /// A flow is called.
    pub s_called_valid: Signal<In, Bit>,
    /// The flow.
    pub s_called_flow: Signal<In, Bits<FB>>,
    /// The last grant is not written down yet.
    pub s_is_pending: Signal<In, Bit>,
    /// No flow is called, or will be for its packet of a window ago.
    pub s_is_settled: Signal<In, Bit>,
    /// The line has little work.
    pub s_is_low: Signal<In, Bit>,
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
    /// It is visited more often.
    pub m_return_is_express: Signal<Out, Bit>,
    /// The flow of the last visit.
    pub m_visit_flow: Signal<Out, Bits<FB>>,
    /// The last visit's credit is to be stored.
    pub m_store_valid: Signal<Out, Bit>,
    /// Credit after the visit.
    pub m_store_credit: Signal<Out, Bits<41>>,
    /// The flow existed.
    pub m_store_started: Signal<Out, Bit>,
    /// It is queued for the ticket, or holds it.
    pub m_store_is_queued: Signal<Out, Bit>,
    /// The flow of the last visit is granted.
    pub m_packet_valid: Signal<Out, Bit>,
    /// The last visit ended the called flow's turn.
    pub m_turn_done: Signal<Out, Bit>,
    /// There is a place for a grant.
    pub m_has_place: Signal<Out, Bit>,
    /// A flow may send its packet.
    pub m_grant: Flow<Out, FB>,
    set: ActiveSet<F, FB>,
    queue: GrantQueue<FB>,
    late: RamFifo<Bits<FB>, FB, CB>,
    return_valid: Reg<Bit>,
    return_is_express: Unreset<Bit>,
    visit_flow: Reg<Bits<FB>>,
    store_valid: Reg<Bit>,
    store_credit: Unreset<Bits<41>>,
    store_started: Unreset<Bit>,
    store_is_queued: Unreset<Bit>,
    packet_valid: Reg<Bit>,
    turn_done: Reg<Bit>,
    joins: Reg<Bit>,
    ticket_ends: Reg<Bit>,
    ticket_is_due: Reg<Bit>,
    is_armed: Signal<Local, Bit>,
    is_decided: Signal<Local, Bit>,
    is_late: Signal<Local, Bit>,
    is_mine: Signal<Local, Bit>,
    is_able: Signal<Local, Bit>,
    is_called: Signal<Local, Bit>,
    is_recent: Signal<Local, Bit>,
    is_recent_0: Signal<Local, Bit>,
    is_recent_1: Signal<Local, Bit>,
    is_recent_2: Signal<Local, Bit>,
    is_recent_3: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    is_holder: Signal<Local, Bit>,
    place_is_kept: Signal<Local, Bit>,
    is_joining: Signal<Local, Bit>,
    keeps_ticket: Signal<Local, Bit>,
    has_room: Signal<Local, Bit>,
    is_first: Signal<Local, Bit>,
    may_send: Signal<Local, Bit>,
    grant: Signal<Local, Bit>,
    passed_over: Signal<Local, Bit>,
    leave: Signal<Local, Bit>,
    below_floor: Signal<Local, Bits<8>>,
    not_reached: Signal<Local, Bits<8>>,
    held_wide: Signal<Local, Bits<41>>,
    #[value(CREDIT_ZERO)]
    no_credit: Constant<Bits<41>>,
}

#[kernel]
impl<const F: usize, const FB: usize, const CB: usize> GrantRule<F, FB, CB> {
    fn update(&mut self) {
        self.m_return_valid.next = self.return_valid.val();
        self.m_return_is_express.next = self.return_is_express.val();
        self.m_visit_flow.next = self.visit_flow.val();
        self.m_store_valid.next = self.store_valid.val();
        self.m_store_credit.next = self.store_credit.val();
        self.m_store_started.next = self.store_started.val();
        self.m_store_is_queued.next = self.store_is_queued.val();
        self.m_packet_valid.next = self.packet_valid.val();
        self.m_turn_done.next = self.turn_done.val();
        self.m_has_place.next = !self.queue.m_is_full.val();
        Wire::join(&mut self.queue.m_grant, &mut self.m_grant);
        self.queue.s_is_low.next = self.s_is_low.val();
        comment!("Work.");
        self.set.s_visit_flow.next = self.s_visit_flow.val();
        self.set.s_work_valid.next = self.s_work_valid.val();
        self.set.s_work_flow.next = self.s_work_flow.val();
        self.set.s_remove_valid.next = self.s_remove_valid.val();
        self.set.s_remove_flow.next = self.s_remove_flow.val();
        self.m_arm_valid.next = self.set.m_arm_valid.val();
        self.m_arm_flow.next = self.set.m_arm_flow.val();
        comment!("May the flow send?");
        self.is_decided.next = self.s_visit_valid.val() & !self.s_visit_is_bounced.val();
        self.is_late.next = self.s_visit_levels.val().get_bit(7);
        self.is_armed.next = self.set.m_armed.val().get_bit(self.s_visit_flow.val().index());
        self.is_mine.next =
            self.s_called_valid.val() & (self.s_called_flow.val() == self.s_visit_flow.val());
        self.is_called.next = self.is_mine.val() & self.s_visit_must_send.val();
        self.is_able.next = self.is_decided.val()
            & self.s_visit_created.val()
            & self.s_visit_is_open.val()
            & self.s_visit_is_within.val();
        self.may_send.next = self.is_able.val()
            & self.is_armed.val()
            & !self.s_visit_is_stale.val()
            & (self.s_visit_levels.val().get_bit(0) | self.is_called.val());
        comment!("Is there room for its grant, and is it first?");
        self.is_holder.next =
            self.late.m.valid.val() & (self.late.m.data.val() == self.s_visit_flow.val());
        self.place_is_kept.next =
            self.late.m.valid.val() & (self.queue.m_grant.valid.val() | self.ticket_is_due.val());
        self.has_room.next = !self.queue.m_is_full.val()
            & (!self.place_is_kept.val() | self.is_holder.val())
            & !self.packet_valid.val()
            & !self.s_is_pending.val();
        self.not_reached.next = !self.s_visit_levels.val();
        self.below_floor.next = self.queue.m_floor.val() & self.not_reached.val();
        self.is_first.next = self.is_holder.val()
            | self.is_called.val()
            | ((self.s_is_settled.val() | self.s_is_low.val())
                & (!self.below_floor.val().any() | !self.s_visit_is_kept.val()));
        self.grant.next = self.may_send.val() & self.has_room.val() & self.is_first.val();
        self.passed_over.next = self.may_send.val() & !self.grant.val();
        self.leave.next = self.is_decided.val()
            & !self.s_visit_is_call.val()
            & (self.grant.val() | !self.is_armed.val())
            & (!self.s_visit_is_queued.val() | self.is_holder.val());

        self.turn();
        self.tickets();
        self.keeping();
    }

    /// The turn waits for a flow whose last packet may not have left.
    fn turn(&mut self) {
        self.is_recent_0.next = self.queue.m_recent_valid.val().get_bit(0)
            & (self.queue.m_recent_0.val() == self.s_visit_flow.val());
        self.is_recent_1.next = self.queue.m_recent_valid.val().get_bit(1)
            & (self.queue.m_recent_1.val() == self.s_visit_flow.val());
        self.is_recent_2.next = self.queue.m_recent_valid.val().get_bit(2)
            & (self.queue.m_recent_2.val() == self.s_visit_flow.val());
        self.is_recent_3.next = self.queue.m_recent_valid.val().get_bit(3)
            & (self.queue.m_recent_3.val() == self.s_visit_flow.val());
        self.is_recent.next = self.is_recent_0.val()
            | self.is_recent_1.val()
            | self.is_recent_2.val()
            | self.is_recent_3.val();
        self.waits.next = self.is_able.val()
            & self.is_called.val()
            & (self.is_armed.val() | (self.is_recent.val() & !self.s_is_low.val()));
        self.turn_done.next = self.is_decided.val()
            & self.is_mine.val()
            & (self.grant.val() | (self.s_visit_is_call.val() & !self.waits.val()));
        self.set.s_grant.next = self.grant.val();
        self.set.s_leave.next = self.leave.val();
        self.queue.s_push.next = self.grant.val();
        self.queue.s_push_flow.next = self.s_visit_flow.val();
        self.queue.s_seen.next = self.may_send.val();
        self.queue.s_seen_levels.next = self.s_visit_levels.val();
        self.packet_valid.next = self.grant.val();
    }

    /// Late flows that find no room queue up; the first of them holds the ticket.
    fn tickets(&mut self) {
        self.is_joining.next = self.may_send.val()
            & !self.has_room.val()
            & self.is_late.val()
            & !self.s_visit_is_queued.val();
        self.keeps_ticket.next = self.is_holder.val() & self.passed_over.val();
        self.joins.next = self.is_joining.val();
        self.ticket_ends.next =
            self.is_decided.val() & self.is_holder.val() & !self.passed_over.val();
        self.late.s.valid.next = self.joins.val();
        self.late.s.data.next = self.visit_flow.val();
        self.late.m.ready.next = self.ticket_ends.val();
        comment!("A holder that finds a place just behind a grant is the next to be granted.");
        if self.is_decided.val() & self.is_holder.val() {
            self.ticket_is_due.next = self.passed_over.val() & !self.queue.m_is_full.val();
        }
        self.store_is_queued.next = self.is_joining.val()
            | self.keeps_ticket.val()
            | (self.s_visit_is_queued.val() & !self.is_holder.val());
    }

    /// Credit to keep, and the flow's way back.
    fn keeping(&mut self) {
        self.store_valid.next = self.is_decided.val();
        self.store_started.next = self.s_visit_created.val();
        self.visit_flow.next = self.s_visit_flow.val();
        self.return_valid.next =
            self.s_visit_valid.val() & !self.s_visit_is_call.val() & !self.leave.val();
        self.return_is_express.next = self.keeps_ticket.val()
            | (self.is_decided.val()
                & self.s_visit_created.val()
                & !self.s_visit_is_kept.val()
                & !self.is_late.val());
        self.held_wide.next = bit_cast::<41, 18>(self.s_visit_held_quarters.val());
        self.store_credit.next = self.s_visit_kept_credit.val();
        if !self.s_visit_created.val() {
            self.store_credit.next = self.no_credit.val();
        } else if self.grant.val() {
            if self.s_visit_may_owe.val() {
                self.store_credit.next = self.s_visit_spent_credit.val();
            }
        } else if self.s_visit_is_open.val() & !self.s_visit_is_within.val() {
            if self.s_visit_is_bunched.val() {
                if self.s_visit_levels.val().get_bit(3) {
                    self.store_credit.next = (self.held_wide.val() << 22) | self.no_credit.val();
                }
            } else if self.is_late.val() {
                self.store_credit.next = self.s_visit_spent_credit.val();
            }
        }
    }
}
