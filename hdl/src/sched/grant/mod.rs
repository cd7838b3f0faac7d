//! Which flow goes.

pub mod order;
pub mod queue;
pub mod rule;
