//! The headers of a frame, byte by byte: what is sent, in two parts, and what the ICRC covers.
//!
//! # Source            InfiniBand, volume 1, sections 9.2 (BTH) and 9.3; annex A17; HPCC paper,
//!                     figure 7, the authors' IntHeader, P4-INT 2.1, RFC 9197
//!                     and draft-kumar-ippm-ifa (telemetry)
//! # Interface timing  an item is taken in cycle 0; cycle 1: its first beats are there, that of
//!                     m_front in cycle 2. The next one is taken when all of them leave
//! # Latency and rate  a beat a cycle at each of three sources, side by side
//! # Shape             KB = W / 8 <= 64, PB = log2 KB - 1. Bytes behind the last one are anything
//! # ICRC              ToS, TTL, both checksums and BTH byte 4 are ones; lengths as without
//!                     telemetry, telemetry left out. 40 to 60 bytes end where a beat does, behind
//!                     zeros for which the seed makes up
//! # Reset             synchronous, high: no beat
//! # Twins             sim/models/src/golden/tx/header.rs, tests/tx/tx_pipe.rs

use crate::streams::FramePart;
use crate::tx::body::FrameKind;
use crate::tx::choice::{PacketFields, PeerRow};
use crate::tx::header::FrameSizes;
use crate::tx::paper_hop::TxPaperHop;
use crate::util::bytes::{ByteOrder, ByteRotate, ByteSelect};
use crate::util::ones;
use crate::{block, kernel, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Ethernet and IPv4 headers, the last byte first.
#[row]
struct IpHeaders {
    target: Bits<32>,     // IPv4 target
    source: Bits<32>,     // IPv4 source
    checksum: Bits<16>,   // Header checksum
    protocol: Bits<8>,    // UDP, or IFA
    ttl: Bits<8>,         // Time to live
    flags: Bits<16>,      // Do not fragment
    id: Bits<16>,         // Identification
    length: Bits<16>,     // Length
    tos: Bits<8>,         // DSCP, ECN
    version: Bits<8>,     // 4, five words
    ether_type: Bits<16>, // IPv4
    from: Bits<48>,       // Source MAC
    to: Bits<48>,         // Target MAC
}

/// BTH, the last byte first.
#[row]
struct Bth {
    psn: Bits<24>,       // PSN
    reserved: Bits<7>,   // 0
    ack_req: Bit,        // AckReq
    qpn: Bits<24>,       // Target QPN
    congestion: Bits<8>, // FECN and BECN, which the ICRC does not cover
    pkey: Bits<16>,      // Partition key
    version: Bits<4>,    // 0
    pad: Bits<2>,        // Pad bytes
    migration: Bit,      // 0
    solicited: Bit,      // Solicited event
    opcode: Bits<8>,     // Operation code
}

/// Layout on a `W`-bit stream; `PB` = log2 of the pairs of bytes in a beat.
#[block(mealy, check(W == 8 * KB && KB == 2 << PB && KB <= 64))]
pub struct TxLayout<const W: usize, const KB: usize, const PB: usize, const GB: usize> {
    /// Our MAC address, first byte in bits 47:40.
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
    /// An item.
    pub s_valid: Signal<In, Bit>,
    /// It is taken: all of the last one has left, or leaves in this cycle.
    pub s_ready: Signal<Out, Bit>,
    /// Whom it goes to.
    pub s_peer: Signal<In, PeerRow>,
    /// What it says.
    pub s_fields: Signal<In, PacketFields>,
    /// Its flow.
    pub s_flow: Signal<In, Bits<GB>>,
    /// The records that it echoes.
    pub s_hop: [Signal<In, Bits<64>>; 5],
    /// Form, lengths, checksum.
    pub s_sizes: Signal<In, FrameSizes>,
    /// Ethernet to telemetry.
    pub m_front: FramePart<Out, W>,
    /// BTH and what follows it, but for payload.
    pub m_back: FramePart<Out, W>,
    /// Bytes in front of it, modulo KB.
    pub m_back_offset: Signal<Out, Bits<6>>,
    /// What the ICRC covers.
    pub m_cover: FramePart<Out, W>,
    /// Zeros in front of it, modulo KB.
    pub m_cover_zeros: Signal<Out, Bits<6>>,
    /// What the frame is.
    pub m_kind: Signal<Out, FrameKind>,
    /// Its flow.
    pub m_flow: Signal<Out, Bits<GB>>,
    front_valid: Reg<Bit>,
    front_index: Unreset<Bits<4>>,
    front_last: Unreset<Bits<4>>,
    front_bytes: Unreset<Bits<7>>,
    beat_valid: Reg<Bit>,
    beat: Unreset<Bits<W>>,
    beat_bytes: Unreset<Bits<7>>,
    beat_last: Unreset<Bit>,
    back_valid: Reg<Bit>,
    back_index: Unreset<Bits<4>>,
    back_last: Unreset<Bits<4>>,
    back_bytes: Unreset<Bits<7>>,
    back_offset: Unreset<Bits<6>>,
    cover_valid: Reg<Bit>,
    cover_index: Unreset<Bits<4>>,
    cover_last: Unreset<Bits<4>>,
    cover_zeros: Unreset<Bits<6>>,
    kind: Unreset<FrameKind>,
    flow: Unreset<Bits<GB>>,
    mac: Unreset<Bits<48>>,
    ip: Unreset<Bits<32>>,
    port: Unreset<Bits<16>>,
    qpn: Unreset<Bits<24>>,
    sizes: Unreset<FrameSizes>,
    id: Unreset<Bits<16>>,
    is_ifa: Unreset<Bit>,
    behind_ip: Unreset<Bits<400>>,
    opcode: Unreset<Bits<8>>,
    psn: Unreset<Bits<24>>,
    ack_req: Unreset<Bit>,
    solicited: Unreset<Bit>,
    pad: Unreset<Bits<2>>,
    extension: Unreset<Bits<160>>,
    covered: Unreset<Bits<W>>,
    paper_hops: [TxPaperHop; 5],
    order_front: ByteOrder<1024>,
    order_back: ByteOrder<512>,
    order_cover: ByteOrder<512>,
    order_hops: ByteOrder<320>,
    rotate: ByteRotate<W, PB>,
    choose: ByteSelect<W, KB>,
    headers: Signal<Local, IpHeaders>,
    plain: Signal<Local, IpHeaders>,
    bth: Signal<Local, Bth>,
    bth_bits: Signal<Local, Bits<96>>,
    plain_bits: Signal<Local, Bits<272>>,
    udp_covered: Signal<Local, Bits<64>>,
    count: Signal<Local, Bits<16>>,
    paper: Signal<Local, Bits<400>>,
    authors: Signal<Local, Bits<400>>,
    int_dscp: Signal<Local, Bits<400>>,
    target_port: Signal<Local, Bits<16>>,
    udp_length: Signal<Local, Bits<16>>,
    ports: Signal<Local, Bits<64>>,
    ports_there: Signal<Local, Bits<400>>,
    telemetry: Signal<Local, Bits<400>>,
    back_less: Signal<Local, Bits<7>>,
    back_more: Signal<Local, Bits<7>>,
    cover_less: Signal<Local, Bits<7>>,
    front_more: Signal<Local, Bits<7>>,
    front_end: Signal<Local, Bits<7>>,
    both: Signal<Local, Bits<7>>,
    both_rest: Signal<Local, Bits<7>>,
    zeros_left: Signal<Local, Bits<7>>,
    zeros: Signal<Local, Bits<7>>,
    front_beats: Signal<Local, Bits<7>>,
    back_beats: Signal<Local, Bits<7>>,
    cover_beats: Signal<Local, Bits<7>>,
    front_rest: Signal<Local, Bits<7>>,
    back_rest: Signal<Local, Bits<7>>,
    is_host: Signal<Local, Bit>,
    front_at_end: Signal<Local, Bit>,
    front_moves: Signal<Local, Bit>,
    front_ends: Signal<Local, Bit>,
    back_ends: Signal<Local, Bit>,
    cover_ends: Signal<Local, Bit>,
    front_shift: Signal<Local, Bits<10>>,
    back_shift: Signal<Local, Bits<10>>,
    cover_shift: Signal<Local, Bits<10>>,
    front: Signal<Local, Bits<1024>>,
    back: Signal<Local, Bits<512>>,
    cover_word: Signal<Local, Bits<512>>,
    #[value(u64::from(KB.trailing_zeros()))]
    beat_log2: Constant<Bits<4>>,
    #[value(u64::from(W.trailing_zeros()))]
    width_log2: Constant<Bits<4>>,
    #[value(KB as u64 - 1)]
    byte_mask: Constant<Bits<7>>,
    #[value(ones(KB))]
    all_bytes: Constant<Bits<KB>>,
    #[value(28)]
    cover_more: Constant<Bits<7>>,
    #[value(63)]
    cover_full: Constant<Bits<7>>,
    // Behind the UDP checksum: type and NPT, three words, DSCP or port; version 2, six words a hop,
    // five hops, instructions, no domain, no flags.
    #[value(num_bigint::BigUint::from(0x1003_0000_2000_0605_d500_u128) << 256_u32)]
    int_by_dscp: Constant<Bits<400>>,
    #[value(num_bigint::BigUint::from(0x1403_12b7_2000_0605_d500_u128) << 256_u32)]
    int_by_port: Constant<Bits<400>>,
    // Incremental trace, two words, namespace 0; words of a node (with and without seconds), words
    // of five nodes, trace type.
    #[value(num_bigint::BigUint::from(0x0102_0000_0000_301e_f208_u128) << 256_u32)]
    ioam_ptp: Constant<Bits<400>>,
    #[value(num_bigint::BigUint::from(0x0102_0000_0000_2819_d208_u128) << 256_u32)]
    ioam_ntp: Constant<Bits<400>>,
    // Version 2, local name space, UDP behind it, live traffic, at most 255 words; in front of the
    // BTH: hop limit 64, no words.
    #[value(num_bigint::BigUint::from(0x2f11_04ff_u128) << 368_u32
        | num_bigint::BigUint::from(0x40_u128) << 280_u32)]
    ifa_headers: Constant<Bits<400>>,
    #[value(0xff_u64 << 56)]
    congestion: Constant<Bits<96>>,
    #[value(4791)]
    roce_port: Constant<Bits<16>>,
}

