//! Tests of the parts that every area uses.

mod crc32;
mod fifo;
mod frame_fifo;
mod mul_pipe;
mod mul_serial;
mod ram;
mod ram_fifo;
mod recip;
mod rr_arb;
mod skid;
mod stream_mux;
mod stream_route;
