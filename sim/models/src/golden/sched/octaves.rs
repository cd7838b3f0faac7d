//! Due flows in queues by their periods, and which of the heads has the earliest deadline; part of
//! the twin of `hdl/src/sched/scheduler.rs`, of `hdl/src/sched/octaves.rs`.

use std::collections::VecDeque;

/// Queues, by period: each holds two octaves of it.
const QUEUES: usize = 8;
/// A period of less than 2^(this + 2) bytes of the line is in the first queue.
const FIRST_OCTAVE: i32 = 11;
/// Deadlines are in units of 2^9 bytes of the line, in so many bits.
const DEADLINE_BITS: u32 = 20;
/// UQ29.8.
pub(super) const LINE_TIME_BITS: u32 = 37;
const DEADLINE_UNIT_BITS: u32 = 9;
/// Entries of a queue that are out of the memory.
const FRONT: usize = 2;
/// Heads of a group are compared in one cycle, the groups' in the next.
const GROUP: usize = 4;

/// A due flow in its queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    queue: usize,
    flow: u16,
    deadline: u32,
}

/// The queues.
#[derive(Clone, Debug, Default)]
pub(super) struct Octaves {
    /// Of each its head and the one behind it, and those in the memory.
    fronts: [VecDeque<Entry>; QUEUES],
    memory: [VecDeque<Entry>; QUEUES],
    /// The entry that leaves the RAM.
    fetched: Option<Entry>,
    /// The best of each group, and of all.
    groups: [Option<Entry>; 2],
    best: Option<Entry>,
    /// UQ29.8 bytes that the line could have carried.
    pub(super) line_time: u64,
}

impl Octaves {
    /// The queue of a flow with this packet and rate: two octaves of its period, in bytes of a line
    /// of `line_rate`, UQ8.8.
    pub(super) fn queue(&self, len_bytes: u16, rate: u32, line_rate: u16) -> usize {
        let log2 = |value: u32| value.max(1).ilog2() as i32;
        let octave = log2(len_bytes.into()) + log2(line_rate.into()) - log2(rate) + 24 - 8;
        (octave - FIRST_OCTAVE).max(0).min(2 * QUEUES as i32 - 1) as usize / 2
    }

    /// The entry of a flow that becomes due now.
    pub(super) fn entry(&self, flow: u16, queue: usize) -> Entry {
        let octave = FIRST_OCTAVE as u32 + 2 * queue as u32 + 2;
        let now = (self.line_time >> (8 + DEADLINE_UNIT_BITS)) as u32;
        let deadline = now + (1 << (octave - DEADLINE_UNIT_BITS));
        Entry { queue, flow, deadline: deadline & ((1 << DEADLINE_BITS) - 1) }
    }

    /// The queue and flow that go next.
    pub(super) fn chosen(&self) -> Option<(usize, u16)> {
        self.best.map(|entry| (entry.queue, entry.flow))
    }

    /// One cycle: an entry comes, the head of a queue goes.
    pub(super) fn step(&mut self, entry: Option<Entry>, pop: Option<usize>, line_rate: u16) {
        let is_earlier = |b: Option<Entry>, a: Option<Entry>| {
            b.is_some_and(|b| a.is_none_or(|a| b.is_before(&a)))
        };
        // Each of four against each other.
        let four = |first: usize| {
            let h = [0, 1, 2, 3].map(|q| self.fronts[first + q].front().copied());
            let yields = |a: usize, b: usize| match b < a {
                true => !is_earlier(h[a], h[b]),
                false => is_earlier(h[b], h[a]),
            };
            let first = (0..3).find(|a| !(0..4).any(|b| b != *a && yields(*a, b)));
            h[first.unwrap_or(3)]
        };
        let [low, high] = self.groups;
        self.best = if is_earlier(high, low) { high } else { low };
        self.groups = [four(0), four(GROUP)];
        // What waits moves up, one entry a cycle.
        let arrived = self.fetched.take();
        let has_room =
            |q: usize| self.fronts[q].len() < FRONT && arrived.is_none_or(|entry| entry.queue != q);
        let next = (0..QUEUES).find(|q| has_room(*q) && !self.memory[*q].is_empty());
        let is_direct = entry.is_some_and(|e| has_room(e.queue) && self.memory[e.queue].is_empty());
        if let Some(q) = pop {
            self.fronts[q].pop_front();
        }
        if let Some(entry) = arrived {
            self.fronts[entry.queue].push_back(entry);
        }
        self.fetched = next.and_then(|q| self.memory[q].pop_front());
        if let Some(entry) = entry {
            let to = if is_direct { &mut self.fronts } else { &mut self.memory };
            to[entry.queue].push_back(entry);
        }
        self.line_time = (self.line_time + u64::from(line_rate)) & ((1 << LINE_TIME_BITS) - 1);
    }
}

impl Entry {
    fn is_before(&self, other: &Self) -> bool {
        let ahead = self.deadline.wrapping_sub(other.deadline) & ((1 << DEADLINE_BITS) - 1);
        ahead >= 1 << (DEADLINE_BITS - 1)
    }
}
