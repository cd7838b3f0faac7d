//! Mutants that cannot matter, as their form alone shows. They are not generated: nothing could
//! catch them.
//!
//! | form | why |
//! |---|---|
//! | `x = a + c` to `-`, or back, where 2c is a multiple of 2 to the width of `x` | both are the same modulo that power: `+ 1` on one bit, `+ 4` on three |
//! | `x` one bit narrower, and every read of it selects bits below its top | the bit goes nowhere; also `x_next`, which only `x <= x_next` reads |
//! | `x` one bit narrower, and only constants below its top are ever assigned, with `=` | the bit is always 0 |
//! | `m = x[B-1:0]` to `x[B+1:0]`, and `m` is declared `[B-1:0]` | what is above is cut off |
//! | `>` to `>=` in `y = 0; if (a > b) y = a - b;` | the difference of equals is 0 |
//! | a bit in the zeros of `w = {n'd0, x}` or in `{n'd0, x}` itself, which is only read as `w << k`, and k moves the bit out of what is assigned | every operator on its way moves bits up only |
//! | anything in the `default` of a `case` that names every value of its selector | never taken |

use super::mutant::{Kind, Mutant};
use super::token::{Token, TokenKind};
use core::ops::Range;
use std::collections::{HashMap, HashSet};

/// `name = expression` or `name <= expression`.
struct Assignment<'a> {
    /// `None`: a part of a signal is assigned.
    target: Option<&'a str>,
    is_blocking: bool,
    value: Range<usize>,
}

/// What a module's text says about its signals.
pub(super) struct Forms<'a> {
    tokens: &'a [Token<'a>],
    widths: HashMap<&'a str, usize>,
    /// Of the `localparam`s.
    constants: HashMap<&'a str, u128>,
    assignments: Vec<Assignment<'a>>,
    /// Where each name stands, but for its declaration and where the whole of it is assigned.
    reads: HashMap<&'a str, Vec<usize>>,
}

/// Bits and value of a sized number of at most 128 bits.
fn number(text: &str) -> Option<(usize, u128)> {
    let (width, value) = text.split_once('\'')?;
    let (base, digits) = value.split_at(1);
    let radix = match base {
        "h" => 16,
        "d" => 10,
        "b" => 2,
        _ => return None,
    };
    let value = u128::from_str_radix(&digits.replace('_', ""), radix).ok()?;
    Some((width.parse().ok()?, value))
}

