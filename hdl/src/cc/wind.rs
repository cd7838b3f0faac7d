//! Window and rate from the utilisation: the draft's ComputeWind, the clamps, and R = W/T.
//!
//! # Source            draft-pan-tsvwg-hpccplus-00 section 4.2, ComputeWind
//! # Interface timing  cycle 0: s_valid, hold, u, wc, inc_stage; cycle [`LATENCY_CYCLES`]: m_valid, w,
//!                     rate, m_inc_stage
//! # Latency and rate  [`LATENCY_CYCLES`]; one update per cycle
//! # Number formats    u          | UQ21.36 | U = 1 is 25/1024
//!                     eta        | UQ0.36  | in the same units (`cfg_target`)
//!                     1/u        | UQ0.22  | mantissa, relative error below 2^-18; u = 0 saturates
//!                     eta/u      | UQ32.0 x 2^-exponent | truncated: 2^-27
//!                     wc, w      | UQ32.16 | bytes; wc eta/u saturates at 2^32 - 2^-16, then w in
//!                                            [w_min, w_init], the upper bound first
//!                     w_ai, w_min | UQ22.10 | bytes
//!                     w_init     | UQ32.0  | bytes
//!                     rate_gain  | UQ0.38  | cycle time over T
//!                     rate       | UQ8.24  | bytes a cycle; saturates in [rate_min, rate_max]
//!                     inc_stage  | UQ8.0   | 0 after a multiplicative step
//! # Reset             synchronous, high: nothing under way; outputs are 0 unless m_valid
//! # Twins             sim/models/src/golden/cc/wind.rs, tests/cc/cc_blocks.rs

