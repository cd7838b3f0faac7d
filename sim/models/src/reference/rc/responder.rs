//! The side that is written to and read from.

use super::{packet_count, psn_add, psn_distance};
use super::{Answer, Memory, Region, Remote, Request, MESSAGE_BYTES_MAX, PSN_MASK};
use nic_spec::wire::aeth::syndrome;
use nic_spec::wire::bth::opcode;
use std::collections::BTreeMap;

/// What a responder knows how to do, and lets this peer do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// RDMA WRITE.
    pub write: bool,
    /// RDMA READ.
    pub read: bool,
    /// SEND.
    pub send: bool,
    /// Compare-and-swap, fetch-and-add.
    pub atomic: bool,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// New and in order: executed.
    Accepted,
    /// Seen before: answered again.
    Duplicate,
    /// A packet before it is missing.
    OutOfSequence,
    /// No room for it now.
    NotReady,
    /// Refused with this NAK; the connection is closed.
    Refused(u8),
    /// The connection is closed, or the packet is no request.
    Ignored,
}

impl Verdict {
    /// 0 accepted, 1 duplicate, 2 out of sequence, 3 not ready, 4 refused, 5 ignored.
    pub fn index(self) -> usize {
        match self {
            Self::Accepted => 0,
            Self::Duplicate => 1,
            Self::OutOfSequence => 2,
            Self::NotReady => 3,
            Self::Refused(_) => 4,
            Self::Ignored => 5,
        }
    }
}

/// A message that ended and that software is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// Immediate data.
    pub imm: Option<u32>,
    /// Bytes of the message.
    pub length_bytes: u32,
}

/// Everything that a request does, memory aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What became of it.
    pub verdict: Verdict,
    /// Packets that answer it.
    pub answers: Vec<Answer>,
    /// SEND or WRITE with immediate that it completed.
    pub received: Option<Received>,
}

impl Outcome {
    fn silent(verdict: Verdict) -> Self {
        Self { verdict, answers: Vec::new(), received: None }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Send,
    Write,
}

/// Place of a packet in its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    is_first: bool,
    is_last: bool,
}

/// A message of which packets are still to come.
#[derive(Clone, Copy, Debug)]
struct Message {
    kind: Kind,
    /// Where the next byte of a WRITE goes.
    remote: Remote,
    /// Bytes so far.
    received_bytes: u32,
}

fn kind_and_place(code: u8) -> Option<(Kind, Place)> {
    use opcode::*;
    let kind = match code {
        SEND_FIRST..=SEND_ONLY_IMM | SEND_LAST_INVALIDATE | SEND_ONLY_INVALIDATE => Kind::Send,
        WRITE_FIRST..=WRITE_ONLY_IMM => Kind::Write,
        _ => return None,
    };
    let place = match code {
        SEND_FIRST | WRITE_FIRST => (true, false),
        SEND_MIDDLE | WRITE_MIDDLE => (false, false),
        SEND_LAST | SEND_LAST_IMM | SEND_LAST_INVALIDATE | WRITE_LAST | WRITE_LAST_IMM => {
            (false, true)
        }
        _ => (true, true),
    };
    Some((kind, Place { is_first: place.0, is_last: place.1 }))
}

/// Why a request in order is not executed.
enum Refusal {
    Nak(u8),
    NotReady,
}

const INVALID: Refusal = Refusal::Nak(syndrome::NAK_INVALID_REQUEST);
const ACCESS: Refusal = Refusal::Nak(syndrome::NAK_REMOTE_ACCESS);

/// Responder's side of one connection.
#[derive(Clone, Debug)]
pub struct Responder {
    mtu_bytes: usize,
    abilities: Abilities,
    /// Room for SEND and immediate data; `None`: always.
    pub receive_buffers: Option<usize>,
    /// READs that may still be taken before one is answered; `None`: always. Whoever lets answers
    /// leave gives them back.
    pub read_resources: Option<usize>,
    /// 5-bit code of the RNR timer.
    pub rnr_timer: u8,
    expected_psn: u32,
    msn: u32,
    message: Option<Message>,
    /// The gap, or the lack of room, was told of.
    nak_sent: bool,
    is_closed: bool,
    /// READs so far: first PSN and what was asked for.
    reads: Vec<(u32, Remote)>,
    /// Original values by PSN.
    atomics: BTreeMap<u32, u64>,
}

