//! What a transit hop does to a frame that brings a telemetry header along: its own record goes in front
//! of the others, and the header tells of it. Frames without the header stay as they are.

use nic_models::insert;
use nic_spec::wire::{ethernet, ifa, int_md, ioam, ipv4, udp};

/// UDP destination port of packets with INT-MD that a port marks.
pub const INT_PORT: u16 = 0x1b6d;

type Ip<'a> = ipv4::Packet<&'a [u8]>;
type Udp<'a> = udp::Packet<&'a [u8]>;

/// The IPv4 packet of a frame, if it is whole, its header is right and it carries `protocol`, with its
/// payload and where that begins in the frame.
fn packet(frame: &[u8], protocol: u8) -> Option<(Ip<'_>, &[u8], usize)> {
    let at = ethernet::Packet::new_checked(frame).ok()?.header_len();
    let packet = frame.get(at..)?;
    let ip = ipv4::Packet::new_checked(packet).ok()?;
    let is_it = ip.version_ihl() == ipv4::VERSION_IHL && ip.protocol() == protocol;
    if !is_it || ip.is_fragment() || !ip.verify_checksum() {
        return None;
    }
    let payload = packet.get(ipv4::HEADER_BYTES..usize::from(ip.total_len()))?;
    Some((ip, payload, at + ipv4::HEADER_BYTES))
}

/// The same of a packet that carries UDP, with its datagram and what is behind the UDP header.
fn datagram(frame: &[u8]) -> Option<(Ip<'_>, Udp<'_>, &[u8])> {
    let (ip, payload, _) = packet(frame, ipv4::PROTOCOL_UDP)?;
    let datagram = udp::Packet::new_checked(payload).ok()?;
    Some((ip, datagram, payload.get(udp::HEADER_BYTES..)?))
}

/// The frame with one more hop of INT-MD (P4-INT 2.1, section 5.8): in front of the stack, or E set if
/// no hop is left.
pub fn int_md(frame: &[u8], hop: &[u8], by_port: bool, dscp: u8) -> Option<Vec<u8>> {
    let (ip, datagram, body) = datagram(frame)?;
    let (npt, is_marked) = match by_port {
        true => (int_md::NPT_PORT, datagram.dst_port() == INT_PORT),
        false => (int_md::NPT_DSCP, ip.dscp() == dscp),
    };
    let stack = int_md::Stack::parse(body, npt, udp::PORT_ROCE).ok().filter(|_| is_marked)?;
    let mut headers = stack.headers().ok()?;
    let is_known = headers.version == int_md::VERSION
        && headers.instructions == int_md::instruction::HPCC
        && usize::from(headers.hop_words) * 4 == hop.len();
    if !is_known {
        return None;
    }
    let old = &body[int_md::HEADERS_BYTES..stack.len()];
    let hop = if headers.hops_left > 0 { hop } else { &[] };
    headers.hops_exceeded |= headers.hops_left == 0;
    headers.hops_left = headers.hops_left.saturating_sub(1);
    let mut telemetry = vec![0; int_md::HEADERS_BYTES];
    headers.emit(hop.len() + old.len(), &mut telemetry);
    telemetry.extend([hop, old].concat());
    Some(insert::replace(frame, stack.len(), &telemetry))
}

/// The frame with one more node's data, seconds among them, in its incremental trace (RFC 9197, section
/// 4.4.2): in front of the others, or the overflow flag if there is no room. Behind an overflow nothing
/// is added.
pub fn ioam(frame: &[u8], node: &[u8], dscp: u8) -> Option<Vec<u8>> {
    let (ip, datagram, body) = datagram(frame)?;
    let is_marked = ip.dscp() == dscp && datagram.dst_port() == udp::PORT_ROCE;
    let trace = ioam::Trace::parse(body).ok().filter(|_| is_marked)?;
    let mut headers = trace.headers().ok()?;
    let is_known = headers.option_type == ioam::TYPE_INCREMENTAL
        && headers.trace_type == ioam::trace::HPCC | ioam::trace::SECONDS
        && usize::from(headers.node_words) * 4 == node.len();
    if !is_known || headers.overflow {
        return None;
    }
    let old = &body[ioam::HEADERS_BYTES..trace.len()];
    headers.overflow = headers.words_left < headers.node_words;
    let node = if headers.overflow { &[] } else { node };
    headers.words_left -= (node.len() / 4) as u8;
    let mut telemetry = vec![0; ioam::HEADERS_BYTES];
    headers.emit(node.len() + old.len(), &mut telemetry);
    telemetry.extend([node, old].concat());
    Some(insert::replace(frame, trace.len(), &telemetry))
}

