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
//! # Twins             sim/src/golden/cc/cc_wind.rs, tests/cc_blocks.rs

use super::delay::Delay;
use crate::util::mul_pipe::MulPipe;
use crate::util::recip::Recip;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from U and Wc to W and R.
pub const LATENCY_CYCLES: usize = 28;

/// Window and rate of a flow.
#[derive(LogicBlock)]
pub struct CcWind {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    exponent_delay: Delay<6, 7>,
    wc_delay: Delay<48, 10>,
    wc_delay_17: Delay<48, 7>,
    w_delay: Delay<48, 6>,
    inc_stage_delay: Delay<8, 27>,
    valid_1: DFF<Bits<27>>,
    hold_1: DFF<Bits<27>>,
    reached_1: DFF<Bit>,
    staged_1: DFF<Bit>,
    scale_2: DFF<Bits<27>>,
    none_8: DFF<Bits<10>>,
    exponent_15: DFF<Bits<4>>,
    exponent_16: DFF<Bits<2>>,
    scaled_15: DFF<Bits<80>>,
    scaled_16: DFF<Bits<80>>,
    scaled_17: DFF<Bits<80>>,
    base_18: DFF<Bits<48>>,
    sum_19: DFF<Bits<49>>,
    above_20: DFF<Bit>,
    below_20: DFF<Bit>,
    sum_20: DFF<Bits<48>>,
    w_21: DFF<Bits<48>>,
    rate_26: DFF<Bits<32>>,
    fast_27: DFF<Bit>,
    slow_27: DFF<Bit>,
    rate_27: DFF<Bits<32>>,
    valid_28: DFF<Bit>,
    w_28: DFF<Bits<48>>,
    rate_28: DFF<Bits<32>>,
    inc_stage_28: DFF<Bits<8>>,
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
    flag_bit: Constant<Bits<27>>,
    none_bit: Constant<Bits<10>>,
    w_top: Constant<Bits<48>>,
    rate_top: Constant<Bits<32>>,
}

impl Default for CcWind {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            cfg_target: Default::default(),
            cfg_max_stage: Default::default(),
            cfg_w_ai: Default::default(),
            cfg_w_init: Default::default(),
            cfg_w_min: Default::default(),
            cfg_rate_gain: Default::default(),
            cfg_rate_min: Default::default(),
            cfg_rate_max: Default::default(),
            s_valid: Default::default(),
            hold: Default::default(),
            u: Default::default(),
            wc: Default::default(),
            inc_stage: Default::default(),
            m_valid: Default::default(),
            w: Default::default(),
            rate: Default::default(),
            m_inc_stage: Default::default(),
            recip: Default::default(),
            eta_mul: Default::default(),
            scaled_mul: Default::default(),
            rate_mul: Default::default(),
            exponent_delay: Default::default(),
            wc_delay: Default::default(),
            wc_delay_17: Default::default(),
            w_delay: Default::default(),
            inc_stage_delay: Default::default(),
            valid_1: Default::default(),
            hold_1: Default::default(),
            reached_1: Default::default(),
            staged_1: Default::default(),
            scale_2: Default::default(),
            none_8: Default::default(),
            exponent_15: Default::default(),
            exponent_16: Default::default(),
            scaled_15: Default::default(),
            scaled_16: Default::default(),
            scaled_17: Default::default(),
            base_18: Default::default(),
            sum_19: Default::default(),
            above_20: Default::default(),
            below_20: Default::default(),
            sum_20: Default::default(),
            w_21: Default::default(),
            rate_26: Default::default(),
            fast_27: Default::default(),
            slow_27: Default::default(),
            rate_27: Default::default(),
            valid_28: Default::default(),
            w_28: Default::default(),
            rate_28: Default::default(),
            inc_stage_28: Default::default(),
            valid_later: Default::default(),
            hold_later: Default::default(),
            target_wide: Default::default(),
            scale_later: Default::default(),
            none_later: Default::default(),
            shift_64: Default::default(),
            shift_16: Default::default(),
            excess: Default::default(),
            w_ai_bits: Default::default(),
            w_ai_wide: Default::default(),
            base_wide: Default::default(),
            w_init_bits: Default::default(),
            most: Default::default(),
            w_min_bits: Default::default(),
            least: Default::default(),
            rate_excess: Default::default(),
            inc_stage_up: Default::default(),
            flag_bit: Constant::new(1.into()),
            none_bit: Constant::new(1.into()),
            w_top: Constant::new(((1_u64 << 48) - 1).into()),
            rate_top: Constant::new(u64::from(u32::MAX).into()),
        }
    }
}

