//! Flow scheduler: each flow that has work sends at its rate, inside its window.
//!
//! Flows with work wait in a ring and are visited in turn, one a cycle; idle flows cost nothing.
//! A visit adds rate x elapsed cycles to the flow's credit and grants a packet when the credit
//! covers it, and the flow has not got more than its share of the last millisecond.
//!
//! In any window of 1 ms a flow that asks for a packets may get one more or one less: its count
//! alternates between the whole numbers below and above a. It may send while its count is not
//! above a, and with its count below a it must before its oldest packet leaves. No order that only
//! looks at lags keeps that, so the packets of the last window are remembered. Shortly before one
//! of them leaves it is the flow's turn again: it is visited at once and goes before all flows that
//! only lag, if without its packet it would have less than a, those not counted whose turn has
//! been. The turn waits for a flow whose last packet is still on its way to the line; time does not
//! pass meanwhile. A flow that lags is let in while the next turn is further away than the longest
//! packet takes. Turns are apart by what the line carried a window ago, so each comes in time if
//! the first does, whatever the lengths. A turn may come a little before the flow's credit, which
//! then falls below zero. What the turns leave goes to the flow that lags most, in packets, among
//! those that have not more than a packets in the window. Flows that are too fast to be remembered
//! do not wait for those that lag more, and up to 8 of them are visited every other cycle: for them
//! a packet late is more than one of theirs.
//!
//! A flow that asks for little less than a whole number of packets, or little more, falls behind
//! or gets ahead, since its packets come a little more or less than a window after those before.
//! That is not made up for: in the long run a rate is right to 0.3 %.
//!
//! # Interface timing  cycle 0: s_work taken; cycle [`LATENCY_CYCLES`]: m_grant, if the flow may
//!                     send at once. s_work and s_inflight are ready in turn, every other cycle;
//!                     s_rate always. All readies are low for F cycles after reset (clearing)
//! # Latency and rate  a visit takes [`VISIT_CYCLES`] cycles until the next one of the same flow;
//!                     visits of different flows start one per cycle. A flow's packets are at
//!                     least LATENCY_CYCLES plus the requester's grant-to-work time apart, two
//!                     grants at least 3 cycles, or 9 while the calendar is at work
//! # Shape             F = 2^FB flows, CB = FB + 1, EW = FB + 32; 2047 packets are remembered
//! # Number formats    rate      | UQ8.24  | bytes a cycle
//!                     credit    | SQ16.24 | bytes; saturates below [`CREDIT_CAP_BYTES`]; exact
//!                               |         | otherwise; not below -48 KiB
//!                     len_bytes | UQ14.0  | at most 16383
//!                     time      | UQ23.0  | cycles of a clock that stands while the line (one beat
//!                               |         | of 8 bytes a cycle) is busy with what is granted, and
//!                               |         | has jumped by as much
//! # Rules             - Windows: a flow sends while inflight < window; with nothing in flight it
//!                       may always send one packet. While it is closed its credit holds at one
//!                       packet: it does not burst when the window opens.
//!                     - Idle time counts for at most 4095 cycles, and credit saturates at 64 KiB.
//!                       At full load a flow goes first at a lag of 4 packets (16.6 kB of 4 KiB
//!                       frames), and then waits for the frames that are granted already: two here
//!                       and two in the requester, in which the line carries 16.6 kB. A flow loses
//!                       nothing while its frames are shorter than 12 kB.
//!                     - A flow that owes more than 32 KiB does not pay for its turns, one that
//!                       lags 4 packets and has more than its share forgets one: the window
//!                       decides, not what was long ago.
//!                     - Bunched packets: a flow that asks for little less than a whole number
//!                       of packets is always behind, so credit never holds it back; its packets
//!                       come a window after those before and a little late each, and their
//!                       distances wander until two are next to each other. When these leave, one
//!                       packet must come between them, not before the first has left, and the
//!                       line may carry a longer one meanwhile (one of 64 flows, 518 bytes, 64.997
//!                       packets in 1 ms: 63 in 1 ms, after 100 ms). So a flow with two packets about
//!                       to leave, of less than 2 KiB, holds at most 7/4 packets of credit while it
//!                       has its share: its next ones come apart. Holding this always would cost 2 %
//!                       of some rates in the long run.
//!                     - A flow's first credit is bitreverse(flow)/F of its packet: flows that
//!                       start together do not fall due together for ever.
//!                     - s_work for a flow that has work already replaces length and in-flight
//!                       bytes; for a flow that is not created it waits for the create. remove
//!                       drops it; a grant already in the output queue still comes out. An update
//!                       changes rate and window from the next visit on (also of a flow that is not
//!                       created, without creating it). Nothing that arrives during a visit is lost.
//!                     - Each s_rate starts its flow's history anew: the flow has no turns until a
//!                       packet that it sent since is a window old, so the promise of 1 ms holds
//!                       from 1 ms after the last s_rate. Its bytes since count at once.
//!                     - Late flows, those that lag 4 packets, queue up when they find no room.
//!                       The first of them holds the ticket, until it is granted or may not send:
//!                       the last place for grants is kept for it, it goes before turns and is
//!                       visited as often as express flows. When it finds a place, but a grant
//!                       just before it, both places are kept until its next visit. A flow that
//!                       is queued stays in the ring, also without work: it is not armed anew.
//!                     - Flows that may send 256 packets or more in a window are not remembered, and
//!                       no flow is while 2047 packets are: for these 1 % is more than two packets,
//!                       or packets are shorter than 61 beats.
//! # Waiting           a flow that is due waits for its lag to reach 4 packets, at most three periods
//!                     (3 x len / rate), then, while there is room, for turns, and from the first
//!                     visit that finds none for at most F - 1 tickets before its own. Each is one
//!                     grant taken plus two rounds of F + 2 x VISIT_CYCLES cycles (of 2 F while
//!                     express flows take every other turn): in the first the holder is visited,
//!                     the next visits, of which one at most is in vain though there is a place,
//!                     are the express ring's. With an empty queue the floor lets a flow in after
//!                     256 cycles.
//!                     Proved at 4 flows, for one that may send at each visit (tests/formal.rs):
//!                     that visits come in time, the order of the queue, that the ticket's place
//!                     is kept, and the one visit in vain
//! # Reset             synchronous, high: no flow exists, no grant
//! # Twins             sim/models/src/golden/sched/scheduler.rs, tests/sched/scheduler.rs,
//!                     tests/sched/scheduler_rates.rs

