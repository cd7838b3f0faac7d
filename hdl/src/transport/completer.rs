//! Ends of READs: payload of READ responses goes to host memory, and completions of the requester
//! follow the bytes before them.
//!
//! # Source            InfiniBand architecture volume 1, 9.7.6 (a work request completes after its
//!                     data is in memory), ARCHITECTURE.md
//! # Interface timing  cycle 0: an order stands and there is room; cycle 1: s_order_ready; cycle 2:
//!                     m_cmd_valid; from cycle 3 on the frame moves
//! # Latency and rate  [`LATENCY_CYCLES`]; one order every other cycle, one beat a cycle; one report
//!                     every 2 cycles
//! # Orders            land: the next frame of s_response goes to memory. drop: it is discarded.
//!                     completion: a command without bytes, so that its report comes after the bytes
//!                     before it have landed; the report makes the completion
//! # Errors            a frame that memory refuses: m_fail once, the flow's next completion gets
//!                     status 5 (host memory), those behind it 6 (flushed), until its row is written.
//!                     A row waits until no command is on its way; orders wait behind it
//! # Number formats    in_flight | UQ8.0 | commands without report | at most 128
//! # Reset             synchronous, high: all streams empty; the flows' errors are cleared within F
//!                     cycles, reports and rows wait that long
//! # Twins             sim/models/src/golden/transport/completer.rs, tests/transport/completer.rs

pub mod end;

use crate::streams::{Axis, Flow, Offer, Order, RequesterCompletion, WriteCommand, WriteDone};
use crate::transport::{
    completer::end::{CompleterEnd, CompleterTag},
    responder::mover::RespMove,
};
use crate::{block, Reg, Wire};
use rust_hdl_core::prelude::*;

/// Cycles from an order to its command.
pub const LATENCY_CYCLES: usize = 2;
/// Commands without report.
pub const COMMANDS_IN_FLIGHT_MAX: u64 = 128;

/// Completer; `FC = FB + 1`, `B = W + KB + 1`.
#[block]
pub struct Completer<
    const W: usize,
    const KB: usize,
    const B: usize,
    const FB: usize,
    const FC: usize,
> {
    /// An order of the requester.
    pub s_order: Order<In, FB>,
    /// Bytes.
    pub s_response: Axis<In, W, KB>,
    /// A write command stands.
    pub m_cmd: WriteCommand<Out, 127>,
    /// Bytes.
    pub m_data: Axis<Out, W, KB>,
    /// A command is done.
    pub s_done: WriteDone<In, 127>,
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
    tag: Reg<CompleterTag>,
    in_flight: Reg<Bits<8>>,
    is_land: Signal<Local, Bit>,
    is_frame: Signal<Local, Bit>,
    cmd_free: Signal<Local, Bit>,
    has_room: Signal<Local, Bit>,
    can: Signal<Local, Bit>,
    sends: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    #[init(Constant::new(0u64.to_bits()))]
    completion: Constant<Bits<2>>,
    #[init(Constant::new(1u64.to_bits()))]
    land: Constant<Bits<2>>,
    #[init(Constant::new(0u64.to_bits()))]
    none: Constant<Bits<8>>,
    #[init(Constant::new(COMMANDS_IN_FLIGHT_MAX.to_bits()))]
    full: Constant<Bits<8>>,
}

impl<const W: usize, const KB: usize, const B: usize, const FB: usize, const FC: usize> Logic
    for Completer<W, KB, B, FB, FC>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.s_order.ready.next = self.take.val();
        self.m_cmd.valid.next = self.cmd_full.val();
        self.m_cmd.addr.next = self.addr.val();
        self.m_cmd.bytes.next = self.bytes.val();
        self.m_cmd.tag.next = self.tag.val().to_bits();
        comment!("An order is taken when its command and its frame have a place.");
        self.is_land.next = self.s_order.op.val() == self.land.val();
        self.is_frame.next = self.s_order.op.val() != self.completion.val();
        self.sends.next = self.is_land.val() | !self.is_frame.val();
        self.cmd_free.next = self.m_cmd.ready.val() | !self.cmd_full.val();
        self.has_room.next = self.cmd_free.val() & (self.in_flight.val() != self.full.val());
        self.can.next = (self.mover.order_ready.val() | !self.is_frame.val())
            & (self.has_room.val() | !self.sends.val());
        self.take.next =
            self.s_order.valid.val() & self.can.val() & !self.take.val() & !self.s_cfg.valid.val();
        self.mover.order_valid.next = self.take.val() & self.is_frame.val();
        self.mover.order_drop.next = !self.is_land.val();
        if self.m_cmd.ready.val() {
            self.cmd_full.next = false;
        }
        if self.take.val() & self.sends.val() {
            self.cmd_full.next = true;
            self.addr.next = self.s_order.addr.val();
            self.bytes.next = 0.into();
            if self.is_land.val() {
                self.bytes.next = self.s_order.bytes.val();
            }
            self.tag.next = 0.into();
            self.tag.next.flow = bit_cast::<16, FB>(self.s_order.flow.val());
            self.tag.next.wr_id = self.s_order.wr_id.val();
            self.tag.next.byte_len = self.s_order.byte_len.val();
            self.tag.next.status = self.s_order.status.val();
            self.tag.next.signalled = self.s_order.signalled.val();
            self.tag.next.land = self.is_land.val();
        }
        self.ends.next = self.s_done.valid.val() & self.ender.s_done.ready.val();
        if self.take.val() & self.sends.val() & !self.ends.val() {
            self.in_flight.next = self.in_flight.val() + 1;
        } else if self.ends.val() & !(self.take.val() & self.sends.val()) {
            self.in_flight.next = self.in_flight.val() - 1;
        }
        comment!("payload");
        Wire::join(&mut self.s_response, &mut self.mover.s_axis);
        Wire::join(&mut self.mover.m_axis, &mut self.m_data);
        comment!("reports, and the completions that they make");
        self.ender.idle.next = !self.take.val() & (self.in_flight.val() == self.none.val());
        Wire::join(&mut self.s_done, &mut self.ender.s_done);
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
