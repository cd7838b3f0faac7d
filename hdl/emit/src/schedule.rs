//! Orders a kernel for reading: connections, independent groups, loads of registers.
//!
//! rust-hdl's kernel is one sequence of blocking assignments. It is cut here into the smallest
//! groups that keep its meaning: a statement may leave its place only if everything that it
//! reads has its final value there.

use crate::ir::{Expr, Item, Module, Part, Plan, Role, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// Orders the kernel of `module`.
pub fn schedule(module: &Module, stmts: &[Stmt]) -> Plan {
    let mut items = attach_comments(stmts);
    let mut plan = Plan::default();
    drop_dead_defaults(&mut items);
    take_connections(module, &mut items, &mut plan);
    take_loads(module, &mut items, &mut plan);
    plan.groups = group(&items);
    for register in &module.registers {
        let next = format!("{}_next", register.name);
        let load = plan.loads.remove(&register.name).unwrap_or_else(|| {
            let (width, signed) =
                module.signals.get(&next).map_or((1, false), |s| (s.width, s.signed));
            Expr::signal(&next, width, signed)
        });
        plan.loads.insert(register.name.clone(), load);
    }
    plan
}

fn attach_comments(stmts: &[Stmt]) -> Vec<Item> {
    let mut items = vec![];
    let mut comments = vec![];
    for stmt in stmts {
        match stmt {
            Stmt::Comment(text) => comments.push(text.clone()),
            _ => items.push(Item { comments: std::mem::take(&mut comments), stmt: stmt.clone() }),
        }
    }
    items
}

fn reads(stmt: &Stmt, name: &str) -> bool {
    let mut found = false;
    stmt.reads(&mut |n, _| found |= n == name);
    found
}

/// Drops defaults that a later unconditional assignment replaces before anybody reads them.
fn drop_dead_defaults(items: &mut Vec<Item>) {
    let mut dead = vec![false; items.len()];
    for (k, item) in items.iter().enumerate() {
        let Some(name) = item.stmt.whole_target() else { continue };
        for later in &items[k + 1..] {
            if reads(&later.stmt, name) {
                break;
            }
            if later.stmt.whole_target() == Some(name) {
                dead[k] = true;
                break;
            }
        }
    }
    let mut comments = vec![];
    let mut index = 0;
    items.retain_mut(|item| {
        index += 1;
        if dead[index - 1] {
            comments.append(&mut item.comments);
        } else if !comments.is_empty() {
            comments.append(&mut item.comments);
            item.comments = std::mem::take(&mut comments);
        }
        !dead[index - 1]
    });
}

/// Who writes and reads each name.
struct Uses {
    /// Statements that write it, in order.
    writers: BTreeMap<String, Vec<usize>>,
    read: BTreeSet<String>,
}

impl Uses {
    fn of(items: &[Item]) -> Self {
        let mut uses = Uses { writers: BTreeMap::new(), read: BTreeSet::new() };
        for (k, item) in items.iter().enumerate() {
            item.stmt.writes(&mut |name| {
                let list = uses.writers.entry(name.to_string()).or_default();
                if list.last() != Some(&k) {
                    list.push(k);
                }
            });
            item.stmt.reads(&mut |name, _| {
                if !uses.read.contains(name) {
                    uses.read.insert(name.to_string());
                }
            });
        }
        uses
    }

    /// One statement writes `name`, none reads it.
    fn is_sink(&self, name: &str) -> bool {
        self.writers.get(name).is_some_and(|list| list.len() == 1) && !self.read.contains(name)
    }

    /// The value that `expr` has at statement `at` is the one it has at the end of the kernel.
    fn is_final(&self, module: &Module, at: usize, expr: &Expr) -> bool {
        let mut last = true;
        expr.reads(&mut |name, _| {
            let variable = module.signals.get(name).is_some_and(|s| s.role.is_variable());
            let later =
                self.writers.get(name).and_then(|list| list.last()).is_some_and(|&w| w >= at);
            last &= !variable || !later;
        });
        last
    }
}

/// Instance inputs that are plain signals are connected directly.
fn take_connections(module: &Module, items: &mut Vec<Item>, plan: &mut Plan) {
    let mut taken = BTreeSet::new();
    let uses = Uses::of(items);
    for (k, item) in items.iter().enumerate() {
        let Stmt::Assign(name, Part::Whole, value) = &item.stmt else { continue };
        let input = module.signals.get(name).is_some_and(|s| s.role == Role::InstanceInput);
        let plain = value.is_plain()
            && !matches!(&value.kind, crate::ir::Kind::Signal(n)
            if module.signals.get(n).is_some_and(|s| s.role == Role::InstanceInput));
        if input && plain && uses.is_sink(name) && uses.is_final(module, k, value) {
            plan.connections.insert(name.clone(), value.clone());
            taken.insert(k);
        }
    }
    remove(items, &taken);
}

fn remove(items: &mut Vec<Item>, taken: &BTreeSet<usize>) {
    let mut index = 0;
    let mut comments = vec![];
    items.retain_mut(|item| {
        index += 1;
        let drop = taken.contains(&(index - 1));
        if drop {
            comments.append(&mut item.comments);
        } else if !comments.is_empty() {
            comments.append(&mut item.comments);
            item.comments = std::mem::take(&mut comments);
        }
        !drop
    });
}

/// Registers with one unconditional value load it directly.
fn take_loads(module: &Module, items: &mut Vec<Item>, plan: &mut Plan) {
    let mut taken = BTreeSet::new();
    let uses = Uses::of(items);
    for (k, item) in items.iter().enumerate() {
        let Stmt::Assign(name, Part::Whole, value) = &item.stmt else { continue };
        let next = module.signals.get(name).is_some_and(|s| s.role == Role::Next);
        if next && uses.is_sink(name) && uses.is_final(module, k, value) {
            let register = name.strip_suffix("_next").unwrap_or(name).to_string();
            plan.loads.insert(register.clone(), value.clone());
            plan.load_comments.insert(register, item.comments.clone());
            taken.insert(k);
        }
    }
    let mut index = 0;
    items.retain(|_| {
        index += 1;
        !taken.contains(&(index - 1))
    });
}

struct Union(Vec<usize>);

impl Union {
    fn find(&self, mut i: usize) -> usize {
        while self.0[i] != i {
            i = self.0[i];
        }
        i
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b);
    }
}

