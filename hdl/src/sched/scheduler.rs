//! Flow scheduler: each flow that has work sends at its rate, inside its window.
//!
//! Flows with work wait in a ring and are visited in turn, one a cycle; idle flows cost nothing.
//! A visit adds rate x elapsed cycles to the flow's credit and grants a packet when the credit
//! covers it. Among flows that are due the one that lags most, in packets, goes first.
//!
//! # Interface timing  cycle 0: s_work taken; cycle [`LATENCY_CYCLES`]: m_grant, if the flow may
//!                     send at once. s_work and s_inflight are ready in turn, every other cycle;
//!                     s_rate always. All readies are low for F cycles after reset (clearing)
//! # Latency and rate  a visit takes [`VISIT_CYCLES`] cycles until the next one of the same flow;
//!                     visits of different flows start one per cycle. A flow's packets are at
//!                     least LATENCY_CYCLES plus the requester's grant-to-work time apart
//! # Shape             F = 2^FB flows, CB = FB + 1
//! # Number formats    rate      | UQ8.24  | bytes a cycle
//!                     credit    | UQ16.24 | bytes; saturates below [`CREDIT_CAP_BYTES`]; exact
//!                               |         | otherwise
//!                     len_bytes | UQ14.0  | at most 16383
//! # Rules             - Windows: a flow sends while inflight < window; with nothing in flight it
//!                       may always send one packet. While it is closed its credit holds at one
//!                       packet: it does not burst when the window opens.
//!                     - Idle time counts for at most 4095 cycles, and credit saturates at 64 KiB:
//!                       more than the four 4 KiB frames of another flow that can stand before a
//!                       granted one, times the 3 packets at which a flow goes first.
//!                     - A flow's first credit is bitreverse(flow)/F of its packet: flows that
//!                       start together do not fall due together for ever.
//!                     - s_work for a flow that has work already replaces length and in-flight
//!                       bytes; for a flow that is not created it waits for the create. remove
//!                       drops it; a grant already in the output queue still comes out. An update
//!                       changes rate and window from the next visit on (also of a flow that is not
//!                       created, without creating it). Nothing that arrives during a visit is lost.
//! # Waiting           a flow that is due waits for its lag to reach 3 packets, at most two periods
//!                     (2 x len / rate), then for at most F - 1 tickets before its own, each one
//!                     grant taken plus one round of F + 2 x VISIT_CYCLES cycles, whatever the
//!                     load. With an empty queue the floor lets it in after 256 cycles.
//! # Reset             synchronous, high: no flow exists, no grant
//! # Twins             sim/src/golden/sched/scheduler.rs, tests/scheduler.rs, scheduler_rates.rs

use super::active_ring::ActiveRing;
use super::credit_pipe::CreditPipe;
use super::flow_table::FlowTable;
use super::grant_rule::GrantRule;
use crate::util::ram::Ram;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// From the accept of `s_work` to the grant, when the flow may send at once.
pub const LATENCY_CYCLES: usize = 13;
/// From a visit of a flow to its next one, when it is alone in the ring.
pub const VISIT_CYCLES: usize = 12;
/// Credit saturates below this many bytes.
pub const CREDIT_CAP_BYTES: u64 = 1 << 16;

