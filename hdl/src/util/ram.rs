//! Block RAM: one write port, one read port, registered output.
//!
//! # Interface timing  cycle 0: read_enable, read_address; cycle 1: read_data (held while
//!                     read_enable is low). A word written in cycle 0 can be read in cycle 1
//! # Latency and rate  [`LATENCY_CYCLES`]; one write and one read per cycle
//! # Shape             2^AW words of type T; content is random after power-up and survives reset
//!                     A row is cut into columns of 36 bits; what is left over stands in LUT RAM
//!                     when it would fill a ninth of a block RAM at most, and so does a small RAM.
//!                     From 8192 wide rows up it asks for UltraRAM (4096 x 72 bits): only presets
//!                     for devices that have it are so big. Else [`Ram::ultra`] does
//! # Collision         reading the address that is written in the same cycle gives an undefined
//!                     word in hardware: the user forwards. Simulation returns the inverse of the
//!                     new word, so that whoever depends on it is found out
//! # Critical path     put a second register behind read_data before any arithmetic
//! # Twins             sim/models/src/golden/util/ram.rs, tests/util/ram.rs

use crate::{block, cell};
use rust_hdl_core::prelude::*;
use std::fmt::Display;

/// Cycles from an address to its word.
pub const LATENCY_CYCLES: usize = 1;

/// Width of a block RAM of 512 rows, of ECP5 and of Xilinx's halves.
const BLOCK_BITS: usize = 36;
/// A column of a row that has so many bits in all is LUT RAM.
const NARROW_BITS_MAX: usize = 2048;
/// From 2^13 rows, twice the depth of an UltraRAM, a RAM asks for it, if a row fills half of its
/// width.
const ULTRA_ADDRESS_BITS: usize = 13;

/// Fewer rows than these fill no block RAM.
const SMALL_ADDRESS_BITS: usize = 6;

/// Style of a memory of so many rows: block RAM, or what the tool chooses.
pub(super) const fn ram_style(address_bits: usize) -> &'static str {
    if address_bits < SMALL_ADDRESS_BITS {
        "\"auto\""
    } else {
        "\"block\""
    }
}

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
    #[init(Constant::new(false))]
    is_ultra: Constant<Bit>,
}

impl<const AW: usize, T: Synth> Ram<AW, T> {
    /// One that asks for UltraRAM whatever its size.
    pub fn ultra() -> Self {
        Self { is_ultra: Constant::new(true), ..Self::default() }
    }
}

impl<const AW: usize, T: Synth> Logic for Ram<AW, T> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        let (narrow, style) = match narrow_bits(AW, T::BITS) {
            _ if self.is_ultra.val() => (0, "\"ultra\""),
            _ if AW < SMALL_ADDRESS_BITS => (0, ram_style(AW)),
            _ if AW >= ULTRA_ADDRESS_BITS && T::BITS > BLOCK_BITS => (0, "\"ultra\""),
            bits if bits == T::BITS => (0, "\"distributed\""),
            bits => (bits, ram_style(AW)),
        };
        let parameters: [(&str, &dyn Display); 4] =
            [("WIDTH", &T::BITS), ("AW", &AW), ("NARROW", &narrow), ("STYLE", &style)];
        cell(VERILOG, &parameters)
    }
}

/// Bits of a row that are left over when it is cut into columns of a block RAM's width, if they
/// would fill a ninth of one at most. They go to LUT RAM.
const fn narrow_bits(address_bits: usize, width: usize) -> usize {
    let rest = width % BLOCK_BITS;
    let is_small = rest << address_bits <= NARROW_BITS_MAX;
    if address_bits <= 7 && is_small {
        rest
    } else {
        0
    }
}

const VERILOG: &str = "
module ram #(
    parameter WIDTH = 32,
    parameter AW = 9,
    // So many of the highest bits are LUT RAM.
    parameter NARROW = 0,
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

    localparam WIDE = WIDTH - NARROW;

    (* ram_style = STYLE, no_rw_check *)
    reg [WIDE-1:0] mem [0:(1<<AW)-1];

    always @(posedge clock) begin
        if (write_enable) mem[write_address] <= write_data[WIDE-1:0];
        if (read_enable) read_data[WIDE-1:0] <= mem[read_address];
`ifndef SYNTHESIS
        // A collision is undefined in hardware; simulation makes it visible.
        if (read_enable && write_enable && (read_address == write_address))
            read_data[WIDE-1:0] <= ~write_data[WIDE-1:0];
`endif
    end

    generate
        if (NARROW > 0) begin : narrow
            (* ram_style = \"distributed\", no_rw_check *)
            reg [NARROW-1:0] column [0:(1<<AW)-1];

            always @(posedge clock) begin
                if (write_enable) column[write_address] <= write_data[WIDTH-1:WIDE];
                if (read_enable) read_data[WIDTH-1:WIDE] <= column[read_address];
`ifndef SYNTHESIS
                if (read_enable && write_enable && (read_address == write_address))
                    read_data[WIDTH-1:WIDE] <= ~write_data[WIDTH-1:WIDE];
`endif
            end
        end
    endgenerate

endmodule
";
