//! Completion ring in host memory: writes the completions of the queue, and tells when they are
//! there.
//!
//! # Source            hdl/host.md
//! # Interface timing  cycle 0: head_valid; cycle 1: m_cmd, first beat, head_take. A report: cycle 0:
//!                     s_done_valid; cycle 1: head_commit; cycle 2: landed
//! # Latency and rate  one entry every [`entry_cycles`], `2^S` on their way at most
//! # Shape             W bits of data: 64, or a beat takes a whole entry. `S1 = S + 1`
//! # Errors            after a failed write nothing more is written: once all reports are in, what
//!                     has not landed is given back to the queue. Switching off and on goes on
//! # Switching        off for at least four cycles; address and size change only while off
//! # Reset             synchronous, high: off
//! # Twins             sim/models/src/golden/host/cq/ring.rs, tests/host/cq_ring.rs

use crate::events::CqEvents;
use crate::host::cq::index::CqIndex;
use crate::streams::{AxisWords, Consumer, QueueHead, RingStatus, WriteCommand};
use crate::{block, kernel, Reg, Wire};
use rust_hdl_core::prelude::*;

/// Cycles from an entry to the next one, at least: the queue shows it then.
pub const fn entry_cycles(data_bits: usize) -> usize {
    3 + 128_usize.div_ceil(data_bits)
}
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
#[block(check(W == 64 || W >= 128, S1 == S + 1))]
pub struct CqRing<const W: usize, const S: usize, const S1: usize> {
    /// Address of the ring, low word.
    pub cfg_base_lo: Signal<In, Bits<32>>,
    /// High word.
    pub cfg_base_hi: Signal<In, Bits<32>>,
    /// log2 of its entries; 0: off.
    pub cfg_log2: Signal<In, Bits<4>>,
    /// The oldest completion.
    pub head: QueueHead<In>,
    /// Its state.
    pub ring: RingStatus<Out>,
    /// Software writes its index.
    pub s_consumer: Consumer<In>,
    /// Write command.
    pub m_cmd: WriteCommand<Out, 126>,
    /// Bytes.
    pub m_data: AxisWords<Out, W>,
    /// A write has ended.
    pub s_done_valid: Signal<In, Bit>,
    /// Taken: always.
    pub s_done_ready: Signal<Out, Bit>,
    /// It failed.
    pub s_done_error: Signal<In, Bit>,
    /// Entries that have landed.
    pub landed: Signal<Out, Bits<16>>,
    /// What it counts.
    pub event_cq: CqEvents<Out>,
    index: CqIndex<S>,
    #[reset(CqRingState::Off)]
    state: Reg<CqRingState>,
    cmd_valid: Reg<Bit>,
    addr: Reg<Bits<64>>,
    entry: Reg<Bits<128>>,
    take: Reg<Bit>,
    commit: Reg<Bit>,
    outstanding: Reg<Bits<S1>>,
    stopped: Reg<Bit>,
    head_seen: Reg<Bit>,
    full_q: Reg<Bit>,
    full_event: Reg<Bit>,
    error_event: Reg<Bit>,
    is_on: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    lands: Signal<Local, Bit>,
    is_full: Signal<Local, Bit>,
    base_low: Signal<Local, Bits<64>>,
    base_high: Signal<Local, Bits<64>>,
    phase_part: Signal<Local, Bits<128>>,
    #[init(Constant::new(W >= 128))]
    is_whole: Constant<Bit>,
    #[value(num_bigint::BigUint::from(1_u32) << 111_u32)]
    phase_bit: Constant<Bits<128>>,
    #[init(Constant::new(ENTRY_BYTES.to_bits()))]
    entry_bytes: Constant<Bits<13>>,
    #[value(1_u64 << S)]
    writes_max: Constant<Bits<S1>>,
}

#[kernel]
impl<const W: usize, const S: usize, const S1: usize> CqRing<W, S, S1> {
    fn update(&mut self) {
        self.ring.owns.next = self.state.val() != CqRingState::Off;
        self.head.take.next = self.take.val();
        self.head.commit.next = self.commit.val();
        self.head.rewind.next = self.state.val() == CqRingState::Back;
        self.m_cmd.valid.next = self.cmd_valid.val();
        self.m_cmd.addr.next = self.addr.val();
        self.m_cmd.bytes.next = self.entry_bytes.val();
        self.m_cmd.tag.next = 0.into();
        self.m_data.tvalid.next =
            (self.state.val() == CqRingState::First) | (self.state.val() == CqRingState::Second);
        self.m_data.tlast.next = (self.state.val() == CqRingState::Second)
            | ((self.state.val() == CqRingState::First) & self.is_whole.val());
        self.m_data.tdata.next = bit_cast::<W, 128>(self.entry.val());
        self.s_done_ready.next = true;
        self.landed.next = self.index.landed.val();
        self.ring.waiting.next = self.index.waiting.val();
        if self.state.val() == CqRingState::Off {
            self.ring.waiting.next = self.head_seen.val();
        }
        self.ring.armed.next = self.index.armed.val();
        self.ring.full.next = self.full_q.val();
        self.event_cq.full.next = self.full_event.val();
        self.event_cq.error.next = self.error_event.val();
        self.event_cq.refused.next = self.index.refused.val();

        self.start();
        self.states();
        self.end();
    }

