//! The CLI `nic` and what is behind it: a bench for every block, networks of NICs, replay of
//! captures, a Linux guest as the peer.

pub mod bench;
pub mod board;
mod chart;
pub mod cli;
pub mod engine;
pub mod env;
pub mod fabric;
pub mod interop;
pub mod net;
pub mod pcap;
pub mod regmap;
pub mod replay;
