//! Twin of `hdl/src/sched/scheduler.rs`, the flow scheduler.
//!
//! A flow with work and an open window earns credit at its rate, and is due once its credit covers
//! what it has armed. What happens to a flow is an operation; one pipe takes them one after the
//! other and owns all that is known of the flows. Each operation settles the flow's credit, applies
//! itself, and then either queues the flow, if it is due, or writes down when it will be.

use super::octaves::{Entry, Octaves, LINE_TIME_BITS};
use super::scan::Scan;
use crate::golden::util::skid::Skid;
use crate::ports::Golden;
use crate::starts::{Starts, SOON_CYCLES};
use crate::streams::{self, Rate, ReadyPort, Work};
use nic_spec::NicConfig;

/// Credit of a flow that has work and an open window is at most this.
pub const CREDIT_CAP_BYTES: u64 = 1 << 16;
/// Work that comes so soon after a flow's last operation counts as if it had been there.
pub const GAP_CYCLES: u32 = 128;
/// Grants wait while the line has so many bytes to carry.
pub const LEAD_BYTES: u32 = 1024;
/// Pops on their way to their grant, and grants that nobody has taken, together.
const POPS_MAX: usize = 2;
/// From the accept of `s_work` to the grant, when the flow is due at once and nothing else waits;
/// 2 more in the slot before a pop's.
pub const LATENCY_CYCLES: usize = 15;

/// Rows are cleared for so many cycles at least.
const CLEAR_CYCLES_MIN: usize = 32;
/// `op` of `s_rate`.
const OP_CREATE: u8 = 1;
/// `op` of `s_rate`.
const OP_REMOVE: u8 = 2;
/// From the start of an operation to the end: the flow's state is written.
const PIPE_CYCLES: usize = 7;
/// From the start of a pop to its grant.
const GRANT_AGE: usize = 2;
/// From the end of an operation to the write of the time at which the flow will be due.
const DUE_CYCLES: usize = 4;
/// How long before its end an operation sees the line's overhead, and its rate.
const OVERHEAD_AGE: usize = 6;
const QUEUE_AGE: usize = 4;
/// Bits of the fraction of a credit.
const CREDIT_FRACTION: u32 = 16;
/// Time is counted in so many bits of cycles.
pub(super) const TIME_BITS: u32 = 20;
/// Due times are in units of 2^4 cycles.
pub(super) const DUE_UNIT_BITS: u32 = 4;
/// A flow that will be due later is looked at again after so many units.
const HORIZON_UNITS: u64 = (1 << 15) - (1 << 8);

crate::ports! {
    /// Inputs of the scheduler.
    pub struct SchedulerIn {
        pub reset: bool,
        pub s_work: Work,
        pub s_rate: Rate,
        pub m_grant: ReadyPort,
        pub cfg_line: u32,
    }
}
crate::ports! {
    /// Outputs of the scheduler.
    pub struct SchedulerOut {
        pub s_work: ReadyPort,
        pub s_rate: ReadyPort,
        pub m_grant: streams::Flow,
    }
}

/// What the line carries, as register LINE says it.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    /// UQ8.8 bytes a cycle.
    rate: u16,
    /// What a frame takes beside its bytes.
    overhead_bytes: u8,
}

impl Line {
    /// Without a rate it carries a beat a cycle.
    fn new(cfg_line: u32, beat_bytes: usize) -> Self {
        let rate = match cfg_line as u16 {
            0 => (beat_bytes << 8) as u16,
            rate => rate,
        };
        Self { rate, overhead_bytes: (cfg_line >> 16) as u8 }
    }
}

/// What is known of a flow.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    created: bool,
    /// It has work.
    pub armed: bool,
    /// Its window is open.
    pub open: bool,
    /// It has work, an open window, and credit for it.
    pub due: bool,
    /// Queues in which it has an entry.
    queued: u32,
    len_bytes: u16,
    /// What its work takes of the line, overhead included.
    line_bytes: u16,
    inflight_bytes: u32,
    window_bytes: u32,
    /// UQ8.24 bytes a cycle.
    rate: u32,
    /// UQ17.16 bytes.
    credit: u64,
    /// Up to when the credit is settled.
    settled_at: u32,
}

