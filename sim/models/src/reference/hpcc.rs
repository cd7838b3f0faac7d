//! HPCC++ NewAck in f64, as the draft writes it (draft-pan-tsvwg-hpccplus-00, sections 4.2, 6.2), and
//! NewINT of a receiver that computes the window (section 6.2).
//!
//! Where the draft is silent: a hop whose time did not move or whose rate code names no rate is
//! skipped; tau is that of the first usable hop when all u' are 0; the first records of a flow, and
//! the first after a change of path or hop count, are only stored; an ACK without usable records
//! moves lastUpdateSeq only; PSNs compare as serial numbers of 24 bits; W and R are clamped.
//!
//! Telemetry that no honest network gives ([`Ignored`]) changes no more than the records that the
//! next ones are compared with, and with a PSN that was never sent not even these. A link may seem to
//! carry 12 % more than its rate (one of 40 Gb/s 40 %), a frame of 9216 bytes, and two units.

/// Most hops whose records are usable.
pub const HOPS_MAX: usize = 5;
const PSN_MASK: u32 = 0xff_ffff;

/// Link rate of a hop in bytes per ns; `None` for codes that name no rate (5, 6).
pub fn link_bytes_per_ns(code: u8) -> Option<f64> {
    match code {
        0..=4 => Some(3.125 * f64::from(1 << code)),
        7 => Some(5.0),
        _ => None,
    }
}

/// Whether `a` is behind `b` in 24-bit serial-number arithmetic: a > b.
pub fn psn_after(a: u32, b: u32) -> bool {
    let ahead = a.wrapping_sub(b) & PSN_MASK;
    ahead != 0 && ahead < 1 << 23
}

/// Parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Base round-trip time, ns.
    pub t_ns: f64,
    /// Target utilisation.
    pub eta: f64,
    /// Additive steps before a multiplicative one.
    pub max_stage: u32,
    /// Additive increase, bytes.
    pub w_ai_bytes: f64,
    /// Largest and first window, bytes.
    pub w_init_bytes: f64,
    /// Smallest window, bytes.
    pub w_min_bytes: f64,
    /// Smallest rate, bit/s.
    pub rate_min_bps: f64,
    /// Largest rate, bit/s.
    pub line_rate_bps: f64,
    /// Telemetry units are `128 * multi` bytes sent and `80 * multi` bytes queued.
    pub multi: f64,
    /// In the place of the queue hops tell how long a packet waited, in units of so many ns.
    pub sojourn_unit_ns: Option<f64>,
    /// Telemetry that no honest network gives is ignored.
    pub checks: bool,
    /// So are queues of more units of `80 * multi` bytes; always.
    pub queue_max_units: u32,
    /// In the place of the bytes sent hops tell their utilisation, of which this is all.
    pub utilisation_full: Option<f64>,
}

/// Telemetry of an ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Telemetry {
    /// Hops that the header counts.
    pub hop_count: u32,
    /// Path identifier.
    pub path: u16,
    /// Records in the native layout, first hop first.
    pub hops: [u64; HOPS_MAX],
}

impl Telemetry {
    /// Whether the records can be used.
    pub fn is_usable(&self) -> bool {
        (1..=HOPS_MAX as u32).contains(&self.hop_count)
    }

    fn is_same_path(&self, other: &Self) -> bool {
        (self.hop_count, self.path) == (other.hop_count, other.path)
    }
}

/// Why telemetry is ignored; the first of these counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// Its ACK is of a PSN that is not behind the next one to send.
    Psn,
    /// The time of a hop has gone back: it is ahead by 2^23 ns or more.
    Time,
    /// A hop has sent more than its link carries.
    Bytes,
    /// The queue of a hop is longer than may be.
    Queue,
}

/// What an ACK did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Wc, incStage and lastUpdateSeq were updated.
    pub full: bool,
    /// The records were only stored.
    pub first: bool,
    /// The telemetry was ignored.
    pub ignored: Option<Ignored>,
}

