//! Reciprocal of an unsigned integer by normalising, look-up and linear interpolation.
//!
//! # Source            chords of 1/f over 512 segments of f in [1, 2), lowered by half of their
//!                     greatest distance from the curve
//! # Interface timing  cycle 0: x; cycle [`LATENCY_CYCLES`]: mantissa, exponent, zero
//! # Latency and rate  [`LATENCY_CYCLES`]; one per cycle. No valid: the user delays its own
//! # Number formats    x        | UQN.0  | 0..=2^N-1, N <= 64
//!                     mantissa | UQ0.22 | top bit always set, in (2^-1, 1)
//!                     exponent | UQ6.0  | floor(log2 x)
//!                     1/x = mantissa * 2^-exponent, relative error below 2^-18 (proved over all
//!                     2^22 table arguments by recip_error_is_below_2_pow_minus_18), so
//!                     floor(a * mantissa >> (22 + exponent)) is a / x to one part in 2^18, less
//!                     the floor. x = 0: zero = 1, mantissa = 2^22 - 1, exponent = 0
//! # Reset             synchronous, high: every stage as for x = 0
//! # Twins             sim/models/src/golden/util/recip.rs, tests/util/recip.rs

use crate::util::mul_pipe::MulPipe;
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;
use std::fmt::Write;

/// Cycles from `x` to its reciprocal.
pub const LATENCY_CYCLES: usize = 6;
/// Fraction bits of the mantissa.
pub const MANTISSA_BITS: usize = 22;
const SEGMENT_COUNT: u64 = 512;

/// Start of segment `i` less 2^21 (its top bit), and its fall over the segment, in 2^-22.
fn segment(i: u64) -> (u64, u64) {
    let node = |n: u64| (SEGMENT_COUNT << MANTISSA_BITS) / (SEGMENT_COUNT + n);
    let half_sagitta = (2 * SEGMENT_COUNT.pow(3)) / (SEGMENT_COUNT + i).pow(3);
    (node(i) - half_sagitta - (1 << (MANTISSA_BITS - 1)), node(i) - node(i + 1))
}

/// Block ROM of the 512 segments: `{start[20:0], fall[12:0]}`, registered output.
#[block(no_reset)]
pub struct RecipTable {
    /// Segment.
    pub index: Signal<In, Bits<9>>,
    /// Its row, one cycle later.
    pub row: Signal<Out, Bits<34>>,
}

impl Logic for RecipTable {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        let mut text = String::from(
            "// {start of the segment without its top bit, fall over the segment}, in 2^-22\n\
             (* rom_style = \"block\" *)\nreg [33:0] rom [0:511];\n\ninitial begin\n",
        );
        for i in 0..SEGMENT_COUNT {
            let (start, fall) = segment(i);
            let _ = writeln!(text, "    rom[{i}] = {{21'd{start}, 13'd{fall}}};");
        }
        text += "end\n\nalways @(posedge clock) row <= rom[index];\n";
        Verilog::Custom(text)
    }
}

