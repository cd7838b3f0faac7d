//! Tx pipe: frames from packets, ACKs and host frames.

pub mod delay;
pub mod header;
pub mod pack;
pub mod piece;
pub mod pipe;
pub mod room;
pub mod seq;
