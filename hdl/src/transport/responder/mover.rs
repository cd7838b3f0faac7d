//! Payload of the responder: frames go on to the DMA or are dropped, as ordered.
//!
//! # Interface timing  cycle 0: order_valid and order_ready; from cycle 2 on the frame moves. Two
//!                     orders may wait, so that one every 2 cycles finds room
//! # Latency and rate  [`LATENCY_CYCLES`] from a beat at the sink to the source; one beat a cycle,
//!                     without a gap between frames whose orders are there
//! # Shape             one order a frame, in the order of the frames
//! # Reset             synchronous, high: empty
//! # Twins             sim/models/src/golden/transport/responder.rs, tests/transport/responder.rs

use crate::streams::Axis;
use crate::util::skid::Skid;
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a beat at the sink to the beat at the source.
pub const LATENCY_CYCLES: usize = 2;

/// Mover of frames; `B = W + KB + 1`.
#[block(check(B == W + KB + 1))]
pub struct RespMove<const W: usize, const KB: usize, const B: usize> {
    /// An order for the next frame; only while `order_ready`.
    pub order_valid: Signal<In, Bit>,
    /// Drop the frame.
    pub order_drop: Signal<In, Bit>,
    /// There is room for an order.
    pub order_ready: Signal<Out, Bit>,
    /// Bytes.
    pub s_axis: Axis<In, W, KB>,
    /// Bytes.
    pub m_axis: Axis<Out, W, KB>,
    inbound: Skid<Bits<B>>,
    orders: Skid<Bits<1>>,
    active: Reg<Bit>,
    active_drop: Unreset<Bit>,
    beat_valid: Reg<Bit>,
    beat: Reg<Bits<B>>,
    take: Signal<Local, Bit>,
    moved: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    last_bit: Signal<Local, Bits<1>>,
    #[init(Constant::new((W as u64).to_bits()))]
    keep_at: Constant<Bits<16>>,
    #[init(Constant::new(((W + KB) as u64).to_bits()))]
    last_at: Constant<Bits<16>>,
}

impl<const W: usize, const KB: usize, const B: usize> Logic for RespMove<W, KB, B> {
    #[hdl_gen]
    fn update(&mut self) {
        self.order_ready.next = self.orders.s.ready.val();
        self.orders.s.valid.next = self.order_valid.val();
        self.orders.s.data.next = self.order_drop.val().into();
        self.s_axis.tready.next = self.inbound.s.ready.val();
        self.m_axis.tvalid.next = self.beat_valid.val();
        self.m_axis.tlast.next = self.beat.val().get_bit(self.last_at.val().index());
        self.m_axis.tkeep.next = self.beat.val().get_bits::<KB>(self.keep_at.val().index());
        self.m_axis.tdata.next = self.beat.val().get_bits::<W>(0);
        comment!("a beat: last, keep, data from high to low");
        self.last_bit.next = 0.into();
        if self.s_axis.tlast.val() {
            self.last_bit.next = 1.into();
        }
        self.inbound.s.valid.next = self.s_axis.tvalid.val();
        self.inbound.s.data.next = bit_cast::<B, W>(self.s_axis.tdata.val())
            | (bit_cast::<B, KB>(self.s_axis.tkeep.val()) << self.keep_at.val())
            | (bit_cast::<B, 1>(self.last_bit.val()) << self.last_at.val());
        comment!("A dropped frame needs no room at the source.");
        self.take.next = self.active.val()
            & (self.active_drop.val() | self.m_axis.tready.val() | !self.beat_valid.val());
        self.moved.next = self.take.val() & self.inbound.m.valid.val();
        self.ends.next =
            self.moved.val() & self.inbound.m.data.val().get_bit(self.last_at.val().index());
        self.inbound.m.ready.next = self.take.val();
        if self.m_axis.tready.val() {
            self.beat_valid.next = false;
        }
        if self.moved.val() & !self.active_drop.val() {
            self.beat_valid.next = true;
            self.beat.next = self.inbound.m.data.val();
        }
        self.orders.m.ready.next = self.ends.val() | !self.active.val();
        if self.ends.val() | !self.active.val() {
            self.active.next = self.orders.m.valid.val();
            self.active_drop.next = self.orders.m.data.val().any();
        }
    }
}
