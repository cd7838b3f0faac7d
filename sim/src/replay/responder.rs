//! Plays the responder of a captured conversation.

use super::conversation::{Conversation, Packet, Pair, Part, Region};
use super::{Memory, ReplayError, Reply};
use crate::env::station::Station;
use crate::pcap::Record;
use nic_driver::{MrRow, Nic, QpConfig};
use nic_models::reference::rc as reference;
use nic_models::reference::rc::responder::{Abilities, Responder};
use nic_models::reference::rc::{admit, Answer, Request, DEFAULT_PKEY};
use nic_spec::wire::aeth::syndrome;
use nic_spec::wire::bth::opcode;
use std::collections::BTreeMap;

/// The NIC is given this many idle cycles between frames, so that every frame gets its own answer:
/// more than the longest packet takes inside.
const QUIET_CYCLES: u64 = 1024;
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
    /// What the message-level reference answers to the same frames.
    pub reference: Vec<Answer>,
    /// What the real host sent.
    pub real: Vec<Packet>,
    /// Records to which the NIC answered otherwise than the reference, and what both said.
    pub wrong: Vec<(usize, String)>,
    /// Content of every region beside what the reference holds.
    pub memory: Vec<Memory>,
    /// Bytes that the NIC wrote outside every region.
    pub stray_bytes: u64,
    /// Event counters that are not 0.
    pub counters: Vec<(&'static str, u32)>,
    /// Cycles run.
    pub cycles: u64,
    /// SEND and atomic requests: answered by NAK 0x61.
    pub unsupported: usize,
}

impl Outcome {
    /// PSNs of sequence NAKs: of the NIC, of the reference, and of the real host.
    pub fn sequence_naks(&self) -> [Vec<u32>; 3] {
        let nak = |p: &&Packet| p.is_nak(syndrome::NAK_SEQUENCE);
        let ours = self.replies.iter().filter_map(|r| r.packet.as_ref()).filter(nak);
        let expected = self.reference.iter().filter(|a| a.syndrome == syndrome::NAK_SEQUENCE);
        let real = self.real.iter().filter(nak);
        [
            ours.map(|p| p.psn).collect(),
            expected.map(|a| a.psn).collect(),
            real.map(|p| p.psn).collect(),
        ]
    }

    /// Bytes of the READ responses that differ from those of the real host for the same PSN of the
    /// same queue pair, and how many were held against each other.
    pub fn read_bytes(&self) -> (usize, usize) {
        let key = |p: &Packet| (p.qpn, p.psn);
        let real = self.real.iter().filter(|p| p.is_read_response());
        let real: BTreeMap<_, _> = real.map(|p| (key(p), &p.payload)).collect();
        let (mut differing, mut compared) = (0, 0);
        let ours = self.replies.iter().filter_map(|r| r.packet.as_ref());
        for packet in ours.filter(|p| p.is_read_response()) {
            let Some(model) = real.get(&key(packet)) else { continue };
            compared += packet.payload.len();
            let unequal = packet.payload.iter().zip(*model).filter(|(a, b)| a != b).count();
            differing += unequal + packet.payload.len().abs_diff(model.len());
        }
        (differing, compared)
    }

    /// Whether the NIC answered every frame as the reference does, and memory is the reference's.
    pub fn is_good(&self) -> bool {
        let same_memory = self.memory.iter().all(Memory::is_equal);
        same_memory && self.wrong.is_empty() && self.stray_bytes == 0
    }
}

/// What this NIC knows how to do.
const ABILITIES: Abilities = Abilities { write: true, read: true, send: false, atomic: false };

/// The reference responder of each queue pair, over one memory.
struct Reference {
    pairs: BTreeMap<u32, Responder>,
    memory: reference::Memory,
}

impl Reference {
    fn new(conversation: &Conversation) -> Self {
        let region = |r: &Region| {
            let bytes = conversation.initial(r);
            let region = reference::Region { va: r.va, bytes, ..Default::default() };
            (r.rkey, reference::Region { remote_write: true, remote_read: true, ..region })
        };
        let pair = |p: &Pair| {
            let abilities = Abilities { read: p.remote_read, ..ABILITIES };
            (p.qpn, Responder::new(p.mtu_bytes, p.first_psn, abilities))
        };
        Self {
            pairs: conversation.pairs.iter().map(pair).collect(),
            memory: reference::Memory {
                regions: conversation.regions.iter().map(region).collect(),
            },
        }
    }

