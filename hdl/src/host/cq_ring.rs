//! Completion ring in host memory: writes the completions of the queue, and tells when they are
//! there.
//!
//! # Source            ARCHITECTURE.md, Rings
//! # Interface timing  cycle 0: head_valid; cycle 1: m_cmd, first beat, head_take. A report: cycle 0:
//!                     s_done_valid; cycle 1: head_commit; cycle 2: landed
//! # Latency and rate  one entry every [`ENTRY_CYCLES`], eight on their way at most
//! # Errors            after a failed write nothing more is written: once all reports are in, what
//!                     has not landed is given back to the queue. Switching off and on goes on
//! # Switching        off for at least four cycles; address and size change only while off
//! # Reset             synchronous, high: off
//! # Twins             sim/src/golden/host/cq_ring.rs, tests/cq_ring.rs

use super::cq_index::CqIndex;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from an entry to the next one, at least: the queue shows it then.
pub const ENTRY_CYCLES: usize = 5;
/// Entries on their way at most.
pub const WRITES_MAX: u64 = 8;
/// Bytes of an entry.
pub const ENTRY_BYTES: u64 = 16;

/// What the block does in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum CqRingState {
    Off,
    Idle,
    First,
    Second,
    Settle,
    Back,
    Halt,
}

/// The completion ring.
#[derive(LogicBlock)]
pub struct CqRing {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// Address of the ring, low word.
    pub cfg_base_lo: Signal<In, Bits<32>>,
    /// High word.
    pub cfg_base_hi: Signal<In, Bits<32>>,
    /// log2 of its entries; 0: off.
    pub cfg_log2: Signal<In, Bits<4>>,
    /// The queue shows a completion.
    pub head_valid: Signal<In, Bit>,
    /// The completion.
    pub head: Signal<In, Bits<128>>,
    /// The queue is the ring's.
    pub owns: Signal<Out, Bit>,
    /// The completion is on its way.
    pub head_take: Signal<Out, Bit>,
    /// The oldest on its way has landed.
    pub head_commit: Signal<Out, Bit>,
    /// What is on its way has not landed.
    pub head_rewind: Signal<Out, Bit>,
    /// Software writes its index.
    pub s_consumer_valid: Signal<In, Bit>,
    /// The index of the entry that it reads next.
    pub s_consumer_index: Signal<In, Bits<16>>,
    /// It wants an interrupt.
    pub s_consumer_arm: Signal<In, Bit>,
    /// Write command.
    pub m_cmd_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_cmd_ready: Signal<In, Bit>,
    /// Byte address.
    pub m_cmd_addr: Signal<Out, Bits<64>>,
    /// Bytes.
    pub m_cmd_bytes: Signal<Out, Bits<13>>,
    /// Comes back with the report: nothing.
    pub m_cmd_tag: Signal<Out, Bits<126>>,
    /// A beat stands.
    pub m_data_tvalid: Signal<Out, Bit>,
    /// It is taken.
    pub m_data_tready: Signal<In, Bit>,
    /// Bytes.
    pub m_data_tdata: Signal<Out, Bits<64>>,
    /// Last beat of the entry.
    pub m_data_tlast: Signal<Out, Bit>,
    /// A write has ended.
    pub s_done_valid: Signal<In, Bit>,
    /// Taken: always.
    pub s_done_ready: Signal<Out, Bit>,
    /// It failed.
    pub s_done_error: Signal<In, Bit>,
    /// Entries that have landed.
    pub landed: Signal<Out, Bits<16>>,
    /// Software has not seen all completions.
    pub waiting: Signal<Out, Bit>,
    /// Software wants an interrupt.
    pub armed: Signal<Out, Bit>,
    /// A completion waits for software to free an entry.
    pub full: Signal<Out, Bit>,
    /// It begins to wait.
    pub event_cq_full: Signal<Out, Bit>,
    /// An entry could not be written: the ring stands still.
    pub event_cq_error: Signal<Out, Bit>,
    /// Software's index moved back or beyond what was sent.
    pub event_cq_refused: Signal<Out, Bit>,
    index: CqIndex,
    state: DFF<CqRingState>,
    cmd_valid: DFF<Bit>,
    addr: DFF<Bits<64>>,
    entry: DFF<Bits<128>>,
    take: DFF<Bit>,
    commit: DFF<Bit>,
    outstanding: DFF<Bits<4>>,
    stopped: DFF<Bit>,
    head_seen: DFF<Bit>,
    full_q: DFF<Bit>,
    full_event: DFF<Bit>,
    error_event: DFF<Bit>,
    is_on: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    lands: Signal<Local, Bit>,
    is_full: Signal<Local, Bit>,
    base_low: Signal<Local, Bits<64>>,
    base_high: Signal<Local, Bits<64>>,
    phase_part: Signal<Local, Bits<128>>,
    phase_bit: Constant<Bits<128>>,
    entry_bytes: Constant<Bits<13>>,
    writes_max: Constant<Bits<4>>,
}

