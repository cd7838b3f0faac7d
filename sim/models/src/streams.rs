//! The streams between the blocks, as `nic_spec::streams` lists them: `Packet` is what goes with
//! the stream, [`ReadyPort`] what goes against it; of AXI4-Stream that is [`TreadyPort`], of what
//! has more of it `back::AxiLite`.
//!
//! A flow's index, a tag and a beat have room for the widest; a narrower datapath uses the low
//! bits of [`Data`].
//!
//! AXI4 is left out: its halves don't have the same sizes (nothing against its writes is as wide
//! as the datapath). The models of the engines have pins of their own, `golden::host::axi`. `Word`
//! is left out, as each primitive has another type in it.

use crate::ports;
use crate::ports::{Data, Wide};
use nic_spec::rows::INLINE_BYTES_MAX;

/// The type that so many bits fit into; `FB` is a flow's index, `T` a tag.
macro_rules! int {
    (FB) => { u16 };
    (T) => { u128 };
    (2) => { u8 };
    (3) => { u8 };
    (4) => { u8 };
    (5) => { u8 };
    (6) => { u8 };
    (7) => { u8 };
    (8) => { u8 };
    (12) => { u16 };
    (13) => { u16 };
    (14) => { u16 };
    (16) => { u16 };
    (20) => { u32 };
    (23) => { u32 };
    (24) => { u32 };
    (28) => { u32 };
    (32) => { u32 };
    (48) => { u64 };
    (57) => { u64 };
    (64) => { u64 };
    (128) => { u128 };
    (512) => { Wide<8> };
}

ports! {
    /// Against a stream.
    pub struct ReadyPort {
        /// It is taken.
        pub ready: bool,
    }
}
ports! {
    /// Against an AXI4-Stream.
    pub struct TreadyPort {
        /// It is taken.
        pub tready: bool,
    }
}

/// Sorts the members of a stream: those that go with it, those that go against it.
macro_rules! sort {
    ($half:ident $head:tt {$($with:tt)*} {$($against:tt)*}
        $(#[$doc:meta])* $member:ident : Bit, $($rest:tt)*) => {
        sort! { $half $head {$($with)* $(#[$doc])* pub $member: bool,} {$($against)*} $($rest)* }
    };
    ($half:ident $head:tt {$($with:tt)*} {$($against:tt)*}
        $(#[$doc:meta])* $member:ident : StagedRow, $($rest:tt)*) => {
        sort! { $half $head {$($with)* $(#[$doc])* pub $member: Wide<8>,} {$($against)*} $($rest)* }
    };
    ($half:ident $head:tt {$($with:tt)*} {$($against:tt)*}
        $(#[$doc:meta])* $member:ident : E, $($rest:tt)*) => {
        sort! { $half $head {$($with)* $(#[$doc])* pub $member: E,} {$($against)*} $($rest)* }
    };
    ($half:ident $head:tt {$($with:tt)*} {$($against:tt)*}
        $(#[$doc:meta])* $member:ident : Bits<W>, $($rest:tt)*) => {
        sort! { $half $head {$($with)* $(#[$doc])* pub $member: Data,} {$($against)*} $($rest)* }
    };
    ($half:ident $head:tt {$($with:tt)*} {$($against:tt)*}
        $(#[$doc:meta])* $member:ident : Bits<KB>, $($rest:tt)*) => {
        sort! { $half $head {$($with)* $(#[$doc])* pub $member: u64,} {$($against)*} $($rest)* }
    };
    ($half:ident $head:tt {$($with:tt)*} {$($against:tt)*}
        $(#[$doc:meta])* $member:ident : Bits<$width:tt>, $($rest:tt)*) => {
        sort! {
            $half $head {$($with)* $(#[$doc])* pub $member: int!($width),} {$($against)*}
            $($rest)*
        }
    };
    ($half:ident $head:tt {$($with:tt)*} {$($against:tt)*}
        $(#[$doc:meta])* $member:ident : [Bits<$width:tt>; $count:tt], $($rest:tt)*) => {
        sort! {
            $half $head {$($with)* $(#[$doc])* pub $member: [int!($width); $count],} {$($against)*}
            $($rest)*
        }
    };
    ($half:ident $head:tt {$($with:tt)*} {$($against:tt)*}
        $(#[$doc:meta])* $member:ident = $nested:ident, $($rest:tt)*) => {
        sort! { $half $head {$($with)* $(#[$doc])* pub $member: $nested,} {$($against)*} $($rest)* }
    };
    ($half:ident $head:tt {$($with:tt)*} {$($against:tt)*}
        $(#[$doc:meta])* $member:ident <- Bit, $($rest:tt)*) => {
        sort! { $half $head {$($with)*} {$($against)* $(#[$doc])* pub $member: bool,} $($rest)* }
    };
    ($half:ident $head:tt {$($with:tt)*} {$($against:tt)*}
        $(#[$doc:meta])* $member:ident <- Bits<$width:tt>, $($rest:tt)*) => {
        sort! {
            $half $head {$($with)*} {$($against)* $(#[$doc])* pub $member: int!($width),}
            $($rest)*
        }
    };
    (with {$($head:tt)*} $with:tt $against:tt) => { ports! { $($head)* $with } };
    (against $head:tt $with:tt {}) => {};
    (against $head:tt $with:tt {$(#[$doc:meta])* pub tready: $ty:ty,}) => {};
    (against {$($head:tt)*} $with:tt $against:tt) => { ports! { $($head)* $against } };
}

/// One half of a stream, with the sizes that a model may choose.
macro_rules! half {
    ($half:ident $about:tt stream Word $sizes:tt $members:tt) => {};
    ($half:ident $about:tt bundle AxiWrite $sizes:tt $members:tt) => {};
    ($half:ident $about:tt bundle AxiRead $sizes:tt $members:tt) => {};
    ($half:ident $about:tt bundle Axi $sizes:tt $members:tt) => {};
    ($half:ident [$($about:tt)*] stream $name:ident $sizes:tt {$($members:tt)*}) => {
        half! { $half [$($about)*] bundle $name $sizes {
            /// Something stands here.
            valid: Bit,
            $($members)*
        } }
    };
    ($half:ident [$($about:tt)*] bundle $name:ident [E] {$($members:tt)*}) => {
        sort! { $half {$($about)* pub struct $name<E = u64>} {} {} $($members)* }
    };
    ($half:ident [$($about:tt)*] bundle $name:ident $sizes:tt {$($members:tt)*}) => {
        sort! { $half {$($about)* pub struct $name} {} {} $($members)* }
    };
}

macro_rules! golden {
    ($(
        $(#[$about:meta])*
        $kind:ident $name:ident $(<$($size:ident $(: $bound:ident)?),*>)? { $($members:tt)* }
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

impl PayloadSource {
    /// The bytes that stand in here; of inline payload `bytes` of them count.
    pub fn inline_bytes(&self) -> [u8; INLINE_BYTES_MAX] {
        let words = [self.addr, self.inline_rest as u64, (self.inline_rest >> 64) as u64];
        core::array::from_fn(|n| words[n / 8].to_le_bytes()[n % 8])
    }
}
