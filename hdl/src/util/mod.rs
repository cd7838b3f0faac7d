//! Blocks that every area uses: memories, FIFOs, arithmetic, CRC, arbitration.

pub mod any_ram;
pub mod bytes;
pub mod crc32;
pub mod cut;
pub mod delay;
pub mod event_sum;
pub mod fifo;
pub mod frame_fifo;
pub mod gather;
pub mod lut_ram;
pub mod mul_pipe;
pub mod mul_serial;
pub mod ram;
pub mod ram_fifo;
pub mod recip;
pub mod rr_arb;
pub mod rr_merge;
pub mod skid;
pub mod stream_mux;
pub mod stream_route;

/// The number of `bits` ones.
pub fn ones(bits: usize) -> num_bigint::BigUint {
    (num_bigint::BigUint::from(1_u32) << bits) - 1_u32
}
