//! The side that writes.

use super::{packet_count, psn_add, psn_distance, Answer, Class, Remote, Request, PSN_MASK};
use nic_spec::wire::aeth::syndrome;
use nic_spec::wire::bth::opcode;
use std::collections::VecDeque;

/// An RDMA WRITE.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Chosen by software, returned in the completion.
    pub wr_id: u32,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Remote address.
    pub va: u64,
    /// Remote key.
    pub rkey: u32,
    /// Immediate data, if any.
    pub imm: Option<u32>,
    /// Raise an event at the peer.
    pub solicited: bool,
    /// A completion is wanted on success.
    pub signalled: bool,
}

/// How a work request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Acknowledged.
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
}

/// A work request has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    /// As in the work request.
    pub wr_id: u32,
    /// How.
    pub status: Status,
}

/// What an answer was good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Acknowledged something new.
    Progress,
    /// Acknowledged nothing new.
    Stale,
    /// Is about packets that are not outstanding.
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
    packet_count: u32,
}

impl Posted {
    fn last_psn(&self) -> u32 {
        psn_add(self.first_psn, self.packet_count - 1)
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
    is_closed: bool,
    /// Completions, in order; software takes them.
    pub completions: VecDeque<Completion>,
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
            is_closed: false,
            completions: VecDeque::new(),
        }
    }

    /// Queues a WRITE; on a closed connection it is flushed.
    pub fn post(&mut self, work: Work) {
        if self.is_closed {
            let (wr_id, status) = (work.wr_id, Status::Flushed);
            self.completions.push_back(Completion { wr_id, status });
            return;
        }
        let packet_count = packet_count(work.bytes.len() as u64, self.mtu_bytes);
        self.posted.push_back(Posted { work, first_psn: self.post_psn, packet_count });
        self.post_psn = psn_add(self.post_psn, packet_count);
    }

    /// Packets that are sent and not acknowledged.
    pub fn outstanding(&self) -> u32 {
        psn_distance(self.send_psn, self.unacked_psn).max(0) as u32
    }

    /// PSN of the next packet to send.
    pub fn send_psn(&self) -> u32 {
        self.send_psn
    }

    /// Work requests that have not ended.
    pub fn open_count(&self) -> usize {
        self.posted.len()
    }

    /// Whether nothing is left to do.
    pub fn is_idle(&self) -> bool {
        self.posted.is_empty()
    }

    /// The next packet to send, if there is one.
    pub fn send(&mut self) -> Option<Request> {
        let request = self.packet(self.send_psn)?;
        self.send_psn = psn_add(self.send_psn, 1);
        if psn_distance(self.send_psn, self.new_psn) > 0 {
            self.new_psn = self.send_psn;
        }
        Some(request)
    }

    /// The packet of `psn`: what a PSN stands for never changes.
    pub fn packet(&self, psn: u32) -> Option<Request> {
        let holds =
            |p: &&Posted| (0..p.packet_count as i32).contains(&psn_distance(psn, p.first_psn));
        let posted = self.posted.iter().find(holds)?;
        let Posted { work, packet_count, .. } = posted;
        let index = psn_distance(psn, posted.first_psn) as u32;
        let (is_first, is_last) = (index == 0, index + 1 == *packet_count);
        use opcode::*;
        let code = match (is_first, is_last, work.imm.is_some()) {
            (true, true, false) => WRITE_ONLY,
            (true, true, true) => WRITE_ONLY_IMM,
            (true, false, _) => WRITE_FIRST,
            (false, false, _) => WRITE_MIDDLE,
            (false, true, false) => WRITE_LAST,
            (false, true, true) => WRITE_LAST_IMM,
        };
        let start = index as usize * self.mtu_bytes;
        let end = work.bytes.len().min(start + self.mtu_bytes);
        let length_bytes = work.bytes.len() as u32;
        let remote = Remote { va: work.va, rkey: work.rkey, length_bytes };
        Some(Request {
            opcode: code,
            psn,
            ack_req: is_last || psn % self.limits.ack_interval == 0,
            // The bit is for messages that make a completion at the peer.
            solicited: is_last && work.solicited && work.imm.is_some(),
            remote: is_first.then_some(remote),
            imm: work.imm.filter(|_| is_last),
            payload: work.bytes[start..end].to_vec(),
        })
    }

    /// Takes an answer that is addressed to this connection and came from its peer.
    pub fn answer(&mut self, answer: &Answer) -> Effect {
        let from_oldest = psn_distance(answer.psn, self.unacked_psn);
        let is_sent = psn_distance(answer.psn, self.new_psn) < 0;
        if self.is_closed || !is_sent {
            return Effect::Ghost;
        }
        match answer.class() {
            Class::Ack if from_oldest < 0 => Effect::Stale,
            Class::Ack => {
                self.acknowledge_before(psn_add(answer.psn, 1));
                Effect::Progress
            }
            _ if from_oldest < 0 => Effect::Stale,
            Class::Rnr(timer) => {
                self.acknowledge_before(answer.psn);
                self.rnr_retries += 1;
                if self.limits.rnr_retry.is_some_and(|limit| self.rnr_retries > limit) {
                    return self.close(Status::RnrExceeded);
                }
                self.send_psn = answer.psn;
                Effect::Waits(answer.psn, timer)
            }
            Class::Nak(syndrome::NAK_SEQUENCE) => {
                self.acknowledge_before(answer.psn);
                if self.retry() {
                    Effect::Rewound(answer.psn)
                } else {
                    self.close(Status::RetryExceeded)
                }
            }
            Class::Nak(code) => {
                self.acknowledge_before(answer.psn);
                self.close(match code {
                    syndrome::NAK_INVALID_REQUEST => Status::RemoteInvalidRequest,
                    syndrome::NAK_REMOTE_ACCESS => Status::RemoteAccess,
                    _ => Status::RemoteOperation,
                })
            }
        }
    }

    /// Nothing was heard for the timeout while packets were outstanding.
    pub fn timeout(&mut self) -> Effect {
        if self.is_closed || self.new_psn == self.unacked_psn {
            return Effect::Stale;
        }
        if self.retry() {
            Effect::Rewound(self.unacked_psn)
        } else {
            self.close(Status::RetryExceeded)
        }
    }

    /// Goes back to the oldest packet, unless that was done too often.
    fn retry(&mut self) -> bool {
        self.retries += 1;
        self.send_psn = self.unacked_psn;
        self.retries <= self.limits.retry
    }

    fn acknowledge_before(&mut self, psn: u32) {
        if psn_distance(psn, self.unacked_psn) <= 0 {
            return;
        }
        self.unacked_psn = psn;
        (self.retries, self.rnr_retries) = (0, 0);
        if psn_distance(self.send_psn, psn) < 0 {
            self.send_psn = psn;
        }
        while self.posted.front().is_some_and(|p| psn_distance(p.last_psn(), psn) < 0) {
            let done = self.posted.pop_front().expect("seen");
            if done.work.signalled {
                let completion = Completion { wr_id: done.work.wr_id, status: Status::Ok };
                self.completions.push_back(completion);
            }
        }
    }

    /// Ends the connection: the oldest work request fails, the others are flushed.
    fn close(&mut self, status: Status) -> Effect {
        self.is_closed = true;
        for (i, posted) in self.posted.drain(..).enumerate() {
            let status = if i == 0 { status } else { Status::Flushed };
            self.completions.push_back(Completion { wr_id: posted.work.wr_id, status });
        }
        Effect::Fatal(status)
    }
}
