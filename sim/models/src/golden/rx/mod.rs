//! Twins of the rx pipe.

pub mod pipe;
pub mod stack;
pub mod verdict;
