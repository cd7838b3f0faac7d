// SPDX-License-Identifier: MIT OR Apache-2.0
// Pins of an ECPIX-5 85F around the NIC: RGMII to the PHY, registers and 64 KiB of host memory by
// UART. Frames for the host's own stack are dropped; LEDs: 0 PLL locked, 1 frame in, 2 frame out.
`default_nettype none

module ecpix5 (
    input  wire       clk100,
    input  wire       rst_n,
    input  wire       uart_rx,
    output wire       uart_tx,
    output wire       eth_rst_n,
    input  wire       eth_rx_clk,
    input  wire       eth_rx_ctl,
    input  wire [3:0] eth_rx_data,
    output wire       eth_tx_clk,
    output wire       eth_tx_ctl,
    output wire [3:0] eth_tx_data,
    output wire [2:0] led_n
);

    // 100 MHz for the core, 125 MHz for RGMII data, the same 90 degrees later for RGMII's clock.
    wire clock, tx_clock, tx_clock_90, locked;
    (* FREQUENCY_PIN_CLKI = "100", FREQUENCY_PIN_CLKOP = "100", FREQUENCY_PIN_CLKOS = "125",
       FREQUENCY_PIN_CLKOS2 = "125" *)
    EHXPLLL #(
        .CLKI_DIV(1), .CLKFB_DIV(1), .FEEDBK_PATH("CLKOP"), .OUTDIVIDER_MUXA("DIVA"),
        .OUTDIVIDER_MUXB("DIVB"), .OUTDIVIDER_MUXC("DIVC"),
        .CLKOP_ENABLE("ENABLED"), .CLKOP_DIV(5), .CLKOP_CPHASE(4), .CLKOP_FPHASE(0),
        .CLKOS_ENABLE("ENABLED"), .CLKOS_DIV(4), .CLKOS_CPHASE(3), .CLKOS_FPHASE(0),
        .CLKOS2_ENABLE("ENABLED"), .CLKOS2_DIV(4), .CLKOS2_CPHASE(4), .CLKOS2_FPHASE(0)
    ) pll (
        .CLKI(clk100), .CLKFB(clock), .CLKOP(clock), .CLKOS(tx_clock), .CLKOS2(tx_clock_90),
        .RST(1'b0), .STDBY(1'b0), .PHASESEL0(1'b0), .PHASESEL1(1'b0), .PHASEDIR(1'b0),
        .PHASESTEP(1'b0), .PHASELOADREG(1'b0), .PLLWAKESYNC(1'b0), .ENCLKOP(1'b0), .LOCK(locked)
    );

    reg [3:0] core_reset = 4'hf, tx_reset = 4'hf, rx_reset = 4'hf;
    wire good = locked && rst_n;
    always @(posedge clock or negedge good)
        core_reset <= !good ? 4'hf : {core_reset[2:0], 1'b0};
    always @(posedge tx_clock or negedge good) tx_reset <= !good ? 4'hf : {tx_reset[2:0], 1'b0};
    always @(posedge eth_rx_clk or negedge good) rx_reset <= !good ? 4'hf : {rx_reset[2:0], 1'b0};
    wire reset = core_reset[3];
    assign eth_rst_n = good;

    // RGMII in: low nibble at the rising edge, high nibble at the falling one.
    wire [4:0] rx_rise, rx_fall;
    wire [4:0] tx_rise, tx_fall, tx_pins;
    wire [4:0] rx_pins = {eth_rx_ctl, eth_rx_data};
    genvar i;
    generate
        for (i = 0; i < 5; i = i + 1) begin : rgmii
            IDDRX1F in (
                .SCLK(eth_rx_clk), .RST(1'b0), .D(rx_pins[i]), .Q0(rx_rise[i]), .Q1(rx_fall[i])
            );
            ODDRX1F out (
                .SCLK(tx_clock), .RST(1'b0), .D0(tx_rise[i]), .D1(tx_fall[i]), .Q(tx_pins[i])
            );
        end
    endgenerate
    assign {eth_tx_ctl, eth_tx_data} = tx_pins;
    ODDRX1F tx_clock_out (
        .SCLK(tx_clock_90), .RST(1'b0), .D0(1'b1), .D1(1'b0), .Q(eth_tx_clk)
    );

    // From the wire: the core is faster than the wire, so the FIFO never fills.
    wire        rx_valid, rx_last, rx_user;
    wire [63:0] rx_data;
    wire [7:0]  rx_keep;
    mac_rx mac_rx (
        .clock(eth_rx_clk), .reset(rx_reset[3]), .phy_valid(rx_rise[4]),
        .phy_error(rx_rise[4] ^ rx_fall[4]), .phy_data({rx_fall[3:0], rx_rise[3:0]}),
        .m_axis_tvalid(rx_valid), .m_axis_tdata(rx_data), .m_axis_tkeep(rx_keep),
        .m_axis_tlast(rx_last), .m_axis_tuser(rx_user)
    );
    wire        in_valid, in_ready, in_last, in_user, rx_room;
    wire [63:0] in_data;
    wire [7:0]  in_keep;
    async_fifo #(.W(74)) rx_fifo (
        .write_clock(eth_rx_clk), .write_reset(rx_reset[3]), .s_valid(rx_valid),
        .s_ready(rx_room), .s_data({rx_user, rx_last, rx_keep, rx_data}),
        .read_clock(clock), .read_reset(reset), .m_valid(in_valid), .m_ready(in_ready),
        .m_data({in_user, in_last, in_keep, in_data})
    );

    // To the wire: frames come without gaps and faster than they leave.
    wire        out_valid, out_ready, out_last, tx_valid, tx_ready, tx_last, tx_phy_valid;
    wire [63:0] out_data, tx_data;
    wire [7:0]  out_keep, tx_keep, tx_phy_data;
    async_fifo #(.W(73)) tx_fifo (
        .write_clock(clock), .write_reset(reset), .s_valid(out_valid), .s_ready(out_ready),
        .s_data({out_last, out_keep, out_data}),
        .read_clock(tx_clock), .read_reset(tx_reset[3]), .m_valid(tx_valid), .m_ready(tx_ready),
        .m_data({tx_last, tx_keep, tx_data})
    );
    mac_tx mac_tx (
        .clock(tx_clock), .reset(tx_reset[3]), .s_axis_tvalid(tx_valid),
        .s_axis_tready(tx_ready), .s_axis_tdata(tx_data), .s_axis_tkeep(tx_keep),
        .s_axis_tlast(tx_last), .phy_valid(tx_phy_valid), .phy_data(tx_phy_data)
    );
    assign tx_rise = {tx_phy_valid, tx_phy_data[3:0]};
    assign tx_fall = {tx_phy_valid, tx_phy_data[7:4]};

    wire [15:0] awaddr, araddr;
    wire [31:0] wdata, rdata;
    wire [3:0]  wstrb;
    wire [1:0]  bresp, rresp;
    wire        awvalid, awready, wvalid, wready, bvalid, bready, arvalid, arready;
    wire        rvalid, rready, word_write;
    wire [12:0] word_index;
    wire [63:0] word_wdata, word_rdata;
    uart_host #(.DIVISOR(100)) uart_host (
        .clock(clock), .reset(reset), .rx(uart_rx), .tx(uart_tx),
        .m_axil_awaddr(awaddr), .m_axil_awvalid(awvalid), .m_axil_awready(awready),
        .m_axil_wdata(wdata), .m_axil_wstrb(wstrb), .m_axil_wvalid(wvalid),
        .m_axil_wready(wready), .m_axil_bvalid(bvalid), .m_axil_bresp(bresp),
        .m_axil_bready(bready), .m_axil_araddr(araddr), .m_axil_arvalid(arvalid),
        .m_axil_arready(arready), .m_axil_rvalid(rvalid), .m_axil_rdata(rdata),
        .m_axil_rready(rready), .word_write(word_write), .word_index(word_index),
        .word_wdata(word_wdata), .word_rdata(word_rdata)
    );

    wire [63:0] m_awaddr, m_wdata, m_araddr, m_rdata;
    wire [7:0]  m_awlen, m_arlen, m_wstrb;
    wire [1:0]  m_bresp, m_rresp;
    wire        m_awvalid, m_awready, m_wvalid, m_wready, m_wlast, m_bvalid, m_bready;
    wire        m_arvalid, m_arready, m_rvalid, m_rready, m_rlast;
    host_ram #(.AW(13)) host_ram (
        .clock(clock), .reset(reset),
        .s_axi_awaddr(m_awaddr), .s_axi_awlen(m_awlen), .s_axi_awvalid(m_awvalid),
        .s_axi_awready(m_awready), .s_axi_wdata(m_wdata), .s_axi_wstrb(m_wstrb),
        .s_axi_wlast(m_wlast), .s_axi_wvalid(m_wvalid), .s_axi_wready(m_wready),
        .s_axi_bresp(m_bresp), .s_axi_bvalid(m_bvalid), .s_axi_bready(m_bready),
        .s_axi_araddr(m_araddr), .s_axi_arlen(m_arlen), .s_axi_arvalid(m_arvalid),
        .s_axi_arready(m_arready), .s_axi_rdata(m_rdata), .s_axi_rresp(m_rresp),
        .s_axi_rlast(m_rlast), .s_axi_rvalid(m_rvalid), .s_axi_rready(m_rready),
        .word_write(word_write), .word_index(word_index), .word_wdata(word_wdata),
        .word_rdata(word_rdata)
    );

    nic nic (
        .clock(clock), .reset(reset),
        .s_axil_awaddr(awaddr), .s_axil_awprot(3'd0), .s_axil_awvalid(awvalid),
        .s_axil_awready(awready), .s_axil_wdata(wdata), .s_axil_wstrb(wstrb), .s_axil_wvalid(wvalid),
        .s_axil_wready(wready), .s_axil_bvalid(bvalid), .s_axil_bresp(bresp),
        .s_axil_bready(bready), .s_axil_araddr(araddr), .s_axil_arprot(3'd0),
        .s_axil_arvalid(arvalid), .s_axil_arready(arready), .s_axil_rvalid(rvalid), .s_axil_rdata(rdata),
        .s_axil_rresp(rresp), .s_axil_rready(rready),
        .m_axi_awaddr(m_awaddr), .m_axi_awlen(m_awlen), .m_axi_awsize(), .m_axi_awburst(),
        .m_axi_awvalid(m_awvalid), .m_axi_awready(m_awready), .m_axi_wdata(m_wdata),
        .m_axi_wstrb(m_wstrb), .m_axi_wlast(m_wlast), .m_axi_wvalid(m_wvalid),
        .m_axi_wready(m_wready), .m_axi_bid(1'b0), .m_axi_bresp(m_bresp), .m_axi_bvalid(m_bvalid),
        .m_axi_bready(m_bready), .m_axi_araddr(m_araddr), .m_axi_arlen(m_arlen),
        .m_axi_arsize(), .m_axi_arburst(), .m_axi_arvalid(m_arvalid),
        .m_axi_arready(m_arready), .m_axi_rid(1'b0), .m_axi_rdata(m_rdata),
        .m_axi_rresp(m_rresp), .m_axi_rlast(m_rlast), .m_axi_rvalid(m_rvalid),
        .m_axi_rready(m_rready),
        .s_axis_rx_tdata(in_data), .s_axis_rx_tkeep(in_keep), .s_axis_rx_tvalid(in_valid),
        .s_axis_rx_tready(in_ready), .s_axis_rx_tlast(in_last), .s_axis_rx_tuser(in_user),
        .m_axis_tx_tdata(out_data), .m_axis_tx_tkeep(out_keep), .m_axis_tx_tvalid(out_valid),
        .m_axis_tx_tready(out_ready), .m_axis_tx_tlast(out_last),
        .m_axis_host_tdata(), .m_axis_host_tkeep(), .m_axis_host_tvalid(),
        .m_axis_host_tready(1'b1), .m_axis_host_tlast(),
        .s_axis_host_tdata(64'd0), .s_axis_host_tkeep(8'd0), .s_axis_host_tvalid(1'b0),
        .s_axis_host_tready(), .s_axis_host_tlast(1'b0)
    );

    // A frame lights its LED for 2^22 cycles.
    reg [22:0] in_light, out_light;
    always @(posedge clock) begin
        in_light <= in_valid && in_last ? 23'h400000 : in_light - {22'd0, in_light[22]};
        out_light <= out_valid && out_last ? 23'h400000 : out_light - {22'd0, out_light[22]};
        if (reset) {in_light, out_light} <= 46'd0;
    end
    assign led_n = ~{out_light[22], in_light[22], locked};

    wire unused_ok = &{1'b0, rx_room, rresp};

endmodule

`default_nettype wire
