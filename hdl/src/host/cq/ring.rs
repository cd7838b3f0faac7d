//! Completion ring in host memory: writes the completions of the queue, and tells when they are
//! there.
//!
//! # Source            hdl/host.md
//! # Interface timing  cycle 0: head_valid; cycle 1: m_cmd, first beat, head_take. A report: cycle 0:
//!                     s_done_valid; cycle 1: head_commit; cycle 2: landed. Where a write may have
//!                     several entries it leaves, and so m_cmd comes, when it is full or no entry has
//!                     come for [`PATIENCE_CYCLES`]
//! # Latency and rate  one write every [`write_cycles`], `2^S` on their way at most. A write's entries
//!                     are taken one every 2 cycles
//! # Shape             W bits of data: 64, or a beat takes a whole write of up to `2^N` entries. `S1 =
//!                     S + 1`, `NB = N + 1`, `EW` = 128 << N bits of entries
//! # Errors            after a failed write nothing more is written: once all reports are in, what
//!                     has not landed is given back to the queue. Switching off and on goes on
//! # Switching        off for at least four cycles; address and size change only while off
//! # Reset             synchronous, high: off
//! # Twins             sim/models/src/golden/host/cq/ring.rs, tests/host/cq_ring.rs

use crate::events::CqEvents;
use crate::host::cq::index::CqIndex;
use crate::streams::{AxisWords, Consumer, QueueHead, RingStatus, WriteCommand, WriteDone};
use crate::{block, kernel, Reg, Wire};
use rust_hdl_core::prelude::*;

/// Cycles from the last entry of a write to the first one of the next, at least.
pub const fn write_cycles(data_bits: usize) -> usize {
    3 + 128_usize.div_ceil(data_bits)
}
/// Cycles for which a write that has room waits for one more entry.
pub const PATIENCE_CYCLES: u64 = 8;

/// What the block does in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum CqRingState {
    Off,
    Idle,
    Gather,
    First,
    Second,
    Settle,
    Back,
    Halt,
}

/// The completion ring.
#[block(check(
    S1 == S + 1, EW == 128 << (NB - 1), W == EW || (W == 64 && NB == 1), E == S + NB - 1
))]
pub struct CqRing<
    const W: usize,
    const S: usize,
    const S1: usize,
    const NB: usize,
    const E: usize,
    const EW: usize,
> {
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
    /// A write has ended: always taken.
    pub s_done: WriteDone<In, 126>,
    /// Entries that have landed.
    pub landed: Signal<Out, Bits<16>>,
    /// What it counts.
    pub event_cq: CqEvents<Out>,
    index: CqIndex<E, NB>,
    #[reset(CqRingState::Off)]
    state: Reg<CqRingState>,
    cmd_valid: Reg<Bit>,
    addr: Reg<Bits<64>>,
    entries: Reg<Bits<EW>>,
    count: Reg<Bits<NB>>,
    left: Reg<Bits<NB>>,
    patience: Reg<Bits<4>>,
    take: Reg<Bit>,
    commit: Reg<Bits<NB>>,
    outstanding: Reg<Bits<S1>>,
    stopped: Reg<Bit>,
    head_seen: Reg<Bit>,
    full_q: Reg<Bit>,
    full_event: Reg<Bit>,
    error_event: Reg<Bit>,
    is_on: Signal<Local, Bit>,
    goes_on: Signal<Local, Bit>,
    offered: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    appends: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    room_after: Signal<Local, Bits<NB>>,
    count_after: Signal<Local, Bits<NB>>,
    leaves: Signal<Local, Bit>,
    new_entry: Signal<Local, Bits<128>>,
    new_part: Signal<Local, Bits<EW>>,
    place: Signal<Local, Bits<10>>,
    bytes: Signal<Local, Bits<13>>,
    is_full: Signal<Local, Bit>,
    base_low: Signal<Local, Bits<64>>,
    base_high: Signal<Local, Bits<64>>,
    #[init(Constant::new(W >= 128))]
    is_whole: Constant<Bit>,
    #[value(PATIENCE_CYCLES)]
    longest: Constant<Bits<4>>,
    #[value(num_bigint::BigUint::from(1_u32) << 111_u32)]
    phase_bit: Constant<Bits<128>>,
    #[value(1_u64 << S)]
    writes_max: Constant<Bits<S1>>,
}

