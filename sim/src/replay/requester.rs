//! Plays the requester of a captured conversation: the work requests are rebuilt from the capture,
//! and each answer is fed once the packet that it answers has been sent.

use super::conversation::{psn_distance, Conversation, Packet, Pair, Part};
use super::{ReplayError, Reply};
use crate::env::station::Station;
use crate::pcap::Record;
use nic_driver::{Error, Nic, Qp, QpConfig, Read, Status, Write};
use nic_spec::wire::aeth::syndrome;
use nic_spec::wire::bth::opcode;
use std::collections::BTreeMap;

/// Longest wait for the packet that an answer answers, in cycles.
const WAIT_CYCLES_MAX: u64 = 4_000_000;
/// The NIC is done when nothing has moved for this long: longer than an RNR timer in use.
const DONE_CYCLES: u64 = 4_096;
/// Address of the first message on the AXI4 master.
const MESSAGE_BASE: u64 = 0x2_0000_0000;

/// What became of the conversation.
#[derive(Debug)]
pub struct Outcome {
    /// Messages posted.
    pub posted: usize,
    /// Completions by status.
    pub completed: BTreeMap<String, usize>,
    /// Answers fed.
    pub fed: usize,
    /// What the NIC sent.
    pub replies: Vec<Reply>,
    /// What the real host sent.
    pub real: Vec<Packet>,
    /// Packets that differ from the real host's of the same PSN: QPN, PSN, what differs.
    pub differing: Vec<(u32, u32, &'static str)>,
    /// PSNs that the real host sent and the NIC did not.
    pub missing: Vec<(u32, u32)>,
    /// READs whose bytes in memory are not those that the real responder sent.
    pub reads_wrong: usize,
    /// READs whose bytes were held against them.
    pub reads_compared: usize,
    /// For every sequence NAK fed: its PSN and the PSN the NIC went back to.
    pub resumed: Vec<(u32, Option<u32>)>,
    /// Event counters that are not 0.
    pub counters: Vec<(&'static str, u32)>,
    /// Cycles run.
    pub cycles: u64,
}

impl Outcome {
    /// Whether the NIC did what a requester must.
    pub fn is_good(&self) -> bool {
        let resumed = self.resumed.iter().all(|(nak, at)| *at == Some(*nak));
        self.differing.is_empty() && self.missing.is_empty() && resumed && self.reads_wrong == 0
    }
}

/// A message to send, or to ask for.
struct Message {
    write: Write,
    is_read: bool,
    /// What is sent, or what the real responder sent.
    payload: Vec<u8>,
}

/// One queue pair while it is played.
struct Lane<'a> {
    pair: &'a Pair,
    qp: Qp,
    waiting: std::vec::IntoIter<Message>,
    /// Distance from the first PSN of the packet sent last.
    sent: i32,
    /// PSNs of the READs that were asked for, first to last, as distances.
    reads: Vec<(i32, i32)>,
    /// Where a READ lands, and what must be there.
    landing: Vec<(u64, Vec<u8>)>,
    /// A fed NAK whose resumption has not been seen yet: index in `resumed`.
    nak: Option<usize>,
}

/// Plays the requester with the NIC in `station`.
pub fn run(
    conversation: &Conversation,
    records: &[Record],
    station: Station,
    mut progress: impl FnMut(usize),
) -> Result<Outcome, ReplayError> {
    let mut nic = Nic::probe(station)?;
    nic.set_address(conversation.local.mac, conversation.local.ip)?;
    let mut outcome = Outcome {
        posted: 0,
        completed: BTreeMap::new(),
        fed: 0,
        replies: Vec::new(),
        real: conversation.sent().cloned().collect(),
        differing: Vec::new(),
        missing: Vec::new(),
        reads_wrong: 0,
        reads_compared: 0,
        resumed: Vec::new(),
        counters: Vec::new(),
        cycles: 0,
    };
    let mut lanes = open(conversation, &mut nic)?;
    post(&mut nic, &mut lanes, &mut outcome)?;
    for (index, record) in records.iter().enumerate() {
        progress(index);
        if conversation.parts[index] != Part::Received {
            continue;
        }
        let packet = conversation.packets.iter().find(|p| p.record == index);
        let lane = packet.filter(|p| !p.is_request()).and_then(|answer| {
            lanes.iter().position(|l| l.pair.qpn == answer.qpn).map(|at| (at, answer))
        });
        if let Some((at, answer)) = lane {
            wait_until_due(conversation, &mut nic, &mut lanes, at, answer, &mut outcome)?;
            if answer.is_nak(syndrome::NAK_SEQUENCE) {
                lanes[at].nak = Some(outcome.resumed.len());
                outcome.resumed.push((answer.psn, None));
            }
        }
        nic.bus().deliver(record.data.clone(), false);
        outcome.fed += 1;
        step(&mut nic, &mut lanes, &mut outcome, 64)?;
    }
    while nic.bus().quiet_cycles() < DONE_CYCLES {
        step(&mut nic, &mut lanes, &mut outcome, 512)?;
        if nic.bus().cycle() > WAIT_CYCLES_MAX * 4 {
            break;
        }
    }
    let is_clean = outcome.completed.keys().all(|status| status == "ok");
    for (at, bytes) in lanes.iter().flat_map(|l| &l.landing).filter(|_| is_clean) {
        outcome.reads_compared += 1;
        let landed = nic.bus().memory.load(*at, bytes.len());
        outcome.reads_wrong += usize::from(landed != *bytes);
    }
    outcome.cycles = nic.bus().cycle();
    outcome.counters = super::counters(&mut nic)?;
    compare(conversation, &mut outcome);
    Ok(outcome)
}

fn open<'a>(
    conversation: &'a Conversation,
    nic: &mut Nic<Station>,
) -> Result<Vec<Lane<'a>>, ReplayError> {
    let mut address = MESSAGE_BASE;
    let mut lanes = Vec::new();
    for pair in &conversation.pairs {
        let qp = nic.create_qp(&QpConfig {
            mtu_code: super::mtu_code(pair.mtu_bytes),
            timeout_exponent: 10,
            retry_limit: 7,
            rnr_retry_limit: 7,
            read_limit: 16,
            ack_interval_log2: 5,
            qpn: pair.qpn,
            remote_qpn: pair.remote_qpn,
            remote_ip: pair.remote.ip,
            remote_mac: pair.remote.mac,
            udp_source_port: pair.udp_source_port,
            sq_psn: pair.first_psn,
            window_bytes: 1 << 24,
            rate_uq8_24: 8 << 24,
            ..QpConfig::default()
        })?;
        let mut messages = messages(conversation, pair)?;
        let mut landing = Vec::new();
        for message in &mut messages {
            // Any alignment may occur: keep the low bits of the remote address.
            message.write.local_address = address + message.write.remote_va % 64;
            if message.is_read {
                landing.push((message.write.local_address, message.payload.clone()));
            } else {
                nic.bus().memory.store(message.write.local_address, &message.payload);
            }
            let bytes = message.payload.len().max(message.write.length_bytes as usize);
            address += (bytes as u64 + 128).next_multiple_of(4096);
        }
        let (waiting, reads) = (messages.into_iter(), Vec::new());
        lanes.push(Lane { pair, qp, waiting, sent: -1, reads, landing, nak: None });
    }
    Ok(lanes)
}

