//! The NIC on an ECPIX-5 (ECP5-85): what stands behind the pins of ecpix5.v. The page is
//! boards/ecp5-85/README.md.

// The arms of a kernel are those of the Verilog's `case`.
#![allow(clippy::collapsible_match, clippy::collapsible_if)]

#[macro_use]
extern crate nic_emit;

mod byte_ram;
mod core;
mod host_memory;
pub mod simulated;

pub use crate::core::{config, design, CORE_DIV, CORE_HZ, CORE_MODULE};
