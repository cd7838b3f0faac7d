// SPDX-License-Identifier: MIT OR Apache-2.0
// Frames of 60 to 9216 bytes from a CMAC, which can't wait, through cmac_rx to a sink that may:
// at the line's rate to one that is always ready, where none may be lost; and too fast, to one that
// stalls, with frames that the CMAC marks and resets of its own. What is good must be whole, what
// is lost counted; +seed=N. Prints PASS or the first difference.
`timescale 1ps / 1ps
`default_nettype none

module cmac_rx_tb #(
    parameter AW = 9
);
    // Groups of frames: at the line's rate; too fast for a slow sink; at the line's rate to a sink
    // with long pauses.
    localparam FRAMES = 600, GROUP = 100, BYTES_MAX = 9216;

    `include "cmac_frames.vh"

    reg  [511:0] in_data = 0;
    reg  [63:0]  in_keep = 0;
    reg          in_valid = 0, in_last = 0, in_user = 0, usr_rx_reset = 0, out_ready = 0;
    wire         out_valid, out_last, out_user;
    wire [511:0] out_data;
    wire [63:0]  out_keep;
    wire [31:0]  lost_frames;
    cmac_rx #(.AW(AW)) dut (
        .cmac_clock(cmac_clock), .cmac_reset(cmac_reset), .usr_rx_reset(usr_rx_reset),
        .rx_axis_tdata(in_data), .rx_axis_tkeep(in_keep), .rx_axis_tvalid(in_valid),
        .rx_axis_tlast(in_last), .rx_axis_tuser(in_user), .lost_frames(lost_frames),
        .core_clock(core_clock), .core_reset(core_reset), .m_axis_tdata(out_data),
        .m_axis_tkeep(out_keep), .m_axis_tvalid(out_valid), .m_axis_tready(out_ready),
        .m_axis_tlast(out_last), .m_axis_tuser(out_user)
    );

    function [31:0] length(input integer n);
        case (hash(n) % 8)
            0: length = 60;
            1: length = 64 << hash(n + 1000) % 3;
            2: length = BYTES_MAX - hash(n + 1000) % 2;
            3, 4: length = 60 + hash(n + 1000) % (BYTES_MAX - 59);
            // Frames of 65 to 75 bytes make more beats than 250 MHz takes.
            default: length = 76 + hash(n + 1000) % 200;
        endcase
    endfunction
    function is_marked(input integer n);
        is_marked = hash(n + 3000) % 8 == 0;
    endfunction
    task beat(input valid, input [511:0] data, input [63:0] keep, input last, input user);
        begin
            in_valid <= valid;
            {in_data, in_keep, in_last, in_user} <= {data, keep, last, user};
            @(posedge cmac_clock);
        end
    endtask
    task idle;
        beat(0, {16{$random}}, {2{$random}}, $random, $random);
    endtask

    // Bytes that the line has brought and the CMAC has not given: 100 Gb/s are 38.79 a cycle.
    real    credit = 0;
    integer sent, place, mode, abandoned = 0, before = 0;
    reg     is_whole;
    initial begin
        repeat (20) @(posedge core_clock);
        cmac_reset <= 0;
        repeat (5) @(posedge core_clock);
        core_reset <= 0;
        for (sent = 0; sent < FRAMES; sent = sent + 1) begin
            mode = sent / GROUP % 3;
            if (sent % GROUP == 0) begin
                repeat (4000) idle;
                if (mode == 1 && lost_frames != before) fail("lost at the line's rate", sent, 0);
                before = lost_frames;
            end
            is_whole = 1;
            for (place = 0; is_whole && place < length(sent); place = place + 64) begin
                if (mode != 1) credit = credit - 64;
                while (credit < 0) begin
                    credit = credit + 38.79;
                    idle;
                end
                // No more than a frame waits in the CMAC.
                credit = credit + 38.79 > 512 ? 512 : credit + 38.79;
                beat(1, payload(sent, place), keep_of(length(sent) - place),
                     place + 64 >= length(sent), place + 64 >= length(sent) && is_marked(sent));
                if (mode == 1 && place + 64 < length(sent) && ($random & 1023) == 0) begin
                    is_whole = 0;
                    abandoned = abandoned + 1;
                    usr_rx_reset <= 1;
                    repeat (1 + ($random & 15)) idle;
                    usr_rx_reset <= 0;
                end
            end
            // Preamble, FCS and gap.
            if (mode != 1) credit = credit - 24 + (place > length(sent) ? place - length(sent) : 0);
        end
        repeat (4000) idle;
        missing = missing + FRAMES - 1 - last_got;
        if (at != 0) fail("a frame without its end", FRAMES, at);
        if (lost_frames !== missing + cut) fail("lost frames are miscounted", FRAMES, lost_frames);
        if (cut < 5 || missing < 5 || good < FRAMES / 2 || marked < 5 || abandoned < 2)
            fail("few of a kind", FRAMES, 0);
        // A reset of all in the middle of a frame: nothing of that frame comes out after it.
        follows = 1;
        mode = 0;
        repeat (1000) idle;
        for (sent = 0; sent < 16; sent = sent + 1) begin
            repeat (5) beat(1, 0, ~64'd0, 0, 0);
            {cmac_reset, core_reset} <= 3;
            for (place = 0; place < 12; place = place + 1) beat(sent[0], 0, ~64'd0, 0, 0);
            cmac_reset <= 0;
            repeat (10) idle;
            core_reset <= 0;
            beats_after = 0;
            if (sent[1]) beat(1, 0, ~64'd0, 0, 0);
            beat(1, 0, ~64'd0, 1, 0);
            if (sent[2]) repeat (100) idle;
            beat(1, ~512'd0, ~64'd0, 1, 0);
            repeat (100) idle;
            if (beats_after != 1) fail("a frame without its begin", FRAMES, sent);
        end
        $display("PASS");
        $finish;
    end
    reg     follows = 0;
    integer beats_after = 0;

    integer got = 0, last_got = -1, at = 0, missing = 0, cut = 0, good = 0, marked = 0, stall = 0;
    reg     held = 0, is_same;
    reg [577:0] last_beat;
    always @(posedge core_clock) begin
        if (stall == 0 && mode == 2 && ($random & 511) == 0) stall = 400;
        if (stall != 0) stall = stall - 1;
        out_ready <= stall == 0 && (mode != 1 || ($random & 1));
        if (held && !core_reset && (!out_valid || {out_user, out_last, out_keep, out_data} !== last_beat))
            fail("a beat that was not taken changed", got, at);
        held = out_valid && !out_ready && !core_reset;
        last_beat = {out_user, out_last, out_keep, out_data};
        if (out_valid && out_ready && !follows) take;
        if (out_valid && out_ready && follows) beats_after = beats_after + 1;
    end

    task take;
        begin
            if (at == 0) begin
                got = out_data[31:0];
                // A frame of which nothing but its end came can't be named, and isn't there.
                if (!(got > last_got && got < FRAMES)) fail("not a frame that was sent", got, 0);
                missing = missing + got - last_got - 1;
                last_got = got;
            end
            is_same = at < length(got) && out_last === (at + 64 >= length(got)) &&
                out_keep === keep_of(length(got) - at) &&
                data_of(out_data, length(got) - at) === data_of(payload(got, at), length(got) - at);
            if (out_last && out_user === 1'b1) begin
                if (is_same && is_marked(got)) marked = marked + 1;
                else cut = cut + 1;
            end else begin
                if (!is_same || out_user !== 1'b0) fail("wrong beat", got, at);
                if (out_last && is_marked(got)) fail("a marked frame is good", got, at);
                good = good + out_last;
            end
            at = out_last ? 0 : at + 64;
        end
    endtask

    initial begin
        #300_000_000 fail("no end", got, at);
    end
endmodule
