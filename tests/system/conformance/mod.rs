//! Situations that the standard names, and telemetry that no honest network gives, one a row, each
//! with its expectation typed by hand. The reference, the golden NIC, and the Verilog (in lock-step
//! with the golden NIC) must all do what the row says.
//!
//! Source: InfiniBand architecture volume 1, section 9.7 and its tables; annex A17 for RoCEv2;
//! telemetry: hdl/cc.md.

mod echo;
mod frames;
mod probe;
mod requester;
mod responder;
mod telemetry;
mod window;
