//! Runs Verilog beside a golden model: Verilated models, lock-step, benches, and mutants that show
//! that a bench can fail.

pub mod bench;
pub mod caught;
pub mod four_state;
pub mod lockstep;
pub mod mutate;
pub mod parallel;
pub mod verilator;