/// The messages of a queue pair, from the packets that the real host sent.
fn messages(conversation: &Conversation, pair: &Pair) -> Result<Vec<Message>, ReplayError> {
    let mut by_psn: BTreeMap<i32, &Packet> = BTreeMap::new();
    for packet in conversation.sent().filter(|p| p.is_request() && p.qpn == pair.remote_qpn) {
        if !packet.is_write() && !packet.is_read() {
            return Err(ReplayError::Unsupported { record: packet.record, opcode: packet.opcode });
        }
        let at = by_psn.entry(psn_distance(packet.psn, pair.first_psn)).or_insert(packet);
        // A retransmission may carry the RETH that a first transmission in mid-message did not.
        if at.reth.is_none() && packet.reth.is_some() {
            *at = packet;
        }
    }
    let mut all = Vec::new();
    let mut open: Option<Message> = None;
    let mut next = 0;
    for (distance, packet) in &by_psn {
        if *distance < next {
            // A READ that was asked for again from its middle.
            continue;
        }
        if *distance != next {
            return Err(ReplayError::Gap { psn: packet.psn });
        }
        next += packet.psn_count(pair.mtu_bytes) as i32;
        if packet.is_read() {
            all.push(read(conversation, pair, packet));
            continue;
        }
        if let Some((remote_va, rkey, length_bytes)) = packet.reth {
            let write = Write { length_bytes, remote_va, rkey, ..Write::default() };
            open = Some(Message { write, is_read: false, payload: Vec::new() });
        }
        let Some(mut message) = open.take() else {
            return Err(ReplayError::Gap { psn: packet.psn });
        };
        message.payload.extend(&packet.payload);
        message.write.immediate = packet.immediate;
        if matches!(packet.opcode, opcode::WRITE_FIRST | opcode::WRITE_MIDDLE) {
            open = Some(message);
        } else {
            all.push(message);
        }
    }
    Ok(all)
}

