//! Events of several engines as pulses of one: each kind is counted, and leaves a pulse a cycle.
//!
//! # Interface timing  cycle 0: pulses; cycle 2: m, if none waits before
//! # Latency and rate  [`LATENCY_CYCLES`]; every engine may pulse in every cycle, as long as at most
//!                     [`WAITING_MAX`] of a kind wait
//! # Shape             W = engines * K bits, K kinds; those of engine 0 are the low ones
//! # Number formats    pending | UQ8.0 | events | at most [`WAITING_MAX`]
//! # Reset             synchronous, high: none waits
//! # Twins             part of sim/models/src/golden/transport/requester/array.rs,
//!                     tests/transport/requester_array.rs

use crate::{block, cell};
use rust_hdl_core::prelude::*;

/// Cycles from an event to its pulse.
pub const LATENCY_CYCLES: usize = 2;
/// Events of a kind that can wait.
pub const WAITING_MAX: usize = 255;

/// Sums of `K` kinds of events; `W` = engines * `K`.
#[block(check(W.is_multiple_of(K) && W / K < 16))]
pub struct EventSum<const W: usize, const K: usize> {
    /// Events of all engines.
    pub pulses: Signal<In, Bits<W>>,
    /// An event of each kind that has one.
    pub m: Signal<Out, Bits<K>>,
}

impl<const W: usize, const K: usize> Logic for EventSum<W, K> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        cell(VERILOG, &[("WIDTH", &W), ("KINDS", &K)])
    }
}

const VERILOG: &str = "
module event_sum #(
    parameter WIDTH = 80,
    parameter KINDS = 10
) (
    input  wire             clock,
    input  wire             reset,
    input  wire [WIDTH-1:0] pulses,
    output wire [KINDS-1:0] m
);

    genvar kind;
    generate
        for (kind = 0; kind < KINDS; kind = kind + 1) begin : sums
            reg [3:0] sum;
            reg [3:0] come;
            reg [7:0] pending;
            integer   at;

            always @(*) begin
                sum = 4'd0;
                for (at = kind; at < WIDTH; at = at + KINDS) sum = sum + {3'd0, pulses[at]};
            end

            assign m[kind] = |pending;

            always @(posedge clock) begin
                come <= sum;
                pending <= pending + {4'd0, come} - {7'd0, |pending};
                if (reset) begin
                    come <= 4'd0;
                    pending <= 8'd0;
                end
            end
        end
    endgenerate

endmodule
";
