//! The hardware, one block a file, and the emitter that turns it into Verilog.

/// A comment in a kernel: the Verilog shows it, Rust ignores it.
macro_rules! comment {
    ($text:literal) => {};
}

pub mod cc;
pub mod emit;
pub mod host;
mod module;
pub mod nic;
pub mod rx;
pub mod sched;
pub mod transport;
pub mod tx;
pub mod util;

pub use module::{Module, MODULE_ATOM};
