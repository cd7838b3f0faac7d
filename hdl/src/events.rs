//! The events of each block, as `nic_spec::events` lists them, and all of them.

use crate::bundle;
use rust_hdl_core::prelude::*;

macro_rules! hardware {
    ($($(#[$about:meta])* $group:ident $bundle:ident {
        $(($counter:literal, $name:ident, $doc:literal),)*
    })*) => {
        $(
            #[bundle]
            $(#[$about])*
            pub struct $bundle {
                $(#[doc = $doc] pub $name: Bit,)*
            }
        )*
        /// What the registers count.
        #[bundle]
        pub struct Events {
            $($(#[$about])* #[nested] pub $group: $bundle,)*
        }
    };
}

nic_spec::events!(hardware);
