//! A word, some cycles later.
//!
//! # Interface timing  cycle 0: d; cycle N: q = d
//! # Latency and rate  N cycles; one word per cycle
//! # Shape             words of type T, N in 2..=64; a ring of N - 1 words in LUT RAM, and one register
//! # Reset             puts the ring's index to 0; the words under way are not cleared, so the user
//!                     keeps a valid bit of its own
//! # Twins             part of the twins of its users

use crate::{block, cell};
use rust_hdl_core::prelude::*;

/// Delays a word by `N` cycles.
#[block(check((2..=64).contains(&N) && T::BITS > 1))]
pub struct Delay<T: Synth, const N: usize> {
    /// Word.
    pub d: Signal<In, T>,
    /// Word of `N` cycles before.
    pub q: Signal<Out, T>,
}

impl<T: Synth, const N: usize> Logic for Delay<T, N> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        cell(VERILOG, &[("WIDTH", &T::BITS), ("CYCLES", &N)])
    }
}

const VERILOG: &str = "
module delay #(
    parameter WIDTH = 32,
    parameter CYCLES = 4
) (
    input  wire             clock,
    input  wire             reset,
    input  wire [WIDTH-1:0] d,
    output reg  [WIDTH-1:0] q
);

    // One word of the ring is read and replaced in each cycle; the output's register is the last.
    localparam WORDS = CYCLES - 1;
    localparam BITS = (WORDS == 1) ? 1 : $clog2(WORDS);
    localparam LAST = WORDS - 1;

    reg [WIDTH-1:0] ring [0:WORDS-1];
    reg [BITS-1:0]  index;

    always @(posedge clock) begin
        q <= ring[index];
        ring[index] <= d;
        index <= index + 1'b1;
        if (reset || (index == LAST[BITS-1:0])) index <= 0;
    end

endmodule
";
