//! Twins of the scheduler's blocks.

pub mod calendar;
pub mod scheduler;
