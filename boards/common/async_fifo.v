// SPDX-License-Identifier: MIT OR Apache-2.0
// FIFO between two clocks: 2^AW items, pointers cross as Gray code, registered output. Both resets
// belong to one: while one side is in reset the other must come to be so too.
`default_nettype none

module async_fifo #(
    parameter W = 73,
    parameter AW = 5,
    // "block" where it is deep: m_data is then the RAM's own output register. Verilator reads no
    // attributes.
    /* verilator lint_off UNUSEDPARAM */
    parameter RAM_STYLE = "distributed"
    /* verilator lint_on UNUSEDPARAM */
) (
    input  wire         write_clock,
    input  wire         write_reset,
    input  wire         s_valid,
    output wire         s_ready,
    input  wire [W-1:0] s_data,
    input  wire         read_clock,
    input  wire         read_reset,
    output reg          m_valid,
    input  wire         m_ready,
    output reg  [W-1:0] m_data
);

    (* ram_style = RAM_STYLE *)
    reg [W-1:0] mem [0:(1 << AW)-1];

    reg [AW:0] write_index, write_gray, read_index, read_gray;
    (* ASYNC_REG = "TRUE" *)
    reg [AW:0] read_gray_1, read_gray_2, write_gray_1, write_gray_2;
    wire [AW:0] write_next = write_index + 1'b1;
    wire [AW:0] read_next = read_index + 1'b1;
    wire [AW:0] full_gray = read_gray_2 ^ {2'b11, {(AW-1){1'b0}}};

    assign s_ready = write_gray != full_gray;

    always @(posedge write_clock) begin
        {read_gray_2, read_gray_1} <= {read_gray_1, read_gray};
        if (s_valid && s_ready) begin
            mem[write_index[AW-1:0]] <= s_data;
            write_index <= write_next;
            write_gray <= write_next ^ (write_next >> 1);
        end
        if (write_reset) begin
            write_index <= 0;
            write_gray <= 0;
            read_gray_1 <= 0;
            read_gray_2 <= 0;
        end
    end

    wire load = (m_ready || !m_valid) && read_gray != write_gray_2;

    always @(posedge read_clock) begin
        {write_gray_2, write_gray_1} <= {write_gray_1, write_gray};
        if (m_ready) m_valid <= 1'b0;
        if (load) begin
            m_data <= mem[read_index[AW-1:0]];
            m_valid <= 1'b1;
            read_index <= read_next;
            read_gray <= read_next ^ (read_next >> 1);
        end
        if (read_reset) begin
            m_valid <= 1'b0;
            read_index <= 0;
            read_gray <= 0;
            write_gray_1 <= 0;
            write_gray_2 <= 0;
        end
    end

endmodule

`default_nettype wire
