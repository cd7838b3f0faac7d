//! Table of one word a flow; a read sees the write of its own cycle.
//!
//! # Interface timing  cycle 0: read_address, and the last write that is seen; cycle 2: read_data
//! # Latency and rate  [`LATENCY_CYCLES`]; one write and one read per cycle
//! # Reset             none: content is random after power-up, read_data follows it
//! # Twins             tables of sim/models/src/golden/sched/scheduler.rs

use crate::util::ram::Ram;
use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from an address to its word.
pub const LATENCY_CYCLES: usize = 2;

/// `2^AW` words of `W` bits.
#[block(no_reset)]
pub struct FlowTable<const AW: usize, const W: usize> {
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
    ram: Ram<AW, Bits<W>>,
    is_written: Unreset<Bit>,
    written: Unreset<Bits<W>>,
    word: Unreset<Bits<W>>,
}

impl<const AW: usize, const W: usize> Logic for FlowTable<AW, W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.read_data.next = self.word.val();
        self.ram.write_enable.next = self.write_enable.val();
        self.ram.write_address.next = self.write_address.val();
        self.ram.write_data.next = self.write_data.val();
        self.ram.read_enable.next = true;
        self.ram.read_address.next = self.read_address.val();
        comment!("The RAM's word is undefined when it is written in the cycle of the read.");
        self.is_written.next =
            self.write_enable.val() & (self.write_address.val() == self.read_address.val());
        self.written.next = self.write_data.val();
        self.word.next = self.ram.read_data.val();
        if self.is_written.val() {
            self.word.next = self.written.val();
        }
    }
}
