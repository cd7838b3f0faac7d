//! Moves data of the AXI4 R channel to byte lane 0 and makes a frame of each command.
//!
//! # Interface timing  a stream beat appears three cycles after the last bus beat it needs
//! # Latency and rate  [`LATENCY_CYCLES`]; one beat per cycle; a command takes as many cycles as it
//!                     has bus beats, and one more where the stream has as many and its first
//!                     byte is not in lane 0
//! # Shape             W2 = 2 W, KB = W / 8. Eight descriptions wait
//! # Reset             synchronous, high: idle; m_axis_* 0, which hold while tvalid is low. Bytes
//!                     outside tkeep are 0
//! # Twins             sim/src/golden/host/dma_read.rs, tests/dma_read.rs

use crate::util::{fifo::Fifo, skid::Skid};
use crate::Module;
use num_bigint::BigUint;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from a bus beat to its stream beat.
pub const LATENCY_CYCLES: usize = 3;

/// Aligner of the read engine.
#[derive(LogicBlock)]
pub struct DmaReadAlign<const W: usize, const W2: usize, const KB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// A description is offered, see `dma_bursts`.
    pub s_d_valid: Signal<In, Bit>,
    /// It will be taken.
    pub s_d_ready: Signal<Out, Bit>,
    /// Index of the first bus beat.
    pub s_d_first: Signal<In, Bits<13>>,
    /// Index of the last bus beat.
    pub s_d_last: Signal<In, Bits<13>>,
    /// Byte lane of the first byte on the bus.
    pub s_d_offset: Signal<In, Bits<6>>,
    /// Byte lane of the last byte in the stream.
    pub s_d_end: Signal<In, Bits<6>>,
    /// The bus has one beat more than the stream.
    pub s_d_extra: Signal<In, Bit>,
    /// Data.
    pub m_axi_rdata: Signal<In, Bits<W>>,
    /// Response; bit 1 means error.
    pub m_axi_rresp: Signal<In, Bits<2>>,
    /// A beat is offered.
    pub m_axi_rvalid: Signal<In, Bit>,
    /// It will be taken.
    pub m_axi_rready: Signal<Out, Bit>,
    /// Data, byte 0 in bits 7:0.
    pub m_axis_tdata: Signal<Out, Bits<W>>,
    /// Valid bytes.
    pub m_axis_tkeep: Signal<Out, Bits<KB>>,
    /// Last beat of the command.
    pub m_axis_tlast: Signal<Out, Bit>,
    /// On the last beat: a bus beat had an error.
    pub m_axis_tuser: Signal<Out, Bit>,
    /// A beat stands.
    pub m_axis_tvalid: Signal<Out, Bit>,
    /// It is taken.
    pub m_axis_tready: Signal<In, Bit>,
    descriptions: Fifo<39, 3, 4>,
    bus: Skid<W>,
    bus_errors: Skid<1>,
    busy: DFF<Bit>,
    opening: DFF<Bit>,
    first: DFF<Bit>,
    flush: DFF<Bit>,
    extra: DFF<Bit>,
    index: DFF<Bits<13>>,
    last_index: DFF<Bits<13>>,
    shift_bits: DFF<Bits<10>>,
    old_bits: DFF<Bits<W>>,
    end_bits: DFF<Bits<W>>,
    end_keep: DFF<Bits<KB>>,
    rotated_valid: DFF<Bit>,
    rotated_opening: DFF<Bit>,
    rotated_first: DFF<Bit>,
    rotated_last: DFF<Bit>,
    rotated_error: DFF<Bit>,
    rotated: DFF<Bits<W>>,
    rotated_old: DFF<Bits<W>>,
    rotated_mask: DFF<Bits<W>>,
    rotated_keep: DFF<Bits<KB>>,
    previous: DFF<Bits<W>>,
    failed: DFF<Bit>,
    valid: DFF<Bit>,
    data: DFF<Bits<W>>,
    keep: DFF<Bits<KB>>,
    last: DFF<Bit>,
    user: DFF<Bit>,
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
    take_stream: Signal<Local, Bit>,
    take_rotated: Signal<Local, Bit>,
    at_end: Signal<Local, Bit>,
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
    lane_mask: Constant<Bits<6>>,
    all_bits: Constant<Bits<W>>,
    all_lanes: Constant<Bits<KB>>,
    width: Constant<Bits<11>>,
    extra_flag: Constant<Bits<39>>,
}

