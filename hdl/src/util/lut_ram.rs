//! Small RAM with asynchronous read, for tables and FIFOs of up to about 64 words.
//!
//! # Interface timing  read_data follows read_address in the same cycle (the one exception to
//!                     Moore outputs: a primitive, used inside blocks only); a word written in
//!                     cycle 0 is read from cycle 1 on
//! # Latency and rate  0; one write and one read per cycle
//! # Shape             2^AW words of type T; content is random after power-up and survives reset
//! # Twins             inside sim/models/src/golden/util/fifo.rs, tests/util/fifo.rs

use crate::{block, cell};
use rust_hdl_core::prelude::*;

/// LUT RAM of `2^AW` words of type `T`.
#[block(no_reset, mealy)]
pub struct LutRam<const AW: usize, T: Synth> {
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

impl<const AW: usize, T: Synth> Logic for LutRam<AW, T> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        cell(VERILOG, &[("WIDTH", &T::BITS), ("AW", &AW)])
    }
}

/// The Verilog of a LUT RAM: its name, and what stands behind the declaration of its words.
macro_rules! lut_ram_verilog {
    ($name:literal, $start:literal) => {
        concat!(
            "
module ",
            $name,
            " #(
    parameter WIDTH = 32,
    parameter AW = 4
) (
    input  wire             clock,
    input  wire             write_enable,
    input  wire [AW-1:0]    write_address,
    input  wire [WIDTH-1:0] write_data,
    input  wire [AW-1:0]    read_address,
    output wire [WIDTH-1:0] read_data
);

    // The asynchronous read makes this LUT RAM, or registers where there is none (iCE40).
    reg [WIDTH-1:0] mem [0:(1<<AW)-1];

",
            $start,
            "    always @(posedge clock) begin
        if (write_enable) mem[write_address] <= write_data;
    end

    assign read_data = mem[read_address];

endmodule
"
        )
    };
}
pub(super) use lut_ram_verilog;

const VERILOG: &str = lut_ram_verilog!("lut_ram", "");
