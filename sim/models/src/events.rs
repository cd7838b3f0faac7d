//! The events of each block, as `nic_spec::events` lists them, and all of them.

use crate::ports;
use nic_spec::regs::EVENTS;

macro_rules! golden {
    ($($(#[$about:meta])* $group:ident $bundle:ident {
        $(($counter:literal, $name:ident, $doc:literal),)*
    })*) => {
        $(ports! {
            $(#[$about])*
            pub struct $bundle { $(#[doc = $doc] pub $name: bool,)* }
        })*
        ports! {
            /// What the registers count.
            pub struct Events { $($(#[$about])* pub $group: $bundle,)* }
        }
        impl Events {
            /// The pulses, in counter order.
            pub fn pulses(&self) -> [bool; EVENTS.len()] {
                let mut pulses = [false; EVENTS.len()];
                $($(pulses[$counter] = self.$group.$name;)*)*
                pulses
            }
        }
    };
}

nic_spec::events!(golden);
