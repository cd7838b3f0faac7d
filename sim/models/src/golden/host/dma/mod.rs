//! Twins of the DMA engines.

pub mod bursts;
pub mod read;
pub mod write;
