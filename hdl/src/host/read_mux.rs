//! Two users of the read engine: data of packets and work requests. Each gets its own data back.
//! Data that came in a work request waits here for its turn among that of packets.
//!
//! # Interface timing  cycle 0: a sink's command taken; cycle 1: m_cmd. A beat passes in one cycle.
//!                     Inline data with nothing before it: cycle 2: m_pkt
//! # Latency and rate  [`LATENCY_CYCLES`]; one command every other cycle of each sink, sinks in
//!                     turn; one beat per cycle, and one cycle more behind inline data
//! # Shape             B = W + KB + 2, O1 = O + 1. A register a sink: neither waits for the other
//!                     to be taken. A command of 0 bytes has no frame. `2^O` frames that are read
//!                     may be on their way, and as many of packets, `2^I` of them inline; I1 = I + 1
//! # Reset             synchronous, high: idle; the data outputs hold while no valid is high
//! # Twins             sim/models/src/golden/host/read_mux.rs, tests/host/read_mux.rs

use crate::streams::{AxisUser, AxisWordsUser, PayloadSource, ReadCommand};
use crate::util::{fifo::Fifo, skid::Skid};
use crate::{block, kernel, row, Reg, Regs};
use nic_spec::rows::INLINE_BYTES_MAX;
use rust_hdl_core::prelude::*;

/// Cycles from a command or a beat at a sink to the source.
pub const LATENCY_CYCLES: usize = 1;

/// Data that came in a work request.
#[row]
struct InlineData {
    keep: Bits<24>, // A bit a byte
    first: Bits<64>,
    rest: Bits<128>,
}

/// Who has asked for a frame.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum Owner {
    Packet,
    WorkRequest,
}

/// Mux of `W` data bits; `B = W + KB + 2`, `O1 = O + 1`, `I1 = I + 1`.
#[block(check(KB == W / 8 && B == W + KB + 2 && I1 == I + 1 && INLINE_BYTES_MAX == 24))]
pub struct ReadMux<
    const W: usize,
    const KB: usize,
    const B: usize,
    const O: usize,
    const O1: usize,
    const I: usize,
    const I1: usize,
> {
    /// Where a packet's data is.
    pub s_pkt: PayloadSource<In>,
    /// Command for a work request.
    pub s_wr: ReadCommand<In>,
    /// Command for the read engine.
    pub m_cmd: ReadCommand<Out>,
    /// Data from the read engine.
    pub s_axis: AxisUser<In, W, KB>,
    /// Data of a packet.
    pub m_pkt: AxisUser<Out, W, KB>,
    /// The bytes of a work request.
    pub m_wr: AxisWordsUser<Out, W>,
    owners: Fifo<Owner, O, O1>,
    beats: Skid<Bits<B>>,
    order: Fifo<Bit, O, O1>,
    inlines: Fifo<InlineData, I, I1>,
    is_wr_turn: Reg<Bit>,
    pkt: PayloadSource<Regs>,
    wr: ReadCommand<Regs>,
    inline_part: Reg<Bits<2>>,
    is_spent: Reg<Bit>,
    cmd_valid: Signal<Local, Bit>,
    cmd_bytes: Signal<Local, Bits<13>>,
    inline_goes: Signal<Local, Bit>,
    reads: Signal<Local, Bit>,
    goes: Signal<Local, Bit>,
    is_inline: Signal<Local, Bit>,
    pkt_reads: Signal<Local, Bit>,
    pkt_moves: Signal<Local, Bit>,
    stands: Signal<Local, Bit>,
    is_last: Signal<Local, Bit>,
    last_part: Signal<Local, Bits<B>>,
    user_part: Signal<Local, Bits<B>>,
    inline_end: Signal<Local, Bits<25>>,
    inline_data: Signal<Local, Bits<192>>,
    inline_keep: Signal<Local, Bits<24>>,
    inline_more: Signal<Local, Bits<24>>,
    #[value(W as u64)]
    keep_at: Constant<Bits<16>>,
    #[value((W + KB) as u64)]
    last_at: Constant<Bits<16>>,
    #[value((W + KB + 1) as u64)]
    user_at: Constant<Bits<16>>,
    #[value(num_bigint::BigUint::from(1_u32) << (W + KB))]
    last_bit: Constant<Bits<B>>,
    #[value(num_bigint::BigUint::from(1_u32) << (W + KB + 1))]
    user_bit: Constant<Bits<B>>,
    #[value(1)]
    one_byte: Constant<Bits<25>>,
    #[value(KB as u64)]
    beat_bytes: Constant<Bits<7>>,
}