/// Scheduler of `F = 2^FB` flows.
#[derive(LogicBlock)]
pub struct Scheduler<const F: usize, const FB: usize, const CB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// A flow has a packet to send.
    pub s_work_valid: Signal<In, Bit>,
    /// It is taken.
    pub s_work_ready: Signal<Out, Bit>,
    /// The flow.
    pub s_work_flow: Signal<In, Bits<FB>>,
    /// Frame bytes of its next packet.
    pub s_work_len_bytes: Signal<In, Bits<14>>,
    /// Its bytes in flight.
    pub s_work_inflight_bytes: Signal<In, Bits<32>>,
    /// A flow's bytes in flight have changed.
    pub s_inflight_valid: Signal<In, Bit>,
    /// It is taken.
    pub s_inflight_ready: Signal<Out, Bit>,
    /// The flow.
    pub s_inflight_flow: Signal<In, Bits<FB>>,
    /// Its bytes in flight.
    pub s_inflight_inflight_bytes: Signal<In, Bits<32>>,
    /// A flow is created, removed, or gets a window and rate.
    pub s_rate_valid: Signal<In, Bit>,
    /// It is taken.
    pub s_rate_ready: Signal<Out, Bit>,
    /// The flow.
    pub s_rate_flow: Signal<In, Bits<FB>>,
    /// 0 update, 1 create, 2 remove.
    pub s_rate_op: Signal<In, Bits<2>>,
    /// Window, bytes.
    pub s_rate_window_bytes: Signal<In, Bits<32>>,
    /// Rate, UQ8.24 bytes a cycle.
    pub s_rate_rate: Signal<In, Bits<32>>,
    /// A flow may send its packet.
    pub m_grant_valid: Signal<Out, Bit>,
    /// The grant is taken.
    pub m_grant_ready: Signal<In, Bit>,
    /// The flow, 0 while m_grant_valid is low.
    pub m_grant_flow: Signal<Out, Bits<FB>>,
    ring: ActiveRing<FB, CB>,
    credit_pipe: CreditPipe,
    grant_rule: GrantRule<F, FB>,
    rate_table: FlowTable<FB, 64>,
    len_table: FlowTable<FB, 14>,
    inflight_table: FlowTable<FB, 32>,
    credit_table: Ram<FB, 64>,
    is_clean: DFF<Bit>,
    scrub_flow: DFF<Bits<FB>>,
    work_turn: DFF<Bit>,
    inflight_turn: DFF<Bit>,
    created: DFF<Bits<F>>,
    now: DFF<Bits<23>>,
    store_time: DFF<Bits<23>>,
    credit_word: DFF<Bits<64>>,
    phase: DFF<Bits<12>>,
    visit_valid: [DFF<Bit>; 8],
    visit_is_arm: [DFF<Bit>; 8],
    visit_flow: [DFF<Bits<FB>>; 8],
    visit_created: [DFF<Bit>; 7],
    work_taken: Signal<Local, Bit>,
    inflight_taken: Signal<Local, Bit>,
    rate_taken: Signal<Local, Bit>,
    rate_mask: Signal<Local, Bits<F>>,
    not_rate_mask: Signal<Local, Bits<F>>,
    window_part: Signal<Local, Bits<64>>,
    window_wide: Signal<Local, Bits<64>>,
    time_wide: Signal<Local, Bits<64>>,
    time_part: Signal<Local, Bits<64>>,
    phase_now: Signal<Local, Bits<12>>,
    op_create: Constant<Bits<2>>,
    op_remove: Constant<Bits<2>>,
    last_flow: Constant<Bits<FB>>,
    one: Constant<Bits<F>>,
    started_flag: Constant<Bits<64>>,
    first_store_time: Constant<Bits<23>>,
    phase_bit: [Constant<Bits<12>>; FB],
}

impl<const F: usize, const FB: usize, const CB: usize> Default for Scheduler<F, FB, CB> {
    fn default() -> Self {
        assert!(F == 1 << FB && CB == FB + 1 && FB <= 12, "F = 2^FB, CB = FB + 1");
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_work_valid: Default::default(),
            s_work_ready: Default::default(),
            s_work_flow: Default::default(),
            s_work_len_bytes: Default::default(),
            s_work_inflight_bytes: Default::default(),
            s_inflight_valid: Default::default(),
            s_inflight_ready: Default::default(),
            s_inflight_flow: Default::default(),
            s_inflight_inflight_bytes: Default::default(),
            s_rate_valid: Default::default(),
            s_rate_ready: Default::default(),
            s_rate_flow: Default::default(),
            s_rate_op: Default::default(),
            s_rate_window_bytes: Default::default(),
            s_rate_rate: Default::default(),
            m_grant_valid: Default::default(),
            m_grant_ready: Default::default(),
            m_grant_flow: Default::default(),
            ring: Default::default(),
            credit_pipe: Default::default(),
            grant_rule: Default::default(),
            rate_table: Default::default(),
            len_table: Default::default(),
            inflight_table: Default::default(),
            credit_table: Default::default(),
            is_clean: Default::default(),
            scrub_flow: Default::default(),
            work_turn: Default::default(),
            inflight_turn: Default::default(),
            created: Default::default(),
            now: Default::default(),
            store_time: Default::default(),
            credit_word: Default::default(),
            phase: Default::default(),
            visit_valid: Default::default(),
            visit_is_arm: Default::default(),
            visit_flow: Default::default(),
            visit_created: Default::default(),
            work_taken: Default::default(),
            inflight_taken: Default::default(),
            rate_taken: Default::default(),
            rate_mask: Default::default(),
            not_rate_mask: Default::default(),
            window_part: Default::default(),
            window_wide: Default::default(),
            time_wide: Default::default(),
            time_part: Default::default(),
            phase_now: Default::default(),
            op_create: Constant::new(1.into()),
            op_remove: Constant::new(2.into()),
            last_flow: Constant::new((F as u64 - 1).into()),
            one: Constant::new(1.into()),
            started_flag: Constant::new((1_u64 << 63).into()),
            first_store_time: Constant::new(((1_u64 << 23) - 7).into()),
            phase_bit: array_init::array_init(|i| Constant::new((1_u64 << (11 - i)).into())),
        }
    }
}

