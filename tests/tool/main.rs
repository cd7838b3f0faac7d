//! Tests of the emitter, of the harness, and of the Verilog under other people's tools.

mod board;
mod cores;
mod emit;
mod formal;
mod harness;
mod lint;
mod mutants;
mod twins;
