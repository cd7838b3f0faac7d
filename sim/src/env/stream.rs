//! Sources and sinks of valid/ready streams with random stalls, and AXI4-Stream frames.
//!
//! All keep the rule that a raised valid stays, with stable data, until ready. A block's outputs
//! are registers, so a transfer in the cycle that is being prepared is known: a source has
//! `valid` in hand and sees the block's `ready`, a sink the other way round.

use nic_models::ports::{keep, Data};
use nic_models::streams::{Axis, AxisUser};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Random decision to go or stall, in seeded phases: full speed, sparse, dense, long stalls.
#[derive(Clone, Debug)]
pub struct Stall {
    rng: ChaCha8Rng,
    /// Cycles left of this phase.
    phase_left: u32,
    /// Chance to go in this phase, in 256ths.
    go_256: u32,
    /// Never stalls.
    is_steady: bool,
}

impl Stall {
    /// A stall pattern that is a function of `rng`.
    pub fn new(rng: ChaCha8Rng) -> Self {
        Self { rng, phase_left: 0, go_256: 256, is_steady: false }
    }

    /// Whether to go in this cycle.
    pub fn go(&mut self) -> bool {
        if self.is_steady {
            return true;
        }
        if self.phase_left == 0 {
            let chances = [256, 256, 256, 128, 128, 230, 26, 0];
            self.go_256 = chances[self.rng.gen_range(0..chances.len())];
            let longest = if self.go_256 == 0 { 40 } else { 200 };
            self.phase_left = self.rng.gen_range(1..=longest);
        }
        self.phase_left -= 1;
        self.go_256 == 256 || self.rng.gen_range(0..256) < self.go_256
    }
}

/// Holds the item that is offered to a sink port of the block.
#[derive(Clone, Debug)]
pub struct Source<T> {
    stall: Stall,
    offered: Option<T>,
}

impl<T: Clone> Source<T> {
    /// A source that offers nothing yet.
    pub fn new(rng: ChaCha8Rng) -> Self {
        Self { stall: Stall::new(rng), offered: None }
    }

    /// Prepares the next cycle: `Some(item)` drives valid and data, `None` leaves valid low.
    /// `ready` is the block's output before the coming edge; `next` makes a new item, or has none.
    /// The first call after reset must pass the reset outputs.
    ///
    /// An offered item is taken at the coming edge if `ready` is high; call once per cycle.
    pub fn drive(&mut self, ready: bool, next: impl FnOnce() -> Option<T>) -> Option<T> {
        if self.offered.is_none() && self.stall.go() {
            self.offered = next();
        }
        let drive = self.offered.clone();
        if ready {
            self.offered = None;
        }
        drive
    }

    /// Forgets the offered item, as the block's reset does.
    pub fn reset(&mut self) {
        self.offered = None;
    }

    /// Whether nothing is waiting for ready.
    pub fn is_idle(&self) -> bool {
        self.offered.is_none()
    }
}

/// Decides the ready of a source port of the block.
#[derive(Clone, Debug)]
pub struct Sink {
    stall: Stall,
}

impl Sink {
    /// A sink with a random stall pattern.
    pub fn new(rng: ChaCha8Rng) -> Self {
        Self { stall: Stall::new(rng) }
    }

    /// Prepares the next cycle: whether ready is high. Independent of valid.
    pub fn drive(&mut self) -> bool {
        self.stall.go()
    }
}

/// One AXI4-Stream beat of up to 512 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beat {
    /// Its bytes.
    pub tdata: Data,
    /// One bit per byte.
    pub tkeep: u64,
    /// Last beat of the frame.
    pub tlast: bool,
    /// On the last beat: the frame is bad.
    pub tuser: bool,
}

impl Beat {
    /// The pins of a stream that offers it, or nothing.
    pub fn offered_user(beat: Option<Self>) -> AxisUser {
        let tvalid = beat.is_some();
        let Self { tdata, tkeep, tlast, tuser } = beat.unwrap_or_default();
        AxisUser { tdata, tkeep, tvalid, tlast, tuser }
    }

    /// The same of a stream in which nothing is bad.
    pub fn offered(beat: Option<Self>) -> Axis {
        let AxisUser { tdata, tkeep, tvalid, tlast, .. } = Self::offered_user(beat);
        Axis { tdata, tkeep, tvalid, tlast }
    }

    /// What stands at the pins of a stream.
    pub fn of(pins: &Axis) -> Self {
        let Axis { tdata, tkeep, tlast, .. } = *pins;
        Self { tdata, tkeep, tlast, tuser: false }
    }
}

