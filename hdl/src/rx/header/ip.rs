//! IPv4 and UDP headers: is the frame RoCEv2 for us, what telemetry does it carry, and do its
//! lengths agree.
//!
//! # Source            RFC 791, RFC 768; draft-kumar-ippm-ifa
//! # Interface timing  fields: the cycle after their beat, until the next packet's. roce: 2 cycles
//!                     after the packet's third beat (IFA: fourth), until 1 cycle after s_end. m_close: 2 cycles
//!                     after s_end
//! # Latency and rate  1; one beat per cycle, no ready
//! # Number formats    udp_len | UQ16.0 | bytes, as the headers have them. IFA: what the IPv4 total
//!                     length leaves, IFA's header included: switches need not count in UDP's
//!                     length what they insert, so it is not looked at
//! # Reset             synchronous, high: between packets
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// IPv4 and UDP stage of the 64-bit rx pipe.
#[block]
pub struct RxIp {
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
    pub s_valid: Signal<In, Bit>,
    /// Its bytes.
    pub s_data: Signal<In, Bits<64>>,
    /// All eight bytes are the frame's.
    pub s_full: Signal<In, Bit>,
    /// IPv4 total length, from the cycle after the first beat on.
    pub ip_len: Signal<In, Bits<16>>,
    /// Ethernet header matches.
    pub s_match: Signal<In, Bit>,
    /// The frame is over.
    pub s_end: Signal<In, Bit>,
    /// With `s_end`: the MAC called it bad.
    pub s_end_user: Signal<In, Bit>,
    /// With `s_end`: too long.
    pub s_end_oversize: Signal<In, Bit>,
    /// With `s_end`: bytes behind the Ethernet header.
    pub s_end_bytes: Signal<In, Bits<14>>,
    /// DSCP, port and register say that telemetry follows UDP.
    pub tel_expected: Signal<Out, Bit>,
    /// It is a stack: INT-MD, IOAM or IFA.
    pub tel_stack: Signal<Out, Bit>,
    /// The packet is marked by its port.
    pub tel_by_port: Signal<Out, Bit>,
    /// The packet has IFA: telemetry, and its header in front of UDP.
    pub tel_ifa: Signal<Out, Bit>,
    /// IFA's header has the version and the name space that are known.
    pub ifa_known: Signal<Out, Bit>,
    /// It says that there is more of IFA than what is known.
    pub ifa_more: Signal<Out, Bit>,
    /// Words that its stack may have.
    pub ifa_words_max: Signal<Out, Bits<8>>,
    /// UDP length.
    pub udp_len: Signal<Out, Bits<16>>,
    /// The frame in progress is RoCEv2 for us.
    pub roce: Signal<Out, Bit>,
    /// The frame is over and the flags below are its own.
    pub m_close: Signal<Out, Bit>,
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
    beat: Reg<Bits<3>>,
    first_ok: Unreset<Bit>,
    proto_ok: Unreset<Bit>,
    dst_ok: Reg<Bit>,
    port_ok: Unreset<Bit>,
    is_roce: Reg<Bit>,
    data_hit: Unreset<Bit>,
    echo_hit: Unreset<Bit>,
    stack_hit: Unreset<Bit>,
    port_hit: Unreset<Bit>,
    ifa: Unreset<Bit>,
    next_ok: Unreset<Bit>,
    known: Unreset<Bit>,
    more: Unreset<Bit>,
    words_max: Unreset<Bits<8>>,
    udp: Unreset<Bits<16>>,
    total_rest: Unreset<Bits<16>>,
    total_short: Unreset<Bit>,
    is_end: Reg<Bit>,
    end_user: Unreset<Bit>,
    end_oversize: Unreset<Bit>,
    end_bytes: Unreset<Bits<16>>,
    close: Reg<Bit>,
    close_roce: Unreset<Bit>,
    close_user: Unreset<Bit>,
    close_oversize: Unreset<Bit>,
    close_truncated: Unreset<Bit>,
    close_length: Unreset<Bit>,
    is_first: Signal<Local, Bit>,
    udp_high: Signal<Local, Bits<16>>,
    udp_low: Signal<Local, Bits<16>>,
    udp_said: Signal<Local, Bits<16>>,
    tel_on: Signal<Local, Bit>,
    is_int: Signal<Local, Bit>,
    is_ioam: Signal<Local, Bit>,
    is_ifa: Signal<Local, Bit>,
}

