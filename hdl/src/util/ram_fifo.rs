//! FIFO in block RAM with registered output.
//!
//! # Interface timing  cycle 0: s_valid and s_ready, item taken; cycle 3: m_valid, m_data
//! # Latency and rate  [`LATENCY_CYCLES`]; one item per cycle
//! # Shape             holds exactly 2^AW items of W bits; CW = AW + 1; AW >= 2
//! # Number formats    count | UQCW.0 | items taken and not yet delivered | 0..=2^AW
//! # Reset             synchronous, high: empty, s_ready = 1, m_data = 0; m_data holds its last
//!                     value while m_valid is low
//! # Twins             sim/src/golden/util/fifo.rs, tests/ram_fifo.rs

use super::ram::Ram;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from an item at the sink of an empty FIFO to the item at the source.
pub const LATENCY_CYCLES: usize = 3;

/// FIFO of `2^AW` items of `W` bits in block RAM; `CW = AW + 1`.
#[derive(LogicBlock)]
pub struct RamFifo<const W: usize, const AW: usize, const CW: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// An item is offered.
    pub s_valid: Signal<In, Bit>,
    /// The item will be taken.
    pub s_ready: Signal<Out, Bit>,
    /// The item.
    pub s_data: Signal<In, Bits<W>>,
    /// An item stands at the source.
    pub m_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_ready: Signal<In, Bit>,
    /// The item.
    pub m_data: Signal<Out, Bits<W>>,
    /// Items taken and not yet delivered.
    pub count: Signal<Out, Bits<CW>>,
    ram: Ram<AW, W>,
    space: DFF<Bit>,
    held: DFF<Bits<CW>>,
    write_index: DFF<Bits<AW>>,
    read_index: DFF<Bits<AW>>,
    word_valid: DFF<Bit>,
    head_valid: DFF<Bit>,
    head: DFF<Bits<W>>,
    push: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    fetch: Signal<Local, Bit>,
    last_place: Constant<Bits<CW>>,
}

impl<const W: usize, const AW: usize, const CW: usize> Default for RamFifo<W, AW, CW> {
    fn default() -> Self {
        assert!(CW == AW + 1 && AW >= 2, "CW = AW + 1, AW >= 2");
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_valid: Default::default(),
            s_ready: Default::default(),
            s_data: Default::default(),
            m_valid: Default::default(),
            m_ready: Default::default(),
            m_data: Default::default(),
            count: Default::default(),
            ram: Default::default(),
            space: Default::default(),
            held: Default::default(),
            write_index: Default::default(),
            read_index: Default::default(),
            word_valid: Default::default(),
            head_valid: Default::default(),
            head: Default::default(),
            push: Default::default(),
            pop: Default::default(),
            load: Default::default(),
            fetch: Default::default(),
            last_place: Constant::new(((1_u64 << AW) - 1).into()),
        }
    }
}

impl<const W: usize, const AW: usize, const CW: usize> Logic for RamFifo<W, AW, CW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, space, held, write_index, read_index, word_valid, head_valid, head);
        self.ram.clock.next = self.clock.val();
        self.s_ready.next = self.space.q.val();
        self.m_valid.next = self.head_valid.q.val();
        self.m_data.next = self.head.q.val();
        self.count.next = self.held.q.val();
        self.push.next = self.s_valid.val() & self.space.q.val();
        self.pop.next = self.head_valid.q.val() & self.m_ready.val();
        comment!("A word moves from the RAM's output to the head when that is free,");
        comment!("and the next one is fetched when the RAM's output is free.");
        self.load.next = (self.m_ready.val() | !self.head_valid.q.val()) & self.word_valid.q.val();
        self.fetch.next = (self.load.val() | !self.word_valid.q.val())
            & (self.write_index.q.val() != self.read_index.q.val());
        self.ram.write_enable.next = self.push.val();
        self.ram.write_address.next = self.write_index.q.val();
        self.ram.write_data.next = self.s_data.val();
        self.ram.read_enable.next = self.fetch.val();
        self.ram.read_address.next = self.read_index.q.val();
        if self.push.val() {
            self.write_index.d.next = self.write_index.q.val() + 1;
        }
        if self.fetch.val() {
            self.read_index.d.next = self.read_index.q.val() + 1;
            self.word_valid.d.next = true;
        } else if self.load.val() {
            self.word_valid.d.next = false;
        }
        if self.load.val() {
            self.head.d.next = self.ram.read_data.val();
            self.head_valid.d.next = true;
        } else if self.pop.val() {
            self.head_valid.d.next = false;
        }
        comment!("Room is known one cycle ahead from the count before this cycle's traffic.");
        if self.push.val() & !self.pop.val() {
            self.held.d.next = self.held.q.val() + 1;
            self.space.d.next = self.held.q.val() != self.last_place.val();
        } else if self.pop.val() & !self.push.val() {
            self.held.d.next = self.held.q.val() - 1;
            self.space.d.next = true;
        }
        if self.reset.val() {
            self.space.d.next = true;
            self.held.d.next = 0.into();
            self.write_index.d.next = 0.into();
            self.read_index.d.next = 0.into();
            self.word_valid.d.next = false;
            self.head_valid.d.next = false;
            self.head.d.next = 0.into();
        }
    }
}
