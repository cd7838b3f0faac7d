//! Walks a rust-hdl block with a probe and keeps what was seen as a tree of scopes.

use crate::bundle::{ABSENT, FLAT};
use crate::module::{Marker, MODULE_ATOM};
use crate::reg::{RESET, UNRESET};
use num_bigint::{BigInt, BigUint};
use rust_hdl_core::ast::Verilog;
use rust_hdl_core::atom::{is_atom_signed, Atom, AtomKind};
use rust_hdl_core::block::Block;
use rust_hdl_core::probe::Probe;
use rust_hdl_core::type_descriptor::{TypeDescriptor, TypeKind};

/// One block as the probe saw it.
#[derive(Debug)]
pub struct Scope {
    /// Field name in the parent, `$` before array indices.
    pub name: String,
    /// What `#[block]` says of it; what has none is no block.
    pub marker: Option<Marker>,
    /// Signals and constants, in the order of the struct.
    pub atoms: Vec<AtomInfo>,
    /// Registers and sub-blocks, in the order of the struct.
    pub parts: Vec<Part>,
    /// Members that a bundle doesn't have in its kind.
    pub absent: Vec<String>,
    /// The kernel.
    pub hdl: Verilog,
}

/// A register or a sub-block.
#[derive(Debug)]
pub enum Part {
    /// A register; its atom's value is what it holds after a reset, if `is_reset`.
    Register {
        /// Name, width and type.
        atom: AtomInfo,
        /// A reset sets it.
        is_reset: bool,
    },
    /// A sub-block.
    Block(Scope),
}

impl Scope {
    /// The sub-blocks.
    pub fn blocks(&self) -> impl Iterator<Item = &Scope> {
        self.parts.iter().filter_map(|part| match part {
            Part::Block(scope) => Some(scope),
            Part::Register { .. } => None,
        })
    }

    /// The registers, and whether a reset sets them.
    pub fn registers(&self) -> impl Iterator<Item = (&AtomInfo, bool)> {
        self.parts.iter().filter_map(|part| match part {
            Part::Register { atom, is_reset } => Some((atom, *is_reset)),
            Part::Block(_) => None,
        })
    }

    /// Has an input of this name.
    pub fn has_input(&self, name: &str) -> bool {
        self.atoms.iter().any(|a| a.name == name && a.kind == AtomKind::InputParameter)
    }
}

/// One signal or constant.
#[derive(Clone, Debug)]
pub struct AtomInfo {
    /// Name in a kernel, `$` before array indices and members of bundles.
    pub name: String,
    /// The same without bundles that do without their name.
    pub shown: String,
    /// Port, local or constant.
    pub kind: AtomKind,
    /// Width in bits.
    pub width: usize,
    /// Two's complement.
    pub signed: bool,
    /// A `Clock`.
    pub clock: bool,
    /// Value of a constant, modulo `2^width`.
    pub value: BigUint,
    /// Enums of the type: (`Type$Variant`, value, width).
    pub enums: Vec<(String, usize, usize)>,
}

/// The tree under `block`; its root is called `name`.
pub fn walk(name: &str, block: &dyn Block) -> Option<Scope> {
    let mut walker = Walker::default();
    block.accept(name, &mut walker);
    walker.done
}

#[derive(Default)]
struct Walker {
    open: Vec<(Scope, Vec<String>)>,
    done: Option<Scope>,
}

impl Probe for Walker {
    fn visit_start_scope(&mut self, name: &str, node: &dyn Block) {
        let scope = Scope {
            name: name.into(),
            marker: None,
            atoms: vec![],
            parts: vec![],
            absent: vec![],
            hdl: node.hdl(),
        };
        self.open.push((scope, vec![]));
    }

    fn visit_start_namespace(&mut self, name: &str, _node: &dyn Block) {
        if let Some((_, names)) = self.open.last_mut() {
            names.push(name.into());
        }
    }

    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        let Some((scope, names)) = self.open.last_mut() else { return };
        let descriptor = signal.descriptor();
        if name == MODULE_ATOM {
            scope.marker = Some(Marker::of(&descriptor));
            return;
        }
        let mut path = names.clone();
        if let Some(member) = name.strip_prefix(ABSENT) {
            path.push(member.into());
            scope.absent.push(path.join("$").replace(FLAT, ""));
            return;
        }
        let unreset = name.strip_prefix(UNRESET);
        let register = unreset.or(name.strip_prefix(RESET));
        path.push(register.unwrap_or(name).into());
        let shown: Vec<&str> =
            path.iter().map(String::as_str).filter(|name| !name.starts_with(FLAT)).collect();
        let mut enums = vec![];
        collect_enums(&descriptor, &mut enums);
        let atom = AtomInfo {
            name: path.join("$").replace(FLAT, ""),
            shown: shown.join("$"),
            kind: signal.kind(),
            width: signal.bits(),
            signed: is_atom_signed(signal),
            clock: descriptor.name == "clock",
            value: literal_value(&signal.verilog(), signal.bits()),
            enums,
        };
        match register {
            Some(_) => scope.parts.push(Part::Register { atom, is_reset: unreset.is_none() }),
            None => scope.atoms.push(atom),
        }
    }

    fn visit_end_namespace(&mut self, _name: &str, _node: &dyn Block) {
        if let Some((_, names)) = self.open.last_mut() {
            names.pop();
        }
    }

    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        let Some((scope, _)) = self.open.pop() else { return };
        match self.open.last_mut() {
            Some((parent, _)) => parent.parts.push(Part::Block(scope)),
            None => self.done = Some(scope),
        }
    }
}

fn collect_enums(descriptor: &TypeDescriptor, into: &mut Vec<(String, usize, usize)>) {
    match &descriptor.kind {
        TypeKind::Enum(variants) => {
            let width = variants.len().next_power_of_two().trailing_zeros() as usize;
            for (value, variant) in variants.iter().enumerate() {
                into.push((variant.replace("::", "$"), value, width));
            }
        }
        TypeKind::Composite(fields) => fields.iter().for_each(|f| collect_enums(&f.kind, into)),
        TypeKind::Bits(_) | TypeKind::Signed(_) => {}
    }
}

/// A literal's value modulo `2^width`; rust-hdl keeps the value itself private.
pub fn literal_value(literal: &rust_hdl_core::ast::VerilogLiteral, width: usize) -> BigUint {
    let text = format!("{literal:x}");
    let digits = text.split_once('h').map_or("0", |(_, d)| d);
    let value = BigInt::parse_bytes(digits.as_bytes(), 16).unwrap_or_default();
    let modulus = BigInt::from(1) << width;
    let wrapped = ((value % &modulus) + &modulus) % &modulus;
    wrapped.to_biguint().unwrap_or_default()
}

/// A literal's value, if it isn't negative; and whether it was a `bool`.
pub fn literal_plain(literal: &rust_hdl_core::ast::VerilogLiteral) -> (Option<BigUint>, bool) {
    let text = format!("{literal:x}");
    let (bits, digits) = text.split_once("'h").unwrap_or(("0", "0"));
    (BigUint::parse_bytes(digits.as_bytes(), 16), bits == "1")
}