/// The READ that `request` asks for, with the bytes that the real responder sent.
fn read(conversation: &Conversation, pair: &Pair, request: &Packet) -> Message {
    let (remote_va, rkey, length_bytes) = request.reth.unwrap_or_default();
    let mut payload = vec![0; length_bytes as usize];
    let responses = conversation
        .packets
        .iter()
        .filter(|p| p.is_read_response() && p.qpn == pair.qpn && p.source.ip == pair.remote.ip);
    for response in responses {
        let Some(at) = request.offset_of(response.psn, pair.mtu_bytes) else { continue };
        for (to, from) in payload[at * pair.mtu_bytes..].iter_mut().zip(&response.payload) {
            *to = *from;
        }
    }
    let write = Write { length_bytes, remote_va, rkey, ..Write::default() };
    Message { write, is_read: true, payload }
}

/// Posts what the send queues take.
fn post(
    nic: &mut Nic<Station>,
    lanes: &mut [Lane],
    outcome: &mut Outcome,
) -> Result<(), ReplayError> {
    let depth = nic.sizes().sq_depth;
    for lane in lanes {
        while lane.qp.outstanding_count() < depth {
            let Some(message) = lane.waiting.next() else { break };
            let Write { local_address, length_bytes, remote_va, rkey, .. } = message.write;
            let result = if message.is_read {
                let read =
                    Read { local_address, length_bytes, remote_va, rkey, unsignalled: false };
                nic.post_read(&mut lane.qp, &read)
            } else {
                nic.post_write(&mut lane.qp, &message.write)
            };
            match result {
                Ok(_) => outcome.posted += 1,
                Err(Error::SendQueueFull) => break,
                Err(error) => return Err(error.into()),
            }
        }
    }
    Ok(())
}

/// Runs some cycles, then looks after what was sent and completed.
fn step(
    nic: &mut Nic<Station>,
    lanes: &mut [Lane],
    outcome: &mut Outcome,
    cycles: u64,
) -> Result<(), ReplayError> {
    nic.bus().run(cycles)?;
    watch(nic.bus(), lanes, outcome);
    if !lanes.iter().any(|l| l.qp.outstanding_count() > 0) {
        return post(nic, lanes, outcome);
    }
    while let Some(completion) = nic.poll()? {
        lanes.iter_mut().for_each(|lane| lane.qp.complete(&completion));
        let name = match completion.status {
            Status::Ok => "ok".to_string(),
            other => format!("{other:?}"),
        };
        *outcome.completed.entry(name).or_default() += 1;
    }
    watch(nic.bus(), lanes, outcome);
    post(nic, lanes, outcome)
}