impl<const W: usize, const W2: usize, const KB: usize> Default for DmaReadAlign<W, W2, KB> {
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
            m_axi_rdata: Default::default(),
            m_axi_rresp: Default::default(),
            m_axi_rvalid: Default::default(),
            m_axi_rready: Default::default(),
            m_axis_tdata: Default::default(),
            m_axis_tkeep: Default::default(),
            m_axis_tlast: Default::default(),
            m_axis_tuser: Default::default(),
            m_axis_tvalid: Default::default(),
            m_axis_tready: Default::default(),
            descriptions: Default::default(),
            bus: Default::default(),
            bus_errors: Default::default(),
            busy: Default::default(),
            opening: Default::default(),
            first: Default::default(),
            flush: Default::default(),
            extra: Default::default(),
            index: Default::default(),
            last_index: Default::default(),
            shift_bits: Default::default(),
            old_bits: Default::default(),
            end_bits: Default::default(),
            end_keep: Default::default(),
            rotated_valid: Default::default(),
            rotated_opening: Default::default(),
            rotated_first: Default::default(),
            rotated_last: Default::default(),
            rotated_error: Default::default(),
            rotated: Default::default(),
            rotated_old: Default::default(),
            rotated_mask: Default::default(),
            rotated_keep: Default::default(),
            previous: Default::default(),
            failed: Default::default(),
            valid: Default::default(),
            data: Default::default(),
            keep: Default::default(),
            last: Default::default(),
            user: Default::default(),
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
            take_stream: Default::default(),
            take_rotated: Default::default(),
            at_end: Default::default(),
            issue: Default::default(),
            finish: Default::default(),
            load: Default::default(),
            bus_error: Default::default(),
            once: Default::default(),
            again: Default::default(),
            twice: Default::default(),
            shifted: Default::default(),
            new_bits: Default::default(),
            had_failed: Default::default(),
            shifts: Default::default(),
            lane_mask: Constant::new((KB as u64 - 1).into()),
            all_bits: Constant::new(ones(W).into()),
            all_lanes: Constant::new(ones(KB).into()),
            width: Constant::new((W as u64).into()),
            extra_flag: Constant::new((1_u64 << 38).into()),
        }
    }
}

