//! Twins of the answers to READs.

pub mod reply;
