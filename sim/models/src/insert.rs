//! What a sender or a switch does to a RoCEv2 frame that it gives telemetry: the bytes go in behind the UDP
//! header, the lengths grow, a port or a DSCP marks the frame, and the ICRC stays as it was.

use nic_spec::wire::{ethernet, ifa, ipv4, udp};

/// The frame, whose IP packet is whole, with `telemetry` behind its UDP header, marked by this
/// DSCP and, if there is one, this UDP destination port.
pub fn telemetry(frame: &[u8], telemetry: &[u8], dscp: u8, port: Option<u16>) -> Vec<u8> {
    let mut bytes = replace(frame, 0, telemetry);
    let at = ethernet::Packet::new_unchecked(frame).header_len();
    if let Some(port) = port {
        udp::Packet::new_unchecked(&mut bytes[at + ipv4::HEADER_BYTES..]).set_dst_port(port);
    }
    let mut packet = ipv4::Packet::new_unchecked(&mut bytes[at..]);
    packet.set_tos(dscp << 2 | packet.tos() & 3);
    packet.fill_checksum();
    bytes
}

/// The frame, whose IP packet is whole, with `telemetry` in the place of the `old_bytes` behind its UDP
/// header.
pub fn replace(frame: &[u8], old_bytes: usize, telemetry: &[u8]) -> Vec<u8> {
    let at = ethernet::Packet::new_unchecked(frame).header_len();
    let total = ipv4::Packet::new_unchecked(&frame[at..]).total_len();
    let (udp_at, body_at) = (at + ipv4::HEADER_BYTES, at + ipv4::HEADER_BYTES + udp::HEADER_BYTES);
    let mut bytes = frame[..at + usize::from(total)].to_vec();
    bytes.splice(body_at..body_at + old_bytes, telemetry.iter().copied());
    let grown = |length: u16| length + telemetry.len() as u16 - old_bytes as u16;
    let mut datagram = udp::Packet::new_unchecked(&mut bytes[udp_at..]);
    datagram.set_len(grown(datagram.len()));
    let mut packet = ipv4::Packet::new_unchecked(&mut bytes[at..]);
    packet.set_total_len(grown(total));
    packet.fill_checksum();
    bytes
}

/// The frame, whose IP packet is whole, with IFA: its header in front of UDP, `metadata` behind. UDP's
/// length stays as it was.
pub fn ifa(frame: &[u8], header: ifa::Header, metadata: &[u8]) -> Vec<u8> {
    let at = ethernet::Packet::new_unchecked(frame).header_len();
    let total = ipv4::Packet::new_unchecked(&frame[at..]).total_len();
    let (udp_at, body_at) = (at + ipv4::HEADER_BYTES, at + ipv4::HEADER_BYTES + udp::HEADER_BYTES);
    let whole = &frame[..at + usize::from(total)];
    let parts = [&whole[..udp_at], &header.emit(), &whole[udp_at..body_at], metadata];
    let mut bytes = [parts.concat(), whole[body_at..].to_vec()].concat();
    let mut packet = ipv4::Packet::new_unchecked(&mut bytes[at..]);
    packet.set_total_len(total + (ifa::HEADER_BYTES + metadata.len()) as u16);
    packet.set_protocol(ifa::PROTOCOL);
    packet.fill_checksum();
    bytes
}

#[cfg(test)]
mod tests {
    use super::{ifa, telemetry};
    use nic_spec::wire::ifa::Header;
    use nic_spec::wire::roce::FrameRepr;

    #[test]
    fn insert_telemetry_changes_lengths_marks_and_checksum_only() {
        let mut plain = vec![0; FrameRepr::default().buffer_len()];
        FrameRepr::default().emit(&mut plain);
        plain.resize(60, 0xaa);
        let stamped = telemetry(&plain, &[1, 2, 3, 4], 5, Some(6));
        let mut expected = plain[..58].to_vec();
        expected.splice(42..42, [1, 2, 3, 4]);
        expected[15] = 5 << 2;
        expected[17] += 4;
        expected[24..26].copy_from_slice(&stamped[24..26]);
        expected[36..38].copy_from_slice(&[0, 6]);
        expected[39] += 4;
        assert_eq!(stamped, expected);
    }

    #[test]
    fn insert_ifa_changes_length_protocol_and_checksum_only() {
        let mut plain = vec![0; FrameRepr::default().buffer_len()];
        FrameRepr::default().emit(&mut plain);
        plain.resize(60, 0xaa);
        let stamped = ifa(&plain, Header::default(), &[1, 2, 3, 4]);
        let mut expected = plain[..58].to_vec();
        expected.splice(42..42, [1, 2, 3, 4]);
        expected.splice(34..34, [0x2f, 17, 0, 255]);
        expected[17] += 8;
        expected[23] = 253;
        expected[24..26].copy_from_slice(&stamped[24..26]);
        assert_eq!(stamped, expected);
    }
}