impl Default for CqRing {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            cfg_base_lo: Default::default(),
            cfg_base_hi: Default::default(),
            cfg_log2: Default::default(),
            head_valid: Default::default(),
            head: Default::default(),
            owns: Default::default(),
            head_take: Default::default(),
            head_commit: Default::default(),
            head_rewind: Default::default(),
            s_consumer_valid: Default::default(),
            s_consumer_index: Default::default(),
            s_consumer_arm: Default::default(),
            m_cmd_valid: Default::default(),
            m_cmd_ready: Default::default(),
            m_cmd_addr: Default::default(),
            m_cmd_bytes: Default::default(),
            m_cmd_tag: Default::default(),
            m_data_tvalid: Default::default(),
            m_data_tready: Default::default(),
            m_data_tdata: Default::default(),
            m_data_tlast: Default::default(),
            s_done_valid: Default::default(),
            s_done_ready: Default::default(),
            s_done_error: Default::default(),
            landed: Default::default(),
            waiting: Default::default(),
            armed: Default::default(),
            full: Default::default(),
            event_cq_full: Default::default(),
            event_cq_error: Default::default(),
            event_cq_refused: Default::default(),
            index: Default::default(),
            state: Default::default(),
            cmd_valid: Default::default(),
            addr: Default::default(),
            entry: Default::default(),
            take: Default::default(),
            commit: Default::default(),
            outstanding: Default::default(),
            stopped: Default::default(),
            head_seen: Default::default(),
            full_q: Default::default(),
            full_event: Default::default(),
            error_event: Default::default(),
            is_on: Default::default(),
            starts: Default::default(),
            lands: Default::default(),
            is_full: Default::default(),
            base_low: Default::default(),
            base_high: Default::default(),
            phase_part: Default::default(),
            phase_bit: Constant::new((num_bigint::BigUint::from(1_u32) << 111_u32).into()),
            entry_bytes: Constant::new(ENTRY_BYTES.to_bits()),
            writes_max: Constant::new(WRITES_MAX.to_bits()),
        }
    }
}

