//! Flow scheduler of a line of 64 bytes a beat: eight engines, each with an eighth of the flows, and up
//! to one grant a cycle.
//!
//! Bits 2:0 of a flow's number are its engine. An engine is `scheduler` for its flows. Engines that know
//! nothing of each other do not keep their flows' rates: two grants of each wait for the line, so that a
//! packet is on it up to 16 packets later than its engine has written down, and a flow's turn comes
//! as much too late (2 packets too many or too few in 1 ms, in up to 3 % of the windows). So grants leave
//! in the order in which they were decided, one clock of the line is moved by all of them, and turns
//! come earlier by what the engines may have granted before. Each of the three is needed; what is left,
//! 0.15 packets, goes by counting packets for 128 cycles more than the window.
//!
//! # Interface timing  cycle 0: s_work taken; cycle [`LATENCY_CYCLES`] to cycle 19: m_grant, if the flow may
//!                     send at once and nothing was decided before. All three readies are the same; they
//!                     are low for F cycles after reset (clearing)
//! # Latency and rate  one grant per cycle, of different engines; one engine gives a grant every 4 cycles,
//!                     and every 9 while its calendar is at work. One event of each stream per cycle while
//!                     those of two neighbouring cycles are of different engines, else 2 in 4 cycles
//! # Shape             8 F flows, F = 2^FB, CB = FB + 1, EW = FB + 32, TB = FB + 3; each engine remembers 4095
//!                     packets
//! # Events            Two cycles, which engines count alike, are a pair: event_pairs.rs. Events of a flow that
//!                     are taken in different cycles keep their order; of those taken in the same cycle,
//!                     work and a command have none. Nothing else ever holds up events: an engine takes
//!                     its share at once, whatever its grants do.
//! # Number formats    rate | UQ8.24 | bytes a cycle; the line carries 64. Others: scheduler.rs
//! # Rules             - Those of scheduler.rs, with 1 ms = 250,000 cycles.
//!                     - Rates: if their sum is at most what the line carries, each flow gets in any 1 ms what it
//!                       asks for, to 1 % or one packet (`scheduler_rates`: 20 rate vectors, 1024 flows).
//!                     - One flow has a packet in LATENCY_CYCLES plus grant-to-work time (10 to 20 cycles: 32 on
//!                       average) at most: at line rate it needs packets of 32 beats, 2 KiB. What bounds it is
//!                       that a flow has one s_work outstanding: the next one comes after the grant. Visits are
//!                       no bound (every 12 cycles), and no latency here can make 27 to 37 cycles 17, what a
//!                       packet of 1082 bytes takes: 10 to 20 are outside. A second s_work while the
//!                       first waits would do it, but that replaces the first (scheduler.rs).
//!                     - An engine's calendar is at work for 18 cycles a packet of flows of less than 256 packets
//!                       in 1 ms: one engine carries 13,800 of these in 1 ms, 94 % of the line at 1082 bytes, and
//!                       remembers 4095. What is beyond is served by lag alone. So flows are to be
//!                       numbered one after the other.
//!                     - A turn takes an engine 25 cycles, a packet of 1082 bytes the line 17. While 127 flows of an
//!                       engine that have all begun at once have their turns, a fast flow of that engine
//!                       would wait for longer than its credit grows (64 KiB; one with half of the line got 2.3 %
//!                       too little). So flows that are too fast to be remembered do not wait for turns: a
//!                       visit of theirs grants between the visits of a turn, writes nothing down and makes
//!                       the turn later by one packet of the 16 that it comes earlier.
//!                     - Overload: grants leave in the order of decisions and each engine has two waiting, so
//!                       engines that have enough to send get the same number of packets, and flows
//!                       share those of their engine as in scheduler.rs.
//! # Waiting           as in scheduler.rs with F flows; each ticket is at most 18 grants taken (two of each
//!                     engine and two behind them) plus two rounds of F + 2 x 12 cycles.
//! # Reset             synchronous, high: no flow exists, no grant
//! # Twins             sim/models/src/golden/sched/wide/scheduler_wide.rs,
//!                     tests/sched/scheduler_wide.rs, tests/sched/scheduler_1024.rs,
//!                     tests/sched/scheduler_rates.rs

use crate::block;
use crate::sched::{
    grant::order::GrantOrder,
    wide::{engine::Engine, event_pairs::EventPairs, line_clock_wide::LineClockWide},
};
use crate::streams::{Flow, InFlight, Rate, Work};
use crate::util::skid::Skid;
use rust_hdl_core::prelude::*;

/// Engines.
pub const ENGINE_COUNT: usize = 8;
/// From the accept of `s_work` to the grant, when the flow may send at once: at least.
pub const LATENCY_CYCLES: usize = crate::sched::wide::engine::LATENCY_CYCLES + 4;

