//! Stimulus of `ack_gen`, and what READ replies do beside it.

use crate::env::stream::{Sink, Source};
use nic_harness::bench::Stimulus;
use nic_models::golden::transport::ack::gen::{
    AckGen, AckGenIn, AckGenOut, HopWatch, Outcome, Tag,
};
use nic_models::golden::transport::read::reply::{ReadReply, ReadReplyIn, ReadReplyOut};
use nic_models::golden::transport::responder::{ResponderIn, ResponderOut};
use nic_models::ports::Golden;
use nic_models::streams::{
    Flow, ReadCommand, ReadError, ReadJobEnd, ReadyPort, Reply, Telemetry, WriteDone,
};
use nic_spec::config::NicConfig;
use nic_spec::rows::Table;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// An answer of the congestion control about one of so many flows; few hops, so that they come twice.
pub(super) fn random_watch(rng: &mut ChaCha8Rng, flow_count: u16) -> HopWatch {
    HopWatch {
        valid: rng.gen_ratio(1, 4),
        ready: rng.gen_ratio(7, 8),
        peer: rng.gen_ratio(7, 8),
        flow: rng.gen_range(0..flow_count),
        op: if rng.gen_ratio(1, 16) { rng.gen_range(1..3) } else { 0 },
        worst_hop: [0, 1, 1, 2, 2, 3, 4, 7][rng.gen_range(0..8)],
    }
}

pub(super) fn random_tel(rng: &mut ChaCha8Rng) -> Telemetry {
    Telemetry {
        valid: rng.gen_ratio(3, 4),
        hops: rng.gen_range(0..=6),
        path: rng.gen_range(0..0x1000),
        hop: rng.gen(),
    }
}

/// Ends of commands and of READs of all kinds, few flows, and telemetry stored at any time.
#[derive(Debug)]
pub struct Owing {
    rng: ChaCha8Rng,
    done: Source<(u128, bool)>,
    end: Source<ReadJobEnd>,
    /// READs that were handed over and have not ended, by flow.
    jobs: Vec<u8>,
    ack: Sink,
    cqe: Sink,
    job: Sink,
    flow_count: u16,
    /// Flows in use: few, so that answers meet.
    flow_limit: u16,
    rnr_timer: u8,
    /// Cycles until the flows are cleared: no packet's telemetry before.
    clear_left: u16,
    /// Packets whose telemetry is held.
    held_count: u8,
}

impl Owing {
    /// A stimulus from a seed.
    pub fn new(config: &NicConfig, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut next = || ChaCha8Rng::from_rng(&mut rng).expect("seeding never fails");
        let (done, ack, cqe) = (Source::new(next()), Sink::new(next()), Sink::new(next()));
        let (end, job) = (Source::new(next()), Sink::new(next()));
        let flow_count = config.flow_count as u16;
        let (jobs, rnr_timer) = (vec![0; config.flow_count], 0);
        let (flow_limit, clear_left) = (flow_count, flow_count);
        let held_count = 0;
        Self {
            rng,
            done,
            end,
            jobs,
            ack,
            cqe,
            job,
            flow_count,
            flow_limit,
            rnr_timer,
            clear_left,
            held_count,
        }
    }

    fn tag(rng: &mut ChaCha8Rng, flow_limit: u16) -> Tag {
        use Outcome::{Access, Ack, Again, Invalid, NotReady, Quiet, Read, Sequence};
        let kinds = [Quiet, Ack, Ack, Ack, Again, Sequence, NotReady, Read, Invalid, Access];
        let fatal = rng.gen_ratio(1, 20);
        let outcome = kinds[rng.gen_range(0..if fatal { 10 } else { 8 })];
        let is_accepted = matches!(outcome, Quiet | Ack);
        Tag {
            psn: rng.gen::<u32>() >> 8,
            msn: rng.gen_range(0..0x100_0000) >> if rng.gen_ratio(1, 8) { 24 } else { 0 },
            imm: rng.gen(),
            byte_len: rng.gen(),
            flow: rng.gen_range(0..flow_limit),
            outcome,
            has_imm: is_accepted && rng.gen_ratio(1, 3),
            ends: rng.gen(),
        }
    }

    /// Some of a flow's READs have ended, or all is over.
    fn end(rng: &mut ChaCha8Rng, jobs: &mut [u8], flow_limit: u16) -> Option<ReadJobEnd> {
        let flow = rng.gen_range(0..flow_limit);
        let waiting = &mut jobs[usize::from(flow)];
        let (cleared, error) = (rng.gen_ratio(1, 100), rng.gen_ratio(1, 100));
        if *waiting == 0 && !cleared && !error {
            return None;
        }
        let jobs = rng.gen_range(0..=(*waiting).min(16));
        let reads = rng.gen_range(0..=jobs);
        *waiting = if cleared { 0 } else { *waiting - jobs };
        Some(ReadJobEnd { valid: true, flow, jobs, reads, error, cleared })
    }
}

/// READ responses behind a responder: their golden twin and a scheduler.
#[derive(Clone, Debug)]
pub struct Replies {
    reply: ReadReply,
    out: ReadReplyOut,
    /// Flows that have asked, in order.
    asked: VecDeque<u16>,
    grant: Option<u16>,
    /// Of the present row of each flow: rows so far, modulo 16.
    marks: Vec<u8>,
}

