//! READ responses: which ones are true, and how often each may come.

use super::wrong::Wrong;
use crate::reference::rc::{psn_add, psn_distance, Answer, PSN_MASK};
use nic_spec::wire::bth::opcode;

/// A READ that was accepted.
#[derive(Clone, Debug)]
struct Read {
    first_psn: u32,
    responses: Vec<Response>,
    /// MSNs that its responses may carry.
    msns: Vec<u32>,
    /// It was asked for again, or a READ before it was, which gives it up: responses may be missing.
    is_excused: bool,
}

#[derive(Clone, Debug)]
struct Response {
    answer: Answer,
    asked_count: u32,
    sent_count: u32,
    /// A request began here.
    may_begin: bool,
}

impl Read {
    fn index_of(&self, psn: u32) -> Option<usize> {
        let index = psn_distance(psn, self.first_psn);
        (0..self.responses.len() as i32).contains(&index).then_some(index as usize)
    }

    fn last_psn(&self) -> u32 {
        psn_add(self.first_psn, self.responses.len() as u32 - 1)
    }
}

/// The READs of a connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Reads {
    reads: Vec<Read>,
    /// PSN of the response that came last.
    last_psn: Option<u32>,
    /// Responses so far.
    pub count: u64,
}

impl Reads {
    /// A READ was accepted, with these responses.
    pub fn accepted(&mut self, answers: &[Answer]) {
        let response = |answer: &Answer| Response {
            answer: answer.clone(),
            asked_count: 1,
            sent_count: 0,
            may_begin: answer.psn == answers[0].psn,
        };
        let msns = answers.iter().map(|a| a.msn).collect();
        let responses = answers.iter().map(response).collect();
        let first_psn = answers[0].psn;
        self.reads.push(Read { first_psn, responses, msns, is_excused: false });
    }

    /// A READ was asked for again. What was asked for behind it is given up.
    pub fn repeated(&mut self, answers: &[Answer]) {
        let psn = answers[0].psn;
        let Some(at) = self.reads.iter().rposition(|r| r.index_of(psn).is_some()) else { return };
        self.reads[at..].iter_mut().for_each(|r| r.is_excused = true);
        let read = &mut self.reads[at];
        read.msns.extend(answers.iter().map(|a| a.msn));
        for answer in answers {
            let Some(index) = read.index_of(answer.psn) else { return };
            let response = &mut read.responses[index];
            response.asked_count += 1;
            response.may_begin |= answer.psn == psn;
        }
    }

    /// A response has come out.
    pub fn response(&mut self, answer: &Answer) -> Result<(), Wrong> {
        let wrong = || Wrong::Unexpected(answer.clone());
        let at = self.reads.iter().rposition(|r| r.index_of(answer.psn).is_some());
        let read = &mut self.reads[at.ok_or_else(wrong)?];
        let index = read.index_of(answer.psn).ok_or_else(wrong)?;
        let response = &mut read.responses[index];
        let due = &response.answer;
        let has_msn = answer.opcode != opcode::READ_RESPONSE_MIDDLE;
        let is_true = answer.opcode == due.opcode
            && answer.syndrome == due.syndrome
            && answer.payload == due.payload
            && if has_msn { read.msns.contains(&answer.msn) } else { answer.msn == 0 };
        let follows = self.last_psn == Some(psn_add(answer.psn, PSN_MASK));
        let is_due = response.sent_count < response.asked_count;
        if !is_true || !is_due || !(follows || response.may_begin) {
            return Err(wrong());
        }
        response.sent_count += 1;
        self.last_psn = Some(answer.psn);
        self.count += 1;
        Ok(())
    }

    /// An answer to what came behind `psn` has come out: it must not overtake responses.
    pub fn answered(&self, psn: u32, answer: &Answer) -> Result<(), Wrong> {
        let before = self.reads.iter().filter(|r| psn_distance(r.last_psn(), psn) <= 0);
        match missing(before).is_empty() {
            true => Ok(()),
            false => Err(Wrong::Overtakes(answer.clone())),
        }
    }

    /// Responses that never came.
    pub fn missing(&self) -> Vec<Answer> {
        missing(self.reads.iter())
    }
}

fn missing<'a>(reads: impl Iterator<Item = &'a Read>) -> Vec<Answer> {
    let reads = reads.filter(|r| !r.is_excused);
    let responses = reads.flat_map(|r| &r.responses).filter(|r| r.sent_count == 0);
    responses.map(|r| r.answer.clone()).collect()
}
