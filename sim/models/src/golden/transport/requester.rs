//! Twin of `hdl/src/transport/requester.rs`: an operation is worked out as a whole when it starts,
//! and its effects appear in the cycles that the interface page names.

mod answer;
mod answers;
pub mod array;
mod flow;
mod ports;
mod recover;
mod script;
mod send;
mod step;

use crate::events::RequesterEvents;
use crate::ports::Golden;
use crate::starts::Starts;
use flow::Flow;
use nic_spec::config::NicConfig;
use nic_spec::rows::{QpRow, Row, Table, WrRow};
pub use ports::*;
use std::collections::VecDeque;
use step::{cycles, Step};

/// Bits of the time that deadlines are compared with.
const TICK_BITS: u32 = 33;
/// Ticks that a short run has, twice over: a timer that runs over the wrap still ends in it.
const SOON_TICKS: u64 = 80;
/// Bytes of some packets.
const SOON_BYTES: u64 = 20_000;
/// Cycles between timer scans.
const SCAN_CYCLES: u64 = 32;
/// Marks of a flow's rows.
const MARKS: u8 = 15;
/// Cycles without a read error that a queue pair row waits for.
const ROW_WAIT_CYCLES: u8 = 4;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    Answer,
    Cfg,
    Fail,
    Grant,
    Scan,
    /// A work request is coming.
    Next,
}

/// What is done while nothing waits.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ahead {
    /// A flow was armed and is at hand.
    Armed(usize),
    /// Its packet is ready in so many cycles.
    Packet(usize, u32),
    /// The flow of a work request that is coming is at hand.
    Flow(usize),
}

/// Requester of RDMA WRITE and READ.
#[derive(Clone, Debug)]
pub struct Requester {
    config: NicConfig,
    tick_cycles: u64,
    flows: Vec<Flow>,
    /// Windows of the flows, bytes.
    windows: Vec<u32>,
    /// That of the flow at hand.
    window: u32,
    /// The last operation was an answer.
    has_answered: bool,
    scrub_left: usize,
    /// Cycles since reset.
    cycle: u64,
    /// Tick in which they began.
    first_tick: u64,
    scan_flow: usize,
    scan_due: bool,
    scan_urgent: bool,
    /// Cycles in which a queue pair row waits: read errors may follow that are about the old one.
    row_wait: u8,
    /// What waited a cycle ago.
    found: Option<(Op, usize)>,
    /// Operation and flow at hand.
    op: Op,
    flow: usize,
    /// A scan started a cycle ago.
    has_scanned: bool,
    /// A work request was entered a cycle ago, behind so many others of its flow.
    has_entered: bool,
    posts_before: u32,
    script: VecDeque<Step>,
    ahead: Option<Ahead>,
    /// Flow that gets a queue pair.
    cleared_flow: Option<usize>,
    /// Its row has just been written.
    is_written: bool,
    out: RequesterOut,
}

