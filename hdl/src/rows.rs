//! Rows whose fields the spec lists: the one that software stages, as `nic_spec::rows` has it,
//! registers of several fields, and events of the cores that stand alone.

use crate::row;
use rust_hdl_core::prelude::*;

nic_spec::rows!(nic_block::staged);

/// A field of so many bits.
macro_rules! field {
    (1) => { Bit };
    ($bits:tt) => { Bits<$bits> };
}

macro_rules! event_rows {
    ($(
        $(#[$about:meta])*
        $row:ident $bits:tt [$(($field:ident, $lsb:tt, $width:tt, $doc:literal)),* $(,)?]
    )*) => {
        $(
            $(#[$about])*
            #[row($bits)]
            pub struct $row {
                $(#[doc = $doc] #[at($lsb)] pub $field: field!($width),)*
            }
        )*
    };
}

/// The row of a register, if it is asked for.
macro_rules! register_row {
    (cc_check $bits:tt $fields:tt) => { register_row! { @row CcCheck $bits $fields } };
    (cc_util_gain $bits:tt $fields:tt) => { register_row! { @row CcUtilGain $bits $fields } };
    (line $bits:tt $fields:tt) => { register_row! { @row LineRow $bits $fields } };
    (@row $row:ident $bits:tt [$(($field:ident, $lsb:tt, $width:tt, $doc:literal)),* $(,)?]) => {
        event_rows! {
            /// A register's fields.
            $row $bits [$(($field, $lsb, $width, $doc),)*]
        }
    };
    ($other:ident $bits:tt $fields:tt) => {};
}

macro_rules! register_rows {
    ($(($index:tt, $name:ident, $port:ident, $bits:tt, $reset:tt, $doc:literal, $fields:tt)),*
        $(,)?) => {
        $(register_row! { $name $bits $fields })*
    };
}

nic_spec::cc_registers!(register_rows);
nic_spec::sched_registers!(register_rows);
nic_spec::core_events!(event_rows);
