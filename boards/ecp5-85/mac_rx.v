// SPDX-License-Identifier: MIT OR Apache-2.0
// Ethernet receive side: bytes from the PHY to 64-bit AXI4-Stream beats without preamble and FCS.
// A frame whose FCS is wrong, or that the PHY marks, has tuser on its last beat. The sink must
// keep up: bytes come at 1 Gb/s.
`default_nettype none

module mac_rx (
    input  wire        clock,
    input  wire        reset,
    input  wire        phy_valid,
    input  wire        phy_error,
    input  wire [7:0]  phy_data,
    output reg         m_axis_tvalid,
    output reg  [63:0] m_axis_tdata,
    output reg  [7:0]  m_axis_tkeep,
    output reg         m_axis_tlast,
    output reg         m_axis_tuser
);

    // CRC-32 of a frame with its FCS, reflected, before the last inversion.
    localparam [31:0] RESIDUE = 32'hdebb20e3;

    function [31:0] crc_byte(input [31:0] crc, input [7:0] data);
        integer i;
        begin
            crc_byte = crc ^ {24'd0, data};
            for (i = 0; i < 8; i = i + 1)
                crc_byte = crc_byte[0] ? (crc_byte >> 1) ^ 32'hedb88320 : crc_byte >> 1;
        end
    endfunction

    reg        in_frame, bad;
    reg [31:0] crc;
    // The last four bytes wait here: they are the FCS when the frame ends.
    reg [31:0] tail;
    reg [2:0]  tail_count;
    // The beat that is filled, and whether it holds anything.
    reg [63:0] beat;
    reg [7:0]  keep;

    wire start = !in_frame && phy_valid && phy_data == 8'hd5;
    wire finish = in_frame && !phy_valid;
    wire byte_valid = in_frame && phy_valid && tail_count == 3'd4;
    wire beat_full = keep[7];
    // Where the next byte goes.
    wire [7:0] next_lane = beat_full ? 8'd1 : ~keep & {keep[6:0], 1'b1};

    integer lane;
    always @(posedge clock) begin
        // A beat leaves when the next byte finds it full, and at the end.
        m_axis_tvalid <= (byte_valid && beat_full) || (finish && keep[0]);
        m_axis_tdata <= beat;
        m_axis_tkeep <= keep;
        m_axis_tlast <= finish;
        m_axis_tuser <= finish && (bad || crc != RESIDUE);
        if (start) begin
            in_frame <= 1'b1;
            bad <= 1'b0;
            crc <= 32'hffffffff;
            tail_count <= 3'd0;
            keep <= 8'd0;
            beat <= 64'd0;
        end
        if (in_frame && phy_valid) begin
            crc <= crc_byte(crc, phy_data);
            tail <= {phy_data, tail[31:8]};
            if (tail_count != 3'd4) tail_count <= tail_count + 3'd1;
            if (phy_error) bad <= 1'b1;
        end
        if (byte_valid) begin
            keep <= beat_full ? 8'd1 : {keep[6:0], 1'b1};
            for (lane = 0; lane < 8; lane = lane + 1)
                if (beat_full || !keep[lane])
                    beat[8*lane +: 8] <= next_lane[lane] ? tail[7:0] : 8'd0;
        end
        if (finish) in_frame <= 1'b0;
        if (reset) begin
            in_frame <= 1'b0;
            m_axis_tvalid <= 1'b0;
        end
    end

endmodule

`default_nettype wire
