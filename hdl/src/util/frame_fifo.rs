//! AXI4-Stream frame FIFO: a frame becomes visible when its last beat was taken as good, or when it
//! is opened.
//!
//! # Interface timing  cycle 0: last beat with tuser = 0 taken; cycle 2: first beat at m_axis, 3
//!                     if it is the only one.
//!                     s_open in cycle 0: the first beat at m_axis in cycle 2, if it was taken
//!                     before cycle 0; a beat that is taken after that in its cycle 3
//!                     event_bad, event_overflow: the cycle after the frame's last beat
//! # Latency and rate  [`LATENCY_CYCLES`], 1 more for a frame of one beat; one beat per cycle, no gap inside a frame at m_axis
//! # Shape             2^AW beats of W bits, KB = W / 8, RW = W + KB + 1, CW = AW + 1; AW >= 3.
//!                     Two more beats wait behind the RAM
//! # Rollback          tuser on the last beat drops the frame (event_bad). A frame that finds no
//!                     room with cfg_drop_when_full, or that is longer than the buffer without,
//!                     is swallowed to its last beat and dropped (event_overflow): never a hang
//! # Open frames       s_open: the frame at the sink, of which no last beat was taken yet, is good
//!                     and leaves as it comes; its tuser counts for nothing. Whoever opens it sees
//!                     to it that its beats come in time. Not with cfg_drop_when_full
//! # Reset             synchronous, high: empty, s_axis_tready = 1, m_axis_* = 0, which hold their
//!                     last value while m_axis_tvalid is low
//! # Twins             sim/models/src/golden/util/frame_fifo.rs, tests/util/frame_fifo.rs

use crate::streams::{Axis, AxisUser};
use crate::util::ram::Ram;
use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Cycles from a frame's last beat at the sink to its first beat at the source, if that is another
/// one.
pub const LATENCY_CYCLES: usize = 2;

/// Frame FIFO of `2^AW` beats; `KB = W / 8`, `RW = W + KB + 1`, `CW = AW + 1`.
#[block(check(KB == W / 8 && RW == W + KB + 1, CW == AW + 1 && AW >= 3))]
pub struct FrameFifo<
    const W: usize,
    const KB: usize,
    const RW: usize,
    const AW: usize,
    const CW: usize,
> {
    /// A frame that finds no room is dropped; low: tready goes low instead. Constant in use.
    pub cfg_drop_when_full: Signal<In, Bit>,
    /// Data, byte 0 in bits 7.
    pub s_axis: AxisUser<In, W, KB>,
    /// The frame at the sink may leave before its last beat.
    pub s_open: Signal<In, Bit>,
    /// Data, byte 0 in bits 7.
    pub m_axis: Axis<Out, W, KB>,
    /// A frame was dropped because tuser said so.
    pub event_bad: Signal<Out, Bit>,
    /// A frame was dropped because it found no room.
    pub event_overflow: Signal<Out, Bit>,
    ram: Ram<AW, Bits<RW>>,
    #[reset(true)]
    room: Reg<Bit>,
    discard: Reg<Bit>,
    is_open: Reg<Bit>,
    used: Reg<Bits<CW>>,
    committed: Reg<Bits<CW>>,
    write_index: Reg<Bits<AW>>,
    start_index: Reg<Bits<AW>>,
    read_index: Reg<Bits<AW>>,
    word_valid: Reg<Bit>,
    head_valid: Reg<Bit>,
    head: Reg<Bits<RW>>,
    bad: Reg<Bit>,
    overflow: Reg<Bit>,
    is_full: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    store: Signal<Local, Bit>,
    opens: Signal<Local, Bit>,
    loss: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    commit: Signal<Local, Bit>,
    rollback: Signal<Local, Bit>,
    bad_end: Signal<Local, Bit>,
    swallowed: Signal<Local, Bit>,
    oversize: Signal<Local, Bit>,
    no_room: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    pass: Signal<Local, Bit>,
    fetch: Signal<Local, Bit>,
    next_write_index: Signal<Local, Bits<AW>>,
    used_more: Signal<Local, Bits<CW>>,
    used_less: Signal<Local, Bits<CW>>,
    committed_less: Signal<Local, Bits<CW>>,
    keep_wide: Signal<Local, Bits<RW>>,
    data_part: Signal<Local, Bits<RW>>,
    keep_part: Signal<Local, Bits<RW>>,
    last_part: Signal<Local, Bits<RW>>,
    #[value(0)]
    none: Constant<Bits<CW>>,
    #[value(1_u64 << AW)]
    full: Constant<Bits<CW>>,
    #[value((1_u64 << AW) - 1)]
    last_place: Constant<Bits<CW>>,
    #[value(num_bigint::BigUint::from(1_u32) << (W + KB))]
    last_flag: Constant<Bits<RW>>,
    #[value(W as u64)]
    keep_offset: Constant<Bits<10>>,
    #[value((W + KB) as u64)]
    last_offset: Constant<Bits<10>>,
}

