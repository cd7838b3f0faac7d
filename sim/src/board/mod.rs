//! A board at a serial port: frames, the line, registers, and the congestion control core behind it.

pub mod cc;
mod frame;
mod line;
mod registers;

pub use frame::{Decoder, Frame};
pub use line::{Line, LineError};
pub use registers::{AccessError, Registers};
