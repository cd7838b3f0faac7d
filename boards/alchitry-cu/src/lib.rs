//! Congestion control in hardware on an Alchitry Cu (iCE40 HX8K): the CC core of preset `cu` behind
//! the UART of the board's FTDI. The page is boards/alchitry-cu/README.md.

#[macro_use]
extern crate nic_emit;

mod clocks;
mod cu_host;
mod pins;
pub mod simulated;
mod top;

pub use clocks::CORE_HZ;
pub use pins::constraints;
pub use top::{design, AlchitryCu, TOP};
