// One queue of due flows (any of the eight), at 4 flows, by induction from reset. The memory that
// the queues share is here the 4 places of this queue. Proved of any flow:
// - From its push to its pop it has exactly one entry: the head, the second, the word that is being
//   fetched, or a place of the memory, with its deadline (`kept`, `distinct`, `inside`).
// - First in, first out: at most 3 others of the queue go before it, and each pop of the queue
// takes the first of them away (`fifo`).
// - A queue that is not empty has a head (`ready`), which stays until it is popped (`stays`). The
//   queue wants the memory only in the cycle behind a pop (`wants`), so that two never want it at
//   once. It writes and reads its own places only (`own`).
//
// Assumed, and proved elsewhere: no flow is pushed where it is, pops are 4 cycles apart at least
// (scheduler.v, `twice_in_queue` and `pace`), a pop comes with a head (octaves.v, `front`). The
// memory is read as soon as it is wanted, as `wants` allows.
// Not proved: that octaves.rs leads pushes, words and pops to the queue that they are for.
//
// The bound on waiting, with octaves.v. A pop takes the earliest of the heads of two cycles
// before. An entry's queue has a head then, which is not later than the entry: pushes of a queue
// come in the order of their deadlines, because time does not go back (scheduler.v, `time_step`).
// Once the deadline of the entry has come, what is pushed from then on has a later one. So each
// pop takes an entry that was there before, 31 of them at most (8 queues of 4, without itself),
// until it takes the entry: 31 pops, and not more grants of others. Until the deadline the line's
// time decides. The comparisons hold while no entry waits for 2^18 units of the line's time (128
// MiB).
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
    wire        valid, fetching;
    wire        second_valid, in_memory;
    wire [21:0] head, second;
    wire [2:0]  write, read;

    // What is in the queue, in order.
    wire [2:0]   stored = write - read;
    wire [3:0]   count = {1'b0, stored} + {3'd0, valid} + {3'd0, second_valid} + {3'd0, fetching};
    wire [175:0] places = {memory, memory} >> (22 * read[1:0]);
    wire [131:0] unread = fetching ? {22'd0, places[87:0], word} : {44'd0, places[87:0]};
    wire [131:0] behind = second_valid ? {unread[109:0], second} : unread;
    wire [131:0] content = valid ? {behind[109:0], head} : behind;

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
        for (m = 0; m < 6; m = m + 1) if (m < count) begin
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
        flag: assert (in_memory == (stored != 0));
        alone: assert ((!fetching || (valid && !second_valid && since_pop == 1))
            && (stored == 0 || second_valid || since_pop < 2) && (!second_valid || valid));
    end
endmodule
