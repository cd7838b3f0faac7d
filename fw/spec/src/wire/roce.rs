//! Whole RoCEv2 frames, Ethernet to ICRC, with telemetry inserted by the rule of [`icrc`].

use super::icrc::{self, icrc};
use super::{aeth, bth, ethernet, immdt, ipv4, reth, telemetry, udp, WireError};

/// Largest payload of a packet: the largest path MTU of InfiniBand.
pub const PAYLOAD_BYTES_MAX: usize = 4096;

/// Bytes of the largest frame that [`FrameRepr`] can describe with a legal payload: every header,
/// every extension, fifteen hops.
pub const FRAME_BYTES_MAX: usize = ethernet::TAGGED_HEADER_BYTES
    + ipv4::HEADER_BYTES
    + udp::HEADER_BYTES
    + telemetry::PAPER_BYTES_MAX
    + bth::HEADER_BYTES
    + reth::HEADER_BYTES
    + aeth::HEADER_BYTES
    + immdt::HEADER_BYTES
    + PAYLOAD_BYTES_MAX
    + icrc::BYTES;

/// Why a frame is not a good RoCEv2 frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameError {
    /// Another protocol: not IPv4 without options and fragments, UDP, port 4791.
    NotRoce,
    /// The frame ends before its IP packet does.
    Truncated,
    /// Wrong IPv4 header checksum.
    IpChecksum,
    /// The lengths in the headers contradict each other or leave no room for the headers.
    Length,
    /// The telemetry header does not fit.
    Telemetry,
    /// Wrong ICRC.
    Icrc,
    /// Another transport version than 0, the only one.
    Version,
}

impl core::fmt::Display for FrameError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::NotRoce => "not a RoCEv2 frame",
            Self::Truncated => "the frame ends before its IP packet does",
            Self::IpChecksum => "wrong IPv4 header checksum",
            Self::Length => "the lengths in the headers contradict each other",
            Self::Telemetry => "the telemetry header does not fit",
            Self::Icrc => "wrong ICRC",
            Self::Version => "another transport version than 0",
        })
    }
}

impl core::error::Error for FrameError {}

impl From<WireError> for FrameError {
    fn from(_: WireError) -> Self {
        Self::Length
    }
}

/// A RoCEv2 frame. Lengths, pad count and checksums are computed by [`FrameRepr::emit`]; what is
/// in `ip.payload_len`, `ip.protocol`, `ethernet.ethertype` and `bth.pad_count` beforehand does
/// not matter, and [`FrameRepr::parse`] fills them in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameRepr<'a> {
    /// Ethernet header.
    pub ethernet: ethernet::Repr,
    /// IPv4 header.
    pub ip: ipv4::Repr,
    /// UDP source port.
    pub udp_src_port: u16,
    /// Telemetry between UDP and BTH.
    pub telemetry: Option<(telemetry::Form, telemetry::Repr)>,
    /// Base transport header.
    pub bth: bth::Repr,
    /// RETH, if the opcode has one.
    pub reth: Option<reth::Repr>,
    /// AETH, if the opcode has one.
    pub aeth: Option<aeth::Repr>,
    /// Immediate data, if the opcode has it.
    pub imm: Option<u32>,
    /// Payload without pad; the extension headers of atomics and invalidates count as payload.
    pub payload: &'a [u8],
}

impl<'a> FrameRepr<'a> {
    fn telemetry_len(&self) -> usize {
        self.telemetry.map_or(0, |(form, repr)| repr.buffer_len(form))
    }

    fn pad_len(&self) -> usize {
        self.payload.len().wrapping_neg() & 3
    }

    fn transport_len(&self) -> usize {
        bth::HEADER_BYTES
            + self.reth.map_or(0, |_| reth::HEADER_BYTES)
            + self.aeth.map_or(0, |_| aeth::HEADER_BYTES)
            + self.imm.map_or(0, |_| immdt::HEADER_BYTES)
            + self.payload.len()
            + self.pad_len()
    }

