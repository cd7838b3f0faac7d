//! Pieces of a frame: what is sent, and what the ICRC covers of it.
//!
//! # Source            as `tx_seq`
//! # Interface timing  part of `tx_pipe`: fields are copied with s_copy, lengths in C1, the
//!                     checksum is used in C3; the piece of a state is at p_ and c_ in the cycle
//!                     after
//! # Number formats    pieces carry their first byte in bits 7:0; bytes behind p_bytes are 0
//! # ICRC              ToS, TTL, both checksums and BTH byte 4 are ones; lengths as without
//!                     telemetry, telemetry left out. What it covers is made a multiple of eight
//!                     bytes by four zeros in front, c_skip, which the seed makes up for as for
//!                     the eight bytes of ones that stand for the Ethernet header
//! # Reset             synchronous, high: no piece
//! # Length            a kernel stands in one file, and this one knows all headers
//! # Twins             sim/models/src/golden/tx/pipe.rs, tests/tx/tx_pipe.rs

use crate::cc::hop::HopRecord;
use crate::streams::{CoveredPiece, FrameHeader};
use crate::tx::seq::SeqState;
use crate::{block, kernel, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Pieces of a frame.
#[block]
pub struct TxPiece {
    /// Our MAC address.
    pub cfg_local_mac: Signal<In, Bits<48>>,
    /// Our IPv4 address.
    pub cfg_local_ip: Signal<In, Bits<32>>,
    /// Partition key.
    pub cfg_pkey: Signal<In, Bits<16>>,
    /// Time to live.
    pub cfg_ttl: Signal<In, Bits<8>>,
    /// UDP port that marks INT-MD.
    pub cfg_tel_port: Signal<In, Bits<16>>,
    /// IOAM asks for binary fractions of a second, without seconds.
    pub cfg_tel_time_binary: Signal<In, Bit>,
    /// State of the sequencer.
    pub state: Signal<In, SeqState>,
    /// Copy the fields of the item.
    pub s_copy: Signal<In, Bit>,
    /// The records move: copied, or in Hop shifted.
    pub s_hops_move: Signal<In, Bit>,
    /// The item is an ACK or a telemetry response.
    pub s_is_ack: Signal<In, Bit>,
    /// It is a telemetry response.
    pub s_is_feedback: Signal<In, Bit>,
    /// It is then the answer to a probe.
    pub s_is_answer: Signal<In, Bit>,
    /// What the headers of the item say.
    pub s: FrameHeader<In>,
    /// Data packet.
    pub pkt_opcode: Signal<In, Bits<8>>,
    /// Data packet.
    pub pkt_psn: Signal<In, Bits<24>>,
    /// Data packet.
    pub pkt_ack_req: Signal<In, Bit>,
    /// Data packet.
    pub pkt_solicited: Signal<In, Bit>,
    /// Data packet.
    pub pkt_payload_bytes: Signal<In, Bits<13>>,
    /// Data packet.
    pub pkt_va: Signal<In, Bits<64>>,
    /// Data packet.
    pub pkt_rkey: Signal<In, Bits<32>>,
    /// Data packet.
    pub pkt_dma_len: Signal<In, Bits<32>>,
    /// Data packet.
    pub pkt_imm: Signal<In, Bits<32>>,
    /// READ response: AETH syndrome.
    pub pkt_syndrome: Signal<In, Bits<8>>,
    /// READ response: MSN.
    pub pkt_msn: Signal<In, Bits<24>>,
    /// ACK: AETH syndrome.
    pub ack_syndrome: Signal<In, Bits<8>>,
    /// ACK: MSN.
    pub ack_msn: Signal<In, Bits<24>>,
    /// ACK, telemetry response: PSN.
    pub ack_psn: Signal<In, Bits<24>>,
    /// ACK, telemetry response: XOR of the switches' identifiers.
    pub ack_tel_path: Signal<In, Bits<12>>,
    /// ACK, telemetry response: records.
    pub ack_tel_hop: [Signal<In, Bits<64>>; 5],
    /// The frame has a RETH.
    pub has_reth: Signal<In, Bit>,
    /// The frame has an ImmDt or AETH.
    pub has_word: Signal<In, Bit>,
    /// The frame has payload.
    pub has_payload: Signal<In, Bit>,
    /// The frame is dropped.
    pub is_bad: Signal<In, Bit>,
    /// The frame's ICRC has to wait.
    pub is_stuck: Signal<In, Bit>,
    /// The host frame is too long.
    pub is_long: Signal<In, Bit>,
    /// Records of the frame.
    pub hop_count: Signal<In, Bits<3>>,
    /// Payload beat.
    pub s_data_tvalid: Signal<In, Bit>,
    /// Its bytes.
    pub s_data_tdata: Signal<In, Bits<64>>,
    /// Which of them are valid.
    pub s_data_tkeep: Signal<In, Bits<8>>,
    /// Last of the payload.
    pub s_data_tlast: Signal<In, Bit>,
    /// Host frame beat.
    pub s_host_tvalid: Signal<In, Bit>,
    /// Its bytes.
    pub s_host_tdata: Signal<In, Bits<64>>,
    /// Which of them are valid.
    pub s_host_tkeep: Signal<In, Bits<8>>,
    /// Last of the frame.
    pub s_host_tlast: Signal<In, Bit>,
    /// A piece of the frame.
    pub p: CoveredPiece<Out>,
    /// A piece that the ICRC covers.
    pub c_valid: Signal<Out, Bit>,
    /// Its bytes.
    pub c_data: Signal<Out, Bits<64>>,
    /// How many.
    pub c_bytes: Signal<Out, Bits<4>>,
    /// Last of the frame.
    pub c_last: Signal<Out, Bit>,
    /// Four zeros stand in front of the frame, from the cycle after C0 on.
    pub c_skip: Signal<Out, Bit>,
    mac: Unreset<Bits<48>>,
    ip: Unreset<Bits<32>>,
    port: Unreset<Bits<16>>,
    qpn: Unreset<Bits<24>>,
    dscp: Unreset<Bits<6>>,
    dscp_plain: Unreset<Bits<6>>,
    id: Unreset<Bits<16>>,
    ip_len: Unreset<Bits<16>>,
    udp_len: Unreset<Bits<16>>,
    ip_plain: Unreset<Bits<16>>,
    udp_plain: Unreset<Bits<16>>,
    form: Unreset<Bits<3>>,
    opcode: Unreset<Bits<8>>,
    psn: Unreset<Bits<24>>,
    ack_req: Unreset<Bit>,
    solicited: Unreset<Bit>,
    pad: Unreset<Bits<2>>,
    va: Unreset<Bits<64>>,
    rkey: Unreset<Bits<32>>,
    dma_len: Unreset<Bits<32>>,
    last_word: Unreset<Bits<32>>,
    path: Unreset<Bits<12>>,
    hops: Unreset<Bits<320>>,
    sent: Reg<Bit>,
    sent_data: Unreset<Bits<64>>,
    sent_bytes: Unreset<Bits<4>>,
    sent_last: Unreset<Bit>,
    sent_bad: Unreset<Bit>,
    sent_icrc: Unreset<Bit>,
    crc: Reg<Bit>,
    crc_data: Unreset<Bits<64>>,
    crc_bytes: Unreset<Bits<4>>,
    crc_last: Unreset<Bit>,
    crc_skip: Unreset<Bit>,
    beat: Signal<Local, Bits<64>>,
    keep: Signal<Local, Bits<8>>,
    beat_bytes: Signal<Local, Bits<4>>,
    beat_mask: Signal<Local, Bits<64>>,
    kept: Signal<Local, Bits<64>>,
    hop: Signal<Local, HopRecord>,
    queue: Signal<Local, Bits<64>>,
    paper: Signal<Local, Bits<64>>,
    udp: Signal<Local, Bits<64>>,
    c3: Signal<Local, Bits<64>>,
    b0: Signal<Local, Bits<64>>,
    b0_masked: Signal<Local, Bits<64>>,
    b0_low: Signal<Local, Bits<64>>,
    b1: Signal<Local, Bits<64>>,
    is_paper: Signal<Local, Bit>,
    by_port: Signal<Local, Bit>,
    is_int: Signal<Local, Bit>,
    int_head: Signal<Local, Bits<64>>,
    is_ioam: Signal<Local, Bit>,
    is_ifa: Signal<Local, Bit>,
    ifa_front: Signal<Local, Bits<64>>,
    ifa_back: Signal<Local, Bits<64>>,
    ioam_middle: Signal<Local, Bits<64>>,
    target_port: Signal<Local, Bits<64>>,
    is_odd: Signal<Local, Bit>,
    word: Signal<Local, Bits<64>>,
    masked: Signal<Local, Bits<64>>,
    word_le: Signal<Local, Bits<64>>,
    masked_le: Signal<Local, Bits<64>>,
    raw: Signal<Local, Bit>,
    piece: Signal<Local, Bit>,
    covered: Signal<Local, Bit>,
    bytes: Signal<Local, Bits<4>>,
    covered_bytes: Signal<Local, Bits<4>>,
    ends: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    bad: Signal<Local, Bit>,
    icrc: Signal<Local, Bit>,
    payload_low: Signal<Local, Bits<2>>,
    minus_pad: Signal<Local, Bits<2>>,
    #[value(0)]
    no_bytes: Constant<Bits<2>>,
    #[value(u64::MAX >> 56)]
    byte_1: Constant<Bits<64>>,
    #[value(u64::MAX >> 48)]
    byte_2: Constant<Bits<64>>,
    #[value(u64::MAX >> 40)]
    byte_3: Constant<Bits<64>>,
    #[value(u64::MAX >> 32)]
    byte_4: Constant<Bits<64>>,
    #[value(u64::MAX >> 24)]
    byte_5: Constant<Bits<64>>,
    #[value(u64::MAX >> 16)]
    byte_6: Constant<Bits<64>>,
    #[value(u64::MAX >> 8)]
    byte_7: Constant<Bits<64>>,
    #[value(u64::MAX)]
    byte_8: Constant<Bits<64>>,
    #[value(0x0800_4500)]
    type_version: Constant<Bits<64>>,
    #[value(0x45ff_u64 << 48)]
    version_ones: Constant<Bits<64>>,
    #[value(0x4000_0011)]
    flags_protocol: Constant<Bits<64>>,
    #[value(0x4000_ff11)]
    flags_ttl_protocol: Constant<Bits<64>>,
    #[value(0xffff_u64 << 48)]
    top_ones: Constant<Bits<64>>,
    #[value(4791_u64 << 16)]
    roce_port: Constant<Bits<64>>,
    #[value(0xff00_0000)]
    reserved_ones: Constant<Bits<64>>,
    #[value(u64::MAX << 16)]
    top_six: Constant<Bits<64>>,
    // Behind the UDP checksum: type and NPT, three words, DSCP or port; version 2.
    #[value(0x0000_1003_0000_2000_u64)]
    int_by_dscp: Constant<Bits<64>>,
    #[value(0x0000_1403_12b7_2000_u64)]
    int_by_port: Constant<Bits<64>>,
    // Six words a hop, five hops, instructions, no domain; its flags are in front of the BTH.
    #[value(0x0605_d500_0000_0000_u64)]
    int_middle: Constant<Bits<64>>,
    // Behind the UDP checksum: incremental trace, two words, namespace 0.
    #[value(0x0000_0102_0000_0000_u64)]
    ioam_head: Constant<Bits<64>>,
    // Words of a node (with and without seconds), words of five nodes, trace type.
    #[value(0x301e_f208_0000_0000_u64)]
    ioam_ptp: Constant<Bits<64>>,
    #[value(0x2819_d208_0000_0000_u64)]
    ioam_ntp: Constant<Bits<64>>,
    // Protocol 253.
    #[value(0x4000_00fd)]
    flags_ifa: Constant<Bits<64>>,
    // Version 2, local name space, UDP behind it, live traffic, at most 255 words.
    #[value(0x2f11_04ff_u64 << 16)]
    ifa_header: Constant<Bits<64>>,
    // In front of the BTH: hop limit 64, no words.
    #[value(0x40_u64 << 56)]
    ifa_limit: Constant<Bits<64>>,
}

#[kernel]
impl TxPiece {
    fn update(&mut self) {
        self.p.valid.next = self.sent.val();
        self.p.data.next = self.sent_data.val();
        self.p.bytes.next = self.sent_bytes.val();
        self.p.last.next = self.sent_last.val();
        self.p.bad.next = self.sent_bad.val();
        self.p.icrc.next = self.sent_icrc.val();
        self.c_valid.next = self.crc.val();
        self.c_data.next = self.crc_data.val();
        self.c_bytes.next = self.crc_bytes.val();
        self.c_last.next = self.crc_last.val();
        self.c_skip.next = self.crc_skip.val();
        self.is_odd.next = !self.s.ip_plain.val().get_bits::<3>(0).any();

        self.fields();
        self.beats();
        self.forms();
        self.word();
        self.order();
    }

    /// Fields of the frame, copied until it starts.
    fn fields(&mut self) {
        self.payload_low.next = self.pkt_payload_bytes.val().get_bits::<2>(0);
        self.minus_pad.next = self.no_bytes.val() - self.payload_low.val();
        if self.s_copy.val() {
            self.mac.next = self.s.mac.val();
            self.ip.next = self.s.ip.val();
            self.port.next = self.s.port.val();
            self.qpn.next = self.s.qpn.val();
            self.dscp.next = self.s.dscp.val();
            self.dscp_plain.next = self.s.dscp_plain.val();
            self.id.next = self.s.id.val();
            self.form.next = self.s.form.val();
            self.opcode.next = self.pkt_opcode.val();
            self.psn.next = self.pkt_psn.val();
            self.ack_req.next = self.pkt_ack_req.val();
            self.solicited.next = self.pkt_solicited.val();
            self.pad.next = self.minus_pad.val();
            self.va.next = self.pkt_va.val();
            self.rkey.next = self.pkt_rkey.val();
            self.dma_len.next = self.pkt_dma_len.val();
            self.last_word.next = self.pkt_imm.val();
            comment!("AETH; ImmDt of a WRITE or a window.");
            if (self.pkt_opcode.val() > 12) & !self.pkt_opcode.val().get_bit(7) {
                self.last_word.next = (bit_cast::<32, 8>(self.pkt_syndrome.val()) << 24)
                    | bit_cast::<32, 24>(self.pkt_msn.val());
            }
            self.path.next = 0.into();
            if self.s_is_ack.val() {
                self.opcode.next = 17.into();
                if self.s_is_feedback.val() {
                    self.opcode.next = 192.into();
                    if self.s_is_answer.val() {
                        self.opcode.next = 195.into();
                    }
                }
                self.psn.next = self.ack_psn.val();
                self.ack_req.next = false;
                self.solicited.next = false;
                self.pad.next = 0.into();
                self.last_word.next = (bit_cast::<32, 8>(self.ack_syndrome.val()) << 24)
                    | bit_cast::<32, 24>(self.ack_msn.val());
                self.path.next = self.ack_tel_path.val();
            }
        }
        if self.s_hops_move.val() {
            self.hops.next = 0.into();
            if self.s_is_ack.val() {
                self.hops.next = bit_cast::<320, 64>(self.ack_tel_hop[0].val())
                    | (bit_cast::<320, 64>(self.ack_tel_hop[1].val()) << 64)
                    | (bit_cast::<320, 64>(self.ack_tel_hop[2].val()) << 128)
                    | (bit_cast::<320, 64>(self.ack_tel_hop[3].val()) << 192)
                    | (bit_cast::<320, 64>(self.ack_tel_hop[4].val()) << 256);
            }
            if self.state.val() == SeqState::Hop {
                self.hops.next = self.hops.val() >> 64;
            }
        }
        if self.state.val() == SeqState::C1 {
            self.ip_len.next = self.s.ip_len.val();
            self.udp_len.next = self.s.udp_len.val();
            self.ip_plain.next = self.s.ip_plain.val();
            self.udp_plain.next = self.s.udp_plain.val();
        }
    }

    /// Beats: byte count and mask of a contiguous keep.
    fn beats(&mut self) {
        self.beat.next = self.s_data_tdata.val();
        self.keep.next = self.s_data_tkeep.val();
        if self.state.val() == SeqState::Host {
            self.beat.next = self.s_host_tdata.val();
            self.keep.next = self.s_host_tkeep.val();
        }
        self.beat_bytes.next = 1.into();
        self.beat_mask.next = self.byte_1.val();
        if self.keep.val().get_bit(7) {
            self.beat_bytes.next = 8.into();
            self.beat_mask.next = self.byte_8.val();
        } else if self.keep.val().get_bit(6) {
            self.beat_bytes.next = 7.into();
            self.beat_mask.next = self.byte_7.val();
        } else if self.keep.val().get_bit(5) {
            self.beat_bytes.next = 6.into();
            self.beat_mask.next = self.byte_6.val();
        } else if self.keep.val().get_bit(4) {
            self.beat_bytes.next = 5.into();
            self.beat_mask.next = self.byte_5.val();
        } else if self.keep.val().get_bit(3) {
            self.beat_bytes.next = 4.into();
            self.beat_mask.next = self.byte_4.val();
        } else if self.keep.val().get_bit(2) {
            self.beat_bytes.next = 3.into();
            self.beat_mask.next = self.byte_3.val();
        } else if self.keep.val().get_bit(1) {
            self.beat_bytes.next = 2.into();
            self.beat_mask.next = self.byte_2.val();
        }
        self.kept.next = self.beat.val() & self.beat_mask.val();
        comment!(
            "A record in the paper's layout: rate 4, time 24, bytes 20, queue 16 (saturated)."
        );
        self.hop.next = self.hops.val().get_bits::<64>(0).into();
        self.queue.next = bit_cast::<64, 16>(self.hop.val().queue.get_bits::<16>(0));
        if self.hop.val().queue.get_bit(16) {
            self.queue.next = 0xffff.into();
        }
        self.paper.next = (bit_cast::<64, 3>(self.hop.val().rate) << 60)
            | (bit_cast::<64, 24>(self.hop.val().time_ns) << 36)
            | (bit_cast::<64, 20>(self.hop.val().sent) << 16)
            | self.queue.val();
    }

    /// Pieces in network order, the first byte on top; `masked` is what the ICRC sees.
    fn forms(&mut self) {
        self.udp.next = (bit_cast::<64, 16>(self.ip.val().get_bits::<16>(0)) << 48)
            | (bit_cast::<64, 16>(self.port.val()) << 32);
        self.c3.next = (bit_cast::<64, 16>(self.s.checksum.val()) << 48)
            | (bit_cast::<64, 32>(self.cfg_local_ip.val()) << 16)
            | bit_cast::<64, 16>(self.ip.val().get_bits::<16>(16));
        self.b0.next = (bit_cast::<64, 8>(self.opcode.val()) << 56)
            | (bit_cast::<64, 1>(self.solicited.val().into()) << 55)
            | (bit_cast::<64, 2>(self.pad.val()) << 52)
            | (bit_cast::<64, 16>(self.cfg_pkey.val()) << 32)
            | bit_cast::<64, 24>(self.qpn.val());
        self.b0_masked.next = self.b0.val() | self.reserved_ones.val();
        self.b1.next = (bit_cast::<64, 1>(self.ack_req.val().into()) << 31)
            | bit_cast::<64, 24>(self.psn.val());
        self.b0_low.next = bit_cast::<64, 16>(self.b0.val().get_bits::<16>(0));
        self.is_paper.next = self.form.val() == 1;
        comment!("INT-MD: shim and metadata header without a stack; the shim keeps DSCP or port.");
        self.by_port.next = self.form.val() == 6;
        self.is_int.next = self.by_port.val() | (self.form.val() == 3);
        self.int_head.next =
            self.int_by_dscp.val() | (bit_cast::<64, 6>(self.dscp_plain.val()) << 18);
        self.target_port.next = self.roce_port.val();
        if self.by_port.val() {
            self.int_head.next = self.int_by_port.val();
            self.target_port.next = bit_cast::<64, 16>(self.cfg_tel_port.val()) << 16;
        }
        comment!("IOAM: an incremental trace without nodes; it ends in two zeros, as INT-MD does.");
        comment!("IFA: protocol, header in front of UDP, whose length is the plain one, metadata behind.");
        self.is_ifa.next = self.form.val() == 5;
        self.ifa_front.next = (bit_cast::<64, 16>(self.ip.val().get_bits::<16>(0)) << 48)
            | self.ifa_header.val()
            | bit_cast::<64, 16>(self.port.val());
        self.ifa_back.next =
            (self.roce_port.val() << 32) | (bit_cast::<64, 16>(self.udp_plain.val()) << 32);
        self.is_ioam.next = self.form.val() == 4;
        self.ioam_middle.next = self.ioam_ptp.val();
        if self.cfg_tel_time_binary.val() {
            self.ioam_middle.next = self.ioam_ntp.val();
        }
    }

    // The piece of a state.
    fn word(&mut self) {
        self.word.next = 0.into();
        self.masked.next = 0.into();
        self.raw.next = false;
        self.piece.next = true;
        self.bytes.next = 8.into();
        self.covered.next = true;
        self.covered_bytes.next = 8.into();
        self.ends.next = false;
        self.last.next = false;
        self.bad.next = false;
        self.icrc.next = false;
        match self.state.val() {
            SeqState::Start => {
                self.piece.next = false;
                self.covered.next = false;
            }
            SeqState::C0 => {
                self.word.next = (bit_cast::<64, 48>(self.mac.val()) << 16)
                    | bit_cast::<64, 16>(self.cfg_local_mac.val().get_bits::<16>(32));
                self.covered.next = self.is_odd.val();
                self.covered_bytes.next = 4.into();
                self.crc_skip.next = self.is_odd.val();
            }
            SeqState::C1 => {
                self.word.next = (bit_cast::<64, 32>(self.cfg_local_mac.val().get_bits::<32>(0))
                    << 32)
                    | (bit_cast::<64, 6>(self.dscp.val()) << 2)
                    | self.type_version.val();
                self.masked.next = self.version_ones.val();
                self.covered_bytes.next = 2.into();
            }
            SeqState::C2 => {
                self.ip();
            }
            SeqState::C3 => {
                self.word.next = self.c3.val();
                self.masked.next = self.c3.val() | self.top_ones.val();
            }
            SeqState::C4 => {
                self.word.next = self.udp.val()
                    | self.target_port.val()
                    | bit_cast::<64, 16>(self.udp_len.val());
                if self.is_ifa.val() {
                    self.word.next = self.ifa_front.val();
                }
                self.masked.next = self.udp.val()
                    | self.roce_port.val()
                    | bit_cast::<64, 16>(self.udp_plain.val());
            }
            SeqState::C5 => {
                self.front();
            }
            SeqState::Hop => {
                self.word.next = self.paper.val();
                self.raw.next = self.form.val() == 2;
                if self.is_int.val() {
                    self.word.next = self.int_middle.val();
                } else if self.is_ioam.val() {
                    self.bytes.next = 4.into();
                    self.word.next = self.ioam_middle.val();
                }
                self.covered.next = false;
            }
            SeqState::B0 => {
                self.bth();
            }
            SeqState::B1 => {
                self.bth_rest();
            }
            SeqState::R0 => {
                self.word.next = self.va.val();
                self.masked.next = self.va.val();
            }
            SeqState::R1 => {
                self.word.next = (bit_cast::<64, 32>(self.rkey.val()) << 32)
                    | bit_cast::<64, 32>(self.dma_len.val());
                self.masked.next = self.word.val();
                self.ends.next = !self.has_word.val() & !self.has_payload.val();
            }
            SeqState::Word => {
                self.word.next = bit_cast::<64, 32>(self.last_word.val()) << 32;
                self.masked.next = self.word.val();
                self.bytes.next = 4.into();
                self.covered_bytes.next = 4.into();
                self.ends.next = !self.has_payload.val();
            }
            SeqState::Pay => {
                self.raw.next = true;
                self.piece.next = self.s_data_tvalid.val();
                self.covered.next = self.s_data_tvalid.val();
                self.ends.next = self.s_data_tlast.val();
                if self.s_data_tlast.val() & !self.keep.val().get_bit(4) {
                    self.bytes.next = 4.into();
                    self.covered_bytes.next = 4.into();
                }
            }
            SeqState::Icrc => {
                self.covered.next = false;
                self.piece.next = !self.is_stuck.val();
                self.bytes.next = 4.into();
                self.last.next = true;
                self.bad.next = self.is_bad.val();
                self.icrc.next = true;
            }
            SeqState::Host => {
                self.raw.next = true;
                self.covered.next = false;
                self.bytes.next = self.beat_bytes.val();
                self.piece.next =
                    self.s_host_tvalid.val() & (!self.is_long.val() | self.s_host_tlast.val());
                self.last.next = self.s_host_tlast.val();
                self.bad.next = self.s_host_tlast.val() & self.is_long.val();
            }
        }
    }

    // IPv4: lengths, id, TTL, protocol.
    fn ip(&mut self) {
        self.word.next = (bit_cast::<64, 16>(self.ip_len.val()) << 48)
            | (bit_cast::<64, 16>(self.id.val()) << 32)
            | (bit_cast::<64, 8>(self.cfg_ttl.val()) << 8)
            | self.flags_protocol.val();
        if self.is_ifa.val() {
            self.word.next = (bit_cast::<64, 16>(self.ip_len.val()) << 48)
                | (bit_cast::<64, 16>(self.id.val()) << 32)
                | (bit_cast::<64, 8>(self.cfg_ttl.val()) << 8)
                | self.flags_ifa.val();
        }
        self.masked.next = (bit_cast::<64, 16>(self.ip_plain.val()) << 48)
            | (bit_cast::<64, 16>(self.id.val()) << 32)
            | self.flags_ttl_protocol.val();
    }

    // What stands between UDP and BTH, and does not repeat.
    fn front(&mut self) {
        self.bytes.next = 2.into();
        self.masked.next = self.top_ones.val();
        self.covered_bytes.next = 2.into();
        if self.is_paper.val() {
            self.bytes.next = 4.into();
            self.word.next = (bit_cast::<64, 3>(self.hop_count.val()) << 44)
                | (bit_cast::<64, 12>(self.path.val()) << 32);
        } else if self.is_int.val() {
            self.bytes.next = 8.into();
            self.word.next = self.int_head.val();
        } else if self.is_ioam.val() {
            self.bytes.next = 8.into();
            self.word.next = self.ioam_head.val();
        } else if self.is_ifa.val() {
            self.bytes.next = 8.into();
            self.word.next = self.ifa_back.val();
        }
    }

    // BTH: operation code to QPN.
    fn bth(&mut self) {
        if self.is_paper.val() {
            self.word.next = self.b0.val();
            self.masked.next = self.b0_masked.val();
        } else if self.form.val().any() {
            self.word.next =
                (bit_cast::<64, 3>(self.hop_count.val()) << 56) | (self.b0.val() >> 16);
            if self.is_ifa.val() {
                self.word.next = self.ifa_limit.val() | (self.b0.val() >> 16);
            }
            self.masked.next = self.b0_masked.val() & self.top_six.val();
            self.covered_bytes.next = 6.into();
        } else {
            self.word.next = self.b0.val() >> 16;
            self.masked.next = (self.b0_masked.val() >> 16) | self.top_ones.val();
        }
    }

    // BTH: PSN, and in the paper's form what follows.
    fn bth_rest(&mut self) {
        self.bytes.next = 6.into();
        self.covered_bytes.next = 6.into();
        self.word.next = (self.b0_low.val() << 48) | (self.b1.val() << 16);
        self.ends.next = !self.has_reth.val() & !self.has_word.val() & !self.has_payload.val();
        if self.is_paper.val() {
            self.bytes.next = 4.into();
            self.covered_bytes.next = 4.into();
            self.word.next = self.b1.val() << 32;
            if self.has_word.val() & !self.has_reth.val() {
                self.bytes.next = 8.into();
                self.covered_bytes.next = 8.into();
                self.word.next = (self.b1.val() << 32) | bit_cast::<64, 32>(self.last_word.val());
                self.ends.next = !self.has_payload.val();
            }
        }
        self.masked.next = self.word.val();
    }

    /// The first byte goes to bits 7:0.
    fn order(&mut self) {
        self.word_le.next = bit_cast::<64, 8>(self.word.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.word.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.word.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.word.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.word.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.word.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.word.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.word.val().get_bits::<8>(0)) << 56);
        self.masked_le.next = bit_cast::<64, 8>(self.masked.val().get_bits::<8>(56))
            | (bit_cast::<64, 8>(self.masked.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<64, 8>(self.masked.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<64, 8>(self.masked.val().get_bits::<8>(32)) << 24)
            | (bit_cast::<64, 8>(self.masked.val().get_bits::<8>(24)) << 32)
            | (bit_cast::<64, 8>(self.masked.val().get_bits::<8>(16)) << 40)
            | (bit_cast::<64, 8>(self.masked.val().get_bits::<8>(8)) << 48)
            | (bit_cast::<64, 8>(self.masked.val().get_bits::<8>(0)) << 56);
        self.sent.next = self.piece.val();
        self.sent_data.next = self.word_le.val();
        self.crc.next = self.covered.val();
        self.crc_data.next = self.masked_le.val();
        if self.raw.val() {
            self.sent_data.next = self.hop.val().into();
            if self.state.val() != SeqState::Hop {
                self.sent_data.next = self.kept.val();
            }
            self.crc_data.next = self.kept.val();
        }
        self.sent_bytes.next = self.bytes.val();
        self.sent_last.next = self.last.val();
        self.sent_bad.next = self.bad.val();
        self.sent_icrc.next = self.icrc.val();
        self.crc_bytes.next = self.covered_bytes.val();
        self.crc_last.next = self.ends.val();
    }
}
