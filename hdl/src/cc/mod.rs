//! Congestion control: HPCC++ NewAck for every flow.

pub mod active;
pub mod cc_core;
pub mod decision;
pub mod ewma;
pub mod flight;
pub mod hop;
pub mod intake;
pub mod records;
pub mod serial;
pub mod share;
pub mod state;
pub mod unit;
pub mod wide;
pub mod wind;
