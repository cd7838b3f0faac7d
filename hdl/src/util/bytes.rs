//! Wiring and multiplexers on the bytes of a word.
//!
//! # Interface timing  combinational
//! # Shape             WIDTH bits, BYTES = WIDTH / 8; byte 0 in bits 7:0
//! # Reset             none
//! # Twins             inside sim/models/src/golden/tx

use crate::{block, cell};
use rust_hdl_core::prelude::*;

/// The bytes in the opposite order: what was on top is in bits 7:0.
#[block(comb)]
pub struct ByteOrder<const W: usize> {
    /// A word.
    pub d: Signal<In, Bits<W>>,
    /// Its bytes, last first.
    pub q: Signal<Out, Bits<W>>,
}

impl<const W: usize> Logic for ByteOrder<W> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        cell(ORDER, &[("WIDTH", &W)])
    }
}

/// The word, turned up by so many pairs of bytes.
#[block(comb)]
pub struct ByteRotate<const W: usize, const B: usize> {
    /// A word.
    pub d: Signal<In, Bits<W>>,
    /// Pairs of bytes.
    pub pairs: Signal<In, Bits<B>>,
    /// Byte 0 of `d` is behind so many pairs.
    pub q: Signal<Out, Bits<W>>,
}

impl<const W: usize, const B: usize> Logic for ByteRotate<W, B> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        cell(ROTATE, &[("WIDTH", &W), ("STEPS", &B)])
    }
}

/// Each byte from one of two words.
#[block(comb)]
pub struct ByteSelect<const W: usize, const KB: usize> {
    /// Bytes that come from `a`.
    pub chosen: Signal<In, Bits<KB>>,
    /// A word.
    pub a: Signal<In, Bits<W>>,
    /// The other.
    pub b: Signal<In, Bits<W>>,
    /// The choice.
    pub q: Signal<Out, Bits<W>>,
}

impl<const W: usize, const KB: usize> Logic for ByteSelect<W, KB> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        cell(SELECT, &[("WIDTH", &W), ("BYTES", &KB)])
    }
}

/// How many bytes an AXI4-Stream keep keeps, from byte 0 on.
#[block(comb)]
pub struct KeptBytes<const KB: usize> {
    /// One bit a byte.
    pub keep: Signal<In, Bits<KB>>,
    /// Begun words of four bytes count whole.
    pub pads: Signal<In, Bit>,
    /// Bytes.
    pub count: Signal<Out, Bits<7>>,
}

impl<const KB: usize> Logic for KeptBytes<KB> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        cell(KEPT, &[("BYTES", &KB)])
    }
}

const ORDER: &str = "
module byte_order #(
    parameter WIDTH = 64
) (
    input  wire [WIDTH-1:0] d,
    output reg  [WIDTH-1:0] q
);

    integer i;

    always @(*) begin
        for (i = 0; i < WIDTH; i = i + 8) q[i +: 8] = d[WIDTH-8-i +: 8];
    end

endmodule
";

const ROTATE: &str = "
module byte_rotate #(
    parameter WIDTH = 64,
    parameter STEPS = 2
) (
    input  wire [WIDTH-1:0] d,
    input  wire [STEPS-1:0] pairs,
    output reg  [WIDTH-1:0] q
);

    integer i;

    always @(*) begin
        q = d;
        for (i = 0; i < STEPS; i = i + 1)
            if (pairs[i]) q = (q << (16 << i)) | (q >> (WIDTH - (16 << i)));
    end

endmodule
";

const SELECT: &str = "
module byte_select #(
    parameter WIDTH = 64,
    parameter BYTES = 8
) (
    input  wire [BYTES-1:0] chosen,
    input  wire [WIDTH-1:0] a,
    input  wire [WIDTH-1:0] b,
    output reg  [WIDTH-1:0] q
);

    integer i;

    always @(*) begin
        for (i = 0; i < BYTES; i = i + 1)
            q[8*i +: 8] = chosen[i] ? a[8*i +: 8] : b[8*i +: 8];
    end

endmodule
";

const KEPT: &str = "
module kept_bytes #(
    parameter BYTES = 8
) (
    input  wire [BYTES-1:0] keep,
    input  wire             pads,
    output reg  [6:0]       count
);

    integer i;
    reg [BYTES:0] kept;

    always @(*) begin
        kept = {1'b0, keep};
        for (i = 0; i < BYTES; i = i + 1) kept[i] = keep[i] | (pads & keep[i - i % 4]);
        // One byte is the last.
        count = 7'd0;
        for (i = 0; i < BYTES; i = i + 1)
            count = count | ({7{kept[i] & !kept[i + 1]}} & (i[6:0] + 7'd1));
    end

endmodule
";
