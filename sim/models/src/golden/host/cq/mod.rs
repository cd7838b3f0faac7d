//! Twins of the completion queue.

pub mod queue;
pub mod ring;
