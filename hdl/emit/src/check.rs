//! Checks of a kernel: latches, undriven signals, early reads, loops, and the Moore rule.

use crate::error::{Finding, Rule};
use crate::ir::{words, Dir, Instance, Module, Part, Port, Role, Signal, Stmt};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};

fn all_ones(width: usize) -> BigUint {
    (BigUint::from(1_u32) << width) - 1_u32
}

fn ones(offset: usize, width: usize) -> BigUint {
    all_ones(width) << offset
}

/// Which bits of each variable have a value at a point of the kernel.
type Assigned = BTreeMap<String, BigUint>;

struct Flow<'a> {
    place: &'a str,
    signals: &'a BTreeMap<String, Signal>,
    early: BTreeSet<String>,
    out: &'a mut Vec<Finding>,
}

/// Every variable gets its whole value on every path, and before it is read.
pub fn check_assigned(
    place: &str,
    signals: &BTreeMap<String, Signal>,
    stmts: &[Stmt],
    out: &mut Vec<Finding>,
) {
    let mut assigned = Assigned::new();
    let mut written = BTreeSet::new();
    for stmt in stmts {
        stmt.writes(&mut |n| {
            written.insert(n.to_string());
        });
    }
    let mut flow = Flow { place, signals, early: BTreeSet::new(), out };
    flow.block(stmts, &mut assigned);
    for (name, signal) in signals.iter().filter(|(_, s)| s.role.is_variable()) {
        let at = format!("{place}.{name}");
        let done = assigned.get(name).is_some_and(|m| *m == all_ones(signal.width));
        if !written.contains(name) {
            out.push(Finding::new(at, Rule::Undriven, "is never assigned"));
        } else if !done {
            let text = "isn't assigned on every path: give it a default first";
            out.push(Finding::new(at, Rule::Latch, text));
        }
    }
}

impl Flow<'_> {
    fn read(&mut self, name: &str, part: Option<(usize, usize)>, assigned: &Assigned) {
        let Some(signal) = self.signals.get(name).filter(|s| s.role.is_variable()) else { return };
        let (offset, width) = part.unwrap_or((0, signal.width));
        let need = ones(offset, width);
        let have = assigned.get(name).cloned().unwrap_or_default();
        if &have & &need != need && self.early.insert(name.to_string()) {
            let at = format!("{}.{name}", self.place);
            self.out.push(Finding::new(at, Rule::ReadFirst, "is read before it is assigned"));
        }
    }

    fn block(&mut self, stmts: &[Stmt], assigned: &mut Assigned) {
        for stmt in stmts {
            match stmt {
                Stmt::Assign(name, part, value) => {
                    value.reads(&mut |n, p| self.read(n, p, assigned));
                    if let Part::Dynamic(offset, _) = part {
                        offset.reads(&mut |n, p| self.read(n, p, assigned));
                    }
                    let width = self.signals.get(name).map_or(1, |s| s.width);
                    let bits = match part {
                        Part::Whole => all_ones(width),
                        Part::Fixed(offset, width) => ones(*offset, *width),
                        Part::Dynamic(..) => continue,
                    };
                    *assigned.entry(name.clone()).or_default() |= bits;
                }
                Stmt::If(cond, then, other) => {
                    cond.reads(&mut |n, p| self.read(n, p, assigned));
                    let mut in_then = assigned.clone();
                    self.block(then, &mut in_then);
                    self.block(other, assigned);
                    meet(assigned, &in_then);
                }
                Stmt::Case(test, arms) => self.case(test, arms, assigned),
                Stmt::Comment(_) => {}
            }
        }
    }

    fn case(
        &mut self,
        test: &crate::ir::Expr,
        arms: &[(Option<crate::ir::Expr>, Vec<Stmt>)],
        assigned: &mut Assigned,
    ) {
        test.reads(&mut |n, p| self.read(n, p, assigned));
        let mut after = (!covers(test.width, arms)).then(|| assigned.clone());
        for (_, body) in arms {
            let mut in_arm = assigned.clone();
            self.block(body, &mut in_arm);
            match &mut after {
                Some(after) => meet(after, &in_arm),
                None => after = Some(in_arm),
            }
        }
        *assigned = after.unwrap_or_default();
    }
}

