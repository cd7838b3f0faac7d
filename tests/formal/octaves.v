// The queues of due flows, at 4 flows, by induction from reset, for any two entries a and b, each a
// flow in a queue. Nothing is cut. Proved:
// - An entry that is pushed is in its queue once, as its head, as the word that is being fetched or
//   in the memory, until it is popped (`kept_a`, `distinct`); what is popped is inside (`popped`).
// - A queue is first in, first out, so that of its own at most 3 go before an entry (`fifo`).
// - What is popped is not later than any head that has been there for two cycles (`earliest`).
// - Once the deadline of `a` has come, an entry that is pushed from then on is popped before it only
//   right behind a pop of a's own queue, whose next head is not there yet (`after`).
//
// The bound on waiting follows. After its deadline an entry lets at most 31 go that were there
// before it passed (8 queues of 4, itself not), each once; of these at most 3 are of its own queue,
// and behind each of the 3 goes at most one that came later: 34 pops, so at most 34 grants. Until
// the deadline the line's time decides: it is twice the queue's shortest period after the push.
//
// Assumed, and proved in scheduler.v: a flow is not pushed to a queue that has an entry of it
// (there `twice_in_queue`), pops are 4 cycles apart at least (`pace`), from
// the third cycle on (`clear`), the line's time moves by 2 at
// most (`time_step`). Assumed only: no head waits for 2^18 units (32 MiB of the line's time), the
// reach of a comparison modulo 2^20.
module octaves_properties (
    input wire        clock,
    input wire        reset,
    input wire        s_push,
    input wire [1:0]  s_push_flow,
    input wire [2:0]  s_push_queue,
    input wire [19:0] s_time,
    input wire        s_pop
);
    wire       m_valid;
    wire [1:0] m_flow;
    wire [2:0] m_queue;

    octaves dut (
        .clock(clock), .reset(reset), .s_push(s_push), .s_push_flow(s_push_flow),
        .s_push_queue(s_push_queue), .s_time(s_time), .m_valid(m_valid), .m_flow(m_flow),
        .m_queue(m_queue), .s_pop(s_pop)
    );

    // Registers of the design.
    wire [7:0]   valid, fetching;
    wire [175:0] heads;
    wire [23:0]  writes, reads;
    wire [703:0] memory;
    wire [21:0]  word;
    wire [25:0]  four_0, four_1, best;

    (* anyconst *) wire [1:0] flow_a;
    (* anyconst *) wire [2:0] queue_a;
    (* anyconst *) wire [1:0] flow_b;
    (* anyconst *) wire [2:0] queue_b;

    // What is in the queue of a, in order; its number is behind it.
    reg [109:0] content_a;
    reg [3:0]   count_a;
    wire [2:0]  write_a = writes[3 * queue_a +: 3];
    wire [2:0]  read_a = reads[3 * queue_a +: 3];
    wire [2:0]  stored_a = write_a - read_a;
    wire        first_a = valid[queue_a] || fetching[queue_a];
    wire [21:0] head_a = heads[22 * queue_a +: 22];
    integer j;
    reg [1:0] place;
    always @* begin
        count_a = {1'b0, stored_a} + {3'd0, first_a};
        content_a = 0;
        for (j = 0; j < 4; j = j + 1) begin
            place = read_a[1:0] + j[1:0];
            content_a[22 * (j + first_a) +: 22] = memory[22 * {place, queue_a} +: 22];
        end
        if (first_a) content_a[21:0] = valid[queue_a] ? head_a : word;
    end

    // The entries: whether they are inside, how many are before them, deadlines.
    reg        is_first = 1;
    reg [1:0]  warm = 0;
    reg        in_a = 0, in_b = 0;
    reg [1:0]  before_a = 0;
    reg [19:0] deadline_a = 0, deadline_b = 0;
    // For how long a's queue has had its head, and a been inside; since the last pop, its queue, and
    // since the last one of a's queue.
    reg [1:0]  age_head = 0;
    reg [2:0]  age_a = 0;
    reg [2:0]  since_pop = 0;
    reg [2:0]  last_queue = 0;
    reg [2:0]  since_own = 0;
    // The deadline of a has come; b was pushed after that.
    reg        is_late = 0;
    reg        is_after = 0;
    reg [19:0] time_before = 0;
    reg [19:0] period;
    always @* period = 20'd8 << (2 * s_push_queue);
    wire push_a = s_push && s_push_flow == flow_a && s_push_queue == queue_a;
    wire push_b = s_push && s_push_flow == flow_b && s_push_queue == queue_b;
    wire pop_queue_a = s_pop && m_queue == queue_a;
    wire pop_a = pop_queue_a && m_flow == flow_a;
    wire pop_b = s_pop && m_queue == queue_b && m_flow == flow_b;

    // How far a deadline is away, and 2^18 units: ordered as the deadlines are.
    function [19:0] from(input [19:0] deadline);
        from = deadline - s_time + 20'h4_0000;
    endfunction
    function is_near(input [19:0] deadline);
        is_near = from(deadline) <= 20'h6_0000;
    endfunction
    // Likewise of what was a head one or two cycles ago, in which time has moved by so much.
    function is_near_yet(input [19:0] deadline, input [19:0] moved);
        is_near_yet = from(deadline) + moved <= 20'h6_0000 + moved;
    endfunction

    integer k;
    always @* begin
        assume (reset == is_first);
        assume (s_time - time_before <= 20'd2);
        if (s_pop) assume (m_valid && since_pop >= 3 && warm == 3);
        // No flow is pushed where it is.
        if (s_push) assume (!reset);
        if (s_push && s_push_queue == queue_a) for (k = 0; k < 5; k = k + 1)
            assume (k >= count_a || content_a[22 * k +: 2] != s_push_flow);
        if (push_b) assume (!in_b);
`ifndef ENTRIES
        for (k = 0; k < 8; k = k + 1)
            assume (!valid[k] || is_near(heads[22 * k + 2 +: 20]));
        for (k = 0; k < 5; k = k + 1)
            assume (k >= count_a || is_near(content_a[22 * k + 2 +: 20]));
        assume (!in_b || is_near(deadline_b));
        // `deadline` says so of a, which is any entry; only one is popped in a cycle.
        if (pop_b) assume (in_b && best[25:6] == deadline_b);
`endif
    end
    always @(posedge clock) begin
        is_first <= 0;
        if (warm != 3) warm <= warm + 1;
        time_before <= s_time;
        if (pop_a) in_a <= 0;
        if (pop_b) in_b <= 0;
        if (pop_queue_a && in_a && before_a != 0) before_a <= before_a - 1;
        if (push_a) begin
            in_a <= 1;
            deadline_a <= s_time + period;
            before_a <= count_a - {3'd0, pop_queue_a};
        end
        age_head <= valid[queue_a] && !pop_queue_a ? (age_head == 2 ? 2 : age_head + 1) : 0;
        age_a <= push_a ? 0 : age_a == 4 ? 4 : age_a + 1;
        since_own <= pop_queue_a ? 0 : since_own == 7 ? 7 : since_own + 1;
        since_pop <= s_pop ? 0 : since_pop == 7 ? 7 : since_pop + 1;
        if (s_pop) last_queue <= m_queue;
        is_late <= in_a && !pop_a && (is_late || from(deadline_a) <= 20'h4_0000);
        if (push_b) begin
            in_b <= 1;
            deadline_b <= s_time + period;
            is_after <= is_late && in_a && !pop_a;
        end else if (!in_a || pop_a || pop_b) is_after <= 0;
        if (reset) begin
            in_a <= 0;
            in_b <= 0;
            age_head <= 0;
            age_a <= 0;
            since_pop <= 7;
            since_own <= 7;
            warm <= 0;
            is_late <= 0;
            is_after <= 0;
        end
    end

    wire [21:0] at_a = content_a[22 * before_a +: 22];
    wire [25:0] four_a = queue_a[2] ? four_1 : four_0;
    reg is_distinct;
    integer m, n;
    always @* begin
        is_distinct = 1;
        for (m = 0; m < 5; m = m + 1) for (n = 0; n < m; n = n + 1)
            if (m < count_a && content_a[22 * m +: 2] == content_a[22 * n +: 2]) is_distinct = 0;
    end
    // Whether a is there, b ahead of it, and deadlines in order.
    reg has_a, is_b_ahead, is_ordered;
    reg [7:0] wants, fetched;
    integer p;
    always @* begin
        has_a = 0;
        is_b_ahead = 0;
        is_ordered = 1;
        for (p = 0; p < 5; p = p + 1) if (p < count_a) begin
            if (content_a[22 * p +: 2] == flow_a) has_a = 1;
            if (content_a[22 * p +: 2] == flow_b && queue_a == queue_b && p <= before_a)
                is_b_ahead = 1;
            if (p > 0 && from(content_a[22 * p + 2 +: 20]) < from(content_a[22 * (p - 1) + 2 +: 20]))
                is_ordered = 0;
            if (from(content_a[22 * p + 2 +: 20]) > 20'h4_0000 + (20'd8 << (2 * queue_a)))
                is_ordered = 0;
        end
        for (p = 0; p < 8; p = p + 1)
            wants[p] = !valid[p] && !fetching[p] && writes[3 * p +: 3] != reads[3 * p +: 3];
        wants[last_queue] = wants[last_queue] && since_pop != 0;
        fetched = fetching;
        fetched[last_queue] = fetching[last_queue] && since_pop != 1;
    end
    wire [1:0] seen = since_own <= 2 ? 0 : since_own == 3 ? 1 : 2;

    // Three proofs: the first two of what is said are assumed in those behind them.
`ifdef ENTRIES
`define ENTRY assert
`else
`define ENTRY assume
`endif
    always @* if (!is_first) begin
        kept_a: `ENTRY (in_a == has_a && (!in_a || (before_a < count_a && at_a == {deadline_a, flow_a})));
        distinct: `ENTRY (is_distinct && count_a <= 4);
        popped: `ENTRY (!pop_queue_a || (valid[queue_a] && m_flow == head_a[1:0]));
        fifo: `ENTRY (!(pop_queue_a && in_a) || pop_a == (before_a == 0));
        deadline: `ENTRY (!pop_a || (in_a && best[25:6] == deadline_a));
        // What carries the induction.
        heads_a: `ENTRY (!(valid[queue_a] && fetching[queue_a])
            && (age_head == 0 || valid[queue_a]) && age_head <= 2 && age_head <= warm && age_a <= 4);
        fetches: `ENTRY (wants == 0 && fetched == 0);
        pops: `ENTRY (since_own >= since_pop
            && (since_own > 3 || since_own != since_pop || last_queue == queue_a)
            && (last_queue != queue_a || since_pop == 7 || since_own == since_pop));
        four: `ENTRY (warm < 1 || !four_a[0] || four_a[3:1] != queue_a || (since_pop < 1 && last_queue == queue_a)
            || (valid[queue_a] && four_a[25:4] == head_a));
        chosen: `ENTRY (warm < 2 || !best[0] || best[3:1] != queue_a || (since_pop < 2 && last_queue == queue_a)
            || (valid[queue_a] && best[25:4] == head_a));
        halves: `ENTRY (warm < 1 || ((!four_0[0] || !four_0[3]) && (!four_1[0] || four_1[3])));
    end
`ifndef ENTRIES
`ifdef EARLIEST
`define HEAD assert
`else
`define HEAD assume
`endif
    always @* if (!is_first) begin
        earliest: `HEAD (!(s_pop && age_head == 2)
            || from(best[25:6]) + 20'd4 <= from(head_a[21:2]) + 20'd4);
        // What carries the induction.
        near: `HEAD ((warm < 1 || ((!four_0[0] || is_near_yet(four_0[25:6], 20'd2))
            && (!four_1[0] || is_near_yet(four_1[25:6], 20'd2))))
            && (warm < 2 || !best[0] || is_near_yet(best[25:6], 20'd4)));
        earliest_four: `HEAD (age_head == 0
            || (four_a[0] && from(four_a[25:6]) + 20'd4 <= from(head_a[21:2]) + 20'd4));
        earliest_best: `HEAD (age_head != 2
            || (best[0] && from(best[25:6]) + 20'd4 <= from(head_a[21:2]) + 20'd4));
    end
`endif
`ifdef AFTER
    always @* if (!is_first) begin
        after: assert (!(pop_b && is_after) || since_own == 3);
        // What carries the induction.
        order: assert (is_ordered);
        ready: assert (count_a == 0 || valid[queue_a] || since_own < 2);
        ages: assert (!in_a || age_head >= seen || (age_a < 2 && age_head >= age_a));
        soon: assert (!in_a || age_a == 4
            || from(deadline_a) + 20'd2 * age_a + 20'd2 >= 20'h4_0008);
        late: assert (!is_late || (in_a && age_a == 4 && from(deadline_a) <= 20'h4_0000));
        later: assert (!is_after || (is_late && in_b && from(deadline_b) > from(deadline_a)
            && !is_b_ahead));
    end
`endif
endmodule