/// Scheduler of `8 F` flows, `F = 2^FB` in each of eight engines; `TB = FB + 3`.
#[block(check(F == 1 << FB && CB == FB + 1, EW == FB + 32 && TB == FB + 3))]
pub struct SchedulerWide<
    const F: usize,
    const FB: usize,
    const CB: usize,
    const EW: usize,
    const TB: usize,
> {
    /// A flow has a packet to send.
    pub s_work: Work<In, TB>,
    /// A flow's bytes in flight have changed.
    pub s_inflight: InFlight<In, TB>,
    /// A flow is created, removed, or gets a window and rate.
    pub s_rate: Rate<In, TB>,
    /// A flow may send its packet.
    pub m_grant: Flow<Out, TB>,
    pairs: EventPairs<TB>,
    engines: [Engine<F, FB, CB, 12, EW>; 8],
    line_clock: LineClockWide,
    order: GrantOrder,
    grants: Skid<Bits<TB>>,
    is_ready: Signal<Local, Bit>,
    first_work: [Signal<Local, Bit>; 8],
    second_work: [Signal<Local, Bit>; 8],
    first_inflight: [Signal<Local, Bit>; 8],
    second_inflight: [Signal<Local, Bit>; 8],
    first_rate: [Signal<Local, Bit>; 8],
    second_rate: [Signal<Local, Bit>; 8],
    grant_flow: [Signal<Local, Bits<FB>>; 9],
    grant_engine: [Signal<Local, Bits<3>>; 9],
    oldest_flow: Signal<Local, Bits<FB>>,
    oldest_engine: Signal<Local, Bits<3>>,
    #[init(core::array::from_fn(|i| Constant::new((i as u64).into())))]
    number: [Constant<Bits<3>>; 8],
}

