//! Block RAM with the state of every flow.
//!
//! # Interface timing  cycle 0: read_enable, read_flow; cycle 2: the row (two registers)
//! # Latency and rate  [`LATENCY_CYCLES`]; one read and one write per cycle
//! # Shape             F = 2^FB rows of 203 bits; content is random after power-up
//! # Collision         the user never reads a row in the cycle in which it is written
//! # Number formats    u UQ21.36; w, wc UQ32.16 bytes; psn 24 bits
//! # Twins             part of sim/models/src/golden/cc/unit.rs, tests/cc/cc_unit.rs

use crate::{block, bundle};
use rust_hdl_core::prelude::*;

/// Cycles from a flow to its row.
pub const LATENCY_CYCLES: usize = 2;

macro_rules! state_table {
    ($($name:ident $type:ty, $doc:literal;)*) => {
        /// What is known of a flow.
        #[bundle]
        pub struct FlowState {
            $(#[doc = $doc] pub $name: $type,)*
        }

        /// State of `2^FB` flows.
        #[block(no_reset)]
        pub struct CcState<const FB: usize> {
            /// Store the `write_*` fields.
            pub write_enable: Signal<In, Bit>,
            /// Row to store.
            pub write_flow: Signal<In, Bits<FB>>,
            /// What to store.
            pub write: FlowState<In>,
            /// Load a row; low holds it.
            pub read_enable: Signal<In, Bit>,
            /// Row to load.
            pub read_flow: Signal<In, Bits<FB>>,
            /// The row.
            #[flat]
            pub row: FlowState<Out>,
        }

        impl<const FB: usize> Logic for CcState<FB> {
            fn update(&mut self) {}

            fn hdl(&self) -> Verilog {
                let width = 0 $(+ <$type as Synth>::BITS)*;
                let write = [$(concat!("write_", stringify!($name))),*].join(", ");
                let read = [$(stringify!($name)),*].join(", ");
                Verilog::Custom(format!(
                    "\
(* ram_style = \"block\", no_rw_check *)
reg [{top}:0] mem [0:{last}];
reg [{top}:0] row;

always @(posedge clock) begin
    if (write_enable)
        mem[write_flow] <= {{{write}}};
    if (read_enable) row <= mem[read_flow];
`ifndef SYNTHESIS
    // A collision is undefined in hardware; simulation makes it visible.
    if (read_enable && write_enable && (read_flow == write_flow)) row <= ~mem[read_flow];
`endif
    {{{read}}} <= row;
end
",
                    top = width - 1,
                    last = (1_u64 << FB) - 1,
                ))
            }
        }
    };
}

state_table! {
    exists Bit, "The flow was created.";
    telemetry Bit, "Its ACKs carry telemetry.";
    recorded Bit, "Its last records are stored.";
    hops Bits<3>, "Number of those.";
    path Bits<12>, "Path of those.";
    last_psn Bits<24>, "An ACK behind this PSN makes the next full update.";
    inc_stage Bits<8>, "Additive steps since the last multiplicative one.";
    w Bits<48>, "Window.";
    wc Bits<48>, "Reference window.";
    u Bits<57>, "Utilisation.";
}
