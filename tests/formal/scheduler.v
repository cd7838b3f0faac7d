// Properties of the scheduler of 4 flows, by induction: the window of any flow, whatever the order
// of visits and calls is (ring, turns and the product of the credit are cut, see tests/formal.rs).
module scheduler_properties (
    input wire        clock,
    input wire        reset,
    input wire        s_work_valid,
    input wire [1:0]  s_work_flow,
    input wire [13:0] s_work_len_bytes,
    input wire [31:0] s_work_inflight_bytes,
    input wire        s_inflight_valid,
    input wire [1:0]  s_inflight_flow,
    input wire [31:0] s_inflight_inflight_bytes,
    input wire        s_rate_valid,
    input wire [1:0]  s_rate_flow,
    input wire [1:0]  s_rate_op,
    input wire [31:0] s_rate_window_bytes,
    input wire [31:0] s_rate_rate,
    input wire        m_grant_ready,
    input wire [32:0] acknowledged
);
    localparam [1:0] REMOVE = 2'd2;

    wire       s_work_ready, s_inflight_ready, s_rate_ready, m_grant_valid;
    wire [1:0] m_grant_flow;

    scheduler dut (
        .clock(clock), .reset(reset),
        .s_work_valid(s_work_valid), .s_work_ready(s_work_ready), .s_work_flow(s_work_flow),
        .s_work_len_bytes(s_work_len_bytes), .s_work_inflight_bytes(s_work_inflight_bytes),
        .s_inflight_valid(s_inflight_valid), .s_inflight_ready(s_inflight_ready),
        .s_inflight_flow(s_inflight_flow), .s_inflight_inflight_bytes(s_inflight_inflight_bytes),
        .s_rate_valid(s_rate_valid), .s_rate_ready(s_rate_ready), .s_rate_flow(s_rate_flow),
        .s_rate_op(s_rate_op), .s_rate_window_bytes(s_rate_window_bytes), .s_rate_rate(s_rate_rate),
        .m_grant_valid(m_grant_valid), .m_grant_ready(m_grant_ready), .m_grant_flow(m_grant_flow)
    );

    // Registers of the design.
    wire [31:0] inflight_0, inflight_1, inflight_2, inflight_3;
    wire [63:0] rate_0, rate_1, rate_2, rate_3;
    wire [3:0]  created, armed;
    // The visits on their way, by stage: stage 0 is a cycle behind the read of the flow's state.
    wire [15:0] visit_flow;
    wire [7:0]  visit_valid;
    wire [6:0]  visit_stale;
    wire [5:0]  visit_created;
    wire [5:0]  visit_open;
    wire        inflight_forwarded, rate_forwarded, word_created;
    wire [31:0] inflight_written, inflight_read, inflight_word;
    wire [63:0] rate_written, rate_read, rate_word;
    wire [1:0]  created_flow;
    wire        work_valid, first_valid, second_valid;
    wire [1:0]  work_flow, first_flow, second_flow;

    // Any one flow, its window, and its user: one packet asked for at a time, the bytes in flight told
    // as they are, the window left as it is.
    (* anyconst *) wire [1:0] flow;
    (* anyconst *) wire [31:0] window;
    reg         is_first = 1;
    reg         waits = 0;
    reg  [13:0] len = 0;
    reg  [32:0] sent = 0;
    wire        asks = s_work_valid && s_work_ready && s_work_flow == flow;
    wire        sends = m_grant_valid && m_grant_ready && m_grant_flow == flow;
    initial assume (reset);
    always @* begin
        assume (is_first || !reset);
        assume (acknowledged <= sent);
        assume (window < 32'hffff_c000);
        if (s_work_valid && s_work_flow == flow)
            assume (!reset && !waits && s_work_inflight_bytes == sent[31:0]);
        if (s_inflight_valid && s_inflight_flow == flow)
            assume (s_inflight_inflight_bytes == sent[31:0]);
        if (s_rate_valid && s_rate_flow == flow)
            assume (s_rate_op != REMOVE && s_rate_window_bytes == window);
    end
    always @(posedge clock) begin
        is_first <= 0;
        waits <= !reset && (asks || (waits && !sends));
        if (asks) len <= s_work_len_bytes;
        sent <= sent - acknowledged + (sends && !reset ? {19'd0, len} : 33'd0);
    end

    wire [31:0] inflight = flow == 0 ? inflight_0 : flow == 1 ? inflight_1
        : flow == 2 ? inflight_2 : inflight_3;
    wire [63:0] rate = flow == 0 ? rate_0 : flow == 1 ? rate_1 : flow == 2 ? rate_2 : rate_3;
    wire [3:0] holds = {work_valid && work_flow == flow, armed[flow],
        first_valid && first_flow == flow, second_valid && second_flow == flow};
    wire [7:0] is_at, is_fresh;
    genvar i;
    for (i = 0; i < 8; i = i + 1) begin : stage
        assign is_at[i] = visit_valid[i] && visit_flow[2 * i +: 2] == flow;
        if (i > 0) assign is_fresh[i] = waits && !visit_stale[i - 1];
    end
    wire is_open = sent == 0 || sent < window;
    always @* if (!is_first) begin
        // A packet goes with nothing in flight, or inside the window: in flight are never more bytes
        // than the window and one packet.
        sends_inside: assert (!sends || is_open);
        window_plus_one: assert (sent == 0 || sent < {1'b0, window} + 33'd16384);
        // One grant for each packet asked for.
        once: assert (holds == (waits ? holds & -holds : 0) && waits == |holds);
        // What carries the induction.
        known: assert (!waits || sent <= inflight);
        kept: assert (!created[flow] || rate[63:32] == window);
        granted: assert (!(holds[0] || holds[1]) || is_open);
        order: assert (!second_valid || first_valid);
        alike: assert (created_flow == visit_flow[1:0]);
        read: assert (!is_at[0] || inflight == (inflight_forwarded ? inflight_written : inflight_read));
        read_rate: assert (!is_at[0] || rate == (rate_forwarded ? rate_written : rate_read));
        word: assert (!(is_at[1] && waits && !visit_stale[0]) || sent <= inflight_word);
        word_rate: assert (!(is_at[1] && word_created) || rate_word[63:32] == window);
        visit_2: assert (!(is_at[2] && is_fresh[2] && visit_created[0] && visit_open[0]) || is_open);
        visit_3: assert (!(is_at[3] && is_fresh[3] && visit_created[1] && visit_open[1]) || is_open);
        visit_4: assert (!(is_at[4] && is_fresh[4] && visit_created[2] && visit_open[2]) || is_open);
        visit_5: assert (!(is_at[5] && is_fresh[5] && visit_created[3] && visit_open[3]) || is_open);
        visit_6: assert (!(is_at[6] && is_fresh[6] && visit_created[4] && visit_open[4]) || is_open);
        visit_7: assert (!(is_at[7] && armed[flow] && !visit_stale[6] && visit_created[5] && visit_open[5])
            || is_open);
    end
endmodule
