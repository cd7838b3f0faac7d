//! What the scheduler knows of each flow: rate, window, length, bytes in flight, credit.
//!
//! # Interface timing  cycle 0: s_work, s_inflight, s_rate taken, and s_visit_flow; cycle 2: m_*
//!                     of that flow, transfers of cycle 0 included
//! # Latency and rate  [`LATENCY_CYCLES`]; one visit, one store and one s_rate per cycle; s_work
//!                     and s_inflight share a write port and are ready in turn
//! # Shape             F = 2^FB flows
//! # Number formats    as credit_pipe.rs
//! # Reset             synchronous, high: no flow exists; credits are cleared in F cycles, with
//!                     the readies low
//! # Twins             `accept` and `read` of sim/models/src/golden/sched/scheduler.rs

use crate::sched::credit::{credit_pipe::CREDIT_ZERO, flow_table::FlowTable};
use crate::streams::{InFlight, Rate, Work};
use crate::util::ram::Ram;
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a visit to the flow's state.
pub const LATENCY_CYCLES: usize = 2;
/// Cycles from a visit's flow to the store of its credit.
pub const STORE_CYCLES: usize = 9;

/// State of `F = 2^FB` flows.
#[block(check(F == 1 << FB && FB <= 12))]
pub struct FlowState<const F: usize, const FB: usize> {
    /// A flow has a packet to send.
    pub s_work: Work<In, FB>,
    /// A flow's bytes in flight have changed.
    pub s_inflight: InFlight<In, FB>,
    /// A flow is created, removed, or gets a window and rate.
    pub s_rate: Rate<In, FB>,
    /// A visit starts.
    pub s_visit_valid: Signal<In, Bit>,
    /// Flow to visit.
    pub s_visit_flow: Signal<In, Bits<FB>>,
    /// The flow exists.
    pub m_created: Signal<Out, Bit>,
    /// Rate, UQ8.24 bytes a cycle.
    pub m_rate: Signal<Out, Bits<32>>,
    /// Window, bytes.
    pub m_window_bytes: Signal<Out, Bits<32>>,
    /// Bytes in flight.
    pub m_inflight_bytes: Signal<Out, Bits<32>>,
    /// Bytes of the packet that waits.
    pub m_len_bytes: Signal<Out, Bits<14>>,
    /// Credit after the last visit.
    pub m_credit: Signal<Out, Bits<41>>,
    /// Time of the last visit.
    pub m_seen: Signal<Out, Bits<22>>,
    /// Time of the visits whose m_* stand now.
    pub s_time: Signal<In, Bits<22>>,
    /// The flow had a visit since it was created.
    pub m_started: Signal<Out, Bit>,
    /// It is queued for the ticket, or holds it.
    pub m_is_queued: Signal<Out, Bit>,
    /// Its first credit, UQ0.12 packets.
    pub m_phase: Signal<Out, Bits<12>>,
    /// A visit's credit is to be stored, [`STORE_CYCLES`] after the visit.
    pub s_store_valid: Signal<In, Bit>,
    /// Its flow.
    pub s_store_flow: Signal<In, Bits<FB>>,
    /// Credit after the visit.
    pub s_store_credit: Signal<In, Bits<41>>,
    /// The flow existed.
    pub s_store_started: Signal<In, Bit>,
    /// It is queued for the ticket, or holds it.
    pub s_store_is_queued: Signal<In, Bit>,
    rate_table: FlowTable<FB, 64>,
    len_table: FlowTable<FB, 14>,
    inflight_table: FlowTable<FB, 32>,
    credit_table: Ram<FB, Bits<65>>,
    is_clean: Reg<Bit>,
    scrub_flow: Reg<Bits<FB>>,
    work_turn: Reg<Bit>,
    inflight_turn: Reg<Bit>,
    created: Reg<Bits<F>>,
    visit_time: [Unreset<Bits<22>>; 7],
    credit_word: Unreset<Bits<65>>,
    phase: Unreset<Bits<12>>,
    flow: Unreset<Bits<FB>>,
    is_created: Unreset<Bit>,
    work_taken: Signal<Local, Bit>,
    inflight_taken: Signal<Local, Bit>,
    rate_taken: Signal<Local, Bit>,
    rate_mask: Signal<Local, Bits<F>>,
    not_rate_mask: Signal<Local, Bits<F>>,
    window_part: Signal<Local, Bits<64>>,
    window_wide: Signal<Local, Bits<64>>,
    time_wide: Signal<Local, Bits<65>>,
    time_part: Signal<Local, Bits<65>>,
    started_part: Signal<Local, Bits<65>>,
    queued_part: Signal<Local, Bits<65>>,
    phase_now: Signal<Local, Bits<12>>,
    #[value(1)]
    op_create: Constant<Bits<2>>,
    #[value(2)]
    op_remove: Constant<Bits<2>>,
    #[value(F as u64 - 1)]
    last_flow: Constant<Bits<FB>>,
    #[value(1)]
    one: Constant<Bits<F>>,
    #[value(1)]
    flag: Constant<Bits<65>>,
    #[value(CREDIT_ZERO)]
    no_credit: Constant<Bits<65>>,
    #[init(core::array::from_fn(|i| Constant::new((1_u64 << (11 - i)).into())))]
    phase_bit: [Constant<Bits<12>>; FB],
}

