//! Builds modules from the walked tree; equal modules become one.

use crate::cell::Cell;
use crate::check;
use crate::error::{Finding, Rule};
use crate::implied::defaults;
use crate::ir::{words, Body, Dir, Expr, Instance, Kind, Module, Port, Register, Role, Signal};
use crate::lint::lint;
use crate::lower::lower;
use crate::print::print;
use crate::schedule::schedule;
use crate::symbols::{
    enum_name, is_keyword, snake_case, symbols, verilog_name, Class, Symbol, Symbols,
};
use crate::walk::{AtomInfo, Scope};
use num_bigint::BigUint;
use rust_hdl_core::ast::Verilog;
use rust_hdl_core::atom::AtomKind;
use std::collections::{BTreeMap, HashMap};

/// All modules of a design, children before parents.
#[derive(Default)]
pub struct Library {
    /// The modules.
    pub modules: Vec<Module>,
    by_text: HashMap<String, usize>,
}

impl Library {
    /// Builds the module of `scope`, which stands at `place`; the index of the module.
    pub fn build(&mut self, scope: &Scope, place: &str, out: &mut Vec<Finding>) -> Option<usize> {
        let Some(marker) = &scope.marker else {
            let text = "is not declared with #[block]";
            out.push(Finding::new(place, Rule::Structure, text));
            return None;
        };
        let (base, params) = type_parts(&marker.type_name);
        if is_keyword(&base) {
            let text = format!("module name `{base}` is a keyword: rename the type");
            out.push(Finding::new(place, Rule::Keyword, text));
        }
        let mut indices = BTreeMap::new();
        for child in scope.blocks() {
            let at = format!("{place}.{}", child.name.replace('$', "."));
            indices.insert(child.name.clone(), self.build(child, &at, out)?);
        }
        let table = symbols(scope, place, out);
        let mut module = Module {
            place: place.into(),
            base,
            params,
            type_name: marker.type_name.clone(),
            ports: ports(scope),
            constants: constants(&table),
            signals: signals(&table),
            registers: vec![],
            instances: instances(scope, &indices, &self.modules),
            body: Body::Custom(String::new()),
            paths: BTreeMap::new(),
        };
        self.fill(&mut module, scope, &table, out);
        if !marker.may_follow_inputs {
            check::check_moore(&module, out);
        }
        Some(self.intern(module))
    }

    fn fill(&self, module: &mut Module, scope: &Scope, table: &Symbols, out: &mut Vec<Finding>) {
        let place = module.place.clone();
        match &scope.hdl {
            Verilog::Combinatorial(kernel) => {
                out.extend(lint(&place, kernel, table));
                let before = out.len();
                let mut stmts = defaults(scope);
                stmts.append(&mut lower(&place, kernel, table, out));
                module.registers = registers(scope, &place, out);
                if out.len() == before {
                    check::check_assigned(&place, &module.signals, &stmts, out);
                    let parts = (&module.ports[..], &module.signals, &module.instances[..]);
                    module.paths = check::paths(&place, parts, &stmts, &self.modules, out);
                }
                module.body = Body::Kernel(schedule(module, &stmts));
            }
            Verilog::Custom(text) => {
                if let Some(cell) = Cell::of(scope) {
                    return fill_cell(module, cell, out);
                }
                if !scope.parts.is_empty() {
                    let text = "hand-written Verilog can't have sub-blocks";
                    out.push(Finding::new(&place, Rule::Structure, text));
                }
                let used = words(text);
                let outs = module.ports.iter().filter(|p| p.dir == Dir::Out);
                for port in outs.filter(|p| !used.contains(&p.name)) {
                    let at = format!("{place}.{}", port.name);
                    out.push(Finding::new(at, Rule::Undriven, "isn't in the custom Verilog"));
                }
                module.paths = check::custom_paths(&module.ports, text);
                module.body = Body::Custom(text.clone());
            }
            Verilog::Empty => {
                let text = "has no kernel: put #[hdl_gen] before update";
                out.push(Finding::new(&place, Rule::EmptyKernel, text));
            }
            Verilog::Blackbox(_) | Verilog::Wrapper(_) => {
                let text = "black boxes and wrappers can't be emitted: use Verilog::Custom";
                out.push(Finding::new(&place, Rule::Structure, text));
            }
        }
    }

    fn intern(&mut self, module: Module) -> usize {
        let key = format!("{}\n{}", module.base, print(&module, "@", &|i| format!("@{i}")));
        if let Some(&index) = self.by_text.get(&key) {
            return index;
        }
        self.by_text.insert(key, self.modules.len());
        self.modules.push(module);
        self.modules.len() - 1
    }

    /// A name for each module; the last one, the top, is called `top`.
    pub fn names(&self, top: &str) -> Vec<String> {
        let last = self.modules.len().saturating_sub(1);
        let mut names = vec![String::new(); self.modules.len()];
        let mut taken = vec![top.to_string()];
        for (i, module) in self.modules.iter().enumerate().filter(|(i, _)| *i != last) {
            let alone = self.modules[..last].iter().filter(|m| m.base == module.base).count() == 1;
            let mut name = module.base.clone();
            if !alone || taken.contains(&name) {
                let params: Vec<&str> = module.params.iter().map(String::as_str).collect();
                name = [&[name.as_str()][..], &params[..]].concat().join("_");
            }
            names[i] = free_name(name, &mut taken);
        }
        if let Some(name) = names.last_mut() {
            *name = top.into();
        }
        names
    }
}

