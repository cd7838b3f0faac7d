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
pub const LATENCY_CYCLES: usize = 7;
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
    by_16: Unreset<Bits<64>>,
    by_4: Unreset<Bits<64>>,
    fraction_3: Unreset<Bits<22>>,
    exponent_1: Unreset<Bits<6>>,
    exponent_2: Unreset<Bits<6>>,
    exponent_3: Unreset<Bits<6>>,
    exponent_4: Unreset<Bits<6>>,
    exponent_5: Unreset<Bits<6>>,
    exponent_6: Unreset<Bits<6>>,
    exponent_7: Reg<Bits<6>>,
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
    #[reset(true)]
    zero_7: Reg<Bit>,
    position_4: Unreset<Bits<13>>,
    position_5: Unreset<Bits<13>>,
    row_5: Unreset<Bits<34>>,
    start_6: Unreset<Bits<22>>,
    #[reset(0x3f_ffff)]
    mantissa_7: Reg<Bits<22>>,
    wide: Signal<Local, Bits<64>>,
    sixteen_3: Signal<Local, Bits<16>>,
    sixteen_2: Signal<Local, Bits<16>>,
    sixteen_1: Signal<Local, Bits<16>>,
    four_3: Signal<Local, Bits<4>>,
    four_2: Signal<Local, Bits<4>>,
    four_1: Signal<Local, Bits<4>>,
    exponent_2_part: Signal<Local, Bits<6>>,
    exponent_3_part: Signal<Local, Bits<6>>,
    by_1: Signal<Local, Bits<64>>,
    start: Signal<Local, Bits<22>>,
    drop: Signal<Local, Bits<22>>,
    #[value(0)]
    none: Constant<Bits<64>>,
    #[value(1 << (MANTISSA_BITS - 1))]
    top_bit: Constant<Bits<22>>,
    #[value((1 << MANTISSA_BITS) - 1)]
    saturated: Constant<Bits<22>>,
}

impl<const N: usize> Logic for Recip<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.mantissa.next = self.mantissa_7.val();
        self.exponent.next = self.exponent_7.val();
        self.zero.next = self.zero_7.val();
        comment!("1: the highest 16 bits that are not 0 go to the top.");
        self.wide.next = bit_cast::<64, N>(self.x.val());
        self.zero_1.next = self.wide.val() == self.none.val();
        self.sixteen_3.next = self.wide.val().get_bits::<16>(48);
        self.sixteen_2.next = self.wide.val().get_bits::<16>(32);
        self.sixteen_1.next = self.wide.val().get_bits::<16>(16);
        if self.sixteen_3.val().any() {
            self.by_16.next = self.wide.val();
            self.exponent_1.next = 48.into();
        } else if self.sixteen_2.val().any() {
            self.by_16.next = self.wide.val() << 16;
            self.exponent_1.next = 32.into();
        } else if self.sixteen_1.val().any() {
            self.by_16.next = self.wide.val() << 32;
            self.exponent_1.next = 16.into();
        } else {
            self.by_16.next = self.wide.val() << 48;
            self.exponent_1.next = 0.into();
        }
        comment!("2: the same by 4 bits.");
        self.four_3.next = self.by_16.val().get_bits::<4>(60);
        self.four_2.next = self.by_16.val().get_bits::<4>(56);
        self.four_1.next = self.by_16.val().get_bits::<4>(52);
        if self.four_3.val().any() {
            self.by_4.next = self.by_16.val();
            self.exponent_2_part.next = 12.into();
        } else if self.four_2.val().any() {
            self.by_4.next = self.by_16.val() << 4;
            self.exponent_2_part.next = 8.into();
        } else if self.four_1.val().any() {
            self.by_4.next = self.by_16.val() << 8;
            self.exponent_2_part.next = 4.into();
        } else {
            self.by_4.next = self.by_16.val() << 12;
            self.exponent_2_part.next = 0.into();
        }
        self.exponent_2.next = self.exponent_1.val() | self.exponent_2_part.val();
        self.zero_2.next = self.zero_1.val();
        comment!("3: the same by single bits; the top bit is now 1 and drops out.");
        if self.by_4.val().get_bit(63) {
            self.by_1.next = self.by_4.val();
            self.exponent_3_part.next = 3.into();
        } else if self.by_4.val().get_bit(62) {
            self.by_1.next = self.by_4.val() << 1;
            self.exponent_3_part.next = 2.into();
        } else if self.by_4.val().get_bit(61) {
            self.by_1.next = self.by_4.val() << 2;
            self.exponent_3_part.next = 1.into();
        } else {
            self.by_1.next = self.by_4.val() << 3;
            self.exponent_3_part.next = 0.into();
        }
        self.fraction_3.next = self.by_1.val().get_bits::<22>(41);
        self.exponent_3.next = self.exponent_2.val() | self.exponent_3_part.val();
        self.zero_3.next = self.zero_2.val();
        comment!("4 and 5: the segment of the curve, through two registers.");
        self.curve.index.next = self.fraction_3.val().get_bits::<9>(13);
        self.position_4.next = self.fraction_3.val().get_bits::<13>(0);
        self.exponent_4.next = self.exponent_3.val();
        self.zero_4.next = self.zero_3.val();
        self.row_5.next = self.curve.row.val();
        self.position_5.next = self.position_4.val();
        self.exponent_5.next = self.exponent_4.val();
        self.zero_5.next = self.zero_4.val();
        comment!("6: the fall from the segment's start to the position in it.");
        self.multiplier.a.next = self.row_5.val().get_bits::<13>(0);
        self.multiplier.b.next = self.position_5.val();
        self.start.next = bit_cast::<22, 21>(self.row_5.val().get_bits::<21>(13));
        self.start_6.next = self.start.val() | self.top_bit.val();
        self.exponent_6.next = self.exponent_5.val();
        self.zero_6.next = self.zero_5.val();
        comment!("7: the mantissa.");
        self.drop.next = bit_cast::<22, 13>(self.multiplier.p.val().get_bits::<13>(13));
        self.mantissa_7.next = self.start_6.val() - self.drop.val();
        self.exponent_7.next = self.exponent_6.val();
        self.zero_7.next = self.zero_6.val();
        if self.zero_6.val() {
            self.mantissa_7.next = self.saturated.val();
            self.exponent_7.next = 0.into();
        }
    }
}