    /// Bytes that [`FrameRepr::emit`] writes: Ethernet header to ICRC, without FCS and without
    /// padding to the smallest frame.
    pub fn buffer_len(&self) -> usize {
        let udp_payload_len = self.telemetry_len() + self.transport_len() + icrc::BYTES;
        self.ethernet.buffer_len() + ipv4::HEADER_BYTES + udp::HEADER_BYTES + udp_payload_len
    }

    /// Writes the frame to the front of `buffer` and returns its length.
    ///
    /// # Panics
    /// If the buffer is shorter than [`FrameRepr::buffer_len`] or the IP packet longer than 65535.
    pub fn emit(&self, buffer: &mut [u8]) -> usize {
        let frame_len = self.buffer_len();
        let (eth, rest) = buffer[..frame_len].split_at_mut(self.ethernet.buffer_len());
        let (ip, rest) = rest.split_at_mut(ipv4::HEADER_BYTES);
        let (udp, rest) = rest.split_at_mut(udp::HEADER_BYTES);
        let payload_len = u16::try_from(rest.len()).expect("an IP packet of at most 65535 bytes");
        ethernet::Repr { ethertype: ethernet::ETHERTYPE_IPV4, ..self.ethernet }.emit(eth);
        let udp_len = payload_len + udp::HEADER_BYTES as u16;
        let ip_repr = ipv4::Repr { protocol: ipv4::PROTOCOL_UDP, payload_len: udp_len, ..self.ip };
        ip_repr.emit(&mut ipv4::Packet::new_unchecked(&mut *ip));
        let udp_repr =
            udp::Repr { src_port: self.udp_src_port, dst_port: udp::PORT_ROCE, payload_len };
        udp_repr.emit(&mut udp::Packet::new_unchecked(&mut *udp));
        let (tel, rest) = rest.split_at_mut(self.telemetry_len());
        if let Some((form, repr)) = self.telemetry {
            repr.emit(form, tel);
        }
        let (transport, trailer) = rest.split_at_mut(self.transport_len());
        self.emit_transport(transport);
        let (ip, udp) = (&*ip, &*udp);
        let crc = icrc(ip.try_into().expect("20"), udp.try_into().expect("8"), transport);
        trailer.copy_from_slice(&crc.to_le_bytes());
        frame_len
    }

    fn emit_transport(&self, buffer: &mut [u8]) {
        let (header, mut rest) = buffer.split_at_mut(bth::HEADER_BYTES);
        let bth_repr = bth::Repr { pad_count: self.pad_len() as u8, ..self.bth };
        bth_repr.emit(&mut bth::Packet::new_unchecked(header));
        if let Some(repr) = self.reth {
            let (header, tail) = rest.split_at_mut(reth::HEADER_BYTES);
            repr.emit(&mut reth::Packet::new_unchecked(header));
            rest = tail;
        }
        if let Some(repr) = self.aeth {
            let (header, tail) = rest.split_at_mut(aeth::HEADER_BYTES);
            repr.emit(&mut aeth::Packet::new_unchecked(header));
            rest = tail;
        }
        if let Some(imm) = self.imm {
            let (header, tail) = rest.split_at_mut(immdt::HEADER_BYTES);
            immdt::Repr { imm }.emit(&mut immdt::Packet::new_unchecked(header));
            rest = tail;
        }
        let (payload, pad) = rest.split_at_mut(self.payload.len());
        payload.copy_from_slice(self.payload);
        pad.fill(0);
    }

