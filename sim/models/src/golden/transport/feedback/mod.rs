//! Twins of what comes back of a flow, and goes back for one.

pub mod input;
pub mod output;
