// Properties of the decision of 4 flows, by induction: the design's registers are named in
// the connects of tests/formal.rs.
module grant_rule_properties (
    input wire        clock,
    input wire        reset,
    input wire        s_visit_valid,
    input wire [1:0]  s_visit_flow,
    input wire        s_visit_is_call,
    input wire        s_visit_is_bounced,
    input wire        s_visit_is_stale,
    input wire        s_visit_created,
    input wire        s_visit_is_queued,
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

    wire        m_store_valid, m_store_is_queued, m_packet_valid, m_has_place, m_grant_valid;
    wire        m_return_valid, m_return_is_express;
    wire [40:0] m_store_credit;
    wire [1:0]  m_visit_flow, m_grant_flow;

    grant_rule dut (
        .clock(clock), .reset(reset),
        .s_visit_valid(s_visit_valid), .s_visit_flow(s_visit_flow),
        .s_visit_is_call(s_visit_is_call),
        .s_visit_is_bounced(s_visit_is_bounced), .s_visit_is_stale(s_visit_is_stale),
        .s_visit_created(s_visit_created), .s_visit_is_queued(s_visit_is_queued),
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
        .m_store_is_queued(m_store_is_queued), .m_return_valid(m_return_valid),
        .m_return_is_express(m_return_is_express),
        .m_packet_valid(m_packet_valid), .m_has_place(m_has_place),
        .m_visit_flow(m_visit_flow), .m_grant_valid(m_grant_valid), .m_grant_flow(m_grant_flow)
    );

    // Registers of the design: who has work and is in the ring, and the queue of the late flows.
    wire [3:0] dut_armed, dut_in_ring;
    wire       ticket_valid, word_valid, space, joins, ticket_ends, ticket_is_due, second_valid;
    wire [1:0] ticket_flow, word, write_index, read_index;
    wire [2:0] held;
    wire [7:0] words;

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
    reg [40:0] was_kept = 0, was_spent = 0, was_held_credit = 0;
    reg was_created = 0, was_paid = 0, was_held = 0, was_forgotten = 0;
    always @(posedge clock) begin
        was_allowed <= !reset && is_allowed;
        was_mine <= !reset && s_visit_flow == flow;
        was_armed <= !reset && armed;
        was_granted <= !reset && m_packet_valid;
        was_decided <= !reset && is_decided;
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

    // Late flows that find no room stand in a line, the oldest in the lowest bits, until they
    // have held the ticket: to the grant, or until they have nothing to send or may not.
    reg [7:0] line = 0;
    reg [2:0] line_count = 0;
    wire      is_passed_over = is_sendable && !dut_grant;
    wire      leaves_line = is_decided && is_holder && !is_passed_over;
    wire      has_room = m_has_place && !m_packet_valid && !s_is_pending
        && (is_holder || !ticket_valid || !(m_grant_valid || ticket_is_due));
    wire      enters_line = is_sendable && !has_room && s_visit_levels[7] && !s_visit_is_queued;
    wire [2:0] line_left = line_count - leaves_line;
    always @(posedge clock) begin
        line <= (line >> (leaves_line ? 2 : 0)) & ~(8'hff << (2 * line_left))
            | (enters_line ? {6'd0, s_visit_flow} << (2 * line_left) : 8'd0);
        line_count <= reset ? 3'd0 : line_left + enters_line;
    end
    function [2:0] places(input [1:0] flow);
        integer i;
        begin
            places = 0;
            for (i = 0; i < 4; i = i + 1)
                places = places + (i < line_count && line[2 * i +: 2] == flow);
        end
    endfunction

    // Visits of a flow that are not bounced are 9 cycles apart or more, as they read what the one
    // before has stored. The grant before is written down by then (calendar.v).
    reg [3:0] since_visit = 15, since_packet = 15;
    reg       was_visit = 0;
    reg [1:0] was_flow = 0;
    wire      is_its_visit = is_decided && s_visit_flow == flow;
    always @(posedge clock) begin
        was_visit <= !reset && is_decided;
        was_flow <= s_visit_flow;
        since_visit <= reset ? 4'd15 : is_its_visit ? 4'd0 : since_visit + (since_visit != 15);
        since_packet <= reset ? 4'd15 : dut_grant ? 4'd0 : since_packet + (since_packet != 15);
    end
    always @* begin
        assume (!is_decided || !was_visit || s_visit_flow != was_flow);
        assume (!s_visit_valid || s_visit_is_queued == (places(s_visit_flow) != 0));
        assume (!is_its_visit || since_visit >= 8);
        assume (!s_is_pending || since_packet < 8);
    end

    // The flow's place in the line, what it was when it came, and tickets that ended since.
    reg [2:0] came_behind = 0, ended = 0;
    reg       is_refused = 0;
    wire      is_in_line = places(flow) != 0;
    reg [2:0] before;
    integer k;
    always @* begin
        before = 0;
        for (k = 0; k < 4; k = k + 1)
            if (k < line_count && line[2 * k +: 2] == flow)
                before = k;
    end
    always @(posedge clock) begin
        if (enters_line && s_visit_flow == flow) came_behind <= line_left;
        ended <= reset || (enters_line && s_visit_flow == flow) ? 3'd0 : ended + leaves_line;
        // Its visit with the ticket found a place, but a grant just before it.
        is_refused <= !reset && is_in_line && ticket_valid && ticket_flow == flow
            && (is_its_visit ? is_passed_over && m_has_place : is_refused);
    end
    reg was_refused = 0, was_waiting = 0, was_holder = 0;
    always @(posedge clock) begin
        was_refused <= !reset && is_refused;
        was_waiting <= !reset && s_visit_valid && !s_visit_is_call
            && (enters_line || s_visit_is_queued && !leaves_line);
        was_holder <= !reset && is_holder && is_passed_over;
    end

    // The design's memory holds the line: output register, the RAM's output, words, and what is
    // on its way; the head may be about to leave.
    wire [2:0] in_ram = held - ticket_valid - word_valid;
    wire [1:0] head_left = ticket_valid && !ticket_ends;
    reg        is_line_kept;
    reg [2:0]  at;
    integer j;
    always @* begin
        is_line_kept = held + joins == line_count + ticket_ends && in_ram <= 2
            && in_ram[1:0] == write_index - read_index && space == (held != 4)
            && (!ticket_ends || ticket_valid) && (ticket_valid || in_ram <= 1)
            && (word_valid || in_ram <= 1)
            && (!head_left || line[1:0] == ticket_flow)
            && (!word_valid || line[2 * head_left +: 2] == word);
        for (j = 0; j < 2; j = j + 1) begin
            at = head_left + word_valid + j;
            if (j < in_ram && line[2 * at[1:0] +: 2] != words[2 * ((read_index + j) & 3) +: 2])
                is_line_kept = 0;
        end
        at = head_left + word_valid + in_ram;
        if (joins && line[2 * at[1:0] +: 2] != m_visit_flow)
            is_line_kept = 0;
        if (ticket_ends && (!was_visit || was_flow != ticket_flow))
            is_line_kept = 0;
        if (joins && (!was_visit || was_flow != m_visit_flow))
            is_line_kept = 0;
    end

    always @* if (!is_first) begin
        model: assert (dut_armed[flow] == armed);
        allowed: assert (!m_packet_valid || was_allowed);
        once: assert (!granted || was_armed);
        paced: assert (!m_packet_valid || !was_granted);
        holder: assert (!must_grant || m_packet_valid);
        waiting: assert (is_line_kept && line_count <= 4);
        once_in_line: assert (places(0) <= 1 && places(1) <= 1 && places(2) <= 1 && places(3) <= 1);
        in_ring: assert ((!is_in_line || dut_in_ring[flow]) && (!dut_armed[flow] || dut_in_ring[flow]));
        returns: assert (!was_waiting || m_return_valid);
        hurries: assert (!was_holder || m_return_is_express);
        bound: assert (!is_in_line || before == came_behind - ended && came_behind <= 3);
        queued: assert (!m_store_valid || m_store_is_queued == (places(m_visit_flow) != 0));
        due: assert (!is_refused || ticket_is_due && !second_valid && since_packet >= since_visit
            && (!m_packet_valid || !was_refused));
        // It is refused once, and granted by the next visit.
        refused_once: assert (!is_refused || !is_its_visit || !is_sendable || dut_grant);
        kept_place: assert (!last_place_kept || !m_packet_valid);
        stored: assert (m_store_valid == was_decided);
        credit: assert (!m_store_valid
            || m_store_credit == (!was_created ? ZERO
                : m_packet_valid ? (was_paid ? was_spent : was_kept)
                : was_held ? was_held_credit : was_forgotten ? was_spent : was_kept));
    end
endmodule
