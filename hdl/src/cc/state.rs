//! Block RAM with the state of every flow.
//!
//! # Interface timing  cycle 0: read_enable, read_flow; cycle 2: the row (two registers)
//! # Latency and rate  [`LATENCY_CYCLES`]; one read and one write per cycle
//! # Shape             F = 2^FB rows of 203 bits; content is random after power-up
//! # Collision         the user never reads a row in the cycle in which it is written
//! # Number formats    u UQ21.36; w, wc UQ32.16 bytes; psn 24 bits
//! # Twins             part of sim/models/src/golden/cc/unit.rs, tests/cc/cc_unit.rs

use crate::block;
use rust_hdl_core::prelude::*;

/// Cycles from a flow to its row.
pub const LATENCY_CYCLES: usize = 2;

macro_rules! state_table {
    ($($name:ident $write:ident $type:ty, $width:literal, $doc:literal;)*) => {
        /// State of `2^FB` flows.
        #[block(no_reset)]
        pub struct CcState<const FB: usize> {
            /// Store the `write_*` fields.
            pub write_enable: Signal<In, Bit>,
            /// Row to store.
            pub write_flow: Signal<In, Bits<FB>>,
            $(#[doc = $doc] pub $write: Signal<In, $type>,)*
            /// Load a row; low holds it.
            pub read_enable: Signal<In, Bit>,
            /// Row to load.
            pub read_flow: Signal<In, Bits<FB>>,
            $(#[doc = $doc] pub $name: Signal<Out, $type>,)*
        }

        impl<const FB: usize> Logic for CcState<FB> {
            fn update(&mut self) {}

            fn hdl(&self) -> Verilog {
                let width = 0 $(+ $width)*;
                let write = [$(stringify!($write)),*].join(", ");
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
    exists write_exists Bit, 1, "The flow was created.";
    telemetry write_telemetry Bit, 1, "Its ACKs carry telemetry.";
    recorded write_recorded Bit, 1, "Its last records are stored.";
    hops write_hops Bits<3>, 3, "Number of those.";
    path write_path Bits<12>, 12, "Path of those.";
    last_psn write_last_psn Bits<24>, 24, "An ACK behind this PSN makes the next full update.";
    inc_stage write_inc_stage Bits<8>, 8, "Additive steps since the last multiplicative one.";
    w write_w Bits<48>, 48, "Window.";
    wc write_wc Bits<48>, 48, "Reference window.";
    u write_u Bits<57>, 57, "Utilisation.";
}
