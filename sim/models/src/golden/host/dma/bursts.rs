//! Twin of `hdl/src/host/dma/bursts.rs`: the bursts of a command, two cycles after it was taken.

use std::collections::VecDeque;

const PREPARE_CYCLES: u8 = 1;

/// One AXI4 burst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Burst {
    /// First byte address.
    pub addr: u64,
    /// Beats less one.
    pub len: u8,
}

/// What the aligners need to know of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// First byte address.
    pub addr: u64,
    /// Length.
    pub bytes: u16,
    /// Bursts; 0 without bytes.
    pub burst_count: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Idle,
    Prepare { cycles_left: u8 },
    Issue,
}

/// The cutter.
#[derive(Clone, Debug)]
pub struct DmaBursts {
    beat_bytes: u64,
    phase: Phase,
    command: (u64, u16),
    later: VecDeque<Burst>,
    burst: Burst,
    burst_valid: bool,
    description: Description,
    description_valid: bool,
}

impl DmaBursts {
    /// A cutter for beats of `beat_bytes`.
    pub fn new(beat_bytes: usize) -> Self {
        Self {
            beat_bytes: beat_bytes as u64,
            phase: Phase::Idle,
            command: (0, 0),
            later: VecDeque::new(),
            burst: Burst::default(),
            burst_valid: false,
            description: Description::default(),
            description_valid: false,
        }
    }

    /// `s_ready`.
    pub fn s_ready(&self) -> bool {
        self.phase == Phase::Idle
    }

    /// Pins of the address channel: valid and burst.
    pub fn m_a(&self) -> (bool, Burst) {
        (self.burst_valid, self.burst)
    }

    /// The description that stands.
    pub fn m_d(&self) -> Option<Description> {
        self.description_valid.then_some(self.description)
    }

    /// All bursts of a command: each stays in a window of 256 beats, at most 4 KB.
    fn cut(&self) -> VecDeque<Burst> {
        let (addr, bytes) = self.command;
        let window_bytes = (256 * self.beat_bytes).min(4096);
        let mut bursts = VecDeque::new();
        let (mut at, mut left) = (addr, u64::from(bytes));
        while left > 0 {
            let part = left.min(window_bytes - at % window_bytes);
            let beats = (at % self.beat_bytes + part).div_ceil(self.beat_bytes);
            bursts.push_back(Burst { addr: at, len: (beats - 1) as u8 });
            at = at.wrapping_add(part);
            left -= part;
        }
        bursts
    }

    /// One clock edge.
    pub fn step(&mut self, reset: bool, s: Option<(u64, u16)>, a_ready: bool, d_ready: bool) {
        if reset {
            *self = Self::new(self.beat_bytes as usize);
            return;
        }
        match self.phase {
            Phase::Idle => {
                if let Some(command) = s {
                    self.command = command;
                    self.burst.addr = command.0;
                    self.phase = Phase::Prepare { cycles_left: PREPARE_CYCLES };
                }
            }
            Phase::Prepare { cycles_left: 1 } => {
                self.later = self.cut();
                let burst_count = self.later.len() as u8;
                let (addr, bytes) = self.command;
                self.description = Description { addr, bytes, burst_count };
                self.description_valid = true;
                self.next_burst();
                self.phase = Phase::Issue;
            }
            Phase::Prepare { cycles_left } => {
                self.phase = Phase::Prepare { cycles_left: cycles_left - 1 };
            }
            Phase::Issue => {
                if a_ready && self.burst_valid {
                    self.next_burst();
                }
                self.description_valid &= !d_ready;
                if !self.burst_valid && !self.description_valid {
                    self.phase = Phase::Idle;
                }
            }
        }
    }

    fn next_burst(&mut self) {
        let next = self.later.pop_front();
        self.burst_valid = next.is_some();
        self.burst = next.unwrap_or(self.burst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dma_bursts_stay_in_their_window() {
        let mut cutter = DmaBursts::new(8);
        cutter.command = (0x1fff, 4096);
        let bursts: Vec<_> = cutter.cut().into_iter().map(|b| (b.addr, b.len)).collect();
        assert_eq!(bursts, [(0x1fff, 0), (0x2000, 255), (0x2800, 255)]);
        cutter.command = (0x2ffd, 4);
        let bursts: Vec<_> = cutter.cut().into_iter().map(|b| (b.addr, b.len)).collect();
        assert_eq!(bursts, [(0x2ffd, 0), (0x3000, 0)]);
        cutter.command = (0x10, 0);
        assert!(cutter.cut().is_empty());
    }
}
