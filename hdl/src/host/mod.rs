//! Host side: registers, tables' write port, completions, DMA.

pub mod axil_port;
pub mod completion_queue;
pub mod csr;
pub mod csr_regs;
pub mod event_counters;
pub mod registers;
pub mod table_window;
