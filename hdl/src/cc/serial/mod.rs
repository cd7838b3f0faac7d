//! One bit of a product a cycle.

pub mod control;
pub mod event;
pub mod exponent;
pub mod math;
pub mod params;
pub mod program;
pub mod result;
pub mod unit;
pub mod words;