/// The arms cover every value.
pub fn covers(width: usize, arms: &[(Option<crate::ir::Expr>, Vec<Stmt>)]) -> bool {
    arms.iter().any(|(l, _)| l.is_none()) || (width < 20 && arms.len() == 1 << width)
}

fn meet(a: &mut Assigned, b: &Assigned) {
    for (name, bits) in a.iter_mut() {
        *bits = &*bits & b.get(name).cloned().unwrap_or_default();
    }
}

/// What each variable depends on within the cycle: inputs, registers, instance outputs.
type Support = BTreeMap<String, BTreeSet<String>>;

struct Depends<'a> {
    signals: &'a BTreeMap<String, Signal>,
}

impl Depends<'_> {
    fn add(&self, from: &Support, name: &str, into: &mut BTreeSet<String>) {
        match self.signals.get(name) {
            Some(s) if s.role.is_variable() => {
                into.extend(from.get(name).into_iter().flatten().cloned());
            }
            Some(_) => {
                into.insert(name.to_string());
            }
            None => {}
        }
    }

    fn block(&self, stmts: &[Stmt], under: &BTreeSet<String>, support: &mut Support) {
        for stmt in stmts {
            match stmt {
                Stmt::Assign(name, part, value) => {
                    let mut set = under.clone();
                    value.reads(&mut |n, _| self.add(support, n, &mut set));
                    if let Part::Dynamic(offset, _) = part {
                        offset.reads(&mut |n, _| self.add(support, n, &mut set));
                    }
                    if *part != Part::Whole {
                        set.extend(support.get(name).into_iter().flatten().cloned());
                    }
                    support.insert(name.clone(), set);
                }
                Stmt::If(cond, then, other) => {
                    let mut set = under.clone();
                    cond.reads(&mut |n, _| self.add(support, n, &mut set));
                    self.branches(&[then, other], &set, support);
                }
                Stmt::Case(test, arms) => {
                    let mut set = under.clone();
                    test.reads(&mut |n, _| self.add(support, n, &mut set));
                    let mut bodies: Vec<&Vec<Stmt>> = arms.iter().map(|(_, b)| b).collect();
                    let none = vec![];
                    if !covers(test.width, arms) {
                        bodies.push(&none);
                    }
                    self.branches(&bodies, &set, support);
                }
                Stmt::Comment(_) => {}
            }
        }
    }

    fn branches(&self, bodies: &[&Vec<Stmt>], under: &BTreeSet<String>, support: &mut Support) {
        let before = support.clone();
        let mut after = Support::new();
        for body in bodies {
            let mut branch = before.clone();
            self.block(body, under, &mut branch);
            for (name, set) in branch {
                after.entry(name).or_default().extend(set);
            }
        }
        for body in bodies {
            body.iter().for_each(|s| {
                s.writes(&mut |n| after.entry(n.to_string()).or_default().extend(under.clone()))
            });
        }
        *support = after;
    }
}

/// Output -> inputs within the cycle, and findings for loops.
pub fn paths(
    place: &str,
    module_parts: (&[Port], &BTreeMap<String, Signal>, &[Instance]),
    stmts: &[Stmt],
    library: &[Module],
    out: &mut Vec<Finding>,
) -> BTreeMap<String, Vec<String>> {
    let (ports, signals, instances) = module_parts;
    let mut support = Support::new();
    Depends { signals }.block(stmts, &BTreeSet::new(), &mut support);
    let mut through: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for instance in instances {
        for (port, inputs) in &library[instance.module].paths {
            let set = through.entry(format!("{}_{port}", instance.name)).or_default();
            for input in inputs {
                let net = format!("{}_{input}", instance.name);
                set.extend(support.get(&net).into_iter().flatten().cloned());
            }
        }
    }
    close(place, &mut through, out);
    let input = |n: &String| signals.get(n).is_some_and(|s| s.role == Role::Input);
    let mut result = BTreeMap::new();
    for port in ports.iter().filter(|p| p.dir == Dir::Out) {
        let mut reached: BTreeSet<String> = BTreeSet::new();
        for net in support.get(&port.name).into_iter().flatten() {
            reached.insert(net.clone());
            reached.extend(through.get(net).into_iter().flatten().cloned());
        }
        let inputs: Vec<String> = reached.into_iter().filter(input).collect();
        if !inputs.is_empty() {
            result.insert(port.name.clone(), inputs);
        }
    }
    result
}

