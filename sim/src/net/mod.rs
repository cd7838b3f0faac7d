//! Networks of NICs.

pub mod switch;
