//! Landing buffer of the read engine: what memory answers has a place before it is asked for.
//!
//! # Interface timing  cycle 0: a beat is taken at s; cycle 3: m_valid. Cycle 0: started; cycle 1:
//!                     has_room follows
//! # Latency and rate  [`LATENCY_CYCLES`]; one beat per cycle
//! # Shape             `W1 = W + 1`: [`BEATS`] beats, each with its error bit. A burst has its room
//!                     from its start until its beats leave, so s_ready never goes low while bursts
//!                     start only with has_room, and one in two cycles
//! # Number formats    room | UQ11.0 | beats that no burst has | 0..=[`BEATS`]
//! # Reset             synchronous, high: empty, s_ready = 1, has_room = 1, m_data = 0; m_data holds
//!                     its last value while m_valid is low
//! # Twins             sim/models/src/golden/host/dma/read.rs, tests/host/dma_read.rs

use crate::host::dma::bursts::window_beats;
use crate::streams::Word;
use crate::util::ram_fifo::{self, RamFifo};
use crate::{block, Reg, Wire};
use rust_hdl_core::prelude::*;

/// Cycles from a beat at the sink to the beat at the source.
pub const LATENCY_CYCLES: usize = ram_fifo::LATENCY_CYCLES;
/// Beats of the buffer. Memory that answers after 500 cycles needs 510 beats at a beat a cycle, and
/// a window more for the burst that waits; a power of two.
pub const BEATS: u64 = 1024;

/// Landing buffer of `W` data bits.
#[block(check(W1 == W + 1))]
pub struct DmaLanding<const W: usize, const W1: usize> {
    /// A burst has started.
    pub started: Signal<In, Bit>,
    /// Its beats less one.
    pub len: Signal<In, Bits<8>>,
    /// There is room for a burst of any length.
    pub has_room: Signal<Out, Bit>,
    /// A beat: error, data from high to low.
    pub s: Word<In, Bits<W1>>,
    /// The oldest one.
    pub m: Word<Out, Bits<W1>>,
    beats: RamFifo<Bits<W1>, 10, 11>,
    #[reset(BEATS)]
    room: Reg<Bits<11>>,
    len_wide: Signal<Local, Bits<11>>,
    less: Signal<Local, Bits<11>>,
    taken: Signal<Local, Bits<11>>,
    left: Signal<Local, Bits<11>>,
    #[value(window_beats(W / 8))]
    window: Constant<Bits<11>>,
}

impl<const W: usize, const W1: usize> Logic for DmaLanding<W, W1> {
    #[hdl_gen]
    fn update(&mut self) {
        Wire::join(&mut self.s, &mut self.beats.s);
        Wire::join(&mut self.beats.m, &mut self.m);
        self.has_room.next = self.room.val() >= self.window.val();
        comment!("A burst takes len + 1, a beat that leaves gives one.");
        self.len_wide.next = bit_cast::<11, 8>(self.len.val());
        self.less.next = !self.len_wide.val();
        self.taken.next = self.room.val();
        if self.started.val() {
            self.taken.next = self.room.val() + self.less.val();
        }
        self.left.next = 0.into();
        if self.beats.m.valid.val() & self.m.ready.val() {
            self.left.next = 1.into();
        }
        self.room.next = self.taken.val() + self.left.val();
    }
}
