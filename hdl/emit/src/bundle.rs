//! Bundles of ports: one declaration is the source, the sink or the registers of a stream.

use crate::reg::Reg;
use rust_hdl_core::ast::{VerilogLink, VerilogLinkDetails};
use rust_hdl_core::prelude::*;

/// What the members of a bundle are: `Packet<Out>` is a source of packets, `Packet<In>` a sink,
/// `Packet<Regs>` registers that hold one, `Packet<Local>` wires.
pub trait Kind {
    /// A member that goes with the stream.
    type Of<T: Synth>: Block + Default;
    /// A member that goes against it.
    type Back<T: Synth>: Block + Default;
}

impl Kind for In {
    type Of<T: Synth> = Signal<In, T>;
    type Back<T: Synth> = Signal<Out, T>;
}

impl Kind for Out {
    type Of<T: Synth> = Signal<Out, T>;
    type Back<T: Synth> = Signal<In, T>;
}

impl Kind for Local {
    type Of<T: Synth> = Signal<Local, T>;
    type Back<T: Synth> = Signal<Local, T>;
}

/// Members are registers, 0 after a reset. What goes against the stream is not kept: the block
/// says itself what happens when the other side is ready.
pub struct Regs;

impl Kind for Regs {
    type Of<T: Synth> = Reg<T>;
    type Back<T: Synth> = Absent;
}

/// A member that a kind of bundle doesn't have.
#[derive(Default)]
pub struct Absent;

/// Before the name of a member that is absent.
pub const ABSENT: &str = "<absent>";

/// Before the name of a bundle whose members' ports do without it.
pub const FLAT: &str = "<flat>";

impl Logic for Absent {
    fn update(&mut self) {}
}

impl Block for Absent {
    fn connect_all(&mut self) {}
    fn update_all(&mut self) {}
    fn has_changed(&self) -> bool {
        false
    }
    fn accept(&self, name: &str, probe: &mut dyn Probe) {
        probe.visit_atom(&format!("{ABSENT}{name}"), &Constant::<Bit>::new(false));
    }
}

/// Bundles of the same members.
pub trait Joins<Other> {}

/// `Wire::join(&mut self.from, &mut self.to)` in a kernel: every member of the one is wired to
/// that of the other, each in its direction.
pub struct Wire;

impl Wire {
    /// Wires two bundles.
    pub fn join<A: Joins<B>, B>(_: &mut A, _: &mut B) {}

    /// What the kernel says of it: the emitter knows the members.
    pub fn join_hdl(my_name: &str, from: &str, to: &str) -> Vec<VerilogLink> {
        vec![VerilogLink::Forward(VerilogLinkDetails {
            my_name: my_name.into(),
            owner_name: from.into(),
            other_name: to.into(),
        })]
    }
}