impl Logic for CqRing {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            state,
            cmd_valid,
            addr,
            entry,
            take,
            commit,
            outstanding,
            stopped,
            head_seen,
            full_q,
            full_event,
            error_event
        );
        clock!(self, clock, index);
        self.index.reset.next = self.reset.val();
        self.owns.next = self.state.q.val() != CqRingState::Off;
        self.head_take.next = self.take.q.val();
        self.head_commit.next = self.commit.q.val();
        self.head_rewind.next = self.state.q.val() == CqRingState::Back;
        self.m_cmd_valid.next = self.cmd_valid.q.val();
        self.m_cmd_addr.next = self.addr.q.val();
        self.m_cmd_bytes.next = self.entry_bytes.val();
        self.m_cmd_tag.next = 0.into();
        self.m_data_tvalid.next = (self.state.q.val() == CqRingState::First)
            | (self.state.q.val() == CqRingState::Second);
        self.m_data_tlast.next = self.state.q.val() == CqRingState::Second;
        self.m_data_tdata.next = self.entry.q.val().get_bits::<64>(0);
        self.s_done_ready.next = true;
        self.landed.next = self.index.landed.val();
        self.waiting.next = self.index.waiting.val();
        if self.state.q.val() == CqRingState::Off {
            self.waiting.next = self.head_seen.q.val();
        }
        self.armed.next = self.index.armed.val();
        self.full.next = self.full_q.q.val();
        self.event_cq_full.next = self.full_event.q.val();
        self.event_cq_error.next = self.error_event.q.val();
        self.event_cq_refused.next = self.index.refused.val();
        comment!("an entry starts");
        self.is_on.next = self.cfg_log2.val().any();
        self.starts.next = (self.state.q.val() == CqRingState::Idle)
            & self.is_on.val()
            & !self.stopped.q.val()
            & self.head_valid.val()
            & self.index.room.val()
            & !self.cmd_valid.q.val()
            & (self.outstanding.q.val() != self.writes_max.val());
        self.take.d.next = self.starts.val();
        if self.m_cmd_ready.val() {
            self.cmd_valid.d.next = false;
        }
        self.phase_part.next = 0.into();
        if self.index.phase.val() {
            self.phase_part.next = self.phase_bit.val();
        }
        if self.starts.val() {
            self.cmd_valid.d.next = true;
            self.addr.d.next = self.index.addr.val();
            self.entry.d.next = self.head.val() | self.phase_part.val();
        }
        match self.state.q.val() {
            CqRingState::Off => {
                if self.is_on.val() {
                    self.state.d.next = CqRingState::Settle;
                }
            }
            CqRingState::Idle => {
                if self.starts.val() {
                    self.state.d.next = CqRingState::First;
                } else if !self.outstanding.q.val().any()
                    & !self.commit.q.val()
                    & (self.stopped.q.val() | !self.is_on.val())
                {
                    self.state.d.next = CqRingState::Back;
                }
            }
            CqRingState::First => {
                if self.m_data_tready.val() {
                    self.entry.d.next = self.entry.q.val() >> 64;
                    self.state.d.next = CqRingState::Second;
                }
            }
            CqRingState::Second => {
                if self.m_data_tready.val() {
                    self.state.d.next = CqRingState::Settle;
                }
            }
            CqRingState::Settle => {
                comment!("The queue shows the next completion later than the room is known.");
                self.state.d.next = CqRingState::Idle;
            }
            CqRingState::Back => {
                self.state.d.next = CqRingState::Halt;
            }
            CqRingState::Halt => {
                comment!("A ring that has stopped stays so until it is switched off.");
                if !self.is_on.val() {
                    self.stopped.d.next = false;
                    self.state.d.next = CqRingState::Off;
                }
            }
        }
        comment!("an entry ends");
        self.lands.next =
            self.s_done_valid.val() & !self.s_done_error.val() & !self.stopped.q.val();
        self.commit.d.next = self.lands.val();
        self.error_event.d.next = false;
        if self.s_done_valid.val() & self.s_done_error.val() {
            self.stopped.d.next = true;
            self.error_event.d.next = !self.stopped.q.val();
        }
        if self.starts.val() & !self.s_done_valid.val() {
            self.outstanding.d.next = self.outstanding.q.val() + 1;
        } else if self.s_done_valid.val() & !self.starts.val() {
            self.outstanding.d.next = self.outstanding.q.val() - 1;
        }
        comment!("indices");
        self.base_low.next = bit_cast::<64, 32>(self.cfg_base_lo.val());
        self.base_high.next = bit_cast::<64, 32>(self.cfg_base_hi.val());
        self.index.cfg_base.next = self.base_low.val() | (self.base_high.val() << 32);
        self.index.cfg_log2.next = self.cfg_log2.val();
        self.index.clear.next = self.state.q.val() == CqRingState::Off;
        self.index.advance.next = self.starts.val();
        self.index.land.next = self.commit.q.val();
        self.index.back.next = self.state.q.val() == CqRingState::Back;
        self.index.s_consumer_valid.next = self.s_consumer_valid.val();
        self.index.s_consumer_index.next = self.s_consumer_index.val();
        self.index.s_consumer_arm.next = self.s_consumer_arm.val();
        comment!("what software may want to know");
        self.head_seen.d.next = self.head_valid.val();
        self.is_full.next = (self.state.q.val() == CqRingState::Idle)
            & self.is_on.val()
            & !self.stopped.q.val()
            & self.head_valid.val()
            & !self.index.room.val();
        self.full_q.d.next = self.is_full.val();
        self.full_event.d.next = self.is_full.val() & !self.full_q.q.val();
        if self.reset.val() {
            self.state.d.next = CqRingState::Off;
            self.cmd_valid.d.next = false;
            self.addr.d.next = 0.into();
            self.entry.d.next = 0.into();
            self.take.d.next = false;
            self.commit.d.next = false;
            self.outstanding.d.next = 0.into();
            self.stopped.d.next = false;
            self.head_seen.d.next = false;
            self.full_q.d.next = false;
            self.full_event.d.next = false;
            self.error_event.d.next = false;
        }
    }
}
