//! What the rx pipe must make of a whole frame.

use super::stack::{self, Units};
use crate::streams::{Request, Telemetry};
use nic_spec::wire::{
    aeth, bth, ethernet, icrc, ifa, immdt, int_md, ioam, ipv4, reth, roce::PAYLOAD_BYTES_MAX,
    telemetry, udp,
};

/// What became of a frame. The first of these that applies, in this order, decides: MacError,
/// Oversize (the frame), Host or HostOverflow, IpChecksum, Truncated, Length (IP and UDP),
/// Telemetry, Length (transport headers), Oversize (the payload), Icrc, Version, Opcode, Pkey;
/// else Req, Ack, Response or Feedback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Given to the host.
    Host,
    /// The host's, but its FIFO was full.
    HostOverflow,
    /// A good request.
    Req,
    /// A good ACK.
    Ack,
    /// A good READ response.
    Response,
    /// A good telemetry response.
    Feedback,
    /// The MAC called it bad.
    MacError,
    /// The frame ends before its IP packet.
    Truncated,
    /// The frame or its payload is too long.
    Oversize,
    /// IPv4 header checksum.
    IpChecksum,
    /// Lengths contradict each other or leave no room for the headers.
    Length,
    /// ICRC.
    Icrc,
    /// Opcode that is not served.
    Opcode,
    /// Transport version other than 0.
    Version,
    /// Partition key.
    Pkey,
    /// Telemetry longer than the UDP payload, or a shim or header that does not fit the packet.
    Telemetry,
}

/// Registers that the verdict depends on.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub(super) mac: u64,
    pub(super) ip: u32,
    pub(super) pkey: u16,
    pub(super) format: Format,
    pub(super) dscp: u8,
    pub(super) echo_dscp: u8,
    /// Stacks are read; else they are not usable.
    pub(super) reads_stacks: bool,
}

/// How switches write telemetry.
#[derive(Clone, Copy, Debug)]
pub(super) enum Format {
    None,
    /// Into a header that the NIC leaves room for.
    Native(telemetry::Form),
    /// INT-MD, marked by this UDP port or by the DSCP.
    IntMd {
        port: u16,
        units: Units,
    },
    /// An IOAM trace, marked by the DSCP.
    Ioam {
        units: Units,
    },
    /// IFA, marked by the IP protocol.
    Ifa {
        units: Units,
    },
}

/// What telemetry a packet carries.
#[derive(Clone, Copy, Debug)]
enum Carried {
    None,
    Native(telemetry::Form),
    IntMd { npt: u8, units: Units },
    Ioam { units: Units },
    Ifa { header: ifa::Header, units: Units },
}

impl Settings {
    /// Whether packets of this protocol have an IFA header in front of UDP.
    fn has_ifa(&self, protocol: u8) -> bool {
        matches!(self.format, Format::Ifa { .. }) && protocol == ifa::PROTOCOL
    }

    /// Whether the NIC takes packets to this UDP port.
    fn is_our_port(&self, port: u16) -> bool {
        let is_marked = matches!(self.format, Format::IntMd { port: marked, .. } if port == marked);
        port == udp::PORT_ROCE || is_marked
    }

    /// What a packet with these marks carries. Echoes have the paper's form unless the switches
    /// write the authors'.
    fn carried(&self, dscp: u8, port: u16) -> Carried {
        let (is_data, is_echo) = (dscp == self.dscp, dscp == self.echo_dscp);
        match self.format {
            Format::Native(form) if is_data || is_echo => Carried::Native(form),
            Format::IntMd { port: marked, units } if port == marked => {
                Carried::IntMd { npt: int_md::NPT_PORT, units }
            }
            Format::IntMd { units, .. } if is_data => {
                Carried::IntMd { npt: int_md::NPT_DSCP, units }
            }
            Format::Ioam { units } if is_data => Carried::Ioam { units },
            Format::IntMd { .. } | Format::Ioam { .. } | Format::Ifa { .. } if is_echo => {
                Carried::Native(telemetry::Form::Paper)
            }
            _ => Carried::None,
        }
    }

    /// Base keys equal and not 0, one side a full member (InfiniBand, volume 1, section 10.9.3).
    fn pkey_matches(&self, pkey: u16) -> bool {
        let base = |key: u16| key & 0x7fff;
        base(pkey) == base(self.pkey) && base(pkey) != 0 && (pkey | self.pkey) & 0x8000 != 0
    }
}

/// What an accepted packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Of a requester: the responder's.
    Request,
    /// An ACK: the requester's.
    Ack,
    /// A READ response: the requester's.
    Response,
    /// A telemetry response: the congestion control's.
    Feedback,
}

impl From<Kind> for Reason {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Request => Self::Req,
            Kind::Ack => Self::Ack,
            Kind::Response => Self::Response,
            Kind::Feedback => Self::Feedback,
        }
    }
}

