//! Two users of the read engine: data of packets and work requests. Each gets its own data back.
//!
//! # Interface timing  cycle 0: a sink's command taken; cycle 1: m_cmd. A beat passes in one cycle
//! # Latency and rate  [`LATENCY_CYCLES`]; one command every other cycle of each sink, sinks in
//!                     turn; one beat per cycle
//! # Shape             a register a sink: neither waits for the other to be taken. A command of 0
//!                     bytes has no frame. Sixteen frames may be on their way
//! # Reset             synchronous, high: idle; the data outputs hold while no valid is high
//! # Twins             sim/src/golden/host/read_mux.rs, tests/read_mux.rs

use crate::util::{fifo::Fifo, skid::Skid};
use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Cycles from a command or a beat at a sink to the source.
pub const LATENCY_CYCLES: usize = 1;

/// Mux of a datapath of 64 bits.
#[block]
pub struct ReadMux {
    /// Command for a packet's data.
    pub s_pkt_valid: Signal<In, Bit>,
    /// It will be taken.
    pub s_pkt_ready: Signal<Out, Bit>,
    /// Byte address.
    pub s_pkt_addr: Signal<In, Bits<64>>,
    /// Length, 0..=4096.
    pub s_pkt_bytes: Signal<In, Bits<13>>,
    /// Command for a work request.
    pub s_wr_valid: Signal<In, Bit>,
    /// It will be taken.
    pub s_wr_ready: Signal<Out, Bit>,
    /// Byte address.
    pub s_wr_addr: Signal<In, Bits<64>>,
    /// Length, 0..=4096.
    pub s_wr_bytes: Signal<In, Bits<13>>,
    /// Command for the read engine.
    pub m_cmd_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_cmd_ready: Signal<In, Bit>,
    /// Byte address.
    pub m_cmd_addr: Signal<Out, Bits<64>>,
    /// Length.
    pub m_cmd_bytes: Signal<Out, Bits<13>>,
    /// Data from the read engine.
    pub s_axis_tdata: Signal<In, Bits<64>>,
    /// Valid bytes.
    pub s_axis_tkeep: Signal<In, Bits<8>>,
    /// Last beat of a command.
    pub s_axis_tlast: Signal<In, Bit>,
    /// On the last beat: the memory reported an error.
    pub s_axis_tuser: Signal<In, Bit>,
    /// A beat is offered.
    pub s_axis_tvalid: Signal<In, Bit>,
    /// It will be taken.
    pub s_axis_tready: Signal<Out, Bit>,
    /// Data of a packet.
    pub m_pkt_tdata: Signal<Out, Bits<64>>,
    /// Valid bytes.
    pub m_pkt_tkeep: Signal<Out, Bits<8>>,
    /// Last beat.
    pub m_pkt_tlast: Signal<Out, Bit>,
    /// Error, on the last beat.
    pub m_pkt_tuser: Signal<Out, Bit>,
    /// A beat stands.
    pub m_pkt_tvalid: Signal<Out, Bit>,
    /// It is taken.
    pub m_pkt_tready: Signal<In, Bit>,
    /// Data of a work request.
    pub m_wr_tdata: Signal<Out, Bits<64>>,
    /// Last beat.
    pub m_wr_tlast: Signal<Out, Bit>,
    /// Error, on the last beat.
    pub m_wr_tuser: Signal<Out, Bit>,
    /// A beat stands.
    pub m_wr_tvalid: Signal<Out, Bit>,
    /// It is taken.
    pub m_wr_tready: Signal<In, Bit>,
    owners: Fifo<1, 4, 5>,
    beats: Skid<74>,
    is_wr_turn: Reg<Bit>,
    pkt_valid: Reg<Bit>,
    pkt_addr: Reg<Bits<64>>,
    pkt_bytes: Reg<Bits<13>>,
    wr_valid: Reg<Bit>,
    wr_addr: Reg<Bits<64>>,
    wr_bytes: Reg<Bits<13>>,
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
        self.s_pkt_ready.next = !self.pkt_valid.val();
        self.s_wr_ready.next = !self.wr_valid.val();
        self.cmd_valid.next = self.pkt_valid.val() & self.owners.s_ready.val();
        self.m_cmd_addr.next = self.pkt_addr.val();
        self.cmd_bytes.next = self.pkt_bytes.val();
        self.owners.s_data.next = self.pkt_owner.val();
        if self.is_wr_turn.val() {
            self.cmd_valid.next = self.wr_valid.val() & self.owners.s_ready.val();
            self.m_cmd_addr.next = self.wr_addr.val();
            self.cmd_bytes.next = self.wr_bytes.val();
            self.owners.s_data.next = self.wr_owner.val();
        }
        self.m_cmd_valid.next = self.cmd_valid.val();
        self.m_cmd_bytes.next = self.cmd_bytes.val();
        self.goes.next = self.cmd_valid.val() & self.m_cmd_ready.val();
        self.owners.s_valid.next = self.goes.val() & self.cmd_bytes.val().any();
        if self.s_pkt_valid.val() & !self.pkt_valid.val() {
            self.pkt_valid.next = true;
            self.pkt_addr.next = self.s_pkt_addr.val();
            self.pkt_bytes.next = self.s_pkt_bytes.val();
        }
        if self.s_wr_valid.val() & !self.wr_valid.val() {
            self.wr_valid.next = true;
            self.wr_addr.next = self.s_wr_addr.val();
            self.wr_bytes.next = self.s_wr_bytes.val();
        }
        comment!("the turn goes to the other one if that waits or comes, and this one is done");
        if self.is_wr_turn.val() {
            if self.goes.val() {
                self.wr_valid.next = false;
            }
            if (self.pkt_valid.val() | self.s_pkt_valid.val())
                & (self.goes.val() | !self.wr_valid.val())
            {
                self.is_wr_turn.next = false;
            }
        } else {
            if self.goes.val() {
                self.pkt_valid.next = false;
            }
            if (self.wr_valid.val() | self.s_wr_valid.val())
                & (self.goes.val() | !self.pkt_valid.val())
            {
                self.is_wr_turn.next = true;
            }
        }
        comment!("data: frames come in the order of the commands");
        self.keep_wide.next = bit_cast::<74, 8>(self.s_axis_tkeep.val());
        self.last_wide.next = 0.into();
        if self.s_axis_tlast.val() {
            self.last_wide.next = self.last_bit.val();
        }
        self.user_wide.next = 0.into();
        if self.s_axis_tuser.val() {
            self.user_wide.next = self.user_bit.val();
        }
        self.beats.s_data.next = bit_cast::<74, 64>(self.s_axis_tdata.val())
            | (self.keep_wide.val() << 64)
            | self.last_wide.val()
            | self.user_wide.val();
        self.beats.s_valid.next = self.s_axis_tvalid.val();
        self.s_axis_tready.next = self.beats.s_ready.val();
        self.is_wr.next = self.owners.m_data.val().get_bit(0);
        self.stands.next = self.beats.m_valid.val() & self.owners.m_valid.val();
        self.is_last.next = self.beats.m_data.val().get_bit(72);
        self.m_pkt_tvalid.next = self.stands.val() & !self.is_wr.val();
        self.m_wr_tvalid.next = self.stands.val() & self.is_wr.val();
        self.moves.next = self.m_pkt_tready.val();
        if self.is_wr.val() {
            self.moves.next = self.m_wr_tready.val();
        }
        self.beats.m_ready.next = self.stands.val() & self.moves.val();
        self.owners.m_ready.next = self.stands.val() & self.moves.val() & self.is_last.val();
        self.m_pkt_tdata.next = self.beats.m_data.val().get_bits::<64>(0);
        self.m_pkt_tkeep.next = self.beats.m_data.val().get_bits::<8>(64);
        self.m_pkt_tlast.next = self.is_last.val();
        self.m_pkt_tuser.next = self.beats.m_data.val().get_bit(73);
        self.m_wr_tdata.next = self.beats.m_data.val().get_bits::<64>(0);
        self.m_wr_tlast.next = self.is_last.val();
        self.m_wr_tuser.next = self.beats.m_data.val().get_bit(73);
    }
}
