// A sketch, not part of the NIC: DCQCN (SIGCOMM 2015) in the place of the CC unit.
//
// An event is an ACK, with or without a mark, or a CNP, which is a mark. A flow's state is one row
// of a RAM. Its timers are settled when an event comes, as sim/src/fabric/cc/dcqcn.rs has it; each
// period is a cycle, of alpha also 16 or 256 periods at once. Rates are bytes a cycle, UQ8.24, alpha
// is UQ0.16, times are us and wrap after a second. One event at a time; the window stays as software
// gave it.
//
// It differs from the model in this: 16 periods without a mark take a 16th of alpha (0.0607 is
// right), 256 take five eighths (0.633); alpha does not fall below 2^-8; a flow that was silent for
// 64 increases is at line rate again.
`default_nettype none
module dcqcn #(
    parameter FB = 6
) (
    input  wire          clock,
    input  wire          reset,
    // DCQCN_ALPHA_US, DCQCN_DECREASE_US, DCQCN_INCREASE_US.
    input  wire [7:0]    cfg_alpha_us,
    input  wire [9:0]    cfg_decrease_us,
    input  wire [9:0]    cfg_increase_us,
    // CC_RATE_MIN and CC_RATE_MAX; DCQCN_ADDITIVE, DCQCN_HYPER.
    input  wire [31:0]   cfg_rate_min,
    input  wire [31:0]   cfg_rate_max,
    input  wire [31:0]   cfg_additive,
    input  wire [31:0]   cfg_hyper,
    input  wire [19:0]   now_us,
    input  wire          s_event_valid,
    output reg           s_event_ready,
    input  wire [FB-1:0] s_event_flow,
    input  wire          s_event_create,
    input  wire          s_event_mark,
    output reg           m_rate_valid,
    output reg  [FB-1:0] m_rate_flow,
    output reg  [31:0]   m_rate
);
    localparam ROW = 32 + 32 + 16 + 2 + 3 + 3 * 20;
    reg [ROW-1:0] rows [0:(1 << FB) - 1];
    reg [ROW-1:0] row;

    // The flow under way.
    reg [31:0] rate, target;
    reg [15:0] alpha;
    // Steps since the rate fell: 0, 1, or more.
    reg [1:0]  steps;
    // Marks since alpha was updated, since the rate fell, and ever.
    reg        for_alpha, for_rate, was_marked;
    reg [19:0] alpha_us, decrease_us, increase_us;
    reg        is_create, is_mark;

    localparam [2:0] IDLE = 0, READ = 1, UNPACK = 2, ALPHA = 3, INCREASE = 4, DECREASE = 5,
        MULTIPLY = 6, WRITE = 7;
    reg [2:0]  state;
    reg [FB-1:0] flow;
    wire [ROW-1:0] packed_row = {rate, target, alpha, steps, for_alpha, for_rate, was_marked,
        alpha_us, decrease_us, increase_us};

    always @(posedge clock) begin
        row <= rows[flow];
        if (state == WRITE) rows[flow] <= packed_row;
    end

    // The one multiplier: rate x alpha / 2.
    // verilator lint_off UNUSEDSIGNAL
    reg [47:0] product;
    // verilator lint_on UNUSEDSIGNAL
    always @(posedge clock) product <= rate * alpha;

    function [19:0] periods(input [9:0] us, input [3:0] log2);
        periods = {10'd0, us} << log2;
    endfunction
    wire [19:0] alpha_age = now_us - alpha_us;
    wire [19:0] rate_age = now_us - decrease_us;
    wire [19:0] increase_age = now_us - increase_us;

    // Increases of the target and of the rate, within the bounds.
    wire [31:0] increase = steps == 2'd0 ? 32'd0 : steps == 2'd1 ? cfg_additive : cfg_hyper;
    wire [32:0] grown = {1'b0, target} + {1'b0, increase};
    wire [31:0] target_next = grown > {1'b0, cfg_rate_max} ? cfg_rate_max : grown[31:0];
    // verilator lint_off UNUSEDSIGNAL
    wire [32:0] both = {1'b0, rate} + {1'b0, target_next};
    // verilator lint_on UNUSEDSIGNAL
    wire [31:0] fallen = rate - product[47:17] - {31'd0, product[16]};

    always @(posedge clock) begin
        m_rate_valid <= 1'b0;
        case (state)
            IDLE: begin
                flow <= s_event_flow;
                {is_create, is_mark} <= {s_event_create, s_event_mark};
                s_event_ready <= 1'b1;
                if (s_event_valid & s_event_ready) begin
                    s_event_ready <= 1'b0;
                    state <= READ;
                end
            end
            READ: state <= UNPACK;
            UNPACK: begin
                {rate, target, alpha, steps, for_alpha, for_rate, was_marked, alpha_us,
                    decrease_us, increase_us} <= row;
                state <= ALPHA;
                if (is_create) begin
                    {rate, target} <= {2{cfg_rate_max}};
                    {alpha, steps} <= {16'hffff, 2'd0};
                    {for_alpha, for_rate, was_marked} <= 3'd0;
                    state <= WRITE;
                end else if (~row[60]) begin
                    // Before the first mark no timer runs, and that mark counts at once.
                    {alpha_us, increase_us} <= {2{now_us}};
                    decrease_us <= now_us - {10'd0, cfg_decrease_us};
                    was_marked <= is_mark;
                    state <= is_mark ? DECREASE : WRITE;
                    {for_alpha, for_rate} <= {2{is_mark}};
                end
            end
            ALPHA: begin
                if (alpha_age < {12'd0, cfg_alpha_us}) begin
                    state <= INCREASE;
                end else if (for_alpha) begin
                    alpha <= alpha + {8'd0, ~alpha[15:8]};
                    alpha_us <= alpha_us + {12'd0, cfg_alpha_us};
                    for_alpha <= 1'b0;
                end else if (alpha_age >= periods({2'd0, cfg_alpha_us}, 4'd12)) begin
                    alpha <= 16'h00ff;
                    alpha_us <= now_us;
                end else if (alpha_age >= periods({2'd0, cfg_alpha_us}, 4'd8)) begin
                    alpha <= {2'd0, alpha[15:2]} + {3'd0, alpha[15:3]};
                    alpha_us <= alpha_us + periods({2'd0, cfg_alpha_us}, 4'd8);
                end else if (alpha_age >= periods({2'd0, cfg_alpha_us}, 4'd4)) begin
                    alpha <= alpha - {4'd0, alpha[15:4]};
                    alpha_us <= alpha_us + periods({2'd0, cfg_alpha_us}, 4'd4);
                end else begin
                    alpha <= alpha - {8'd0, alpha[15:8]};
                    alpha_us <= alpha_us + {12'd0, cfg_alpha_us};
                end
            end
            INCREASE: begin
                if (increase_age < {10'd0, cfg_increase_us}) begin
                    if (is_mark) {for_alpha, for_rate} <= 2'b11;
                    state <= DECREASE;
                end else if (increase_age >= periods(cfg_increase_us, 4'd6)) begin
                    {rate, target} <= {2{cfg_rate_max}};
                    increase_us <= now_us;
                end else begin
                    {rate, target} <= {both[32:1], target_next};
                    steps <= steps[1] ? 2'd2 : steps + 2'd1;
                    increase_us <= increase_us + {10'd0, cfg_increase_us};
                end
            end
            DECREASE: state <= for_rate & rate_age >= {10'd0, cfg_decrease_us} ? MULTIPLY : WRITE;
            MULTIPLY: begin
                if (steps != 2'd0) target <= rate;
                rate <= fallen < cfg_rate_min ? cfg_rate_min : fallen;
                {steps, for_rate} <= 3'd0;
                {decrease_us, increase_us} <= {2{now_us}};
                state <= WRITE;
            end
            WRITE: begin
                {m_rate_valid, m_rate_flow, m_rate} <= {1'b1, flow, rate};
                state <= IDLE;
            end
        endcase
        if (reset) begin
            state <= IDLE;
            s_event_ready <= 1'b0;
            m_rate_valid <= 1'b0;
        end
    end
endmodule
`default_nettype wire
