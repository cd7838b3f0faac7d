//! Flow scheduler: credit-based round robin, earliest deadline first among the flows that are due.
//!
//! A flow with work and an open window earns credit at its rate. Once its credit covers its work
//! it is due: it waits in a queue for its period, and of the heads of the queues the one with the
//! earliest deadline is granted, as soon as the line has room. It pays then. The time at which the
//! credit will suffice is computed, and a scan looks at these times in turn.
//! [sched.md](../../sched.md) explains it.
//!
//! # Interface timing  cycle 0: s_work taken; cycle [`LATENCY_CYCLES`]: m_grant, if the flow is due
//!                     at once and nothing else waits; 2 later if s_work was taken in the slot
//!                     before a pop's. s_work is ready every other cycle, s_rate every fourth;
//!                     both are low for 2^CB cycles after a reset (clearing)
//! # Latency and rate  a grant every 4 cycles, every 8 while the scan finds due flows at each;
//!                     operations of one flow start 8 cycles apart
//! # Shape             F = 2^FB flows, L = 2^LB lanes of the scan with 2^RB rows, CB = max(FB, 5)
//! # Number formats    rate      | UQ8.24  | bytes a cycle
//!                     credit    | UQ17.16 | bytes, see settle.rs
//!                     len_bytes | UQ14.0  | at most 8 KiB of frames, for one grant
//! # Rules             sched.md
//! # Reset             synchronous, high: no flow exists, no grant; from any content of the RAMs
//! # Twins             sim/models/src/golden/sched/scheduler.rs, tests/sched/scheduler.rs,
//!                     tests/sched/promise.rs

use crate::rows::LineRow;
use crate::sched::{intake::Intake, ledger::Ledger, line::Line, octaves::Octaves, scan::Scan};
use crate::streams::{Flow, Rate, Work};
use crate::util::skid::Skid;
use crate::{block, kernel, Reg, Wire};
use nic_spec::NicConfig;
use rust_hdl_core::prelude::*;

pub use crate::sched::settle::{CREDIT_CAP_BYTES, GAP_CYCLES};

/// From the accept of `s_work` to the grant, when the flow is due and nothing else waits; 2 more
/// in the slot before a pop's.
pub const LATENCY_CYCLES: usize = 15;

/// Scheduler of `2^FB` flows.
#[block(new(config: &NicConfig), check(AW == FB + 3 && IB == FB + 1 && CB >= FB && CB >= RB))]
pub struct Scheduler<
    const FB: usize,
    const AW: usize,
    const IB: usize,
    const CB: usize,
    const L: usize,
    const LB: usize,
    const RB: usize,
> {
    /// A flow has work, or its bytes in flight have changed.
    pub s_work: Work<In, FB>,
    /// A flow is created, removed, or gets a window and rate.
    pub s_rate: Rate<In, FB>,
    /// A flow may send its work.
    pub m_grant: Flow<Out, FB>,
    /// Register LINE.
    pub cfg_line: Signal<In, LineRow>,
    intake: Intake<FB>,
    ledger: Ledger<FB>,
    octaves: Octaves<FB, AW, IB>,
    scan: Scan<FB, L, LB, RB>,
    #[init(Line::new(config))]
    line: Line,
    is_clean: Reg<Bit>,
    clear_index: Reg<Bits<CB>>,
    now: Reg<Bits<20>>,
    pops: Reg<Bits<2>>,
    grants: Skid<Bits<FB>>,
    is_dropped: Signal<Local, Bit>,
    is_delivered: Signal<Local, Bit>,
    taken: Signal<Local, Bits<2>>,
    dropped: Signal<Local, Bits<2>>,
    delivered: Signal<Local, Bits<2>>,
    #[value((1_u64 << CB) - 1)]
    last_index: Constant<Bits<CB>>,
}

