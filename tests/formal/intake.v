// Whose turn it is, by induction from reset, whatever comes. Proved: of two pop slots that are free
// one at least takes a pop that may be taken (`pop_in_turn`), and one at least a flow that the scan
// has found (`due_in_turn`); the intake is never without room for more than 8 cycles (`room`), and
// operations of one flow start 8 cycles apart (`apart`).
//
// Not proved, because it is not so: that a pop slot is free in time. Operations of one flow start
// every 8 cycles, and slots come every 4. While a stream always has an operation of one flow, there
// may be room in its own slot each time, and in the others never: so with s_inflight, if its first
// operation comes right behind a pop of its flow.
module intake_properties (
    input wire        clock,
    input wire        reset,
    input wire        s_work_valid,
    input wire [1:0]  s_work_flow,
    input wire        s_inflight_valid,
    input wire [1:0]  s_inflight_flow,
    input wire        s_rate_valid,
    input wire [1:0]  s_rate_flow,
    input wire        s_pop_valid,
    input wire [1:0]  s_pop_flow,
    input wire        s_due_valid,
    input wire [1:0]  s_due_flow,
    input wire        s_clean
);
    wire s_work_ready, s_inflight_ready, s_rate_ready, m_pop_taken, m_due_taken, m_start, m_end;
    wire [112:0] m_operation;
    wire [1:0]   m_end_flow;

    intake dut (
        .clock(clock), .reset(reset),
        .s_work_valid(s_work_valid), .s_work_ready(s_work_ready), .s_work_flow(s_work_flow),
        .s_work_len_bytes(14'd0), .s_work_frame_count(7'd0), .s_work_inflight_bytes(32'd0),
        .s_inflight_valid(s_inflight_valid), .s_inflight_ready(s_inflight_ready),
        .s_inflight_flow(s_inflight_flow), .s_inflight_inflight_bytes(32'd0),
        .s_rate_valid(s_rate_valid), .s_rate_ready(s_rate_ready), .s_rate_flow(s_rate_flow),
        .s_rate_op(2'd0), .s_rate_window_bytes(32'd0), .s_rate_rate(32'd0),
        .s_pop_valid(s_pop_valid), .s_pop_flow(s_pop_flow), .s_pop_queue(3'd0),
        .m_pop_taken(m_pop_taken), .s_due_valid(s_due_valid), .s_due_flow(s_due_flow),
        .m_due_taken(m_due_taken), .s_clean(s_clean), .s_now(20'd0), .m_start(m_start),
        .m_operation(m_operation), .m_end(m_end), .m_end_flow(m_end_flow)
    );

    // Registers of the design.
    wire        head_valid, empty_spare, due_waited, start;
    wire [1:0]  slot, head_flow;
    wire [6:0]  under_way;
    wire [13:0] flows;

    (* anyconst *) wire [1:0] flow;
    reg        is_first = 1;
    // The last free pop slot passed over a pop, or over a found flow.
    reg        missed_pop = 0, missed_due = 0;
    reg [3:0]  full = 0;
    reg [3:0]  since_start = 8;
    reg [3:0]  left;
    wire       is_slot = s_clean && empty_spare && slot == 0;
    wire [6:0] at, same;
    genvar i;
    for (i = 0; i < 7; i = i + 1) begin : stage
        assign at[i] = under_way[i] && flows[2 * i +: 2] == flow;
        assign same[i] = under_way[i] && flows[2 * i +: 2] == head_flow;
    end
    // For how long the head is held up.
    integer k;
    always @* begin
        left = 0;
        for (k = 0; k < 7; k = k + 1) if (same[k] && left == 0) left = 7 - k;
    end
    always @* assume (reset == is_first);
    always @(posedge clock) begin
        is_first <= 0;
        if (is_slot) begin
            missed_pop <= s_pop_valid && !m_pop_taken;
            missed_due <= s_due_valid && !m_due_taken;
        end
        full <= empty_spare ? 0 : full + 1;
        since_start <= start && head_flow == flow ? 0 : since_start == 8 ? 8 : since_start + 1;
        if (reset) begin
            missed_pop <= 0;
            missed_due <= 0;
            full <= 0;
            since_start <= 8;
        end
    end
    always @* if (!is_first) begin
        pop_in_turn: assert (!(is_slot && s_pop_valid && missed_pop) || m_pop_taken);
        due_in_turn: assert (!(is_slot && s_due_valid && missed_due) || m_due_taken);
        room: assert (full <= 8);
        apart: assert (!(start && head_flow == flow) || since_start >= 7);
        // What carries the induction.
        order: assert (empty_spare || head_valid);
        waited: assert (due_waited == missed_due && !(missed_pop && missed_due));
        counts: assert (since_start <= 8);
        under: assert (since_start < 7 ? at == 7'd1 << since_start : at == 0);
        held: assert (empty_spare || full + left <= 7);
    end
endmodule
