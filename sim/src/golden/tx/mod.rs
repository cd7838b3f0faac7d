//! Twins of the transmit path.

pub mod tx_pipe;
