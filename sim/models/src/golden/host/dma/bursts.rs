//! Twin of `hdl/src/host/dma/bursts.rs`: the bursts of a command, two cycles after it was taken.

use std::collections::VecDeque;

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

/// The cutter.
#[derive(Clone, Debug)]
pub struct DmaBursts {
    beat_bytes: u64,
    /// Address and bytes of the command that is to be cut.
    command: Option<(u64, u16)>,
    later: VecDeque<Burst>,
    burst: Burst,
    burst_valid: bool,
    started: bool,
    description: Description,
    description_valid: bool,
}

/// What a cutter sees before a clock edge.
#[derive(Clone, Copy, Debug)]
pub struct BurstsIn {
    /// A command: address and bytes.
    pub command: Option<(u64, u16)>,
    /// Another burst may stand.
    pub open: bool,
    /// The burst is taken.
    pub a_ready: bool,
    /// The description is taken.
    pub d_ready: bool,
}

impl DmaBursts {
    /// A cutter for beats of `beat_bytes`.
    pub fn new(beat_bytes: usize) -> Self {
        Self {
            beat_bytes: beat_bytes as u64,
            command: None,
            later: VecDeque::new(),
            burst: Burst::default(),
            burst_valid: false,
            started: false,
            description: Description::default(),
            description_valid: false,
        }
    }

    /// `s_ready`.
    pub fn s_ready(&self) -> bool {
        self.command.is_none()
    }

    /// The burst has stood for less than a cycle.
    pub fn started(&self) -> bool {
        self.started
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
    fn cut(&self, (addr, bytes): (u64, u16)) -> VecDeque<Burst> {
        let window_bytes = window_bytes(self.beat_bytes);
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
    pub fn step(&mut self, reset: bool, i: &BurstsIn) {
        if reset {
            *self = Self::new(self.beat_bytes as usize);
            return;
        }
        self.burst_valid &= !i.a_ready;
        self.description_valid &= !i.d_ready;
        self.started = false;
        let is_free = !self.burst_valid && self.later.is_empty() && !self.description_valid;
        match self.command {
            Some((addr, bytes)) if is_free && (i.open || bytes == 0) => {
                self.later = self.cut((addr, bytes));
                let burst_count = self.later.len() as u8;
                self.description = Description { addr, bytes, burst_count };
                self.description_valid = true;
                self.command = None;
            }
            Some(_) => {}
            None => self.command = i.command,
        }
        if !self.burst_valid && i.open {
            if let Some(burst) = self.later.pop_front() {
                (self.burst, self.burst_valid, self.started) = (burst, true, true);
            }
        }
    }
}

/// A burst stays in a window of so many bytes.
pub fn window_bytes(beat_bytes: u64) -> u64 {
    (256 * beat_bytes).min(4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dma_bursts_stay_in_their_window() {
        let cutter = DmaBursts::new(8);
        let cut = |addr, bytes| cutter.cut((addr, bytes)).into_iter().map(|b| (b.addr, b.len));
        let bursts: Vec<_> = cut(0x1fff, 4096).collect();
        assert_eq!(bursts, [(0x1fff, 0), (0x2000, 255), (0x2800, 255)]);
        let bursts: Vec<_> = cut(0x2ffd, 4).collect();
        assert_eq!(bursts, [(0x2ffd, 0), (0x3000, 0)]);
        assert_eq!(cut(0x10, 0).count(), 0);
        // Beats of 64 bytes: a window of 4 KB is no more than 64 of them.
        let wide = DmaBursts::new(64);
        let bursts: Vec<_> =
            wide.cut((0x1fff, 4096)).into_iter().map(|b| (b.addr, b.len)).collect();
        assert_eq!(bursts, [(0x1fff, 0), (0x2000, 63)]);
    }
}