impl Requester {
    /// A requester of the sizes of `config`.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            config: config.clone(),
            tick_cycles: (config.clock_hz * 4096 / 1_000_000_000).max(1),
            flows: vec![Flow::default(); config.flow_count],
            windows: vec![0; config.flow_count],
            window: 0,
            has_answered: false,
            scrub_left: config.flow_count,
            cycle: 0,
            first_tick: 0,
            scan_flow: 0,
            scan_due: false,
            scan_urgent: false,
            row_wait: 0,
            found: None,
            op: Op::Scan,
            flow: 0,
            has_scanned: false,
            has_entered: false,
            posts_before: 0,
            script: VecDeque::with_capacity(64),
            ahead: None,
            cleared_flow: None,
            is_written: false,
            out: RequesterOut::default(),
        }
    }

    fn reset(&mut self) {
        self.flows.iter_mut().for_each(|f| *f = Flow::default());
        self.windows.fill(0);
        (self.window, self.has_answered) = (0, false);
        self.scrub_left = self.flows.len();
        (self.cycle, self.first_tick, self.scan_flow) = (0, 0, 0);
        (self.scan_due, self.scan_urgent, self.row_wait) = (false, false, 0);
        (self.has_scanned, self.has_entered, self.posts_before) = (false, false, 0);
        self.found = None;
        self.script.clear();
        self.ahead = None;
        self.cleared_flow = None;
        self.out = RequesterOut::default();
    }

    fn now(&self) -> u64 {
        self.tick_of(self.cycle)
    }

    fn tick_of(&self, cycle: u64) -> u64 {
        self.first_tick + cycle / self.tick_cycles
    }

    /// What is waiting, most urgent first.
    fn pick(&self, i: &RequesterIn, packet_free: bool) -> Option<(Op, usize)> {
        let index = |flow: u64| flow as usize % self.flows.len();
        let answer = i.s_ack.valid.then(|| (Op::Answer, index(i.s_ack.qpn.into())));
        let other = if i.s_fail.valid {
            Some((Op::Fail, index(i.s_fail.flow.into())))
        } else if i.s_cfg.valid && (i.cfg_table != 0 || self.row_wait == 0) {
            Some((Op::Cfg, index(i.cfg_index.into())))
        } else {
            let has_grant = i.s_grant.valid && packet_free;
            has_grant.then(|| (Op::Grant, index(i.s_grant.flow.into())))
        };
        if self.scan_urgent {
            Some((Op::Scan, self.scan_flow))
        } else if self.has_answered {
            other.or(answer)
        } else {
            answer.or(other)
        }
    }

    /// What is done if nothing waits.
    fn pick_idle(&self, i: &RequesterIn) -> Option<(Op, usize)> {
        if i.hint.valid {
            return Some((Op::Next, usize::from(i.hint.flow) % self.flows.len()));
        }
        self.scan_due.then_some((Op::Scan, self.scan_flow))
    }

    /// A cycle between two operations.
    fn idle(&mut self, i: &RequesterIn, packet_free: bool) {
        let flow_count = self.flows.len();
        let is_for = |flow: usize, of: u16| usize::from(of) % flow_count == flow;
        let is_wr = i.s_cfg.valid && i.cfg_table == Table::Wr as u8;
        match self.ahead {
            Some(Ahead::Packet(flow, 0))
                if i.s_grant.valid && packet_free && is_for(flow, i.s_grant.flow) =>
            {
                self.ahead = None;
                (self.op, self.flow) = (Op::Grant, flow);
                // The timer counts from the cycle before.
                let now = self.tick_of(self.cycle.saturating_sub(1));
                return self.send(flow, 0, now, i);
            }
            Some(Ahead::Flow(flow)) if is_wr && is_for(flow, i.cfg_index) => {
                self.ahead = None;
                (self.op, self.flow) = (Op::Cfg, flow);
                return self.post(flow, WrRow::from_row(&row_words(i)), true, i);
            }
            _ => {}
        }
        self.ahead = match self.ahead {
            // What is picked starts with the row of its own flow.
            _ if self.found.is_some() => None,
            Some(Ahead::Armed(flow)) => Some(Ahead::Packet(flow, cycles::AHEAD)),
            Some(Ahead::Packet(flow, left)) => Some(Ahead::Packet(flow, left.saturating_sub(1))),
            Some(Ahead::Flow(flow)) if i.hint.valid && is_for(flow, i.hint.flow) => self.ahead,
            Some(Ahead::Flow(_)) => None,
            None => {
                self.found = self.pick_idle(i);
                None
            }
        };
    }

    fn start(&mut self, op: Op, flow: usize, i: &RequesterIn) {
        (self.op, self.flow) = (op, flow);
        self.has_answered = op == Op::Answer;
        self.posts_before = 0;
        self.window = self.windows[flow];
        self.ahead = None;
        match op {
            Op::Answer => self.answer(flow, i),
            Op::Cfg => self.cfg(flow, i),
            Op::Fail => self.local_error(flow, i.s_fail.mark),
            Op::Grant => self.grant(flow, i),
            Op::Scan => {
                self.scan(flow, i);
                self.scan_flow = (self.scan_flow + 1) % self.flows.len();
                self.has_scanned = true;
            }
            Op::Next => {
                self.wait(cycles::JUDGE_ROW);
                self.ahead = Some(Ahead::Flow(flow));
            }
        }
    }

    fn cfg(&mut self, flow: usize, i: &RequesterIn) {
        let row = row_words(i);
        match i.cfg_table {
            0 => {
                let qp = QpRow::from_row(&row);
                let mark = self.flows[flow].mark % MARKS + 1;
                self.flows[flow] = Flow { mark, ..Flow::new(qp) };
                self.cleared_flow = Some(flow);
                self.wait(cycles::JUDGE_ROW);
                self.save();
            }
            2 => self.post(flow, WrRow::from_row(&row), false, i),
            _ => {
                self.wait(cycles::JUDGE_ROW);
                self.save();
            }
        }
    }

    fn run(&mut self, i: &RequesterIn, before: &RequesterOut) {
        let packet_free = !before.m_pkt.valid && !before.m_read.valid;
        let found = self.found;
        self.found = self.pick(&self.others(i), packet_free);
        let Some(&step) = self.script.front() else {
            return match found {
                None => self.idle(i, packet_free),
                Some((op, flow)) => self.start(op, flow, i),
            };
        };
        if self.act(step, before) {
            self.script.pop_front();
            match self.script.front() {
                Some(Step::Enter) => self.set_ready(),
                Some(Step::Save) if !matches!(step, Step::Enter) => self.set_ready(),
                _ => {}
            }
        }
        let has_entered = core::mem::replace(&mut self.has_entered, matches!(step, Step::Enter));
        if let Some(wr) = self.next_post(i, found).filter(|_| has_entered) {
            self.posts_before += 1;
            return self.post(self.flow, wr, true, i);
        }
        // The next operation's row is read while this one's is written.
        if let (Step::Save, Some((op, flow))) = (step, found) {
            if flow != self.flow {
                self.start(op, flow, i);
            }
        }
    }

    /// What waits beside what is at hand, which stands at its sink until it is done.
    fn others(&self, i: &RequesterIn) -> RequesterIn {
        let mut others = *i;
        if !self.script.is_empty() {
            others.s_ack.valid &= self.op != Op::Answer;
            others.s_cfg.valid &= !matches!(self.op, Op::Cfg | Op::Next);
            others.s_fail.valid &= self.op != Op::Fail;
            others.s_grant.valid &= self.op != Op::Grant;
        }
        others
    }

    fn set_ready(&mut self) {
        match self.op {
            Op::Answer => self.out.s_ack.ready = true,
            Op::Cfg => self.out.s_cfg.ready = true,
            Op::Fail => self.out.s_fail.ready = true,
            Op::Grant => self.out.s_grant.ready = true,
            Op::Scan | Op::Next => {}
        }
    }
}

