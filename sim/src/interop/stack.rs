//! The host's own stack as far as a peer needs it: answers ARP and ping, and pings.

use nic_spec::wire::ethernet::{ETHERTYPE_IPV4, FRAME_BYTES_MIN};
use nic_spec::wire::ipv4::ones_complement_sum;

const ETHERTYPE_ARP: u16 = 0x0806;
const ARP_REQUEST: u16 = 1;
const ARP_REPLY: u16 = 2;
const PROTOCOL_ICMP: u8 = 1;
const ECHO_REQUEST: u8 = 8;
const ECHO_REPLY: u8 = 0;
/// Offsets in an untagged frame.
const ARP: usize = 14;
const ICMP: usize = 14 + 20;
/// Data of a ping of ours.
const PING_BYTES: usize = 48;

/// Addresses of one host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// 48 bits, first byte in bits 47:40.
    pub mac: u64,
    /// IPv4.
    pub ip: u32,
}

/// What the stack has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// ARP requests answered.
    pub arps_answered: u32,
    /// Pings answered.
    pub pings_answered: u32,
    /// Answers to pings of ours.
    pub ping_replies: u32,
    /// Anything else.
    pub others: u32,
}

/// The stack.
#[derive(Clone, Debug)]
pub struct HostStack {
    local: Address,
    /// What it has seen.
    pub counters: Counters,
}

fn u16_at(frame: &[u8], at: usize) -> u16 {
    frame.get(at..at + 2).map_or(0, |b| u16::from_be_bytes([b[0], b[1]]))
}

fn u32_at(frame: &[u8], at: usize) -> u32 {
    u32::from(u16_at(frame, at)) << 16 | u32::from(u16_at(frame, at + 2))
}

fn mac_bytes(mac: u64) -> [u8; 6] {
    mac.to_be_bytes()[2..].try_into().expect("6 of 8 bytes")
}

/// Fills the 16 bits at `at` of `bytes` with their Internet checksum.
fn fill_checksum(bytes: &mut [u8], at: usize) {
    bytes[at..at + 2].fill(0);
    let sum = !ones_complement_sum(bytes);
    bytes[at..at + 2].copy_from_slice(&sum.to_be_bytes());
}

impl HostStack {
    /// The stack of the host with this address.
    pub fn new(local: Address) -> Self {
        Self { local, counters: Counters::default() }
    }

    /// Takes a frame; the frame that answers it, if one is due.
    pub fn receive(&mut self, frame: &[u8]) -> Option<Vec<u8>> {
        let is_icmp = frame.len() >= ICMP + 8
            && u16_at(frame, 12) == ETHERTYPE_IPV4
            && (frame[ARP], frame[ARP + 9]) == (0x45, PROTOCOL_ICMP);
        let is_for_us = frame.len() >= ARP + 28
            && u16_at(frame, 12) == ETHERTYPE_ARP
            && u16_at(frame, ARP + 6) == ARP_REQUEST
            && u32_at(frame, ARP + 24) == self.local.ip;
        if is_for_us {
            self.counters.arps_answered += 1;
            return Some(self.arp_reply(frame));
        }
        if is_icmp && frame[ICMP] == ECHO_REQUEST {
            self.counters.pings_answered += 1;
            return Some(self.echo_reply(frame));
        }
        if is_icmp && frame[ICMP] == ECHO_REPLY {
            self.counters.ping_replies += 1;
        } else {
            self.counters.others += 1;
        }
        None
    }

    fn arp_reply(&self, request: &[u8]) -> Vec<u8> {
        let mut frame = request[..ARP + 28].to_vec();
        let local = mac_bytes(self.local.mac);
        frame[0..6].copy_from_slice(&request[ARP + 8..ARP + 14]);
        frame[6..12].copy_from_slice(&local);
        frame[ARP + 6..ARP + 8].copy_from_slice(&ARP_REPLY.to_be_bytes());
        frame[ARP + 8..ARP + 14].copy_from_slice(&local);
        frame[ARP + 14..ARP + 18].copy_from_slice(&self.local.ip.to_be_bytes());
        frame[ARP + 18..ARP + 28].copy_from_slice(&request[ARP + 8..ARP + 18]);
        frame.resize(FRAME_BYTES_MIN, 0);
        frame
    }

