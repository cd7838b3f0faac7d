// Properties of the credit pipe. It has no state of its own: whatever stands at its outputs from
// cycle 6 on depends on the inputs of six cycles before only, so 8 cycles from any state are all.
module credit_pipe_properties (
    input wire        clock,
    input wire [31:0] s_rate,
    input wire [31:0] s_window_bytes,
    input wire [31:0] s_inflight_bytes,
    input wire [13:0] s_len_bytes,
    input wire [40:0] s_credit,
    input wire [21:0] s_seen,
    input wire [21:0] s_now,
    input wire        s_started,
    input wire [11:0] s_phase
);
    localparam [40:0] ZERO = 41'h100_0000_0000;

    wire        m_is_open;
    wire [40:0] m_kept_credit;
    wire [40:0] m_spent_credit;
    wire [7:0]  m_levels;
    wire        m_may_owe;
    wire [17:0] m_held_quarters;

    credit_pipe dut (
        .clock(clock), .reset(1'b0),
        .s_rate(s_rate), .s_window_bytes(s_window_bytes), .s_inflight_bytes(s_inflight_bytes),
        .s_len_bytes(s_len_bytes), .s_credit(s_credit), .s_seen(s_seen), .s_now(s_now),
        .s_started(s_started), .s_phase(s_phase),
        .m_is_open(m_is_open), .m_kept_credit(m_kept_credit), .m_spent_credit(m_spent_credit),
        .m_levels(m_levels), .m_may_owe(m_may_owe), .m_held_quarters(m_held_quarters)
    );

    // What went in six cycles ago.
    reg [3:0]  cycle = 0;
    reg [13:0] len [0:5];
    reg [40:0] credit [0:5];
    reg        open [0:5];
    integer i;
    always @(posedge clock) begin
        if (cycle < 6) cycle <= cycle + 1;
        len[0] <= s_len_bytes;
        credit[0] <= s_credit;
        open[0] <= s_inflight_bytes == 0 || s_inflight_bytes < s_window_bytes;
        for (i = 1; i < 6; i = i + 1) begin
            len[i] <= len[i - 1];
            credit[i] <= credit[i - 1];
            open[i] <= open[i - 1];
        end
    end

    wire [41:0] packet = {4'd0, len[5], 24'd0};
    wire [41:0] kept = {1'b0, m_kept_credit};
    always @* if (cycle == 6) begin
        // A flow sends inside its window, or one packet with nothing in flight.
        window: assert (m_is_open == open[5]);
        // A closed window holds at most one packet of credit: no burst when it opens.
        hold: assert (m_is_open || kept <= {1'b0, ZERO} + packet);
        // Level 3 is where seven quarters of the packet are.
        held: assert (m_held_quarters == 18'd7 * {4'd0, len[5]});
        held_level: assert (!m_is_open
            || m_levels[3] == (m_kept_credit[40] && m_kept_credit[39:22] >= m_held_quarters));
        // Time never takes credit away.
        earn: assert (!m_is_open || m_kept_credit >= credit[5]);
        // Credit covers the packet whenever the pipe says so.
        cover_packet: assert (!m_levels[0] || !m_is_open || kept >= {1'b0, ZERO} + packet);
        // What a packet leaves is exact and does not wrap: a debt is at most 48 KiB.
        exact: assert (!m_is_open || !(m_levels[0] || m_may_owe)
            || {1'b0, m_spent_credit} + packet == kept);
        debt: assert (!(m_levels[0] || m_may_owe) || m_spent_credit >= 41'h040_0000_0000);
    end
endmodule
