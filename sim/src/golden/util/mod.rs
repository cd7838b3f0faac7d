//! Twins of the util blocks. Their generic cores are made to be composed by other twins.

pub mod fifo;
pub mod frame_fifo;
pub mod ram;
pub mod skid;
