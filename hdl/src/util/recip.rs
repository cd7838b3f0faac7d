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
//! # Twins             sim/src/golden/util/recip.rs, tests/recip.rs

use super::mul_pipe::MulPipe;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;
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
#[derive(LogicBlock, Default)]
pub struct RecipTable {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Segment.
    pub index: Signal<In, Bits<9>>,
    /// Its row, one cycle later.
    pub row: Signal<Out, Bits<34>>,
}

impl Logic for RecipTable {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let (start, fall) = segment(self.index.val().to_u64());
            self.row.next = (start << 13 | fall).into();
        }
    }

    fn connect(&mut self) {
        self.row.connect();
    }

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
#[derive(LogicBlock)]
pub struct Recip<const N: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    by_16: DFF<Bits<64>>,
    by_4: DFF<Bits<64>>,
    fraction_3: DFF<Bits<22>>,
    exponent_1: DFF<Bits<6>>,
    exponent_2: DFF<Bits<6>>,
    exponent_3: DFF<Bits<6>>,
    exponent_4: DFF<Bits<6>>,
    exponent_5: DFF<Bits<6>>,
    exponent_6: DFF<Bits<6>>,
    exponent_7: DFF<Bits<6>>,
    zero_1: DFF<Bit>,
    zero_2: DFF<Bit>,
    zero_3: DFF<Bit>,
    zero_4: DFF<Bit>,
    zero_5: DFF<Bit>,
    zero_6: DFF<Bit>,
    zero_7: DFF<Bit>,
    position_4: DFF<Bits<13>>,
    position_5: DFF<Bits<13>>,
    row_5: DFF<Bits<34>>,
    start_6: DFF<Bits<22>>,
    mantissa_7: DFF<Bits<22>>,
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
    none: Constant<Bits<64>>,
    top_bit: Constant<Bits<22>>,
    saturated: Constant<Bits<22>>,
}

impl<const N: usize> Default for Recip<N> {
    fn default() -> Self {
        assert!((2..=64).contains(&N), "N in 2..=64");
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            x: Default::default(),
            mantissa: Default::default(),
            exponent: Default::default(),
            zero: Default::default(),
            curve: Default::default(),
            multiplier: Default::default(),
            by_16: Default::default(),
            by_4: Default::default(),
            fraction_3: Default::default(),
            exponent_1: Default::default(),
            exponent_2: Default::default(),
            exponent_3: Default::default(),
            exponent_4: Default::default(),
            exponent_5: Default::default(),
            exponent_6: Default::default(),
            exponent_7: Default::default(),
            zero_1: Default::default(),
            zero_2: Default::default(),
            zero_3: Default::default(),
            zero_4: Default::default(),
            zero_5: Default::default(),
            zero_6: Default::default(),
            zero_7: Default::default(),
            position_4: Default::default(),
            position_5: Default::default(),
            row_5: Default::default(),
            start_6: Default::default(),
            mantissa_7: Default::default(),
            wide: Default::default(),
            sixteen_3: Default::default(),
            sixteen_2: Default::default(),
            sixteen_1: Default::default(),
            four_3: Default::default(),
            four_2: Default::default(),
            four_1: Default::default(),
            exponent_2_part: Default::default(),
            exponent_3_part: Default::default(),
            by_1: Default::default(),
            start: Default::default(),
            drop: Default::default(),
            none: Constant::new(0.into()),
            top_bit: Constant::new((1 << (MANTISSA_BITS - 1)).into()),
            saturated: Constant::new(((1 << MANTISSA_BITS) - 1).into()),
        }
    }
}