impl<const F: usize, const FB: usize, const CB: usize, const EW: usize, const TB: usize> Logic
    for SchedulerWide<F, FB, CB, EW, TB>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("Events: all engines take the same kind in the same cycle.");
        self.is_ready.next = (self.engines[0].s_work.ready.val()
            | self.engines[0].s_inflight.ready.val())
            & !self.pairs.m_is_held.val();
        self.s_work.ready.next = self.is_ready.val();
        self.s_inflight.ready.next = self.is_ready.val();
        self.s_rate.ready.next = self.is_ready.val();
        self.pairs.s_is_first.next = self.engines[0].s_work.ready.val();
        self.pairs.s_is_second.next = self.engines[0].s_inflight.ready.val();
        self.pairs.s_work_valid.next = self.s_work.valid.val() & self.is_ready.val();
        self.pairs.s_work_flow.next = self.s_work.flow.val();
        self.pairs.s_work_len_bytes.next = self.s_work.len_bytes.val();
        self.pairs.s_work_inflight_bytes.next = self.s_work.inflight_bytes.val();
        self.pairs.s_inflight_valid.next = self.s_inflight.valid.val() & self.is_ready.val();
        self.pairs.s_inflight_flow.next = self.s_inflight.flow.val();
        self.pairs.s_inflight_inflight_bytes.next = self.s_inflight.inflight_bytes.val();
        self.pairs.s_rate_valid.next = self.s_rate.valid.val() & self.is_ready.val();
        self.pairs.s_rate_flow.next = self.s_rate.flow.val();
        self.pairs.s_rate_op.next = self.s_rate.op.val();
        self.pairs.s_rate_window_bytes.next = self.s_rate.window_bytes.val();
        self.pairs.s_rate_rate.next = self.s_rate.rate.val();
        for i in 0..8 {
            self.engines[i].s_time.next = self.line_clock.m_time.val();
            self.engines[i].s_is_low.next = self.line_clock.m_is_low.val();
            self.engines[i].s_turn_age.next = self.line_clock.m_turn_age.val();
            self.line_clock.s_valid[i].next = self.engines[i].m_packet_valid.val();
            self.line_clock.s_beats[i].next = self.engines[i].m_packet_beats.val();
            self.order.s_valid[i].next = self.engines[i].m_packet_valid.val();
        }
        comment!("An engine sees the events of its flows.");
        for i in 0..8 {
            self.first_work[i].next = self.pairs.m_first_work_valid.val()
                & (self.pairs.m_first_work_flow.val().get_bits::<3>(0) == self.number[i].val());
            self.second_work[i].next = self.pairs.m_second_work_valid.val()
                & (self.pairs.m_second_work_flow.val().get_bits::<3>(0) == self.number[i].val());
            self.first_inflight[i].next = self.pairs.m_first_inflight_valid.val()
                & (self.pairs.m_first_inflight_flow.val().get_bits::<3>(0) == self.number[i].val());
            self.second_inflight[i].next = self.pairs.m_second_inflight_valid.val()
                & (self.pairs.m_second_inflight_flow.val().get_bits::<3>(0)
                    == self.number[i].val());
            self.first_rate[i].next = self.pairs.m_first_rate_valid.val()
                & self.engines[0].s_work.ready.val()
                & (self.pairs.m_first_rate_flow.val().get_bits::<3>(0) == self.number[i].val());
            self.second_rate[i].next = self.pairs.m_second_rate_valid.val()
                & self.engines[0].s_inflight.ready.val()
                & (self.pairs.m_second_rate_flow.val().get_bits::<3>(0) == self.number[i].val());
            self.engines[i].s_work.valid.next =
                self.first_work[i].val() | self.second_work[i].val();
            self.engines[i].s_work.flow.next =
                self.pairs.m_second_work_flow.val().get_bits::<FB>(3);
            self.engines[i].s_work.len_bytes.next = self.pairs.m_second_work_len_bytes.val();
            self.engines[i].s_work.inflight_bytes.next =
                self.pairs.m_second_work_inflight_bytes.val();
            if self.first_work[i].val() {
                self.engines[i].s_work.flow.next =
                    self.pairs.m_first_work_flow.val().get_bits::<FB>(3);
                self.engines[i].s_work.len_bytes.next = self.pairs.m_first_work_len_bytes.val();
                self.engines[i].s_work.inflight_bytes.next =
                    self.pairs.m_first_work_inflight_bytes.val();
            }
            self.engines[i].s_inflight.valid.next =
                self.first_inflight[i].val() | self.second_inflight[i].val();
            self.engines[i].s_inflight.flow.next =
                self.pairs.m_second_inflight_flow.val().get_bits::<FB>(3);
            self.engines[i].s_inflight.inflight_bytes.next =
                self.pairs.m_second_inflight_inflight_bytes.val();
            if self.first_inflight[i].val() {
                self.engines[i].s_inflight.flow.next =
                    self.pairs.m_first_inflight_flow.val().get_bits::<FB>(3);
                self.engines[i].s_inflight.inflight_bytes.next =
                    self.pairs.m_first_inflight_inflight_bytes.val();
            }
            self.engines[i].s_rate.valid.next =
                self.first_rate[i].val() | self.second_rate[i].val();
            self.engines[i].s_rate.flow.next =
                self.pairs.m_second_rate_flow.val().get_bits::<FB>(3);
            self.engines[i].s_rate.op.next = self.pairs.m_second_rate_op.val();
            self.engines[i].s_rate.window_bytes.next = self.pairs.m_second_rate_window_bytes.val();
            self.engines[i].s_rate.rate.next = self.pairs.m_second_rate_rate.val();
            if self.first_rate[i].val() {
                self.engines[i].s_rate.flow.next =
                    self.pairs.m_first_rate_flow.val().get_bits::<FB>(3);
                self.engines[i].s_rate.op.next = self.pairs.m_first_rate_op.val();
                self.engines[i].s_rate.window_bytes.next =
                    self.pairs.m_first_rate_window_bytes.val();
                self.engines[i].s_rate.rate.next = self.pairs.m_first_rate_rate.val();
            }
        }
        comment!("Grants, the oldest first.");
        self.grant_flow[0].next = 0.into();
        self.grant_engine[0].next = 0.into();
        for i in 0..8 {
            self.engines[i].m_grant.ready.next =
                self.order.m_is_next[i].val() & self.grants.s.ready.val();
            self.grant_flow[i + 1].next = self.grant_flow[i].val();
            self.grant_engine[i + 1].next = self.grant_engine[i].val();
            if self.order.m_is_next[i].val() {
                self.grant_flow[i + 1].next = self.engines[i].m_grant.flow.val();
                self.grant_engine[i + 1].next = self.number[i].val();
            }
        }
        self.oldest_flow.next = self.grant_flow[8].val();
        self.oldest_engine.next = self.grant_engine[8].val();
        self.order.s_take.next = self.grants.s.ready.val();
        self.grants.s.valid.next = self.order.m_valid.val();
        self.grants.s.data.next = (bit_cast::<TB, FB>(self.oldest_flow.val()) << 3)
            | bit_cast::<TB, 3>(self.oldest_engine.val());
        self.grants.m.ready.next = self.m_grant.ready.val();
        self.m_grant.valid.next = self.grants.m.valid.val();
        self.m_grant.flow.next = 0.into();
        if self.grants.m.valid.val() {
            self.m_grant.flow.next = self.grants.m.data.val();
        }
    }
}
