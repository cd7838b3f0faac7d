//! Moves payload to its byte lanes and sends it on the AXI4 W channel.
//!
//! # Source            AMBA AXI4 A3.4.3: byte strobes
//! # Interface timing  a beat from s_axis appears on W three cycles later
//! # Latency and rate  [`LATENCY_CYCLES`]; one beat per cycle, commands back to back without gap
//! # Shape             W2 = 2 W, KB = W / 8. Eight descriptions wait
//! # Reset             synchronous, high: idle; wdata, wstrb, wlast 0, which hold while wvalid is
//!                     low. Bytes outside wstrb are 0
//! # Twins             sim/src/golden/host/dma_write.rs, tests/dma_write.rs

use crate::util::{fifo::Fifo, skid::Skid};
use crate::Module;
use num_bigint::BigUint;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from a payload beat to its bus beat.
pub const LATENCY_CYCLES: usize = 3;

/// Aligner of the write engine.
#[derive(LogicBlock)]
pub struct DmaWriteAlign<const W: usize, const W2: usize, const KB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// A description is offered, see `dma_bursts`.
    pub s_d_valid: Signal<In, Bit>,
    /// It will be taken.
    pub s_d_ready: Signal<Out, Bit>,
    /// Index of the first beat in its burst window.
    pub s_d_first: Signal<In, Bits<13>>,
    /// Index of the last beat.
    pub s_d_last: Signal<In, Bits<13>>,
    /// Byte lane of the first byte.
    pub s_d_offset: Signal<In, Bits<6>>,
    /// Byte lane of the last byte.
    pub s_d_end: Signal<In, Bits<6>>,
    /// The bus has one beat more than the stream.
    pub s_d_extra: Signal<In, Bit>,
    /// Payload.
    pub s_axis_tdata: Signal<In, Bits<W>>,
    /// A beat is offered.
    pub s_axis_tvalid: Signal<In, Bit>,
    /// It will be taken.
    pub s_axis_tready: Signal<Out, Bit>,
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
    descriptions: Fifo<39, 3, 4>,
    payload: Skid<W>,
    busy: DFF<Bit>,
    opening: DFF<Bit>,
    extra: DFF<Bit>,
    index: DFF<Bits<13>>,
    last_index: DFF<Bits<13>>,
    shift_bits: DFF<Bits<10>>,
    new_bits: DFF<Bits<W>>,
    end_bits: DFF<Bits<W>>,
    first_strobe: DFF<Bits<KB>>,
    end_strobe: DFF<Bits<KB>>,
    rotated_valid: DFF<Bit>,
    rotated: DFF<Bits<W>>,
    rotated_new: DFF<Bits<W>>,
    rotated_keep: DFF<Bits<W>>,
    rotated_strobe: DFF<Bits<KB>>,
    rotated_last: DFF<Bit>,
    previous: DFF<Bits<W>>,
    valid: DFF<Bit>,
    data: DFF<Bits<W>>,
    strobe: DFF<Bits<KB>>,
    last: DFF<Bit>,
    first_part: Signal<Local, Bits<39>>,
    last_wide: Signal<Local, Bits<39>>,
    last_part: Signal<Local, Bits<39>>,
    offset_wide: Signal<Local, Bits<39>>,
    offset_part: Signal<Local, Bits<39>>,
    end_wide: Signal<Local, Bits<39>>,
    end_part: Signal<Local, Bits<39>>,
    extra_part: Signal<Local, Bits<39>>,
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
    lane_mask: Constant<Bits<6>>,
    window_mask: Constant<Bits<13>>,
    all_bits: Constant<Bits<W>>,
    all_lanes: Constant<Bits<KB>>,
    width: Constant<Bits<11>>,
    extra_flag: Constant<Bits<39>>,
}

