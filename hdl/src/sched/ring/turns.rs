//! Whose turn it is: line clock, calendar of the last window, shares, and the called flow.
//!
//! # Interface timing  cycle 0: s_seen_*; cycle 1: m_bounce; cycle 2: s_rate, s_len_bytes of that visit;
//!                     cycle 8: m_is_within, m_is_kept, m_must_send, m_is_bunched, s_end; cycle 9: s_done, s_packet_*. m_called_*,
//!                     m_is_pending, m_is_settled, m_is_low, m_time: now
//! # Latency and rate  [`LATENCY_CYCLES`]; one visit per cycle, one packet while m_is_pending is low
//! # Shape             F = 2^FB flows, EW = FB + 32; the last 2047 packets
//! # Reset             synchronous, high: nobody is called, nothing is remembered
//! # Twins             `remember` of sim/models/src/golden/sched/scheduler.rs

use crate::sched::{
    credit::share_pipe::SharePipe,
    line_clock::LineClock,
    ring::{calendar::Calendar, caller::Caller},
};
use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a visit to its share.
pub const LATENCY_CYCLES: usize = 8;

/// Turns of `F = 2^FB` flows.
#[block]
pub struct Turns<const F: usize, const FB: usize, const EW: usize> {
    /// A visit starts.
    pub s_seen_valid: Signal<In, Bit>,
    /// Its flow.
    pub s_seen_flow: Signal<In, Bits<FB>>,
    /// It is the one that was asked for.
    pub s_seen_is_call: Signal<In, Bit>,
    /// Rate of the visit's flow, UQ8.24 bytes a cycle.
    pub s_rate: Signal<In, Bits<32>>,
    /// Bytes of the packet that waits.
    pub s_len_bytes: Signal<In, Bits<14>>,
    /// The visit that was asked for is decided.
    pub s_end: Signal<In, Bit>,
    /// The turn is over.
    pub s_done: Signal<In, Bit>,
    /// There is a place for a grant.
    pub s_has_place: Signal<In, Bit>,
    /// The packet of the visit decided in the last cycle is granted.
    pub s_packet_valid: Signal<In, Bit>,
    /// Its flow.
    pub s_packet_flow: Signal<In, Bits<FB>>,
    /// Rate or window of a flow change.
    pub s_change_valid: Signal<In, Bit>,
    /// Its id.
    pub s_change_flow: Signal<In, Bits<FB>>,
    /// The visit that started in the last cycle is sent back.
    pub m_bounce: Signal<Out, Bit>,
    /// The flow has not got more than its share.
    pub m_is_within: Signal<Out, Bit>,
    /// Without its packet it gets less than its share.
    pub m_must_send: Signal<Out, Bit>,
    /// Two of its packets are about to leave, and it is short.
    pub m_is_bunched: Signal<Out, Bit>,
    /// Its packets are remembered.
    pub m_is_kept: Signal<Out, Bit>,
    /// When the line carries what is granted next.
    pub m_time: Signal<Out, Bits<23>>,
    /// The line has little work.
    pub m_is_low: Signal<Out, Bit>,
    /// The last grant is not written down yet.
    pub m_is_pending: Signal<Out, Bit>,
    /// No flow is called, or will be for its packet of a window ago.
    pub m_is_settled: Signal<Out, Bit>,
    /// Somebody is called.
    pub m_called_valid: Signal<Out, Bit>,
    /// The flow.
    pub m_called_flow: Signal<Out, Bits<FB>>,
    /// The called flow is to be visited.
    pub m_visit_valid: Signal<Out, Bit>,
    /// Its visit is chosen.
    pub m_visit_ready: Signal<In, Bit>,
    line_clock: LineClock,
    calendar: Calendar<F, FB, 11, EW>,
    caller: Caller<FB>,
    share_pipe: SharePipe,
    is_kept: Unreset<Bit>,
    len_bytes: Unreset<Bits<14>>,
    beats: Unreset<Bits<12>>,
    now: Signal<Local, Bits<18>>,
}

impl<const F: usize, const FB: usize, const EW: usize> Logic for Turns<F, FB, EW> {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Share of the visit's flow.");
        self.calendar.s_visit_flow.next = self.s_seen_flow.val();
        self.share_pipe.s_rate.next = self.s_rate.val();
        self.share_pipe.s_len_bytes.next = self.s_len_bytes.val();
        self.share_pipe.s_recent_bytes.next = self.calendar.m_recent_bytes.val();
        self.share_pipe.s_turned.next = self.calendar.m_turned.val();
        self.m_is_within.next = self.share_pipe.m_is_within.val();
        self.m_is_kept.next = self.share_pipe.m_is_kept.val();
        self.m_is_bunched.next = self.share_pipe.m_is_bunched.val();
        self.m_must_send.next = self.share_pipe.m_must_send.val();
        comment!("The packet that is granted.");
        self.is_kept.next = self.share_pipe.m_is_kept.val();
        self.len_bytes.next = self.share_pipe.m_len_bytes.val();
        self.beats.next = self.share_pipe.m_beats.val();
        self.line_clock.s_grant_valid.next = self.s_packet_valid.val();
        self.line_clock.s_grant_beats.next = self.beats.val();
        self.m_time.next = self.line_clock.m_time.val();
        self.m_is_low.next = self.line_clock.m_is_low.val();
        self.now.next = self.line_clock.m_time.val().get_bits::<18>(0);
        self.calendar.s_grant_valid.next = self.s_packet_valid.val();
        self.calendar.s_grant_flow.next = self.s_packet_flow.val();
        self.calendar.s_grant_len_bytes.next = self.len_bytes.val();
        self.calendar.s_grant_is_kept.next = self.is_kept.val();
        self.calendar.s_time.next = self.now.val();
        self.calendar.s_turn_age.next = self.line_clock.m_turn_age.val();
        self.calendar.s_rate_valid.next = self.s_change_valid.val();
        self.calendar.s_rate_flow.next = self.s_change_flow.val();
        self.calendar.s_is_called.next = self.caller.m_called_valid.val();
        self.m_is_pending.next = self.calendar.m_is_pending.val();
        self.m_is_settled.next = self.calendar.m_is_settled.val();
        comment!("The flow that is called.");
        self.caller.s_turn_valid.next = self.calendar.m_turn_valid.val();
        self.caller.s_turn_flow.next = self.calendar.m_turn_flow.val();
        self.caller.s_seen_valid.next = self.s_seen_valid.val();
        self.caller.s_seen_flow.next = self.s_seen_flow.val();
        self.caller.s_seen_is_call.next = self.s_seen_is_call.val();
        self.caller.s_end.next = self.s_end.val();
        self.caller.s_done.next = self.s_done.val();
        self.caller.s_has_place.next = self.s_has_place.val();
        self.caller.m_visit_ready.next = self.m_visit_ready.val();
        self.m_bounce.next = self.caller.m_bounce.val();
        self.m_called_valid.next = self.caller.m_called_valid.val();
        self.m_called_flow.next = self.caller.m_called_flow.val();
        self.m_visit_valid.next = self.caller.m_visit_valid.val();
    }
}
