//! Twin of `hdl/src/cc/hop.rs`: u' of one hop from its records in two ACKs.

use crate::golden::cc::share::Share;
use crate::golden::cc::Pipe;
use crate::golden::util::recip::reciprocal;
use crate::ports;
use crate::ports::Golden;

/// Cycles from the records to u'.
pub const LATENCY_CYCLES: usize = 13;
/// Cycles from the records to `bad`.
pub const CHECK_CYCLES: usize = 4;
/// Units of 128 bytes that may be more than the link carries in the time between two records: a
/// frame of 9216 bytes that is counted at the one of its ends and timed at the other, and what both
/// counts leave out of their last unit.
const SLACK_UNITS: u64 = 74;

/// Bit of `bad`: time goes back.
pub const BAD_TIME: u8 = 1;
/// Bit of `bad`: more bytes than the link carries.
pub const BAD_BYTES: u8 = 2;
/// Bit of `bad`: the queue is too long.
pub const BAD_QUEUE: u8 = 4;

ports! {
    /// Inputs.
    pub struct CcHopIn {
        /// Synchronous reset.
        pub reset: bool,
        /// T in ns, 20 bits.
        pub cfg_t_ns: u32,
        /// 1/T, UQ0.40.
        pub cfg_inv_t: u32,
        /// 0.625/T, UQ0.40.
        pub cfg_queue_gain: u32,
        /// What one unit of utilisation is; without mantissa: hops count bytes.
        pub cfg_util_gain: u32,
        /// What is checked.
        pub cfg_check: u32,
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
        /// Share of the way that the average goes to u': [`Share::word`].
        pub share: u64,
        /// [`CHECK_CYCLES`] behind its records: what no honest network says.
        pub bad: u8,
    }
}

/// u' of a hop in units of `nic_spec::cc_params::U_ONE`, and its tau; `None`: no information.
///
/// A hop that tells its utilisation sends that part of its link's rate; 40 Gb/s is none of the rates
/// that such a hop can have. Nor is it of one that tells how long a packet waited: that is over T, whatever
/// the link's rate.
pub fn hop_utilisation(queue_gain: u32, util_gain: u32, old: u64, new: u64) -> Option<(u64, u32)> {
    let delta = |lsb: u32, mask: u64| (new >> lsb).wrapping_sub(old >> lsb) & mask;
    let (tau_ns, tx_units) = (delta(3, 0xff_ffff), delta(27, 0xf_ffff));
    let queue_units = (old >> 47).min(new >> 47);
    let code = new & 7;
    let is_sojourn = util_gain >> 27 & 1 != 0;
    if tau_ns == 0 || code == 5 || code == 6 || is_sojourn && code == 7 {
        return None;
    }
    // 22 fraction bits become 36.
    let sent = match util_gain >> 21 & 1 {
        0 => {
            let recip = reciprocal(tau_ns);
            let rate = if is_sojourn { code } else { 0 };
            (tx_units * u64::from(recip.mantissa)) << 14 >> (u64::from(recip.exponent) + rate)
        }
        _ if code == 7 => return None,
        _ => {
            let (mantissa, exponent) = (util_gain & 0x3f_ffff, util_gain >> 22 & 31);
            let rate = if is_sojourn { 0 } else { code as u32 };
            let exponent = exponent.wrapping_sub(rate) & 31;
            ((new >> 27 & 0xf_ffff) * u64::from(mantissa)) << 14 >> exponent
        }
    };
    let queued = (queue_units * u64::from(queue_gain)) >> 4;
    let at_25_gbps = sent + queued;
    // The link's rate in units of 25 Gb/s is a power of two, or 8/5.
    let u = match code {
        _ if is_sojourn => at_25_gbps,
        7 => (at_25_gbps >> 1) + (at_25_gbps >> 3),
        _ => at_25_gbps >> code,
    };
    Some((u, tau_ns as u32))
}

/// What is wrong with the second of two records: `BAD_*`.
pub fn hop_check(check: u32, util_gain: u32, old: u64, new: u64) -> u8 {
    let field = |lsb: u32, bits: u32| check >> lsb & ((1 << bits) - 1);
    let tau_ns = (new >> 3).wrapping_sub(old >> 3) & 0xff_ffff;
    let before = if util_gain >> 21 & 1 == 0 { old >> 27 } else { 0 };
    let sent = (new >> 27).wrapping_sub(before) & 0xf_ffff;
    // 28 instead of 25 Gb/s, in bytes per 1024 ns of 128 bytes; 40 Gb/s as 56.
    let line = match new & 7 {
        5 | 6 => None,
        7 => Some((28 * tau_ns) << 1 >> 10),
        code => Some((28 * tau_ns) << code >> 10),
    };
    let above = sent.saturating_sub(SLACK_UNITS) << field(3, 3);
    let is_bad = [
        field(1, 1) != 0 && tau_ns >= 1 << 23,
        field(2, 1) != 0 && line.is_some_and(|line| above > line),
        new >> 47 > u64::from(field(6, 17)),
    ];
    is_bad.iter().enumerate().map(|(bit, bad)| u8::from(*bad) << bit).sum()
}

/// The block.
#[derive(Clone, Debug, Default)]
pub struct CcHop {
    utilisation: Pipe<CcHopOut, LATENCY_CYCLES>,
    checks: Pipe<u8, CHECK_CYCLES>,
}

impl Golden for CcHop {
    type In = CcHopIn;
    type Out = CcHopOut;
    fn step(&mut self, i: &CcHopIn) -> CcHopOut {
        let hop = match i.s_valid {
            true => hop_utilisation(i.cfg_queue_gain, i.cfg_util_gain, i.old_hop, i.new_hop),
            false => None,
        };
        let share = |tau_ns| Share::of(i.cfg_t_ns, i.cfg_inv_t, tau_ns).word();
        let result = hop.map(|(u, tau)| CcHopOut { m_valid: true, u, share: share(tau), bad: 0 });
        let bad = match i.s_valid {
            true => hop_check(i.cfg_check, i.cfg_util_gain, i.old_hop, i.new_hop),
            false => 0,
        };
        let out = self.utilisation.step(i.reset, result.unwrap_or_default());
        CcHopOut { bad: self.checks.step(i.reset, bad), ..out }
    }
}
