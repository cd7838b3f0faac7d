//! Twins of `hdl/src/sched`.

mod octaves;
mod scan;
pub mod sched_core;
pub mod scheduler;
