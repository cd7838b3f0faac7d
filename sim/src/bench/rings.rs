//! Benches: rings in host memory and what stands between them and the DMA engines.

use crate::env::stream::{Sink, Source};
use nic_harness::bench::{Bench, Stimulus};
use nic_models::golden::host::cq::ring::{CqConfig, CqRing, CqRingIn, CqRingOut, WrittenPorts};
use nic_models::golden::host::interrupt::{HostErrors, Interrupt, InterruptIn, InterruptOut};
use nic_models::golden::host::read_mux::{ReadMux, ReadMuxIn, ReadMuxOut};
use nic_models::golden::host::sq::fetch::{SqFetch, SqFetchIn, SqFetchOut, WatchPorts};
use nic_models::golden::transport::requester::ValidPort;
use nic_models::ports::Wide;
use nic_models::streams::{
    AxisUser, AxisWordsUser, CommittedRow, Consumer, Doorbell, QueueHead, ReadCommand, ReadyPort,
    RingStatus, StatusClear, TreadyPort,
};
use nic_spec::config::NicConfig;
use nic_spec::rows::{QpRow, Row, Table};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, VecDeque};

/// Cycles between resets in the middle of a run, on average.
const RESET_CYCLES: u32 = 20_000;

/// The benches of this area.
pub fn benches(config: &NicConfig) -> Vec<Bench> {
    let (golden, sizes) = (config.clone(), config.clone());
    vec![
        Bench::new("read_mux", config, ReadMux::default, TwoReaders::new),
        Bench::new(
            "sq_fetch",
            config,
            move || SqFetch::new(&golden),
            move |seed| Submitting::new(&sizes, seed),
        ),
        Bench::new("cq_ring", config, CqRing::new, Polling::new),
        Bench::new("interrupt", config, Interrupt::default, Causes::new),
    ]
}

fn sub(seed: u64, salt: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt)
}

/// Two users whose commands carry who they are; an engine that answers with the command's address.
struct TwoReaders {
    rng: ChaCha8Rng,
    commands: [Source<ReadCommand>; 2],
    engine: Sink,
    data: Source<AxisUser>,
    sinks: [Sink; 2],
    beats: VecDeque<AxisUser>,
    /// Beats that each user waits for.
    expected: [VecDeque<AxisUser>; 2],
}

impl TwoReaders {
    fn new(seed: u64) -> Self {
        Self {
            rng: sub(seed, 0),
            commands: [1, 2].map(|n| Source::new(sub(seed, n))),
            engine: Sink::new(sub(seed, 3)),
            data: Source::new(sub(seed, 4)),
            sinks: [5, 6].map(|n| Sink::new(sub(seed, n))),
            beats: VecDeque::new(),
            expected: Default::default(),
        }
    }

    /// A taken command: its beats will come and go to its user.
    fn answer(&mut self, command: &ReadCommand) {
        let user = (command.addr & 1) as usize;
        let beat_count = command.bytes.div_ceil(8);
        for n in 0..beat_count {
            let tlast = n + 1 == beat_count;
            let beat = AxisUser {
                tdata: command.addr.wrapping_add(u64::from(n) << 32),
                tkeep: if tlast { 0xff >> (8 * beat_count - command.bytes) } else { 0xff },
                tlast,
                tuser: tlast && self.rng.gen_ratio(1, 4),
                tvalid: true,
            };
            self.beats.push_back(beat);
            self.expected[user].push_back(beat);
        }
    }

    fn check(&mut self, user: usize, tdata: u64, tlast: bool, tuser: bool) {
        let beat = self.expected[user].pop_front().expect("a beat of this user is on its way");
        let wanted = (beat.tdata, beat.tlast, beat.tuser);
        assert_eq!((tdata, tlast, tuser), wanted, "user {user}");
    }

    fn restart(&mut self) {
        self.commands.iter_mut().for_each(Source::reset);
        self.data.reset();
        self.beats.clear();
        self.expected = Default::default();
    }
}

