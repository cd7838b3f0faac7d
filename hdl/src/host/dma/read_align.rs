//! Moves data of the AXI4 R channel to byte lane 0 and makes a frame of each command.
//!
//! # Interface timing  a stream beat appears three cycles after the last bus beat it needs
//! # Latency and rate  [`LATENCY_CYCLES`]; one beat per cycle; a command takes as many cycles as it
//!                     has bus beats, and one more where the stream has as many and its first
//!                     byte is not in lane 0
//! # Shape             W1 = W + 1, W2 = 2 W, KB = W / 8. `2^D` descriptions wait; `D1 = D + 1`
//! # Reset             synchronous, high: idle; m_axis_* 0, which hold while tvalid is low. Bytes
//!                     outside tkeep are 0
//! # Twins             sim/models/src/golden/host/dma/read.rs, tests/host/dma_read.rs

use crate::host::dma::bursts::window_beats;
use crate::streams::{AxisUser, Word};
use crate::util::{fifo::Fifo, ones, skid::Skid};
use crate::{block, row, Reg, Unreset, Wire};
use rust_hdl_core::prelude::*;

/// Cycles from a bus beat to its stream beat.
pub const LATENCY_CYCLES: usize = 3;

/// What is to be moved.
#[row]
pub struct Description {
    /// First bus beat, in its window; see `dma_bursts`.
    pub index: Bits<13>,
    /// Last one.
    pub last_index: Bits<13>,
    /// Lane of the first byte.
    pub offset: Bits<6>,
    /// Lane of the last one.
    pub end_lane: Bits<6>,
    /// A payload beat more than bus beats, or a bus beat more.
    pub extra: Bit,
}

/// Aligner of the read engine.
#[block(check(W1 == W + 1 && W2 == 2 * W && KB == W / 8))]
pub struct DmaReadAlign<
    const W: usize,
    const W1: usize,
    const W2: usize,
    const KB: usize,
    const D: usize,
    const D1: usize,
> {
    /// What is to be moved is offered.
    pub s_d: Word<In, Description>,
    /// A beat of memory: error, data from high to low.
    pub s: Word<In, Bits<W1>>,
    /// The last beat of a burst was taken in the cycle before.
    pub ended: Signal<Out, Bit>,
    /// Data, byte 0 in bits 7.
    pub m_axis: AxisUser<Out, W, KB>,
    descriptions: Fifo<Description, D, D1>,
    bus: Skid<Bits<W1>>,
    burst_ended: Reg<Bit>,
    busy: Reg<Bit>,
    opening: Unreset<Bit>,
    first: Unreset<Bit>,
    flush: Unreset<Bit>,
    extra: Unreset<Bit>,
    index: Unreset<Bits<13>>,
    last_index: Unreset<Bits<13>>,
    shift_bits: Unreset<Bits<10>>,
    old_bits: Unreset<Bits<W>>,
    end_bits: Unreset<Bits<W>>,
    end_keep: Unreset<Bits<KB>>,
    rotated_valid: Reg<Bit>,
    rotated_opening: Unreset<Bit>,
    rotated_first: Unreset<Bit>,
    rotated_last: Unreset<Bit>,
    rotated_error: Unreset<Bit>,
    rotated: Unreset<Bits<W>>,
    rotated_old: Unreset<Bits<W>>,
    rotated_mask: Unreset<Bits<W>>,
    rotated_keep: Unreset<Bits<KB>>,
    previous: Unreset<Bits<W>>,
    failed: Unreset<Bit>,
    valid: Reg<Bit>,
    data: Reg<Bits<W>>,
    keep: Reg<Bits<KB>>,
    last: Reg<Bit>,
    user: Reg<Bit>,
    offset: Signal<Local, Bits<6>>,
    end_lane: Signal<Local, Bits<6>>,
    lanes_unused: Signal<Local, Bits<6>>,
    offset_bytes: Signal<Local, Bits<10>>,
    offset_bits: Signal<Local, Bits<10>>,
    unused_bytes: Signal<Local, Bits<10>>,
    unused_bits: Signal<Local, Bits<10>>,
    take_stream: Signal<Local, Bit>,
    take_rotated: Signal<Local, Bit>,
    at_end: Signal<Local, Bit>,
    window_index: Signal<Local, Bits<13>>,
    issue: Signal<Local, Bit>,
    finish: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    bus_error: Signal<Local, Bit>,
    once: Signal<Local, Bits<W2>>,
    again: Signal<Local, Bits<W2>>,
    twice: Signal<Local, Bits<W2>>,
    shifted: Signal<Local, Bits<W2>>,
    new_bits: Signal<Local, Bits<W>>,
    had_failed: Signal<Local, Bit>,
    shifts: Signal<Local, Bit>,
    #[value(KB as u64 - 1)]
    lane_mask: Constant<Bits<6>>,
    #[value(window_beats(KB) - 1)]
    window_mask: Constant<Bits<13>>,
    #[value(ones(W))]
    all_bits: Constant<Bits<W>>,
    #[value(ones(KB))]
    all_lanes: Constant<Bits<KB>>,
    #[value(W as u64)]
    width: Constant<Bits<11>>,
}

