//! Completions and their ring in host memory.

pub mod index;
pub mod queue;
pub mod ring;
