//! A word, some cycles later.
//!
//! # Interface timing  cycle 0: d; cycle N: q = d
//! # Latency and rate  N cycles; one word per cycle
//! # Shape             words of type T, N in 1..=64; from 3 cycles on a ring in LUT RAM and one register
//! # Reset             puts the ring's index to 0; the words under way are not cleared, so the user
//!                     keeps a valid bit of its own
//! # Twins             part of the twins of its users

use crate::block;
use rust_hdl_core::prelude::*;

/// Delays a word by `N` cycles.
#[block(check((1..=64).contains(&N) && T::BITS > 1))]
pub struct Delay<T: Synth, const N: usize> {
    /// Word.
    pub d: Signal<In, T>,
    /// Word of `N` cycles before.
    pub q: Signal<Out, T>,
}

impl<T: Synth, const N: usize> Logic for Delay<T, N> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        let top = T::BITS - 1;
        if N <= 2 {
            let declare = if N == 2 { format!("reg [{top}:0] word;\n") } else { String::new() };
            let load = if N == 2 { "    word <= d;\n    q <= word;\n" } else { "    q <= d;\n" };
            return Verilog::Custom(format!("{declare}always @(posedge clock) begin\n{load}end\n"));
        }
        // The ring holds N - 1 words: one is read and replaced in each cycle.
        let last = N - 2;
        let bits = (usize::BITS - last.leading_zeros()) as usize;
        // A ring of a power of two wraps by itself.
        let wrap = match (last + 1).is_power_of_two() {
            true => "reset".to_string(),
            false => format!("reset || (index == {bits}'d{last})"),
        };
        Verilog::Custom(format!(
            "\
reg [{top}:0] ring [0:{last}];
reg [{index_top}:0] index;

always @(posedge clock) begin
    q <= ring[index];
    ring[index] <= d;
    index <= index + {bits}'d1;
    if ({wrap}) index <= {bits}'d0;
end
",
            index_top = bits - 1,
        ))
    }
}
