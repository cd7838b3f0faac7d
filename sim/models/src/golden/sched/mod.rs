//! Twins of the scheduler's blocks.

pub mod calendar;
pub mod ports;
pub mod sched_core;
pub mod scheduler;
pub mod scheduler_wide;
