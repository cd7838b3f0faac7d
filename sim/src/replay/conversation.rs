//! What a capture tells about the host whose part is played: its address, queue pairs, memory
//! regions, and the frames that reached it.

use crate::pcap::Record;
use nic_models::reference::rc::{admit, DEFAULT_PKEY};
use nic_spec::wire::aeth::syndrome;
use nic_spec::wire::bth::opcode;
use nic_spec::NicConfig;
use std::collections::BTreeMap;
use std::fmt;

/// PSNs and QPNs are 24 bits.
const MASK_24: u32 = 0xff_ffff;
/// Longest region: it is kept in memory.
const REGION_BYTES_MAX: u64 = 1 << 30;

pub use nic_models::reference::rc::{packet_count, psn_distance};

/// Whose part is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The host that is written to and read from.
    Responder,
    /// The host that writes and reads.
    Requester,
}

/// Address of a host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// 48 bits.
    pub mac: u64,
    /// IPv4.
    pub ip: u32,
}

/// A queue pair of the played host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Our QPN.
    pub qpn: u32,
    /// The peer's QPN; 0 where no answer in the capture names it.
    pub remote_qpn: u32,
    /// The peer.
    pub remote: Address,
    /// UDP source port of what we send.
    pub udp_source_port: u16,
    /// PSN of the first request.
    pub first_psn: u32,
    /// PSN of the last request.
    pub last_psn: u32,
    /// Path MTU in bytes.
    pub mtu_bytes: usize,
    /// The peer may READ: no READ of it was refused as invalid.
    pub remote_read: bool,
}

/// A memory region, as far as the capture shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Remote key.
    pub rkey: u32,
    /// First byte that a request names.
    pub va: u64,
    /// Bytes up to the last one.
    pub length_bytes: u64,
}

/// A frame of the capture, as the played host is concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Reaches the played host.
    Received,
    /// From the peer, but the host's NAK shows that it was lost behind the capture point.
    LostLater,
    /// What the real host sent.
    Sent,
}

/// A request packet or an answer with what matters of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Index of the record.
    pub record: usize,
    /// Source address.
    pub source: Address,
    /// Destination address.
    pub destination: Address,
    /// UDP source port.
    pub udp_source_port: u16,
    /// BTH opcode.
    pub opcode: u8,
    /// Destination QPN.
    pub qpn: u32,
    /// PSN.
    pub psn: u32,
    /// AckReq bit.
    pub ack_req: bool,
    /// Virtual address, rkey and length of the RETH.
    pub reth: Option<(u64, u32, u32)>,
    /// Syndrome of the AETH.
    pub syndrome: Option<u8>,
    /// Immediate data.
    pub immediate: Option<u32>,
    /// Payload without pad.
    pub payload: Vec<u8>,
}

impl Packet {
    /// Reads the frame of a record; `None` if it is no valid RoCEv2 packet of the default partition.
    pub fn parse(record: usize, frame: &[u8]) -> Option<Self> {
        let f = admit(frame, DEFAULT_PKEY)?;
        Some(Self {
            record,
            source: Address { mac: f.ethernet.src, ip: f.ip.src },
            destination: Address { mac: f.ethernet.dst, ip: f.ip.dst },
            udp_source_port: f.udp_src_port,
            opcode: f.bth.opcode,
            qpn: f.bth.qpn,
            psn: f.bth.psn,
            ack_req: f.bth.ack_req,
            reth: f.reth.map(|r| (r.va, r.rkey, r.dma_len)),
            syndrome: f.aeth.map(|a| a.syndrome),
            immediate: f.imm,
            payload: f.payload.to_vec(),
        })
    }

    /// Whether a responder must answer it.
    pub fn is_request(&self) -> bool {
        opcode::is_request(self.opcode)
    }

    /// Whether it is one packet of an RDMA WRITE.
    pub fn is_write(&self) -> bool {
        (opcode::WRITE_FIRST..=opcode::WRITE_ONLY_IMM).contains(&self.opcode)
    }

    /// Whether it asks for a READ.
    pub fn is_read(&self) -> bool {
        self.opcode == opcode::READ_REQUEST
    }

    /// Whether it brings bytes of a READ.
    pub fn is_read_response(&self) -> bool {
        opcode::is_read_response(self.opcode)
    }

