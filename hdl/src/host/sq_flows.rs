//! Submission rings: picks an operation on the books of a flow, and asks for work requests.
//!
//! # Source            ARCHITECTURE.md, Rings
//! # Interface timing  cycle 0: the operation is picked; cycle 3: its ready or done; cycle 4: m_cmd
//! # Latency and rate  one operation every [`OPERATION_CYCLES`]. Order: credit, row operation,
//!                     doorbell, fetch; flows that have something to fetch take turns. With
//!                     nobody waiting a doorbell is its own first fetch
//! # Reset             synchronous, high: nothing is taken until the books are clear
//! # Twins             sim/src/golden/host/sq_fetch.rs, tests/sq_fetch.rs

use super::sq_book::{SqBook, SqOp};
use crate::util::fifo::Fifo;
use crate::Module;
use nic_spec::NicConfig;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from an operation to the next one.
pub const OPERATION_CYCLES: usize = 4;
/// Work requests that are on their way from host memory at most.
pub const FETCHES_MAX: u64 = 8;

/// What the block does in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum FlowsState {
    Idle,
    Load,
    Calc,
    Exec,
}

/// Rings of `2^FB` flows; `FB1 = FB + 1`.
#[derive(LogicBlock)]
pub struct SqFlows<const FB: usize, const FB1: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// A work request of the flow has retired.
    pub credit_valid: Signal<In, Bit>,
    /// Taken.
    pub credit_ready: Signal<Out, Bit>,
    /// Flow index.
    pub credit_flow: Signal<In, Bits<FB>>,
    /// Software has moved a producer index.
    pub s_doorbell_valid: Signal<In, Bit>,
    /// Taken.
    pub s_doorbell_ready: Signal<Out, Bit>,
    /// Flow index.
    pub s_doorbell_flow: Signal<In, Bits<16>>,
    /// Producer index.
    pub s_doorbell_index: Signal<In, Bits<16>>,
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
    /// There is completion room for one more work request.
    pub wr_room: Signal<In, Bit>,
    /// No more fetches.
    pub hold: Signal<In, Bit>,
    /// Held, and no fetch is under way.
    pub drained: Signal<Out, Bit>,
    /// A fetched work request has left.
    pub slot_free: Signal<In, Bit>,
    /// Read command.
    pub m_cmd_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_cmd_ready: Signal<In, Bit>,
    /// Byte address.
    pub m_cmd_addr: Signal<Out, Bits<64>>,
    /// A command is on its way: who has asked.
    pub order_valid: Signal<Out, Bit>,
    /// Flow index.
    pub order_flow: Signal<Out, Bits<FB>>,
    /// Index of the work request.
    pub order_index: Signal<Out, Bits<16>>,
    /// A doorbell changed nothing: no ring, or an index beyond the ring or behind the last one.
    pub event_doorbell: Signal<Out, Bit>,
    book: SqBook<FB>,
    active: Fifo<FB, FB, FB1>,
    state: DFF<FlowsState>,
    op: DFF<SqOp>,
    slots: DFF<Bits<4>>,
    is_drained: DFF<Bit>,
    cmd_valid: DFF<Bit>,
    addr: DFF<Bits<64>>,
    is_exec: Signal<Local, Bit>,
    is_free: Signal<Local, Bit>,
    may_go: Signal<Local, Bit>,
    may_fetch: Signal<Local, Bit>,
    picked: Signal<Local, Bits<FB>>,
    line_wide: Signal<Local, Bits<64>>,
    slots_max: Constant<Bits<4>>,
}

impl<const FB: usize, const FB1: usize> SqFlows<FB, FB1> {
    /// The rings of a NIC of these sizes.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            credit_valid: Default::default(),
            credit_ready: Default::default(),
            credit_flow: Default::default(),
            s_doorbell_valid: Default::default(),
            s_doorbell_ready: Default::default(),
            s_doorbell_flow: Default::default(),
            s_doorbell_index: Default::default(),
            row_valid: Default::default(),
            row_op: Default::default(),
            row_flow: Default::default(),
            row_base: Default::default(),
            row_log2: Default::default(),
            row_done: Default::default(),
            row_has_ring: Default::default(),
            row_stopped: Default::default(),
            wr_room: Default::default(),
            hold: Default::default(),
            drained: Default::default(),
            slot_free: Default::default(),
            m_cmd_valid: Default::default(),
            m_cmd_ready: Default::default(),
            m_cmd_addr: Default::default(),
            order_valid: Default::default(),
            order_flow: Default::default(),
            order_index: Default::default(),
            event_doorbell: Default::default(),
            book: SqBook::new(config),
            active: Default::default(),
            state: Default::default(),
            op: Default::default(),
            slots: Default::default(),
            is_drained: Default::default(),
            cmd_valid: Default::default(),
            addr: Default::default(),
            is_exec: Default::default(),
            is_free: Default::default(),
            may_go: Default::default(),
            may_fetch: Default::default(),
            picked: Default::default(),
            line_wide: Default::default(),
            slots_max: Constant::new(FETCHES_MAX.to_bits()),
        }
    }
}

