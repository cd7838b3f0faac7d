//! Plays the responder of a captured conversation.

use super::conversation::{psn_distance, Conversation, Packet, Part};
use super::{Memory, ReplayError, Reply};
use crate::env::station::Station;
use crate::pcap::Record;
use nic_driver::{MrRow, Nic, QpConfig};
use nic_spec::wire::aeth::syndrome;
use nic_spec::wire::bth::opcode;
use std::collections::BTreeMap;

/// The NIC is given this many idle cycles between frames, so that every frame gets its own answer.
const QUIET_CYCLES: u64 = 256;
/// A frame whose handling takes longer than this hangs.
const FRAME_CYCLES_MAX: u64 = 200_000;

/// Address of the first region on the AXI4 master; regions stand 1 MiB apart at least.
const REGION_BASE: u64 = 0x1_0000_0000;
const REGION_ALIGN_BYTES: u64 = 1 << 20;

/// What became of the conversation.
#[derive(Debug)]
pub struct Outcome {
    /// Frames fed to the NIC.
    pub fed: usize,
    /// Frames left out because the real host never got them.
    pub lost_later: usize,
    /// What the NIC sent.
    pub replies: Vec<Reply>,
    /// What the real host sent.
    pub real: Vec<Packet>,
    /// Records of requests that must be answered and were not.
    pub unanswered: Vec<usize>,
    /// Content of every region beside what the requester wrote.
    pub memory: Vec<Memory>,
    /// Bytes that the NIC wrote outside every region.
    pub stray_bytes: u64,
    /// Event counters that are not 0.
    pub counters: Vec<(&'static str, u32)>,
    /// Cycles run.
    pub cycles: u64,
    /// READ, SEND and atomic requests: answered by NAK 0x61.
    pub unsupported: usize,
}

impl Outcome {
    /// PSNs of sequence NAKs: of the NIC, and of the real host.
    pub fn sequence_naks(&self) -> (Vec<u32>, Vec<u32>) {
        let nak = |p: &&Packet| p.is_nak(syndrome::NAK_SEQUENCE);
        let ours = self.replies.iter().filter_map(|r| r.packet.as_ref()).filter(nak);
        let real = self.real.iter().filter(nak);
        (ours.map(|p| p.psn).collect(), real.map(|p| p.psn).collect())
    }

