//! The packets of the last millisecond, for the flow scheduler (`hdl/src/sched/ring/calendar.rs`).
//!
//! Each packet that is granted is written down with the time at which the line carries it. When
//! a packet is nearly a window old its flow's turn comes again; when it is a window old it is
//! counted no more. Between the two the packet is there for what a flow may send, and gone for what
//! it must send.

use std::collections::VecDeque;

/// A flow that may send at least so many packets in a window is not remembered.
pub const KEPT_PACKETS_MAX: u32 = 256;
/// Packets that are so many cycles too old are dropped whatever happens.
pub const OVERDUE_CYCLES: u32 = 4096;
/// A line with less work than this is low.
pub const LOW_CYCLES: u32 = 32;
/// More turns of a flow than this do not count before their packets leave the window.
pub const TURNED_MAX: u32 = 7;
/// From the start of one operation to the next.
pub const OPERATION_CYCLES: u8 = 6;
/// A flow is called when it had no visit for so many cycles.
pub const QUIET_CYCLES: u8 = 9;

/// The line in front of a calendar, and how much of it is remembered.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// 1 ms.
    pub window_cycles: u32,
    /// Packets are counted for so many cycles: longer where the clock does not know all at once.
    pub counted_cycles: u32,
    /// Bytes that the line carries in a cycle.
    pub beat_bytes: u32,
    /// Packets that are remembered.
    pub history_packets: usize,
    /// A turn comes this many cycles before its time, and those of `lead_packets`.
    pub lead_cycles: u32,
    /// Longest packets in the lead of a turn.
    pub lead_packets: u32,
    /// Flows that are not remembered do not wait for turns of others.
    pub fast_passes_turns: bool,
    /// The clock is that of several schedulers; somebody else moves it.
    pub is_shared: bool,
}

impl Line {
    /// 64 bits at 125 MHz.
    pub const OF_64_BITS: Self = Self {
        window_cycles: 125_000,
        counted_cycles: 125_000,
        beat_bytes: 8,
        history_packets: 2047,
        lead_cycles: 32,
        lead_packets: 1,
        fast_passes_turns: false,
        is_shared: false,
    };
    /// 512 bits at 250 MHz, shared by engines.
    pub const OF_512_BITS: Self = Self {
        window_cycles: 250_000,
        counted_cycles: 250_128,
        beat_bytes: 64,
        history_packets: 4095,
        lead_cycles: 64,
        lead_packets: 16,
        fast_passes_turns: true,
        is_shared: true,
    };
}

const STAMP_MASK: u32 = (1 << 18) - 1;
/// Work on the line beyond this is not counted.
const AHEAD_MAX: u32 = 1 << 13;

/// When the line carries what is granted next.
#[derive(Clone, Copy, Debug, Default)]
pub struct LineClock {
    /// Cycle in which the next packet starts on a line that never waits.
    pub time: u32,
    /// Cycles of work that the line has.
    ahead: u32,
    /// Beats of the longest packets of this and the last 2^17 cycles.
    longest: u32,
    longest_before: u32,
    epoch: bool,
    /// The line has little work.
    pub is_low: bool,
    longest_of_both: u32,
    lead: u32,
    /// Age at which a turn comes.
    pub turn_age: u32,
}

impl LineClock {
    /// One cycle; `beats` of a packet that is granted.
    pub fn step(&mut self, beats: Option<u32>, line: &Line) {
        self.turn_age = line.window_cycles - self.lead;
        self.lead = line.lead_cycles + line.lead_packets * self.longest_of_both;
        self.longest_of_both = self.longest.max(self.longest_before);
        self.is_low = self.ahead < LOW_CYCLES;
        let epoch = self.time >> 17 & 1 == 1;
        if epoch != self.epoch {
            (self.longest_before, self.longest) = (self.longest, 0);
        }
        self.epoch = epoch;
        self.longest = self.longest.max(beats.unwrap_or(0));
        let added = if self.ahead >= AHEAD_MAX { 0 } else { beats.unwrap_or(0) };
        let waits = u32::from(self.ahead == 0);
        self.time = (self.time + waits + added) & ((1 << 23) - 1);
        self.ahead = self.ahead + waits + added - 1;
    }
}

/// What the calendar knows of a flow.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// Bytes in the window, since the last `s_rate`.
    bytes: u32,
    /// Entries of this flow, and those among them that are older than the last `s_rate`.
    count: u32,
    stale: u32,
    /// Entries whose turn has been.
    turned: u32,
}

/// How often each case came, so that a test knows what it has reached.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cases {
    /// Packets written down, and not, for want of room.
    pub kept: u64,
    pub dropped: u64,
    /// Packets that left the window: of the flow's rate, of an older one, much too late.
    pub expired: u64,
    pub stale: u64,
    pub overdue: u64,
    /// Rows that began anew.
    pub renewed: u64,
    /// Turns: given, passed since the flow's history is of an older rate.
    pub turns: u64,
    pub young: u64,
    /// Turns that were given when a packet left the window, for the next one.
    pub second_turns: u64,
}

