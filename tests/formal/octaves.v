// Which head is chosen, at 4 flows. The choice is a pipeline of two cycles, so that from any state,
// three cycles in which nothing is popped are all that it can do; this is complete. The memory is
// cut. Proved of any queue: if it has had a head for two cycles, somebody is chosen, and not later
// than that head (`chosen`, `earliest`); and who is chosen from a queue is its head, with its flow
// (`front`), so that a pop takes what is inside and at the front.
//
// Assumed: pops are 4 cycles apart at least (scheduler.v, `pace`), so that the heads that are valid
// stay (octave.v, `stays`); deadlines of heads are less than 2^19 units from each other.
module octaves_properties (
    input wire        clock,
    input wire        reset,
    input wire        s_push,
    input wire [1:0]  s_push_flow,
    input wire [2:0]  s_push_queue,
    input wire [19:0] s_time
);
    wire       m_valid;
    wire [1:0] m_flow;
    wire [2:0] m_queue;

    octaves dut (
        .clock(clock), .reset(reset), .s_push(s_push), .s_push_flow(s_push_flow),
        .s_push_queue(s_push_queue), .s_time(s_time), .m_valid(m_valid), .m_flow(m_flow),
        .m_queue(m_queue), .s_pop(1'b0)
    );

    // Registers of the design.
    wire [7:0]   valid;
    wire [175:0] heads;
    wire [25:0]  best;

    (* anyconst *) wire [2:0] queue;
    (* anyconst *) wire [19:0] moment;
    wire [21:0] head = heads[22 * queue +: 22];
    reg [2:0]   age = 0;
    reg [22:0]  head_1 = 0, head_2 = 0;
    wire [19:0] from_best = best[25:6] - moment, from_head = head_2[21:2] - moment;
    reg [19:0]  from;
    integer k;
    always @* begin
        assume (!reset);
        for (k = 0; k < 8; k = k + 1) begin
            from = heads[22 * k + 2 +: 20] - moment;
            assume (!valid[k] || from < 20'h8_0000);
        end
    end
    always @(posedge clock) begin
        if (age < 2) age <= age + 1;
        head_1 <= {valid[queue], head};
        head_2 <= head_1;
    end
    always @* if (age == 2) begin
        chosen: assert (!head_2[22] || m_valid);
        earliest: assert (!head_2[22] || from_best <= from_head);
        front: assert (!(m_valid && m_queue == queue)
            || (head_2[22] && best[25:4] == head_2[21:0] && m_flow == head_2[1:0]));
    end
endmodule
