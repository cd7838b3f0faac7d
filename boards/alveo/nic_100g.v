// SPDX-License-Identifier: MIT OR Apache-2.0
// The emitted NIC of preset `hundred` between a CMAC (PG203) and a PCIe bridge (QDMA, PG302).
// SIMULATED AND LINTED ALONE: no vendor's tool and no hardware has run it.
`default_nettype none

module nic_100g #(
    // Bits of the bridge's AXI4 ids.
    parameter ID_BITS = 4
) (
    // 250 MHz, of the bridge.
    (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF s_axil:m_axi:m_axis_host:s_axis_host, ASSOCIATED_RESET aresetn" *)
    input  wire               aclk,
    input  wire               aresetn,
    // The NIC's registers.
    input  wire [15:0]        s_axil_awaddr,
    input  wire [2:0]         s_axil_awprot,
    input  wire               s_axil_awvalid,
    output wire               s_axil_awready,
    input  wire [31:0]        s_axil_wdata,
    input  wire [3:0]         s_axil_wstrb,
    input  wire               s_axil_wvalid,
    output wire               s_axil_wready,
    output wire               s_axil_bvalid,
    output wire [1:0]         s_axil_bresp,
    input  wire               s_axil_bready,
    input  wire [15:0]        s_axil_araddr,
    input  wire [2:0]         s_axil_arprot,
    input  wire               s_axil_arvalid,
    output wire               s_axil_arready,
    output wire               s_axil_rvalid,
    output wire [31:0]        s_axil_rdata,
    output wire [1:0]         s_axil_rresp,
    input  wire               s_axil_rready,
    // Host memory. Every access has id 0, so answers come in order; READS_MAX bounds the reads.
    output wire [ID_BITS-1:0] m_axi_awid,
    output wire [63:0]        m_axi_awaddr,
    output wire [7:0]         m_axi_awlen,
    output wire [2:0]         m_axi_awsize,
    output wire [1:0]         m_axi_awburst,
    output wire               m_axi_awlock,
    output wire [3:0]         m_axi_awcache,
    output wire [2:0]         m_axi_awprot,
    output wire [3:0]         m_axi_awqos,
    output wire               m_axi_awvalid,
    input  wire               m_axi_awready,
    output wire [511:0]       m_axi_wdata,
    output wire [63:0]        m_axi_wstrb,
    output wire               m_axi_wlast,
    output wire               m_axi_wvalid,
    input  wire               m_axi_wready,
    input  wire [ID_BITS-1:0] m_axi_bid,
    input  wire [1:0]         m_axi_bresp,
    input  wire               m_axi_bvalid,
    output wire               m_axi_bready,
    output wire [ID_BITS-1:0] m_axi_arid,
    output wire [63:0]        m_axi_araddr,
    output wire [7:0]         m_axi_arlen,
    output wire [2:0]         m_axi_arsize,
    output wire [1:0]         m_axi_arburst,
    output wire               m_axi_arlock,
    output wire [3:0]         m_axi_arcache,
    output wire [2:0]         m_axi_arprot,
    output wire [3:0]         m_axi_arqos,
    output wire               m_axi_arvalid,
    input  wire               m_axi_arready,
    input  wire [ID_BITS-1:0] m_axi_rid,
    input  wire [511:0]       m_axi_rdata,
    input  wire [1:0]         m_axi_rresp,
    input  wire               m_axi_rlast,
    input  wire               m_axi_rvalid,
    output wire               m_axi_rready,
    // Frames of the host's own network stack.
    output wire [511:0]       m_axis_host_tdata,
    output wire [63:0]        m_axis_host_tkeep,
    output wire               m_axis_host_tvalid,
    input  wire               m_axis_host_tready,
    output wire               m_axis_host_tlast,
    input  wire [511:0]       s_axis_host_tdata,
    input  wire [63:0]        s_axis_host_tkeep,
    input  wire               s_axis_host_tvalid,
    output wire               s_axis_host_tready,
    input  wire               s_axis_host_tlast,
    output wire               irq,
    // 322.265625 MHz: gt_txusrclk2 of the CMAC, which is its rx_clk too. All that follows is of it.
    (* X_INTERFACE_PARAMETER = "ASSOCIATED_BUSIF tx_axis:rx_axis" *)
    input  wire               cmac_clk,
    input  wire               usr_tx_reset,
    input  wire               usr_rx_reset,
    output wire [511:0]       tx_axis_tdata,
    output wire [63:0]        tx_axis_tkeep,
    output wire               tx_axis_tvalid,
    input  wire               tx_axis_tready,
    output wire               tx_axis_tlast,
    output wire               tx_axis_tuser,
    input  wire [511:0]       rx_axis_tdata,
    input  wire [63:0]        rx_axis_tkeep,
    input  wire               rx_axis_tvalid,
    input  wire               rx_axis_tlast,
    input  wire               rx_axis_tuser,
    output wire [31:0]        rx_lost_frames
);

    // Registers answer while the CMAC's clock stands. The FIFOs' side of aclk leaves its reset
    // last, so it never sees pointers of before.
    wire core_reset, cmac_reset;
    reset_sync core_sync (.clock(aclk), .request(!aresetn), .reset(core_reset));
    reset_sync cmac_sync (.clock(cmac_clk), .request(!aresetn), .reset(cmac_reset));
    (* ASYNC_REG = "TRUE" *)
    reg cmac_reset_1, cmac_reset_2;
    always @(posedge aclk) {cmac_reset_2, cmac_reset_1} <= {cmac_reset_1, cmac_reset};
    wire fifo_reset = core_reset || cmac_reset_2;

    wire [511:0] in_data, out_data;
    wire [63:0]  in_keep, out_keep;
    wire         in_valid, in_ready, in_last, in_user, out_valid, out_ready, out_last;
    cmac_rx cmac_rx (
        .cmac_clock(cmac_clk), .cmac_reset(cmac_reset), .usr_rx_reset(usr_rx_reset),
        .rx_axis_tdata(rx_axis_tdata), .rx_axis_tkeep(rx_axis_tkeep),
        .rx_axis_tvalid(rx_axis_tvalid), .rx_axis_tlast(rx_axis_tlast),
        .rx_axis_tuser(rx_axis_tuser), .lost_frames(rx_lost_frames), .core_clock(aclk),
        .core_reset(fifo_reset), .m_axis_tdata(in_data), .m_axis_tkeep(in_keep),
        .m_axis_tvalid(in_valid), .m_axis_tready(in_ready), .m_axis_tlast(in_last),
        .m_axis_tuser(in_user)
    );
    cmac_tx cmac_tx (
        .core_clock(aclk), .core_reset(fifo_reset), .s_axis_tdata(out_data),
        .s_axis_tkeep(out_keep), .s_axis_tvalid(out_valid), .s_axis_tready(out_ready),
        .s_axis_tlast(out_last), .cmac_clock(cmac_clk), .cmac_reset(cmac_reset),
        .usr_tx_reset(usr_tx_reset), .tx_axis_tdata(tx_axis_tdata), .tx_axis_tkeep(tx_axis_tkeep),
        .tx_axis_tvalid(tx_axis_tvalid), .tx_axis_tready(tx_axis_tready),
        .tx_axis_tlast(tx_axis_tlast), .tx_axis_tuser(tx_axis_tuser)
    );

    // The NIC has ids of one bit.
    wire awid, arid;
    assign m_axi_awid = {{ID_BITS-1{1'b0}}, awid};
    assign m_axi_arid = {{ID_BITS-1{1'b0}}, arid};
    nic_axi nic (
        .aclk(aclk), .aresetn(!core_reset), .s_axil_awaddr(s_axil_awaddr),
        .s_axil_awprot(s_axil_awprot), .s_axil_awvalid(s_axil_awvalid),
        .s_axil_awready(s_axil_awready), .s_axil_wdata(s_axil_wdata), .s_axil_wstrb(s_axil_wstrb),
        .s_axil_wvalid(s_axil_wvalid), .s_axil_wready(s_axil_wready),
        .s_axil_bvalid(s_axil_bvalid), .s_axil_bresp(s_axil_bresp), .s_axil_bready(s_axil_bready),
        .s_axil_araddr(s_axil_araddr), .s_axil_arprot(s_axil_arprot),
        .s_axil_arvalid(s_axil_arvalid), .s_axil_arready(s_axil_arready),
        .s_axil_rvalid(s_axil_rvalid), .s_axil_rdata(s_axil_rdata), .s_axil_rresp(s_axil_rresp),
        .s_axil_rready(s_axil_rready), .m_axi_awid(awid), .m_axi_awaddr(m_axi_awaddr),
        .m_axi_awlen(m_axi_awlen), .m_axi_awsize(m_axi_awsize), .m_axi_awburst(m_axi_awburst),
        .m_axi_awlock(m_axi_awlock), .m_axi_awcache(m_axi_awcache), .m_axi_awprot(m_axi_awprot),
        .m_axi_awqos(m_axi_awqos), .m_axi_awvalid(m_axi_awvalid), .m_axi_awready(m_axi_awready),
        .m_axi_wdata(m_axi_wdata), .m_axi_wstrb(m_axi_wstrb), .m_axi_wlast(m_axi_wlast),
        .m_axi_wvalid(m_axi_wvalid), .m_axi_wready(m_axi_wready), .m_axi_bid(m_axi_bid[0]),
        .m_axi_bresp(m_axi_bresp), .m_axi_bvalid(m_axi_bvalid), .m_axi_bready(m_axi_bready),
        .m_axi_arid(arid), .m_axi_araddr(m_axi_araddr), .m_axi_arlen(m_axi_arlen),
        .m_axi_arsize(m_axi_arsize), .m_axi_arburst(m_axi_arburst), .m_axi_arlock(m_axi_arlock),
        .m_axi_arcache(m_axi_arcache), .m_axi_arprot(m_axi_arprot), .m_axi_arqos(m_axi_arqos),
        .m_axi_arvalid(m_axi_arvalid), .m_axi_arready(m_axi_arready), .m_axi_rid(m_axi_rid[0]),
        .m_axi_rdata(m_axi_rdata), .m_axi_rresp(m_axi_rresp), .m_axi_rlast(m_axi_rlast),
        .m_axi_rvalid(m_axi_rvalid), .m_axi_rready(m_axi_rready), .s_axis_rx_tdata(in_data),
        .s_axis_rx_tkeep(in_keep), .s_axis_rx_tvalid(in_valid), .s_axis_rx_tready(in_ready),
        .s_axis_rx_tlast(in_last), .s_axis_rx_tuser(in_user), .m_axis_tx_tdata(out_data),
        .m_axis_tx_tkeep(out_keep), .m_axis_tx_tvalid(out_valid), .m_axis_tx_tready(out_ready),
        .m_axis_tx_tlast(out_last), .m_axis_host_tdata(m_axis_host_tdata),
        .m_axis_host_tkeep(m_axis_host_tkeep), .m_axis_host_tvalid(m_axis_host_tvalid),
        .m_axis_host_tready(m_axis_host_tready), .m_axis_host_tlast(m_axis_host_tlast),
        .s_axis_host_tdata(s_axis_host_tdata), .s_axis_host_tkeep(s_axis_host_tkeep),
        .s_axis_host_tvalid(s_axis_host_tvalid), .s_axis_host_tready(s_axis_host_tready),
        .s_axis_host_tlast(s_axis_host_tlast), .irq(irq)
    );

    wire unused_ok = &{1'b0, m_axi_bid, m_axi_rid};

endmodule

`default_nettype wire
