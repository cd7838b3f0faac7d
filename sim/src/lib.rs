//! Golden models, the Verilator harness, the network simulator and the CLI `nic`.

pub mod bench;
pub mod cli;
pub mod engine;
pub mod env;
pub mod golden;
pub mod interop;
pub mod lockstep;
pub mod mutate;
pub mod net;
pub mod pcap;
pub mod ports;
pub mod reference;
pub mod regmap;
pub mod replay;
pub mod verilator;
