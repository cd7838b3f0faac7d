//! Three sources of commands for the write engine: port a (responder), port b (completer) and port
//! c (completion ring).
//!
//! # Interface timing  cycle 0: s_*_cmd_valid and s_*_cmd_ready; cycle 1: it can start; cycle 3:
//!                     m_cmd_valid. Its data follows from cycle 4 on. Of each port two commands may
//!                     wait for their data. A report: cycle 0: s_done_valid and s_done_ready;
//!                     cycle 1: m_a_done_valid; cycle 2: m_b_done_valid or m_c_done_valid
//! # Latency and rate  [`LATENCY_CYCLES`]; one beat a cycle inside a frame. A command every 2 cycles
//!                     and its beats but one. One report every other cycle, in the engine's order
//! # Order             The ports take turns by command. A command with bytes starts once the first
//!                     beat of its frame stands: the rest follows at once, since frames are whole
//!                     before they are visible. A command whose frame is behind another port's in
//!                     a common buffer therefore never blocks that port
//! # Shape             W bits of data. The engine's tag is that of the port and above it the port:
//!                     0, 10 or 11. The engine counts beats and needs no tlast
//! # Reset             synchronous, high: idle, a goes first, all data 0; data holds its last value
//!                     while its valid is low
//! # Twins             sim/models/src/golden/host/write_mux.rs, tests/host/write_mux.rs

