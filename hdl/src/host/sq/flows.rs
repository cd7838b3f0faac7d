//! Submission rings: picks an operation on the books of a flow, and asks for work requests.
//!
//! # Source            hdl/host.md
//! # Interface timing  cycle 0: the operation is picked; cycle 1: a credit is taken; cycle 3: ready of
//!                     a doorbell, row_done; cycle 4: m_cmd
//! # Latency and rate  an operation every 2 cycles. Order: credit, row operation, doorbell, fetch; of
//!                     each of the last three one every 4. One of a flow under way waits until that
//!                     is done, and others behind it, but for a credit behind a credit. Flows that
//!                     have something to fetch take turns; with nobody waiting a doorbell is its own
//!                     first fetch
//! # Reset             synchronous, high: nothing is taken until the books are clear
//! # Twins             sim/models/src/golden/host/sq/fetch.rs, tests/host/sq_fetch.rs

use crate::host::sq::book::{SqBook, SqOp};
use crate::streams::{Doorbell, Flow};
use crate::util::fifo::Fifo;
use crate::{block, Reg};
use nic_spec::NicConfig;
use rust_hdl_core::prelude::*;

/// Rings of `2^FB` flows, `2^S` work requests on their way, `2^N` a read; `FB1 = FB + 1`,
/// `S1 = S + 1`, `NB = N + 1`.
#[block(new(config: &NicConfig), check(S1 == S + 1 && S > NB))]
pub struct SqFlows<
    const FB: usize,
    const FB1: usize,
    const S: usize,
    const S1: usize,
    const NB: usize,
> {
    /// A work request of the flow has retired.
    pub credit: Flow<In, FB>,
    /// Software has moved a producer index.
    pub s_doorbell: Doorbell<In>,
    /// A row operation is wanted.
    pub row_valid: Signal<In, Bit>,
    /// Which: not credit, doorbell or fetch.
    pub row_op: Signal<In, SqOp>,
    /// Flow index.
    pub row_flow: Signal<In, Bits<FB>>,
    /// Ring of a new queue pair: address / 64.
    pub row_base: Signal<In, Bits<58>>,
    /// log2 of its entries; 0: no ring.
    pub row_log2: Signal<In, Bits<4>>,
    /// The row operation is done in this cycle.
    pub row_done: Signal<Out, Bit>,
    /// With `row_done`: the flow has a ring.
    pub row_has_ring: Signal<Out, Bit>,
    /// With `row_done`: a fetch of the flow had failed before.
    pub row_stopped: Signal<Out, Bit>,
    /// Send queues are 4 to the power of this times deeper; 3 counts as 2.
    pub cfg_sq_scale: Signal<In, Bits<2>>,
    /// There is completion room for one more work request.
    pub wr_room: Signal<In, Bit>,
    /// No more fetches.
    pub hold: Signal<In, Bit>,
    /// Held, and no fetch is under way.
    pub drained: Signal<Out, Bit>,
    /// What was fetched by a read has left.
    pub slots_free: Signal<In, Bit>,
    /// So many.
    pub slots_count: Signal<In, Bits<NB>>,
    /// Read command.
    pub m_cmd_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_cmd_ready: Signal<In, Bit>,
    /// Byte address.
    pub m_cmd_addr: Signal<Out, Bits<64>>,
    /// Bytes.
    pub m_cmd_bytes: Signal<Out, Bits<13>>,
    /// A command is on its way: who has asked.
    pub order_valid: Signal<Out, Bit>,
    /// Flow index.
    pub order_flow: Signal<Out, Bits<FB>>,
    /// Index of the first work request.
    pub order_index: Signal<Out, Bits<16>>,
    /// So many.
    pub order_count: Signal<Out, Bits<NB>>,
    /// A doorbell changed nothing: no ring, or an index beyond the ring or behind the last one.
    pub event_doorbell: Signal<Out, Bit>,
    #[init(SqBook::new(config))]
    book: SqBook<FB, NB>,
    active: Fifo<Bits<FB>, FB, FB1>,
    loads: Reg<Bit>,
    calculates: Reg<Bit>,
    executes: Reg<Bit>,
    is_done: Reg<Bit>,
    #[reset(SqOp::Credit)]
    op: Reg<SqOp>,
    flow: Reg<Bits<FB>>,
    #[reset(SqOp::Credit)]
    exec_op: Reg<SqOp>,
    exec_flow: Reg<Bits<FB>>,
    slots: Reg<Bits<S1>>,
    is_drained: Reg<Bit>,
    cmd_valid: Reg<Bit>,
    addr: Reg<Bits<64>>,
    bytes: Reg<Bits<13>>,
    calculates_row: Signal<Local, Bit>,
    executes_row: Signal<Local, Bit>,
    row_waits: Signal<Local, Bit>,
    doorbell_waits: Signal<Local, Bit>,
    picked_op: Signal<Local, SqOp>,
    is_own: Signal<Local, Bit>,
    are_credits: Signal<Local, Bit>,
    meets: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    is_free: Signal<Local, Bit>,
    may_go: Signal<Local, Bit>,
    may_fetch: Signal<Local, Bit>,
    picked: Signal<Local, Bits<FB>>,
    line_wide: Signal<Local, Bits<64>>,
    count_wide: Signal<Local, Bits<13>>,
    slots_more: Signal<Local, Bits<S1>>,
    slots_fewer: Signal<Local, Bits<S1>>,
    #[value((1_u64 << S) - (1 << (NB - 1)))]
    slots_last: Constant<Bits<S1>>,
    #[value((1_u64 << S) - (2 << (NB - 1)))]
    slots_before: Constant<Bits<S1>>,
}