/// State of one flow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// Utilisation, averaged.
    pub u: f64,
    /// Window, bytes.
    pub w: f64,
    /// Reference window, bytes.
    pub wc: f64,
    /// Additive steps since the last multiplicative one.
    pub inc_stage: u32,
    /// An ACK behind this PSN makes the next full update.
    pub last_update_psn: u32,
    /// Of a receiver, in the place of that: time of the last full update, ns.
    pub last_update_ns: u64,
    /// Records of the last ACK.
    pub records: Option<Telemetry>,
}

impl Flow {
    /// A flow that has seen no ACK: U is 1, W is W_init.
    pub fn new(p: &Params) -> Self {
        let w = p.w_init_bytes;
        let (last_update_psn, last_update_ns) = (0, 0);
        Self { u: 1.0, w, wc: w, inc_stage: 0, last_update_psn, last_update_ns, records: None }
    }

    /// Pacing rate W/T, clamped, bit/s.
    pub fn rate_bps(&self, p: &Params) -> f64 {
        (self.w * 8e9 / p.t_ns).clamp(p.rate_min_bps, p.line_rate_bps)
    }

    /// Takes the ACK of `psn` with its telemetry, `snd_nxt` being the next PSN to send.
    pub fn new_ack(&mut self, p: &Params, psn: u32, snd_nxt: u32, tel: &Telemetry) -> Outcome {
        let snd_nxt = snd_nxt & PSN_MASK;
        if p.checks && !psn_after(snd_nxt, psn) {
            return Outcome { ignored: Some(Ignored::Psn), ..Outcome::default() };
        }
        let outcome = self.take(p, psn_after(psn, self.last_update_psn), tel);
        if outcome.full {
            self.last_update_psn = snd_nxt;
        }
        outcome
    }

    /// The draft's NewINT: takes the telemetry of a packet that has come at `now_ns`. W goes back to the
    /// sender after a full update.
    pub fn new_int(&mut self, p: &Params, now_ns: u64, tel: &Telemetry) -> Outcome {
        let is_due = now_ns as f64 > self.last_update_ns as f64 + p.t_ns;
        let outcome = self.take(p, is_due, tel);
        if outcome.full {
            self.last_update_ns = now_ns;
        }
        outcome
    }

    /// What both have in common. Without records of before no update is due.
    fn take(&mut self, p: &Params, is_due: bool, tel: &Telemetry) -> Outcome {
        if let Some(ignored) = self.ignores(p, tel) {
            self.records = Some(*tel);
            return Outcome { ignored: Some(ignored), ..Outcome::default() };
        }
        let full = self.records.is_some() && is_due;
        if !tel.is_usable() {
            return Outcome { full, ..Outcome::default() };
        }
        let Some(old) = self.records.replace(*tel).filter(|old| old.is_same_path(tel)) else {
            return Outcome { full: true, first: true, ignored: None };
        };
        self.measure_inflight(p, &old, tel);
        self.compute_wind(p, full);
        Outcome { full, ..Outcome::default() }
    }

    fn ignores(&self, p: &Params, tel: &Telemetry) -> Option<Ignored> {
        let old = self.records.filter(|old| tel.is_usable() && old.is_same_path(tel))?;
        let hops = || old.hops.into_iter().zip(tel.hops).take(tel.hop_count as usize);
        let is_back = |(old, new)| field(new, 3, 24).wrapping_sub(field(old, 3, 24)) >> 23 & 1 != 0;
        if p.checks && hops().any(is_back) {
            return Some(Ignored::Time);
        }
        if p.checks && hops().any(|(old, new)| is_above_line(p, old, new)) {
            return Some(Ignored::Bytes);
        }
        let is_long = |(_, new)| field(new, 47, 17) > u64::from(p.queue_max_units);
        hops().any(is_long).then_some(Ignored::Queue)
    }

    /// The draft's MeasureInflight.
    fn measure_inflight(&mut self, p: &Params, old: &Telemetry, new: &Telemetry) {
        let mut worst: Option<(f64, f64)> = None;
        for i in 0..new.hop_count as usize {
            let Some((u, tau)) = hop_utilisation(p, old.hops[i], new.hops[i]) else { continue };
            if worst.is_none_or(|(u_max, _)| u > u_max) {
                worst = Some((u, tau));
            }
        }
        let Some((u, tau)) = worst else { return };
        let tau = tau.min(p.t_ns);
        self.u = (1.0 - tau / p.t_ns) * self.u + tau / p.t_ns * u;
    }

