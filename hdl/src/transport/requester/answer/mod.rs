//! What the requester does with an answer.

pub mod ack;
pub mod feedback;
pub mod next;
pub mod response;
pub mod verdict;