/// What happens to a flow.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// It is at the head of this queue, and the line has room.
    Pop(usize),
    Work(Work),
    /// Its bytes in flight.
    InFlight(u32),
    Rate(Rate),
    /// The time has come that was written down.
    Due,
}

#[derive(Clone, Copy, Debug)]
struct Operation {
    kind: Kind,
    flow: u16,
    /// The cycle in which it was taken: the flow's credit is settled up to here.
    at: u32,
}

/// The scheduler.
#[derive(Clone, Debug, Default)]
pub struct Scheduler {
    flows: Vec<Flow>,
    beat_bytes: usize,
    /// Rows to be cleared after a reset; nothing is taken before the last.
    to_clear: usize,
    now: u32,
    /// Whose slot it is: pop, work, rate, work.
    slot: u8,
    /// Operations that wait for those of their flow before them.
    head: Option<Operation>,
    spare: Option<Operation>,
    /// Operations under way, youngest first.
    pipe: [Option<Operation>; PIPE_CYCLES],
    /// Pops whose flow has not been granted, and grants that stand.
    pops: usize,
    /// The last pop went before a due flow.
    due_waited: bool,
    scan: Scan,
    /// Times on their way to the scan, youngest first: flow and when it is due.
    due_writes: [Option<(u16, Option<u16>)>; DUE_CYCLES],
    octaves: Octaves,
    /// What the line carries, as it was known in the last cycles, youngest first.
    lines: [Line; OVERHEAD_AGE + 1],
    /// UQ17.8 bytes that the line has to carry.
    backlog: u32,
    grants: Skid<u16>,
}

impl Scheduler {
    /// A scheduler of `config.flow_count` flows.
    pub fn new(config: &NicConfig) -> Self {
        Self::of(config.flow_count, config.data_bytes())
    }

    fn of(flow_count: usize, beat_bytes: usize) -> Self {
        let flows = vec![Flow::default(); flow_count];
        let to_clear = flow_count.max(CLEAR_CYCLES_MIN);
        Self { flows, beat_bytes, to_clear, scan: Scan::new(flow_count), ..Self::default() }
    }

    /// A flow as an operation would find it now.
    pub fn flow(&self, flow: u16) -> Flow {
        let flow = self.flows[usize::from(flow)].clone();
        let credit = flow.settled(flow.earned(self.now), flow.armed && flow.open);
        Flow { credit, ..flow }
    }

    /// Bytes that the line has to carry.
    pub fn backlog_bytes(&self) -> u32 {
        self.backlog >> 8
    }

    /// An operation can be taken.
    fn has_room(&self) -> bool {
        self.to_clear == 0 && self.spare.is_none()
    }

    fn out(&self) -> SchedulerOut {
        let ready = |is_slot| ReadyPort { ready: is_slot && self.has_room() };
        let (s_work, s_rate) = (ready(matches!(self.slot, 1 | 3)), ready(self.slot == 2));
        let m_grant = streams::Flow { valid: self.grants.m_valid(), flow: self.grants.m_data() };
        SchedulerOut { s_work, s_rate, m_grant }
    }

    /// The operation that this cycle's slot takes.
    fn take(&mut self, i: &SchedulerIn) -> Option<Operation> {
        if !self.has_room() {
            return None;
        }
        let due = self.scan.found();
        let may_pop = self.backlog < LEAD_BYTES << 8 && self.pops < POPS_MAX;
        let is_due_turn = self.due_waited && due.is_some();
        let chosen = self.octaves.chosen().filter(|_| self.slot == 0 && may_pop && !is_due_turn);
        if self.slot == 0 {
            self.due_waited = chosen.is_some() && due.is_some();
        }
        if let Some((queue, flow)) = chosen {
            return Some(Operation { kind: Kind::Pop(queue), flow, at: self.now });
        }
        let (kind, flow) = match self.slot {
            1 | 3 if i.s_work.valid => {
                // Without frames it only tells the bytes in flight.
                let kind = match i.s_work.frame_count {
                    0 => Kind::InFlight(i.s_work.inflight_bytes),
                    _ => Kind::Work(i.s_work),
                };
                (kind, i.s_work.flow)
            }
            2 if i.s_rate.valid => (Kind::Rate(i.s_rate), i.s_rate.flow),
            _ => (Kind::Due, due?),
        };
        Some(Operation { kind, flow, at: self.now })
    }