impl Replies {
    /// For a NIC of these sizes, out of reset.
    pub fn new(config: &NicConfig) -> Self {
        let mut reply = ReadReply::new(config);
        let out = reply.step(&ReadReplyIn { reset: true, ..ReadReplyIn::default() });
        let marks = vec![0; config.flow_count];
        Self { reply, out, asked: VecDeque::new(), grant: None, marks }
    }

    /// Fills in what the responder gets, and does one cycle. `grants` lets a flow that has asked
    /// send; `takes` takes the packet at the source and returns it.
    pub fn drive(
        &mut self,
        out: &ResponderOut,
        i: &mut ResponderIn,
        (grants, takes, fail): (bool, bool, Option<u16>),
    ) -> Option<(Reply, ReadCommand)> {
        let before = self.out;
        (i.s_end, i.m_job.ready) = (before.m_end, before.s_job.ready);
        i.m_cfg_ready = before.s_cfg_ready;
        if self.grant.is_none() && grants {
            self.grant = self.asked.pop_front();
        }
        if before.m_work.valid {
            self.asked.push_back(before.m_work.flow);
        }
        self.out = self.reply.step(&ReadReplyIn {
            reset: i.reset,
            s_job: out.m_job,
            s_cfg_valid: out.m_cfg_valid,
            cfg_table: i.cfg_table,
            cfg_index: i.cfg_index,
            cfg_row: i.cfg_row,
            s_grant: Flow { valid: self.grant.is_some(), flow: self.grant.unwrap_or(0) },
            s_fail: ReadError {
                valid: fail.is_some(),
                flow: fail.unwrap_or(0),
                mark: fail.map_or(0, |flow| self.marks[usize::from(flow)]),
            },
            cfg_tel_data: 0,
            m_pkt: ReadyPort { ready: takes },
            m_read: ReadyPort { ready: takes },
            m_work: ReadyPort { ready: true },
            m_end: ReadyPort { ready: out.s_end.ready },
        });
        if before.s_grant.ready {
            self.grant = None;
        }
        if before.s_cfg_ready && i.cfg_table == Table::Qp as u8 {
            let flow = usize::from(i.cfg_index) & (self.marks.len() - 1);
            self.marks[flow] = (self.marks[flow] + 1) % 16;
        }
        if i.reset {
            (self.grant, self.out) = (None, ReadReplyOut::default());
            self.asked.clear();
            self.marks.fill(0);
        }
        (before.m_pkt.valid && takes).then_some((before.m_pkt, before.m_read))
    }

    /// Whether a read error that is offered is taken in the coming cycle.
    pub fn takes_fail(&self) -> bool {
        self.out.s_fail.ready
    }
}

impl Stimulus<AckGen> for Owing {
    fn next(&mut self, cycle: u64, out: &AckGenOut) -> AckGenIn {
        let rng = &mut self.rng;
        if cycle.is_multiple_of(1000) {
            let limits = [1, 2, 8, self.flow_count];
            self.flow_limit = limits[rng.gen_range(0..limits.len())].min(self.flow_count);
            self.rnr_timer = rng.gen_range(0..32);
        }
        let limit = self.flow_limit;
        let make = || {
            let error = rng.gen_ratio(1, 20);
            Some((Self::tag(rng, limit).to_bits(), error))
        };
        let done = self.done.drive(out.s_done.ready, make);
        let m_job_ready = self.job.drive();
        if out.m_job.valid && m_job_ready {
            self.jobs[usize::from(out.m_job.flow)] += 1;
        }
        let (jobs, rng) = (&mut self.jobs, &mut self.rng);
        let s_end = self.end.drive(out.s_end.ready, || Self::end(rng, jobs, limit));
        let reset = rng.gen_ratio(1, 8000);
        let tel_take = rng.gen_ratio(1, 2) && self.clear_left == 0 && self.held_count < 4;
        let tel_leave = rng.gen_ratio(1, 2) && self.held_count > 0;
        self.held_count = self.held_count + u8::from(tel_take) - u8::from(tel_leave);
        let i = AckGenIn {
            reset,
            s_done: WriteDone {
                valid: done.is_some(),
                tag: done.map_or_else(|| rng.gen::<u128>() >> 1, |d| d.0),
                error: done.is_some_and(|d| d.1),
            },
            s_end: s_end.unwrap_or_default(),
            s_read_addr: rng.gen(),
            s_read_va: rng.gen(),
            s_read_rkey: rng.gen(),
            tel_take,
            s_tel: random_tel(rng),
            tel_leave,
            tel_store: tel_leave && rng.gen_ratio(1, 2),
            tel_enable: rng.gen_ratio(7, 8),
            tel_flow: rng.gen_range(0..limit),
            cfg_rnr_timer: self.rnr_timer,
            cfg_worst_hop: !self.rnr_timer.is_multiple_of(4),
            watch: random_watch(rng, limit),
            m_ack: ReadyPort { ready: self.ack.drive() },
            m_cqe_ready: self.cqe.drive(),
            m_job: ReadyPort { ready: m_job_ready },
        };
        self.clear_left = self.clear_left.saturating_sub(1);
        if reset {
            (self.clear_left, self.held_count) = (self.flow_count, 0);
            self.done.reset();
            self.end.reset();
            self.jobs.fill(0);
        }
        i
    }
}
