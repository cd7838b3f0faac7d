//! Twins of the util blocks. Their generic cores are made to be composed by other twins.

pub mod crc32;
pub mod fifo;
pub mod frame_fifo;
pub mod mul;
pub mod ram;
pub mod recip;
pub mod rr_arb;
pub mod rr_merge;
pub mod skid;
pub mod stream_mux;
pub mod stream_route;
