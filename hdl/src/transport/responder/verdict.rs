//! Third stage of the responder: a request against its memory region, and what becomes of it.
//!
//! # Source            InfiniBand architecture volume 1, sections 9.7.4.1.5 (rkey), 9.7.4.5
//!                     (duplicates); hdl/transport.md
//! # Interface timing  cycle 0: step, s_; cycle 2 at the earliest, with the next step: m_, the
//!                     verdict, marks_write
//! # Latency and rate  one request a step. A request of the same flow as the one before takes its
//!                     marks from here instead of from the table
//! # Number formats    addresses | 64 bits; ends | 65 bits
//! # Rules             no queue pair, then PSN, then form (NAK invalid), then right (NAK access),
//!                     then completion room (RNR NAK)
//! # Reset             synchronous, high: m_valid = 0
//! # Twins             sim/models/src/golden/transport/responder.rs, tests/transport/responder.rs

use crate::transport::responder::{
    sequence::Judged,
    tables::{Marks, RegionRow},
};
use crate::{block, kernel, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// What becomes of a request: one of these, and `again` beside `duplicate`.
#[row]
pub struct Verdict {
    /// No such queue pair, or it is in error.
    pub no_qp: Bit,
    /// Behind the expected PSN.
    pub duplicate: Bit,
    /// A READ that is answered again.
    pub again: Bit,
    /// Ahead of the expected PSN.
    pub ahead: Bit,
    /// Invalid request.
    pub invalid: Bit,
    /// No right to write or read there.
    pub access: Bit,
    /// No completion room.
    pub not_ready: Bit,
    /// Accepted.
    pub accept: Bit,
    /// The flow has been told of a gap or of lack of room.
    pub was_told: Bit,
}

/// Verdict on requests.
#[block(mealy)]
pub struct RespVerdict<const FB: usize> {
    /// The stages move on.
    pub step: Signal<In, Bit>,
    /// And the request here leaves.
    pub issue: Signal<In, Bit>,
    /// A request comes.
    pub s_valid: Signal<In, Bit>,
    /// Its flow.
    pub s_flow: Signal<In, Bits<FB>>,
    /// What is known of it.
    pub s_judged: Signal<In, Judged>,
    /// Its memory region.
    pub s_region: Signal<In, RegionRow>,
    /// Marks of its flow in the table.
    pub s_marks: Signal<In, Marks>,
    /// A request is here.
    pub m_valid: Signal<Out, Bit>,
    /// Its flow.
    pub flow: Signal<Out, Bits<FB>>,
    /// It will make a completion, if its region is right.
    pub promises: Signal<Out, Bit>,
    /// What is known of it.
    pub m_judged: Signal<Out, Judged>,
    /// Host address of its first byte; 0 when it has none.
    pub m_addr: Signal<Out, Bits<64>>,
    /// The verdict.
    pub m_verdict: Signal<Out, Verdict>,
    /// Store the flow's marks.
    pub marks_write: Signal<Out, Bit>,
    /// The marks.
    pub new_marks: Signal<Out, Marks>,
    valid: Reg<Bit>,
    flow_q: Unreset<Bits<FB>>,
    judged: Unreset<Judged>,
    region: Unreset<RegionRow>,
    marks: Unreset<Marks>,
    same: Unreset<Bit>,
    has_key: Unreset<Bit>,
    is_below: Unreset<Bit>,
    is_beyond: Unreset<Bit>,
    address: Unreset<Bits<64>>,
    va: Signal<Local, Bits<64>>,
    region_va: Signal<Local, Bits<64>>,
    region_delta: Signal<Local, Bits<64>>,
    end_va: Signal<Local, Bits<65>>,
    region_end: Signal<Local, Bits<65>>,
    is_right: Signal<Local, Bit>,
    known: Signal<Local, Bit>,
    fit: Signal<Local, Bit>,
    good: Signal<Local, Bit>,
    verdict: Signal<Local, Verdict>,
    after: Signal<Local, Marks>,
    arrives: Signal<Local, Marks>,
    closes: Signal<Local, Bit>,
    tells: Signal<Local, Bit>,
}

#[kernel]
impl<const FB: usize> RespVerdict<FB> {
    fn update(&mut self) {
        self.compare();
        self.decide();
        self.mark();
        self.arrive();
        self.outputs();
    }

    /// Behind the step: the request beside its region.
    fn compare(&mut self) {
        self.va.next = self.judged.val().va;
        self.end_va.next = self.judged.val().end_va;
        self.region_va.next = self.region.val().va;
        self.region_end.next = self.region.val().end_va;
        self.region_delta.next = self.region.val().delta;
        self.is_right.next = self.region.val().remote_write;
        if self.judged.val().is_read {
            self.is_right.next = self.region.val().remote_read;
        }
        self.has_key.next = self.region.val().valid
            & self.is_right.val()
            & (self.region.val().rkey == self.judged.val().rkey);
        self.is_below.next = self.va.val() < self.region_va.val();
        self.is_beyond.next = self.end_va.val() > self.region_end.val();
        self.address.next = self.va.val() + self.region_delta.val();
        if self.judged.val().is_empty {
            self.address.next = 0.into();
        }
        self.same.next = self.s_flow.val() == self.flow_q.val();
    }

    /// With the next step.
    fn decide(&mut self) {
        self.known.next = self.judged.val().is_known & !self.marks.val().closed;
        self.good.next = self.judged.val().is_empty
            | (self.has_key.val() & !self.is_below.val() & !self.is_beyond.val());
        self.fit.next = self.known.val() & self.judged.val().in_order & self.judged.val().is_sound;
        self.verdict.next.no_qp = !self.known.val();
        self.verdict.next.duplicate = self.known.val() & self.judged.val().is_behind;
        self.verdict.next.again = self.known.val()
            & self.judged.val().is_behind
            & self.judged.val().may_repeat
            & self.good.val();
        self.verdict.next.ahead =
            self.known.val() & !self.judged.val().in_order & !self.judged.val().is_behind;
        self.verdict.next.invalid =
            self.known.val() & self.judged.val().in_order & !self.judged.val().is_sound;
        self.verdict.next.access = self.fit.val() & !self.good.val();
        self.verdict.next.not_ready =
            self.fit.val() & self.good.val() & !self.judged.val().has_room;
        self.verdict.next.accept = self.fit.val() & self.good.val() & self.judged.val().has_room;
        self.verdict.next.was_told = self.marks.val().nak_sent;
    }

    /// A flow in error stays so; a gap is told of once.
    fn mark(&mut self) {
        self.closes.next = self.verdict.val().invalid | self.verdict.val().access;
        self.tells.next = self.verdict.val().ahead | self.verdict.val().not_ready;
        self.after.next = self.marks.val();
        if self.closes.val() {
            self.after.next.closed = true;
        }
        if self.tells.val() {
            self.after.next.nak_sent = true;
        }
        if self.verdict.val().accept {
            self.after.next.nak_sent = false;
        }
        self.marks_write.next = self.issue.val() & self.known.val();
        self.new_marks.next = self.after.val();
    }

    /// The next request comes, with the newest marks.
    fn arrive(&mut self) {
        self.arrives.next = self.s_marks.val();
        if self.valid.val() & self.known.val() & self.same.val() {
            self.arrives.next = self.after.val();
        }
        if self.step.val() {
            self.valid.next = self.s_valid.val();
            self.flow_q.next = self.s_flow.val();
            self.judged.next = self.s_judged.val();
            self.region.next = self.s_region.val();
            self.marks.next = self.arrives.val();
        }
    }

    fn outputs(&mut self) {
        self.m_valid.next = self.valid.val();
        self.flow.next = self.flow_q.val();
        self.promises.next = self.valid.val()
            & self.judged.val().is_known
            & self.judged.val().has_imm
            & self.judged.val().in_order
            & self.judged.val().is_sound
            & self.judged.val().has_room;
        self.m_judged.next = self.judged.val();
        self.m_addr.next = self.address.val();
        self.m_verdict.next = self.verdict.val();
    }
}
