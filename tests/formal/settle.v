// Settling a credit, whatever the product of rate and time is (it is cut): eight cycles from any
// state are all that a pipeline without state can do, so this is complete. Proved: from a credit
// of at most 65536 bytes comes one of at most 65536 bytes (`cap`), nothing is lost (`kept`), and
// when settle says that it covers the work it does, and only then (`covers`, `lacks`: and what it
// lacks, one byte more, is told).
module settle_properties (
    input wire        clock,
    input wire        reset,
    input wire [31:0] s_rate,
    input wire [19:0] s_elapsed,
    input wire [32:0] s_credit,
    input wire        s_earns,
    input wire        s_rearms,
    input wire [13:0] s_len
);
    localparam [32:0] CAP = 33'h1_0000_0000;

    wire [32:0] m_credit, m_rest;
    wire        m_covers;

    settle dut (
        .clock(clock), .reset(reset), .s_rate(s_rate), .s_elapsed(s_elapsed), .s_credit(s_credit),
        .s_earns(s_earns), .s_rearms(s_rearms), .s_len(s_len), .m_credit(m_credit),
        .m_covers(m_covers), .m_rest(m_rest)
    );

    reg [3:0]  age = 0;
    reg [32:0] credit_1, credit_2, credit_3, credit_4;
    reg [13:0] len_1, len_2, len_3, len_4;
    wire [32:0] need = {3'd0, len_4, 16'd0};
    always @* assume (s_credit <= CAP);
    always @(posedge clock) begin
        if (age < 4) age <= age + 1;
        {credit_1, credit_2, credit_3, credit_4} <= {s_credit, credit_1, credit_2, credit_3};
        {len_1, len_2, len_3, len_4} <= {s_len, len_1, len_2, len_3};
    end
    always @* if (age == 4) begin
        cap: assert (m_credit <= CAP);
        kept: assert (m_credit >= credit_4);
        covers: assert (!m_covers || m_credit >= need);
        lacks: assert (m_covers || (m_credit < need && m_rest == need - m_credit + 33'h1_0000));
    end
endmodule
