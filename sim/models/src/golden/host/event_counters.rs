//! Twin of `hdl/src/host/event_counters.rs`: saturating event counters behind a scan.

use crate::events::Events;
use crate::ports::Golden;
use crate::starts::Starts;
use nic_spec::regs::EVENTS;

/// Rows of the scan.
pub const ROWS: usize = 64;

crate::ports! {
    /// A read.
    pub struct EventRead { pub valid: bool, pub index: u8 }
}

/// Events of the register map.
const EVENT_COUNT: usize = EVENTS.len();

crate::ports! {
/// Inputs.
pub struct EventCountersIn {
    /// Synchronous reset.
    pub reset: bool,
    /// Pulses.
    pub event: Events,
    /// Ports `rd_valid`, `rd_index`.
    pub rd: EventRead,
}
}

crate::ports! {
    /// Outputs.
    pub struct EventCountersOut { pub rd_done: bool, pub rd_data: u32 }
}

/// One visit of the scan on its way through the pipeline.
#[derive(Clone, Copy, Debug, Default)]
struct Visit {
    row: usize,
    value: u32,
}

/// The counters.
#[derive(Clone, Debug)]
pub struct EventCounters {
    pending: [u8; EVENT_COUNT],
    rows: [u32; ROWS],
    scan: usize,
    /// The first scan after reset starts every row at 0.
    fresh: bool,
    /// Visits under way; the last one is written (and can be read) in this cycle.
    pipeline: [Option<Visit>; 4],
    out: EventCountersOut,
}

impl Default for EventCounters {
    fn default() -> Self {
        Self {
            pending: [0; EVENT_COUNT],
            rows: [0; ROWS],
            scan: 0,
            fresh: true,
            pipeline: [None; 4],
            out: EventCountersOut::default(),
        }
    }
}

impl Golden for EventCounters {
    type In = EventCountersIn;
    type Out = EventCountersOut;

    fn step(&mut self, i: &EventCountersIn) -> EventCountersOut {
        if i.reset {
            *self = Self::default();
            return self.out;
        }
        let done = self.pipeline[3];
        self.out = match done {
            Some(v) if i.rd.valid && !self.out.rd_done && v.row == usize::from(i.rd.index) => {
                EventCountersOut { rd_done: true, rd_data: v.value }
            }
            _ => EventCountersOut::default(),
        };
        // The pipeline is shorter than the scan, so a row is never visited twice within it.
        if let Some(v) = done {
            self.rows[v.row] = v.value;
        }
        let base = if self.fresh { 0 } else { self.rows[self.scan] };
        let taken =
            if self.scan < EVENT_COUNT { std::mem::take(&mut self.pending[self.scan]) } else { 0 };
        let visit = Visit { row: self.scan, value: base.saturating_add(u32::from(taken)) };
        self.pipeline = [Some(visit), self.pipeline[0], self.pipeline[1], self.pipeline[2]];
        self.fresh &= self.scan != ROWS - 1;
        self.scan = (self.scan + 1) % ROWS;
        for (pending, event) in self.pending.iter_mut().zip(i.event.pulses()) {
            *pending += u8::from(event);
        }
        self.out
    }

    /// Without the first scan that clears them, the rows count on from what they hold.
    fn starts(&mut self, starts: &mut Starts<'_>) -> Option<EventCountersOut> {
        if !starts.is_reset() || !starts.wants("rows.mem[0]") || !starts.wants("fresh") {
            return None;
        }
        self.fresh = false;
        starts.put("fresh", 0);
        for (index, row) in self.rows.iter_mut().enumerate() {
            *row = starts.near_wrap(u32::BITS, 8) as u32;
            starts.put(&format!("rows.mem[{index}]"), u64::from(*row));
        }
        Some(self.out)
    }
}
