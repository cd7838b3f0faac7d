//! What `#[block]` tells the emitter of a block: its name and its sizes.

use rust_hdl_core::prelude::*;

/// Atom name under which [`Marker`] is visited; no signal can be called this.
pub const MODULE_ATOM: &str = "<module>";

/// Name and sizes of a block.
///
/// rust-hdl's probe sees blocks only as trait objects; so a block shows its Rust path and sizes as
/// an atom.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    /// Rust path and sizes: `nic_hdl::util::skid::Skid<64>`.
    pub type_name: String,
    /// Outputs may depend on inputs within the cycle.
    pub may_follow_inputs: bool,
}

impl Marker {
    /// The marker in an atom's descriptor.
    pub fn of(descriptor: &TypeDescriptor) -> Self {
        let may_follow_inputs = matches!(descriptor.kind, TypeKind::Bits(1));
        Self { type_name: descriptor.name.clone(), may_follow_inputs }
    }
}

/// Shows a block's path and sizes to a probe; `#[block]` calls it.
pub fn visit_module(path: &str, sizes: &[String], may_follow_inputs: bool, probe: &mut dyn Probe) {
    let type_name = match sizes {
        [] => path.to_string(),
        _ => format!("{path}<{}>", sizes.join(", ")),
    };
    probe.visit_atom(MODULE_ATOM, &Marker { type_name, may_follow_inputs });
}

impl Atom for Marker {
    fn bits(&self) -> usize {
        0
    }
    fn connected(&self) -> bool {
        true
    }
    fn changed(&self) -> bool {
        false
    }
    fn kind(&self) -> AtomKind {
        AtomKind::Constant
    }
    fn descriptor(&self) -> TypeDescriptor {
        let kind = TypeKind::Bits(usize::from(self.may_follow_inputs));
        TypeDescriptor { name: self.type_name.clone(), kind }
    }
    fn vcd(&self) -> VCDValue {
        VCDValue::Single(vcd::Value::V0)
    }
    fn id(&self) -> usize {
        usize::MAX
    }
    fn verilog(&self) -> VerilogLiteral {
        false.into()
    }
    fn constraints(&self) -> Vec<PinConstraint> {
        vec![]
    }
}
