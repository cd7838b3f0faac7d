//! Host side: registers, tables' write port, completions, DMA.

pub mod csr_regs;
