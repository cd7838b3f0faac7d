//! FIFO in LUT RAM with registered output.
//!
//! # Interface timing  cycle 0: s_valid and s_ready, item taken; cycle 2: m_valid, m_data
//! # Latency and rate  [`LATENCY_CYCLES`]; one item per cycle
//! # Shape             holds exactly 2^AW items of type T; CW = AW + 1; AW >= 2
//! # Number formats    count | UQCW.0 | items taken and not yet delivered | 0..=2^AW
//! # Reset             synchronous, high: empty, s_ready = 1, m_data = 0; m_data holds its last
//!                     value while m_valid is low
//! # Twins             sim/models/src/golden/util/fifo.rs, tests/util/fifo.rs

use crate::streams::Word;
use crate::util::lut_ram::LutRam;
use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Cycles from an item at the sink of an empty FIFO to the item at the source.
pub const LATENCY_CYCLES: usize = 2;

/// FIFO of `2^AW` items of type `T` in LUT RAM; `CW = AW + 1`.
#[block(check(CW == AW + 1 && AW >= 2))]
pub struct Fifo<T: Synth, const AW: usize, const CW: usize> {
    /// An item is offered.
    pub s: Word<In, T>,
    /// An item stands at the source.
    pub m: Word<Out, T>,
    /// Items taken and not yet delivered.
    pub count: Signal<Out, Bits<CW>>,
    ram: LutRam<AW, T>,
    #[reset(true)]
    space: Reg<Bit>,
    held: Reg<Bits<CW>>,
    write_index: Reg<Bits<AW>>,
    read_index: Reg<Bits<AW>>,
    head_valid: Reg<Bit>,
    head: Reg<T>,
    push: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    #[value((1_u64 << AW) - 1)]
    last_place: Constant<Bits<CW>>,
}

impl<T: Synth, const AW: usize, const CW: usize> Logic for Fifo<T, AW, CW> {
    #[hdl_gen]
    fn update(&mut self) {
        self.s.ready.next = self.space.val();
        self.m.valid.next = self.head_valid.val();
        self.m.data.next = self.head.val();
        self.count.next = self.held.val();
        self.push.next = self.s.valid.val() & self.space.val();
        self.pop.next = self.head_valid.val() & self.m.ready.val();
        self.load.next = (self.m.ready.val() | !self.head_valid.val())
            & (self.write_index.val() != self.read_index.val());
        self.ram.write_enable.next = self.push.val();
        self.ram.write_address.next = self.write_index.val();
        self.ram.write_data.next = self.s.data.val();
        self.ram.read_address.next = self.read_index.val();
        if self.push.val() {
            self.write_index.next = self.write_index.val() + 1;
        }
        if self.load.val() {
            self.read_index.next = self.read_index.val() + 1;
            self.head.next = self.ram.read_data.val();
            self.head_valid.next = true;
        } else if self.pop.val() {
            self.head_valid.next = false;
        }
        comment!("Room is known one cycle ahead from the count before this cycle's traffic.");
        if self.push.val() & !self.pop.val() {
            self.held.next = self.held.val() + 1;
            self.space.next = self.held.val() != self.last_place.val();
        } else if self.pop.val() & !self.push.val() {
            self.held.next = self.held.val() - 1;
            self.space.next = true;
        }
    }
}