/// The frame with one more hop of IFA: in front of the others, if the hop limit is not 0 and the stack may
/// grow. UDP's length stays as it is.
pub fn ifa(frame: &[u8], hop: &[u8; ifa::HOP_BYTES]) -> Option<Vec<u8>> {
    let (ip, payload, payload_at) = packet(frame, ifa::PROTOCOL)?;
    let header = ifa::Header::parse(payload).ok()?;
    let metadata_at = payload_at + ifa::HEADER_BYTES + udp::HEADER_BYTES;
    let whole = &frame[..payload_at + payload.len()];
    let body = whole.get(metadata_at..)?;
    let stack = ifa::Stack::parse(header, body).ok()?;
    let (limit, words) = (body[2], body[3]);
    let grown = words.checked_add((ifa::HOP_BYTES / 4) as u8).filter(|w| *w <= header.words_max)?;
    if !stack.is_known() || header.next_header != ipv4::PROTOCOL_UDP || limit == 0 {
        return None;
    }
    let (front, old) = whole.split_at(metadata_at + ifa::METADATA_BYTES);
    let mut bytes = [front, hop, old].concat();
    bytes[metadata_at + 2..metadata_at + 4].copy_from_slice(&[limit - 1, grown]);
    let mut packet = ipv4::Packet::new_unchecked(&mut bytes[payload_at - ipv4::HEADER_BYTES..]);
    packet.set_total_len(ip.total_len() + ifa::HOP_BYTES as u16);
    packet.fill_checksum();
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::{ifa, int_md, ioam};
    use nic_models::insert;
    use nic_spec::wire::ifa::Header;
    use nic_spec::wire::roce::FrameRepr;

    fn plain() -> Vec<u8> {
        let mut plain = vec![0; FrameRepr::default().buffer_len()];
        FrameRepr::default().emit(&mut plain);
        plain
    }

    /// Shim, metadata header, stack; typed from the figures of the specification.
    fn int(hops_left: u8, flags: u8, hops: &[u8]) -> Vec<u8> {
        let words = 3 + 6 * hops.len() as u8;
        let mut bytes = vec![0x10, words, 0, 0, 0x20 | flags, 0, 6, hops_left, 0xd5, 0, 0, 0];
        bytes.extend([0; 4]);
        hops.iter().for_each(|hop| bytes.extend([*hop; 24]));
        bytes
    }

    #[test]
    fn transit_pushes_hops_of_int_md() {
        let frame = |telemetry: &[u8]| insert::telemetry(&plain(), telemetry, 5, None);
        let add = |telemetry: &[u8], hop| int_md(&frame(telemetry), &[hop; 24], false, 5);
        assert_eq!(add(&int(5, 0, &[]), 1), Some(frame(&int(4, 0, &[1]))));
        assert_eq!(add(&int(4, 0, &[1]), 2), Some(frame(&int(3, 0, &[2, 1]))));
        assert_eq!(add(&int(0, 0, &[1]), 2), Some(frame(&int(0, 4, &[1]))));
        let other = insert::telemetry(&plain(), &int(5, 0, &[]), 6, None);
        assert_eq!(int_md(&other, &[1; 24], false, 5), None);
        assert_eq!(int_md(&plain(), &[1; 24], false, 5), None);
        let mut wrong = int(5, 0, &[]);
        wrong[8] = 0xd4;
        assert_eq!(add(&wrong, 1), None);
    }

    /// Shim, header and nodes of a trace; typed from the figures of RFC 9452 and RFC 9197.
    fn trace(words_left: u8, flags: u8, nodes: &[u8]) -> Vec<u8> {
        let words = 2 + 6 * nodes.len() as u8;
        let mut bytes = vec![1, words, 0, 0, 0, 0, 0x30 | flags, words_left, 0xf2, 8, 0, 0];
        nodes.iter().for_each(|node| bytes.extend([*node; 24]));
        bytes
    }

    #[test]
    fn transit_pushes_nodes_of_ioam() {
        let frame = |telemetry: &[u8]| insert::telemetry(&plain(), telemetry, 5, None);
        let add = |telemetry: &[u8], node| ioam(&frame(telemetry), &[node; 24], 5);
        assert_eq!(add(&trace(30, 0, &[]), 1), Some(frame(&trace(24, 0, &[1]))));
        assert_eq!(add(&trace(6, 0, &[1]), 2), Some(frame(&trace(0, 0, &[2, 1]))));
        assert_eq!(add(&trace(5, 0, &[1]), 2), Some(frame(&trace(5, 4, &[1]))));
        assert_eq!(add(&trace(30, 4, &[1]), 2), None);
        let other = insert::telemetry(&plain(), &trace(30, 0, &[]), 6, None);
        assert_eq!(ioam(&other, &[1; 24], 5), None);
        assert_eq!(ioam(&plain(), &[1; 24], 0), None);
        let mut wrong = trace(30, 0, &[]);
        wrong[0] = 0;
        assert_eq!(add(&wrong, 1), None);
    }
    /// Metadata's header and hops; typed from the layout.
    fn metadata(limit: u8, hops: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0, 0, limit, 8 * hops.len() as u8];
        hops.iter().for_each(|hop| bytes.extend([*hop; 32]));
        bytes
    }

    #[test]
    fn transit_pushes_hops_of_ifa() {
        let frame = |header, metadata: &[u8]| insert::ifa(&plain(), header, metadata);
        let good = Header::default();
        let add = |header, metadata: &[u8], hop| ifa(&frame(header, metadata), &[hop; 32]);
        assert_eq!(add(good, &metadata(64, &[]), 1), Some(frame(good, &metadata(63, &[1]))));
        assert_eq!(add(good, &metadata(1, &[1]), 2), Some(frame(good, &metadata(0, &[2, 1]))));
        assert_eq!(add(good, &metadata(0, &[1]), 2), None);
        let full = Header { words_max: 15, ..good };
        assert_eq!(add(full, &metadata(9, &[1]), 2), None);
        let fits = Header { words_max: 16, ..good };
        assert_eq!(add(fits, &metadata(9, &[1]), 2), Some(frame(fits, &metadata(8, &[2, 1]))));
        assert_eq!(add(Header { version: 3, ..good }, &metadata(9, &[]), 1), None);
        assert_eq!(ifa(&plain(), &[1; 32]), None);
    }
}
