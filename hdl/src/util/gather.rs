//! The first 64 bytes of a frame, at places that do not depend on the width of the stream.
//!
//! # Interface timing  cycle 0: a beat; cycle 1: its bytes are in m_data, until the same beat of the
//!                     next frame
//! # Latency and rate  1; one beat per cycle, no ready
//! # Shape             beats of W bits, at most 512. Bytes that a frame doesn't have are those of an
//!                     earlier one
//! # Reset             none: the first beat of a frame says where it is
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::{block, cell};
use rust_hdl_core::prelude::*;

/// Gathers the front of frames of `W`-bit beats.
#[block(no_reset, check(512 % W == 0))]
pub struct Gather<const W: usize> {
    /// A beat.
    pub s_valid: Signal<In, Bit>,
    /// It is a frame's first one.
    pub s_first: Signal<In, Bit>,
    /// Its bytes.
    pub s_data: Signal<In, Bits<W>>,
    /// The frame's bytes, byte 0 in bits 7:0.
    pub m_data: Signal<Out, Bits<512>>,
}

impl<const W: usize> Logic for Gather<W> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        cell(VERILOG, &[("WIDTH", &W)])
    }
}

const VERILOG: &str = "
module gather #(
    parameter WIDTH = 64
) (
    input  wire             clock,
    input  wire             s_valid,
    input  wire             s_first,
    input  wire [WIDTH-1:0] s_data,
    output reg  [511:0]     m_data
);

    // Beats of the frame so far, as far as they are gathered.
    localparam BEATS = 512 / WIDTH;
    reg  [9:0] beat;
    wire [9:0] place = s_first ? 10'd0 : beat;

    integer i;
    always @(posedge clock) begin
        if (s_valid) begin
            if (place != BEATS[9:0]) beat <= place + 10'd1;
            else beat <= place;
            for (i = 0; i < BEATS; i = i + 1)
                if (place == i[9:0]) m_data[i*WIDTH +: WIDTH] <= s_data;
        end
    end

endmodule
";
