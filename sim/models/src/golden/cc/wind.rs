//! Twin of `hdl/src/cc/wind.rs`: the draft's ComputeWind, the clamps, and R = W/T.

use crate::golden::cc::{CcCfg, Pipe};
use crate::golden::util::recip::reciprocal;
use crate::ports;
use crate::ports::Golden;

/// Cycles from U and Wc to W and R.
pub const LATENCY_CYCLES: usize = 23;
const W_MAX: u64 = (1 << 48) - 1;

ports! {
    /// Inputs.
    pub struct CcWindIn {
        /// Synchronous reset.
        pub reset: bool,
        /// eta in the units of U, UQ0.36.
        pub cfg_target: u32,
        /// Additive steps before a multiplicative one.
        pub cfg_max_stage: u8,
        /// Additive increase, bytes, UQ22.10.
        pub cfg_w_ai: u32,
        /// Largest window, bytes.
        pub cfg_w_init: u32,
        /// Smallest window, bytes, UQ22.10.
        pub cfg_w_min: u32,
        /// Window bytes to bytes a cycle, UQ0.38.
        pub cfg_rate_gain: u32,
        /// Smallest rate, UQ8.24.
        pub cfg_rate_min: u32,
        /// Largest rate, UQ8.24.
        pub cfg_rate_max: u32,
        /// An update is offered.
        pub s_valid: bool,
        /// The window is `wc` as it is.
        pub hold: bool,
        /// U, UQ21.36.
        pub u: u64,
        /// Reference window, UQ32.16 bytes.
        pub wc: u64,
        /// Additive steps so far.
        pub inc_stage: u8,
    }
}
ports! {
    /// Outputs; all 0 unless `m_valid`.
    pub struct CcWindOut {
        /// An update is done.
        pub m_valid: bool,
        /// W, UQ32.16 bytes.
        pub w: u64,
        /// R, UQ8.24 bytes a cycle.
        pub rate: u32,
        /// incStage if this is a full update.
        pub m_inc_stage: u8,
    }
}

/// W and R.
///
/// `hold` gives `wc` itself, clamped. W saturates in [w_min, w_init], R in [rate_min, rate_max];
/// the upper bound wins.
pub fn compute_wind(cfg: &CcCfg, hold: bool, u: u64, wc: u64, inc_stage: u8) -> CcWindOut {
    let multiplicative = u >= u64::from(cfg.target) || inc_stage >= cfg.max_stage;
    let recip = reciprocal(u);
    // wc * eta / U; eta's mantissa keeps the reciprocal's 22 fraction bits as integer bits.
    let eta = (u64::from(cfg.target) * u64::from(recip.mantissa)) >> 22;
    let product = (u128::from(wc) * u128::from(eta)) >> recip.exponent;
    let scaled = match recip.zero || product > u128::from(W_MAX) {
        true => W_MAX,
        false => product as u64,
    };
    let base = if multiplicative && !hold { scaled } else { wc };
    let sum = base + if hold { 0 } else { u64::from(cfg.w_ai) << 6 };
    let (least, most) = (u64::from(cfg.w_min) << 6, u64::from(cfg.w_init) << 16);
    let w = clamp(sum, least, most);
    let rate = (u128::from(w) * u128::from(cfg.rate_gain)) >> 30;
    let rate = rate.min(u128::from(u32::MAX)) as u64;
    let rate = clamp(rate, cfg.rate_min.into(), cfg.rate_max.into()) as u32;
    let m_inc_stage = if multiplicative { 0 } else { inc_stage.wrapping_add(1) };
    CcWindOut { m_valid: true, w, rate, m_inc_stage }
}

fn clamp(value: u64, least: u64, most: u64) -> u64 {
    if value > most {
        most
    } else {
        value.max(least)
    }
}

/// The block.
#[derive(Clone, Debug, Default)]
pub struct CcWind(Pipe<CcWindOut, LATENCY_CYCLES>);

impl Golden for CcWind {
    type In = CcWindIn;
    type Out = CcWindOut;
    fn step(&mut self, i: &CcWindIn) -> CcWindOut {
        let cfg = CcCfg {
            target: i.cfg_target,
            max_stage: i.cfg_max_stage,
            w_ai: i.cfg_w_ai,
            w_init: i.cfg_w_init,
            w_min: i.cfg_w_min,
            rate_gain: i.cfg_rate_gain,
            rate_min: i.cfg_rate_min,
            rate_max: i.cfg_rate_max,
            ..CcCfg::default()
        };
        let result = i.s_valid.then(|| compute_wind(&cfg, i.hold, i.u, i.wc, i.inc_stage));
        self.0.step(i.reset, result.unwrap_or_default())
    }
}