    /// Reads a frame and checks everything that does not depend on configuration. Bytes behind the
    /// IP packet (Ethernet padding) are ignored. `form` says which telemetry stands between UDP
    /// and BTH; who calls decides that, by the DSCP.
    pub fn parse(frame: &'a [u8], form: Option<telemetry::Form>) -> Result<Self, FrameError> {
        let eth = ethernet::Packet::new_checked(frame).map_err(|_| FrameError::NotRoce)?;
        let ethernet = ethernet::Repr::parse(&eth)?;
        let packet = &frame[ethernet.buffer_len()..];
        if ethernet.ethertype != ethernet::ETHERTYPE_IPV4 {
            return Err(FrameError::NotRoce);
        }
        let ip_packet = ipv4::Packet::new_checked(packet).map_err(|_| FrameError::NotRoce)?;
        let udp_bytes = &packet[ipv4::HEADER_BYTES..];
        let is_udp = ip_packet.version_ihl() == ipv4::VERSION_IHL
            && !ip_packet.is_fragment()
            && ip_packet.protocol() == ipv4::PROTOCOL_UDP;
        let udp_packet = udp::Packet::new_checked(udp_bytes).map_err(|_| FrameError::NotRoce)?;
        if !is_udp || udp_packet.dst_port() != udp::PORT_ROCE {
            return Err(FrameError::NotRoce);
        }
        if !ip_packet.verify_checksum() {
            return Err(FrameError::IpChecksum);
        }
        let ip = ipv4::Repr::parse(&ip_packet)?;
        let udp = udp::Repr::parse(&udp_packet)?;
        if ip.payload_len != udp.payload_len + udp::HEADER_BYTES as u16 {
            return Err(FrameError::Length);
        }
        let end = udp::HEADER_BYTES + usize::from(udp.payload_len);
        let body = udp_bytes.get(udp::HEADER_BYTES..end).ok_or(FrameError::Truncated)?;
        let (telemetry, body) = Self::parse_telemetry(form, body)?;
        let transport_len = body.len().checked_sub(icrc::BYTES).ok_or(FrameError::Length)?;
        let (transport, trailer) = body.split_at(transport_len);
        let repr = Self { ethernet, ip, udp_src_port: udp.src_port, telemetry, ..Self::default() }
            .parse_transport(transport)?;
        let ip_header = packet[..ipv4::HEADER_BYTES].try_into().expect("20");
        let udp_header = udp_bytes[..udp::HEADER_BYTES].try_into().expect("8");
        if icrc(ip_header, udp_header, transport).to_le_bytes() != trailer {
            return Err(FrameError::Icrc);
        }
        if bth::Packet::new_checked(transport)?.transport_version() != 0 {
            return Err(FrameError::Version);
        }
        Ok(repr)
    }

    #[allow(clippy::type_complexity)]
    fn parse_telemetry(
        form: Option<telemetry::Form>,
        body: &[u8],
    ) -> Result<(Option<(telemetry::Form, telemetry::Repr)>, &[u8]), FrameError> {
        let Some(form) = form else { return Ok((None, body)) };
        let repr = telemetry::Repr::parse(form, body).map_err(|_| FrameError::Telemetry)?;
        Ok((Some((form, repr)), &body[repr.buffer_len(form)..]))
    }

