//! Twins of the congestion control blocks (`hdl/src/cc`).

pub mod active;
pub mod cc_core;
pub mod ewma;
pub mod flow_state;
pub mod hop;
pub mod serial;
pub mod share;
pub mod unit;
pub mod wide;
pub mod wind;

use crate::ports;
use nic_spec::cc_params::CcParams;

ports! {
    /// The unit's parameters, `cfg_*`: see [`CcParams`] for units and formats.
    pub struct CcCfg {
        /// T in ns, 20 bits.
        pub t_ns: u32,
        /// 1/T, UQ0.40.
        pub inv_t: u32,
        /// 0.625/T, UQ0.40.
        pub queue_gain: u32,
        /// What one unit of utilisation is: mantissa [21:0], exponent [26:22]; 0: hops count bytes.
        pub util_gain: u32,
        /// What is checked of telemetry, and the largest queue.
        pub check: u32,
        /// PSNs are times of packets, `snd_nxt` is T later: a receiver computes the window.
        pub by_time: bool,
        /// eta in the units of U, UQ0.36.
        pub target: u32,
        /// 1 in the units of U, UQ0.36.
        pub u_one: u32,
        /// Additive steps before a multiplicative one.
        pub max_stage: u8,
        /// Additive increase, bytes, UQ22.10.
        pub w_ai: u32,
        /// Largest window, bytes.
        pub w_init: u32,
        /// Smallest window, bytes, UQ22.10.
        pub w_min: u32,
        /// Window bytes to bytes a cycle, UQ0.38.
        pub rate_gain: u32,
        /// Smallest rate, UQ8.24 bytes a cycle.
        pub rate_min: u32,
        /// Largest rate, UQ8.24 bytes a cycle.
        pub rate_max: u32,
    }
}

impl From<CcParams> for CcCfg {
    fn from(p: CcParams) -> Self {
        Self {
            t_ns: p.t_ns,
            inv_t: p.inv_t,
            queue_gain: p.queue_gain,
            util_gain: p.util_gain,
            check: p.check,
            by_time: false,
            target: p.target,
            u_one: p.u_one,
            max_stage: p.max_stage,
            w_ai: p.w_ai,
            w_init: p.w_init,
            w_min: p.w_min,
            rate_gain: p.rate_gain,
            rate_min: p.rate_min,
            rate_max: p.rate_max,
        }
    }
}

/// Results on their way through a pipeline of `N` stages; an idle stage holds the default.
#[derive(Clone, Debug)]
pub struct Pipe<T, const N: usize> {
    in_flight: [T; N],
    at: usize,
}

impl<T: Copy + Default, const N: usize> Default for Pipe<T, N> {
    fn default() -> Self {
        Self { in_flight: [T::default(); N], at: 0 }
    }
}

impl<T: Copy + Default, const N: usize> Pipe<T, N> {
    /// One clock edge: takes the result of this cycle's inputs, returns the outputs after it.
    pub fn step(&mut self, reset: bool, result: T) -> T {
        if reset {
            *self = Self::default();
            return T::default();
        }
        self.in_flight[self.at] = result;
        self.at = (self.at + 1) % N;
        self.in_flight[self.at]
    }
}
