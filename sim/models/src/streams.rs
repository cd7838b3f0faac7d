//! The streams between the blocks, as `nic_spec::streams` lists them: `Packet` is what goes with
//! the stream, [`ReadyPort`] what goes against it; of AXI4-Stream that is [`TreadyPort`], of what
//! has more of it `back::AxiLite`.
//!
//! A flow's index and a tag have room for the widest; the width of a datapath is the model's,
//! 64 bits unless said: `AxisEvent<416>`.

use crate::ports;
use crate::ports::Bits;

type Bit = bool;
/// Bits of a flow's index.
const FB: usize = 16;
/// Bits of a tag.
const T: usize = 128;

ports! {
    /// Against a stream.
    pub struct ReadyPort {
        /// It is taken.
        pub ready: Bit,
    }
}
ports! {
    /// Against an AXI4-Stream.
    pub struct TreadyPort {
        /// It is taken.
        pub tready: Bit,
    }
}

/// Sorts the members of a stream: those that go with it, those that go against it.
macro_rules! sort {
    ($half:ident $head:tt {$($with:tt)*} {$($against:tt)*}
        $(#[$doc:meta])* $member:ident : $ty:ty, $($rest:tt)*) => {
        sort! { $half $head {$($with)* $(#[$doc])* pub $member: $ty,} {$($against)*} $($rest)* }
    };
    ($half:ident $head:tt {$($with:tt)*} {$($against:tt)*}
        $(#[$doc:meta])* $member:ident = $nested:ident, $($rest:tt)*) => {
        sort! { $half $head {$($with)* $(#[$doc])* pub $member: $nested,} {$($against)*} $($rest)* }
    };
    ($half:ident $head:tt {$($with:tt)*} {$($against:tt)*}
        $(#[$doc:meta])* $member:ident <- $ty:ty, $($rest:tt)*) => {
        sort! { $half $head {$($with)*} {$($against)* $(#[$doc])* pub $member: $ty,} $($rest)* }
    };
    (with {$($head:tt)*} $with:tt $against:tt) => { ports! { $($head)* $with } };
    (against $head:tt $with:tt {}) => {};
    (against $head:tt $with:tt {$(#[$doc:meta])* pub tready: $ty:ty,}) => {};
    (against {$($head:tt)*} $with:tt $against:tt) => { ports! { $($head)* $against } };
}

/// One half of a stream, with the sizes that a model may choose.
macro_rules! half {
    ($half:ident [$($about:tt)*] stream $name:ident $sizes:tt {$($members:tt)*}) => {
        half! { $half [$($about)*] bundle $name $sizes {
            /// Something stands here.
            valid: Bit,
            $($members)*
        } }
    };
    ($half:ident [$($about:tt)*] bundle $name:ident [W] {$($members:tt)*}) => {
        sort! { $half {$($about)* pub struct $name<W = 64>} {} {} $($members)* }
    };
    ($half:ident [$($about:tt)*] bundle $name:ident [W KB] {$($members:tt)*}) => {
        sort! { $half {$($about)* pub struct $name<W = 64, KB = 8>} {} {} $($members)* }
    };
    ($half:ident [$($about:tt)*] bundle $name:ident $sizes:tt {$($members:tt)*}) => {
        sort! { $half {$($about)* pub struct $name} {} {} $($members)* }
    };
}

macro_rules! golden {
    ($(
        $(#[$about:meta])*
        $kind:ident $name:ident $(<$($size:ident),*>)? { $($members:tt)* }
    )*) => {
        $(half! { with [$(#[$about])*] $kind $name [$($($size)*)?] {$($members)*} })*

        /// What goes against the streams that have more than one member of it.
        pub mod back {
            use super::*;
            $(half! { against [$(#[$about])*] $kind $name [$($($size)*)?] {$($members)*} })*
        }
    };
}

nic_spec::streams!(golden);
