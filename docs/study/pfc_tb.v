// A PFC frame pauses after the frame under way, for its time; one with a bad FCS, of another class,
// or while it is off does nothing.
`timescale 1ns / 1ns
module pfc_tb;
    reg clock = 0, reset = 1, on = 1, rx_valid = 0, rx_last = 0, rx_user = 0;
    reg [63:0] rx_data = 0;
    wire [31:0] pauses, paused;
    wire s_ready, m_valid;
    reg [2:0] beat = 0;
    always #1 clock = ~clock;
    pfc dut (
        .clock(clock), .reset(reset), .cfg_on(on), .cfg_class(3'd3), .cfg_quantum_cycles(10'd8),
        .pause_count(pauses), .paused_cycles(paused), .rx_tvalid(rx_valid), .rx_tdata(rx_data),
        .rx_tlast(rx_last), .rx_tuser(rx_user), .s_axis_tvalid(1'b1), .s_axis_tready(s_ready),
        .s_axis_tlast(beat == 7), .m_axis_tvalid(m_valid), .m_axis_tready(1'b1)
    );
    // Frames of eight beats, back to back.
    integer held = 0;
    always @(posedge clock) begin
        if (!reset && s_ready) beat <= beat + 1;
        if (!reset && !s_ready) begin
            held = held + 1;
            if (beat != 0) $fatal(1, "a frame was cut");
        end
    end
    task send(input [7:0] classes, input bad);
        integer at;
        for (at = 0; at < 8; at = at + 1) begin
            // Octets from the right; the time of class 3 is 0x0005.
            rx_data = at == 0 ? 64'h2211_0100_00c2_8001 : at == 1 ? 64'h0101_0888_6655_4433
                : at == 2 ? {48'd0, classes, 8'd0} : at == 3 ? 64'h0500 : 64'd0;
            {rx_valid, rx_last, rx_user} = {1'b1, at == 7, bad && at == 7};
            @(posedge clock); #0;
        end
        {rx_valid, rx_last} = 0;
    endtask
    task expect_pauses(input integer count);
        repeat (100) @(posedge clock);
        if (pauses != count || paused != 40 * count) $fatal(1, "%0d, %0d", pauses, paused);
    endtask
    initial begin
        repeat (3) @(posedge clock);
        #0 reset = 0;
        send(8'h08, 1); expect_pauses(0);
        send(8'hf7, 0); expect_pauses(0);
        send(8'h08, 0); expect_pauses(1);
        send(8'hff, 0); expect_pauses(2);
        on = 0;
        send(8'h08, 0); expect_pauses(2);
        if (held < 60 || held > 80) $fatal(1, "held for %0d cycles", held);
        $display("pfc: held for %0d cycles", held);
        $finish;
    end
endmodule
