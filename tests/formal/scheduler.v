// What the scheduler of 4 flows does to any one flow, by induction from reset, whatever the other
// flows, their users and the line do. Proved:
// 1. No work is lost: a created flow with work and an open window is due and has an entry in a
//    queue that is no slower than its own (or the pop of that entry is on its way), or its time is
//    written down in the scan, or is on its way there. `inside`, what the queues hold of the flow,
//    and the row's `queued` differ by the pops on their way only, and no entry is pushed twice.
// 2. One grant for each work asked for, and none without (`once`).
// 3. Credit is 65536 bytes at most, and covers what is paid (`cap`, `pays`).
// 4. A grant stands only while the window is open (`inside_window`), so bytes in flight are never
//    more than the window and one work (`window_plus_one`). Both follow from what `opened`, `told`,
//    `kept` and `due` say of the row that is granted: a design that breaks one of these breaks 4.
//
// Cut, so that they may do anything: octaves, scan, settle, due_time, the overhead's product. Of
// what they do this is assumed, and proved in octave.v, octaves.v and settle.v: a pop takes what
// is inside; settled credit is within the cap, and covers the work if settle says so.
// Assumed of the flow's user: it asks for one work at a time, of at most 16383 bytes, tells its
// bytes in flight as they are, leaves the window as it is, and does not remove the flow.
module scheduler_properties (
    input wire        clock,
    input wire        reset,
    input wire        s_work_valid,
    input wire [1:0]  s_work_flow,
    input wire [13:0] s_work_len_bytes,
    input wire [6:0]  s_work_frame_count,
    input wire [31:0] s_work_inflight_bytes,
    input wire        s_rate_valid,
    input wire [1:0]  s_rate_flow,
    input wire [1:0]  s_rate_op,
    input wire [31:0] s_rate_window_bytes,
    input wire [31:0] s_rate_rate,
    input wire        m_grant_ready,
    input wire [23:0] cfg_line,
    input wire [32:0] acknowledged
);
    localparam [2:0] POP = 0, WORK = 1, INFLIGHT = 2, RATE = 3, CREATE = 1, REMOVE = 2;
    localparam [32:0] CAP = 33'h1_0000_0000;

    wire       s_work_ready, s_rate_ready, m_grant_valid;
    wire [1:0] m_grant_flow;

    scheduler dut (
        .clock(clock), .reset(reset),
        .s_work_valid(s_work_valid), .s_work_ready(s_work_ready), .s_work_flow(s_work_flow),
        .s_work_len_bytes(s_work_len_bytes), .s_work_frame_count(s_work_frame_count),
        .s_work_inflight_bytes(s_work_inflight_bytes),
        .s_rate_valid(s_rate_valid), .s_rate_ready(s_rate_ready), .s_rate_flow(s_rate_flow),
        .s_rate_op(s_rate_op), .s_rate_window_bytes(s_rate_window_bytes), .s_rate_rate(s_rate_rate),
        .m_grant_valid(m_grant_valid), .m_grant_ready(m_grant_ready), .m_grant_flow(m_grant_flow),
        .cfg_line(cfg_line)
    );

    // Registers of the design.
    wire         is_clean, pop_taken, grants_empty;
    wire [1:0]   pops_open, grant_spare;
    wire [4:0]   clear_index;
    wire [1:0]   slot, pop_flow;
    wire [2:0]   pop_queue;
    wire         head_valid, empty_spare;
    wire [112:0] head, spare, operation_1, operation_2;
    wire [6:0]   under_way;
    wire [13:0]  flows;
    wire         start, start_1, start_2, grants, popped, pushes;
    wire [2:0]   push_queue;
    wire [763:0] rows;
    wire [190:0] read_row, row_2, row_3, changed_q;
    wire [572:0] changed_ring;
    wire [1:0]   changed_index, write_flow_index, write_flow_q, write_flow;
    wire [5:0]   write_flow_ring;
    wire         covers, time_write;
    wire [16:0]  time_due;
    wire [32:0]  credit;
    wire [3:0]   writes, waits_stage;
    wire [36:0]  clock_bytes;

    // Any one flow, its window, and its user.
    (* anyconst *) wire [1:0] flow;
    (* anyconst *) wire [31:0] window;
    reg          is_first = 1;
    reg          waits = 0;
    reg  [13:0]  len = 0;
    reg  [32:0]  sent = 0;
    // What the queues hold of the flow, and the class of its last push or end.
    reg  [7:0]   inside = 0;
    reg  [2:0]   class_queue = 0;
    // The operation of the flow that is under way, and whether it has granted.
    reg  [112:0] op = 0;
    reg          granted = 0;
    // The writes of its time on their way, and what is written down.
    reg  [3:0]   writing = 0;
    reg          written = 0;
    reg          reset_before = 1, was_clean = 0;
    reg  [19:0]  time_before = 0;

    wire tells = s_work_valid && s_work_flow == flow;
    wire asks = tells && s_work_ready && s_work_frame_count != 0;
    wire sends = m_grant_valid && m_grant_ready && m_grant_flow == flow;
    wire [6:0] at;
    genvar i;
    for (i = 0; i < 7; i = i + 1) assign at[i] = under_way[i] && flows[2 * i +: 2] == flow;
    wire [190:0] row = rows[191 * flow +: 191];
    wire [1:0]   back_1 = changed_index == 0 ? 2'd2 : changed_index - 2'd1;
    wire [1:0]   back_2 = changed_index == 2 ? 2'd0 : changed_index + 2'd1;
    // The row on its way, behind what the operation did to it.
    wire [190:0] moved = at[2] ? row_3 : at[3] ? changed_ring[191 * back_1 +: 191]
        : at[4] ? changed_ring[191 * back_2 +: 191]
        : at[5] ? changed_ring[191 * changed_index +: 191] : changed_q;
    wire is_moved = |at[6:2];
    wire [1:0] write_back_1 = write_flow_index == 0 ? 2'd2 : write_flow_index - 2'd1;
    wire [1:0] write_back_2 = write_flow_index == 2 ? 2'd0 : write_flow_index + 2'd1;
    wire [7:0] write_flows = {write_flow_q, write_flow_ring[2 * write_flow_index +: 2],
        write_flow_ring[2 * write_back_2 +: 2], write_flow_ring[2 * write_back_1 +: 2]};

    function is_open_at(input [31:0] inflight, input [31:0] limit);
        is_open_at = inflight == 0 || inflight < limit;
    endfunction
    function [7:0] up_to(input [2:0] queue);
        up_to = 8'hff >> (3'd7 - queue);
    endfunction

    wire at_head = head_valid && head[1:0] == flow;
    wire at_spare = !empty_spare && spare[1:0] == flow;
    wire [7:0] head_pop = at_head && head[4:2] == POP ? 8'd1 << head[7:5] : 8'd0;
    wire [7:0] spare_pop = at_spare && spare[4:2] == POP ? 8'd1 << spare[7:5] : 8'd0;
    wire [7:0] op_pop = |at && op[4:2] == POP ? 8'd1 << op[7:5] : 8'd0;
    // Where the work is: exactly one of these while the user waits.
    wire [5:0] holds = {!grants_empty && grant_spare == flow, at_spare && spare[4:2] == WORK, at_head && head[4:2] == WORK,
        |at && op[4:2] == WORK, row[1] && !granted && is_clean,
        m_grant_valid && m_grant_flow == flow};
    wire can = row[0] && row[1] && row[2];
    wire is_cleared = is_clean || clear_index > {3'd0, flow};
    wire is_open = sent == 0 || sent < window;

    always @* begin
        assume (reset == is_first);
        assume (acknowledged <= sent);
        assume (window < 32'hffff_c000);
        if (tells) assume (s_work_inflight_bytes == sent[31:0]);
        if (tells && s_work_frame_count != 0) assume (!reset && !waits);
        if (s_rate_valid && s_rate_flow == flow)
            assume (s_rate_op != REMOVE && s_rate_window_bytes == window);
        if (pop_taken && pop_flow == flow) assume (inside[pop_queue]);
        if (at[6]) assume (credit <= CAP && (!covers || credit >= {3'd0, moved[25:12], 16'd0}));
    end
    always @(posedge clock) begin
        is_first <= 0;
        reset_before <= reset;
        was_clean <= is_clean;
        time_before <= clock_bytes[36:17];
        waits <= !reset && (asks || (waits && !sends));
        if (asks) len <= s_work_len_bytes;
        sent <= sent - acknowledged + (sends && !reset ? {19'd0, len} : 33'd0);
        if (pop_taken && pop_flow == flow) inside[pop_queue] <= 0;
        if (pushes && at[6]) inside[push_queue] <= 1;
        if (at[6]) class_queue <= push_queue;
        if (start && head[1:0] == flow) op <= head;
        granted <= !at[6] && (granted || (grants && at[1]));
        writing <= {writing[2:0], at[6]};
        if (time_write && write_flow == flow) written <= time_due[0];
        if (reset) begin
            inside <= 0;
            granted <= 0;
            writing <= 0;
            written <= 0;
        end
    end

    always @* if (!is_first) begin
        // The properties.
        lost: assert (!(is_clean && row[0] && row[1] && is_open_at(row[73:42], row[105:74]))
            || (row[3] ? |((inside | head_pop | spare_pop | op_pop) & up_to(class_queue))
                : |writing || written));
        twice_in_queue: assert (!(pushes && at[6]) || !inside[push_queue]);
        once: assert (holds == (waits ? holds & -holds : 0) && waits == |holds);
        pays: assert (!(grants && at[1]) || (row_2[170:138] >= {3'd0, row_2[25:12], 16'd0}
            && row_2[1]));
        cap: assert (!is_cleared || row[170:138] <= CAP);
        inside_window: assert (!(holds[0] || holds[5]) || is_open);
        window_plus_one: assert (sent == 0 || sent < {1'b0, window} + 33'd16384);
        // Octaves are popped in every fourth cycle at most, and time moves by one unit at most.
        pace: assert (!pop_taken || slot == 0);
        time_step: assert (reset_before || clock_bytes[36:17] - time_before <= 20'd1);
        // What the others assume.
        stays_clean: assert (reset_before || is_clean || !was_clean);
        unwritten: assert (is_clean || !time_write);
        settles: assert (!at[2] || row_3[170:138] <= CAP);
    end
    always @* if (is_first) first: assert (sent == 0 && !waits && inside == 0 && !granted);
    // What carries the induction: clearing, operations on their way, and the row.
    always @* if (!is_first) begin
        clear: assert (is_clean || (!head_valid && empty_spare && under_way == 0 && pops_open == 0
            && !m_grant_valid && grants_empty && inside == 0 && writing == 0 && !written && !granted
            && writes == 0 && (!is_cleared || row == 0)));
        starts: assert (start_1 == under_way[0] && start_2 == under_way[1]
            && (!under_way[0] || operation_1[1:0] == flows[1:0])
            && (!under_way[1] || operation_2[1:0] == flows[3:2]));
        alone: assert ((at & (at - 7'd1)) == 0 && (empty_spare || head_valid));
        pops: assert ({1'd0, pops_open} == {2'd0, head_valid && head[4:2] == POP}
            + {2'd0, !empty_spare && spare[4:2] == POP}
            + {2'd0, start_1 && operation_1[4:2] == POP}
            + {2'd0, start_2 && operation_2[4:2] == POP}
            + {2'd0, m_grant_valid} + {2'd0, !grants_empty});
        room: assert (pops_open <= 2 && (grants_empty || m_grant_valid));
        operation: assert ((!at[0] || operation_1 == op) && (!at[1] || operation_2 == op)
            && (!(|at) || op[1:0] == flow));
        paid: assert (granted == (is_moved && op[4:2] == POP && row[3]));
        reads: assert ((!at[0] || read_row == row) && (!at[1] || row_2 == row));
        rings: assert (changed_index < 3 && write_flow_index < 3);
        entries: assert (!is_clean || (row[11:4] == (inside | head_pop | spare_pop | op_pop)
            && (inside & (head_pop | spare_pop | op_pop)) == 0
            && (head_pop & op_pop) == 0 && (spare_pop & op_pop) == 0
            && (head_pop & spare_pop) == 0));
        moves: assert (!is_moved || (moved[11:4] == (row[11:4] & ~op_pop)
            && moved[0] == (row[0] || (op[4:2] == RATE && op[7:5] == CREATE))
            && moved[1] == (op[4:2] == WORK || (row[1] && !granted))
            && moved[25:12] == (op[4:2] == WORK ? op[105:92] : row[25:12])
            && moved[73:42] == (op[4:2] == WORK || op[4:2] == INFLIGHT ? op[59:28] : row[73:42])
            && moved[105:74] == (op[4:2] == RATE ? op[59:28] : row[105:74])
            && (at[2] || moved[2] == is_open_at(moved[73:42], moved[105:74]))));
        due: assert (!is_cleared || !row[3] || (can && row[170:138] >= {3'd0, row[25:12], 16'd0}));
        opened: assert (!is_cleared || ((!row[2] || is_open_at(row[73:42], row[105:74]))
            && (!row[1] || row[2] == is_open_at(row[73:42], row[105:74]))));
        queued: assert (!is_cleared || !row[3] || |(row[11:4] & up_to(class_queue)));
        kept: assert (!is_cleared || !row[0] || row[105:74] == window);
        rates: assert ((!at_head || head[4:2] != RATE
                || (head[59:28] == window && head[7:5] != REMOVE))
            && (!at_spare || spare[4:2] != RATE
                || (spare[59:28] == window && spare[7:5] != REMOVE))
            && (!(|at) || op[4:2] != RATE || (op[59:28] == window && op[7:5] != REMOVE)));
        told: assert ((!holds[4] || sent <= spare[59:28]) && (!holds[3] || sent <= head[59:28])
            && (!holds[2] || sent <= op[59:28]) && (!holds[1] || sent <= row[73:42]));
        news: assert ((!(holds[1] && |at && op[4:2] == INFLIGHT) || sent <= op[59:28])
            && (!(|holds[2:1] && at_head && head[4:2] == INFLIGHT) || sent <= head[59:28])
            && (!(|holds[3:1] && at_spare && spare[4:2] == INFLIGHT) || sent <= spare[59:28]));
    end
    // The time on its way to the scan.
    wire [3:0] goes, is_alone;
    for (i = 0; i < 4; i = i + 1) begin : stage
        assign goes[i] = writes[i] && write_flows[2 * i +: 2] == flow;
        assign is_alone[i] = (at >> i) == 0;
    end
    always @* if (!is_first) begin
        way: assert (writing == goes);
        waiting: assert ((writing & ~is_alone) == 0
            && (writing & waits_stage) == (can && !row[3] ? writing : 4'd0));
        noted: assert (!is_clean || |writing || written == (can && !row[3]));
    end
endmodule
