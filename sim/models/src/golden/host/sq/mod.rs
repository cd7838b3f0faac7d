//! Twin of the submission queues.

pub mod fetch;
