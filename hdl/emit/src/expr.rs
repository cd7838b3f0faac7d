//! Expressions of a kernel, with exact widths.

use crate::error::{Finding, Rule};
use crate::index;
use crate::ir::{low_bits, Expr, Kind};
use crate::symbols::{Class, Symbol, Symbols};
use crate::walk::literal_plain;
use num_bigint::BigUint;
use rust_hdl_core::ast::{
    VerilogExpression as E, VerilogLiteral, VerilogOp as Op, VerilogOpUnary as Un,
};

pub type Lower<T> = Result<T, Finding>;

/// What a statement's names mean, and where its findings are.
pub struct Scope<'a> {
    pub place: &'a str,
    pub symbols: &'a Symbols,
    /// Variables of the loops around it, and their values in this pass.
    pub loops: Vec<(String, u64)>,
    /// The signal that it assigns, where it is known.
    pub target: String,
}

impl Scope<'_> {
    pub fn error<T>(&self, rule: Rule, text: impl Into<String>) -> Lower<T> {
        let dot = if self.target.is_empty() { "" } else { "." };
        let target = self.target.replace('$', ".");
        Err(Finding::new(format!("{}{dot}{target}", self.place), rule, text))
    }

    /// The `$`-joined form of a kernel's name, array indices evaluated.
    pub fn path(&self, raw: &str) -> Lower<String> {
        let path = raw.trim_start_matches('.').replace("::", "$").replace('.', "$");
        let mut name = String::new();
        let mut rest = path.as_str();
        while let Some((head, tail)) = rest.split_once('[') {
            let Some((index, tail)) = tail.split_once(']') else { break };
            let Some(i) = index::value(index, &self.loops) else {
                let text = format!("array index `{index}` in `{raw}` is no number");
                return self.error(Rule::Form, text);
            };
            name.push_str(head);
            name.push_str(&format!("${i}"));
            rest = tail;
        }
        name.push_str(rest);
        Ok(name)
    }

    /// The symbol that a kernel's name reads.
    pub fn resolve(&self, raw: &str) -> Lower<&Symbol> {
        let name = self.path(raw)?;
        match self.symbols.by_path.get(&name) {
            Some(symbol) => Ok(symbol),
            None => {
                let shown = name.replace('$', ".");
                let text = format!("`{shown}` isn't a signal or Constant of this block");
                self.error(Rule::Undeclared, text)
            }
        }
    }

    fn loop_value(&self, name: &str) -> Option<u64> {
        self.loops.iter().rev().find(|(n, _)| n == name).map(|(_, v)| *v)
    }

    /// The value of an expression of literals and loop variables.
    pub fn fold(&self, e: &E) -> Option<u64> {
        match e {
            E::Literal(l) => literal_plain(l).0.and_then(|v| v.try_into().ok()),
            E::Paren(x) | E::Cast(x, _) => self.fold(x),
            E::Signal(name) => match self.loop_value(name) {
                Some(v) => Some(v),
                None => match &self.resolve(name).ok()?.class {
                    Class::Constant(v) => v.try_into().ok(),
                    _ => None,
                },
            },
            E::Binary(l, op, r) => {
                let (l, r) = (self.fold(l)?, self.fold(r)?);
                match op {
                    Op::Add => l.checked_add(r),
                    Op::Sub => l.checked_sub(r),
                    Op::Mul => l.checked_mul(r),
                    Op::Shl => l.checked_shl(r as u32),
                    Op::Shr => l.checked_shr(r as u32),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The width of an expression; `None` for numbers that take their neighbour's.
    fn infer(&self, e: &E) -> Lower<Option<usize>> {
        Ok(match e {
            E::Signal(name) if self.loop_value(name).is_some() => None,
            E::Signal(name) => Some(self.resolve(name)?.width),
            E::Literal(l) => literal_plain(l).1.then_some(1),
            E::Cast(_, bits) => Some(*bits),
            E::Signed(x) => {
                if self.is_signed(x) {
                    None
                } else {
                    self.infer(x)?
                }
            }
            E::Unsigned(x) | E::Paren(x) => self.infer(x)?,
            E::Binary(l, op, r) => match op {
                Op::Add | Op::Sub | Op::Mul | Op::BitXor | Op::BitAnd | Op::BitOr => {
                    self.infer(l)?.or(self.infer(r)?)
                }
                Op::Shl | Op::Shr => self.infer(l)?,
                _ => Some(1),
            },
            E::Unary(Un::Not | Un::Neg, x) => self.infer(x)?,
            E::Unary(..) | E::Index(..) => Some(1),
            E::Slice(_, width, _) => Some(*width),
            E::IndexReplace(x, _, _) => self.infer(x)?,
        })
    }

    fn is_signed(&self, e: &E) -> bool {
        match e {
            E::Signal(name) => self.resolve(name).is_ok_and(|s| s.signed),
            E::Signed(_) => true,
            E::Paren(x) | E::Unary(Un::Neg, x) => self.is_signed(x),
            E::Binary(l, _, r) => self.is_signed(l) || self.is_signed(r),
            _ => false,
        }
    }

    pub fn bit(&self, e: &E) -> Lower<Expr> {
        self.sized(e, 1)
    }

    /// An expression that must have this width.
    pub fn sized(&self, e: &E, width: usize) -> Lower<Expr> {
        let value = self.expr(e, Some(width))?;
        if value.width != width {
            let text = format!("{} bits where {width} are wanted", value.width);
            return self.error(Rule::Width, text);
        }
        Ok(value)
    }

    pub fn signal(&self, name: &str, want: Option<usize>) -> Lower<Expr> {
        if let Some(value) = self.loop_value(name) {
            return self.number(value.into(), want);
        }
        let symbol = self.resolve(name)?;
        let kind = match &symbol.class {
            Class::Constant(value) => Kind::Constant(symbol.name.clone(), value.clone()),
            _ => Kind::Signal(symbol.name.clone()),
        };
        Ok(Expr { kind, width: symbol.width, signed: symbol.signed })
    }

    fn number(&self, value: BigUint, want: Option<usize>) -> Lower<Expr> {
        let Some(width) = want else {
            return self
                .error(Rule::Width, "a literal's width can't be known here: use a Constant");
        };
        if value.bits() as usize > width {
            return self.error(Rule::Width, format!("{value} doesn't fit into {width} bits"));
        }
        Ok(Expr::literal(value, width))
    }

    fn literal(&self, l: &VerilogLiteral, want: Option<usize>) -> Lower<Expr> {
        match literal_plain(l) {
            (Some(value), true) => self.number(value, want.or(Some(1))),
            (Some(value), false) => self.number(value, want),
            (None, _) => match want {
                Some(w) => Ok(Expr::literal(crate::walk::literal_value(l, w), w)),
                None => self.number(0_u32.into(), None),
            },
        }
    }

    pub fn expr(&self, e: &E, want: Option<usize>) -> Lower<Expr> {
        match e {
            E::Signal(name) => self.signal(name, want),
            E::Literal(l) => self.literal(l, want),
            E::Paren(x) => self.expr(x, want),
            E::Cast(x, bits) => self.cast(x, *bits),
            E::Signed(x) => self.signed(x, want),
            E::Unsigned(x) => {
                let inner = self.expr(x, want)?;
                let width = inner.width;
                Ok(Expr::new(Kind::Sign("$unsigned", Box::new(inner)), width))
            }
            E::Binary(l, op, r) => self.binary(l, op, r, want),
            E::Unary(op, x) => self.unary(op, x, want),
            E::Index(x, i) => self.part(x, i, 1),
            E::Slice(x, width, offset) => self.part(x, offset, *width),
            E::IndexReplace(x, i, bit) => self.index_replace(x, i, bit, want),
        }
    }

    fn cast(&self, x: &E, bits: usize) -> Lower<Expr> {
        if self.infer(x)?.is_none() {
            return self.expr(x, Some(bits));
        }
        let inner = self.expr(x, None)?;
        if inner.width <= bits {
            return Ok(inner.zero_extended(bits));
        }
        match inner.truncated(bits) {
            Some(value) => Ok(value),
            None => self.error(Rule::Form, "narrowing bit_cast of an expression: use a Local"),
        }
    }

    fn signed(&self, x: &E, want: Option<usize>) -> Lower<Expr> {
        let inner = self.expr(x, if self.is_signed(x) { None } else { want })?;
        let (width, name) = (inner.width, inner.kind.clone());
        let signed = |kind, width| Expr { kind, width, signed: true };
        match (want, name) {
            (Some(w), Kind::Signal(name)) if inner.signed && w > width => {
                let sign = Expr::new(Kind::Slice(name.clone(), width - 1), 1);
                let extension = Expr::new(Kind::Repeat(w - width, Box::new(sign)), w - width);
                let concat = Kind::Concat(vec![extension, Expr::signal(&name, width, true)]);
                Ok(signed(Kind::Sign("$signed", Box::new(Expr::new(concat, w))), w))
            }
            (Some(w), _) if inner.signed && w != width => {
                self.error(Rule::Form, "signed_bit_cast widens plain signals only: use a Local")
            }
            _ if inner.signed => Ok(inner),
            _ => Ok(signed(Kind::Sign("$signed", Box::new(inner)), width)),
        }
    }

    fn unary(&self, op: &Un, x: &E, want: Option<usize>) -> Lower<Expr> {
        let inner = match op {
            Un::Not | Un::Neg => self.expr(x, want)?,
            _ => self.expr(x, None)?,
        };
        let (width, signed) = (inner.width, inner.signed);
        let reduce = |op, inner: Expr| match inner.width {
            1 => inner,
            _ => Expr::new(Kind::Reduce(op, Box::new(inner)), 1),
        };
        Ok(match op {
            Un::Not if width == 1 => Expr::new(Kind::Unary("!", Box::new(inner)), 1),
            Un::Not => Expr { kind: Kind::Unary("~", Box::new(inner)), width, signed },
            Un::Neg => Expr { kind: Kind::Unary("-", Box::new(inner)), width, signed },
            Un::All => reduce("&", inner),
            Un::Any => reduce("|", inner),
            Un::Xor => reduce("^", inner),
        })
    }

    fn binary(&self, l: &E, op: &Op, r: &E, want: Option<usize>) -> Lower<Expr> {
        let (text, compare) = match op {
            Op::Add => ("+", false),
            Op::Sub => ("-", false),
            Op::BitXor => ("^", false),
            Op::BitAnd => ("&", false),
            Op::BitOr => ("|", false),
            Op::LogicalAnd => ("&&", true),
            Op::LogicalOr => ("||", true),
            Op::Eq => ("==", true),
            Op::Ne => ("!=", true),
            Op::Lt => ("<", true),
            Op::Le => ("<=", true),
            Op::Gt => (">", true),
            Op::Ge => (">=", true),
            Op::Shl => return self.shift("<<", l, r, want),
            Op::Shr => return self.shift(">>", l, r, want),
            Op::Mul => return self.error(Rule::Form, "`*` can't be emitted: use a multiplier"),
        };
        let width = match op {
            Op::LogicalAnd | Op::LogicalOr => Some(1),
            _ => self.infer(l)?.or(self.infer(r)?),
        };
        let width = if compare { width } else { width.or(want) };
        let left = self.expr(l, width)?;
        let mut right = self.expr(r, width.or(Some(left.width)))?;
        if right.width == 1 && left.width > 1 && matches!(op, Op::Add | Op::Sub) {
            right = right.zero_extended(left.width);
        }
        if left.width != right.width {
            let (a, b) = (left.width, right.width);
            return self.error(Rule::Width, format!("{a} bits {text} {b} bits"));
        }
        let (width, signed) = match compare {
            true => (1, false),
            false => (left.width, left.signed && right.signed),
        };
        Ok(Expr { kind: Kind::Binary(text, Box::new(left), Box::new(right)), width, signed })
    }

    fn shift(&self, op: &'static str, l: &E, by: &E, want: Option<usize>) -> Lower<Expr> {
        let left = self.expr(l, want)?;
        let amount = match self.fold(by) {
            Some(n) => Expr::literal(n, 32),
            None => self.expr(by, None)?,
        };
        let (width, signed) = (left.width, left.signed);
        Ok(Expr { kind: Kind::Shift(op, Box::new(left), Box::new(amount)), width, signed })
    }

    /// An index for a signal of `width` bits, as wide as Verilog wants it.
    pub fn index(&self, e: &E, width: usize) -> Lower<Expr> {
        let need = (usize::BITS - (width.max(2) - 1).leading_zeros()) as usize;
        let index = self.expr(e, None)?;
        if index.width < need {
            return Ok(index.zero_extended(need));
        }
        match index.truncated(need) {
            Some(index) => Ok(index),
            None => self.error(Rule::Form, "index by an expression: use a Local"),
        }
    }

    /// `width` bits of `x` from `offset`.
    fn part(&self, x: &E, offset: &E, width: usize) -> Lower<Expr> {
        let base = self.expr(x, None)?;
        let signed = base.signed;
        let result = match self.fold(offset) {
            Some(o) => self.fixed_part(base, o as usize, width)?,
            None => match base.kind {
                Kind::Signal(name) | Kind::Constant(name, _) if base.width > 1 => {
                    let index = self.index(offset, base.width)?;
                    Expr::new(Kind::DynSlice(name, Box::new(index)), width)
                }
                _ => return self.error(Rule::Form, "get_bits of an expression: use a Local"),
            },
        };
        if signed && width > 1 && !result.signed {
            let kind = Kind::Sign("$signed", Box::new(result));
            return Ok(Expr { kind, width, signed: true });
        }
        Ok(result)
    }

    fn fixed_part(&self, base: Expr, offset: usize, width: usize) -> Lower<Expr> {
        if offset + width > base.width {
            let text = format!("bits {}:{offset} of {} bits", offset + width - 1, base.width);
            return self.error(Rule::Form, text);
        }
        if offset == 0 && width == base.width {
            return Ok(base);
        }
        let kind = match base.kind {
            Kind::Signal(name) => Kind::Slice(name, offset),
            Kind::Slice(name, o) => Kind::Slice(name, o + offset),
            Kind::Constant(_, v) | Kind::Literal(v) => {
                Kind::Literal(low_bits(&(v >> offset), width))
            }
            Kind::Sign(_, inner) => return self.fixed_part(*inner, offset, width),
            _ => return self.error(Rule::Form, "get_bits of an expression: use a Local"),
        };
        Ok(Expr::new(kind, width))
    }

    /// `replace_bit` inside an expression.
    fn index_replace(&self, x: &E, i: &E, bit: &E, want: Option<usize>) -> Lower<Expr> {
        let base = self.expr(x, want)?;
        let width = base.width;
        let bit = self.bit(bit)?.zero_extended(width);
        let amount = match self.fold(i) {
            Some(n) => Expr::literal(n, 32),
            None => self.index(i, width)?,
        };
        let shift = |value: Expr| {
            Expr::new(Kind::Shift("<<", Box::new(value), Box::new(amount.clone())), width)
        };
        let not = Kind::Unary("~", Box::new(shift(Expr::literal(1_u32, width))));
        let cleared = Kind::Binary("&", Box::new(base), Box::new(Expr::new(not, width)));
        let kind = Kind::Binary("|", Box::new(Expr::new(cleared, width)), Box::new(shift(bit)));
        Ok(Expr::new(kind, width))
    }

    /// The pattern of a `match` arm; `None` for the default.
    pub fn label(&self, text: &str, width: usize) -> Lower<Option<Expr>> {
        if text == "default" {
            return Ok(None);
        }
        let clean = text.replace('_', "");
        let digits = clean.trim_end_matches("usize").trim_end_matches("u64");
        let number = match (digits.strip_prefix("0x"), digits.strip_prefix("0b")) {
            (Some(hex), _) => BigUint::parse_bytes(hex.as_bytes(), 16),
            (_, Some(bin)) => BigUint::parse_bytes(bin.as_bytes(), 2),
            _ if digits == "true" => Some(1_u32.into()),
            _ if digits == "false" => Some(0_u32.into()),
            _ => BigUint::parse_bytes(digits.as_bytes(), 10),
        };
        let label = match number {
            Some(value) if value.bits() as usize > width => {
                return self.error(Rule::Width, format!("match pattern {text} is too wide"))
            }
            Some(value) => Expr::literal(value, width),
            None => self.signal(text, None)?,
        };
        if label.width != width || !label.is_constant() {
            return self.error(Rule::Width, format!("match pattern {text} doesn't fit the value"));
        }
        Ok(Some(label))
    }
}

pub fn strip(e: &E) -> &E {
    if let E::Paren(inner) = e {
        strip(inner)
    } else {
        e
    }
}