impl Responder {
    /// A connection whose first request has `first_psn`.
    pub fn new(mtu_bytes: usize, first_psn: u32, abilities: Abilities) -> Self {
        Self {
            mtu_bytes,
            abilities,
            receive_buffers: None,
            read_resources: None,
            rnr_timer: 0,
            expected_psn: first_psn & PSN_MASK,
            msn: 0,
            message: None,
            nak_sent: false,
            is_closed: false,
            reads: Vec::new(),
            atomics: BTreeMap::new(),
        }
    }

    /// PSN of the next new request.
    pub fn expected_psn(&self) -> u32 {
        self.expected_psn
    }

    /// Messages completed.
    pub fn msn(&self) -> u32 {
        self.msn
    }

    /// Whether a request was refused for good.
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    fn ack(&self) -> Answer {
        Answer::acknowledge(psn_add(self.expected_psn, PSN_MASK), syndrome::ACK, self.msn)
    }

    fn nak(&self, syndrome: u8) -> Answer {
        Answer::acknowledge(self.expected_psn, syndrome, self.msn)
    }

    /// Takes a packet that is addressed to this connection and came from its peer.
    pub fn request(&mut self, memory: &mut Memory, request: &Request) -> Outcome {
        // A telemetry response is no request: it takes no PSN and is not answered.
        if self.is_closed || opcode::is_telemetry_only(request.opcode) {
            return Outcome::silent(Verdict::Ignored);
        }
        match psn_distance(request.psn, self.expected_psn) {
            0 => self.next_request(memory, request),
            d if d < 0 => {
                let answers = self.duplicate(memory, request);
                Outcome { verdict: Verdict::Duplicate, answers, received: None }
            }
            _ => {
                let first = !core::mem::replace(&mut self.nak_sent, true);
                let nak = || self.nak(syndrome::NAK_SEQUENCE);
                let answers = first.then(nak).into_iter().collect();
                Outcome { verdict: Verdict::OutOfSequence, answers, received: None }
            }
        }
    }

    fn next_request(&mut self, memory: &mut Memory, request: &Request) -> Outcome {
        self.nak_sent = false;
        match self.execute(memory, request) {
            Ok((answers, received)) => Outcome { verdict: Verdict::Accepted, answers, received },
            Err(Refusal::NotReady) => {
                self.nak_sent = true;
                let answers = vec![self.nak(syndrome::RNR_NAK | self.rnr_timer)];
                Outcome { verdict: Verdict::NotReady, answers, received: None }
            }
            Err(Refusal::Nak(code)) => {
                self.is_closed = true;
                let answers = vec![self.nak(code)];
                Outcome { verdict: Verdict::Refused(code), answers, received: None }
            }
        }
    }

    fn execute(
        &mut self,
        memory: &mut Memory,
        request: &Request,
    ) -> Result<(Vec<Answer>, Option<Received>), Refusal> {
        if let Some((kind, place)) = kind_and_place(request.opcode) {
            let received = self.message_packet(memory, request, kind, place)?;
            let answers = request.ack_req.then(|| self.ack());
            return Ok((answers.into_iter().collect(), received));
        }
        if self.message.is_some() {
            return Err(INVALID);
        }
        match request.opcode {
            opcode::READ_REQUEST if self.abilities.read => self.read(memory, request),
            opcode::COMPARE_SWAP | opcode::FETCH_ADD if self.abilities.atomic => {
                self.atomic(memory, request)
            }
            _ => return Err(INVALID),
        }
        .map(|answers| (answers, None))
    }

