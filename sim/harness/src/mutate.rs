//! Mutants: copies of a Verilog text with one deliberate mistake each, to see whether the benches
//! notice. Works on the tokens of any plain Verilog-2005, so also on a text from outside. Mistakes
//! that cannot matter, as their form alone shows, are left out: `equivalent.rs` lists the forms.

pub mod campaign;
mod equivalent;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Sort of mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Another operator, or a dropped inversion.
    Operator,
    /// One bit of a number flipped.
    Constant,
    /// A register one bit narrower, or a selected part one bit beside itself.
    Width,
    /// An `if` always or never taken, or negated.
    Condition,
    /// An assignment left out.
    Enable,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 5] =
        [Kind::Operator, Kind::Constant, Kind::Width, Kind::Condition, Kind::Enable];

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Constant => "constant",
            Self::Width => "width",
            Self::Condition => "condition",
            Self::Enable => "enable",
        }
    }
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// Module that it is in.
    pub module: String,
    /// Sort.
    pub kind: Kind,
    /// Line in the text, from 1.
    pub line: usize,
    /// That line as it was, without indentation.
    pub line_text: String,
    /// What was replaced.
    pub from: String,
    /// What it was replaced by.
    pub to: String,
    /// Byte range of `from` in the text.
    range: core::ops::Range<usize>,
    /// Selection order: depends on the line and the mistake, not on what surrounds them.
    rank: u64,
}

impl Mutant {
    /// `text`, from which the mutant was made, with the mistake in it.
    pub fn apply(&self, text: &str) -> String {
        format!("{}{}{}", &text[..self.range.start], self.to, &text[self.range.end..])
    }

    /// Name of the mutant that stays the same while its line and module do.
    pub fn id(&self) -> String {
        let from = self.from.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{}: `{}`: {from} -> {}", self.module, self.line_text, self.to)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TokenKind {
    Word,
    Number,
    Symbol,
}

#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    kind: TokenKind,
    text: &'a str,
    at: usize,
}

const SYMBOLS: [&str; 17] = [
    "<<<", ">>>", "===", "!==", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "~&", "~|", "~^",
    "+:", "-:",
];

/// Splits into tokens; comments, attributes, strings, directives and what is not for synthesis
/// are left out.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let skip_to = |end: &str, from: usize| {
            rest[from..].find(end).map_or(rest.len(), |found| from + found + end.len())
        };
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let word_len = |s: &str| s.find(|c| !is_word(c)).unwrap_or(s.len());
        let (len, kind) = match first {
            _ if rest.starts_with("`ifndef SYNTHESIS") => (skip_to("`endif", 0), None),
            _ if rest.starts_with("//") || first == '`' => (skip_to("\n", 0), None),
            _ if rest.starts_with("/*") => (skip_to("*/", 2), None),
            _ if rest.starts_with("(*") && !rest.starts_with("(*)") => (skip_to("*)", 2), None),
            '"' => (skip_to("\"", 1), None),
            '0'..='9' => {
                let digits = word_len(rest);
                let has_base = rest[digits..].starts_with('\'');
                let base = if has_base { 1 + word_len(&rest[digits + 1..]) } else { 0 };
                (digits + base, Some(TokenKind::Number))
            }
            c if is_word(c) => (word_len(rest), Some(TokenKind::Word)),
            c if c.is_whitespace() => (c.len_utf8(), None),
            c => {
                let symbol = SYMBOLS.iter().find(|s| rest.starts_with(**s));
                (symbol.map_or(c.len_utf8(), |s| s.len()), Some(TokenKind::Symbol))
            }
        };
        if let Some(kind) = kind {
            tokens.push(Token { kind, text: &rest[..len], at });
        }
        at += len;
    }
    tokens
}

struct Scanner<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    found: Vec<Mutant>,
    line_starts: Vec<usize>,
    module: &'a str,
}

/// All mutants of `text`, in an order that `seed` decides; take as many as there is time for.
pub fn mutants(text: &str, seed: u64) -> Vec<Mutant> {
    let line_starts = text.split_inclusive('\n').scan(0, |at, line| {
        *at += line.len();
        Some(*at - line.len())
    });
    let line_starts = line_starts.collect();
    let mut scanner =
        Scanner { text, tokens: tokens(text), found: Vec::new(), line_starts, module: "" };
    scanner.scan(seed);
    let Scanner { tokens, mut found, .. } = scanner;
    for module in tokens.split(|t| t.text == "endmodule").filter(|m| !m.is_empty()) {
        let forms = equivalent::Forms::new(module);
        let inside = module[0].at..=module[module.len() - 1].at;
        found.retain(|m| !(inside.contains(&m.range.start) && forms.shows(m)));
    }
    found.sort_by_key(|m| m.rank);
    found
}