impl Stimulus<ReadMux> for TwoReaders {
    fn next(&mut self, _: u64, out: &ReadMuxOut) -> ReadMuxIn {
        let reset = self.rng.gen_ratio(1, RESET_CYCLES);
        let ready = [out.s_pkt.ready, out.s_wr.ready];
        let offers: [ReadCommand; 2] = std::array::from_fn(|user| {
            let bytes = match self.rng.gen_range(0..64) {
                0 => 4096,
                n => [0, 40, 64, self.rng.gen_range(1..80)][n % 4],
            };
            let addr = self.rng.gen::<u64>() & !1 | user as u64;
            let next = ReadCommand { valid: true, addr, bytes };
            self.commands[user].drive(ready[user], || Some(next)).unwrap_or_default()
        });
        let engine_ready = self.engine.drive();
        if out.m_cmd.valid && engine_ready {
            self.answer(&out.m_cmd);
        }
        let beats = &mut self.beats;
        let beat = self.data.drive(out.s_axis.tready, || beats.pop_front());
        let [pkt, wr] = [0, 1].map(|n| self.sinks[n].drive());
        if out.m_pkt.tvalid && pkt {
            self.check(0, out.m_pkt.tdata, out.m_pkt.tlast, out.m_pkt.tuser);
        }
        if out.m_wr.tvalid && wr {
            self.check(1, out.m_wr.tdata, out.m_wr.tlast, out.m_wr.tuser);
        }
        if reset {
            self.restart();
        }
        ReadMuxIn {
            reset,
            s_pkt: offers[0],
            s_wr: offers[1],
            m_cmd: ReadyPort { ready: engine_ready },
            s_axis: beat.unwrap_or_default(),
            m_pkt: TreadyPort { tready: pkt },
            m_wr: TreadyPort { tready: wr },
        }
    }
}

/// A queue pair as software sees it.
#[derive(Clone, Debug, Default)]
struct RingBook {
    log2: u8,
    address: u64,
    /// Work requests written to the ring, told by doorbell, handed to the requester, retired.
    posted: u16,
    told: u16,
    handed: u16,
    retired: u16,
    /// A work request that cannot be read, and whether that was reported.
    unreadable: Option<u16>,
    is_reported: bool,
    /// In the requester's queue.
    queued: usize,
}

/// What stands at the row port.
#[derive(Clone, Copy, Debug)]
struct Commit {
    table: Table,
    flow: usize,
    row: Row,
}

/// Software with rings, host memory behind a read engine, and a requester.
struct Submitting {
    rng: ChaCha8Rng,
    depth: usize,
    flow_count: usize,
    books: Vec<RingBook>,
    /// The work requests in memory; `None`: cannot be read.
    memory: BTreeMap<u64, Option<[u64; 5]>>,
    /// The doorbell at the port.
    ringing: Option<(usize, u16)>,
    commit: Option<Commit>,
    commits: Sink,
    engine: Sink,
    data: Source<AxisWordsUser>,
    beats: VecDeque<AxisWordsUser>,
    retire: VecDeque<usize>,
    slot: Option<usize>,
    other_order: u8,
    /// One work request retires in so many cycles, and how long it stays so.
    pace: u32,
    pace_left: u32,
    takes: Sink,
    lost: Sink,
    /// Reports of queue pairs that are gone may still come.
    old_lost: Vec<(u16, u32)>,
    rows: Sink,
    room_left: u32,
    has_room: bool,
    refused: [u32; 2],
    seen: [u32; 2],
    idle_cycles: u32,
}

/// Cycles without a work request although one could come, before the bench gives up.
const STUCK_CYCLES: u32 = 3_000;

fn wide(row: &Row) -> Wide<8> {
    Wide(core::array::from_fn(|n| u64::from(row[2 * n]) | u64::from(row[2 * n + 1]) << 32))
}

impl Submitting {
    fn new(config: &NicConfig, seed: u64) -> Self {
        Self {
            rng: sub(seed, 0),
            depth: config.sq_depth,
            flow_count: config.flow_count,
            books: vec![RingBook::default(); config.flow_count],
            memory: BTreeMap::new(),
            ringing: None,
            commit: None,
            commits: Sink::new(sub(seed, 2)),
            engine: Sink::new(sub(seed, 3)),
            data: Source::new(sub(seed, 4)),
            beats: VecDeque::new(),
            retire: VecDeque::new(),
            slot: None,
            other_order: 0,
            pace: 4,
            pace_left: 0,
            takes: Sink::new(sub(seed, 5)),
            lost: Sink::new(sub(seed, 6)),
            old_lost: Vec::new(),
            rows: Sink::new(sub(seed, 7)),
            room_left: 0,
            has_room: false,
            refused: [0; 2],
            seen: [0; 2],
            idle_cycles: 0,
        }
    }

