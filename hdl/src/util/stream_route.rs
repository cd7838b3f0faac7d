//! One stream into two: the top bit of an item says where it goes, and ends here.
//!
//! # Interface timing  cycle 0: s_valid and s_ready; cycle 1: the item at m_a (top bit 0) or m_b (top
//!                     bit 1). s_ready is high while both sources are free
//! # Latency and rate  [`LATENCY_CYCLES`]; one item every other cycle
//! # Shape             W bits of payload, opaque; an item that is not taken holds up those behind it
//! # Reset             synchronous, high: empty, s_ready = 1, m_a_data = m_b_data = 0; both show the last item
//!                     while their valids are low
//! # Twins             sim/models/src/golden/util/stream_route.rs, tests/util/stream_route.rs

use crate::streams::Word;
use crate::{block, cell};
use rust_hdl_core::prelude::*;

/// Cycles from an item at the sink to the item at its source.
pub const LATENCY_CYCLES: usize = 1;

/// Router of items of `WP1 = W + 1` bits.
#[block(check(WP1 == W + 1))]
pub struct StreamRoute<const W: usize, const WP1: usize> {
    /// An item is offered.
    pub s: Word<In, Bits<WP1>>,
    /// An item for a stands.
    pub m_a: Word<Out, Bits<W>>,
    /// An item for b stands.
    pub m_b: Word<Out, Bits<W>>,
}

impl<const W: usize, const WP1: usize> Logic for StreamRoute<W, WP1> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        cell(VERILOG, &[("WIDTH", &W)])
    }
}

const VERILOG: &str = "
module stream_route #(
    parameter WIDTH = 32
) (
    input  wire             clock,
    input  wire             reset,
    input  wire             s_valid,
    output wire             s_ready,
    input  wire [WIDTH:0]   s_data,
    output wire             m_a_valid,
    input  wire             m_a_ready,
    output wire [WIDTH-1:0] m_a_data,
    output wire             m_b_valid,
    input  wire             m_b_ready,
    output wire [WIDTH-1:0] m_b_data
);

    reg             room;
    reg             a_full;
    reg             b_full;
    reg [WIDTH-1:0] item;

    wire free = (m_a_ready | !a_full) & (m_b_ready | !b_full);
    wire take = s_valid & room;

    assign s_ready = room;
    assign m_a_valid = a_full;
    assign m_a_data = item;
    assign m_b_valid = b_full;
    assign m_b_data = item;

    always @(posedge clock) begin
        room <= free & !take;
        if (m_a_ready) a_full <= 1'b0;
        if (m_b_ready) b_full <= 1'b0;
        if (take) begin
            a_full <= !s_data[WIDTH];
            b_full <= s_data[WIDTH];
            item <= s_data[WIDTH-1:0];
        end
        if (reset) begin
            room <= 1'b1;
            a_full <= 1'b0;
            b_full <= 1'b0;
            item <= 0;
        end
    end

endmodule
";
