//! Twin of the unit that takes an ACK a cycle.

pub mod unit;