/// The beats of `frame` on a stream of `beat_bytes` bytes; bytes past the end are 0.
///
/// An empty frame has no beats.
pub fn frame_to_beats(frame: &[u8], beat_bytes: usize, tuser: bool) -> Vec<Beat> {
    assert!((1..=64).contains(&beat_bytes), "beat_bytes must be in 1..=64");
    let beat_count = frame.len().div_ceil(beat_bytes);
    let beat = |(i, bytes): (usize, &[u8])| {
        let tlast = i + 1 == beat_count;
        Beat { tdata: Data::of(bytes), tkeep: keep(bytes.len()), tlast, tuser: tuser && tlast }
    };
    frame.chunks(beat_bytes).enumerate().map(beat).collect()
}

/// Sends queued frames beat by beat, with stalls between and inside frames.
#[derive(Clone, Debug)]
pub struct FrameSource {
    source: Source<Beat>,
    beats: std::collections::VecDeque<Beat>,
    beat_bytes: usize,
    /// No stalls inside a frame: how a MAC delivers.
    is_gapless: bool,
    in_frame: bool,
}

impl FrameSource {
    /// A source for a stream of `beat_bytes` bytes a beat.
    pub fn new(rng: ChaCha8Rng, beat_bytes: usize) -> Self {
        let (source, beats) = (Source::new(rng), Default::default());
        Self { source, beats, beat_bytes, is_gapless: false, in_frame: false }
    }

    /// Stalls only between frames from now on.
    pub fn gapless(mut self) -> Self {
        self.is_gapless = true;
        self
    }

    /// Never stalls from now on.
    pub fn prompt(mut self) -> Self {
        self.source.stall.is_steady = true;
        self
    }

    /// Queues a frame; `tuser` marks it bad.
    pub fn push(&mut self, frame: &[u8], tuser: bool) {
        self.beats.extend(frame_to_beats(frame, self.beat_bytes, tuser));
    }

    /// Beats that are queued and not yet offered.
    pub fn pending_beats(&self) -> usize {
        self.beats.len()
    }

    /// Prepares the next cycle, see [`Source::drive`].
    pub fn drive(&mut self, ready: bool) -> Option<Beat> {
        if self.is_gapless && self.in_frame && self.source.offered.is_none() {
            self.source.offered = self.beats.pop_front();
        }
        let beats = &mut self.beats;
        let beat = self.source.drive(ready, || beats.pop_front());
        if let Some(beat) = &beat {
            self.in_frame = !(beat.tlast && ready);
        }
        beat
    }
}

/// A frame as a [`FrameSink`] has received it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether the last beat had tuser.
    pub tuser: bool,
}

/// Collects the beats of a source port to frames.
#[derive(Clone, Debug, Default)]
pub struct FrameSink {
    partial: Vec<u8>,
}

impl FrameSink {
    /// Whether a frame has begun and not ended.
    pub fn is_in_frame(&self) -> bool {
        !self.partial.is_empty()
    }

    /// Takes a transferred beat; returns the frame that it ends.
    pub fn take(&mut self, beat: &Beat) -> Option<Frame> {
        let kept = (0..64).filter(|at| beat.tkeep >> at & 1 != 0);
        let bytes = beat.tdata.bytes();
        self.partial.extend(kept.map(|at| bytes[at]));
        let is_last = beat.tlast;
        is_last.then(|| Frame { bytes: core::mem::take(&mut self.partial), tuser: beat.tuser })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn frames_survive_the_way_over_any_beat_width() {
        for beat_bytes in [1, 4, 8, 64] {
            for length in [1, 7, 8, 9, 64, 65, 1500] {
                let frame: Vec<u8> = (0..length).map(|i| i as u8 ^ 0x5a).collect();
                let mut source = FrameSource::new(ChaCha8Rng::seed_from_u64(1), beat_bytes);
                source.push(&frame, true);
                let mut ready = Sink::new(ChaCha8Rng::seed_from_u64(2));
                let mut sink = FrameSink::default();
                let transfer = |_| {
                    let ready = ready.drive();
                    source.drive(ready).filter(|_| ready).and_then(|beat| sink.take(&beat))
                };
                let received = (0..100_000).find_map(transfer);
                assert_eq!(received, Some(Frame { bytes: frame, tuser: true }));
            }
        }
    }

    #[test]
    fn source_keeps_valid_and_data_until_ready() {
        let mut source = Source::new(ChaCha8Rng::seed_from_u64(3));
        let mut ready = Sink::new(ChaCha8Rng::seed_from_u64(4));
        let (mut count, mut expected) = (0u32, 0u32);
        let mut waiting = None;
        for _ in 0..10_000 {
            let ready = ready.drive();
            let item = source.drive(ready, || {
                count += 1;
                Some(count)
            });
            assert!(waiting.is_none() || item == waiting);
            waiting = item.filter(|_| !ready);
            if let Some(item) = item.filter(|_| ready) {
                expected += 1;
                assert_eq!(item, expected);
            }
        }
        assert!(expected > 1000);
    }
}