/// An accepted packet.
#[derive(Clone, Debug)]
pub struct Packet {
    /// What it is.
    pub kind: Kind,
    /// Fields; where there is an AETH, it is `imm`, and so is a telemetry response's UDP source
    /// port.
    pub req: Request,
    /// It asks for an event.
    pub solicited: bool,
    /// Payload.
    pub payload: Vec<u8>,
}

/// Whether a frame (as far as it is there) is RoCEv2 for this host.
pub fn is_roce_for_us(frame: &[u8], settings: &Settings) -> bool {
    let Ok(eth) = ethernet::Packet::new_checked(frame) else { return false };
    // Up to and with the UDP ports.
    let headers = ipv4::HEADER_BYTES + udp::field::DST_PORT.end;
    let packet = eth.payload();
    if packet.len() < headers {
        return false;
    }
    let ip = ipv4::Packet::new_unchecked(packet);
    let mut datagram = &packet[ipv4::HEADER_BYTES..];
    let mut protocol = ip.protocol();
    if settings.has_ifa(protocol) {
        // Here up to and with the whole UDP header.
        if packet.len() < ipv4::HEADER_BYTES + ifa::HEADER_BYTES + udp::HEADER_BYTES {
            return false;
        }
        protocol = ifa::Header::parse(datagram).expect("it is there").next_header;
        datagram = &datagram[ifa::HEADER_BYTES..];
    }
    let udp = udp::Packet::new_unchecked(datagram);
    eth.dst() == settings.mac
        && eth.ethertype() == ethernet::ETHERTYPE_IPV4
        && ip.version_ihl() == ipv4::VERSION_IHL
        && !ip.is_fragment()
        && protocol == ipv4::PROTOCOL_UDP
        && ip.dst() == settings.ip
        && settings.is_our_port(udp.dst_port())
}

fn ensure(holds: bool, reason: Reason) -> Result<(), Reason> {
    holds.then_some(()).ok_or(reason)
}

/// The packet in a RoCEv2 frame for this host, or why it is dropped.
pub fn judge(frame: &[u8], settings: &Settings) -> Result<Packet, Reason> {
    let packet = ethernet::Packet::new_unchecked(frame).header_len();
    let packet = &frame[packet..];
    let ip = ipv4::Packet::new_unchecked(packet);
    ensure(ip.verify_checksum(), Reason::IpChecksum)?;
    let total = usize::from(ip.total_len());
    ensure(packet.len() >= total, Reason::Truncated)?;
    let has_ifa = settings.has_ifa(ip.protocol());
    let ifa_bytes = if has_ifa { ifa::HEADER_BYTES } else { 0 };
    let headers = ipv4::HEADER_BYTES + ifa_bytes + udp::HEADER_BYTES;
    ensure(total >= headers, Reason::Length)?;
    let (ip_header, datagram) = packet[..total].split_at(ipv4::HEADER_BYTES);
    let (ifa_header, datagram) = datagram.split_at(ifa_bytes);
    let udp = udp::Packet::new_unchecked(datagram);
    // Whether IFA's metadata count in UDP's length is open; the ICRC covers what follows of IP's.
    ensure(has_ifa || usize::from(udp.len()) == datagram.len(), Reason::Length)?;
    let (udp_header, body) = datagram.split_at(udp::HEADER_BYTES);
    let carried = match (ifa::Header::parse(ifa_header), settings.format) {
        (Ok(header), Format::Ifa { units }) => Carried::Ifa { header, units },
        _ => settings.carried(ip.dscp(), udp.dst_port()),
    };
    let (mut tel, body) = take_telemetry(carried, body)?;
    if !settings.reads_stacks && !matches!(carried, Carried::None | Carried::Native(_)) {
        tel = Telemetry { valid: true, hops: 6, ..Telemetry::default() };
    }
    let transport_len = body.len().checked_sub(icrc::BYTES).ok_or(Reason::Length)?;
    let (transport, trailer) = body.split_at(transport_len);
    let mut packet = take_headers(transport)?;
    packet.req.src_ip = ip.src();
    if packet.kind == Kind::Feedback && !bth::opcode::has_immdt(packet.req.opcode) {
        packet.req.imm = u32::from(udp.src_port());
    }
    packet.req.tel = tel;
    // The ICRC is that of the packet to RoCEv2's port over UDP, whatever marks it now.
    let mut udp_header: [u8; udp::HEADER_BYTES] = udp_header.try_into().expect("8 bytes");
    udp::Packet::new_unchecked(&mut udp_header[..]).set_dst_port(udp::PORT_ROCE);
    let mut ip_header: [u8; ipv4::HEADER_BYTES] = ip_header.try_into().expect("20 bytes");
    ipv4::Packet::new_unchecked(&mut ip_header[..]).set_protocol(ipv4::PROTOCOL_UDP);
    let expected = icrc::icrc(&ip_header, &udp_header, transport);
    ensure(expected.to_le_bytes() == trailer, Reason::Icrc)?;
    let bth = bth::Packet::new_unchecked(transport);
    ensure(bth.transport_version() == 0, Reason::Version)?;
    let is_served = packet.kind != Kind::Request || bth::opcode::is_request(bth.opcode());
    ensure(is_served, Reason::Opcode)?;
    ensure(settings.pkey_matches(bth.pkey()), Reason::Pkey)?;
    Ok(packet)
}

