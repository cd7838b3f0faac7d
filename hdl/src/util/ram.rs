//! Block RAM: one write port, one read port, registered output.
//!
//! # Interface timing  cycle 0: read_enable, read_address; cycle 1: read_data (held while
//!                     read_enable is low). A word written in cycle 0 can be read in cycle 1
//! # Latency and rate  [`LATENCY_CYCLES`]; one write and one read per cycle
//! # Shape             2^AW words of type T; content is random after power-up and survives reset
//! # Collision         reading the address that is written in the same cycle gives an undefined
//!                     word in hardware: the user forwards. Simulation returns the inverse of the
//!                     new word, so that whoever depends on it is found out
//! # Critical path     put a second register behind read_data before any arithmetic
//! # Twins             sim/models/src/golden/util/ram.rs, tests/util/ram.rs

use crate::{block, cell};
use rust_hdl_core::prelude::*;

/// Cycles from an address to its word.
pub const LATENCY_CYCLES: usize = 1;

/// Block RAM of `2^AW` words of type `T`.
#[block(no_reset)]
pub struct Ram<const AW: usize, T: Synth> {
    /// Store `write_data` at `write_address`.
    pub write_enable: Signal<In, Bit>,
    /// Word index.
    pub write_address: Signal<In, Bits<AW>>,
    /// Word to store.
    pub write_data: Signal<In, T>,
    /// Load `read_data`; low holds it.
    pub read_enable: Signal<In, Bit>,
    /// Word index.
    pub read_address: Signal<In, Bits<AW>>,
    /// The word of the last enabled cycle.
    pub read_data: Signal<Out, T>,
}

impl<const AW: usize, T: Synth> Logic for Ram<AW, T> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        // Fewer rows fill no block RAM: the tool chooses.
        let style = if AW < 6 { "\"auto\"" } else { "\"block\"" };
        cell(VERILOG, &[("WIDTH", &T::BITS), ("AW", &AW), ("STYLE", &style)])
    }
}

const VERILOG: &str = "
module ram #(
    parameter WIDTH = 32,
    parameter AW = 9,
    // verilator lint_off UNUSEDPARAM
    parameter STYLE = \"block\"
    // verilator lint_on UNUSEDPARAM
) (
    input  wire             clock,
    input  wire             write_enable,
    input  wire [AW-1:0]    write_address,
    input  wire [WIDTH-1:0] write_data,
    input  wire             read_enable,
    input  wire [AW-1:0]    read_address,
    output reg  [WIDTH-1:0] read_data
);

    (* ram_style = STYLE, no_rw_check *)
    reg [WIDTH-1:0] mem [0:(1<<AW)-1];

    always @(posedge clock) begin
        if (write_enable) mem[write_address] <= write_data;
        if (read_enable) read_data <= mem[read_address];
`ifndef SYNTHESIS
        // A collision is undefined in hardware; simulation makes it visible.
        if (read_enable && write_enable && (read_address == write_address))
            read_data <= ~write_data;
`endif
    end

endmodule
";
