// One queue of due flows (any of the eight), at 4 flows, by induction from reset. The memory that
// the queues share is here the 4 places of this queue. Proved of any flow:
// - From its push to its pop it has exactly one entry: the head, the one behind it, the word that is
//   being fetched, or a place of the memory, with its deadline (`kept`, `distinct`); a head is inside (`inside`).
// - First in, first out: at most 3 others of the queue go before it, and each pop of the queue
// takes one of them away (`fifo`, `before`).
// - A queue that is not empty has a head (`ready`), and wants the memory only in the first cycle
//   after a pop (`wants`), so that two queues never want it at once; a head stays until it is
//   popped (`stays`). No place outside the queue's own is written or read (`own`).
//
// Assumed, and proved in scheduler.v: no flow is pushed where it is (`twice_in_queue`), pops are 4
// cycles apart at least (`pace`). Assumed of octaves.rs, which takes them from the chosen head: a
// pop comes with a head. The memory is read as soon as it is wanted, as `wants` allows.
//
// The bound on waiting, with earlier.v. Pops choose the earliest of the heads of two cycles before.
// So once the deadline of an entry has come, and what is pushed from then on has a later one, each
// pop takes an entry that was there before: there are 31 of them at most (8 queues of 4, without
// itself), and not more grants. The comparisons hold while no entry
// waits for 2^18 units of the line's time (32 MiB). Until the deadline the line's time decides.
module octave_properties (
    input wire        clock,
    input wire        reset,
    input wire        s_push,
    input wire [21:0] s_entry,
    input wire        s_pop
);
    (* anyconst *) wire [2:0] number;
    wire [25:0] m_head;
    wire        m_wants, m_stores;
    wire [4:0]  m_write, m_read;
    reg  [21:0] word;
    reg  [87:0] memory;

    octave dut (
        .clock(clock), .reset(reset), .s_number(number), .s_push(s_push), .s_entry(s_entry),
        .s_pop(s_pop), .s_fetch(m_wants), .s_word(word), .m_head(m_head), .m_wants(m_wants),
        .m_stores(m_stores), .m_write(m_write), .m_read(m_read)
    );

    // Registers of the design.
    wire        valid, second_valid, fetching;
    wire [21:0] head, second;
    wire [2:0]  write, read;

    // What is in the queue, in order.
    wire [2:0]   stored = write - read;
    wire [3:0]   count = {1'b0, stored} + {3'd0, valid} + {3'd0, second_valid} + {3'd0, fetching};
    wire [87:0]  rotated = {memory, memory} >> (22 * read[1:0]);
    wire [109:0] behind_second = fetching ? {rotated, word} : {22'd0, rotated};
    wire [131:0] behind_head = second_valid ? {behind_second, second} : {22'd0, behind_second};
    wire [153:0] content = valid ? {behind_head, head} : {22'd0, behind_head};

    // Any one flow: whether it is inside, behind how many, and its deadline.
    (* anyconst *) wire [1:0] flow;
    reg        is_first = 1;
    reg        is_in = 0;
    reg [1:0]  before = 0;
    reg [19:0] deadline = 0;
    reg [2:0]  since_pop = 7;
    reg [22:0] head_before = 0;
    wire       pop_it = s_pop && head[1:0] == flow;
    reg        has_it, is_distinct, has_pushed;
    integer m, n;
    always @* begin
        has_it = 0;
        has_pushed = 0;
        is_distinct = 1;
        for (m = 0; m < 5; m = m + 1) if (m < count) begin
            if (content[22 * m +: 2] == flow) has_it = 1;
            if (content[22 * m +: 2] == s_entry[1:0]) has_pushed = 1;
            for (n = 0; n < m; n = n + 1)
                if (content[22 * m +: 2] == content[22 * n +: 2]) is_distinct = 0;
        end
    end
    always @* begin
        assume (reset == is_first);
        if (s_pop) assume (valid && since_pop >= 3);
        if (s_push) assume (!has_pushed);
    end
    always @(posedge clock) begin
        is_first <= 0;
        if (m_stores) memory[22 * m_write[4:3] +: 22] <= s_entry;
        if (m_wants) word <= memory[22 * m_read[4:3] +: 22];
        head_before <= {valid && !s_pop, head};
        since_pop <= s_pop ? 0 : since_pop == 7 ? 7 : since_pop + 1;
        if (pop_it) is_in <= 0;
        if (s_pop && before != 0) before <= before - 1;
        if (s_push && s_entry[1:0] == flow) begin
            is_in <= 1;
            before <= count - {3'd0, s_pop};
            deadline <= s_entry[21:2];
        end
        if (reset) begin
            is_in <= 0;
            since_pop <= 7;
            head_before <= 0;
        end
    end
    always @* if (!is_first) begin
        kept: assert (is_in == has_it && (!is_in || (before < count
            && content[22 * before +: 22] == {deadline, flow})));
        distinct: assert (is_distinct && count <= 4);
        inside: assert (!(valid && head[1:0] == flow) || (is_in && head[21:2] == deadline));
        fifo: assert (!(s_pop && is_in) || pop_it == (before == 0));
        ready: assert (count == 0 || valid);
        wants: assert (!m_wants || since_pop == 0);
        stays: assert (!head_before[22] || (valid && head == head_before[21:0]));
        own: assert (m_write[2:0] == number && m_read[2:0] == number && m_head[3:1] == number);
        // What carries the induction.
        alone: assert (!second_valid || valid);
        one: assert (!fetching || (valid && !second_valid && since_pop == 1));
        filled: assert ((stored == 0 && !fetching) || second_valid || since_pop < 2);
    end
endmodule
