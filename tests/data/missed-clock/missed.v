// A board whose clock is too fast for its core: two multiplications in 5 ns.
module missed (input wire clock, input wire rst, input wire in, output wire out);
    reg [31:0] a;
    reg reset;
    wire [31:0] y;
    product product (.clock(clock), .reset(reset), .a(a), .y(y));
    assign out = ^y;
    always @(posedge clock) begin
        reset <= rst;
        a <= {a[30:0], in};
        if (reset) a <= 32'd0;
    end
endmodule
