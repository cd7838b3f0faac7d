//! The places of a Verilog text that a mistake can be made in: statements, and expressions in them.

use super::token::Token;
use core::ops::Range;

/// What stands at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A `wire` or `reg`, from that word to the `;`.
    Declaration,
    /// The value of a parameter, or of a register at its declaration.
    Constant,
    /// The value of a wire.
    Net,
    /// A statement without others in it.
    Simple,
    /// One with others.
    Compound,
    /// What an `if` asks, with its parentheses.
    Condition,
    /// What a `case` looks at.
    Selector,
    /// The labels of a `case`.
    Label,
}

/// A place.
#[derive(Clone, Debug)]
pub struct Place<'a> {
    pub what: What,
    /// Its tokens.
    pub tokens: Range<usize>,
    pub module: &'a str,
    /// Of an `initial`: it is done once.
    pub is_initial: bool,
}

/// All places, one that holds others before them.
pub fn places<'a>(tokens: &[Token<'a>]) -> Vec<Place<'a>> {
    let mut reader = Reader { tokens, module: "", is_initial: false, found: Vec::new() };
    reader.modules();
    reader.found
}

/// Index of the `)` that closes the `(` at `at`.
pub fn closing(tokens: &[Token<'_>], at: usize) -> usize {
    let mut depth = 0;
    for (n, token) in tokens[at..].iter().enumerate() {
        match token.text {
            "(" => depth += 1,
            ")" if depth == 1 => return at + n,
            ")" => depth -= 1,
            _ => {}
        }
    }
    tokens.len()
}

struct Reader<'a, 't> {
    tokens: &'t [Token<'a>],
    module: &'a str,
    is_initial: bool,
    found: Vec<Place<'a>>,
}

impl<'a> Reader<'a, '_> {
    fn modules(&mut self) {
        let (mut at, mut module_count) = (0, 0);
        while at < self.tokens.len() {
            match self.tokens[at].text {
                "module" => {
                    module_count += 1;
                    self.module = self.text(at + 1);
                    at = self.after(at, ";");
                }
                "endmodule" | "generate" | "endgenerate" | "else" | "end" => at += 1,
                // Of a generate block.
                "begin" => at += if self.text(at + 1) == ":" { 3 } else { 1 },
                "if" | "for" => at = closing(self.tokens, at + 1) + 1,
                "wire" | "reg" => at = self.declaration(at),
                "input" | "output" | "inout" | "integer" | "genvar" | "function" | "task" => {
                    at = self.after(at, ";");
                }
                "localparam" | "parameter" => at = self.value(What::Constant, at),
                "assign" => at = self.value(What::Net, at),
                word @ ("always" | "initial") => {
                    self.is_initial = word == "initial";
                    at = self.process(at + 1);
                    self.is_initial = false;
                }
                // An instance: its connections are signals.
                _ => at = self.after(at, ";"),
            }
        }
        let modules = self.tokens.iter().filter(|t| t.text == "module").count();
        assert_eq!(module_count, modules, "the reader has run over a module");
    }

    fn push(&mut self, what: What, tokens: Range<usize>) {
        let (module, is_initial) = (self.module, self.is_initial);
        self.found.push(Place { what, tokens, module, is_initial });
    }

    fn text(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |t| t.text)
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
        self.push(What::Declaration, at..end);
        self.value(if self.text(at) == "wire" { What::Net } else { What::Constant }, at)
    }

    /// `name = expression;`; returns the index after it.
    fn value(&mut self, what: What, at: usize) -> usize {
        let end = self.after(at, ";");
        if let Some(n) = self.tokens[at..end].iter().position(|t| t.text == "=") {
            self.push(what, at + n + 1..end - 1);
        }
        end
    }

    /// The body of an `always`; returns the index after it.
    fn process(&mut self, mut at: usize) -> usize {
        if self.text(at) == "@" {
            at += 1;
            at = if self.text(at) == "(" { closing(self.tokens, at) + 1 } else { at + 1 };
        }
        self.statement(at)
    }

    /// One statement; returns the index after it.
    fn statement(&mut self, at: usize) -> usize {
        let place = self.found.len();
        self.push(What::Compound, at..at);
        let end = match self.text(at) {
            "begin" => {
                let mut at = if self.text(at + 1) == ":" { at + 3 } else { at + 1 };
                while at < self.tokens.len() && self.text(at) != "end" {
                    at = self.statement(at);
                }
                at + 1
            }
            "if" => {
                let close = closing(self.tokens, at + 1);
                self.push(What::Condition, at + 1..close + 1);
                let after = self.statement(close + 1);
                match self.text(after) {
                    "else" => self.statement(after + 1),
                    _ => after,
                }
            }
            "case" | "casez" => {
                let close = closing(self.tokens, at + 1);
                self.push(What::Selector, at + 2..close);
                self.case_items(close + 1)
            }
            "for" | "while" | "repeat" => {
                let close = closing(self.tokens, at + 1);
                self.statement(close + 1)
            }
            _ => {
                self.found[place].what = What::Simple;
                self.after(at, ";")
            }
        };
        let end = end.min(self.tokens.len());
        self.found[place].tokens = at..end;
        end
    }

    fn case_items(&mut self, mut at: usize) -> usize {
        while at < self.tokens.len() && self.text(at) != "endcase" {
            // Labels are numbers, names or `default`.
            let colon = self.after(at, ":");
            self.push(What::Label, at..colon - 1);
            at = self.statement(colon);
        }
        at + 1
    }
}
