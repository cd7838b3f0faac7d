//! Counters that start elsewhere than at 0: a run from reset would never come to their wraps.
//!
//! A twin offers a counter in the step in which it has been cleared. Who runs the twin may decide
//! that it starts at another value, and puts the same one into the Verilog's register. What is
//! told of a counter is the path of that register below the twin's module: `timer.tick`, a word of
//! a memory `rows.mem[3]`, bits of it `rows.mem[3][47:24]`.

use core::ops::RangeInclusive;

/// Cycles of a short run: a counter of cycles that wraps within so many does so in it.
pub const SOON_CYCLES: u64 = 60_000;

/// Where counters start, as the runner of a twin decides.
pub trait Starter {
    /// Whether the counter at `path` starts elsewhere: all that read it follow, and the Verilog has
    /// such a register.
    fn wants(&mut self, path: &str) -> bool;
    /// A value of `bits` bits that wraps, or carries into its upper half, within `soon` counts.
    fn near_wrap(&mut self, bits: u32, soon: u64) -> u64;
    /// The counter at `path` has this value from now on.
    fn put(&mut self, path: &str, value: u64);
}

/// Where a twin stands in the top twin: asked for in each cycle, written out only for a counter.
#[derive(Clone, Copy)]
enum Scope<'a> {
    Top,
    Within(&'a Scope<'a>, &'a str),
}

impl core::fmt::Display for Scope<'_> {
    /// Each instance with a dot behind it.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Top => Ok(()),
            Self::Within(outer, name) => write!(f, "{outer}{name}."),
        }
    }
}

/// What a twin offers its counters to.
pub struct Starts<'a> {
    starter: &'a mut dyn Starter,
    is_reset: bool,
    scope: Scope<'a>,
}

impl core::fmt::Debug for Starts<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Starts").field("scope", &self.scope.to_string()).finish_non_exhaustive()
    }
}

impl<'a> Starts<'a> {
    /// For the top twin; `is_reset`: the step behind was one of reset.
    pub fn new(starter: &'a mut dyn Starter, is_reset: bool) -> Self {
        Self { starter, is_reset, scope: Scope::Top }
    }

    /// Whether the step behind was one of reset.
    pub fn is_reset(&self) -> bool {
        self.is_reset
    }

    /// The twin of the instance `name`.
    pub fn within<T>(&mut self, name: &str, body: impl FnOnce(&mut Starts<'_>) -> T) -> T {
        let (is_reset, scope) = (self.is_reset, Scope::Within(&self.scope, name));
        body(&mut Starts { starter: &mut *self.starter, is_reset, scope })
    }

    /// Whether the counter at `path` starts elsewhere.
    pub fn wants(&mut self, path: &str) -> bool {
        self.starter.wants(&format!("{}{path}", self.scope))
    }

    /// As [`Starter::near_wrap`].
    pub fn near_wrap(&mut self, bits: u32, soon: u64) -> u64 {
        self.starter.near_wrap(bits, soon)
    }

    /// As [`Starter::put`], with a path below the twin.
    pub fn put(&mut self, path: &str, value: u64) {
        self.starter.put(&format!("{}{path}", self.scope), value);
    }

    /// A counter of `bits` bits that reset clears: its value if it has just been cleared and starts
    /// elsewhere.
    pub fn after_reset(&mut self, path: &str, bits: u32, soon: u64) -> Option<u64> {
        if !self.is_reset {
            return None;
        }
        self.offer(path, bits, soon)
    }

    /// A counter of `bits` bits that has just been cleared: its value if it starts elsewhere.
    pub fn offer(&mut self, path: &str, bits: u32, soon: u64) -> Option<u64> {
        let value = self.wants(path).then(|| self.near_wrap(bits, soon))?;
        self.put(path, value);
        Some(value)
    }
}

/// A path's register, word of a memory, and bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// Instances and the register's name, joined by dots.
    pub register: &'a str,
    /// Word of a memory.
    pub word: Option<usize>,
    /// Bits of it; `None`: all.
    pub bits: Option<RangeInclusive<u32>>,
}

impl<'a> Place<'a> {
    /// `None`: it has another form.
    pub fn parse(path: &'a str) -> Option<Self> {
        let mut parts = path.split('[');
        let mut place = Self { register: parts.next()?, word: None, bits: None };
        for part in parts {
            let part = part.strip_suffix(']')?;
            match part.split_once(':') {
                Some((high, low)) => place.bits = Some(low.parse().ok()?..=high.parse().ok()?),
                None => place.word = Some(part.parse().ok()?),
            }
        }
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn place_has_register_word_and_bits() {
        let place = |register, word, bits| Some(Place { register, word, bits });
        assert_eq!(Place::parse("timer.tick"), place("timer.tick", None, None));
        assert_eq!(Place::parse("a.mem[3]"), place("a.mem", Some(3), None));
        assert_eq!(Place::parse("a.mem[3][47:24]"), place("a.mem", Some(3), Some(24..=47)));
        assert_eq!(Place::parse("a.mem[x]"), None);
    }
}
