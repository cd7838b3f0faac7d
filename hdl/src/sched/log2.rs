//! Position of the highest and of the lowest 1 of a word.
//!
//! # Interface timing  combinational
//! # Shape             N bits, B = ceil(log2 N)
//! # Number formats    a word of 0 gives 0
//! # Reset             none
//! # Twins             inside sim/models/src/golden/sched/scheduler.rs

use crate::{block, cell};
use rust_hdl_core::prelude::*;

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
        cell(LOG2, &[("N", &N), ("B", &B)])
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
        cell(LOWEST, &[("N", &N), ("B", &B)])
    }
}

const LOG2: &str = "
module log2 #(
    parameter N = 32,
    parameter B = 5
) (
    input  wire [N-1:0] x,
    output reg  [B-1:0] m
);

    integer i;

    always @(*) begin
        m = 0;
        for (i = 0; i < N; i = i + 1) if (x[i]) m = i[B-1:0];
    end

endmodule
";

const LOWEST: &str = "
module lowest #(
    parameter N = 2,
    parameter B = 1
) (
    input  wire [N-1:0] x,
    output reg  [B-1:0] m
);

    integer i;

    always @(*) begin
        m = 0;
        for (i = N - 1; i >= 0; i = i - 1) if (x[i]) m = i[B-1:0];
    end

endmodule
";
