//! Twins of the scheduler's blocks.

pub mod calendar;
pub mod sched_core;
pub mod scheduler;
pub mod wide;
