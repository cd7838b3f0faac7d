// SPDX-License-Identifier: MIT OR Apache-2.0
// What the benches of cmac_tx and cmac_rx share: clocks, what is in a frame, how they fail.

    // 250 and 322.27 MHz: all phases pass by.
    reg core_clock = 0, cmac_clock = 0, core_reset = 1, cmac_reset = 1;
    integer seed = 1;
    initial begin
        if (!$value$plusargs("seed=%d", seed)) seed = 1;
        #(hash(0) % 4000) forever #2000 core_clock = !core_clock;
    end
    initial forever begin
        #1551 cmac_clock = !cmac_clock;
        #1552 cmac_clock = !cmac_clock;
    end

    // What frame n is, from its number and the seed alone.
    function [31:0] hash(input [31:0] n);
        begin
            hash = (n + 1) * 32'h9e3779b1 + seed * 32'h85ebca6b;
            hash = (hash ^ (hash >> 15)) * 32'h2c1b3c6d;
            hash = hash ^ (hash >> 12);
        end
    endfunction
    // Its beat of bytes `at` on; it begins with the number of the frame.
    function [511:0] payload(input integer n, input integer at);
        payload = {hash(n + at), {14{hash(n + at) ^ 32'h01234567}}, n[31:0]};
    endfunction
    // Of a beat that has so many bytes, those that it has.
    function [63:0] keep_of(input integer bytes);
        keep_of = bytes >= 64 ? ~64'd0 : ~(~64'd0 << bytes);
    endfunction
    function [511:0] data_of(input [511:0] data, input integer bytes);
        data_of = bytes >= 64 ? data : bytes <= 0 ? 512'd0 : data & ~(~512'd0 << 8 * bytes);
    endfunction

    task fail(input [8*40-1:0] what, input integer n, input integer at);
        begin
            $display("FAIL seed %0d frame %0d byte %0d: %0s", seed, n, at, what);
            $finish;
        end
    endtask
