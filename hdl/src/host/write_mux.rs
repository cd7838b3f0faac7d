//! Two sources of commands for the write engine: port a (responder) and port b (completer).
//!
//! # Interface timing  cycle 0: a command stands that can start; cycle 1: s_*_cmd_ready; cycle 2:
//!                     m_cmd_valid. Its data follows from cycle 2 on. A report: cycle 0: s_done_valid and
//!                     s_done_ready; cycle 1: m_*_done_valid
//! # Latency and rate  [`LATENCY_CYCLES`]; one beat a cycle inside a frame, and 2 cycles from a last
//!                     beat to the next command. One report every other cycle, in the engine's order
//! # Order             The ports take turns by command. A command with bytes starts once the first
//!                     beat of its frame stands: the rest follows at once, since frames are whole
//!                     before they are visible. A command whose frame is behind the other port's in
//!                     a common buffer therefore never blocks that port
//! # Shape             W bits of data, tags of T bits; the engine's tag has the port on top. The
//!                     engine counts beats and needs no tlast; another mux does
//! # Reset             synchronous, high: idle, a goes first, all data 0; data holds its last value
//!                     while its valid is low
//! # Twins             sim/models/src/golden/host/write_mux.rs, tests/host/write_mux.rs

use crate::streams::{AxisWords, WriteCommand, WriteDone};
use crate::util::{skid::Skid, stream_route::StreamRoute};
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a command at a sink to the command at the source.
pub const LATENCY_CYCLES: usize = 2;

/// Mux of write commands; `WP1 = W + 1`, `TP1 = T + 1`, `TP2 = T + 2`.
#[block(check(WP1 == W + 1 && TP1 == T + 1 && TP2 == T + 2))]
pub struct WriteMux<
    const W: usize,
    const WP1: usize,
    const T: usize,
    const TP1: usize,
    const TP2: usize,
> {
    /// The responder offers a command.
    pub s_a_cmd: WriteCommand<In, T>,
    /// Bytes.
    pub s_a_data: AxisWords<In, W>,
    /// A command of the responder is done.
    pub m_a_done: WriteDone<Out, T>,
    /// The completer offers a command.
    pub s_b_cmd: WriteCommand<In, T>,
    /// Bytes.
    pub s_b_data: AxisWords<In, W>,
    /// A command of the completer is done.
    pub m_b_done: WriteDone<Out, T>,
    /// A command stands.
    pub m_cmd: WriteCommand<Out, TP1>,
    /// Bytes.
    pub m_data: AxisWords<Out, W>,
    /// The engine has done a command.
    pub s_done: WriteDone<In, TP1>,
    a_data: Skid<Bits<WP1>>,
    b_data: Skid<Bits<WP1>>,
    take_a: Reg<Bit>,
    take_b: Reg<Bit>,
    b_next: Reg<Bit>,
    moving: Reg<Bit>,
    from_b: Unreset<Bit>,
    cmd_full: Reg<Bit>,
    addr: Reg<Bits<64>>,
    bytes: Reg<Bits<13>>,
    tag: Reg<Bits<TP1>>,
    beat_full: Reg<Bit>,
    beat: Reg<Bits<W>>,
    beat_last: Reg<Bit>,
    a_last: Signal<Local, Bits<1>>,
    b_last: Signal<Local, Bits<1>>,
    a_can: Signal<Local, Bit>,
    b_can: Signal<Local, Bit>,
    free: Signal<Local, Bit>,
    beat_free: Signal<Local, Bit>,
    head_valid: Signal<Local, Bit>,
    head: Signal<Local, Bits<WP1>>,
    moved: Signal<Local, Bit>,
    error_bit: Signal<Local, Bits<1>>,
    port_bit: Signal<Local, Bits<1>>,
    reports: StreamRoute<TP1, TP2>,
    #[init(Constant::new((W as u64).to_bits()))]
    last_at: Constant<Bits<16>>,
    #[init(Constant::new((T as u64).to_bits()))]
    tag_top: Constant<Bits<16>>,
    #[init(Constant::new(((T + 1) as u64).to_bits()))]
    port_at: Constant<Bits<16>>,
    #[init(Constant::new(1u64.to_bits()))]
    one: Constant<Bits<TP1>>,
    #[init(Constant::new(0u64.to_bits()))]
    no_bytes: Constant<Bits<13>>,
}

