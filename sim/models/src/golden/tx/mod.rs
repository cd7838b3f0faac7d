//! Twins of the transmit path.

pub mod data_header;
pub mod pipe;