    /// A flow that is in use: a few, so that each has much to do, with both ends of the range.
    fn flow(&mut self) -> usize {
        [0, 1, 2, 3, 4, 21, self.flow_count - 1][self.rng.gen_range(0..7)]
    }

    fn new_qp(&mut self) -> Commit {
        let flow = self.flow();
        let rng = &mut self.rng;
        let qp = QpRow {
            valid: rng.gen_ratio(7, 8),
            qpn: flow as u32,
            sq_log2: [0, 1, 2, 3, 4, 8][rng.gen_range(0..6)],
            // Rings do not overlap; carries into every part of the address.
            sq_address: [0_u64, 0xffff_f000, 0xffff_ffff_fff0_0000][rng.gen_range(0..3)]
                .wrapping_add(flow as u64 * 0x1_0000 + rng.gen_range(0..64) * 64),
            window_bytes: rng.gen(),
            ..QpRow::default()
        };
        Commit { table: Table::Qp, flow, row: qp.to_row() }
    }

    /// Software writes work requests into the free places of a ring.
    fn post(&mut self, flow: usize) {
        let rng = &mut self.rng;
        let book = &mut self.books[flow];
        let room = (1_u32 << book.log2) - u32::from(book.posted.wrapping_sub(book.retired));
        for _ in 0..rng.gen_range(0..=room) {
            let place = u64::from(book.posted) & ((1 << book.log2) - 1);
            let is_readable = !rng.gen_ratio(1, 300);
            if !is_readable && book.unreadable.is_none() {
                book.unreadable = Some(book.posted);
            }
            let address = book.address.wrapping_add(64 * place);
            self.memory.insert(address, is_readable.then(|| rng.gen()));
            book.posted = book.posted.wrapping_add(1);
        }
    }

    fn doorbell(&mut self) -> Option<(usize, u16)> {
        let flow = self.flow();
        let being_changed = self.commit.is_some_and(|c| c.flow == flow);
        if self.rng.gen_ratio(1, 40) {
            // Out of range, or any index on a flow without a ring.
            return Some((self.flow_count + self.rng.gen_range(0..1000), self.rng.gen()));
        }
        if being_changed {
            return None;
        }
        let book = &self.books[flow];
        if book.log2 == 0 {
            return Some((flow, self.rng.gen()));
        }
        if self.rng.gen_ratio(1, 20) {
            // Beyond the ring whatever has been fetched, or behind the last doorbell.
            let beyond = book.told.wrapping_add((1 << book.log2) + 1);
            return Some((flow, [beyond, book.retired.wrapping_sub(1)][self.rng.gen_range(0..2)]));
        }
        self.post(flow);
        let book = &self.books[flow];
        // Now and then the doorbell tells of a part only.
        let news = book.posted.wrapping_sub(book.told);
        let part = if self.rng.gen_ratio(1, 4) { self.rng.gen_range(0..=news) } else { news };
        Some((flow, book.told.wrapping_add(part)))
    }

    /// The block has taken a doorbell.
    fn rung(&mut self, (flow, index): (usize, u16)) {
        let legal = flow < self.flow_count && {
            let book = &self.books[flow];
            let ahead = index.wrapping_sub(book.told);
            book.log2 > 0 && ahead <= book.posted.wrapping_sub(book.told)
        };
        if legal {
            self.books[flow].told = index;
        } else {
            self.refused[0] += 1;
        }
    }

    fn next_commit(&mut self) -> Option<Commit> {
        if self.rng.gen_ratio(1, 60) {
            return Some(self.new_qp());
        }
        if self.rng.gen_ratio(1, 10) {
            let (flow, row) = (self.flow(), self.rng.gen());
            return Some(Commit { table: Table::Wr, flow, row });
        }
        None
    }

