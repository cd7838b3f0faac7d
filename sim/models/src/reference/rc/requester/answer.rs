//! Answers and timeouts: InfiniBand, volume 1, section 9.7.5 (ACK, NAK, READ responses) and 9.7.6
//! (retries).

use super::{Completion, Effect, Landing, Requester, Status};
use crate::reference::rc::{psn_add, psn_distance, Answer, Class};
use nic_spec::wire::aeth::syndrome;
use nic_spec::wire::bth::opcode;

impl Requester {
    /// Takes an answer that is addressed to this connection and came from its peer.
    pub fn answer(&mut self, answer: &Answer) -> Effect {
        if self.is_closed || answer.is_telemetry_only() {
            return Effect::Ghost;
        }
        if answer.is_read_response() {
            return self.response(answer);
        }
        let is_sent = psn_distance(answer.psn, self.new_psn) < 0;
        if !is_sent {
            return Effect::Ghost;
        }
        if psn_distance(answer.psn, self.unacked_psn) < 0 {
            return Effect::Stale;
        }
        match answer.class() {
            Class::Ack => match self.acknowledge_before(psn_add(answer.psn, 1)) {
                true => Effect::Progress,
                false => Effect::Stale,
            },
            Class::Rnr(timer) => {
                self.acknowledge_before(answer.psn);
                self.send_psn = self.unacked_psn;
                self.rnr_retries += 1;
                if self.limits.rnr_retry.is_some_and(|limit| self.rnr_retries > limit) {
                    return self.close(Status::RnrExceeded);
                }
                Effect::Waits(self.unacked_psn, timer)
            }
            Class::Nak(syndrome::NAK_SEQUENCE) => {
                self.acknowledge_before(answer.psn);
                self.retry()
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
        self.retry()
    }

    /// PSN of the READ response whose turn it is: a READ is answered in order, and its first
    /// response acknowledges what was sent before it.
    fn due_response_psn(&self) -> Option<u32> {
        let first_psn = self.open_reads().next()?.first_psn;
        let is_begun = psn_distance(first_psn, self.unacked_psn) <= 0;
        Some(if is_begun { self.unacked_psn } else { first_psn })
    }

    fn response(&mut self, answer: &Answer) -> Effect {
        let due_psn = self.due_response_psn();
        let from_due = psn_distance(answer.psn, due_psn.unwrap_or(self.unacked_psn));
        if from_due < 0 {
            return Effect::Stale;
        }
        let is_sent = psn_distance(answer.psn, self.new_psn) < 0;
        if due_psn.is_none() || from_due > 0 && (!is_sent || self.has_gap) {
            return Effect::Ghost;
        }
        if from_due > 0 {
            // Responses come in order: one is lost, as if a NAK had told so (section 9.7.5.2).
            self.has_gap = true;
            return self.retry();
        }
        self.acknowledge_before(answer.psn);
        let read = self.posted.front().expect("the READ");
        let index = psn_distance(answer.psn, read.first_psn) as usize;
        let offset = index * self.mtu_bytes;
        let rest = read.length_bytes() as usize - offset;
        let is_last = index + 1 == read.packet_count as usize;
        use opcode::*;
        // The first response to a READ that is asked for again in the middle is FIRST or ONLY by
        // the standard, but MIDDLE or LAST from Linux rxe.
        let place: &[u8] = match (index == 0, is_last) {
            (true, true) => &[READ_RESPONSE_ONLY],
            (true, false) => &[READ_RESPONSE_FIRST],
            (false, true) => &[READ_RESPONSE_LAST, READ_RESPONSE_ONLY],
            (false, false) => &[READ_RESPONSE_FIRST, READ_RESPONSE_MIDDLE],
        };
        let is_good = place.contains(&answer.opcode)
            && answer.class() == Class::Ack
            && answer.payload.len() == rest.min(self.mtu_bytes);
        if !is_good {
            return self.close(Status::BadResponse);
        }
        if self.memory_fails && rest > 0 {
            return self.close(Status::LocalMemory);
        }
        let (wr_id, offset) = (read.work.wr_id, offset as u32);
        self.landings.push_back(Landing { wr_id, offset, bytes: answer.payload.clone() });
        self.advance(psn_add(answer.psn, 1));
        Effect::Progress
    }

    /// Goes back to the oldest packet, unless that was done too often.
    fn retry(&mut self) -> Effect {
        self.retries += 1;
        self.send_psn = self.unacked_psn;
        match self.retries <= self.limits.retry {
            true => Effect::Rewound(self.unacked_psn),
            false => self.close(Status::RetryExceeded),
        }
    }

    /// What was sent before `psn` is acknowledged, but of a READ only its responses do that.
    /// Whether that is news.
    fn acknowledge_before(&mut self, psn: u32) -> bool {
        let psn = match self.due_response_psn() {
            Some(due_psn) if psn_distance(due_psn, psn) < 0 => due_psn,
            _ => psn,
        };
        psn_distance(psn, self.unacked_psn) > 0 && {
            self.advance(psn);
            true
        }
    }

    /// All before `psn` is done.
    fn advance(&mut self, psn: u32) {
        self.unacked_psn = psn;
        (self.retries, self.rnr_retries, self.has_gap) = (0, 0, false);
        if psn_distance(self.send_psn, psn) < 0 {
            self.send_psn = psn;
        }
        while self.posted.front().is_some_and(|p| !p.holds(psn)) {
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
