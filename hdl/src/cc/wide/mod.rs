//! One event a cycle.

pub mod flight;
pub mod intake;
pub mod lane;
pub mod unit;
pub mod worst;
