// SPDX-License-Identifier: MIT OR Apache-2.0
// The RX stream of a CMAC (PG203), which can't wait, to the NIC's stream, which may. Where the FIFO
// is full the rest of the frame is lost: what of it is in the FIFO already gets an end that is bad,
// before anything else goes in.
`default_nettype none

module cmac_rx #(
    // The FIFO holds 2^AW beats of 64 bytes.
    parameter AW = 9
) (
    input  wire         cmac_clock,
    input  wire         cmac_reset,
    // The CMAC's own: the frame under way will have no end, and is lost.
    input  wire         usr_rx_reset,
    input  wire [511:0] rx_axis_tdata,
    input  wire [63:0]  rx_axis_tkeep,
    input  wire         rx_axis_tvalid,
    input  wire         rx_axis_tlast,
    input  wire         rx_axis_tuser,
    // Frames lost since the reset, whole or their rest; of cmac_clock.
    output reg  [31:0]  lost_frames,
    input  wire         core_clock,
    input  wire         core_reset,
    output wire [511:0] m_axis_tdata,
    output wire [63:0]  m_axis_tkeep,
    output wire         m_axis_tvalid,
    input  wire         m_axis_tready,
    output wire         m_axis_tlast,
    output wire         m_axis_tuser
);

    // The FIFO has a part of the frame that arrives; the rest of that frame is lost; a frame in the
    // FIFO lacks its end.
    reg  begun = 1'b0, skip = 1'b0, owed;
    wire room;
    wire store = rx_axis_tvalid && room && !owed && !skip && !usr_rx_reset && !cmac_reset;
    wire lose = rx_axis_tvalid && !store;

    always @(posedge cmac_clock) begin
        if (rx_axis_tvalid) begin
            begun <= store && !rx_axis_tlast;
            skip <= lose && !rx_axis_tlast;
        end
        if (room) owed <= 1'b0;
        if (begun && (lose || usr_rx_reset)) owed <= 1'b1;
        if ((lose && !skip) || (begun && usr_rx_reset)) lost_frames <= lost_frames + 32'd1;
        // What comes of a frame after the reset is not the whole of it.
        if (cmac_reset) begin
            if (!rx_axis_tvalid) skip <= skip || begun;
            begun <= 1'b0;
            owed <= 1'b0;
            lost_frames <= 32'd0;
        end
        if (usr_rx_reset) begin
            begun <= 1'b0;
            skip <= 1'b0;
        end
    end

    async_fifo #(.W(578), .AW(AW), .RAM_STYLE("block")) fifo (
        .write_clock(cmac_clock), .write_reset(cmac_reset), .s_valid(store || owed),
        .s_ready(room),
        .s_data({rx_axis_tuser || owed, rx_axis_tlast || owed, rx_axis_tkeep | {64{owed}},
                 rx_axis_tdata}),
        .read_clock(core_clock), .read_reset(core_reset), .m_valid(m_axis_tvalid),
        .m_ready(m_axis_tready), .m_data({m_axis_tuser, m_axis_tlast, m_axis_tkeep, m_axis_tdata})
    );

endmodule

`default_nettype wire