#[kernel]
impl<
        const FB: usize,
        const AW: usize,
        const IB: usize,
        const CB: usize,
        const L: usize,
        const LB: usize,
        const RB: usize,
    > Logic for Scheduler<FB, AW, IB, CB, L, LB, RB>
{
    fn update(&mut self) {
        self.starts();
        self.operations();
        self.granted();
    }

    /// Time, and the rows that are cleared after a reset.
    fn starts(&mut self) {
        self.now.next = self.now.val() + 1;
        if !self.is_clean.val() {
            self.clear_index.next = self.clear_index.val() + 1;
            self.is_clean.next = self.clear_index.val() == self.last_index.val();
        }
        self.intake.s_clean.next = self.is_clean.val();
        self.scan.s_clean.next = self.is_clean.val();
        self.scan.s_clear.next = bit_cast::<RB, CB>(self.clear_index.val());
        self.ledger.s_clear.next = !self.is_clean.val();
        self.ledger.s_clear_flow.next = bit_cast::<FB, CB>(self.clear_index.val());
        self.intake.s_now.next = self.now.val();
        self.scan.s_now.next = self.now.val();
    }

    /// What comes from outside, from the queues and from the scan goes through one pipe, and from
    /// it to queues and scan.
    fn operations(&mut self) {
        Wire::join(&mut self.s_work, &mut self.intake.s_work);
        Wire::join(&mut self.s_rate, &mut self.intake.s_rate);
        self.intake.s_pop_flow.next = self.octaves.m_flow.val();
        self.intake.s_pop_queue.next = self.octaves.m_queue.val();
        self.octaves.s_pop.next = self.intake.m_pop_taken.val();
        self.intake.s_due_valid.next = self.scan.m_valid.val();
        self.intake.s_due_flow.next = self.scan.m_flow.val();
        self.scan.s_taken.next = self.intake.m_due_taken.val();
        self.ledger.s_start.next = self.intake.m_start.val();
        self.ledger.s_operation.next = self.intake.m_operation.val();
        self.ledger.s_end.next = self.intake.m_end.val();
        self.ledger.s_end_flow.next = self.intake.m_end_flow.val();
        self.octaves.s_push.next = self.ledger.m_push.val();
        self.octaves.s_push_flow.next = self.intake.m_end_flow.val();
        self.octaves.s_push_queue.next = self.ledger.m_push_queue.val();
        self.octaves.s_time.next = self.line.m_time.val();
        self.scan.s_write.next = self.ledger.m_write.val();
        self.scan.s_write_flow.next = self.ledger.m_write_flow.val();
        self.scan.s_due.next = self.ledger.m_due.val();
        self.line.cfg_line.next = self.cfg_line.val();
        self.ledger.s_line_log2.next = self.line.m_rate_log2.val();
        self.ledger.s_overhead_bytes.next = self.line.m_overhead_bytes.val();
    }

    /// A pop if the line has room, and less than two are on their way to their grant or past it to
    /// who takes that.
    fn granted(&mut self) {
        self.intake.s_pop_valid.next =
            self.octaves.m_valid.val() & self.line.m_free.val() & !self.pops.val().get_bit(1);
        self.grants.s.valid.next = self.ledger.m_grant.val();
        self.grants.s.data.next = self.ledger.m_grant_flow.val();
        self.grants.m.ready.next = self.m_grant.ready.val();
        self.m_grant.valid.next = self.grants.m.valid.val();
        self.m_grant.flow.next = self.grants.m.data.val();
        self.is_dropped.next = self.ledger.m_popped.val() & !self.ledger.m_grant.val();
        self.is_delivered.next = self.grants.m.valid.val() & self.m_grant.ready.val();
        self.taken.next = bit_cast::<2, 1>(self.intake.m_pop_taken.val().into());
        self.dropped.next = bit_cast::<2, 1>(self.is_dropped.val().into());
        self.delivered.next = bit_cast::<2, 1>(self.is_delivered.val().into());
        self.pops.next =
            self.pops.val() + self.taken.val() - self.dropped.val() - self.delivered.val();
        self.line.s_grant.next = self.ledger.m_grant.val();
        self.line.s_bytes.next = self.ledger.m_grant_bytes.val();
    }
}