    /// Its answers to a frame; none to what is no request for one of the queue pairs.
    fn answers(&mut self, frame: &[u8]) -> Vec<Answer> {
        let Some(repr) = admit(frame, DEFAULT_PKEY) else { return Vec::new() };
        let Some(pair) = self.pairs.get_mut(&repr.bth.qpn) else { return Vec::new() };
        if !opcode::is_request(repr.bth.opcode) {
            return Vec::new();
        }
        pair.request(&mut self.memory, &Request::from(&repr)).answers
    }
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
    let mut reference = Reference::new(conversation);
    let mut outcome = Outcome {
        fed: 0,
        lost_later: conversation.parts.iter().filter(|p| **p == Part::LostLater).count(),
        replies: Vec::new(),
        reference: Vec::new(),
        real: conversation.sent().cloned().collect(),
        wrong: Vec::new(),
        memory: Vec::new(),
        stray_bytes: 0,
        counters: Vec::new(),
        cycles: 0,
        unsupported: 0,
    };
    let requests =
        conversation.received().filter(|p| p.is_request() && !p.is_write() && !p.is_read());
    outcome.unsupported = requests.count();
    for (index, record) in records.iter().enumerate() {
        progress(index);
        if conversation.parts[index] != Part::Received {
            continue;
        }
        let replies = feed(nic.bus(), index, &record.data)?;
        let expected = reference.answers(&record.data);
        let got: Vec<Option<Answer>> = replies.iter().map(answer).collect();
        if !got.iter().flatten().eq(&expected) || got.iter().any(Option::is_none) {
            outcome.wrong.push((index, format!("{got:x?} instead of {expected:x?}")));
        }
        outcome.fed += 1;
        outcome.replies.extend(replies);
        outcome.reference.extend(expected);
    }
    outcome.cycles = nic.bus().cycle();
    outcome.counters = super::counters(&mut nic)?;
    let memory = &nic.bus().memory;
    outcome.memory = addresses
        .iter()
        .map(|p| Memory {
            rkey: p.rkey,
            va: p.va,
            expected: reference.memory.regions[&p.rkey].bytes.clone(),
            found: memory.load(p.at, p.bytes as usize),
        })
        .collect();
    outcome.stray_bytes = super::stray_bytes(memory, &addresses);
    Ok(outcome)
}

/// What a reply says; `None` if no peer would take it.
fn answer(reply: &Reply) -> Option<Answer> {
    admit(&reply.frame, DEFAULT_PKEY).map(|repr| Answer::from(&repr))
}

/// Opens the memory regions and creates the queue pairs; where the regions stand.
pub fn set_up(
    conversation: &Conversation,
    nic: &mut Nic<Station>,
) -> Result<Vec<super::Placed>, ReplayError> {
    nic.set_address(conversation.local.mac, conversation.local.ip)?;
    let mut placed = Vec::new();
    let mut host_address = REGION_BASE;
    for region in &conversation.regions {
        // The offset inside a beat is kept, so that alignment is what the peer sees.
        let at = host_address + region.va % 4096;
        nic.create_mr(&mr_row(region, at))?;
        nic.bus().memory.store(at, &conversation.initial(region));
        placed.push(super::Placed {
            rkey: region.rkey,
            va: region.va,
            at,
            bytes: region.length_bytes,
        });
        host_address =
            (at + region.length_bytes).next_multiple_of(REGION_ALIGN_BYTES) + REGION_ALIGN_BYTES;
    }
    create_pairs(conversation, nic)?;
    Ok(placed)
}

/// Creates (or resets) the queue pairs.
pub fn create_pairs(
    conversation: &Conversation,
    nic: &mut Nic<Station>,
) -> Result<(), ReplayError> {
    for pair in &conversation.pairs {
        nic.create_qp(&qp_config(pair))?;
    }
    Ok(())
}

/// The row of a region that stands at `host_address`.
pub fn mr_row(region: &Region, host_address: u64) -> MrRow {
    MrRow {
        remote_write: true,
        remote_read: true,
        rkey: region.rkey,
        va: region.va,
        length_bytes: region.length_bytes,
        host_address,
        ..MrRow::default()
    }
}

/// The row of a queue pair.
pub fn qp_config(pair: &Pair) -> QpConfig {
    QpConfig {
        remote_write: true,
        remote_read: pair.remote_read,
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
    }
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
