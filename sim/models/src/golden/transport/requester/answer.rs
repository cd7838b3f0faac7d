//! ACKs, NAKs and READ responses.

use super::flow::{psn_distance, psn_reaches, Timer, PSN_MASK};
use super::ports::*;
use super::recover::status;
use super::step::{cycles, Step};
use super::Requester;
use crate::events::RequesterEvents;
use crate::streams::{AckTelemetry, Answer};

pub(super) const OPCODE_ACK: u8 = 0x11;
const READ_RESPONSE_FIRST: u8 = 0x0d;
const READ_RESPONSE_MIDDLE: u8 = 0x0e;
const READ_RESPONSE_LAST: u8 = 0x0f;
const READ_RESPONSE_ONLY: u8 = 0x10;

/// Where the PSN of an answer is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// Sent and not acknowledged.
    Outstanding,
    Behind,
    Beyond,
}

impl Requester {
    fn is_ours(&self, flow: usize, a: &Answer) -> bool {
        let f = &self.flows[flow];
        f.qp.valid && f.qp.qpn == a.qpn && f.qp.remote_ip == a.src_ip && !f.failed
    }

    fn place(&self, flow: usize, psn: u32) -> Place {
        let f = &self.flows[flow];
        let distance = psn_distance(f.una, psn);
        match distance < psn_distance(f.una, f.high) {
            true => Place::Outstanding,
            false if distance >= 1 << 23 => Place::Behind,
            false => Place::Beyond,
        }
    }

    pub(super) fn answer(&mut self, flow: usize, i: &RequesterIn) {
        if i.s_ack.opcode == OPCODE_ACK {
            self.acknowledge(flow, i);
        } else {
            self.wait(cycles::JUDGE_ACK);
            self.response(flow, i);
        }
    }

    fn acknowledge(&mut self, flow: usize, i: &RequesterIn) {
        let a = &i.s_ack;
        let (kind, code) = (a.syndrome >> 5, a.syndrome & 0x1f);
        let (is_ours, place) = (self.is_ours(flow, a), self.place(flow, a.psn));
        let mut e = RequesterEvents::default();
        match (kind, place) {
            _ if !is_ours => e.no_qp = true,
            (_, Place::Behind) => e.ack_coalesced_stale = true,
            (_, Place::Beyond) => e.ack_ghost = true,
            (0, _) => e.ack = true,
            (1, _) => e.nak_rnr = true,
            (3, _) if code == 0 => e.nak_sequence = true,
            (3, _) => e.nak_fatal = true,
            _ => e.ack_ghost = true,
        }
        let una = if kind == 0 { (a.psn + 1) & PSN_MASK } else { a.psn };
        let has_cc = kind == 0 && a.tel.valid;
        self.wait(cycles::JUDGE_ACK - 1);
        self.push(if has_cc { Step::Room } else { Step::Wait(1) });
        self.push(Step::Judged(e, (has_cc && e.ack).then(|| self.feedback(flow, a, una))));
        if !is_ours || place != Place::Outstanding || !matches!(kind, 0 | 1 | 3) {
            return self.save();
        }
        let has_progress = self.retire_before(flow, una, true);
        self.wait(2);
        match (kind, code) {
            (0, _) => self.acknowledged(flow, has_progress, i),
            (1, _) => self.rnr(flow, code),
            (3, 0) => self.nak_sequence(flow, i),
            (_, 2) => self.fail(flow, status::REMOTE_ACCESS),
            (_, 3) => self.fail(flow, status::REMOTE_OPERATION),
            _ => self.fail(flow, status::REMOTE_INVALID_REQUEST),
        }
    }

    /// All PSNs before `una` are acknowledged, but none of a READ: completes the WRITEs that this
    /// covers. Whether it was news. `is_last`: behind a WRITE that ends there none is looked at.
    fn retire_before(&mut self, flow: usize, una: u32, is_last: bool) -> bool {
        let f = &mut self.flows[flow];
        let mut reached = una;
        while let Some(head) = f.queue.front().copied() {
            let is_covered = psn_reaches(una, head.end_psn());
            if head.is_read() || !is_covered {
                self.script.push_back(Step::Wait(1));
                if head.is_read() {
                    // The READ at the head when we came may be half done.
                    let is_begun = psn_reaches(f.una, head.first_psn);
                    reached = if is_begun { f.una } else { head.first_psn };
                }
                break;
            }
            self.script.push_back(Step::completion(&head.wr, status::OK));
            f.retire();
            if is_last && head.end_psn() == una {
                break;
            }
            if !f.queue.is_empty() {
                self.script.push_back(Step::Wait(cycles::NEXT_HEAD));
            }
        }
        f.advance(reached)
    }

    /// What CC is told of an ACK. It may be ahead of where we resend.
    fn feedback(&self, flow: usize, a: &Answer, behind: u32) -> AckTelemetry {
        let nxt = self.flows[flow].nxt;
        let snd_nxt = if psn_reaches(behind, nxt) { behind } else { nxt };
        AckTelemetry { valid: true, flow: flow as u16, psn: a.psn, snd_nxt, tel: a.tel }
    }

