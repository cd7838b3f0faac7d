// The scan, at 4 flows, by induction from reset, for any one flow. Nothing is cut. Proved: what is
// written down for a flow is what the memory holds (`kept`), and a flow whose time has come, and
// which nothing is written of meanwhile, is told and taken after at most 41 cycles in which the
// scan is not held up by a flow that it tells and the intake doesn't take (`reached`). The 41: a
// pass of 32 rows, 4 more for the other row in which flows are due, its flows and the pipeline.
//
// Assumed: the rows are cleared as scheduler.rs does it, and the time counts cycles. The time of a
// flow has come while it is less than 2^15 units ago.
module scan_properties (
    input wire        clock,
    input wire        reset,
    input wire        s_taken,
    input wire        s_write,
    input wire [1:0]  s_write_flow,
    input wire [16:0] s_due
);
    wire       m_valid;
    wire [1:0] m_flow;
    reg        is_clean;
    reg [4:0]  clear_index;
    reg [19:0] now;

    scan dut (
        .clock(clock), .reset(reset), .s_clean(is_clean), .s_clear(clear_index), .s_now(now),
        .m_valid(m_valid), .m_flow(m_flow), .s_taken(s_taken), .s_write(s_write),
        .s_write_flow(s_write_flow), .s_due(s_due)
    );

    // Registers of the design, and the words of its lanes.
    wire [4:0]   index, read_row, word_row, hits_row;
    wire         read_valid, word_valid;
    wire [1:0]   hits, fresh_1, fresh_2;
    wire [33:0]  read_data, word;
    wire [543:0] times_0, times_1;

    (* anyconst *) wire [1:0] flow;
    reg        is_first = 1;
    reg [16:0] noted = 0;
    // Since the last write of the flow, and how long its time has come.
    reg [1:0]  age = 0;
    reg [5:0]  late = 0;

    wire        lane = flow[0];
    wire [4:0]  row = {4'd0, flow[1]};
    wire [16:0] held = lane ? times_1[17 * row +: 17] : times_0[17 * row +: 17];
    wire [16:0] lane_word = word[17 * lane +: 17];
    wire [16:0] lane_read = read_data[17 * lane +: 17];
    wire [15:0] past = now[19:4] - noted[16:1];
    wire is_waiting = noted[0] && !past[15] && age == 3 && is_clean
        && !(s_write && s_write_flow == flow);
    wire is_told = m_valid && m_flow == flow;
    // Rows that are never written hold nothing.
    reg is_empty;
    integer k;
    always @* begin
        is_empty = 1;
        for (k = 0; k < 32; k = k + 1)
            if ((is_clean ? k > 1 : k < clear_index) && (times_0[17 * k] || times_1[17 * k]))
                is_empty = 0;
    end
    // Cycles until the flow is told: those of what is found, until its row is looked at, and those
    // of the other row, if that is before it.
    wire [4:0] next_row = word_valid && !m_valid ? word_row
        : read_valid && !m_valid ? read_row : index;
    wire [5:0] latency = m_valid ? 2 : word_valid ? 0 : read_valid ? 1 : 2;
    wire [4:0] distance = row - next_row;
    wire [4:0] other = (row ^ 5'd1) - next_row;
    wire       is_hit = m_valid && hits_row == row && hits[lane];
    wire [5:0] count = {5'd0, hits[0]} + {5'd0, hits[1]};
    wire [5:0] left = is_hit ? {5'd0, hits[0] && lane}
        : count + latency + {1'b0, distance} + (other < distance ? 6'd4 : 6'd0) + 6'd2;

    always @* begin
        assume (reset == is_first);
        if (s_taken) assume (m_valid);
        if (!is_clean) assume (!s_write);
    end
    always @(posedge clock) begin
        is_first <= 0;
        now <= now + 1;
        if (!is_clean) begin
            clear_index <= clear_index + 1;
            is_clean <= clear_index == 31;
        end
        if (s_write && s_write_flow == flow) begin
            noted <= s_due;
            age <= 0;
        end else if (age != 3) age <= age + 1;
        if (!is_waiting || (is_told && s_taken)) late <= 0;
        else if (!m_valid || s_taken) late <= late + 1;
        if (reset) begin
            now <= 0;
            clear_index <= 0;
            is_clean <= 0;
            noted <= 0;
            late <= 0;
            age <= 0;
        end
    end
    always @* if (!is_first) begin
        reached: assert (late <= 41);
        // What carries the induction.
        kept: assert (!is_clean || (held[0] == noted[0] && (!noted[0] || held == noted)));
        clear: assert (is_clean || (!noted[0] && !m_valid && !read_valid && !word_valid));
        empty: assert (is_empty);
        follows: assert (m_valid || ((!word_valid || !read_valid || read_row == word_row + 5'd1)
            && (!read_valid || index == read_row + 5'd1) && (!word_valid || read_valid)));
        fresh: assert (age < 1 || !(fresh_1[lane] && read_valid && read_row == row));
        fresher: assert (age < 2 || !(fresh_2[lane] && word_valid && word_row == row));
        others: assert ((!read_valid || read_row < 2 || (!read_data[0] && !read_data[17]))
            && (!word_valid || word_row < 2 || (!word[0] && !word[17])));
        read: assert (!(read_valid && read_row == row && age >= 1 && is_clean)
            || lane_read[0] == held[0] && (!held[0] || lane_read == held));
        looked: assert (!(word_valid && word_row == row && age >= 2 && is_clean)
            || lane_word[0] == held[0] && (!held[0] || lane_word == held));
        rows: assert (!m_valid || hits_row < 2);
        bound: assert (late == 0 || {1'b0, late} + {1'b0, left} <= 7'd41);
    end
endmodule
