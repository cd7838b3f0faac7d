//! Twin of `cc/cc_hop`: u' of one hop from its records in two ACKs.

use super::Pipe;
use crate::golden::util::recip::reciprocal;
use crate::ports;
use crate::ports::Golden;

/// Cycles from the records to u'.
pub const LATENCY_CYCLES: usize = 16;

ports! {
    /// Inputs.
    pub struct CcHopIn {
        /// Synchronous reset.
        pub reset: bool,
        /// 0.625/T, UQ0.40.
        pub cfg_queue_gain: u32,
        /// What one unit of utilisation is; without mantissa: hops count bytes.
        pub cfg_util_gain: u32,
        /// The records are of a counted hop.
        pub s_valid: bool,
        /// Record of the ACK before.
        pub old_hop: u64,
        /// Record of this ACK.
        pub new_hop: u64,
    }
}
ports! {
    /// Utilisation of one hop; all 0 unless `m_valid`.
    pub struct CcHopOut {
        /// The hop carries information.
        pub m_valid: bool,
        /// u', UQ21.36.
        pub u: u64,
        /// tau: time between the records, ns.
        pub tau_ns: u32,
    }
}

/// u' of a hop in units of `nic_spec::cc_params::U_ONE`, and its tau; `None`: no information.
///
/// A hop that tells its utilisation sends that part of its link's rate; 40 Gb/s is none of the rates
/// that such a hop can have.
pub fn hop_utilisation(queue_gain: u32, util_gain: u32, old: u64, new: u64) -> Option<(u64, u32)> {
    let delta = |lsb: u32, mask: u64| (new >> lsb).wrapping_sub(old >> lsb) & mask;
    let (tau_ns, tx_units) = (delta(3, 0xff_ffff), delta(27, 0xf_ffff));
    let queue_units = (old >> 47).min(new >> 47);
    let code = new & 7;
    if tau_ns == 0 || code == 5 || code == 6 {
        return None;
    }
    // 22 fraction bits become 36.
    let sent = match util_gain >> 21 & 1 {
        0 => {
            let recip = reciprocal(tau_ns);
            (tx_units * u64::from(recip.mantissa)) << 14 >> recip.exponent
        }
        _ if code == 7 => return None,
        _ => {
            let (mantissa, exponent) = (util_gain & 0x3f_ffff, util_gain >> 22 & 31);
            let exponent = exponent.wrapping_sub(code as u32) & 31;
            ((new >> 27 & 0xf_ffff) * u64::from(mantissa)) << 14 >> exponent
        }
    };
    let queued = (queue_units * u64::from(queue_gain)) >> 4;
    let at_25_gbps = sent + queued;
    // The link's rate in units of 25 Gb/s is a power of two, or 8/5.
    let u = match code {
        7 => (at_25_gbps >> 1) + (at_25_gbps >> 3),
        _ => at_25_gbps >> code,
    };
    Some((u, tau_ns as u32))
}

/// The block.
#[derive(Clone, Debug, Default)]
pub struct CcHop(Pipe<CcHopOut, LATENCY_CYCLES>);

impl Golden for CcHop {
    type In = CcHopIn;
    type Out = CcHopOut;
    fn step(&mut self, i: &CcHopIn) -> CcHopOut {
        let hop = match i.s_valid {
            true => hop_utilisation(i.cfg_queue_gain, i.cfg_util_gain, i.old_hop, i.new_hop),
            false => None,
        };
        let result = hop.map(|(u, tau_ns)| CcHopOut { m_valid: true, u, tau_ns });
        self.0.step(i.reset, result.unwrap_or_default())
    }
}
