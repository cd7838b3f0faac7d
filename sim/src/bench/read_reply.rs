//! Benches: READ responses.

use crate::env::stream::{Sink, Source};
use nic_harness::bench::{Bench, Stimulus};
use nic_models::golden::transport::read::reply::{ReadReply, ReadReplyIn, ReadReplyOut};
use nic_models::ports::Wide;
use nic_models::streams::{ReadJob, ReadyPort};
use nic_spec::config::NicConfig;
use nic_spec::rows::{QpRow, Table};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// The benches of this area.
pub fn benches(config: &NicConfig) -> Vec<Bench> {
    let (c, d) = (config.clone(), config.clone());
    vec![Bench::new("read_reply", config, move || ReadReply::new(&c), move |s| Readers::new(&d, s))]
}

/// READs of a flow as the stimulus makes them.
#[derive(Clone, Debug, Default)]
struct Reader {
    next_psn: u32,
    mtu_code: u8,
    /// Newest last.
    reads: VecDeque<ReadJob>,
    /// PSN to ask for next, in a series that goes back.
    resume_psn: Option<u32>,
}

impl Reader {
    /// A job that goes back to this PSN.
    fn resumed(&mut self, rng: &mut ChaCha8Rng, psn: u32, mut job: ReadJob) -> ReadJob {
        let mtu = 256 << self.mtu_code.min(4);
        job.psn = psn;
        job.restart = true;
        let is_behind = |first: u32| psn.wrapping_sub(first) & 0x80_0000 != 0;
        let at = self.reads.iter().rposition(|r| !is_behind(r.psn));
        let first = at.map_or(job, |at| self.reads[at]);
        let done = u64::from(psn.wrapping_sub(first.psn) & 0xff_ffff) * mtu;
        job.bytes = u64::from(first.bytes).saturating_sub(done) as u32;
        (job.va, job.rkey) = (first.va.wrapping_add(done), first.rkey);
        // A part, and what is not in it.
        match rng.gen_range(0..40) {
            0..=3 => job.bytes -= job.bytes.min(rng.gen_range(0..3 * mtu as u32)),
            4 => job.bytes = (job.bytes + rng.gen_range(1..2 * mtu as u32)).min(1 << 31),
            5 => job.va = job.va.wrapping_sub(rng.gen_range(1..2 * mtu)),
            6 => job.va = job.va.wrapping_add(rng.gen_range(1..2 * mtu)),
            7 => job.va = job.va.wrapping_add(rng.gen_range(1_u64..4) << 32),
            8 => job.rkey ^= 1,
            9 | 10 => (job.va, job.bytes) = (first.va, first.bytes),
            _ => {}
        }
        // A series goes on with the next READ.
        let next = at.and_then(|at| self.reads.get(at + 1)).map(|r| r.psn);
        self.resume_psn = next.filter(|_| rng.gen_ratio(9, 10));
        job
    }
}

/// Jobs of few flows, new ones and restarts, a scheduler, rows, and read errors.
#[derive(Debug)]
pub struct Readers {
    rng: ChaCha8Rng,
    flow_count: u16,
    region_count: u16,
    readers: Vec<Reader>,
    flow_limit: u16,
    job: Source<ReadJob>,
    cfg: Source<(Table, u16, QpRow)>,
    rows: VecDeque<(Table, u16, QpRow)>,
    grant: Source<u16>,
    /// Flows that have asked.
    asked: VecDeque<u16>,
    fail: Source<(u16, u8)>,
    /// Of the latest packet of each flow.
    marks: Vec<u8>,
    pkt: Sink,
    read: Sink,
    work: Sink,
    end: Sink,
    tel_format: u8,
    /// Rare rows, errors and restarts, so that jobs pile up and leave.
    calm: bool,
    quiet: u32,
    has_resets: bool,
}

