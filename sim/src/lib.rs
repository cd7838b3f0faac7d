//! Golden models, the Verilator harness, the network simulator and the CLI `nic`.

pub mod golden;
pub mod ports;
pub mod reference;
