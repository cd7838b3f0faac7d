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
pub const LATENCY_CYCLES: usize = 23;

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
    wc_delay: Delay<Bits<48>, 9>,
    wc_delay_15: Delay<Bits<48>, 6>,
    w_delay: Delay<Bits<48>, 5>,
    inc_stage_delay: Delay<Bits<8>, 22>,
    valid_1: Reg<Bits<22>>,
    hold_1: Unreset<Bits<14>>,
    reached_1: Unreset<Bit>,
    staged_1: Unreset<Bit>,
    scale_2: Unreset<Bits<21>>,
    none_7: Unreset<Bits<9>>,
    exponent_14: Unreset<Bits<3>>,
    scaled_14: Unreset<Bits<80>>,
    scaled_15: Unreset<Bits<80>>,
    scales_15: Unreset<Bit>,
    w_ai_15: Unreset<Bits<48>>,
    never_fits_15: Unreset<Bit>,
    above_15: Unreset<Bits<48>>,
    below_15: Unreset<Bits<48>>,
    sum_16: Unreset<Bits<48>>,
    above_16: Unreset<Bit>,
    below_16: Unreset<Bit>,
    w_17: Unreset<Bits<48>>,
    rate_22: Unreset<Bits<32>>,
    fast_22: Unreset<Bit>,
    slow_22: Unreset<Bit>,
    valid_23: Reg<Bit>,
    w_23: Reg<Bits<48>>,
    rate_23: Reg<Bits<32>>,
    inc_stage_23: Reg<Bits<8>>,
    valid_later: Signal<Local, Bits<22>>,
    hold_later: Signal<Local, Bits<14>>,
    target_wide: Signal<Local, Bits<57>>,
    scale_later: Signal<Local, Bits<21>>,
    none_later: Signal<Local, Bits<9>>,
    by_bytes: Signal<Local, Bits<6>>,
    excess: Signal<Local, Bits<32>>,
    base: Signal<Local, Bits<48>>,
    w_ai: Signal<Local, Bits<49>>,
    most: Signal<Local, Bits<49>>,
    least: Signal<Local, Bits<49>>,
    above: Signal<Local, Bits<49>>,
    below: Signal<Local, Bits<49>>,
    rate_wide: Signal<Local, Bits<50>>,
    rate_max: Signal<Local, Bits<50>>,
    rate_min: Signal<Local, Bits<50>>,
    inc_stage_up: Signal<Local, Bits<8>>,
    #[value(1)]
    valid_bit: Constant<Bits<22>>,
    #[value(1)]
    hold_bit: Constant<Bits<14>>,
    #[value(1)]
    scale_bit: Constant<Bits<21>>,
    #[value(1)]
    none_bit: Constant<Bits<9>>,
    #[value(0x38)]
    bytes: Constant<Bits<6>>,
}

#[kernel]
impl CcWind {
    fn update(&mut self) {
        self.m_valid.next = self.valid_23.val();
        self.w.next = self.w_23.val();
        self.rate.next = self.rate_23.val();
        self.m_inc_stage.next = self.inc_stage_23.val();
        self.valid_later.next = self.valid_1.val() << 1;
        self.valid_1.next = self.valid_later.val();
        if self.s_valid.val() {
            self.valid_1.next = self.valid_later.val() | self.valid_bit.val();
        }
        self.hold_later.next = self.hold_1.val() << 1;
        self.hold_1.next = self.hold_later.val();
        if self.hold.val() {
            self.hold_1.next = self.hold_later.val() | self.hold_bit.val();
        }
        self.step();
        self.exponent();
        self.window();
        self.rate();
    }

    /// 1, 2: multiplicative step? The flag waits until 22.
    fn step(&mut self) {
        self.target_wide.next = bit_cast::<57, 32>(self.cfg_target.val());
        self.reached_1.next = self.u.val() >= self.target_wide.val();
        self.staged_1.next = self.inc_stage.val() >= self.cfg_max_stage.val();
        self.scale_later.next = self.scale_2.val() << 1;
        self.scale_2.next = self.scale_later.val();
        if self.reached_1.val() || self.staged_1.val() {
            self.scale_2.next = self.scale_later.val() | self.scale_bit.val();
        }
        comment!("6: 1/U; 9: eta/U; 13: Wc eta/U before its exponent.");
        self.recip.x.next = self.u.val();
        self.eta_mul.a.next = self.cfg_target.val();
        self.eta_mul.b.next = self.recip.mantissa.val();
        self.exponent_delay.d.next = self.recip.exponent.val();
        self.none_later.next = self.none_7.val() << 1;
        self.none_7.next = self.none_later.val();
        if self.recip.zero.val() {
            self.none_7.next = self.none_later.val() | self.none_bit.val();
        }
        self.wc_delay.d.next = self.wc.val();
        self.scaled_mul.a.next = self.wc_delay.q.val();
        self.scaled_mul.b.next = self.eta_mul.p.val().get_bits::<32>(22);
    }

