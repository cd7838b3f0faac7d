//! Ends of READs: payload of READ responses goes to host memory, and completions of the requester
//! follow the bytes before them.
//!
//! # Source            InfiniBand architecture volume 1, 9.7.6 (a work request completes after its
//!                     data is in memory), ARCHITECTURE.md
//! # Interface timing  cycle 0: an order stands and there is room; cycle 1: s_order_ready; cycle 2:
//!                     m_cmd_valid; from cycle 3 on the frame moves. A completion with none before
//!                     it: cycle 5: m_cqe_valid
//! # Latency and rate  [`LATENCY_CYCLES`]; one order every other cycle, one beat a cycle; one end
//!                     every 2 cycles
//! # Orders            land: the next frame of s_response goes to memory, and the report of its
//!                     command ends it. drop: the frame is discarded. completion: it ends, and is
//!                     m_cqe, once all before it have ended. `2^P` may be without end
//! # Errors            a frame that memory refuses: m_fail once, the flow's next completion gets
//!                     status 5 (host memory), those behind it 6 (flushed), until its row is written.
//!                     A row waits until all orders have ended; new ones wait behind it
//! # Reset             synchronous, high: all streams empty; the flows' errors are cleared within F
//!                     cycles, reports and rows wait that long
//! # Twins             sim/models/src/golden/transport/completer.rs, tests/transport/completer.rs

pub mod end;

use crate::streams::{Axis, Flow, Offer, Order, RequesterCompletion, WriteCommand, WriteDone};
use crate::transport::{
    completer::end::{CompleterEnd, Pending},
    responder::mover::RespMove,
};
use crate::util::ram_fifo::RamFifo;
use crate::{block, Reg, Wire};
use rust_hdl_core::prelude::*;

/// Cycles from an order to its command.
pub const LATENCY_CYCLES: usize = 2;

/// Completer; `FC = FB + 1`, `B = W + KB + 1`, `P1 = P + 1`.
#[block]
pub struct Completer<
    const W: usize,
    const KB: usize,
    const B: usize,
    const FB: usize,
    const FC: usize,
    const P: usize,
    const P1: usize,
> {
    /// An order of the requester.
    pub s_order: Order<In, FB>,
    /// Bytes.
    pub s_response: Axis<In, W, KB>,
    /// A write command stands.
    pub m_cmd: WriteCommand<Out, FB>,
    /// Bytes.
    pub m_data: Axis<Out, W, KB>,
    /// A command is done.
    pub s_done: WriteDone<In, FB>,
    /// A queue pair row.
    pub s_cfg: Offer<In>,
    /// Its flow.
    pub cfg_index: Signal<In, Bits<16>>,
    /// A completion stands.
    pub m_cqe: RequesterCompletion<Out>,
    /// 0: requester.
    pub m_cqe_kind: Signal<Out, Bits<8>>,
    /// 0.
    pub m_cqe_imm: Signal<Out, Bits<32>>,
    /// Bytes of a READ could not be written.
    pub m_fail: Flow<Out, FB>,
    mover: RespMove<W, KB, B>,
    ender: CompleterEnd<FB, FC>,
    take: Reg<Bit>,
    cmd_full: Reg<Bit>,
    addr: Reg<Bits<64>>,
    bytes: Reg<Bits<13>>,
    flow: Reg<Bits<FB>>,
    pending: RamFifo<Pending, P, P1>,
    is_land: Signal<Local, Bit>,
    is_frame: Signal<Local, Bit>,
    can: Signal<Local, Bit>,
    #[init(Constant::new(0u64.to_bits()))]
    completion: Constant<Bits<2>>,
    #[init(Constant::new(1u64.to_bits()))]
    land: Constant<Bits<2>>,
}

impl<
        const W: usize,
        const KB: usize,
        const B: usize,
        const FB: usize,
        const FC: usize,
        const P: usize,
        const P1: usize,
    > Logic for Completer<W, KB, B, FB, FC, P, P1>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.s_order.ready.next = self.take.val();
        self.m_cmd.valid.next = self.cmd_full.val();
        self.m_cmd.addr.next = self.addr.val();
        self.m_cmd.bytes.next = self.bytes.val();
        self.m_cmd.tag.next = self.flow.val();
        comment!("An order is taken when its command, its frame and its end have a place.");
        self.is_land.next = self.s_order.op.val() == self.land.val();
        self.is_frame.next = self.s_order.op.val() != self.completion.val();
        self.can.next = (self.mover.order_ready.val() | !self.is_frame.val())
            & (self.m_cmd.ready.val() | !self.cmd_full.val())
            & self.pending.s.ready.val();
        self.take.next =
            self.s_order.valid.val() & self.can.val() & !self.take.val() & !self.s_cfg.valid.val();
        self.mover.order_valid.next = self.take.val() & self.is_frame.val();
        self.mover.order_drop.next = !self.is_land.val();
        if self.m_cmd.ready.val() {
            self.cmd_full.next = false;
        }
        if self.take.val() & self.is_land.val() {
            self.cmd_full.next = true;
            self.addr.next = self.s_order.addr.val();
            self.bytes.next = self.s_order.bytes.val();
            self.flow.next = self.s_order.flow.val();
        }
        self.pending.s.valid.next = self.take.val() & (self.is_land.val() | !self.is_frame.val());
        self.pending.s.data.next.flow = bit_cast::<16, FB>(self.s_order.flow.val());
        self.pending.s.data.next.wr_id = self.s_order.wr_id.val();
        self.pending.s.data.next.byte_len = self.s_order.byte_len.val();
        self.pending.s.data.next.status = self.s_order.status.val();
        self.pending.s.data.next.signalled = self.s_order.signalled.val();
        self.pending.s.data.next.land = self.is_land.val();
        comment!("payload");
        Wire::join(&mut self.s_response, &mut self.mover.s_axis);
        Wire::join(&mut self.mover.m_axis, &mut self.m_data);
        comment!("ends, in the order of the orders: what lands waits for its report");
        self.ender.idle.next = !self.take.val() & !self.pending.count.val().any();
        self.ender.s.valid.next = self.pending.m.valid.val()
            & (self.s_done.valid.val() | !self.pending.m.data.val().land);
        self.ender.s.data.next = self.pending.m.data.val();
        self.ender.error.next = self.s_done.error.val();
        self.pending.m.ready.next = self.ender.s.ready.val();
        self.s_done.ready.next = self.ender.s.ready.val() & self.pending.m.data.val().land;
        self.ender.s_cfg.valid.next = self.s_cfg.valid.val();
        self.s_cfg.ready.next = self.ender.s_cfg.ready.val();
        self.ender.s_cfg.flow.next = self.cfg_index.val().get_bits::<FB>(0);
        self.m_cqe.valid.next = self.ender.m_cqe.valid.val();
        self.ender.m_cqe.ready.next = self.m_cqe.ready.val();
        self.m_cqe_kind.next = 0.into();
        self.m_cqe.status.next = self.ender.m_cqe.status.val();
        self.m_cqe.flow.next = self.ender.m_cqe.flow.val();
        self.m_cqe.wr_id.next = self.ender.m_cqe.wr_id.val();
        self.m_cqe_imm.next = 0.into();
        self.m_cqe.byte_len.next = self.ender.m_cqe.byte_len.val();
        self.m_cqe.signalled.next = self.ender.m_cqe.signalled.val();
        Wire::join(&mut self.ender.m_fail, &mut self.m_fail);
    }
}
