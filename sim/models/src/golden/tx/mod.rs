//! Twins of the transmit path.

pub mod data_header;
mod frame;
mod pack;
pub mod pipe;
mod ports;