    /// The head starts, unless an operation of its flow is under way.
    fn start(&mut self, taken: Option<Operation>) -> Option<Operation> {
        let is_alone = |o: &Operation| self.pipe.iter().flatten().all(|p| p.flow != o.flow);
        let started = self.head.filter(is_alone);
        if started.is_none() && self.head.is_some() {
            self.spare = self.spare.or(taken);
        } else {
            self.head = self.spare.take().or(taken);
        }
        started
    }

    /// What is known of the operation's flow behind it; the entry of a flow that is now due and
    /// was not, else when it will be due.
    fn finish(&self, o: &Operation) -> (Flow, Option<Entry>, Option<u16>) {
        let mut flow = self.flows[usize::from(o.flow)].clone();
        let mut earned = flow.earned(o.at);
        let follows = matches!(o.kind, Kind::Work(_)) && flow.elapsed(o.at) < GAP_CYCLES;
        let earns = (flow.armed || follows) && flow.open;
        flow.settled_at = o.at;
        match o.kind {
            Kind::Pop(queue) => {
                flow.queued &= !(1 << queue);
                if flow.due {
                    flow.armed = false;
                    flow.credit -= u64::from(flow.len_bytes) << CREDIT_FRACTION;
                }
            }
            Kind::Work(work) => {
                flow.armed = true;
                flow.len_bytes = work.len_bytes;
                flow.inflight_bytes = work.inflight_bytes;
                let overhead = u16::from(work.frame_count)
                    * u16::from(self.lines[OVERHEAD_AGE].overhead_bytes);
                flow.line_bytes = work.len_bytes.wrapping_add(overhead);
            }
            Kind::InFlight(bytes) => flow.inflight_bytes = bytes,
            Kind::Rate(rate) => {
                flow.apply(&rate);
                if rate.op == OP_CREATE {
                    (flow.credit, earned) = (0, 0);
                }
            }
            Kind::Due => {}
        }
        let len = u64::from(flow.len_bytes) << CREDIT_FRACTION;
        flow.credit = flow.settled(earned, earns);
        flow.open = flow.inflight_bytes == 0 || flow.inflight_bytes < flow.window_bytes;
        let waits = flow.created && flow.armed && flow.open;
        flow.due = waits && flow.credit >= len;
        let queue = self.octaves.queue(flow.len_bytes, flow.rate, self.lines[QUEUE_AGE].rate);
        let entry = (flow.due && flow.queued & ((2 << queue) - 1) == 0).then(|| {
            flow.queued |= 1 << queue;
            self.octaves.entry(o.flow, queue)
        });
        let due_at = (waits && !flow.due).then(|| {
            let units = wait_units(len - flow.credit, flow.rate) + 1;
            (o.at >> DUE_UNIT_BITS).wrapping_add(units as u32) as u16
        });
        (flow, entry, due_at)
    }
}

impl Flow {
    /// Whole bytes of its credit.
    pub fn credit_bytes(&self) -> u64 {
        self.credit >> CREDIT_FRACTION
    }

    /// Cycles since its credit was settled.
    fn elapsed(&self, at: u32) -> u32 {
        at.wrapping_sub(self.settled_at) & ((1 << TIME_BITS) - 1)
    }

    /// UQ17.16 bytes that its rate has earned until `at`, since its credit was settled.
    fn earned(&self, at: u32) -> u64 {
        (u64::from(self.rate) * u64::from(self.elapsed(at))) >> (24 - CREDIT_FRACTION)
    }

    /// Its credit with what was earned.
    fn settled(&self, earned: u64, earns: bool) -> u64 {
        let limit = if earns { CREDIT_CAP_BYTES } else { u64::from(self.len_bytes) };
        (self.credit + earned).min((limit << CREDIT_FRACTION).max(self.credit))
    }

    fn apply(&mut self, rate: &Rate) {
        self.window_bytes = rate.window_bytes;
        self.rate = rate.rate;
        match rate.op {
            OP_CREATE => self.created = true,
            OP_REMOVE => {
                self.created = false;
                self.armed = false;
            }
            _ => {}
        }
    }
}

