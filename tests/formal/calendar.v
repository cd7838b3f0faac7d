// Property of the calendar, by induction: how long a grant keeps the next one waiting. The design's
// registers are named in the connects of tests/formal.rs; history and rows may say anything.
module calendar_properties (
    input wire        clock,
    input wire        reset,
    input wire        s_grant_valid,
    input wire [1:0]  s_grant_flow,
    input wire [13:0] s_grant_len_bytes,
    input wire        s_grant_is_kept,
    input wire        s_rate_valid,
    input wire [1:0]  s_rate_flow,
    input wire [1:0]  s_visit_flow,
    input wire [17:0] s_time,
    input wire [17:0] s_turn_age,
    input wire        s_is_called
);
    wire m_is_pending;

    calendar dut (
        .clock(clock), .reset(reset), .s_grant_valid(s_grant_valid), .s_grant_flow(s_grant_flow),
        .s_grant_len_bytes(s_grant_len_bytes), .s_grant_is_kept(s_grant_is_kept),
        .s_rate_valid(s_rate_valid), .s_rate_flow(s_rate_flow), .s_visit_flow(s_visit_flow),
        .s_time(s_time), .s_turn_age(s_turn_age), .s_is_called(s_is_called),
        .m_is_pending(m_is_pending)
    );

    // Register of the design.
    wire [2:0] step;

    reg is_first = 1;
    initial assume (reset);
    always @(posedge clock) is_first <= 0;
    always @* assume (!s_grant_valid || !m_is_pending);

    // Cycles since the last grant.
    reg [3:0] since = 15;
    always @(posedge clock)
        since <= reset ? 4'd15 : s_grant_valid ? 4'd0 : since + (since != 15);

    // One operation of six cycles may be under way.
    always @* if (!is_first) begin
        steps: assert (step <= 5);
        pending: assert (!m_is_pending || (step == 0 ? since <= 5 : since < step));
    end
endmodule
