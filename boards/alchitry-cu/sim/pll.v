// SPDX-License-Identifier: MIT OR Apache-2.0
// What the top level needs of iCE40's PLL in simulation: half the pin's clock, locked after 16
// periods of it.
module SB_PLL40_PAD #(
    parameter FEEDBACK_PATH = "SIMPLE",
    parameter [3:0] DIVR = 0,
    parameter [6:0] DIVF = 0,
    parameter [2:0] DIVQ = 0,
    parameter [2:0] FILTER_RANGE = 0
) (
    input  wire PACKAGEPIN,
    output wire PLLOUTGLOBAL,
    output wire LOCK,
    input  wire RESETB,
    input  wire BYPASS
);

    reg       half = 1'b0;
    reg [4:0] count = 5'd0;

    assign PLLOUTGLOBAL = half;
    assign LOCK = count[4];

    always @(posedge PACKAGEPIN) begin
        half <= !half;
        if (!count[4]) count <= count + 5'd1;
    end

    wire unused_ok = &{1'b0, RESETB, BYPASS};

endmodule
