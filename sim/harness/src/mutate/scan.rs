//! Finds the places of a Verilog text where a mistake can be made.

use super::equivalent;
use super::mutant::{Kind, Mutant};
use super::syntax::{places, Place, What};
use super::token::{tokens, Token, TokenKind};
use core::ops::Range;
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
    for place in places(&scanner.tokens) {
        scanner.place(&place);
    }
    scanner.rank(seed);
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
    fn place(&mut self, place: &Place<'a>) {
        self.module = place.module;
        let Range { start, end } = place.tokens.clone();
        match place.what {
            What::Declaration => self.declaration(start, end),
            What::Constant | What::Net | What::Selector | What::Label => {
                self.expression(start, end);
            }
            What::Condition => {
                self.condition(start, end);
                self.expression(start + 1, end - 1);
            }
            What::Simple => self.simple(start, end),
            What::Compound => {}
        }
    }

    /// `wire [7:0] x;` or `reg [7:0] x = ...;`
    fn declaration(&mut self, at: usize, end: usize) {
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
    }

    /// `name = expression;` or with `<=`, which may also be left out.
    fn simple(&mut self, at: usize, end: usize) {
        if self.text_at(at) == ";" {
            return;
        }
        let range = self.tokens[at].at..self.tokens[end - 1].at + 1;
        self.push_range(Kind::Enable, range, ";".into());
        let is_assign = |t: &Token<'_>| t.text == "=" || t.text == "<=";
        if let Some(n) = self.tokens[at..end].iter().position(is_assign) {
            self.expression(at + n + 1, end);
        }
    }

    fn text_at(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |t| t.text)
    }

    /// Mutates the tokens of an expression.
    fn expression(&mut self, start: usize, end: usize) {
        for at in start..end {
            let Token { kind, text, .. } = self.tokens[at];
            match kind {
                TokenKind::Symbol => self.operator(at, at > start && self.is_operand_end(at - 1)),
                TokenKind::Number if text.contains('\'') => self.constant(at),
                TokenKind::Number => self.bit_select(at),
                TokenKind::Word => {}
            }
        }
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

    /// What an `if` asks, with its parentheses.
    fn condition(&mut self, start: usize, end: usize) {
        let range = self.tokens[start].at..self.tokens[end - 1].at + 1;
        let condition = self.text[range.clone()].to_string();
        for to in ["(1'b1)".to_string(), "(1'b0)".into(), format!("(!{condition})")] {
            self.push_range(Kind::Condition, range.clone(), to);
        }
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
