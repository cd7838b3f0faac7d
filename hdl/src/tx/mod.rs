//! Tx pipe: frames from packets, ACKs and host frames.

pub mod body;
pub mod choice;
pub mod header;
pub mod icrc;
pub mod join;
pub mod layout;
pub mod paper_hop;
pub mod pipe;
