//! Twin of the scheduler of several engines.

pub mod scheduler_wide;
