// Whose turn it is, by induction from reset, whatever comes. Proved, of the cycles from s_clean on:
// - Each slot is free again within 32 cycles, or passes with nobody to use it (`slot_in_time`),
//   because the intake is never without room for more than 7 (`room`), and slots that somebody would
//   use, and pop slots, wait meanwhile.
// - Of two free pop slots one at least takes a pop that may be taken (`pop_in_turn`), and one at
//   least a flow that the scan has found (`due_in_turn`). So a pop that may be taken is taken within
//   64 cycles (`pop_in_time`), and so is a flow that was found (`due_in_time`).
// - What is taken starts within 15 cycles (`starts_in_time`); operations of one flow start 8 cycles
//   apart (`apart`).
// - What others assume: pops are 4 cycles apart at least (`pops_apart`; octave.v, octaves.v), and
//   come when one may be taken (`pops_valid`); a flow is taken if one is told (`found`; scan.v).
//
// Assumed: the rows stay clean (scheduler.v, `stays_clean`).
module intake_properties (
    input wire        clock,
    input wire        reset,
    input wire        s_work_valid,
    input wire [1:0]  s_work_flow,
    input wire        s_rate_valid,
    input wire [1:0]  s_rate_flow,
    input wire        s_pop_valid,
    input wire [1:0]  s_pop_flow,
    input wire        s_due_valid,
    input wire [1:0]  s_due_flow,
    input wire        s_clean
);
    wire s_work_ready, s_rate_ready, m_pop_taken, m_due_taken, m_start, m_end;
    wire [112:0] m_operation;
    wire [1:0]   m_end_flow;

    intake dut (
        .clock(clock), .reset(reset),
        .s_work_valid(s_work_valid), .s_work_ready(s_work_ready), .s_work_flow(s_work_flow),
        .s_work_len_bytes(14'd0), .s_work_frame_count(7'd0), .s_work_inflight_bytes(32'd0),
        .s_rate_valid(s_rate_valid), .s_rate_ready(s_rate_ready), .s_rate_flow(s_rate_flow),
        .s_rate_op(2'd0), .s_rate_window_bytes(32'd0), .s_rate_rate(32'd0),
        .s_pop_valid(s_pop_valid), .s_pop_flow(s_pop_flow), .s_pop_queue(3'd0),
        .m_pop_taken(m_pop_taken), .s_due_valid(s_due_valid), .s_due_flow(s_due_flow),
        .m_due_taken(m_due_taken), .s_clean(s_clean), .s_now(20'd0), .m_start(m_start),
        .m_operation(m_operation), .m_end(m_end), .m_end_flow(m_end_flow)
    );

    // Registers of the design.
    wire        head_valid, empty_spare, due_waited, start, valid;
    wire [1:0]  slot, head_flow;
    wire [6:0]  under_way;
    wire [13:0] flows;

    (* anyconst *) wire [1:0] flow, which;
    reg        is_first = 1, was_clean = 0;
    // The last free pop slot passed over a pop, or over a found flow.
    reg        missed_pop = 0, missed_due = 0;
    // Cycles without room, from a free slot to the next one, and that a pop and a flow have waited.
    reg [3:0]  full = 0;
    reg [5:0]  since_slot = 0;
    reg [6:0]  pop_waits = 0, due_waits = 0;
    reg [2:0]  since_pop = 7;
    // Since the operations that wait were taken.
    reg [4:0]  head_age = 0, spare_age = 0;
    reg [3:0]  since_start = 8;
    reg [3:0]  left;
    wire       is_slot = s_clean && empty_spare && slot == 0;
    wire       advances = start || !head_valid;
    wire [6:0] at, same;
    genvar i;
    for (i = 0; i < 7; i = i + 1) begin : stage
        assign at[i] = under_way[i] && flows[2 * i +: 2] == flow;
        assign same[i] = under_way[i] && flows[2 * i +: 2] == head_flow;
    end
    // For how long the head is held up, and how long it is at most until a slot is free.
    integer k;
    always @* begin
        left = 0;
        for (k = 0; k < 7; k = k + 1) if (same[k] && left == 0) left = 7 - k;
    end
    wire [1:0] slots_to = which - slot, slots_to_pop = 2'd0 - slot;
    wire [6:0] until_room = empty_spare ? 7'd0 : {3'd0, left} + 7'd1;
    wire [6:0] until_slot = until_room + {2'd0, slots_to, 3'd0};
    wire [6:0] until_pop = until_room + {2'd0, slots_to_pop, 3'd0};
    always @* begin
        assume (reset == is_first);
        assume (s_clean || !was_clean);
    end
    always @(posedge clock) begin
        is_first <= 0;
        was_clean <= s_clean && !reset;
        if (is_slot) begin
            missed_pop <= s_pop_valid && !m_pop_taken;
            missed_due <= s_due_valid && !m_due_taken;
        end
        full <= empty_spare ? 0 : full + 1;
        since_slot <= !s_clean || (slot == which && (empty_spare || (!valid && slot != 0)))
            ? 0 : since_slot + 1;
        pop_waits <= s_clean && s_pop_valid && !m_pop_taken ? pop_waits + 1 : 0;
        due_waits <= s_clean && s_due_valid && !m_due_taken ? due_waits + 1 : 0;
        since_pop <= m_pop_taken ? 0 : since_pop == 7 ? 7 : since_pop + 1;
        spare_age <= empty_spare ? 0 : spare_age + 1;
        head_age <= !advances ? head_age + 1 : empty_spare ? 0 : spare_age + 1;
        since_start <= start && head_flow == flow ? 0 : since_start == 8 ? 8 : since_start + 1;
        if (reset) begin
            missed_pop <= 0;
            missed_due <= 0;
            full <= 0;
            since_slot <= 0;
            pop_waits <= 0;
            due_waits <= 0;
            since_pop <= 7;
            since_start <= 8;
        end
    end
    always @* if (!is_first) begin
        slot_in_time: assert (since_slot < 32);
        pop_in_time: assert (pop_waits < 64);
        due_in_time: assert (due_waits < 64);
        pop_in_turn: assert (!(is_slot && s_pop_valid && missed_pop) || m_pop_taken);
        due_in_turn: assert (!(is_slot && s_due_valid && missed_due) || m_due_taken);
        room: assert (empty_spare || full < 7);
        starts_in_time: assert (!head_valid || head_age < 15);
        apart: assert (!(start && head_flow == flow) || since_start >= 7);
        pops_apart: assert (!m_pop_taken || since_pop >= 3);
        pops_valid: assert (!m_pop_taken || s_pop_valid);
        found: assert (!m_due_taken || s_due_valid);
    end
    // What carries the induction.
    always @* if (!is_first) begin
        order: assert (empty_spare || head_valid);
        waited: assert (due_waited == missed_due && !(missed_pop && missed_due));
        counts: assert (since_start <= 8);
        under: assert (since_start < 7 ? at == 7'd1 << since_start : at == 0);
        held: assert (empty_spare || full + left <= 6);
        next: assert (!was_clean || since_slot + until_slot < 32);
        pop_next: assert (!was_clean || pop_waits + until_pop < (missed_pop ? 64 : 32));
        due_next: assert (!was_clean || due_waits + until_pop < (missed_due ? 64 : 32));
        unclean: assert (was_clean || (since_slot == 0 && pop_waits == 0 && due_waits == 0
            && !head_valid && empty_spare && slot == 0));
        ages: assert ((!head_valid || head_age + left < 15)
            && (empty_spare || spare_age + left < 7));
        slots: assert ({1'b0, slots_to_pop} + since_pop >= 3);
    end
endmodule
