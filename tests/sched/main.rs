//! Tests of the scheduler.

mod promise;
mod sched_core;
mod scheduler;
