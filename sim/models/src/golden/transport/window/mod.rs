//! Twins of the windows that a receiver computes.

pub mod input;
pub mod output;
