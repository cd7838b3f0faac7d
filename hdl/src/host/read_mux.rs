//! Two users of the read engine: data of packets and work requests. Each gets its own data back.
//!
//! # Interface timing  cycle 0: a sink's command taken; cycle 1: m_cmd. A beat passes in one cycle
//! # Latency and rate  [`LATENCY_CYCLES`]; one command every other cycle of each sink, sinks in
//!                     turn; one beat per cycle
//! # Shape             a register a sink: neither waits for the other to be taken. A command of 0
//!                     bytes has no frame. Sixteen frames may be on their way
//! # Reset             synchronous, high: idle; the data outputs hold while no valid is high
//! # Twins             sim/models/src/golden/host/read_mux.rs, tests/host/read_mux.rs

use crate::streams::{AxisUser, AxisWordsUser, ReadCommand};
use crate::util::{fifo::Fifo, skid::Skid};
use crate::{block, row, Reg, Regs};
use rust_hdl_core::prelude::*;

/// Cycles from a command or a beat at a sink to the source.
pub const LATENCY_CYCLES: usize = 1;

/// A beat that was read.
#[row]
struct ReadBeat {
    tdata: Bits<64>, // Bytes
    tkeep: Bits<8>,  // Which of them count
    tlast: Bit,      // Last of its command
    tuser: Bit,      // Host memory answered with an error
}

/// Mux of a datapath of 64 bits.
#[block]
pub struct ReadMux {
    /// Command for a packet's data.
    pub s_pkt: ReadCommand<In>,
    /// Command for a work request.
    pub s_wr: ReadCommand<In>,
    /// Command for the read engine.
    pub m_cmd: ReadCommand<Out>,
    /// Data from the read engine.
    pub s_axis: AxisUser<In, 64, 8>,
    /// Data of a packet.
    pub m_pkt: AxisUser<Out, 64, 8>,
    /// The bytes of a work request.
    pub m_wr: AxisWordsUser<Out, 64>,
    owners: Fifo<Bits<1>, 4, 5>,
    beats: Skid<ReadBeat>,
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
    keep_wide: Signal<Local, Bits<74>>,
    last_wide: Signal<Local, Bits<74>>,
    user_wide: Signal<Local, Bits<74>>,
    #[value(num_bigint::BigUint::from(1_u32) << 72_u32)]
    last_bit: Constant<Bits<74>>,
    #[value(num_bigint::BigUint::from(1_u32) << 73_u32)]
    user_bit: Constant<Bits<74>>,
    #[init(Constant::new(0u64.to_bits()))]
    pkt_owner: Constant<Bits<1>>,
    #[init(Constant::new(1u64.to_bits()))]
    wr_owner: Constant<Bits<1>>,
}

impl Logic for ReadMux {
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
        comment!("data: frames come in the order of the commands");
        self.keep_wide.next = bit_cast::<74, 8>(self.s_axis.tkeep.val());
        self.last_wide.next = 0.into();
        if self.s_axis.tlast.val() {
            self.last_wide.next = self.last_bit.val();
        }
        self.user_wide.next = 0.into();
        if self.s_axis.tuser.val() {
            self.user_wide.next = self.user_bit.val();
        }
        self.beats.s.data.next = (bit_cast::<74, 64>(self.s_axis.tdata.val())
            | (self.keep_wide.val() << 64)
            | self.last_wide.val()
            | self.user_wide.val())
        .into();
        self.beats.s.valid.next = self.s_axis.tvalid.val();
        self.s_axis.tready.next = self.beats.s.ready.val();
        self.is_wr.next = self.owners.m.data.val().get_bit(0);
        self.stands.next = self.beats.m.valid.val() & self.owners.m.valid.val();
        self.is_last.next = self.beats.m.data.val().tlast;
        self.m_pkt.tvalid.next = self.stands.val() & !self.is_wr.val();
        self.m_wr.tvalid.next = self.stands.val() & self.is_wr.val();
        self.moves.next = self.m_pkt.tready.val();
        if self.is_wr.val() {
            self.moves.next = self.m_wr.tready.val();
        }
        self.beats.m.ready.next = self.stands.val() & self.moves.val();
        self.owners.m.ready.next = self.stands.val() & self.moves.val() & self.is_last.val();
        self.m_pkt.tdata.next = self.beats.m.data.val().tdata;
        self.m_pkt.tkeep.next = self.beats.m.data.val().tkeep;
        self.m_pkt.tlast.next = self.is_last.val();
        self.m_pkt.tuser.next = self.beats.m.data.val().tuser;
        self.m_wr.tdata.next = self.beats.m.data.val().tdata;
        self.m_wr.tlast.next = self.is_last.val();
        self.m_wr.tuser.next = self.beats.m.data.val().tuser;
    }
}
