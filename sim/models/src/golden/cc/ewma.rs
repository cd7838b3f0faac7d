//! Twin of `hdl/src/cc/ewma.rs`: U = (1 - tau/T) U + tau/T u'.

use crate::golden::cc::share::Share;
use crate::golden::cc::Pipe;
use crate::ports;
use crate::ports::Golden;

/// Cycles from u' to U.
pub const LATENCY_CYCLES: usize = 7;

ports! {
    /// Inputs.
    pub struct CcEwmaIn {
        /// Synchronous reset.
        pub reset: bool,
        /// An update is offered.
        pub s_valid: bool,
        /// `u_hop` counts; else U stays.
        pub update: bool,
        /// u' of the path, UQ21.36.
        pub u_hop: u64,
        /// Its share of the way: [`Share::word`].
        pub share: u64,
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
    moved(Share::of(t_ns, inv_t, tau_ns), u_old, u_hop)
}

/// U after the share of the way between it and u', from the one that is nearer in time.
fn moved(share: Share, u_old: u64, u_hop: u64) -> u64 {
    let (from, to) = if share.turned { (u_hop, u_old) } else { (u_old, u_hop) };
    let cut = if share.fine { 40 } else { 32 };
    let step = |distance: u64| ((u128::from(distance) * u128::from(share.part)) >> cut) as u64;
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
            true => moved(Share::from_word(i.share), i.u_old, i.u_hop),
            false => i.u_old,
        };
        let result = i.s_valid.then_some(CcEwmaOut { m_valid: true, u });
        self.0.step(i.reset, result.unwrap_or_default())
    }
}
