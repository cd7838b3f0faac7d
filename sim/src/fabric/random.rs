//! Chance that does not depend on the order in which it is asked.
//!
//! What befalls a packet (marked, lost, which way) is a hash of what it is, so the two ways to run a
//! network, and networks that differ in one setting, meet the same chance.

/// A hash of several numbers (the finaliser of splitmix64 over their sum so far).
pub fn hash(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0x9e37_79b9_7f4a_7c15, |state, number| {
        let mut z = state ^ number.wrapping_mul(0xd6e8_feb8_6659_fd93);
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    })
}

/// The hash as a number in 0..1.
pub fn share(numbers: &[u64]) -> f64 {
    (hash(numbers) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_shares_are_even() {
        let mut counts = [0; 10];
        for i in 0..100_000 {
            counts[(share(&[7, i, 3]) * 10.0) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (9_600..10_400).contains(count)), "{counts:?}");
        assert_ne!(hash(&[1, 2]), hash(&[2, 1]));
    }
}
