//! Host side twins.

pub mod axi;
pub mod axil_port;
pub mod completion_queue;
pub mod core_csr;
pub mod cq_ring;
pub mod csr;
pub mod csr_regs;
pub mod dma;
pub mod event_counters;
pub mod interrupt;
pub mod read_mux;
pub mod registers;
pub mod sq_fetch;
pub mod table_window;
pub mod write_mux;
