//! What an update needs later on its way: small tables with one place a slot.
//!
//! # Source            hdl/cc.md
//! # Interface timing  slot counts the starts. In phase 3 of slot k start_write stores the `s_*` fields;
//!                     two slots later `ewma_*` shows them, four slots later `wind_*`, seven slots
//!                     later `end_*`, each one cycle behind slot. u_write stores u_new and hop_new of
//!                     slot - 4, shown as end_u and end_hop in slot 7
//! # Latency and rate  1 cycle from slot to the fields; one update a slot
//! # Reset             none: the user knows which slots are alive
//! # Twins             part of sim/models/src/golden/cc/unit.rs, tests/cc/cc_unit.rs

use crate::{block, row};
use rust_hdl_core::prelude::*;

macro_rules! flight_tables {
    (
        ewma { $($en:ident $es:ident $et:ty, $ew:literal;)* }
        wind { $($wn:ident $ws:ident $wt:ty, $ww:literal;)* }
        end { $($nn:ident $ns:ident $nt:ty, $nw:literal;)* }
    ) => {
        /// Places of eight updates.
        #[block(no_reset)]
        pub struct CcFlight<const FB: usize> {
            /// Slot of the youngest update.
            pub slot: Signal<In, Bits<3>>,
            /// Store the `s_*` fields.
            pub start_write: Signal<In, Bit>,
            $(/// For the average.
            pub $es: Signal<In, $et>,)*
            $(/// For the window.
            pub $ws: Signal<In, $wt>,)*
            $(/// For the end.
            pub $ns: Signal<In, $nt>,)*
            /// Flow.
            pub s_flow: Signal<In, Bits<FB>>,
            /// Store `u_new` and `hop_new`.
            pub u_write: Signal<In, Bit>,
            /// U after the update of four slots before.
            pub u_new: Signal<In, Bits<57>>,
            /// Its hop with the largest u'.
            pub hop_new: Signal<In, Bits<3>>,
            $(/// For the average.
            pub $en: Signal<Out, $et>,)*
            $(/// For the window.
            pub $wn: Signal<Out, $wt>,)*
            $(/// For the end.
            pub $nn: Signal<Out, $nt>,)*
            /// Flow.
            pub end_flow: Signal<Out, Bits<FB>>,
            /// U after the update.
            pub end_u: Signal<Out, Bits<57>>,
            /// The hop with the largest u'.
            pub end_hop: Signal<Out, Bits<3>>,
        }

        impl<const FB: usize> Logic for CcFlight<FB> {
            fn update(&mut self) {}

            fn hdl(&self) -> Verilog {
                Verilog::Custom(format!(
                    "\
reg [{ewma_top}:0] ewma [0:7];
reg [{wind_top}:0] wind [0:7];
reg [59:0] average [0:7];
reg [{end_top}:0] ending [0:7];
wire [2:0] slot_2 = slot - 3'd2;
wire [2:0] slot_4 = slot - 3'd4;
wire [2:0] slot_7 = slot - 3'd7;

always @(posedge clock) begin
    if (start_write) begin
        ewma[slot] <= {{{ewma_in}}};
        wind[slot] <= {{{wind_in}}};
        ending[slot] <= {{{end_in}, s_flow}};
    end
    if (u_write) average[slot_4] <= {{hop_new, u_new}};
    {{{ewma_out}}} <= ewma[slot_2];
    {{{wind_out}}} <= wind[slot_4];
    {{end_hop, end_u}} <= average[slot_7];
    {{{end_out}, end_flow}} <= ending[slot_7];
end
",
                    ewma_top = 0 $(+ $ew)* - 1,
                    wind_top = 0 $(+ $ww)* - 1,
                    end_top = FB $(+ $nw)* - 1,
                    ewma_in = [$(stringify!($es)),*].join(", "),
                    wind_in = [$(stringify!($ws)),*].join(", "),
                    end_in = [$(stringify!($ns)),*].join(", "),
                    ewma_out = [$(stringify!($en)),*].join(", "),
                    wind_out = [$(stringify!($wn)),*].join(", "),
                    end_out = [$(stringify!($nn)),*].join(", "),
                ))
            }
        }
    };
}

