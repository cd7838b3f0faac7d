//! Small blocks: what is refused and why, and how the accepted forms read.

use crate::{emit_block, Design, EmitError, Rule};
use rust_hdl_core::prelude::Block;

/// A block with inputs and registers of several kinds; the kernel is the caller's, with `self`
/// and attribute, for rust-hdl's macros must see all of it from one place.
macro_rules! uut {
    ($name:ident { $($kernel:tt)* }) => {
        #[block(no_reset)]
        struct $name {
            pub a: Signal<In, Bits<8>>,
            pub b: Signal<In, Bits<8>>,
            pub p: Signal<In, Bits<24>>,
            pub s: Signal<In, Signed<8>>,
            pub f: Signal<In, Bit>,
            pub y: Signal<Out, Bits<8>>,
            pub z: Signal<Out, Bits<16>>,
            pub g: Signal<Out, Bit>,
            inner: Signal<Local, Bits<8>>,
            narrow: Unreset<Bits<8>>,
            wide: Unreset<Bits<16>>,
            flag: Unreset<Bit>,
            #[value(0x80_0000_u64.to_bits())]
            half: Constant<Bits<24>>,
            #[value(0)]
            zero: Constant<Signed<8>>,
        }

        impl Logic for $name {
            $($kernel)*
        }
    };
}

/// A block of its own kernel: fields, then the kernel.
macro_rules! shape {
    ($name:ident { $($(#[$attribute:meta])* $field:ident: $type:ty),* $(,)? } { $($kernel:tt)* }) => {
        #[block(no_reset)]
        struct $name {
            pub x: Signal<In, Bits<8>>,
            pub y: Signal<Out, Bits<8>>,
            r: Unreset<Bits<8>>,
            $($(#[$attribute])* $field: $type,)*
        }

        impl Logic for $name {
            $($kernel)*
        }
    };
}

fn emitted(block: &impl Block) -> Result<Design, EmitError> {
    emit_block("uut", block, "test")
}

/// The block is refused for this rule, at this place.
#[track_caller]
fn refused(block: &impl Block, rule: Rule, place: &str) {
    let error = emitted(block).expect_err("accepted");
    let hit = error.findings.iter().any(|f| f.rule == rule && f.place == place);
    assert!(hit, "{rule:?} at {place} is missing in:\n{error}");
}

#[track_caller]
fn text(block: &impl Block) -> String {
    match emitted(block) {
        Ok(design) => design.modules[design.modules.len() - 1].1.clone(),
        Err(error) => panic!("{error}"),
    }
}

// Behind the macros, which they use.
mod blocks;
mod expressions;
mod joins;
mod text;