use crate::sched::{
    credit::{credit_pipe::CreditPipe, flow_state::FlowState},
    grant::rule::GrantRule,
    ring::{active_ring::ActiveRing, turns::Turns},
    visit_pipe::VisitPipe,
};
use crate::streams::{Flow, InFlight, Rate, Work};
use crate::{block, Wire};
use rust_hdl_core::prelude::*;

/// From the accept of `s_work` to the grant, when the flow may send at once.
pub const LATENCY_CYCLES: usize = 13;
/// From a visit of a flow to its next one, when it is alone in the ring.
pub const VISIT_CYCLES: usize = 12;
/// Credit saturates below this many bytes.
pub const CREDIT_CAP_BYTES: u64 = 1 << 16;

/// Scheduler of `F = 2^FB` flows.
#[block(check(F == 1 << FB && CB == FB + 1, EW == FB + 32))]
pub struct Scheduler<const F: usize, const FB: usize, const CB: usize, const EW: usize> {
    /// A flow has a packet to send.
    pub s_work: Work<In, FB>,
    /// A flow's bytes in flight have changed.
    pub s_inflight: InFlight<In, FB>,
    /// A flow is created, removed, or gets a window and rate.
    pub s_rate: Rate<In, FB>,
    /// A flow may send its packet.
    pub m_grant: Flow<Out, FB>,
    ring: ActiveRing<FB, CB>,
    flow_state: FlowState<F, FB>,
    credit_pipe: CreditPipe,
    turns: Turns<F, FB, EW>,
    grant_rule: GrantRule<F, FB, CB>,
    visits: VisitPipe<FB>,
    #[value(2)]
    op_remove: Constant<Bits<2>>,
}

