//! Random numbers of a bench.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// Longest payload in bytes that is gone through: a packet of MTU 1024 and somewhat more.
pub const SWEPT_BYTES_MAX: u32 = 1100;

/// Seeds that share the lengths.
const SHARES: u32 = 4;

/// Payload lengths, each in one of four seeds that follow each other. How many of them a run gets to
/// depends on its cycles.
#[derive(Clone, Debug)]
pub struct Lengths {
    first: u32,
    left: VecDeque<u32>,
}

impl Lengths {
    /// The share of this seed.
    pub fn new(seed: u64) -> Self {
        Self { first: 1 + (seed % u64::from(SHARES)) as u32, left: VecDeque::new() }
    }

    /// A length of at most `most` bytes, if one is left: long ones first. After the last one all
    /// come again.
    pub fn take(&mut self, most: u32) -> Option<u32> {
        if self.left.is_empty() {
            self.left.extend((self.first..=SWEPT_BYTES_MAX).step_by(SHARES as usize));
        }
        if self.left.back().is_some_and(|longest| *longest <= most) {
            return self.left.pop_back();
        }
        self.left
            .front()
            .is_some_and(|shortest| *shortest <= most)
            .then(|| self.left.pop_front())?
    }
}

/// A stream of random numbers that differs from that of other `salt`s.
pub fn sub(seed: u64, salt: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt)
}
