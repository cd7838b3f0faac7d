// SPDX-License-Identifier: MIT OR Apache-2.0
// What the top level needs of ECP5's primitives in simulation.

// PLL. Each edge of the pin's clock stands for one period of the oscillator, 2 ns at 500 MHz: the
// bench drives the pin so. Only whole periods of phase are known. Locked after 64 edges.
// verilator lint_off UNUSEDPARAM
module EHXPLLL #(
    parameter CLKI_DIV = 1,
    parameter CLKFB_DIV = 1,
    parameter FEEDBK_PATH = "CLKOP",
    parameter OUTDIVIDER_MUXA = "DIVA",
    parameter OUTDIVIDER_MUXB = "DIVB",
    parameter OUTDIVIDER_MUXC = "DIVC",
    parameter OUTDIVIDER_MUXD = "DIVD",
    parameter CLKOP_ENABLE = "ENABLED",
    parameter CLKOP_DIV = 8,
    parameter CLKOP_CPHASE = 0,
    parameter CLKOP_FPHASE = 0,
    parameter CLKOS_ENABLE = "DISABLED",
    parameter CLKOS_DIV = 8,
    parameter CLKOS_CPHASE = 0,
    parameter CLKOS_FPHASE = 0,
    parameter CLKOS2_ENABLE = "DISABLED",
    parameter CLKOS2_DIV = 8,
    parameter CLKOS2_CPHASE = 0,
    parameter CLKOS2_FPHASE = 0,
    parameter CLKOS3_ENABLE = "DISABLED",
    parameter CLKOS3_DIV = 8,
    parameter CLKOS3_CPHASE = 0,
    parameter CLKOS3_FPHASE = 0
    // verilator lint_on UNUSEDPARAM
) (
    input  wire CLKI,
    input  wire CLKFB,
    input  wire RST,
    input  wire STDBY,
    input  wire PHASESEL0,
    input  wire PHASESEL1,
    input  wire PHASEDIR,
    input  wire PHASESTEP,
    input  wire PHASELOADREG,
    input  wire PLLWAKESYNC,
    input  wire ENCLKOP,
    output reg  CLKOP,
    output reg  CLKOS,
    output reg  CLKOS2,
    output reg  CLKOS3,
    output wire LOCK
);

    localparam LOCK_EDGES = 64;

    reg [31:0] edges = 0;
    initial {CLKOP, CLKOS, CLKOS2, CLKOS3} = 4'b0;

    // High in the first half of a period of `div` edges that begins `phase - (div - 1)` edges late.
    function level(input [31:0] at, input [31:0] div, input [31:0] phase);
        level = (at + 2 * div - 1 - phase) % div < div / 2;
    endfunction

    assign LOCK = edges >= LOCK_EDGES;

    always @(posedge CLKI or negedge CLKI) begin
        edges <= edges + 1;
        CLKOP <= level(edges, CLKOP_DIV, CLKOP_CPHASE);
        CLKOS <= level(edges, CLKOS_DIV, CLKOS_CPHASE);
        CLKOS2 <= level(edges, CLKOS2_DIV, CLKOS2_CPHASE);
        CLKOS3 <= level(edges, CLKOS3_DIV, CLKOS3_CPHASE);
    end

    wire unused_ok = &{
        1'b0, CLKFB, RST, STDBY, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP, PHASELOADREG,
        PLLWAKESYNC, ENCLKOP
    };

endmodule

// Both edges' bits of a pin, together at the next rising edge.
module IDDRX1F (
    input  wire SCLK,
    input  wire RST,
    input  wire D,
    output reg  Q0,
    output reg  Q1
);

    reg rise, fall;

    always @(posedge SCLK) {rise, Q0, Q1} <= {D, rise, fall};
    always @(negedge SCLK) fall <= D;

    wire unused_ok = &{1'b0, RST};

endmodule

// A bit for each half of the clock.
module ODDRX1F (
    input  wire SCLK,
    input  wire RST,
    input  wire D0,
    input  wire D1,
    output wire Q
);

    reg high, low;

    always @(posedge SCLK) {high, low} <= {D0, D1};
    assign Q = SCLK ? high : low;

    wire unused_ok = &{1'b0, RST};

endmodule
