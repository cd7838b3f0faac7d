//! Pins of the CC units.

use crate::ports;
use nic_spec::cc_params::CcParams;

/// `worst_hop` of `m_rate` that is no hop.
pub const NO_HOP: u8 = 7;

/// `op` of `m_rate`: window and rate of an ACK.
pub const OP_UPDATE: u8 = 0;

/// `op` of `s_flow` and `m_rate`.
pub const OP_CREATE: u8 = 1;

/// `op` of `s_flow` and `m_rate`.
pub const OP_REMOVE: u8 = 2;

ports! {
    /// Telemetry of a packet.
    pub struct Tel {
        /// The packet carried telemetry.
        pub valid: bool,
        /// Records; 6: more than five, not usable.
        pub hops: u8,
        /// Path identifier, 12 bits.
        pub path: u16,
        /// Records in the native layout.
        pub hop: [u64; 5],
    }
}

ports! {
    /// An ACK.
    pub struct CcAck {
        pub valid: bool,
        pub flow: u16,
        /// PSN it acknowledges.
        pub psn: u32,
        /// Next PSN the flow will send.
        pub snd_nxt: u32,
        pub tel: Tel,
    }
}

ports! {
    /// A flow comes or goes.
    pub struct CcFlow {
        pub valid: bool,
        pub flow: u16,
        /// 1 create, else remove.
        pub op: u8,
        /// The flow's ACKs carry telemetry; else window and rate stay as given here.
        pub telemetry: bool,
        pub window_bytes: u32,
        /// UQ8.24 bytes a cycle; used without telemetry.
        pub rate: u32,
    }
}

ports! {
    /// Ready of a stream.
    pub struct CcReady {
        pub ready: bool,
    }
}

ports! {
    /// Inputs.
    pub struct CcUnitIn {
        pub reset: bool,
        pub cfg: CcCfg,
        pub s_ack: CcAck,
        pub s_flow: CcFlow,
        pub m_rate: CcReady,
    }
}

ports! {
    /// Window and rate of a flow, and the state behind them.
    pub struct CcRate {
        pub valid: bool,
        pub flow: u16,
        pub op: u8,
        pub window_bytes: u32,
        /// UQ8.24 bytes a cycle.
        pub rate: u32,
        /// UQ21.36.
        pub u: u64,
        /// UQ32.16 bytes.
        pub wc_bytes: u64,
        pub inc_stage: u8,
        pub last_update_psn: u32,
        /// Wc, incStage and lastUpdateSeq were updated.
        pub full: bool,
        /// The records were only stored.
        pub first: bool,
        /// Hop with the largest u' of this update; [`NO_HOP`]: no hop told anything, or no update.
        pub worst_hop: u8,
    }
}

ports! {
    /// Telemetry that was ignored, by reason.
    pub struct CcEvents {
        pub psn: bool,
        pub time: bool,
        pub bytes: bool,
        pub queue: bool,
    }
}

impl CcEvents {
    /// The event of `ignored`.
    pub fn of(ignored: Option<Ignored>) -> Self {
        let is = |reason| ignored == Some(reason);
        Self {
            psn: is(Ignored::Psn),
            time: is(Ignored::Time),
            bytes: is(Ignored::Bytes),
            queue: is(Ignored::Queue),
        }
    }
}

ports! {
    /// Outputs.
    pub struct CcUnitOut {
        pub s_ack: CcReady,
        pub s_flow: CcReady,
        pub m_rate: CcRate,
        pub event_cc: CcEvents,
    }
}

/// Why telemetry is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// Its ACK is of a PSN that was never sent.
    Psn,
    /// The time of a hop has gone back.
    Time,
    /// A hop has sent more than its link carries.
    Bytes,
    /// The queue of a hop is too long.
    Queue,
}

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
