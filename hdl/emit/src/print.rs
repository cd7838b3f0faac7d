//! Prints a module as Verilog-2005.

use crate::check::covers;
use crate::ir::{words, Body, Dir, Expr, Item, Kind, Module, Part, Plan, Role, Stmt};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};

/// Longest line.
const COLUMNS_MAX: usize = 100;

/// Prints `module` as `name`; `names` gives the names of its instances' modules.
pub fn print(module: &Module, name: &str, names: &dyn Fn(usize) -> String) -> String {
    let mut printer = Printer { out: String::new(), indent: 0 };
    match &module.body {
        Body::Custom(text) => printer.custom(module, name, text),
        Body::Cell(text) => printer.cell(name, text),
        Body::Kernel(plan) => printer.kernel(module, name, plan, names),
    }
    printer.out
}

/// Names that the module declares but doesn't need in full: (name, unread bit ranges).
pub fn unused(module: &Module) -> Vec<(String, Vec<(usize, usize)>)> {
    match &module.body {
        Body::Custom(text) => {
            let used: BTreeSet<String> = words(text).into_iter().collect();
            let ports = module.ports.iter().filter(|p| p.dir == Dir::In);
            let idle = ports.filter(|p| !used.contains(&p.name));
            idle.map(|p| (p.name.clone(), vec![(p.width - 1, 0)])).collect()
        }
        Body::Cell(_) => vec![],
        Body::Kernel(plan) => unused_bits(module, plan).1,
    }
}

type Unused = Vec<(String, Vec<(usize, usize)>)>;

/// All names that are read, and the bits that are not.
fn unused_bits(module: &Module, plan: &Plan) -> (BTreeSet<String>, Unused) {
    let mut names = BTreeSet::new();
    let mut used: BTreeMap<String, BigUint> = BTreeMap::new();
    let mut read = |name: &str, part: Option<(usize, usize)>| {
        names.insert(name.to_string());
        let Some(signal) = module.signals.get(name) else { return };
        let (offset, width) = part.unwrap_or((0, signal.width));
        let bits = ((BigUint::from(1_u32) << width) - 1_u32) << offset;
        *used.entry(name.to_string()).or_default() |= bits;
    };
    plan.groups.iter().flatten().for_each(|i| i.stmt.reads(&mut read));
    plan.loads.values().for_each(|e| e.reads(&mut read));
    plan.connections.values().for_each(|e| e.reads(&mut read));
    if !module.registers.is_empty() {
        read("clock", None);
    }
    for value in module.registers.iter().filter_map(|r| r.reset.as_ref()) {
        read("reset", None);
        value.reads(&mut read);
    }
    let mut list = vec![];
    for (name, signal) in in_order(module) {
        if matches!(signal.role, Role::Output | Role::Next | Role::InstanceInput) {
            continue;
        }
        let have = used.get(name).cloned().unwrap_or_default();
        let ranges = zero_ranges(&have, signal.width);
        if !ranges.is_empty() {
            list.push((name.clone(), ranges));
        }
    }
    (names, list)
}

fn zero_ranges(bits: &BigUint, width: usize) -> Vec<(usize, usize)> {
    let mut ranges = vec![];
    let mut top = None;
    for i in (0..width).rev() {
        match (bits.bit(i as u64), top) {
            (false, None) => top = Some(i),
            (true, Some(t)) => {
                ranges.push((t, i + 1));
                top = None;
            }
            _ => {}
        }
    }
    ranges.extend(top.map(|t| (t, 0)));
    ranges
}

fn in_order(module: &Module) -> Vec<(&String, &crate::ir::Signal)> {
    let mut list: Vec<_> = module.signals.iter().collect();
    list.sort_by_key(|(_, s)| s.order);
    list
}

fn range(width: usize, signed: bool) -> String {
    let sign = if signed { "signed " } else { "" };
    if width == 1 {
        sign.into()
    } else {
        format!("{sign}[{}:0] ", width - 1)
    }
}

