//! What is known of each flow, and what an operation makes of it.
//!
//! Each operation settles its flow's credit at the rate until now, applies itself, and then either
//! queues the flow, if it is due, or writes down when it will be.
//!
//! # Interface timing  cycle 0: s_start, s_operation; cycle 2: m_grant, m_popped; cycle 7: s_end,
//!                     m_push, and the state is written; cycle 11: m_write
//! # Latency and rate  [`LATENCY_CYCLES`]; one operation a cycle, of a flow one every 8
//! # Shape             2^FB flows
//! # Number formats    operation.rs, settle.rs, due_time.rs
//! # Rules             With nothing in flight a window is open, else while the bytes in flight are
//!                     below it. A create starts with a credit of 0, a remove drops the work. Work
//!                     of a flow that has work replaces it
//! # Reset             synchronous, high: no operation is under way; rows are cleared by s_clear
//! # Twins             `finish` of sim/models/src/golden/sched/scheduler.rs

use crate::sched::due_time::DueTime;
use crate::sched::intake::PIPE_CYCLES;
use crate::sched::operation::{FlowRow, Operation, INFLIGHT, POP, RATE, WORK};
use crate::sched::scan::DueRow;
use crate::sched::settle::Settle;
use crate::util::{delay::Delay, mul_pipe::MulPipe, ram::Ram};
use crate::{block, kernel, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// From an operation to what the scan is told.
pub const LATENCY_CYCLES: usize = PIPE_CYCLES + 4;

/// State of `2^FB` flows.
#[block(mealy)]
pub struct Ledger<const FB: usize> {
    /// An operation starts.
    pub s_start: Signal<In, Bit>,
    /// It; its flow is that of the row that is read.
    pub s_operation: Signal<In, Operation<FB>>,
    /// The operation of `PIPE_CYCLES` before ends.
    pub s_end: Signal<In, Bit>,
    /// Its flow.
    pub s_end_flow: Signal<In, Bits<FB>>,
    /// The rows are cleared.
    pub s_clear: Signal<In, Bit>,
    /// The row to clear.
    pub s_clear_flow: Signal<In, Bits<FB>>,
    /// Logarithm of the line's rate.
    pub s_line_log2: Signal<In, Bits<4>>,
    /// What a frame takes beside its bytes.
    pub s_overhead_bytes: Signal<In, Bits<8>>,
    /// A pop has come to its flow.
    pub m_popped: Signal<Out, Bit>,
    /// It is granted.
    pub m_grant: Signal<Out, Bit>,
    /// The flow.
    pub m_grant_flow: Signal<Out, Bits<FB>>,
    /// What its work takes of the line, bytes.
    pub m_grant_bytes: Signal<Out, Bits<16>>,
    /// A flow is due.
    pub m_push: Signal<Out, Bit>,
    /// Its queue.
    pub m_push_queue: Signal<Out, Bits<3>>,
    /// A flow waits for credit, or does not.
    pub m_write: Signal<Out, Bit>,
    /// The flow.
    pub m_write_flow: Signal<Out, Bits<FB>>,
    /// Until when.
    pub m_due: Signal<Out, DueRow>,
    rows: Ram<FB, FlowRow>,
    overhead: MulPipe<7, 8, 15>,
    settle: Settle,
    due_time: DueTime,
    changed: Delay<FlowRow, 4>,
    write_flows: Delay<Bits<FB>, 4>,
    start_1: Reg<Bit>,
    start_2: Reg<Bit>,
    operation_1: Unreset<Operation<FB>>,
    operation_2: Unreset<Operation<FB>>,
    row_2: Unreset<FlowRow>,
    row_3: Unreset<FlowRow>,
    rate_3: Unreset<Bits<32>>,
    elapsed_3: Unreset<Bits<20>>,
    earns_3: Unreset<Bit>,
    rearms_3: Unreset<Bit>,
    units_3: Unreset<Bits<16>>,
    writes: [Reg<Bit>; 4],
    waits: [Unreset<Bit>; 4],
    is_pop: Signal<Local, Bit>,
    is_work: Signal<Local, Bit>,
    grant: Signal<Local, Bit>,
    credit: Signal<Local, Bits<17>>,
    credit_less: Signal<Local, Bits<17>>,
    credit_part: Signal<Local, Bits<33>>,
    credit_up: Signal<Local, Bits<33>>,
    credit_low: Signal<Local, Bits<33>>,
    len_wide: Signal<Local, Bits<16>>,
    at_units: Signal<Local, Bits<16>>,
    below: Signal<Local, Bits<8>>,
    own: Signal<Local, Bits<8>>,
    popped: Signal<Local, Bits<8>>,
    kept: Signal<Local, Bits<8>>,
    ahead: Signal<Local, Bits<8>>,
    can: Signal<Local, Bit>,
    due: Signal<Local, Bit>,
    push: Signal<Local, Bit>,
    ended: Signal<Local, FlowRow>,
    cleared: Signal<Local, FlowRow>,
    #[value(POP)]
    pop: Constant<Bits<3>>,
    #[value(WORK)]
    work: Constant<Bits<3>>,
    #[value(INFLIGHT)]
    inflight: Constant<Bits<3>>,
    #[value(RATE)]
    rate: Constant<Bits<3>>,
    #[value(1)]
    create: Constant<Bits<3>>,
    #[value(2)]
    remove: Constant<Bits<3>>,
    #[value(0)]
    nothing: Constant<Bits<32>>,
    #[value(0xffff)]
    fraction: Constant<Bits<33>>,
    #[value(1)]
    one: Constant<Bits<8>>,
    #[value(0xff)]
    all: Constant<Bits<8>>,
}

#[kernel]
impl<const FB: usize> Logic for Ledger<FB> {
    fn update(&mut self) {
        self.reads();
        self.applies();
        self.settles();
        self.ends();
        self.tells();
    }

    /// 0 to 2: the row, through two registers.
    fn reads(&mut self) {
        self.rows.read_enable.next = self.s_start.val();
        self.rows.read_address.next = self.s_operation.val().flow;
        self.row_2.next = self.rows.read_data.val();
        self.start_1.next = self.s_start.val();
        self.start_2.next = self.start_1.val();
        self.operation_1.next = self.s_operation.val();
        self.operation_2.next = self.operation_1.val();
        self.overhead.a.next = self.operation_1.val().frames;
        self.overhead.b.next = self.s_overhead_bytes.val();
    }

    /// 2: a pop grants who is due; the operation applies itself.
    fn applies(&mut self) {
        self.is_pop.next = self.operation_2.val().kind == self.pop.val();
        self.is_work.next = self.operation_2.val().kind == self.work.val();
        self.m_popped.next = self.start_2.val() & self.is_pop.val();
        self.grant.next = self.is_pop.val() & self.row_2.val().due;
        self.m_grant.next = self.start_2.val() & self.grant.val();
        self.m_grant_flow.next = self.operation_2.val().flow;
        self.m_grant_bytes.next = self.row_2.val().line;
        self.row_3.next = self.row_2.val();
        self.row_3.next.at = self.operation_2.val().at;
        self.rate_3.next = self.row_2.val().rate;
        self.elapsed_3.next = self.operation_2.val().at - self.row_2.val().at;
        self.earns_3.next = self.row_2.val().armed & self.row_2.val().open;
        self.rearms_3.next = self.row_2.val().open & self.is_work.val();
        self.at_units.next = self.operation_2.val().at.get_bits::<16>(4);
        self.units_3.next = self.at_units.val() + 1;
        self.credit.next = self.row_2.val().credit.get_bits::<17>(16);
        self.credit_less.next = self.credit.val() - bit_cast::<17, 14>(self.row_2.val().len);
        self.credit_part.next = bit_cast::<33, 17>(self.credit_less.val());
        self.credit_up.next = self.credit_part.val() << 16;
        self.credit_low.next = self.row_2.val().credit & self.fraction.val();
        self.len_wide.next = bit_cast::<16, 14>(self.operation_2.val().len);
        self.popped.next = 0.into();
        if self.is_pop.val() {
            self.popped.next = self.one.val() << self.operation_2.val().code;
            if self.row_2.val().due {
                self.row_3.next.armed = false;
                self.row_3.next.credit = self.credit_up.val() | self.credit_low.val();
            }
        }
        self.row_3.next.queued = self.row_2.val().queued & !self.popped.val();
        if self.is_work.val() {
            self.row_3.next.armed = true;
            self.row_3.next.len = self.operation_2.val().len;
            self.row_3.next.line = self.len_wide.val() + bit_cast::<16, 15>(self.overhead.p.val());
            self.row_3.next.inflight = self.operation_2.val().bytes;
        }
        if self.operation_2.val().kind == self.inflight.val() {
            self.row_3.next.inflight = self.operation_2.val().bytes;
        }
        if self.operation_2.val().kind == self.rate.val() {
            self.row_3.next.window = self.operation_2.val().bytes;
            self.row_3.next.rate = self.operation_2.val().rate;
            if self.operation_2.val().code == self.create.val() {
                self.row_3.next.created = true;
                self.row_3.next.credit = 0.into();
                self.rate_3.next = 0.into();
            }
            if self.operation_2.val().code == self.remove.val() {
                self.row_3.next.created = false;
                self.row_3.next.armed = false;
            }
        }
    }

    /// 3 to 7: the credit, and the window.
    fn settles(&mut self) {
        self.settle.s_rate.next = self.rate_3.val();
        self.settle.s_elapsed.next = self.elapsed_3.val();
        self.settle.s_credit.next = self.row_3.val().credit;
        self.settle.s_earns.next = self.earns_3.val();
        self.settle.s_rearms.next = self.rearms_3.val();
        self.settle.s_len.next = self.row_3.val().len;
        self.due_time.s_rate.next = self.row_3.val().rate;
        self.due_time.s_len.next = self.row_3.val().len;
        self.due_time.s_at.next = self.units_3.val();
        self.due_time.s_line_log2.next = self.s_line_log2.val();
        self.changed.d.next = self.row_3.val();
        self.changed.d.next.open = (self.row_3.val().inflight == self.nothing.val())
            | (self.row_3.val().inflight < self.row_3.val().window);
    }

    /// 7: the new state, and the queue of a flow that is due and in none that is as fast.
    fn ends(&mut self) {
        self.own.next = self.one.val() << self.due_time.m_queue.val();
        self.below.next = self.all.val() >> !self.due_time.m_queue.val();
        self.kept.next = self.changed.q.val().queued;
        self.ahead.next = self.kept.val() & self.below.val();
        self.can.next =
            self.changed.q.val().created & self.changed.q.val().armed & self.changed.q.val().open;
        self.due.next = self.can.val() & self.settle.m_covers.val();
        self.push.next = self.due.val() & !self.ahead.val().any();
        self.m_push.next = self.s_end.val() & self.push.val();
        self.m_push_queue.next = self.due_time.m_queue.val();
        self.ended.next = self.changed.q.val();
        self.ended.next.credit = self.settle.m_credit.val();
        self.ended.next.due = self.due.val();
        if self.push.val() {
            self.ended.next.queued = self.kept.val() | self.own.val();
        }
        self.cleared.next = 0.into();
        self.rows.write_enable.next = self.s_end.val() | self.s_clear.val();
        self.rows.write_address.next = self.s_end_flow.val();
        self.rows.write_data.next = self.ended.val();
        if self.s_clear.val() {
            self.rows.write_address.next = self.s_clear_flow.val();
            self.rows.write_data.next = self.cleared.val();
        }
    }

    /// 7 to 11: until when a flow waits that has work and an open window.
    fn tells(&mut self) {
        self.due_time.s_rest.next = self.settle.m_rest.val();
        self.writes[0].next = self.s_end.val();
        self.waits[0].next = self.can.val() & !self.due.val();
        for i in 0..3 {
            self.writes[i + 1].next = self.writes[i].val();
            self.waits[i + 1].next = self.waits[i].val();
        }
        self.write_flows.d.next = self.s_end_flow.val();
        self.m_write.next = self.writes[3].val();
        self.m_write_flow.next = self.write_flows.q.val();
        self.m_due.next.waits = self.waits[3].val();
        self.m_due.next.time = self.due_time.m_time.val();
    }
}
