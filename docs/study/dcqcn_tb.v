// A flow starts at line rate, is halved by its first mark, not by a second one within 4 us, and
// comes back by its timers.
`timescale 1ns / 1ns
module dcqcn_tb;
    localparam [31:0] LINE = 32'h0100_0000;
    reg clock = 0, reset = 1, valid = 0, create = 0, mark = 0;
    reg [19:0] now = 20'hffff0;
    reg [5:0] flow = 0;
    wire ready, m_valid;
    wire [5:0] m_flow;
    wire [31:0] rate;
    always #1 clock = ~clock;
    dcqcn dut (
        .clock(clock), .reset(reset), .cfg_alpha_us(8'd1), .cfg_decrease_us(10'd4),
        .cfg_increase_us(10'd300), .cfg_rate_min(32'h4000), .cfg_rate_max(LINE),
        .cfg_additive(LINE / 5000), .cfg_hyper(LINE / 500), .now_us(now), .s_event_valid(valid),
        .s_event_ready(ready), .s_event_flow(flow), .s_event_create(create), .s_event_mark(mark),
        .m_rate_valid(m_valid), .m_rate_flow(m_flow), .m_rate(rate)
    );
    integer cycles;
    task event_of(input [5:0] of, input is_create, is_mark, input integer low, high);
        begin
            {flow, create, mark, valid} = {of, is_create, is_mark, 1'b1};
            @(posedge clock); while (!ready) @(posedge clock);
            #0 valid = 0;
            cycles = 0;
            while (!m_valid) begin @(posedge clock); #0 cycles = cycles + 1; end
            if (m_flow != of || rate < low || rate > high)
                $fatal(1, "flow %0d at %0d us: %h, not %h to %h", m_flow, now, rate, low, high);
            $display("flow %0d, %0d us: %0d / 1000 of the line, %0d cycles", of, now,
                (rate * 64'd1000) / LINE, cycles);
        end
    endtask
    initial begin
        repeat (3) @(posedge clock);
        #0 reset = 0;
        event_of(5, 1, 0, LINE, LINE);
        event_of(6, 1, 0, LINE, LINE);
        now = now + 1; event_of(5, 0, 0, LINE, LINE);
        event_of(5, 0, 1, LINE / 2 - 1, LINE / 2 + 300);
        now = now + 1; event_of(5, 0, 1, LINE / 2 - 1, LINE / 2 + 300);
        event_of(6, 0, 0, LINE, LINE);
        // The mark was kept: alpha is 0.988 then.
        now = now + 3; event_of(5, 0, 0, LINE / 4, LINE * 26 / 100);
        // Half-way back to the target, the line, and once more.
        now = now + 300; event_of(5, 0, 0, LINE * 62 / 100, LINE * 63 / 100);
        now = now + 300; event_of(5, 0, 0, LINE * 81 / 100, LINE * 82 / 100);
        // Alpha is small after so long: a mark takes little.
        now = now + 300; event_of(5, 0, 1, LINE * 89 / 100, LINE * 90 / 100);
        now = now + 30000; event_of(5, 0, 0, LINE, LINE);
        $finish;
    end
endmodule