/// `name`, or a version of it that is not yet taken; now it is.
pub fn free_name(name: String, taken: &mut Vec<String>) -> String {
    let versions = (2..).map(|version| format!("{name}_v{version}"));
    let mut all = std::iter::once(name.clone()).chain(versions);
    let free = all.find(|name| !taken.contains(name)).expect("there are enough numbers");
    taken.push(free.clone());
    free
}

fn fill_cell(module: &mut Module, cell: Cell, out: &mut Vec<Finding>) {
    if let Some(text) = cell.mismatch(&module.ports) {
        out.push(Finding::new(&module.place, Rule::Structure, format!("the cell {text}")));
    }
    module.type_name = module.type_name.split('<').next().unwrap_or_default().into();
    module.paths = check::custom_paths(&module.ports, cell.body());
    module.body = Body::Cell(cell.text);
}

/// snake_case name and const parameters of a Rust type.
fn type_parts(type_name: &str) -> (String, Vec<String>) {
    let (path, generics) = type_name.split_once('<').unwrap_or((type_name, ""));
    let base = snake_case(path.rsplit("::").next().unwrap_or(path));
    let params = generics.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
    let numbers = params.filter(|p| p.starts_with(|c: char| c.is_ascii_digit()));
    (base, numbers.map(Into::into).collect())
}

fn ports(scope: &Scope) -> Vec<Port> {
    let ports = scope.atoms.iter().filter_map(|a| {
        let dir = match a.kind {
            AtomKind::InputParameter => Dir::In,
            AtomKind::OutputParameter => Dir::Out,
            _ => return None,
        };
        let name = verilog_name(&a.shown);
        Some(Port { name, dir, width: a.width, signed: a.signed, clock: a.clock })
    });
    ports.collect()
}

fn constants(table: &Symbols) -> Vec<(String, BigUint, usize, bool)> {
    let mut list: Vec<_> = table.by_path.values().collect();
    list.sort_by_key(|s| s.order);
    let values = list.into_iter().filter_map(|s| match &s.class {
        Class::Constant(value) => Some((s.name.clone(), value.clone(), s.width, s.signed)),
        _ => None,
    });
    values.collect()
}

fn signals(table: &Symbols) -> BTreeMap<String, Signal> {
    let mut signals = BTreeMap::new();
    for symbol in table.by_path.values().chain(table.next.values()) {
        let role = match symbol.class {
            Class::Input => Role::Input,
            Class::Output => Role::Output,
            Class::Local => Role::Local,
            Class::RegisterQ => Role::Register,
            Class::RegisterNext => Role::Next,
            Class::InstanceInput => Role::InstanceInput,
            Class::InstanceOutput => Role::InstanceOutput,
            Class::Constant(_) => continue,
        };
        let Symbol { width, signed, one_hot, order, .. } = *symbol;
        let signal = Signal { role, width, signed, one_hot, order };
        signals.insert(symbol.name.clone(), signal);
    }
    signals
}

fn instances(
    scope: &Scope,
    indices: &BTreeMap<String, usize>,
    modules: &[Module],
) -> Vec<Instance> {
    let children = scope.blocks().filter_map(|child| {
        let module = *indices.get(&child.name)?;
        let name = verilog_name(&child.name);
        let connections = ports(child)
            .into_iter()
            .map(|p| {
                let net = Expr::signal(&format!("{name}_{}", p.name), p.width, p.signed);
                (p.name, net)
            })
            .collect();
        let hidden = modules[module].declares(&name);
        let label = if hidden { format!("{name}_block") } else { name.clone() };
        let parameters = Cell::of(child).map(|c| c.parameters).unwrap_or_default();
        Some(Instance { name, label, module, parameters, connections })
    });
    children.collect()
}

/// Registers, and what each holds after a reset, in the order of the struct.
fn registers(scope: &Scope, place: &str, out: &mut Vec<Finding>) -> Vec<Register> {
    let mut list = vec![];
    for (atom, is_reset) in scope.registers() {
        let name = verilog_name(&atom.shown);
        let mut need = |port: &str| {
            if !scope.has_input(port) {
                let text = format!("is a register, but its block has no `{port}`");
                out.push(Finding::new(format!("{place}.{name}"), Rule::Undriven, text));
            }
        };
        need("clock");
        if is_reset {
            need("reset");
        }
        list.push(Register { reset: is_reset.then(|| reset_value(atom)), name });
    }
    list
}

/// The value after a reset, a state by its name.
fn reset_value(atom: &AtomInfo) -> Expr {
    let is_it = |v: &&(String, usize, usize)| BigUint::from(v.1) == atom.value;
    let (width, signed) = (atom.width, atom.signed);
    match atom.enums.iter().find(is_it) {
        Some((path, value, _)) => {
            let kind = Kind::Constant(enum_name(path), BigUint::from(*value));
            Expr { kind, width, signed }
        }
        None => Expr::literal(atom.value.clone(), width),
    }
}
