//! LUT RAM whose words may begin as anything, for its users never ask more than whether a word has
//! changed.
//!
//! # Interface timing  read_data follows read_address in the same cycle; a word written in cycle 0
//!                     is read from cycle 1 on
//! # Latency and rate  0; one write and one read per cycle
//! # Shape             2^AW words of type T; content is random after power-up and survives reset.
//!                     To a simulator that knows X a word that nobody wrote is not even equal to
//!                     itself, so its words begin random there, too
//! # Twins             inside sim/models/src/golden/transport/read/reply.rs, tests/tool/four_state.rs

use super::lut_ram::lut_ram_verilog;
use crate::{block, cell};
use rust_hdl_core::prelude::*;

/// LUT RAM of `2^AW` words of type `T`.
#[block(no_reset, mealy)]
pub struct AnyRam<const AW: usize, T: Synth> {
    /// Store `write_data` at `write_address`.
    pub write_enable: Signal<In, Bit>,
    /// Word index.
    pub write_address: Signal<In, Bits<AW>>,
    /// Word to store.
    pub write_data: Signal<In, T>,
    /// Word index.
    pub read_address: Signal<In, Bits<AW>>,
    /// The word at `read_address`, combinational.
    pub read_data: Signal<Out, T>,
}

impl<const AW: usize, T: Synth> Logic for AnyRam<AW, T> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        cell(VERILOG, &[("WIDTH", &T::BITS), ("AW", &AW)])
    }
}

const VERILOG: &str = lut_ram_verilog!(
    "any_ram",
    "`ifndef SYNTHESIS
`ifndef VERILATOR
    // In hardware a word that nobody has written equals itself; X does not. Verilator knows no X,
    // and begins from random words.
    integer index;
    initial for (index = 0; index < (1 << AW); index = index + 1) mem[index] = $random;
`endif
`endif

"
);