    /// PSNs that it takes: a READ those of its responses.
    pub fn psn_count(&self, mtu_bytes: usize) -> u32 {
        match self.reth {
            Some((_, _, length)) if self.is_read() => packet_count(length.into(), mtu_bytes),
            _ => 1,
        }
    }

    /// Position of `psn` among those that it takes.
    pub fn offset_of(&self, psn: u32, mtu_bytes: usize) -> Option<usize> {
        let at = psn_distance(psn, self.psn);
        (0..self.psn_count(mtu_bytes) as i32).contains(&at).then_some(at as usize)
    }

    /// Whether it is a NAK of this syndrome.
    pub fn is_nak(&self, code: u8) -> bool {
        self.opcode == opcode::ACKNOWLEDGE && self.syndrome == Some(code)
    }
}

/// Why a capture cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InferError {
    /// No valid RoCEv2 request is in it.
    NoRequests,
    /// More than one host could be meant.
    SeveralHosts(Vec<u32>),
    /// No request concerns the host that was named.
    NoSuchHost(u32),
    /// Two QPNs fall on the same row of the QP table.
    QpnClash(u32, u32),
    /// Two rkeys fall on the same row of the memory region table.
    RkeyClash(u32, u32),
    /// A region is empty, or longer than memory is given for: rkey and bytes.
    RegionLength(u32, u64),
}

/// `10.0.0.1` for 0x0a000001.
pub fn ip_text(ip: u32) -> String {
    std::net::Ipv4Addr::from(ip).to_string()
}

impl fmt::Display for InferError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRequests => {
                f.write_str("holds no valid RoCEv2 request packet of the default partition")
            }
            Self::SeveralHosts(ips) => {
                let ips: Vec<_> = ips.iter().map(|ip| ip_text(*ip)).collect();
                write!(f, "several hosts play this role ({}): choose one by --host", ips.join(", "))
            }
            Self::NoSuchHost(ip) => {
                write!(f, "no request packet concerns {} in this role", ip_text(*ip))
            }
            Self::QpnClash(a, b) => {
                write!(f, "QPNs {a:#x} and {b:#x} need the same row of the QP table")
            }
            Self::RkeyClash(a, b) => {
                write!(f, "rkeys {a:#x} and {b:#x} need the same row of the memory region table")
            }
            Self::RegionLength(rkey, bytes) => {
                write!(f, "region rkey {rkey:#x} has {bytes} bytes, not 1..={REGION_BYTES_MAX}")
            }
        }
    }
}

impl std::error::Error for InferError {}

/// One side of a captured conversation.
#[derive(Clone, Debug)]
pub struct Conversation {
    /// The played host.
    pub local: Address,
    /// Its queue pairs, by QPN.
    pub pairs: Vec<Pair>,
    /// Its memory regions (responder), by rkey.
    pub regions: Vec<Region>,
    /// One entry a record.
    pub parts: Vec<Part>,
    /// All valid RoCEv2 packets, in captured order.
    pub packets: Vec<Packet>,
}

impl Conversation {
    /// Works out the part of the host that plays `role`.
    pub fn infer(
        records: &[Record],
        role: Role,
        host: Option<u32>,
        config: &NicConfig,
    ) -> Result<Self, InferError> {
        let packets: Vec<_> = records
            .iter()
            .enumerate()
            .filter_map(|(i, record)| Packet::parse(i, &record.data))
            .collect();
        let local = local_address(&packets, role, host)?;
        let parts = parts(records, &packets, local);
        let pairs = match role {
            Role::Responder => responder_pairs(&packets, local),
            Role::Requester => requester_pairs(&packets, local),
        };
        let regions = match role {
            Role::Responder => regions(&packets, local),
            Role::Requester => Vec::new(),
        };
        let conversation = Self { local, pairs, regions, parts, packets };
        conversation.check_rows(config)?;
        Ok(conversation)
    }

    /// Whether the tables of the NIC have room for it.
    pub fn check_rows(&self, config: &NicConfig) -> Result<(), InferError> {
        let mut rows = BTreeMap::new();
        for pair in &self.pairs {
            let row = pair.qpn as usize % config.flow_count;
            if let Some(other) = rows.insert(row, pair.qpn) {
                return Err(InferError::QpnClash(other, pair.qpn));
            }
        }
        let mut rows = BTreeMap::new();
        for region in &self.regions {
            let row = (region.rkey >> 8) as usize % config.mr_count;
            if let Some(other) = rows.insert(row, region.rkey) {
                return Err(InferError::RkeyClash(other, region.rkey));
            }
            if !(1..=REGION_BYTES_MAX).contains(&region.length_bytes) {
                return Err(InferError::RegionLength(region.rkey, region.length_bytes));
            }
        }
        Ok(())
    }

