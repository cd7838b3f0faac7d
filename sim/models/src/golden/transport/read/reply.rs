//! Twin of `hdl/src/transport/read/reply.rs`: READ responses. An operation is worked out as a whole
//! when it starts, and its effects appear in the cycles that the interface page names.
//!
//! Sources: InfiniBand architecture volume 1, sections 9.7.5.1.2 and 9.7.4.5, and
//! hdl/transport.md.

use crate::events::ReadEvents;
use crate::golden::tx::data_header::len_bytes;
use crate::ports;
use crate::ports::{Golden, Wide};
use crate::streams::{self, ReadCommand, ReadError, ReadJob, ReadJobEnd, ReadyPort, Reply, Work};
use nic_spec::rows::{QpRow, Row, Table};
use nic_spec::wire::aeth::syndrome;
use nic_spec::wire::bth::opcode;
use nic_spec::NicConfig;
use std::collections::VecDeque;

/// READs of a flow that can be asked for again.
pub const HISTORY: usize = 16;
/// Marks of a flow's rows.
const MARKS: u8 = 16;
/// Cycles until a place of the history that was asked for is judged.
const WALK_CYCLES: usize = 4;
/// Cycles from the choice of a job to its next packet's sizes: turn, pick, fetch, get, judge.
const JUDGE_CYCLES: usize = 5;

ports! {
    /// Inputs.
    pub struct ReadReplyIn {
        pub reset: bool,
        pub s_job: ReadJob,
        pub s_cfg_valid: bool,
        /// 0 QP, 1 memory region.
        pub cfg_table: u8,
        pub cfg_index: u16,
        pub cfg_row: Wide<8>,
        pub s_grant: streams::Flow,
        pub s_fail: ReadError,
        pub cfg_tel_data: u8,
        pub m_pkt: ReadyPort,
        pub m_read: ReadyPort,
        pub m_work: ReadyPort,
        pub m_end: ReadyPort,
    }
}
ports! {
    /// Outputs.
    pub struct ReadReplyOut {
        pub s_job: ReadyPort,
        pub s_cfg_ready: bool,
        pub s_grant: ReadyPort,
        pub s_fail: ReadyPort,
        pub m_pkt: Reply,
        pub m_read: ReadCommand,
        pub m_work: Work,
        pub m_end: ReadJobEnd,
        pub event_read: ReadEvents,
    }
}

/// What is left to answer of a READ.
#[derive(Clone, Copy, Debug)]
struct Job {
    psn: u32,
    msn: u32,
    addr: u64,
    bytes: u32,
    /// The next packet is no FIRST and no ONLY.
    has_begun: bool,
    is_restart: bool,
    region: usize,
    /// Rows that the region had had when the job came.
    generation: u64,
}

/// A READ that was accepted.
#[derive(Clone, Copy, Debug)]
struct Read {
    first_psn: u32,
    packets: u32,
    va: u64,
    bytes: u32,
    rkey: u32,
    job: Option<Job>,
}

impl Read {
    fn new(p: &ReadJob, mtu: u32, job: Job) -> Self {
        let packets = p.bytes.div_ceil(mtu).max(1);
        Self { first_psn: p.psn, packets, va: p.va, bytes: p.bytes, rkey: p.rkey, job: Some(job) }
    }

    /// Whether `part`, whose PSN is not behind the first, asks for this READ or a part of it.
    fn contains(&self, part: &Read) -> bool {
        let packets_before = part.first_psn.wrapping_sub(self.first_psn) & 0xff_ffff;
        let bytes_before = part.va.wrapping_sub(self.va);
        packets_before + part.packets <= self.packets
            && u128::from(bytes_before) + u128::from(part.bytes) <= self.bytes.into()
            && part.rkey == self.rkey
    }
}

#[derive(Clone, Debug, Default)]
struct Flow {
    /// The last 16, oldest first.
    reads: VecDeque<Read>,
    is_armed: bool,
    has_failed: bool,
    mtu_code: u8,
    telemetry: bool,
    /// Counts rows, modulo [`MARKS`].
    mark: u8,
}

/// Jobs that have ended.
#[derive(Clone, Copy, Debug, Default)]
struct Ended {
    jobs: u8,
    reads: u8,
}

impl Ended {
    fn add(&mut self, job: Option<Job>) {
        if let Some(job) = job {
            self.jobs += 1;
            self.reads += u8::from(!job.is_restart);
        }
    }
}

