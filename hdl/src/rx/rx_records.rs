//! Records of accepted packets, in order, towards responder (requests) and requester (ACKs).
//!
//! A record is written when its fields are complete and becomes visible when its frame is accepted.
//!
//! # Interface timing  cycle 0: s_store with the fields; any later cycle c: s_commit, without
//!                     another s_store between; cycle c + 2: m_req or m_ack
//! # Latency and rate  2; one record per cycle
//! # Shape             holds 16 records; rx_room sees to it that there is room
//! # Reset             synchronous, high: empty, fields 0; they hold their last value while valid is
//!                     low
//! # Twins             part of sim/src/golden/rx/rx_pipe.rs, tests/rx_pipe.rs

use crate::util::lut_ram::LutRam;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Record FIFO of the rx pipe. A record is 19 words: va, rkey, dma_len, imm, src_ip, `{opcode,
/// qpn}`, `{flags, psn}`, `{tel_path, tel_hops, tel_valid, payload_bytes}`, hops.
#[derive(LogicBlock, Default)]
pub struct RxRecords {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// Write the record behind the last one.
    pub s_store: Signal<In, Bit>,
    /// Make it visible.
    pub s_commit: Signal<In, Bit>,
    /// The record is an ACK.
    pub is_ack: Signal<In, Bit>,
    /// Queue pair.
    pub qpn: Signal<In, Bits<24>>,
    /// Operation code.
    pub opcode: Signal<In, Bits<8>>,
    /// Packet sequence number.
    pub psn: Signal<In, Bits<24>>,
    /// Acknowledge request.
    pub ack_req: Signal<In, Bit>,
    /// Solicited event.
    pub solicited: Signal<In, Bit>,
    /// Bytes of payload.
    pub payload_bytes: Signal<In, Bits<13>>,
    /// RETH virtual address.
    pub va: Signal<In, Bits<64>>,
    /// RETH key.
    pub rkey: Signal<In, Bits<32>>,
    /// RETH length.
    pub dma_len: Signal<In, Bits<32>>,
    /// Immediate data or AETH.
    pub imm: Signal<In, Bits<32>>,
    /// Source address.
    pub src_ip: Signal<In, Bits<32>>,
    /// Telemetry is there.
    pub tel_valid: Signal<In, Bit>,
    /// Its hops.
    pub tel_hops: Signal<In, Bits<3>>,
    /// Its path.
    pub tel_path: Signal<In, Bits<12>>,
    /// Its records.
    pub tel_hop: [Signal<In, Bits<64>>; 5],
    /// A request stands at the source.
    pub m_req_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_req_ready: Signal<In, Bit>,
    /// An ACK stands at the source.
    pub m_ack_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_ack_ready: Signal<In, Bit>,
    /// Words of the record at the source.
    pub m_word: [Signal<Out, Bits<32>>; 19],
    ram: [LutRam<4, 32>; 19],
    head: [DFF<Bits<32>>; 19],
    head_valid: DFF<Bit>,
    write_index: DFF<Bits<4>>,
    read_index: DFF<Bits<4>>,
    word: [Signal<Local, Bits<32>>; 19],
    head_ack: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    opcode_wide: Signal<Local, Bits<32>>,
    ack_req_wide: Signal<Local, Bits<32>>,
    solicited_wide: Signal<Local, Bits<32>>,
    is_ack_wide: Signal<Local, Bits<32>>,
    tel_valid_wide: Signal<Local, Bits<32>>,
    hops_wide: Signal<Local, Bits<32>>,
    path_wide: Signal<Local, Bits<32>>,
}

