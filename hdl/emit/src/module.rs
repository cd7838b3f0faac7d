//! The marker that tells the emitter what a block's Verilog module is called.

use rust_hdl_core::prelude::*;
use std::marker::PhantomData;

/// Zero-size field of every block: `module_type: Module<Self>`.
///
/// rust-hdl's probe sees blocks only as trait objects; this marker carries the struct's type
/// name (`nic_hdl::util::skid::Skid<64>`) to the emitter, which makes `skid` or `skid_64` of it.
pub struct Module<T>(PhantomData<fn() -> T>);

impl<T> Default for Module<T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

/// The atom by which [`Module`] shows itself to a probe; its descriptor's name is the type name.
struct TypeName(&'static str);

/// Atom name under which the marker is visited; no signal can be called this.
pub const MODULE_ATOM: &str = "<module>";

impl Atom for TypeName {
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
        TypeDescriptor { name: self.0.into(), kind: TypeKind::Bits(0) }
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

impl<T> Logic for Module<T> {
    fn update(&mut self) {}
}

impl<T> Block for Module<T> {
    fn connect_all(&mut self) {}
    fn update_all(&mut self) {}
    fn has_changed(&self) -> bool {
        false
    }
    fn accept(&self, _name: &str, probe: &mut dyn Probe) {
        probe.visit_atom(MODULE_ATOM, &TypeName(std::any::type_name::<T>()));
    }
}
