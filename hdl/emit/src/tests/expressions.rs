//! Expressions that are refused.

use super::refused;
use crate::{Rule, Unreset};
use nic_block::block;
use rust_hdl_core::prelude::*;

/// One test a refused form: name, block, kernel, rule, place.
macro_rules! refuse {
    ($($test:ident $name:ident { $($kernel:tt)* } $rule:ident $place:literal;)*) => {$(
        #[test]
        fn $test() {
            uut!($name { $($kernel)* });
            refused(&$name::default(), Rule::$rule, $place);
        }
    )*};
}

refuse! {
    refuses_and_beside_compare AndCompare {
        #[hdl_gen]
        fn update(&mut self) {
            if self.a.val() & 0x0f == 3 { self.flag.next = true; }
        }
    } Precedence "uut";
    refuses_or_beside_compare OrCompare {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = self.a.val() | self.b.val() == 0xff;
        }
    } Precedence "uut.flag";
    refuses_sum_under_compare SumCompare {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = (self.a.val() + 1) == self.b.val();
        }
    } Spill "uut.flag";
    refuses_difference_under_compare DifferenceCompare {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = (self.a.val() - self.b.val()) < 128;
        }
    } Spill "uut.flag";
    refuses_serial_compare_of_an_expression SerialCompare {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = (self.p.val() - self.half.val()) < 0x80_0000;
        }
    } Spill "uut.flag";
    refuses_not_under_compare NotCompare {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = !self.a.val() == 0;
        }
    } Spill "uut.flag";
    refuses_sum_under_shift SumShift {
        #[hdl_gen]
        fn update(&mut self) {
            self.narrow.next = (self.a.val() + 1) >> 1;
        }
    } Spill "uut.narrow";
    refuses_shift_under_compare ShiftCompare {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = (self.a.val() << 4) == 0x30;
        }
    } Spill "uut.flag";
    refuses_cast_of_a_sum CastSum {
        #[hdl_gen]
        fn update(&mut self) {
            self.wide.next = bit_cast::<16, 8>(self.a.val() + self.b.val());
        }
    } Spill "uut.wide";
    refuses_cast_of_a_difference CastDifference {
        #[hdl_gen]
        fn update(&mut self) {
            self.wide.next = bit_cast::<16, 8>(self.a.val() - self.b.val());
        }
    } Spill "uut.wide";
    refuses_cast_of_not CastNot {
        #[hdl_gen]
        fn update(&mut self) {
            self.wide.next = bit_cast::<16, 8>(!self.a.val());
        }
    } Spill "uut.wide";
    refuses_signed_compare_with_literal SignedLiteral {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = self.s.val() < 0.into();
        }
    } SignedLiteral "uut.flag";
    refuses_any_of_a_sum AnySum {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = (self.a.val() + self.b.val()).any();
        }
    } Spill "uut.flag";
    refuses_slice_of_an_expression SliceSum {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = (self.a.val() + self.b.val()).get_bit(7);
        }
    } Form "uut.flag";
    refuses_narrowing_of_a_shift NarrowShift {
        #[hdl_gen]
        fn update(&mut self) {
            self.narrow.next = bit_cast::<8, 24>(self.p.val() >> 3);
        }
    } Form "uut.narrow";
    refuses_const_names ConstName {
        #[hdl_gen]
        fn update(&mut self) {
            self.narrow.next = LIMIT.into();
        }
    } Undeclared "uut.narrow";
    refuses_literals_that_do_not_fit TooWide {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = self.a.val() == 0x1ff;
        }
    } Width "uut.flag";
    refuses_slices_outside_of_the_signal Outside {
        #[hdl_gen]
        fn update(&mut self) {
            self.flag.next = self.a.val().get_bit(8);
        }
    } Form "uut.flag";
}

const LIMIT: u64 = 3;
