//! Whose turn it is, of N streams that leave as one: they take turns.
//!
//! # Interface timing  cycle 0: requests, and free; cycle 1: take of one of them, which is its
//!                     stream's ready. Its item goes into the register of the one who asks in this
//!                     cycle, so free means that this is empty then, or will be
//! # Latency and rate  [`LATENCY_CYCLES`]; one item every other cycle
//! # Shape             N streams. A request stays until it is taken
//! # Fairness          the first request above the last one that was taken, cyclically
//! # Reset             synchronous, high: nothing is taken, the lowest goes first
//! # Twins             sim/models/src/golden/util/rr_merge.rs, in tests/transport/requester_array.rs
//!                     and tests/host/write_mux.rs

use crate::{block, cell};
use rust_hdl_core::prelude::*;

/// Cycles from a request to its take, when nobody else waits.
pub const LATENCY_CYCLES: usize = 1;

/// Turns of `N` streams.
#[block]
pub struct RrMerge<const N: usize> {
    /// An item is offered, a bit a stream.
    pub request: Signal<In, Bits<N>>,
    /// There is room for one in the next cycle.
    pub free: Signal<In, Bit>,
    /// It is taken: one of them, or none.
    pub take: Signal<Out, Bits<N>>,
}

impl<const N: usize> Logic for RrMerge<N> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        cell(VERILOG, &[("COUNT", &N)])
    }
}

const VERILOG: &str = "
module rr_merge #(
    parameter COUNT = 8
) (
    input  wire             clock,
    input  wire             reset,
    input  wire [COUNT-1:0] request,
    input  wire             free,
    output wire [COUNT-1:0] take
);

    reg [COUNT-1:0] taking;
    reg             is_taking;
    reg [COUNT-1:0] above;

    // The lowest of a set, and those above what is taken.
    wire [COUNT-1:0] high = request & above;
    wire [COUNT-1:0] set = (|high) ? high : request;
    reg  [COUNT-1:0] lowest;
    reg  [COUNT-1:0] later;
    reg              is_found;
    reg              is_past;
    integer          i;

    always @(*) begin
        is_found = 1'b0;
        is_past = 1'b0;
        for (i = 0; i < COUNT; i = i + 1) begin
            lowest[i] = set[i] & !is_found;
            is_found = is_found | set[i];
            later[i] = is_past;
            is_past = is_past | taking[i];
        end
    end

    assign take = taking;

    always @(posedge clock) begin
        taking <= (free & !is_taking) ? lowest : {COUNT{1'b0}};
        is_taking <= free & !is_taking & (|request);
        if (is_taking) above <= later;
        if (reset) begin
            taking <= {COUNT{1'b0}};
            is_taking <= 1'b0;
            above <= {COUNT{1'b0}};
        end
    end

endmodule
";
