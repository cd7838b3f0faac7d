//! Twin of `cc/cc_ewma`: U = (1 - tau/T) U + tau/T u'.

use super::Pipe;
use crate::ports;
use crate::ports::Golden;

/// Cycles from u' to U.
pub const LATENCY_CYCLES: usize = 11;

ports! {
    /// Inputs.
    pub struct CcEwmaIn {
        /// Synchronous reset.
        pub reset: bool,
        /// T in ns, 20 bits.
        pub cfg_t_ns: u32,
        /// 1/T, UQ0.40.
        pub cfg_inv_t: u32,
        /// An update is offered.
        pub s_valid: bool,
        /// `u_hop` counts; else U stays.
        pub update: bool,
        /// u' of the path, UQ21.36.
        pub u_hop: u64,
        /// Its tau, ns.
        pub tau_ns: u32,
        /// U before, UQ21.36.
        pub u_old: u64,
    }
}
ports! {
    /// Outputs; all 0 unless `m_valid`.
    pub struct CcEwmaOut {
        /// An update is done.
        pub m_valid: bool,
        /// U after, UQ21.36.
        pub u: u64,
    }
}

/// U after `u_hop` has held for `tau_ns`.
pub fn ewma(t_ns: u32, inv_t: u32, u_old: u64, u_hop: u64, tau_ns: u32) -> u64 {
    // tau/T, UQ1.32.
    let weight = match tau_ns < t_ns {
        true => (u64::from(tau_ns) * u64::from(inv_t) >> 8) & 0xffff_ffff,
        false => 1 << 32,
    };
    let step = |distance: u64| (u128::from(distance) * u128::from(weight) >> 32) as u64;
    if u_hop < u_old {
        u_old - step(u_old - u_hop)
    } else {
        u_old + step(u_hop - u_old)
    }
}

/// The block.
#[derive(Clone, Debug, Default)]
pub struct CcEwma(Pipe<CcEwmaOut, LATENCY_CYCLES>);

impl Golden for CcEwma {
    type In = CcEwmaIn;
    type Out = CcEwmaOut;
    fn step(&mut self, i: &CcEwmaIn) -> CcEwmaOut {
        let u = match i.update {
            true => ewma(i.cfg_t_ns, i.cfg_inv_t, i.u_old, i.u_hop, i.tau_ns),
            false => i.u_old,
        };
        let result = i.s_valid.then_some(CcEwmaOut { m_valid: true, u });
        self.0.step(i.reset, result.unwrap_or_default())
    }
}