    /// The requester takes a row.
    fn take(&mut self, out: &SqFetchOut) {
        let flow = usize::from(out.m_cfg.index);
        let words = out.m_cfg.row;
        if let Some(commit) = self.commit.filter(|c| c.table as u8 == out.m_cfg.table) {
            // The ring's words stay with the books.
            let mut row = commit.row;
            row[11..].fill(0);
            if commit.flow == flow && wide(&row) == words {
                if commit.table == Table::Qp {
                    self.books[flow].queued = 0;
                    self.retire.retain(|f| *f != flow);
                } else {
                    self.books[flow].queued += 1;
                    self.retire.push_back(flow);
                }
                return;
            }
        }
        assert_eq!(out.m_cfg.table, Table::Wr as u8, "a row that nobody has committed");
        let book = &mut self.books[flow];
        assert!(book.unreadable != Some(book.handed), "flow {flow} goes on behind an error");
        assert!(book.handed != book.told, "flow {flow} is given more than its doorbell told");
        let place = u64::from(book.handed) & ((1 << book.log2) - 1);
        let wr = self.memory[&book.address.wrapping_add(64 * place)].expect("it can be read");
        assert_eq!((&words.0[..5], &words.0[5..]), (&wr[..], &[0; 3][..]), "flow {flow}");
        assert!(book.queued < self.depth, "flow {flow}: the send queue is full");
        book.handed = book.handed.wrapping_add(1);
        book.queued += 1;
        self.retire.push_back(flow);
        self.idle_cycles = 0;
    }

    /// The commit at the port is answered.
    fn committed(&mut self) {
        let Some(Commit { table, flow, row }) = self.commit.take() else {
            panic!("a row is taken that nobody offers")
        };
        match table {
            Table::Qp => {
                let qp = QpRow::from_row(&row);
                let log2 = if qp.valid { qp.sq_log2 } else { 0 };
                let old = &self.books[flow];
                if let Some(index) = old.unreadable.filter(|_| !old.is_reported) {
                    self.old_lost.push((flow as u16, u32::from(index)));
                }
                self.books[flow] = RingBook { log2, address: qp.sq_address, ..Default::default() };
            }
            _ => self.refused[1] += u32::from(self.books[flow].log2 > 0),
        }
    }

    /// Work requests retire, not in the order of flows.
    fn retires(&mut self) -> WatchPorts {
        let is_free = self.slot.is_none() && self.other_order == 0;
        if self.pace_left == 0 {
            // Fast enough to keep up, or so slow that send queues fill.
            self.pace = [4, 4, 40, 1000][self.rng.gen_range(0..4)];
            self.pace_left = 1000;
        }
        self.pace_left -= 1;
        if is_free && !self.retire.is_empty() && self.rng.gen_ratio(1, self.pace) {
            let at = self.rng.gen_range(0..self.retire.len());
            self.slot = self.retire.remove(at);
            let book = &mut self.books[self.slot.expect("one was there")];
            book.queued -= 1;
            book.retired = book.retired.wrapping_add(1);
        }
        let ready = self.takes.drive();
        // Now and then the requester's stream carries something else.
        if self.slot.is_none() && self.other_order == 0 && self.rng.gen_ratio(1, 16) {
            self.other_order = self.rng.gen_range(1..3);
        }
        let op = if self.slot.is_some() { 0 } else { self.other_order };
        let flow = self.slot.unwrap_or(self.flow_count - 1) as u16;
        let valid = self.slot.is_some() || self.other_order > 0;
        if ready && self.slot.take().is_none() {
            self.other_order = 0;
        }
        WatchPorts { valid, ready, op, flow }
    }

    fn answer(&mut self, command: &ReadCommand) {
        assert_eq!((command.addr % 64, command.bytes), (0, 40), "command");
        let wr = self.memory.get(&command.addr).expect("a place of a ring");
        let words = wr.unwrap_or_else(|| self.rng.gen());
        for (n, tdata) in words.into_iter().enumerate() {
            let tlast = n == 4;
            self.beats.push_back(AxisWordsUser {
                tdata,
                tlast,
                tuser: tlast && wr.is_none(),
                tvalid: true,
            });
        }
    }

    fn lose(&mut self, flow: u16, index: u32) {
        if let Some(at) = self.old_lost.iter().position(|old| *old == (flow, index)) {
            self.old_lost.remove(at);
            return;
        }
        let book = &mut self.books[usize::from(flow)];
        assert_eq!(book.unreadable.map(u32::from), Some(index), "report of flow {flow}");
        assert!(!std::mem::replace(&mut book.is_reported, true), "flow {flow} reports twice");
    }

    /// Nothing may stand still for long while something could move.
    fn watch_progress(&mut self, moves: bool) {
        let could = self
            .books
            .iter()
            .any(|b| b.handed != b.told && b.unreadable != Some(b.handed) && b.queued < self.depth);
        self.idle_cycles = if could { self.idle_cycles + u32::from(moves) } else { 0 };
        assert!(self.idle_cycles < STUCK_CYCLES, "work requests are not fetched");
    }

