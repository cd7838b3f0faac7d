//! Lint over rust-hdl's syntax tree: refuses forms whose Verilog could mean something else.
//!
//! rust-hdl prints the tree as text, and Verilog then keeps carries, extends `~` and binds `&`
//! after `==` where Rust doesn't. The emitter prints exact widths and its own parentheses, but
//! these forms stay refused: a kernel must mean the same in every reading.

use crate::error::{Finding, Rule};
use crate::symbols::Symbols;
use rust_hdl_core::ast::{
    VerilogBlock, VerilogExpression as E, VerilogOp as Op, VerilogOpUnary as Un,
};
use rust_hdl_core::verilog_visitor::{
    walk_assignment, walk_binop, walk_cast, walk_match, walk_slice_assignment, walk_unop,
    VerilogVisitor,
};

/// Findings in a kernel.
pub fn lint(place: &str, kernel: &VerilogBlock, symbols: &Symbols) -> Vec<Finding> {
    let mut visitor = Lint { place, target: String::new(), symbols, found: vec![] };
    visitor.visit_block(kernel);
    visitor.found.dedup();
    visitor.found
}

struct Lint<'a> {
    place: &'a str,
    target: String,
    symbols: &'a Symbols,
    found: Vec<Finding>,
}

fn strip(e: &E) -> &E {
    if let E::Paren(inner) = e {
        strip(inner)
    } else {
        e
    }
}

fn is_compare(op: &Op) -> bool {
    matches!(op, Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge)
}

fn is_bitwise(op: &Op) -> bool {
    matches!(op, Op::BitAnd | Op::BitOr | Op::BitXor)
}

/// The value can exceed, or be extended differently from, its width in Rust.
fn spills(e: &E) -> bool {
    match strip(e) {
        E::Binary(_, Op::Add | Op::Sub | Op::Mul | Op::Shl, _) => true,
        E::Binary(l, op, r) if is_bitwise(op) => spills(l) || spills(r),
        E::Binary(l, Op::Shr, _) => spills(l),
        E::Unary(Un::Not | Un::Neg, x) => {
            !matches!(strip(x), E::Unary(Un::All | Un::Any | Un::Xor, _))
        }
        _ => false,
    }
}

impl Lint<'_> {
    fn find(&mut self, rule: Rule, text: &str) {
        let target = self.target.trim_end_matches("$next").replace('$', ".");
        let dot = if target.is_empty() { "" } else { "." };
        self.found.push(Finding::new(format!("{}{dot}{target}", self.place), rule, text));
    }

    fn is_signed(&self, e: &E) -> bool {
        match strip(e) {
            E::Signal(raw) => {
                let path = raw.split('[').next().unwrap_or(raw);
                let element = format!("{path}$0");
                let with_tail = raw.find(']').map(|i| format!("{element}{}", &raw[i + 1..]));
                let names = [Some(raw.clone()), Some(element), with_tail];
                let symbol = names.iter().flatten().find_map(|n| self.symbols.by_path.get(n));
                symbol.is_some_and(|s| s.signed)
            }
            E::Signed(_) => true,
            E::Unary(Un::Neg, _) => true,
            E::Binary(l, _, r) => self.is_signed(l) || self.is_signed(r),
            _ => false,
        }
    }
}

fn is_literal(e: &E) -> bool {
    match strip(e) {
        E::Literal(_) => true,
        E::Unary(Un::Neg, x) => is_literal(x),
        _ => false,
    }
}

impl VerilogVisitor for Lint<'_> {
    fn visit_assignment(&mut self, l: &E, r: &E) {
        if let E::Signal(name) = l {
            self.target.clone_from(name);
        }
        walk_assignment(self, l, r);
        self.target.clear();
    }

    fn visit_slice_assignment(&mut self, base: &E, width: &usize, offset: &E, value: &E) {
        if let E::Signal(name) = base {
            self.target.clone_from(name);
        }
        walk_slice_assignment(self, base, width, offset, value);
        self.target.clear();
    }

    fn visit_match(&mut self, m: &rust_hdl_core::ast::VerilogMatch) {
        if spills(&m.test) {
            self.find(Rule::Spill, "arithmetic or `!` in a match value: use a Local");
        }
        walk_match(self, m);
    }

    fn visit_binop(&mut self, l: &E, op: &Op, r: &E) {
        if is_compare(op) {
            for side in [l, r] {
                if matches!(side, E::Binary(_, inner, _) if is_bitwise(inner)) {
                    self.find(Rule::Precedence, "put parentheses around & | ^ beside a compare");
                }
            }
            if spills(l) || spills(r) {
                let text = "arithmetic or `!` directly under a compare: use a Local";
                self.find(Rule::Spill, text);
            }
            let signed_literal =
                (self.is_signed(l) && is_literal(r)) || (self.is_signed(r) && is_literal(l));
            if signed_literal {
                let text = "signed compare with a literal: use a typed Constant";
                self.find(Rule::SignedLiteral, text);
            }
        }
        if matches!(op, Op::Shr) && spills(l) {
            self.find(Rule::Spill, "arithmetic or `!` under >>: use a Local");
        }
        walk_binop(self, l, op, r);
    }

    fn visit_unop(&mut self, op: &Un, e: &E) {
        if matches!(op, Un::All | Un::Any | Un::Xor) && spills(e) {
            self.find(Rule::Spill, "arithmetic or `!` under all, any or xor: use a Local");
        }
        walk_unop(self, op, e);
    }

    fn visit_cast(&mut self, e: &E, bits: &usize) {
        if spills(e) {
            self.find(Rule::Spill, "bit_cast of arithmetic or `!`: use a Local");
        }
        walk_cast(self, e, bits);
    }
}
