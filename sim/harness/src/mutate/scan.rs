//! Finds the places of a Verilog text where a mistake can be made.

use super::equivalent;
use super::mutant::{Kind, Mutant};
use super::token::{tokens, Token, TokenKind};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

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
        let (mut at, mut module_count) = (0, 0);
        while at < self.tokens.len() {
            match self.tokens[at].text {
                "module" => {
                    module_count += 1;
                    self.module = self.tokens.get(at + 1).map_or("", |t| t.text);
                    at = self.after(at, ";");
                }
                "endmodule" | "generate" | "endgenerate" | "else" | "end" => at += 1,
                // Of a generate block.
                "begin" => at += if self.text_at(at + 1) == ":" { 3 } else { 1 },
                "if" | "for" => at = self.closing(at + 1) + 1,
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
        let modules = self.tokens.iter().filter(|t| t.text == "module").count();
        assert_eq!(module_count, modules, "the scanner has run over a module");
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
    use super::flip_digit;

    #[test]
    fn wide_numbers_flip_in_place() {
        assert_eq!(flip_digit("f0", 16, 4), Some("e0".into()));
        assert_eq!(flip_digit("1", 16, 9), Some("201".into()));
    }
}
