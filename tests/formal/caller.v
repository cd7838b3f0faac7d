// Properties of the call of a flow whose turn has come, by induction: calls leave the other flows
// their visits. The design's registers are named in the connects of tests/formal.rs.
module caller_properties (
    input wire       clock,
    input wire       reset,
    input wire       s_turn_valid,
    input wire [1:0] s_turn_flow,
    input wire       s_seen_valid,
    input wire [1:0] s_seen_flow,
    input wire       s_seen_is_call,
    input wire       s_end,
    input wire       s_done,
    input wire       s_has_place,
    input wire       m_visit_ready
);
    wire       m_called_valid, m_bounce, m_visit_valid;
    wire [1:0] m_called_flow;

    caller dut (
        .clock(clock), .reset(reset),
        .s_turn_valid(s_turn_valid), .s_turn_flow(s_turn_flow),
        .s_seen_valid(s_seen_valid), .s_seen_flow(s_seen_flow), .s_seen_is_call(s_seen_is_call),
        .s_end(s_end), .s_done(s_done), .s_has_place(s_has_place),
        .m_called_valid(m_called_valid), .m_called_flow(m_called_flow), .m_bounce(m_bounce),
        .m_visit_valid(m_visit_valid), .m_visit_ready(m_visit_ready)
    );

    // Registers of the design.
    wire       on_way, ending;
    wire [3:0] quiet_cycles;

    reg is_first = 1;
    initial assume (reset);
    always @(posedge clock) is_first <= 0;

    // A visit ends after it has been chosen.
    reg is_out = 0;
    always @(posedge clock) is_out <= !reset && ((m_visit_valid && m_visit_ready) || (is_out && !s_end));
    always @* assume (!s_end || is_out);

    // Cycles since the last call was chosen, 15 when they are more or there was none.
    reg [3:0] since = 15;
    reg       was_waiting = 0, was_called = 0;
    reg [1:0] was_flow = 0;
    always @(posedge clock) begin
        since <= reset ? 4'd15 : m_visit_valid && m_visit_ready ? 4'd0 : since == 15 ? since : since + 4'd1;
        was_waiting <= !reset && m_visit_valid && !m_visit_ready;
        was_called <= !reset && m_called_valid && !s_done;
        was_flow <= m_called_flow;
    end

    always @* if (!is_first) begin
        state: assert (on_way == (m_visit_valid || is_out || ending) && quiet_cycles <= 9
            && m_visit_valid + is_out + ending <= 1);
        quiet: assert (since == 15 || m_visit_valid || is_out
            || since >= (ending ? 1 : quiet_cycles + 2));
        // Of any 13 cycles one is a call's at most.
        spaced: assert (!m_visit_valid || since >= 12);
        waits: assert (!was_waiting || m_visit_valid);
        called: assert (!was_called || (m_called_valid && m_called_flow == was_flow));
    end
endmodule
