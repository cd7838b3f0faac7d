//! BTH, RETH, AETH and ImmDt.
//!
//! # Source            InfiniBand architecture, volume 1, chapter 9; annex A17 (RoCEv2)
//! # Interface timing  fields: the cycle after their beat, until the next packet's
//! # Latency and rate  one beat per cycle, no ready
//! # Reset             synchronous, high
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::rx::header::opcode::RxOpcode;
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Transport header stage of the 64-bit rx pipe. Behind the stripped packet's UDP header
/// everything has a fixed place: BTH at byte 28, extension headers at byte 40.
#[block]
pub struct RxBth {
    /// Our partition key.
    pub cfg_pkey: Signal<In, Bits<16>>,
    /// A beat of the packet without telemetry.
    pub s_valid: Signal<In, Bit>,
    /// Its bytes.
    pub s_data: Signal<In, Bits<64>>,
    /// First beat.
    pub s_first: Signal<In, Bit>,
    /// Source address.
    pub src_ip: Signal<Out, Bits<32>>,
    /// Low byte of the UDP source port.
    pub src_port: Signal<Out, Bits<8>>,
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
    code: RxOpcode,
    beat: Reg<Bits<4>>,
    src: Unreset<Bits<32>>,
    port: Unreset<Bits<8>>,
    se: Unreset<Bit>,
    ar: Unreset<Bit>,
    dest: Unreset<Bits<24>>,
    seq: Unreset<Bits<24>>,
    address: Unreset<Bits<64>>,
    key: Unreset<Bits<32>>,
    length: Unreset<Bits<32>>,
    word: Unreset<Bits<32>>,
    pad: Unreset<Bits<2>>,
    tver_ok: Unreset<Bit>,
    key_ok: Unreset<Bit>,
    index: Signal<Local, Bits<4>>,
    base_equal: Signal<Local, Bit>,
    full_member: Signal<Local, Bit>,
    base_used: Signal<Local, Bit>,
    low_word: Signal<Local, Bits<32>>,
    high_word: Signal<Local, Bits<32>>,
    low_wide: Signal<Local, Bits<64>>,
    high_wide: Signal<Local, Bits<64>>,
    key_high: Signal<Local, Bits<8>>,
    key_low: Signal<Local, Bits<8>>,
    byte_0: Signal<Local, Bits<32>>,
    byte_1: Signal<Local, Bits<32>>,
    byte_2: Signal<Local, Bits<32>>,
    byte_3: Signal<Local, Bits<32>>,
    byte_4: Signal<Local, Bits<32>>,
    byte_5: Signal<Local, Bits<32>>,
    byte_6: Signal<Local, Bits<32>>,
    byte_7: Signal<Local, Bits<32>>,
}