#[kernel]
impl<const W: usize, const KB: usize, const PB: usize, const GB: usize> TxLayout<W, KB, PB, GB> {
    fn update(&mut self) {
        self.headers();
        self.front();
        self.back();
        self.cover();
        self.leave();
        self.records();
        self.behind_ip();
        self.counts();
        self.fields();
    }

    /// Records in the paper's and in the authors' layout, the first byte on top.
    fn records(&mut self) {
        for i in 0..5 {
            self.paper_hops[i].hop.next = self.s_hop[i].val();
        }
        self.order_hops.d.next = bit_cast::<320, 64>(self.s_hop[0].val())
            | (bit_cast::<320, 64>(self.s_hop[1].val()) << 64)
            | (bit_cast::<320, 64>(self.s_hop[2].val()) << 128)
            | (bit_cast::<320, 64>(self.s_hop[3].val()) << 192)
            | (bit_cast::<320, 64>(self.s_hop[4].val()) << 256);
        self.count.next = (bit_cast::<16, 3>(self.s_fields.val().hops) << 12)
            | bit_cast::<16, 12>(self.s_fields.val().path);
        self.paper.next = (bit_cast::<400, 16>(self.count.val()) << 320)
            | (bit_cast::<400, 64>(self.paper_hops[0].m.val()) << 256)
            | (bit_cast::<400, 64>(self.paper_hops[1].m.val()) << 192)
            | (bit_cast::<400, 64>(self.paper_hops[2].m.val()) << 128)
            | (bit_cast::<400, 64>(self.paper_hops[3].m.val()) << 64)
            | bit_cast::<400, 64>(self.paper_hops[4].m.val());
        self.authors.next = (bit_cast::<400, 320>(self.order_hops.q.val()) << 16)
            | (bit_cast::<400, 3>(self.s_fields.val().hops) << 8);
        self.int_dscp.next = bit_cast::<400, 6>(self.s_peer.val().dscp) << 306;
    }

