//! Twin of `hdl/src/cc/share.rs`: what share of the way between U and u' an update goes.

/// Share of the way: tau/T up to a half, from U; above it what is left of T, from u', so that what is
/// cut off the share is small against what is left of either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// UQ0.32; UQ0.40 if it is fine.
    pub part: u32,
    /// It is below 2^-8.
    pub fine: bool,
    /// The way is from u' to U.
    pub turned: bool,
}

impl Share {
    /// That of `tau_ns`; `inv_t` is 1/T, UQ0.40.
    pub fn of(t_ns: u32, inv_t: u32, tau_ns: u32) -> Self {
        let turned = 2 * tau_ns > t_ns;
        let part = if turned { t_ns.saturating_sub(tau_ns) } else { tau_ns };
        // UQ12.40; 32 bits of it are taken.
        let share = u64::from(part) * u64::from(inv_t);
        let fine = share < 1 << 32;
        let part = if fine { share as u32 } else { (share >> 8) as u32 };
        Self { part, fine, turned }
    }

    /// The share as blocks pass it on: part [31:0], fine [32], turned [33].
    pub fn word(self) -> u64 {
        u64::from(self.part) | u64::from(self.fine) << 32 | u64::from(self.turned) << 33
    }

    /// That of a word.
    pub fn from_word(word: u64) -> Self {
        Self { part: word as u32, fine: word >> 32 & 1 != 0, turned: word >> 33 & 1 != 0 }
    }
}