impl<'a> Scanner<'a> {
    fn scan(&mut self, seed: u64) {
        let mut at = 0;
        while at < self.tokens.len() {
            match self.tokens[at].text {
                "module" => {
                    self.module = self.tokens.get(at + 1).map_or("", |t| t.text);
                    at = self.after(at, ";");
                }
                "endmodule" => at += 1,
                "wire" | "reg" => at = self.declaration(at),
                "input" | "output" | "inout" | "integer" | "genvar" | "function" | "task" => {
                    at = self.after(at, ";");
                }
                "localparam" | "parameter" | "assign" => at = self.assignment(at + 1),
                "always" | "initial" => at = self.process(at + 1),
                // An instance: its connections are signals.
                _ => at = self.after(at, ";"),
            }
        }
        self.rank(seed);
    }

    /// Index after the next `end` at or after `at`.
    fn after(&self, at: usize, end: &str) -> usize {
        let found = self.tokens[at..].iter().position(|t| t.text == end);
        found.map_or(self.tokens.len(), |n| at + n + 1)
    }

    /// `wire [7:0] x;` or `reg [7:0] x = ...;`
    fn declaration(&mut self, at: usize) -> usize {
        let end = self.after(at, ";");
        // Only there for linters: an and of all that nobody reads.
        if self.tokens[at..end].iter().any(|t| t.text.starts_with("unused_")) {
            return end;
        }
        let texts: Vec<&str> = self.tokens[at..end].iter().map(|t| t.text).collect();
        let skip = usize::from(texts.get(1) == Some(&"signed"));
        // Only state: a narrower connection is what linters find.
        if let (&"reg", Some(&"["), Some(high), Some(&":")) =
            (&texts[0], texts.get(1 + skip), texts.get(2 + skip), texts.get(3 + skip))
        {
            let narrower = high.parse::<u32>().ok().and_then(|n| n.checked_sub(1));
            if let Some(narrower) = narrower {
                self.push(Kind::Width, at + 2 + skip, &narrower.to_string());
            }
        }
        match texts.iter().position(|t| *t == "=") {
            Some(equals) => self.expression(at + equals + 1, end),
            None => end,
        }
    }

    /// `name = expression;` from `at`, also with `<=`.
    fn assignment(&mut self, at: usize) -> usize {
        let end = self.after(at, ";");
        let is_assign = |t: &Token<'_>| t.text == "=" || t.text == "<=";
        match self.tokens[at..end].iter().position(is_assign) {
            Some(n) => self.expression(at + n + 1, end),
            None => end,
        }
    }

    /// The body of an `always`; returns the index after it.
    fn process(&mut self, mut at: usize) -> usize {
        if self.text_at(at) == "@" {
            at += 1;
            at = if self.text_at(at) == "(" { self.closing(at) + 1 } else { at + 1 };
        }
        self.statement(at)
    }

    /// One statement; returns the index after it.
    fn statement(&mut self, at: usize) -> usize {
        match self.text_at(at) {
            "begin" => {
                let mut at = if self.text_at(at + 1) == ":" { at + 3 } else { at + 1 };
                while at < self.tokens.len() && self.text_at(at) != "end" {
                    at = self.statement(at);
                }
                at + 1
            }
            "if" => {
                let close = self.closing(at + 1);
                self.condition(at + 1, close);
                self.expression(at + 2, close);
                let after = self.statement(close + 1);
                match self.text_at(after) {
                    "else" => self.statement(after + 1),
                    _ => after,
                }
            }
            "case" | "casez" => {
                let close = self.closing(at + 1);
                self.expression(at + 2, close);
                self.case_items(close + 1)
            }
            "for" | "while" | "repeat" => {
                let close = self.closing(at + 1);
                self.statement(close + 1)
            }
            ";" => at + 1,
            _ => {
                let end = self.after(at, ";");
                self.enable(at, end);
                self.assignment(at)
            }
        }
    }

