//! Verilog from a rust-hdl block: readable, width-exact, and refused when it could mislead.
//!
//! A probe walks the block ([`walk`]), the kernels are linted ([`lint`]) and lowered to statements
//! ([`lower`]) and expressions with exact widths ([`expr`]), checked for latches, undriven signals,
//! loops and the Moore rule ([`check`]), ordered for reading ([`schedule`]) and printed
//! ([`print`]). Flip-flops become registers of their block, equal modules become one.

// What the attribute macros write names this crate.
extern crate self as nic_emit;

/// A comment in a kernel: the Verilog shows it, Rust ignores it.
#[macro_export]
macro_rules! comment {
    ($text:literal) => {};
}

mod axi_top;
mod build;
mod bundle;
mod cell;
mod check;
mod design;
mod error;
mod expr;
mod implied;
mod index;
mod ir;
mod join;
mod lint;
mod lower;
mod module;
mod print;
mod reg;
mod row;
mod schedule;
mod symbols;
#[cfg(test)]
mod tests;
mod walk;

pub use bundle::{Absent, Joins, Kind, Regs, Wire, FLAT};
pub use cell::cell;
pub use design::{file_list, Design, Layout};
pub use error::{EmitError, Finding, Rule};
pub use ir::{Dir, Port};
pub use module::visit_module;
pub use reg::{Reg, Unreset};

use rust_hdl_core::prelude::Block;

/// Runs `build` on a large stack: large blocks are built by value, which takes more than the 2 MiB of
/// a test's thread.
///
/// # Panics
/// As `build` does, or if there is no thread.
pub fn on_large_stack<T: Send>(build: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(1 << 26);
        let thread = builder.spawn_scoped(scope, build).expect("a thread for the blocks");
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Emits `block` as module `name`; all findings when it is refused.
pub fn emit_block(name: &str, block: &impl Block, preset: &str) -> Result<Design, EmitError> {
    let mut findings = vec![];
    let mut library = build::Library::default();
    let Some(scope) = walk::walk(name, block) else {
        return Err(EmitError::one(name, Rule::Structure, "is no block"));
    };
    let top = library.build(&scope, name, &mut findings);
    let Some(top) = top.filter(|_| findings.is_empty()) else {
        return Err(EmitError { findings });
    };
    if let Some(cell) = cell::Cell::of(&scope) {
        library.modules[top].body = ir::Body::Cell(cell.with_own_defaults());
    }
    let names = library.names(name);
    Ok(Design::print(preset, library.modules, names))
}