/// Follows the PSNs that the NIC sends.
fn watch(station: &mut Station, lanes: &mut [Lane], outcome: &mut Outcome) {
    for reply in super::take_replies(station, 0) {
        if let Some(packet) = reply.packet.as_ref().filter(|p| p.is_request()) {
            let lane = lanes.iter_mut().find(|l| l.pair.remote_qpn == packet.qpn);
            if let Some(lane) = lane {
                let distance = psn_distance(packet.psn, lane.pair.first_psn);
                if distance <= lane.sent {
                    if let Some(nak) = lane.nak.take() {
                        outcome.resumed[nak].1 = Some(packet.psn);
                    }
                }
                lane.sent = distance + packet.psn_count(lane.pair.mtu_bytes) as i32 - 1;
                if packet.is_read() {
                    lane.reads.push((distance, lane.sent));
                }
            }
        }
        outcome.replies.push(reply);
    }
}

/// Runs until the NIC has sent what `answer` answers; a READ as often as the real host had.
fn wait_until_due(
    conversation: &Conversation,
    nic: &mut Nic<Station>,
    lanes: &mut [Lane],
    at: usize,
    answer: &Packet,
    outcome: &mut Outcome,
) -> Result<(), ReplayError> {
    let pair = lanes[at].pair;
    let mut due = psn_distance(answer.psn, pair.first_psn);
    // A sequence NAK answers a packet behind the one that it names.
    let last = psn_distance(pair.last_psn, pair.first_psn);
    if answer.is_nak(syndrome::NAK_SEQUENCE) && due < last {
        due += 1;
    }
    let real = conversation.sent().filter(|p| {
        let asks = p.is_read() && p.qpn == pair.remote_qpn && p.record < answer.record;
        asks && p.offset_of(answer.psn, pair.mtu_bytes).is_some()
    });
    let asked = if answer.is_read_response() { real.count() } else { 0 };
    let deadline = nic.bus().cycle() + WAIT_CYCLES_MAX;
    let covers = |(first, last): &&(i32, i32)| (*first..=*last).contains(&due);
    while lanes[at].sent < due
        || lanes[at].nak.is_some()
        || lanes[at].reads.iter().filter(covers).count() < asked
    {
        step(nic, lanes, outcome, 16)?;
        if nic.bus().cycle() > deadline {
            return Err(ReplayError::NeverDue { record: answer.record, psn: answer.psn });
        }
    }
    Ok(())
}

/// Holds what the NIC sent against the capture.
fn compare(conversation: &Conversation, outcome: &mut Outcome) {
    let key = |p: &Packet| (p.qpn, p.psn);
    let mut real: BTreeMap<(u32, u32), &Packet> = BTreeMap::new();
    for packet in conversation.sent().filter(|p| p.is_request()) {
        real.entry(key(packet)).or_insert(packet);
    }
    let mut seen = BTreeMap::new();
    for packet in outcome.replies.iter().filter_map(|r| r.packet.as_ref()) {
        if !packet.is_request() {
            continue;
        }
        seen.insert(key(packet), ());
        let Some(model) = real.get(&key(packet)) else {
            outcome.differing.push((packet.qpn, packet.psn, "the real host sent no such PSN"));
            continue;
        };
        let difference = if packet.payload != model.payload {
            Some("payload")
        } else if packet.opcode != model.opcode && model.reth.is_none() == packet.reth.is_none() {
            Some("opcode")
        } else if model.reth.is_some() && packet.reth.is_some() && packet.reth != model.reth {
            Some("RETH")
        } else if packet.immediate != model.immediate {
            Some("immediate data")
        } else {
            None
        };
        outcome.differing.extend(difference.map(|what| (packet.qpn, packet.psn, what)));
    }
    outcome.missing = real.keys().filter(|k| !seen.contains_key(k)).copied().collect();
}
