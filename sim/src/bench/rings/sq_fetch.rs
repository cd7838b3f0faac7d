//! Bench of `sq_fetch`: rings of work requests, and memory that refuses some.

use crate::bench::random::sub;
use crate::env::stream::{Sink, Source};
use nic_harness::bench::Stimulus;
use nic_models::golden::host::sq::fetch::{SqFetch, SqFetchIn, SqFetchOut, WatchPorts};
use nic_models::golden::transport::requester::ValidPort;
use nic_models::ports::{Data, Wide};
use nic_models::starts::Place;
use nic_models::streams::{AxisWordsUser, CommittedRow, Doorbell, ReadCommand, ReadyPort};
use nic_spec::config::NicConfig;
use nic_spec::rows::{QpRow, Row, Table};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, VecDeque};

/// Orders leave the requesters so many cycles apart at least, those of a flow so many.
const RETIRE_CYCLES: u32 = 2;
const RETIRE_SAME_CYCLES: u32 = 4;
/// Cycles between resets in the middle of a run, on average.
const RESET_CYCLES: u32 = 20_000;

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

/// A work request that retires late: the queue pair that had posted it is gone. The new one's
/// doorbells come when it has been counted.
#[derive(Clone, Copy, Debug)]
struct Late {
    flow: usize,
    /// Cycles of [`SETTLE_CYCLES`] left.
    settle_left: u32,
}

/// Cycles in which a work request that has retired is counted.
const SETTLE_CYCLES: u32 = 64;