impl<const W: usize, const WP1: usize, const T: usize, const TP1: usize, const TP2: usize> Logic
    for WriteMux<W, WP1, T, TP1, TP2>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.s_a_cmd.ready.next = self.take_a.val();
        self.s_b_cmd.ready.next = self.take_b.val();
        self.m_cmd.valid.next = self.cmd_full.val();
        self.m_cmd.addr.next = self.addr.val();
        self.m_cmd.bytes.next = self.bytes.val();
        self.m_cmd.tag.next = self.tag.val();
        self.m_data.tvalid.next = self.beat_full.val();
        self.m_data.tdata.next = self.beat.val();
        self.m_data.tlast.next = self.beat_last.val();
        comment!("a beat: last, data from high to low");
        self.a_last.next = 0.into();
        if self.s_a_data.tlast.val() {
            self.a_last.next = 1.into();
        }
        self.b_last.next = 0.into();
        if self.s_b_data.tlast.val() {
            self.b_last.next = 1.into();
        }
        self.a_data.s.valid.next = self.s_a_data.tvalid.val();
        self.s_a_data.tready.next = self.a_data.s.ready.val();
        self.a_data.s.data.next = bit_cast::<WP1, W>(self.s_a_data.tdata.val())
            | (bit_cast::<WP1, 1>(self.a_last.val()) << self.last_at.val());
        self.b_data.s.valid.next = self.s_b_data.tvalid.val();
        self.s_b_data.tready.next = self.b_data.s.ready.val();
        self.b_data.s.data.next = bit_cast::<WP1, W>(self.s_b_data.tdata.val())
            | (bit_cast::<WP1, 1>(self.b_last.val()) << self.last_at.val());
        comment!("A command starts between frames, once the first beat of its own stands.");
        self.a_can.next = self.s_a_cmd.valid.val()
            & (self.a_data.m.valid.val() | (self.s_a_cmd.bytes.val() == self.no_bytes.val()));
        self.b_can.next = self.s_b_cmd.valid.val()
            & (self.b_data.m.valid.val() | (self.s_b_cmd.bytes.val() == self.no_bytes.val()));
        self.free.next = (self.m_cmd.ready.val() | !self.cmd_full.val())
            & !self.take_a.val()
            & !self.take_b.val()
            & !self.moving.val();
        self.take_a.next = false;
        self.take_b.next = false;
        if self.free.val() {
            if self.a_can.val() & (!self.b_next.val() | !self.b_can.val()) {
                self.take_a.next = true;
                self.b_next.next = true;
            } else if self.b_can.val() {
                self.take_b.next = true;
                self.b_next.next = false;
            }
        }
        if self.m_cmd.ready.val() {
            self.cmd_full.next = false;
        }
        if self.take_a.val() {
            self.cmd_full.next = true;
            self.addr.next = self.s_a_cmd.addr.val();
            self.bytes.next = self.s_a_cmd.bytes.val();
            self.tag.next = bit_cast::<TP1, T>(self.s_a_cmd.tag.val());
            self.moving.next = self.s_a_cmd.bytes.val() != self.no_bytes.val();
            self.from_b.next = false;
        }
        if self.take_b.val() {
            self.cmd_full.next = true;
            self.addr.next = self.s_b_cmd.addr.val();
            self.bytes.next = self.s_b_cmd.bytes.val();
            self.tag.next =
                bit_cast::<TP1, T>(self.s_b_cmd.tag.val()) | (self.one.val() << self.tag_top.val());
            self.moving.next = self.s_b_cmd.bytes.val() != self.no_bytes.val();
            self.from_b.next = true;
        }
        comment!("its frame");
        self.head.next = self.a_data.m.data.val();
        self.head_valid.next = self.a_data.m.valid.val();
        if self.from_b.val() {
            self.head.next = self.b_data.m.data.val();
            self.head_valid.next = self.b_data.m.valid.val();
        }
        self.beat_free.next =
            self.moving.val() & (self.m_data.tready.val() | !self.beat_full.val());
        self.moved.next = self.beat_free.val() & self.head_valid.val();
        self.a_data.m.ready.next = self.beat_free.val() & !self.from_b.val();
        self.b_data.m.ready.next = self.beat_free.val() & self.from_b.val();
        if self.m_data.tready.val() {
            self.beat_full.next = false;
        }
        if self.moved.val() {
            self.beat_full.next = true;
            self.beat.next = self.head.val().get_bits::<W>(0);
            self.beat_last.next = self.head.val().get_bit(self.last_at.val().index());
            self.moving.next = !self.head.val().get_bit(self.last_at.val().index());
        }
        comment!("a report: port, error, tag from high to low");
        self.error_bit.next = 0.into();
        if self.s_done.error.val() {
            self.error_bit.next = 1.into();
        }
        self.port_bit.next = self.s_done.tag.val().get_bits::<1>(self.tag_top.val().index());
        self.reports.s.valid.next = self.s_done.valid.val();
        self.s_done.ready.next = self.reports.s.ready.val();
        self.reports.s.data.next = bit_cast::<TP2, T>(self.s_done.tag.val().get_bits::<T>(0))
            | (bit_cast::<TP2, 1>(self.error_bit.val()) << self.tag_top.val())
            | (bit_cast::<TP2, 1>(self.port_bit.val()) << self.port_at.val());
        self.m_a_done.valid.next = self.reports.m_a.valid.val();
        self.reports.m_a.ready.next = self.m_a_done.ready.val();
        self.m_a_done.tag.next = self.reports.m_a.data.val().get_bits::<T>(0);
        self.m_a_done.error.next = self.reports.m_a.data.val().get_bit(self.tag_top.val().index());
        self.m_b_done.valid.next = self.reports.m_b.valid.val();
        self.reports.m_b.ready.next = self.m_b_done.ready.val();
        self.m_b_done.tag.next = self.reports.m_b.data.val().get_bits::<T>(0);
        self.m_b_done.error.next = self.reports.m_b.data.val().get_bit(self.tag_top.val().index());
    }
}
