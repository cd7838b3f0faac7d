//! IPv4 and UDP headers: where does the packet end, is the frame RoCEv2 for us, what telemetry does
//! it carry, and do its lengths agree.
//!
//! Ends the packet where its total length says. What is said of it is read from its first 64 bytes
//! as they are gathered, beside the beat that they have come with.
//!
//! # Source            RFC 791, RFC 768; HPCC, SIGCOMM 2019, figure 7 (2 + 8n bytes); its authors'
//!                     simulator (42 bytes); INT dataplane specification 2.1, RFC 9197 (4 + 4n
//!                     bytes); draft-kumar-ippm-ifa
//! # Interface timing  cycle 0: s; cycle 2: m, and of its packet what its beats up to this one tell:
//!                     all of it from the one with byte 35 on. With m.end: m_close_*; 1 cycle later:
//!                     m_close_telemetry
//! # Latency and rate  2; one beat per cycle, no ready
//! # Number formats    tel_bytes | UQ11.0 | 0, 8n + 2 or 4n + 4; IFA, its header included: 4n + 8
//! # Reset             synchronous, high: between packets
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::streams::PacketBeat;
use crate::util::gather::Gather;
use crate::{block, kernel, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Last byte that tells of the packet's telemetry.
const TOLD_AT: usize = 35;

/// IPv4 and UDP stage of the rx pipe.
#[block(check(W == 8 * KB))]
pub struct RxIp<const W: usize, const KB: usize> {
    /// Our IPv4 address, first byte in bits 31:24.
    pub cfg_local_ip: Signal<In, Bits<32>>,
    /// Telemetry format: 1 paper, 2 authors, 3 INT-MD, 4 IOAM, 5 IFA; else
    /// none.
    pub cfg_tel_format: Signal<In, Bits<3>>,
    /// DSCP of stamped data.
    pub cfg_tel_dscp: Signal<In, Bits<6>>,
    /// DSCP of ACKs that echo telemetry.
    pub cfg_tel_echo_dscp: Signal<In, Bits<6>>,
    /// UDP port of packets with INT-MD.
    pub cfg_tel_port: Signal<In, Bits<16>>,
    /// A beat of the packet.
    pub s: PacketBeat<In, W>,
    /// With `s.end`: the Ethernet header matches.
    pub s_end_match: Signal<In, Bit>,
    /// With `s.end`: the MAC called it bad.
    pub s_end_user: Signal<In, Bit>,
    /// With `s.end`: too long.
    pub s_end_oversize: Signal<In, Bit>,
    /// With `s.end`: bytes behind the Ethernet header.
    pub s_end_bytes: Signal<In, Bits<15>>,
    /// A beat of the packet, without what follows it in the frame.
    pub m: PacketBeat<Out, W>,
    /// The packet's first 64 bytes, one cycle before `m`.
    pub m_head: Signal<Out, Bits<512>>,
    /// Telemetry follows UDP.
    pub tel_valid: Signal<Out, Bit>,
    /// It is a stack: INT-MD, IOAM or IFA.
    pub tel_stack: Signal<Out, Bit>,
    /// It is IFA's, whose header stands in front of UDP.
    pub tel_ifa: Signal<Out, Bit>,
    /// Bytes of the telemetry.
    pub tel_bytes: Signal<Out, Bits<11>>,
    /// Words of a stack behind its first one.
    pub tel_words: Signal<Out, Bits<8>>,
    /// IFA's header has the version and the name space that are known.
    pub ifa_known: Signal<Out, Bit>,
    /// Words that its stack may have.
    pub ifa_words_max: Signal<Out, Bits<8>>,
    /// IPv4 total length.
    pub ip_len: Signal<Out, Bits<16>>,
    /// UDP source port.
    pub src_port: Signal<Out, Bits<16>>,
    /// RoCEv2 for us.
    pub m_close_roce: Signal<Out, Bit>,
    /// The MAC called it bad.
    pub m_close_user: Signal<Out, Bit>,
    /// Too long.
    pub m_close_oversize: Signal<Out, Bit>,
    /// Shorter than its IPv4 total length.
    pub m_close_truncated: Signal<Out, Bit>,
    /// The UDP length is not what the IPv4 total length leaves.
    pub m_close_length: Signal<Out, Bit>,
    /// Telemetry is longer than the packet, or is none for the packet's mark.
    pub m_close_telemetry: Signal<Out, Bit>,
    head: Gather<W>,
    left: Unreset<Bits<16>>,
    over: Unreset<Bit>,
    trim_valid: Reg<Bit>,
    trim_data: Unreset<Bits<W>>,
    trim_first: Unreset<Bit>,
    trim_last: Unreset<Bit>,
    trim_bytes: Unreset<Bits<7>>,
    trim_end: Reg<Bit>,
    trim_match: Unreset<Bit>,
    trim_user: Unreset<Bit>,
    trim_oversize: Unreset<Bit>,
    frame_bytes: Unreset<Bits<15>>,
    out_valid: Reg<Bit>,
    out_data: Unreset<Bits<W>>,
    out_first: Unreset<Bit>,
    out_last: Unreset<Bit>,
    out_bytes: Unreset<Bits<7>>,
    out_end: Reg<Bit>,
    is_expected: Unreset<Bit>,
    is_stack: Unreset<Bit>,
    is_ifa: Unreset<Bit>,
    bytes: Unreset<Bits<11>>,
    words: Unreset<Bits<8>>,
    known: Unreset<Bit>,
    words_max: Unreset<Bits<8>>,
    total: Unreset<Bits<16>>,
    port: Unreset<Bits<16>>,
    shim_bad: Unreset<Bit>,
    close_roce: Unreset<Bit>,
    close_user: Unreset<Bit>,
    close_oversize: Unreset<Bit>,
    close_truncated: Unreset<Bit>,
    close_length: Unreset<Bit>,
    close_telemetry: Unreset<Bit>,
    beat: Unreset<Bits<4>>,
    index: Signal<Local, Bits<4>>,
    is_front: Signal<Local, Bit>,
    first_total: Signal<Local, Bits<16>>,
    left_now: Signal<Local, Bits<16>>,
    at_end: Signal<Local, Bit>,
    formats_int: Signal<Local, Bit>,
    formats_ioam: Signal<Local, Bit>,
    formats_ifa: Signal<Local, Bit>,
    formats_dscp: Signal<Local, Bit>,
    data_hit: Signal<Local, Bit>,
    echo_hit: Signal<Local, Bit>,
    port_hit: Signal<Local, Bit>,
    ifa: Signal<Local, Bit>,
    stack: Signal<Local, Bit>,
    expected: Signal<Local, Bit>,
    length: Signal<Local, Bits<8>>,
    places: Signal<Local, Bits<11>>,
    stack_bytes: Signal<Local, Bits<11>>,
    marked: Signal<Local, Bits<4>>,
    head_total: Signal<Local, Bits<16>>,
    frame_wide: Signal<Local, Bits<17>>,
    is_runt: Signal<Local, Bit>,
    first_ok: Signal<Local, Bit>,
    proto_ok: Signal<Local, Bit>,
    dst_ok: Signal<Local, Bit>,
    port_ok: Signal<Local, Bit>,
    total_rest: Signal<Local, Bits<16>>,
    total_short: Signal<Local, Bit>,
    udp_len: Signal<Local, Bits<16>>,
    body: Signal<Local, Bits<16>>,
    bytes_wide: Signal<Local, Bits<16>>,
    #[value(KB as u64)]
    beat_bytes: Constant<Bits<16>>,
    #[value((TOLD_AT / KB) as u64)]
    last_front: Constant<Bits<4>>,
}

#[kernel]
impl<const W: usize, const KB: usize> RxIp<W, KB> {
    fn update(&mut self) {
        self.m.valid.next = self.out_valid.val();
        self.m.data.next = self.out_data.val();
        self.m.first.next = self.out_first.val();
        self.m.last.next = self.out_last.val();
        self.m.bytes.next = self.out_bytes.val();
        self.m.end.next = self.out_end.val();
        self.m_head.next = self.head.m_data.val();
        self.tel_valid.next = self.is_expected.val();
        self.tel_stack.next = self.is_stack.val();
        self.tel_ifa.next = self.is_ifa.val();
        self.tel_bytes.next = self.bytes.val();
        self.tel_words.next = self.words.val();
        self.ifa_known.next = self.known.val();
        self.ifa_words_max.next = self.words_max.val();
        self.ip_len.next = self.total.val();
        self.src_port.next = self.port.val();
        self.m_close_roce.next = self.close_roce.val();
        self.m_close_user.next = self.close_user.val();
        self.m_close_oversize.next = self.close_oversize.val();
        self.m_close_truncated.next = self.close_truncated.val();
        self.m_close_length.next = self.close_length.val();
        self.m_close_telemetry.next = self.close_telemetry.val();
        self.trim();
        self.telemetry();
        self.close();
    }

    /// The packet ends where its total length says.
    fn trim(&mut self) {
        self.first_total.next = (bit_cast::<16, 8>(self.s.data.val().get_bits::<8>(16)) << 8)
            | bit_cast::<16, 8>(self.s.data.val().get_bits::<8>(24));
        self.left_now.next = self.left.val();
        if self.s.first.val() {
            self.left_now.next = self.first_total.val();
        }
        self.at_end.next = self.left_now.val() <= self.beat_bytes.val();
        if self.s.valid.val() {
            self.left.next = self.left_now.val() - self.beat_bytes.val();
            self.over.next = self.at_end.val() | (self.over.val() & !self.s.first.val());
        }
        self.trim_valid.next = self.s.valid.val() & (self.s.first.val() | !self.over.val());
        self.trim_data.next = self.s.data.val();
        self.trim_first.next = self.s.first.val();
        self.trim_last.next = self.at_end.val();
        self.trim_bytes.next = bit_cast::<7, 16>(self.left_now.val());
        self.trim_end.next = self.s.end.val();
        self.trim_match.next = self.s_end_match.val();
        self.trim_user.next = self.s_end_user.val();
        self.trim_oversize.next = self.s_end_oversize.val();
        self.frame_bytes.next = self.s_end_bytes.val();
        self.head.s_valid.next = self.s.valid.val();
        self.head.s_first.next = self.s.first.val();
        self.head.s_data.next = self.s.data.val();
        self.out_valid.next = self.trim_valid.val();
        self.out_data.next = self.trim_data.val();
        self.out_first.next = self.trim_first.val();
        self.out_last.next = self.trim_last.val();
        self.out_bytes.next = self.trim_bytes.val();
        self.out_end.next = self.trim_end.val();
    }

    /// Marks of telemetry, and how long it is.
    fn telemetry(&mut self) {
        self.formats_int.next = self.cfg_tel_format.val() == 3;
        self.formats_ioam.next = self.cfg_tel_format.val() == 4;
        self.formats_ifa.next = self.cfg_tel_format.val() == 5;
        self.formats_dscp.next = (self.cfg_tel_format.val() == 1)
            | (self.cfg_tel_format.val() == 2)
            | self.formats_int.val()
            | self.formats_ioam.val();
        self.data_hit.next = self.formats_dscp.val()
            & (self.head.m_data.val().get_bits::<6>(10) == self.cfg_tel_dscp.val());
        self.echo_hit.next = (self.formats_dscp.val() | self.formats_ifa.val())
            & (self.head.m_data.val().get_bits::<6>(10) == self.cfg_tel_echo_dscp.val());
        self.port_hit.next = self.formats_int.val()
            & (self.head.m_data.val().get_bits::<8>(176)
                == self.cfg_tel_port.val().get_bits::<8>(8))
            & (self.head.m_data.val().get_bits::<8>(184)
                == self.cfg_tel_port.val().get_bits::<8>(0));
        self.ifa.next = self.formats_ifa.val() & (self.head.m_data.val().get_bits::<8>(72) == 253);
        self.stack.next = ((self.formats_int.val() | self.formats_ioam.val())
            & self.data_hit.val())
            | self.port_hit.val()
            | self.ifa.val();
        self.expected.next = self.data_hit.val() | self.echo_hit.val() | self.stack.val();
        comment!("Byte 28 has the hop count in the paper's form; the authors' form has 5 places.");
        self.places.next = bit_cast::<11, 4>(self.head.m_data.val().get_bits::<4>(228)) << 3;
        if self.cfg_tel_format.val() == 2 {
            self.places.next = 40.into();
        }
        comment!(
            "Byte 29 (IFA: 35) has the words behind a stack's first one, byte 28 INT's type 1"
        );
        comment!("and its mark.");
        self.length.next = self.head.m_data.val().get_bits::<8>(232);
        if self.ifa.val() {
            self.length.next = self.head.m_data.val().get_bits::<8>(280);
        }
        self.stack_bytes.next = bit_cast::<11, 8>(self.length.val()) << 2;
        self.marked.next = 4.into();
        if self.port_hit.val() {
            self.marked.next = 5.into();
        }
        comment!(
            "It is told while the packet's front comes, and stays as it was told: registers may"
        );
        comment!("change.");
        self.index.next = self.beat.val();
        if self.trim_first.val() {
            self.index.next = 0.into();
        }
        self.is_front.next = self.trim_valid.val() & (self.index.val() <= self.last_front.val());
        if self.is_front.val() {
            self.beat.next = self.index.val() + 1;
        }
        self.head_total.next = (bit_cast::<16, 8>(self.head.m_data.val().get_bits::<8>(16)) << 8)
            | bit_cast::<16, 8>(self.head.m_data.val().get_bits::<8>(24));
        if self.is_front.val() {
            self.is_expected.next = self.expected.val();
            self.is_stack.next = self.stack.val();
            self.is_ifa.next = self.ifa.val();
            self.words.next = self.length.val();
            self.known.next = self.head.m_data.val().get_bits::<8>(160) == 0x2f;
            self.words_max.next = self.head.m_data.val().get_bits::<8>(184);
            self.total.next = self.head_total.val();
            self.shim_bad.next = false;
            self.bytes.next = 0.into();
            self.port.next = (bit_cast::<16, 8>(self.head.m_data.val().get_bits::<8>(160)) << 8)
                | bit_cast::<16, 8>(self.head.m_data.val().get_bits::<8>(168));
            if self.ifa.val() {
                comment!(
                    "IFA: fragments, a stack at the packet's end and a checksum are more than"
                );
                comment!("is known.");
                self.bytes.next = self.stack_bytes.val() + 8;
                self.shim_bad.next = self.head.m_data.val().get_bits::<2>(179).any()
                    | self.head.m_data.val().get_bit(176);
                self.port.next = (bit_cast::<16, 8>(self.head.m_data.val().get_bits::<8>(192))
                    << 8)
                    | bit_cast::<16, 8>(self.head.m_data.val().get_bits::<8>(200));
            } else if self.stack.val() {
                self.bytes.next = self.stack_bytes.val() + 4;
                self.shim_bad.next = self.formats_int.val()
                    & ((self.head.m_data.val().get_bits::<2>(230) != 0)
                        | (self.head.m_data.val().get_bits::<4>(226) != self.marked.val())
                        | (self.port_hit.val()
                            & (self.head.m_data.val().get_bits::<16>(240) != 0xb712)));
            } else if self.expected.val() {
                self.bytes.next = self.places.val() + 2;
            }
        }
    }

    /// At the end: version and header length, no fragment, UDP, our address, port 4791 or INT's, all
    /// of them in the frame; lengths.
    fn close(&mut self) {
        self.first_ok.next = (self.head.m_data.val().get_bits::<8>(0) == 0x45)
            & (self.head.m_data.val().get_bits::<6>(48) == 0)
            & (self.head.m_data.val().get_bits::<8>(56) == 0);
        self.dst_ok.next = (self.head.m_data.val().get_bits::<8>(128)
            == self.cfg_local_ip.val().get_bits::<8>(24))
            & (self.head.m_data.val().get_bits::<8>(136)
                == self.cfg_local_ip.val().get_bits::<8>(16))
            & (self.head.m_data.val().get_bits::<8>(144)
                == self.cfg_local_ip.val().get_bits::<8>(8))
            & (self.head.m_data.val().get_bits::<8>(152)
                == self.cfg_local_ip.val().get_bits::<8>(0));
        self.proto_ok.next = self.head.m_data.val().get_bits::<8>(72) == 17;
        self.port_ok.next =
            (self.head.m_data.val().get_bits::<16>(176) == 0xb712) | self.port_hit.val();
        self.is_runt.next = self.frame_bytes.val() < 24;
        self.total_short.next = self.head_total.val() < 28;
        self.udp_len.next = (bit_cast::<16, 8>(self.head.m_data.val().get_bits::<8>(192)) << 8)
            | bit_cast::<16, 8>(self.head.m_data.val().get_bits::<8>(200));
        self.total_rest.next = self.head_total.val() - 20;
        if self.ifa.val() {
            self.proto_ok.next = self.head.m_data.val().get_bits::<8>(168) == 17;
            self.port_ok.next = self.head.m_data.val().get_bits::<16>(208) == 0xb712;
            self.is_runt.next = self.frame_bytes.val() < 32;
            self.total_short.next = self.head_total.val() < 32;
            comment!("Switches need not count in UDP's length what IFA inserts.");
            self.udp_len.next = self.total_rest.val();
        }
        self.close_roce.next = self.trim_match.val()
            & self.first_ok.val()
            & self.proto_ok.val()
            & self.dst_ok.val()
            & self.port_ok.val()
            & !self.is_runt.val()
            & !self.frame_bytes.val().get_bit(14);
        self.close_user.next = self.trim_user.val();
        self.close_oversize.next = self.trim_oversize.val();
        self.frame_wide.next = bit_cast::<17, 15>(self.frame_bytes.val());
        self.close_truncated.next =
            self.frame_wide.val() < bit_cast::<17, 16>(self.head_total.val());
        self.close_length.next =
            self.total_short.val() | (self.total_rest.val() != self.udp_len.val());
        comment!("Telemetry is measured one cycle later.");
        self.body.next = self.total.val() - 28;
        self.bytes_wide.next = bit_cast::<16, 11>(self.bytes.val());
        self.close_telemetry.next = self.shim_bad.val() | (self.body.val() < self.bytes_wide.val());
    }
}
