//! Reliable connection of RoCEv2, message by message and without time: what is right.
//!
//! Sources: InfiniBand architecture volume 1, chapter 9 (9.7 reliable service, 9.7.5 ACK and NAK,
//! 9.7.6 and 9.7.7 responder and requester), and what Linux rxe does where the standard leaves a
//! choice. A responder is fed requests in the order of their arrival and says what each of them
//! does to memory and how it is answered; a requester makes the packets of work requests and is
//! fed answers. When an answer leaves, and which ACKs are merged into one, is not modelled:
//! [`check::ResponderCheck`] accepts every legal choice.

pub mod check;
pub mod feedback;
pub mod requester;
pub mod responder;

use nic_spec::wire::aeth::syndrome;
use nic_spec::wire::bth::opcode;
use nic_spec::wire::roce::FrameRepr;
use std::collections::BTreeMap;

/// PSNs are 24 bits.
pub const PSN_MASK: u32 = 0xff_ffff;
/// Longest message, bytes.
pub const MESSAGE_BYTES_MAX: u32 = 1 << 31;

/// `psn + n`.
pub fn psn_add(psn: u32, n: u32) -> u32 {
    psn.wrapping_add(n) & PSN_MASK
}

/// `a - b` in serial-number arithmetic: -2^23..2^23.
pub fn psn_distance(a: u32, b: u32) -> i32 {
    ((a.wrapping_sub(b) << 8) as i32) >> 8
}

/// Packets of a message of `bytes` bytes; an empty message has one.
pub fn packet_count(bytes: u64, mtu_bytes: usize) -> u32 {
    bytes.div_ceil(mtu_bytes as u64).max(1) as u32
}

/// Partition key of a full member of the default partition.
pub const DEFAULT_PKEY: u16 = 0xffff;

/// The packet of `frame` if a port of partition `own_pkey` takes it; `None`: dropped in silence
/// (section 9.6.1). Transport version 0, and P_Keys with the same base, which is not 0, at least
/// one of them a full member's (section 10.9.3).
pub fn admit(frame: &[u8], own_pkey: u16) -> Option<FrameRepr<'_>> {
    let packet = FrameRepr::parse(frame, None).ok()?;
    let pkey = packet.bth.pkey;
    let is_member = pkey & 0x7fff != 0 && (pkey ^ own_pkey) & 0x7fff == 0;
    (is_member && (pkey | own_pkey) >> 15 == 1).then_some(packet)
}

/// RETH.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Remote {
    /// Virtual address.
    pub va: u64,
    /// Remote key.
    pub rkey: u32,
    /// Bytes of the message.
    pub length_bytes: u32,
}

/// A request packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// BTH opcode.
    pub opcode: u8,
    /// PSN.
    pub psn: u32,
    /// An ACK is asked for.
    pub ack_req: bool,
    /// Raise an event at the end of the message.
    pub solicited: bool,
    /// RETH, if the opcode has one.
    pub remote: Option<Remote>,
    /// Immediate data, if the opcode has it.
    pub imm: Option<u32>,
    /// Payload without pad; of an atomic its extension header.
    pub payload: Vec<u8>,
}

impl From<&FrameRepr<'_>> for Request {
    fn from(frame: &FrameRepr<'_>) -> Self {
        let remote = |r: nic_spec::wire::reth::Repr| Remote {
            va: r.va,
            rkey: r.rkey,
            length_bytes: r.dma_len,
        };
        Self {
            opcode: frame.bth.opcode,
            psn: frame.bth.psn,
            ack_req: frame.bth.ack_req,
            solicited: frame.bth.solicited,
            remote: frame.reth.map(remote),
            imm: frame.imm,
            payload: frame.payload.to_vec(),
        }
    }
}

/// A packet of the responder: ACK, NAK, READ response or atomic acknowledge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// BTH opcode.
    pub opcode: u8,
    /// PSN.
    pub psn: u32,
    /// AETH syndrome; [`syndrome::ACK`] for a READ response without AETH.
    pub syndrome: u8,
    /// Messages completed, 24 bits; 0 without AETH.
    pub msn: u32,
    /// Bytes read, or the original value of an atomic.
    pub payload: Vec<u8>,
}

/// What an answer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Done; credits don't matter.
    Ack,
    /// Not ready, come back after the time of this 5-bit code.
    Rnr(u8),
    /// Refused: the syndrome.
    Nak(u8),
}

impl Answer {
    /// An acknowledge packet.
    pub fn acknowledge(psn: u32, syndrome: u8, msn: u32) -> Self {
        Self { opcode: opcode::ACKNOWLEDGE, psn, syndrome, msn, payload: Vec::new() }
    }

    /// What it says.
    pub fn class(&self) -> Class {
        match self.syndrome & syndrome::KIND_MASK {
            0 => Class::Ack,
            syndrome::RNR_NAK => Class::Rnr(self.syndrome & 0x1f),
            _ => Class::Nak(self.syndrome),
        }
    }

    /// Whether the packet only brings telemetry: neither side's PSNs know of it.
    pub fn is_telemetry_only(&self) -> bool {
        opcode::is_telemetry_only(self.opcode)
    }

    /// Whether the packet carries bytes that were read.
    pub fn is_read_response(&self) -> bool {
        (opcode::READ_RESPONSE_FIRST..=opcode::READ_RESPONSE_ONLY).contains(&self.opcode)
    }
}

impl From<&FrameRepr<'_>> for Answer {
    fn from(frame: &FrameRepr<'_>) -> Self {
        let (syndrome, msn) = frame.aeth.map_or((syndrome::ACK, 0), |a| (a.syndrome, a.msn));
        let payload = frame.payload.to_vec();
        Self { opcode: frame.bth.opcode, psn: frame.bth.psn, syndrome, msn, payload }
    }
}

/// Memory that a peer may reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// Address of the first byte.
    pub va: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// WRITE is allowed.
    pub remote_write: bool,
    /// READ is allowed.
    pub remote_read: bool,
    /// Atomics are allowed.
    pub remote_atomic: bool,
}

impl Region {
    /// Where `bytes` bytes at `va` are, if they are inside.
    fn range(&self, va: u64, bytes: u64) -> Option<core::ops::Range<usize>> {
        let start = va.checked_sub(self.va)?;
        let end = start.checked_add(bytes)?;
        (end <= self.bytes.len() as u64).then_some(start as usize..end as usize)
    }
}

/// All regions, by rkey.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// rkey to region.
    pub regions: BTreeMap<u32, Region>,
}

impl Memory {
    fn slice(&mut self, remote: &Remote, bytes: u64) -> Option<&mut [u8]> {
        let region = self.regions.get_mut(&remote.rkey)?;
        let range = region.range(remote.va, bytes)?;
        Some(&mut region.bytes[range])
    }
}