    fn parse_transport(mut self, transport: &'a [u8]) -> Result<Self, FrameError> {
        self.bth = bth::Repr::parse(&bth::Packet::new_checked(transport)?)?;
        let mut rest = &transport[bth::HEADER_BYTES..];
        if bth::opcode::has_reth(self.bth.opcode) {
            self.reth = Some(reth::Repr::parse(&reth::Packet::new_checked(rest)?)?);
            rest = &rest[reth::HEADER_BYTES..];
        }
        if bth::opcode::has_aeth(self.bth.opcode) {
            self.aeth = Some(aeth::Repr::parse(&aeth::Packet::new_checked(rest)?)?);
            rest = &rest[aeth::HEADER_BYTES..];
        }
        if bth::opcode::has_immdt(self.bth.opcode) {
            self.imm = Some(immdt::Packet::new_checked(rest)?.imm());
            rest = &rest[immdt::HEADER_BYTES..];
        }
        let payload_len = rest.len().checked_sub(usize::from(self.bth.pad_count));
        self.payload = &rest[..payload_len.ok_or(FrameError::Length)?];
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::telemetry::{Form, Hop};

    /// SEND only with immediate, tests/data/rxe/send_imm_atomic.pcap, record 6.
    const SEND_IMM: [u8; 74] = [
        0x52, 0x54, 0x00, 0x00, 0x00, 0x02, 0x52, 0x54, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x45,
        0x00, 0x00, 0x3c, 0x6b, 0xe8, 0x40, 0x00, 0x40, 0x11, 0xba, 0xc6, 0x0a, 0x00, 0x00, 0x01,
        0x0a, 0x00, 0x00, 0x02, 0xc1, 0x69, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00, 0x05, 0x20, 0xff,
        0xff, 0x00, 0x00, 0x00, 0x13, 0x80, 0x00, 0x01, 0x05, 0x11, 0x22, 0x33, 0x44, 0xf1, 0x3d,
        0x8a, 0xd7, 0x23, 0x70, 0xbc, 0x09, 0x56, 0xa2, 0x00, 0x00, 0x5f, 0xf0, 0x16, 0x02,
    ];

    #[test]
    fn roce_parses_and_emits_captured_send() {
        let repr = FrameRepr::parse(&SEND_IMM, None).unwrap();
        assert_eq!(repr.ethernet.dst, 0x5254_0000_0002);
        assert_eq!((repr.ip.src, repr.ip.dst), (0x0a00_0001, 0x0a00_0002));
        assert_eq!((repr.bth.opcode, repr.bth.psn, repr.bth.pad_count), (5, 0x105, 2));
        assert_eq!((repr.imm, repr.payload.len()), (Some(0x1122_3344), 10));
        let mut bytes = [0xee; 74];
        assert_eq!(repr.emit(&mut bytes), 74);
        assert_eq!(bytes, SEND_IMM);
    }

    #[test]
    fn roce_telemetry_leaves_the_icrc_alone() {
        let plain = FrameRepr::parse(&SEND_IMM, None).unwrap();
        for (form, bytes) in [(Form::Paper, 18), (Form::Authors, 42)] {
            let telemetry = telemetry::Repr::new(0, &[Hop::default(); 2]);
            let mut stamped = plain;
            stamped.telemetry = Some((form, telemetry));
            stamped.ethernet.vlan_tci = Some(5);
            stamped.ip.dscp = 46;
            let mut frame = [0; FRAME_BYTES_MAX];
            let len = stamped.emit(&mut frame);
            assert_eq!(len, 74 + 4 + bytes);
            assert_eq!(frame[len - 4..len], SEND_IMM[70..], "the ICRC of the plain packet");
            let parsed = FrameRepr::parse(&frame[..len], Some(form)).unwrap();
            assert_eq!(parsed.telemetry, Some((form, telemetry)));
            assert_eq!(parsed.payload, plain.payload);
        }
    }

    #[test]
    fn roce_refuses_broken_frames() {
        let broken = |index: usize, value: u8| {
            let mut bytes = SEND_IMM;
            bytes[index] = value;
            FrameRepr::parse(&bytes, None).map(|_| ()).unwrap_err()
        };
        assert_eq!(broken(12, 0x86), FrameError::NotRoce);
        assert_eq!(broken(20, 0x20), FrameError::NotRoce);
        assert_eq!(broken(37, 0xb8), FrameError::NotRoce);
        assert_eq!(broken(33, 0x03), FrameError::IpChecksum);
        assert_eq!(broken(39, 0x29), FrameError::Length);
        assert_eq!(broken(60, 0), FrameError::Icrc);
        assert_eq!(broken(43, 0x21), FrameError::Icrc);
        let mut version_1 = SEND_IMM;
        version_1[43] = 0x21;
        version_1[70..].copy_from_slice(&[0x1e, 0xeb, 0x9a, 0x6c]);
        assert_eq!(FrameRepr::parse(&version_1, None).unwrap_err(), FrameError::Version);
        let short = FrameRepr::parse(&SEND_IMM[..73], None).unwrap_err();
        assert_eq!(short, FrameError::Truncated);
        // Every prefix and every telemetry form is refused without a panic.
        for len in 0..74 {
            for form in [None, Some(Form::Paper), Some(Form::Authors)] {
                assert!(FrameRepr::parse(&SEND_IMM[..len], form).is_err());
            }
        }
        let telemetry = FrameRepr::parse(&SEND_IMM, Some(Form::Authors)).unwrap_err();
        assert_eq!(telemetry, FrameError::Telemetry);
    }
}
