//! Random numbers of a bench.

#[cfg(test)]
use crate::cli::{DEFAULT_CYCLES, DEFAULT_SEEDS};
#[cfg(test)]
use nic_harness::bench::Stimulus;
#[cfg(test)]
use nic_harness::lockstep::{GoldenOnly, Stepper};
#[cfg(test)]
use nic_models::ports::Golden;
use rand::seq::SliceRandom;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;
use std::ops::RangeInclusive;

/// Longest payload in bytes that is gone through: a packet of MTU 1024 and somewhat more.
pub const SWEPT_BYTES_MAX: u32 = 1100;

/// Seeds that share the lengths.
const SHARES: u32 = 4;

/// Payload lengths in random order: first those that are this one's share of four seeds that follow
/// each other, then the next seed's.
#[derive(Clone, Debug)]
pub struct Lengths {
    rng: ChaCha8Rng,
    first: u32,
    left: VecDeque<u32>,
    rounds: u32,
}

impl Lengths {
    /// The share of this seed.
    pub fn new(seed: u64) -> Self {
        let first = 1 + (seed % u64::from(SHARES)) as u32;
        let mut lengths = Self { rng: sub(seed, 0x1e), first, left: VecDeque::new(), rounds: 0 };
        lengths.begin_round();
        lengths
    }

    /// The next length.
    pub fn take(&mut self) -> u32 {
        let length = self.try_next(u32::MAX).expect("a new round follows the last length");
        self.met(length);
        length
    }

    /// A length of at most `most` bytes that is left until [`Self::met`] takes it: others before it
    /// comes again.
    pub fn try_next(&mut self, most: u32) -> Option<u32> {
        let first = |range: RangeInclusive<u32>| self.left.iter().position(|l| range.contains(l));
        // Short ones find their place everywhere.
        let at = first(most / 4..=most).or_else(|| first(1..=most))?;
        let length = self.left.remove(at)?;
        self.left.push_back(length);
        Some(length)
    }

    /// A packet has this payload length.
    pub fn met(&mut self, length: u32) {
        let Some(at) = self.left.iter().rposition(|left| *left == length) else { return };
        self.left.remove(at);
        if self.left.is_empty() {
            self.rounds += 1;
            self.first = self.first % SHARES + 1;
            self.begin_round();
        }
    }

    /// Whether each length of the share has been met.
    pub fn is_through(&self) -> bool {
        self.rounds > 0
    }

    fn begin_round(&mut self) {
        self.left.extend((self.first..=SWEPT_BYTES_MAX).step_by(SHARES as usize));
        self.left.make_contiguous().shuffle(&mut self.rng);
    }
}

/// A stream of random numbers that differs from that of other `salt`s.
pub fn sub(seed: u64, salt: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt)
}

/// In the default cycles the bench goes through the lengths of its seed's share, but for
/// `left_max` in four seeds at most, in the mean over twelve.
#[cfg(test)]
pub fn sees_each_length<G: Golden, S: Stimulus<G>>(
    golden: impl Fn() -> G,
    stimulus: impl Fn(u64) -> S,
    lengths: impl Fn(&S) -> &Lengths,
    left_max: usize,
) {
    let mut left_sum = 0;
    for seed in 1..=3 * DEFAULT_SEEDS {
        let (mut golden, mut stimulus) = (GoldenOnly(golden()), stimulus(seed));
        let mut out = golden.reset().expect("a golden model alone doesn't fail");
        for cycle in 0..DEFAULT_CYCLES {
            out = golden.step(&stimulus.next(cycle, &out)).expect("as above");
        }
        let lengths = lengths(&stimulus);
        let left = if lengths.is_through() { 0 } else { lengths.left.len() };
        println!("seed {seed}: {left} lengths left");
        left_sum += left;
    }
    assert!(left_sum <= 3 * left_max, "{left_sum} of 3 x {SWEPT_BYTES_MAX} lengths left");
}