/// A number with its width: decimal when small, else hexadecimal in groups of four.
pub fn sized_literal(value: &BigUint, width: usize, signed: bool) -> String {
    let s = if signed { "s" } else { "" };
    if width == 1 && !signed {
        return format!("1'b{value}");
    }
    if *value < BigUint::from(1000_u32) && !signed {
        return format!("{width}'d{value}");
    }
    let hex = value.to_str_radix(16);
    let groups: Vec<&str> = hex
        .as_bytes()
        .rchunks(4)
        .rev()
        .map(|c| std::str::from_utf8(c).unwrap_or_default())
        .collect();
    format!("{width}'{s}h{}", groups.join("_"))
}

struct Printer {
    out: String,
    indent: usize,
}

impl Printer {
    fn line(&mut self, text: &str) {
        let pad = " ".repeat(4 * self.indent);
        let mut rest = text.to_string();
        let mut first = true;
        loop {
            let lead = if first { pad.clone() } else { format!("{pad}    ") };
            let room = COLUMNS_MAX.saturating_sub(lead.len());
            let cut = if rest.len() > room && !rest.starts_with("//") {
                rest[..room].rfind(' ').filter(|&c| c > room / 3)
            } else {
                None
            };
            self.out.push_str(lead.trim_end_matches(|_| text.is_empty()));
            match cut {
                Some(at) => {
                    self.out.push_str(&rest[..at]);
                    self.out.push('\n');
                    rest = rest[at + 1..].to_string();
                    first = false;
                }
                None => {
                    self.out.push_str(&rest);
                    self.out.push('\n');
                    return;
                }
            }
        }
    }