    /// Whether the NIC did what a responder must. (Behind an unsupported request the real host
    /// went on and the NIC did not: then the NAKs are not compared.)
    pub fn is_good(&self) -> bool {
        let (ours, real) = self.sequence_naks();
        let same_naks = self.unsupported > 0 || ours == real;
        let same_memory = self.unsupported > 0 || self.memory.iter().all(Memory::is_equal);
        same_naks && same_memory && self.unanswered.is_empty() && self.stray_bytes == 0
    }
}

/// Where each QP's requester stands, as the frames that reached us tell.
struct Progress {
    expected_psn: u32,
    is_failed: bool,
}

/// Feeds the captured frames to the NIC in `station`.
pub fn run(
    conversation: &Conversation,
    records: &[Record],
    station: Station,
    mut progress: impl FnMut(usize),
) -> Result<Outcome, ReplayError> {
    let mut nic = Nic::probe(station)?;
    let addresses = set_up(conversation, &mut nic)?;
    let mut outcome = Outcome {
        fed: 0,
        lost_later: conversation.parts.iter().filter(|p| **p == Part::LostLater).count(),
        replies: Vec::new(),
        real: conversation.sent().cloned().collect(),
        unanswered: Vec::new(),
        memory: Vec::new(),
        stray_bytes: 0,
        counters: Vec::new(),
        cycles: 0,
        unsupported: 0,
    };
    let mut pairs: BTreeMap<u32, Progress> = conversation
        .pairs
        .iter()
        .map(|p| (p.qpn, Progress { expected_psn: p.first_psn, is_failed: false }))
        .collect();
    for (index, record) in records.iter().enumerate() {
        progress(index);
        if conversation.parts[index] != Part::Received {
            continue;
        }
        let replies = feed(nic.bus(), index, &record.data)?;
        outcome.fed += 1;
        let packet = conversation.packets.iter().find(|p| p.record == index);
        if let Some(packet) = packet.filter(|p| p.is_request()) {
            outcome.unsupported += usize::from(!packet.is_write());
            if let Some(pair) = pairs.get_mut(&packet.qpn) {
                let due = pair.take(packet, &replies);
                if due && replies.is_empty() {
                    outcome.unanswered.push(index);
                }
            }
        }
        outcome.replies.extend(replies);
    }
    outcome.cycles = nic.bus().cycle();
    outcome.counters = super::counters(&mut nic)?;
    let memory = &nic.bus().memory;
    outcome.memory = compare(conversation, &addresses, memory);
    outcome.stray_bytes = super::stray_bytes(memory, &addresses);
    Ok(outcome)
}

impl Progress {
    /// Takes a request; whether it must be answered.
    fn take(&mut self, packet: &Packet, replies: &[Reply]) -> bool {
        if self.is_failed {
            return false;
        }
        let fatal = |r: &Reply| {
            let code = r.packet.as_ref().and_then(|p| p.syndrome).unwrap_or(0);
            code > syndrome::NAK_SEQUENCE && code & syndrome::KIND_MASK == syndrome::KIND_MASK
        };
        self.is_failed = replies.iter().any(fatal);
        match psn_distance(packet.psn, self.expected_psn) {
            0 => {
                let rnr = |r: &Reply| {
                    let code = r.packet.as_ref().and_then(|p| p.syndrome).unwrap_or(0);
                    code & syndrome::KIND_MASK == syndrome::RNR_NAK
                };
                if !replies.iter().any(rnr) {
                    self.expected_psn = (self.expected_psn + 1) & 0xff_ffff;
                }
                packet.ack_req
            }
            behind if behind < 0 => packet.is_write(),
            _ => false,
        }
    }
}

fn set_up(
    conversation: &Conversation,
    nic: &mut Nic<Station>,
) -> Result<Vec<super::Placed>, ReplayError> {
    nic.set_address(conversation.local.mac, conversation.local.ip)?;
    let mut placed = Vec::new();
    let mut host_address = REGION_BASE;
    for region in &conversation.regions {
        // The offset inside a beat is kept, so that alignment is what the peer sees.
        let at = host_address + region.va % 4096;
        nic.create_mr(&MrRow {
            remote_write: true,
            remote_read: true,
            rkey: region.rkey,
            va: region.va,
            length_bytes: region.length_bytes,
            host_address: at,
            ..MrRow::default()
        })?;
        placed.push(super::Placed {
            rkey: region.rkey,
            va: region.va,
            at,
            bytes: region.length_bytes,
        });
        host_address =
            (at + region.length_bytes).next_multiple_of(REGION_ALIGN_BYTES) + REGION_ALIGN_BYTES;
    }
    for pair in &conversation.pairs {
        nic.create_qp(&QpConfig {
            remote_write: true,
            remote_read: true,
            mtu_code: super::mtu_code(pair.mtu_bytes),
            qpn: pair.qpn,
            remote_qpn: pair.remote_qpn,
            remote_ip: pair.remote.ip,
            remote_mac: pair.remote.mac,
            udp_source_port: pair.udp_source_port,
            rq_psn: pair.first_psn,
            window_bytes: 1 << 20,
            rate_uq8_24: 8 << 24,
            ..QpConfig::default()
        })?;
    }
    Ok(placed)
}

fn feed(station: &mut Station, record: usize, frame: &[u8]) -> Result<Vec<Reply>, ReplayError> {
    station.deliver(frame.to_vec(), false);
    let deadline = station.cycle() + FRAME_CYCLES_MAX;
    while station.quiet_cycles() < QUIET_CYCLES || station.undelivered() > 0 {
        station.tick()?;
        if station.cycle() > deadline {
            return Err(ReplayError::Hangs { record });
        }
    }
    Ok(super::take_replies(station, record))
}

/// What the requester's packets amount to, region by region, beside host memory.
fn compare(
    conversation: &Conversation,
    placed: &[super::Placed],
    memory: &crate::env::axi_mem::AxiMem,
) -> Vec<Memory> {
    let mut images: BTreeMap<u32, Vec<u8>> =
        placed.iter().map(|p| (p.rkey, vec![0; p.bytes as usize])).collect();
    for pair in &conversation.pairs {
        let mut by_psn: BTreeMap<i32, &Packet> = BTreeMap::new();
        let ours = conversation.received().filter(|p| p.qpn == pair.qpn && p.is_request());
        for packet in ours {
            by_psn.entry(psn_distance(packet.psn, pair.first_psn)).or_insert(packet);
        }
        let mut cursor: Option<(u32, u64)> = None;
        for (next, (distance, packet)) in by_psn.iter().enumerate() {
            if *distance != next as i32 {
                break;
            }
            if let Some((va, rkey, _)) = packet.reth.filter(|_| packet.is_write()) {
                cursor = Some((rkey, va));
            }
            let Some((rkey, va)) = cursor.filter(|_| packet.is_write()) else { continue };
            write(&mut images, placed, rkey, va, &packet.payload);
            let ends = !matches!(packet.opcode, opcode::WRITE_FIRST | opcode::WRITE_MIDDLE);
            cursor = (!ends).then_some((rkey, va + packet.payload.len() as u64));
        }
    }
    placed
        .iter()
        .map(|p| Memory {
            rkey: p.rkey,
            va: p.va,
            expected: images.remove(&p.rkey).unwrap_or_default(),
            found: memory.load(p.at, p.bytes as usize),
        })
        .collect()
}

fn write(
    images: &mut BTreeMap<u32, Vec<u8>>,
    placed: &[super::Placed],
    rkey: u32,
    va: u64,
    bytes: &[u8],
) {
    let Some(region) = placed.iter().find(|p| p.rkey == rkey) else { return };
    let Some(image) = images.get_mut(&rkey) else { return };
    let Some(offset) = va.checked_sub(region.va).map(|o| o as usize) else { return };
    if let Some(target) = image.get_mut(offset..offset + bytes.len()) {
        target.copy_from_slice(bytes);
    }
}
