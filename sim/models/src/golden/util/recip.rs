//! Twin of `hdl/src/util/recip.rs`: reciprocal by chords over 512 segments.

use crate::ports;
use crate::ports::Golden;

/// Cycles from `x` to its reciprocal.
pub const LATENCY_CYCLES: usize = 6;
/// Fraction bits of the mantissa.
pub const MANTISSA_BITS: u32 = 22;

ports! {
    /// A reciprocal: `mantissa * 2^-(22 + exponent)`.
    pub struct Reciprocal {
        /// UQ0.22, top bit set.
        pub mantissa: u32,
        /// floor(log2 x).
        pub exponent: u8,
        /// x was 0: mantissa 2^22 - 1, exponent 0.
        pub zero: bool,
    }
}

/// The reciprocal of `x`, relative error below 2^-18.
pub fn reciprocal(x: u64) -> Reciprocal {
    if x == 0 {
        return Reciprocal { mantissa: (1 << MANTISSA_BITS) - 1, exponent: 0, zero: true };
    }
    let exponent = x.ilog2();
    // f = x / 2^exponent in [1, 2): 22 fraction bits, truncated.
    let fraction = (u128::from(x) << 22 >> exponent) as u64 & 0x3f_ffff;
    Reciprocal { mantissa: chord(fraction), exponent: exponent as u8, zero: false }
}

/// The lowered chord of 2^22 / f at f = 1 + fraction / 2^22.
fn chord(fraction: u64) -> u32 {
    let (segment, position) = (fraction >> 13, fraction & 0x1fff);
    // The curve at the ends of the segment, f = n / 512.
    let n = 512 + segment;
    let curve = |n: u64| (1_u64 << 31) / n;
    // A chord's greatest distance is h^2 / (4 f^3), h = 1/512: 4 / f^3 units. Half of it is
    // 2 / f^3.
    let lowered = (2 << 27) / (n * n * n);
    let fall = curve(n) - curve(n + 1);
    (curve(n) - lowered - ((fall * position) >> 13)) as u32
}

/// The pipeline: results leave [`LATENCY_CYCLES`] after their argument.
#[derive(Clone, Debug)]
pub struct Recip {
    in_flight: [Reciprocal; LATENCY_CYCLES],
    at: usize,
}

impl Default for Recip {
    fn default() -> Self {
        Self { in_flight: [reciprocal(0); LATENCY_CYCLES], at: 0 }
    }
}

impl Recip {
    /// One clock edge; returns the outputs after it.
    pub fn step(&mut self, reset: bool, x: u64) -> Reciprocal {
        if reset {
            *self = Self::default();
            return reciprocal(0);
        }
        self.in_flight[self.at] = reciprocal(x);
        self.at = (self.at + 1) % LATENCY_CYCLES;
        self.in_flight[self.at]
    }
}

ports! {
    /// Inputs of [`Recip`].
    pub struct RecipIn {
        /// Synchronous reset.
        pub reset: bool,
        /// Argument.
        pub x: u64,
    }
}

impl Golden for Recip {
    type In = RecipIn;
    type Out = Reciprocal;
    fn step(&mut self, i: &RecipIn) -> Reciprocal {
        Recip::step(self, i.reset, i.x)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All table arguments, at both ends of the interval that truncation maps to them: with
    /// f = (2^22 + v) / 2^22 and mantissa m, the relative error is |m (2^22 + v) - 2^44| / 2^44.
    #[test]
    fn recip_error_is_below_2_pow_minus_18() {
        let mut worst = 0;
        for v in 0..1_u64 << 22 {
            let m = u64::from(chord(v));
            assert!(m >> 21 == 1, "top bit of the mantissa at {v}");
            for f in [(1 << 22) + v, (1 << 22) + v + 1] {
                worst = worst.max((m * f).abs_diff(1 << 44));
            }
        }
        println!("worst relative error 2^{:.2}", (worst as f64 / (1_u64 << 44) as f64).log2());
        assert!(worst < 1 << (44 - 18));
    }

    #[test]
    fn recip_knows_exact_cases() {
        let zero = Reciprocal { mantissa: 0x3f_ffff, exponent: 0, zero: true };
        assert_eq!(reciprocal(0), zero);
        let one = reciprocal(1);
        assert_eq!((one.exponent, one.mantissa), (0, (1 << 22) - 2));
        let top = reciprocal(u64::MAX);
        assert_eq!((top.exponent, top.mantissa), (63, 1 << 21 | 1));
    }
}