/// Reciprocal of `N` bits.
#[block(check((2..=64).contains(&N)))]
pub struct Recip<const N: usize> {
    /// Argument.
    pub x: Signal<In, Bits<N>>,
    /// UQ0.22, top bit set.
    pub mantissa: Signal<Out, Bits<22>>,
    /// floor(log2 x).
    pub exponent: Signal<Out, Bits<6>>,
    /// x was 0.
    pub zero: Signal<Out, Bit>,
    curve: RecipTable,
    multiplier: MulPipe<13, 13, 26>,
    by_8: Unreset<Bits<64>>,
    fraction_2: Unreset<Bits<22>>,
    exponent_1: Unreset<Bits<6>>,
    exponent_2: Unreset<Bits<6>>,
    exponent_3: Unreset<Bits<6>>,
    exponent_4: Unreset<Bits<6>>,
    exponent_5: Unreset<Bits<6>>,
    exponent_6: Reg<Bits<6>>,
    #[reset(true)]
    zero_1: Reg<Bit>,
    #[reset(true)]
    zero_2: Reg<Bit>,
    #[reset(true)]
    zero_3: Reg<Bit>,
    #[reset(true)]
    zero_4: Reg<Bit>,
    #[reset(true)]
    zero_5: Reg<Bit>,
    #[reset(true)]
    zero_6: Reg<Bit>,
    position_3: Unreset<Bits<13>>,
    position_4: Unreset<Bits<13>>,
    row_4: Unreset<Bits<34>>,
    start_5: Unreset<Bits<22>>,
    #[reset(0x3f_ffff)]
    mantissa_6: Reg<Bits<22>>,
    wide: Signal<Local, Bits<64>>,
    bytes: [Signal<Local, Bits<8>>; 8],
    top_byte: Signal<Local, Bits<6>>,
    byte_shift: Signal<Local, Bits<6>>,
    top_place: Signal<Local, Bits<6>>,
    place_shift: Signal<Local, Bits<6>>,
    by_1: Signal<Local, Bits<64>>,
    start: Signal<Local, Bits<22>>,
    drop: Signal<Local, Bits<22>>,
    #[value(0)]
    none: Constant<Bits<64>>,
    #[value(56)]
    all_bytes: Constant<Bits<6>>,
    #[value(7)]
    all_places: Constant<Bits<6>>,
    #[value(1 << (MANTISSA_BITS - 1))]
    top_bit: Constant<Bits<22>>,
    #[value((1 << MANTISSA_BITS) - 1)]
    saturated: Constant<Bits<22>>,
}

impl<const N: usize> Logic for Recip<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.mantissa.next = self.mantissa_6.val();
        self.exponent.next = self.exponent_6.val();
        self.zero.next = self.zero_6.val();
        comment!("1: the highest byte that is not 0 goes to the top.");
        self.wide.next = bit_cast::<64, N>(self.x.val());
        self.zero_1.next = self.wide.val() == self.none.val();
        for i in 0..8 {
            self.bytes[i].next = self.wide.val().get_bits::<8>(8 * i);
        }
        self.top_byte.next = 0.into();
        for i in 1..8 {
            if self.bytes[i].val().any() {
                self.top_byte.next = i.to_bits::<6>() << 3;
            }
        }
        self.byte_shift.next = self.top_byte.val() ^ self.all_bytes.val();
        self.by_8.next = self.wide.val() << self.byte_shift.val();
        self.exponent_1.next = self.top_byte.val();
        comment!("2: the highest bit; it is now 1 and drops out.");
        self.top_place.next = 0.into();
        for i in 1..8 {
            if self.by_8.val().get_bit(56 + i) {
                self.top_place.next = i.to_bits::<6>();
            }
        }
        self.place_shift.next = self.top_place.val() ^ self.all_places.val();
        self.by_1.next = self.by_8.val() << self.place_shift.val();
        self.fraction_2.next = self.by_1.val().get_bits::<22>(41);
        self.exponent_2.next = self.exponent_1.val() | self.top_place.val();
        self.zero_2.next = self.zero_1.val();
        comment!("3 and 4: the segment of the curve, through two registers.");
        self.curve.index.next = self.fraction_2.val().get_bits::<9>(13);
        self.position_3.next = self.fraction_2.val().get_bits::<13>(0);
        self.exponent_3.next = self.exponent_2.val();
        self.zero_3.next = self.zero_2.val();
        self.row_4.next = self.curve.row.val();
        self.position_4.next = self.position_3.val();
        self.exponent_4.next = self.exponent_3.val();
        self.zero_4.next = self.zero_3.val();
        comment!("5: the fall from the segment's start to the position in it.");
        self.multiplier.a.next = self.row_4.val().get_bits::<13>(0);
        self.multiplier.b.next = self.position_4.val();
        self.start.next = bit_cast::<22, 21>(self.row_4.val().get_bits::<21>(13));
        self.start_5.next = self.start.val() | self.top_bit.val();
        self.exponent_5.next = self.exponent_4.val();
        self.zero_5.next = self.zero_4.val();
        comment!("6: the mantissa.");
        self.drop.next = bit_cast::<22, 13>(self.multiplier.p.val().get_bits::<13>(13));
        self.mantissa_6.next = self.start_5.val() - self.drop.val();
        self.exponent_6.next = self.exponent_5.val();
        self.zero_6.next = self.zero_5.val();
        if self.zero_5.val() {
            self.mantissa_6.next = self.saturated.val();
            self.exponent_6.next = 0.into();
        }
    }
}
