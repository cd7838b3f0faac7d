//! Whose turn it is in an engine: as `turns`, with a line of 64 bytes a beat whose clock is outside.
//!
//! # Interface timing  cycle 0: s_seen_*; cycle 1: m_bounce; cycle 2: s_rate, s_len_bytes of that visit;
//!                     cycle 8: m_is_within, m_is_kept, m_must_send, m_is_bunched, s_end; cycle 9: s_done, s_packet_*,
//!                     m_packet_beats. m_called_*, m_is_pending, m_is_settled, s_time, s_turn_age: now
//! # Latency and rate  [`LATENCY_CYCLES`]; one visit per cycle, one packet while m_is_pending is low
//! # Shape             F = 2^FB flows, EW = FB + 32; the last 2^AW - 1 packets
//! # Number formats    m_packet_beats | UQ12.0 | beats of 64 bytes. What a flow asks for in a window is
//!                                   |       | worked out of twice its rate and half the window
//! # Reset             synchronous, high: nobody is called, nothing is remembered
//! # Twins             `remember` of sim/models/src/golden/sched/scheduler.rs

use crate::sched::{
    credit::share_pipe::SharePipe,
    ring::{calendar::Calendar, caller::Caller},
    wide::line_clock_wide::WINDOW_CYCLES,
};
use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a visit to its share.
pub const LATENCY_CYCLES: usize = 8;
/// Packets are counted for so many cycles more than the window: grants of the same two cycles do not
/// know of each other, so a packet may be on the line a little later than it was written down.
pub const LATE_CYCLES: u32 = 128;

/// Turns of `F = 2^FB` flows of an engine.
#[block]
pub struct EngineTurns<const F: usize, const FB: usize, const AW: usize, const EW: usize> {
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
    /// When the line carries what is granted next, modulo 2^18.
    pub s_time: Signal<In, Bits<18>>,
    /// Age of a packet at which its flow's turn comes again, cycles.
    pub s_turn_age: Signal<In, Bits<18>>,
    /// Beats of the packet that is granted.
    pub m_packet_beats: Signal<Out, Bits<12>>,
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
    #[init(Calendar::new(WINDOW_CYCLES + LATE_CYCLES))]
    calendar: Calendar<F, FB, AW, EW>,
    caller: Caller<FB>,
    share_pipe: SharePipe,
    is_kept: Unreset<Bit>,
    len_bytes: Unreset<Bits<14>>,
    beats: Unreset<Bits<12>>,
    double_rate: Signal<Local, Bits<32>>,
    len_15: Signal<Local, Bits<15>>,
    rounded: Signal<Local, Bits<15>>,
    #[value(63)]
    round_up: Constant<Bits<15>>,
    #[value(0xffff_ffff)]
    most: Constant<Bits<32>>,
}

impl<const F: usize, const FB: usize, const AW: usize, const EW: usize> Logic
    for EngineTurns<F, FB, AW, EW>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Share of the visit's flow.");
        self.calendar.s_visit_flow.next = self.s_seen_flow.val();
        self.double_rate.next = self.s_rate.val() << 1;
        self.share_pipe.s_rate.next = self.double_rate.val();
        if self.s_rate.val().get_bit(31) {
            self.share_pipe.s_rate.next = self.most.val();
        }
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
        self.len_15.next = bit_cast::<15, 14>(self.share_pipe.m_len_bytes.val());
        self.rounded.next = self.len_15.val() + self.round_up.val();
        self.beats.next = bit_cast::<12, 9>(self.rounded.val().get_bits::<9>(6));
        self.m_packet_beats.next = self.beats.val();
        self.calendar.s_grant_valid.next = self.s_packet_valid.val();
        self.calendar.s_grant_flow.next = self.s_packet_flow.val();
        self.calendar.s_grant_len_bytes.next = self.len_bytes.val();
        self.calendar.s_grant_is_kept.next = self.is_kept.val();
        self.calendar.s_time.next = self.s_time.val();
        self.calendar.s_turn_age.next = self.s_turn_age.val();
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