    fn restart(&mut self) {
        self.books.fill(RingBook::default());
        self.memory.clear();
        (self.ringing, self.commit, self.slot) = (None, None, None);
        self.data.reset();
        self.beats.clear();
        self.retire.clear();
        self.old_lost.clear();
        (self.refused, self.seen) = ([0; 2], [0; 2]);
        (self.idle_cycles, self.other_order) = (0, 0);
    }
}

impl Stimulus<SqFetch> for Submitting {
    fn next(&mut self, _: u64, out: &SqFetchOut) -> SqFetchIn {
        let reset = self.rng.gen_ratio(1, RESET_CYCLES);
        self.seen[0] += u32::from(out.event_sq.doorbell_refused);
        self.seen[1] += u32::from(out.event_sq.wr_refused);
        assert_eq!(self.seen[0], self.refused[0], "refused doorbells");
        if self.room_left == 0 {
            self.has_room = self.rng.gen_ratio(3, 4);
            self.room_left = self.rng.gen_range(1..400);
        }
        self.room_left -= 1;
        // The requester takes a row, then retires.
        let m_cfg = ReadyPort { ready: self.rows.drive() };
        if out.m_cfg.valid && m_cfg.ready {
            self.take(out);
        }
        let watch = self.retires();
        if out.s_cfg.ready {
            self.committed();
        }
        assert_eq!(self.seen[1], self.refused[1], "refused work requests");
        if self.ringing.is_none() && self.commits.drive() && self.rng.gen_ratio(1, 8) {
            self.ringing = self.doorbell();
        }
        let ringing = self.ringing;
        let s_doorbell = Doorbell {
            valid: ringing.is_some(),
            flow: ringing.map_or(0, |r| r.0 as u16),
            index: ringing.map_or(0, |r| r.1),
        };
        if let Some(ringing) = ringing.filter(|_| out.s_doorbell.ready) {
            self.rung(ringing);
            self.ringing = None;
        }
        let may_commit = ringing.is_none() && self.ringing.is_none() && !out.s_cfg.ready;
        if self.commit.is_none() && may_commit && self.rng.gen_ratio(1, 16) {
            self.commit = self.next_commit();
        }
        let commit = self.commit;
        let cfg = CommittedRow {
            table: commit.map_or(0, |c| c.table as u8),
            index: commit.map_or(0, |c| c.flow as u16),
            row: commit.map_or(Wide::default(), |c| wide(&c.row)),
        };
        let m_cmd = ReadyPort { ready: self.engine.drive() };
        if out.m_cmd.valid && m_cmd.ready {
            self.answer(&out.m_cmd);
        }
        let beats = &mut self.beats;
        let s_axis = self.data.drive(out.s_axis.tready, || beats.pop_front()).unwrap_or_default();
        let m_cqe = ReadyPort { ready: self.lost.drive() };
        if out.m_cqe.valid && m_cqe.ready {
            self.lose(out.m_cqe.flow, out.m_cqe.wr_id);
        }
        self.watch_progress(self.has_room && commit.is_none());
        if reset {
            self.restart();
        }
        SqFetchIn {
            reset,
            s_doorbell,
            s_cfg: ValidPort { valid: commit.is_some() },
            cfg,
            m_cfg,
            watch,
            wr_room: self.has_room,
            m_cmd,
            s_axis,
            m_cqe,
        }
    }
}

/// A completion queue, a write engine on memory, and software that polls the ring.
struct Polling {
    rng: ChaCha8Rng,
    /// Completions that are not committed, oldest first; the first `taken` are on their way.
    queue: VecDeque<u128>,
    taken: usize,
    head_valid: bool,
    next_number: u32,
    push_percent: u32,
    engine: [Sink; 2],
    command: Option<u64>,
    beats: Vec<u64>,
    /// Reports to come: cycles to wait, failure.
    reports: VecDeque<(u32, bool)>,
    memory: BTreeMap<u64, u128>,
    cfg: CqConfig,
    /// Size of the ring, also while it is being switched off.
    log2: u8,
    /// Cycles until the ring is switched.
    switch_left: u32,
    off_cycles: u32,
    stopped: bool,
    read_count: u16,
    expected_number: u32,
    told: u16,
    consumer_gap: u32,
    wrong_indices: u32,
    refusals: u32,
    idle_cycles: u32,
}