    /// What a region held before the conversation, as far as READs show it; 0 elsewhere.
    pub fn initial(&self, region: &Region) -> Vec<u8> {
        let mut bytes = vec![0; region.length_bytes as usize];
        let mut is_settled = vec![false; bytes.len()];
        let place = |va: u64| va.checked_sub(region.va).map(|at| at as usize);
        for packet in &self.packets {
            match packet.reth {
                Some((va, rkey, length)) if packet.is_write() && rkey == region.rkey => {
                    let Some(at) = place(va) else { continue };
                    let end = is_settled.len().min(at + length as usize);
                    is_settled[at.min(end)..end].fill(true);
                }
                _ if packet.is_read_response() => {
                    let Some((va, rkey)) = self.read_address(packet) else { continue };
                    let Some(at) = place(va).filter(|_| rkey == region.rkey) else { continue };
                    for (at, byte) in (at..bytes.len()).zip(&packet.payload) {
                        if !std::mem::replace(&mut is_settled[at], true) {
                            bytes[at] = *byte;
                        }
                    }
                }
                _ => {}
            }
        }
        bytes
    }

    /// Address and rkey of a READ response of the played host: those of the latest request for it.
    fn read_address(&self, response: &Packet) -> Option<(u64, u32)> {
        let pair = self
            .pairs
            .iter()
            .find(|p| p.remote_qpn == response.qpn && p.remote.ip == response.destination.ip)?;
        self.packets.iter().rev().filter(|p| p.record < response.record).find_map(|p| {
            let (va, rkey, _) = p.reth.filter(|_| p.is_read() && p.qpn == pair.qpn)?;
            let packets = p.offset_of(response.psn, pair.mtu_bytes)?;
            Some((va.wrapping_add((packets * pair.mtu_bytes) as u64), rkey))
        })
    }

    /// Packets that the real host sent.
    pub fn sent(&self) -> impl Iterator<Item = &Packet> {
        self.packets.iter().filter(|p| self.parts[p.record] == Part::Sent)
    }

    /// Valid packets that reach the played host.
    pub fn received(&self) -> impl Iterator<Item = &Packet> {
        self.packets.iter().filter(|p| self.parts[p.record] == Part::Received)
    }
}

fn local_address(packets: &[Packet], role: Role, host: Option<u32>) -> Result<Address, InferError> {
    let mut hosts: Vec<Address> = packets
        .iter()
        .filter(|p| p.is_request())
        .map(|p| match role {
            Role::Responder => p.destination,
            Role::Requester => p.source,
        })
        .collect();
    hosts.sort();
    hosts.dedup_by_key(|a| a.ip);
    match (host, hosts.as_slice()) {
        (_, []) => Err(InferError::NoRequests),
        (None, [one]) => Ok(*one),
        (None, many) => Err(InferError::SeveralHosts(many.iter().map(|a| a.ip).collect())),
        (Some(ip), many) => {
            many.iter().find(|a| a.ip == ip).copied().ok_or(InferError::NoSuchHost(ip))
        }
    }
}

