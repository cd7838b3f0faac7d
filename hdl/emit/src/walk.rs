//! Walks a rust-hdl block with a probe and keeps what was seen as a tree of scopes.

use crate::module::MODULE_ATOM;
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
    /// Rust type, from the `Module<Self>` marker.
    pub type_name: Option<String>,
    /// Signals and constants, in the order of the struct.
    pub atoms: Vec<AtomInfo>,
    /// Sub-blocks, in the order of the struct.
    pub children: Vec<Scope>,
    /// The kernel.
    pub hdl: Verilog,
}

/// One signal or constant.
#[derive(Clone, Debug)]
pub struct AtomInfo {
    /// Name, `$` before array indices and interface fields.
    pub name: String,
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
            type_name: None,
            atoms: vec![],
            children: vec![],
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
            scope.type_name = Some(descriptor.name);
            return;
        }
        let mut path = names.clone();
        path.push(name.into());
        let mut enums = vec![];
        collect_enums(&descriptor, &mut enums);
        scope.atoms.push(AtomInfo {
            name: path.join("$"),
            kind: signal.kind(),
            width: signal.bits(),
            signed: is_atom_signed(signal),
            clock: descriptor.name == "clock",
            value: literal_value(&signal.verilog(), signal.bits()),
            enums,
        });
    }

    fn visit_end_namespace(&mut self, _name: &str, _node: &dyn Block) {
        if let Some((_, names)) = self.open.last_mut() {
            names.pop();
        }
    }

    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        let Some((scope, _)) = self.open.pop() else { return };
        match self.open.last_mut() {
            Some((parent, _)) => parent.children.push(scope),
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
