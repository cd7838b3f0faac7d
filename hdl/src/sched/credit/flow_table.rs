//! Table of one word a flow; a read sees the write of its own cycle.
//!
//! # Interface timing  cycle 0: read_address, and the last write that is seen; cycle 2: read_data
//! # Latency and rate  [`LATENCY_CYCLES`]; one write and one read per cycle
//! # Reset             none: content is random after power-up, read_data follows it
//! # Twins             tables of sim/models/src/golden/sched/scheduler.rs

use crate::{block, cell};
use rust_hdl_core::prelude::*;

/// Cycles from an address to its word.
pub const LATENCY_CYCLES: usize = 2;

/// `2^AW` words of `W` bits.
#[block(no_reset)]
pub struct FlowTable<const AW: usize, const W: usize> {
    /// Store `write_data` at `write_address`.
    pub write_enable: Signal<In, Bit>,
    /// Flow.
    pub write_address: Signal<In, Bits<AW>>,
    /// Word to store.
    pub write_data: Signal<In, Bits<W>>,
    /// Flow.
    pub read_address: Signal<In, Bits<AW>>,
    /// Its word, two cycles later.
    pub read_data: Signal<Out, Bits<W>>,
}

impl<const AW: usize, const W: usize> Logic for FlowTable<AW, W> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        cell(VERILOG, &[("WIDTH", &W), ("AW", &AW)])
    }
}

const VERILOG: &str = "
module flow_table #(
    parameter WIDTH = 32,
    parameter AW = 7
) (
    input  wire             clock,
    input  wire             write_enable,
    input  wire [AW-1:0]    write_address,
    input  wire [WIDTH-1:0] write_data,
    input  wire [AW-1:0]    read_address,
    output reg  [WIDTH-1:0] read_data
);

    (* ram_style = \"block\", no_rw_check *)
    reg [WIDTH-1:0] mem [0:(1<<AW)-1];
    reg [WIDTH-1:0] word;
    reg [WIDTH-1:0] written;
    reg             is_written;

    always @(posedge clock) begin
        if (write_enable) mem[write_address] <= write_data;
        word <= mem[read_address];
        // The RAM's word is undefined when it is written in the cycle of the read.
        is_written <= write_enable & (write_address == read_address);
        written <= write_data;
        read_data <= is_written ? written : word;
`ifndef SYNTHESIS
        if (write_enable && (write_address == read_address)) word <= ~write_data;
`endif
    end

endmodule
";
