//! Reads and writes of host memory.

pub mod bursts;
pub mod landing;
pub mod read;
pub mod read_align;
pub mod write;
pub mod write_align;
pub mod write_done;
