//! Twin of `hdl/src/host/cq/ring.rs`: completions on their way to host memory.

use crate::events::CqEvents;
use crate::ports;
use crate::ports::{Data, Golden};
use crate::starts::Starts;
use crate::streams::{
    back, AxisWords, Consumer, QueueHead, ReadyPort, RingStatus, TreadyPort, WriteCommand,
    WriteDone,
};
use nic_spec::NicConfig;

/// Bytes of an entry.
const ENTRY_BYTES: u16 = 16;
/// Bit of an entry that tells its pass.
const PHASE_BIT: u32 = 96 + 15;
/// Cycles for which a write that has room waits for one more entry.
const PATIENCE_CYCLES: u32 = 8;

ports! {
    /// The ring's registers.
    pub struct CqConfig {
        pub base_lo: u32,
        pub base_hi: u32,
        pub log2: u8,
    }
}
ports! {
    /// Inputs.
    pub struct CqRingIn {
        pub reset: bool,
        pub cfg: CqConfig,
        pub head: QueueHead,
        pub s_consumer: Consumer,
        pub m_cmd: ReadyPort,
        pub m_data: TreadyPort,
        pub s_done: WriteDone,
    }
}
ports! {
    /// Outputs.
    pub struct CqRingOut {
        pub head: back::QueueHead,
        pub m_cmd: WriteCommand,
        pub m_data: AxisWords,
        pub s_done: ReadyPort,
        pub landed: u16,
        pub ring: RingStatus,
        pub event_cq: CqEvents,
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum State {
    #[default]
    Off,
    Idle,
    Gather,
    First,
    Second,
    Settle,
    Back,
    Halt,
}

/// Free-running indices.
#[derive(Clone, Copy, Debug, Default)]
struct Indices {
    producer: u16,
    landed: u16,
    consumer: u16,
}

/// Where the next entry goes, and how many fit from there on in one write.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    addr: u64,
    phase: bool,
    room: u16,
}

impl Place {
    fn of(at: Indices, cfg: &CqConfig, batch: u16) -> Self {
        let base = u64::from(cfg.base_lo) | u64::from(cfg.base_hi) << 32;
        let size = 1_u16 << cfg.log2;
        let group = batch.min(size);
        let free = size.wrapping_sub(at.producer.wrapping_sub(at.consumer));
        let slot = u64::from(at.producer & (size - 1));
        Self {
            addr: base.wrapping_add(slot * u64::from(ENTRY_BYTES)),
            phase: at.producer >> cfg.log2 & 1 == 0,
            room: free.min(group - at.producer % group),
        }
    }
}

/// A consumer index that is looked at, and whether it is good.
#[derive(Clone, Copy, Debug, Default)]
struct Check {
    consumer: Consumer,
    good: bool,
}

/// The ring.
#[derive(Clone, Debug, Default)]
pub struct CqRing {
    state: State,
    /// Entries of the write that is put together, or on its way out.
    entries: Vec<u128>,
    /// How many more it may take, and cycles until it leaves without them.
    room_left: u16,
    patience: u32,
    indices: Indices,
    /// The indices a cycle ago, and software's two cycles ago.
    was: Indices,
    consumer_before: u16,
    place: Place,
    check: Check,
    arms: bool,
    unseen: bool,
    head_seen: bool,
    outstanding: usize,
    stopped: bool,
    /// With the last step the ring came on, its indices 0, and its size.
    has_opened: bool,
    log2: u8,
    /// Bytes of a beat, writes on their way and entries of one at most.
    beat_bytes: usize,
    writes_max: usize,
    batch: u16,
    out: CqRingOut,
}

impl CqRing {
    /// The ring of a NIC of these sizes; it is off.
    pub fn new(config: &NicConfig) -> Self {
        Self::of(config.data_bytes(), config.ring_entries(), config.cq_batch() as u16)
    }

    fn of(beat_bytes: usize, writes_max: usize, batch: u16) -> Self {
        let s_done = ReadyPort { ready: true };
        let out = CqRingOut { s_done, ..Default::default() };
        Self { beat_bytes, writes_max, batch, out, ..Default::default() }
    }

    /// A beat takes a whole entry.
    fn is_whole(&self) -> bool {
        self.beat_bytes >= usize::from(ENTRY_BYTES)
    }

    fn next_state(&self, i: &CqRingIn, takes: bool, leaves: bool) -> State {
        let on = i.cfg.log2 > 0;
        let empty = self.outstanding == 0 && self.out.head.commit == 0;
        match self.state {
            _ if leaves => State::First,
            State::Off if on => State::Settle,
            State::Idle if takes => State::Gather,
            State::Idle if empty && (self.stopped || !on) => State::Back,
            State::First if i.m_data.tready && self.is_whole() => State::Settle,
            State::First if i.m_data.tready => State::Second,
            State::Second if i.m_data.tready => State::Settle,
            State::Settle => State::Idle,
            State::Back => State::Halt,
            State::Halt if !on => State::Off,
            same => same,
        }
    }

    /// The indices' part of an edge.
    fn move_indices(&mut self, i: &CqRingIn, leaving: usize) {
        let was = self.indices;
        let seen = Indices { consumer: self.consumer_before, ..self.was };
        self.place = Place::of(seen, &i.cfg, self.batch);
        self.consumer_before = self.was.consumer;
        let at = &mut self.indices;
        at.producer = at.producer.wrapping_add(leaving as u16);
        at.landed = at.landed.wrapping_add(self.out.head.commit.into());
        if self.state == State::Back {
            at.producer = was.landed;
        }
        let Check { consumer, good } = self.check;
        self.out.ring.armed = self.arms;
        self.arms = consumer.valid && consumer.arm && good;
        self.out.event_cq.refused = consumer.valid && !good;
        if consumer.valid && good {
            at.consumer = consumer.index;
        }
        let by = i.s_consumer.index.wrapping_sub(was.consumer);
        let by_max = was.producer.wrapping_sub(was.consumer);
        self.check = Check { consumer: i.s_consumer, good: by <= by_max };
        if self.state == State::Off {
            *at = Indices::default();
        }
        // Software may be ahead of the reports.
        let unseen = self.was.landed.wrapping_sub(self.was.consumer) as i16;
        self.unseen = unseen == i16::MIN || unseen > 0;
        self.head_seen = i.head.valid;
        self.was = was;
    }
}

impl Golden for CqRing {
    type In = CqRingIn;
    type Out = CqRingOut;

    fn step(&mut self, i: &CqRingIn) -> CqRingOut {
        if i.reset {
            *self = Self::of(self.beat_bytes, self.writes_max, self.batch);
            return self.out;
        }
        let goes_on = i.cfg.log2 > 0 && !self.stopped;
        // The entry that was just taken is still shown.
        let offered = i.head.valid && !self.out.head.take && goes_on;
        let is_free = !self.out.m_cmd.valid && self.outstanding < self.writes_max;
        let starts = self.state == State::Idle && offered && self.place.room > 0 && is_free;
        let takes = starts || self.state == State::Gather && offered;
        let room_left = if starts { self.place.room } else { self.room_left } - u16::from(takes);
        let is_given_up = self.state == State::Gather && !takes && (self.patience == 0 || !goes_on);
        let leaves = takes && room_left == 0 || is_given_up;
        let next = self.next_state(i, takes, leaves);
        let place = self.place;
        let is_full = self.state == State::Idle && goes_on && i.head.valid && place.room == 0;
        self.patience = self.patience.saturating_sub(1);
        self.out.m_cmd.valid &= !i.m_cmd.ready;
        if starts {
            self.out.m_cmd.addr = place.addr;
            self.entries.clear();
        }
        if takes {
            self.entries.push(i.head.entry | u128::from(place.phase) << PHASE_BIT);
            (self.room_left, self.patience) = (room_left, PATIENCE_CYCLES);
        }
        let count = self.entries.len();
        self.move_indices(i, if leaves { count } else { 0 });
        if leaves {
            self.out.m_cmd.valid = true;
        } else if self.state == State::First && i.m_data.tready && !self.is_whole() {
            self.entries[0] >>= 64;
        }
        self.out.m_cmd.bytes = count as u16 * ENTRY_BYTES;
        self.out.m_cmd.tag = count as u128;
        let done = i.s_done;
        self.out.event_cq.error = done.valid && done.error && !self.stopped;
        let lands = done.valid && !done.error && !self.stopped;
        self.out.head = back::QueueHead {
            take: takes,
            commit: if lands { done.tag as u8 } else { 0 },
            rewind: next == State::Back,
        };
        self.stopped |= done.valid && done.error;
        self.stopped &= next != State::Off;
        self.outstanding += usize::from(leaves);
        self.outstanding -= usize::from(done.valid);
        self.out.event_cq.full = is_full && !self.out.ring.full;
        self.out.ring.full = is_full;
        self.has_opened = self.state == State::Off && next != State::Off;
        self.log2 = i.cfg.log2;
        self.state = next;
        self.out.ring.owns = next != State::Off;
        self.out.ring.waiting = if self.out.ring.owns { self.unseen } else { self.head_seen };
        let mut tdata = Data::default();
        for (n, word) in tdata.0[..self.beat_bytes / 8].iter_mut().enumerate() {
            let entry = self.entries.get(n / 2).copied().unwrap_or_default();
            *word = (entry >> (64 * (n % 2))) as u64;
        }
        self.out.m_data = AxisWords {
            tvalid: matches!(next, State::First | State::Second),
            tdata,
            tlast: next == State::Second || next == State::First && self.is_whole(),
        };
        self.out.landed = self.indices.landed;
        self.out
    }

    fn starts(&mut self, starts: &mut Starts<'_>) -> Option<CqRingOut> {
        if !core::mem::take(&mut self.has_opened) || !starts.wants("index.producer") {
            return None;
        }
        // An empty ring looks as new at the beginning of every other pass.
        let passes_log2 = u32::from(self.log2) + 1;
        let passes = starts.near_wrap(u16::BITS - passes_log2, 8);
        let landed = (passes << passes_log2) as u16;
        // Of the pass before software has read a part, or none but one entry.
        let unread = starts.near_wrap(self.log2.into(), 8) as u16;
        let consumer = landed.wrapping_sub(unread);
        starts.put("index.consumer", consumer.into());
        starts.put("index.producer", landed.into());
        starts.put("index.landed_q", landed.into());
        // What follows from them a cycle later.
        let size = 1_u16 << self.log2;
        starts.put("index.room_end", consumer.wrapping_add(size).into());
        starts.put("index.unused", (size - unread).into());
        starts.put("index.unseen", unread.into());
        self.indices = Indices { producer: landed, landed, consumer };
        (self.was, self.consumer_before) = (self.indices, consumer);
        self.out.landed = landed;
        Some(self.out)
    }
}
