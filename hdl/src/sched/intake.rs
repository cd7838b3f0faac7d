//! One operation a cycle at most: whose slot it is, and when it may start.
//!
//! # Interface timing  cycle 0: an operation is taken; cycle 1: m_start, m_operation, if
//!                     none of its flow is under way; cycle 8: m_end, m_end_flow
//! # Latency and rate  1 cycle; s_work every other cycle, s_rate every 4. Slots in turn: pop,
//!                     s_work, s_rate, s_work; a slot that is not used is for a flow that the scan
//!                     has found, and so is a pop's slot when the last pop went before such a flow.
//!                     While nothing can be taken, slots wait but for those that nobody would use
//! # Rules             Operations start in the order in which they are taken, and bear the cycle
//!                     of that. So what happens to a flow between two of them is exact, however
//!                     long they wait
//! # Shape             2^FB flows
//! # Reset             synchronous, high: nothing is taken before s_clean
//! # Twins             `take` and `start` of sim/models/src/golden/sched/scheduler.rs

use crate::sched::operation::{Operation, DUE, INFLIGHT, POP, RATE, WORK};
use crate::streams::{Rate, Work};
use crate::util::skid::Skid;
use crate::{block, kernel, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// From the start of an operation to the write of its flow's state.
pub const PIPE_CYCLES: usize = 7;

/// Slots, and the flows whose operations are under way.
#[block(mealy)]
pub struct Intake<const FB: usize> {
    /// A flow has work, or its bytes in flight have changed.
    pub s_work: Work<In, FB>,
    /// A flow is created, removed, or gets a window and rate.
    pub s_rate: Rate<In, FB>,
    /// The flow at the head of a queue may leave it.
    pub s_pop_valid: Signal<In, Bit>,
    /// The flow.
    pub s_pop_flow: Signal<In, Bits<FB>>,
    /// Its queue.
    pub s_pop_queue: Signal<In, Bits<3>>,
    /// It leaves.
    pub m_pop_taken: Signal<Out, Bit>,
    /// The scan has found a flow.
    pub s_due_valid: Signal<In, Bit>,
    /// The flow.
    pub s_due_flow: Signal<In, Bits<FB>>,
    /// It is taken.
    pub m_due_taken: Signal<Out, Bit>,
    /// The rows are clear.
    pub s_clean: Signal<In, Bit>,
    /// The time.
    pub s_now: Signal<In, Bits<20>>,
    /// An operation starts.
    pub m_start: Signal<Out, Bit>,
    /// It; its flow also while it waits.
    pub m_operation: Signal<Out, Operation<FB>>,
    /// The state of a flow is written.
    pub m_end: Signal<Out, Bit>,
    /// The flow.
    pub m_end_flow: Signal<Out, Bits<FB>>,
    slot: Reg<Bits<2>>,
    due_waited: Reg<Bit>,
    waiting: Skid<Operation<FB>>,
    under_way: [Reg<Bit>; PIPE_CYCLES],
    flows: [Unreset<Bits<FB>>; PIPE_CYCLES],
    now: Signal<Local, Operation<FB>>,
    valid: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    is_pop: Signal<Local, Bit>,
    is_due: Signal<Local, Bit>,
    is_wanted: Signal<Local, Bit>,
    busy: Signal<Local, Bit>,
    start: Signal<Local, Bit>,
    flow: Signal<Local, Bits<FB>>,
    #[value(POP)]
    pop: Constant<Bits<3>>,
    #[value(WORK)]
    work: Constant<Bits<3>>,
    #[value(INFLIGHT)]
    inflight: Constant<Bits<3>>,
    #[value(RATE)]
    rate: Constant<Bits<3>>,
    #[value(DUE)]
    due: Constant<Bits<3>>,
    #[value(0)]
    pop_slot: Constant<Bits<2>>,
    #[value(2)]
    rate_slot: Constant<Bits<2>>,
}

#[kernel]
impl<const FB: usize> Logic for Intake<FB> {
    fn update(&mut self) {
        self.sinks();
        self.taken();
        self.turns();
        self.started();
    }

    /// Whose slot it is. Nothing is taken while an operation waits behind the one that waits.
    fn sinks(&mut self) {
        self.free.next = self.waiting.s.ready.val() & self.s_clean.val();
        self.s_work.ready.next = self.free.val() & self.slot.val().get_bit(0);
        self.s_rate.ready.next = self.free.val() & (self.slot.val() == self.rate_slot.val());
        self.is_pop.next = (self.slot.val() == self.pop_slot.val())
            & self.s_pop_valid.val()
            & !(self.due_waited.val() & self.s_due_valid.val());
        if self.free.val() & (self.slot.val() == self.pop_slot.val()) {
            self.due_waited.next = self.is_pop.val() & self.s_due_valid.val();
        }
    }

    /// What this cycle takes.
    fn taken(&mut self) {
        self.now.next.at = self.s_now.val();
        self.now.next.flow = self.s_due_flow.val();
        self.now.next.kind = self.due.val();
        self.now.next.code = self.s_pop_queue.val();
        self.now.next.bytes = self.s_work.inflight_bytes.val();
        self.now.next.rate = self.s_rate.rate.val();
        self.now.next.len = self.s_work.len_bytes.val();
        self.now.next.frames = self.s_work.frame_count.val();
        self.is_due.next = false;
        self.valid.next = true;
        if self.is_pop.val() {
            self.now.next.kind = self.pop.val();
            self.now.next.flow = self.s_pop_flow.val();
        } else if self.slot.val().get_bit(0) & self.s_work.valid.val() {
            self.now.next.kind = self.inflight.val();
            if self.s_work.frame_count.val().any() {
                self.now.next.kind = self.work.val();
            }
            self.now.next.flow = self.s_work.flow.val();
        } else if (self.slot.val() == self.rate_slot.val()) & self.s_rate.valid.val() {
            self.now.next.kind = self.rate.val();
            self.now.next.flow = self.s_rate.flow.val();
            self.now.next.code = bit_cast::<3, 2>(self.s_rate.op.val());
            self.now.next.bytes = self.s_rate.window_bytes.val();
        } else {
            self.is_due.next = true;
            self.valid.next = self.s_due_valid.val();
        }
        self.waiting.s.valid.next = self.valid.val() & self.s_clean.val();
        self.waiting.s.data.next = self.now.val();
        self.m_pop_taken.next = self.free.val() & self.is_pop.val();
        self.m_due_taken.next = self.free.val() & self.is_due.val() & self.valid.val();
    }

    /// The next slot. While nothing is taken only slots pass that nobody would use, and never the
    /// pop's.
    fn turns(&mut self) {
        self.is_wanted.next = (self.slot.val() == self.pop_slot.val())
            | (self.s_work.valid.val() & self.slot.val().get_bit(0))
            | (self.s_rate.valid.val() & (self.slot.val() == self.rate_slot.val()))
            | self.s_due_valid.val();
        if self.free.val() | !self.is_wanted.val() {
            self.slot.next = self.slot.val() + 1;
        }
    }

    /// The oldest starts, unless an operation of its flow is under way.
    fn started(&mut self) {
        self.flow.next = self.waiting.m.data.val().flow;
        self.busy.next = false;
        for i in 0..PIPE_CYCLES {
            if self.under_way[i].val() & (self.flows[i].val() == self.flow.val()) {
                self.busy.next = true;
            }
        }
        self.start.next = self.waiting.m.valid.val() & !self.busy.val();
        self.waiting.m.ready.next = !self.busy.val();
        self.m_start.next = self.start.val();
        self.m_operation.next = self.waiting.m.data.val();
        self.under_way[0].next = self.start.val();
        self.flows[0].next = self.flow.val();
        for i in 0..(PIPE_CYCLES - 1) {
            self.under_way[i + 1].next = self.under_way[i].val();
            self.flows[i + 1].next = self.flows[i].val();
        }
        self.m_end.next = self.under_way[6].val();
        self.m_end_flow.next = self.flows[6].val();
    }
}
