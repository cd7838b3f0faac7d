// The earlier of two heads, in one cycle, of all inputs. Proved: there is one if there is one of
// them (`valid`), it is one of them, with its queue, flow and deadline (`one`), and it is not later
// than either (`earliest`); of two alike it is the first (`first`). Deadlines are less than 2^19
// units behind a common moment, which is arbitrary, so what a tree of these chooses is not later
// than any head.
    input wire        clock,
    input wire [25:0] a,
    input wire [25:0] b,
    input wire [19:0] moment
);
    wire [25:0] m;
    earlier dut (.a(a), .b(b), .m(m));

    // Units since the moment; up to 2^19 of them are ordered as the deadlines are.
    wire [19:0] from_a = a[25:6] - moment, from_b = b[25:6] - moment, from_m = m[25:6] - moment;
    always @* begin
        assume (!a[0] || from_a < 20'h8_0000);
        assume (!b[0] || from_b < 20'h8_0000);
    end
    always @* begin
        valid: assert (m[0] == (a[0] || b[0]));
        one: assert (m == a || m == b);
        earliest: assert (!m[0] || ((!a[0] || from_m <= from_a) && (!b[0] || from_m <= from_b)));
        first: assert (!(a[0] && b[0] && from_a == from_b) || m == a);
    end
endmodule
