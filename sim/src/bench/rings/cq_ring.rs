//! Bench of `cq_ring`: completions, and software that polls for them.

use crate::bench::random::sub;
use crate::env::stream::Sink;
use nic_harness::bench::Stimulus;
use nic_models::golden::host::cq::ring::{CqConfig, CqRing, CqRingIn, CqRingOut};
use nic_models::ports::Data;
use nic_models::streams::{Consumer, QueueHead, ReadyPort, TreadyPort, WriteCommand, WriteDone};
use nic_spec::config::NicConfig;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, VecDeque};

/// A completion queue, a write engine on memory, and software that polls the ring.
pub struct Polling {
    rng: ChaCha8Rng,
    /// Completions that are not committed, oldest first; the first `taken` are on their way.
    queue: VecDeque<u128>,
    taken: usize,
    head_valid: bool,
    takes: bool,
    next_number: u32,
    push_percent: u32,
    engine: [Sink; 2],
    command: Option<WriteCommand>,
    beats: Vec<Data>,
    beat_bytes: usize,
    /// Entries of a write at most.
    batch: u64,
    /// Longest time to a report: so long that as many entries as may are on their way.
    latency_cycles_max: u64,
    cycle: u64,
    /// Reports to come: the cycle from which on, tag, failure.
    reports: VecDeque<(u64, u128, bool)>,
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
    /// Software looks into the ring once in so many cycles.
    poll_interval: u32,
    told: u16,
    consumer_gap: u32,
    wrong_indices: u32,
    refusals: u32,
    idle_cycles: u32,
}

impl Polling {
    pub fn new(config: &NicConfig, seed: u64) -> Self {
        Self {
            rng: sub(seed, 0),
            queue: VecDeque::new(),
            taken: 0,
            head_valid: false,
            takes: false,
            next_number: 0,
            push_percent: 20,
            engine: [1, 2].map(|n| Sink::new(sub(seed, n))),
            command: None,
            beats: Vec::new(),
            beat_bytes: config.data_bytes(),
            batch: config.cq_batch() as u64,
            latency_cycles_max: 5 * config.ring_entries() as u64,
            cycle: 0,
            reports: VecDeque::new(),
            memory: BTreeMap::new(),
            cfg: CqConfig::default(),
            log2: 0,
            switch_left: 100,
            off_cycles: 0,
            stopped: false,
            read_count: 0,
            expected_number: 0,
            poll_interval: 24,
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
        // What is taken is shown in that cycle still, the next one behind it.
        if std::mem::take(&mut self.takes) {
            self.taken += 1;
            self.head_valid = false;
        }
        if !self.head_valid && self.queue.len() > self.taken && self.rng.gen() {
            self.head_valid = true;
        }
        self.takes = out.head.take;
        assert!(!self.takes || self.head_valid, "the ring takes what is not shown");
        let committed = usize::from(out.head.commit);
        self.taken -= committed;
        self.queue.drain(..committed);
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
            let WriteCommand { addr, bytes, .. } = out.m_cmd;
            let first = addr.wrapping_sub(self.base()) / 16;
            let count = u64::from(bytes / 16);
            assert_eq!((bytes % 16, addr % 16), (0, 0), "command");
            assert!((1..=self.batch).contains(&count), "{count} entries at once");
            let group = self.batch.min(1 << self.log2);
            assert_eq!(first / group, (first + count - 1) / group, "entries of one group");
            self.command = Some(out.m_cmd);
        }
        // The data may come before the command.
        let beats_max = 64.min(16 * self.batch as usize).div_ceil(self.beat_bytes);
        let tready = TreadyPort { tready: self.engine[1].drive() && self.beats.len() < beats_max };
        if out.m_data.tvalid && tready.tready {
            self.beats.push(out.m_data.tdata);
            assert_eq!(out.m_data.tlast, self.beats.len() == beats_max, "last");
        }
        if let Some(command) = self.command.filter(|_| self.beats.len() == beats_max) {
            let fails = self.rng.gen_ratio(1, 200);
            let bytes = self.beats.iter().flat_map(|b| b.bytes()[..self.beat_bytes].to_vec());
            let bytes: Vec<u8> = bytes.take(usize::from(command.bytes)).collect();
            for (n, entry) in bytes.chunks(16).enumerate().filter(|_| !fails) {
                let entry = u128::from_le_bytes(entry.try_into().expect("16 bytes"));
                let addr = command.addr.wrapping_add(16 * n as u64);
                let place = addr.wrapping_sub(self.base()) / 16;
                assert!(place < 1 << self.log2, "an entry beside the ring");
                self.memory.insert(addr, entry);
            }
            let due = self.cycle + self.rng.gen_range(0..self.latency_cycles_max);
            self.reports.push_back((due, command.tag, fails));
            self.command = None;
            self.beats.clear();
        }
        (ready, tready)
    }

    fn report(&mut self) -> WriteDone {
        let due = self.reports.front().filter(|(due, ..)| *due <= self.cycle);
        let Some(&(_, tag, error)) = due else { return WriteDone::default() };
        self.stopped |= error;
        self.reports.pop_front();
        WriteDone { valid: true, tag, error }
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
            self.expected_number = self.expected_number.wrapping_add(1);
            self.read_count = self.read_count.wrapping_add(1);
            self.idle_cycles = 0;
        }
    }

    /// A ring that starts with entries: up to `landed` they are there to be read.
    fn land_before(&mut self, landed: u16) {
        let size = 1_u64 << self.log2;
        let count = landed.wrapping_sub(self.read_count);
        self.expected_number = self.expected_number.wrapping_sub(count.into());
        for n in 0..count {
            let index = u64::from(self.read_count.wrapping_add(n));
            let phase = u128::from((index / size).is_multiple_of(2));
            let number = self.expected_number.wrapping_add(n.into());
            let addr = self.base().wrapping_add(16 * (index % size));
            self.memory.insert(addr, phase << 111 | u128::from(number));
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
            self.log2 = [1, 2, 3, 5, 9, 15][self.rng.gen_range(0..6)];
            // Now and then so seldom that the ring fills up.
            self.poll_interval = [24, 24, 200][self.rng.gen_range(0..3)];
            self.cfg.log2 = self.log2;
            (self.read_count, self.told, self.stopped) = (0, 0, false);
            self.switch_left = self.rng.gen_range(10..8_000);
        }
    }
}

impl Stimulus<CqRing> for Polling {
    fn next(&mut self, cycle: u64, out: &CqRingOut) -> CqRingIn {
        self.cycle = cycle;
        self.refusals += u32::from(out.event_cq.refused);
        assert!(self.refusals <= self.wrong_indices, "a good index is refused");
        self.move_queue(cycle, out);
        let (m_cmd, m_data) = self.write(out);
        let s_done = self.report();
        // A ring that is off can be read until the next one: one that an error has halted is off at
        // once.
        if self.cfg.log2 == 0 || (out.ring.owns && self.rng.gen_ratio(1, self.poll_interval)) {
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

    fn started(&mut self, path: &str, value: u64) {
        match path {
            "index.consumer" => (self.read_count, self.told) = (value as u16, value as u16),
            "index.landed_q" => self.land_before(value as u16),
            _ => {}
        }
    }
}
