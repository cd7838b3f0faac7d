// SPDX-License-Identifier: MIT OR Apache-2.0
// Frames of 60 to 9216 bytes, and shorter and longer ones, through cmac_tx to a CMAC that must not
// be starved, both sides with random stalls and the CMAC with resets of its own; +seed=N. Prints
// PASS or the first difference.
`timescale 1ps / 1ps
`default_nettype none

module cmac_tx_tb;
    localparam FRAMES = 600, BYTES_MAX = 9216;
    // Among these the CMAC is reset now and then.
    localparam FIRST_RESET = 400, LAST_RESET = 580;

    `include "cmac_frames.vh"

    reg  [511:0] in_data = 0;
    reg  [63:0]  in_keep = 0;
    reg          in_valid = 0, in_last = 0, cmac_ready = 0, usr_tx_reset = 0;
    wire         in_ready, out_valid, out_last, out_user;
    wire [511:0] out_data;
    wire [63:0]  out_keep;
    cmac_tx dut (
        .core_clock(core_clock), .core_reset(core_reset), .s_axis_tdata(in_data),
        .s_axis_tkeep(in_keep), .s_axis_tvalid(in_valid), .s_axis_tready(in_ready),
        .s_axis_tlast(in_last), .cmac_clock(cmac_clock), .cmac_reset(cmac_reset),
        .usr_tx_reset(usr_tx_reset), .tx_axis_tdata(out_data), .tx_axis_tkeep(out_keep),
        .tx_axis_tvalid(out_valid), .tx_axis_tready(cmac_ready), .tx_axis_tlast(out_last),
        .tx_axis_tuser(out_user)
    );

    function [31:0] length(input integer n);
        // Many that the CMAC lets wait together, and all kinds.
        if ((n / 25) % 8 == 4) length = 60 + hash(n + 1000) % 60;
        else case (hash(n) % 16)
            0: length = 60;
            1: length = 64 + hash(n + 1000) % 3;
            2: length = 128;
            3: length = BYTES_MAX - hash(n + 1000) % 2;
            4: length = n < FIRST_RESET ? 1 + hash(n + 1000) % 59 : 61;
            5: length = BYTES_MAX + 1 + (hash(n + 1000) % 4 ? 0 : hash(n + 2000) % 40000);
            6, 7: length = 60 + hash(n + 1000) % (BYTES_MAX - 59);
            default: length = 60 + hash(n + 1000) % 200;
        endcase
    endfunction
    // Chance of a pause in a cycle, of 256: none, some and many, on either side.
    function [7:0] pause(input integer n, input is_sink);
        if (n == FRAMES) pause = is_sink ? 100 : 0;
        else case ((n / 25) % 8)
            0: pause = 0;
            1, 5: pause = is_sink ? 0 : 200;
            2, 6: pause = is_sink ? 120 : 0;
            3, 7: pause = 40;
            default: pause = is_sink ? 250 : 0;
        endcase
    endfunction

    integer sent, place;
    initial begin
        repeat (20) @(posedge core_clock);
        cmac_reset <= 0;
        repeat (5) @(posedge core_clock);
        core_reset <= 0;
        for (sent = 0; sent < FRAMES; sent = sent + 1)
            for (place = 0; place < length(sent); place = place + 64) begin
                while (($random & 255) < pause(sent, 0)) @(posedge core_clock);
                in_valid <= 1;
                in_last <= place + 64 >= length(sent);
                in_keep <= keep_of(length(sent) - place);
                in_data <= payload(sent, place);
                @(posedge core_clock);
                while (!in_ready) @(posedge core_clock);
                in_valid <= 0;
            end
        wait (got == FRAMES);
        if (resets < 10) fail("few resets", got, at);
        // A reset of all while a frame leaves: it ends, and is bad; the next one is whole.
        for (sent = 0; sent < 20; sent = sent + 1) begin
            send(144);
            wait (at > 64 * sent);
            core_reset <= 1;
            @(posedge cmac_clock) cmac_reset <= 1;
            repeat (10) @(posedge cmac_clock);
            cmac_reset <= 0;
            repeat (10) @(posedge core_clock);
            core_reset <= 0;
            repeat (10) @(posedge core_clock);
            if (ends != 2 * sent + 1 || bad_ends != sent + 1) fail("no bad end", FRAMES, at);
            send(3);
            repeat (100) @(posedge core_clock);
            if (ends != 2 * sent + 2 || bad_ends != sent + 1) fail("no good end", FRAMES, at);
        end
        $display("PASS");
        $finish;
    end

    task send(input integer beats);
        for (place = 0; place < 64 * beats; place = place + 64) begin
            in_valid <= 1;
            in_last <= place + 64 == 64 * beats;
            in_keep <= ~64'd0;
            in_data <= payload(FRAMES, place);
            @(posedge core_clock);
            while (!in_ready) @(posedge core_clock);
            in_valid <= 0;
        end
    endtask

    // The CMAC: takes what it is given, must get every frame without a gap, and is reset.
    integer got = 0, at = 0, left = 0, resets = 0, losable = 0;
    reg     held = 0;
    reg [577:0] before;
    always @(posedge cmac_clock) begin
        cmac_ready <= ($random & 255) >= pause(got, 1);
        if (left == 0 && got >= FIRST_RESET && got < LAST_RESET && ($random & 255) == 0)
            left = 1 + ($random & 15);
        usr_tx_reset <= left != 0;
        if (left != 0) left = left - 1;
        if (usr_tx_reset) begin
            if (at != 0) got = got + 1;
            at = 0;
            held = 0;
            resets = resets + 1;
            losable = losable + 1;
        end else begin
            if (held && !cmac_reset && (!out_valid || {out_user, out_last, out_keep, out_data} !== before))
                fail("a beat that was not taken changed", got, at);
            if (at != 0 && !out_valid) fail("a gap inside the frame", got, at);
            held = out_valid && !cmac_ready && !cmac_reset;
            before = {out_user, out_last, out_keep, out_data};
            if (out_valid && cmac_ready && got < FRAMES) take;
            else if (out_valid && cmac_ready) follow;
        end
    end

    integer expected;
    task take;
        begin
            // A frame whose first beat was about to leave at a reset is lost.
            if (at == 0 && out_data[31:0] > got && out_data[31:0] <= got + losable)
                got = out_data[31:0];
            losable = 0;
            expected = length(got) < 60 ? 60 : length(got) > BYTES_MAX ? BYTES_MAX : length(got);
            if (out_keep !== keep_of(expected - at)) fail("wrong keep", got, at);
            if (out_data !== data_of(payload(got, at), length(got) - at))
                fail("wrong bytes", got, at);
            if (out_last !== (at + 64 >= expected)) fail("wrong last", got, at);
            if (out_user !== (out_last && length(got) > BYTES_MAX)) fail("wrong verdict", got, at);
            at = out_last ? 0 : at + 64;
            if (out_last) got = got + 1;
        end
    endtask

    // The frames about a reset of all.
    integer ends = 0, bad_ends = 0;
    task follow;
        begin
            if (!out_user && out_data !== payload(FRAMES, at)) fail("wrong bytes", got, at);
            if (out_last && !out_user && at != 128) fail("wrong last", got, at);
            at = out_last ? 0 : at + 64;
            ends = ends + out_last;
            bad_ends = bad_ends + (out_last && out_user);
        end
    endtask

    initial begin
        #300_000_000 fail("nothing comes any more", got, at);
    end
endmodule
