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
//! # Twins             part of sim/src/golden/rx/rx_pipe.rs, tests/rx_pipe.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// IPv4 and UDP stage of the 64-bit rx pipe.
#[derive(LogicBlock, Default)]
pub struct RxIp {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    beat: DFF<Bits<3>>,
    first_ok: DFF<Bit>,
    proto_ok: DFF<Bit>,
    dst_ok: DFF<Bit>,
    port_ok: DFF<Bit>,
    is_roce: DFF<Bit>,
    data_hit: DFF<Bit>,
    echo_hit: DFF<Bit>,
    stack_hit: DFF<Bit>,
    port_hit: DFF<Bit>,
    ifa: DFF<Bit>,
    next_ok: DFF<Bit>,
    known: DFF<Bit>,
    more: DFF<Bit>,
    words_max: DFF<Bits<8>>,
    udp: DFF<Bits<16>>,
    total_rest: DFF<Bits<16>>,
    total_short: DFF<Bit>,
    is_end: DFF<Bit>,
    end_user: DFF<Bit>,
    end_oversize: DFF<Bit>,
    end_bytes: DFF<Bits<16>>,
    close: DFF<Bit>,
    close_roce: DFF<Bit>,
    close_user: DFF<Bit>,
    close_oversize: DFF<Bit>,
    close_truncated: DFF<Bit>,
    close_length: DFF<Bit>,
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
        dff_setup!(
            self,
            clock,
            beat,
            first_ok,
            proto_ok,
            dst_ok,
            port_ok,
            is_roce,
            data_hit,
            echo_hit,
            stack_hit,
            port_hit,
            ifa,
            next_ok,
            known,
            more,
            words_max,
            udp,
            total_rest,
            total_short,
            is_end,
            end_user,
            end_oversize,
            end_bytes,
            close,
            close_roce,
            close_user,
            close_oversize,
            close_truncated,
            close_length
        );
        self.tel_expected.next = self.data_hit.q.val()
            | self.echo_hit.q.val()
            | self.port_hit.q.val()
            | self.ifa.q.val();
        self.tel_stack.next = self.stack_hit.q.val() | self.port_hit.q.val() | self.ifa.q.val();
        self.tel_by_port.next = self.port_hit.q.val();
        self.tel_ifa.next = self.ifa.q.val();
        self.ifa_known.next = self.known.q.val();
        self.ifa_more.next = self.more.q.val();
        self.ifa_words_max.next = self.words_max.q.val();
        self.udp_said.next = self.udp.q.val();
        if self.ifa.q.val() {
            self.udp_said.next = self.total_rest.q.val();
        }
        self.udp_len.next = self.udp_said.val();
        self.roce.next = self.is_roce.q.val();
        self.m_close.next = self.close.q.val();
        self.m_close_roce.next = self.close_roce.q.val();
        self.m_close_user.next = self.close_user.q.val();
        self.m_close_oversize.next = self.close_oversize.q.val();
        self.m_close_truncated.next = self.close_truncated.q.val();
        self.m_close_length.next = self.close_length.q.val();
        self.is_first.next = self.beat.q.val() == 0;
        if self.s_valid.val() & (self.beat.q.val() != 7) {
            self.beat.d.next = self.beat.q.val() + 1;
        }
        if self.s_end.val() {
            self.beat.d.next = 0.into();
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
            self.first_ok.d.next = (self.s_data.val().get_bits::<8>(0) == 0x45)
                & (self.s_data.val().get_bits::<6>(48) == 0)
                & (self.s_data.val().get_bits::<8>(56) == 0);
            self.data_hit.d.next = self.tel_on.val()
                & (self.s_data.val().get_bits::<6>(10) == self.cfg_tel_dscp.val());
            self.stack_hit.d.next = (self.is_int.val() | self.is_ioam.val())
                & (self.s_data.val().get_bits::<6>(10) == self.cfg_tel_dscp.val());
            self.echo_hit.d.next = (self.tel_on.val() | self.is_ifa.val())
                & (self.s_data.val().get_bits::<6>(10) == self.cfg_tel_echo_dscp.val());
        }
        if self.s_valid.val() & (self.beat.q.val() == 1) {
            self.ifa.d.next = self.is_ifa.val() & (self.s_data.val().get_bits::<8>(8) == 253);
            self.proto_ok.d.next = (self.s_data.val().get_bits::<8>(8) == 17)
                | (self.is_ifa.val() & (self.s_data.val().get_bits::<8>(8) == 253));
        }
        if self.s_valid.val() & (self.beat.q.val() == 2) {
            self.dst_ok.d.next = self.s_full.val()
                & (self.s_data.val().get_bits::<8>(0) == self.cfg_local_ip.val().get_bits::<8>(24))
                & (self.s_data.val().get_bits::<8>(8) == self.cfg_local_ip.val().get_bits::<8>(16))
                & (self.s_data.val().get_bits::<8>(16) == self.cfg_local_ip.val().get_bits::<8>(8))
                & (self.s_data.val().get_bits::<8>(24) == self.cfg_local_ip.val().get_bits::<8>(0));
            self.port_ok.d.next =
                !self.ifa.q.val() & (self.s_data.val().get_bits::<16>(48) == 0xb712);
            comment!(
                "IFA: version 2, local name spaces; fragments, a stack at the packet's end and"
            );
            comment!("a checksum are more than is known.");
            self.next_ok.d.next = self.s_data.val().get_bits::<8>(40) == 17;
            self.known.d.next = self.s_data.val().get_bits::<8>(32) == 0x2f;
            self.more.d.next =
                self.s_data.val().get_bits::<2>(51).any() | self.s_data.val().get_bit(48);
            self.words_max.d.next = self.s_data.val().get_bits::<8>(56);
            self.port_hit.d.next = self.is_int.val()
                & (self.s_data.val().get_bits::<8>(48) == self.cfg_tel_port.val().get_bits::<8>(8))
                & (self.s_data.val().get_bits::<8>(56) == self.cfg_tel_port.val().get_bits::<8>(0));
        }
        self.udp_high.next = bit_cast::<16, 8>(self.s_data.val().get_bits::<8>(0));
        self.udp_low.next = bit_cast::<16, 8>(self.s_data.val().get_bits::<8>(8));
        if self.s_valid.val() & (self.beat.q.val() == 3) {
            self.udp.d.next = (self.udp_high.val() << 8) | self.udp_low.val();
            if self.ifa.q.val() {
                self.port_ok.d.next = self.s_full.val()
                    & self.next_ok.q.val()
                    & (self.s_data.val().get_bits::<16>(16) == 0xb712);
            }
        }
        self.is_roce.d.next = self.s_match.val()
            & self.first_ok.q.val()
            & self.proto_ok.q.val()
            & self.dst_ok.q.val()
            & (self.port_ok.q.val() | self.port_hit.q.val());
        if self.s_end.val() {
            self.dst_ok.d.next = false;
        }
        comment!("At the end: the frame's own flags.");
        self.total_rest.d.next = self.ip_len.val() - 20;
        self.total_short.d.next = self.ip_len.val() < 28;
        if self.ifa.q.val() {
            self.total_short.d.next = self.ip_len.val() < 32;
        }
        self.is_end.d.next = self.s_end.val();
        self.end_user.d.next = self.s_end_user.val();
        self.end_oversize.d.next = self.s_end_oversize.val();
        self.end_bytes.d.next = bit_cast::<16, 14>(self.s_end_bytes.val());
        self.close.d.next = self.is_end.q.val();
        self.close_roce.d.next = self.is_roce.q.val();
        self.close_user.d.next = self.end_user.q.val();
        self.close_oversize.d.next = self.end_oversize.q.val();
        self.close_truncated.d.next = self.end_bytes.q.val() < self.ip_len.val();
        self.close_length.d.next =
            self.total_short.q.val() | (self.total_rest.q.val() != self.udp_said.val());
        if self.reset.val() {
            self.beat.d.next = 0.into();
            self.dst_ok.d.next = false;
            self.is_roce.d.next = false;
            self.is_end.d.next = false;
            self.close.d.next = false;
        }
    }
}
