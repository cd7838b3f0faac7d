//! The side that writes and reads.

mod answer;

use super::{packet_count, psn_add, psn_distance, Remote, Request, PSN_MASK};
use nic_spec::wire::bth::opcode;
use std::collections::VecDeque;

/// Most PSNs that may be outstanding: half of them, so that old and new can be told apart
/// (InfiniBand, volume 1, section 9.7.2).
pub const PSN_SPAN_MAX: u32 = 1 << 23;

/// An RDMA WRITE, or an RDMA READ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Chosen by software, returned in the completion.
    pub wr_id: u32,
    /// The bytes of a WRITE.
    pub bytes: Vec<u8>,
    /// Length of a READ; `None`: a WRITE.
    pub read_bytes: Option<u32>,
    /// Remote address.
    pub va: u64,
    /// Remote key.
    pub rkey: u32,
    /// Immediate data of a WRITE, if any.
    pub imm: Option<u32>,
    /// Raise an event at the peer.
    pub solicited: bool,
    /// A completion is wanted on success.
    pub signalled: bool,
}

/// How a work request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Acknowledged, or read.
    Ok,
    /// The peer did not answer.
    RetryExceeded,
    /// NAK 0x62.
    RemoteAccess,
    /// NAK 0x61.
    RemoteInvalidRequest,
    /// NAK 0x63 and codes that are not assigned.
    RemoteOperation,
    /// Another one failed before it.
    Flushed,
    /// The peer was not ready too often.
    RnrExceeded,
    /// A READ response of the wrong length or kind.
    BadResponse,
    /// Our memory refused what was read.
    LocalMemory,
}

/// A work request has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// As in the work request.
    pub wr_id: u32,
    /// How.
    pub status: Status,
}

/// Bytes of a READ have come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Landing {
    /// The READ.
    pub wr_id: u32,
    /// Place of the first byte in the message.
    pub offset: u32,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// What an answer was good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Acknowledged something new.
    Progress,
    /// Acknowledged nothing new.
    Stale,
    /// Is about packets that are not outstanding, or is a READ response whose turn it is not.
    Ghost,
    /// Sends again from the PSN.
    Rewound(u32),
    /// Sends again from the PSN, after the time of this code.
    Waits(u32, u8),
    /// Ended the connection.
    Fatal(Status),
}

#[derive(Clone, Debug)]
struct Posted {
    work: Work,
    first_psn: u32,
    /// PSNs that it takes: for a READ those of its responses.
    packet_count: u32,
}

impl Posted {
    fn is_read(&self) -> bool {
        self.work.read_bytes.is_some()
    }

    fn length_bytes(&self) -> u32 {
        self.work.read_bytes.unwrap_or(self.work.bytes.len() as u32)
    }

    fn end_psn(&self) -> u32 {
        psn_add(self.first_psn, self.packet_count)
    }

    fn holds(&self, psn: u32) -> bool {
        (psn.wrapping_sub(self.first_psn) & PSN_MASK) < self.packet_count
    }
}

/// Limits of a requester.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// AckReq on every packet whose PSN is a multiple of this, and on the last of each message.
    pub ack_interval: u32,
    /// Retries without progress.
    pub retry: u32,
    /// RNR NAKs without progress; `None`: no limit.
    pub rnr_retry: Option<u32>,
    /// READs that may be outstanding.
    pub reads: u32,
}

/// Requester's side of one connection: go-back-N without a copy of what was sent.
#[derive(Clone, Debug)]
pub struct Requester {
    mtu_bytes: usize,
    limits: Limits,
    posted: VecDeque<Posted>,
    /// PSN of the next work request.
    post_psn: u32,
    /// PSN of the next packet.
    send_psn: u32,
    /// First PSN that was never sent.
    new_psn: u32,
    /// Oldest PSN that is not acknowledged.
    unacked_psn: u32,
    retries: u32,
    rnr_retries: u32,
    /// A READ response has told that one before it is lost, and nothing was acknowledged since.
    has_gap: bool,
    is_closed: bool,
    /// Our memory refuses what is read.
    pub memory_fails: bool,
    /// Completions, in order; software takes them.
    pub completions: VecDeque<Completion>,
    /// Bytes that were read, in order.
    pub landings: VecDeque<Landing>,
}

impl Requester {
    /// A connection whose first request has `first_psn`.
    pub fn new(mtu_bytes: usize, first_psn: u32, limits: Limits) -> Self {
        let psn = first_psn & PSN_MASK;
        Self {
            mtu_bytes,
            limits,
            posted: VecDeque::new(),
            post_psn: psn,
            send_psn: psn,
            new_psn: psn,
            unacked_psn: psn,
            retries: 0,
            rnr_retries: 0,
            has_gap: false,
            is_closed: false,
            memory_fails: false,
            completions: VecDeque::new(),
            landings: VecDeque::new(),
        }
    }