    /// One packet of a SEND or WRITE.
    fn message_packet(
        &mut self,
        memory: &mut Memory,
        request: &Request,
        kind: Kind,
        place: Place,
    ) -> Result<Option<Received>, Refusal> {
        let is_known = match kind {
            Kind::Send => self.abilities.send,
            Kind::Write => self.abilities.write,
        };
        let follows = match self.message {
            None => place.is_first,
            Some(message) => !place.is_first && message.kind == kind,
        };
        if !is_known || !follows {
            return Err(INVALID);
        }
        let takes_buffer = match kind {
            Kind::Send => place.is_first,
            Kind::Write => request.imm.is_some(),
        };
        let has_room = !takes_buffer || self.receive_buffers != Some(0);
        if kind == Kind::Send && !has_room {
            return Err(Refusal::NotReady);
        }
        let mut message = match self.message {
            Some(message) => message,
            None => begin(memory, request, kind)?,
        };
        self.check_length(&message, request, place)?;
        if !has_room {
            return Err(Refusal::NotReady);
        }
        if kind == Kind::Write && !request.payload.is_empty() {
            let target = memory.slice(&message.remote, request.payload.len() as u64);
            target.ok_or(ACCESS)?.copy_from_slice(&request.payload);
            message.remote.va += request.payload.len() as u64;
        }
        message.received_bytes += request.payload.len() as u32;
        if takes_buffer {
            self.receive_buffers = self.receive_buffers.map(|n| n - 1);
        }
        self.expected_psn = psn_add(self.expected_psn, 1);
        self.message = (!place.is_last).then_some(message);
        self.msn = psn_add(self.msn, u32::from(place.is_last));
        let is_told = place.is_last && (kind == Kind::Send || request.imm.is_some());
        let received = Received { imm: request.imm, length_bytes: message.received_bytes };
        Ok(is_told.then_some(received))
    }

    fn check_length(
        &self,
        message: &Message,
        request: &Request,
        place: Place,
    ) -> Result<(), Refusal> {
        let bytes = request.payload.len();
        let fits = match place {
            Place { is_last: false, .. } => bytes == self.mtu_bytes,
            Place { is_first: false, .. } => (1..=self.mtu_bytes).contains(&bytes),
            _ => bytes <= self.mtu_bytes,
        };
        let total = message.received_bytes as u64 + bytes as u64;
        let is_in_message = match (message.kind, place.is_last) {
            (Kind::Send, _) => total <= u64::from(MESSAGE_BYTES_MAX),
            (Kind::Write, true) => total == u64::from(message.remote.length_bytes),
            (Kind::Write, false) => total < u64::from(message.remote.length_bytes),
        };
        if fits && is_in_message {
            Ok(())
        } else {
            Err(INVALID)
        }
    }

    fn read(&mut self, memory: &mut Memory, request: &Request) -> Result<Vec<Answer>, Refusal> {
        if !request.payload.is_empty() || self.read_resources == Some(0) {
            return Err(INVALID);
        }
        let remote = checked(memory, request.remote, |region| region.remote_read)?;
        self.read_resources = self.read_resources.map(|n| n - 1);
        self.reads.push((request.psn, remote));
        self.msn = psn_add(self.msn, 1);
        let count = packet_count(remote.length_bytes.into(), self.mtu_bytes);
        self.expected_psn = psn_add(self.expected_psn, count);
        Ok(self.read_responses(memory, request.psn, remote, true))
    }

    /// The packets that carry `remote`, from `psn` on.
    fn read_responses(
        &self,
        memory: &mut Memory,
        psn: u32,
        remote: Remote,
        is_whole: bool,
    ) -> Vec<Answer> {
        use opcode::*;
        let length = u64::from(remote.length_bytes);
        let bytes = match length {
            0 => Vec::new(),
            _ => memory.slice(&remote, length).map(|s| s.to_vec()).unwrap_or_default(),
        };
        let count = packet_count(length, self.mtu_bytes);
        let response = |i: u32| {
            let start = i as usize * self.mtu_bytes;
            let end = bytes.len().min(start + self.mtu_bytes);
            let code = match (i == 0 && is_whole, i + 1 == count) {
                (true, true) => READ_RESPONSE_ONLY,
                (true, false) => READ_RESPONSE_FIRST,
                (false, true) => READ_RESPONSE_LAST,
                (false, false) => READ_RESPONSE_MIDDLE,
            };
            let msn = if code == READ_RESPONSE_MIDDLE { 0 } else { self.msn };
            let answer = Answer::acknowledge(psn_add(psn, i), syndrome::ACK, msn);
            Answer { opcode: code, payload: bytes[start..end].to_vec(), ..answer }
        };
        (0..count).map(response).collect()
    }

