// Properties of the decision of 4 flows, by induction: the design's registers are named in
// the connects of tests/formal.rs.
module grant_rule_properties (
    input wire        clock,
    input wire        reset,
    input wire        s_visit_valid,
    input wire [1:0]  s_visit_flow,
    input wire        s_visit_is_arm,
    input wire        s_visit_is_call,
    input wire        s_visit_is_bounced,
    input wire        s_visit_is_stale,
    input wire        s_visit_created,
    input wire        s_visit_is_open,
    input wire        s_visit_is_within,
    input wire        s_visit_must_send,
    input wire        s_visit_is_bunched,
    input wire        s_visit_is_kept,
    input wire [40:0] s_visit_kept_credit,
    input wire [40:0] s_visit_spent_credit,
    input wire [17:0] s_visit_held_quarters,
    input wire [7:0]  s_visit_levels,
    input wire        s_visit_may_owe,
    input wire        s_called_valid,
    input wire [1:0]  s_called_flow,
    input wire        s_is_pending,
    input wire        s_is_settled,
    input wire        s_is_low,
    input wire        s_work_valid,
    input wire [1:0]  s_work_flow,
    input wire        s_remove_valid,
    input wire [1:0]  s_remove_flow,
    input wire        m_grant_ready
);
    localparam [40:0] ZERO = 41'h100_0000_0000;

    wire        m_store_valid, m_packet_valid, m_has_place, m_grant_valid;
    wire [40:0] m_store_credit;
    wire [1:0]  m_visit_flow, m_grant_flow;

    grant_rule dut (
        .clock(clock), .reset(reset),
        .s_visit_valid(s_visit_valid), .s_visit_flow(s_visit_flow),
        .s_visit_is_arm(s_visit_is_arm), .s_visit_is_call(s_visit_is_call),
        .s_visit_is_bounced(s_visit_is_bounced), .s_visit_is_stale(s_visit_is_stale),
        .s_visit_created(s_visit_created),
        .s_visit_is_open(s_visit_is_open), .s_visit_is_within(s_visit_is_within),
        .s_visit_must_send(s_visit_must_send), .s_visit_is_bunched(s_visit_is_bunched),
        .s_visit_is_kept(s_visit_is_kept), .s_visit_kept_credit(s_visit_kept_credit),
        .s_visit_spent_credit(s_visit_spent_credit),
        .s_visit_held_quarters(s_visit_held_quarters), .s_visit_levels(s_visit_levels),
        .s_visit_may_owe(s_visit_may_owe), .s_called_valid(s_called_valid),
        .s_called_flow(s_called_flow), .s_is_pending(s_is_pending),
        .s_is_settled(s_is_settled), .s_is_low(s_is_low), .s_work_valid(s_work_valid),
        .s_work_flow(s_work_flow), .s_remove_valid(s_remove_valid),
        .s_remove_flow(s_remove_flow), .m_grant_ready(m_grant_ready),
        .m_store_valid(m_store_valid), .m_store_credit(m_store_credit),
        .m_packet_valid(m_packet_valid), .m_has_place(m_has_place),
        .m_visit_flow(m_visit_flow), .m_grant_valid(m_grant_valid), .m_grant_flow(m_grant_flow)
    );

    // Registers of the design.
    wire       ticket_valid;
    wire [1:0] ticket_flow;
    wire [3:0] dut_armed;

    // Any one flow, and its work: a packet for each s_work, until it is granted or removed.
    (* anyconst *) wire [1:0] flow;
    reg armed = 0, work = 0, remove = 0;
    wire granted = m_packet_valid && m_visit_flow == flow;
    reg is_first = 1;
    initial assume (reset);
    always @(posedge clock) begin
        is_first <= 0;
        work <= !reset && s_work_valid && s_work_flow == flow;
        remove <= !reset && s_remove_valid && s_remove_flow == flow;
        // The same cycle decides, so the model sees the visit itself.
        armed <= !reset && (work || (armed && !remove && !takes));
    end

    // The visit of this cycle is granted. Stated from its conditions, not from the design's wires.
    wire is_mine = s_called_valid && s_called_flow == s_visit_flow;
    wire is_holder = ticket_valid && ticket_flow == s_visit_flow;
    wire is_decided = s_visit_valid && !s_visit_is_bounced;
    wire has_packet = is_decided && s_visit_created && !s_visit_is_stale;
    wire is_allowed = has_packet && s_visit_is_open && (s_visit_levels[0] || (is_mine && s_visit_must_send))
        && s_visit_is_within;
    wire is_sendable = is_allowed && dut_armed[s_visit_flow];
    wire dut_grant;
    wire takes = dut_grant && s_visit_flow == flow;

    reg was_allowed = 0, was_mine = 0, was_armed = 0, was_granted = 0, was_decided = 0;
    reg must_grant = 0, last_place_kept = 0;
    // The ticket: for the first late flow whose visit finds no place, until it has its grant, or
    // has nothing to send or may not.
    wire takes_ticket = is_sendable && s_visit_levels[7] && !m_has_place && !s_visit_is_arm;
    reg       next_ticket = 0;
    reg [1:0] next_ticket_flow = 0;
    reg [40:0] was_kept = 0, was_spent = 0, was_held_credit = 0;
    reg was_created = 0, was_paid = 0, was_held = 0, was_forgotten = 0;
    always @(posedge clock) begin
        was_allowed <= !reset && is_allowed;
        was_mine <= !reset && s_visit_flow == flow;
        was_armed <= !reset && armed;
        was_granted <= !reset && m_packet_valid;
        was_decided <= !reset && is_decided;
        next_ticket <= !reset && (is_decided && is_holder ? is_sendable && !dut_grant
            : ticket_valid || takes_ticket);
        next_ticket_flow <= ticket_valid ? ticket_flow : s_visit_flow;
        was_created <= s_visit_created;
        // Who owes much does not pay; what a flow lags beyond its share is forgotten.
        was_paid <= s_visit_may_owe;
        was_held <= s_visit_is_open && !s_visit_is_within && s_visit_is_bunched && s_visit_levels[3];
        was_forgotten <= s_visit_is_open && !s_visit_is_within && !s_visit_is_bunched
            && s_visit_levels[7];
        was_held_credit <= ZERO + {1'd0, s_visit_held_quarters, 22'd0};
        was_kept <= s_visit_kept_credit;
        was_spent <= s_visit_spent_credit;
        // The holder of the ticket is granted at its next visit that finds a place.
        must_grant <= !reset && is_sendable && is_holder && m_has_place
            && !m_packet_valid && !s_is_pending;
        // Nobody else gets the last place.
        last_place_kept <= !reset && ticket_valid && !is_holder && m_grant_valid;
    end

    always @* if (!is_first) begin
        model: assert (dut_armed[flow] == armed);
        allowed: assert (!m_packet_valid || was_allowed);
        once: assert (!granted || was_armed);
        paced: assert (!m_packet_valid || !was_granted);
        holder: assert (!must_grant || m_packet_valid);
        ticket: assert (ticket_valid == next_ticket
            && (!ticket_valid || ticket_flow == next_ticket_flow));
        kept_place: assert (!last_place_kept || !m_packet_valid);
        stored: assert (m_store_valid == was_decided);
        credit: assert (!m_store_valid
            || m_store_credit == (!was_created ? ZERO
                : m_packet_valid ? (was_paid ? was_spent : was_kept)
                : was_held ? was_held_credit : was_forgotten ? was_spent : was_kept));
    end
endmodule