impl<const FB: usize, const FB1: usize> Logic for SqFlows<FB, FB1> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, state, op, slots, is_drained, cmd_valid, addr);
        clock!(self, clock, book, active);
        self.book.reset.next = self.reset.val();
        self.active.reset.next = self.reset.val();
        self.is_exec.next = self.state.q.val() == FlowsState::Exec;
        self.credit_ready.next = self.is_exec.val() & (self.op.q.val() == SqOp::Credit);
        self.s_doorbell_ready.next = self.is_exec.val() & (self.op.q.val() == SqOp::Doorbell);
        self.row_done.next = self.is_exec.val()
            & (self.op.q.val() != SqOp::Credit)
            & (self.op.q.val() != SqOp::Doorbell)
            & (self.op.q.val() != SqOp::Fetch);
        self.row_has_ring.next = self.book.has_ring.val();
        self.row_stopped.next = self.book.stopped.val();
        self.drained.next = self.is_drained.q.val();
        self.line_wide.next = bit_cast::<64, 58>(self.book.line.val());
        self.m_cmd_valid.next = self.cmd_valid.q.val() | self.book.go.val();
        self.m_cmd_addr.next = self.addr.q.val();
        if self.book.go.val() {
            self.m_cmd_addr.next = self.line_wide.val() << 6;
        }
        self.order_valid.next = self.book.go.val();
        self.order_flow.next = self.book.flow.val();
        self.order_index.next = self.book.index.val();
        self.event_doorbell.next = self.book.refused.val();
        comment!("pick; a fetch that was decided in the cycle before has not taken its slot yet");
        self.is_free.next = !self.cmd_valid.q.val()
            & !self.book.go.val()
            & (self.slots.q.val() != self.slots_max.val());
        self.may_go.next = self.wr_room.val() & !self.hold.val() & self.is_free.val();
        self.may_fetch.next = self.active.m_valid.val() & self.may_go.val();
        self.book.direct.next = self.may_go.val() & !self.active.count.val().any();
        self.book.read.next = false;
        self.picked.next = self.active.m_data.val();
        self.active.m_ready.next = false;
        match self.state.q.val() {
            FlowsState::Idle => {
                self.book.read.next = self.book.ready.val();
                if self.credit_valid.val() {
                    self.picked.next = self.credit_flow.val();
                    self.op.d.next = SqOp::Credit;
                } else if self.row_valid.val() {
                    self.picked.next = self.row_flow.val();
                    self.op.d.next = self.row_op.val();
                } else if self.s_doorbell_valid.val() {
                    self.picked.next = bit_cast::<FB, 16>(self.s_doorbell_flow.val());
                    self.op.d.next = SqOp::Doorbell;
                } else {
                    self.op.d.next = SqOp::Fetch;
                }
                if self.book.ready.val()
                    & (self.credit_valid.val()
                        | self.row_valid.val()
                        | self.s_doorbell_valid.val()
                        | self.may_fetch.val())
                {
                    self.state.d.next = FlowsState::Load;
                }
            }
            FlowsState::Load => {
                self.active.m_ready.next = self.op.q.val() == SqOp::Fetch;
                self.state.d.next = FlowsState::Calc;
            }
            FlowsState::Calc => {
                self.state.d.next = FlowsState::Exec;
            }
            FlowsState::Exec => {
                self.state.d.next = FlowsState::Idle;
            }
        }
        self.book.read_flow.next = self.picked.val();
        self.book.exec.next = self.is_exec.val();
        self.book.op.next = self.op.q.val();
        self.book.doorbell_flow.next = self.s_doorbell_flow.val();
        self.book.doorbell_index.next = self.s_doorbell_index.val();
        self.book.row_base.next = self.row_base.val();
        self.book.row_log2.next = self.row_log2.val();
        self.active.s_valid.next = self.book.push.val();
        self.active.s_data.next = self.book.flow.val();
        comment!("a command, and the slot that it takes");
        if self.book.go.val() {
            self.cmd_valid.d.next = true;
            self.addr.d.next = self.line_wide.val() << 6;
        }
        if self.m_cmd_ready.val() {
            self.cmd_valid.d.next = false;
        }
        if self.book.go.val() & !self.slot_free.val() {
            self.slots.d.next = self.slots.q.val() + 1;
        } else if self.slot_free.val() & !self.book.go.val() {
            self.slots.d.next = self.slots.q.val() - 1;
        }
        self.is_drained.d.next = self.hold.val()
            & (self.state.q.val() == FlowsState::Idle)
            & !self.book.go.val()
            & !self.slots.q.val().any();
        if self.reset.val() {
            self.state.d.next = FlowsState::Idle;
            self.op.d.next = SqOp::Credit;
            self.slots.d.next = 0.into();
            self.is_drained.d.next = false;
            self.cmd_valid.d.next = false;
            self.addr.d.next = 0.into();
        }
    }
}