impl<const W: usize, const W2: usize, const KB: usize> Default for DmaWriteAlign<W, W2, KB> {
    fn default() -> Self {
        assert!(W2 == 2 * W && KB == W / 8, "W2 = 2 W, KB = W / 8");
        let ones = |bits: usize| (BigUint::from(1_u32) << bits) - 1_u32;
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_d_valid: Default::default(),
            s_d_ready: Default::default(),
            s_d_first: Default::default(),
            s_d_last: Default::default(),
            s_d_offset: Default::default(),
            s_d_end: Default::default(),
            s_d_extra: Default::default(),
            s_axis_tdata: Default::default(),
            s_axis_tvalid: Default::default(),
            s_axis_tready: Default::default(),
            m_axi_wdata: Default::default(),
            m_axi_wstrb: Default::default(),
            m_axi_wlast: Default::default(),
            m_axi_wvalid: Default::default(),
            m_axi_wready: Default::default(),
            descriptions: Default::default(),
            payload: Default::default(),
            busy: Default::default(),
            opening: Default::default(),
            extra: Default::default(),
            index: Default::default(),
            last_index: Default::default(),
            shift_bits: Default::default(),
            new_bits: Default::default(),
            end_bits: Default::default(),
            first_strobe: Default::default(),
            end_strobe: Default::default(),
            rotated_valid: Default::default(),
            rotated: Default::default(),
            rotated_new: Default::default(),
            rotated_keep: Default::default(),
            rotated_strobe: Default::default(),
            rotated_last: Default::default(),
            previous: Default::default(),
            valid: Default::default(),
            data: Default::default(),
            strobe: Default::default(),
            last: Default::default(),
            first_part: Default::default(),
            last_wide: Default::default(),
            last_part: Default::default(),
            offset_wide: Default::default(),
            offset_part: Default::default(),
            end_wide: Default::default(),
            end_part: Default::default(),
            extra_part: Default::default(),
            offset: Default::default(),
            end_lane: Default::default(),
            lanes_unused: Default::default(),
            offset_bytes: Default::default(),
            offset_bits: Default::default(),
            unused_bytes: Default::default(),
            unused_bits: Default::default(),
            take_bus: Default::default(),
            take_rotated: Default::default(),
            at_end: Default::default(),
            flush: Default::default(),
            issue: Default::default(),
            load: Default::default(),
            window_index: Default::default(),
            once: Default::default(),
            again: Default::default(),
            twice: Default::default(),
            shifted: Default::default(),
            old_bits: Default::default(),
            lane_mask: Constant::new((KB as u64 - 1).into()),
            window_mask: Constant::new(((4096 / KB as u64).min(256) - 1).into()),
            all_bits: Constant::new(ones(W).into()),
            all_lanes: Constant::new(ones(KB).into()),
            width: Constant::new((W as u64).into()),
            extra_flag: Constant::new((1_u64 << 38).into()),
        }
    }
}

