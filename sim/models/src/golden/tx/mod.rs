//! Twins of the transmit path.

pub mod data_header;
pub mod ports;
pub mod tx_pipe;