impl<const F: usize, const FB: usize> Logic for FlowState<F, FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.s_work.ready.next = self.work_turn.val();
        self.s_inflight.ready.next = self.inflight_turn.val();
        self.s_rate.ready.next = self.is_clean.val();
        comment!("Sinks: work and in-flight bytes share one write port and take turns.");
        self.work_turn.next = self.is_clean.val() & !self.work_turn.val();
        self.inflight_turn.next = self.is_clean.val() & self.work_turn.val();
        self.work_taken.next = self.s_work.valid.val() & self.work_turn.val();
        self.inflight_taken.next = self.s_inflight.valid.val() & self.inflight_turn.val();
        self.rate_taken.next = self.s_rate.valid.val() & self.is_clean.val();
        self.len_table.write_enable.next = self.work_taken.val();
        self.len_table.write_address.next = self.s_work.flow.val();
        self.len_table.write_data.next = self.s_work.len_bytes.val();
        self.inflight_table.write_enable.next = self.work_taken.val() | self.inflight_taken.val();
        self.inflight_table.write_address.next = self.s_inflight.flow.val();
        self.inflight_table.write_data.next = self.s_inflight.inflight_bytes.val();
        if self.work_turn.val() {
            self.inflight_table.write_address.next = self.s_work.flow.val();
            self.inflight_table.write_data.next = self.s_work.inflight_bytes.val();
        }
        self.rate_table.write_enable.next = self.rate_taken.val();
        self.rate_table.write_address.next = self.s_rate.flow.val();
        self.window_wide.next = bit_cast::<64, 32>(self.s_rate.window_bytes.val());
        self.window_part.next = self.window_wide.val() << 32;
        self.rate_table.write_data.next =
            self.window_part.val() | bit_cast::<64, 32>(self.s_rate.rate.val());
        self.rate_mask.next = self.one.val() << self.s_rate.flow.val();
        self.not_rate_mask.next = !self.rate_mask.val();
        if self.rate_taken.val() {
            if self.s_rate.op.val() == self.op_create.val() {
                self.created.next = self.created.val() | self.rate_mask.val();
            } else if self.s_rate.op.val() == self.op_remove.val() {
                self.created.next = self.created.val() & self.not_rate_mask.val();
            }
        }
        comment!("Visit: the flow's state is read, two registers behind the RAMs.");
        self.rate_table.read_address.next = self.s_visit_flow.val();
        self.len_table.read_address.next = self.s_visit_flow.val();
        self.inflight_table.read_address.next = self.s_visit_flow.val();
        self.credit_table.read_enable.next = self.s_visit_valid.val();
        self.credit_table.read_address.next = self.s_visit_flow.val();
        self.credit_word.next = self.credit_table.read_data.val();
        self.flow.next = self.s_visit_flow.val();
        self.is_created.next = self.created.val().get_bit(self.flow.val().index());
        self.phase_now.next = 0.into();
        for i in 0..FB {
            if self.flow.val().get_bit(i) {
                self.phase_now.next = self.phase_now.val() | self.phase_bit[i].val();
            }
        }
        self.phase.next = self.phase_now.val();
        self.m_created.next = self.is_created.val();
        self.m_rate.next = self.rate_table.read_data.val().get_bits::<32>(0);
        self.m_window_bytes.next = self.rate_table.read_data.val().get_bits::<32>(32);
        self.m_inflight_bytes.next = self.inflight_table.read_data.val();
        self.m_len_bytes.next = self.len_table.read_data.val();
        self.m_credit.next = self.credit_word.val().get_bits::<41>(0);
        self.m_seen.next = self.credit_word.val().get_bits::<22>(41);
        self.m_started.next = self.credit_word.val().get_bit(63);
        self.m_is_queued.next = self.credit_word.val().get_bit(64);
        self.m_phase.next = self.phase.val();
        comment!("Store {queued, started, time of the visit, credit}; after reset clear all rows.");
        self.visit_time[0].next = self.s_time.val();
        for i in 0..6 {
            self.visit_time[i + 1].next = self.visit_time[i].val();
        }
        self.time_wide.next = bit_cast::<65, 22>(self.visit_time[6].val());
        self.time_part.next = self.time_wide.val() << 41;
        self.credit_table.write_enable.next = self.s_store_valid.val();
        self.credit_table.write_address.next = self.s_store_flow.val();
        self.started_part.next = 0.into();
        if self.s_store_started.val() {
            self.started_part.next = self.flag.val() << 63;
        }
        self.queued_part.next = 0.into();
        if self.s_store_is_queued.val() {
            self.queued_part.next = self.flag.val() << 64;
        }
        self.credit_table.write_data.next = self.queued_part.val()
            | self.started_part.val()
            | self.time_part.val()
            | bit_cast::<65, 41>(self.s_store_credit.val());
        if !self.is_clean.val() {
            self.credit_table.write_enable.next = true;
            self.credit_table.write_address.next = self.scrub_flow.val();
            self.credit_table.write_data.next = self.no_credit.val();
            self.scrub_flow.next = self.scrub_flow.val() + 1;
            self.is_clean.next = self.scrub_flow.val() == self.last_flow.val();
        }
    }
}
