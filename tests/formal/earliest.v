// The earliest of four heads, in one cycle, of all inputs. Proved: there is one if there is one
// among the four (`valid`), it is one of them, with its queue, flow and deadline (`one`), and it is
// not later than any of them (`earliest`); of those that are alike it is the first (`first`).
// Deadlines are less than 2^19 units behind a common moment, which is arbitrary.
module earliest_properties (
    input wire        clock,
    input wire [103:0] heads,
    input wire [19:0] moment
);
    wire [25:0] m;
    earliest dut (
        .heads_0(heads[25:0]), .heads_1(heads[51:26]), .heads_2(heads[77:52]),
        .heads_3(heads[103:78]), .m(m)
    );

    // Any one of the heads. Units since the moment are ordered as the deadlines are.
    (* anyconst *) wire [1:0] which;
    wire [25:0] head = heads[26 * which +: 26];
    wire [3:0]  there = {heads[78], heads[52], heads[26], heads[0]};
    wire [19:0] from_m = m[25:6] - moment, from_head = head[25:6] - moment;
    reg  [19:0] from;
    reg         is_one;
    reg  [2:0]  chosen;
    integer k;
    always @* begin
        is_one = 0;
        chosen = 4;
        for (k = 3; k >= 0; k = k - 1) begin
            from = heads[26 * k + 6 +: 20] - moment;
            assume (!heads[26 * k] || from < 20'h8_0000);
            // The places of heads are their queues.
            assume (heads[26 * k + 1 +: 3] == k);
            if (m == heads[26 * k +: 26]) is_one = 1;
            if (m == heads[26 * k +: 26]) chosen = k;
        end
    end
    always @* begin
        valid: assert (m[0] == |there);
        one: assert (is_one);
        earliest: assert (!head[0] || from_m <= from_head);
        first: assert (!head[0] || from_m != from_head || chosen <= which);
    end
endmodule