    fn case_items(&mut self, mut at: usize) -> usize {
        while at < self.tokens.len() && self.text_at(at) != "endcase" {
            // Labels are numbers, names or `default`.
            let colon = self.after(at, ":");
            at = self.expression(at, colon);
            at = self.statement(at);
        }
        at + 1
    }

    fn text_at(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |t| t.text)
    }

    /// Index of the `)` that closes the `(` at `at`.
    fn closing(&self, at: usize) -> usize {
        let mut depth = 0;
        for (n, token) in self.tokens[at..].iter().enumerate() {
            match token.text {
                "(" => depth += 1,
                ")" if depth == 1 => return at + n,
                ")" => depth -= 1,
                _ => {}
            }
        }
        self.tokens.len()
    }

    /// Mutates the tokens of an expression; returns `end`.
    fn expression(&mut self, start: usize, end: usize) -> usize {
        for at in start..end.min(self.tokens.len()) {
            let Token { kind, text, .. } = self.tokens[at];
            match kind {
                TokenKind::Symbol => self.operator(at, at > start && self.is_operand_end(at - 1)),
                TokenKind::Number if text.contains('\'') => self.constant(at),
                TokenKind::Number => self.bit_select(at),
                TokenKind::Word => {}
            }
        }
        end
    }

    fn is_operand_end(&self, at: usize) -> bool {
        let Token { kind, text, .. } = self.tokens[at];
        kind != TokenKind::Symbol || matches!(text, ")" | "]" | "}")
    }

    fn operator(&mut self, at: usize, is_binary: bool) {
        let replacement = match (self.tokens[at].text, is_binary) {
            ("+", true) => "-",
            ("-", true) => "+",
            ("&", true) => "|",
            ("|", true) => "&",
            ("^", true) => "|",
            ("==", _) => "!=",
            ("!=", _) => "==",
            ("<", _) => "<=",
            ("<=", _) => "<",
            (">", _) => ">=",
            (">=", _) => ">",
            ("&&", _) => "||",
            ("||", _) => "&&",
            ("<<", _) => ">>",
            (">>", _) | (">>>", _) => "<<",
            ("*", true) => "+",
            // A dropped inversion; a space, so that no token grows together.
            ("~", false) | ("!", false) => " ",
            ("&", false) => "|",
            ("|", false) => "&",
            ("^", false) => "|",
            _ => return,
        };
        self.push(Kind::Operator, at, replacement);
    }

    /// Flips one bit of a sized number.
    fn constant(&mut self, at: usize) {
        let text = self.tokens[at].text;
        let Some((width, value)) = text.split_once('\'') else { return };
        let Ok(width) = width.parse::<u32>() else { return };
        let (base, digits) = value.split_at(1);
        let radix = match base.to_ascii_lowercase().as_str() {
            "h" => 16,
            "d" => 10,
            "b" => 2,
            _ => return,
        };
        let digits = digits.replace('_', "");
        // Any bit, but always the same one while the line stays.
        let mut hasher = DefaultHasher::new();
        let (line, column) = self.position(self.tokens[at].at);
        (self.line(line), column).hash(&mut hasher);
        let bit = (hasher.finish() % u64::from(width.max(1))) as u32;
        let flipped = if width <= 128 {
            let Ok(value) = u128::from_str_radix(&digits, radix) else { return };
            let flipped = value ^ (1 << bit);
            format!("{width}'h{flipped:x}")
        } else {
            if radix == 10 {
                return;
            }
            let Some(flipped) = flip_digit(&digits, radix, bit) else { return };
            format!("{width}'{base}{flipped}")
        };
        self.push(Kind::Constant, at, &flipped);
    }

    /// `x[3]` or `x[7:4]`: the part one bit below, or above where there is nothing below.
    fn bit_select(&mut self, at: usize) {
        if at == 0 || self.text_at(at - 1) != "[" {
            return;
        }
        let number = |at: usize| self.text_at(at).parse::<u32>().ok();
        let beside = |n: u32, low: u32| if low > 0 { n - 1 } else { n + 1 };
        match (number(at), self.text_at(at + 1), number(at + 2)) {
            (Some(bit), "]", _) => self.push(Kind::Width, at, &beside(bit, bit).to_string()),
            (Some(high), ":", Some(low)) if self.text_at(at + 3) == "]" => {
                let end = self.tokens[at + 2];
                let range = self.tokens[at].at..end.at + end.text.len();
                let to = format!("{}:{}", beside(high, low), beside(low, low));
                self.push_range(Kind::Width, range, to);
            }
            _ => {}
        }
    }

    /// `if (condition)` from the `(` at `open` to the `)` at `close`.
    fn condition(&mut self, open: usize, close: usize) {
        if close >= self.tokens.len() {
            return;
        }
        let range = self.tokens[open].at..self.tokens[close].at + 1;
        let condition = self.text[range.clone()].to_string();
        for to in ["(1'b1)".to_string(), "(1'b0)".into(), format!("(!{condition})")] {
            self.push_range(Kind::Condition, range.clone(), to);
        }
    }

    /// Leaves out the statement from `at` to before `end`.
    fn enable(&mut self, at: usize, end: usize) {
        let Some(last) = self.tokens.get(end.saturating_sub(1)) else { return };
        self.push_range(Kind::Enable, self.tokens[at].at..last.at + 1, ";".into());
    }

    fn push(&mut self, kind: Kind, at: usize, to: &str) {
        let token = self.tokens[at];
        self.push_range(kind, token.at..token.at + token.text.len(), to.into());
    }

    fn push_range(&mut self, kind: Kind, range: core::ops::Range<usize>, to: String) {
        let line = self.position(range.start).0;
        let line_text = self.line(line).trim().to_string();
        let (module, from) = (self.module.to_string(), self.text[range.clone()].to_string());
        self.found.push(Mutant { module, kind, line, line_text, from, to, range, rank: 0 });
    }

    /// Line, from 1, and column, from 0.
    fn position(&self, at: usize) -> (usize, usize) {
        let line = self.line_starts.partition_point(|start| *start <= at);
        (line, at - self.line_starts[line - 1])
    }

    fn line(&self, line: usize) -> &'a str {
        let end = self.line_starts.get(line).copied().unwrap_or(self.text.len());
        &self.text[self.line_starts[line - 1]..end]
    }

    /// Gives each mutant its place in the order.
    fn rank(&mut self, seed: u64) {
        let mut seen = HashMap::new();
        for mutant in &mut self.found {
            let id = mutant.id();
            let count: &mut u32 = seen.entry(id.clone()).or_default();
            *count += 1;
            let mut hasher = DefaultHasher::new();
            (seed, id, *count).hash(&mut hasher);
            mutant.rank = hasher.finish();
        }
    }
}

