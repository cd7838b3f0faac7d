//! Host side: registers, tables' write port, completions, DMA.

pub mod axil_port;
pub mod completion_queue;
pub mod core_csr;
pub mod cq_index;
pub mod cq_ring;
pub mod csr;
pub mod csr_regs;
pub mod dma_bursts;
pub mod dma_read;
pub mod dma_read_align;
pub mod dma_write;
pub mod dma_write_align;
pub mod dma_write_done;
pub mod event_counters;
pub mod interrupt;
pub mod read_mux;
pub mod registers;
pub mod sq_book;
pub mod sq_fetch;
pub mod sq_flows;
pub mod sq_rows;
pub mod table_window;
pub mod write_mux;