impl<const N: usize> Logic for Recip<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, by_16, by_4, fraction_3, exponent_1, exponent_2, exponent_3, exponent_4,
            exponent_5, exponent_6, exponent_7, zero_1, zero_2, zero_3, zero_4, zero_5, zero_6,
            zero_7, position_4, position_5, row_5, start_6, mantissa_7
        );
        self.curve.clock.next = self.clock.val();
        self.multiplier.clock.next = self.clock.val();
        self.multiplier.reset.next = self.reset.val();
        self.mantissa.next = self.mantissa_7.q.val();
        self.exponent.next = self.exponent_7.q.val();
        self.zero.next = self.zero_7.q.val();
        comment!("1: the highest 16 bits that are not 0 go to the top.");
        self.wide.next = bit_cast::<64, N>(self.x.val());
        self.zero_1.d.next = self.wide.val() == self.none.val();
        self.sixteen_3.next = self.wide.val().get_bits::<16>(48);
        self.sixteen_2.next = self.wide.val().get_bits::<16>(32);
        self.sixteen_1.next = self.wide.val().get_bits::<16>(16);
        if self.sixteen_3.val().any() {
            self.by_16.d.next = self.wide.val();
            self.exponent_1.d.next = 48.into();
        } else if self.sixteen_2.val().any() {
            self.by_16.d.next = self.wide.val() << 16;
            self.exponent_1.d.next = 32.into();
        } else if self.sixteen_1.val().any() {
            self.by_16.d.next = self.wide.val() << 32;
            self.exponent_1.d.next = 16.into();
        } else {
            self.by_16.d.next = self.wide.val() << 48;
            self.exponent_1.d.next = 0.into();
        }
        comment!("2: the same by 4 bits.");
        self.four_3.next = self.by_16.q.val().get_bits::<4>(60);
        self.four_2.next = self.by_16.q.val().get_bits::<4>(56);
        self.four_1.next = self.by_16.q.val().get_bits::<4>(52);
        if self.four_3.val().any() {
            self.by_4.d.next = self.by_16.q.val();
            self.exponent_2_part.next = 12.into();
        } else if self.four_2.val().any() {
            self.by_4.d.next = self.by_16.q.val() << 4;
            self.exponent_2_part.next = 8.into();
        } else if self.four_1.val().any() {
            self.by_4.d.next = self.by_16.q.val() << 8;
            self.exponent_2_part.next = 4.into();
        } else {
            self.by_4.d.next = self.by_16.q.val() << 12;
            self.exponent_2_part.next = 0.into();
        }
        self.exponent_2.d.next = self.exponent_1.q.val() | self.exponent_2_part.val();
        self.zero_2.d.next = self.zero_1.q.val();
        comment!("3: the same by single bits; the top bit is now 1 and drops out.");
        if self.by_4.q.val().get_bit(63) {
            self.by_1.next = self.by_4.q.val();
            self.exponent_3_part.next = 3.into();
        } else if self.by_4.q.val().get_bit(62) {
            self.by_1.next = self.by_4.q.val() << 1;
            self.exponent_3_part.next = 2.into();
        } else if self.by_4.q.val().get_bit(61) {
            self.by_1.next = self.by_4.q.val() << 2;
            self.exponent_3_part.next = 1.into();
        } else {
            self.by_1.next = self.by_4.q.val() << 3;
            self.exponent_3_part.next = 0.into();
        }
        self.fraction_3.d.next = self.by_1.val().get_bits::<22>(41);
        self.exponent_3.d.next = self.exponent_2.q.val() | self.exponent_3_part.val();
        self.zero_3.d.next = self.zero_2.q.val();
        comment!("4 and 5: the segment of the curve, through two registers.");
        self.curve.index.next = self.fraction_3.q.val().get_bits::<9>(13);
        self.position_4.d.next = self.fraction_3.q.val().get_bits::<13>(0);
        self.exponent_4.d.next = self.exponent_3.q.val();
        self.zero_4.d.next = self.zero_3.q.val();
        self.row_5.d.next = self.curve.row.val();
        self.position_5.d.next = self.position_4.q.val();
        self.exponent_5.d.next = self.exponent_4.q.val();
        self.zero_5.d.next = self.zero_4.q.val();
        comment!("6: the fall from the segment's start to the position in it.");
        self.multiplier.a.next = self.row_5.q.val().get_bits::<13>(0);
        self.multiplier.b.next = self.position_5.q.val();
        self.start.next = bit_cast::<22, 21>(self.row_5.q.val().get_bits::<21>(13));
        self.start_6.d.next = self.start.val() | self.top_bit.val();
        self.exponent_6.d.next = self.exponent_5.q.val();
        self.zero_6.d.next = self.zero_5.q.val();
        comment!("7: the mantissa.");
        self.drop.next = bit_cast::<22, 13>(self.multiplier.p.val().get_bits::<13>(13));
        self.mantissa_7.d.next = self.start_6.q.val() - self.drop.val();
        self.exponent_7.d.next = self.exponent_6.q.val();
        self.zero_7.d.next = self.zero_6.q.val();
        if self.zero_6.q.val() {
            self.mantissa_7.d.next = self.saturated.val();
            self.exponent_7.d.next = 0.into();
        }
        if self.reset.val() {
            self.exponent_7.d.next = 0.into();
            self.zero_1.d.next = true;
            self.zero_2.d.next = true;
            self.zero_3.d.next = true;
            self.zero_4.d.next = true;
            self.zero_5.d.next = true;
            self.zero_6.d.next = true;
            self.zero_7.d.next = true;
            self.mantissa_7.d.next = 0x3f_ffff.into();
        }
    }
}
