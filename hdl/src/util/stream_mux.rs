//! Two streams into one, in turn: items of sink a and sink b leave at one source.
//!
//! # Interface timing  cycle 0: an item is taken; cycle 1: it stands at the source, with the sink
//!                     that it came from. While the source is free one sink is ready: a, or b if
//!                     that had an item in the cycle before and a had none or was served last
//! # Latency and rate  [`LATENCY_CYCLES`] for a, 1 more for b; one item every other cycle
//! # Shape             W bits of payload, opaque; when both sinks have items they take turns
//! # Reset             synchronous, high: empty, neither sink ready, a goes first, m_data = 0; m_data
//!                     holds its last value while m_valid is low
//! # Twins             sim/models/src/golden/util/stream_mux.rs, tests/util/stream_mux.rs

use crate::streams::Word;
use crate::{block, cell};
use rust_hdl_core::prelude::*;

/// Cycles from an item at sink a to the item at the source.
pub const LATENCY_CYCLES: usize = 1;

/// Mux of two streams of `W` bits.
#[block]
pub struct StreamMux<const W: usize> {
    /// An item is offered.
    pub s_a: Word<In, Bits<W>>,
    /// An item is offered.
    pub s_b: Word<In, Bits<W>>,
    /// An item stands.
    pub m_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_ready: Signal<In, Bit>,
    /// The item.
    pub m_data: Signal<Out, Bits<W>>,
    /// It came from sink b.
    pub m_is_b: Signal<Out, Bit>,
}

impl<const W: usize> Logic for StreamMux<W> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        cell(VERILOG, &[("WIDTH", &W)])
    }
}

const VERILOG: &str = "
module stream_mux #(
    parameter WIDTH = 32
) (
    input  wire             clock,
    input  wire             reset,
    input  wire             s_a_valid,
    output wire             s_a_ready,
    input  wire [WIDTH-1:0] s_a_data,
    input  wire             s_b_valid,
    output wire             s_b_ready,
    input  wire [WIDTH-1:0] s_b_data,
    output wire             m_valid,
    input  wire             m_ready,
    output wire [WIDTH-1:0] m_data,
    output wire             m_is_b
);

    reg             a_ready;
    reg             b_ready;
    reg             b_next;
    reg             full;
    reg [WIDTH-1:0] item;
    reg             is_b;

    wire take_a = s_a_valid & a_ready;
    wire take_b = s_b_valid & b_ready;
    // The source is free in the next cycle: whose turn it is then.
    wire free = (m_ready | !full) & !take_a & !take_b;
    wire b_turn = s_b_valid & (b_next | !s_a_valid);

    assign s_a_ready = a_ready;
    assign s_b_ready = b_ready;
    assign m_valid = full;
    assign m_data = item;
    assign m_is_b = is_b;

    always @(posedge clock) begin
        a_ready <= free & !b_turn;
        b_ready <= free & b_turn;
        if (m_ready) full <= 1'b0;
        if (take_a | take_b) begin
            b_next <= take_a;
            full <= 1'b1;
            item <= take_b ? s_b_data : s_a_data;
            is_b <= take_b;
        end
        if (reset) begin
            a_ready <= 1'b0;
            b_ready <= 1'b0;
            b_next <= 1'b0;
            full <= 1'b0;
            item <= 0;
            is_b <= 1'b0;
        end
    end

endmodule
";
