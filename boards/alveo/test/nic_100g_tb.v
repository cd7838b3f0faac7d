// SPDX-License-Identifier: MIT OR Apache-2.0
// The whole of nic_100g, the CMAC's TX stream leading back to its RX stream: queue pairs that are
// their own peers WRITE from one place in host memory to another, from submission rings there. Host
// memory is a bridge's: it answers after 1.5 us, and more reads outstanding than it allows are a
// failure. READS_MAX is set to what it allows, or to +reads_max=N. Prints PASS or the first
// difference.
`timescale 1ps / 1ps
`default_nettype none

module nic_100g_tb;
    // The bridge.
    localparam LATENCY_CYCLES = 375, OUTSTANDING_MAX = 32;

    reg aclk = 0, cmac_clk = 0, aresetn = 0;
    always #2000 aclk = !aclk;
    initial forever begin
        #1551 cmac_clk = !cmac_clk;
        #1552 cmac_clk = !cmac_clk;
    end

    task fail(input [8*60-1:0] what);
        begin
            $display("FAIL: %0s", what);
            $finish;
        end
    endtask

    // AXI4-Lite
    reg  [15:0] awaddr = 0, araddr = 0;
    reg  [31:0] wdata = 0;
    reg         awvalid = 0, wvalid = 0, arvalid = 0;
    wire        awready, wready, bvalid, arready, rvalid;
    wire [1:0]  bresp, rresp;
    wire [31:0] rdata;
    // AXI4
    wire [3:0]   m_awid, m_arid;
    wire [63:0]  m_awaddr, m_araddr, m_wstrb;
    wire [7:0]   m_awlen, m_arlen;
    wire [2:0]   m_awsize, m_arsize;
    wire [1:0]   m_awburst, m_arburst;
    wire [511:0] m_wdata;
    wire         m_awvalid, m_wlast, m_wvalid, m_bready, m_arvalid, m_rready;
    // The line
    wire [511:0] tx_data;
    wire [63:0]  tx_keep;
    wire         tx_valid, tx_last, tx_user;
    reg          tx_ready = 0;
    wire [31:0]  lost_frames;

    // Host memory: commands wait in rings, and are done in order.
    localparam BYTES = 1 << 17, RING = 256;
    reg [7:0]    memory [0:BYTES-1];
    reg [63:0]   read_address [0:RING-1], write_address [0:RING-1];
    reg [7:0]    read_beats [0:RING-1];
    time         read_due [0:RING-1], write_due [0:RING-1];
    integer      read_head = 0, read_tail = 0, outstanding_most = 0;
    integer      write_head = 0, write_tail = 0, answer_tail = 0;
    reg          m_bvalid = 0, m_rvalid = 0, m_rlast = 0;
    reg  [511:0] m_rdata;
    integer      beat = 0, write_beat = 0, lane, from;

    always @(posedge aclk) begin
        if (m_awvalid) begin
            write_address[write_head % RING] = m_awaddr;
            write_head = write_head + 1;
            if (m_awid != 0 || m_awsize != 6 || m_awburst != 1) fail("a write of another kind");
        end
        if (m_wvalid && write_tail != write_head) begin
            from = (write_address[write_tail % RING] & ~64'd63) + 64 * write_beat;
            for (lane = 0; lane < 64; lane = lane + 1)
                if (m_wstrb[lane]) memory[from + lane] = m_wdata[8*lane +: 8];
            write_beat = m_wlast ? 0 : write_beat + 1;
            if (m_wlast) begin
                write_due[write_tail % RING] = $time + LATENCY_CYCLES * 4000;
                write_tail = write_tail + 1;
            end
        end
        if (m_bvalid && m_bready) answer_tail = answer_tail + 1;
        m_bvalid <= answer_tail != write_tail && $time >= write_due[answer_tail % RING];

        if (m_rvalid && m_rready) begin
            beat = m_rlast ? 0 : beat + 1;
            if (m_rlast) read_tail = read_tail + 1;
        end
        if (m_arvalid) begin
            read_address[read_head % RING] = m_araddr;
            read_beats[read_head % RING] = m_arlen;
            read_due[read_head % RING] = $time + LATENCY_CYCLES * 4000;
            read_head = read_head + 1;
            if (m_arid != 0 || m_arsize != 6 || m_arburst != 1) fail("a read of another kind");
            if (read_head - read_tail > outstanding_most) outstanding_most = read_head - read_tail;
            if (outstanding_most > OUTSTANDING_MAX) fail("more reads than the bridge allows");
        end
        m_rvalid <= read_tail != read_head && $time >= read_due[read_tail % RING];
        m_rlast <= beat == read_beats[read_tail % RING];
        from = (read_address[read_tail % RING] & ~64'd63) + 64 * beat;
        for (lane = 0; lane < 64; lane = lane + 1) m_rdata[8*lane +: 8] <= memory[from + lane];
    end
    // W waits for its AW.
    reg is_writing = 0;
    always @(negedge aclk) is_writing <= write_tail != write_head;

    // The CMAC: a beat of a frame waits now and then, and none may come with a gap.
    reg is_inside = 0;
    always @(posedge cmac_clk) begin
        tx_ready <= ($random & 7) != 0;
        if (is_inside && !tx_valid) fail("a gap inside a frame");
        if (tx_valid && tx_ready) is_inside <= !tx_last;
    end

    nic_100g dut (
        .aclk(aclk), .aresetn(aresetn),
        .s_axil_awaddr(awaddr), .s_axil_awprot(3'd0), .s_axil_awvalid(awvalid),
        .s_axil_awready(awready),
        .s_axil_wdata(wdata), .s_axil_wstrb(4'hf), .s_axil_wvalid(wvalid), .s_axil_wready(wready),
        .s_axil_bvalid(bvalid), .s_axil_bresp(bresp), .s_axil_bready(1'b1),
        .s_axil_araddr(araddr), .s_axil_arprot(3'd0), .s_axil_arvalid(arvalid),
        .s_axil_arready(arready),
        .s_axil_rvalid(rvalid), .s_axil_rdata(rdata), .s_axil_rresp(rresp), .s_axil_rready(1'b1),
        .m_axi_awid(m_awid), .m_axi_awaddr(m_awaddr), .m_axi_awlen(m_awlen),
        .m_axi_awsize(m_awsize), .m_axi_awburst(m_awburst), .m_axi_awvalid(m_awvalid),
        .m_axi_awready(1'b1),
        .m_axi_wdata(m_wdata), .m_axi_wstrb(m_wstrb), .m_axi_wlast(m_wlast),
        .m_axi_wvalid(m_wvalid), .m_axi_wready(is_writing),
        .m_axi_bid(4'd0), .m_axi_bresp(2'd0), .m_axi_bvalid(m_bvalid), .m_axi_bready(m_bready),
        .m_axi_arid(m_arid), .m_axi_araddr(m_araddr), .m_axi_arlen(m_arlen),
        .m_axi_arsize(m_arsize), .m_axi_arburst(m_arburst), .m_axi_arvalid(m_arvalid),
        .m_axi_arready(1'b1),
        .m_axi_rid(4'd0), .m_axi_rdata(m_rdata), .m_axi_rresp(2'd0), .m_axi_rlast(m_rlast),
        .m_axi_rvalid(m_rvalid), .m_axi_rready(m_rready),
        .m_axis_host_tready(1'b1), .s_axis_host_tdata(512'd0), .s_axis_host_tkeep(64'd0),
        .s_axis_host_tvalid(1'b0), .s_axis_host_tlast(1'b0),
        .cmac_clk(cmac_clk), .usr_tx_reset(1'b0), .usr_rx_reset(1'b0),
        .tx_axis_tdata(tx_data), .tx_axis_tkeep(tx_keep), .tx_axis_tvalid(tx_valid),
        .tx_axis_tready(tx_ready), .tx_axis_tlast(tx_last), .tx_axis_tuser(tx_user),
        .rx_axis_tdata(tx_data), .rx_axis_tkeep(tx_keep), .rx_axis_tvalid(tx_valid && tx_ready),
        .rx_axis_tlast(tx_last), .rx_axis_tuser(tx_user), .rx_lost_frames(lost_frames)
    );

    task write(input [15:0] address, input [31:0] value);
        begin
            @(negedge aclk) awaddr = address; wdata = value; awvalid = 1; wvalid = 1;
            while (!awready) @(negedge aclk);
            @(negedge aclk) awvalid = 0; wvalid = 0;
            while (!bvalid) @(negedge aclk);
            if (bresp != 0) fail("write refused");
            @(negedge aclk);
        end
    endtask

    task read(input [15:0] address, output [31:0] value);
        begin
            @(negedge aclk) araddr = address; arvalid = 1;
            while (!arready) @(negedge aclk);
            @(negedge aclk) arvalid = 0;
            while (!rvalid) @(negedge aclk);
            if (rresp != 0) fail("read refused");
            value = rdata;
            @(negedge aclk);
        end
    endtask

    // Writes a row of table 0 queue pairs, 1 regions, 2 work requests.
    integer word;
    task commit(input [1:0] which, input [15:0] index, input [511:0] row);
        begin
            for (word = 0; word < 16; word = word + 1)
                write(16'h100 + 4 * word, row[32*word +: 32]);
            write(16'h010, {14'd0, which, index});
            value = 1;
            while (value[0]) read(16'h014, value);
            if (value != 0) fail("row refused");
        end
    endtask

    localparam [47:0] MAC = 48'h02_00_00_00_00_01;
    localparam [31:0] IP = 32'h0a_00_00_01;
    localparam [31:0] RKEY = 32'h0000_0100;
    // Message n is of queue pair n / DEPTH + 1, and goes from FROM + n * LENGTH to TO + n * LENGTH.
    // A queue pair's ring has DEPTH entries; the NIC reads those of all at once.
    localparam QPS = 8, DEPTH = 8, MESSAGES = QPS * DEPTH, LENGTH = 301;
    localparam FROM = 4355, TO = 65603;

    // The bytes that are written, none of them 0 at either end.
    function [7:0] pattern(input integer n);
        pattern = 7 * n + n / 256 + 1;
    endfunction

    integer i, n, reads_max;
    reg [31:0]  value;
    reg [7:0]   expected;
    reg [63:0]  ring;
    reg [511:0] row;
    initial begin
        if (!$value$plusargs("reads_max=%d", reads_max)) reads_max = OUTSTANDING_MAX;
        for (i = 0; i < BYTES; i = i + 1) memory[i] = 0;
        for (i = 0; i < MESSAGES * LENGTH; i = i + 1) memory[FROM + i] = pattern(i);
        // WRITEs, with a completion each.
        for (n = 0; n < MESSAGES; n = n + 1) begin
            row = {224'd0, 64'd0 + TO + n * LENGTH, RKEY, 32'd0 + LENGTH, 64'd0 + FROM + n * LENGTH,
                   n, 32'h0000_0004};
            for (i = 0; i < 64; i = i + 1) memory[64 * n + i] = row[8*i +: 8];
        end
        repeat (4) @(negedge aclk);
        aresetn = 1;
        repeat (20) @(negedge aclk);
        read(16'h000, value);
        if (value != 32'h524e4943) fail("this is not the NIC");
        write(16'h0c0, reads_max);
        write(16'h020, MAC[31:0]);
        write(16'h024, MAC[47:32]);
        write(16'h028, IP);
        // A region: 64 KiB at 65536 in host memory, which the peer calls 0x10000.
        commit(1, 1, {256'd0, 64'h1_0000, 64'h1_0000, 64'h1_0000, RKEY, 32'h0000_0003});
        // Queue pairs. Words 13 to 11: the ring; 10, 9, 8: READs at a time, rate (64 bytes a
        // cycle), window; 7, 6: PSNs sent and expected; 5 to 3: UDP port, MAC, IP; 2, 1: QPNs;
        // 0: MTU 256, the peer may write.
        for (n = 1; n <= QPS; n = n + 1) begin
            ring = 64 * DEPTH * (n - 1);
            commit(0, n, {64'd0, ring, 32'd3, 32'h0000_0100, 32'h4000_0000, 32'd65536, 32'd1000,
                          32'd1000, 16'hc001, MAC, IP, n, n, 32'h0000_0005});
        end
        // Doorbells.
        for (n = 1; n <= QPS; n = n + 1) write(16'h0a0, DEPTH << 16 | n);
        for (n = 0; n < MESSAGES; n = n + 1) begin
            value = 0;
            while (value == 0) read(16'h018, value);
            read(16'h0f8, value);
            if (value != LENGTH) fail("the completion tells another length");
            read(16'h0fc, value);
            if (value[14:0] != 0) fail("the completion tells an error");
            write(16'h01c, 1);
        end
        for (i = 64 * MESSAGES; i < BYTES; i = i + 1) begin
            expected = 0;
            if (i >= FROM && i < FROM + MESSAGES * LENGTH) expected = pattern(i - FROM);
            if (i >= TO && i < TO + MESSAGES * LENGTH) expected = pattern(i - TO);
            if (memory[i] !== expected) fail("host memory is not what was written");
        end
        read(16'h280, value);
        $display("%0d data packets, %0d reads at a time, %0d us", value, outstanding_most,
                 $time / 1_000_000);
        if (value != 2 * MESSAGES) fail("a message is two packets");
        if (lost_frames != 0) fail("frames were lost");
        if (outstanding_most != OUTSTANDING_MAX) fail("the bridge's limit was not reached");
        $display("PASS");
        $finish;
    end

    initial #400_000_000 fail("not done after 400 us");
endmodule
