// Properties of the order of visits of 4 flows, by induction: the design's registers are named in
// the connects of tests/formal.rs. A turn is free when no flow is armed or called.
module active_ring_properties (
    input wire       clock,
    input wire       reset,
    input wire       s_arm_valid,
    input wire [1:0] s_arm_flow,
    input wire       s_return_valid,
    input wire [1:0] s_return_flow,
    input wire       s_return_is_express,
    input wire       s_call_valid,
    input wire [1:0] s_call_flow
);
    wire       m_visit_valid, m_visit_is_call;
    wire [1:0] m_visit_flow;

    active_ring dut (
        .clock(clock), .reset(reset),
        .s_arm_valid(s_arm_valid), .s_arm_flow(s_arm_flow),
        .s_return_valid(s_return_valid), .s_return_flow(s_return_flow),
        .s_return_is_express(s_return_is_express),
        .s_call_valid(s_call_valid), .s_call_flow(s_call_flow),
        .m_visit_valid(m_visit_valid), .m_visit_flow(m_visit_flow),
        .m_visit_is_call(m_visit_is_call)
    );

    // Registers of the design, and who is taken.
    wire        pop, pop_express, is_express_turn;
    wire [1:0]  head, tail, ram_read_data, choice_flow;
    wire [2:0]  count, express_head, express_tail;
    wire [3:0]  express_count;
    wire [7:0]  ring;
    wire [15:0] express;
    wire        ring_chosen, express_chosen, arm_chosen, call_chosen;

    reg is_first = 1;
    initial assume (reset);
    always @(posedge clock) is_first <= 0;

    // Who stands in which line: who stood longest is in the lowest bits.
    reg [7:0] line = 0, fast_line = 0;
    reg [2:0] line_count = 0, fast_count = 0;
    wire      to_fast = s_return_valid && s_return_is_express;
    wire      to_line = s_return_valid && !s_return_is_express;
    wire      is_free = !s_arm_valid && !s_call_valid;
    wire [2:0] line_left = line_count - pop, fast_left = fast_count - pop_express;
    always @(posedge clock) begin
        line <= (line >> (pop ? 2 : 0)) & ~(8'hff << (2 * line_left))
            | (to_line ? {6'd0, s_return_flow} << (2 * line_left) : 8'd0);
        fast_line <= (fast_line >> (pop_express ? 2 : 0)) & ~(8'hff << (2 * fast_left))
            | (to_fast ? {6'd0, s_return_flow} << (2 * fast_left) : 8'd0);
        line_count <= reset ? 3'd0 : line_left + to_line;
        fast_count <= reset ? 3'd0 : fast_left + to_fast;
    end

    // The choice of a cycle, and its visit two cycles later.
    reg       taken_1 = 0, taken_2 = 0, arm_1 = 0, arm_2 = 0, call_1 = 0, call_2 = 0, fast_1 = 0;
    reg [1:0] flow_1 = 0, flow_2 = 0;
    always @(posedge clock) begin
        taken_1 <= !reset && (pop || pop_express);
        fast_1 <= pop_express;
        arm_1 <= !reset && s_arm_valid;
        call_1 <= !reset && s_call_valid && !s_arm_valid;
        flow_1 <= s_arm_valid ? s_arm_flow : s_call_valid ? s_call_flow
            : pop_express ? fast_line[1:0] : line[1:0];
        taken_2 <= !reset && taken_1;
        arm_2 <= !reset && arm_1;
        call_2 <= !reset && call_1;
        flow_2 <= flow_1;
    end

    // A flow is in the ring at most once: it comes back after its visit.
    function [3:0] places(input [1:0] flow);
        integer i;
        begin
            places = (taken_1 && flow_1 == flow) + (taken_2 && flow_2 == flow);
            for (i = 0; i < 4; i = i + 1) begin
                places = places + (i < line_count && line[2 * i +: 2] == flow);
                places = places + (i < fast_count && fast_line[2 * i +: 2] == flow);
            end
        end
    endfunction
    always @* assume (!s_return_valid || places(s_return_flow) == 0);

    // Free turns that any one flow has waited, and how many stood before it when it came.
    (* anyconst *) wire [1:0] flow;
    reg [3:0] waited = 0;
    reg [2:0] came_behind = 0;
    wire      comes = s_return_valid && s_return_flow == flow;
    always @(posedge clock) begin
        if (comes) begin
            waited <= 0;
            came_behind <= to_fast ? fast_left : line_left;
        end else waited <= waited + is_free;
    end
    reg       stands = 0, stands_fast = 0;
    reg [2:0] before = 0;
    integer k;
    always @* begin
        stands = 0;
        stands_fast = 0;
        before = 0;
        for (k = 0; k < 4; k = k + 1) begin
            if (k < line_count && line[2 * k +: 2] == flow) begin
                stands = 1;
                before = k;
            end
            if (k < fast_count && fast_line[2 * k +: 2] == flow) begin
                stands = 1;
                stands_fast = 1;
                before = k;
            end
        end
    end

    // The design's memories hold the lines.
    reg is_line_kept, is_fast_kept;
    integer j;
    always @* begin
        is_line_kept = count == line_count && tail == head + count[1:0];
        is_fast_kept = express_count == fast_count && express_tail == express_head + express_count[2:0];
        for (j = 0; j < 4; j = j + 1) begin
            if (j < line_count && ring[2 * ((head + j) & 3) +: 2] != line[2 * j +: 2])
                is_line_kept = 0;
            if (j < fast_count && express[2 * ((express_head + j) & 7) +: 2] != fast_line[2 * j +: 2])
                is_fast_kept = 0;
        end
    end

    always @* if (!is_first) begin
        kept: assert (is_line_kept && is_fast_kept);
        once: assert (places(0) <= 1 && places(1) <= 1 && places(2) <= 1 && places(3) <= 1
            && line_count <= 4 && fast_count <= 4);
        // No free turn is lost, and none is taken twice.
        take: assert (pop + pop_express == (is_free && (line_count != 0 || fast_count != 0)));
        taken: assert ((!pop || line_count != 0) && (!pop_express || fast_count != 0));
        choice: assert (ring_chosen == (taken_1 && !fast_1) && express_chosen == (taken_1 && fast_1)
            && arm_chosen == arm_1 && call_chosen == call_1
            && (!taken_1 && !arm_1 && !call_1
                || (ring_chosen ? ram_read_data : choice_flow) == flow_1));
        visit: assert (m_visit_valid == (taken_2 || arm_2 || call_2)
            && m_visit_is_call == call_2
            && m_visit_flow == (m_visit_valid ? flow_2 : 2'd0));
        // Each line has every other free turn at least: n flows before one cost it 2 n turns.
        pace: assert (!stands || before <= came_behind
            && waited <= 2 * (came_behind - before) + (is_express_turn == stands_fast));
        bound: assert (!stands || waited < 2 * (came_behind + 1));
    end
endmodule
