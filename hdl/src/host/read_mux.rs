//! Two users of the read engine: data of packets and work requests. Each gets its own data back.
//!
//! # Interface timing  cycle 0: a sink's command taken; cycle 1: m_cmd. A beat passes in one cycle
//! # Latency and rate  [`LATENCY_CYCLES`]; one command every other cycle of each sink, sinks in
//!                     turn; one beat per cycle
//! # Shape             B = W + KB + 2, O1 = O + 1. A register a sink: neither waits for the other
//!                     to be taken. A command of 0 bytes has no frame. `2^O` frames may be on
//!                     their way
//! # Reset             synchronous, high: idle; the data outputs hold while no valid is high
//! # Twins             sim/models/src/golden/host/read_mux.rs, tests/host/read_mux.rs

use crate::streams::{AxisUser, AxisWordsUser, ReadCommand};
use crate::util::{fifo::Fifo, skid::Skid};
use crate::{block, Reg, Regs};
use rust_hdl_core::prelude::*;

/// Cycles from a command or a beat at a sink to the source.
pub const LATENCY_CYCLES: usize = 1;

/// Mux of `W` data bits; `B = W + KB + 2`, `O1 = O + 1`.
#[block(check(KB == W / 8 && B == W + KB + 2))]
pub struct ReadMux<const W: usize, const KB: usize, const B: usize, const O: usize, const O1: usize>
{
    /// Command for a packet's data.
    pub s_pkt: ReadCommand<In>,
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
    owners: Fifo<Bits<1>, O, O1>,
    beats: Skid<Bits<B>>,
    is_wr_turn: Reg<Bit>,
    pkt: ReadCommand<Regs>,
    wr: ReadCommand<Regs>,
    cmd_valid: Signal<Local, Bit>,
    cmd_bytes: Signal<Local, Bits<13>>,
    goes: Signal<Local, Bit>,
    is_wr: Signal<Local, Bit>,
    moves: Signal<Local, Bit>,
    stands: Signal<Local, Bit>,
    is_last: Signal<Local, Bit>,
    tdata: Signal<Local, Bits<W>>,
    last_part: Signal<Local, Bits<B>>,
    user_part: Signal<Local, Bits<B>>,
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
    #[init(Constant::new(0u64.to_bits()))]
    pkt_owner: Constant<Bits<1>>,
    #[init(Constant::new(1u64.to_bits()))]
    wr_owner: Constant<Bits<1>>,
}

impl<const W: usize, const KB: usize, const B: usize, const O: usize, const O1: usize> Logic
    for ReadMux<W, KB, B, O, O1>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("commands: a register a sink; the one whose turn it is stands at the source");
        self.s_pkt.ready.next = !self.pkt.valid.val();
        self.s_wr.ready.next = !self.wr.valid.val();
        self.cmd_valid.next = self.pkt.valid.val() & self.owners.s.ready.val();
        self.m_cmd.addr.next = self.pkt.addr.val();
        self.cmd_bytes.next = self.pkt.bytes.val();
        self.owners.s.data.next = self.pkt_owner.val();
        if self.is_wr_turn.val() {
            self.cmd_valid.next = self.wr.valid.val() & self.owners.s.ready.val();
            self.m_cmd.addr.next = self.wr.addr.val();
            self.cmd_bytes.next = self.wr.bytes.val();
            self.owners.s.data.next = self.wr_owner.val();
        }
        self.m_cmd.valid.next = self.cmd_valid.val();
        self.m_cmd.bytes.next = self.cmd_bytes.val();
        self.goes.next = self.cmd_valid.val() & self.m_cmd.ready.val();
        self.owners.s.valid.next = self.goes.val() & self.cmd_bytes.val().any();
        if self.s_pkt.valid.val() & !self.pkt.valid.val() {
            self.pkt.valid.next = true;
            self.pkt.addr.next = self.s_pkt.addr.val();
            self.pkt.bytes.next = self.s_pkt.bytes.val();
        }
        if self.s_wr.valid.val() & !self.wr.valid.val() {
            self.wr.valid.next = true;
            self.wr.addr.next = self.s_wr.addr.val();
            self.wr.bytes.next = self.s_wr.bytes.val();
        }
        comment!("the turn goes to the other one if that waits or comes, and this one is done");
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
        comment!(
            "data: frames come in the order of the commands; user, last, keep, data from high"
        );
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
        self.is_wr.next = self.owners.m.data.val().get_bit(0);
        self.stands.next = self.beats.m.valid.val() & self.owners.m.valid.val();
        self.is_last.next = self.beats.m.data.val().get_bit(self.last_at.val().index());
        self.m_pkt.tvalid.next = self.stands.val() & !self.is_wr.val();
        self.m_wr.tvalid.next = self.stands.val() & self.is_wr.val();
        self.moves.next = self.m_pkt.tready.val();
        if self.is_wr.val() {
            self.moves.next = self.m_wr.tready.val();
        }
        self.beats.m.ready.next = self.stands.val() & self.moves.val();
        self.owners.m.ready.next = self.stands.val() & self.moves.val() & self.is_last.val();
        self.tdata.next = self.beats.m.data.val().get_bits::<W>(0);
        self.m_pkt.tdata.next = self.tdata.val();
        self.m_pkt.tkeep.next = self.beats.m.data.val().get_bits::<KB>(self.keep_at.val().index());
        self.m_pkt.tlast.next = self.is_last.val();
        self.m_pkt.tuser.next = self.beats.m.data.val().get_bit(self.user_at.val().index());
        self.m_wr.tdata.next = self.tdata.val();
        self.m_wr.tlast.next = self.is_last.val();
        self.m_wr.tuser.next = self.beats.m.data.val().get_bit(self.user_at.val().index());
    }
}
