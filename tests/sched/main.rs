//! Tests of the scheduler.

mod sched_core;
mod scheduler;
mod scheduler_1024;
mod scheduler_rates;
mod scheduler_wide;
