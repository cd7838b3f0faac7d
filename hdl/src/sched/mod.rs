//! Flow scheduler: credit-based round robin, earliest deadline first among the flows that are due.

pub mod due_time;
pub mod intake;
pub mod ledger;
pub mod line;
pub mod log2;
pub mod octave;
pub mod octaves;
pub mod operation;
pub mod scan;
pub mod sched_core;
pub mod scheduler;
pub mod settle;