/// The smallest groups of statements that keep the kernel's meaning.
fn group(items: &[Item]) -> Vec<Vec<Item>> {
    let mut union = Union((0..items.len()).collect());
    let Uses { writers, .. } = Uses::of(items);
    for list in writers.values() {
        list.iter().for_each(|&k| union.join(list[0], k));
    }
    let mut edges = vec![];
    for (k, item) in items.iter().enumerate() {
        item.stmt.reads(&mut |name, _| {
            let Some(list) = writers.get(name) else { return };
            if list.last().is_some_and(|&last| last >= k) {
                union.join(list[0], k);
            } else {
                edges.push((list[0], k));
            }
        });
    }
    join_cycles(&mut union, &edges, items.len());
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for k in 0..items.len() {
        groups.entry(union.find(k)).or_default().push(k);
    }
    let mut ordered: Vec<Vec<usize>> = groups.into_values().collect();
    ordered.sort_by_key(|g| g.iter().copied().find(|&k| !is_hold(&items[k])).unwrap_or(g[0]));
    ordered.iter().map(|g| g.iter().map(|&k| items[k].clone()).collect()).collect()
}

/// `x_next = x`.
fn is_hold(item: &Item) -> bool {
    match &item.stmt {
        Stmt::Assign(name, Part::Whole, value) => {
            matches!(&value.kind, crate::ir::Kind::Signal(s) if *name == format!("{s}_next"))
        }
        _ => false,
    }
}

/// Groups that feed each other become one: no `always` block feeds itself through another.
fn join_cycles(union: &mut Union, edges: &[(usize, usize)], count: usize) {
    let mut next: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); count];
    for &(from, to) in edges {
        let (from, to) = (union.find(from), union.find(to));
        if from != to {
            next[from].insert(to);
        }
    }
    let reach: Vec<Vec<bool>> = (0..count).map(|start| reachable(start, &next)).collect();
    for (a, reached) in reach.iter().enumerate() {
        for b in (a + 1..count).filter(|&b| reached[b] && reach[b][a]) {
            union.join(a, b);
        }
    }
}

fn reachable(start: usize, next: &[BTreeSet<usize>]) -> Vec<bool> {
    let mut seen = vec![false; next.len()];
    let mut todo: Vec<usize> = next[start].iter().copied().collect();
    while let Some(i) = todo.pop() {
        if !seen[i] {
            seen[i] = true;
            todo.extend(&next[i]);
        }
    }
    seen
}