impl<'a> Forms<'a> {
    /// Of the tokens of one module.
    pub(super) fn new(tokens: &'a [Token<'a>]) -> Self {
        let (widths, constants, assignments, reads) = Default::default();
        let mut forms = Self { tokens, widths, constants, assignments, reads };
        let mut at = 0;
        while at < tokens.len() {
            at = forms.declaration(at).unwrap_or_else(|| forms.other(at));
        }
        forms
    }

    fn text(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |t| t.text)
    }

    /// `reg [7:0] name`, also of ports; the index behind it.
    fn declaration(&mut self, at: usize) -> Option<usize> {
        let mut at = match self.text(at) {
            "localparam" => {
                let name = at + if self.text(at + 1) == "[" { 6 } else { 1 };
                let value = number(self.text(name + 2)).filter(|_| self.text(name + 3) == ";");
                self.constants.insert(self.text(name), value?.1);
                return Some(name + 3);
            }
            "wire" | "reg" => at + 1,
            _ => return None,
        };
        let mut width = 1;
        if self.text(at) == "[" {
            width = self.text(at + 1).parse::<usize>().ok()? + 1;
            if self.text(at + 3) != "0" {
                return None;
            }
            at += 5;
        }
        self.widths.insert(self.text(at), width);
        let is_linters = self.text(at).starts_with("unused_");
        let end = self.tokens[at..].iter().position(|t| t.text == ";").map(|n| at + n);
        if self.text(at + 1) == "=" && !is_linters {
            let (target, value) = (Some(self.text(at)), at + 2..end?);
            self.assignments.push(Assignment { target, is_blocking: true, value });
        }
        Some(if is_linters { end? } else { at + 1 })
    }

    /// An assignment begins at `at`, or a name is read there; the index behind it.
    fn other(&mut self, at: usize) -> usize {
        if self.tokens[at].kind != TokenKind::Word {
            return at + 1;
        }
        let before = if at == 0 { "" } else { self.text(at - 1) };
        let starts = matches!(before, ";" | "begin" | "end" | "else" | ")" | ":" | "assign");
        let is_whole = matches!(self.text(at + 1), "=" | "<=");
        if starts && (is_whole || self.text(at + 1) == "[") {
            let is_sign = |t: &Token<'_>| matches!(t.text, "=" | "<=");
            let sign = self.tokens[at..].iter().position(is_sign).map(|n| at + n);
            if let Some(sign) = sign {
                let rest = self.tokens[sign..].iter().position(|t| t.text == ";");
                let value = sign + 1..rest.map_or(self.tokens.len(), |n| sign + n);
                let target = is_whole.then(|| self.text(at));
                let is_blocking = self.text(sign) == "=";
                self.assignments.push(Assignment { target, is_blocking, value });
                if is_whole {
                    return at + 1;
                }
            }
        }
        self.reads.entry(self.text(at)).or_default().push(at);
        at + 1
    }

    /// Whether the mutant cannot matter.
    pub(super) fn shows(&self, mutant: &Mutant) -> bool {
        let at = self.tokens.partition_point(|t| t.at < mutant.range.start);
        if self.is_in_idle_default(at) {
            return true;
        }
        match mutant.kind {
            Kind::Operator => {
                self.is_half_of_the_ring(at)
                    || self.is_cut_off(at)
                    || self.is_guard_of_difference(at)
            }
            Kind::Width => self.is_unread_top(at) || self.is_zero_top(at),
            Kind::Constant => self.is_shifted_out(at, &mutant.to),
            _ => false,
        }
    }

    /// In the `default` of a full case without another one inside.
    fn is_in_idle_default(&self, at: usize) -> bool {
        let is_edge = |t: &Token<'_>| matches!(t.text, "case" | "endcase");
        let Some(start) = self.tokens[..at].iter().rposition(is_edge) else { return false };
        let Some(end) = self.tokens[at..].iter().position(is_edge).map(|n| at + n) else {
            return false;
        };
        let is_case = self.text(start) == "case" && self.text(end) == "endcase";
        let width = match (self.text(start + 1), self.text(start + 3)) {
            ("(", ")") if is_case => self.widths.get(self.text(start + 2)).copied(),
            _ => None,
        };
        let arms = &self.tokens[start..at];
        let is_default = arms.iter().any(|t| t.text == "default");
        let (Some(width @ 1..=16), true) = (width, is_default) else { return false };
        let label = |pair: &[Token<'_>]| number(pair[0].text).filter(|_| pair[1].text == ":");
        let labels: HashSet<u128> =
            arms.windows(2).filter_map(label).map(|(_, value)| value).collect();
        labels.len() == 1 << width
    }

    fn assignment_around(&self, at: usize) -> Option<&Assignment<'a>> {
        self.assignments.iter().find(|a| a.value.contains(&at))
    }

    fn is_half_of_the_ring(&self, at: usize) -> bool {
        let Some(assignment) = self.assignment_around(at) else { return false };
        let is_sum = matches!(self.text(at), "+" | "-")
            && assignment.value == (at - 1..at + 2)
            && assignment.target.is_some();
        let width = assignment.target.and_then(|name| self.widths.get(name));
        match (is_sum, width, number(self.text(at + 1))) {
            (true, Some(&width), Some((_, value))) => {
                width < 127 && (2 * value) % (1 << width) == 0
            }
            _ => false,
        }
    }

    fn has(&self, at: usize, texts: &[&str]) -> bool {
        texts.iter().enumerate().all(|(n, text)| self.text(at + n) == *text)
    }

    /// `at` is the minus in `m = x[B-1:0];`.
    fn is_cut_off(&self, at: usize) -> bool {
        let Some(start) = at.checked_sub(3) else { return false };
        let part = ["[", self.text(at - 1), "-", "1", ":", "0", "]"];
        let whole = self.assignments.iter().find(|a| a.value == (start..at + 5));
        let Some(target) = whole.and_then(|a| a.target) else { return false };
        let declares = |n: usize| self.has(n, &part) && self.text(n + part.len()) == target;
        self.has(start + 1, &part) && (0..start).any(declares)
    }

    /// `at` is the sign in `y = 0; if (a > b) begin y = a - b; end`.
    fn is_guard_of_difference(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(7) else { return false };
        let (a, b, y) = (self.text(at - 1), self.text(at + 1), self.text(before));
        let is_zero = number(self.text(before + 2)).is_some_and(|(_, value)| value == 0);
        is_zero
            && self.text(before + 1) == "="
            && self.has(before + 3, &[";", "if", "("])
            && self.has(at, &[">", b, ")", "begin", y, "=", a, "-", b, ";", "end"])
            && self.text(at + 11) != "else"
    }

    /// The register whose declared top is at `at`, as in `reg [7:0] name`.
    fn declared(&self, at: usize) -> Option<(&'a str, usize)> {
        let is_range = self.text(at.checked_sub(1)?) == "[" && self.text(at + 1) == ":";
        let is_register = is_range && self.text(at.checked_sub(2)?) == "reg";
        is_register.then(|| (self.text(at + 4), self.text(at).parse().unwrap_or(0)))
    }

    fn reads_of(&self, name: &str) -> &[usize] {
        self.reads.get(name).map_or(&[], |reads| reads)
    }

    fn is_unread_top(&self, at: usize) -> bool {
        let Some((name, top)) = self.declared(at) else { return false };
        let reads_below = |name: &str| {
            let highest = |read: &usize| match self.text(read + 1) {
                "[" => self.text(read + 2).parse().unwrap_or(top),
                _ => top,
            };
            self.reads_of(name).iter().all(|read| highest(read) < top)
        };
        if reads_below(name) {
            return true;
        }
        // The next value of a register is read where the register takes it.
        let Some(register) = name.strip_suffix("_next") else { return false };
        let takes = |read: &usize| {
            self.assignments
                .iter()
                .any(|a| a.value == (*read..read + 1) && a.target == Some(register))
        };
        self.reads_of(name).iter().all(takes) && reads_below(register)
    }

    fn is_zero_top(&self, at: usize) -> bool {
        let Some((name, top)) = self.declared(at) else { return false };
        let is_low = |a: &Assignment<'_>| {
            let text = self.text(a.value.start);
            let named = self.constants.get(text).copied();
            let value = number(text).map(|(_, value)| value).or(named);
            let value = value.filter(|_| a.value.len() == 1);
            a.is_blocking && top < 128 && value.is_some_and(|value| value >> top == 0)
        };
        let is_whole = !self.assignments.iter().any(|a| {
            // A part of it is assigned: the name stands in front of a bracket there.
            a.target.is_none() && self.reads_of(name).iter().any(|read| read < &a.value.start)
        });
        let mut own = self.assignments.iter().filter(|a| a.target == Some(name)).peekable();
        is_whole && own.peek().is_some() && own.all(is_low)
    }

    /// Width of the `name` or `name[7:0]` at `at`, and the index behind it.
    fn operand_bits(&self, at: usize) -> Option<(usize, usize)> {
        let position = |at: usize| self.text(at).parse::<usize>().ok();
        match (self.text(at + 1), self.text(at + 3)) {
            ("[", "]") => Some((1, at + 4)),
            ("[", ":") => Some((position(at + 2)? + 1 - position(at + 4)?, at + 6)),
            _ => Some((*self.widths.get(self.text(at))?, at + 1)),
        }
    }

    /// `at` is the number in `{n'd0, x}`.
    fn is_shifted_out(&self, at: usize, to: &str) -> bool {
        let is_padding = at > 0 && self.text(at - 1) == "{" && self.text(at + 1) == ",";
        let (Some((_, 0)), true) = (number(self.text(at)), is_padding) else { return false };
        let Some((_, flipped)) = number(to).filter(|(_, to)| *to != 0) else { return false };
        let Some((below, close)) = self.operand_bits(at + 2) else { return false };
        if self.text(close) != "}" {
            return false;
        }
        let bit = below + flipped.trailing_zeros() as usize;
        let Some(assignment) = self.assignment_around(at) else { return false };
        let inner = at - 1..close + 1;
        if assignment.value != inner {
            return self.leaves(inner.start..inner.end, bit);
        }
        let name = assignment.target.unwrap_or_default();
        let reads = self.reads_of(name);
        !reads.is_empty() && reads.iter().all(|read| self.leaves(*read..read + 1, bit))
    }

    /// The tokens of `operand` are shifted left so far that its bit `bit` is not assigned.
    fn leaves(&self, operand: Range<usize>, bit: usize) -> bool {
        let by = self.text(operand.end + 1).parse::<usize>();
        let (Ok(by), "<<") = (by, self.text(operand.end)) else { return false };
        let Some(assignment) = self.assignment_around(operand.start) else { return false };
        let width = assignment.target.and_then(|name| self.widths.get(name));
        let is_upward = assignment.value.clone().all(|at| {
            let before = self.text(at - 1);
            let is_operand =
                self.tokens[at - 1].kind != TokenKind::Symbol || matches!(before, ")" | "]" | "}");
            match self.text(at) {
                "|" | "&" | "^" | "+" | "-" => is_operand,
                "<<" => self.text(at + 1).parse::<usize>().is_ok(),
                "(" | ")" | "{" | "}" | "[" | "]" | "," | ":" => true,
                _ => self.tokens[at].kind != TokenKind::Symbol,
            }
        });
        is_upward && width.is_some_and(|width| bit + by >= *width)
    }
}
