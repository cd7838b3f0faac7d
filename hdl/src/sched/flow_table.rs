//! Table of one word a flow; a read sees the write of its own cycle.
//!
//! # Interface timing  cycle 0: read_address, and the last write that is seen; cycle 2: read_data
//! # Latency and rate  [`LATENCY_CYCLES`]; one write and one read per cycle
//! # Reset             none: content is random after power-up, read_data follows it
//! # Twins             tables of sim/src/golden/sched/scheduler.rs

use crate::util::ram::Ram;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from an address to its word.
pub const LATENCY_CYCLES: usize = 2;

/// `2^AW` words of `W` bits.
#[derive(LogicBlock)]
pub struct FlowTable<const AW: usize, const W: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Store `write_data` at `write_address`.
    pub write_enable: Signal<In, Bit>,
    /// Flow.
    pub write_address: Signal<In, Bits<AW>>,
    /// Word to store.
    pub write_data: Signal<In, Bits<W>>,
    /// Flow.
    pub read_address: Signal<In, Bits<AW>>,
    /// Its word, two cycles later.
    pub read_data: Signal<Out, Bits<W>>,
    ram: Ram<AW, W>,
    is_written: DFF<Bit>,
    written: DFF<Bits<W>>,
    word: DFF<Bits<W>>,
}

impl<const AW: usize, const W: usize> Default for FlowTable<AW, W> {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            write_enable: Default::default(),
            write_address: Default::default(),
            write_data: Default::default(),
            read_address: Default::default(),
            read_data: Default::default(),
            ram: Default::default(),
            is_written: Default::default(),
            written: Default::default(),
            word: Default::default(),
        }
    }
}

impl<const AW: usize, const W: usize> Logic for FlowTable<AW, W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, is_written, written, word);
        self.ram.clock.next = self.clock.val();
        self.read_data.next = self.word.q.val();
        self.ram.write_enable.next = self.write_enable.val();
        self.ram.write_address.next = self.write_address.val();
        self.ram.write_data.next = self.write_data.val();
        self.ram.read_enable.next = true;
        self.ram.read_address.next = self.read_address.val();
        comment!("The RAM's word is undefined when it is written in the cycle of the read.");
        self.is_written.d.next =
            self.write_enable.val() & (self.write_address.val() == self.read_address.val());
        self.written.d.next = self.write_data.val();
        self.word.d.next = self.ram.read_data.val();
        if self.is_written.q.val() {
            self.word.d.next = self.written.q.val();
        }
    }
}
