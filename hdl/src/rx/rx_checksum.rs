//! IPv4 header checksum of the packets that pass.
//!
//! # Source            RFC 791, RFC 1071: the one's complement sum of the words is all ones
//! # Interface timing  cycle 0: the packet's third beat; cycle 5: ok, until cycle 3 after the first
//!                     beat of the next packet
//! # Latency and rate  [`LATENCY_CYCLES`]; one beat per cycle, no ready
//! # Number formats    sum | UQ20.0 | words | at most 10 x 65535
//! # Reset             synchronous, high: between packets
//! # Twins             part of sim/src/golden/rx/rx_pipe.rs, tests/rx_pipe.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from the third beat to `ok`.
pub const LATENCY_CYCLES: usize = 5;

/// Checksum stage of the 64-bit rx pipe. The order of bytes in a word does not matter to it.
#[derive(LogicBlock, Default)]
pub struct RxChecksum {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// A beat of the packet.
    pub s_valid: Signal<In, Bit>,
    /// Its bytes.
    pub s_data: Signal<In, Bits<64>>,
    /// The frame is over.
    pub s_end: Signal<In, Bit>,
    /// The checksum is right.
    pub ok: Signal<Out, Bit>,
    beat: DFF<Bits<2>>,
    pair_valid: DFF<Bit>,
    pair_first: DFF<Bit>,
    pair_low: DFF<Bits<17>>,
    pair_high: DFF<Bits<17>>,
    beat_valid: DFF<Bit>,
    beat_first: DFF<Bit>,
    beat_sum: DFF<Bits<20>>,
    sum: DFF<Bits<20>>,
    fold: DFF<Bits<17>>,
    sum_ok: DFF<Bit>,
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
        dff_setup!(
            self, clock, beat, pair_valid, pair_first, pair_low, pair_high, beat_valid, beat_first,
            beat_sum, sum, fold, sum_ok
        );
        self.ok.next = self.sum_ok.q.val();
        comment!("The header is the first two beats and half of the third.");
        if self.s_valid.val() & (self.beat.q.val() != 3) {
            self.beat.d.next = self.beat.q.val() + 1;
        }
        if self.s_end.val() {
            self.beat.d.next = 0.into();
        }
        self.word_0.next = bit_cast::<17, 16>(self.s_data.val().get_bits::<16>(0));
        self.word_1.next = bit_cast::<17, 16>(self.s_data.val().get_bits::<16>(16));
        self.word_2.next = bit_cast::<17, 16>(self.s_data.val().get_bits::<16>(32));
        self.word_3.next = bit_cast::<17, 16>(self.s_data.val().get_bits::<16>(48));
        self.pair_valid.d.next = self.s_valid.val() & (self.beat.q.val() != 3);
        self.pair_first.d.next = self.beat.q.val() == 0;
        self.pair_low.d.next = self.word_0.val() + self.word_1.val();
        self.pair_high.d.next = self.word_2.val() + self.word_3.val();
        if self.beat.q.val() == 2 {
            self.pair_high.d.next = 0.into();
        }
        self.low_wide.next = bit_cast::<20, 17>(self.pair_low.q.val());
        self.high_wide.next = bit_cast::<20, 17>(self.pair_high.q.val());
        self.beat_valid.d.next = self.pair_valid.q.val();
        self.beat_first.d.next = self.pair_first.q.val();
        self.beat_sum.d.next = self.low_wide.val() + self.high_wide.val();
        if self.beat_valid.q.val() {
            self.sum.d.next = self.sum.q.val() + self.beat_sum.q.val();
            if self.beat_first.q.val() {
                self.sum.d.next = self.beat_sum.q.val();
            }
        }
        comment!("One end-around carry is enough: it is at most 9.");
        self.sum_part.next = bit_cast::<17, 16>(self.sum.q.val().get_bits::<16>(0));
        self.carry_part.next = bit_cast::<17, 4>(self.sum.q.val().get_bits::<4>(16));
        self.fold.d.next = self.sum_part.val() + self.carry_part.val();
        self.sum_ok.d.next = self.fold.q.val() == 0xffff;
        if self.reset.val() {
            self.beat.d.next = 0.into();
            self.pair_valid.d.next = false;
            self.beat_valid.d.next = false;
        }
    }
}