impl<const F: usize, const FB: usize, const CB: usize> Logic for Scheduler<F, FB, CB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            is_clean,
            scrub_flow,
            work_turn,
            inflight_turn,
            created,
            now,
            store_time,
            credit_word,
            phase
        );
        self.ring.clock.next = self.clock.val();
        self.ring.reset.next = self.reset.val();
        self.credit_pipe.clock.next = self.clock.val();
        self.credit_pipe.reset.next = self.reset.val();
        self.grant_rule.clock.next = self.clock.val();
        self.grant_rule.reset.next = self.reset.val();
        self.rate_table.clock.next = self.clock.val();
        self.len_table.clock.next = self.clock.val();
        self.inflight_table.clock.next = self.clock.val();
        self.credit_table.clock.next = self.clock.val();
        self.s_work_ready.next = self.work_turn.q.val();
        self.s_inflight_ready.next = self.inflight_turn.q.val();
        self.s_rate_ready.next = self.is_clean.q.val();
        comment!("Sinks: work and in-flight bytes share one write port and take turns.");
        self.work_turn.d.next = self.is_clean.q.val() & !self.work_turn.q.val();
        self.inflight_turn.d.next = self.is_clean.q.val() & self.work_turn.q.val();
        self.work_taken.next = self.s_work_valid.val() & self.work_turn.q.val();
        self.inflight_taken.next = self.s_inflight_valid.val() & self.inflight_turn.q.val();
        self.rate_taken.next = self.s_rate_valid.val() & self.is_clean.q.val();
        self.len_table.write_enable.next = self.work_taken.val();
        self.len_table.write_address.next = self.s_work_flow.val();
        self.len_table.write_data.next = self.s_work_len_bytes.val();
        self.inflight_table.write_enable.next = self.work_taken.val() | self.inflight_taken.val();
        self.inflight_table.write_address.next = self.s_inflight_flow.val();
        self.inflight_table.write_data.next = self.s_inflight_inflight_bytes.val();
        if self.work_turn.q.val() {
            self.inflight_table.write_address.next = self.s_work_flow.val();
            self.inflight_table.write_data.next = self.s_work_inflight_bytes.val();
        }
        self.rate_table.write_enable.next = self.rate_taken.val();
        self.rate_table.write_address.next = self.s_rate_flow.val();
        self.window_wide.next = bit_cast::<64, 32>(self.s_rate_window_bytes.val());
        self.window_part.next = self.window_wide.val() << 32;
        self.rate_table.write_data.next =
            self.window_part.val() | bit_cast::<64, 32>(self.s_rate_rate.val());
        self.rate_mask.next = self.one.val() << self.s_rate_flow.val();
        self.not_rate_mask.next = !self.rate_mask.val();
        if self.rate_taken.val() {
            if self.s_rate_op.val() == self.op_create.val() {
                self.created.d.next = self.created.q.val() | self.rate_mask.val();
            } else if self.s_rate_op.val() == self.op_remove.val() {
                self.created.d.next = self.created.q.val() & self.not_rate_mask.val();
            }
        }
        self.grant_rule.s_work_valid.next = self.work_taken.val();
        self.grant_rule.s_work_flow.next = self.s_work_flow.val();
        self.grant_rule.s_remove_valid.next =
            self.rate_taken.val() & (self.s_rate_op.val() == self.op_remove.val());
        self.grant_rule.s_remove_flow.next = self.s_rate_flow.val();
        comment!("Visit: the flow's state is read, two registers behind the RAMs.");
        self.ring.s_arm_valid.next = self.grant_rule.m_arm_valid.val();
        self.ring.s_arm_flow.next = self.grant_rule.m_arm_flow.val();
        self.ring.s_return_valid.next = self.grant_rule.m_return_valid.val();
        self.ring.s_return_flow.next = self.grant_rule.m_visit_flow.val();
        self.rate_table.read_address.next = self.ring.m_visit_flow.val();
        self.len_table.read_address.next = self.ring.m_visit_flow.val();
        self.inflight_table.read_address.next = self.ring.m_visit_flow.val();
        self.credit_table.read_enable.next = self.ring.m_visit_valid.val();
        self.credit_table.read_address.next = self.ring.m_visit_flow.val();
        self.credit_word.d.next = self.credit_table.read_data.val();
        for i in 0..8 {
            self.visit_valid[i].clock.next = self.clock.val();
            self.visit_is_arm[i].clock.next = self.clock.val();
            self.visit_flow[i].clock.next = self.clock.val();
        }
        self.visit_valid[0].d.next = self.ring.m_visit_valid.val();
        self.visit_is_arm[0].d.next = self.ring.m_visit_is_arm.val();
        self.visit_flow[0].d.next = self.ring.m_visit_flow.val();
        for i in 0..7 {
            self.visit_created[i].clock.next = self.clock.val();
            self.visit_valid[i + 1].d.next = self.visit_valid[i].q.val();
            self.visit_is_arm[i + 1].d.next = self.visit_is_arm[i].q.val();
            self.visit_flow[i + 1].d.next = self.visit_flow[i].q.val();
        }
        self.visit_created[0].d.next =
            self.created.q.val().get_bit(self.visit_flow[0].q.val().index());
        for i in 0..6 {
            self.visit_created[i + 1].d.next = self.visit_created[i].q.val();
        }
        self.phase_now.next = 0.into();
        for i in 0..FB {
            if self.visit_flow[0].q.val().get_bit(i) {
                self.phase_now.next = self.phase_now.val() | self.phase_bit[i].val();
            }
        }
        self.phase.d.next = self.phase_now.val();
        self.now.d.next = self.now.q.val() + 1;
        self.credit_pipe.s_rate.next = self.rate_table.read_data.val().get_bits::<32>(0);
        self.credit_pipe.s_window_bytes.next = self.rate_table.read_data.val().get_bits::<32>(32);
        self.credit_pipe.s_inflight_bytes.next = self.inflight_table.read_data.val();
        self.credit_pipe.s_len_bytes.next = self.len_table.read_data.val();
        self.credit_pipe.s_credit.next = self.credit_word.q.val().get_bits::<40>(0);
        self.credit_pipe.s_seen.next = self.credit_word.q.val().get_bits::<23>(40);
        self.credit_pipe.s_started.next = self.credit_word.q.val().get_bit(63);
        self.credit_pipe.s_now.next = self.now.q.val();
        self.credit_pipe.s_phase.next = self.phase.q.val();
        comment!("Decide.");
        self.grant_rule.s_visit_valid.next = self.visit_valid[7].q.val();
        self.grant_rule.s_visit_flow.next = self.visit_flow[7].q.val();
        self.grant_rule.s_visit_is_arm.next = self.visit_is_arm[7].q.val();
        self.grant_rule.s_visit_created.next = self.visit_created[6].q.val();
        self.grant_rule.s_visit_is_open.next = self.credit_pipe.m_is_open.val();
        self.grant_rule.s_visit_len_bytes.next = self.credit_pipe.m_len_bytes.val();
        self.grant_rule.s_visit_credit.next = self.credit_pipe.m_credit.val();
        self.grant_rule.s_visit_excess.next = self.credit_pipe.m_excess.val();
        self.grant_rule.s_visit_levels.next = self.credit_pipe.m_levels.val();
        self.m_grant_valid.next = self.grant_rule.m_grant_valid.val();
        self.m_grant_flow.next = self.grant_rule.m_grant_flow.val();
        self.grant_rule.m_grant_ready.next = self.m_grant_ready.val();
        comment!("Store {started, time of the visit, credit}; after reset clear all rows.");
        self.store_time.d.next = self.store_time.q.val() + 1;
        self.time_wide.next = bit_cast::<64, 23>(self.store_time.q.val());
        self.time_part.next = self.time_wide.val() << 40;
        self.credit_table.write_enable.next = self.grant_rule.m_store_valid.val();
        self.credit_table.write_address.next = self.grant_rule.m_visit_flow.val();
        self.credit_table.write_data.next =
            self.time_part.val() | bit_cast::<64, 40>(self.grant_rule.m_store_credit.val());
        if self.grant_rule.m_store_started.val() {
            self.credit_table.write_data.next = self.started_flag.val()
                | self.time_part.val()
                | bit_cast::<64, 40>(self.grant_rule.m_store_credit.val());
        }
        if !self.is_clean.q.val() {
            self.credit_table.write_enable.next = true;
            self.credit_table.write_address.next = self.scrub_flow.q.val();
            self.credit_table.write_data.next = 0.into();
            self.scrub_flow.d.next = self.scrub_flow.q.val() + 1;
            self.is_clean.d.next = self.scrub_flow.q.val() == self.last_flow.val();
        }
        if self.reset.val() {
            self.is_clean.d.next = false;
            self.scrub_flow.d.next = 0.into();
            self.work_turn.d.next = false;
            self.inflight_turn.d.next = false;
            self.created.d.next = 0.into();
            self.now.d.next = 0.into();
            self.store_time.d.next = self.first_store_time.val();
            for i in 0..8 {
                self.visit_valid[i].d.next = false;
            }
        }
    }
}
