//! Engine of the wide scheduler: `scheduler` for a line of 64 bytes a beat that engines share, so that
//! its clock stands outside and says when the line carries what any of them grants.
//!
//! Rules, formats and waiting are those of scheduler.rs, which stays as it is: only the clock, the
//! beats and the window (`engine_turns`) differ, and flows that are too fast to be remembered do not
//! wait for turns of others.
//!
//! # Interface timing  cycle 0: s_work taken; cycle [`LATENCY_CYCLES`]: m_grant and, for one cycle,
//!                     m_packet_*, if the flow may send at once. s_work and s_inflight are ready in turn,
//!                     every other cycle; s_rate always. All readies are low for F cycles after
//!                     reset (clearing)
//! # Latency and rate  that of scheduler.rs
//! # Shape             F = 2^FB flows, CB = FB + 1, EW = FB + 32; 2^AW - 1 packets are remembered
//! # Number formats    m_packet_beats | UQ12.0 | beats of 64 bytes; others: scheduler.rs
//! # Reset             synchronous, high: no flow exists, no grant
//! # Twins             sim/models/src/golden/sched/scheduler.rs with `Line::OF_512_BITS`

use crate::sched::{
    credit::{credit_pipe::CreditPipe, flow_state::FlowState},
    grant::rule::GrantRule,
    ring::{active_ring::ActiveRing, engine_turns::EngineTurns},
    visit_pipe::VisitPipe,
};
use crate::streams::{Flow, InFlight, Rate, Work};
use crate::{block, Wire};
use rust_hdl_core::prelude::*;

/// From the accept of `s_work` to the grant, when the flow may send at once.
pub const LATENCY_CYCLES: usize = 13;

/// Engine of `F = 2^FB` flows.
#[block(check(F == 1 << FB && CB == FB + 1, EW == FB + 32))]
pub struct Engine<
    const F: usize,
    const FB: usize,
    const CB: usize,
    const AW: usize,
    const EW: usize,
> {
    /// A flow has a packet to send.
    pub s_work: Work<In, FB>,
    /// A flow's bytes in flight have changed.
    pub s_inflight: InFlight<In, FB>,
    /// A flow is created, removed, or gets a window and rate.
    pub s_rate: Rate<In, FB>,
    /// When the line carries what is granted next.
    pub s_time: Signal<In, Bits<22>>,
    /// The line has little work.
    pub s_is_low: Signal<In, Bit>,
    /// Age of a packet at which its flow's turn comes again, cycles.
    pub s_turn_age: Signal<In, Bits<18>>,
    /// A packet was granted in the last cycle.
    pub m_packet_valid: Signal<Out, Bit>,
    /// Its beats.
    pub m_packet_beats: Signal<Out, Bits<12>>,
    /// A flow may send its packet.
    pub m_grant: Flow<Out, FB>,
    ring: ActiveRing<FB, CB>,
    flow_state: FlowState<F, FB>,
    credit_pipe: CreditPipe,
    turns: EngineTurns<F, FB, AW, EW>,
    grant_rule: GrantRule<F, FB, CB>,
    visits: VisitPipe<FB>,
    #[value(2)]
    op_remove: Constant<Bits<2>>,
}

impl<const F: usize, const FB: usize, const CB: usize, const AW: usize, const EW: usize> Logic
    for Engine<F, FB, CB, AW, EW>
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
        self.credit_pipe.s_now.next = self.s_time.val();
        self.flow_state.s_time.next = self.s_time.val();
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
        self.turns.s_time.next = self.s_time.val().get_bits::<18>(0);
        self.turns.s_turn_age.next = self.s_turn_age.val();
        self.m_packet_valid.next = self.grant_rule.m_packet_valid.val();
        self.m_packet_beats.next = self.turns.m_packet_beats.val();
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
        comment!(
            "A turn takes longer than a packet: flows that are not remembered do not wait for it."
        );
        self.grant_rule.s_is_settled.next =
            self.turns.m_is_settled.val() | !self.turns.m_is_kept.val();
        self.grant_rule.s_is_low.next = self.s_is_low.val();
        Wire::join(&mut self.grant_rule.m_grant, &mut self.m_grant);
    }
}