impl<
        const W: usize,
        const W1: usize,
        const W2: usize,
        const KB: usize,
        const D: usize,
        const D1: usize,
    > Logic for DmaReadAlign<W, W1, W2, KB, D, D1>
{
    #[hdl_gen]
    fn update(&mut self) {
        Wire::join(&mut self.s_d, &mut self.descriptions.s);
        Wire::join(&mut self.s, &mut self.bus.s);
        self.m_axis.tvalid.next = self.valid.val();
        self.m_axis.tdata.next = self.data.val();
        self.m_axis.tkeep.next = self.keep.val();
        self.m_axis.tlast.next = self.last.val();
        self.m_axis.tuser.next = self.user.val();
        comment!("With bytes from lane 0 on a bus beat is a stream beat. Else the first bus beat");
        comment!("only opens; where the bus has no beat more than the stream, a last step without");
        comment!("a bus beat flushes.");
        self.take_stream.next = self.m_axis.tready.val() | !self.valid.val();
        self.take_rotated.next = self.take_stream.val() | !self.rotated_valid.val();
        self.at_end.next = self.index.val() == self.last_index.val();
        self.issue.next =
            self.busy.val() & self.take_rotated.val() & (self.bus.m.valid.val() | self.flush.val());
        self.finish.next =
            self.issue.val() & (self.flush.val() | (self.at_end.val() & self.extra.val()));
        self.bus.m.ready.next = self.issue.val() & !self.flush.val();
        self.window_index.next = self.index.val() & self.window_mask.val();
        self.ended.next = self.burst_ended.val();
        self.burst_ended.next = self.issue.val()
            & !self.flush.val()
            & (self.at_end.val() | (self.window_index.val() == self.window_mask.val()));
        self.bus_error.next =
            self.bus.m.data.val().get_bit(self.width.val().index()) & !self.flush.val();
        self.load.next = self.descriptions.m.valid.val() & (!self.busy.val() | self.finish.val());
        self.descriptions.m.ready.next = self.load.val();
        self.once.next = bit_cast::<W2, W>(self.bus.m.data.val().get_bits::<W>(0));
        self.again.next = self.once.val() << self.width.val();
        self.twice.next = self.once.val() | self.again.val();
        self.shifted.next = self.twice.val() >> self.shift_bits.val();
        if self.issue.val() {
            self.rotated.next = bit_cast::<W, W2>(self.shifted.val());
            self.rotated_opening.next = self.opening.val();
            self.rotated_first.next = self.first.val();
            self.rotated_error.next = self.bus_error.val();
            self.rotated_old.next = self.old_bits.val();
            self.rotated_last.next = self.finish.val();
            self.rotated_mask.next = self.all_bits.val();
            self.rotated_keep.next = self.all_lanes.val();
            if self.finish.val() {
                self.rotated_mask.next = self.end_bits.val();
                self.rotated_keep.next = self.end_keep.val();
                self.busy.next = false;
            }
            self.index.next = self.index.val() + 1;
            self.opening.next = false;
            self.first.next = false;
            self.flush.next = self.at_end.val();
        }
        self.rotated_valid.next =
            self.issue.val() | (self.rotated_valid.val() & !self.take_stream.val());
        comment!("Lanes that the beat before did not fill come from this one.");
        self.new_bits.next = !self.rotated_old.val();
        self.had_failed.next = self.failed.val() & !self.rotated_first.val();
        if self.take_stream.val() {
            self.valid.next = self.rotated_valid.val() & !self.rotated_opening.val();
        }
        if self.take_stream.val() & self.rotated_valid.val() {
            self.previous.next = self.rotated.val();
            self.failed.next = self.rotated_error.val() | self.had_failed.val();
            if !self.rotated_opening.val() {
                self.data.next = ((self.previous.val() & self.rotated_old.val())
                    | (self.rotated.val() & self.new_bits.val()))
                    & self.rotated_mask.val();
                self.keep.next = self.rotated_keep.val();
                self.last.next = self.rotated_last.val();
                self.user.next = self.had_failed.val() | self.rotated_error.val();
            }
        }
        comment!("The next command's shift and masks.");
        self.offset.next = self.descriptions.m.data.val().offset;
        self.end_lane.next = self.descriptions.m.data.val().end_lane;
        self.lanes_unused.next = self.end_lane.val() ^ self.lane_mask.val();
        self.shifts.next = self.offset.val().any();
        self.offset_bytes.next = bit_cast::<10, 6>(self.offset.val());
        self.offset_bits.next = self.offset_bytes.val() << 3;
        self.unused_bytes.next = bit_cast::<10, 6>(self.lanes_unused.val());
        self.unused_bits.next = self.unused_bytes.val() << 3;
        if self.load.val() {
            self.busy.next = true;
            self.opening.next = self.shifts.val();
            self.first.next = true;
            self.flush.next = false;
            self.index.next = self.descriptions.m.data.val().index;
            self.last_index.next = self.descriptions.m.data.val().last_index;
            self.extra.next = self.descriptions.m.data.val().extra | !self.shifts.val();
            self.shift_bits.next = self.offset_bits.val();
            self.old_bits.next = 0.into();
            if self.shifts.val() {
                self.old_bits.next = self.all_bits.val() >> self.offset_bits.val();
            }
            self.end_bits.next = self.all_bits.val() >> self.unused_bits.val();
            self.end_keep.next = self.all_lanes.val() >> self.lanes_unused.val();
        }
    }
}
