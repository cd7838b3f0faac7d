//! Verilated models: built from Verilog text when they are needed, cached by content, loaded with
//! `dlopen`, driven through pointers to their ports. The only C++ and FFI of the workspace.
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
mod error;
mod model;
mod pins;

pub use cache::{Flavour, Source};
pub use error::Error;
pub use model::{Direction, Instance, Model, Port};
pub use pins::PinnedInstance;