/// The fields, of every schedule: what `$build` makes a table of. An output, its input, their type and bits.
macro_rules! flight_fields {
    ($build:ident) => {
        $build! {
            ewma {
                ewma_update s_update Bit, 1;
                ewma_u s_u Bits<57>, 57;
            }
            wind {
                wind_hold s_hold Bit, 1;
                wind_wc s_base Bits<48>, 48;
                wind_inc_stage s_inc_stage Bits<8>, 8;
            }
            end {
                end_command s_command Bit, 1;
                end_fixed s_fixed Bit, 1;
                end_set s_set Bit, 1;
                end_op s_op Bits<2>, 2;
                end_window s_window Bits<32>, 32;
                end_rate s_rate Bits<32>, 32;
                end_full s_full Bit, 1;
                end_first s_first Bit, 1;
                end_wc s_wc Bits<48>, 48;
                end_inc_stage s_end_inc_stage Bits<8>, 8;
                end_last_psn s_last_psn Bits<24>, 24;
                end_exists s_exists Bit, 1;
                end_telemetry s_telemetry Bit, 1;
                end_recorded s_recorded Bit, 1;
                end_hops s_hops Bits<3>, 3;
                end_path s_path Bits<12>, 12;
            }
        }
    };
}
pub(super) use flight_fields;

flight_fields!(flight_tables);

/// A result of the congestion control.
#[row]
pub struct ResultRow<const FB: usize> {
    /// The records were only stored.
    pub first: Bit,
    /// Wc, incStage and lastUpdateSeq were updated.
    pub full: Bit,
    /// lastUpdateSeq.
    pub last_psn: Bits<24>,
    /// incStage.
    pub inc_stage: Bits<8>,
    /// Wc, UQ32.16.
    pub wc: Bits<48>,
    /// U, UQ21.36.
    pub u: Bits<57>,
    /// Rate, UQ8.24.
    pub rate: Bits<32>,
    /// Window in bytes.
    pub window: Bits<32>,
    /// 0 update, 1 create, 2 remove.
    pub op: Bits<2>,
    /// The hop with the largest u'; 7: none.
    pub worst_hop: Bits<3>,
    /// Flow.
    pub flow: Bits<FB>,
}

/// Packs a result into the word that the output FIFO stores: `W = FB + 208` bits, one cycle.
#[block(no_reset)]
pub struct CcPack<const FB: usize, const W: usize> {
    /// Flow.
    pub flow: Signal<In, Bits<FB>>,
    /// 0 update, 1 create, 2 remove.
    pub op: Signal<In, Bits<2>>,
    /// Window in bytes.
    pub window: Signal<In, Bits<32>>,
    /// Rate, UQ8.24.
    pub rate: Signal<In, Bits<32>>,
    /// U, UQ21.36.
    pub u: Signal<In, Bits<57>>,
    /// Wc, UQ32.16.
    pub wc: Signal<In, Bits<48>>,
    /// incStage.
    pub inc_stage: Signal<In, Bits<8>>,
    /// lastUpdateSeq.
    pub last_psn: Signal<In, Bits<24>>,
    /// Wc, incStage and lastUpdateSeq were updated.
    pub full: Signal<In, Bit>,
    /// The records were only stored.
    pub first: Signal<In, Bit>,
    /// The hop with the largest u'; 7: none.
    pub worst_hop: Signal<In, Bits<3>>,
    /// All of them, `first` in bit 0.
    pub item: Signal<Out, ResultRow<FB>>,
}

impl<const FB: usize, const W: usize> Logic for CcPack<FB, W> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "always @(posedge clock)\n    \
             item <= {flow, worst_hop, op, window, rate, u, wc, inc_stage, last_psn, full, first};\n"
                .into(),
        )
    }
}
