//! What boards whose host is at a UART share: the hardware between the line and a core's ports, and
//! in simulation the line itself.

#[macro_use]
extern crate nic_emit;

pub mod bridge;
pub mod serial_host;
pub mod simulated;
