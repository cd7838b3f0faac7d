//! IPv4 header checksum.
//!
//! # Source            RFC 791, RFC 1071: the one's complement sum of the words is all ones
//! # Interface timing  cycle 0: s_head; cycle [`LATENCY_CYCLES`]: ok
//! # Latency and rate  [`LATENCY_CYCLES`]; one header per cycle, no valid
//! # Number formats    sum | UQ20.0 | words | at most 10 x 65535
//! # Reset             none: follows its input
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from the header to `ok`.
pub const LATENCY_CYCLES: usize = 6;

/// Checksum stage of the rx pipe. The order of bytes in a word does not matter to it.
#[block(no_reset)]
pub struct RxChecksum {
    /// The packet's first bytes, byte 0 in bits 7:0.
    pub s_head: Signal<In, Bits<512>>,
    /// The checksum is right.
    pub ok: Signal<Out, Bit>,
    pairs: [Unreset<Bits<17>>; 5],
    low_four: Unreset<Bits<18>>,
    high_four: Unreset<Bits<18>>,
    two: Unreset<Bits<17>>,
    eight: Unreset<Bits<19>>,
    two_later: Unreset<Bits<17>>,
    sum: Unreset<Bits<20>>,
    fold: Unreset<Bits<17>>,
    sum_ok: Unreset<Bit>,
    words: [Signal<Local, Bits<17>>; 10],
    wide: [Signal<Local, Bits<18>>; 4],
    low_wide: Signal<Local, Bits<19>>,
    high_wide: Signal<Local, Bits<19>>,
    eight_wide: Signal<Local, Bits<20>>,
    two_wide: Signal<Local, Bits<20>>,
    sum_part: Signal<Local, Bits<17>>,
    carry_part: Signal<Local, Bits<17>>,
}

impl Logic for RxChecksum {
    #[hdl_gen]
    fn update(&mut self) {
        self.ok.next = self.sum_ok.val();
        self.words[0].next = bit_cast::<17, 16>(self.s_head.val().get_bits::<16>(0));
        self.words[1].next = bit_cast::<17, 16>(self.s_head.val().get_bits::<16>(16));
        self.words[2].next = bit_cast::<17, 16>(self.s_head.val().get_bits::<16>(32));
        self.words[3].next = bit_cast::<17, 16>(self.s_head.val().get_bits::<16>(48));
        self.words[4].next = bit_cast::<17, 16>(self.s_head.val().get_bits::<16>(64));
        self.words[5].next = bit_cast::<17, 16>(self.s_head.val().get_bits::<16>(80));
        self.words[6].next = bit_cast::<17, 16>(self.s_head.val().get_bits::<16>(96));
        self.words[7].next = bit_cast::<17, 16>(self.s_head.val().get_bits::<16>(112));
        self.words[8].next = bit_cast::<17, 16>(self.s_head.val().get_bits::<16>(128));
        self.words[9].next = bit_cast::<17, 16>(self.s_head.val().get_bits::<16>(144));
        for i in 0..5 {
            self.pairs[i].next = self.words[2 * i].val() + self.words[2 * i + 1].val();
        }
        self.wide[0].next = bit_cast::<18, 17>(self.pairs[0].val());
        self.wide[1].next = bit_cast::<18, 17>(self.pairs[1].val());
        self.wide[2].next = bit_cast::<18, 17>(self.pairs[2].val());
        self.wide[3].next = bit_cast::<18, 17>(self.pairs[3].val());
        self.low_four.next = self.wide[0].val() + self.wide[1].val();
        self.high_four.next = self.wide[2].val() + self.wide[3].val();
        self.two.next = self.pairs[4].val();
        self.low_wide.next = bit_cast::<19, 18>(self.low_four.val());
        self.high_wide.next = bit_cast::<19, 18>(self.high_four.val());
        self.eight.next = self.low_wide.val() + self.high_wide.val();
        self.two_later.next = self.two.val();
        self.eight_wide.next = bit_cast::<20, 19>(self.eight.val());
        self.two_wide.next = bit_cast::<20, 17>(self.two_later.val());
        self.sum.next = self.eight_wide.val() + self.two_wide.val();
        comment!("One end-around carry is enough: it is at most 9.");
        self.sum_part.next = bit_cast::<17, 16>(self.sum.val().get_bits::<16>(0));
        self.carry_part.next = bit_cast::<17, 4>(self.sum.val().get_bits::<4>(16));
        self.fold.next = self.sum_part.val() + self.carry_part.val();
        self.sum_ok.next = self.fold.val() == 0xffff;
    }
}
