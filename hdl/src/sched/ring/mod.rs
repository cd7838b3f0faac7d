//! Who takes the next turn.

pub mod active_ring;
pub mod active_set;
pub mod calendar;
pub mod caller;
pub mod engine_turns;
pub mod turns;
