//! Tests of the emitter, of the harness, and of the Verilog under other people's tools; figures.

mod board;
mod cores;
mod credit;
mod diagram;
mod emit;
mod equivalent;
mod figures;
mod formal;
mod four_state;
mod harness;
mod levels;
mod lint;
mod mutants;
mod planted;
mod synth;
mod twins;
mod waves;