impl Polling {
    fn new(seed: u64) -> Self {
        Self {
            rng: sub(seed, 0),
            queue: VecDeque::new(),
            taken: 0,
            head_valid: false,
            next_number: 0,
            push_percent: 20,
            engine: [1, 2].map(|n| Sink::new(sub(seed, n))),
            command: None,
            beats: Vec::new(),
            reports: VecDeque::new(),
            memory: BTreeMap::new(),
            cfg: CqConfig::default(),
            log2: 0,
            switch_left: 100,
            off_cycles: 0,
            stopped: false,
            read_count: 0,
            expected_number: 0,
            told: 0,
            consumer_gap: 0,
            wrong_indices: 0,
            refusals: 0,
            idle_cycles: 0,
        }
    }

    fn base(&self) -> u64 {
        u64::from(self.cfg.base_lo) | u64::from(self.cfg.base_hi) << 32
    }

    /// The queue: pushes, and what the ring did to it.
    fn move_queue(&mut self, cycle: u64, out: &CqRingOut) {
        if cycle.is_multiple_of(2048) {
            self.push_percent = [1, 10, 50, 100][self.rng.gen_range(0..4)];
        }
        if out.head.take {
            assert!(self.head_valid, "the ring takes what is not shown");
            self.taken += 1;
            self.head_valid = false;
        } else if !self.head_valid && self.queue.len() > self.taken && self.rng.gen() {
            self.head_valid = true;
        }
        if out.head.commit {
            self.taken -= 1;
            self.queue.pop_front();
        }
        if out.head.rewind {
            (self.taken, self.head_valid) = (0, false);
        }
        if self.queue.len() < 64 && self.rng.gen_range(0..100) < self.push_percent {
            let noise = u128::from(self.rng.gen::<u64>() & 0xffff_7fff_ffff_ffff) << 64;
            self.queue.push_back(noise | u128::from(self.next_number));
            self.next_number += 1;
        }
    }

    /// The engine takes a command and its beats, writes, and reports later.
    fn write(&mut self, out: &CqRingOut) -> (ReadyPort, TreadyPort) {
        let ready = ReadyPort { ready: self.engine[0].drive() && self.command.is_none() };
        if out.m_cmd.valid && ready.ready {
            assert_eq!((out.m_cmd.bytes, out.m_cmd.addr % 16), (16, 0), "command");
            self.command = Some(out.m_cmd.addr);
        }
        let tready = TreadyPort { tready: self.engine[1].drive() && self.beats.len() < 2 };
        if out.m_data.tvalid && tready.tready {
            self.beats.push(out.m_data.tdata);
            assert_eq!(out.m_data.tlast, self.beats.len() == 2, "last");
        }
        if let (Some(addr), 2) = (self.command, self.beats.len()) {
            let fails = self.rng.gen_ratio(1, 200);
            if !fails {
                let entry = u128::from(self.beats[0]) | u128::from(self.beats[1]) << 64;
                let place = addr.wrapping_sub(self.base()) / 16;
                assert!(place < 1 << self.log2, "an entry beside the ring");
                self.memory.insert(addr, entry);
            }
            self.reports.push_back((self.rng.gen_range(0..40), fails));
            self.command = None;
            self.beats.clear();
        }
        (ready, tready)
    }

    fn report(&mut self) -> WrittenPorts {
        let Some((left, error)) = self.reports.front_mut() else { return WrittenPorts::default() };
        if *left > 0 {
            *left -= 1;
            return WrittenPorts::default();
        }
        let error = *error;
        self.stopped |= error;
        self.reports.pop_front();
        WrittenPorts { valid: true, error }
    }

    /// Software reads all entries that memory shows.
    fn poll(&mut self) {
        let size = 1_u64 << self.log2;
        loop {
            let place = u64::from(self.read_count) % size;
            let phase = (u64::from(self.read_count) / size).is_multiple_of(2);
            let addr = self.base().wrapping_add(16 * place);
            let entry = self.memory.get(&addr).copied().unwrap_or(0);
            if (entry >> 111 & 1 == 1) != phase {
                return;
            }
            assert_eq!(entry as u32, self.expected_number, "completions out of order");
            self.expected_number += 1;
            self.read_count = self.read_count.wrapping_add(1);
            self.idle_cycles = 0;
        }
    }

