//! Moves payload to its byte lanes and sends it on the AXI4 W channel.
//!
//! # Source            AMBA AXI4 A3.4.3: byte strobes
//! # Interface timing  a beat from s_axis appears on W three cycles later
//! # Latency and rate  [`LATENCY_CYCLES`]; one beat per cycle, commands back to back without gap
//! # Shape             W2 = 2 W, KB = W / 8. `2^D` descriptions wait; `D1 = D + 1`
//! # Reset             synchronous, high: idle; wdata, wstrb, wlast 0, which hold while wvalid is
//!                     low. Bytes outside wstrb are 0
//! # Twins             sim/models/src/golden/host/dma/write.rs, tests/host/dma_write.rs

use crate::host::dma::{bursts::window_beats, read_align::Description};
use crate::streams::{AxisEvent, Word};
use crate::util::{fifo::Fifo, ones, skid::Skid};
use crate::{block, Reg, Unreset, Wire};
use rust_hdl_core::prelude::*;

/// Cycles from a payload beat to its bus beat.
pub const LATENCY_CYCLES: usize = 3;

/// Aligner of the write engine.
#[block(check(W2 == 2 * W && KB == W / 8))]
pub struct DmaWriteAlign<
    const W: usize,
    const W2: usize,
    const KB: usize,
    const D: usize,
    const D1: usize,
