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

use crate::block;
use rust_hdl_core::prelude::*;
use std::fmt::Write;

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

/// One summand: a register of `bits` bits that counts `2^shift`.
struct Term {
    name: String,
    shift: usize,
    bits: usize,
}

impl Term {
    /// The term as an expression of `width` bits.
    fn extended(&self, width: usize) -> String {
        let above = width - self.shift - self.bits;
        let mut pieces = Vec::new();
        if above > 0 {
            pieces.push(format!("{above}'d0"));
        }
        pieces.push(self.name.clone());
        if self.shift > 0 {
            pieces.push(format!("{}'d0", self.shift));
        }
        if pieces.len() == 1 {
            return self.name.clone();
        }
        format!("{{{}}}", pieces.join(", "))
    }
}

/// Registers and their next values, as Verilog.
#[derive(Default)]
struct Stages {
    declare: String,
    clear: String,
    load: String,
}

impl Stages {
    fn register(&mut self, name: &str, bits: usize, next: &str) {
        if name != "p" {
            let _ = writeln!(self.declare, "reg [{}:0] {name};", bits - 1);
        }
        let _ = writeln!(self.clear, "        {name} <= {bits}'d0;");
        let _ = writeln!(self.load, "        {name} <= {next};");
    }
}

/// Cuts `bits` bits into (offset, width) parts of nearly equal width.
fn parts(bits: usize) -> Vec<(usize, usize)> {
    let width = bits.div_ceil(part_count(bits));
    (0..bits).step_by(width).map(|at| (at, width.min(bits - at))).collect()
}

fn multiplier(a_bits: usize, b_bits: usize) -> String {
    let product_bits = a_bits + b_bits;
    let mut stages = Stages::default();
    let mut terms = Vec::new();
    let single = part_count(a_bits) * part_count(b_bits) == 1;
    for (i, (a_at, a_width)) in parts(a_bits).into_iter().enumerate() {
        for (j, (b_at, b_width)) in parts(b_bits).into_iter().enumerate() {
            let bits = a_width + b_width;
            let name = if single { "p".into() } else { format!("part_{i}_{j}") };
            let slice = |port: &str, whole: usize, at: usize, width: usize| {
                let range =
                    if whole == 1 { String::new() } else { format!("[{}:{at}]", at + width - 1) };
                format!("{{{}'d0, {port}{range}}}", bits - width)
            };
            let a = slice("a", a_bits, a_at, a_width);
            let b = slice("b", b_bits, b_at, b_width);
            stages.register(&name, bits, &format!("{a} * {b}"));
            terms.push(Term { name, shift: a_at + b_at, bits });
        }
    }
    let mut level = 1;
    while terms.len() > 1 {
        let last_level = terms.len() == 2;
        let mut sums = Vec::new();
        for (i, pair) in terms.chunks(2).enumerate() {
            let name = if last_level { "p".into() } else { format!("sum_{level}_{i}") };
            let addends: Vec<_> = pair.iter().map(|t| t.extended(product_bits)).collect();
            stages.register(&name, product_bits, &addends.join("\n            + "));
            sums.push(Term { name, shift: 0, bits: product_bits });
        }
        terms = sums;
        level += 1;
    }
    format!(
        "// Parts of at most {PART_BITS} bits are multiplied, then added pair by pair.\n\
         {}\nalways @(posedge clock) begin\n    if (reset) begin\n{}    end else begin\n\
         {}    end\nend\n",
        stages.declare, stages.clear, stages.load
    )
}

impl<const A: usize, const B: usize, const P: usize> Logic for MulPipe<A, B, P> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        Verilog::Custom(multiplier(A, B))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mul_pipe_latency_follows_the_part_count() {
        assert_eq!(latency_cycles(16, 17), 1);
        assert_eq!(latency_cycles(24, 16), 2);
        assert_eq!(latency_cycles(32, 32), 3);
        assert_eq!(latency_cycles(48, 32), 4);
    }
}