    /// UDP and telemetry, the first byte on top; with IFA its header in front of UDP, whose length
    /// is the plain one, metadata behind.
    fn behind_ip(&mut self) {
        self.target_port.next = self.roce_port.val();
        if self.s_sizes.val().form == 6 {
            self.target_port.next = self.cfg_tel_port.val();
        }
        self.udp_length.next = self.s_sizes.val().udp_len;
        if self.s_sizes.val().form == 5 {
            self.udp_length.next = self.s_sizes.val().udp_plain;
        }
        self.ports.next = (bit_cast::<64, 16>(self.s_peer.val().port) << 48)
            | (bit_cast::<64, 16>(self.target_port.val()) << 32)
            | (bit_cast::<64, 16>(self.udp_length.val()) << 16);
        self.ports_there.next = bit_cast::<400, 64>(self.ports.val()) << 336;
        self.telemetry.next = 0.into();
        match self.s_sizes.val().form.index() {
            1 => self.telemetry.next = self.paper.val(),
            2 => self.telemetry.next = self.authors.val(),
            3 => self.telemetry.next = self.int_by_dscp.val() | self.int_dscp.val(),
            4 => {
                self.telemetry.next = self.ioam_ptp.val();
                if self.cfg_tel_time_binary.val() {
                    self.telemetry.next = self.ioam_ntp.val();
                }
            }
            5 => {
                self.ports_there.next = bit_cast::<400, 64>(self.ports.val()) << 304;
                self.telemetry.next = self.ifa_headers.val();
            }
            6 => self.telemetry.next = self.int_by_port.val(),
            _ => {}
        }
        if self.s_ready.val() {
            self.is_ifa.next = self.s_sizes.val().form == 5;
            self.behind_ip.next = self.ports_there.val() | self.telemetry.val();
        }
    }