impl<const FB: usize, const FB1: usize, const S: usize, const S1: usize, const NB: usize> Logic
    for SqFlows<FB, FB1, S, S1, NB>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("of row operations, doorbells and fetches one at a time");
        self.calculates_row.next = self.calculates.val()
            & (self.op.val() != SqOp::Credit)
            & (self.op.val() != SqOp::Doorbell)
            & (self.op.val() != SqOp::Fetch);
        self.executes_row.next = self.executes.val()
            & (self.exec_op.val() != SqOp::Credit)
            & (self.exec_op.val() != SqOp::Doorbell)
            & (self.exec_op.val() != SqOp::Fetch);
        self.row_waits.next =
            self.row_valid.val() & !self.calculates_row.val() & !self.executes_row.val();
        self.doorbell_waits.next = self.s_doorbell.valid.val()
            & !(self.calculates.val() & (self.op.val() == SqOp::Doorbell))
            & !(self.executes.val() & (self.exec_op.val() == SqOp::Doorbell));
        comment!("One whose row was read before it is written ends here, and is picked again;");
        comment!("but a credit goes on with what one that is in effect leaves.");
        self.is_own.next = self.executes.val() & (self.flow.val() == self.exec_flow.val());
        self.are_credits.next =
            (self.op.val() == SqOp::Credit) & (self.exec_op.val() == SqOp::Credit);
        self.book.follows.next = self.is_own.val() & self.are_credits.val();
        self.meets.next = (self.is_own.val() & !self.are_credits.val())
            | (self.is_done.val() & (self.flow.val() == self.book.flow.val()));
        self.begins.next = self.loads.val() & !self.meets.val();
        self.credit.ready.next = self.begins.val() & (self.op.val() == SqOp::Credit);
        self.active.m.ready.next = self.begins.val() & (self.op.val() == SqOp::Fetch);
        self.s_doorbell.ready.next = self.executes.val() & (self.exec_op.val() == SqOp::Doorbell);
        self.row_done.next = self.executes_row.val();
        self.row_has_ring.next = self.book.has_ring.val();
        self.row_stopped.next = self.book.stopped.val();
        self.drained.next = self.is_drained.val();
        self.line_wide.next = bit_cast::<64, 58>(self.book.line.val());
        self.m_cmd_valid.next = self.cmd_valid.val() | self.book.go.val();
        self.m_cmd_addr.next = self.addr.val();
        self.m_cmd_bytes.next = self.bytes.val();
        self.count_wide.next = bit_cast::<13, NB>(self.book.count.val());
        if self.book.go.val() {
            self.m_cmd_addr.next = self.line_wide.val() << 6;
            self.m_cmd_bytes.next = self.count_wide.val() << 6;
        }
        self.order_valid.next = self.book.go.val();
        self.order_flow.next = self.book.flow.val();
        self.order_index.next = self.book.index.val();
        self.order_count.next = self.book.count.val();
        self.event_doorbell.next = self.book.refused.val();
        comment!("pick; a fetch that was decided in the cycle before has not taken its slots yet");
        self.is_free.next = (self.m_cmd_ready.val()
            | (!self.cmd_valid.val() & !self.book.go.val()))
            & (self.slots.val() <= self.slots_last.val())
            & !(self.book.go.val() & (self.slots.val() > self.slots_before.val()));
        self.may_go.next = self.wr_room.val() & !self.hold.val() & self.is_free.val();
        self.may_fetch.next = self.active.m.valid.val()
            & self.may_go.val()
            & !(self.calculates.val() & (self.op.val() == SqOp::Fetch))
            & !(self.executes.val() & (self.exec_op.val() == SqOp::Fetch));
        self.book.direct.next = self.may_go.val() & !self.active.count.val().any();
        self.picked.next = self.active.m.data.val();
        self.picked_op.next = SqOp::Fetch;
        if self.credit.valid.val() {
            self.picked.next = self.credit.flow.val();
            self.picked_op.next = SqOp::Credit;
        } else if self.row_waits.val() {
            self.picked.next = self.row_flow.val();
            self.picked_op.next = self.row_op.val();
        } else if self.doorbell_waits.val() {
            self.picked.next = bit_cast::<FB, 16>(self.s_doorbell.flow.val());
            self.picked_op.next = SqOp::Doorbell;
        }
        self.book.read.next = self.book.ready.val() & !self.loads.val();
        self.starts.next = self.book.read.val()
            & (self.credit.valid.val()
                | self.row_waits.val()
                | self.doorbell_waits.val()
                | self.may_fetch.val());
        comment!("stages");
        self.loads.next = self.starts.val();
        self.calculates.next = self.begins.val();
        self.executes.next = self.calculates.val();
        self.is_done.next = self.executes.val();
        if !self.loads.val() {
            self.op.next = self.picked_op.val();
            self.flow.next = self.picked.val();
        }
        self.exec_op.next = self.op.val();
        self.exec_flow.next = self.flow.val();
        self.book.read_flow.next = self.picked.val();
        self.book.exec.next = self.executes.val();
        self.book.exec_flow.next = self.exec_flow.val();
        self.book.op.next = self.exec_op.val();
        self.book.cfg_sq_scale.next = self.cfg_sq_scale.val();
        self.book.doorbell_flow.next = self.s_doorbell.flow.val();
        self.book.doorbell_index.next = self.s_doorbell.index.val();
        self.book.row_base.next = self.row_base.val();
        self.book.row_log2.next = self.row_log2.val();
        self.active.s.valid.next = self.book.push.val();
        self.active.s.data.next = self.book.flow.val();
        comment!("a command, and the slots that it takes");
        if self.book.go.val() {
            self.cmd_valid.next = true;
            self.addr.next = self.line_wide.val() << 6;
            self.bytes.next = self.count_wide.val() << 6;
        }
        if self.m_cmd_ready.val() {
            self.cmd_valid.next = false;
        }
        self.slots_more.next = 0.into();
        if self.book.go.val() {
            self.slots_more.next = bit_cast::<S1, NB>(self.book.count.val());
        }
        self.slots_fewer.next = 0.into();
        if self.slots_free.val() {
            self.slots_fewer.next = bit_cast::<S1, NB>(self.slots_count.val());
        }
        self.slots.next = self.slots.val() + self.slots_more.val() - self.slots_fewer.val();
        self.is_drained.next = self.hold.val()
            & !self.loads.val()
            & !self.calculates.val()
            & !self.executes.val()
            & !self.book.go.val()
            & !self.slots.val().any();
    }
}
