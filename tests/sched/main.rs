//! Tests of the scheduler.

mod scheduler;
mod scheduler_1024;
mod scheduler_rates;
mod scheduler_wide;