use crate::streams::{AxisWords, WriteCommand, WriteDone};
use crate::util::{rr_merge::RrMerge, skid::Skid, stream_route::StreamRoute};
use crate::{block, kernel, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a command at a sink to the command at the source.
pub const LATENCY_CYCLES: usize = 3;

/// A command for the engine.
#[row]
struct Command {
    addr: Bits<64>,
    bytes: Bits<13>,
    tag: Bits<128>,
}

/// Mux of write commands; `WP1 = W + 1`.
#[block(check(WP1 == W + 1))]
pub struct WriteMux<const W: usize, const WP1: usize> {
    /// The responder offers a command.
    pub s_a_cmd: WriteCommand<In, 127>,
    /// Bytes.
    pub s_a_data: AxisWords<In, W>,
    /// A command of the responder is done.
    pub m_a_done: WriteDone<Out, 127>,
    /// The completer offers a command.
    pub s_b_cmd: WriteCommand<In, 126>,
    /// Bytes.
    pub s_b_data: AxisWords<In, W>,
    /// A command of the completer is done.
    pub m_b_done: WriteDone<Out, 126>,
    /// The completion ring offers a command.
    pub s_c_cmd: WriteCommand<In, 126>,
    /// Bytes.
    pub s_c_data: AxisWords<In, W>,
    /// A command of the completion ring is done.
    pub m_c_done: WriteDone<Out, 126>,
    /// A command stands.
    pub m_cmd: WriteCommand<Out, 128>,
    /// Bytes.
    pub m_data: AxisWords<Out, W>,
    /// The engine has done a command.
    pub s_done: WriteDone<In, 128>,
    waiting: [Skid<Command>; 3],
    data: [Skid<Bits<WP1>>; 3],
    turn: RrMerge<3>,
    moving: Reg<Bit>,
    from: Unreset<Bits<3>>,
    cmd_full: Reg<Bit>,
    cmd: Reg<Command>,
    beat_full: Reg<Bit>,
    beat: Reg<Bits<W>>,
    beat_last: Reg<Bit>,
    beats: [Signal<Local, Bits<WP1>>; 3],
    begun: Signal<Local, Bits<3>>,
    requests: Signal<Local, Bits<3>>,
    one_cmd: Signal<Local, Command>,
    taken: Signal<Local, Command>,
    beat_free: Signal<Local, Bit>,
    head_valid: Signal<Local, Bit>,
    head: Signal<Local, Bits<WP1>>,
    is_last: Signal<Local, Bit>,
    moved: Signal<Local, Bit>,
    leaves: Signal<Local, Bit>,
    reports: StreamRoute<128, 129>,
    others: StreamRoute<127, 128>,
    #[value(W as u64)]
    last_at: Constant<Bits<16>>,
    #[value(num_bigint::BigUint::from(1_u32) << W)]
    last_bit: Constant<Bits<WP1>>,
    #[value(num_bigint::BigUint::from(0b10_u32) << 126_u32)]
    completer_bits: Constant<Bits<128>>,
    #[value(num_bigint::BigUint::from(0b11_u32) << 126_u32)]
    ring_bits: Constant<Bits<128>>,
    #[value(num_bigint::BigUint::from(1_u32) << 127_u32)]
    error_bit: Constant<Bits<129>>,
    #[value(num_bigint::BigUint::from(1_u32) << 128_u32)]
    others_bit: Constant<Bits<129>>,
    #[value(num_bigint::BigUint::from(1_u32) << 126_u32)]
    other_error_bit: Constant<Bits<128>>,
    #[value(num_bigint::BigUint::from(1_u32) << 127_u32)]
    ring_bit: Constant<Bits<128>>,
}

#[kernel]
impl<const W: usize, const WP1: usize> WriteMux<W, WP1> {
    fn update(&mut self) {
        self.m_cmd.valid.next = self.cmd_full.val();
        self.m_cmd.addr.next = self.cmd.val().addr;
        self.m_cmd.bytes.next = self.cmd.val().bytes;
        self.m_cmd.tag.next = self.cmd.val().tag;
        self.m_data.tvalid.next = self.beat_full.val();
        self.m_data.tdata.next = self.beat.val();
        self.m_data.tlast.next = self.beat_last.val();
        comment!("what the ports offer; a beat: last, data from high to low");
        self.waiting[0].s.valid.next = self.s_a_cmd.valid.val();
        self.s_a_cmd.ready.next = self.waiting[0].s.ready.val();
        self.waiting[0].s.data.next.addr = self.s_a_cmd.addr.val();
        self.waiting[0].s.data.next.bytes = self.s_a_cmd.bytes.val();
        self.waiting[0].s.data.next.tag = bit_cast::<128, 127>(self.s_a_cmd.tag.val());
        self.waiting[1].s.valid.next = self.s_b_cmd.valid.val();
        self.s_b_cmd.ready.next = self.waiting[1].s.ready.val();
        self.waiting[1].s.data.next.addr = self.s_b_cmd.addr.val();
        self.waiting[1].s.data.next.bytes = self.s_b_cmd.bytes.val();
        self.waiting[1].s.data.next.tag =
            bit_cast::<128, 126>(self.s_b_cmd.tag.val()) | self.completer_bits.val();
        self.waiting[2].s.valid.next = self.s_c_cmd.valid.val();
        self.s_c_cmd.ready.next = self.waiting[2].s.ready.val();
        self.waiting[2].s.data.next.addr = self.s_c_cmd.addr.val();
        self.waiting[2].s.data.next.bytes = self.s_c_cmd.bytes.val();
        self.waiting[2].s.data.next.tag =
            bit_cast::<128, 126>(self.s_c_cmd.tag.val()) | self.ring_bits.val();
        self.data[0].s.valid.next = self.s_a_data.tvalid.val();
        self.s_a_data.tready.next = self.data[0].s.ready.val();
        self.beats[0].next = bit_cast::<WP1, W>(self.s_a_data.tdata.val());
        if self.s_a_data.tlast.val() {
            self.beats[0].next = self.beats[0].val() | self.last_bit.val();
        }
        self.data[1].s.valid.next = self.s_b_data.tvalid.val();
        self.s_b_data.tready.next = self.data[1].s.ready.val();
        self.beats[1].next = bit_cast::<WP1, W>(self.s_b_data.tdata.val());
        if self.s_b_data.tlast.val() {
            self.beats[1].next = self.beats[1].val() | self.last_bit.val();
        }
        self.data[2].s.valid.next = self.s_c_data.tvalid.val();
        self.s_c_data.tready.next = self.data[2].s.ready.val();
        self.beats[2].next = bit_cast::<WP1, W>(self.s_c_data.tdata.val());
        if self.s_c_data.tlast.val() {
            self.beats[2].next = self.beats[2].val() | self.last_bit.val();
        }
        comment!("the frame under way");
        self.head.next = 0.into();
        self.head_valid.next = false;
        for i in 0..3 {
            self.data[i].s.data.next = self.beats[i].val();
            if self.from.val().get_bit(i) {
                self.head.next = self.data[i].m.data.val();
                self.head_valid.next = self.data[i].m.valid.val();
            }
        }
        self.is_last.next = self.head.val().get_bit(self.last_at.val().index());
        self.beat_free.next =
            self.moving.val() & (self.m_data.tready.val() | !self.beat_full.val());
        self.moved.next = self.beat_free.val() & self.head_valid.val();
        if self.m_data.tready.val() {
            self.beat_full.next = false;
        }
        if self.moved.val() {
            self.beat_full.next = true;
            self.beat.next = self.head.val().get_bits::<W>(0);
            self.beat_last.next = self.is_last.val();
            self.moving.next = !self.is_last.val();
        }
        comment!(
            "A command starts with the end of a frame, once the first beat of its own stands:"
        );
        comment!("behind the one that leaves, if that is of the same port.");
        self.requests.next = 0.into();
        self.begun.next = 0.into();
        self.taken.next = 0.into();
        for i in 0..3 {
            self.data[i].m.ready.next = self.beat_free.val() & self.from.val().get_bit(i);
            self.leaves.next = self.moved.val() & self.from.val().get_bit(i);
            if self.data[i].m.valid.val() & (!self.leaves.val() | !self.data[i].s.ready.val()) {
                self.begun.next = self.begun.val().replace_bit(i, true);
            }
            self.waiting[i].m.ready.next = self.turn.take.val().get_bit(i);
            self.one_cmd.next = self.waiting[i].m.data.val();
            if self.waiting[i].m.valid.val()
                & (self.begun.val().get_bit(i) | !self.one_cmd.val().bytes.any())
            {
                self.requests.next = self.requests.val().replace_bit(i, true);
            }
            if self.turn.take.val().get_bit(i) {
                self.taken.next = self.one_cmd.val();
            }
        }
        self.turn.request.next = self.requests.val();
        self.turn.free.next = (self.m_cmd.ready.val() | !self.cmd_full.val())
            & (!self.moving.val() | (self.moved.val() & self.is_last.val()));
        if self.m_cmd.ready.val() {
            self.cmd_full.next = false;
        }
        if self.turn.take.val().any() {
            self.cmd_full.next = true;
            self.cmd.next = self.taken.val();
            self.from.next = self.turn.take.val();
            self.moving.next = self.taken.val().bytes.any();
        }
        self.reports();
    }

    /// reports: of the responder, or of the others; port, error, tag from high to low
    fn reports(&mut self) {
        self.s_done.ready.next = self.reports.s.ready.val();
        self.reports.s.valid.next = self.s_done.valid.val();
        self.reports.s.data.next = bit_cast::<129, 127>(self.s_done.tag.val().get_bits::<127>(0));
        if self.s_done.error.val() {
            self.reports.s.data.next = self.reports.s.data.val() | self.error_bit.val();
        }
        if self.s_done.tag.val().get_bit(127) {
            self.reports.s.data.next = self.reports.s.data.val() | self.others_bit.val();
        }
        self.m_a_done.valid.next = self.reports.m_a.valid.val();
        self.reports.m_a.ready.next = self.m_a_done.ready.val();
        self.m_a_done.tag.next = self.reports.m_a.data.val().get_bits::<127>(0);
        self.m_a_done.error.next = self.reports.m_a.data.val().get_bit(127);
        self.reports.m_b.ready.next = self.others.s.ready.val();
        self.others.s.valid.next = self.reports.m_b.valid.val();
        self.others.s.data.next =
            bit_cast::<128, 126>(self.reports.m_b.data.val().get_bits::<126>(0));
        if self.reports.m_b.data.val().get_bit(127) {
            self.others.s.data.next = self.others.s.data.val() | self.other_error_bit.val();
        }
        if self.reports.m_b.data.val().get_bit(126) {
            self.others.s.data.next = self.others.s.data.val() | self.ring_bit.val();
        }
        self.m_b_done.valid.next = self.others.m_a.valid.val();
        self.others.m_a.ready.next = self.m_b_done.ready.val();
        self.m_b_done.tag.next = self.others.m_a.data.val().get_bits::<126>(0);
        self.m_b_done.error.next = self.others.m_a.data.val().get_bit(126);
        self.m_c_done.valid.next = self.others.m_b.valid.val();
        self.others.m_b.ready.next = self.m_c_done.ready.val();
        self.m_c_done.tag.next = self.others.m_b.data.val().get_bits::<126>(0);
        self.m_c_done.error.next = self.others.m_b.data.val().get_bit(126);
    }
}
