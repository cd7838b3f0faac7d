//! Replays one side of a captured conversation.

pub mod conversation;
