//! What is wrong with an answer.

use crate::reference::rc::Answer;

/// An answer that the standard does not allow, or one that is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// ACK of a state that the connection is not in, and was not since the last ACK.
    Ack(Answer),
    /// NAK, READ response or atomic acknowledge that is not due.
    Unexpected(Answer),
    /// ACK or NAK of what came behind a READ, before the READ's responses.
    Overtakes(Answer),
    /// Answers that never came.
    Missing(Vec<Answer>),
    /// An ACK up to this PSN was asked for and never came.
    MissingAck(u32),
}

impl core::fmt::Display for Wrong {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let one = |a: &Answer| {
            format!("opcode {:#x} psn {} syndrome {:#x} msn {}", a.opcode, a.psn, a.syndrome, a.msn)
        };
        match self {
            Self::Ack(a) => write!(f, "ACK of a state that never was: {}", one(a)),
            Self::Unexpected(a) => write!(f, "not due: {}", one(a)),
            Self::Overtakes(a) => write!(f, "overtakes READ responses: {}", one(a)),
            Self::Missing(all) => write!(f, "{} missing, first {}", all.len(), one(&all[0])),
            Self::MissingAck(psn) => write!(f, "no ACK up to PSN {psn}"),
        }
    }
}

impl core::error::Error for Wrong {}