    pub(super) fn inflight(&mut self, flow: usize) {
        let inflight_bytes = self.flows[flow].inflight_bytes();
        self.push(Step::Inflight(flow as u16, inflight_bytes));
    }

    /// After an ACK or a READ response: timer, and what could not be sent before.
    fn acknowledged(&mut self, flow: usize, has_progress: bool, i: &RequesterIn) {
        let now = self.now();
        let f = &mut self.flows[flow];
        // The answer to a duplicate may be ahead of where we resend.
        let overtakes = psn_reaches(f.una, f.nxt);
        if overtakes && f.nxt == f.high {
            f.go_on();
        } else if overtakes {
            f.rewind();
        }
        if f.timer != Timer::Rnr {
            if overtakes {
                f.timer = Timer::Off;
            } else if has_progress {
                f.start_timer(now);
            }
        }
        let arms = has_progress && f.may_arm() && !f.waits_for_read();
        self.inflight(flow);
        if arms {
            self.arm(flow, i);
        } else {
            self.save();
        }
    }

    /// The payload at hand is not wanted.
    fn drop_payload(&mut self, i: &RequesterIn) {
        if i.s_ack.payload_bytes > 0 {
            self.push(Step::Payload { addr: None, bytes: i.s_ack.payload_bytes });
        }
    }

    fn response(&mut self, flow: usize, i: &RequesterIn) {
        let a = &i.s_ack;
        let (is_ours, place) = (self.is_ours(flow, a), self.place(flow, a.psn));
        let f = &self.flows[flow];
        if !is_ours || place != Place::Outstanding || f.open_reads == 0 {
            self.events(|e| match place {
                _ if !is_ours => e.no_qp = true,
                Place::Behind => e.ack_coalesced_stale = true,
                _ => e.ack_ghost = true,
            });
            self.drop_payload(i);
            return self.save();
        }
        let before = f.queue.iter().position(|p| p.is_read()).expect("a READ was sent");
        let first_psn = f.queue[before].first_psn;
        // With no WRITE before it, part of the READ may have come.
        let due_psn = if before == 0 { f.una } else { first_psn };
        let is_behind = before > 0 && psn_distance(first_psn, a.psn) >= 1 << 23;
        self.wait(before as u32 * cycles::SEEK + cycles::PREPARE + cycles::MATCH);
        if a.psn != due_psn {
            // Beyond what is due: a response is lost, which is as good as a NAK, but only once.
            let is_gap = !is_behind && !self.flows[flow].has_gap;
            self.events(|e| match is_behind {
                true => e.ack_coalesced_stale = true,
                false if is_gap => e.nak_sequence = true,
                false => e.ack_ghost = true,
            });
            self.drop_payload(i);
            if !is_gap {
                return self.save();
            }
            self.flows[flow].has_gap = true;
            self.wait(1);
            return self.nak_sequence(flow, i);
        }
        if before > 0 {
            self.wait(1 + cycles::HEAD);
            self.retire_before(flow, first_psn, false);
            self.wait(1 + cycles::PREPARE + cycles::MATCH);
        }
        self.due_response(flow, i);
    }

    /// A response whose turn it is, of the READ at the head.
    fn due_response(&mut self, flow: usize, i: &RequesterIn) {
        let a = &i.s_ack;
        let f = &mut self.flows[flow];
        let packet = f.packet_at(f.queue[0], a.psn);
        // In the middle a READ that is asked for again may begin anew or go on.
        let has_place = match (packet.is_first, packet.is_last) {
            (true, true) => a.opcode == READ_RESPONSE_ONLY,
            (true, false) => a.opcode == READ_RESPONSE_FIRST,
            (false, true) => matches!(a.opcode, READ_RESPONSE_LAST | READ_RESPONSE_ONLY),
            (false, false) => matches!(a.opcode, READ_RESPONSE_FIRST | READ_RESPONSE_MIDDLE),
        };
        let has_bytes = u32::from(a.payload_bytes) == packet.bytes;
        if !has_place || !has_bytes || a.syndrome >> 5 != 0 {
            self.events(|e| e.nak_fatal = true);
            self.drop_payload(i);
            return self.fail(flow, status::BAD_RESPONSE);
        }
        self.events(|e| e.ack = true);
        let wr = packet.posted.wr;
        let f = &mut self.flows[flow];
        if packet.is_last {
            f.retire();
        }
        f.advance((a.psn + 1) & PSN_MASK);
        if packet.bytes > 0 {
            let addr = Some(wr.local_address.wrapping_add(packet.offset.into()));
            self.push(Step::Payload { addr, bytes: a.payload_bytes });
        }
        if packet.is_last {
            self.push(Step::completion(&wr, status::OK));
        } else {
            self.wait(1);
        }
        self.wait(1);
        self.acknowledged(flow, true, i);
    }
}