use crate::util::{delay::Delay, mul_pipe::MulPipe, recip::Recip};
use crate::{block, kernel, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from U and Wc to W and R.
pub const LATENCY_CYCLES: usize = 28;

/// Window and rate of a flow.
#[block]
pub struct CcWind {
    /// eta in the units of U, UQ0.36.
    pub cfg_target: Signal<In, Bits<32>>,
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
    /// An update is offered.
    pub s_valid: Signal<In, Bit>,
    /// The window is `wc` as it is, clamped.
    pub hold: Signal<In, Bit>,
    /// U, UQ21.36.
    pub u: Signal<In, Bits<57>>,
    /// Reference window in bytes, UQ32.16.
    pub wc: Signal<In, Bits<48>>,
    /// Additive steps so far.
    pub inc_stage: Signal<In, Bits<8>>,
    /// An update is done.
    pub m_valid: Signal<Out, Bit>,
    /// W in bytes, UQ32.16.
    pub w: Signal<Out, Bits<48>>,
    /// R in bytes a cycle, UQ8.24.
    pub rate: Signal<Out, Bits<32>>,
    /// Additive steps after a full update.
    pub m_inc_stage: Signal<Out, Bits<8>>,
    recip: Recip<57>,
    eta_mul: MulPipe<32, 22, 54>,
    scaled_mul: MulPipe<48, 32, 80>,
    rate_mul: MulPipe<48, 32, 80>,
    exponent_delay: Delay<Bits<6>, 7>,
    wc_delay: Delay<Bits<48>, 10>,
    wc_delay_17: Delay<Bits<48>, 7>,
    w_delay: Delay<Bits<48>, 6>,
    inc_stage_delay: Delay<Bits<8>, 27>,
    valid_1: Reg<Bits<27>>,
    hold_1: Unreset<Bits<27>>,
    reached_1: Unreset<Bit>,
    staged_1: Unreset<Bit>,
    scale_2: Unreset<Bits<27>>,
    none_8: Unreset<Bits<10>>,
    exponent_15: Unreset<Bits<4>>,
    exponent_16: Unreset<Bits<2>>,
    scaled_15: Unreset<Bits<80>>,
    scaled_16: Unreset<Bits<80>>,
    scaled_17: Unreset<Bits<80>>,
    base_18: Unreset<Bits<48>>,
    sum_19: Unreset<Bits<49>>,
    above_20: Unreset<Bit>,
    below_20: Unreset<Bit>,
    sum_20: Unreset<Bits<48>>,
    w_21: Unreset<Bits<48>>,
    rate_26: Unreset<Bits<32>>,
    fast_27: Unreset<Bit>,
    slow_27: Unreset<Bit>,
    rate_27: Unreset<Bits<32>>,
    valid_28: Reg<Bit>,
    w_28: Reg<Bits<48>>,
    rate_28: Reg<Bits<32>>,
    inc_stage_28: Reg<Bits<8>>,
    valid_later: Signal<Local, Bits<27>>,
    hold_later: Signal<Local, Bits<27>>,
    target_wide: Signal<Local, Bits<57>>,
    scale_later: Signal<Local, Bits<27>>,
    none_later: Signal<Local, Bits<10>>,
    shift_64: Signal<Local, Bits<2>>,
    shift_16: Signal<Local, Bits<2>>,
    excess: Signal<Local, Bits<32>>,
    w_ai_bits: Signal<Local, Bits<49>>,
    w_ai_wide: Signal<Local, Bits<49>>,
    base_wide: Signal<Local, Bits<49>>,
    w_init_bits: Signal<Local, Bits<49>>,
    most: Signal<Local, Bits<49>>,
    w_min_bits: Signal<Local, Bits<49>>,
    least: Signal<Local, Bits<49>>,
    rate_excess: Signal<Local, Bits<18>>,
    inc_stage_up: Signal<Local, Bits<8>>,
    #[value(1)]
    flag_bit: Constant<Bits<27>>,
    #[value(1)]
    none_bit: Constant<Bits<10>>,
    #[value((1_u64 << 48) - 1)]
    w_top: Constant<Bits<48>>,
    #[value(u64::from(u32::MAX))]
    rate_top: Constant<Bits<32>>,
}

#[kernel]
impl CcWind {
    fn update(&mut self) {
        self.m_valid.next = self.valid_28.val();
        self.w.next = self.w_28.val();
        self.rate.next = self.rate_28.val();
        self.m_inc_stage.next = self.inc_stage_28.val();
        self.valid_later.next = self.valid_1.val() << 1;
        self.valid_1.next = self.valid_later.val();
        if self.s_valid.val() {
            self.valid_1.next = self.valid_later.val() | self.flag_bit.val();
        }
        self.hold_later.next = self.hold_1.val() << 1;
        self.hold_1.next = self.hold_later.val();
        if self.hold.val() {
            self.hold_1.next = self.hold_later.val() | self.flag_bit.val();
        }
        self.step();
        self.exponent();
        self.window();
        self.rate();
    }

    /// 1, 2: multiplicative step? The flag waits until 27.
    fn step(&mut self) {
        self.target_wide.next = bit_cast::<57, 32>(self.cfg_target.val());
        self.reached_1.next = self.u.val() >= self.target_wide.val();
        self.staged_1.next = self.inc_stage.val() >= self.cfg_max_stage.val();
        self.scale_later.next = self.scale_2.val() << 1;
        self.scale_2.next = self.scale_later.val();
        if self.reached_1.val() || self.staged_1.val() {
            self.scale_2.next = self.scale_later.val() | self.flag_bit.val();
        }
        comment!("7: 1/U; 10: eta/U; 14: Wc eta/U before its exponent.");
        self.recip.x.next = self.u.val();
        self.eta_mul.a.next = self.cfg_target.val();
        self.eta_mul.b.next = self.recip.mantissa.val();
        self.exponent_delay.d.next = self.recip.exponent.val();
        self.none_later.next = self.none_8.val() << 1;
        self.none_8.next = self.none_later.val();
        if self.recip.zero.val() {
            self.none_8.next = self.none_later.val() | self.none_bit.val();
        }
        self.wc_delay.d.next = self.wc.val();
        self.scaled_mul.a.next = self.wc_delay.q.val();
        self.scaled_mul.b.next = self.eta_mul.p.val().get_bits::<32>(22);
    }

    /// 15, 16, 17: the exponent, two bits at a time.
    fn exponent(&mut self) {
        self.shift_64.next = self.exponent_delay.q.val().get_bits::<2>(4);
        self.exponent_15.next = self.exponent_delay.q.val().get_bits::<4>(0);
        match self.shift_64.val().index() {
            0 => {
                self.scaled_15.next = self.scaled_mul.p.val();
            }
            1 => {
                self.scaled_15.next = self.scaled_mul.p.val() >> 16;
            }
            2 => {
                self.scaled_15.next = self.scaled_mul.p.val() >> 32;
            }
            _ => {
                self.scaled_15.next = self.scaled_mul.p.val() >> 48;
            }
        }
        self.shift_16.next = self.exponent_15.val().get_bits::<2>(2);
        self.exponent_16.next = self.exponent_15.val().get_bits::<2>(0);
        match self.shift_16.val().index() {
            0 => {
                self.scaled_16.next = self.scaled_15.val();
            }
            1 => {
                self.scaled_16.next = self.scaled_15.val() >> 4;
            }
            2 => {
                self.scaled_16.next = self.scaled_15.val() >> 8;
            }
            _ => {
                self.scaled_16.next = self.scaled_15.val() >> 12;
            }
        }
        self.scaled_17.next = self.scaled_16.val() >> self.exponent_16.val();
    }

    /// 18: the base of the sum; 19: W_ai more; 20, 21: clamped.
    fn window(&mut self) {
        self.wc_delay_17.d.next = self.wc_delay.q.val();
        self.excess.next = self.scaled_17.val().get_bits::<32>(48);
        self.base_18.next = self.wc_delay_17.q.val();
        if self.scale_2.val().get_bit(15) && !self.hold_1.val().get_bit(16) {
            self.base_18.next = self.scaled_17.val().get_bits::<48>(0);
            if self.excess.val().any() || self.none_8.val().get_bit(9) {
                self.base_18.next = self.w_top.val();
            }
        }
        self.w_ai_bits.next = bit_cast::<49, 32>(self.cfg_w_ai.val());
        self.w_ai_wide.next = self.w_ai_bits.val() << 6;
        if self.hold_1.val().get_bit(17) {
            self.w_ai_wide.next = 0.into();
        }
        self.base_wide.next = bit_cast::<49, 48>(self.base_18.val());
        self.sum_19.next = self.base_wide.val() + self.w_ai_wide.val();
        self.w_init_bits.next = bit_cast::<49, 32>(self.cfg_w_init.val());
        self.most.next = self.w_init_bits.val() << 16;
        self.w_min_bits.next = bit_cast::<49, 32>(self.cfg_w_min.val());
        self.least.next = self.w_min_bits.val() << 6;
        self.above_20.next = self.sum_19.val() > self.most.val();
        self.below_20.next = self.sum_19.val() < self.least.val();
        self.sum_20.next = self.sum_19.val().get_bits::<48>(0);
        self.w_21.next = self.sum_20.val();
        if self.above_20.val() {
            self.w_21.next = self.most.val().get_bits::<48>(0);
        } else if self.below_20.val() {
            self.w_21.next = self.least.val().get_bits::<48>(0);
        }
    }

    /// 21..25: R = W/T; 26: saturated; 27, 28: clamped.
    fn rate(&mut self) {
        self.rate_mul.a.next = self.w_21.val();
        self.rate_mul.b.next = self.cfg_rate_gain.val();
        self.rate_excess.next = self.rate_mul.p.val().get_bits::<18>(62);
        self.rate_26.next = self.rate_mul.p.val().get_bits::<32>(30);
        if self.rate_excess.val().any() {
            self.rate_26.next = self.rate_top.val();
        }
        self.fast_27.next = self.rate_26.val() > self.cfg_rate_max.val();
        self.slow_27.next = self.rate_26.val() < self.cfg_rate_min.val();
        self.rate_27.next = self.rate_26.val();
        self.w_delay.d.next = self.w_21.val();
        self.inc_stage_delay.d.next = self.inc_stage.val();
        self.inc_stage_up.next = self.inc_stage_delay.q.val() + 1;
        self.valid_28.next = self.valid_1.val().get_bit(26);
        self.w_28.next = 0.into();
        self.rate_28.next = 0.into();
        self.inc_stage_28.next = 0.into();
        if self.valid_1.val().get_bit(26) {
            self.w_28.next = self.w_delay.q.val();
            self.rate_28.next = self.rate_27.val();
            if self.fast_27.val() {
                self.rate_28.next = self.cfg_rate_max.val();
            } else if self.slow_27.val() {
                self.rate_28.next = self.cfg_rate_min.val();
            }
            if !self.scale_2.val().get_bit(25) {
                self.inc_stage_28.next = self.inc_stage_up.val();
            }
        }
    }
}
