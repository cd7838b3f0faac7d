//! Cuts a DMA command into AXI4 bursts and describes its data for the aligner.
//!
//! # Source            AMBA AXI4 A3.4.1: no burst crosses 4 KB, at most 256 beats
//! # Interface timing  cycle 0: s_valid and s_ready; cycle 2: m_a_valid, m_d_valid, each until its
//!                     ready; s_ready the cycle after the last of them
//! # Latency and rate  [`LATENCY_CYCLES`]; one command every 2 + bursts cycles
//! # Number formats    all lengths are less one, in beats of KB bytes; bursts | UQ5.0 | 0..=17,
//!                     0 for a command of 0 bytes, which has no m_a
//! # Reset             synchronous, high: idle, s_ready = 1; data hold 0
//! # Twins             sim/src/golden/host/dma_bursts.rs, tests/dma_write.rs, tests/dma_read.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from a command to its first burst.
pub const LATENCY_CYCLES: usize = 2;

/// Step that a command is at.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum BurstState {
    /// Waits for a command.
    Idle,
    /// Finds the last beat and counts the bursts.
    Cut,
    /// Offers bursts and description.
    Issue,
}

/// Burst cutter for beats of `KB` bytes.
#[derive(LogicBlock)]
pub struct DmaBursts<const KB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// A command is offered.
    pub s_valid: Signal<In, Bit>,
    /// It will be taken.
    pub s_ready: Signal<Out, Bit>,
    /// Byte address.
    pub s_addr: Signal<In, Bits<64>>,
    /// Length, 0..=4096.
    pub s_bytes: Signal<In, Bits<13>>,
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
    state: DFF<BurstState>,
    ready: DFF<Bit>,
    none: DFF<Bit>,
    addr: DFF<Bits<64>>,
    next_addr: DFF<Bits<64>>,
    bytes_less: DFF<Bits<13>>,
    offset: DFF<Bits<13>>,
    first: DFF<Bits<13>>,
    reach: DFF<Bits<13>>,
    last: DFF<Bits<13>>,
    len: DFF<Bits<8>>,
    last_len: DFF<Bits<8>>,
    left: DFF<Bits<5>>,
    bursts: DFF<Bits<5>>,
    extra: DFF<Bit>,
    a_valid: DFF<Bit>,
    d_valid: DFF<Bit>,
    s_low: Signal<Local, Bits<13>>,
    s_less: Signal<Local, Bits<13>>,
    s_offset: Signal<Local, Bits<13>>,
    last_beat: Signal<Local, Bits<13>>,
    s_beat: Signal<Local, Bits<13>>,
    bus_beats_less: Signal<Local, Bits<13>>,
    stream_beats_less: Signal<Local, Bits<13>>,
    windows_crossed: Signal<Local, Bits<13>>,
    crossed: Signal<Local, Bits<5>>,
    next_window: Signal<Local, Bits<64>>,
    to_window_end: Signal<Local, Bits<13>>,
    end_in_window: Signal<Local, Bits<13>>,
    bus_end: Signal<Local, Bits<13>>,
    stream_end: Signal<Local, Bits<13>>,
    a_done: Signal<Local, Bit>,
    d_done: Signal<Local, Bit>,
    zero_bytes: Constant<Bits<13>>,
    none_left: Constant<Bits<5>>,
    one_left: Constant<Bits<5>>,
    beat_shift: Constant<Bits<4>>,
    window_shift: Constant<Bits<4>>,
    lane_mask: Constant<Bits<13>>,
    window_mask: Constant<Bits<13>>,
    window_len: Constant<Bits<8>>,
    window_bytes: Constant<Bits<64>>,
    window_base: Constant<Bits<64>>,
}