    /// Bytes and beats of the parts. BTH and extensions are 12, 16, 28 or 32 bytes.
    fn counts(&mut self) {
        self.is_host.next = self.s_fields.val().kind == 2;
        self.back_less.next = (bit_cast::<7, 1>(self.s_sizes.val().with_reth.into()) << 4)
            | (bit_cast::<7, 1>(self.s_sizes.val().with_word.into()) << 2)
            | 11;
        self.back_more.next = self.back_less.val() + 2;
        self.cover_less.next = self.back_less.val() + self.cover_more.val();
        self.front_more.next = self.s_sizes.val().front_less + 1;
        self.front_end.next = self.front_more.val() & self.byte_mask.val();
        self.both.next = self.s_sizes.val().front_less + self.back_more.val();
        self.both_rest.next = self.both.val() & self.byte_mask.val();
        self.zeros_left.next = self.cover_full.val() - self.cover_less.val();
        self.zeros.next = self.zeros_left.val() & self.byte_mask.val();
        self.front_beats.next = self.s_sizes.val().front_less >> self.beat_log2.val();
        self.back_beats.next = self.back_less.val() >> self.beat_log2.val();
        self.cover_beats.next = self.cover_less.val() >> self.beat_log2.val();
        self.front_rest.next = self.s_sizes.val().front_less & self.byte_mask.val();
        self.back_rest.next = self.back_less.val() & self.byte_mask.val();
        if self.s_ready.val() {
            self.front_last.next = self.front_beats.val().get_bits::<4>(0);
            self.back_last.next = self.back_beats.val().get_bits::<4>(0);
            self.cover_last.next = self.cover_beats.val().get_bits::<4>(0);
            self.front_bytes.next = self.front_rest.val() + 1;
            self.back_bytes.next = self.back_rest.val() + 1;
            self.back_offset.next = self.front_end.val().get_bits::<6>(0);
            self.kind.next.offset = self.both_rest.val().get_bits::<6>(0);
            self.cover_zeros.next = self.zeros.val().get_bits::<6>(0);
            comment!("A host frame has none of them.");
            if self.is_host.val() {
                self.front_last.next = 0.into();
                self.back_last.next = 0.into();
                self.cover_last.next = 0.into();
                self.front_bytes.next = 0.into();
                self.back_bytes.next = 0.into();
                self.back_offset.next = 0.into();
                self.kind.next.offset = 0.into();
            }
        }
    }