/// Sorts the records into received, lost behind the capture point, and sent.
fn parts(records: &[Record], packets: &[Packet], local: Address) -> Vec<Part> {
    let source_mac = |data: &[u8]| {
        data.get(6..12).map(|mac| mac.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)))
    };
    let mut parts: Vec<Part> = records
        .iter()
        .map(|r| match source_mac(&r.data) {
            Some(mac) if mac == local.mac => Part::Sent,
            _ => Part::Received,
        })
        .collect();
    for nak in packets.iter().filter(|p| p.is_nak(syndrome::NAK_SEQUENCE)) {
        if parts[nak.record] != Part::Sent {
            continue;
        }
        // The packet that the real responder missed may still be in the capture.
        let missed = packets.iter().rev().find(|p| {
            p.record < nak.record
                && p.is_request()
                && p.destination.ip == local.ip
                && p.psn == nak.psn
                && answers(nak, p, packets)
        });
        if let Some(missed) = missed {
            parts[missed.record] = Part::LostLater;
        }
    }
    for retry in packets.iter().filter(|p| p.is_read()) {
        if parts[retry.record] != Part::Sent {
            continue;
        }
        // A READ that is asked for again from its middle shows which response was missed.
        let is_middle = |p: &Packet| {
            p.is_read() && p.qpn == retry.qpn && {
                let (va, _, length) = p.reth.unwrap_or_default();
                let (from, _, _) = retry.reth.unwrap_or_default();
                p.record < retry.record && va < from && from - va < u64::from(length)
            }
        };
        if packets.iter().any(is_middle) {
            let missed = packets
                .iter()
                .rev()
                .find(|p| p.record < retry.record && p.is_read_response() && p.psn == retry.psn);
            if let Some(missed) = missed {
                parts[missed.record] = Part::LostLater;
            }
        }
    }
    parts
}

/// Whether `answer` goes where `request` came from.
fn same_hosts(answer: &Packet, request: &Packet) -> bool {
    answer.source.ip == request.destination.ip && answer.destination.ip == request.source.ip
}

/// Whether `answer` can belong to the connection of `request`: same hosts, and no other connection
/// between them is nearer by PSN.
fn answers(answer: &Packet, request: &Packet, packets: &[Packet]) -> bool {
    let nearest = packets
        .iter()
        .filter(|p| {
            p.is_request()
                && p.source.ip == request.source.ip
                && p.destination.ip == request.destination.ip
        })
        .min_by_key(|p| psn_distance(answer.psn, p.psn).unsigned_abs());
    same_hosts(answer, request) && nearest.is_some_and(|p| p.qpn == request.qpn)
}

/// From the payload of packets that are not the last of their message, of both directions.
fn mtu_bytes(requests: &[&Packet], packets: &[Packet]) -> usize {
    use opcode::{READ_RESPONSE_FIRST, READ_RESPONSE_MIDDLE, WRITE_FIRST, WRITE_MIDDLE};
    let responses = packets.iter().filter(|p| {
        p.is_read_response() && requests.iter().any(|r| r.is_read() && same_hosts(p, r))
    });
    let all: Vec<&Packet> = requests.iter().copied().chain(responses).collect();
    let is_full = |p: &&&Packet| {
        let full = [WRITE_FIRST, WRITE_MIDDLE, READ_RESPONSE_FIRST, READ_RESPONSE_MIDDLE];
        full.contains(&p.opcode)
    };
    let full = all.iter().filter(is_full).map(|p| p.payload.len());
    let longest = all.iter().map(|p| p.payload.len()).max().unwrap_or(0);
    let needed = full.max().unwrap_or(longest.max(1024));
    [256, 512, 1024, 2048, 4096].into_iter().find(|mtu| *mtu >= needed).unwrap_or(4096)
}

/// Requests of each connection towards (responder) or from (requester) the played host.
fn connections(
    packets: &[Packet],
    concerns: impl Fn(&Packet) -> bool,
) -> BTreeMap<(u32, u32), Vec<&Packet>> {
    let mut all: BTreeMap<(u32, u32), Vec<&Packet>> = BTreeMap::new();
    for p in packets.iter().filter(|p| p.is_request() && concerns(p)) {
        all.entry((p.source.ip ^ p.destination.ip, p.qpn)).or_default().push(p);
    }
    all
}

fn last_psn(requests: &[&Packet], first_psn: u32, mtu_bytes: usize) -> u32 {
    let last = |p: &&Packet| psn_distance(p.psn, first_psn) + p.psn_count(mtu_bytes) as i32 - 1;
    let furthest = requests.iter().map(last).max().unwrap_or(0);
    first_psn.wrapping_add(furthest.max(0) as u32) & MASK_24
}

