// SPDX-License-Identifier: MIT OR Apache-2.0
// A test bench to start from: sets a register, creates flow 3, and sends it two ACKs. The second
// one tells of a full link and a queue, so its window is smaller than the first.
//
//   nic emit --core cc -o rtl
//   iverilog -g2012 -o tb rtl/*.v rtl/cc_core_tb.sv && vvp -n tb
`timescale 1ns / 1ps

module cc_core_tb;
    reg clock = 0;
    reg reset = 1;
    always #4 clock = !clock;

    // AXI4-Lite
    reg  [15:0] awaddr = 0, araddr = 0;
    reg  [31:0] wdata = 0;
    reg         awvalid = 0, wvalid = 0, arvalid = 0;
    wire        awready, wready, bvalid, arready, rvalid;
    wire [1:0]  bresp, rresp;
    wire [31:0] rdata;
    // events
    reg  [415:0] ack = 0;
    reg  [95:0]  flow = 0;
    reg          ack_valid = 0, flow_valid = 0;
    wire         ack_ready, flow_ready, rate_valid;
    wire [255:0] rate;

    cc_core dut (
        .clock(clock), .reset(reset),
        .s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
        .s_axil_wdata(wdata), .s_axil_wstrb(4'hf), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
        .s_axil_bvalid(bvalid), .s_axil_bresp(bresp), .s_axil_bready(1'b1),
        .s_axil_araddr(araddr), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
        .s_axil_rvalid(rvalid), .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rready(1'b1),
        .s_axis_ack_tvalid(ack_valid), .s_axis_ack_tready(ack_ready), .s_axis_ack_tdata(ack),
        .s_axis_flow_tvalid(flow_valid), .s_axis_flow_tready(flow_ready), .s_axis_flow_tdata(flow),
        .m_axis_rate_tvalid(rate_valid), .m_axis_rate_tready(1'b1), .m_axis_rate_tdata(rate)
    );

    task fail(input [8*40-1:0] what);
        $fatal(1, "%0s", what);
    endtask

    task write(input [15:0] address, input [31:0] value);
        begin
            @(negedge clock) awaddr = address; wdata = value; awvalid = 1; wvalid = 1;
            while (!awready) @(negedge clock);
            @(negedge clock) awvalid = 0; wvalid = 0;
            while (!bvalid) @(negedge clock);
            if (bresp != 0) fail("write refused");
            @(negedge clock);
        end
    endtask

    task read(input [15:0] address, output [31:0] value);
        begin
            @(negedge clock) araddr = address; arvalid = 1;
            while (!arready) @(negedge clock);
            @(negedge clock) arvalid = 0;
            while (!rvalid) @(negedge clock);
            if (rresp != 0) fail("read refused");
            value = rdata;
            @(negedge clock);
        end
    endtask

    // A record: 100 Gb/s, time in ns, bytes / 128, queue bytes / 80.
    function [63:0] hop(input [23:0] ns, input [19:0] sent, input [16:0] queue);
        hop = {queue, sent, ns, 3'd2};
    endfunction

    task send_ack(input [23:0] psn, input [63:0] record);
        begin
            @(negedge clock);
            //     records 4..1, 0      -      path   hops  tel   snd_nxt     psn  flow
            ack = {256'd0, record, 16'd0, 12'd7, 3'd1, 1'b1, psn + 24'd4, psn, 16'd3};
            ack_valid = 1;
            while (!ack_ready) @(negedge clock);
            @(negedge clock) ack_valid = 0;
        end
    endtask

    // The last result, and how many there were; it may come before its event is taken.
    reg [255:0] last;
    integer     results = 0, awaited = 0;
    always @(posedge clock) if (rate_valid) begin
        last = rate;
        results = results + 1;
    end

    // Window in bytes and rate in 2^-24 bytes a cycle of the next result.
    reg [31:0] window;
    task result;
        begin
            awaited = awaited + 1;
            while (results < awaited) @(negedge clock);
            if (results > awaited) fail("more results than events");
            window = last[63:32];
            $display("flow %0d: window %0d bytes, rate %0d.%03d bytes a cycle", last[15:0], window,
                     last[95:88], (last[87:64] * 64'd1000) >> 24);
        end
    endtask

    reg [31:0] value;
    initial begin
        repeat (4) @(negedge clock);
        reset = 0;
        read(16'h000, value);
        if (value != 32'h524e4343) fail("this is not the CC core");
        write(16'h054, 3);
        read(16'h054, value);
        if (value != 3) fail("CC_MAX_STAGE");
        @(negedge clock);
        //      rate 8.0      window     -     telemetry  create  flow
        flow = {32'h0800_0000, 32'd5000, 13'd0, 1'b1, 2'd1, 16'd3};
        flow_valid = 1;
        while (!flow_ready) @(negedge clock);
        @(negedge clock) flow_valid = 0;
        result;
        if (window != 5000) fail("window of a new flow");
        send_ack(10, hop(1000, 100, 100));
        result;
        if (window != 5000) fail("the first record is only stored");
        send_ack(15, hop(6000, 600, 100));
        result;
        if (window != 4127) fail("a queue makes the window smaller");
        $display("PASS");
        $finish;
    end

    initial #100000 fail("nothing came in 100 us");
endmodule
