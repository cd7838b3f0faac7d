//! Twin of `hdl/src/cc/ewma.rs`: U = (1 - tau/T) U + tau/T u'.

use crate::golden::cc::Pipe;
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

/// U after `u_hop` has held for `tau_ns`: a share of the way between them, from the one that is
/// nearer in time, so that what is cut off the share is small against what is left of either.
pub fn ewma(t_ns: u32, inv_t: u32, u_old: u64, u_hop: u64, tau_ns: u32) -> u64 {
    let (from, to, part) = match 2 * tau_ns > t_ns {
        true => (u_hop, u_old, t_ns.saturating_sub(tau_ns)),
        false => (u_old, u_hop, tau_ns),
    };
    // UQ12.40; 32 bits of it are taken, the last ones when it is below 2^-8.
    let share = u64::from(part) * u64::from(inv_t);
    let (share, cut) = if share < 1 << 32 { (share, 40) } else { (share >> 8 & 0xffff_ffff, 32) };
    let step = |distance: u64| ((u128::from(distance) * u128::from(share)) >> cut) as u64;
    if to < from {
        from - step(from - to)
    } else {
        from + step(to - from)
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
