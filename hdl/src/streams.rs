//! The streams between the blocks, as `nic_spec::streams` lists them: `Packet<Out, FB>` is a source
//! of packets, `Packet<In, FB>` a sink, `Packet<Regs, FB>` registers that hold one.

use crate::rows::StagedRow;
use crate::{bundle, stream};
use rust_hdl_core::prelude::*;

macro_rules! hardware {
    ($(
        $(#[$about:meta])*
        $kind:ident $name:ident $(<$($size:ident $(: $bound:ident)?),*>)? {
            $(
                $(#[$doc:meta])*
                $member:ident $(= $nested:ident)? $(== $flat:ident<$($flat_size:ident),+>)?
                $(<- $against:ty)? $(: $with:ty)?,
            )*
        }
    )*) => {
        $(
            #[$kind]
            $(#[$about])*
            pub struct $name $(<$($size $(: $bound)?),*>)? {
                $(
                    $(#[$doc])*
                    $(#[back($against)])? $(#[nested($nested)])? $(#[flat($flat)])?
                    pub $member: $($against)? $($nested)? $($flat<$($flat_size),+>)? $($with)?,
                )*
            }
        )*
    };
}

nic_spec::streams!(hardware);