    fn consumer(&mut self, landed: u16) -> Consumer {
        self.consumer_gap = self.consumer_gap.saturating_sub(1);
        let mut ports = Consumer { valid: false, index: self.read_count, arm: self.rng.gen() };
        if self.consumer_gap > 0 || self.cfg.log2 == 0 || !self.rng.gen_ratio(1, 16) {
            return ports;
        }
        (self.consumer_gap, ports.valid) = (6, true);
        if self.rng.gen_ratio(1, 16) {
            // More than the ring holds, or back.
            let beyond = landed.wrapping_add(600);
            ports.index = if self.rng.gen() { beyond } else { self.told.wrapping_sub(1) };
            self.wrong_indices += 1;
        } else {
            self.told = self.read_count;
        }
        ports
    }

    /// Switches the ring off, and on in another size.
    fn switch(&mut self, out: &CqRingOut) {
        // The last entries may have gone out this cycle: software sees that later.
        self.off_cycles = if out.ring.owns { 0 } else { self.off_cycles + 1 };
        self.switch_left = self.switch_left.saturating_sub(1);
        if self.switch_left > 0 && !(self.stopped && self.rng.gen_ratio(1, 64)) {
            return;
        }
        if self.cfg.log2 > 0 && self.consumer_gap == 0 {
            self.cfg.log2 = 0;
            self.switch_left = 8;
        } else if self.cfg.log2 == 0 && self.off_cycles > 4 {
            // What has landed is read; the rest is in the queue.
            let front = self.queue.front().map_or(self.next_number, |entry| *entry as u32);
            assert_eq!(front, self.expected_number, "completions lost or doubled");
            self.memory.clear();
            let base: u64 = [0, 0xffff_ff80, 0xffff_ffff_ffff_c000][self.rng.gen_range(0..3)];
            (self.cfg.base_lo, self.cfg.base_hi) = (base as u32, (base >> 32) as u32);
            self.log2 = [1, 2, 3, 5, 9][self.rng.gen_range(0..5)];
            self.cfg.log2 = self.log2;
            (self.read_count, self.told, self.stopped) = (0, 0, false);
            self.switch_left = self.rng.gen_range(10..8_000);
        }
    }
}

impl Stimulus<CqRing> for Polling {
    fn next(&mut self, cycle: u64, out: &CqRingOut) -> CqRingIn {
        self.refusals += u32::from(out.event_cq.refused);
        assert!(self.refusals <= self.wrong_indices, "a good index is refused");
        self.move_queue(cycle, out);
        let (m_cmd, m_data) = self.write(out);
        let s_done = self.report();
        // A ring that is off can be read until the next one: one that an error has halted is off at
        // once.
        if self.cfg.log2 == 0 || (out.ring.owns && self.rng.gen_ratio(1, 24)) {
            self.poll();
        }
        let s_consumer = self.consumer(out.landed);
        self.idle_cycles += u32::from(self.cfg.log2 > 0 && !self.stopped && self.queue.len() > 9);
        assert!(self.idle_cycles < 3_000, "completions do not come");
        self.switch(out);
        let head = if self.head_valid { self.queue[self.taken] } else { self.rng.gen() };
        let (cfg, head) = (self.cfg, QueueHead { valid: self.head_valid, entry: head });
        CqRingIn { reset: false, cfg, head, s_consumer, m_cmd, m_data, s_done }
    }
}

/// Causes and software, all at random.
struct Causes(ChaCha8Rng);

impl Causes {
    fn new(seed: u64) -> Self {
        Self(sub(seed, 0))
    }
}

impl Stimulus<Interrupt> for Causes {
    fn next(&mut self, cycle: u64, _: &InterruptOut) -> InterruptIn {
        let rng = &mut self.0;
        InterruptIn {
            reset: rng.gen_ratio(1, 2000),
            cfg_enable: (cycle / 64 % 4) as u8,
            ring: RingStatus {
                armed: rng.gen_ratio(1, 8),
                waiting: rng.gen_ratio(1, 4),
                full: rng.gen_ratio(1, 8),
                owns: rng.gen_ratio(1, 8),
            },
            error: HostErrors {
                doorbell: rng.gen_ratio(1, 32),
                sq: rng.gen_ratio(1, 32),
                cq: rng.gen_ratio(1, 32),
                consumer: rng.gen_ratio(1, 32),
            },
            doorbell_flow: rng.gen(),
            clear: StatusClear { valid: rng.gen_ratio(1, 8), bits: rng.gen() },
        }
    }
}