#[kernel]
impl<
        const W: usize,
        const S: usize,
        const S1: usize,
        const NB: usize,
        const E: usize,
        const EW: usize,
    > CqRing<W, S, S1, NB, E, EW>
{
    fn update(&mut self) {
        self.ring.owns.next = self.state.val() != CqRingState::Off;
        self.head.take.next = self.take.val();
        self.head.commit.next = bit_cast::<3, NB>(self.commit.val());
        self.head.rewind.next = self.state.val() == CqRingState::Back;
        self.m_cmd.valid.next = self.cmd_valid.val();
        self.m_cmd.addr.next = self.addr.val();
        self.bytes.next = bit_cast::<13, NB>(self.count.val());
        self.m_cmd.bytes.next = self.bytes.val() << 4;
        self.m_cmd.tag.next = bit_cast::<126, NB>(self.count.val());
        self.m_data.tvalid.next =
            (self.state.val() == CqRingState::First) | (self.state.val() == CqRingState::Second);
        self.m_data.tlast.next = (self.state.val() == CqRingState::Second)
            | ((self.state.val() == CqRingState::First) & self.is_whole.val());
        self.m_data.tdata.next = bit_cast::<W, EW>(self.entries.val());
        self.s_done.ready.next = true;
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

        self.gather();
        self.states();
        self.end();
    }

    /// A write begins, takes another entry, leaves.
    fn gather(&mut self) {
        self.is_on.next = self.cfg_log2.val().any();
        self.goes_on.next = self.is_on.val() & !self.stopped.val();
        comment!("The entry that was just taken is still shown.");
        self.offered.next = self.head.valid.val() & !self.take.val() & self.goes_on.val();
        self.starts.next = (self.state.val() == CqRingState::Idle)
            & self.offered.val()
            & self.index.room.val().any()
            & !self.cmd_valid.val()
            & (self.outstanding.val() != self.writes_max.val());
        self.appends.next = (self.state.val() == CqRingState::Gather) & self.offered.val();
        self.takes.next = self.starts.val() | self.appends.val();
        self.take.next = self.takes.val();
        self.new_entry.next = self.head.entry.val();
        if self.index.phase.val() {
            self.new_entry.next = self.head.entry.val() | self.phase_bit.val();
        }
        self.new_part.next = bit_cast::<EW, 128>(self.new_entry.val());
        self.place.next = bit_cast::<10, NB>(self.count.val()) << 7;
        self.room_after.next = self.left.val() - 1;
        self.count_after.next = self.count.val() + 1;
        if self.starts.val() {
            self.room_after.next = self.index.room.val() - 1;
            self.count_after.next = 1.into();
            self.addr.next = self.index.addr.val();
            self.entries.next = self.new_part.val();
        }
        if self.appends.val() {
            self.entries.next = self.entries.val() | (self.new_part.val() << self.place.val());
        }
        self.patience.next = self.patience.val() - 1;
        if self.takes.val() {
            self.left.next = self.room_after.val();
            self.count.next = self.count_after.val();
            self.patience.next = self.longest.val();
        }
        self.leaves.next = (self.takes.val() & !self.room_after.val().any())
            | ((self.state.val() == CqRingState::Gather)
                & !self.appends.val()
                & (!self.patience.val().any() | !self.goes_on.val()));
        if self.m_cmd.ready.val() {
            self.cmd_valid.next = false;
        }
        if self.leaves.val() {
            self.cmd_valid.next = true;
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
                    self.state.next = CqRingState::Gather;
                } else if !self.outstanding.val().any()
                    & !self.commit.val().any()
                    & !self.goes_on.val()
                {
                    self.state.next = CqRingState::Back;
                }
            }
            CqRingState::Gather => {}
            CqRingState::First => {
                if self.m_data.tready.val() {
                    self.state.next = CqRingState::Settle;
                    if !self.is_whole.val() {
                        self.entries.next = self.entries.val() >> 64;
                        self.state.next = CqRingState::Second;
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
        if self.leaves.val() {
            self.state.next = CqRingState::First;
        }
    }

    /// A write ends.
    fn end(&mut self) {
        self.commit.next = 0.into();
        if self.s_done.valid.val() & !self.s_done.error.val() & !self.stopped.val() {
            self.commit.next = self.s_done.tag.val().get_bits::<NB>(0);
        }
        self.error_event.next = false;
        if self.s_done.valid.val() & self.s_done.error.val() {
            self.stopped.next = true;
            self.error_event.next = !self.stopped.val();
        }
        if self.leaves.val() & !self.s_done.valid.val() {
            self.outstanding.next = self.outstanding.val() + 1;
        } else if self.s_done.valid.val() & !self.leaves.val() {
            self.outstanding.next = self.outstanding.val() - 1;
        }
        comment!("indices");
        self.base_low.next = bit_cast::<64, 32>(self.cfg_base_lo.val());
        self.base_high.next = bit_cast::<64, 32>(self.cfg_base_hi.val());
        self.index.cfg_base.next = self.base_low.val() | (self.base_high.val() << 32);
        self.index.cfg_log2.next = self.cfg_log2.val();
        self.index.clear.next = self.state.val() == CqRingState::Off;
        self.index.advance.next = 0.into();
        if self.leaves.val() {
            self.index.advance.next = self.count.val();
            if self.takes.val() {
                self.index.advance.next = self.count_after.val();
            }
        }
        self.index.land.next = self.commit.val();
        self.index.back.next = self.state.val() == CqRingState::Back;
        Wire::join(&mut self.s_consumer, &mut self.index.s_consumer);
        comment!("what software may want to know");
        self.head_seen.next = self.head.valid.val();
        self.is_full.next = (self.state.val() == CqRingState::Idle)
            & self.is_on.val()
            & !self.stopped.val()
            & self.head.valid.val()
            & !self.index.room.val().any();
        self.full_q.next = self.is_full.val();
        self.full_event.next = self.is_full.val() & !self.full_q.val();
    }
}
