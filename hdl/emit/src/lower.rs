//! Statements of a kernel: rust-hdl's syntax tree to the emitter's own.

use crate::error::{Finding, Rule};
use crate::expr::{strip, Lower, Scope};
use crate::ir::{Kind, Part, Stmt};
use crate::symbols::{Class, Symbol, Symbols};
use rust_hdl_core::ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogCase, VerilogConditional,
    VerilogExpression as E, VerilogLink, VerilogLoop, VerilogMatch, VerilogStatement as S,
};

/// Lowers a kernel; findings go to `out`.
pub fn lower(
    place: &str,
    kernel: &VerilogBlock,
    symbols: &Symbols,
    out: &mut Vec<Finding>,
) -> Vec<Stmt> {
    let scope = Scope { place, symbols, loops: vec![], target: String::new() };
    Lowering { scope, out, depth: 0 }.block(kernel)
}

struct Lowering<'a> {
    scope: Scope<'a>,
    out: &'a mut Vec<Finding>,
    depth: usize,
}

impl Lowering<'_> {
    fn block(&mut self, block: &VerilogBlock) -> Vec<Stmt> {
        let (mut stmts, mut fields) = (vec![], vec![]);
        for statement in block {
            let is_field = matches!(statement, S::SliceAssignment { .. });
            if !is_field {
                stmts.append(&mut crate::row::whole(
                    std::mem::take(&mut fields),
                    self.scope.symbols,
                ));
            }
            match self.statement(statement) {
                Ok(mut more) if is_field => fields.append(&mut more),
                Ok(mut more) => stmts.append(&mut more),
                Err(finding) => {
                    if !self.out.contains(&finding) {
                        self.out.push(finding);
                    }
                }
            }
            if self.depth == 0 {
                self.scope.target.clear();
            }
        }
        stmts.append(&mut crate::row::whole(fields, self.scope.symbols));
        stmts
    }

    fn nested(&mut self, block: &VerilogBlock) -> Vec<Stmt> {
        self.depth += 1;
        let stmts = self.block(block);
        self.depth -= 1;
        stmts
    }

    fn statement(&mut self, s: &S) -> Lower<Vec<Stmt>> {
        match s {
            S::Assignment(target, value) => self.assignment(target, value),
            S::SliceAssignment { base, width, offset, replacement } => {
                self.slice_assignment(base, *width, offset, replacement)
            }
            S::If(c) => Ok(vec![self.conditional(c)?]),
            S::Match(m) => Ok(vec![self.case(m)?]),
            S::Loop(l) => self.unroll(l),
            S::Comment(text) => Ok(vec![Stmt::Comment(comment_text(text))]),
            S::Macro(block) => Ok(self.block(block)),
            S::Link(links) => self.join(links),
        }
    }

    /// Members of two bundles, each to the one of its name.
    fn join(&mut self, links: &[VerilogLink]) -> Lower<Vec<Stmt>> {
        let mut stmts = vec![];
        for link in links {
            let (VerilogLink::Forward(l)
            | VerilogLink::Backward(l)
            | VerilogLink::Bidirectional(l)) = link;
            let (from, to) = (self.scope.path(&l.owner_name)?, self.scope.path(&l.other_name)?);
            match crate::join::join(self.scope.symbols, &from, &to) {
                Ok(wires) => {
                    for (target, source) in wires {
                        stmts.append(&mut self.assignment(&E::Signal(target), &E::Signal(source))?);
                    }
                }
                Err(text) => return self.scope.error(Rule::Structure, text),
            }
        }
        Ok(stmts)
    }

    fn unroll(&mut self, l: &VerilogLoop) -> Lower<Vec<Stmt>> {
        let mut stmts = vec![];
        for (pass, i) in (l.from.as_usize()..l.to.as_usize()).enumerate() {
            self.scope.loops.push((l.index.clone(), i as u64));
            let mut body = self.block(&l.block);
            self.scope.loops.pop();
            if pass > 0 {
                body.retain(|s| !matches!(s, Stmt::Comment(_)));
            }
            stmts.append(&mut body);
        }
        Ok(stmts)
    }

    fn conditional(&mut self, c: &VerilogConditional) -> Lower<Stmt> {
        let test = self.scope.bit(&c.test)?;
        let then = self.nested(&c.then);
        let other = match &c.otherwise {
            VerilogBlockOrConditional::Block(b) => self.nested(b),
            VerilogBlockOrConditional::Conditional(s) => self.nested(&vec![s.as_ref().clone()]),
            VerilogBlockOrConditional::None => vec![],
        };
        Ok(Stmt::If(test, then, other))
    }

    fn case(&mut self, m: &VerilogMatch) -> Lower<Stmt> {
        let test = self.scope.expr(&m.test, None)?;
        let mut arms = vec![];
        for VerilogCase { condition, block } in &m.cases {
            let label = self.scope.label(condition, test.width)?;
            arms.push((label, self.nested(block)));
        }
        Ok(Stmt::Case(test, arms))
    }

    fn assignment(&mut self, target: &E, value: &E) -> Lower<Vec<Stmt>> {
        let symbol = self.target_symbol(target, true)?;
        if let E::IndexReplace(base, index, bit) = strip(value) {
            if let Some(stmts) = self.replace_in_place(&symbol, base, index, bit)? {
                return Ok(stmts);
            }
        }
        let value = self.scope.sized(value, symbol.width)?;
        Ok(vec![Stmt::Assign(symbol.name, Part::Whole, value)])
    }

    /// `t = base.replace_bit(index, bit)` as `t = base; t[index] = bit`.
    fn replace_in_place(
        &self,
        target: &Symbol,
        base: &E,
        index: &E,
        bit: &E,
    ) -> Lower<Option<Vec<Stmt>>> {
        let base = self.scope.sized(base, target.width)?;
        let bit = self.scope.bit(bit)?;
        let part = match self.scope.fold(index) {
            Some(i) if (i as usize) < target.width => Part::Fixed(i as usize, 1),
            Some(_) => return self.scope.error(Rule::Form, "replace_bit outside of the signal"),
            None => Part::Dynamic(self.scope.index(index, target.width)?, 1),
        };
        let index_reads = matches!(&part, Part::Dynamic(i, _) if i.mentions(&target.name));
        if target.width == 1 || bit.mentions(&target.name) || index_reads {
            return Ok(None);
        }
        let mut stmts = vec![];
        if base.kind != Kind::Signal(target.name.clone()) {
            stmts.push(Stmt::Assign(target.name.clone(), Part::Whole, base));
        }
        stmts.push(Stmt::Assign(target.name.clone(), part, bit));
        Ok(Some(stmts))
    }

    fn slice_assignment(
        &mut self,
        base: &E,
        width: usize,
        offset: &E,
        value: &E,
    ) -> Lower<Vec<Stmt>> {
        let symbol = self.target_symbol(base, false)?;
        let value = self.scope.sized(value, width)?;
        let part = match self.scope.fold(offset) {
            Some(o) if o as usize + width > symbol.width => {
                return self.scope.error(Rule::Form, "assignment outside of the signal")
            }
            Some(0) if width == symbol.width => Part::Whole,
            Some(o) => Part::Fixed(o as usize, width),
            None => Part::Dynamic(self.scope.index(offset, symbol.width)?, width),
        };
        Ok(vec![Stmt::Assign(symbol.name, part, value)])
    }

    fn target_symbol(&mut self, target: &E, next: bool) -> Lower<Symbol> {
        let E::Signal(raw) = strip(target) else {
            return self
                .scope
                .error(Rule::Form, "only whole signals and struct fields can be assigned");
        };
        let raw = if next { raw.strip_suffix("$next").unwrap_or(raw) } else { raw };
        self.scope.target = raw.to_string();
        let path = self.scope.path(raw)?;
        if let Some(register) = self.scope.symbols.next.get(&path) {
            return Ok(register.clone());
        }
        let symbol = self.scope.resolve(raw)?.clone();
        match symbol.class {
            Class::Output | Class::Local | Class::InstanceInput => Ok(symbol),
            _ => self.scope.error(Rule::Form, format!("`{}` can't be assigned here", symbol.name)),
        }
    }
}

/// The text of a `comment!`; rust-hdl leaves parts of the macro call around it.
fn comment_text(raw: &str) -> String {
    let around = |c: char| c.is_whitespace() || matches!(c, '!' | '(' | ')' | ';' | '"');
    let inner = match raw.trim().strip_prefix("comment") {
        Some(rest) if rest.trim_start().starts_with('!') => rest.trim_matches(around),
        _ => raw,
    };
    let words: Vec<&str> = inner.split_whitespace().collect();
    words.join(" ").replace("\\n", " ").replace("\\\"", "\"")
}
