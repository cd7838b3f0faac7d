//! Windows of a receiver.

pub mod input;
pub mod output;
