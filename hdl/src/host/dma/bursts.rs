//! Cuts a DMA command into AXI4 bursts and describes its data for the aligner.
//!
//! # Source            AMBA AXI4 A3.4.1: no burst crosses 4 KB, at most 256 beats
//! # Interface timing  cycle 0: s_valid and s_ready; cycle 2: m_a_valid, m_d_valid, each until its
//!                     ready
//! # Latency and rate  [`LATENCY_CYCLES`]; one command every 2 cycles, or as many as it has bursts
//! # Room              a burst rises only while `open`, and `started` goes with its first cycle:
//!                     who answers bursts can count them
//! # Number formats    all lengths are less one, in beats of KB bytes; bursts | UQ5.0 | 0..=17,
//!                     0 for a command of 0 bytes, which has no m_a
//! # Reset             synchronous, high: idle, s_ready = 1; data hold 0, and their last value
//!                     while their valid is low
//! # Twins             sim/models/src/golden/host/dma/bursts.rs, tests/host/dma_write.rs,
//!                     tests/host/dma_read.rs

use crate::streams::ReadCommand;
use crate::{block, kernel, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a command to its first burst.
pub const LATENCY_CYCLES: usize = 2;

/// Beats of a window: at most 256, and a divisor of 4 KB; a burst never leaves its window.
pub(crate) fn window_beats(beat_bytes: usize) -> u64 {
    (4096 / beat_bytes as u64).min(256)
}

fn window_bytes(beat_bytes: usize) -> u64 {
    window_beats(beat_bytes) * beat_bytes as u64
}

/// Burst cutter for beats of `KB` bytes.
#[block(check(KB.is_power_of_two() && KB <= 64))]
pub struct DmaBursts<const KB: usize> {
    /// A command is offered.
    pub s: ReadCommand<In>,
    /// Another burst may stand from the next cycle on.
    pub open: Signal<In, Bit>,
    /// It has stood for less than a cycle.
    pub started: Signal<Out, Bit>,
    /// A burst stands.
    pub m_a_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_a_ready: Signal<In, Bit>,
    /// First byte address.
    pub m_a_addr: Signal<Out, Bits<64>>,
    /// Beats less one.
    pub m_a_len: Signal<Out, Bits<8>>,
    /// The description stands.
    pub m_d_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_d_ready: Signal<In, Bit>,
    /// Index of the first beat in its burst window.
    pub m_d_first: Signal<Out, Bits<13>>,
    /// Index of the last beat, counted on from `first`.
    pub m_d_last: Signal<Out, Bits<13>>,
    /// Byte lane of the first byte.
    pub m_d_offset: Signal<Out, Bits<6>>,
    /// Byte lane of the last byte on the bus.
    pub m_d_bus_end: Signal<Out, Bits<6>>,
    /// Byte lane of the last byte in the stream.
    pub m_d_stream_end: Signal<Out, Bits<6>>,
    /// The bus has one beat more than the stream.
    pub m_d_extra: Signal<Out, Bit>,
    /// Bursts of the command.
    pub m_d_bursts: Signal<Out, Bits<5>>,
    held: Reg<Bit>,
    none: Unreset<Bit>,
    held_addr: Unreset<Bits<64>>,
    bytes_less: Unreset<Bits<13>>,
    offset: Unreset<Bits<13>>,
    reach: Unreset<Bits<13>>,
    first: Unreset<Bits<13>>,
    a_valid: Reg<Bit>,
    is_new: Reg<Bit>,
    addr: Reg<Bits<64>>,
    len: Reg<Bits<8>>,
    last_len: Unreset<Bits<8>>,
    left: Reg<Bits<5>>,
    d_valid: Reg<Bit>,
    d_first: Reg<Bits<13>>,
    d_last: Reg<Bits<13>>,
    d_offset: Reg<Bits<6>>,
    d_bus_end: Reg<Bits<6>>,
    d_stream_end: Reg<Bits<6>>,
    d_extra: Reg<Bit>,
    d_bursts: Reg<Bits<5>>,
    s_low: Signal<Local, Bits<13>>,
    s_less: Signal<Local, Bits<13>>,
    s_offset: Signal<Local, Bits<13>>,
    s_beat: Signal<Local, Bits<13>>,
    last_beat: Signal<Local, Bits<13>>,
    bus_beats_less: Signal<Local, Bits<13>>,
    stream_beats_less: Signal<Local, Bits<13>>,
    windows_crossed: Signal<Local, Bits<13>>,
    crossed: Signal<Local, Bits<5>>,
    window: Signal<Local, Bits<64>>,
    next_window: Signal<Local, Bits<64>>,
    to_window_end: Signal<Local, Bits<13>>,
    end_in_window: Signal<Local, Bits<13>>,
    bus_end: Signal<Local, Bits<13>>,
    stream_end: Signal<Local, Bits<13>>,
    is_last: Signal<Local, Bit>,
    a_free: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    more: Signal<Local, Bit>,
    begins: Signal<Local, Bit>,
    starts: Signal<Local, Bit>,
    #[value(0)]
    zero_bytes: Constant<Bits<13>>,
    #[value(0)]
    none_left: Constant<Bits<5>>,
    #[value(1)]
    one_left: Constant<Bits<5>>,
    #[value(u64::from(KB.trailing_zeros()))]
    beat_shift: Constant<Bits<4>>,
    #[value(u64::from(window_beats(KB).trailing_zeros()))]
    window_shift: Constant<Bits<4>>,
    #[value(KB as u64 - 1)]
    lane_mask: Constant<Bits<13>>,
    #[value(window_beats(KB) - 1)]
    window_mask: Constant<Bits<13>>,
    #[value(window_beats(KB) - 1)]
    window_len: Constant<Bits<8>>,
    #[value(window_bytes(KB))]
    window_bytes: Constant<Bits<64>>,
    #[value(!(window_bytes(KB) - 1))]
    window_base: Constant<Bits<64>>,
}

#[kernel]
impl<const KB: usize> DmaBursts<KB> {
    fn update(&mut self) {
        self.outputs();
        self.take();
        self.cut();
        self.issue();
    }

    fn outputs(&mut self) {
        self.s.ready.next = !self.held.val();
        self.started.next = self.is_new.val();
        self.m_a_valid.next = self.a_valid.val();
        self.m_a_addr.next = self.addr.val();
        self.m_a_len.next = self.len.val();
        self.m_d_valid.next = self.d_valid.val();
        self.m_d_first.next = self.d_first.val();
        self.m_d_last.next = self.d_last.val();
        self.m_d_offset.next = self.d_offset.val();
        self.m_d_bus_end.next = self.d_bus_end.val();
        self.m_d_stream_end.next = self.d_stream_end.val();
        self.m_d_extra.next = self.d_extra.val();
        self.m_d_bursts.next = self.d_bursts.val();
    }

    /// A command is taken.
    fn take(&mut self) {
        self.s_low.next = bit_cast::<13, 12>(self.s.addr.val().get_bits::<12>(0));
        self.s_less.next = self.s.bytes.val() - 1;
        self.s_offset.next = self.s_low.val() & self.lane_mask.val();
        self.s_beat.next = self.s_low.val() >> self.beat_shift.val();
        if self.s.valid.val() & !self.held.val() {
            self.held.next = true;
            self.none.next = self.s.bytes.val() == self.zero_bytes.val();
            self.held_addr.next = self.s.addr.val();
            self.bytes_less.next = self.s_less.val();
            self.offset.next = self.s_offset.val();
            self.reach.next = self.s_less.val() + self.s_offset.val();
            self.first.next = self.s_beat.val() & self.window_mask.val();
        }
    }

    /// What becomes of it.
    fn cut(&mut self) {
        self.bus_end.next = self.reach.val() & self.lane_mask.val();
        self.stream_end.next = self.bytes_less.val() & self.lane_mask.val();
        self.bus_beats_less.next = self.reach.val() >> self.beat_shift.val();
        self.stream_beats_less.next = self.bytes_less.val() >> self.beat_shift.val();
        self.last_beat.next = self.first.val() + self.bus_beats_less.val();
        self.windows_crossed.next = self.last_beat.val() >> self.window_shift.val();
        self.crossed.next = bit_cast::<5, 13>(self.windows_crossed.val());
        self.to_window_end.next = self.window_mask.val() - self.first.val();
        self.end_in_window.next = self.last_beat.val() & self.window_mask.val();
    }

    /// Its first burst and its description come together, the other bursts behind that.
    fn issue(&mut self) {
        self.is_last.next = self.left.val() == self.none_left.val();
        self.a_free.next = !self.a_valid.val() | self.m_a_ready.val();
        self.load.next = self.held.val()
            & (self.open.val() | self.none.val())
            & self.is_last.val()
            & self.a_free.val()
            & (!self.d_valid.val() | self.m_d_ready.val());
        self.more.next = self.open.val() & !self.is_last.val() & self.a_free.val();
        self.begins.next = self.load.val() & !self.none.val();
        self.starts.next = self.more.val() | self.begins.val();
        self.is_new.next = self.starts.val();
        self.a_valid.next = self.starts.val() | !self.a_free.val();
        if self.m_d_ready.val() {
            self.d_valid.next = false;
        }
        self.window.next = self.addr.val() & self.window_base.val();
        self.next_window.next = self.window.val() + self.window_bytes.val();
        if self.more.val() {
            self.addr.next = self.next_window.val();
            self.left.next = self.left.val() - 1;
            self.len.next = self.window_len.val();
            if self.left.val() == self.one_left.val() {
                self.len.next = self.last_len.val();
            }
        }
        if self.load.val() {
            self.held.next = false;
            self.d_valid.next = true;
            self.d_first.next = self.first.val();
            self.d_last.next = self.last_beat.val();
            self.d_offset.next = bit_cast::<6, 13>(self.offset.val());
            self.d_bus_end.next = bit_cast::<6, 13>(self.bus_end.val());
            self.d_stream_end.next = bit_cast::<6, 13>(self.stream_end.val());
            self.d_extra.next = self.bus_beats_less.val() != self.stream_beats_less.val();
            self.d_bursts.next = self.crossed.val() + 1;
            if self.none.val() {
                self.d_bursts.next = 0.into();
            }
        }
        if self.begins.val() {
            self.addr.next = self.held_addr.val();
            self.left.next = self.crossed.val();
            self.last_len.next = bit_cast::<8, 13>(self.end_in_window.val());
            self.len.next = bit_cast::<8, 13>(self.to_window_end.val());
            if self.crossed.val() == self.none_left.val() {
                self.len.next = bit_cast::<8, 13>(self.bus_beats_less.val());
            }
        }
    }
}
