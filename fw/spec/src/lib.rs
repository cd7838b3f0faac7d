//! What software and hardware agree on: configurations, registers, table rows, wire formats.
#![no_std]

pub mod cc_params;
pub mod config;
pub mod events;
pub mod layouts;
pub mod regs;
pub mod rows;
pub mod serial;
pub mod streams;
pub mod wire;

pub use config::{ConfigError, NicConfig};
