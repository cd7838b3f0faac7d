//! Flows that have sent a telemetry response and must wait: oldest first, one timer compare.
//!
//! The interval is the same for all flows, so they fall due in the order in which they began to
//! wait, and only the oldest has to be looked at.
//!
//! # Interface timing  cycle 0: s_valid; cycle 4 at the earliest: m_valid, m_flow, until m_take
//! # Shape             holds 2^FB flows; RB = FB + 24, CW = FB + 1
//! # Number formats    cycle counter, age | UQ24.0 | modulo 2^24
//! # Reset             synchronous, high: nobody waits, counter 0
//! # Twins             part of sim/models/src/golden/transport/feedback/output.rs,
//!                     tests/transport/feedback_out.rs

use crate::util::fifo::Fifo;
use crate::{block, row, Reg};
use rust_hdl_core::prelude::*;

/// A flow, and when it came.
#[row]
struct DueRow<const FB: usize> {
    came: Bits<24>, // Cycle
    flow: Bits<FB>, // Flow
}

/// Queue of waiting flows.
#[block]
pub struct FeedbackDue<const FB: usize, const RB: usize, const CW: usize> {
    /// A flow begins to wait.
    pub s_valid: Signal<In, Bit>,
    /// The flow.
    pub s_flow: Signal<In, Bits<FB>>,
    /// So long it must, cycles.
    pub interval: Signal<In, Bits<20>>,
    /// Two cycles ago a flow had waited so long.
    pub m_valid: Signal<Out, Bit>,
    /// The oldest.
    pub m_flow: Signal<Out, Bits<FB>>,
    /// It waits no longer.
    pub m_take: Signal<In, Bit>,
    ring: Fifo<DueRow<FB>, FB, CW>,
    now: Reg<Bits<24>>,
    stands: Reg<Bit>,
    age: Reg<Bits<24>>,
    is_due: Reg<Bit>,
    wide: Signal<Local, Bits<RB>>,
    placed: Signal<Local, Bits<RB>>,
}

impl<const FB: usize, const RB: usize, const CW: usize> Logic for FeedbackDue<FB, RB, CW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.now.next = self.now.val() + 1;
        self.wide.next = bit_cast::<RB, FB>(self.s_flow.val());
        self.placed.next = self.wide.val() << 24;
        self.ring.s.valid.next = self.s_valid.val();
        self.ring.s.data.next = (bit_cast::<RB, 24>(self.now.val()) | self.placed.val()).into();
        self.ring.m.ready.next = self.m_take.val();
        self.stands.next = self.ring.m.valid.val() & !self.m_take.val();
        self.age.next = self.now.val() - self.ring.m.data.val().came;
        self.is_due.next = self.stands.val()
            & !self.m_take.val()
            & (self.age.val() >= bit_cast::<24, 20>(self.interval.val()));
        self.m_flow.next = self.ring.m.data.val().flow;
        self.m_valid.next = self.is_due.val();
    }
}
