//! Tests of the host side: registers, DMA and rings.

mod cq_ring;
mod csr;
mod dma_read;
mod dma_write;
mod read_mux;
mod rings;
mod sq_fetch;
mod uart;
mod write_mux;
