//! Twin of `hdl/src/transport/requester/answers.rs`: answers that wait for an engine.

use super::answer::OPCODE_ACK;
use super::flow::psn_reaches;
use crate::golden::util::fifo::LutFifo;
use crate::streams::Answer;

/// Answers that wait behind the one at the source, the last one excepted.
const ANSWERS: usize = 16;

/// Waiting answers.
#[derive(Clone, Debug)]
pub struct Answers {
    fifo: LutFifo<Answer>,
    /// The last one, behind those of the FIFO.
    last: Option<Answer>,
    /// An ACK has given way.
    pub has_merged: bool,
}

/// Whether the newer of two answers tells all that the older one does.
fn replaces(newer: &Answer, older: &Answer) -> bool {
    let is_ack = |a: &Answer| a.opcode == OPCODE_ACK && a.syndrome >> 5 == 0;
    is_ack(newer)
        && is_ack(older)
        && (newer.qpn, newer.src_ip) == (older.qpn, older.src_ip)
        && (newer.tel.valid || !older.tel.valid)
        && psn_reaches(newer.psn, older.psn)
}

impl Answers {
    pub fn new() -> Self {
        Self { fifo: LutFifo::new(ANSWERS), last: None, has_merged: false }
    }

    pub fn reset(&mut self) {
        self.fifo.step(true, None, false);
        (self.last, self.has_merged) = (None, false);
    }

    /// Room for two more.
    pub fn s_ready(&self) -> bool {
        self.fifo.count() + 2 <= ANSWERS
    }

    pub fn m_valid(&self) -> bool {
        self.fifo.m_valid()
    }

    pub fn m_data(&self) -> Answer {
        self.fifo.m_data()
    }

    /// One clock edge; `comes` is taken.
    pub fn step(&mut self, comes: Option<Answer>, is_ready: bool) {
        let is_empty = self.fifo.count() == 0;
        self.has_merged = false;
        let pushed = match (self.last, comes) {
            (Some(older), Some(newer)) if !is_empty && replaces(&newer, &older) => {
                (self.last, self.has_merged) = (comes, true);
                None
            }
            (None, _) if is_empty => comes,
            (Some(_), None) if !is_empty => None,
            (last, _) => {
                self.last = comes;
                last
            }
        };
        self.fifo.step(false, pushed, is_ready);
    }
}
