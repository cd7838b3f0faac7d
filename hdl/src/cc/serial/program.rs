//! Program of the serial schedule: what `cc_unit_serial` does with an ACK or a flow command, step by step.
//!
//! # Source            draft-pan-tsvwg-hpccplus-00 section 4.2: MeasureInflight, ComputeWind, NewAck
//! # Interface timing  cycle 0: address; cycle [`LATENCY_CYCLES`]: row
//! # Latency and rate  [`LATENCY_CYCLES`]; one row per cycle
//! # Number formats    cc_hop.rs, cc_ewma.rs, cc_wind.rs: every product, shift and cut is theirs
//! # Rows              [`ProgramRow`]
//! # Sections          what takes a different time on different ways waits for a timer, whose value
//!                     is the longest way; so how long an ACK takes follows from its kind and hops
//! # Reset             none
//! # Twins             part of sim/models/src/golden/cc/serial/unit.rs, tests/cc/cc_unit_serial.rs

mod assembler;
mod operands;
mod steps;

use crate::{block, row};
pub use operands::ADAPTS;
use rust_hdl_core::prelude::*;
use std::fmt::Write;

/// Cycles from an address to its row.
pub const LATENCY_CYCLES: usize = 1;

/// A row of the program: what `op` it is, and what the others say of that one.
#[row(32)]
pub struct ProgramRow {
    pub op: Bits<3>,
    // 0 move
    pub from_memory: Bit,
    pub source: Bits<6>,
    #[at(4)]
    pub word: Bits<5>,
    #[at(10)]
    pub of_hop: Bit,
    pub to: Bits<6>,
    pub to_word: Bits<5>,
    pub to_hop: Bit,
    // 1 step: cycles - 1, act of cc_serial_math
    #[at(3)]
    pub cycles: Bits<6>,
    pub act: Bits<4>,
    // 2 jump; `waits` for an event
    #[at(3)]
    pub target: Bits<9>,
    pub condition: Bits<5>,
    pub value: Bit,
    pub waits: Bit,
    // 3 note
    #[at(3)]
    pub next_hop: Bit,
    pub clears: Bit,
    pub sets_flag: Bit,
    pub flag: Bits<3>,
    pub sets_timer: Bit,
    pub timer: Bits<10>,
    pub exponent: Bits<3>,
    pub done: Bit,
    pub shows: Bit,
    pub never_sent: Bit,
    pub is_bad: Bit,
    pub worst: Bit,
}

/// Block ROM of the program, registered output.
#[block(no_reset)]
pub struct CcProgram {
    /// Row.
    pub address: Signal<In, Bits<9>>,
    /// It, one cycle later.
    pub row: Signal<Out, ProgramRow>,
}

impl Logic for CcProgram {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        let mut text = String::from(
            "// The rows are listed in hdl/src/cc/serial/program/steps.rs.\n\
             (* rom_style = \"block\" *)\nreg [31:0] rom [0:511];\n\ninitial begin\n",
        );
        let rows = steps::rows();
        for at in 0..assembler::ROWS {
            let row = rows.get(at).copied().unwrap_or(0);
            let _ = writeln!(text, "    rom[{at}] = 32'd{row};");
        }
        text += "end\n\nalways @(posedge clock) row <= rom[address];\n";
        Verilog::Custom(text)
    }
}
