//! Small RAM with asynchronous read, for tables and FIFOs of up to about 64 words.
//!
//! # Interface timing  read_data follows read_address in the same cycle (the one exception to
//!                     Moore outputs: a primitive, used inside blocks only); a word written in
//!                     cycle 0 is read from cycle 1 on
//! # Latency and rate  0; one write and one read per cycle
//! # Shape             2^AW words of W bits; content is random after power-up and survives reset
//! # Twins             inside sim/src/golden/util/fifo.rs, tests/fifo.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use std::collections::BTreeMap;

/// LUT RAM of `2^AW` words of `W` bits.
#[derive(LogicBlock, Default)]
pub struct LutRam<const AW: usize, const W: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Store `write_data` at `write_address`.
    pub write_enable: Signal<In, Bit>,
    /// Word index.
    pub write_address: Signal<In, Bits<AW>>,
    /// Word to store.
    pub write_data: Signal<In, Bits<W>>,
    /// Word index.
    pub read_address: Signal<In, Bits<AW>>,
    /// The word at `read_address`, combinational.
    pub read_data: Signal<Out, Bits<W>>,
    _words: Box<BTreeMap<Bits<AW>, Bits<W>>>,
}

impl<const AW: usize, const W: usize> Logic for LutRam<AW, W> {
    fn update(&mut self) {
        if self.clock.pos_edge() && self.write_enable.val() {
            self._words.insert(self.write_address.val(), self.write_data.val());
        }
        let word = self._words.get(&self.read_address.val());
        self.read_data.next = word.copied().unwrap_or_default();
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(format!(
            "\
// The asynchronous read makes this LUT RAM, or registers where there is none (iCE40).
reg [{width}:0] mem [0:{last}];

always @(posedge clock) begin
    if (write_enable) mem[write_address] <= write_data;
end

assign read_data = mem[read_address];
",
            width = W - 1,
            last = (1_u64 << AW) - 1,
        ))
    }
}