    /// What else the layout needs.
    fn fields(&mut self) {
        if self.s_ready.val() {
            self.kind.next.kind = self.s_fields.val().kind;
            self.kind.next.has_payload = self.s_fields.val().payload_words.any();
            self.kind.next.mark = self.s_fields.val().mark;
            self.flow.next = self.s_flow.val();
            self.mac.next = self.s_peer.val().mac;
            self.ip.next = self.s_peer.val().ip;
            self.port.next = self.s_peer.val().port;
            self.qpn.next = self.s_peer.val().qpn;
            self.sizes.next = self.s_sizes.val();
            self.id.next = self.s_fields.val().id;
            self.opcode.next = self.s_fields.val().opcode;
            self.psn.next = self.s_fields.val().psn;
            self.ack_req.next = self.s_fields.val().ack_req;
            self.solicited.next = self.s_fields.val().solicited;
            self.pad.next = self.s_fields.val().pad;
            self.extension.next = (bit_cast::<160, 64>(self.s_fields.val().va) << 96)
                | (bit_cast::<160, 32>(self.s_fields.val().rkey) << 64)
                | (bit_cast::<160, 32>(self.s_fields.val().dma_len) << 32)
                | bit_cast::<160, 32>(self.s_fields.val().word);
            if !self.s_sizes.val().with_reth {
                self.extension.next = (bit_cast::<160, 32>(self.s_fields.val().word) << 128)
                    | bit_cast::<160, 32>(self.s_fields.val().word);
            }
        }
    }

    /// The headers that are sent, and as the ICRC covers them.
    fn headers(&mut self) {
        self.headers.next.to = self.mac.val();
        self.headers.next.from = self.cfg_local_mac.val();
        self.headers.next.ether_type = 0x0800.into();
        self.headers.next.version = 0x45.into();
        self.headers.next.tos = bit_cast::<8, 6>(self.sizes.val().dscp) << 2;
        self.headers.next.length = self.sizes.val().ip_len;
        self.headers.next.id = self.id.val();
        self.headers.next.flags = 0x4000.into();
        self.headers.next.ttl = self.cfg_ttl.val();
        self.headers.next.protocol = 17.into();
        if self.is_ifa.val() {
            self.headers.next.protocol = 253.into();
        }
        self.headers.next.checksum = self.sizes.val().checksum;
        self.headers.next.source = self.cfg_local_ip.val();
        self.headers.next.target = self.ip.val();
        self.plain.next.to = 0.into();
        self.plain.next.from = 0.into();
        self.plain.next.ether_type = 0.into();
        self.plain.next.version = 0x45.into();
        self.plain.next.tos = 0xff.into();
        self.plain.next.length = self.sizes.val().ip_plain;
        self.plain.next.id = self.id.val();
        self.plain.next.flags = 0x4000.into();
        self.plain.next.ttl = 0xff.into();
        self.plain.next.protocol = 17.into();
        self.plain.next.checksum = 0xffff.into();
        self.plain.next.source = self.cfg_local_ip.val();
        self.plain.next.target = self.ip.val();
        self.bth.next.opcode = self.opcode.val();
        self.bth.next.solicited = self.solicited.val();
        self.bth.next.migration = false;
        self.bth.next.pad = self.pad.val();
        self.bth.next.version = 0.into();
        self.bth.next.pkey = self.cfg_pkey.val();
        self.bth.next.congestion = 0.into();
        self.bth.next.qpn = self.qpn.val();
        self.bth.next.ack_req = self.ack_req.val();
        self.bth.next.reserved = 0.into();
        self.bth.next.psn = self.psn.val();
        self.bth_bits.next = self.bth.val().to_bits::<96>();
        self.plain_bits.next = self.plain.val().to_bits::<272>();
        self.udp_covered.next = (bit_cast::<64, 16>(self.port.val()) << 48)
            | (bit_cast::<64, 16>(self.roce_port.val()) << 32)
            | (bit_cast::<64, 16>(self.sizes.val().udp_plain) << 16)
            | 0xffff;
    }

    /// Ethernet to telemetry.
    fn front(&mut self) {
        self.order_front.d.next = (bit_cast::<1024, 272>(self.headers.val().to_bits::<272>())
            << 752)
            | (bit_cast::<1024, 400>(self.behind_ip.val()) << 352);
        self.front_shift.next = bit_cast::<10, 4>(self.front_index.val()) << self.width_log2.val();
        self.front.next = self.order_front.q.val() >> self.front_shift.val();
        self.front_at_end.next = self.front_index.val() == self.front_last.val();
        self.front_moves.next = !self.beat_valid.val() | self.m_front.ready.val();
        self.front_ends.next = self.front_moves.val() & self.front_at_end.val();
        if self.front_moves.val() {
            self.beat_valid.next = self.front_valid.val();
            self.beat.next = self.front.val().get_bits::<W>(0);
            self.beat_bytes.next = self.front_bytes.val();
            self.beat_last.next = self.front_at_end.val();
        }
        self.m_front.valid.next = self.beat_valid.val();
        self.m_front.data.next = self.beat.val();
        self.m_front.bytes.next = self.beat_bytes.val();
        self.m_front.last.next = self.beat_last.val();
        self.m_front.bad.next = false;
    }