impl Logic for RxRecords {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, head_valid, write_index, read_index);
        self.head_ack.next = self.head[7].q.val().get_bit(24);
        self.m_req_valid.next = self.head_valid.q.val() & !self.head_ack.val();
        self.m_ack_valid.next = self.head_valid.q.val() & self.head_ack.val();
        comment!("Fields to words.");
        self.opcode_wide.next = bit_cast::<32, 8>(self.opcode.val());
        self.is_ack_wide.next = 0.into();
        if self.is_ack.val() {
            self.is_ack_wide.next = 0x0100_0000.into();
        }
        self.solicited_wide.next = 0.into();
        if self.solicited.val() {
            self.solicited_wide.next = 0x0200_0000.into();
        }
        self.ack_req_wide.next = 0.into();
        if self.ack_req.val() {
            self.ack_req_wide.next = 0x0400_0000.into();
        }
        self.tel_valid_wide.next = 0.into();
        if self.tel_valid.val() {
            self.tel_valid_wide.next = 0x2000.into();
        }
        self.hops_wide.next = bit_cast::<32, 3>(self.tel_hops.val());
        self.path_wide.next = bit_cast::<32, 12>(self.tel_path.val());
        self.word[0].next = self.va.val().get_bits::<32>(0);
        self.word[1].next = self.va.val().get_bits::<32>(32);
        self.word[2].next = self.rkey.val();
        self.word[3].next = self.dma_len.val();
        self.word[4].next = self.imm.val();
        self.word[5].next = self.src_ip.val();
        self.word[6].next = bit_cast::<32, 24>(self.qpn.val()) | (self.opcode_wide.val() << 24);
        self.word[7].next = bit_cast::<32, 24>(self.psn.val())
            | self.is_ack_wide.val()
            | self.solicited_wide.val()
            | self.ack_req_wide.val();
        self.word[8].next = bit_cast::<32, 13>(self.payload_bytes.val())
            | self.tel_valid_wide.val()
            | (self.hops_wide.val() << 14)
            | (self.path_wide.val() << 17);
        self.word[9].next = self.tel_hop[0].val().get_bits::<32>(0);
        self.word[10].next = self.tel_hop[0].val().get_bits::<32>(32);
        self.word[11].next = self.tel_hop[1].val().get_bits::<32>(0);
        self.word[12].next = self.tel_hop[1].val().get_bits::<32>(32);
        self.word[13].next = self.tel_hop[2].val().get_bits::<32>(0);
        self.word[14].next = self.tel_hop[2].val().get_bits::<32>(32);
        self.word[15].next = self.tel_hop[3].val().get_bits::<32>(0);
        self.word[16].next = self.tel_hop[3].val().get_bits::<32>(32);
        self.word[17].next = self.tel_hop[4].val().get_bits::<32>(0);
        self.word[18].next = self.tel_hop[4].val().get_bits::<32>(32);
        comment!("The head is loaded when it is free.");
        self.pop.next = (self.m_req_ready.val() & !self.head_ack.val())
            | (self.m_ack_ready.val() & self.head_ack.val());
        self.load.next = (self.pop.val() | !self.head_valid.q.val())
            & (self.write_index.q.val() != self.read_index.q.val());
        if self.load.val() {
            self.head_valid.d.next = true;
            self.read_index.d.next = self.read_index.q.val() + 1;
        } else if self.pop.val() {
            self.head_valid.d.next = false;
        }
        if self.s_commit.val() {
            self.write_index.d.next = self.write_index.q.val() + 1;
        }
        for i in 0..19 {
            self.ram[i].clock.next = self.clock.val();
            self.ram[i].write_enable.next = self.s_store.val();
            self.ram[i].write_address.next = self.write_index.q.val();
            self.ram[i].write_data.next = self.word[i].val();
            self.ram[i].read_address.next = self.read_index.q.val();
            self.head[i].clock.next = self.clock.val();
            self.head[i].d.next = self.head[i].q.val();
            self.m_word[i].next = self.head[i].q.val();
            if self.load.val() {
                self.head[i].d.next = self.ram[i].read_data.val();
            }
            if self.reset.val() {
                self.head[i].d.next = 0.into();
            }
        }
        if self.reset.val() {
            self.head_valid.d.next = false;
            self.write_index.d.next = 0.into();
            self.read_index.d.next = 0.into();
        }
    }
}
