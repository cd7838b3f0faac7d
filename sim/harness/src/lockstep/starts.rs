//! Lets counters start near their wraps, in the golden model and the DUTs alike.

use super::{Dut, Error, LockStep};
use nic_models::ports::{Golden, PortField, Ports};
use nic_models::starts::{Starter, Starts};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeSet;

/// One seed of so many starts all counters at 0, as hardware does.
const PLAIN_SEEDS: u64 = 4;

/// Where the counters of a run start.
#[derive(Debug)]
pub struct NearWraps {
    rng: ChaCha8Rng,
    is_plain: bool,
    /// What the last call of [`LockStep::start_counters`] has started: path, value.
    pub started: Vec<(String, u64)>,
    /// Paths that a DUT does not show, so that their counters start at 0.
    pub missing: BTreeSet<String>,
}

impl NearWraps {
    /// For the run of this seed.
    pub fn new(seed: u64) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(seed ^ 0x57a_2757);
        Self {
            rng,
            is_plain: seed.is_multiple_of(PLAIN_SEEDS),
            started: Vec::new(),
            missing: BTreeSet::new(),
        }
    }
}

/// The choice for one step.
struct Choice<'a, I, O> {
    wraps: &'a mut NearWraps,
    duts: &'a mut [Dut<I, O>],
    follows: &'a dyn Fn(&str) -> bool,
}

impl<I: Ports, O: Ports> Starter for Choice<'_, I, O> {
    fn wants(&mut self, path: &str) -> bool {
        if !(self.follows)(path) {
            return false;
        }
        let is_shown = self.duts.iter().all(|dut| dut.pins.has_register(path));
        if !is_shown {
            self.wraps.missing.insert(path.into());
        }
        is_shown
    }

    fn near_wrap(&mut self, bits: u32, soon: u64) -> u64 {
        let rng = &mut self.wraps.rng;
        // Mostly all bits wrap; else the upper ones are any, and take the carry of the lower.
        let wrapping = if rng.gen_ratio(2, 3) { bits } else { rng.gen_range(bits / 2..=bits) };
        let upper = rng.gen::<u64>() << wrapping;
        // Some wrap almost at once, most in the middle of the run.
        let soon = if rng.gen_ratio(1, 4) { soon / 16 } else { soon };
        let soon = rng.gen_range(0..=soon);
        let lower = ((1 << wrapping) - 1) - soon.min((1 << wrapping) - 1);
        (upper | lower) & ((1 << bits) - 1)
    }

    fn put(&mut self, path: &str, value: u64) {
        self.duts.iter_mut().for_each(|dut| dut.pins.put_register(path, value));
        self.wraps.started.push((path.into(), value));
    }
}

impl<G: Golden> LockStep<G> {
    /// Lets the counters that the last step has cleared start elsewhere if the surroundings follow;
    /// the outputs then.
    pub fn start_counters(
        &mut self,
        wraps: &mut NearWraps,
        follows: &dyn Fn(&str) -> bool,
    ) -> Result<Option<G::Out>, Error> {
        wraps.started.clear();
        if wraps.is_plain {
            return Ok(None);
        }
        let mut choice = Choice { wraps, duts: &mut self.duts, follows };
        let changed = self.golden.starts(&mut Starts::new(&mut choice, self.was_reset));
        let Some(out) = changed else { return Ok(None) };
        for dut in &mut self.duts {
            dut.pins.settle()?;
            dut.pins.outputs(&mut dut.output_words);
        }
        out.store(&mut self.golden_words);
        self.last_out = out.clone();
        Ok(Some(out))
    }
}
