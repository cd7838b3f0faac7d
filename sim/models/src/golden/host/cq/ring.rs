//! Twin of `hdl/src/host/cq/ring.rs`: completions on their way to host memory.

use crate::events::CqEvents;
use crate::ports;
use crate::ports::{Data, Golden};
use crate::starts::Starts;
use crate::streams::{
    back, AxisWords, Consumer, QueueHead, ReadyPort, RingStatus, TreadyPort, WriteCommand,
};
use nic_spec::NicConfig;

/// Bytes of an entry.
const ENTRY_BYTES: u16 = 16;
/// Bit of an entry that tells its pass.
const PHASE_BIT: u32 = 96 + 15;

ports! {
    /// The ring's registers.
    pub struct CqConfig {
        pub base_lo: u32,
        pub base_hi: u32,
        pub log2: u8,
    }
}
ports! {
    /// A write has ended.
    pub struct WrittenPorts {
        pub valid: bool,
        pub error: bool,
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
        pub s_done: WrittenPorts,
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

/// Where the next entry goes, and whether it fits.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    addr: u64,
    phase: bool,
    room: bool,
}

impl Place {
    fn of(at: Indices, cfg: &CqConfig) -> Self {
        let base = u64::from(cfg.base_lo) | u64::from(cfg.base_hi) << 32;
        let slot = u64::from(at.producer) & ((1 << cfg.log2) - 1);
        let used = at.producer.wrapping_sub(at.consumer);
        Self {
            addr: base.wrapping_add(slot * u64::from(ENTRY_BYTES)),
            phase: at.producer >> cfg.log2 & 1 == 0,
            room: u32::from(used) < 1 << cfg.log2,
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
    entry: u128,
    indices: Indices,
    /// The indices a cycle ago.
    was: Indices,
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
    /// Bytes of a beat, and entries on their way at most.
    beat_bytes: usize,
    entries_max: usize,
    out: CqRingOut,
}

impl CqRing {
    /// The ring of a NIC of these sizes; it is off.
    pub fn new(config: &NicConfig) -> Self {
        Self::of(config.data_bytes(), config.ring_entries())
    }

    fn of(beat_bytes: usize, entries_max: usize) -> Self {
        let m_cmd = WriteCommand { bytes: ENTRY_BYTES, ..Default::default() };
        let s_done = ReadyPort { ready: true };
        let out = CqRingOut { m_cmd, s_done, ..Default::default() };
        Self { beat_bytes, entries_max, out, ..Default::default() }
    }

    /// A beat takes a whole entry.
    fn is_whole(&self) -> bool {
        self.beat_bytes >= usize::from(ENTRY_BYTES)
    }

    fn next_state(&self, i: &CqRingIn, starts: bool) -> State {
        let on = i.cfg.log2 > 0;
        let empty = self.outstanding == 0 && !self.out.head.commit;
        match self.state {
            State::Off if on => State::Settle,
            State::Idle if starts => State::First,
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
    fn move_indices(&mut self, i: &CqRingIn, starts: bool) {
        let was = self.indices;
        self.place = Place::of(self.was, &i.cfg);
        let at = &mut self.indices;
        at.producer = at.producer.wrapping_add(starts.into());
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
            *self = Self::of(self.beat_bytes, self.entries_max);
            return self.out;
        }
        let able = self.state == State::Idle && i.cfg.log2 > 0 && !self.stopped && i.head.valid;
        let starts =
            able && self.place.room && !self.out.m_cmd.valid && self.outstanding < self.entries_max;
        let next = self.next_state(i, starts);
        let place = self.place;
        self.move_indices(i, starts);
        self.out.m_cmd.valid &= !i.m_cmd.ready;
        if starts {
            (self.out.m_cmd.valid, self.out.m_cmd.addr) = (true, place.addr);
            self.entry = i.head.entry | u128::from(place.phase) << PHASE_BIT;
        } else if self.state == State::First && i.m_data.tready {
            self.entry >>= 64;
        }
        let done = i.s_done;
        self.out.event_cq.error = done.valid && done.error && !self.stopped;
        self.out.head = back::QueueHead {
            take: starts,
            commit: done.valid && !done.error && !self.stopped,
            rewind: next == State::Back,
        };
        self.stopped |= done.valid && done.error;
        self.stopped &= next != State::Off;
        self.outstanding += usize::from(starts);
        self.outstanding -= usize::from(done.valid);
        let is_full = able && !place.room;
        self.out.event_cq.full = is_full && !self.out.ring.full;
        self.out.ring.full = is_full;
        self.has_opened = self.state == State::Off && next != State::Off;
        self.log2 = i.cfg.log2;
        self.state = next;
        self.out.ring.owns = next != State::Off;
        self.out.ring.waiting = if self.out.ring.owns { self.unseen } else { self.head_seen };
        self.out.m_data = AxisWords {
            tvalid: matches!(next, State::First | State::Second),
            tdata: Data::of(&self.entry.to_le_bytes()[..self.beat_bytes.min(16)]),
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
        self.indices = Indices { producer: landed, landed, consumer };
        self.out.landed = landed;
        Some(self.out)
    }
}
