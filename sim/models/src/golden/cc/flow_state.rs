//! NewAck as integers: what an ACK does to the state of its flow, in whichever schedule.
//!
//! The twins of `hdl/src/cc/unit.rs` and `hdl/src/cc/wide/unit.rs` differ in when they call it.

use super::ewma::ewma;
use super::hop::{hop_check, hop_utilisation, BAD_BYTES, BAD_QUEUE, BAD_TIME};
use super::wind::compute_wind;
use super::CcCfg;
use crate::streams::{AckTelemetry, Decision, FlowCommand, Telemetry};
use nic_spec::cc_params::{CHECK_PSN, W_FRACTION_BITS};

/// `worst_hop` of `m_rate` that is no hop.
pub const NO_HOP: u8 = 7;

/// `op` of `m_rate`: window and rate of an ACK.
pub const OP_UPDATE: u8 = 0;
/// `op` of `s_flow` and `m_rate`.
pub const OP_CREATE: u8 = 1;
/// `op` of `s_flow` and `m_rate`.
pub const OP_REMOVE: u8 = 2;

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

/// State of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FlowState {
    /// The flow exists.
    pub created: bool,
    /// Its ACKs carry telemetry.
    pub telemetry: bool,
    /// Records of the last usable ACK, if there was one.
    pub records: Option<Telemetry>,
    /// An ACK behind this PSN makes the next full update.
    pub last_update_psn: u32,
    /// Additive steps since the last multiplicative one.
    pub inc_stage: u8,
    /// W, UQ32.16.
    pub w: u64,
    /// Wc, UQ32.16.
    pub wc: u64,
    /// U, UQ21.36.
    pub u: u64,
}

impl FlowState {
    /// Carries out a flow command; what it tells the scheduler.
    pub fn command(&mut self, cfg: &CcCfg, c: &FlowCommand) -> Decision {
        let window = u64::from(c.window_bytes) << W_FRACTION_BITS;
        let wind = compute_wind(cfg, true, 0, window, 0);
        let created = c.op == OP_CREATE;
        *self = Self {
            created,
            telemetry: c.telemetry,
            w: wind.w,
            wc: wind.w,
            u: cfg.u_one.into(),
            ..Self::default()
        };
        let adaptive = created && c.telemetry;
        Decision {
            op: c.op,
            window_bytes: if adaptive { self.window_bytes() } else { c.window_bytes },
            rate: if adaptive { wind.rate } else { c.rate },
            ..self.rate(c.flow, wind.rate)
        }
    }

    /// Why the telemetry of `ack`, compared with the records `old`, is ignored, if it is.
    fn ignores(cfg: &CcCfg, ack: &AckTelemetry, old: Option<&Telemetry>) -> Option<Ignored> {
        let behind = ack.snd_nxt.wrapping_sub(ack.psn) & 0xff_ffff;
        if cfg.check & CHECK_PSN != 0 && !(1..1 << 23).contains(&behind) {
            return Some(Ignored::Psn);
        }
        let hops = old?.hop.iter().zip(&ack.tel.hop).take(ack.tel.hops.into());
        let bad = hops.map(|(old, new)| hop_check(cfg.check, cfg.util_gain, *old, *new));
        let bad = bad.fold(0, |all, bad| all | bad);
        let reasons =
            [(BAD_TIME, Ignored::Time), (BAD_BYTES, Ignored::Bytes), (BAD_QUEUE, Ignored::Queue)];
        reasons.iter().find(|(bit, _)| bad & bit != 0).map(|(_, reason)| *reason)
    }

    /// The draft's NewAck; `None` if the flow doesn't adapt or the ACK has no telemetry.
    ///
    /// # Errors
    /// Why the telemetry is ignored. Of an ACK for what was never sent nothing is kept; of the others
    /// the records are stored, so that the next ones are compared with them.
    pub fn new_ack(
        &mut self,
        cfg: &CcCfg,
        ack: &AckTelemetry,
    ) -> Result<Option<Decision>, Ignored> {
        if !self.created || !self.telemetry || !ack.tel.valid {
            return Ok(None);
        }
        let usable = (1..=5).contains(&ack.tel.hops);
        let key = |tel: &Telemetry| (tel.hops, tel.path);
        let comparable = self.records.filter(|old| usable && key(old) == key(&ack.tel));
        if let Some(ignored) = Self::ignores(cfg, ack, comparable.as_ref()) {
            if ignored != Ignored::Psn {
                self.records = Some(ack.tel);
            }
            return Err(ignored);
        }
        let is_due = self.records.is_some() && self.is_past(cfg, ack);
        let first = usable && comparable.is_none();
        let full = is_due || first;
        let (rate, worst_hop) = if let Some(old) = comparable {
            self.update(cfg, &old, &ack.tel, full)
        } else {
            let wind = compute_wind(cfg, true, self.u, self.w, self.inc_stage);
            self.w = wind.w;
            (wind.rate, NO_HOP)
        };
        if full {
            self.last_update_psn = ack.snd_nxt;
        }
        if usable {
            self.records = Some(ack.tel);
        }
        Ok(Some(Decision { full, first, worst_hop, ..self.rate(ack.flow, rate) }))
    }

    /// Whether an ACK is behind lastUpdateSeq, or a packet has come later than T after the last full
    /// update: then lastUpdateSeq, this update's time + T, is not between its time and T later.
    fn is_past(&self, cfg: &CcCfg, ack: &AckTelemetry) -> bool {
        let distance = |from: u32, to: u32| to.wrapping_sub(from) & 0xff_ffff;
        match cfg.by_time {
            true => distance(ack.psn, self.last_update_psn) > distance(ack.psn, ack.snd_nxt),
            false => (1..1 << 23).contains(&distance(self.last_update_psn, ack.psn)),
        }
    }

    /// R, and the hop with the largest u'.
    fn update(&mut self, cfg: &CcCfg, old: &Telemetry, new: &Telemetry, full: bool) -> (u32, u8) {
        let mut worst: Option<(u64, u32)> = None;
        let mut worst_hop = NO_HOP;
        for i in 0..new.hops {
            let (old, new) = (old.hop[usize::from(i)], new.hop[usize::from(i)]);
            let hop = hop_utilisation(cfg.queue_gain, cfg.util_gain, old, new);
            let is_worse = hop.is_some_and(|(u, _)| worst.is_none_or(|(most, _)| u > most));
            if is_worse {
                (worst, worst_hop) = (hop, i);
            }
        }
        if let Some((u_hop, tau_ns)) = worst {
            self.u = ewma(cfg.t_ns, cfg.inv_t, self.u, u_hop, tau_ns);
        }
        let wind = compute_wind(cfg, false, self.u, self.wc, self.inc_stage);
        self.w = wind.w;
        if full {
            self.wc = wind.w;
            self.inc_stage = wind.m_inc_stage;
        }
        (wind.rate, worst_hop)
    }

    fn window_bytes(&self) -> u32 {
        (self.w >> W_FRACTION_BITS) as u32
    }

    fn rate(&self, flow: u16, rate: u32) -> Decision {
        Decision {
            valid: true,
            flow,
            op: OP_UPDATE,
            window_bytes: self.window_bytes(),
            rate,
            u: self.u,
            wc_bytes: self.wc,
            inc_stage: self.inc_stage,
            last_update_psn: self.last_update_psn,
            full: false,
            first: false,
            worst_hop: NO_HOP,
        }
    }
}
