//! Random numbers of a bench.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// A stream of random numbers that differs from that of other `salt`s.
pub fn sub(seed: u64, salt: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt)
}
