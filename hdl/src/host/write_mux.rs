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
//! # Twins             sim/src/golden/host/write_mux.rs, tests/write_mux.rs

use crate::util::skid::Skid;
use crate::util::stream_route::StreamRoute;
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
    pub s_a_cmd_valid: Signal<In, Bit>,
    /// It will be taken.
    pub s_a_cmd_ready: Signal<Out, Bit>,
    /// Byte address.
    pub s_a_cmd_addr: Signal<In, Bits<64>>,
    /// Length, 0..=4096.
    pub s_a_cmd_bytes: Signal<In, Bits<13>>,
    /// Comes back with the report.
    pub s_a_cmd_tag: Signal<In, Bits<T>>,
    /// A beat is offered.
    pub s_a_data_tvalid: Signal<In, Bit>,
    /// It will be taken.
    pub s_a_data_tready: Signal<Out, Bit>,
    /// Bytes.
    pub s_a_data_tdata: Signal<In, Bits<W>>,
    /// Last beat of the command.
    pub s_a_data_tlast: Signal<In, Bit>,
    /// A command of the responder is done.
    pub m_a_done_valid: Signal<Out, Bit>,
    /// The report is taken.
    pub m_a_done_ready: Signal<In, Bit>,
    /// Its tag.
    pub m_a_done_tag: Signal<Out, Bits<T>>,
    /// The memory reported an error.
    pub m_a_done_error: Signal<Out, Bit>,
    /// The completer offers a command.
    pub s_b_cmd_valid: Signal<In, Bit>,
    /// It will be taken.
    pub s_b_cmd_ready: Signal<Out, Bit>,
    /// Byte address.
    pub s_b_cmd_addr: Signal<In, Bits<64>>,
    /// Length, 0..=4096.
    pub s_b_cmd_bytes: Signal<In, Bits<13>>,
    /// Comes back with the report.
    pub s_b_cmd_tag: Signal<In, Bits<T>>,
    /// A beat is offered.
    pub s_b_data_tvalid: Signal<In, Bit>,
    /// It will be taken.
    pub s_b_data_tready: Signal<Out, Bit>,
    /// Bytes.
    pub s_b_data_tdata: Signal<In, Bits<W>>,
    /// Last beat of the command.
    pub s_b_data_tlast: Signal<In, Bit>,
    /// A command of the completer is done.
    pub m_b_done_valid: Signal<Out, Bit>,
    /// The report is taken.
    pub m_b_done_ready: Signal<In, Bit>,
    /// Its tag.
    pub m_b_done_tag: Signal<Out, Bits<T>>,
    /// The memory reported an error.
    pub m_b_done_error: Signal<Out, Bit>,
    /// A command stands.
    pub m_cmd_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_cmd_ready: Signal<In, Bit>,
    /// Byte address.
    pub m_cmd_addr: Signal<Out, Bits<64>>,
    /// Length.
    pub m_cmd_bytes: Signal<Out, Bits<13>>,
    /// Tag; top bit: port b.
    pub m_cmd_tag: Signal<Out, Bits<TP1>>,
    /// A beat stands.
    pub m_data_tvalid: Signal<Out, Bit>,
    /// It is taken.
    pub m_data_tready: Signal<In, Bit>,
    /// Bytes.
    pub m_data_tdata: Signal<Out, Bits<W>>,
    /// Last beat of the command: for another mux; the engine counts beats.
    pub m_data_tlast: Signal<Out, Bit>,
    /// The engine has done a command.
    pub s_done_valid: Signal<In, Bit>,
    /// The report will be taken.
    pub s_done_ready: Signal<Out, Bit>,
    /// Its tag.
    pub s_done_tag: Signal<In, Bits<TP1>>,
    /// The memory reported an error.
    pub s_done_error: Signal<In, Bit>,
    a_data: Skid<WP1>,
    b_data: Skid<WP1>,
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
        self.s_a_cmd_ready.next = self.take_a.val();
        self.s_b_cmd_ready.next = self.take_b.val();
        self.m_cmd_valid.next = self.cmd_full.val();
        self.m_cmd_addr.next = self.addr.val();
        self.m_cmd_bytes.next = self.bytes.val();
        self.m_cmd_tag.next = self.tag.val();
        self.m_data_tvalid.next = self.beat_full.val();
        self.m_data_tdata.next = self.beat.val();
        self.m_data_tlast.next = self.beat_last.val();
        comment!("a beat: last, data from high to low");
        self.a_last.next = 0.into();
        if self.s_a_data_tlast.val() {
            self.a_last.next = 1.into();
        }
        self.b_last.next = 0.into();
        if self.s_b_data_tlast.val() {
            self.b_last.next = 1.into();
        }
        self.a_data.s_valid.next = self.s_a_data_tvalid.val();
        self.s_a_data_tready.next = self.a_data.s_ready.val();
        self.a_data.s_data.next = bit_cast::<WP1, W>(self.s_a_data_tdata.val())
            | (bit_cast::<WP1, 1>(self.a_last.val()) << self.last_at.val());
        self.b_data.s_valid.next = self.s_b_data_tvalid.val();
        self.s_b_data_tready.next = self.b_data.s_ready.val();
        self.b_data.s_data.next = bit_cast::<WP1, W>(self.s_b_data_tdata.val())
            | (bit_cast::<WP1, 1>(self.b_last.val()) << self.last_at.val());
        comment!("A command starts between frames, once the first beat of its own stands.");
        self.a_can.next = self.s_a_cmd_valid.val()
            & (self.a_data.m_valid.val() | (self.s_a_cmd_bytes.val() == self.no_bytes.val()));
        self.b_can.next = self.s_b_cmd_valid.val()
            & (self.b_data.m_valid.val() | (self.s_b_cmd_bytes.val() == self.no_bytes.val()));
        self.free.next = (self.m_cmd_ready.val() | !self.cmd_full.val())
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
        if self.m_cmd_ready.val() {
            self.cmd_full.next = false;
        }
        if self.take_a.val() {
            self.cmd_full.next = true;
            self.addr.next = self.s_a_cmd_addr.val();
            self.bytes.next = self.s_a_cmd_bytes.val();
            self.tag.next = bit_cast::<TP1, T>(self.s_a_cmd_tag.val());
            self.moving.next = self.s_a_cmd_bytes.val() != self.no_bytes.val();
            self.from_b.next = false;
        }
        if self.take_b.val() {
            self.cmd_full.next = true;
            self.addr.next = self.s_b_cmd_addr.val();
            self.bytes.next = self.s_b_cmd_bytes.val();
            self.tag.next =
                bit_cast::<TP1, T>(self.s_b_cmd_tag.val()) | (self.one.val() << self.tag_top.val());
            self.moving.next = self.s_b_cmd_bytes.val() != self.no_bytes.val();
            self.from_b.next = true;
        }
        comment!("its frame");
        self.head.next = self.a_data.m_data.val();
        self.head_valid.next = self.a_data.m_valid.val();
        if self.from_b.val() {
            self.head.next = self.b_data.m_data.val();
            self.head_valid.next = self.b_data.m_valid.val();
        }
        self.beat_free.next =
            self.moving.val() & (self.m_data_tready.val() | !self.beat_full.val());
        self.moved.next = self.beat_free.val() & self.head_valid.val();
        self.a_data.m_ready.next = self.beat_free.val() & !self.from_b.val();
        self.b_data.m_ready.next = self.beat_free.val() & self.from_b.val();
        if self.m_data_tready.val() {
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
        if self.s_done_error.val() {
            self.error_bit.next = 1.into();
        }
        self.port_bit.next = self.s_done_tag.val().get_bits::<1>(self.tag_top.val().index());
        self.reports.s_valid.next = self.s_done_valid.val();
        self.s_done_ready.next = self.reports.s_ready.val();
        self.reports.s_data.next = bit_cast::<TP2, T>(self.s_done_tag.val().get_bits::<T>(0))
            | (bit_cast::<TP2, 1>(self.error_bit.val()) << self.tag_top.val())
            | (bit_cast::<TP2, 1>(self.port_bit.val()) << self.port_at.val());
        self.m_a_done_valid.next = self.reports.m_a_valid.val();
        self.reports.m_a_ready.next = self.m_a_done_ready.val();
        self.m_a_done_tag.next = self.reports.m_a_data.val().get_bits::<T>(0);
        self.m_a_done_error.next = self.reports.m_a_data.val().get_bit(self.tag_top.val().index());
        self.m_b_done_valid.next = self.reports.m_b_valid.val();
        self.reports.m_b_ready.next = self.m_b_done_ready.val();
        self.m_b_done_tag.next = self.reports.m_b_data.val().get_bits::<T>(0);
        self.m_b_done_error.next = self.reports.m_b_data.val().get_bit(self.tag_top.val().index());
    }
}