/// Software with rings, host memory behind a read engine, and a requester.
pub struct Submitting {
    rng: ChaCha8Rng,
    sq_scale: u8,
    depth: usize,
    beat_bytes: usize,
    batch: u64,
    flow_count: usize,
    books: Vec<RingBook>,
    /// Index at which the ring of a queue pair begins that is being set up.
    first_index: Vec<u16>,
    /// The work requests in memory; `None`: cannot be read.
    memory: BTreeMap<u64, Option<[u64; 8]>>,
    /// The doorbell at the port.
    ringing: Option<(usize, u16)>,
    commit: Option<Commit>,
    commits: Sink,
    engine: Sink,
    data: Source<AxisWordsUser>,
    beats: VecDeque<AxisWordsUser>,
    /// Host memory does not answer for so many cycles: now and then as long as all that may be on
    /// its way takes to be asked for.
    pause_left: u32,
    pause_max: u32,
    retire: VecDeque<usize>,
    /// Cycles since one has retired, and its flow.
    since_retired: u32,
    last_retired: usize,
    slot: Option<usize>,
    late: Option<Late>,
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
    pub fn new(config: &NicConfig, seed: u64) -> Self {
        let sq_scale = ((seed + 3) % 4) as u8;
        Self {
            rng: sub(seed, 0),
            sq_scale,
            depth: config.sq_depth_at(sq_scale),
            beat_bytes: config.data_bytes(),
            batch: config.sq_batch() as u64,
            flow_count: config.flow_count,
            books: vec![RingBook::default(); config.flow_count],
            first_index: vec![0; config.flow_count],
            memory: BTreeMap::new(),
            ringing: None,
            commit: None,
            commits: Sink::new(sub(seed, 2)),
            engine: Sink::new(sub(seed, 3)),
            data: Source::new(sub(seed, 4)),
            beats: VecDeque::new(),
            pause_left: 0,
            pause_max: 10 * config.ring_entries() as u32,
            retire: VecDeque::new(),
            since_retired: 0,
            last_retired: 0,
            slot: None,
            late: None,
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
        if being_changed || self.late.is_some_and(|late| late.flow == flow) {
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
            if commit.flow == flow && wide(&commit.row) == words {
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
        assert_eq!(words.0, wr, "flow {flow}");
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
                let (first, book) = (self.first_index[flow], &mut self.books[flow]);
                (book.posted, book.told) = (first, first);
                (book.handed, book.retired) = (first, first);
                self.first_index[flow] = 0;
                if log2 > 0 && self.late.is_none() && self.rng.gen_ratio(1, 4) {
                    self.late = Some(Late { flow, settle_left: SETTLE_CYCLES });
                }
            }
            _ => self.refused[1] += u32::from(self.books[flow].log2 > 0),
        }
    }

    /// Work requests retire, not in the order of flows.
    fn retires(&mut self) -> WatchPorts {
        let is_free = self.slot.is_none() && self.other_order == 0;
        if self.pace_left == 0 {
            // Fast enough to keep up, or so slow that send queues fill.
            self.pace = [1, 4, 40, 1000][self.rng.gen_range(0..4)];
            self.pace_left = 1000;
        }
        self.pace_left -= 1;
        self.since_retired += 1;
        let may_retire = is_free && self.since_retired >= RETIRE_CYCLES && !self.retire.is_empty();
        if may_retire && self.rng.gen_ratio(1, self.pace) {
            let at = self.rng.gen_range(0..self.retire.len());
            let is_soon = self.since_retired < RETIRE_SAME_CYCLES;
            if !is_soon || self.retire[at] != self.last_retired {
                self.slot = self.retire.remove(at);
            }
        }
        if let Some(flow) = self.slot.filter(|_| is_free) {
            let book = &mut self.books[flow];
            book.queued -= 1;
            book.retired = book.retired.wrapping_add(1);
        }
        if let Some(late) = self.late.as_mut().filter(|_| self.slot.is_none()) {
            if late.settle_left < SETTLE_CYCLES {
                late.settle_left -= 1;
            } else if is_free && self.since_retired >= RETIRE_SAME_CYCLES {
                self.slot = Some(late.flow);
                late.settle_left -= 1;
            }
        }
        self.late = self.late.filter(|late| late.settle_left > 0);
        let ready = self.takes.drive();
        // Now and then the requester's stream carries something else.
        if self.slot.is_none() && self.other_order == 0 && self.rng.gen_ratio(1, 16) {
            self.other_order = self.rng.gen_range(1..3);
        }
        let op = if self.slot.is_some() { 0 } else { self.other_order };
        let flow = self.slot.unwrap_or(self.flow_count - 1) as u16;
        let valid = self.slot.is_some() || self.other_order > 0;
        if ready {
            match self.slot.take() {
                Some(flow) => (self.since_retired, self.last_retired) = (0, flow),
                None => self.other_order = 0,
            }
        }
        WatchPorts { valid, ready, op, flow }
    }

    fn answer(&mut self, command: &ReadCommand) {
        let count = u64::from(command.bytes / 64);
        assert_eq!((command.addr % 64, command.bytes % 64), (0, 0), "command");
        assert!((1..=self.batch).contains(&count), "{count} work requests at once");
        let mut tuser = false;
        for at in 0..count {
            let place = command.addr.wrapping_add(64 * at);
            let wr = self.memory.get(&place).expect("a place of a ring");
            // From the refused beat on all of the read's are marked.
            tuser |= wr.is_none();
            let words = wr.unwrap_or_else(|| self.rng.gen());
            let chunks = words.chunks(self.beat_bytes / 8);
            let last = chunks.len() - 1;
            for (n, words) in chunks.enumerate() {
                let mut tdata = Data::default();
                tdata.0[..words.len()].copy_from_slice(words);
                let tlast = at + 1 == count && n == last;
                self.beats.push_back(AxisWordsUser { tdata, tlast, tuser, tvalid: true });
            }
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
        self.first_index.fill(0);
        self.memory.clear();
        (self.ringing, self.commit, self.slot, self.late) = (None, None, None, None);
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
        self.pause_left = self.pause_left.saturating_sub(1);
        if self.rng.gen_ratio(1, 2000) {
            self.pause_left = self.rng.gen_range(0..self.pause_max);
        }
        let (beats, pauses) = (&mut self.beats, self.pause_left > 0);
        let s_axis =
            self.data.drive(out.s_axis.tready, || if pauses { None } else { beats.pop_front() });
        let s_axis = s_axis.unwrap_or_default();
        let m_cqe = ReadyPort { ready: self.lost.drive() };
        if out.m_cqe.valid && m_cqe.ready {
            self.lose(out.m_cqe.flow, out.m_cqe.wr_id);
        }
        self.watch_progress(self.has_room && commit.is_none() && !pauses);
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
            cfg_sq_scale: self.sq_scale,
            wr_room: self.has_room,
            m_cmd,
            s_axis,
            m_cqe,
        }
    }
    fn started(&mut self, path: &str, value: u64) {
        let place = Place::parse(path).and_then(|place| place.word);
        let flow = place.expect("the place is the row of a flow");
        self.first_index[flow] = value as u16;
    }
}
