//! The rule itself, without time, pipes or number formats: a flow is due when its credit covers
//! its arm, and flows that are due go earliest deadline first. It keeps the promise, so the test
//! can be passed, and what breaks it here is a flaw that was put in.

use super::load::{Arm, Case, Line, Load};
use nic_harness::lockstep::{StepError, Stepper};
use nic_models::golden::sched::scheduler::{SchedulerIn, SchedulerOut};
use nic_models::streams::{self, ReadyPort};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The line may have this much to send when the next flow is granted. With 1100 a hot flow of short
/// arms loses packets: two wait in front of the line, so a third is not taken, the flow not armed
/// again, and a long frame of another flow goes instead.
const LEAD_BYTES: f64 = 600.0;
/// A flow that is armed again within this time has had work all the while.
const GAP_CYCLES: u64 = 64;

#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    /// Bytes a cycle.
    rate: f64,
    credit: f64,
    settled_at: u64,
    granted_at: u64,
    is_armed: bool,
    is_open: bool,
    window_bytes: u32,
    /// Entries of the queues with another number are old.
    version: u32,
}

/// Times, flows and their versions.
type Queue = BinaryHeap<Reverse<(i64, u16, u32)>>;

/// A scheduler with the ports of the hardware's. Its line and its arms come from the case.
pub struct RuleModel {
    line: Line,
    arms: Vec<Arm>,
    flows: Vec<Flow>,
    /// By due time.
    waiting: Queue,
    /// By deadline.
    due: Queue,
    cycle: u64,
    line_free_at: f64,
    grant: Option<u16>,
}

impl RuleModel {
    pub fn new(case: &Case) -> Self {
        let arms = Load::new(case).arms;
        let phase = |flow: usize| 0.618 * flow as f64 % 1.0 * f64::from(arms[flow].len_bytes);
        let flow = |id: usize| Flow { credit: phase(id), ..Flow::default() };
        let flows = (0..case.flow_count).map(flow).collect();
        let (waiting, due) = (Queue::new(), Queue::new());
        let (line, cycle, line_free_at, grant) = (case.line, 0, 0.0, None);
        Self { line, arms, flows, waiting, due, cycle, line_free_at, grant }
    }

    fn len_bytes(&self, flow: u16) -> f64 {
        f64::from(self.arms[usize::from(flow)].len_bytes)
    }

    /// Adds what a flow has earned up to now.
    fn settle(&mut self, id: u16) {
        let (cycle, len_bytes) = (self.cycle, self.len_bytes(id));
        let flow = &mut self.flows[usize::from(id)];
        let earned = flow.rate * (cycle - flow.settled_at) as f64;
        let is_gap = !flow.is_armed && cycle - flow.granted_at <= GAP_CYCLES;
        flow.credit = if flow.is_open && (flow.is_armed || is_gap) {
            flow.credit + earned
        } else {
            flow.credit.max((flow.credit + earned).min(len_bytes))
        };
        flow.settled_at = cycle;
    }

    /// Queues a flow anew after an event.
    fn plan(&mut self, id: u16) {
        let (cycle, len_bytes) = (self.cycle, self.len_bytes(id));
        let flow = &mut self.flows[usize::from(id)];
        flow.version += 1;
        if !flow.is_armed || !flow.is_open || flow.rate == 0.0 {
            return;
        }
        // In the past where the flow is armed, or its window open, later than its credit sufficed.
        let due_at = cycle as i64 + ((len_bytes - flow.credit) / flow.rate).ceil() as i64;
        self.waiting.push(Reverse((due_at, id, flow.version)));
    }

    fn accept(&mut self, i: &SchedulerIn) {
        if i.s_work.valid {
            self.settle(i.s_work.flow);
            let flow = &mut self.flows[usize::from(i.s_work.flow)];
            flow.is_open = i.s_work.inflight_bytes < flow.window_bytes;
            flow.is_armed = true;
            self.plan(i.s_work.flow);
        }
        if i.s_inflight.valid {
            self.settle(i.s_inflight.flow);
            let flow = &mut self.flows[usize::from(i.s_inflight.flow)];
            flow.is_open = i.s_inflight.inflight_bytes < flow.window_bytes;
            self.plan(i.s_inflight.flow);
        }
        if i.s_rate.valid {
            self.settle(i.s_rate.flow);
            let flow = &mut self.flows[usize::from(i.s_rate.flow)];
            flow.rate = f64::from(i.s_rate.rate) / f64::from(1 << 24);
            flow.window_bytes = i.s_rate.window_bytes;
            self.plan(i.s_rate.flow);
        }
    }

    fn is_old(&self, id: u16, version: u32) -> bool {
        self.flows[usize::from(id)].version != version
    }

    /// Moves flows whose time has come to the queue of those that are due.
    fn move_due(&mut self) {
        while self.waiting.peek().is_some_and(|Reverse((at, ..))| *at <= self.cycle as i64) {
            let Reverse((at, id, version)) = self.waiting.pop().expect("one was there");
            if !self.is_old(id, version) {
                let period = self.len_bytes(id) / self.flows[usize::from(id)].rate;
                self.due.push(Reverse((at + period as i64, id, version)));
            }
        }
    }

    fn choose(&mut self) {
        let ahead = (self.line_free_at - self.cycle as f64) * self.line.rate();
        if self.grant.is_some() || ahead > LEAD_BYTES {
            return;
        }
        while let Some(Reverse((_, id, version))) = self.due.pop() {
            if self.is_old(id, version) {
                continue;
            }
            self.settle(id);
            let (cycle, len_bytes) = (self.cycle, self.len_bytes(id));
            let flow = &mut self.flows[usize::from(id)];
            flow.credit -= len_bytes;
            (flow.is_armed, flow.granted_at) = (false, cycle);
            flow.version += 1;
            let cycles = self.line.cycles(self.arms[usize::from(id)]);
            self.line_free_at = self.line_free_at.max(cycle as f64) + cycles;
            self.grant = Some(id);
            return;
        }
    }
}

impl Stepper for RuleModel {
    type In = SchedulerIn;
    type Out = SchedulerOut;

    fn reset(&mut self) -> Result<SchedulerOut, StepError> {
        Ok(self.out())
    }

    fn step(&mut self, inputs: &SchedulerIn) -> Result<SchedulerOut, StepError> {
        if inputs.m_grant.ready {
            self.grant = None;
        }
        self.accept(inputs);
        self.move_due();
        self.choose();
        self.cycle += 1;
        Ok(self.out())
    }
}

impl RuleModel {
    fn out(&self) -> SchedulerOut {
        let ready = ReadyPort { ready: true };
        let (valid, flow) = (self.grant.is_some(), self.grant.unwrap_or(0));
        let m_grant = streams::Flow { valid, flow };
        SchedulerOut { s_work: ready, s_inflight: ready, s_rate: ready, m_grant }
    }
}
