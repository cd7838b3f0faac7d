//! What a difference in the IPv4 total length has become in the CRC register five beats later.
//!
//! # Source            linearity of CRC-32
//! # Interface timing  cycle 0: difference; cycle 1: contribution
//! # Latency and rate  1; one per cycle
//! # Number formats    difference | UQ16.0 | exclusive or of the two lengths, as numbers;
//!                     contribution: exclusive-or it to bytes 40..44 of the packet
//! # Reset             none: follows its input
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::block;
use crate::util::crc32::advance;
use rust_hdl_core::prelude::*;

/// Bytes of the packet from its start to the place that the contribution is added to.
const PLACE: usize = 40;

/// Linear map of 16 to 32 bits.
#[block(no_reset)]
pub struct RxLenFix {
    /// Exclusive or of the two lengths.
    pub difference: Signal<In, Bits<16>>,
    /// Contribution to the CRC register.
    pub contribution: Signal<Out, Bits<32>>,
}

/// What a 1 in bit `bit` of the total length (bytes 2 and 3, most significant first) becomes.
fn column(bit: usize) -> u32 {
    let at = if bit < 8 { 3 } else { 2 };
    (0..PLACE).fold(0, |state, i| advance(state, if i == at { 1 << (bit % 8) } else { 0 }))
}

impl Logic for RxLenFix {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        let row = |row: usize| {
            let bits = (0..16).filter(|bit| column(*bit) >> row & 1 == 1);
            let mask = bits.fold(0_u32, |mask, bit| mask | 1 << bit);
            format!("    contribution[{row}] <= ^(difference & 16'h{mask:04x});\n")
        };
        let rows: String = (0..32).map(row).collect();
        Verilog::Custom(format!("always @(posedge clock) begin\n{rows}end\n"))
    }
}
