//! Words of the serial schedule that are no parameter and not of the event: what the arithmetic has made,
//! the reciprocal's table, constants.
//!
//! # Interface timing  cycle 0: source; cycle 1: word. Cycle 0: chooses; cycle 2: the segment's row
//! # Latency and rate  [`LATENCY_CYCLES`]; one word per cycle
//! # Number formats    segment of 1/x, x in [1, 2): start UQ0.22, fall UQ0.13 (util/recip.rs)
//! # Reset             none
//! # Twins             part of sim/models/src/golden/cc/serial/unit.rs, tests/cc/cc_unit_serial.rs

use crate::util::recip::RecipTable;
use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a source to its word.
pub const LATENCY_CYCLES: usize = 1;
/// A frame of 9216 bytes in units of 128, and what the counts leave out of their last unit.
const SLACK_UNITS: u64 = 74;

/// Sum, factor, segment, constants.
#[block(no_reset)]
pub struct CcSerialWords {
    /// 32 and 33: halves of the sum; 34: factor without its low half; 35 and 36: start and fall of
    /// the segment; 37 to 40: constants; else 0.
    pub source: Signal<In, Bits<6>>,
    /// Sum.
    pub sum: Signal<In, Bits<64>>,
    /// Factor.
    pub factor: Signal<In, Bits<32>>,
    /// The factor's top bits choose the segment.
    pub chooses: Signal<In, Bit>,
    /// Word.
    pub word: Signal<Out, Bits<32>>,
    curve: RecipTable,
    segment: Unreset<Bits<9>>,
    word_1: Unreset<Bits<32>>,
    start: Signal<Local, Bits<32>>,
    #[value(1_u64 << 21)]
    top_bit: Constant<Bits<32>>,
    #[value(0xffff_0000_u64)]
    high_half: Constant<Bits<32>>,
    #[value(u64::from(u32::MAX))]
    ones: Constant<Bits<32>>,
    #[value(SLACK_UNITS)]
    slack_units: Constant<Bits<32>>,
    #[value(1_u64 << 24)]
    one_stage: Constant<Bits<32>>,
}

impl Logic for CcSerialWords {
    #[hdl_gen]
    fn update(&mut self) {
        if self.chooses.val() {
            self.segment.next = self.factor.val().get_bits::<9>(23);
        }
        self.curve.index.next = self.segment.val();
        self.start.next = bit_cast::<32, 21>(self.curve.row.val().get_bits::<21>(13));
        match self.source.val().index() {
            32 => {
                self.word_1.next = self.sum.val().get_bits::<32>(32);
            }
            33 => {
                self.word_1.next = self.sum.val().get_bits::<32>(0);
            }
            34 => {
                self.word_1.next = self.factor.val() & self.high_half.val();
            }
            35 => {
                self.word_1.next = self.start.val() | self.top_bit.val();
            }
            36 => {
                self.word_1.next = bit_cast::<32, 13>(self.curve.row.val().get_bits::<13>(0));
            }
            37 => {
                self.word_1.next = self.ones.val();
            }
            38 => {
                self.word_1.next = self.high_half.val();
            }
            39 => {
                self.word_1.next = self.slack_units.val();
            }
            40 => {
                self.word_1.next = self.one_stage.val();
            }
            _ => {
                self.word_1.next = 0.into();
            }
        }
        self.word.next = self.word_1.val();
    }
}