fn take_telemetry(carried: Carried, body: &[u8]) -> Result<(Telemetry, &[u8]), Reason> {
    match carried {
        Carried::None => Ok((Telemetry::default(), body)),
        Carried::Native(form) => take_native(form, body),
        Carried::IntMd { npt, units } => {
            let stack = int_md::Stack::parse(body, npt, udp::PORT_ROCE);
            let stack = stack.map_err(|_| Reason::Telemetry)?;
            Ok((stack::int_md(&stack, units), &body[stack.len()..]))
        }
        Carried::Ioam { units } => {
            let trace = ioam::Trace::parse(body).map_err(|_| Reason::Telemetry)?;
            Ok((stack::ioam(&trace, units), &body[trace.len()..]))
        }
        Carried::Ifa { header, units } => {
            let stack = ifa::Stack::parse(header, body).map_err(|_| Reason::Telemetry)?;
            Ok((stack::ifa(&stack, units), &body[stack.len()..]))
        }
    }
}

fn take_native(form: telemetry::Form, body: &[u8]) -> Result<(Telemetry, &[u8]), Reason> {
    let repr = telemetry::Repr::parse(form, body).map_err(|_| Reason::Telemetry)?;
    let (header, rest) = body.split_at(repr.buffer_len(form));
    let mut tel = Telemetry { valid: true, hops: 6, path: repr.path, ..Telemetry::default() };
    if repr.is_usable() {
        tel.hops = repr.hop_count as u8;
    }
    match form {
        telemetry::Form::Paper => {
            tel.hop = core::array::from_fn(|i| repr.hops[i].to_word());
        }
        // All five places, whatever the count says.
        telemetry::Form::Authors => {
            for (hop, bytes) in tel.hop.iter_mut().zip(header.chunks_exact(8)) {
                *hop = u64::from_le_bytes(bytes.try_into().expect("8 bytes"));
            }
        }
    }
    Ok((tel, rest))
}

/// Transport headers and payload; the record without what stands in front of them.
fn take_headers(transport: &[u8]) -> Result<Packet, Reason> {
    let bth = bth::Packet::new_checked(transport).map_err(|_| Reason::Length)?;
    let opcode = bth.opcode();
    let mut req = Request {
        valid: true,
        qpn: bth.qpn(),
        opcode,
        psn: bth.psn(),
        ack_req: bth.ack_req(),
        ..Request::default()
    };
    let mut rest = &transport[bth::HEADER_BYTES..];
    if bth::opcode::has_reth(opcode) {
        let reth = reth::Packet::new_checked(rest).map_err(|_| Reason::Length)?;
        (req.va, req.rkey, req.dma_len) = (reth.va(), reth.rkey(), reth.dma_len());
        rest = &rest[reth::HEADER_BYTES..];
    }
    if bth::opcode::has_aeth(opcode) {
        let aeth = aeth::Packet::new_checked(rest).map_err(|_| Reason::Length)?;
        req.imm = u32::from(aeth.syndrome()) << 24 | aeth.msn();
        rest = &rest[aeth::HEADER_BYTES..];
    }
    if bth::opcode::has_immdt(opcode) {
        req.imm = immdt::Packet::new_checked(rest).map_err(|_| Reason::Length)?.imm();
        rest = &rest[immdt::HEADER_BYTES..];
    }
    let payload_len = rest.len().checked_sub(usize::from(bth.pad_count())).ok_or(Reason::Length)?;
    let kind = match opcode {
        bth::opcode::ACKNOWLEDGE => Kind::Ack,
        _ if bth::opcode::is_telemetry_only(opcode) => Kind::Feedback,
        _ if bth::opcode::is_read_response(opcode) => Kind::Response,
        _ => Kind::Request,
    };
    let is_bare = matches!(kind, Kind::Ack | Kind::Feedback);
    ensure(!is_bare || payload_len == 0, Reason::Length)?;
    ensure(payload_len <= PAYLOAD_BYTES_MAX, Reason::Oversize)?;
    req.payload_bytes = payload_len as u16;
    Ok(Packet { kind, req, solicited: bth.solicited(), payload: rest[..payload_len].into() })
}