    /// 14, 15: the exponent, by bytes, then by bits.
    fn exponent(&mut self) {
        self.by_bytes.next = self.exponent_delay.q.val() & self.bytes.val();
        self.scaled_14.next = self.scaled_mul.p.val() >> self.by_bytes.val();
        self.exponent_14.next = self.exponent_delay.q.val().get_bits::<3>(0);
        self.scaled_15.next = self.scaled_14.val() >> self.exponent_14.val();
    }

    /// 16: W_ai more, and beside it what is clamped; 17: clamped.
    fn window(&mut self) {
        comment!("15: what is added, and above and below what the sum leaves the bounds.");
        self.scales_15.next = self.scale_2.val().get_bit(12) && !self.hold_1.val().get_bit(13);
        self.w_ai.next = bit_cast::<49, 32>(self.cfg_w_ai.val()) << 6;
        if self.hold_1.val().get_bit(13) {
            self.w_ai.next = 0.into();
        }
        self.most.next = bit_cast::<49, 32>(self.cfg_w_init.val()) << 16;
        self.least.next = bit_cast::<49, 32>(self.cfg_w_min.val()) << 6;
        self.above.next = self.most.val() - self.w_ai.val();
        self.below.next = self.least.val() - self.w_ai.val();
        self.w_ai_15.next = self.w_ai.val().get_bits::<48>(0);
        self.never_fits_15.next = self.above.val().get_bit(48);
        self.above_15.next = self.above.val().get_bits::<48>(0);
        self.below_15.next = self.below.val().get_bits::<48>(0);
        if self.below.val().get_bit(48) {
            self.below_15.next = 0.into();
        }
        comment!("16: a quotient of more than 48 bits is above, whatever it is.");
        self.wc_delay_15.d.next = self.wc_delay.q.val();
        self.base.next = self.wc_delay_15.q.val();
        if self.scales_15.val() {
            self.base.next = self.scaled_15.val().get_bits::<48>(0);
        }
        self.excess.next = self.scaled_15.val().get_bits::<32>(48);
        self.sum_16.next = self.base.val() + self.w_ai_15.val();
        self.above_16.next = self.never_fits_15.val()
            || (self.base.val() > self.above_15.val())
            || (self.scales_15.val() && (self.excess.val().any() || self.none_7.val().get_bit(8)));
        self.below_16.next = self.base.val() < self.below_15.val();
        self.w_17.next = self.sum_16.val();
        if self.above_16.val() {
            self.w_17.next = self.most.val().get_bits::<48>(0);
        } else if self.below_16.val() {
            self.w_17.next = self.least.val().get_bits::<48>(0);
        }
    }

    /// 17..21: R = W/T; 22, 23: clamped.
    fn rate(&mut self) {
        self.rate_mul.a.next = self.w_17.val();
        self.rate_mul.b.next = self.cfg_rate_gain.val();
        self.rate_wide.next = self.rate_mul.p.val().get_bits::<50>(30);
        self.rate_max.next = bit_cast::<50, 32>(self.cfg_rate_max.val());
        self.rate_min.next = bit_cast::<50, 32>(self.cfg_rate_min.val());
        self.fast_22.next = self.rate_wide.val() > self.rate_max.val();
        self.slow_22.next = self.rate_wide.val() < self.rate_min.val();
        self.rate_22.next = self.rate_wide.val().get_bits::<32>(0);
        self.w_delay.d.next = self.w_17.val();
        self.inc_stage_delay.d.next = self.inc_stage.val();
        self.inc_stage_up.next = self.inc_stage_delay.q.val() + 1;
        self.valid_23.next = self.valid_1.val().get_bit(21);
        self.w_23.next = 0.into();
        self.rate_23.next = 0.into();
        self.inc_stage_23.next = 0.into();
        if self.valid_1.val().get_bit(21) {
            self.w_23.next = self.w_delay.q.val();
            self.rate_23.next = self.rate_22.val();
            if self.fast_22.val() {
                self.rate_23.next = self.cfg_rate_max.val();
            } else if self.slow_22.val() {
                self.rate_23.next = self.cfg_rate_min.val();
            }
            if !self.scale_2.val().get_bit(20) {
                self.inc_stage_23.next = self.inc_stage_up.val();
            }
        }
    }
}
