//! Judges a responder's answers, whatever ACKs it merges and whenever it sends them.

mod reads;
mod wrong;

use super::responder::{Outcome, Received, Responder, Verdict};
use super::{psn_add, psn_distance, Answer, Class, Memory, Request, PSN_MASK};
use nic_spec::wire::aeth::syndrome;
use nic_spec::wire::bth::opcode;
use reads::Reads;
use std::collections::VecDeque;
pub use wrong::Wrong;

/// The reference responder beside the one that is judged: feed it every request that reached that
/// one, in order, and every answer that came out.
#[derive(Clone, Debug)]
pub struct ResponderCheck {
    responder: Responder,
    /// What memory must hold after the requests so far.
    pub memory: Memory,
    /// Completions that are due, in order.
    pub received: Vec<Received>,
    /// ACKs that are true: PSN and MSN of each state since the last one that was acknowledged.
    states: VecDeque<(u32, u32)>,
    /// NAKs and atomic acknowledges that are due.
    due: VecDeque<Answer>,
    reads: Reads,
    ack_due: Option<u32>,
    /// Requests by the index of their verdict.
    pub verdicts: [u64; 6],
}

impl ResponderCheck {
    /// Judges a connection that is in the state of `responder` and `memory`.
    pub fn new(responder: Responder, memory: Memory) -> Self {
        let first = (psn_add(responder.expected_psn(), PSN_MASK), responder.msn());
        Self {
            responder,
            memory,
            received: Vec::new(),
            states: VecDeque::from([first]),
            due: VecDeque::new(),
            reads: Reads::default(),
            ack_due: None,
            verdicts: [0; 6],
        }
    }

    /// The reference responder.
    pub fn responder(&mut self) -> &mut Responder {
        &mut self.responder
    }

    /// A request has arrived.
    pub fn request(&mut self, request: &Request) -> Outcome {
        let outcome = self.responder.request(&mut self.memory, request);
        self.verdicts[outcome.verdict.index()] += 1;
        let last_psn = psn_add(self.responder.expected_psn(), PSN_MASK);
        let state = (last_psn, self.responder.msn());
        if self.states.back() != Some(&state) {
            self.states.push_back(state);
        }
        if outcome.answers.first().is_some_and(Answer::is_read_response) {
            match outcome.verdict {
                Verdict::Accepted => self.reads.accepted(&outcome.answers),
                _ => self.reads.repeated(&outcome.answers),
            }
            return outcome;
        }
        for answer in &outcome.answers {
            if is_plain_ack(answer) {
                self.ack_due = Some(answer.psn);
            } else {
                self.due.push_back(answer.clone());
            }
        }
        self.received.extend(outcome.received);
        outcome
    }

    /// An answer has come out.
    pub fn answer(&mut self, answer: &Answer) -> Result<(), Wrong> {
        if answer.is_read_response() {
            self.reads.response(answer)?;
            self.settle(psn_add(answer.psn, PSN_MASK));
            return Ok(());
        }
        if is_plain_ack(answer) {
            self.reads.answered(answer.psn, answer)?;
            let state = (answer.psn, answer.msn);
            let at = self.states.iter().position(|s| *s == state);
            self.states.drain(..at.ok_or_else(|| Wrong::Ack(answer.clone()))?);
            self.settle(answer.psn);
            return Ok(());
        }
        // A sequence NAK that was overtaken by events need not come any more.
        let is_stale = |due: &&Answer| {
            let distance = psn_distance(answer.psn, due.psn);
            let is_worse = distance == 0 && answer.syndrome != syndrome::NAK_SEQUENCE;
            due.syndrome == syndrome::NAK_SEQUENCE && (distance > 0 || is_worse)
        };
        let skipped = self.due.iter().take_while(is_stale).count();
        match self.due.get(skipped) {
            Some(due) if due == answer => {}
            _ => return Err(Wrong::Unexpected(answer.clone())),
        }
        self.due.drain(..=skipped);
        let psn_before = psn_add(answer.psn, PSN_MASK);
        self.reads.answered(psn_before, answer)?;
        self.settle(psn_before);
        Ok(())
    }

    /// READ responses so far.
    pub fn response_count(&self) -> u64 {
        self.reads.count
    }

    fn settle(&mut self, psn: u32) {
        self.ack_due = self.ack_due.filter(|due| psn_distance(psn, *due) < 0);
    }

    /// No more answers will come.
    pub fn finish(&self) -> Result<(), Wrong> {
        let expected = self.responder.expected_psn();
        let is_due = |a: &&Answer| a.syndrome != syndrome::NAK_SEQUENCE || a.psn == expected;
        let mut missing: Vec<Answer> = self.due.iter().filter(is_due).cloned().collect();
        missing.extend(self.reads.missing());
        match (missing.is_empty(), self.ack_due) {
            (false, _) => Err(Wrong::Missing(missing)),
            (true, Some(psn)) => Err(Wrong::MissingAck(psn)),
            (true, None) => Ok(()),
        }
    }
}

/// Whether answers of this kind may be merged.
fn is_plain_ack(answer: &Answer) -> bool {
    answer.opcode == opcode::ACKNOWLEDGE && answer.class() == Class::Ack
}
