//! What an update needs later on its way, of one update a cycle: rings that are as long as the way.
//!
//! # Source            hdl/cc.md
//! # Interface timing  cycle 0: the `s_*` fields; cycle 13: `ewma_*`; cycle 20: `wind_*` and, taken in,
//!                     u_new and hop_new; cycle [`LATENCY_CYCLES`]: `end_*`, u_new as end_u, hop_new as end_hop
//! # Latency and rate  [`LATENCY_CYCLES`]; one update per cycle
//! # Shape             rings in LUT RAM, that of the `end_*` fields in block RAM
//! # Reset             none: what comes out belongs to an update if one was there at cycle 0
//! # Twins             part of sim/models/src/golden/cc/wide/unit.rs, tests/cc/cc_unit_wide.rs

use crate::block;
use crate::cc::flight::{words, ForEnd, ForEwma, ForWind, Update};
use rust_hdl_core::prelude::*;

/// Cycles from the decision to the end.
pub const LATENCY_CYCLES: usize = 43;
/// Cycles from the decision to the average.
pub const EWMA_CYCLES: usize = 13;
/// Cycles from the decision to the window.
pub const WIND_CYCLES: usize = 20;

/// Updates under way.
#[block]
pub struct CcFlightWide<const FB: usize> {
    /// What is decided of an update.
    pub s: Update<In, FB>,
    /// Its window stays.
    pub s_hold: Signal<In, Bit>,
    /// U after the update that is for the window.
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

impl<const FB: usize> Logic for CcFlightWide<FB> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        let [ewma, wind, end] = words();
        // A word is read one cycle (of block RAM two cycles) before it comes out.
        Verilog::Custom(format!(
            "\
reg [{ewma_top}:0] ewma [0:31];
reg [{wind_top}:0] wind [0:31];
reg [59:0] average [0:31];
(* ram_style = \"block\", no_rw_check *)
reg [{end_top}:0] ending [0:63];
reg [{end_top}:0] ending_row;
reg [5:0] index;
wire [4:0] ewma_index = index[4:0] - 5'd{ewma_age};
wire [4:0] wind_index = index[4:0] - 5'd{wind_age};
wire [4:0] average_index = index[4:0] - 5'd{average_age};
wire [5:0] end_index = index - 6'd{end_age};

always @(posedge clock) begin
    index <= index + 6'd1;
    if (reset) index <= 6'd0;
    ewma[index[4:0]] <= {{{ewma_in}}};
    wind[index[4:0]] <= {{{wind_in}}};
    average[index[4:0]] <= {{hop_new, u_new}};
    ending[index] <= {{{end_in}, s_flow}};
    {{{ewma_out}}} <= ewma[ewma_index];
    {{{wind_out}}} <= wind[wind_index];
    {{end_hop, end_u}} <= average[average_index];
    ending_row <= ending[end_index];
    {{{end_out}, end_flow}} <= ending_row;
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
            ewma_age = EWMA_CYCLES - 1,
            wind_age = WIND_CYCLES - 1,
            average_age = LATENCY_CYCLES - WIND_CYCLES - 1,
            end_age = LATENCY_CYCLES - 2,
        ))
    }
}
