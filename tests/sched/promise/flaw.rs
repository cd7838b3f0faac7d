//! Schedulers with a flaw: what the test must find.

use super::load::HOT_FLOW;
use super::Engine;
use nic_harness::lockstep::{StepError, Stepper};
use nic_models::golden::sched::scheduler::{SchedulerIn, SchedulerOut};
use nic_models::streams::Work;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// Every 50th grant of each flow is paid for and not given.
    SkipsGrants,
    /// Every 50th grant of the hot flow comes ten frames late.
    DelaysGrants,
    /// Neighbours get each other's rates.
    SwapsRates,
    /// Windows count for nothing.
    IgnoresWindows,
}

const FLAWED_GRANT: u32 = 50;
const DELAY_CYCLES: u64 = 10 * 136;

/// A scheduler behind a flaw.
pub struct Flawed {
    inner: Box<Engine>,
    flaw: Flaw,
    cycle: u64,
    /// What the inner one says, and whether its grant is kept from the line.
    out: SchedulerOut,
    is_kept: bool,
    grants: Vec<u32>,
    /// The last work of each flow, and flows that are armed with it again.
    works: Vec<Work>,
    rearm: Vec<u16>,
    /// A grant that is on its way for longer.
    late: Option<(u64, u16)>,
}

impl Flawed {
    pub fn new(inner: Box<Engine>, flow_count: usize, flaw: Flaw) -> Self {
        let (grants, works) = (vec![0; flow_count], vec![Work::default(); flow_count]);
        let (out, rearm, late) = (SchedulerOut::default(), Vec::new(), None);
        Self { inner, flaw, cycle: 0, out, is_kept: false, grants, works, rearm, late }
    }

    /// The outputs that the line sees.
    fn shown(&mut self) -> SchedulerOut {
        let mut out = self.out;
        let flow = out.m_grant.flow;
        let is_flawed =
            out.m_grant.valid && self.grants[usize::from(flow)] % FLAWED_GRANT == FLAWED_GRANT - 1;
        self.is_kept = match self.flaw {
            Flaw::SkipsGrants => is_flawed,
            Flaw::DelaysGrants => is_flawed && usize::from(flow) == HOT_FLOW && self.late.is_none(),
            _ => false,
        };
        out.m_grant.valid &= !self.is_kept;
        if let (false, Some((at, flow))) = (out.m_grant.valid, self.late) {
            (out.m_grant.valid, out.m_grant.flow) = (at <= self.cycle, flow);
        }
        // The port is needed to arm a flow again.
        out.s_work.ready &= self.rearm.is_empty();
        out
    }

    /// Takes note of the grant that this edge takes from the inner scheduler.
    fn take(&mut self, is_taken: bool) {
        let flow = self.out.m_grant.flow;
        if !self.out.m_grant.valid && is_taken && self.late.is_some_and(|(at, _)| at <= self.cycle)
        {
            self.late = None;
        }
        if !self.out.m_grant.valid || !(is_taken || self.is_kept) {
            return;
        }
        self.grants[usize::from(flow)] += 1;
        if self.is_kept && self.flaw == Flaw::SkipsGrants {
            self.rearm.push(flow);
        } else if self.is_kept {
            self.late = Some((self.cycle + DELAY_CYCLES, flow));
        }
    }
}

impl Stepper for Flawed {
    type In = SchedulerIn;
    type Out = SchedulerOut;

    fn reset(&mut self) -> Result<SchedulerOut, StepError> {
        self.out = self.inner.reset()?;
        Ok(self.shown())
    }

    fn step(&mut self, inputs: &SchedulerIn) -> Result<SchedulerOut, StepError> {
        let mut inputs = *inputs;
        if inputs.s_work.valid && inputs.s_work.frame_count > 0 {
            self.works[usize::from(inputs.s_work.flow)] = inputs.s_work;
        }
        if let Some(flow) = self.rearm.last().copied() {
            inputs.s_work = self.works[usize::from(flow)];
            if self.out.s_work.ready {
                self.rearm.pop();
            }
        }
        match self.flaw {
            Flaw::SwapsRates => inputs.s_rate.flow ^= 1,
            Flaw::IgnoresWindows => inputs.s_work.inflight_bytes = 0,
            Flaw::SkipsGrants | Flaw::DelaysGrants => {}
        }
        self.take(inputs.m_grant.ready);
        inputs.m_grant.ready |= self.is_kept;
        self.out = self.inner.step(&inputs)?;
        self.cycle += 1;
        Ok(self.shown())
    }
}