    /// The draft's ComputeWind.
    fn compute_wind(&mut self, p: &Params, update_wc: bool) {
        let multiplicative = self.u >= p.eta || self.inc_stage >= p.max_stage;
        let w = if multiplicative {
            self.wc / (self.u / p.eta) + p.w_ai_bytes
        } else {
            self.wc + p.w_ai_bytes
        };
        self.w = w.max(p.w_min_bytes).min(p.w_init_bytes);
        if update_wc {
            self.wc = self.w;
            self.inc_stage = if multiplicative { 0 } else { self.inc_stage + 1 };
        }
    }
}

/// Flows that are active, and the additive increase of each of them: the draft's W_ai is
/// W_init (1 - eta) / N. N is the number of flows that had a full update in the window that ended
/// last; 1 if none had, and before the first one has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActiveFlows {
    seen: std::collections::BTreeSet<u32>,
    count: usize,
}

impl ActiveFlows {
    /// A full update of `flow` in the present window.
    pub fn full_update(&mut self, flow: u32) {
        self.seen.insert(flow);
    }

    /// The window ends, the next one begins.
    pub fn end_window(&mut self) {
        self.count = self.seen.len();
        self.seen.clear();
    }

    /// W_ai of each flow, if that of a flow alone is `w_ai_bytes`.
    pub fn w_ai_bytes(&self, w_ai_bytes: f64) -> f64 {
        w_ai_bytes / self.count.max(1) as f64
    }
}

fn field(word: u64, lsb: u32, bits: u32) -> u64 {
    (word >> lsb) & ((1 << bits) - 1)
}

/// Whether a hop has sent more between two records than its link carries.
fn is_above_line(p: &Params, old: u64, new: u64) -> bool {
    let Some(link) = link_bytes_per_ns((new & 7) as u8).filter(|_| p.utilisation_full.is_none())
    else {
        return false;
    };
    let delta = |lsb, bits| {
        let mask = (1_u64 << bits) - 1;
        (field(new, lsb, bits).wrapping_sub(field(old, lsb, bits)) & mask) as f64
    };
    // A unit is taken for the next power of two below it.
    let unit_bytes = 128.0 * p.multi.log2().floor().exp2();
    let at_most = if link == 5.0 { 7.0 } else { link * 28.0 / 25.0 };
    // 9216 bytes are 72 units; two more may be begun.
    (delta(27, 20) - 74.0) * unit_bytes > at_most * delta(3, 24)
}

