// SPDX-License-Identifier: MIT OR Apache-2.0
// The UART bridge against four registers and the host memory, which a burst also writes and reads.
// Prints PASS or the first difference.
`timescale 1ns / 1ps
`default_nettype none

module host_tb;
    localparam BIT = 10;
    reg clock = 0, reset = 1;
    always #5 clock = !clock;

    reg rx = 1;
    wire tx;
    wire [15:0] awaddr, araddr;
    wire awvalid, wvalid, arvalid, bready, rready, word_write;
    wire [31:0] wdata;
    wire [3:0] wstrb;
    reg bvalid = 0, rvalid = 0;
    reg [31:0] rdata;
    wire [12:0] word_index;
    wire [63:0] word_wdata, word_rdata;

    uart_host #(.DIVISOR(BIT)) bridge (
        .clock(clock), .reset(reset), .rx(rx), .tx(tx),
        .m_axil_awaddr(awaddr), .m_axil_awvalid(awvalid), .m_axil_awready(wvalid),
        .m_axil_wdata(wdata), .m_axil_wstrb(wstrb), .m_axil_wvalid(wvalid),
        .m_axil_wready(awvalid), .m_axil_bvalid(bvalid), .m_axil_bresp(2'd0),
        .m_axil_bready(bready), .m_axil_araddr(araddr), .m_axil_arvalid(arvalid),
        .m_axil_arready(1'b1), .m_axil_rvalid(rvalid), .m_axil_rdata(rdata),
        .m_axil_rready(rready), .word_write(word_write), .word_index(word_index),
        .word_wdata(word_wdata), .word_rdata(word_rdata)
    );

    reg [31:0] registers [0:3];
    always @(posedge clock) begin
        bvalid <= awvalid && wvalid;
        rvalid <= arvalid;
        rdata <= registers[araddr[3:2]];
        if (awvalid && wvalid) registers[awaddr[3:2]] <= wdata;
    end

    reg [63:0] axi_wdata;
    reg [63:0] axi_addr = 0;
    reg aw = 0, w = 0, wlast = 0, ar = 0;
    wire awready, wready, b, arready, rlast, r;
    wire [1:0] bresp, rresp;
    wire [63:0] axi_rdata;
    host_ram ram (
        .clock(clock), .reset(reset),
        .s_axi_awaddr(axi_addr), .s_axi_awlen(8'd3), .s_axi_awvalid(aw), .s_axi_awready(awready),
        .s_axi_wdata(axi_wdata), .s_axi_wstrb(8'h7f), .s_axi_wlast(wlast), .s_axi_wvalid(w),
        .s_axi_wready(wready), .s_axi_bresp(bresp), .s_axi_bvalid(b), .s_axi_bready(1'b1),
        .s_axi_araddr(axi_addr), .s_axi_arlen(8'd3), .s_axi_arvalid(ar), .s_axi_arready(arready),
        .s_axi_rdata(axi_rdata), .s_axi_rresp(rresp), .s_axi_rlast(rlast), .s_axi_rvalid(r),
        .s_axi_rready(1'b1), .word_write(word_write), .word_index(word_index),
        .word_wdata(word_wdata), .word_rdata(word_rdata)
    );

    task send(input [7:0] value);
        integer i;
        begin
            rx = 0;
            repeat (BIT) @(posedge clock);
            for (i = 0; i < 8; i = i + 1) begin
                rx = value[i];
                repeat (BIT) @(posedge clock);
            end
            rx = 1;
            repeat (BIT) @(posedge clock);
        end
    endtask

    task send_bytes(input [95:0] value, input integer count);
        integer k;
        for (k = 0; k < count; k = k + 1) send(value[8*k +: 8]);
    endtask

    task receive(output [7:0] value);
        integer i;
        begin
            while (tx) @(posedge clock);
            repeat (BIT + BIT / 2) @(posedge clock);
            for (i = 0; i < 8; i = i + 1) begin
                value[i] = tx;
                repeat (BIT) @(posedge clock);
            end
        end
    endtask

    reg [63:0] got;
    task expect_bytes(input [63:0] value, input integer count);
        integer k;
        begin
            got = 0;
            for (k = 0; k < count; k = k + 1) receive(got[8*k +: 8]);
            if (got !== value) begin
                $display("FAIL: %h instead of %h", got, value);
                $finish;
            end
        end
    endtask

    integer n;
    initial begin
        repeat (5) @(posedge clock);
        reset = 0;
        send(8'd0);
        send("W"); send_bytes({48'hcafe_f00d, 16'h0008}, 6); expect_bytes(0, 1);
        send("R"); send_bytes(16'h0008, 2); expect_bytes(32'hcafe_f00d, 4);
        send("M"); send_bytes({64'h0123_4567_89ab_cdef, 32'h0000_0110}, 12); expect_bytes(0, 1);
        send("m"); send_bytes(32'h0000_0110, 4); expect_bytes(64'h0123_4567_89ab_cdef, 8);
        // A burst of four beats over the word just written; the top byte of each is masked.
        axi_addr <= 64'h0110;
        aw <= 1;
        @(posedge clock);
        while (!awready) @(posedge clock);
        aw <= 0;
        for (n = 0; n < 4; n = n + 1) begin
            w <= 1;
            wlast <= n == 3;
            axi_wdata <= {8{8'h10 + n[7:0]}};
            @(posedge clock);
            while (!wready) @(posedge clock);
        end
        w <= 0;
        repeat (4) @(posedge clock);
        send("m"); send_bytes(32'h0000_0110, 4); expect_bytes(64'h0110_1010_1010_1010, 8);
        ar <= 1;
        @(posedge clock);
        while (!arready) @(posedge clock);
        ar <= 0;
        for (n = 0; n < 4; n = n + 1) begin
            @(posedge clock);
            while (!r) @(posedge clock);
            if (axi_rdata[7:0] !== 8'h10 + n[7:0] || rlast !== (n == 3) || rresp != 0) begin
                $display("FAIL: beat %0d %h", n, axi_rdata);
                $finish;
            end
        end
        $display("PASS");
        $finish;
    end

    initial begin
        #2000000 $display("FAIL: no answer");
        $finish;
    end
endmodule