impl<const KB: usize> Default for DmaBursts<KB> {
    fn default() -> Self {
        assert!(KB.is_power_of_two() && KB <= 64, "KB is a power of two up to 64");
        // Windows of at most 256 beats that divide 4 KB: a burst never leaves its window.
        let window_beats = (4096 / KB as u64).min(256);
        let window_bytes = window_beats * KB as u64;
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_valid: Default::default(),
            s_ready: Default::default(),
            s_addr: Default::default(),
            s_bytes: Default::default(),
            m_a_valid: Default::default(),
            m_a_ready: Default::default(),
            m_a_addr: Default::default(),
            m_a_len: Default::default(),
            m_d_valid: Default::default(),
            m_d_ready: Default::default(),
            m_d_first: Default::default(),
            m_d_last: Default::default(),
            m_d_offset: Default::default(),
            m_d_bus_end: Default::default(),
            m_d_stream_end: Default::default(),
            m_d_extra: Default::default(),
            m_d_bursts: Default::default(),
            state: Default::default(),
            ready: Default::default(),
            none: Default::default(),
            addr: Default::default(),
            next_addr: Default::default(),
            bytes_less: Default::default(),
            offset: Default::default(),
            first: Default::default(),
            reach: Default::default(),
            last: Default::default(),
            len: Default::default(),
            last_len: Default::default(),
            left: Default::default(),
            bursts: Default::default(),
            extra: Default::default(),
            a_valid: Default::default(),
            d_valid: Default::default(),
            s_low: Default::default(),
            s_less: Default::default(),
            s_offset: Default::default(),
            last_beat: Default::default(),
            s_beat: Default::default(),
            bus_beats_less: Default::default(),
            stream_beats_less: Default::default(),
            windows_crossed: Default::default(),
            crossed: Default::default(),
            next_window: Default::default(),
            to_window_end: Default::default(),
            end_in_window: Default::default(),
            bus_end: Default::default(),
            stream_end: Default::default(),
            a_done: Default::default(),
            d_done: Default::default(),
            zero_bytes: Constant::new(0.into()),
            none_left: Constant::new(0.into()),
            one_left: Constant::new(1.into()),
            beat_shift: Constant::new(u64::from(KB.trailing_zeros()).into()),
            window_shift: Constant::new(u64::from(window_beats.trailing_zeros()).into()),
            lane_mask: Constant::new((KB as u64 - 1).into()),
            window_mask: Constant::new((window_beats - 1).into()),
            window_len: Constant::new((window_beats - 1).into()),
            window_bytes: Constant::new(window_bytes.into()),
            window_base: Constant::new((!(window_bytes - 1)).into()),
        }
    }
}

