//! Parameters of the serial schedule as words.
//!
//! # Interface timing  cycle 0: source; cycle 1: word
//! # Latency and rate  [`LATENCY_CYCLES`]; one word per cycle
//! # Number formats    those of cc_unit.rs; windows stand as UQ32.32 in two words, queue_gain
//!                     13 bits further left in two, max_stage in the top byte. W_ai may change at
//!                     any time: its low word is that of the cycle in which the high one was asked for
//! # Reset             none
//! # Twins             part of sim/models/src/golden/cc/serial/unit.rs, tests/cc/cc_unit_serial.rs

use crate::rows::CcUtilGain;
use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a source to its word.
pub const LATENCY_CYCLES: usize = 1;

/// Parameters.
#[block(no_reset)]
pub struct CcSerialParams {
    /// In the order of the parameters, `check` aside; from 16 on 0.
    pub source: Signal<In, Bits<6>>,
    /// T in ns.
    pub cfg_t_ns: Signal<In, Bits<20>>,
    /// 1/T per ns, UQ0.40.
    pub cfg_inv_t: Signal<In, Bits<32>>,
    /// 0.625/T per ns, UQ0.40.
    pub cfg_queue_gain: Signal<In, Bits<32>>,
    /// What one unit of utilisation is: mantissa [21:0], exponent [26:22]; 0: hops count
    /// bytes. [27]: hops tell sojourn times.
    pub cfg_util_gain: Signal<In, CcUtilGain>,
    /// eta in the units of U, UQ0.36.
    pub cfg_target: Signal<In, Bits<32>>,
    /// 1 in the units of U, UQ0.36.
    pub cfg_u_one: Signal<In, Bits<32>>,
    /// Additive steps before a multiplicative one.
    pub cfg_max_stage: Signal<In, Bits<8>>,
    /// Additive increase in bytes, UQ22.10.
    pub cfg_w_ai: Signal<In, Bits<32>>,
    /// Largest window in bytes.
    pub cfg_w_init: Signal<In, Bits<32>>,
    /// Smallest window in bytes, UQ22.10.
    pub cfg_w_min: Signal<In, Bits<32>>,
    /// Window bytes to bytes a cycle, UQ0.38.
    pub cfg_rate_gain: Signal<In, Bits<32>>,
    /// Smallest rate in bytes a cycle, UQ8.24.
    pub cfg_rate_min: Signal<In, Bits<32>>,
    /// Largest rate in bytes a cycle, UQ8.24.
    pub cfg_rate_max: Signal<In, Bits<32>>,
    /// Word.
    pub word: Signal<Out, Bits<32>>,
    word_1: Unreset<Bits<32>>,
    w_ai_low: Unreset<Bits<10>>,
}

impl Logic for CcSerialParams {
    #[hdl_gen]
    fn update(&mut self) {
        match self.source.val().index() {
            0 => {
                self.word_1.next = bit_cast::<32, 20>(self.cfg_t_ns.val());
            }
            1 => {
                self.word_1.next = self.cfg_inv_t.val();
            }
            2 => {
                self.word_1.next = bit_cast::<32, 13>(self.cfg_queue_gain.val().get_bits::<13>(19));
            }
            3 => {
                self.word_1.next = self.cfg_queue_gain.val() << 13;
            }
            4 => {
                self.word_1.next = bit_cast::<32, 22>(self.cfg_util_gain.val().mantissa);
            }
            5 => {
                self.word_1.next = self.cfg_target.val();
            }
            6 => {
                self.word_1.next = self.cfg_u_one.val();
            }
            7 => {
                self.word_1.next = bit_cast::<32, 8>(self.cfg_max_stage.val()) << 24;
            }
            8 => {
                self.word_1.next = bit_cast::<32, 22>(self.cfg_w_ai.val().get_bits::<22>(10));
                self.w_ai_low.next = self.cfg_w_ai.val().get_bits::<10>(0);
            }
            9 => {
                self.word_1.next = bit_cast::<32, 10>(self.w_ai_low.val()) << 22;
            }
            10 => {
                self.word_1.next = self.cfg_w_init.val();
            }
            11 => {
                self.word_1.next = bit_cast::<32, 22>(self.cfg_w_min.val().get_bits::<22>(10));
            }
            12 => {
                self.word_1.next = self.cfg_w_min.val() << 22;
            }
            13 => {
                self.word_1.next = self.cfg_rate_gain.val();
            }
            14 => {
                self.word_1.next = self.cfg_rate_min.val();
            }
            15 => {
                self.word_1.next = self.cfg_rate_max.val();
            }
            _ => {
                self.word_1.next = 0.into();
            }
        }
        self.word.next = self.word_1.val();
    }
}