#[kernel]
impl<
        const W: usize,
        const KB: usize,
        const B: usize,
        const O: usize,
        const O1: usize,
        const I: usize,
        const I1: usize,
    > ReadMux<W, KB, B, O, O1, I, I1>
{
    fn update(&mut self) {
        self.commands();
        self.turns();
        self.beats();
        self.owner();
        self.inlines();
        self.frames();
    }

    /// commands: a register a sink; the one whose turn it is stands at the source
    fn commands(&mut self) {
        self.s_pkt.ready.next = !self.pkt.valid.val();
        self.s_wr.ready.next = !self.wr.valid.val();
        self.cmd_valid.next = self.pkt.valid.val()
            & !self.pkt.is_inline.val()
            & self.owners.s.ready.val()
            & self.order.s.ready.val();
        self.inline_goes.next = !self.is_wr_turn.val()
            & self.pkt.valid.val()
            & self.pkt.is_inline.val()
            & self.order.s.ready.val()
            & self.inlines.s.ready.val();
        self.m_cmd.addr.next = self.pkt.addr.val();
        self.cmd_bytes.next = self.pkt.bytes.val();
        self.owners.s.data.next = Owner::Packet;
        if self.is_wr_turn.val() {
            self.cmd_valid.next = self.wr.valid.val() & self.owners.s.ready.val();
            self.m_cmd.addr.next = self.wr.addr.val();
            self.cmd_bytes.next = self.wr.bytes.val();
            self.owners.s.data.next = Owner::WorkRequest;
        }
        self.m_cmd.valid.next = self.cmd_valid.val();
        self.m_cmd.bytes.next = self.cmd_bytes.val();
        self.reads.next = self.cmd_valid.val() & self.m_cmd.ready.val();
        self.goes.next = self.reads.val() | self.inline_goes.val();
        self.owners.s.valid.next = self.reads.val() & self.cmd_bytes.val().any();
        self.order.s.valid.next =
            (self.owners.s.valid.val() & !self.is_wr_turn.val()) | self.inline_goes.val();
        self.order.s.data.next = self.inline_goes.val();
        if self.s_pkt.valid.val() & !self.pkt.valid.val() {
            self.pkt.valid.next = true;
            self.pkt.addr.next = self.s_pkt.addr.val();
            self.pkt.bytes.next = self.s_pkt.bytes.val();
            self.pkt.is_inline.next = self.s_pkt.is_inline.val();
            self.pkt.inline_rest.next = self.s_pkt.inline_rest.val();
        }
        if self.s_wr.valid.val() & !self.wr.valid.val() {
            self.wr.valid.next = true;
            self.wr.addr.next = self.s_wr.addr.val();
            self.wr.bytes.next = self.s_wr.bytes.val();
        }
    }

    /// the turn goes to the other one if that waits or comes, and this one is done
    fn turns(&mut self) {
        if self.is_wr_turn.val() {
            if self.goes.val() {
                self.wr.valid.next = false;
            }
            if (self.pkt.valid.val() | self.s_pkt.valid.val())
                & (self.goes.val() | !self.wr.valid.val())
            {
                self.is_wr_turn.next = false;
            }
        } else {
            if self.goes.val() {
                self.pkt.valid.next = false;
            }
            if (self.wr.valid.val() | self.s_wr.valid.val())
                & (self.goes.val() | !self.pkt.valid.val())
            {
                self.is_wr_turn.next = true;
            }
        }
    }

    /// data that is read: user, last, keep, data from high
    fn beats(&mut self) {
        self.last_part.next = 0.into();
        if self.s_axis.tlast.val() {
            self.last_part.next = self.last_bit.val();
        }
        self.user_part.next = 0.into();
        if self.s_axis.tuser.val() {
            self.user_part.next = self.user_bit.val();
        }
        self.beats.s.data.next = bit_cast::<B, W>(self.s_axis.tdata.val())
            | (bit_cast::<B, KB>(self.s_axis.tkeep.val()) << self.keep_at.val())
            | self.last_part.val()
            | self.user_part.val();
        self.beats.s.valid.next = self.s_axis.tvalid.val();
        self.s_axis.tready.next = self.beats.s.ready.val();
    }

    /// what is read comes in the order of the commands; a packet also waits for those before it
    fn owner(&mut self) {
        self.stands.next = self.beats.m.valid.val() & self.owners.m.valid.val();
        self.pkt_reads.next = self.stands.val()
            & (self.owners.m.data.val() == Owner::Packet)
            & self.order.m.valid.val()
            & !self.order.m.data.val();
        self.is_inline.next =
            self.order.m.valid.val() & self.order.m.data.val() & !self.is_spent.val();
        self.m_wr.tlast.next = self.beats.m.data.val().get_bit(self.last_at.val().index());
        self.m_wr.tvalid.next =
            self.stands.val() & (self.owners.m.data.val() == Owner::WorkRequest);
        self.pkt_moves.next =
            (self.pkt_reads.val() | self.is_inline.val()) & self.m_pkt.tready.val();
    }

    /// data of work requests: a frame for each
    fn inlines(&mut self) {
        self.inlines.s.valid.next = self.inline_goes.val();
        self.inline_end.next = (self.one_byte.val() << self.pkt.bytes.val()) - 1;
        self.inlines.s.data.next.keep = self.inline_end.val().get_bits::<24>(0);
        self.inlines.s.data.next.first = self.pkt.addr.val();
        self.inlines.s.data.next.rest = self.pkt.inline_rest.val();
        self.inline_data.next = bit_cast::<192, 64>(self.inlines.m.data.val().first)
            | (bit_cast::<192, 128>(self.inlines.m.data.val().rest) << 64);
        self.inline_keep.next = self.inlines.m.data.val().keep;
        if self.inline_part.val() == 1 {
            self.inline_data.next = bit_cast::<192, 128>(self.inlines.m.data.val().rest);
            self.inline_keep.next = self.inlines.m.data.val().keep >> 8;
        } else if self.inline_part.val() == 2 {
            self.inline_data.next = bit_cast::<192, 128>(self.inlines.m.data.val().rest) >> 64;
            self.inline_keep.next = self.inlines.m.data.val().keep >> 16;
        }
        self.inline_more.next = self.inline_keep.val() >> self.beat_bytes.val();
        self.is_last.next = self.m_wr.tlast.val();
        if self.is_inline.val() {
            self.is_last.next = !self.inline_more.val().any();
        }
        comment!("What has gone leaves a cycle later: its many bits wait for a register alone.");
        self.is_spent.next = false;
        self.inlines.m.ready.next = self.is_spent.val();
        if self.is_inline.val() & self.pkt_moves.val() {
            self.inline_part.next = self.inline_part.val() + 1;
            if self.is_last.val() {
                self.inline_part.next = 0.into();
                self.is_spent.next = true;
            }
        }
    }

    fn frames(&mut self) {
        self.beats.m.ready.next = (self.m_wr.tvalid.val() & self.m_wr.tready.val())
            | (self.pkt_reads.val() & self.m_pkt.tready.val());
        self.owners.m.ready.next = self.beats.m.ready.val() & self.m_wr.tlast.val();
        self.order.m.ready.next = self.pkt_moves.val() & self.is_last.val();
        self.m_pkt.tvalid.next = self.pkt_reads.val() | self.is_inline.val();
        self.m_pkt.tdata.next = self.beats.m.data.val().get_bits::<W>(0);
        self.m_pkt.tkeep.next = self.beats.m.data.val().get_bits::<KB>(self.keep_at.val().index());
        self.m_pkt.tuser.next =
            self.beats.m.data.val().get_bit(self.user_at.val().index()) & self.is_last.val();
        if self.is_inline.val() {
            self.m_pkt.tdata.next = bit_cast::<W, 192>(self.inline_data.val());
            self.m_pkt.tkeep.next = bit_cast::<KB, 24>(self.inline_keep.val());
            self.m_pkt.tuser.next = false;
        }
        self.m_pkt.tlast.next = self.is_last.val();
        self.m_wr.tdata.next = self.beats.m.data.val().get_bits::<W>(0);
        self.m_wr.tuser.next = self.beats.m.data.val().get_bit(self.user_at.val().index());
    }
}