    /// an entry starts
    fn start(&mut self) {
        self.is_on.next = self.cfg_log2.val().any();
        self.starts.next = (self.state.val() == CqRingState::Idle)
            & self.is_on.val()
            & !self.stopped.val()
            & self.head.valid.val()
            & self.index.room.val()
            & !self.cmd_valid.val()
            & (self.outstanding.val() != self.writes_max.val());
        self.take.next = self.starts.val();
        if self.m_cmd.ready.val() {
            self.cmd_valid.next = false;
        }
        self.phase_part.next = 0.into();
        if self.index.phase.val() {
            self.phase_part.next = self.phase_bit.val();
        }
        if self.starts.val() {
            self.cmd_valid.next = true;
            self.addr.next = self.index.addr.val();
            self.entry.next = self.head.entry.val() | self.phase_part.val();
        }
    }

    fn states(&mut self) {
        match self.state.val() {
            CqRingState::Off => {
                if self.is_on.val() {
                    self.state.next = CqRingState::Settle;
                }
            }
            CqRingState::Idle => {
                if self.starts.val() {
                    self.state.next = CqRingState::First;
                } else if !self.outstanding.val().any()
                    & !self.commit.val()
                    & (self.stopped.val() | !self.is_on.val())
                {
                    self.state.next = CqRingState::Back;
                }
            }
            CqRingState::First => {
                if self.m_data.tready.val() {
                    self.entry.next = self.entry.val() >> 64;
                    self.state.next = CqRingState::Second;
                    if self.is_whole.val() {
                        self.state.next = CqRingState::Settle;
                    }
                }
            }
            CqRingState::Second => {
                if self.m_data.tready.val() {
                    self.state.next = CqRingState::Settle;
                }
            }
            CqRingState::Settle => {
                comment!("The queue shows the next completion later than the room is known.");
                self.state.next = CqRingState::Idle;
            }
            CqRingState::Back => {
                self.state.next = CqRingState::Halt;
            }
            CqRingState::Halt => {
                comment!("A ring that has stopped stays so until it is switched off.");
                if !self.is_on.val() {
                    self.stopped.next = false;
                    self.state.next = CqRingState::Off;
                }
            }
        }
    }

    /// an entry ends
    fn end(&mut self) {
        self.lands.next = self.s_done_valid.val() & !self.s_done_error.val() & !self.stopped.val();
        self.commit.next = self.lands.val();
        self.error_event.next = false;
        if self.s_done_valid.val() & self.s_done_error.val() {
            self.stopped.next = true;
            self.error_event.next = !self.stopped.val();
        }
        if self.starts.val() & !self.s_done_valid.val() {
            self.outstanding.next = self.outstanding.val() + 1;
        } else if self.s_done_valid.val() & !self.starts.val() {
            self.outstanding.next = self.outstanding.val() - 1;
        }
        comment!("indices");
        self.base_low.next = bit_cast::<64, 32>(self.cfg_base_lo.val());
        self.base_high.next = bit_cast::<64, 32>(self.cfg_base_hi.val());
        self.index.cfg_base.next = self.base_low.val() | (self.base_high.val() << 32);
        self.index.cfg_log2.next = self.cfg_log2.val();
        self.index.clear.next = self.state.val() == CqRingState::Off;
        self.index.advance.next = self.starts.val();
        self.index.land.next = self.commit.val();
        self.index.back.next = self.state.val() == CqRingState::Back;
        Wire::join(&mut self.s_consumer, &mut self.index.s_consumer);
        comment!("what software may want to know");
        self.head_seen.next = self.head.valid.val();
        self.is_full.next = (self.state.val() == CqRingState::Idle)
            & self.is_on.val()
            & !self.stopped.val()
            & self.head.valid.val()
            & !self.index.room.val();
        self.full_q.next = self.is_full.val();
        self.full_event.next = self.is_full.val() & !self.full_q.val();
    }
}