impl<const KB: usize> Logic for DmaBursts<KB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, state, ready, none, addr, next_addr, bytes_less, offset, first, reach,
            last, len, last_len, left, bursts, extra, a_valid, d_valid
        );
        self.s_ready.next = self.ready.q.val();
        self.m_a_valid.next = self.a_valid.q.val();
        self.m_a_addr.next = self.addr.q.val();
        self.m_a_len.next = self.len.q.val();
        self.m_d_valid.next = self.d_valid.q.val();
        self.m_d_first.next = self.first.q.val();
        self.m_d_last.next = self.last.q.val();
        self.bus_end.next = self.reach.q.val() & self.lane_mask.val();
        self.stream_end.next = self.bytes_less.q.val() & self.lane_mask.val();
        self.m_d_offset.next = bit_cast::<6, 13>(self.offset.q.val());
        self.m_d_bus_end.next = bit_cast::<6, 13>(self.bus_end.val());
        self.m_d_stream_end.next = bit_cast::<6, 13>(self.stream_end.val());
        self.m_d_extra.next = self.extra.q.val();
        self.m_d_bursts.next = self.bursts.q.val();
        self.s_low.next = bit_cast::<13, 12>(self.s_addr.val().get_bits::<12>(0));
        self.s_less.next = self.s_bytes.val() - 1;
        self.s_offset.next = self.s_low.val() & self.lane_mask.val();
        self.s_beat.next = self.s_low.val() >> self.beat_shift.val();
        self.bus_beats_less.next = self.reach.q.val() >> self.beat_shift.val();
        self.stream_beats_less.next = self.bytes_less.q.val() >> self.beat_shift.val();
        self.last_beat.next = self.first.q.val() + self.bus_beats_less.val();
        self.windows_crossed.next = self.last_beat.val() >> self.window_shift.val();
        self.crossed.next = bit_cast::<5, 13>(self.windows_crossed.val());
        self.next_window.next = self.next_addr.q.val() + self.window_bytes.val();
        self.to_window_end.next = self.window_mask.val() - self.first.q.val();
        self.end_in_window.next = self.last_beat.val() & self.window_mask.val();
        self.a_done.next = !self.a_valid.q.val()
            | (self.m_a_ready.val() & (self.left.q.val() == self.none_left.val()));
        self.d_done.next = !self.d_valid.q.val() | self.m_d_ready.val();
        match self.state.q.val() {
            BurstState::Idle => {
                if self.s_valid.val() {
                    self.ready.d.next = false;
                    self.none.d.next = self.s_bytes.val() == self.zero_bytes.val();
                    self.addr.d.next = self.s_addr.val();
                    self.bytes_less.d.next = self.s_less.val();
                    self.offset.d.next = self.s_offset.val();
                    self.reach.d.next = self.s_less.val() + self.s_offset.val();
                    self.first.d.next = self.s_beat.val() & self.window_mask.val();
                    self.next_addr.d.next = self.s_addr.val() & self.window_base.val();
                    self.state.d.next = BurstState::Cut;
                }
            }
            BurstState::Cut => {
                self.last.d.next = self.last_beat.val();
                self.extra.d.next = self.bus_beats_less.val() != self.stream_beats_less.val();
                self.next_addr.d.next = self.next_window.val();
                self.left.d.next = self.crossed.val();
                self.bursts.d.next = self.crossed.val() + 1;
                self.last_len.d.next = bit_cast::<8, 13>(self.end_in_window.val());
                if self.none.q.val() {
                    self.bursts.d.next = 0.into();
                } else if self.crossed.val() == self.none_left.val() {
                    self.len.d.next = bit_cast::<8, 13>(self.bus_beats_less.val());
                } else {
                    self.len.d.next = bit_cast::<8, 13>(self.to_window_end.val());
                }
                self.a_valid.d.next = !self.none.q.val();
                self.d_valid.d.next = true;
                self.state.d.next = BurstState::Issue;
            }
            BurstState::Issue => {
                if self.a_valid.q.val() & self.m_a_ready.val() {
                    if self.left.q.val() == self.none_left.val() {
                        self.a_valid.d.next = false;
                    } else {
                        self.addr.d.next = self.next_addr.q.val();
                        self.next_addr.d.next = self.next_window.val();
                        self.left.d.next = self.left.q.val() - 1;
                        self.len.d.next = self.window_len.val();
                        if self.left.q.val() == self.one_left.val() {
                            self.len.d.next = self.last_len.q.val();
                        }
                    }
                }
                if self.m_d_ready.val() {
                    self.d_valid.d.next = false;
                }
                if self.a_done.val() & self.d_done.val() {
                    self.ready.d.next = true;
                    self.state.d.next = BurstState::Idle;
                }
            }
        }
        if self.reset.val() {
            self.state.d.next = BurstState::Idle;
            self.ready.d.next = true;
            self.addr.d.next = 0.into();
            self.bytes_less.d.next = 0.into();
            self.offset.d.next = 0.into();
            self.first.d.next = 0.into();
            self.reach.d.next = 0.into();
            self.last.d.next = 0.into();
            self.len.d.next = 0.into();
            self.bursts.d.next = 0.into();
            self.extra.d.next = false;
            self.a_valid.d.next = false;
            self.d_valid.d.next = false;
        }
    }
}
