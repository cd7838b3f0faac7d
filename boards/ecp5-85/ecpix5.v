// SPDX-License-Identifier: MIT OR Apache-2.0
// Pins of an ECPIX-5 85F: PLL and resets, RGMII to the PHY, the MAC. What stands behind them is
// ecpix5_core, from src/core.rs: the NIC with its registers and host memory behind the UART.
// LEDs: 0 PLL locked, 1 frame in, 2 frame out.
`default_nettype none

module ecpix5 #(
    // The core's clock is 500 MHz over this; src/core.rs derives timers and baud from the same.
    parameter CORE_DIV = 8
) (
    input  wire       clock,
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

    // The pin's 100 MHz become 500 in the PLL: for the core, 125 MHz for RGMII's data, and the same
    // 90 degrees later for RGMII's clock.
    wire feedback, core_clock, tx_clock, tx_clock_90, locked;
    EHXPLLL #(
        .CLKI_DIV(1), .CLKFB_DIV(1), .FEEDBK_PATH("CLKOP"), .OUTDIVIDER_MUXA("DIVA"),
        .OUTDIVIDER_MUXB("DIVB"), .OUTDIVIDER_MUXC("DIVC"), .OUTDIVIDER_MUXD("DIVD"),
        .CLKOP_ENABLE("ENABLED"), .CLKOP_DIV(5), .CLKOP_CPHASE(4), .CLKOP_FPHASE(0),
        .CLKOS_ENABLE("ENABLED"), .CLKOS_DIV(4), .CLKOS_CPHASE(3), .CLKOS_FPHASE(0),
        .CLKOS2_ENABLE("ENABLED"), .CLKOS2_DIV(4), .CLKOS2_CPHASE(4), .CLKOS2_FPHASE(0),
        .CLKOS3_ENABLE("ENABLED"), .CLKOS3_DIV(CORE_DIV), .CLKOS3_CPHASE(CORE_DIV - 1),
        .CLKOS3_FPHASE(0)
    ) pll (
        .CLKI(clock), .CLKFB(feedback), .CLKOP(feedback), .CLKOS(tx_clock), .CLKOS2(tx_clock_90),
        .CLKOS3(core_clock), .RST(1'b0), .STDBY(1'b0), .PHASESEL0(1'b0), .PHASESEL1(1'b0),
        .PHASEDIR(1'b0), .PHASESTEP(1'b0), .PHASELOADREG(1'b0), .PLLWAKESYNC(1'b0),
        .ENCLKOP(1'b0), .LOCK(locked)
    );

    // Each clock's reset begins at once, and ends in step with the clock.
    reg [3:0] core_resets = 4'hf, tx_resets = 4'hf, rx_resets = 4'hf;
    wire good = locked && rst_n;
    always @(posedge core_clock or negedge good)
        if (!good) core_resets <= 4'hf;
        else core_resets <= {core_resets[2:0], 1'b0};
    always @(posedge tx_clock or negedge good)
        if (!good) tx_resets <= 4'hf;
        else tx_resets <= {tx_resets[2:0], 1'b0};
    always @(posedge eth_rx_clk or negedge good)
        if (!good) rx_resets <= 4'hf;
        else rx_resets <= {rx_resets[2:0], 1'b0};
    wire core_reset = core_resets[3];
    wire tx_reset = tx_resets[3];
    wire rx_reset = rx_resets[3];
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
        .clock(eth_rx_clk), .reset(rx_reset), .phy_valid(rx_rise[4]),
        .phy_error(rx_rise[4] ^ rx_fall[4]), .phy_data({rx_fall[3:0], rx_rise[3:0]}),
        .m_axis_tvalid(rx_valid), .m_axis_tdata(rx_data), .m_axis_tkeep(rx_keep),
        .m_axis_tlast(rx_last), .m_axis_tuser(rx_user)
    );
    wire        in_valid, in_ready, in_last, in_user, rx_room;
    wire [63:0] in_data;
    wire [7:0]  in_keep;
    async_fifo #(.W(74)) rx_fifo (
        .write_clock(eth_rx_clk), .write_reset(rx_reset), .s_valid(rx_valid),
        .s_ready(rx_room), .s_data({rx_user, rx_last, rx_keep, rx_data}),
        .read_clock(core_clock), .read_reset(core_reset), .m_valid(in_valid), .m_ready(in_ready),
        .m_data({in_user, in_last, in_keep, in_data})
    );

    // To the wire: frames come without gaps and faster than they leave.
    wire        out_valid, out_ready, out_last, tx_valid, tx_ready, tx_last, tx_phy_valid;
    wire [63:0] out_data, tx_data;
    wire [7:0]  out_keep, tx_keep, tx_phy_data;
    async_fifo #(.W(73)) tx_fifo (
        .write_clock(core_clock), .write_reset(core_reset), .s_valid(out_valid), .s_ready(out_ready),
        .s_data({out_last, out_keep, out_data}),
        .read_clock(tx_clock), .read_reset(tx_reset), .m_valid(tx_valid), .m_ready(tx_ready),
        .m_data({tx_last, tx_keep, tx_data})
    );
    mac_tx mac_tx (
        .clock(tx_clock), .reset(tx_reset), .s_axis_tvalid(tx_valid),
        .s_axis_tready(tx_ready), .s_axis_tdata(tx_data), .s_axis_tkeep(tx_keep),
        .s_axis_tlast(tx_last), .phy_valid(tx_phy_valid), .phy_data(tx_phy_data)
    );
    assign tx_rise = {tx_phy_valid, tx_phy_data[3:0]};
    assign tx_fall = {tx_phy_valid, tx_phy_data[7:4]};

    ecpix5_core core (
        .clock(core_clock), .reset(core_reset), .uart_rx(uart_rx), .uart_tx(uart_tx),
        .s_axis_rx_tdata(in_data), .s_axis_rx_tkeep(in_keep), .s_axis_rx_tvalid(in_valid),
        .s_axis_rx_tready(in_ready), .s_axis_rx_tlast(in_last), .s_axis_rx_tuser(in_user),
        .m_axis_tx_tdata(out_data), .m_axis_tx_tkeep(out_keep), .m_axis_tx_tvalid(out_valid),
        .m_axis_tx_tready(out_ready), .m_axis_tx_tlast(out_last)
    );

    // A frame lights its LED for 2^22 cycles.
    reg [22:0] in_light, out_light;
    always @(posedge core_clock) begin
        in_light <= in_valid && in_last ? 23'h7fffff : in_light - {22'd0, in_light[22]};
        out_light <= out_valid && out_last ? 23'h7fffff : out_light - {22'd0, out_light[22]};
        if (core_reset) {in_light, out_light} <= 46'd0;
    end
    assign led_n = ~{out_light[22], in_light[22], locked};

    wire unused_ok = &{1'b0, rx_room};

endmodule

`default_nettype wire
