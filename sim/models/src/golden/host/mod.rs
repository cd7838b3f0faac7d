//! Host side twins.

pub mod axi;
pub mod axil_port;
pub mod core_csr;
pub mod cq;
pub mod csr;
pub mod csr_regs;
pub mod dma;
pub mod event_counters;
pub mod interrupt;
pub mod read_mux;
pub mod registers;
pub mod sq;
pub mod table_window;
pub mod uart;
pub mod write_mux;
