// SPDX-License-Identifier: MIT OR Apache-2.0
// A test bench to start from: the NIC's line leads back to itself, and a queue pair that is its own
// peer WRITEs 1500 bytes from one place in host memory to another, in two packets. Both go through
// transmit pipe, line and receive pipe, and their ACK comes back the same way.
//
//   nic emit -o rtl
//   iverilog -g2012 -s nic_tb -o tb rtl/*.v rtl/nic_tb.sv && vvp -n tb
`timescale 1ns / 1ps

module nic_tb;
    localparam BEAT_BYTES = 8;
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
    // AXI4
    wire [63:0] m_awaddr, m_araddr;
    wire [7:0]  m_awlen, m_arlen;
    wire [8*BEAT_BYTES-1:0] m_wdata;
    wire [BEAT_BYTES-1:0] m_wstrb;
    wire        m_awvalid, m_wlast, m_wvalid, m_bready, m_arvalid, m_rready;
    // line
    wire [8*BEAT_BYTES-1:0] line_tdata;
    wire [BEAT_BYTES-1:0] line_tkeep;
    wire        line_tvalid, line_tready, line_tlast;

    // Host memory: one burst to write and one to read at a time.
    localparam BYTES = 8192;
    reg [7:0]  memory [0:BYTES-1];
    reg [63:0] write_address, read_address;
    wire [8*BEAT_BYTES-1:0] read_data;
    reg        is_writing = 0, is_answering = 0, is_reading = 0;
    reg [7:0]  read_beats;
    integer    lane;
    genvar     at;
    wire [63:0] write_beat = write_address & ~(64'd0 + BEAT_BYTES - 1);
    wire [63:0] read_beat = read_address & ~(64'd0 + BEAT_BYTES - 1);

    always @(posedge clock) begin
        if (m_awvalid && !is_writing && !is_answering) begin
            is_writing <= 1;
            write_address <= m_awaddr;
        end
        if (is_writing && m_wvalid) begin
            for (lane = 0; lane < BEAT_BYTES; lane = lane + 1)
                if (m_wstrb[lane]) memory[write_beat + lane] <= m_wdata[8*lane +: 8];
            write_address <= write_beat + BEAT_BYTES;
            is_writing <= !m_wlast;
            is_answering <= m_wlast;
        end
        if (is_answering && m_bready) is_answering <= 0;
        if (m_arvalid && !is_reading) begin
            is_reading <= 1;
            read_address <= m_araddr;
            read_beats <= m_arlen;
        end
        if (is_reading && m_rready) begin
            read_address <= read_beat + BEAT_BYTES;
            read_beats <= read_beats - 1;
            is_reading <= read_beats != 0;
        end
    end

    generate
        for (at = 0; at < BEAT_BYTES; at = at + 1)
            assign read_data[8*at +: 8] = memory[read_beat[15:0] + at];
    endgenerate

    nic dut (
        .clock(clock), .reset(reset),
        .s_axil_awaddr(awaddr), .s_axil_awvalid(awvalid), .s_axil_awready(awready),
        .s_axil_wdata(wdata), .s_axil_wstrb(4'hf), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
        .s_axil_bvalid(bvalid), .s_axil_bresp(bresp), .s_axil_bready(1'b1),
        .s_axil_araddr(araddr), .s_axil_arvalid(arvalid), .s_axil_arready(arready),
        .s_axil_rvalid(rvalid), .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rready(1'b1),
        .m_axi_awaddr(m_awaddr), .m_axi_awlen(m_awlen), .m_axi_awvalid(m_awvalid),
        .m_axi_awready(!is_writing && !is_answering),
        .m_axi_wdata(m_wdata), .m_axi_wstrb(m_wstrb), .m_axi_wlast(m_wlast),
        .m_axi_wvalid(m_wvalid), .m_axi_wready(is_writing),
        .m_axi_bresp(2'd0), .m_axi_bvalid(is_answering), .m_axi_bready(m_bready),
        .m_axi_araddr(m_araddr), .m_axi_arlen(m_arlen), .m_axi_arvalid(m_arvalid),
        .m_axi_arready(!is_reading),
        .m_axi_rdata(read_data), .m_axi_rresp(2'd0), .m_axi_rlast(read_beats == 0),
        .m_axi_rvalid(is_reading), .m_axi_rready(m_rready),
        .m_axis_tx_tdata(line_tdata), .m_axis_tx_tkeep(line_tkeep), .m_axis_tx_tvalid(line_tvalid),
        .m_axis_tx_tready(line_tready), .m_axis_tx_tlast(line_tlast),
        .s_axis_rx_tdata(line_tdata), .s_axis_rx_tkeep(line_tkeep), .s_axis_rx_tvalid(line_tvalid),
        .s_axis_rx_tready(line_tready), .s_axis_rx_tlast(line_tlast), .s_axis_rx_tuser(1'b0),
        .m_axis_host_tready(1'b1),
        .s_axis_host_tdata({8*BEAT_BYTES{1'b0}}), .s_axis_host_tkeep({BEAT_BYTES{1'b0}}),
        .s_axis_host_tvalid(1'b0), .s_axis_host_tlast(1'b0)
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

    // Writes a row of table 0 queue pairs, 1 regions, 2 work requests.
    integer word;
    task commit(input [1:0] which, input [15:0] index, input [511:0] row);
        begin
            for (word = 0; word < 16; word = word + 1) write(16'h100 + 4 * word, row[32*word +: 32]);
            write(16'h010, {14'd0, which, index});
            value = 1;
            while (value[0]) read(16'h014, value);
            if (value != 0) fail("row refused");
        end
    endtask

    localparam [47:0] MAC = 48'h02_00_00_00_00_01;
    localparam [31:0] IP = 32'h0a_00_00_01;
    localparam [31:0] RKEY = 32'h0000_0100;
    localparam LENGTH = 1500, FROM = 259, TO = 4099;

    // The bytes that are written, none of them 0 at either end.
    function [7:0] pattern(input integer n);
        pattern = 7 * n + n / 256 + 1;
    endfunction

    integer i;
    reg [31:0] value;
    reg [7:0] expected;
    initial begin
        for (i = 0; i < BYTES; i = i + 1) memory[i] = 0;
        for (i = 0; i < LENGTH; i = i + 1) memory[FROM + i] = pattern(i);
        repeat (4) @(negedge clock);
        reset = 0;
        read(16'h000, value);
        if (value != 32'h524e4943) fail("this is not the NIC");
        write(16'h020, MAC[31:0]);
        write(16'h024, MAC[47:32]);
        write(16'h028, IP);
        // Queue pair 1. Words 10, 9, 8: READs at a time, rate (8 bytes a cycle), window; 7, 6: PSNs
        // sent and expected; 5 to 3: UDP port, MAC, IP; 2, 1: QPNs; 0: MTU 1024, the peer may write.
        commit(0, 1, {160'd0, 32'h0000_0100, 32'h0800_0000, 32'd65536, 32'd1000, 32'd1000,
                      16'hc001, MAC, IP, 32'd1, 32'd1, 32'h0000_0025});
        // A region: 4 KiB at 4096 in host memory, which the peer calls 0x10000.
        commit(1, 1, {256'd0, 64'd4096, 64'd4096, 64'h1_0000, RKEY, 32'h0000_0003});
        // A WRITE, with a completion.
        commit(2, 1, {224'd0, 64'h1_0000 + TO - 64'd4096, RKEY, 32'd0 + LENGTH, 64'd0 + FROM,
                      32'd77, 32'h0000_0004});
        value = 0;
        while (value == 0) read(16'h018, value);
        read(16'h0f0, value);
        if (value != 77) fail("the completion is of another work request");
        read(16'h0f8, value);
        if (value != LENGTH) fail("the completion tells another length");
        read(16'h0fc, value);
        if (value[14:0] != 0) fail("the completion tells an error");
        for (i = 0; i < BYTES; i = i + 1) begin
            expected = 0;
            if (i >= FROM && i < FROM + LENGTH) expected = pattern(i - FROM);
            if (i >= TO && i < TO + LENGTH) expected = pattern(i - TO);
            if (memory[i] !== expected) fail("host memory is not what was written");
        end
        read(16'h280, value);
        $display("%0d data packets sent", value);
        if (value != 2) fail("1500 bytes are two packets");
        $display("%0d bytes written", LENGTH);
        $display("PASS");
        $finish;
    end

    initial #200000 fail("not done after 200 us");
endmodule