impl<const W: usize, const W2: usize, const KB: usize> Logic for DmaWriteAlign<W, W2, KB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            busy,
            opening,
            extra,
            index,
            last_index,
            shift_bits,
            new_bits,
            end_bits,
            first_strobe,
            end_strobe,
            rotated_valid,
            rotated,
            rotated_new,
            rotated_keep,
            rotated_strobe,
            rotated_last,
            previous,
            valid,
            data,
            strobe,
            last
        );
        self.descriptions.clock.next = self.clock.val();
        self.descriptions.reset.next = self.reset.val();
        self.payload.clock.next = self.clock.val();
        self.payload.reset.next = self.reset.val();
        comment!("A description waits as {extra, end, offset, last, first}.");
        self.first_part.next = bit_cast::<39, 13>(self.s_d_first.val());
        self.last_wide.next = bit_cast::<39, 13>(self.s_d_last.val());
        self.last_part.next = self.last_wide.val() << 13;
        self.offset_wide.next = bit_cast::<39, 6>(self.s_d_offset.val());
        self.offset_part.next = self.offset_wide.val() << 26;
        self.end_wide.next = bit_cast::<39, 6>(self.s_d_end.val());
        self.end_part.next = self.end_wide.val() << 32;
        self.extra_part.next = 0.into();
        if self.s_d_extra.val() {
            self.extra_part.next = self.extra_flag.val();
        }
        self.descriptions.s_valid.next = self.s_d_valid.val();
        self.descriptions.s_data.next = self.first_part.val()
            | self.last_part.val()
            | self.offset_part.val()
            | self.end_part.val()
            | self.extra_part.val();
        self.s_d_ready.next = self.descriptions.s_ready.val();
        self.payload.s_valid.next = self.s_axis_tvalid.val();
        self.payload.s_data.next = self.s_axis_tdata.val();
        self.s_axis_tready.next = self.payload.s_ready.val();
        self.m_axi_wvalid.next = self.valid.q.val();
        self.m_axi_wdata.next = self.data.q.val();
        self.m_axi_wstrb.next = self.strobe.q.val();
        self.m_axi_wlast.next = self.last.q.val();
        comment!("A bus beat needs a payload beat, but for the extra one at the end.");
        self.take_bus.next = self.m_axi_wready.val() | !self.valid.q.val();
        self.take_rotated.next = self.take_bus.val() | !self.rotated_valid.q.val();
        self.at_end.next = self.index.q.val() == self.last_index.q.val();
        self.flush.next = self.at_end.val() & self.extra.q.val();
        self.issue.next = self.busy.q.val()
            & self.take_rotated.val()
            & (self.payload.m_valid.val() | self.flush.val());
        self.payload.m_ready.next = self.issue.val() & !self.flush.val();
        self.load.next = self.descriptions.m_valid.val()
            & (!self.busy.q.val() | (self.issue.val() & self.at_end.val()));
        self.descriptions.m_ready.next = self.load.val();
        comment!("Rotate the beat by the offset: the upper half of it twice, shifted.");
        self.once.next = bit_cast::<W2, W>(self.payload.m_data.val());
        self.again.next = self.once.val() << self.width.val();
        self.twice.next = self.once.val() | self.again.val();
        self.shifted.next = self.twice.val() << self.shift_bits.q.val();
        self.window_index.next = self.index.q.val() & self.window_mask.val();
        if self.issue.val() {
            self.rotated.d.next = self.shifted.val().get_bits::<W>(self.width.val().index());
            self.rotated_new.d.next = self.new_bits.q.val();
            self.rotated_keep.d.next = self.all_bits.val();
            self.rotated_strobe.d.next = self.all_lanes.val();
            if self.opening.q.val() & self.at_end.val() {
                self.rotated_keep.d.next = self.new_bits.q.val() & self.end_bits.q.val();
                self.rotated_strobe.d.next = self.first_strobe.q.val() & self.end_strobe.q.val();
            } else if self.opening.q.val() {
                self.rotated_keep.d.next = self.new_bits.q.val();
                self.rotated_strobe.d.next = self.first_strobe.q.val();
            } else if self.at_end.val() {
                self.rotated_keep.d.next = self.end_bits.q.val();
                self.rotated_strobe.d.next = self.end_strobe.q.val();
            }
            self.rotated_last.d.next =
                self.at_end.val() | (self.window_index.val() == self.window_mask.val());
            self.index.d.next = self.index.q.val() + 1;
            self.opening.d.next = false;
            self.busy.d.next = !self.at_end.val();
        }
        self.rotated_valid.d.next =
            self.issue.val() | (self.rotated_valid.q.val() & !self.take_bus.val());
        comment!("Lanes below the offset come from the beat before.");
        self.old_bits.next = !self.rotated_new.q.val();
        if self.take_bus.val() {
            self.valid.d.next = self.rotated_valid.q.val();
        }
        if self.take_bus.val() & self.rotated_valid.q.val() {
            self.previous.d.next = self.rotated.q.val();
            self.data.d.next = ((self.rotated.q.val() & self.rotated_new.q.val())
                | (self.previous.q.val() & self.old_bits.val()))
                & self.rotated_keep.q.val();
            self.strobe.d.next = self.rotated_strobe.q.val();
            self.last.d.next = self.rotated_last.q.val();
        }
        comment!("The next command's shift and masks.");
        self.offset.next = self.descriptions.m_data.val().get_bits::<6>(26);
        self.end_lane.next = self.descriptions.m_data.val().get_bits::<6>(32);
        self.lanes_unused.next = self.end_lane.val() ^ self.lane_mask.val();
        self.offset_bytes.next = bit_cast::<10, 6>(self.offset.val());
        self.offset_bits.next = self.offset_bytes.val() << 3;
        self.unused_bytes.next = bit_cast::<10, 6>(self.lanes_unused.val());
        self.unused_bits.next = self.unused_bytes.val() << 3;
        if self.load.val() {
            self.busy.d.next = true;
            self.opening.d.next = true;
            self.index.d.next = self.descriptions.m_data.val().get_bits::<13>(0);
            self.last_index.d.next = self.descriptions.m_data.val().get_bits::<13>(13);
            self.extra.d.next = self.descriptions.m_data.val().get_bit(38);
            self.shift_bits.d.next = self.offset_bits.val();
            self.new_bits.d.next = self.all_bits.val() << self.offset_bits.val();
            self.end_bits.d.next = self.all_bits.val() >> self.unused_bits.val();
            self.first_strobe.d.next = self.all_lanes.val() << self.offset.val();
            self.end_strobe.d.next = self.all_lanes.val() >> self.lanes_unused.val();
        }
        if self.reset.val() {
            self.busy.d.next = false;
            self.rotated_valid.d.next = false;
            self.valid.d.next = false;
            self.data.d.next = 0.into();
            self.strobe.d.next = 0.into();
            self.last.d.next = false;
        }
    }
}
