// SPDX-License-Identifier: MIT OR Apache-2.0
// Host memory in block RAM: an AXI4 slave (INCR bursts, 64 bit, no IDs) for the NIC's DMA on one
// port, a word port for the UART bridge on the other. Addresses outside get DECERR.
`default_nettype none

module host_ram #(
    parameter AW = 13
) (
    input  wire        clock,
    input  wire        reset,
    input  wire [63:0] s_axi_awaddr,
    input  wire [7:0]  s_axi_awlen,
    input  wire        s_axi_awvalid,
    output wire        s_axi_awready,
    input  wire [63:0] s_axi_wdata,
    input  wire [7:0]  s_axi_wstrb,
    input  wire        s_axi_wlast,
    input  wire        s_axi_wvalid,
    output wire        s_axi_wready,
    output wire [1:0]  s_axi_bresp,
    output wire        s_axi_bvalid,
    input  wire        s_axi_bready,
    input  wire [63:0] s_axi_araddr,
    input  wire [7:0]  s_axi_arlen,
    input  wire        s_axi_arvalid,
    output wire        s_axi_arready,
    output wire [63:0] s_axi_rdata,
    output wire [1:0]  s_axi_rresp,
    output wire        s_axi_rlast,
    output wire        s_axi_rvalid,
    input  wire        s_axi_rready,
    input  wire        word_write,
    input  wire [AW-1:0] word_index,
    input  wire [63:0] word_wdata,
    output reg  [63:0] word_rdata
);

    localparam [1:0] IDLE = 2'd0, WRITE = 2'd1, RESPOND = 2'd2, READ = 2'd3;

    reg [1:0]    state;
    reg [AW-1:0] index;
    reg [7:0]    left;
    reg          outside;
    // The RAM's output register holds the beat that stands at R.
    reg          beat_valid, beat_last;
    reg [63:0]   beat;

    wire take_write = state == WRITE && s_axi_wvalid;
    wire fetch = state == READ && (!beat_valid || s_axi_rready);

    assign s_axi_awready = state == IDLE;
    assign s_axi_arready = state == IDLE && !s_axi_awvalid && !beat_valid;
    assign s_axi_wready = state == WRITE;
    assign s_axi_bvalid = state == RESPOND;
    assign s_axi_bresp = {2{outside}};
    assign s_axi_rvalid = beat_valid;
    assign s_axi_rdata = beat;
    assign s_axi_rresp = {2{outside}};
    assign s_axi_rlast = beat_last;

    genvar lane;
    generate
        for (lane = 0; lane < 8; lane = lane + 1) begin : lanes
            (* ram_style = "block", no_rw_check *)
            reg [7:0] mem [0:(1 << AW)-1];
            always @(posedge clock) begin
                if (take_write && s_axi_wstrb[lane] && !outside)
                    mem[index] <= s_axi_wdata[8*lane +: 8];
                if (fetch) beat[8*lane +: 8] <= mem[index];
            end
            always @(posedge clock) begin
                if (word_write) mem[word_index] <= word_wdata[8*lane +: 8];
                word_rdata[8*lane +: 8] <= mem[word_index];
            end
        end
    endgenerate

    always @(posedge clock) begin
        if (s_axi_rready) beat_valid <= 1'b0;
        case (state)
            IDLE: begin
                if (s_axi_awvalid) begin
                    index <= s_axi_awaddr[AW+2:3];
                    outside <= |s_axi_awaddr[63:AW+3];
                    state <= WRITE;
                end else if (s_axi_arvalid && s_axi_arready) begin
                    index <= s_axi_araddr[AW+2:3];
                    outside <= |s_axi_araddr[63:AW+3];
                    left <= s_axi_arlen;
                    state <= READ;
                end
            end
            WRITE: if (s_axi_wvalid) begin
                index <= index + 1'b1;
                if (s_axi_wlast) state <= RESPOND;
            end
            RESPOND: if (s_axi_bready) state <= IDLE;
            READ: if (fetch) begin
                index <= index + 1'b1;
                left <= left - 8'd1;
                beat_valid <= 1'b1;
                beat_last <= left == 8'd0;
                if (left == 8'd0) state <= IDLE;
            end
        endcase
        if (reset) begin
            state <= IDLE;
            beat_valid <= 1'b0;
        end
    end

    wire unused_ok = &{1'b0, s_axi_awlen, s_axi_awaddr[2:0], s_axi_araddr[2:0]};

endmodule

`default_nettype wire