/// Units of time, rounded up, in which `rate` earns `rest` (UQ17.16 bytes): the rate's first six
/// bits and a table of reciprocals.
fn wait_units(rest: u64, rate: u32) -> u64 {
    let bytes = (rest >> CREDIT_FRACTION) + 1;
    let exponent = rate.max(1).ilog2();
    let mantissa = (u64::from(rate) << 5 >> exponent) & 31;
    let reciprocal = (1_u64 << 12).div_ceil(32 + mantissa);
    // 2^-7 of the reciprocal, 2^24 of the rate, 2^-4 of the unit.
    ((bytes * reciprocal) << 13 >> exponent).min(HORIZON_UNITS)
}

impl Golden for Scheduler {
    type In = SchedulerIn;
    type Out = SchedulerOut;

    fn step(&mut self, i: &SchedulerIn) -> SchedulerOut {
        if i.reset {
            *self = Self::of(self.flows.len(), self.beat_bytes);
            return self.out();
        }
        let taken = self.take(i);
        // Without room only slots pass that nobody would use, and never the pop's.
        let is_wanted = match self.slot {
            0 => true,
            2 => i.s_rate.valid,
            _ => i.s_work.valid,
        };
        let passes = self.has_room() || !is_wanted && self.scan.found().is_none();
        let next_slot = if passes { (self.slot + 1) % 4 } else { self.slot };
        let is_pop = |o: &Operation| matches!(o.kind, Kind::Pop(_));
        let popped = self.pipe[GRANT_AGE - 1].filter(is_pop);
        let granted = popped.filter(|o| self.flows[usize::from(o.flow)].due);
        // The end of the pipe, then what it tells the scan some cycles later.
        let finished = self.pipe[PIPE_CYCLES - 1].map(|o| (o.flow, self.finish(&o)));
        let found_taken = taken.is_some_and(|o| matches!(o.kind, Kind::Due));
        self.scan.step(self.now, self.to_clear == 0, found_taken, self.due_writes[DUE_CYCLES - 1]);
        self.due_writes.rotate_right(1);
        self.due_writes[0] = finished.as_ref().map(|(flow, (_, _, due_at))| (*flow, *due_at));
        let entry = finished.as_ref().and_then(|(_, (_, entry, _))| *entry);
        let pop = match taken.map(|o| o.kind) {
            Some(Kind::Pop(queue)) => Some(queue),
            _ => None,
        };
        let line_rate = self.lines[0].rate;
        self.octaves.step(entry, pop, line_rate);
        // The line and the grant.
        self.backlog = self.backlog.saturating_sub(u32::from(line_rate));
        if let Some(o) = granted {
            self.backlog += u32::from(self.flows[usize::from(o.flow)].line_bytes) << 8;
        }
        let is_delivered = self.grants.m_valid() && i.m_grant.ready;
        self.pops += usize::from(pop.is_some());
        self.pops -= usize::from(popped.is_some() && granted.is_none()) + usize::from(is_delivered);
        self.grants.step(false, granted.map(|o| o.flow), i.m_grant.ready);
        if let Some((flow, (state, _, _))) = finished {
            self.flows[usize::from(flow)] = state;
        }
        let started = self.start(taken);
        self.pipe.rotate_right(1);
        self.pipe[0] = started;
        self.lines.rotate_right(1);
        self.lines[0] = Line::new(i.cfg_line, self.beat_bytes);
        self.to_clear = self.to_clear.saturating_sub(1);
        self.now = (self.now + 1) & ((1 << TIME_BITS) - 1);
        self.slot = next_slot;
        self.out()
    }

    fn starts(&mut self, starts: &mut Starts<'_>) -> Option<SchedulerOut> {
        let now = starts.after_reset("now", TIME_BITS, SOON_CYCLES);
        let soon = (SOON_CYCLES * self.beat_bytes as u64) << 8;
        let line_time = starts.after_reset("line.clock_bytes", LINE_TIME_BITS, soon);
        now.or(line_time)?;
        self.now = now.map_or(self.now, |now| now as u32);
        self.octaves.line_time = line_time.unwrap_or(0);
        Some(self.out())
    }
}
