//! IPv4 header checksum of the packets that pass.
//!
//! # Source            RFC 791, RFC 1071: the one's complement sum of the words is all ones
//! # Interface timing  cycle 0: the packet's third beat; cycle 5: ok, until cycle 3 after the first
//!                     beat of the next packet
//! # Latency and rate  [`LATENCY_CYCLES`]; one beat per cycle, no ready
//! # Number formats    sum | UQ20.0 | words | at most 10 x 65535
//! # Reset             synchronous, high: between packets
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from the third beat to `ok`.
pub const LATENCY_CYCLES: usize = 5;

/// Checksum stage of the 64-bit rx pipe. The order of bytes in a word does not matter to it.
#[block]
pub struct RxChecksum {
    /// A beat of the packet.
    pub s_valid: Signal<In, Bit>,
    /// Its bytes.
    pub s_data: Signal<In, Bits<64>>,
    /// The frame is over.
    pub s_end: Signal<In, Bit>,
    /// The checksum is right.
    pub ok: Signal<Out, Bit>,
    beat: Reg<Bits<2>>,
    pair_valid: Reg<Bit>,
    pair_first: Unreset<Bit>,
    pair_low: Unreset<Bits<17>>,
    pair_high: Unreset<Bits<17>>,
    beat_valid: Reg<Bit>,
    beat_first: Unreset<Bit>,
    beat_sum: Unreset<Bits<20>>,
    sum: Unreset<Bits<20>>,
    fold: Unreset<Bits<17>>,
    sum_ok: Unreset<Bit>,
    word_0: Signal<Local, Bits<17>>,
    word_1: Signal<Local, Bits<17>>,
    word_2: Signal<Local, Bits<17>>,
    word_3: Signal<Local, Bits<17>>,
    low_wide: Signal<Local, Bits<20>>,
    high_wide: Signal<Local, Bits<20>>,
    sum_part: Signal<Local, Bits<17>>,
    carry_part: Signal<Local, Bits<17>>,
}

impl Logic for RxChecksum {
    #[hdl_gen]
    fn update(&mut self) {
        self.ok.next = self.sum_ok.val();
        comment!("The header is the first two beats and half of the third.");
        if self.s_valid.val() & (self.beat.val() != 3) {
            self.beat.next = self.beat.val() + 1;
        }
        if self.s_end.val() {
            self.beat.next = 0.into();
        }
        self.word_0.next = bit_cast::<17, 16>(self.s_data.val().get_bits::<16>(0));
        self.word_1.next = bit_cast::<17, 16>(self.s_data.val().get_bits::<16>(16));
        self.word_2.next = bit_cast::<17, 16>(self.s_data.val().get_bits::<16>(32));
        self.word_3.next = bit_cast::<17, 16>(self.s_data.val().get_bits::<16>(48));
        self.pair_valid.next = self.s_valid.val() & (self.beat.val() != 3);
        self.pair_first.next = self.beat.val() == 0;
        self.pair_low.next = self.word_0.val() + self.word_1.val();
        self.pair_high.next = self.word_2.val() + self.word_3.val();
        if self.beat.val() == 2 {
            self.pair_high.next = 0.into();
        }
        self.low_wide.next = bit_cast::<20, 17>(self.pair_low.val());
        self.high_wide.next = bit_cast::<20, 17>(self.pair_high.val());
        self.beat_valid.next = self.pair_valid.val();
        self.beat_first.next = self.pair_first.val();
        self.beat_sum.next = self.low_wide.val() + self.high_wide.val();
        if self.beat_valid.val() {
            self.sum.next = self.sum.val() + self.beat_sum.val();
            if self.beat_first.val() {
                self.sum.next = self.beat_sum.val();
            }
        }
        comment!("One end-around carry is enough: it is at most 9.");
        self.sum_part.next = bit_cast::<17, 16>(self.sum.val().get_bits::<16>(0));
        self.carry_part.next = bit_cast::<17, 4>(self.sum.val().get_bits::<4>(16));
        self.fold.next = self.sum_part.val() + self.carry_part.val();
        self.sum_ok.next = self.fold.val() == 0xffff;
    }
}
