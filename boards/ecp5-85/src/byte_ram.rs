//! Block RAM of 64-bit words whose bytes are written one by one: one write port, one read port.
//!
//! # Interface timing  cycle 0: read_enable, read_address; cycle 1: read_data (held while
//!                     read_enable is low). A word written in cycle 0 can be read in cycle 1
//! # Latency and rate  1; one write and one read per cycle
//! # Shape             2^AW words; content is random after power-up and survives reset
//! # Collision         reading the address that is written in the same cycle is left to the tool:
//!                     nobody does
//! # Twins             none: sim/tests/ecpix5/, by what is around it

use nic_hdl::{block, cell};
use rust_hdl_core::prelude::*;

/// Block RAM of `2^AW` words.
#[block(no_reset)]
pub struct ByteRam<const AW: usize> {
    /// Bytes of `write_data` to store at `write_address`.
    pub write_strobes: Signal<In, Bits<8>>,
    /// Word index.
    pub write_address: Signal<In, Bits<AW>>,
    /// Word to store.
    pub write_data: Signal<In, Bits<64>>,
    /// Load `read_data`; low holds it.
    pub read_enable: Signal<In, Bit>,
    /// Word index.
    pub read_address: Signal<In, Bits<AW>>,
    /// The word of the last enabled cycle.
    pub read_data: Signal<Out, Bits<64>>,
}

impl<const AW: usize> Logic for ByteRam<AW> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        cell(VERILOG, &[("AW", &AW)])
    }
}

const VERILOG: &str = "
module byte_ram #(
    parameter AW = 11
) (
    input  wire          clock,
    input  wire [7:0]    write_strobes,
    input  wire [AW-1:0] write_address,
    input  wire [63:0]   write_data,
    input  wire          read_enable,
    input  wire [AW-1:0] read_address,
    output wire [63:0]   read_data
);

    genvar lane;
    generate
        for (lane = 0; lane < 8; lane = lane + 1) begin : lanes
            (* ram_style = \"block\", no_rw_check *)
            reg [7:0] mem [0:(1<<AW)-1];
            reg [7:0] word;

            always @(posedge clock) begin
                if (write_strobes[lane]) mem[write_address] <= write_data[8*lane +: 8];
                if (read_enable) word <= mem[read_address];
            end

            assign read_data[8*lane +: 8] = word;
        end
    endgenerate

endmodule
";
