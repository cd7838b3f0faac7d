//! What an update needs later on its way: small tables with one place a slot.
//!
//! # Source            hdl/cc.md
//! # Interface timing  slot counts the starts. In phase 3 of slot k start_write stores the `s_*` fields;
//!                     two slots later `ewma_*` shows them, three slots later `wind_*`, six slots
//!                     later `end_*`, each one cycle behind slot. u_write stores u_new and hop_new of
//!                     slot - 3, shown as end_u and end_hop in slot 6
//! # Latency and rate  1 cycle from slot to the fields; one update a slot
//! # Reset             none: the user knows which slots are alive
//! # Twins             part of sim/models/src/golden/cc/unit.rs, tests/cc/cc_unit.rs

use crate::{block, bundle, row};
use rust_hdl_core::prelude::*;

/// A table's words: what goes in, what comes out, how wide they are.
pub(super) struct Words {
    pub(super) input: String,
    pub(super) output: String,
    pub(super) bits: usize,
}

/// The fields of the tables, of every schedule: an output, its input, their type.
macro_rules! flight_fields {
    (
        ewma { $($en:ident $es:ident $et:ty;)* }
        wind { $($wn:ident $ws:ident $wt:ty;)* }
        end { $($nn:ident $ns:ident $nt:ty;)* }
    ) => {
        /// What is decided of an update.
        #[bundle]
        pub struct Update<FB> {
            $(/// For the average.
            pub $es: $et,)*
            $(/// For the window.
            pub $ws: $wt,)*
            $(/// For the end.
            pub $ns: $nt,)*
            /// Flow.
            pub flow: Bits<FB>,
        }

        /// What the average is made of.
        #[bundle]
        pub struct ForEwma {
            $(/// It.
            pub $en: $et,)*
        }

        /// What the window is made of.
        #[bundle]
        pub struct ForWind {
            /// The window stays.
            pub hold: Bit,
            $(/// It.
            pub $wn: $wt,)*
        }

        /// What the result and the new state are made of.
        #[bundle]
        pub struct ForEnd<FB> {
            $(/// It.
            pub $nn: $nt,)*
            /// Flow.
            pub flow: Bits<FB>,
            /// U after the update.
            pub u: Bits<57>,
            /// The hop with the largest u'.
            pub hop: Bits<3>,
        }

        /// The words of `ewma`, `wind` and `end`; of the last one without the flow.
        pub(super) fn words() -> [Words; 3] {
            [
                Words {
                    input: [$(concat!("s_", stringify!($es))),*].join(", "),
                    output: [$(concat!("ewma_", stringify!($en))),*].join(", "),
                    bits: 0 $(+ <$et as Synth>::BITS)*,
                },
                Words {
                    input: ["s_hold", $(concat!("s_", stringify!($ws))),*].join(", "),
                    output: ["wind_hold", $(concat!("wind_", stringify!($wn))),*].join(", "),
                    bits: 1 $(+ <$wt as Synth>::BITS)*,
                },
                Words {
                    input: [$(concat!("s_", stringify!($ns))),*].join(", "),
                    output: [$(concat!("end_", stringify!($nn))),*].join(", "),
                    bits: 0 $(+ <$nt as Synth>::BITS)*,
                },
            ]
        }
    };
}

flight_fields! {
    ewma {
        update update Bit;
        u u Bits<57>;
    }
    wind {
        wc base Bits<48>;
        inc_stage inc_stage Bits<8>;
    }
    end {
        command command Bit;
        fixed fixed Bit;
        set set Bit;
        op op Bits<2>;
        window window Bits<32>;
        rate rate Bits<32>;
        full full Bit;
        first first Bit;
        wc wc Bits<48>;
        inc_stage end_inc_stage Bits<8>;
        last_psn last_psn Bits<24>;
        exists exists Bit;
        telemetry telemetry Bit;
        recorded recorded Bit;
        hops hops Bits<3>;
        path path Bits<12>;
    }
}

/// Places of eight updates.
#[block(no_reset)]
pub struct CcFlight<const FB: usize> {
    /// Slot of the youngest update.
    pub slot: Signal<In, Bits<3>>,
    /// Store `s` and `s_hold`.
    pub start_write: Signal<In, Bit>,
    /// What is decided of an update.
    pub s: Update<In, FB>,
    /// Its window stays.
    pub s_hold: Signal<In, Bit>,
    /// Store `u_new` and `hop_new`.
    pub u_write: Signal<In, Bit>,
    /// U after the update of three slots before.
    pub u_new: Signal<In, Bits<57>>,
    /// Its hop with the largest u'.
    pub hop_new: Signal<In, Bits<3>>,
    /// What the average is made of.
    pub ewma: ForEwma<Out>,
    /// What the window is made of.
    pub wind: ForWind<Out>,
    /// What the end is made of.
    pub end: ForEnd<Out, FB>,
}

impl<const FB: usize> Logic for CcFlight<FB> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        let [ewma, wind, end] = words();
        Verilog::Custom(format!(
            "\
reg [{ewma_top}:0] ewma [0:7];
reg [{wind_top}:0] wind [0:7];
reg [59:0] average [0:7];
reg [{end_top}:0] ending [0:7];
wire [2:0] slot_2 = slot - 3'd2;
wire [2:0] slot_3 = slot - 3'd3;
wire [2:0] slot_6 = slot - 3'd6;

always @(posedge clock) begin
    if (start_write) begin
        ewma[slot] <= {{{ewma_in}}};
        wind[slot] <= {{{wind_in}}};
        ending[slot] <= {{{end_in}, s_flow}};
    end
    if (u_write) average[slot_3] <= {{hop_new, u_new}};
    {{{ewma_out}}} <= ewma[slot_2];
    {{{wind_out}}} <= wind[slot_3];
    {{end_hop, end_u}} <= average[slot_6];
    {{{end_out}, end_flow}} <= ending[slot_6];
end
",
            ewma_top = ewma.bits - 1,
            wind_top = wind.bits - 1,
            end_top = FB + end.bits - 1,
            ewma_in = ewma.input,
            wind_in = wind.input,
            end_in = end.input,
            ewma_out = ewma.output,
            wind_out = wind.output,
            end_out = end.output,
        ))
    }
}

/// A result of the congestion control.
#[row]
pub struct ResultRow<const FB: usize> {
    pub first: Bit,         // The records were only stored
    pub full: Bit,          // Wc, incStage and lastUpdateSeq were updated
    pub last_psn: Bits<24>, // lastUpdateSeq
    pub inc_stage: Bits<8>, // incStage
    pub wc: Bits<48>,       // Wc, UQ32.16
    pub u: Bits<57>,        // U, UQ21.36
    pub rate: Bits<32>,     // Rate, UQ8.24
    pub window: Bits<32>,   // Window in bytes
    pub op: Bits<2>,        // 0 update, 1 create, 2 remove
    pub worst_hop: Bits<3>, // The hop with the largest u'; 7: none
    pub flow: Bits<FB>,     // Flow
}
