//! Rx pipe: from raw frames to RoCEv2 packets and the host's frames.

pub mod header;
pub mod host;
pub mod icrc;
pub mod payload;
pub mod pipe;
pub mod reason;
pub mod record_fifo;
pub mod records;
pub mod room;
pub mod stack;
pub mod strip;
pub mod tel;
pub mod verdict;
