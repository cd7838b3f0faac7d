// SPDX-License-Identifier: MIT OR Apache-2.0
// What is around the simulated SoC: clocks, a console, and a cable between the two NICs.
//   +damage=N  a bit of frame N from NIC 0 to NIC 1 is flipped on the cable; 0: of every frame
// The simulation ends with the byte 4 on the console.
`timescale 1ns / 1ps
`default_nettype none

module sim;

    localparam CYCLES_MAX = 3_000_000;

    // 75 MHz and 125 MHz.
    reg sys_clk = 0, gmii_clk = 0, sys_rst = 1;
    always #6.667 sys_clk = !sys_clk;
    always #4 gmii_clk = !gmii_clk;

    wire [7:0] tx_data_0, tx_data_1, rx_data_0, rx_data_1, character;
    wire       tx_en_0, tx_en_1, rx_dv_0, rx_dv_1, character_valid;

    soc soc (
        .sys_clk(sys_clk),
        .sys_rst(sys_rst),
        .sim_trace(1'b0),
        .gmii_clk(gmii_clk),
        .gmii0_tx_en(tx_en_0),
        .gmii0_tx_data(tx_data_0),
        .gmii0_rx_dv(rx_dv_0),
        .gmii0_rx_data(rx_data_0),
        .gmii1_tx_en(tx_en_1),
        .gmii1_tx_data(tx_data_1),
        .gmii1_rx_dv(rx_dv_1),
        .gmii1_rx_data(rx_data_1),
        .serial_source_valid(character_valid),
        .serial_source_ready(1'b1),
        .serial_source_data(character),
        .serial_sink_valid(1'b0),
        .serial_sink_ready(),
        .serial_sink_data(8'h0)
    );

    integer damage = -1;
    gmii_wire wire_01 (gmii_clk, damage, tx_en_0, tx_data_0, rx_dv_1, rx_data_1);
    gmii_wire wire_10 (gmii_clk, -1, tx_en_1, tx_data_1, rx_dv_0, rx_data_0);

    initial if (!$value$plusargs("damage=%d", damage)) damage = -1;

    integer cycles = 0;
    always @(posedge sys_clk) begin
        cycles <= cycles + 1;
        sys_rst <= cycles < 20;
        if (character_valid && character != 4) $write("%c", character);
        if (character_valid && character == 4 || cycles == CYCLES_MAX) begin
            if (cycles == CYCLES_MAX) $display("FAIL: no end");
            $display("wire 0 to 1: %0d frames, %0d with a wrong preamble or FCS",
                wire_01.frames, wire_01.bad_frames);
            $display("wire 1 to 0: %0d frames, %0d with a wrong preamble or FCS",
                wire_10.frames, wire_10.bad_frames);
            $display("%0d cycles", cycles);
            $finish;
        end
    end

endmodule

// A cable. It looks at preamble and FCS of what is sent, and may flip a bit of it.
module gmii_wire (
    input  wire       clk,
    input  wire signed [31:0] damage,
    input  wire       tx_en,
    input  wire [7:0] tx_data,
    output reg        rx_dv = 0,
    output reg  [7:0] rx_data
);

    localparam PREAMBLE_BYTES = 8, DAMAGED_BYTE = 60;
    // Of a frame with its FCS, before the last inversion.
    localparam [31:0] CRC_RESIDUE = 32'hdebb20e3;

    integer frames = 0, bad_frames = 0, at = 0;
    reg [31:0] crc;
    reg good;

    function [31:0] crc_step(input [31:0] state, input [7:0] data);
        integer i;
        begin
            crc_step = state ^ {24'h0, data};
            for (i = 0; i < 8; i = i + 1)
                crc_step = (crc_step >> 1) ^ (crc_step[0] ? 32'hedb88320 : 32'h0);
        end
    endfunction

    wire is_hit = at == DAMAGED_BYTE && (damage == 0 || damage == frames + 1);

    always @(posedge clk) begin
        rx_dv <= tx_en;
        rx_data <= tx_data ^ {7'h0, is_hit};
        if (tx_en) begin
            at <= at + 1;
            if (at == 0) begin
                good <= tx_data == 8'h55;
                crc <= 32'hffffffff;
            end else if (at < PREAMBLE_BYTES)
                good <= good && tx_data == (at == PREAMBLE_BYTES - 1 ? 8'hd5 : 8'h55);
            else
                crc <= crc_step(crc, tx_data);
        end else if (at != 0) begin
            at <= 0;
            frames <= frames + 1;
            if (!good || crc != CRC_RESIDUE) bad_frames <= bad_frames + 1;
        end
    end

endmodule

`default_nettype wire
