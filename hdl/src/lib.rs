//! The hardware, one block a file.

// The arms of a kernel are those of the Verilog's `case`.
#![allow(clippy::collapsible_match, clippy::collapsible_if)]

// `comment!` in every kernel.
#[macro_use]
extern crate nic_emit;

pub mod cc;
pub mod emit;
pub mod events;
pub mod host;
pub mod nic;
pub mod rows;
pub mod rx;
pub mod sched;
pub mod streams;
pub mod transport;
pub mod tx;
pub mod util;

pub use nic_block::{block, bundle, kernel, row, stream};
pub use nic_emit::{cell, Reg, Regs, Unreset, Wire};
