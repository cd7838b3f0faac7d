//! Flow scheduler: credit pacing with an active ring, and a calendar of the last millisecond.

pub mod credit;
pub mod grant;
pub mod line_clock;
pub mod ring;
pub mod sched_core;
pub mod scheduler;
pub mod visit_pipe;
pub mod wide;