impl Readers {
    /// A stimulus from a seed.
    pub fn new(config: &NicConfig, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut next = || ChaCha8Rng::from_rng(&mut rng).expect("seeding never fails");
        let (job, cfg, grant) = (Source::new(next()), Source::new(next()), Source::new(next()));
        let fail = Source::new(next());
        let (pkt, read, work) = (Sink::new(next()), Sink::new(next()), Sink::new(next()));
        let end = Sink::new(next());
        let mut new = Self {
            rng,
            flow_count: config.flow_count as u16,
            region_count: config.mr_count as u16,
            readers: vec![Reader::default(); config.flow_count],
            flow_limit: 1,
            job,
            cfg,
            rows: VecDeque::new(),
            grant,
            asked: VecDeque::new(),
            fail,
            marks: vec![0; config.flow_count],
            pkt,
            read,
            work,
            end,
            tel_format: 0,
            calm: false,
            quiet: 0,
            has_resets: true,
        };
        new.start();
        new
    }

    /// The same without resets in between.
    pub fn without_resets(mut self) -> Self {
        self.has_resets = false;
        self
    }

    fn start(&mut self) {
        self.tel_format = self.rng.gen_range(0..8);
        self.asked.clear();
        self.rows.clear();
        for flow in 0..self.flow_count {
            self.write_flow(flow);
        }
        self.quiet = 200 + 40 * u32::from(self.flow_count);
    }

    fn write_flow(&mut self, flow: u16) {
        let rng = &mut self.rng;
        let mtu_code = [0, 0, 0, 0, 1, 2, 3, 4, 5, 7][rng.gen_range(0..10)];
        let qp = QpRow { mtu_code, telemetry: rng.gen(), ..QpRow::default() };
        let next_psn = match rng.gen_range(0..3) {
            0 => 0xff_ffff - rng.gen_range(0..40),
            1 => 0x80_0000 - rng.gen_range(0..40),
            _ => rng.gen_range(0..0x100_0000),
        };
        self.readers[usize::from(flow)] = Reader { next_psn, mtu_code, ..Reader::default() };
        self.rows.push_back((Table::Qp, flow, qp));
    }

    fn make_job(&mut self) -> ReadJob {
        let rng = &mut self.rng;
        let flow = rng.gen_range(0..self.flow_limit);
        let reader = &mut self.readers[usize::from(flow)];
        let mtu = 256 << reader.mtu_code.min(4);
        let mut job = ReadJob {
            valid: true,
            flow,
            psn: reader.next_psn,
            msn: rng.gen_range(0..0x100_0000),
            addr: if rng.gen_ratio(1, 8) {
                u64::MAX - rng.gen_range(0..3 * mtu)
            } else {
                rng.gen()
            },
            bytes: 0,
            restart: false,
            // Regions with the rest of the address space behind them, too.
            va: if rng.gen_ratio(1, 8) { u64::MAX - rng.gen_range(0..3 * mtu) } else { rng.gen() },
            rkey: u32::from(rng.gen_range(0..4) * 13 % self.region_count) << 8
                | rng.gen_range(0..4),
        };
        let again = if self.calm { 40 } else { 6 };
        if reader.resume_psn.is_none() && rng.gen_ratio(1, again) && !reader.reads.is_empty() {
            let ReadJob { psn, bytes, .. } = reader.reads[rng.gen_range(0..reader.reads.len())];
            let packets = (bytes as u64).div_ceil(mtu).clamp(1, 0x80_0000) as u32;
            let offset = if rng.gen() { 0 } else { rng.gen_range(0..packets) };
            let before = if rng.gen_ratio(1, 8) { rng.gen_range(0..3) } else { 0 };
            reader.resume_psn = Some(psn.wrapping_add(offset).wrapping_sub(before) & 0xff_ffff);
        }
        if let Some(psn) = reader.resume_psn {
            return reader.resumed(rng, psn, job);
        }
        job.bytes = match rng.gen_range(0..20) {
            0 | 1 => 0,
            2 => 1 << 31,
            3 => rng.gen_range(0..=1 << 31),
            4..=8 => rng.gen_range(1..mtu as u32),
            9..=11 => mtu as u32 * rng.gen_range(1..4),
            _ => rng.gen_range(1..4 * mtu as u32),
        };
        reader.reads.push_back(job);
        if reader.reads.len() > 18 {
            reader.reads.pop_front();
        }
        let packets = u64::from(job.bytes).div_ceil(mtu).max(1) as u32;
        // WRITEs may be in between.
        let gap = if rng.gen_ratio(1, 4) { rng.gen_range(0..9) } else { 0 };
        reader.next_psn = job.psn.wrapping_add(packets + gap) & 0xff_ffff;
        job
    }

