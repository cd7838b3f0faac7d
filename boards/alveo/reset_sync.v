// SPDX-License-Identifier: MIT OR Apache-2.0
// A reset that begins with its request, even while the clock stands, and ends in step with it.
`default_nettype none

module reset_sync (
    input  wire clock,
    input  wire request,
    output wire reset
);

    (* ASYNC_REG = "TRUE" *)
    reg [3:0] stages = 4'hf;
    assign reset = stages[3];

    always @(posedge clock or posedge request)
        if (request) stages <= 4'hf;
        else stages <= {stages[2:0], 1'b0};

endmodule

`default_nettype wire