/// A granted packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packet {
    /// Its flow.
    pub flow: u16,
    /// Frame bytes.
    pub len_bytes: u16,
    /// The flow sends few packets in a window.
    pub is_kept: bool,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    flow: u16,
    len_bytes: u16,
    stamp: u32,
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Record(Packet, u32),
    Expire(Entry),
    Turn(Entry),
}

impl Operation {
    fn flow(&self) -> u16 {
        match self {
            Self::Record(packet, _) => packet.flow,
            Self::Expire(entry) | Self::Turn(entry) => entry.flow,
        }
    }
}

/// Visits of the flow that is called.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// The flow whose turn has come.
    pub called: Option<u16>,
    quiet_cycles: u8,
    /// Its visit is on the way.
    pub is_on_way: bool,
    is_ending: bool,
    /// A visit to be inserted.
    pub visit: Option<u16>,
}

impl Caller {
    /// One cycle: `visited` starts now, unless it is a call; `ended` is a call's visit that is
    /// decided; `is_done` ends the turn; `next` is the next flow.
    pub fn step(&mut self, now: CallerIn) {
        let is_seen = now.visited.is_some() && now.visited == self.called;
        let is_ready = self.quiet_cycles == QUIET_CYCLES && !is_seen && now.has_place;
        let starts = self.called.is_some() && !self.is_on_way && is_ready;
        if starts {
            self.visit = self.called;
        }
        self.quiet_cycles = match () {
            () if self.is_on_way || is_seen => 0,
            () => (self.quiet_cycles + 1).min(QUIET_CYCLES),
        };
        // What the visit leaves is stored one cycle after it is decided.
        self.is_on_way = !self.is_ending && (self.is_on_way || starts);
        self.is_ending = now.ended;
        let is_free = self.called.is_none();
        if now.is_done {
            self.called = None;
        }
        if let Some(flow) = now.next.filter(|_| is_free) {
            self.called = Some(flow);
            self.quiet_cycles = 0;
        }
    }
}

/// What a cycle brings to the caller.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallerIn {
    /// Flow of an ordinary visit whose state is read now.
    pub visited: Option<u16>,
    /// The visit of the called flow is decided.
    pub ended: bool,
    /// The turn is over since the last cycle.
    pub is_done: bool,
    /// There is a place for a grant.
    pub has_place: bool,
    /// A flow whose turn has come.
    pub next: Option<u16>,
}

/// The calendar.
#[derive(Clone, Debug)]
pub struct Calendar {
    /// The line.
    pub line: Line,
    /// When the line carries what is granted next.
    pub clock: LineClock,
    rows: Vec<Row>,
    /// Flows that got an `s_rate` since their row was written.
    fresh: Vec<bool>,
    /// Oldest first.
    entries: VecDeque<Entry>,
    /// Entries whose turn has been.
    turned: usize,
    /// The entries' ages, seen with delay: oldest one expired, overdue; next turn due.
    is_expired: bool,
    is_overdue: bool,
    is_due: bool,
    /// Packet granted in the last cycle.
    granted: Option<Packet>,
    /// Packet to write down, and its time.
    pending: Option<(Packet, u32)>,
    /// Running operation and its cycle.
    operation: Option<(Operation, u8)>,
    /// Its flow was fresh, a cycle before its row changes.
    was_fresh: bool,
    written: Option<(u16, Row)>,
    /// Flow whose turn has come.
    turn: Option<u16>,
    /// Cases since the reset.
    pub cases: Cases,
    /// Nothing is pending and no turn is due.
    pub is_settled: bool,
}

impl Calendar {
    /// Calendar of `flow_count` flows in front of `line`.
    pub fn new(flow_count: usize, line: Line) -> Self {
        Self {
            line,
            clock: LineClock { turn_age: 0, ..LineClock::default() },
            rows: vec![Row::default(); flow_count],
            fresh: vec![false; flow_count],
            entries: VecDeque::new(),
            turned: 0,
            is_expired: false,
            is_overdue: false,
            is_due: false,
            granted: None,
            pending: None,
            operation: None,
            was_fresh: false,
            written: None,
            turn: None,
            cases: Cases::default(),
            is_settled: false,
        }
    }

    /// Beats of the packet that was granted in the last cycle.
    pub fn granted_beats(&self) -> Option<u32> {
        self.granted.map(|packet| u32::from(packet.len_bytes).div_ceil(self.line.beat_bytes))
    }

    /// Bytes of `flow` in the window.
    pub fn bytes(&self, flow: u16) -> u32 {
        if self.fresh[usize::from(flow)] {
            return 0;
        }
        self.rows[usize::from(flow)].bytes
    }

    /// Packets of `flow` in the window whose turn has been, up to [`TURNED_MAX`].
    pub fn turned(&self, flow: u16) -> u32 {
        if self.fresh[usize::from(flow)] {
            return 0;
        }
        self.rows[usize::from(flow)].turned.min(TURNED_MAX)
    }

