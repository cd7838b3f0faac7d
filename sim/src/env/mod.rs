//! Surroundings of a block or of the NIC: streams, memories, links. They drive any engine.

pub mod axi_mem;
pub mod station;
pub mod stream;