/// The digits with one bit flipped.
fn flip_digit(digits: &str, radix: u32, bit: u32) -> Option<String> {
    let bits_per_digit = radix.ilog2();
    let zeros = ((bit / bits_per_digit + 1) as usize).saturating_sub(digits.len());
    let mut digits: Vec<char> = "0".repeat(zeros).chars().chain(digits.chars()).collect();
    let at = digits.len() - 1 - (bit / bits_per_digit) as usize;
    let flipped = digits[at].to_digit(radix)? ^ (1 << (bit % bits_per_digit));
    digits[at] = char::from_digit(flipped, radix)?;
    Some(digits.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(
            has("+", "-") && has("<=", "<") && has("&&", "||") && has("~", " ") && has("3", "2")
        );
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

    /// Each line of the text has a mistake that cannot matter and a like one that can.
    #[test]
    fn forms_that_cannot_matter_are_left_out() {
        let text = "
module m(input wire clock, input wire [3:0] a, output wire [7:0] y, output wire [8:0] z);
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
    if (a[0]) begin few = 8'd7; many = 8'd128; part_next = 5'd31; end
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
        let found = mutants(text, 1);
        let narrower = |name: &str| {
            let line = format!("{name};");
            found.iter().any(|m| m.kind == Kind::Width && m.line_text.ends_with(&line))
        };
        let names = ["turn", "part", "part_next", "all", "few", "many"];
        let expected = [true, true, true, true, false, true];
        assert_eq!(names.map(narrower), expected);
        let text = text.replace("    part_next = part;\n", "    part_next = 5'd0;\n");
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
    fn wide_numbers_flip_in_place() {
        assert_eq!(flip_digit("f0", 16, 4), Some("e0".into()));
        assert_eq!(flip_digit("1", 16, 9), Some("201".into()));
    }
}
