//! Arithmetic of the serial schedule: an adder, and a sum that is shifted right.
//!
//! # Source            shift and add, one bit a cycle
//! # Interface timing  cycle 0: act; to, word; set_exponent; cycle 1: sum, factor, conditions
//! # Latency and rate  [`LATENCY_CYCLES`]; one act per cycle
//! # Number formats    sum 64 bits, with the factor of 32 bits below it; addend 64 bits
//! # Acts              1 multiply: the addend more if the factor's last bit is set, and all right by one
//!                     2 right by one; 3 right by eight
//!                     4 normalise: right until the sum is 1, or 0; how far counts in the exponent
//!                     5 right by the exponent, which counts down. 4 and 5 take eight bits a cycle while
//!                     they can, and rest when they are done
//!                     6 sum + addend; less = carry. 7 addend - sum; less = borrow. 8 sum = 0
//!                     9 sum = 0; of a normalised sum's fraction the 13 bits behind the segment
//!                     of the reciprocal (util/recip.rs) become the factor
//! # Reset             none: what runs first loads what it needs
//! # Twins             part of sim/models/src/golden/cc/serial/unit.rs, tests/cc/cc_unit_serial.rs

use crate::cc::serial::exponent::CcSerialExponent;
use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from an act to its result.
pub const LATENCY_CYCLES: usize = 1;

/// Adder, shifter, exponent.
#[block(no_reset)]
pub struct CcSerialMath {
    /// What happens, 0: nothing.
    pub act: Signal<In, Bits<4>>,
    /// [5:3] 1 addend, 2 sum, 3 factor takes `word`; of the former [0] the high half, [1] the low
    /// half, [2] the other half becomes 0.
    pub to: Signal<In, Bits<6>>,
    /// Word.
    pub word: Signal<In, Bits<32>>,
    /// What becomes of the exponent (cc_serial_exponent).
    pub set_exponent: Signal<In, Bits<3>>,
    /// log2 of multi.
    pub multi: Signal<In, Bits<3>>,
    /// Rate code of the hop.
    pub code: Signal<In, Bits<3>>,
    /// Exponent of a unit of utilisation.
    pub of_use: Signal<In, Bits<5>>,
    /// Sum.
    pub sum: Signal<Out, Bits<64>>,
    /// Factor, and what is below the sum.
    pub factor: Signal<Out, Bits<32>>,
    /// The sum's top bit is set; it is 0; less; its upper half is not 0.
    pub conditions: Signal<Out, Bits<4>>,
    exponent: CcSerialExponent,
    addend_high: Unreset<Bits<32>>,
    addend_low: Unreset<Bits<32>>,
    sum_high: Unreset<Bits<32>>,
    sum_low: Unreset<Bits<32>>,
    low: Unreset<Bits<32>>,
    less: Unreset<Bit>,
    now: Signal<Local, Bits<64>>,
    other: Signal<Local, Bits<64>>,
    left: Signal<Local, Bits<66>>,
    right: Signal<Local, Bits<66>>,
    total: Signal<Local, Bits<66>>,
    bits_9: Signal<Local, Bits<55>>,
    bits_1: Signal<Local, Bits<8>>,
    bytes_left: Signal<Local, Bits<3>>,
    by_8: Signal<Local, Bit>,
    by_1: Signal<Local, Bit>,
    after: Signal<Local, Bits<64>>,
    kind: Signal<Local, Bits<3>>,
    is_zero: Signal<Local, Bit>,
    flags: Signal<Local, Bits<4>>,
    #[value(1)]
    one: Constant<Bits<66>>,
    #[value(1)]
    act_multiply: Constant<Bits<4>>,
    #[value(2)]
    act_shift: Constant<Bits<4>>,
    #[value(3)]
    act_byte: Constant<Bits<4>>,
    #[value(4)]
    act_normalise: Constant<Bits<4>>,
    #[value(5)]
    act_exponent: Constant<Bits<4>>,
    #[value(6)]
    act_add: Constant<Bits<4>>,
    #[value(7)]
    act_subtract: Constant<Bits<4>>,
    #[value(8)]
    act_clear: Constant<Bits<4>>,
    #[value(9)]
    act_segment: Constant<Bits<4>>,
    #[value(1)]
    to_addend: Constant<Bits<3>>,
    #[value(2)]
    to_sum: Constant<Bits<3>>,
    #[value(3)]
    to_factor: Constant<Bits<3>>,
}

