//! Cycle-accurate twins of the hardware, one block a file, written from the standard and the
//! block's interface page, never from the HDL.

pub mod cc;
pub mod host;
pub mod netlist;
pub mod nic;
pub mod rx;
pub mod sched;
pub mod transport;
pub mod tx;
pub mod util;