    fn atomic(&mut self, memory: &mut Memory, request: &Request) -> Result<Vec<Answer>, Refusal> {
        let header: [u8; 28] = request.payload.as_slice().try_into().map_err(|_| INVALID)?;
        let word = |at: usize| u64::from_be_bytes(header[at..at + 8].try_into().expect("8"));
        let rkey = u32::from_be_bytes(header[8..12].try_into().expect("4"));
        let (va, operand, compare) = (word(0), word(12), word(20));
        if va % 8 != 0 {
            return Err(INVALID);
        }
        let remote = Remote { va, rkey, length_bytes: 8 };
        let remote = checked(memory, Some(remote), |region| region.remote_atomic)?;
        let place = memory.slice(&remote, 8).ok_or(ACCESS)?;
        let old = u64::from_le_bytes((&*place).try_into().expect("8"));
        let new = match request.opcode {
            opcode::FETCH_ADD => old.wrapping_add(operand),
            _ if old == compare => operand,
            _ => old,
        };
        place.copy_from_slice(&new.to_le_bytes());
        self.atomics.insert(request.psn, old);
        self.msn = psn_add(self.msn, 1);
        self.expected_psn = psn_add(self.expected_psn, 1);
        Ok(vec![self.atomic_acknowledge(request.psn, old)])
    }

    fn atomic_acknowledge(&self, psn: u32, old: u64) -> Answer {
        let answer = Answer::acknowledge(psn, syndrome::ACK, self.msn);
        let payload = old.to_be_bytes().to_vec();
        Answer { opcode: opcode::ATOMIC_ACKNOWLEDGE, payload, ..answer }
    }

    /// The first PSN of the READ that this one, from before the expected PSN, repeats: the whole or a
    /// part of it. Its responses have PSNs of that READ's, its bytes lie in those of that READ.
    fn repeated(&self, request: &Request) -> Option<u32> {
        let remote = request.remote?;
        let packets = |r: &Remote| packet_count(r.length_bytes.into(), self.mtu_bytes);
        let behind = |first: u32| request.psn.wrapping_sub(first) & PSN_MASK;
        let is_read = self.abilities.read && request.payload.is_empty();
        let mut newest_first = self.reads.iter().rev().filter(|_| is_read);
        let (first, read) = newest_first.find(|(first, read)| behind(*first) < packets(read))?;
        let bytes_before = remote.va.checked_sub(read.va)?;
        let is_inside = behind(*first) + packets(&remote) <= packets(read)
            && bytes_before.saturating_add(remote.length_bytes.into())
                <= u64::from(read.length_bytes);
        (is_inside && remote.rkey == read.rkey).then_some(*first)
    }

    /// Answers a request again without doing anything again; a READ is read again.
    fn duplicate(&mut self, memory: &mut Memory, request: &Request) -> Vec<Answer> {
        match request.opcode {
            opcode::READ_REQUEST => {
                let Some(first_psn) = self.repeated(request) else { return Vec::new() };
                let remote = checked(memory, request.remote, |region| region.remote_read);
                let is_whole = first_psn == request.psn;
                let read = |r| self.read_responses(memory, request.psn, r, is_whole);
                remote.map(read).unwrap_or_default()
            }
            opcode::COMPARE_SWAP | opcode::FETCH_ADD => {
                let old = self.atomics.get(&request.psn);
                old.map(|old| self.atomic_acknowledge(request.psn, *old)).into_iter().collect()
            }
            _ => vec![self.ack()],
        }
    }
}

/// The message that a first packet begins.
fn begin(memory: &Memory, request: &Request, kind: Kind) -> Result<Message, Refusal> {
    let remote = match kind {
        Kind::Send => Remote::default(),
        Kind::Write => checked(memory, request.remote, |region| region.remote_write)?,
    };
    Ok(Message { kind, remote, received_bytes: 0 })
}

/// `remote`, if it lies in a region that allows the access. An empty range needs no region.
fn checked(
    memory: &Memory,
    remote: Option<Remote>,
    allows: impl Fn(&Region) -> bool,
) -> Result<Remote, Refusal> {
    let remote = remote.ok_or(INVALID)?;
    if remote.length_bytes > MESSAGE_BYTES_MAX {
        return Err(INVALID);
    }
    let bytes = u64::from(remote.length_bytes);
    let region = memory.regions.get(&remote.rkey).filter(|r| allows(r));
    let is_inside = region.is_some_and(|r| r.range(remote.va, bytes).is_some());
    if bytes == 0 || is_inside {
        Ok(remote)
    } else {
        Err(ACCESS)
    }
}