impl Logic for CcSerialMath {
    #[hdl_gen]
    fn update(&mut self) {
        self.now.next = bit_cast::<64, 32>(self.sum_low.val())
            | (bit_cast::<64, 32>(self.sum_high.val()) << 32);
        self.sum.next = self.now.val();
        self.factor.next = self.low.val();
        self.is_zero.next = !self.now.val().any();
        self.flags.next = 0.into();
        self.flags.next = self.flags.val().replace_bit(0, self.sum_high.val().get_bit(31));
        self.flags.next = self.flags.val().replace_bit(1, self.is_zero.val());
        self.flags.next = self.flags.val().replace_bit(2, self.less.val());
        self.flags.next = self.flags.val().replace_bit(3, self.sum_high.val().any());
        self.conditions.next = self.flags.val();
        comment!("Sum and addend, or addend less sum; the carry comes in at a bit of its own.");
        self.left.next = self.one.val()
            | (bit_cast::<66, 32>(self.addend_low.val()) << 1)
            | (bit_cast::<66, 32>(self.addend_high.val()) << 33);
        self.other.next = self.now.val();
        self.right.next = bit_cast::<66, 64>(self.now.val()) << 1;
        if self.act.val() == self.act_subtract.val() {
            self.other.next = !self.now.val();
            self.right.next = (bit_cast::<66, 64>(self.other.val()) << 1) | self.one.val();
        }
        self.total.next = self.left.val() + self.right.val();
        comment!("How far to the right.");
        self.bits_9.next = self.now.val().get_bits::<55>(9);
        self.bits_1.next = self.now.val().get_bits::<8>(1);
        self.bytes_left.next = self.exponent.value.val().get_bits::<3>(3);
        self.exponent.rises.next = self.act.val() == self.act_normalise.val();
        self.exponent.falls.next = self.act.val() == self.act_exponent.val();
        self.exponent.set.next = self.set_exponent.val();
        self.exponent.multi.next = self.multi.val();
        self.exponent.code.next = self.code.val();
        self.exponent.of_use.next = self.of_use.val();
        self.by_8.next = self.act.val() == self.act_byte.val();
        self.by_1.next =
            (self.act.val() == self.act_shift.val()) || (self.act.val() == self.act_multiply.val());
        if self.act.val() == self.act_normalise.val() {
            self.by_8.next = self.bits_9.val().any();
            self.by_1.next = self.bits_1.val().any();
        } else if self.act.val() == self.act_exponent.val() {
            self.by_8.next = self.bytes_left.val().any();
            self.by_1.next = self.exponent.value.val().any();
        }
        self.exponent.by_8.next = self.by_8.val();
        self.exponent.by_1.next = self.by_1.val();
        self.after.next = self.now.val();
        if self.by_8.val() {
            self.after.next = self.now.val() >> 8;
            self.low.next =
                (self.low.val() >> 8) | (bit_cast::<32, 8>(self.now.val().get_bits::<8>(0)) << 24);
        } else if self.by_1.val() {
            self.after.next = self.now.val() >> 1;
            self.low.next =
                (self.low.val() >> 1) | (bit_cast::<32, 1>(self.now.val().get_bits::<1>(0)) << 31);
            if (self.act.val() == self.act_multiply.val()) && self.low.val().get_bit(0) {
                self.after.next = self.total.val().get_bits::<64>(2);
                self.low.next = (self.low.val() >> 1)
                    | (bit_cast::<32, 1>(self.total.val().get_bits::<1>(1)) << 31);
            }
        } else if self.act.val() == self.act_add.val() {
            self.after.next = self.total.val().get_bits::<64>(1);
            self.less.next = self.total.val().get_bit(65);
        } else if self.act.val() == self.act_subtract.val() {
            self.after.next = self.total.val().get_bits::<64>(1);
            self.less.next = !self.total.val().get_bit(65);
        } else if self.act.val() == self.act_clear.val() {
            self.after.next = 0.into();
        } else if self.act.val() == self.act_segment.val() {
            self.after.next = 0.into();
            self.low.next = bit_cast::<32, 13>(self.low.val().get_bits::<13>(10));
        }
        self.sum_high.next = self.after.val().get_bits::<32>(32);
        self.sum_low.next = self.after.val().get_bits::<32>(0);
        comment!("Words.");
        self.kind.next = self.to.val().get_bits::<3>(3);
        if self.kind.val() == self.to_addend.val() {
            if self.to.val().get_bit(0) {
                self.addend_high.next = self.word.val();
            } else if self.to.val().get_bit(2) {
                self.addend_high.next = 0.into();
            }
            if self.to.val().get_bit(1) {
                self.addend_low.next = self.word.val();
            } else if self.to.val().get_bit(2) {
                self.addend_low.next = 0.into();
            }
        } else if self.kind.val() == self.to_sum.val() {
            if self.to.val().get_bit(0) {
                self.sum_high.next = self.word.val();
            } else if self.to.val().get_bit(2) {
                self.sum_high.next = 0.into();
            }
            if self.to.val().get_bit(1) {
                self.sum_low.next = self.word.val();
            } else if self.to.val().get_bit(2) {
                self.sum_low.next = 0.into();
            }
        } else if self.kind.val() == self.to_factor.val() {
            self.low.next = self.word.val();
        }
    }
}