fn responder_pairs(packets: &[Packet], local: Address) -> Vec<Pair> {
    let all = connections(packets, |p| p.destination.ip == local.ip);
    let pair = |((_, qpn), requests): ((u32, u32), Vec<&Packet>)| {
        let first = requests[0];
        let answer =
            |p: &&Packet| p.source.ip == local.ip && !p.is_request() && answers(p, first, packets);
        // The first packet may have been lost in front of the capture point: then the first
        // answer is a NAK that names it.
        let early = packets.iter().find(answer).filter(|p| p.is_nak(syndrome::NAK_SEQUENCE));
        let first_psn = match early {
            Some(nak) if psn_distance(nak.psn, first.psn) < 0 => nak.psn,
            _ => first.psn,
        };
        let reply = packets.iter().find(answer);
        let mtu_bytes = mtu_bytes(&requests, packets);
        let refused = |read: &&&Packet| {
            packets
                .iter()
                .any(|p| answer(&p) && p.psn == read.psn && p.is_nak(syndrome::NAK_INVALID_REQUEST))
        };
        Pair {
            qpn,
            remote_qpn: reply.map_or(0, |p| p.qpn),
            remote: first.source,
            udp_source_port: reply.map_or(0xc000, |p| p.udp_source_port),
            first_psn,
            last_psn: last_psn(&requests, first_psn, mtu_bytes),
            mtu_bytes,
            remote_read: !requests.iter().filter(|p| p.is_read()).any(|p| refused(&p)),
        }
    };
    all.into_iter().map(pair).collect()
}

fn requester_pairs(packets: &[Packet], local: Address) -> Vec<Pair> {
    let all = connections(packets, |p| p.source.ip == local.ip);
    let pair = |((_, remote_qpn), requests): ((u32, u32), Vec<&Packet>)| {
        let first = requests[0];
        let reply = packets.iter().find(|p| {
            p.destination.ip == local.ip && !p.is_request() && answers(p, first, packets)
        });
        let mtu_bytes = mtu_bytes(&requests, packets);
        Pair {
            qpn: reply.map_or(remote_qpn, |p| p.qpn),
            remote_qpn,
            remote: first.destination,
            udp_source_port: first.udp_source_port,
            first_psn: first.psn,
            last_psn: last_psn(&requests, first.psn, mtu_bytes),
            mtu_bytes,
            remote_read: false,
        }
    };
    all.into_iter().map(pair).collect()
}

/// Regions that cover every request that the real responder did not refuse.
fn regions(packets: &[Packet], local: Address) -> Vec<Region> {
    let refused = |request: &Packet| {
        packets.iter().any(|p| {
            p.source.ip == local.ip
                && p.record > request.record
                && p.psn == request.psn
                && p.is_nak(syndrome::NAK_REMOTE_ACCESS)
                && answers(p, request, packets)
        })
    };
    let mut regions: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    let names = |p: &&Packet| p.destination.ip == local.ip && (p.is_write() || p.is_read());
    for p in packets.iter().filter(names) {
        let Some((va, rkey, length)) = p.reth.filter(|r| r.2 > 0) else { continue };
        if refused(p) {
            continue;
        }
        let end = va.saturating_add(u64::from(length));
        let region = regions.entry(rkey).or_insert((va, end));
        *region = (region.0.min(va), region.1.max(end));
    }
    let region = |(rkey, (va, end))| Region { rkey, va, length_bytes: end - va };
    regions.into_iter().map(region).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capture(name: &str) -> Vec<Record> {
        let path = format!("{}/../tests/data/rxe/{name}.pcap", env!("CARGO_MANIFEST_DIR"));
        crate::pcap::read(path).unwrap()
    }

    #[test]
    fn a_packet_that_the_responder_missed_is_not_fed() {
        let config = NicConfig::preset("gbe").unwrap();
        let records = capture("loss_nak");
        let c = Conversation::infer(&records, Role::Responder, None, &config).unwrap();
        assert_eq!(ip_text(c.local.ip), "10.0.0.2");
        assert_eq!((c.pairs[0].qpn, c.pairs[0].first_psn, c.pairs[0].mtu_bytes), (0x24, 256, 1024));
        let lost: Vec<_> = (0..records.len()).filter(|i| c.parts[*i] == Part::LostLater).collect();
        assert_eq!(lost, [3]);
    }

    #[test]
    fn a_region_that_was_refused_is_not_made() {
        let config = NicConfig::preset("gbe").unwrap();
        let records = capture("nak_bad_rkey_write");
        let c = Conversation::infer(&records, Role::Responder, None, &config).unwrap();
        assert!(c.regions.is_empty());
    }

    #[test]
    fn psns_wrap() {
        assert_eq!(psn_distance(1, 0xff_ffff), 2);
        assert_eq!(psn_distance(0xff_ffff, 1), -2);
    }
}
