//! A board at a serial port: frames, the line, and the congestion control core behind it.

pub mod cc;
mod frame;
mod line;

pub use frame::{Decoder, Frame};
pub use line::{Line, LineError};
