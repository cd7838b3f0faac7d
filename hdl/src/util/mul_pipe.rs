//! Pipelined unsigned multiplier.
//!
//! # Source            schoolbook product of parts of at most [`PART_BITS`] bits: a part fits one
//!                     multiplier of ECP5 (18 x 18) and of Xilinx (25 x 18 signed)
//! # Interface timing  cycle 0: a, b; cycle [`latency_cycles`]: p = a * b
//! # Latency and rate  1 cycle for the parts and 1 for each level of the adder tree; one product
//!                     per cycle. No valid: the user delays its own
//! # Shape             P = A + B <= 128
//! # Reset             synchronous, high: every stage 0
//! # Twins             sim/models/src/golden/util/mul.rs, tests/util/mul_pipe.rs

use crate::{block, cell};
use rust_hdl_core::prelude::*;

/// Widest factor of one partial product.
pub const PART_BITS: usize = 17;

const fn part_count(bits: usize) -> usize {
    bits.div_ceil(PART_BITS)
}

/// Cycles from the factors to the product of an `a_bits` x `b_bits` multiplier.
pub const fn latency_cycles(a_bits: usize, b_bits: usize) -> usize {
    let term_count = part_count(a_bits) * part_count(b_bits);
    1 + term_count.next_power_of_two().trailing_zeros() as usize
}

/// `A` x `B` -> `P = A + B` bits.
#[block(check(P == A + B && P <= 128))]
pub struct MulPipe<const A: usize, const B: usize, const P: usize> {
    /// Factor.
    pub a: Signal<In, Bits<A>>,
    /// Factor.
    pub b: Signal<In, Bits<B>>,
    /// Product.
    pub p: Signal<Out, Bits<P>>,
}

impl<const A: usize, const B: usize, const P: usize> MulPipe<A, B, P> {
    /// Cycles from `a`, `b` to `p`.
    pub const LATENCY_CYCLES: usize = latency_cycles(A, B);
}

impl<const A: usize, const B: usize, const P: usize> Logic for MulPipe<A, B, P> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        cell(VERILOG, &[("A", &A), ("B", &B), ("PART_BITS", &PART_BITS)])
    }
}

const VERILOG: &str = "
module mul_pipe #(
    parameter A = 32,
    parameter B = 32,
    parameter PART_BITS = 17
) (
    input  wire           clock,
    input  wire           reset,
    input  wire [A-1:0]   a,
    input  wire [B-1:0]   b,
    output wire [A+B-1:0] p
);

    // Parts of nearly equal width are multiplied, then added pair by pair.
    localparam P = A + B;
    localparam A_PARTS = (A + PART_BITS - 1) / PART_BITS;
    localparam B_PARTS = (B + PART_BITS - 1) / PART_BITS;
    localparam A_BITS = (A + A_PARTS - 1) / A_PARTS;
    localparam B_BITS = (B + B_PARTS - 1) / B_PARTS;
    localparam LEVELS = $clog2(A_PARTS * B_PARTS);
    localparam TERMS = 1 << LEVELS;

    genvar level, i, j;
    generate
        for (level = 0; level <= LEVELS; level = level + 1) begin : stage
            wire [(TERMS>>level)*P-1:0] next;
            reg  [(TERMS>>level)*P-1:0] terms;

            always @(posedge clock) begin
                terms <= next;
                if (reset) terms <= 0;
            end
        end

        for (i = 0; i < A_PARTS; i = i + 1) begin : a_part
            localparam A_OWN = (i + 1 < A_PARTS) ? A_BITS : A - i * A_BITS;
            for (j = 0; j < B_PARTS; j = j + 1) begin : b_part
                localparam B_OWN = (j + 1 < B_PARTS) ? B_BITS : B - j * B_BITS;
                localparam BITS = A_OWN + B_OWN;
                localparam SHIFT = i * A_BITS + j * B_BITS;
                wire [BITS-1:0] partial =
                    {{B_OWN{1'b0}}, a[i*A_BITS +: A_OWN]} * {{A_OWN{1'b0}}, b[j*B_BITS +: B_OWN]};
                assign stage[0].next[(i*B_PARTS+j)*P +: P] =
                    {{(P-BITS-SHIFT){1'b0}}, partial, {SHIFT{1'b0}}};
            end
        end

        if (A_PARTS * B_PARTS < TERMS) begin : none
            assign stage[0].next[TERMS*P-1:A_PARTS*B_PARTS*P] = 0;
        end

        for (level = 1; level <= LEVELS; level = level + 1) begin : sum
            for (i = 0; i < TERMS >> level; i = i + 1) begin : pair
                assign stage[level].next[i*P +: P] =
                    stage[level-1].terms[2*i*P +: P] + stage[level-1].terms[(2*i+1)*P +: P];
            end
        end
    endgenerate

    assign p = stage[LEVELS].terms;

endmodule
";