impl<const W: usize, const KB: usize, const RW: usize, const AW: usize, const CW: usize> Logic
    for FrameFifo<W, KB, RW, AW, CW>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.s_axis.tready.next = self.room.val();
        self.m_axis.tvalid.next = self.head_valid.val();
        self.m_axis.tdata.next = bit_cast::<W, RW>(self.head.val());
        self.m_axis.tkeep.next = self.head.val().get_bits::<KB>(self.keep_offset.val().index());
        self.m_axis.tlast.next = self.head.val().get_bit(self.last_offset.val().index());
        self.event_bad.next = self.bad.val();
        self.event_overflow.next = self.overflow.val();
        comment!("A beat is stored as {last, keep, data}.");
        self.data_part.next = bit_cast::<RW, W>(self.s_axis.tdata.val());
        self.keep_wide.next = bit_cast::<RW, KB>(self.s_axis.tkeep.val());
        self.keep_part.next = self.keep_wide.val() << self.keep_offset.val();
        self.last_part.next = 0.into();
        if self.s_axis.tlast.val() {
            self.last_part.next = self.last_flag.val();
        }
        comment!("What this cycle does.");
        self.is_full.next = self.used.val() == self.full.val();
        self.push.next = self.s_axis.tvalid.val() & self.room.val();
        self.store.next = self.push.val() & !self.discard.val() & !self.is_full.val();
        self.opens.next = self.s_open.val() | self.is_open.val();
        self.ends.next = self.store.val() & self.s_axis.tlast.val() & !self.opens.val();
        self.bad_end.next = self.ends.val() & self.s_axis.tuser.val();
        self.bad.next = self.bad_end.val();
        self.no_room.next = self.push.val() & !self.discard.val() & self.is_full.val();
        self.oversize.next = !self.cfg_drop_when_full.val()
            & self.is_full.val()
            & (self.committed.val() == self.none.val());
        self.loss.next = self.no_room.val() | self.oversize.val();
        self.rollback.next = self.bad_end.val() | self.loss.val();
        self.commit.next =
            (self.ends.val() & !self.s_axis.tuser.val()) | (self.opens.val() & !self.loss.val());
        self.is_open.next = self.opens.val() & !(self.push.val() & self.s_axis.tlast.val());
        comment!("The first beat of what becomes visible is in the RAM, unless it comes now.");
        self.pass.next = self.commit.val() & (self.write_index.val() != self.start_index.val());
        self.load.next =
            (self.m_axis.tready.val() | !self.head_valid.val()) & self.word_valid.val();
        self.fetch.next = (self.load.val() | !self.word_valid.val())
            & ((self.committed.val() != self.none.val()) | self.pass.val());
        comment!("The rest of a frame that lost a beat is swallowed.");
        self.swallowed.next =
            self.push.val() & self.s_axis.tlast.val() & (self.discard.val() | self.no_room.val());
        self.overflow.next = self.swallowed.val();
        if self.oversize.val() | self.no_room.val() {
            self.discard.next = true;
        }
        if self.swallowed.val() {
            self.discard.next = false;
        }
        comment!("Beats in the RAM, and those of them that belong to complete frames.");
        self.next_write_index.next = self.write_index.val() + 1;
        self.used_more.next = self.used.val() + 1;
        self.used_less.next = self.used.val() - 1;
        self.committed_less.next = self.committed.val() - 1;
        if self.fetch.val() {
            self.committed.next = self.committed_less.val();
        }
        self.room.next = !self.is_full.val() | self.fetch.val();
        if self.store.val() {
            self.write_index.next = self.next_write_index.val();
        }
        if self.store.val() & !self.fetch.val() {
            self.used.next = self.used_more.val();
            self.room.next = self.used.val() != self.last_place.val();
        } else if self.fetch.val() & !self.store.val() {
            self.used.next = self.used_less.val();
        }
        if self.commit.val() {
            self.start_index.next = self.write_index.val();
            self.committed.next = self.used.val();
            if self.store.val() {
                self.start_index.next = self.next_write_index.val();
            }
            if self.store.val() & !self.fetch.val() {
                self.committed.next = self.used_more.val();
            } else if self.fetch.val() & !self.store.val() {
                self.committed.next = self.used_less.val();
            }
        }
        if self.rollback.val() {
            self.write_index.next = self.start_index.val();
            self.used.next = self.committed.val();
            if self.fetch.val() {
                self.used.next = self.committed_less.val();
            }
            self.room.next = true;
        }
        if self.cfg_drop_when_full.val() {
            self.room.next = true;
        }
        comment!("RAM, its output and the head move on as the source takes beats.");
        self.ram.write_enable.next = self.store.val();
        self.ram.write_address.next = self.write_index.val();
        self.ram.write_data.next =
            self.data_part.val() | self.keep_part.val() | self.last_part.val();
        self.ram.read_enable.next = self.fetch.val();
        self.ram.read_address.next = self.read_index.val();
        if self.fetch.val() {
            self.read_index.next = self.read_index.val() + 1;
            self.word_valid.next = true;
        } else if self.load.val() {
            self.word_valid.next = false;
        }
        if self.load.val() {
            self.head.next = self.ram.read_data.val();
            self.head_valid.next = true;
        } else if self.m_axis.tready.val() {
            self.head_valid.next = false;
        }
    }
}
