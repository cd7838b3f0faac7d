// SPDX-License-Identifier: MIT OR Apache-2.0
// Ethernet transmit side: 64-bit AXI4-Stream beats to bytes with preamble, FCS and interframe gap.
// Inside a frame the source must always have the next beat. Nothing is padded: a frame must have
// the 60 bytes that Ethernet asks for, and the NIC's shortest has 62.
`default_nettype none

module mac_tx (
    input  wire        clock,
    input  wire        reset,
    input  wire        s_axis_tvalid,
    output reg         s_axis_tready,
    input  wire [63:0] s_axis_tdata,
    input  wire [7:0]  s_axis_tkeep,
    input  wire        s_axis_tlast,
    output reg         phy_valid,
    output reg  [7:0]  phy_data
);

    localparam [2:0] IDLE = 3'd0, PREAMBLE = 3'd1, DATA = 3'd2, FCS = 3'd3, GAP = 3'd4;

    function [31:0] crc_byte(input [31:0] crc, input [7:0] data);
        integer i;
        begin
            crc_byte = crc ^ {24'd0, data};
            for (i = 0; i < 8; i = i + 1)
                crc_byte = crc_byte[0] ? (crc_byte >> 1) ^ 32'hedb88320 : crc_byte >> 1;
        end
    endfunction

    reg [2:0]  state;
    reg [63:0] beat;
    reg [7:1]  keep;
    reg        last;
    reg [3:0]  step;
    reg [31:0] crc;

    // `keep` moves along with `beat`: bit 1 is the byte after the one that goes out now.
    wire last_of_beat = !keep[1];
    wire unused_ok = s_axis_tkeep[0];

    always @(posedge clock) begin
        s_axis_tready <= 1'b0;
        phy_valid <= 1'b0;
        case (state)
            IDLE: begin
                step <= 4'd0;
                crc <= 32'hffffffff;
                if (s_axis_tvalid && !s_axis_tready) begin
                    {beat, keep, last} <= {s_axis_tdata, s_axis_tkeep[7:1], s_axis_tlast};
                    s_axis_tready <= 1'b1;
                    state <= PREAMBLE;
                end
            end
            PREAMBLE: begin
                phy_valid <= 1'b1;
                phy_data <= step == 4'd7 ? 8'hd5 : 8'h55;
                step <= step + 4'd1;
                if (step == 4'd7) state <= DATA;
            end
            DATA: begin
                phy_valid <= 1'b1;
                phy_data <= beat[7:0];
                crc <= crc_byte(crc, beat[7:0]);
                beat <= {8'd0, beat[63:8]};
                keep <= {1'b0, keep[7:2]};
                step <= 4'd0;
                if (last_of_beat && last) begin
                    state <= FCS;
                end else if (last_of_beat) begin
                    {beat, keep, last} <= {s_axis_tdata, s_axis_tkeep[7:1], s_axis_tlast};
                    s_axis_tready <= 1'b1;
                end
            end
            FCS: begin
                phy_valid <= 1'b1;
                phy_data <= ~crc[7:0];
                crc <= {8'd0, crc[31:8]};
                step <= step + 4'd1;
                if (step == 4'd3) begin
                    state <= GAP;
                    step <= 4'd0;
                end
            end
            default: begin
                step <= step + 4'd1;
                if (step == 4'd11) state <= IDLE;
            end
        endcase
        if (reset) begin
            state <= IDLE;
            s_axis_tready <= 1'b0;
            phy_valid <= 1'b0;
        end
    end

endmodule

`default_nettype wire
