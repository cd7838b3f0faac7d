//! Telemetry responses: what comes in and what goes out.

pub mod due;
pub mod flows;
pub mod held;
pub mod input;
pub mod judge;
pub mod output;