/// Transitive closure over instance outputs; an output that reaches itself is a loop.
fn close(place: &str, through: &mut BTreeMap<String, BTreeSet<String>>, out: &mut Vec<Finding>) {
    loop {
        let before = through.clone();
        for set in through.values_mut() {
            let more: Vec<String> =
                set.iter().filter_map(|n| before.get(n)).flatten().cloned().collect();
            set.extend(more);
        }
        if *through == before {
            break;
        }
    }
    for (net, _) in through.iter().filter(|(net, set)| set.contains(*net)) {
        let at = format!("{place}.{net}");
        out.push(Finding::new(at, Rule::Loop, "is part of a combinational loop"));
    }
}

/// Every output is a register's.
pub fn check_moore(module: &Module, out: &mut Vec<Finding>) {
    for (port, inputs) in &module.paths {
        let at = format!("{}.{port}", module.place);
        let text = format!("depends on {} within the cycle: register it", inputs.join(", "));
        out.push(Finding::new(at, Rule::Moore, text));
    }
}

/// Paths of a hand-written body, from its `assign`s and blocking assignments.
pub fn custom_paths(ports: &[Port], text: &str) -> BTreeMap<String, Vec<String>> {
    let mut depends: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let code: String =
        text.lines().map(|l| l.split("//").next().unwrap_or("")).collect::<Vec<_>>().join(" ");
    let clocked_only = !code.contains("always @(*)") && !code.contains("always @*");
    for statement in code.split([';', '\n']) {
        let Some((left, right)) = split_assignment(statement) else { continue };
        let is_net = left.contains("assign") || left.contains("wire");
        if !is_net && (clocked_only || left.contains("posedge")) {
            continue;
        }
        if left.contains("initial") || left.contains("integer") {
            continue;
        }
        let target = words(left.split('[').next().unwrap_or(left)).pop().unwrap_or_default();
        let target = match is_net {
            true => words(&left.replace("assign", " ").replace("wire", " ")).into_iter().last(),
            false => Some(target),
        };
        let Some(target) = target else { continue };
        let reads = words(right).into_iter().chain(words(left)).filter(|w| *w != target);
        depends.entry(target.clone()).or_default().extend(reads);
    }
    let mut result = BTreeMap::new();
    for port in ports.iter().filter(|p| p.dir == Dir::Out) {
        let mut seen = BTreeSet::from([port.name.clone()]);
        let mut todo = vec![port.name.clone()];
        while let Some(name) = todo.pop() {
            for next in depends.get(&name).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    todo.push(next.clone());
                }
            }
        }
        let inputs = ports.iter().filter(|p| p.dir == Dir::In && !p.clock);
        let inputs: Vec<String> =
            inputs.map(|p| p.name.clone()).filter(|n| seen.contains(n)).collect();
        if !inputs.is_empty() {
            result.insert(port.name.clone(), inputs);
        }
    }
    result
}

fn split_assignment(statement: &str) -> Option<(&str, &str)> {
    let bytes = statement.as_bytes();
    let at = (0..bytes.len()).find(|&i| {
        let near = |j: usize| bytes.get(j).copied().unwrap_or(b' ');
        bytes[i] == b'='
            && near(i + 1) != b'='
            && (i == 0 || !matches!(near(i - 1), b'=' | b'<' | b'>' | b'!'))
    })?;
    Some((&statement[..at], &statement[at + 1..]))
}
