//! The times at which flows will be due, looked at in turn; part of the twin of
//! `hdl/src/sched/scan.rs`.

use super::scheduler::{DUE_UNIT_BITS, TIME_BITS};

/// A pass takes at least so many cycles, so that a flow that was found is written again before it is
/// looked at again.
const PASS_CYCLES_MIN: usize = 32;
/// Rows of the scan at most; then there are more lanes.
const ROWS_MAX: usize = 64;
const LANES_MIN: usize = 2;

#[derive(Clone, Copy, Debug, Default)]
struct Row {
    row: usize,
    /// The lanes whose flows are due.
    hits: u128,
}

/// The scan.
#[derive(Clone, Debug, Default)]
pub(super) struct Scan {
    /// When each flow is due, in units.
    due_at: Vec<Option<u16>>,
    lanes: usize,
    index: usize,
    pass_cycles: usize,
    /// Rows on their way out of the RAM, and the one whose flows are told.
    read: Option<Row>,
    word: Option<Row>,
    hits: Row,
}

impl Scan {
    pub(super) fn new(flow_count: usize) -> Self {
        let lanes = (flow_count / ROWS_MAX).max(LANES_MIN);
        let pass_cycles = (flow_count / lanes).max(PASS_CYCLES_MIN);
        Self { due_at: vec![None; flow_count], lanes, pass_cycles, ..Self::default() }
    }

    /// A flow that is due.
    pub(super) fn found(&self) -> Option<u16> {
        let lane = self.hits.hits.trailing_zeros() as usize;
        (self.hits.hits != 0).then_some((self.hits.row * self.lanes + lane) as u16)
    }

    /// One cycle: the flow found is taken, a time is written.
    pub(super) fn step(
        &mut self,
        now: u32,
        is_clean: bool,
        is_taken: bool,
        write: Option<(u16, Option<u16>)>,
    ) {
        if self.hits.hits != 0 {
            if is_taken {
                self.hits.hits &= self.hits.hits - 1;
            }
        } else {
            self.hits = self.word.unwrap_or_default();
            self.word = self.read;
            self.read = is_clean.then(|| self.look(self.index, now + 2, write));
            self.index = (self.index + 1) % self.pass_cycles;
            if self.hits.hits != 0 {
                // What was on its way is read again.
                (self.read, self.word) = (None, None);
                self.index = (self.hits.row + 1) % self.pass_cycles;
            } else if !is_clean {
                self.index = 0;
            }
        }
        if let Some((flow, due_at)) = write {
            self.due_at[usize::from(flow)] = due_at;
        }
    }

    /// A row as it stands; what is written meanwhile is looked at in the next pass.
    fn look(&self, row: usize, now: u32, write: Option<(u16, Option<u16>)>) -> Row {
        let now = ((now & ((1 << TIME_BITS) - 1)) >> DUE_UNIT_BITS) as u16;
        let written = write.map(|(flow, _)| usize::from(flow));
        let is_due = |flow: usize| {
            let due_at = self.due_at.get(flow).copied().flatten();
            written != Some(flow) && due_at.is_some_and(|at| now.wrapping_sub(at) < 1 << 15)
        };
        let due = (0..self.lanes).filter(|lane| is_due(row * self.lanes + lane));
        Row { row, hits: due.fold(0, |hits, lane| hits | 1 << lane) }
    }
}
