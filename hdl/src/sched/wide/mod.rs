//! One event a cycle.

pub mod engine;
pub mod event_pair;
pub mod event_pairs;
pub mod line_clock_wide;
pub mod scheduler_wide;
