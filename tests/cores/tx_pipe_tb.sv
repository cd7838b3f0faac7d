// SPDX-License-Identifier: MIT OR Apache-2.0
// A test bench to start from: a queue pair's row, a WRITE of 8 bytes and its payload go in; the
// frame that comes out is compared byte by byte.
//
//   nic emit --core tx -o rtl
//   iverilog -g2012 -o tb rtl/*.v rtl/tx_pipe_tb.sv && vvp -n tb
`timescale 1ns / 1ps

module tx_pipe_tb;
    localparam BEAT_BYTES = 8;
    reg clock = 0;
    reg reset = 1;
    always #4 clock = !clock;

    // A WRITE ONLY of 8 bytes from 10.0.0.1 to 10.0.0.2, first byte first; the ICRC is CRC-32 of
    // what annex A17 of InfiniBand has covered.
    localparam FRAME_BYTES = 82;
    localparam [8*FRAME_BYTES-1:0] FRAME = {
        112'h020000000002_020000000001_0800,            // Ethernet
        160'h4528_0044_0000_4000_4011_267f_0a000001_0a000002, // IPv4, DSCP 10
        64'hc001_12b7_0030_0000,                        // UDP to 4791
        96'h0a00ffff_00010203_80445566,                 // BTH: WRITE ONLY, QPN, AckReq, PSN
        128'h0000000000012340_00000100_00000008,        // RETH: address, rkey, length
        64'h3132333435363738,                           // payload
        32'h31bd4a9a                                    // ICRC
    };

    reg         cfg_valid = 0, pkt_valid = 0, data_valid = 0;
    wire        cfg_ready, pkt_ready, data_ready, tvalid, tlast;
    wire [8*BEAT_BYTES-1:0] tdata;
    wire [BEAT_BYTES-1:0] tkeep;

    // Row of the queue pair. Words 5 to 3: UDP port, MAC, IP of the peer; 2: its QPN; 0: DSCP.
    localparam [511:0] ROW = {
        320'd0, 16'hc001, 48'h020000000002, 32'h0a000002, 32'h00010203, 32'd0, 32'h000a_0001
    };

    // What stays unconnected belongs to streams that are never valid.
    tx_pipe dut (
        .clock(clock), .reset(reset),
        .cfg_local_mac(48'h020000000001), .cfg_local_ip(32'h0a000001), .cfg_pkey(16'hffff),
        .cfg_ttl(8'd64), .cfg_tel_data(3'd0), .cfg_tel_echo(2'd0), .cfg_tel_port(16'd0),
        .cfg_tel_time_binary(1'b0), .cfg_tel_dscp(6'h13), .cfg_tel_echo_dscp(6'h17),
        .cfg_by_time(1'b0),
        .s_cfg_valid(cfg_valid), .s_cfg_ready(cfg_ready), .cfg_table(2'd0), .cfg_index(16'd3),
        .cfg_row(ROW),
        .s_pkt_valid(pkt_valid), .s_pkt_ready(pkt_ready), .s_pkt_flow(7'd3), .s_pkt_opcode(8'h0a),
        .s_pkt_psn(24'h445566), .s_pkt_ack_req(1'b1), .s_pkt_solicited(1'b0),
        .s_pkt_payload_bytes(13'd8), .s_pkt_va(64'h12340), .s_pkt_rkey(32'h100),
        .s_pkt_dma_len(32'd8), .s_pkt_imm(32'd0), .s_pkt_syndrome(8'd0), .s_pkt_msn(24'd0),
        .s_pkt_mark(4'd0), .s_pkt_bare(1'b0),
        .s_ack_valid(1'b0), .s_feedback_valid(1'b0),
        .s_data_tdata({8*BEAT_BYTES{1'b0}} | 64'h3837363534333231),
        .s_data_tkeep({BEAT_BYTES{1'b0}} | 8'hff), .s_data_tvalid(data_valid),
        .s_data_tready(data_ready), .s_data_tlast(1'b1), .s_data_tuser(1'b0),
        .s_host_tdata({8*BEAT_BYTES{1'b0}}), .s_host_tkeep({BEAT_BYTES{1'b0}}), .s_host_tvalid(1'b0), .s_host_tlast(1'b0),
        .m_axis_tdata(tdata), .m_axis_tkeep(tkeep), .m_axis_tvalid(tvalid), .m_axis_tready(1'b1),
        .m_axis_tlast(tlast), .m_fail_ready(1'b1)
    );

    task fail(input [8*40-1:0] what);
        $fatal(1, "%0s", what);
    endtask

    integer bytes = 0, frames = 0, lane;
    always @(posedge clock) if (!reset && tvalid) begin
        for (lane = 0; lane < BEAT_BYTES; lane = lane + 1) if (tkeep[lane]) begin
            if (bytes >= FRAME_BYTES) fail("the frame is too long");
            if (tdata[8*lane +: 8] !== FRAME[8*(FRAME_BYTES-1-bytes) +: 8]) begin
                $display("byte %0d is 0x%02x", bytes, tdata[8*lane +: 8]);
                fail("a byte of the frame differs");
            end
            bytes = bytes + 1;
        end
        frames = frames + tlast;
    end

    initial begin
        repeat (4) @(negedge clock);
        reset = 0;
        @(negedge clock) cfg_valid = 1;
        while (!cfg_ready) @(negedge clock);
        @(negedge clock) cfg_valid = 0;
        pkt_valid = 1;
        while (!pkt_ready) @(negedge clock);
        @(negedge clock) pkt_valid = 0;
        data_valid = 1;
        while (!data_ready) @(negedge clock);
        @(negedge clock) data_valid = 0;
        while (frames == 0) @(negedge clock);
        repeat (100) @(negedge clock);
        $display("%0d frame of %0d bytes", frames, bytes);
        if (frames != 1 || bytes != FRAME_BYTES) fail("length of the frame");
        $display("PASS");
        $finish;
    end

    initial #100000 fail("no frame in 100 us");
endmodule