impl Logic for RxBth {
    #[hdl_gen]
    fn update(&mut self) {
        self.src_ip.next = self.src.val();
        self.src_port.next = self.port.val();
        self.solicited.next = self.se.val();
        self.ack_req.next = self.ar.val();
        self.qpn.next = self.dest.val();
        self.psn.next = self.seq.val();
        self.va.next = self.address.val();
        self.rkey.next = self.key.val();
        self.dma_len.next = self.length.val();
        self.imm.next = self.word.val();
        self.version_ok.next = self.tver_ok.val();
        self.pkey_ok.next = self.key_ok.val();
        self.pad_count.next = self.pad.val();
        self.index.next = self.beat.val();
        if self.s_first.val() {
            self.index.next = 0.into();
        }
        if self.s_valid.val() {
            self.beat.next = self.index.val();
            if self.index.val() != 8 {
                self.beat.next = self.index.val() + 1;
            }
        }
        comment!("Words in network order.");
        self.byte_0.next = bit_cast::<32, 8>(self.s_data.val().get_bits::<8>(0));
        self.byte_1.next = bit_cast::<32, 8>(self.s_data.val().get_bits::<8>(8));
        self.byte_2.next = bit_cast::<32, 8>(self.s_data.val().get_bits::<8>(16));
        self.byte_3.next = bit_cast::<32, 8>(self.s_data.val().get_bits::<8>(24));
        self.byte_4.next = bit_cast::<32, 8>(self.s_data.val().get_bits::<8>(32));
        self.byte_5.next = bit_cast::<32, 8>(self.s_data.val().get_bits::<8>(40));
        self.byte_6.next = bit_cast::<32, 8>(self.s_data.val().get_bits::<8>(48));
        self.byte_7.next = bit_cast::<32, 8>(self.s_data.val().get_bits::<8>(56));
        self.low_word.next = (self.byte_0.val() << 24)
            | (self.byte_1.val() << 16)
            | (self.byte_2.val() << 8)
            | self.byte_3.val();
        self.high_word.next = (self.byte_4.val() << 24)
            | (self.byte_5.val() << 16)
            | (self.byte_6.val() << 8)
            | self.byte_7.val();
        self.low_wide.next = bit_cast::<64, 32>(self.low_word.val());
        self.high_wide.next = bit_cast::<64, 32>(self.high_word.val());
        self.code.s_valid.next = self.s_valid.val() & (self.index.val() == 3);
        self.code.s_code.next = self.s_data.val().get_bits::<8>(32);
        self.opcode.next = self.code.opcode.val();
        self.is_request.next = self.code.is_request.val();
        self.is_ack.next = self.code.is_ack.val();
        self.is_response.next = self.code.is_response.val();
        self.is_feedback.next = self.code.is_feedback.val();
        self.has_reth.next = self.code.has_reth.val();
        self.has_word.next = self.code.has_word.val();
        comment!("Partition keys: the low 15 bits are equal and not 0; one side is a full member.");
        self.key_high.next = self.s_data.val().get_bits::<8>(48);
        self.key_low.next = self.s_data.val().get_bits::<8>(56);
        self.base_equal.next = (self.key_low.val() == self.cfg_pkey.val().get_bits::<8>(0))
            & (self.key_high.val().get_bits::<7>(0) == self.cfg_pkey.val().get_bits::<7>(8));
        self.full_member.next = self.key_high.val().get_bit(7) | self.cfg_pkey.val().get_bit(15);
        self.base_used.next = self.cfg_pkey.val().get_bits::<15>(0).any();
        if self.s_valid.val() {
            match self.index.val().index() {
                1 => self.src.next = self.high_word.val(),
                2 => self.port.next = self.s_data.val().get_bits::<8>(40),
                3 => {
                    self.se.next = self.s_data.val().get_bit(47);
                    self.tver_ok.next = self.s_data.val().get_bits::<4>(40) == 0;
                    self.key_ok.next =
                        self.base_equal.val() & self.full_member.val() & self.base_used.val();
                    self.pad.next = self.s_data.val().get_bits::<2>(44);
                    self.address.next = 0.into();
                    self.key.next = 0.into();
                    self.length.next = 0.into();
                    self.word.next = 0.into();
                }
                4 => {
                    self.dest.next = self.low_word.val().get_bits::<24>(0);
                    self.ar.next = self.s_data.val().get_bit(39);
                    self.seq.next = self.high_word.val().get_bits::<24>(0);
                }
                5 => {
                    if self.code.has_reth.val() {
                        self.address.next = (self.low_wide.val() << 32) | self.high_wide.val();
                    } else if self.code.has_word.val() {
                        self.word.next = self.low_word.val();
                    }
                }
                6 => {
                    if self.code.has_reth.val() {
                        self.key.next = self.low_word.val();
                        self.length.next = self.high_word.val();
                    }
                }
                7 => {
                    if self.code.has_reth.val() & self.code.has_word.val() {
                        self.word.next = self.low_word.val();
                    }
                }
                _ => {}
            }
        }
    }
}
