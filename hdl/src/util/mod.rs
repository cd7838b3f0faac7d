//! Blocks that every area uses: memories, FIFOs, arithmetic, CRC, arbitration.

pub mod fifo;
pub mod frame_fifo;
pub mod lut_ram;
pub mod ram;
pub mod ram_fifo;
pub mod skid;
