//! Block RAM: one write port, one read port, registered output.
//!
//! # Interface timing  cycle 0: read_enable, read_address; cycle 1: read_data (held while
//!                     read_enable is low). A word written in cycle 0 can be read in cycle 1
//! # Latency and rate  [`LATENCY_CYCLES`]; one write and one read per cycle
//! # Shape             2^AW words of W bits; content is random after power-up and survives reset
//! # Collision         reading the address that is written in the same cycle gives an undefined
//!                     word in hardware: the user forwards. Simulation returns the inverse of the
//!                     new word, so that whoever depends on it is found out
//! # Critical path     put a second register behind read_data before any arithmetic
//! # Twins             sim/src/golden/util/ram.rs, tests/ram.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use std::collections::BTreeMap;

/// Cycles from an address to its word.
pub const LATENCY_CYCLES: usize = 1;

/// Block RAM of `2^AW` words of `W` bits.
#[derive(LogicBlock, Default)]
pub struct Ram<const AW: usize, const W: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Store `write_data` at `write_address`.
    pub write_enable: Signal<In, Bit>,
    /// Word index.
    pub write_address: Signal<In, Bits<AW>>,
    /// Word to store.
    pub write_data: Signal<In, Bits<W>>,
    /// Load `read_data`; low holds it.
    pub read_enable: Signal<In, Bit>,
    /// Word index.
    pub read_address: Signal<In, Bits<AW>>,
    /// The word of the last enabled cycle.
    pub read_data: Signal<Out, Bits<W>>,
    _words: Box<BTreeMap<Bits<AW>, Bits<W>>>,
}

impl<const AW: usize, const W: usize> Logic for Ram<AW, W> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            if self.read_enable.val() {
                let word = self._words.get(&self.read_address.val());
                self.read_data.next = word.copied().unwrap_or_default();
            }
            if self.write_enable.val() {
                self._words.insert(self.write_address.val(), self.write_data.val());
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "\
(* ram_style = \"block\", no_rw_check *)
reg [{width}:0] mem [0:{last}];

always @(posedge clock) begin
    if (write_enable) mem[write_address] <= write_data;
    if (read_enable) read_data <= mem[read_address];
`ifndef SYNTHESIS
    // A collision is undefined in hardware; simulation makes it visible.
    if (read_enable && write_enable && (read_address == write_address))
        read_data <= ~write_data;
`endif
end
",
            width = W - 1,
            last = (1_u64 << AW) - 1,
        ))
    }
}
