//! Twins of the scheduler's blocks.

pub mod scheduler;
