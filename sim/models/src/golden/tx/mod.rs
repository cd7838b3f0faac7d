//! Twins of the transmit path.

mod body;
pub mod data_header;
mod frame;
mod header;
mod join;
mod layout;
pub mod pipe;
mod ports;
