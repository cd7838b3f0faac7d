//! Twins of the rx pipe.

pub mod ports;
pub mod rx_pipe;
pub mod stack;
pub mod verdict;
