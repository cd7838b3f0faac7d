//! Mutants: copies of a Verilog text with one deliberate mistake each, to see whether the benches
//! notice. Works on the tokens of any plain Verilog-2005, so also on a text from outside. Mistakes
//! that cannot matter, as their form alone shows, are left out: `equivalent.rs` lists the forms.

pub mod campaign;
mod equivalent;
mod mistaken;
mod mutant;
mod scan;
mod syntax;
#[cfg(test)]
mod tests;
mod token;

pub use mistaken::{Change, Mistake, Mistaken};
pub use mutant::{Kind, Mutant};
pub use scan::mutants;