    /// No grant can be written down now.
    pub fn is_busy(&self) -> bool {
        self.granted.is_some() || self.pending.is_some()
    }

    /// Rate or window of `flow` are written.
    pub fn renew(&mut self, flow: u16) {
        self.fresh[usize::from(flow)] = true;
    }

    fn age(&self, entry: &Entry) -> u32 {
        self.clock.time.wrapping_sub(entry.stamp) & STAMP_MASK
    }

    /// Starts the next operation.
    fn choose(&mut self, is_called: bool) -> Option<Operation> {
        if let Some((packet, stamp)) = self.pending.take() {
            if packet.is_kept && self.entries.len() < self.line.history_packets {
                return Some(Operation::Record(packet, stamp));
            }
            self.cases.dropped += u64::from(packet.is_kept);
        }
        let is_free = !is_called || self.is_overdue;
        if self.turned > 0 && self.is_expired && is_free {
            return Some(Operation::Expire(self.entries[0]));
        }
        let next = self.entries.get(self.turned).copied();
        next.filter(|_| self.is_due && is_free).map(Operation::Turn)
    }

    /// Second cycle of an operation: the list changes.
    fn move_list(&mut self, operation: Operation) {
        match operation {
            Operation::Record(Packet { flow, len_bytes, .. }, stamp) => {
                self.entries.push_back(Entry { flow, len_bytes, stamp });
            }
            Operation::Expire(_) => {
                self.entries.pop_front();
                self.turned -= 1;
            }
            Operation::Turn(_) => self.turned += 1,
        }
    }

    /// Fourth cycle: the flow's row changes. Returns the flow if it is its turn.
    fn change_row(&mut self, operation: Operation) -> Option<u16> {
        let flow = operation.flow();
        let id = usize::from(flow);
        let (mut row, is_fresh) = (self.rows[id], self.was_fresh);
        let is_young = is_fresh || row.stale > 0;
        let cases = &mut self.cases;
        if is_fresh {
            cases.renewed += 1;
            row = Row { stale: row.count, bytes: 0, ..row };
        }
        let mut is_turn = !is_young;
        match operation {
            Operation::Record(packet, _) => {
                cases.kept += 1;
                row.count += 1;
                row.bytes += u32::from(packet.len_bytes);
                is_turn = false;
            }
            Operation::Turn(_) => {
                cases.turns += u64::from(is_turn);
                cases.young += u64::from(is_young);
                row.turned += 1;
            }
            Operation::Expire(entry) => {
                cases.expired += 1;
                cases.stale += u64::from(row.stale > 0);
                cases.overdue += u64::from(self.is_overdue);
                row.count -= 1;
                row.turned -= 1;
                if row.stale > 0 {
                    row.stale -= 1;
                } else {
                    row.bytes -= u32::from(entry.len_bytes);
                }
                // The next turn came while this packet still held the flow back.
                is_turn &= row.turned > 0;
                cases.second_turns += u64::from(is_turn);
            }
        }
        // An s_rate of the last cycle is seen by the next change.
        self.fresh[id] &= !is_fresh;
        self.written = Some((flow, row));
        is_turn.then_some(flow)
    }

    /// One cycle; `granted` is decided in it. Returns a flow whose turn has come.
    pub fn step(&mut self, granted: Option<Packet>, is_called: bool) -> Option<u16> {
        if let Some((flow, row)) = self.written.take() {
            self.rows[usize::from(flow)] = row;
        }
        let is_due = self.turned < self.entries.len() && self.is_due;
        self.is_settled =
            self.operation.is_none() && self.pending.is_none() && !is_due && !is_called;
        let turn = self.turn.take();
        match self.operation.take() {
            None => self.operation = self.choose(is_called).map(|operation| (operation, 1)),
            Some((operation, cycle)) => {
                match cycle {
                    1 => self.move_list(operation),
                    2 => self.was_fresh = self.fresh[usize::from(operation.flow())],
                    3 => self.turn = self.change_row(operation),
                    _ => {}
                }
                let more = cycle + 1 < OPERATION_CYCLES;
                self.operation = more.then_some((operation, cycle + 1));
            }
        }
        // The list has been the same for long enough whenever these are looked at.
        let oldest = self.entries.front().map_or(0, |e| self.age(e));
        self.is_expired = oldest >= self.line.counted_cycles;
        self.is_overdue = oldest >= self.line.counted_cycles + OVERDUE_CYCLES;
        let next = self.entries.get(self.turned).map_or(0, |e| self.age(e));
        self.is_due = next >= self.clock.turn_age;
        let stamp = self.clock.time & STAMP_MASK;
        if let Some(packet) = self.granted {
            self.pending = Some((packet, stamp));
        }
        let beats = self.granted_beats();
        if !self.line.is_shared {
            self.clock.step(beats, &self.line);
        }
        self.granted = granted;
        turn
    }
}