impl<const F: usize, const FB: usize, const CB: usize, const EW: usize> Logic
    for Scheduler<F, FB, CB, EW>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Sinks.");
        Wire::join(&mut self.s_work, &mut self.flow_state.s_work);
        Wire::join(&mut self.s_inflight, &mut self.flow_state.s_inflight);
        Wire::join(&mut self.s_rate, &mut self.flow_state.s_rate);
        self.grant_rule.s_work_valid.next =
            self.s_work.valid.val() & self.flow_state.s_work.ready.val();
        self.grant_rule.s_work_flow.next = self.s_work.flow.val();
        self.grant_rule.s_remove_valid.next = self.s_rate.valid.val()
            & self.flow_state.s_rate.ready.val()
            & (self.s_rate.op.val() == self.op_remove.val());
        self.grant_rule.s_remove_flow.next = self.s_rate.flow.val();
        comment!("Visit.");
        self.ring.s_call_valid.next = self.turns.m_visit_valid.val();
        self.ring.s_call_flow.next = self.turns.m_called_flow.val();
        self.ring.s_arm_valid.next = self.grant_rule.m_arm_valid.val();
        self.ring.s_arm_flow.next = self.grant_rule.m_arm_flow.val();
        self.ring.s_return_valid.next = self.grant_rule.m_return_valid.val();
        self.ring.s_return_flow.next = self.grant_rule.m_visit_flow.val();
        self.ring.s_return_is_express.next = self.grant_rule.m_return_is_express.val();
        self.flow_state.s_visit_valid.next = self.ring.m_visit_valid.val();
        self.flow_state.s_visit_flow.next = self.ring.m_visit_flow.val();
        self.credit_pipe.s_rate.next = self.flow_state.m_rate.val();
        self.credit_pipe.s_window_bytes.next = self.flow_state.m_window_bytes.val();
        self.credit_pipe.s_inflight_bytes.next = self.flow_state.m_inflight_bytes.val();
        self.credit_pipe.s_len_bytes.next = self.flow_state.m_len_bytes.val();
        self.credit_pipe.s_credit.next = self.flow_state.m_credit.val();
        self.credit_pipe.s_seen.next = self.flow_state.m_seen.val();
        self.credit_pipe.s_now.next = self.turns.m_time.val().get_bits::<22>(0);
        self.flow_state.s_time.next = self.turns.m_time.val().get_bits::<22>(0);
        self.credit_pipe.s_started.next = self.flow_state.m_started.val();
        self.credit_pipe.s_phase.next = self.flow_state.m_phase.val();
        comment!("The visit's flow travels beside its state and credit.");
        self.visits.s_visit_valid.next = self.ring.m_visit_valid.val();
        self.visits.s_visit_flow.next = self.ring.m_visit_flow.val();
        self.visits.s_visit_is_call.next = self.ring.m_visit_is_call.val();
        self.visits.s_is_bounced.next = self.turns.m_bounce.val();
        self.visits.s_created.next = self.flow_state.m_created.val();
        self.visits.s_is_queued.next = self.flow_state.m_is_queued.val();
        self.visits.s_work_valid.next =
            self.s_work.valid.val() & self.flow_state.s_work.ready.val();
        self.visits.s_work_flow.next = self.s_work.flow.val();
        comment!("Decide and store.");
        self.grant_rule.s_visit_valid.next = self.visits.m_visit_valid.val();
        self.grant_rule.s_visit_flow.next = self.visits.m_visit_flow.val();
        self.grant_rule.s_visit_is_call.next = self.visits.m_visit_is_call.val();
        self.grant_rule.s_visit_is_bounced.next = self.visits.m_visit_is_bounced.val();
        self.grant_rule.s_visit_is_within.next = self.turns.m_is_within.val();
        self.grant_rule.s_visit_is_stale.next = self.visits.m_visit_is_stale.val();
        self.grant_rule.s_visit_created.next = self.visits.m_visit_created.val();
        self.grant_rule.s_visit_is_queued.next = self.visits.m_visit_is_queued.val();
        self.grant_rule.s_visit_is_open.next = self.credit_pipe.m_is_open.val();
        self.grant_rule.s_visit_kept_credit.next = self.credit_pipe.m_kept_credit.val();
        self.grant_rule.s_visit_spent_credit.next = self.credit_pipe.m_spent_credit.val();
        self.grant_rule.s_visit_held_quarters.next = self.credit_pipe.m_held_quarters.val();
        self.grant_rule.s_visit_levels.next = self.credit_pipe.m_levels.val();
        self.grant_rule.s_visit_may_owe.next = self.credit_pipe.m_may_owe.val();
        self.grant_rule.s_visit_is_bunched.next = self.turns.m_is_bunched.val();
        self.grant_rule.s_visit_is_kept.next = self.turns.m_is_kept.val();
        self.grant_rule.s_visit_must_send.next = self.turns.m_must_send.val();
        self.flow_state.s_store_valid.next = self.grant_rule.m_store_valid.val();
        self.flow_state.s_store_flow.next = self.grant_rule.m_visit_flow.val();
        self.flow_state.s_store_credit.next = self.grant_rule.m_store_credit.val();
        self.flow_state.s_store_started.next = self.grant_rule.m_store_started.val();
        self.flow_state.s_store_is_queued.next = self.grant_rule.m_store_is_queued.val();
        comment!("Turns.");
        self.turns.s_seen_valid.next = self.ring.m_visit_valid.val();
        self.turns.s_seen_flow.next = self.ring.m_visit_flow.val();
        self.turns.s_seen_is_call.next = self.ring.m_visit_is_call.val();
        self.turns.s_rate.next = self.flow_state.m_rate.val();
        self.turns.s_len_bytes.next = self.flow_state.m_len_bytes.val();
        self.turns.s_end.next = self.visits.m_visit_valid.val() & self.visits.m_visit_is_call.val();
        self.turns.s_done.next = self.grant_rule.m_turn_done.val();
        self.turns.s_has_place.next = self.grant_rule.m_has_place.val();
        self.turns.s_packet_valid.next = self.grant_rule.m_packet_valid.val();
        self.turns.s_packet_flow.next = self.grant_rule.m_visit_flow.val();
        self.turns.s_change_valid.next =
            self.s_rate.valid.val() & self.flow_state.s_rate.ready.val();
        self.turns.s_change_flow.next = self.s_rate.flow.val();
        self.turns.m_visit_ready.next = !self.grant_rule.m_arm_valid.val();
        self.grant_rule.s_called_valid.next = self.turns.m_called_valid.val();
        self.grant_rule.s_called_flow.next = self.turns.m_called_flow.val();
        self.grant_rule.s_is_pending.next = self.turns.m_is_pending.val();
        self.grant_rule.s_is_settled.next = self.turns.m_is_settled.val();
        self.grant_rule.s_is_low.next = self.turns.m_is_low.val();
        Wire::join(&mut self.grant_rule.m_grant, &mut self.m_grant);
    }
}
