// Whether one head is earlier than another, in one cycle, of all inputs. Proved: b is earlier if it
// is there, and a is not or has a later deadline; of two alike none is (`order`). Deadlines are less
// than 2^19 units behind a common moment, which is arbitrary.
module earlier_properties (
    input wire        clock,
    input wire [25:0] a,
    input wire [25:0] b,
    input wire [19:0] moment
);
    wire m;
    earlier dut (.a(a), .b(b), .m(m));

    // Units since the moment; up to 2^19 of them are ordered as the deadlines are.
    wire [19:0] from_a = a[25:6] - moment, from_b = b[25:6] - moment;
    always @* begin
        assume (!a[0] || from_a < 20'h8_0000);
        assume (!b[0] || from_b < 20'h8_0000);
    end
    always @* order: assert (m == (b[0] && (!a[0] || from_b < from_a)));
endmodule
