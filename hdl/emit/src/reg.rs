//! Registers.

use rust_hdl_core::prelude::*;

/// Before the name of a register that a reset sets.
pub const RESET: &str = "<register>";
/// Before the name of a register that a reset leaves alone.
pub const UNRESET: &str = "<unreset>";

macro_rules! register {
    ($(#[$doc:meta])* $name:ident, $mark:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $name<T: Synth> {
            /// What it holds from the next edge on.
            pub next: T,
            val: T,
        }

        impl<T: Synth> $name<T> {
            /// What it holds.
            pub fn val(&self) -> T {
                self.val
            }
        }

        impl<T: Synth> Logic for $name<T> {
            fn update(&mut self) {}
        }

        impl<T: Synth> Block for $name<T> {
            fn connect_all(&mut self) {}
            fn update_all(&mut self) {}
            fn has_changed(&self) -> bool {
                false
            }
            fn accept(&self, name: &str, probe: &mut dyn Probe) {
                probe.visit_atom(&format!("{}{name}", $mark), &Constant::new(self.val));
            }
        }
    };
}

register!(
    /// A register of the block's clock. It keeps its value unless the kernel says otherwise, and a
    /// reset sets it.
    Reg,
    RESET
);
register!(
    /// A register that a reset leaves alone: for data that another register says to be valid.
    Unreset,
    UNRESET
);

impl<T: Synth> Reg<T> {
    /// A register that holds `reset` after a reset.
    pub fn new(reset: T) -> Self {
        Self { next: reset, val: reset }
    }
}