impl Logic for RxIp {
    #[hdl_gen]
    fn update(&mut self) {
        self.tel_expected.next =
            self.data_hit.val() | self.echo_hit.val() | self.port_hit.val() | self.ifa.val();
        self.tel_stack.next = self.stack_hit.val() | self.port_hit.val() | self.ifa.val();
        self.tel_by_port.next = self.port_hit.val();
        self.tel_ifa.next = self.ifa.val();
        self.ifa_known.next = self.known.val();
        self.ifa_more.next = self.more.val();
        self.ifa_words_max.next = self.words_max.val();
        self.udp_said.next = self.udp.val();
        if self.ifa.val() {
            self.udp_said.next = self.total_rest.val();
        }
        self.udp_len.next = self.udp_said.val();
        self.roce.next = self.is_roce.val();
        self.m_close.next = self.close.val();
        self.m_close_roce.next = self.close_roce.val();
        self.m_close_user.next = self.close_user.val();
        self.m_close_oversize.next = self.close_oversize.val();
        self.m_close_truncated.next = self.close_truncated.val();
        self.m_close_length.next = self.close_length.val();
        self.is_first.next = self.beat.val() == 0;
        if self.s_valid.val() & (self.beat.val() != 7) {
            self.beat.next = self.beat.val() + 1;
        }
        if self.s_end.val() {
            self.beat.next = 0.into();
        }
        comment!(
            "Fields: version and header length, no fragment, UDP, our address, port 4791 or INT's."
        );
        self.is_int.next = self.cfg_tel_format.val() == 3;
        self.is_ioam.next = self.cfg_tel_format.val() == 4;
        self.is_ifa.next = self.cfg_tel_format.val() == 5;
        self.tel_on.next = (self.cfg_tel_format.val() == 1)
            | (self.cfg_tel_format.val() == 2)
            | self.is_int.val()
            | self.is_ioam.val();
        if self.s_valid.val() & self.is_first.val() {
            self.first_ok.next = (self.s_data.val().get_bits::<8>(0) == 0x45)
                & (self.s_data.val().get_bits::<6>(48) == 0)
                & (self.s_data.val().get_bits::<8>(56) == 0);
            self.data_hit.next = self.tel_on.val()
                & (self.s_data.val().get_bits::<6>(10) == self.cfg_tel_dscp.val());
            self.stack_hit.next = (self.is_int.val() | self.is_ioam.val())
                & (self.s_data.val().get_bits::<6>(10) == self.cfg_tel_dscp.val());
            self.echo_hit.next = (self.tel_on.val() | self.is_ifa.val())
                & (self.s_data.val().get_bits::<6>(10) == self.cfg_tel_echo_dscp.val());
        }
        if self.s_valid.val() & (self.beat.val() == 1) {
            self.ifa.next = self.is_ifa.val() & (self.s_data.val().get_bits::<8>(8) == 253);
            self.proto_ok.next = (self.s_data.val().get_bits::<8>(8) == 17)
                | (self.is_ifa.val() & (self.s_data.val().get_bits::<8>(8) == 253));
        }
        if self.s_valid.val() & (self.beat.val() == 2) {
            self.dst_ok.next = self.s_full.val()
                & (self.s_data.val().get_bits::<8>(0) == self.cfg_local_ip.val().get_bits::<8>(24))
                & (self.s_data.val().get_bits::<8>(8) == self.cfg_local_ip.val().get_bits::<8>(16))
                & (self.s_data.val().get_bits::<8>(16) == self.cfg_local_ip.val().get_bits::<8>(8))
                & (self.s_data.val().get_bits::<8>(24) == self.cfg_local_ip.val().get_bits::<8>(0));
            self.port_ok.next = !self.ifa.val() & (self.s_data.val().get_bits::<16>(48) == 0xb712);
            comment!(
                "IFA: version 2, local name spaces; fragments, a stack at the packet's end and"
            );
            comment!("a checksum are more than is known.");
            self.next_ok.next = self.s_data.val().get_bits::<8>(40) == 17;
            self.known.next = self.s_data.val().get_bits::<8>(32) == 0x2f;
            self.more.next =
                self.s_data.val().get_bits::<2>(51).any() | self.s_data.val().get_bit(48);
            self.words_max.next = self.s_data.val().get_bits::<8>(56);
            self.port_hit.next = self.is_int.val()
                & (self.s_data.val().get_bits::<8>(48) == self.cfg_tel_port.val().get_bits::<8>(8))
                & (self.s_data.val().get_bits::<8>(56) == self.cfg_tel_port.val().get_bits::<8>(0));
        }
        self.udp_high.next = bit_cast::<16, 8>(self.s_data.val().get_bits::<8>(0));
        self.udp_low.next = bit_cast::<16, 8>(self.s_data.val().get_bits::<8>(8));
        if self.s_valid.val() & (self.beat.val() == 3) {
            self.udp.next = (self.udp_high.val() << 8) | self.udp_low.val();
            if self.ifa.val() {
                self.port_ok.next = self.s_full.val()
                    & self.next_ok.val()
                    & (self.s_data.val().get_bits::<16>(16) == 0xb712);
            }
        }
        self.is_roce.next = self.s_match.val()
            & self.first_ok.val()
            & self.proto_ok.val()
            & self.dst_ok.val()
            & (self.port_ok.val() | self.port_hit.val());
        if self.s_end.val() {
            self.dst_ok.next = false;
        }
        comment!("At the end: the frame's own flags.");
        self.total_rest.next = self.ip_len.val() - 20;
        self.total_short.next = self.ip_len.val() < 28;
        if self.ifa.val() {
            self.total_short.next = self.ip_len.val() < 32;
        }
        self.is_end.next = self.s_end.val();
        self.end_user.next = self.s_end_user.val();
        self.end_oversize.next = self.s_end_oversize.val();
        self.end_bytes.next = bit_cast::<16, 14>(self.s_end_bytes.val());
        self.close.next = self.is_end.val();
        self.close_roce.next = self.is_roce.val();
        self.close_user.next = self.end_user.val();
        self.close_oversize.next = self.end_oversize.val();
        self.close_truncated.next = self.end_bytes.val() < self.ip_len.val();
        self.close_length.next =
            self.total_short.val() | (self.total_rest.val() != self.udp_said.val());
    }
}