    fn comment(&mut self, text: &str) {
        let room = COLUMNS_MAX - 4 * self.indent - 3;
        let mut line = String::new();
        for word in text.split_whitespace() {
            if !line.is_empty() && line.len() + 1 + word.len() > room {
                self.line(&format!("// {line}"));
                line.clear();
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        if !line.is_empty() {
            self.line(&format!("// {line}"));
        }
    }

    fn head(&mut self, module: &Module, name: &str, regs: &BTreeSet<String>) {
        self.line(&format!("module {name} ("));
        self.indent += 1;
        let column = module.ports.iter().map(|p| range(p.width, p.signed).len()).max();
        let column = column.unwrap_or(0);
        for (i, port) in module.ports.iter().enumerate() {
            let dir = match port.dir {
                Dir::In => "input  wire",
                Dir::Out if regs.contains(&port.name) => "output reg ",
                Dir::Out => "output wire",
            };
            let comma = if i + 1 < module.ports.len() { "," } else { "" };
            let range = range(port.width, port.signed);
            self.line(&format!("{dir} {range:column$}{}{comma}", port.name));
        }
        self.indent -= 1;
        self.line(");");
    }

    fn custom(&mut self, module: &Module, name: &str, text: &str) {
        let assigned = |p: &str| {
            let mut after = text.split("assign ").skip(1);
            after.any(|s| words(s.split('=').next().unwrap_or("")).first().is_some_and(|w| w == p))
        };
        let outs = module.ports.iter().filter(|p| p.dir == Dir::Out && !assigned(&p.name));
        let regs = outs.map(|p| p.name.clone()).collect();
        self.head(module, name, &regs);
        self.line("");
        self.indent += 1;
        for line in text.trim_end().lines() {
            let directive = line.trim_start().starts_with('`');
            let pad = if line.is_empty() || directive { "" } else { "    " };
            self.out.push_str(&format!("{pad}{}\n", line.trim_end()));
        }
        self.unused(&unused(module), module);
        self.indent -= 1;
        self.line("");
        self.line("endmodule");
    }

    /// A cell says its own name once, after `module`.
    fn cell(&mut self, name: &str, text: &str) {
        let (_, rest) = text.split_once(" #(").unwrap_or_default();
        self.out = format!("module {name} #({}\n", rest.trim_end());
    }

    fn unused(&mut self, list: &Unused, module: &Module) {
        if list.is_empty() {
            return;
        }
        let mut parts = vec!["1'b0".to_string()];
        for (name, ranges) in list {
            let width = module.signals.get(name).map_or(1, |s| s.width);
            for &(high, low) in ranges {
                parts.push(match (high, low) {
                    (h, 0) if h + 1 == width => name.clone(),
                    (h, l) if h == l => format!("{name}[{h}]"),
                    (h, l) => format!("{name}[{h}:{l}]"),
                });
            }
        }
        self.line("");
        self.line("// What this block doesn't need.");
        self.line(&format!("wire unused_ok = &{{{}}};", parts.join(", ")));
    }

    fn kernel(&mut self, m: &Module, name: &str, plan: &Plan, names: &dyn Fn(usize) -> String) {
        let regs = variables_in_always(plan);
        let (read, idle) = unused_bits(m, plan);
        self.head(m, name, &regs);
        self.indent += 1;
        self.constants(m, plan, &read);
        self.declarations(m, plan, &regs);
        for instance in &m.instances {
            self.instance(m, instance, plan, names);
        }
        self.groups(&plan.groups);
        self.registers(m, plan);
        self.unused(&idle, m);
        self.indent -= 1;
        self.line("");
        self.line("endmodule");
    }

    fn constants(&mut self, m: &Module, plan: &Plan, read: &BTreeSet<String>) {
        let mut indexed = BTreeSet::new();
        let mut find = |e: &Expr| find_indexed(e, &mut indexed);
        plan.groups.iter().flatten().for_each(|i| for_each_expr(&i.stmt, &mut find));
        plan.loads.values().for_each(&mut find);
        let used: Vec<_> = m.constants.iter().filter(|c| read.contains(&c.0)).collect();
        if !used.is_empty() {
            self.line("");
        }
        for (name, value, width, signed) in used {
            let kind = if indexed.contains(name) { "wire" } else { "localparam" };
            let literal = sized_literal(value, *width, *signed);
            self.line(&format!("{kind} {}{name} = {literal};", range(*width, *signed)));
        }
    }

    fn declarations(&mut self, m: &Module, plan: &Plan, regs: &BTreeSet<String>) {
        let own_next: BTreeSet<String> = plan
            .loads
            .iter()
            .filter(|(r, e)| e.kind == Kind::Signal(format!("{r}_next")))
            .map(|(r, _)| format!("{r}_next"))
            .collect();
        let mut list = vec![];
        for (name, signal) in in_order(m) {
            let kind = match signal.role {
                Role::Input | Role::Output => continue,
                Role::Next if !own_next.contains(name) => continue,
                Role::InstanceInput if plan.connections.contains_key(name) => continue,
                Role::Register => "reg ",
                Role::InstanceOutput => "wire",
                _ if regs.contains(name) => "reg ",
                _ => "wire",
            };
            list.push((kind, range(signal.width, signal.signed), name, signal.one_hot));
        }
        if !list.is_empty() {
            self.line("");
        }
        let column = list.iter().map(|l| l.1.len()).max().unwrap_or(0);
        for (kind, range, name, one_hot) in list {
            if one_hot {
                self.line("(* fsm_encoding = \"one-hot\" *)");
            }
            self.line(&format!("{kind} {range:column$}{name};"));
        }
    }

    fn instance(
        &mut self,
        m: &Module,
        instance: &crate::ir::Instance,
        plan: &Plan,
        names: &dyn Fn(usize) -> String,
    ) {
        self.line("");
        let values = instance.parameters.iter().map(|(name, value)| format!(".{name}({value})"));
        let values = match instance.parameters.is_empty() {
            true => String::new(),
            false => format!("#({}) ", values.collect::<Vec<_>>().join(", ")),
        };
        self.line(&format!("{} {values}{} (", names(instance.module), instance.label));
        self.indent += 1;
        let count = instance.connections.len();
        for (i, (port, net)) in instance.connections.iter().enumerate() {
            let text = match &net.kind {
                Kind::Signal(n) => match plan.connections.get(n) {
                    Some(e) => expr(e),
                    None => n.clone(),
                },
                _ => expr(net),
            };
            let comma = if i + 1 < count { "," } else { "" };
            self.line(&format!(".{port}({text}){comma}"));
        }
        self.indent -= 1;
        self.line(");");
        debug_assert!(m.instances.iter().any(|i| i.name == instance.name));
    }

    fn groups(&mut self, groups: &[Vec<Item>]) {
        let mut after_assign = false;
        for group in groups {
            if let [Item { comments, stmt: Stmt::Assign(name, Part::Whole, value) }] = &group[..] {
                if !after_assign || !comments.is_empty() {
                    self.line("");
                }
                comments.iter().for_each(|c| self.comment(c));
                self.line(&format!("assign {name} = {};", expr(value)));
                after_assign = true;
                continue;
            }
            after_assign = false;
            self.line("");
            self.line("always @(*) begin");
            self.indent += 1;
            for item in group {
                item.comments.iter().for_each(|c| self.comment(c));
                self.stmt(&item.stmt);
            }
            self.indent -= 1;
            self.line("end");
        }
    }

    fn registers(&mut self, m: &Module, plan: &Plan) {
        if m.registers.is_empty() {
            return;
        }
        self.line("");
        self.line("always @(posedge clock) begin");
        self.indent += 1;
        for register in &m.registers {
            let comments = plan.load_comments.get(&register.name).into_iter().flatten();
            comments.for_each(|c| self.comment(c));
            if let Some(load) = plan.loads.get(&register.name) {
                self.line(&format!("{} <= {};", register.name, expr(load)));
            }
        }
        let resets = m.registers.iter().filter_map(|r| Some((&r.name, r.reset.as_ref()?)));
        let resets: Vec<_> = resets.collect();
        if !resets.is_empty() {
            self.line("if (reset) begin");
            self.indent += 1;
            resets.iter().for_each(|(n, v)| self.line(&format!("{n} <= {};", expr(v))));
            self.indent -= 1;
            self.line("end");
        }
        self.indent -= 1;
        self.line("end");
    }

    fn body(&mut self, stmts: &[Stmt]) {
        self.indent += 1;
        stmts.iter().for_each(|s| self.stmt(s));
        self.indent -= 1;
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Comment(text) => self.comment(text),
            Stmt::Assign(name, part, value) => {
                let target = match part {
                    Part::Whole => name.clone(),
                    Part::Fixed(o, 1) => format!("{name}[{o}]"),
                    Part::Fixed(o, w) => format!("{name}[{}:{o}]", o + w - 1),
                    Part::Dynamic(o, 1) => format!("{name}[{}]", expr(o)),
                    Part::Dynamic(o, w) => format!("{name}[{} +: {w}]", expr(o)),
                };
                self.line(&format!("{target} = {};", expr(value)));
            }
            Stmt::If(cond, then, other) => self.conditional("", cond, then, other),
            Stmt::Case(test, arms) => {
                self.line(&format!("case ({})", expr(test)));
                self.indent += 1;
                for (label, body) in arms {
                    let label = label.as_ref().map_or("default".into(), expr);
                    self.line(&format!("{label}: begin"));
                    self.body(body);
                    self.line("end");
                }
                if !covers(test.width, arms) {
                    self.line("default: begin");
                    self.line("end");
                }
                self.indent -= 1;
                self.line("endcase");
            }
        }
    }

    fn conditional(&mut self, lead: &str, cond: &Expr, then: &[Stmt], other: &[Stmt]) {
        self.line(&format!("{lead}if ({}) begin", expr(cond)));
        self.body(then);
        match other {
            [] => self.line("end"),
            [Stmt::If(c, t, o)] => self.conditional("end else ", c, t, o),
            _ => {
                self.line("end else begin");
                self.body(other);
                self.line("end");
            }
        }
    }
}

fn variables_in_always(plan: &Plan) -> BTreeSet<String> {
    let mut regs = BTreeSet::new();
    for group in &plan.groups {
        if group.len() == 1 && group[0].stmt.whole_target().is_some() {
            continue;
        }
        for item in group {
            item.stmt.writes(&mut |n| {
                regs.insert(n.to_string());
            });
        }
    }
    regs
}

fn for_each_expr(stmt: &Stmt, f: &mut dyn FnMut(&Expr)) {
    match stmt {
        Stmt::Assign(_, part, value) => {
            f(value);
            if let Part::Dynamic(offset, _) = part {
                f(offset);
            }
        }
        Stmt::If(cond, then, other) => {
            f(cond);
            then.iter().chain(other).for_each(|s| for_each_expr(s, f));
        }
        Stmt::Case(test, arms) => {
            f(test);
            arms.iter().flat_map(|a| &a.1).for_each(|s| for_each_expr(s, f));
        }
        Stmt::Comment(_) => {}
    }
}

/// Names of signals that are indexed by a computed value.
fn find_indexed(e: &Expr, into: &mut BTreeSet<String>) {
    match &e.kind {
        Kind::DynSlice(name, offset) => {
            into.insert(name.clone());
            find_indexed(offset, into);
        }
        Kind::Unary(_, x) | Kind::Reduce(_, x) | Kind::Repeat(_, x) | Kind::Sign(_, x) => {
            find_indexed(x, into)
        }
        Kind::Binary(_, l, r) | Kind::Shift(_, l, r) => {
            find_indexed(l, into);
            find_indexed(r, into);
        }
        Kind::Concat(parts) => parts.iter().for_each(|p| find_indexed(p, into)),
        _ => {}
    }
}

/// An expression as text.
fn expr(e: &Expr) -> String {
    match &e.kind {
        Kind::Signal(name) | Kind::Constant(name, _) => name.clone(),
        Kind::Literal(value) => sized_literal(value, e.width, e.signed),
        Kind::Slice(name, offset) if e.width == 1 => format!("{name}[{offset}]"),
        Kind::Slice(name, offset) => format!("{name}[{}:{offset}]", offset + e.width - 1),
        Kind::DynSlice(name, offset) if e.width == 1 => format!("{name}[{}]", expr(offset)),
        Kind::DynSlice(name, offset) => format!("{name}[{} +: {}]", expr(offset), e.width),
        Kind::Unary(op, x) | Kind::Reduce(op, x) => format!("{op}{}", operand(x, None)),
        Kind::Binary(op, l, r) => {
            let keep = matches!(*op, "&" | "|" | "^" | "&&" | "||" | "+").then_some(*op);
            format!("{} {op} {}", operand(l, keep), operand(r, None))
        }
        Kind::Shift(op, l, by) => {
            let amount = match &by.kind {
                Kind::Literal(n) if by.width == 32 => n.to_string(),
                _ => operand(by, None),
            };
            format!("{} {op} {amount}", operand(l, None))
        }
        Kind::Concat(parts) => {
            format!("{{{}}}", parts.iter().map(expr).collect::<Vec<_>>().join(", "))
        }
        Kind::Repeat(n, x) => format!("{{{n}{{{}}}}}", expr(x)),
        Kind::Sign(name, x) => format!("{name}({})", expr(x)),
    }
}

/// An operand, in parentheses unless it binds without any doubt.
fn operand(e: &Expr, same: Option<&str>) -> String {
    let bare = match &e.kind {
        Kind::Binary(op, _, _) => same == Some(op),
        Kind::Shift(..) | Kind::Reduce(..) => false,
        Kind::Unary(_, x) => {
            same.is_some()
                || matches!(x.kind, Kind::Signal(_) | Kind::Slice(..) | Kind::DynSlice(..))
        }
        _ => true,
    };
    if bare {
        expr(e)
    } else {
        format!("({})", expr(e))
    }
}