    /// Software, at random.
    fn maintain(&mut self, out: &ReadReplyOut) {
        let often = if self.calm { 20 } else { 1 };
        if self.rng.gen_ratio(1, 700 * often) {
            let flow = self.rng.gen_range(0..self.flow_limit);
            self.write_flow(flow);
        }
        if out.m_pkt.valid && self.rng.gen_ratio(1, 200 * often) {
            self.write_flow(out.m_pkt.flow);
        }
        if self.rng.gen_ratio(1, 400 * often) {
            let region = self.rng.gen_range(0..4) * 13 % self.region_count;
            self.rows.push_back((Table::Mr, region, QpRow::default()));
        }
    }

    fn drive_grants(&mut self, out: &ReadReplyOut, i: &mut ReadReplyIn) {
        let rng = &mut self.rng;
        let stray = rng.gen_ratio(1, 300).then(|| rng.gen_range(0..self.flow_limit));
        let at = if self.asked.is_empty() { 0 } else { rng.gen_range(0..self.asked.len()) };
        let asked = &mut self.asked;
        let grant = self.grant.drive(out.s_grant.ready, || stray.or_else(|| asked.remove(at)));
        (i.s_grant.valid, i.s_grant.flow) = (grant.is_some(), grant.unwrap_or(0));
        let fails = rng.gen_ratio(1, if self.calm { 20_000 } else { 1500 });
        let flow = rng.gen_range(0..self.flow_limit);
        // The queue pair may have become another one behind the packet.
        let mark = match rng.gen_ratio(1, 8) {
            true => rng.gen_range(0..16),
            false => self.marks[usize::from(flow)],
        };
        let fail = self.fail.drive(out.s_fail.ready, || fails.then_some((flow, mark)));
        (i.s_fail.valid, i.s_fail.flow) = (fail.is_some(), fail.map_or(0, |f| f.0));
        i.s_fail.mark = fail.map_or(0, |f| f.1);
    }
}

impl Stimulus<ReadReply> for Readers {
    fn next(&mut self, cycle: u64, out: &ReadReplyOut) -> ReadReplyIn {
        if cycle.is_multiple_of(3000) {
            let limits = [1, 2, 5, self.flow_count];
            self.flow_limit = limits[self.rng.gen_range(0..limits.len())].min(self.flow_count);
            self.calm = self.rng.gen();
        }
        let reset = self.has_resets && self.rng.gen_ratio(1, 30_000);
        let mut i = ReadReplyIn {
            reset,
            cfg_tel_data: self.tel_format,
            m_pkt: ReadyPort { ready: self.pkt.drive() },
            m_read: ReadyPort { ready: self.read.drive() },
            m_work: ReadyPort { ready: self.work.drive() },
            m_end: ReadyPort { ready: self.end.drive() },
            ..ReadReplyIn::default()
        };
        if out.m_work.valid && i.m_work.ready {
            self.asked.push_back(out.m_work.flow);
        }
        if out.m_pkt.valid {
            self.marks[usize::from(out.m_pkt.flow)] = out.m_pkt.mark;
        }
        if self.rows.is_empty() {
            self.maintain(out);
        }
        self.quiet = self.quiet.saturating_sub(1);
        let wants =
            self.quiet == 0 && self.job.is_idle() && (!self.calm || self.rng.gen_ratio(1, 12));
        let job = wants.then(|| self.make_job());
        i.s_job = self.job.drive(out.s_job.ready, || job).unwrap_or_default();
        let rows = &mut self.rows;
        if let Some((table, index, qp)) = self.cfg.drive(out.s_cfg_ready, || rows.pop_front()) {
            i.s_cfg_valid = true;
            (i.cfg_table, i.cfg_index) = (table as u8, index);
            let row = qp.to_row();
            let word = |n: usize| u64::from(row[2 * n]) | u64::from(row[2 * n + 1]) << 32;
            i.cfg_row = Wide(core::array::from_fn(word));
        }
        self.drive_grants(out, &mut i);
        if reset {
            self.job.reset();
            self.cfg.reset();
            self.grant.reset();
            self.fail.reset();
            self.start();
        }
        i
    }
}
