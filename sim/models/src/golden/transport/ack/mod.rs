//! Twins of the acknowledgements.

pub mod gen;
pub mod ports;