impl<const W: usize, const W2: usize, const KB: usize> Logic for DmaReadAlign<W, W2, KB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            busy,
            opening,
            first,
            flush,
            extra,
            index,
            last_index,
            shift_bits,
            old_bits,
            end_bits,
            end_keep,
            rotated_valid,
            rotated_opening,
            rotated_first,
            rotated_last,
            rotated_error,
            rotated,
            rotated_old,
            rotated_mask,
            rotated_keep,
            previous,
            failed,
            valid,
            data,
            keep,
            last,
            user
        );
        self.descriptions.clock.next = self.clock.val();
        self.descriptions.reset.next = self.reset.val();
        self.bus.clock.next = self.clock.val();
        self.bus.reset.next = self.reset.val();
        self.bus_errors.clock.next = self.clock.val();
        self.bus_errors.reset.next = self.reset.val();
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
        self.bus.s_valid.next = self.m_axi_rvalid.val();
        self.bus.s_data.next = self.m_axi_rdata.val();
        self.bus_errors.s_valid.next = self.m_axi_rvalid.val();
        self.bus_errors.s_data.next = self.m_axi_rresp.val().get_bits::<1>(1);
        self.m_axi_rready.next = self.bus.s_ready.val();
        self.m_axis_tvalid.next = self.valid.q.val();
        self.m_axis_tdata.next = self.data.q.val();
        self.m_axis_tkeep.next = self.keep.q.val();
        self.m_axis_tlast.next = self.last.q.val();
        self.m_axis_tuser.next = self.user.q.val();
        comment!("With bytes from lane 0 on a bus beat is a stream beat. Else the first bus beat");
        comment!("only opens; where the bus has no beat more than the stream, a last step without");
        comment!("a bus beat flushes.");
        self.take_stream.next = self.m_axis_tready.val() | !self.valid.q.val();
        self.take_rotated.next = self.take_stream.val() | !self.rotated_valid.q.val();
        self.at_end.next = self.index.q.val() == self.last_index.q.val();
        self.issue.next = self.busy.q.val()
            & self.take_rotated.val()
            & (self.bus.m_valid.val() | self.flush.q.val());
        self.finish.next =
            self.issue.val() & (self.flush.q.val() | (self.at_end.val() & self.extra.q.val()));
        self.bus.m_ready.next = self.issue.val() & !self.flush.q.val();
        self.bus_errors.m_ready.next = self.issue.val() & !self.flush.q.val();
        self.bus_error.next = self.bus_errors.m_data.val().any() & !self.flush.q.val();
        self.load.next = self.descriptions.m_valid.val() & (!self.busy.q.val() | self.finish.val());
        self.descriptions.m_ready.next = self.load.val();
        self.once.next = bit_cast::<W2, W>(self.bus.m_data.val());
        self.again.next = self.once.val() << self.width.val();
        self.twice.next = self.once.val() | self.again.val();
        self.shifted.next = self.twice.val() >> self.shift_bits.q.val();
        if self.issue.val() {
            self.rotated.d.next = bit_cast::<W, W2>(self.shifted.val());
            self.rotated_opening.d.next = self.opening.q.val();
            self.rotated_first.d.next = self.first.q.val();
            self.rotated_error.d.next = self.bus_error.val();
            self.rotated_old.d.next = self.old_bits.q.val();
            self.rotated_last.d.next = self.finish.val();
            self.rotated_mask.d.next = self.all_bits.val();
            self.rotated_keep.d.next = self.all_lanes.val();
            if self.finish.val() {
                self.rotated_mask.d.next = self.end_bits.q.val();
                self.rotated_keep.d.next = self.end_keep.q.val();
                self.busy.d.next = false;
            }
            self.index.d.next = self.index.q.val() + 1;
            self.opening.d.next = false;
            self.first.d.next = false;
            self.flush.d.next = self.at_end.val();
        }
        self.rotated_valid.d.next =
            self.issue.val() | (self.rotated_valid.q.val() & !self.take_stream.val());
        comment!("Lanes that the beat before did not fill come from this one.");
        self.new_bits.next = !self.rotated_old.q.val();
        self.had_failed.next = self.failed.q.val() & !self.rotated_first.q.val();
        if self.take_stream.val() {
            self.valid.d.next = self.rotated_valid.q.val() & !self.rotated_opening.q.val();
        }
        if self.take_stream.val() & self.rotated_valid.q.val() {
            self.previous.d.next = self.rotated.q.val();
            self.failed.d.next = self.rotated_error.q.val() | self.had_failed.val();
            if !self.rotated_opening.q.val() {
                self.data.d.next = ((self.previous.q.val() & self.rotated_old.q.val())
                    | (self.rotated.q.val() & self.new_bits.val()))
                    & self.rotated_mask.q.val();
                self.keep.d.next = self.rotated_keep.q.val();
                self.last.d.next = self.rotated_last.q.val();
                self.user.d.next = self.rotated_last.q.val()
                    & (self.had_failed.val() | self.rotated_error.q.val());
            }
        }
        comment!("The next command's shift and masks.");
        self.offset.next = self.descriptions.m_data.val().get_bits::<6>(26);
        self.end_lane.next = self.descriptions.m_data.val().get_bits::<6>(32);
        self.lanes_unused.next = self.end_lane.val() ^ self.lane_mask.val();
        self.shifts.next = self.offset.val().any();
        self.offset_bytes.next = bit_cast::<10, 6>(self.offset.val());
        self.offset_bits.next = self.offset_bytes.val() << 3;
        self.unused_bytes.next = bit_cast::<10, 6>(self.lanes_unused.val());
        self.unused_bits.next = self.unused_bytes.val() << 3;
        if self.load.val() {
            self.busy.d.next = true;
            self.opening.d.next = self.shifts.val();
            self.first.d.next = true;
            self.flush.d.next = false;
            self.index.d.next = self.descriptions.m_data.val().get_bits::<13>(0);
            self.last_index.d.next = self.descriptions.m_data.val().get_bits::<13>(13);
            self.extra.d.next = self.descriptions.m_data.val().get_bit(38) | !self.shifts.val();
            self.shift_bits.d.next = self.offset_bits.val();
            self.old_bits.d.next = 0.into();
            if self.shifts.val() {
                self.old_bits.d.next = self.all_bits.val() >> self.offset_bits.val();
            }
            self.end_bits.d.next = self.all_bits.val() >> self.unused_bits.val();
            self.end_keep.d.next = self.all_lanes.val() >> self.lanes_unused.val();
        }
        if self.reset.val() {
            self.busy.d.next = false;
            self.rotated_valid.d.next = false;
            self.valid.d.next = false;
            self.data.d.next = 0.into();
            self.keep.d.next = 0.into();
            self.last.d.next = false;
            self.user.d.next = false;
        }
    }
}
