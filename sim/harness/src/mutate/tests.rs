//! Which mutants are made of a text, and which are not.

use super::{mutants, Kind, Mutant};

const TEXT: &str = "
// a <= comment + 1
module m(input wire clock, input wire [7:0] a, output reg [7:0] q);
  reg [3:0] state;
  wire [7:0] sum;
  assign sum = a + {4'h0, state};
  always @(*) begin
    if (a[3] && (sum <= 8'hf0)) q = {4'd0, ~sum[6:3]}; else q = 8'd0;
  end
  always @(posedge clock) state <= state - 4'b0001;
endmodule
";

#[test]
fn mutants_are_of_all_kinds_and_change_one_place() {
    let found = mutants(TEXT, 1);
    for kind in Kind::ALL {
        assert!(found.iter().any(|m| m.kind == kind), "{}", kind.name());
    }
    for mutant in &found {
        assert_eq!(mutant.module, "m");
        let changed = mutant.apply(TEXT);
        assert_ne!(changed, TEXT);
        let lines = TEXT.lines().zip(changed.lines()).filter(|(a, b)| a != b).count();
        assert_eq!(lines, 1, "{}", mutant.id());
    }
    let has = |from: &str, to: &str| found.iter().any(|m| m.from == from && m.to == to);
    assert!(has("+", "-") && has("<=", "<") && has("&&", "||") && has("~", " ") && has("3", "2"));
    let changes_assign = |m: &Mutant| m.line_text.starts_with("always") && m.to == "<";
    assert!(!found.iter().any(changes_assign), "a nonblocking assignment is no compare");
    assert!(!found.iter().any(|m| m.line == 2), "comments stay");
}

#[test]
fn selection_survives_a_change_elsewhere() {
    let ids = |text: &str| -> Vec<String> { mutants(text, 5).iter().map(Mutant::id).collect() };
    let longer = TEXT.replace("  reg [3:0]", "  // more\n\n  reg [3:0]");
    assert_eq!(ids(TEXT), ids(&longer));
}

/// Each line has a mistake that cannot matter and a like one that can.
const FORMS: &str = "
module m(input wire clock, input wire [3:0] a, output wire [7:0] y, output wire [8:0] z,
    output reg [B-1:0] whole, output reg [B:0] wider, output reg [3:0] room, output reg [3:0] least);
  localparam [7:0] small = 8'd7;
  localparam [7:0] large = 8'd128;
  integer i;
  always @(*) begin
    for (i = 0; i < 8; i = i + 1) if (a[i]) whole = i[B-1:0];
    wider = i[B-1:0];
    room = 4'd0;
    if (a > state) begin
      room = a - state;
    end
    least = 4'd1;
    if (a > state) begin
      least = a - state;
    end
  end
  reg ring;
  reg [2:0] turn;
  reg [2:0] turn_2;
  reg [4:0] part;
  reg [4:0] part_next;
  reg [4:0] all;
  reg [7:0] few;
  reg [7:0] many;
  wire [7:0] wide = 8'd0;
  wire [2:0] across = turn + 3'd4;
  wire [7:0] high;
  wire [7:0] low;
  assign high = {4'd0, a};
  assign low = {4'd0, a};
  assign y = (high << 4) | low | {3'd0, part[3:0], 1'b0} | few | many | {6'd0, full} | {7'd0, ring};
  assign z = {5'd0, a} << 5 | {6'd0, a[2:0]} << 6 | {across, turn_2, 3'd0} | all;
  reg [1:0] full;
  reg [1:0] partial;
  always @(*) begin
    case (a)
  4'd0: partial = 2'd1;
  default: partial = 2'd2;
    endcase
    case (partial)
  2'd0: full = 2'd3;
  2'd1: full = 2'd2;
  2'd2: full = 2'd1;
  2'd3: full = 2'd0;
  default: full = 2'd3;
    endcase
  end
  always @(*) begin
    part_next = part;
    few = 8'd0;
    many = 8'd0;
    if (a[0]) begin few = small; many = large; part_next = 5'd31; end
  end
  always @(posedge clock) begin
    ring <= ring + 1'd1;
    turn <= turn - 3'd4;
    turn_2 <= turn_2 - 3'd2;
    part <= part_next;
    all <= all + 5'd1;
  end
endmodule
";

#[test]
fn forms_that_cannot_matter_are_left_out() {
    let found = mutants(FORMS, 1);
    let narrower = |name: &str| {
        let line = format!("{name};");
        found.iter().any(|m| m.kind == Kind::Width && m.line_text.ends_with(&line))
    };
    let names = ["turn", "part", "part_next", "all", "few", "many"];
    let expected = [true, true, true, true, false, true];
    assert_eq!(names.map(narrower), expected);
    let text = FORMS.replace("    part_next = part;\n", "    part_next = 5'd0;\n");
    let found = mutants(&text, 1);
    let narrower = |name: &str| {
        let line = format!("{name};");
        found.iter().any(|m| m.kind == Kind::Width && m.line_text.ends_with(&line))
    };
    assert_eq!(["part", "part_next", "all"].map(narrower), [false, false, true]);
    let operator = |start: &str| {
        found.iter().any(|m| m.kind == Kind::Operator && m.line_text.starts_with(start))
    };
    let starts = ["ring <=", "turn <=", "wire [2:0] across", "turn_2 <=", "all <="];
    assert_eq!(starts.map(operator), [false, false, false, true, true]);
    let minus = |end: &str| found.iter().any(|m| m.from == "-" && m.line_text.ends_with(end));
    assert_eq!(["whole = i[B-1:0];", "wider = i[B-1:0];"].map(minus), [false, true]);
    let guards = found.iter().filter(|m| m.from == ">").count();
    assert_eq!(guards, 1, "only the difference that begins at 0 is the same");
    let zeros = |start: &str, from: &str| {
        let is_there = |m: &&Mutant| m.line_text.starts_with(start) && m.from == from;
        found.iter().any(|m| m.kind == Kind::Constant && is_there(&m))
    };
    let in_default = |name: &str| {
        let start = format!("default: {name}");
        found.iter().any(|m| m.line_text.starts_with(&start))
    };
    assert_eq!(["full", "partial"].map(in_default), [false, true]);
    assert!(!zeros("assign high", "4'd0") && !zeros("assign z", "5'd0"));
    assert!(!zeros("assign z", "6'd0"));
    assert!(zeros("assign low", "4'd0") && zeros("assign z", "3'd0"));
}

#[test]
fn regress_module_behind_a_generate_block_has_mutants() {
    let text = "
module ram #(parameter W = 4) (input wire clock, input wire [W-1:0] a);
  generate if (W > 2) begin : wide
    reg [1:0] top;
    always @(posedge clock) top <= a[W-1:2] + 2'd1;
  end else begin
    wire unused = |a;
  end endgenerate
endmodule
module user (input wire a, output wire b);
  assign b = a ^ 1'b1;
endmodule
";
    for module in ["ram", "user"] {
        assert!(mutants(text, 1).iter().any(|m| m.module == module), "{module} has none");
    }
}
