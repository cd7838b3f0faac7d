//! Skid buffer: two entries, both directions registered.
//!
//! # Interface timing  cycle 0: s_valid and s_ready, data taken; cycle 1: m_valid, m_data
//! # Latency and rate  [`LATENCY_CYCLES`]; one item per cycle
//! # Shape             payload of type T, opaque
//! # Reset             synchronous, high: empty, s_ready = 1, m_data = 0; m_data holds its last
//!                     value while m_valid is low
//! # Twins             sim/models/src/golden/util/skid.rs, tests/util/skid.rs

use crate::streams::Word;
use crate::{block, cell};
use rust_hdl_core::prelude::*;

/// Cycles from an item at the sink to the item at the source.
pub const LATENCY_CYCLES: usize = 1;

/// Skid buffer of items of type `T`.
#[block]
pub struct Skid<T: Synth> {
    /// An item is offered.
    pub s: Word<In, T>,
    /// An item stands at the source.
    pub m: Word<Out, T>,
}

impl<T: Synth> Logic for Skid<T> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        cell(VERILOG, &[("WIDTH", &T::BITS)])
    }
}

const VERILOG: &str = "
module skid #(
    parameter WIDTH = 64
) (
    input  wire             clock,
    input  wire             reset,
    input  wire             s_valid,
    output wire             s_ready,
    input  wire [WIDTH-1:0] s_data,
    output wire             m_valid,
    input  wire             m_ready,
    output wire [WIDTH-1:0] m_data
);

    reg             head_valid;
    reg [WIDTH-1:0] head;
    reg             empty_spare;
    reg [WIDTH-1:0] spare;

    wire push = s_valid & empty_spare;
    wire advance = m_ready | !head_valid;

    assign s_ready = empty_spare;
    assign m_valid = head_valid;
    assign m_data = head;

    always @(posedge clock) begin
        // What comes while it is empty is kept only if the head is blocked.
        if (empty_spare) spare <= s_data;
        if (advance) begin
            // The head is free: it takes the spare entry, else the new item.
            head_valid <= push | !empty_spare;
            empty_spare <= 1'b1;
            if (!empty_spare) head <= spare;
            else if (push) head <= s_data;
        end else if (push) begin
            // The head is blocked: the item on its way stays in the spare entry.
            empty_spare <= 1'b0;
        end
        if (reset) begin
            head_valid <= 1'b0;
            head <= 0;
            empty_spare <= 1'b1;
        end
    end

endmodule
";
