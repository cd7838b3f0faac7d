//! FIFO in block RAM with registered output, or of a few items, which fill none.
//!
//! # Interface timing  cycle 0: s_valid and s_ready, item taken; cycle 1: m_valid, m_data if it
//!                     comes while none is held, else cycle 3 at least
//! # Latency and rate  [`LATENCY_CYCLES`]; one item per cycle
//! # Shape             holds exactly 2^AW items of type T; CW = AW + 1; AW >= 2
//! # Number formats    count | UQCW.0 | items taken and not yet delivered | 0..=2^AW
//! # Reset             synchronous, high: empty, s_ready = 1, m_data = 0; m_data holds its last
//!                     value while m_valid is low
//! # Twins             sim/models/src/golden/util/fifo.rs, tests/util/ram_fifo.rs

use super::ram::ram_style;
use crate::streams::Word;
use crate::{block, cell};
use rust_hdl_core::prelude::*;

/// Cycles from an item at the sink of an empty FIFO to the item at the source.
pub const LATENCY_CYCLES: usize = 1;

/// FIFO of `2^AW` items of type `T` in block RAM; `CW = AW + 1`.
#[block(check(CW == AW + 1 && AW >= 2))]
pub struct RamFifo<T: Synth, const AW: usize, const CW: usize> {
    /// An item is offered.
    pub s: Word<In, T>,
    /// An item stands at the source.
    pub m: Word<Out, T>,
    /// Items taken and not yet delivered.
    pub count: Signal<Out, Bits<CW>>,
}

impl<T: Synth, const AW: usize, const CW: usize> Logic for RamFifo<T, AW, CW> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        let style = ram_style(AW);
        cell(VERILOG, &[("WIDTH", &T::BITS), ("AW", &AW), ("STYLE", &style)])
    }
}

const VERILOG: &str = "
module ram_fifo #(
    parameter WIDTH = 32,
    parameter AW = 9,
    // verilator lint_off UNUSEDPARAM
    parameter STYLE = \"block\"
    // verilator lint_on UNUSEDPARAM
) (
    input  wire             clock,
    input  wire             reset,
    input  wire             s_valid,
    output wire             s_ready,
    input  wire [WIDTH-1:0] s_data,
    output wire             m_valid,
    input  wire             m_ready,
    output wire [WIDTH-1:0] m_data,
    output wire [AW:0]      count
);

    (* ram_style = STYLE, no_rw_check *)
    reg [WIDTH-1:0] mem [0:(1<<AW)-1];
    reg [AW-1:0]    write_index;
    reg [AW-1:0]    read_index;
    reg             word_valid;
    reg [WIDTH-1:0] word;
    reg             head_valid;
    reg [WIDTH-1:0] head;
    reg             space;
    reg             none;
    reg [AW:0]      held;

    wire push = s_valid & space;
    wire pop = head_valid & m_ready;
    // What comes while none is held goes to the head at once.
    wire pass = push & none;
    // A word moves from the RAM's output to the head when that is free, and the next one is fetched
    // when the RAM's output is free.
    wire load = (m_ready | !head_valid) & word_valid;
    wire fetch = (load | !word_valid) & (write_index != read_index);

    assign s_ready = space;
    assign m_valid = head_valid;
    assign m_data = head;
    assign count = held;

    always @(posedge clock) begin
        // What passes is written too, and overwritten by the next one.
        if (push) mem[write_index] <= s_data;
        if (fetch) word <= mem[read_index];
        if (load) head <= word;
        else if (pass) head <= s_data;
        if (push & !none) write_index <= write_index + 1'b1;
        if (fetch) read_index <= read_index + 1'b1;
        if (fetch | load) word_valid <= fetch;
        if (load | pass | pop) head_valid <= load | pass;
        // Room, and that none is held, are known one cycle ahead from the count before this
        // cycle's traffic.
        if (push & !pop) begin
            held <= held + 1'b1;
            space <= held != (1 << AW) - 1;
            none <= 1'b0;
        end else if (pop & !push) begin
            held <= held - 1'b1;
            space <= 1'b1;
            none <= held == 1;
        end
        if (reset) begin
            write_index <= 0;
            read_index <= 0;
            word_valid <= 1'b0;
            head_valid <= 1'b0;
            head <= 0;
            space <= 1'b1;
            none <= 1'b1;
            held <= 0;
        end
    end

endmodule
";