    /// The same packet with addresses exchanged; the padding of a short frame stays.
    fn echo_reply(&self, request: &[u8]) -> Vec<u8> {
        let mut frame = request.to_vec();
        frame[0..6].copy_from_slice(&request[6..12]);
        frame[6..12].copy_from_slice(&mac_bytes(self.local.mac));
        frame[ARP + 12..ARP + 16].copy_from_slice(&request[ARP + 16..ARP + 20]);
        frame[ARP + 16..ARP + 20].copy_from_slice(&request[ARP + 12..ARP + 16]);
        fill_checksum(&mut frame[ARP..ICMP], 10);
        let end = (ARP + usize::from(u16_at(&frame, ARP + 2))).clamp(ICMP + 8, frame.len());
        frame[ICMP] = ECHO_REPLY;
        fill_checksum(&mut frame[ICMP..end], 2);
        frame
    }

    /// A ping to `peer`.
    pub fn ping(&self, peer: Address, sequence: u16) -> Vec<u8> {
        let ip_bytes = (20 + 8 + PING_BYTES) as u16;
        let mut frame = vec![0; ARP + usize::from(ip_bytes)];
        frame[0..6].copy_from_slice(&mac_bytes(peer.mac));
        frame[6..12].copy_from_slice(&mac_bytes(self.local.mac));
        frame[12..14].copy_from_slice(&ETHERTYPE_IPV4.to_be_bytes());
        frame[ARP] = 0x45;
        frame[ARP + 2..ARP + 4].copy_from_slice(&ip_bytes.to_be_bytes());
        frame[ARP + 8] = 64;
        frame[ARP + 9] = PROTOCOL_ICMP;
        frame[ARP + 12..ARP + 16].copy_from_slice(&self.local.ip.to_be_bytes());
        frame[ARP + 16..ARP + 20].copy_from_slice(&peer.ip.to_be_bytes());
        fill_checksum(&mut frame[ARP..ICMP], 10);
        frame[ICMP] = ECHO_REQUEST;
        frame[ICMP + 6..ICMP + 8].copy_from_slice(&sequence.to_be_bytes());
        fill_checksum(&mut frame[ICMP..], 2);
        frame
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCAL: Address = Address { mac: 0x0200_0000_0002, ip: 0x0a00_0002 };
    const PEER: Address = Address { mac: 0x0200_0000_0001, ip: 0x0a00_0001 };

    /// "Who has 10.0.0.2? Tell 10.0.0.1."
    const WHO_HAS: [u8; 42] = [
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 8, 6, 0, 1, 8, 0, 6, 4, 0, 1, 2, 0,
        0, 0, 0, 1, 10, 0, 0, 1, 0, 0, 0, 0, 0, 0, 10, 0, 0, 2,
    ];

    #[test]
    fn stack_answers_arp_for_its_address_only() {
        let mut stack = HostStack::new(LOCAL);
        let reply = stack.receive(&WHO_HAS).expect("an answer");
        let expected = [
            2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 6, 0, 1, 8, 0, 6, 4, 0, 2, 2, 0, 0, 0, 0, 2, 10,
            0, 0, 2, 2, 0, 0, 0, 0, 1, 10, 0, 0, 1,
        ];
        assert_eq!(reply[..42], expected);
        assert_eq!(reply.len(), 60);
        let mut other = WHO_HAS;
        other[41] = 3;
        assert_eq!(stack.receive(&other), None);
        assert_eq!(stack.counters, Counters { arps_answered: 1, others: 1, ..Default::default() });
    }

    #[test]
    fn stack_answers_its_peers_ping() {
        let (mut one, mut other) = (HostStack::new(LOCAL), HostStack::new(PEER));
        let reply = other.receive(&one.ping(PEER, 7)).expect("an answer");
        assert_eq!(ones_complement_sum(&reply[14..34]), 0xffff);
        assert_eq!(ones_complement_sum(&reply[34..]), 0xffff);
        assert_eq!(reply[..12], [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1]);
        assert_eq!(one.receive(&reply), None);
        assert_eq!((one.counters.ping_replies, other.counters.pings_answered), (1, 1));
    }

    #[test]
    fn stack_survives_short_frames() {
        let mut stack = HostStack::new(LOCAL);
        let ping = stack.ping(LOCAL, 1);
        for length in 0..42 {
            stack.receive(&WHO_HAS[..length]);
            stack.receive(&ping[..length]);
        }
    }
}