/// u' of a hop and its tau in ns; `None` if the hop carries no information.
pub fn hop_utilisation(p: &Params, old: u64, new: u64) -> Option<(f64, f64)> {
    let delta = |lsb, bits| {
        let d = field(new, lsb, bits).wrapping_sub(field(old, lsb, bits));
        (d & ((1 << bits) - 1)) as f64
    };
    let (tau, tx_bytes) = (delta(3, 24), delta(27, 20) * 128.0 * p.multi);
    let queue = field(old, 47, 17).min(field(new, 47, 17)) as f64;
    let b = link_bytes_per_ns((new & 7) as u8)?;
    let queued = match p.sojourn_unit_ns {
        // 40 Gb/s is none of the rates that such a hop can have.
        Some(_) if new & 7 == 7 => return None,
        Some(unit_ns) => queue * unit_ns / p.t_ns,
        None => queue * 80.0 * p.multi / (b * p.t_ns),
    };
    let tx = match p.utilisation_full {
        // 40 Gb/s is none of the rates that such a hop can have.
        Some(_) if new & 7 == 7 => return None,
        Some(full) => field(new, 27, 20) as f64 / full,
        None => tx_bytes / tau / b,
    };
    (tau > 0.0).then_some((queued + tx, tau))
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: Params = Params {
        t_ns: 1000.0,
        eta: 0.95,
        max_stage: 5,
        w_ai_bytes: 10.0,
        w_init_bytes: 12500.0,
        w_min_bytes: 12.5,
        rate_min_bps: 100e6,
        line_rate_bps: 100e9,
        multi: 1.0,
        sojourn_unit_ns: None,
        checks: false,
        queue_max_units: 0x1_ffff,
        utilisation_full: None,
    };

    fn tel(ts_ns: u64, tx: u64, queue: u64) -> Telemetry {
        let mut t = Telemetry { hop_count: 1, ..Telemetry::default() };
        t.hops[0] = 2 | (ts_ns & 0xff_ffff) << 3 | (tx & 0xf_ffff) << 27 | queue << 47;
        t
    }

    fn started(records: &Telemetry) -> Flow {
        let mut flow = Flow::new(&P);
        assert!(flow.new_ack(&P, 1, 100, records).first);
        flow
    }

    #[test]
    fn hpcc_first_records_are_only_stored() {
        let flow = started(&tel(5, 6, 7));
        assert_eq!((flow.w, flow.u, flow.last_update_psn), (12500.0, 1.0, 100));
    }

    #[test]
    fn hpcc_half_loaded_link_counts_by_the_draft() {
        let mut flow = started(&tel(0xff_ff00, 0xf_fff0, 0));
        // 500 ns, 25 x 128 bytes at 12.5 bytes/ns: u' = 0.512; tau/T = 0.5: U = 0.756.
        let outcome = flow.new_ack(&P, 101, 200, &tel(0xff_ff00 + 500, 0xf_fff0 + 25, 9));
        assert_eq!(outcome, Outcome { full: true, ..Outcome::default() });
        assert!((flow.u - 0.756).abs() < 1e-12);
        assert_eq!((flow.inc_stage, flow.w), (1, 12500.0));
    }

    #[test]
    fn hpcc_time_that_stands_still_changes_no_utilisation() {
        let mut flow = started(&tel(7, 0, 0));
        flow.new_ack(&P, 2, 100, &tel(7, 9, 0));
        assert_eq!(flow.u, 1.0);
        assert!(flow.w.is_finite());
    }

    #[test]
    fn hpcc_idle_link_lets_utilisation_decay() {
        let mut flow = started(&tel(0, 3, 0));
        flow.new_ack(&P, 2, 100, &tel(250, 3, 8));
        assert_eq!(flow.u, 0.75);
        flow.new_ack(&P, 2, 100, &tel(250 + 2000, 3, 0));
        assert_eq!(flow.u, 0.0);
        flow.inc_stage = 5;
        flow.new_ack(&P, 2, 100, &tel(250 + 4000, 3, 0));
        assert_eq!(flow.w, P.w_init_bytes);
    }

    #[test]
    fn hpcc_new_path_and_too_many_hops_leave_the_window_alone() {
        let mut flow = started(&tel(0, 0, 0));
        let before = flow;
        let moved = Telemetry { path: 9, ..tel(100, 100, 100) };
        assert!(flow.new_ack(&P, 2, 120, &moved).first);
        assert_eq!((flow.w, flow.u, flow.last_update_psn), (before.w, before.u, 120));
        let long = Telemetry { hop_count: 6, ..tel(200, 200, 200) };
        assert!(flow.new_ack(&P, 121, 140, &long).full);
        assert_eq!((flow.records, flow.last_update_psn), (Some(moved), 140));
    }

    #[test]
    fn hpcc_receiver_sends_the_window_once_in_t() {
        let mut flow = Flow::new(&P);
        let sends = [100, 600, 1100, 1101, 2000, 2101, 2102, 9000].map(|now_ns| {
            // An idle link: additive steps, of which one in T counts.
            let outcome = flow.new_int(&P, now_ns, &tel(now_ns, 0, 0));
            (outcome.full, outcome.first, flow.inc_stage)
        });
        // T is 1000 ns, and more than T must have gone by.
        let (first, no, send) = ((true, true, 0), |n| (false, false, n), |n| (true, false, n));
        assert_eq!(sends, [first, no(0), no(0), send(1), no(1), no(1), send(2), send(3)]);
        assert_eq!((flow.last_update_ns, flow.last_update_psn), (9000, 0));
    }

    #[test]
    fn hpcc_psn_compares_across_the_wrap() {
        assert!(psn_after(3, 0xff_fff0));
        assert!(!psn_after(0xff_fff0, 3));
        assert!(!psn_after(8, 8));
        assert!(!psn_after(0x80_0008, 8));
    }
}
