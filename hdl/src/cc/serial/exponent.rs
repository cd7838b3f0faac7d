//! Exponent of the serial schedule: counts how far the sum goes to the right.
//!
//! # Source            cc_hop.rs, cc_wind.rs: exponents of reciprocals, rate codes, units
//! # Interface timing  cycle 0: rises or falls, by_8, by_1, or set; cycle 1: value
//! # Latency and rate  [`LATENCY_CYCLES`]; one change per cycle
//! # Number formats    UQ6.0; `code` less: modulo 32
//! # Reset             none: it is set before it is used
//! # Twins             part of sim/models/src/golden/cc/serial/unit.rs, tests/cc/cc_unit_serial.rs

use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a change to the value.
pub const LATENCY_CYCLES: usize = 1;

/// Exponent.
#[block(no_reset)]
pub struct CcSerialExponent {
    /// It becomes more.
    pub rises: Signal<In, Bit>,
    /// It becomes less.
    pub falls: Signal<In, Bit>,
    /// By 8.
    pub by_8: Signal<In, Bit>,
    /// By 1, unless by 8.
    pub by_1: Signal<In, Bit>,
    /// 1 zero, 2 `multi`, 3 `code`, 4 `of_use`, 5 `code` more, 6 `code` less.
    pub set: Signal<In, Bits<3>>,
    /// log2 of multi.
    pub multi: Signal<In, Bits<3>>,
    /// Rate code of the hop.
    pub code: Signal<In, Bits<3>>,
    /// Exponent of a unit of utilisation.
    pub of_use: Signal<In, Bits<5>>,
    /// The exponent.
    pub value: Signal<Out, Bits<6>>,
    exponent: Unreset<Bits<6>>,
    wide_code: Signal<Local, Bits<6>>,
    less_code: Signal<Local, Bits<6>>,
}

impl Logic for CcSerialExponent {
    #[hdl_gen]
    fn update(&mut self) {
        self.value.next = self.exponent.val();
        if self.rises.val() {
            if self.by_8.val() {
                self.exponent.next = self.exponent.val() + 8;
            } else if self.by_1.val() {
                self.exponent.next = self.exponent.val() + 1;
            }
        } else if self.falls.val() {
            if self.by_8.val() {
                self.exponent.next = self.exponent.val() - 8;
            } else if self.by_1.val() {
                self.exponent.next = self.exponent.val() - 1;
            }
        }
        self.wide_code.next = bit_cast::<6, 3>(self.code.val());
        self.less_code.next = self.exponent.val() - self.wide_code.val();
        match self.set.val().index() {
            1 => {
                self.exponent.next = 0.into();
            }
            2 => {
                self.exponent.next = bit_cast::<6, 3>(self.multi.val());
            }
            3 => {
                self.exponent.next = self.wide_code.val();
            }
            4 => {
                self.exponent.next = bit_cast::<6, 5>(self.of_use.val());
            }
            5 => {
                self.exponent.next = self.exponent.val() + self.wide_code.val();
            }
            6 => {
                self.exponent.next = bit_cast::<6, 5>(self.less_code.val().get_bits::<5>(0));
            }
            _ => {}
        }
    }
}