fn row_words(i: &RequesterIn) -> Row {
    core::array::from_fn(|n| (i.cfg_row.0[n / 2] >> (32 * (n % 2))) as u32)
}

impl Golden for Requester {
    type In = RequesterIn;
    type Out = RequesterOut;

    fn step(&mut self, i: &RequesterIn) -> RequesterOut {
        if i.reset {
            self.reset();
            return self.out;
        }
        let before = self.out;
        self.is_written = before.s_cfg.ready;
        let has_scanned = core::mem::take(&mut self.has_scanned);
        let out = &mut self.out;
        out.m_pkt.valid &= !i.m_pkt.ready;
        out.m_read.valid &= !i.m_read.ready;
        out.m_work.valid &= !i.m_work.ready;
        out.m_cc.valid &= !i.m_cc.ready;
        if !before.m_cc.valid {
            out.m_cc.flow = (i.s_ack.qpn as usize % self.flows.len()) as u16;
            out.m_cc.psn = i.s_ack.psn;
            out.m_cc.tel = i.s_ack.tel;
        }
        out.m_order.valid &= !i.m_order.ready;
        out.event_reqr = RequesterEvents::default();
        (out.s_ack.ready, out.s_cfg.ready) = (false, false);
        (out.s_grant.ready, out.s_fail.ready) = (false, false);
        if i.watch_valid && i.watch_ready && !i.watch_reply && self.scrub_left == 0 {
            let flow = usize::from(i.watch_flow) % self.flows.len();
            self.windows[flow] = i.watch_window;
        }
        if self.scrub_left > 0 {
            self.scrub_left -= 1;
            self.found = self.pick(i, true);
        } else {
            self.run(i, &before);
        }
        if self.cycle % SCAN_CYCLES == SCAN_CYCLES - 1 {
            self.scan_urgent = self.scan_due;
            self.scan_due = true;
        }
        if has_scanned {
            (self.scan_due, self.scan_urgent) = (false, false);
        }
        self.cycle += 1;
        self.row_wait =
            if i.s_fail.valid { ROW_WAIT_CYCLES } else { self.row_wait.saturating_sub(1) };
        self.out
    }

    fn starts(&mut self, starts: &mut Starts<'_>) -> Option<RequesterOut> {
        if starts.is_reset() {
            self.first_tick = starts.after_reset("timer.tick", TICK_BITS, SOON_TICKS)?;
            return Some(self.out);
        }
        // The row of a queue pair is there. So many bytes are in flight until something is sent
        // again, or all is acknowledged.
        let flow = self.cleared_flow.filter(|_| self.is_written)?;
        self.cleared_flow = None;
        let path = format!("psns.rows.mem[{flow}][159:128]");
        self.flows[flow].nxt_seq = starts.offer(&path, u32::BITS, SOON_BYTES)? as u32;
        Some(self.out)
    }
}