impl Flow {
    fn mtu(&self) -> u32 {
        256 << self.mtu_code.min(4)
    }

    fn oldest(&mut self) -> Option<&mut Option<Job>> {
        self.reads.iter_mut().map(|r| &mut r.job).find(|j| j.is_some())
    }

    /// Gives up all jobs.
    fn give_up(&mut self) -> Ended {
        let mut ended = Ended::default();
        self.reads.iter_mut().for_each(|r| ended.add(r.job.take()));
        ended
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    Job,
    Cfg,
    Fail,
    Grant,
}

/// What a cycle does.
#[derive(Clone, Copy, Debug)]
enum Step {
    Wait,
    End(ReadJobEnd, ReadEvents),
    Send(Reply, ReadCommand),
    Work(Work),
}

/// The block.
#[derive(Clone, Debug)]
pub struct ReadReply {
    flows: Vec<Flow>,
    /// Rows that each region has had.
    generations: Vec<u64>,
    scrub_left: usize,
    picked: Option<Op>,
    script: VecDeque<Step>,
    /// Flow of a job whose last packet leaves, and whether it was no restart.
    last: Option<(u16, bool)>,
    /// A job goes before a grant.
    job_turn: bool,
    out: ReadReplyOut,
}

fn psn_is_behind(psn: u32, of: u32) -> bool {
    psn.wrapping_sub(of) & 0x80_0000 != 0
}

impl ReadReply {
    /// For a NIC of these sizes.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            flows: vec![Flow::default(); config.flow_count],
            generations: vec![0; config.mr_count],
            scrub_left: config.flow_count,
            picked: None,
            script: VecDeque::with_capacity(64),
            last: None,
            job_turn: false,
            out: ReadReplyOut::default(),
        }
    }

    fn reset(&mut self) {
        self.flows.fill(Flow::default());
        self.scrub_left = self.flows.len();
        self.picked = None;
        self.script.clear();
        (self.last, self.job_turn) = (None, false);
        self.out = ReadReplyOut::default();
    }

    fn wait(&mut self, cycles: usize) {
        self.script.extend(std::iter::repeat_n(Step::Wait, cycles));
    }

    fn index(&self, flow: u16) -> usize {
        usize::from(flow) & (self.flows.len() - 1)
    }

    /// A cycle in which jobs end, if there are any.
    fn end(&mut self, flow: usize, ended: Ended, events: ReadEvents) {
        let Ended { jobs, reads } = ended;
        let (valid, flow) = (jobs > 0, flow as u16);
        let ports = ReadJobEnd { valid, flow, jobs, reads, ..ReadJobEnd::default() };
        self.script.push_back(Step::End(ports, events));
    }

    /// Stores the flow; before that asks for a grant if it has work and none is to come.
    fn finish(&mut self, flow: usize, i: &ReadReplyIn) {
        let f = &mut self.flows[flow];
        let (mtu, telemetry, is_armed) = (f.mtu(), f.telemetry, f.is_armed);
        let job = f.oldest().map(|job| job.expect("a job"));
        if let (Some(job), false) = (job, is_armed) {
            self.wait(JUDGE_CYCLES + 1);
            let is_last = job.bytes <= mtu;
            let payload = job.bytes.min(mtu).next_multiple_of(4);
            let telemetry_bytes = if telemetry { len_bytes(i.cfg_tel_data) } else { 0 };
            let aeth_bytes = if job.has_begun && !is_last { 0 } else { 4 };
            let len_bytes = 14 + 20 + 8 + telemetry_bytes + 12 + aeth_bytes + payload + 4;
            self.script.push_back(Step::Work(Work {
                valid: true,
                flow: flow as u16,
                len_bytes: len_bytes as u16,
                frame_count: 1,
                inflight_bytes: 0,
            }));
            self.flows[flow].is_armed = true;
        }
        self.wait(1);
    }

    fn job(&mut self, i: &ReadReplyIn) {
        let flow = self.index(i.s_job.flow);
        let dropped = ReadEvents { dropped: true, ..ReadEvents::default() };
        let p = &i.s_job;
        let region = (p.rkey >> 8) as usize & (self.generations.len() - 1);
        let job = Job {
            psn: p.psn,
            msn: p.msn,
            addr: p.addr,
            bytes: p.bytes,
            has_begun: false,
            is_restart: p.restart,
            region,
            generation: self.generations[region],
        };
        let mut ended = Ended::default();
        self.wait(1);
        let f = &mut self.flows[flow];
        if f.has_failed {
            ended.add(Some(job));
            self.end(flow, ended, dropped);
            return self.wait(1);
        }
        let read = Read::new(p, f.mtu(), job);
        if p.restart {
            self.wait(1);
            return self.restart(flow, read, i);
        }
        f.reads.push_back(read);
        if f.reads.len() > HISTORY {
            ended.add(f.reads.pop_front().and_then(|r| r.job));
        }
        let events = if ended.jobs > 0 { dropped } else { ReadEvents::default() };
        self.end(flow, ended, events);
        self.finish(flow, i);
    }

    fn restart(&mut self, flow: usize, part: Read, i: &ReadReplyIn) {
        let f = &self.flows[flow];
        let mut ended = Ended::default();
        let job = part.job.expect("a job");
        let age = f.reads.iter().rev().position(|r| !psn_is_behind(job.psn, r.first_psn));
        let read = age.map(|age| f.reads[f.reads.len() - 1 - age]);
        let Some(age) = age.filter(|_| read.is_some_and(|r| r.contains(&part))) else {
            ended.add(Some(job));
            self.wait(age.unwrap_or(HISTORY - 1) + WALK_CYCLES);
            self.end(flow, ended, ReadEvents { dropped: true, ..ReadEvents::default() });
            return self.wait(1);
        };
        let f = &mut self.flows[flow];
        let at = f.reads.len() - 1 - age;
        f.reads.iter_mut().skip(at).for_each(|r| ended.add(r.job.take()));
        let has_begun = f.reads[at].first_psn != job.psn;
        f.reads[at].job = Some(Job { has_begun, ..job });
        self.wait(age + WALK_CYCLES);
        self.end(flow, ended, ReadEvents { restart: true, ..ReadEvents::default() });
        self.finish(flow, i);
    }

    fn cfg(&mut self, i: &ReadReplyIn) {
        let index = usize::from(i.cfg_index);
        self.wait(1);
        if i.cfg_table == Table::Mr as u8 {
            let region = index & (self.generations.len() - 1);
            self.generations[region] += 1;
            return;
        }
        let row: Row = core::array::from_fn(|n| (i.cfg_row.0[n / 2] >> (32 * (n % 2))) as u32);
        let qp = QpRow::from_row(&row);
        let flow = self.index(i.cfg_index);
        let (mtu_code, telemetry) = (qp.mtu_code, qp.telemetry);
        let mark = (self.flows[flow].mark + 1) % MARKS;
        self.flows[flow] = Flow { mtu_code, telemetry, mark, ..Flow::default() };
        self.last = self.last.filter(|(last, _)| usize::from(*last) != flow);
        let (valid, cleared) = (true, true);
        let ports = ReadJobEnd { valid, flow: flow as u16, cleared, ..ReadJobEnd::default() };
        self.script.push_back(Step::End(ports, ReadEvents::default()));
        self.wait(1);
    }

    fn fail(&mut self, i: &ReadReplyIn) {
        let flow = self.index(i.s_fail.flow);
        let f = &mut self.flows[flow];
        // The queue pair that the packet was of is there no more.
        if i.s_fail.mark != f.mark {
            return self.wait(3);
        }
        f.has_failed = true;
        let Ended { jobs, reads } = f.give_up();
        self.wait(2 + HISTORY - 1 + WALK_CYCLES);
        let (valid, error, flow) = (true, true, flow as u16);
        let ports = ReadJobEnd { valid, flow, jobs, reads, error, cleared: false };
        let events = ReadEvents { dropped: jobs > 0, ..ReadEvents::default() };
        self.script.push_back(Step::End(ports, events));
        self.wait(1);
    }

    fn grant(&mut self, i: &ReadReplyIn) {
        let flow = self.index(i.s_grant.flow);
        let f = &mut self.flows[flow];
        let was_armed = core::mem::replace(&mut f.is_armed, false);
        self.wait(1);
        let f = &mut self.flows[flow];
        let mtu = f.mtu();
        let Some(place) = f.oldest().filter(|_| was_armed) else { return self.wait(2) };
        let job = place.expect("a job");
        let is_last = job.bytes <= mtu;
        let is_dead = job.generation != self.generations[job.region];
        let after = Job {
            psn: (job.psn + 1) & 0xff_ffff,
            addr: job.addr.wrapping_add(mtu.into()),
            bytes: job.bytes.wrapping_sub(mtu),
            has_begun: true,
            ..job
        };
        *place = Some(after).filter(|_| !is_last && !is_dead);
        self.wait(JUDGE_CYCLES);
        if is_dead {
            let mut ended = Ended::default();
            ended.add(Some(job));
            self.end(flow, ended, ReadEvents { dropped: true, ..ReadEvents::default() });
            return self.finish(flow, i);
        }
        let is_middle = job.has_begun && !is_last;
        let code = match (job.has_begun, is_last) {
            (false, false) => opcode::READ_RESPONSE_FIRST,
            (true, false) => opcode::READ_RESPONSE_MIDDLE,
            (true, true) => opcode::READ_RESPONSE_LAST,
            (false, true) => opcode::READ_RESPONSE_ONLY,
        };
        let bytes = job.bytes.min(mtu) as u16;
        let pkt = Reply {
            valid: true,
            flow: flow as u16,
            opcode: code,
            psn: job.psn,
            payload_bytes: bytes,
            syndrome: if is_middle { 0 } else { syndrome::ACK },
            msn: if is_middle { 0 } else { job.msn },
            mark: self.flows[flow].mark,
        };
        self.script
            .push_back(Step::Send(pkt, ReadCommand { valid: bytes > 0, addr: job.addr, bytes }));
        if is_last {
            self.last = Some((flow as u16, !job.is_restart));
        }
        self.finish(flow, i);
    }

    /// What is to be done next, and whether the end of a job goes out instead.
    fn idle(&mut self, i: &ReadReplyIn, before: &ReadReplyOut) {
        let end_free = !before.m_end.valid;
        let work_free = !before.m_work.valid;
        let packet_free = !before.m_pkt.valid && !before.m_read.valid && self.last.is_none();
        let job_can = i.s_job.valid && end_free && work_free;
        let grant_can = i.s_grant.valid && packet_free && end_free && work_free;
        if let (Some((flow, read)), false, true) = (self.last, before.m_pkt.valid, end_free) {
            self.last = None;
            let (valid, jobs, reads) = (true, 1, u8::from(read));
            self.out.m_end = ReadJobEnd { valid, flow, jobs, reads, ..ReadJobEnd::default() };
            return;
        }
        self.picked = if i.s_cfg_valid && end_free {
            Some(Op::Cfg)
        } else if i.s_fail.valid && end_free {
            Some(Op::Fail)
        } else if job_can && (self.job_turn || !grant_can) {
            self.job_turn = false;
            Some(Op::Job)
        } else if grant_can {
            self.job_turn = true;
            Some(Op::Grant)
        } else {
            None
        };
        let out = &mut self.out;
        match self.picked {
            Some(Op::Cfg) => out.s_cfg_ready = true,
            Some(Op::Fail) => out.s_fail.ready = true,
            Some(Op::Job) => out.s_job.ready = true,
            Some(Op::Grant) => out.s_grant.ready = true,
            None => {}
        }
    }

    fn act(&mut self, step: Step) {
        let out = &mut self.out;
        match step {
            Step::Wait => {}
            Step::End(ports, events) => {
                if ports.valid {
                    out.m_end = ports;
                }
                out.event_read = events;
            }
            Step::Send(pkt, read) => {
                out.m_pkt = pkt;
                if read.valid {
                    out.m_read = read;
                }
                out.event_read.packet = true;
            }
            Step::Work(work) => out.m_work = work,
        }
    }
}

impl Golden for ReadReply {
    type In = ReadReplyIn;
    type Out = ReadReplyOut;

    fn step(&mut self, i: &ReadReplyIn) -> ReadReplyOut {
        if i.reset {
            self.reset();
            return self.out;
        }
        let before = self.out;
        let out = &mut self.out;
        out.m_pkt.valid &= !i.m_pkt.ready;
        out.m_read.valid &= !i.m_read.ready;
        out.m_work.valid &= !i.m_work.ready;
        out.m_end.valid &= !i.m_end.ready;
        out.event_read = ReadEvents::default();
        (out.s_job.ready, out.s_cfg_ready) = (false, false);
        (out.s_grant.ready, out.s_fail.ready) = (false, false);
        if self.scrub_left > 0 {
            self.scrub_left -= 1;
        } else if let Some(step) = self.script.pop_front() {
            self.act(step);
        } else if let Some(op) = self.picked.take() {
            match op {
                Op::Job => self.job(i),
                Op::Cfg => self.cfg(i),
                Op::Fail => self.fail(i),
                Op::Grant => self.grant(i),
            }
        } else {
            self.idle(i, &before);
        }
        self.out
    }
}
