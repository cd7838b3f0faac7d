// SPDX-License-Identifier: MIT OR Apache-2.0
// Frames of all lengths 60..260 from mac_tx through async_fifo to mac_rx; every third frame gets
// a wrong bit on the wire and must come out bad. Prints PASS or the first difference.
`timescale 1ns / 1ps
`default_nettype none

module mac_tb;
    reg clock = 0, core = 0, reset = 1;
    always #4 clock = !clock;
    always #5 core = !core;

    reg         in_valid = 0, in_last = 0;
    reg  [63:0] in_data = 0;
    reg  [7:0]  in_keep = 0;
    wire        in_ready, tx_valid, tx_ready, tx_last, phy_valid, out_valid, out_last, out_user;
    wire [63:0] tx_data, out_data;
    wire [7:0]  tx_keep, out_keep, phy_data;
    reg  [7:0]  flip = 0;

    async_fifo fifo (
        .write_clock(core), .write_reset(reset), .s_valid(in_valid), .s_ready(in_ready),
        .s_data({in_last, in_keep, in_data}),
        .read_clock(clock), .read_reset(reset), .m_valid(tx_valid), .m_ready(tx_ready),
        .m_data({tx_last, tx_keep, tx_data})
    );
    mac_tx tx (
        .clock(clock), .reset(reset), .s_axis_tvalid(tx_valid), .s_axis_tready(tx_ready),
        .s_axis_tdata(tx_data), .s_axis_tkeep(tx_keep), .s_axis_tlast(tx_last),
        .phy_valid(phy_valid), .phy_data(phy_data)
    );
    mac_rx rx (
        .clock(clock), .reset(reset), .phy_valid(phy_valid), .phy_error(1'b0),
        .phy_data(phy_data ^ flip), .m_axis_tvalid(out_valid), .m_axis_tdata(out_data),
        .m_axis_tkeep(out_keep), .m_axis_tlast(out_last), .m_axis_tuser(out_user)
    );

    function [7:0] payload(input integer frame, input integer at);
        payload = frame * 7 + at * 13 + (at >> 3);
    endfunction

    integer frame, at, i;
    initial begin
        repeat (10) @(posedge clock);
        reset <= 0;
        repeat (10) @(posedge core);
        for (frame = 60; frame <= 260; frame = frame + 1) begin
            for (at = 0; at < frame; at = at + 8) begin
                in_valid <= 1;
                in_last <= at + 8 >= frame;
                for (i = 0; i < 8; i = i + 1) begin
                    in_keep[i] <= at + i < frame;
                    in_data[8*i +: 8] <= at + i < frame ? payload(frame, at + i) : 8'd0;
                end
                @(posedge core);
                while (!in_ready) @(posedge core);
            end
            in_valid <= 0;
        end
    end

    // One wrong bit in byte 20 of the wire in every third frame.
    integer wire_frame = 60, wire_at = 0;
    always @(posedge clock) begin
        wire_at <= phy_valid ? wire_at + 1 : 0;
        if (wire_at != 0 && !phy_valid) wire_frame <= wire_frame + 1;
        flip <= wire_at == 20 && wire_frame % 3 == 0 ? 8'h10 : 8'h00;
    end

    integer got = 60, place = 0;
    always @(posedge clock) if (out_valid) begin
        for (i = 0; i < 8; i = i + 1) if (out_keep[i]) begin
            if (got % 3 != 0 && out_data[8*i +: 8] !== payload(got, place)) begin
                $display("FAIL frame %0d byte %0d: %h", got, place, out_data[8*i +: 8]);
                $finish;
            end
            place = place + 1;
        end
        if (out_last) begin
            if (place != got || out_user !== (got % 3 == 0)) begin
                $display("FAIL frame %0d: %0d bytes, bad %b", got, place, out_user);
                $finish;
            end
            got = got + 1;
            place = 0;
            if (got == 261) begin
                $display("PASS");
                $finish;
            end
        end
    end

    initial begin
        #10000000 $display("FAIL: only %0d frames", got - 60);
        $finish;
    end
endmodule
