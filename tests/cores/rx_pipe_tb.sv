// SPDX-License-Identifier: MIT OR Apache-2.0
// A test bench to start from: a frame with a WRITE request becomes a record and its payload,
// the same frame with a wrong bit is dropped and counted, and one that is not RoCEv2 goes to the
// host's own stack.
//
//   nic emit --core rx -o rtl
//   iverilog -g2012 -o tb rtl/*.v rtl/rx_pipe_tb.sv && vvp -n tb
`timescale 1ns / 1ps

module rx_pipe_tb;
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

    reg  [8*BEAT_BYTES-1:0] tdata = 0;
    reg  [BEAT_BYTES-1:0] tkeep = 0;
    reg         tvalid = 0, tlast = 0;
    wire        tready;
    wire [8*BEAT_BYTES-1:0] host_tdata, payload_tdata;
    wire [BEAT_BYTES-1:0] host_tkeep, payload_tkeep;
    wire        host_tvalid, host_tlast, payload_tvalid, payload_tlast;
    wire        req_valid, req_ack_req, req_tel_valid, ack_valid, event_rx_req, event_rx_drop_icrc;
    wire [23:0] req_qpn, req_psn;
    wire [7:0]  req_opcode;
    wire [12:0] req_payload_bytes;
    wire [63:0] req_va;
    wire [31:0] req_rkey, req_dma_len, req_src_ip;

    rx_pipe dut (
        .clock(clock), .reset(reset),
        .cfg_local_mac(48'h020000000002), .cfg_local_ip(32'h0a000002), .cfg_pkey(16'hffff),
        .cfg_tel_format(3'd0), .cfg_tel_port(16'd0), .cfg_tel_time_binary(1'b0),
        .cfg_tel_dscp(6'h13), .cfg_tel_echo_dscp(6'h17), .cfg_tel_queue_bytes(1'b0),
        .cfg_tel_rates(24'd0),
        .s_axis_tdata(tdata), .s_axis_tkeep(tkeep), .s_axis_tvalid(tvalid), .s_axis_tready(tready),
        .s_axis_tlast(tlast), .s_axis_tuser(1'b0),
        .m_host_tdata(host_tdata), .m_host_tkeep(host_tkeep), .m_host_tvalid(host_tvalid),
        .m_host_tready(1'b1), .m_host_tlast(host_tlast),
        .m_payload_tdata(payload_tdata), .m_payload_tkeep(payload_tkeep),
        .m_payload_tvalid(payload_tvalid), .m_payload_tready(1'b1), .m_payload_tlast(payload_tlast),
        .m_response_tready(1'b1), .m_ack_valid(ack_valid), .m_ack_ready(1'b1),
        .m_feedback_ready(1'b1),
        .m_req_valid(req_valid), .m_req_ready(1'b1), .m_req_qpn(req_qpn),
        .m_req_opcode(req_opcode), .m_req_psn(req_psn), .m_req_ack_req(req_ack_req),
        .m_req_payload_bytes(req_payload_bytes), .m_req_va(req_va), .m_req_rkey(req_rkey),
        .m_req_dma_len(req_dma_len), .m_req_src_ip(req_src_ip), .m_req_tel_valid(req_tel_valid),
        .event_rx_req(event_rx_req), .event_rx_drop_icrc(event_rx_drop_icrc)
    );

    task fail(input [8*40-1:0] what);
        $fatal(1, "%0s", what);
    endtask

    // What came out, counted at the clock edge.
    integer requests = 0, payloads = 0, host_frames = 0, host_bytes = 0, drops = 0, acks = 0;
    integer lane;
    reg [8*FRAME_BYTES-1:0] host_frame = 0;
    always @(posedge clock) if (!reset) begin
        acks = acks + ack_valid;
        drops = drops + event_rx_drop_icrc;
        if (req_valid) begin
            requests = requests + 1;
            if (req_opcode != 8'h0a || req_qpn != 24'h010203 || req_psn != 24'h445566)
                fail("BTH");
            if (req_va != 64'h12340 || req_rkey != 32'h100 || req_dma_len != 8) fail("RETH");
            if (!req_ack_req || req_payload_bytes != 8 || req_src_ip != 32'h0a000001)
                fail("AckReq, length or address");
            if (req_tel_valid) fail("there is no telemetry");
        end
        if (payload_tvalid) begin
            payloads = payloads + 1;
            if (payload_tdata[63:0] != 64'h3837363534333231) fail("payload");
            if (payload_tkeep != 8'hff || !payload_tlast) fail("payload's end");
        end
        if (host_tvalid) begin
            for (lane = 0; lane < BEAT_BYTES; lane = lane + 1) if (host_tkeep[lane]) begin
                host_frame = {host_frame, host_tdata[8*lane +: 8]};
                host_bytes = host_bytes + 1;
            end
            host_frames = host_frames + host_tlast;
        end
    end

    integer at, n;
    task send(input [8*FRAME_BYTES-1:0] frame);
        begin
            for (at = 0; at < FRAME_BYTES; at = at + BEAT_BYTES) begin
                @(negedge clock);
                for (n = 0; n < BEAT_BYTES; n = n + 1) begin
                    tkeep[n] = at + n < FRAME_BYTES;
                    tdata[8*n +: 8] = tkeep[n] ? frame[8*(FRAME_BYTES-1-at-n) +: 8] : 8'd0;
                end
                tlast = at + BEAT_BYTES >= FRAME_BYTES;
                tvalid = 1;
                while (!tready) @(negedge clock);
            end
            @(negedge clock) tvalid = 0;
            repeat (60) @(negedge clock);
        end
    endtask

    // The same frame as ARP has it: its type is another.
    localparam [8*FRAME_BYTES-1:0] ARP = FRAME ^ (656'h0806 ^ 656'h0800) << 8*(FRAME_BYTES-14);

    initial begin
        repeat (4) @(negedge clock);
        reset = 0;
        send(FRAME);
        $display("%0d request, %0d beat of payload", requests, payloads);
        if (requests != 1 || payloads != 1 || drops != 0) fail("the request did not come once");
        send(FRAME ^ 656'h1 << 40);
        $display("%0d frame with a wrong ICRC", drops);
        if (requests != 1 || payloads != 1 || drops != 1) fail("the wrong bit was not found");
        if (host_frames != 0) fail("a RoCEv2 frame went to the host");
        send(ARP);
        $display("%0d frame for the host", host_frames);
        if (host_frames != 1 || host_bytes != FRAME_BYTES || host_frame != ARP)
            fail("the host's frame");
        if (requests != 1 || acks != 0) fail("a frame for the host is no request");
        $display("PASS");
        $finish;
    end

    initial #100000 fail("not done after 100 us");
endmodule
