// SPDX-License-Identifier: MIT OR Apache-2.0
// A test bench to start from: creates two flows by registers, at 6 and 2 bytes a cycle of a line
// of 8, lets each ask for a packet of 1000 bytes as soon as the last one was granted, and counts
// the packets in 1 ms.
//
//   nic emit --core sched -o rtl
//   iverilog -g2012 -s sched_core_tb -o tb rtl/*.v rtl/sched_core_tb.sv && vvp -n tb
`timescale 1ns / 1ps

module sched_core_tb;
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
    reg  [95:0] work = 0;
    reg         work_valid = 0, grant_ready = 0;
    wire        work_ready, rate_ready, grant_valid;
    wire [15:0] grant;

    sched_core dut (
        .clock(clock), .reset(reset),
        .s_axil_awaddr(awaddr), .s_axil_awprot(3'd0), .s_axil_awvalid(awvalid),
        .s_axil_awready(awready),
        .s_axil_wdata(wdata), .s_axil_wstrb(4'hf), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
        .s_axil_bvalid(bvalid), .s_axil_bresp(bresp), .s_axil_bready(1'b1),
        .s_axil_araddr(araddr), .s_axil_arprot(3'd0), .s_axil_arvalid(arvalid),
        .s_axil_arready(arready),
        .s_axil_rvalid(rvalid), .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rready(1'b1),
        .s_axis_work_tvalid(work_valid), .s_axis_work_tready(work_ready), .s_axis_work_tdata(work),
        .s_axis_rate_tvalid(1'b0), .s_axis_rate_tready(rate_ready), .s_axis_rate_tdata(96'd0),
        .m_axis_grant_tvalid(grant_valid), .m_axis_grant_tready(grant_ready),
        .m_axis_grant_tdata(grant)
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

    // Creates a flow: window 1 MB, rate in bytes a cycle.
    task create(input [15:0] flow, input [7:0] rate);
        begin
            write(16'h020, 32'd1000000);
            write(16'h024, {rate, 24'd0});
            write(16'h028, {14'd0, 2'd1, flow});
        end
    endtask

    // A packet of 1000 bytes, one frame, is waiting; nothing is in flight.
    task arm(input [15:0] flow);
        begin
            work = {25'd0, 7'd1, 32'd0, 2'd0, 14'd1000, flow};
            work_valid = 1;
            while (!work_ready) @(negedge clock);
            @(negedge clock) work_valid = 0;
        end
    endtask

    integer packets [0:1];
    integer cycle = 0;
    integer start;
    reg [15:0] flow;
    reg [31:0] value;
    always @(posedge clock) cycle = cycle + 1;

    initial begin
        packets[0] = 0;
        packets[1] = 0;
        repeat (4) @(negedge clock);
        reset = 0;
        read(16'h000, value);
        if (value != 32'h524e5343) fail("this is not the scheduler core");
        // The rows of the flows are cleared, one a cycle.
        read(16'h008, value);
        repeat ((1 << value[7:4]) + 100) @(negedge clock);
        create(0, 6);
        create(1, 2);
        arm(0);
        arm(1);
        start = cycle;
        while (cycle < start + 250000) begin
            while (!grant_valid) @(negedge clock);
            flow = grant;
            grant_ready = 1;
            @(negedge clock) grant_ready = 0;
            // The first millisecond is for the start.
            if (cycle >= start + 125000) packets[flow[0]] = packets[flow[0]] + 1;
            arm(flow);
        end
        $display("flow 0: %0d packets in 1 ms, 750 asked", packets[0]);
        $display("flow 1: %0d packets in 1 ms, 250 asked", packets[1]);
        if (packets[0] < 742 || packets[0] > 758) fail("flow 0 is off by more than 1 %");
        if (packets[1] < 247 || packets[1] > 253) fail("flow 1 is off by more than 1 %");
        $display("PASS");
        $finish;
    end

    initial #10000000 fail("not done after 10 ms");
endmodule
