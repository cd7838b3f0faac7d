//! Twin of the unit that computes bit by bit.

pub mod unit;