impl Logic for CcWind {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            valid_1,
            hold_1,
            reached_1,
            staged_1,
            scale_2,
            none_8,
            exponent_15,
            exponent_16,
            scaled_15,
            scaled_16,
            scaled_17,
            base_18,
            sum_19,
            above_20,
            below_20,
            sum_20,
            w_21,
            rate_26,
            fast_27,
            slow_27,
            rate_27,
            valid_28,
            w_28,
            rate_28,
            inc_stage_28
        );
        self.recip.clock.next = self.clock.val();
        self.recip.reset.next = self.reset.val();
        self.eta_mul.clock.next = self.clock.val();
        self.eta_mul.reset.next = self.reset.val();
        self.scaled_mul.clock.next = self.clock.val();
        self.scaled_mul.reset.next = self.reset.val();
        self.rate_mul.clock.next = self.clock.val();
        self.rate_mul.reset.next = self.reset.val();
        self.exponent_delay.clock.next = self.clock.val();
        self.exponent_delay.reset.next = self.reset.val();
        self.wc_delay.clock.next = self.clock.val();
        self.wc_delay.reset.next = self.reset.val();
        self.wc_delay_17.clock.next = self.clock.val();
        self.wc_delay_17.reset.next = self.reset.val();
        self.w_delay.clock.next = self.clock.val();
        self.w_delay.reset.next = self.reset.val();
        self.inc_stage_delay.clock.next = self.clock.val();
        self.inc_stage_delay.reset.next = self.reset.val();
        self.m_valid.next = self.valid_28.q.val();
        self.w.next = self.w_28.q.val();
        self.rate.next = self.rate_28.q.val();
        self.m_inc_stage.next = self.inc_stage_28.q.val();
        self.valid_later.next = self.valid_1.q.val() << 1;
        self.valid_1.d.next = self.valid_later.val();
        if self.s_valid.val() {
            self.valid_1.d.next = self.valid_later.val() | self.flag_bit.val();
        }
        self.hold_later.next = self.hold_1.q.val() << 1;
        self.hold_1.d.next = self.hold_later.val();
        if self.hold.val() {
            self.hold_1.d.next = self.hold_later.val() | self.flag_bit.val();
        }
        comment!("1, 2: multiplicative step? The flag waits until 27.");
        self.target_wide.next = bit_cast::<57, 32>(self.cfg_target.val());
        self.reached_1.d.next = self.u.val() >= self.target_wide.val();
        self.staged_1.d.next = self.inc_stage.val() >= self.cfg_max_stage.val();
        self.scale_later.next = self.scale_2.q.val() << 1;
        self.scale_2.d.next = self.scale_later.val();
        if self.reached_1.q.val() || self.staged_1.q.val() {
            self.scale_2.d.next = self.scale_later.val() | self.flag_bit.val();
        }
        comment!("7: 1/U; 10: eta/U; 14: Wc eta/U before its exponent.");
        self.recip.x.next = self.u.val();
        self.eta_mul.a.next = self.cfg_target.val();
        self.eta_mul.b.next = self.recip.mantissa.val();
        self.exponent_delay.d.next = self.recip.exponent.val();
        self.none_later.next = self.none_8.q.val() << 1;
        self.none_8.d.next = self.none_later.val();
        if self.recip.zero.val() {
            self.none_8.d.next = self.none_later.val() | self.none_bit.val();
        }
        self.wc_delay.d.next = self.wc.val();
        self.scaled_mul.a.next = self.wc_delay.q.val();
        self.scaled_mul.b.next = self.eta_mul.p.val().get_bits::<32>(22);
        comment!("15, 16, 17: the exponent, two bits at a time.");
        self.shift_64.next = self.exponent_delay.q.val().get_bits::<2>(4);
        self.exponent_15.d.next = self.exponent_delay.q.val().get_bits::<4>(0);
        match self.shift_64.val().index() {
            0 => {
                self.scaled_15.d.next = self.scaled_mul.p.val();
            }
            1 => {
                self.scaled_15.d.next = self.scaled_mul.p.val() >> 16;
            }
            2 => {
                self.scaled_15.d.next = self.scaled_mul.p.val() >> 32;
            }
            _ => {
                self.scaled_15.d.next = self.scaled_mul.p.val() >> 48;
            }
        }
        self.shift_16.next = self.exponent_15.q.val().get_bits::<2>(2);
        self.exponent_16.d.next = self.exponent_15.q.val().get_bits::<2>(0);
        match self.shift_16.val().index() {
            0 => {
                self.scaled_16.d.next = self.scaled_15.q.val();
            }
            1 => {
                self.scaled_16.d.next = self.scaled_15.q.val() >> 4;
            }
            2 => {
                self.scaled_16.d.next = self.scaled_15.q.val() >> 8;
            }
            _ => {
                self.scaled_16.d.next = self.scaled_15.q.val() >> 12;
            }
        }
        self.scaled_17.d.next = self.scaled_16.q.val() >> self.exponent_16.q.val();
        comment!("18: the base of the sum; 19: W_ai more; 20, 21: clamped.");
        self.wc_delay_17.d.next = self.wc_delay.q.val();
        self.excess.next = self.scaled_17.q.val().get_bits::<32>(48);
        self.base_18.d.next = self.wc_delay_17.q.val();
        if self.scale_2.q.val().get_bit(15) && !self.hold_1.q.val().get_bit(16) {
            self.base_18.d.next = self.scaled_17.q.val().get_bits::<48>(0);
            if self.excess.val().any() || self.none_8.q.val().get_bit(9) {
                self.base_18.d.next = self.w_top.val();
            }
        }
        self.w_ai_bits.next = bit_cast::<49, 32>(self.cfg_w_ai.val());
        self.w_ai_wide.next = self.w_ai_bits.val() << 6;
        if self.hold_1.q.val().get_bit(17) {
            self.w_ai_wide.next = 0.into();
        }
        self.base_wide.next = bit_cast::<49, 48>(self.base_18.q.val());
        self.sum_19.d.next = self.base_wide.val() + self.w_ai_wide.val();
        self.w_init_bits.next = bit_cast::<49, 32>(self.cfg_w_init.val());
        self.most.next = self.w_init_bits.val() << 16;
        self.w_min_bits.next = bit_cast::<49, 32>(self.cfg_w_min.val());
        self.least.next = self.w_min_bits.val() << 6;
        self.above_20.d.next = self.sum_19.q.val() > self.most.val();
        self.below_20.d.next = self.sum_19.q.val() < self.least.val();
        self.sum_20.d.next = self.sum_19.q.val().get_bits::<48>(0);
        self.w_21.d.next = self.sum_20.q.val();
        if self.above_20.q.val() {
            self.w_21.d.next = self.most.val().get_bits::<48>(0);
        } else if self.below_20.q.val() {
            self.w_21.d.next = self.least.val().get_bits::<48>(0);
        }
        comment!("21..25: R = W/T; 26: saturated; 27, 28: clamped.");
        self.rate_mul.a.next = self.w_21.q.val();
        self.rate_mul.b.next = self.cfg_rate_gain.val();
        self.rate_excess.next = self.rate_mul.p.val().get_bits::<18>(62);
        self.rate_26.d.next = self.rate_mul.p.val().get_bits::<32>(30);
        if self.rate_excess.val().any() {
            self.rate_26.d.next = self.rate_top.val();
        }
        self.fast_27.d.next = self.rate_26.q.val() > self.cfg_rate_max.val();
        self.slow_27.d.next = self.rate_26.q.val() < self.cfg_rate_min.val();
        self.rate_27.d.next = self.rate_26.q.val();
        self.w_delay.d.next = self.w_21.q.val();
        self.inc_stage_delay.d.next = self.inc_stage.val();
        self.inc_stage_up.next = self.inc_stage_delay.q.val() + 1;
        self.valid_28.d.next = self.valid_1.q.val().get_bit(26);
        self.w_28.d.next = 0.into();
        self.rate_28.d.next = 0.into();
        self.inc_stage_28.d.next = 0.into();
        if self.valid_1.q.val().get_bit(26) {
            self.w_28.d.next = self.w_delay.q.val();
            self.rate_28.d.next = self.rate_27.q.val();
            if self.fast_27.q.val() {
                self.rate_28.d.next = self.cfg_rate_max.val();
            } else if self.slow_27.q.val() {
                self.rate_28.d.next = self.cfg_rate_min.val();
            }
            if !self.scale_2.q.val().get_bit(25) {
                self.inc_stage_28.d.next = self.inc_stage_up.val();
            }
        }
        if self.reset.val() {
            self.valid_1.d.next = 0.into();
            self.valid_28.d.next = false;
            self.w_28.d.next = 0.into();
            self.rate_28.d.next = 0.into();
            self.inc_stage_28.d.next = 0.into();
        }
    }
}
