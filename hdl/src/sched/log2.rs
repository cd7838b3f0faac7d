//! Position of the highest and of the lowest 1 of a word.
//!
//! # Interface timing  combinational
//! # Shape             N bits, B = ceil(log2 N)
//! # Number formats    a word of 0 gives 0
//! # Reset             none
//! # Twins             inside sim/models/src/golden/sched/scheduler.rs

use crate::block;
use rust_hdl_core::prelude::*;
use std::fmt::Write;

/// Verilog that chooses, bit by bit of `order`, where the first 1 is.
fn first_one(bits: usize, order: impl Iterator<Item = usize>) -> String {
    let mut text = String::from("always @(*) begin\n    m = 0;\n");
    for i in order {
        let _ = writeln!(text, "    if (x[{i}]) m = {bits}'d{i};");
    }
    text + "end\n"
}

/// Position of the highest 1: the logarithm, rounded down.
#[block(comb)]
pub struct Log2<const N: usize, const B: usize> {
    /// Word.
    pub x: Signal<In, Bits<N>>,
    /// Position.
    pub m: Signal<Out, Bits<B>>,
}

impl<const N: usize, const B: usize> Logic for Log2<N, B> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        Verilog::Custom(first_one(B, 0..N))
    }
}

/// Position of the lowest 1.
#[block(comb)]
pub struct Lowest<const N: usize, const B: usize> {
    /// Word.
    pub x: Signal<In, Bits<N>>,
    /// Position.
    pub m: Signal<Out, Bits<B>>,
}

impl<const N: usize, const B: usize> Logic for Lowest<N, B> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        Verilog::Custom(first_one(B, (0..N).rev()))
    }
}