    /// BTH and what follows it.
    fn back(&mut self) {
        self.order_back.d.next = (bit_cast::<512, 96>(self.bth_bits.val()) << 416)
            | (bit_cast::<512, 160>(self.extension.val()) << 256);
        self.back_shift.next = bit_cast::<10, 4>(self.back_index.val()) << self.width_log2.val();
        self.back.next = self.order_back.q.val() >> self.back_shift.val();
        self.m_back.valid.next = self.back_valid.val();
        self.m_back.data.next = self.back.val().get_bits::<W>(0);
        self.m_back.bytes.next = self.back_bytes.val();
        self.m_back.last.next = self.back_index.val() == self.back_last.val();
        self.m_back.bad.next = false;
        self.m_back_offset.next = self.back_offset.val();
        self.back_ends.next = self.m_back.ready.val() & self.m_back.last.val();
    }

    /// What the ICRC covers: it ends where a beat does.
    fn cover(&mut self) {
        self.order_cover.d.next = (bit_cast::<512, 160>(self.plain_bits.val().get_bits::<160>(0))
            << 352)
            | (bit_cast::<512, 64>(self.udp_covered.val()) << 288)
            | (bit_cast::<512, 96>(self.bth_bits.val() | self.congestion.val()) << 192)
            | (bit_cast::<512, 160>(self.extension.val()) << 32);
        self.cover_shift.next = bit_cast::<10, 4>(self.cover_index.val()) << self.width_log2.val();
        self.cover_word.next = self.order_cover.q.val() >> self.cover_shift.val();
        self.rotate.d.next = self.cover_word.val().get_bits::<W>(0);
        self.rotate.pairs.next = self.cover_zeros.val().get_bits::<PB>(1);
        comment!("Bytes that the beat before has had no room for.");
        self.choose.chosen.next = self.all_bytes.val() << self.cover_zeros.val();
        self.choose.a.next = self.rotate.q.val();
        self.choose.b.next = self.covered.val();
        if !self.cover_index.val().any() {
            self.choose.b.next = 0.into();
        }
        if self.m_cover.ready.val() {
            self.covered.next = self.rotate.q.val();
        }
        self.m_cover.valid.next = self.cover_valid.val();
        self.m_cover.data.next = self.choose.q.val();
        self.m_cover.bytes.next = 0.into();
        self.m_cover.last.next = self.cover_index.val() == self.cover_last.val();
        self.m_cover.bad.next = false;
        self.m_cover_zeros.next = self.cover_zeros.val();
        self.m_kind.next = self.kind.val();
        self.m_flow.next = self.flow.val();
        self.cover_ends.next = self.m_cover.ready.val() & self.m_cover.last.val();
    }

    /// Beats that leave, and the next frame's.
    fn leave(&mut self) {
        self.s_ready.next = (self.front_ends.val() | !self.front_valid.val())
            & (self.back_ends.val() | !self.back_valid.val())
            & (self.cover_ends.val() | !self.cover_valid.val());
        if self.front_moves.val() {
            self.front_index.next = self.front_index.val() + 1;
        }
        if self.m_back.ready.val() {
            self.back_index.next = self.back_index.val() + 1;
        }
        if self.m_cover.ready.val() {
            self.cover_index.next = self.cover_index.val() + 1;
        }
        if self.front_ends.val() {
            self.front_valid.next = false;
        }
        if self.back_ends.val() {
            self.back_valid.next = false;
        }
        if self.cover_ends.val() {
            self.cover_valid.next = false;
        }
        if self.s_ready.val() {
            self.front_index.next = 0.into();
            self.back_index.next = 0.into();
            self.cover_index.next = 0.into();
            self.front_valid.next = self.s_valid.val();
            self.back_valid.next = self.s_valid.val();
            self.cover_valid.next = self.s_valid.val();
        }
    }
}
