//! Frame check sequence, a byte further: CRC-16/X-25.
//!
//! # Source            RFC 1662 appendix C.2, of which this is the table's closed form
//! # Latency and rate  0
//! # Twins             sim/models/src/golden/host/uart.rs, tests/host/uart.rs

use crate::block;
use nic_spec::serial;
use rust_hdl_core::prelude::*;

/// Before the first byte.
pub const START: u64 = serial::CHECK_START as u64;
/// Behind a frame with its check sequence, if that is right.
pub const GOOD: u64 = 0xf0b8;

/// One byte of the check sequence.
#[block(comb)]
pub struct UartFcs {
    /// Sequence so far.
    pub fcs: Signal<In, Bits<16>>,
    /// Next byte.
    pub data: Signal<In, Bits<8>>,
    /// Sequence with it.
    pub result: Signal<Out, Bits<16>>,
    mixed: Signal<Local, Bits<8>>,
    folded: Signal<Local, Bits<8>>,
    wide: Signal<Local, Bits<16>>,
}

impl Logic for UartFcs {
    #[hdl_gen]
    fn update(&mut self) {
        self.mixed.next = self.fcs.val().get_bits::<8>(0) ^ self.data.val();
        self.folded.next = (self.mixed.val() << 4) ^ self.mixed.val();
        self.wide.next = bit_cast::<16, 8>(self.folded.val());
        self.result.next = (((self.fcs.val() >> 8) ^ (self.wide.val() << 8))
            ^ (self.wide.val() << 3))
            ^ (self.wide.val() >> 4);
    }
}