    /// Queues a work request; on a closed connection it is flushed.
    pub fn post(&mut self, work: Work) {
        if self.is_closed {
            let (wr_id, status) = (work.wr_id, Status::Flushed);
            self.completions.push_back(Completion { wr_id, status });
            return;
        }
        let mut posted = Posted { work, first_psn: self.post_psn, packet_count: 0 };
        posted.packet_count = packet_count(posted.length_bytes().into(), self.mtu_bytes);
        self.post_psn = posted.end_psn();
        self.posted.push_back(posted);
    }

    /// PSNs that are sent and not acknowledged.
    pub fn outstanding(&self) -> u32 {
        self.send_psn.wrapping_sub(self.unacked_psn) & PSN_MASK
    }

    /// PSN of the next packet to send.
    pub fn send_psn(&self) -> u32 {
        self.send_psn
    }

    /// Oldest PSN that is not acknowledged.
    pub fn unacked_psn(&self) -> u32 {
        self.unacked_psn
    }

    /// Work requests that have not ended.
    pub fn open_count(&self) -> usize {
        self.posted.len()
    }

    /// Whether nothing is left to do.
    pub fn is_idle(&self) -> bool {
        self.posted.is_empty()
    }

    /// Whether a packet of this work request has been sent.
    fn is_begun(&self, posted: &Posted) -> bool {
        psn_distance(posted.first_psn, self.new_psn) < 0
    }

    /// READs that were sent and have not ended.
    fn open_reads(&self) -> impl Iterator<Item = &Posted> {
        self.posted.iter().filter(|p| p.is_read() && self.is_begun(p))
    }

    /// PSN behind the packet of `psn`: a READ request stands for all that it asks for.
    pub fn psn_after(&self, psn: u32) -> Option<u32> {
        let posted = self.posted.iter().find(|p| p.holds(psn))?;
        Some(if posted.is_read() { posted.end_psn() } else { psn_add(psn, 1) })
    }

    /// The next packet to send, if there is one that may be sent.
    pub fn send(&mut self) -> Option<Request> {
        let posted = self.posted.iter().find(|p| p.holds(self.send_psn))?;
        let is_new_read = posted.is_read() && !self.is_begun(posted);
        if is_new_read && self.open_reads().count() >= self.limits.reads as usize {
            return None;
        }
        let next_psn = self.psn_after(self.send_psn)?;
        let packets = next_psn.wrapping_sub(self.send_psn) & PSN_MASK;
        if self.outstanding() + packets > PSN_SPAN_MAX {
            return None;
        }
        let request = self.packet(self.send_psn)?;
        if self.send_psn == self.new_psn {
            self.new_psn = next_psn;
        }
        self.send_psn = next_psn;
        Some(request)
    }

    /// The packet of `psn`: what a PSN stands for never changes. A READ that is asked for again
    /// begins at the PSN whose response is missing.
    pub fn packet(&self, psn: u32) -> Option<Request> {
        let posted = self.posted.iter().find(|p| p.holds(psn))?;
        let work = &posted.work;
        let index = psn.wrapping_sub(posted.first_psn) & PSN_MASK;
        let start = index as usize * self.mtu_bytes;
        let length_bytes = posted.length_bytes();
        let remote = Remote { va: work.va, rkey: work.rkey, length_bytes };
        if posted.is_read() {
            let (va, length_bytes) = (work.va + start as u64, length_bytes - start as u32);
            let remote = Some(Remote { va, length_bytes, ..remote });
            let (opcode, ack_req) = (opcode::READ_REQUEST, true);
            return Some(Request { opcode, psn, ack_req, remote, ..Request::default() });
        }
        let (is_first, is_last) = (index == 0, index + 1 == posted.packet_count);
        use opcode::*;
        let code = match (is_first, is_last, work.imm.is_some()) {
            (true, true, false) => WRITE_ONLY,
            (true, true, true) => WRITE_ONLY_IMM,
            (true, false, _) => WRITE_FIRST,
            (false, false, _) => WRITE_MIDDLE,
            (false, true, false) => WRITE_LAST,
            (false, true, true) => WRITE_LAST_IMM,
        };
        let end = work.bytes.len().min(start + self.mtu_bytes);
        Some(Request {
            opcode: code,
            psn,
            ack_req: is_last || psn.is_multiple_of(self.limits.ack_interval),
            // The bit is for messages that make a completion at the peer.
            solicited: is_last && work.solicited && work.imm.is_some(),
            remote: is_first.then_some(remote),
            imm: work.imm.filter(|_| is_last),
            payload: work.bytes[start..end].to_vec(),
        })
    }
}
