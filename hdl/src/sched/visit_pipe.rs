//! A visit's way from the choice of its flow to the decision, beside the flow's state and credit.
//!
//! Work that is taken after the flow's state was read is not what the visit knows: such a visit is
//! stale and grants nothing.
//!
//! # Interface timing  cycle 0: s_visit_*; cycle 1: s_is_bounced; cycle 2: s_created, s_is_queued; cycle
//!                     [`LATENCY_CYCLES`]: m_visit_*, stale by an s_work of cycles 1 to 6
//! # Latency and rate  [`LATENCY_CYCLES`], one visit per cycle
//! # Shape             flows of FB bits
//! # Reset             synchronous, high: no visit is on its way
//! # Twins             `visits` of sim/models/src/golden/sched/scheduler.rs

use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from the read of a flow's state to the decision.
pub const LATENCY_CYCLES: usize = 8;

/// Visits on their way, of flows of `FB` bits.
#[block]
pub struct VisitPipe<const FB: usize> {
    /// A flow is visited; its state is read.
    pub s_visit_valid: Signal<In, Bit>,
    /// The flow.
    pub s_visit_flow: Signal<In, Bits<FB>>,
    /// It is a call.
    pub s_visit_is_call: Signal<In, Bit>,
    /// The visit of the last cycle goes back to the ring, nothing else.
    pub s_is_bounced: Signal<In, Bit>,
    /// The flow of the visit of two cycles ago exists.
    pub s_created: Signal<In, Bit>,
    /// It is queued for the ticket, or holds it.
    pub s_is_queued: Signal<In, Bit>,
    /// Work is taken.
    pub s_work_valid: Signal<In, Bit>,
    /// Its flow.
    pub s_work_flow: Signal<In, Bits<FB>>,
    /// A visit ends.
    pub m_visit_valid: Signal<Out, Bit>,
    /// Its flow.
    pub m_visit_flow: Signal<Out, Bits<FB>>,
    /// It is a call.
    pub m_visit_is_call: Signal<Out, Bit>,
    /// It goes back to the ring, nothing else.
    pub m_visit_is_bounced: Signal<Out, Bit>,
    /// The flow exists.
    pub m_visit_created: Signal<Out, Bit>,
    /// It is queued for the ticket, or holds it.
    pub m_visit_is_queued: Signal<Out, Bit>,
    /// The flow got work after its state was read.
    pub m_visit_is_stale: Signal<Out, Bit>,
    valid: [Reg<Bit>; 8],
    is_call: [Unreset<Bit>; 8],
    flow: [Unreset<Bits<FB>>; 8],
    is_bounced: [Unreset<Bit>; 7],
    is_stale: [Unreset<Bit>; 7],
    is_hit: [Signal<Local, Bit>; 6],
    created: [Unreset<Bit>; 6],
    is_queued: [Unreset<Bit>; 6],
}

impl<const FB: usize> Logic for VisitPipe<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.valid[0].next = self.s_visit_valid.val();
        self.is_call[0].next = self.s_visit_is_call.val();
        self.flow[0].next = self.s_visit_flow.val();
        self.is_bounced[0].next = self.s_is_bounced.val();
        self.created[0].next = self.s_created.val();
        self.is_queued[0].next = self.s_is_queued.val();
        for i in 0..7 {
            self.valid[i + 1].next = self.valid[i].val();
            self.is_call[i + 1].next = self.is_call[i].val();
            self.flow[i + 1].next = self.flow[i].val();
        }
        for i in 0..6 {
            self.is_bounced[i + 1].next = self.is_bounced[i].val();
        }
        for i in 0..5 {
            self.created[i + 1].next = self.created[i].val();
            self.is_queued[i + 1].next = self.is_queued[i].val();
        }
        comment!("Work that comes after the read; that of the last cycles does not show yet.");
        for i in 0..6 {
            self.is_hit[i].next =
                self.s_work_valid.val() & (self.s_work_flow.val() == self.flow[i].val());
        }
        self.is_stale[0].next = self.is_hit[0].val();
        for i in 0..5 {
            self.is_stale[i + 1].next = self.is_stale[i].val() | self.is_hit[i + 1].val();
        }
        self.is_stale[6].next = self.is_stale[5].val();
        self.m_visit_valid.next = self.valid[7].val();
        self.m_visit_flow.next = self.flow[7].val();
        self.m_visit_is_call.next = self.is_call[7].val();
        self.m_visit_is_bounced.next = self.is_bounced[6].val();
        self.m_visit_created.next = self.created[5].val();
        self.m_visit_is_queued.next = self.is_queued[5].val();
        self.m_visit_is_stale.next = self.is_stale[6].val();
    }
}
