module product (input wire clock, input wire reset, input wire [31:0] a, output reg [31:0] y);
    always @(posedge clock) begin
        y <= (a * y + 32'd1) * (a ^ y);
        if (reset) y <= 32'd0;
    end
endmodule
