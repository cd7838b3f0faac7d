//! BTH, RETH, AETH and ImmDt.
//!
//! What decides about the packet is read as it comes; its fields when the verdict is there, from its
//! first 64 bytes, which are gathered from the same beats later.
//!
//! # Source            InfiniBand architecture, volume 1, chapter 9; annex A17 (RoCEv2)
//! # Interface timing  cycle 0: s; cycle 1: m, and what the opcode says, from the beat with byte 31
//!                     on; cycle 3 after the end: the fields
//! # Latency and rate  1; one beat per cycle, no ready
//! # Reset             synchronous, high
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::rx::header::opcode::RxOpcode;
use crate::streams::PacketBeat;
use crate::util::gather::Gather;
use crate::{block, kernel, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Byte of the packet without telemetry at which the BTH begins.
const BTH_AT: usize = 28;

/// Transport header stage of the rx pipe. Behind the stripped packet's UDP header everything has a
/// fixed place: BTH at byte 28, extension headers at byte 40.
#[block(check(W == 8 * KB))]
pub struct RxBth<const W: usize, const KB: usize> {
    /// Our partition key.
    pub cfg_pkey: Signal<In, Bits<16>>,
    /// A beat of the packet without telemetry.
    pub s: PacketBeat<In, W>,
    /// UDP source port of its packet.
    pub s_src_port: Signal<In, Bits<16>>,
    /// The same beat.
    pub m: PacketBeat<Out, W>,
    /// A request that the responder answers.
    pub is_request: Signal<Out, Bit>,
    /// An ACKNOWLEDGE.
    pub is_ack: Signal<Out, Bit>,
    /// A READ response.
    pub is_response: Signal<Out, Bit>,
    /// A telemetry response.
    pub is_feedback: Signal<Out, Bit>,
    /// Transport version 0.
    pub version_ok: Signal<Out, Bit>,
    /// The partition keys match.
    pub pkey_ok: Signal<Out, Bit>,
    /// A RETH is there.
    pub has_reth: Signal<Out, Bit>,
    /// Four more bytes of AETH or ImmDt are there.
    pub has_word: Signal<Out, Bit>,
    /// Pad bytes.
    pub pad_count: Signal<Out, Bits<2>>,
    /// It ends up at the requester.
    pub for_requester: Signal<Out, Bit>,
    /// It is telemetry alone.
    pub for_feedback: Signal<Out, Bit>,
    /// UDP source port.
    pub src_port: Signal<Out, Bits<16>>,
    /// Source address.
    pub src_ip: Signal<Out, Bits<32>>,
    /// Operation code.
    pub opcode: Signal<Out, Bits<8>>,
    /// Solicited event.
    pub solicited: Signal<Out, Bit>,
    /// Acknowledge request.
    pub ack_req: Signal<Out, Bit>,
    /// Destination queue pair.
    pub qpn: Signal<Out, Bits<24>>,
    /// Packet sequence number.
    pub psn: Signal<Out, Bits<24>>,
    /// RETH virtual address; 0 without RETH.
    pub va: Signal<Out, Bits<64>>,
    /// RETH key.
    pub rkey: Signal<Out, Bits<32>>,
    /// RETH length.
    pub dma_len: Signal<Out, Bits<32>>,
    /// Immediate data, or the AETH: syndrome in 31:24, MSN in 23:0.
    pub imm: Signal<Out, Bits<32>>,
    code: RxOpcode,
    head: Gather<W>,
    beat: Unreset<Bits<4>>,
    pad: Unreset<Bits<2>>,
    tver_ok: Unreset<Bit>,
    key_ok: Unreset<Bit>,
    out_valid: Reg<Bit>,
    out_data: Unreset<Bits<W>>,
    out_first: Unreset<Bit>,
    out_last: Unreset<Bit>,
    out_bytes: Unreset<Bits<7>>,
    out_end: Reg<Bit>,
    late_valid: Reg<Bit>,
    late_first: Unreset<Bit>,
    late_data: Unreset<Bits<W>>,
    late_reth: [Unreset<Bit>; 2],
    late_word: [Unreset<Bit>; 2],
    late_requester: [Unreset<Bit>; 2],
    late_feedback: [Unreset<Bit>; 2],
    late_port: [Unreset<Bits<16>>; 3],
    index: Signal<Local, Bits<4>>,
    is_bth: Signal<Local, Bit>,
    moved: Signal<Local, Bits<W>>,
    bth: Signal<Local, Bits<32>>,
    base_equal: Signal<Local, Bit>,
    full_member: Signal<Local, Bit>,
    base_used: Signal<Local, Bit>,
    eth_0: Signal<Local, Bits<32>>,
    eth_4: Signal<Local, Bits<32>>,
    eth_8: Signal<Local, Bits<32>>,
    eth_12: Signal<Local, Bits<32>>,
    eth_16: Signal<Local, Bits<32>>,
    high_wide: Signal<Local, Bits<64>>,
    low_wide: Signal<Local, Bits<64>>,
    #[value((BTH_AT / KB) as u64)]
    bth_beat: Constant<Bits<4>>,
    #[value((8 * (BTH_AT % KB)) as u64)]
    bth_bit: Constant<Bits<10>>,
}

#[kernel]
impl<const W: usize, const KB: usize> RxBth<W, KB> {
    fn update(&mut self) {
        self.decide();
        self.gather();
        self.fields();
    }

    /// The BTH's first word, as its beat comes.
    fn decide(&mut self) {
        self.index.next = self.beat.val();
        if self.s.first.val() {
            self.index.next = 0.into();
        }
        if self.s.valid.val() {
            self.beat.next = self.index.val();
            if self.index.val() != 8 {
                self.beat.next = self.index.val() + 1;
            }
        }
        self.is_bth.next = self.s.valid.val() & (self.index.val() == self.bth_beat.val());
        self.moved.next = self.s.data.val() >> self.bth_bit.val();
        self.bth.next = bit_cast::<32, W>(self.moved.val());
        self.code.s_valid.next = self.is_bth.val();
        self.code.s_code.next = self.bth.val().get_bits::<8>(0);
        comment!("Partition keys: the low 15 bits are equal and not 0; one side is a full member.");
        self.base_equal.next = (self.bth.val().get_bits::<8>(24)
            == self.cfg_pkey.val().get_bits::<8>(0))
            & (self.bth.val().get_bits::<7>(16) == self.cfg_pkey.val().get_bits::<7>(8));
        self.full_member.next = self.bth.val().get_bit(23) | self.cfg_pkey.val().get_bit(15);
        self.base_used.next = self.cfg_pkey.val().get_bits::<15>(0).any();
        if self.is_bth.val() {
            self.tver_ok.next = self.bth.val().get_bits::<4>(8) == 0;
            self.pad.next = self.bth.val().get_bits::<2>(12);
            self.key_ok.next =
                self.base_equal.val() & self.full_member.val() & self.base_used.val();
        }
        self.is_request.next = self.code.is_request.val();
        self.is_ack.next = self.code.is_ack.val();
        self.is_response.next = self.code.is_response.val();
        self.is_feedback.next = self.code.is_feedback.val();
        self.has_reth.next = self.code.has_reth.val();
        self.has_word.next = self.code.has_word.val();
        self.version_ok.next = self.tver_ok.val();
        self.pkey_ok.next = self.key_ok.val();
        self.pad_count.next = self.pad.val();
        self.out_valid.next = self.s.valid.val();
        self.out_data.next = self.s.data.val();
        self.out_first.next = self.s.first.val();
        self.out_last.next = self.s.last.val();
        self.out_bytes.next = self.s.bytes.val();
        self.out_end.next = self.s.end.val();
        self.m.valid.next = self.out_valid.val();
        self.m.data.next = self.out_data.val();
        self.m.first.next = self.out_first.val();
        self.m.last.next = self.out_last.val();
        self.m.bytes.next = self.out_bytes.val();
        self.m.end.next = self.out_end.val();
    }

    /// What the verdict is waited for with.
    fn gather(&mut self) {
        self.late_valid.next = self.out_valid.val();
        self.late_first.next = self.out_first.val();
        self.late_data.next = self.out_data.val();
        self.head.s_valid.next = self.late_valid.val();
        self.head.s_first.next = self.late_first.val();
        self.head.s_data.next = self.late_data.val();
        self.late_reth[0].next = self.code.has_reth.val();
        self.late_word[0].next = self.code.has_word.val();
        self.late_requester[0].next = self.code.is_ack.val() | self.code.is_response.val();
        self.late_feedback[0].next = self.code.is_feedback.val();
        self.late_port[0].next = self.s_src_port.val();
        for i in 0..2 {
            self.late_port[i + 1].next = self.late_port[i].val();
        }
        self.src_port.next = self.late_port[2].val();
        self.late_reth[1].next = self.late_reth[0].val();
        self.late_word[1].next = self.late_word[0].val();
        self.late_requester[1].next = self.late_requester[0].val();
        self.late_feedback[1].next = self.late_feedback[0].val();
        self.for_requester.next = self.late_requester[1].val();
        self.for_feedback.next = self.late_feedback[1].val();
    }

    /// Words in network order.
    fn fields(&mut self) {
        self.src_ip.next = bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(120))
            | (bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(112)) << 8)
            | (bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(104)) << 16)
            | (bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(96)) << 24);
        self.opcode.next = self.head.m_data.val().get_bits::<8>(224);
        self.solicited.next = self.head.m_data.val().get_bit(239);
        self.qpn.next = bit_cast::<24, 8>(self.head.m_data.val().get_bits::<8>(280))
            | (bit_cast::<24, 8>(self.head.m_data.val().get_bits::<8>(272)) << 8)
            | (bit_cast::<24, 8>(self.head.m_data.val().get_bits::<8>(264)) << 16);
        self.ack_req.next = self.head.m_data.val().get_bit(295);
        self.psn.next = bit_cast::<24, 8>(self.head.m_data.val().get_bits::<8>(312))
            | (bit_cast::<24, 8>(self.head.m_data.val().get_bits::<8>(304)) << 8)
            | (bit_cast::<24, 8>(self.head.m_data.val().get_bits::<8>(296)) << 16);
        self.eth_0.next = bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(344))
            | (bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(336)) << 8)
            | (bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(328)) << 16)
            | (bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(320)) << 24);
        self.eth_4.next = bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(376))
            | (bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(368)) << 8)
            | (bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(360)) << 16)
            | (bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(352)) << 24);
        self.eth_8.next = bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(408))
            | (bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(400)) << 8)
            | (bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(392)) << 16)
            | (bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(384)) << 24);
        self.eth_12.next = bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(440))
            | (bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(432)) << 8)
            | (bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(424)) << 16)
            | (bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(416)) << 24);
        self.eth_16.next = bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(472))
            | (bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(464)) << 8)
            | (bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(456)) << 16)
            | (bit_cast::<32, 8>(self.head.m_data.val().get_bits::<8>(448)) << 24);
        self.high_wide.next = bit_cast::<64, 32>(self.eth_0.val());
        self.low_wide.next = bit_cast::<64, 32>(self.eth_4.val());
        comment!("AETH and ImmDt stand behind the RETH, or in its place.");
        self.va.next = 0.into();
        self.rkey.next = 0.into();
        self.dma_len.next = 0.into();
        self.imm.next = 0.into();
        if self.late_word[1].val() {
            self.imm.next = self.eth_0.val();
        }
        if self.late_reth[1].val() {
            self.va.next = (self.high_wide.val() << 32) | self.low_wide.val();
            self.rkey.next = self.eth_8.val();
            self.dma_len.next = self.eth_12.val();
            self.imm.next = 0.into();
            if self.late_word[1].val() {
                self.imm.next = self.eth_16.val();
            }
        }
    }
}
