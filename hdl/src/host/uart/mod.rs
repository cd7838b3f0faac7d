//! A serial port (8N1) and frames on it, for boards whose host is at a UART.

pub mod deframer;
pub mod fcs;
pub mod framer;
pub mod rx;
pub mod tx;

use crate::row;
use rust_hdl_core::prelude::*;

/// What frames are made of: their bytes, and then their end.
#[row]
pub struct FrameItem {
    /// A byte of the frame; means nothing at the end.
    pub data: Bits<8>,
    /// The frame ends.
    pub last: Bit,
    /// It ends whole: its checksum is right. A source of frames to be sent leaves it 0.
    pub good: Bit,
}

/// How far a UART's phase moves in a cycle: 2^16 is a bit.
pub const fn step(baud: u64, clock_hz: u64) -> u64 {
    ((baud << 16) + clock_hz / 2) / clock_hz
}
