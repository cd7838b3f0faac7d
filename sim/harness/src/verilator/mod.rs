//! Verilated models: built from Verilog text when they are needed, cached by content, loaded with
//! `dlopen`, driven through pointers to their ports. The only C++ and FFI of the workspace.
//!
//! The crate `verilated` brings the runtime and what it says of the thread's simulation: version,
//! random reset values, traces, `$finish`. The shim beside it exists because a model loaded at run
//! time has a class that no Rust build knows (create, evaluate, ports), and because the bindings
//! end at Verilator 4: no context an instance, seed, error count, FST or coverage, and a fatal
//! error that ends the process.
//!
//! ```no_run
//! use nic_harness::verilator::{Flavour, Instance, Source};
//! let source = Source::new("blink", "module blink(input clock, output reg q); ... endmodule");
//! let model = source.model(Flavour::Fast)?;
//! let mut instance = Instance::new(&model, 7)?;
//! instance.eval()?;
//! # Ok::<(), nic_harness::verilator::Error>(())
//! ```

mod cache;
mod draws;
mod error;
mod model;
mod pins;

pub use cache::{Flavour, Source};
pub use error::Error;
pub use model::{Direction, Instance, Model, Port};
pub use pins::PinnedInstance;
