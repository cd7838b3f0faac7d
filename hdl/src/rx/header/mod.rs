//! The headers of a frame.

pub mod bth;
pub mod checksum;
pub mod ip;
pub mod l2;
pub mod length;
pub mod opcode;