> {
    /// What is to be moved is offered.
    pub s_d: Word<In, Description>,
    /// Payload.
    pub s_axis: AxisEvent<In, Bits<W>>,
    /// Data.
    pub m_axi_wdata: Signal<Out, Bits<W>>,
    /// Bytes to write.
    pub m_axi_wstrb: Signal<Out, Bits<KB>>,
    /// Last beat of the burst.
    pub m_axi_wlast: Signal<Out, Bit>,
    /// A beat stands.
    pub m_axi_wvalid: Signal<Out, Bit>,
    /// It is taken.
    pub m_axi_wready: Signal<In, Bit>,
    descriptions: Fifo<Description, D, D1>,
    payload: Skid<Bits<W>>,
    busy: Reg<Bit>,
    opening: Unreset<Bit>,
    extra: Unreset<Bit>,
    index: Unreset<Bits<13>>,
    last_index: Unreset<Bits<13>>,
    shift_bits: Unreset<Bits<10>>,
    new_bits: Unreset<Bits<W>>,
    end_bits: Unreset<Bits<W>>,
    first_strobe: Unreset<Bits<KB>>,
    end_strobe: Unreset<Bits<KB>>,
    rotated_valid: Reg<Bit>,
    rotated: Unreset<Bits<W>>,
    rotated_new: Unreset<Bits<W>>,
    rotated_keep: Unreset<Bits<W>>,
    rotated_strobe: Unreset<Bits<KB>>,
    rotated_last: Unreset<Bit>,
    previous: Unreset<Bits<W>>,
    valid: Reg<Bit>,
    data: Reg<Bits<W>>,
    strobe: Reg<Bits<KB>>,
    last: Reg<Bit>,
    offset: Signal<Local, Bits<6>>,
    end_lane: Signal<Local, Bits<6>>,
    lanes_unused: Signal<Local, Bits<6>>,
    offset_bytes: Signal<Local, Bits<10>>,
    offset_bits: Signal<Local, Bits<10>>,
    unused_bytes: Signal<Local, Bits<10>>,
    unused_bits: Signal<Local, Bits<10>>,
    take_bus: Signal<Local, Bit>,
    take_rotated: Signal<Local, Bit>,
    at_end: Signal<Local, Bit>,
    flush: Signal<Local, Bit>,
    issue: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    window_index: Signal<Local, Bits<13>>,
    once: Signal<Local, Bits<W2>>,
    again: Signal<Local, Bits<W2>>,
    twice: Signal<Local, Bits<W2>>,
    shifted: Signal<Local, Bits<W2>>,
    old_bits: Signal<Local, Bits<W>>,
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

impl<const W: usize, const W2: usize, const KB: usize, const D: usize, const D1: usize> Logic
    for DmaWriteAlign<W, W2, KB, D, D1>
{
    #[hdl_gen]
    fn update(&mut self) {
        Wire::join(&mut self.s_d, &mut self.descriptions.s);
        self.payload.s.valid.next = self.s_axis.tvalid.val();
        self.payload.s.data.next = self.s_axis.tdata.val();
        self.s_axis.tready.next = self.payload.s.ready.val();
        self.m_axi_wvalid.next = self.valid.val();
        self.m_axi_wdata.next = self.data.val();
        self.m_axi_wstrb.next = self.strobe.val();
        self.m_axi_wlast.next = self.last.val();
        comment!("A bus beat needs a payload beat, but for the extra one at the end.");
        self.take_bus.next = self.m_axi_wready.val() | !self.valid.val();
        self.take_rotated.next = self.take_bus.val() | !self.rotated_valid.val();
        self.at_end.next = self.index.val() == self.last_index.val();
        self.flush.next = self.at_end.val() & self.extra.val();
        self.issue.next = self.busy.val()
            & self.take_rotated.val()
            & (self.payload.m.valid.val() | self.flush.val());
        self.payload.m.ready.next = self.issue.val() & !self.flush.val();
        self.load.next = self.descriptions.m.valid.val()
            & (!self.busy.val() | (self.issue.val() & self.at_end.val()));
        self.descriptions.m.ready.next = self.load.val();
        comment!("Rotate the beat by the offset: the upper half of it twice, shifted.");
        self.once.next = bit_cast::<W2, W>(self.payload.m.data.val());
        self.again.next = self.once.val() << self.width.val();
        self.twice.next = self.once.val() | self.again.val();
        self.shifted.next = self.twice.val() << self.shift_bits.val();
        self.window_index.next = self.index.val() & self.window_mask.val();
        if self.issue.val() {
            self.rotated.next = self.shifted.val().get_bits::<W>(self.width.val().index());
            self.rotated_new.next = self.new_bits.val();
            self.rotated_keep.next = self.all_bits.val();
            self.rotated_strobe.next = self.all_lanes.val();
            if self.opening.val() & self.at_end.val() {
                self.rotated_keep.next = self.new_bits.val() & self.end_bits.val();
                self.rotated_strobe.next = self.first_strobe.val() & self.end_strobe.val();
            } else if self.opening.val() {
                self.rotated_keep.next = self.new_bits.val();
                self.rotated_strobe.next = self.first_strobe.val();
            } else if self.at_end.val() {
                self.rotated_keep.next = self.end_bits.val();
                self.rotated_strobe.next = self.end_strobe.val();
            }
            self.rotated_last.next =
                self.at_end.val() | (self.window_index.val() == self.window_mask.val());
            self.index.next = self.index.val() + 1;
            self.opening.next = false;
            self.busy.next = !self.at_end.val();
        }
        self.rotated_valid.next =
            self.issue.val() | (self.rotated_valid.val() & !self.take_bus.val());
        comment!("Lanes below the offset come from the beat before.");
        self.old_bits.next = !self.rotated_new.val();
        if self.take_bus.val() {
            self.valid.next = self.rotated_valid.val();
        }
        if self.take_bus.val() & self.rotated_valid.val() {
            self.previous.next = self.rotated.val();
            self.data.next = ((self.rotated.val() & self.rotated_new.val())
                | (self.previous.val() & self.old_bits.val()))
                & self.rotated_keep.val();
            self.strobe.next = self.rotated_strobe.val();
            self.last.next = self.rotated_last.val();
        }
        comment!("The next command's shift and masks.");
        self.offset.next = self.descriptions.m.data.val().offset;
        self.end_lane.next = self.descriptions.m.data.val().end_lane;
        self.lanes_unused.next = self.end_lane.val() ^ self.lane_mask.val();
        self.offset_bytes.next = bit_cast::<10, 6>(self.offset.val());
        self.offset_bits.next = self.offset_bytes.val() << 3;
        self.unused_bytes.next = bit_cast::<10, 6>(self.lanes_unused.val());
        self.unused_bits.next = self.unused_bytes.val() << 3;
        if self.load.val() {
            self.busy.next = true;
            self.opening.next = true;
            self.index.next = self.descriptions.m.data.val().index;
            self.last_index.next = self.descriptions.m.data.val().last_index;
            self.extra.next = self.descriptions.m.data.val().extra;
            self.shift_bits.next = self.offset_bits.val();
            self.new_bits.next = self.all_bits.val() << self.offset_bits.val();
            self.end_bits.next = self.all_bits.val() >> self.unused_bits.val();
            self.first_strobe.next = self.all_lanes.val() << self.offset.val();
            self.end_strobe.next = self.all_lanes.val() >> self.lanes_unused.val();
        }
    }
}
