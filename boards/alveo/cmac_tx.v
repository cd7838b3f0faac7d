// SPDX-License-Identifier: MIT OR Apache-2.0
// The NIC's stream to the TX stream of a CMAC (PG203), which has a clock of its own. The CMAC must
// get a frame without a gap: a frame starts once its verdict has crossed the clocks, behind its
// last beat. A frame of less than 60 bytes, which could lock the CMAC up, is filled with zeros.
`default_nettype none

module cmac_tx #(
    // The FIFO holds 2^AW beats of 64 bytes.
    parameter AW = 9,
    // A longer frame is cut here and leaves with an error: 9216 bytes. At most 2^AW, or such a
    // frame would wait for its end while its end waits for room.
    parameter [AW:0] FRAME_BEATS_MAX = 144
) (
    input  wire         core_clock,
    input  wire         core_reset,
    input  wire [511:0] s_axis_tdata,
    input  wire [63:0]  s_axis_tkeep,
    input  wire         s_axis_tvalid,
    output wire         s_axis_tready,
    input  wire         s_axis_tlast,
    input  wire         cmac_clock,
    input  wire         cmac_reset,
    // The CMAC's own: what is left of the frame under way is thrown away, the next one is whole.
    input  wire         usr_tx_reset,
    output reg  [511:0] tx_axis_tdata,
    output reg  [63:0]  tx_axis_tkeep,
    output reg          tx_axis_tvalid,
    input  wire         tx_axis_tready,
    output reg          tx_axis_tlast,
    output reg          tx_axis_tuser
);

    localparam [63:0] SHORTEST = {4'h0, {60{1'b1}}};

    generate
        if (FRAME_BEATS_MAX > 1 << AW) frame_beats_max_exceeds_the_fifo refuse ();
    endgenerate

    // Beats of the frame so far; the rest of a frame that was cut is skipped.
    reg [AW:0] beats;
    reg        skip;
    // A verdict waits a cycle at least, so it is never seen before the beats that it is about.
    reg        ended, cut;
    wire       beat_room, verdict_room;
    assign s_axis_tready = !core_reset && beat_room && (verdict_room || !ended);
    wire take = s_axis_tvalid && s_axis_tready;
    wire is_longest = beats == FRAME_BEATS_MAX - 1'b1;
    wire last = s_axis_tlast || is_longest;

    reg [511:0] data;
    integer     lane;
    always @* for (lane = 0; lane < 64; lane = lane + 1)
        data[8*lane +: 8] = s_axis_tdata[8*lane +: 8] & {8{s_axis_tkeep[lane]}};
    wire [63:0] keep = s_axis_tkeep | (beats == 0 ? SHORTEST : 64'd0);

    always @(posedge core_clock) begin
        if (verdict_room) ended <= 1'b0;
        if (take && !skip) begin
            beats <= last ? 0 : beats + 1'b1;
            ended <= last;
            cut <= !s_axis_tlast;
        end
        if (take) skip <= !s_axis_tlast && (skip || is_longest);
        if (core_reset) begin
            beats <= 0;
            skip <= 1'b0;
            ended <= 1'b0;
        end
    end

    wire         beat_valid, beat_last, verdict_valid, verdict_bad;
    wire [63:0]  beat_keep;
    wire [511:0] beat_data;
    wire         beat_ready, verdict_ready;
    async_fifo #(.W(577), .AW(AW), .RAM_STYLE("block")) beat_fifo (
        .write_clock(core_clock), .write_reset(core_reset), .s_valid(take && !skip),
        .s_ready(beat_room), .s_data({last, keep, data}),
        .read_clock(cmac_clock), .read_reset(cmac_reset), .m_valid(beat_valid),
        .m_ready(beat_ready), .m_data({beat_last, beat_keep, beat_data})
    );
    async_fifo #(.W(1)) verdict_fifo (
        .write_clock(core_clock), .write_reset(core_reset), .s_valid(ended),
        .s_ready(verdict_room), .s_data(cut),
        .read_clock(cmac_clock), .read_reset(cmac_reset), .m_valid(verdict_valid),
        .m_ready(verdict_ready), .m_data(verdict_bad)
    );

    // Inside a frame; its verdict; whether its rest is thrown away.
    reg in_frame, bad, drop;
    wire may_send = !usr_tx_reset && (!tx_axis_tvalid || tx_axis_tready);
    assign beat_ready = drop || (may_send && (in_frame || verdict_valid));
    wire step = beat_valid && beat_ready;
    assign verdict_ready = step && !in_frame;
    wire is_bad = in_frame ? bad : verdict_bad;
    wire stays = step ? !beat_last : in_frame;

    always @(posedge cmac_clock) begin
        if (tx_axis_tready) tx_axis_tvalid <= 1'b0;
        if (step) begin
            tx_axis_tvalid <= !drop;
            tx_axis_tdata <= beat_data;
            tx_axis_tkeep <= beat_keep;
            tx_axis_tlast <= beat_last;
            tx_axis_tuser <= beat_last && is_bad;
            bad <= is_bad;
        end
        in_frame <= stays;
        drop <= (drop || usr_tx_reset) && stays;
        // A frame under way gets an end, which is bad.
        if (cmac_reset) begin
            tx_axis_tvalid <= tx_axis_tvalid && !(tx_axis_tready && tx_axis_tlast);
            tx_axis_tlast <= 1'b1;
            tx_axis_tuser <= tx_axis_tuser || !tx_axis_tlast;
            in_frame <= 1'b0;
            drop <= 1'b0;
        end
        if (usr_tx_reset) tx_axis_tvalid <= 1'b0;
    end
    initial tx_axis_tvalid = 1'b0;

endmodule

`default_nettype wire
