//! Why a run of two NICs ends early.

use super::plan::Plan;
use crate::env::station::BusError;
use nic_driver::Error;
use nic_harness::lockstep::StepError;
use std::fmt;

/// A run is given up after this many cycles without a completion, and the longest that a NIC waits for
/// an answer, twice.
const STUCK_CYCLES: u64 = 3_000_000;

/// Cycles of a plan without a completion after which it is given up.
pub fn stuck_cycles(plan: &Plan) -> u64 {
    // InfiniBand, 9.7.6.1.3: 4.096 us x 2^exponent.
    let timeout_ns = 4096_u64 << plan.timeout_exponent;
    STUCK_CYCLES + 2 * timeout_ns * plan.clock_hz / 1_000_000_000
}

/// Why a run ends early.
#[derive(Debug)]
pub enum RunError {
    /// The engine failed: a mismatch, mostly.
    Step(StepError),
    /// The driver failed.
    Driver(Error<BusError>),
    /// Nothing completes any more.
    Stuck {
        /// When, in cycles.
        cycle: u64,
        /// For so many cycles.
        waited: u64,
        /// Messages outstanding.
        outstanding: u32,
    },
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step(e) => e.fmt(f),
            Self::Driver(e) => e.fmt(f),
            Self::Stuck { cycle, waited, outstanding } => {
                write!(f, "no completion for {waited} cycles at cycle {cycle}: ")?;
                write!(f, "{outstanding} messages are outstanding")
            }
        }
    }
}

impl std::error::Error for RunError {}

impl From<StepError> for RunError {
    fn from(error: StepError) -> Self {
        Self::Step(error)
    }
}

impl From<Error<BusError>> for RunError {
    fn from(error: Error<BusError>) -> Self {
        match error {
            Error::Bus(BusError::Step(e)) => Self::Step(e),
            other => Self::Driver(other),
        }
    }
}
