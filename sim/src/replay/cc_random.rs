//! Random ACKs through the golden arithmetic of the CC unit, each compared with the f64 reference
//! stepped from the same state.
//!
//! A chunk of ACKs has parameters of its own, and its flow starts again now and then from a random
//! state, so that every number format is met from its smallest to its largest value. Every error
//! is also measured against the bound that `hdl/number-formats.md` derives for it.

use super::cc_trace::reference_params;
use nic_models::golden::cc::unit::{FlowState, NO_HOP, OP_CREATE};
use nic_models::golden::cc::CcCfg;
use nic_models::reference::hpcc::{hop_utilisation, Flow, Params, Telemetry, HOPS_MAX};
use nic_models::streams::{self, AckTelemetry, Decision, FlowCommand};
use nic_spec::cc_params::{CcConfig, CcParams, U_ONE, W_FRACTION_BITS};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// ACKs with the same parameters.
pub const CHUNK_ACKS: u64 = 4096;
/// Below this U errors count by their amount instead of their share.
pub const U_SMALL: f64 = 1.0 / 4096.0;
/// Two decisions may differ where U is this near to eta, as a share of eta.
pub const ETA_MARGIN: f64 = 1.0 / 4096.0;
/// 2^-36 in units of U = 1 with records of 128 and 80 bytes: 1024/25 x 2^-36.
const U_UNIT: f64 = 1024.0 / 25.0 / 68_719_476_736.0;
const TIME_MASK: u64 = 0xff_ffff;
const SENT_MASK: u64 = 0xf_ffff;
const QUEUE_MASK: u64 = 0x1_ffff;
const PSN_MASK: u32 = 0xff_ffff;

/// Largest and mean relative error of a quantity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Error {
    /// Values compared.
    pub count: u64,
    /// Greatest relative error.
    pub relative_max: f64,
    /// Sum of the relative errors.
    relative_sum: f64,
    /// Greatest difference in the quantity's unit.
    pub absolute_max: f64,
    /// Greatest difference as a share of its bound.
    pub of_bound_max: f64,
}

impl Error {
    fn add(&mut self, is: f64, should_be: f64, least: f64, bound: f64) {
        let distance = (is - should_be).abs();
        let relative = distance / should_be.abs().max(least);
        self.count += 1;
        self.of_bound_max = self.of_bound_max.max(distance / bound);
        self.relative_max = self.relative_max.max(relative);
        self.relative_sum += relative;
        self.absolute_max = self.absolute_max.max(distance);
    }

    /// Mean relative error.
    pub fn relative_mean(&self) -> f64 {
        self.relative_sum / self.count.max(1) as f64
    }

    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.relative_max = self.relative_max.max(other.relative_max);
        self.relative_sum += other.relative_sum;
        self.absolute_max = self.absolute_max.max(other.absolute_max);
        self.of_bound_max = self.of_bound_max.max(other.of_bound_max);
    }
}

/// What rounding can do to U, W and R: `hdl/number-formats.md`.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    u: f64,
    w: f64,
    rate_bps: f64,
}

/// The hop that a flow's U follows.
#[derive(Clone, Copy, Debug)]
struct Worst {
    u: f64,
    tau_ns: f64,
    /// What rounding can do to its u'.
    bound: f64,
    /// Another hop with another tau is so near that rounding decides between them.
    is_tie: bool,
    /// Its index, if no other comes near.
    index: Option<usize>,
}

/// How often the ACKs met what is extreme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extremes {
    /// Hops whose time stood still.
    pub time_still: u64,
    /// Hops whose time moved by 1 ns.
    pub time_one: u64,
    /// Hops whose time wrapped.
    pub time_wrap: u64,
    /// Hops whose count of bytes wrapped.
    pub sent_wrap: u64,
    /// Hops with the fullest queue that the field can say.
    pub queue_full: u64,
    /// Hops with an empty queue.
    pub queue_empty: u64,
    /// ACKs of 0 hops.
    pub hops_0: u64,
    /// ACKs of 5 hops.
    pub hops_5: u64,
    /// ACKs of more hops than can be used.
    pub hops_6: u64,
    /// Updates with U below 2^-12.
    pub u_small: u64,
    /// Updates with U above 1000.
    pub u_large: u64,
}

/// What a run found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// ACKs.
    pub acks: u64,
    /// ACKs that changed Wc.
    pub full: u64,
    /// U; relative from [`U_SMALL`] on.
    pub u: Error,
    /// W in bytes.
    pub w: Error,
    /// R in bit/s.
    pub rate: Error,
    /// W further than 0.1 % and 16 bytes away.
    pub w_far: u64,
    /// ACKs left out because two hops are so near to each other that rounding picks the worse one.
    pub ties: u64,
    /// Steps that were additive here and multiplicative there with U within [`ETA_MARGIN`] of eta.
    pub decisions_near: u64,
    /// The same with U elsewhere.
    pub decisions_wrong: u64,
    /// ACKs after which incStage, lastUpdateSeq, `full` or `first` differ for another reason.
    pub other_outcome: u64,
    /// What was met.
    pub extremes: Extremes,
}

impl Statistics {
    /// Adds the results of another run.
    pub fn merge(&mut self, other: &Self) {
        self.acks += other.acks;
        self.full += other.full;
        self.u.merge(&other.u);
        self.w.merge(&other.w);
        self.rate.merge(&other.rate);
        self.w_far += other.w_far;
        self.ties += other.ties;
        self.decisions_near += other.decisions_near;
        self.decisions_wrong += other.decisions_wrong;
        self.other_outcome += other.other_outcome;
        let (a, b) = (&mut self.extremes, &other.extremes);
        a.time_still += b.time_still;
        a.time_one += b.time_one;
        a.time_wrap += b.time_wrap;
        a.sent_wrap += b.sent_wrap;
        a.queue_full += b.queue_full;
        a.queue_empty += b.queue_empty;
        a.hops_0 += b.hops_0;
        a.hops_5 += b.hops_5;
        a.hops_6 += b.hops_6;
        a.u_small += b.u_small;
        a.u_large += b.u_large;
    }
}

/// Chunk `index` of the run of `seed`: `acks` ACKs.
pub fn chunk(seed: u64, index: u64, acks: u64) -> Statistics {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(index);
    let (config, registers) = parameters(&mut rng);
    let mut chunk = Chunk {
        params: reference_params(&config),
        cfg: registers.into(),
        config,
        flow: FlowState::default(),
        path: 0,
        hop_count: 1,
        statistics: Statistics::default(),
        rng,
    };
    chunk.restart();
    (0..acks).for_each(|_| chunk.ack());
    chunk.statistics
}

/// `2^x` for a random `x` in a range.
fn log_uniform(rng: &mut ChaCha8Rng, from: f64, to: f64) -> f64 {
    rng.gen_range(from.log2()..to.log2()).exp2()
}

/// Random parameters that the registers can hold.
fn parameters(rng: &mut ChaCha8Rng) -> (CcConfig, CcParams) {
    loop {
        let line_rate_bps = [10e9, 25e9, 40e9, 50e9, 100e9, 200e9, 400e9][rng.gen_range(0..7)];
        let t_ns = log_uniform(rng, 257.0, 1_048_575.0) as u32;
        let bdp_bytes = line_rate_bps * f64::from(t_ns) / 8e9;
        let config = CcConfig {
            t_ns,
            eta: if rng.gen_ratio(1, 4) { rng.gen_range(0.05..2.0) } else { 0.95 },
            max_stage: [0, 1, 5, 5, 255][rng.gen_range(0..5)],
            w_ai_bytes: log_uniform(rng, 1.0 / 1024.0, bdp_bytes.min(4e6)),
            w_init_bytes: (bdp_bytes * log_uniform(rng, 0.1, 4.0)).max(1.0) as u32,
            line_rate_bps,
            rate_min_bps: line_rate_bps * log_uniform(rng, 1e-4, 0.5),
            multi: [1, 1, 1, 2, 16][rng.gen_range(0..5)],
            utilisation_full: rng.gen_ratio(1, 4).then(|| rng.gen_range(100..1 << 20)),
            queue_unit_bytes: 80.0,
            sojourn_unit_ns: None,
            // The arithmetic is tried on everything that the formats can say.
            checks: false,
            queue_max_bytes: f64::INFINITY,
            time_unit_ns: 1.0,
            active_window_ns: None,
            clock_hz: [125_000_000, 156_250_000, 250_000_000, 322_265_625][rng.gen_range(0..4)],
        };
        if let Ok(registers) = CcParams::derive(&config) {
            return (config, registers);
        }
    }
}

struct Chunk {
    rng: ChaCha8Rng,
    config: CcConfig,
    params: Params,
    cfg: CcCfg,
    flow: FlowState,
    path: u16,
    hop_count: u8,
    statistics: Statistics,
}

impl Chunk {
    /// The flow as it is created.
    fn restart(&mut self) {
        let window_bytes = self.config.w_init_bytes;
        let create = FlowCommand {
            valid: true,
            flow: 0,
            op: OP_CREATE,
            telemetry: true,
            window_bytes,
            rate: 0,
        };
        self.flow.command(&self.cfg, &create);
    }

    /// U and windows anywhere in their range.
    fn jump(&mut self) {
        let rng = &mut self.rng;
        let one = U_ONE as f64 / f64::from(self.config.multi);
        self.flow.u = match rng.gen_range(0..4) {
            0 => (self.config.eta * one * (1.0 + rng.gen_range(-1e-3..1e-3))) as u64,
            _ => log_uniform(rng, U_SMALL * one / 16.0, (1_u64 << 57) as f64) as u64,
        };
        let (least, most) = (f64::from(self.cfg.w_min) / 1024.0, self.cfg.w_init.into());
        let mut window = || {
            let bytes = if least < most { log_uniform(rng, least, most) } else { most };
            (bytes * f64::from(1 << W_FRACTION_BITS)) as u64
        };
        (self.flow.w, self.flow.wc) = (window(), window());
        self.flow.inc_stage = rng.gen();
        self.flow.last_update_psn = rng.gen::<u32>() & PSN_MASK;
    }

    fn ack(&mut self) {
        match self.rng.gen_range(0..64) {
            0 => self.restart(),
            1..=8 => self.jump(),
            9 => self.path = self.rng.gen_range(0..4096),
            10 | 11 => self.hop_count = self.rng.gen_range(0..7),
            12 => self.hop_count = 5,
            _ => {}
        }
        let before = self.flow.records.unwrap_or_default().hop;
        let hop = before.map(|old| self.record(old));
        let tel = streams::Telemetry { valid: true, hops: self.hop_count, path: self.path, hop };
        let ahead = [0, 1, 1, 7, 1 << 22, PSN_MASK][self.rng.gen_range(0..6)];
        let psn = self.flow.last_update_psn.wrapping_add(ahead) & PSN_MASK;
        let snd_nxt = psn.wrapping_add(self.rng.gen_range(1..1 << 12)) & PSN_MASK;
        let reference = self.reference();
        let rate =
            self.flow.new_ack(&self.cfg, &AckTelemetry { valid: true, flow: 0, psn, snd_nxt, tel });
        let rate = rate.ok().flatten().expect("the flow adapts, its telemetry is honest");
        let tel = Telemetry { hop_count: tel.hops.into(), path: tel.path, hops: hop };
        self.compare(reference, psn, snd_nxt, &tel, &rate);
    }

    /// The next record of a hop.
    fn record(&mut self, old: u64) -> u64 {
        let (rng, t_ns) = (&mut self.rng, u64::from(self.config.t_ns));
        let dt_ns = match rng.gen_range(0..16) {
            0 => 0,
            1 => 1,
            2 => TIME_MASK,
            3 => t_ns - 1 + rng.gen_range(0..3),
            4..=7 => log_uniform(rng, 2.0, TIME_MASK as f64) as u64,
            _ => log_uniform(rng, 2.0, t_ns as f64) as u64,
        };
        let code = if rng.gen_ratio(1, 50) {
            rng.gen_range(5..7)
        } else {
            [0, 1, 2, 3, 4, 7][rng.gen_range(0..6)]
        };
        let sent = match rng.gen_range(0..16) {
            0 => 0,
            1 => SENT_MASK,
            2 => rng.gen_range(0..=SENT_MASK),
            // What a link of 10 to 400 Gb/s sends in this time at a utilisation of 2^-12 to 4.
            _ => {
                let bytes =
                    log_uniform(rng, 1.25, 50.0) * dt_ns as f64 * log_uniform(rng, U_SMALL, 4.0);
                ((bytes / 128.0 / f64::from(self.config.multi)) as u64).min(SENT_MASK)
            }
        };
        let queue = match rng.gen_range(0..8) {
            0..=2 => 0,
            3 => QUEUE_MASK,
            _ => log_uniform(rng, 1.0, QUEUE_MASK as f64) as u64,
        };
        let met = &mut self.statistics.extremes;
        let (time, total) = ((old >> 3 & TIME_MASK) + dt_ns, (old >> 27 & SENT_MASK) + sent);
        met.time_still += u64::from(dt_ns == 0);
        met.time_one += u64::from(dt_ns == 1);
        met.time_wrap += u64::from(time > TIME_MASK);
        met.sent_wrap += u64::from(total > SENT_MASK);
        met.queue_full += u64::from(queue == QUEUE_MASK);
        met.queue_empty += u64::from(queue == 0);
        code | (time & TIME_MASK) << 3 | (total & SENT_MASK) << 27 | queue << 47
    }

    /// The reference in the state of the flow.
    fn reference(&self) -> Flow {
        let bytes = |w: u64| w as f64 / f64::from(1 << W_FRACTION_BITS);
        let telemetry = |t: streams::Telemetry| Telemetry {
            hop_count: t.hops.into(),
            path: t.path,
            hops: t.hop,
        };
        Flow {
            u: self.flow.u as f64 * f64::from(self.config.multi) / U_ONE as f64,
            w: bytes(self.flow.w),
            wc: bytes(self.flow.wc),
            inc_stage: self.flow.inc_stage.into(),
            last_update_psn: self.flow.last_update_psn,
            last_update_ns: 0,
            records: self.flow.records.map(telemetry),
        }
    }

    /// The hop with the largest u'.
    fn worst(&self, old: &Telemetry, new: &Telemetry) -> Option<Worst> {
        let multi = f64::from(self.config.multi);
        let hops = (0..new.hop_count as usize).filter_map(|i| {
            let (u, tau_ns) = hop_utilisation(&self.params, old.hops[i], new.hops[i])?;
            // Mantissa of 1/tau; 0.625/T to the nearest 2^-40; four truncations.
            let t_ns = f64::from(self.config.t_ns);
            let queue_gain = (-41_f64).exp2() * t_ns / 0.625;
            let bound = u * ((-18_f64).exp2() + queue_gain) + 4.0 * U_UNIT * multi;
            Some((u, tau_ns, bound, i))
        });
        let hops: Vec<(f64, f64, f64, usize)> = hops.collect();
        let (u, tau_ns, bound, _) = hops.iter().copied().max_by(|a, b| a.0.total_cmp(&b.0))?;
        // Of equal hops the first counts, in both.
        let first = hops.iter().find(|h| h.0 == u).map_or(tau_ns, |h| h.1);
        let is_tie = hops.iter().any(|h| h.1 != first && h.0 + h.2 >= u - bound);
        let mut near = hops.iter().filter(|h| h.0 + h.2 >= u - bound).map(|h| h.3);
        let index = near.next().filter(|_| near.next().is_none());
        Some(Worst { u, tau_ns: first, bound, is_tie, index })
    }

    /// What rounding can do in the step from `before` to `after`.
    fn bounds(&self, before: &Flow, after: &Flow, worst: Option<Worst>) -> Bounds {
        let (t_ns, multi) = (self.params.t_ns, f64::from(self.config.multi));
        let mut u = 0.0;
        if let Some(hop) = worst {
            let tau_ns = hop.tau_ns.min(t_ns);
            // Share of the way from the nearer one: from 1/T to the nearest 2^-40, cut to 2^-32 from 2^-8 on. The
            // product is truncated.
            let part_ns = tau_ns.min(t_ns - tau_ns);
            let rounded = part_ns * (-41_f64).exp2();
            let is_cut = part_ns / t_ns + rounded >= (-8_f64).exp2();
            let share = rounded + if is_cut { (-32_f64).exp2() } else { 0.0 };
            u = tau_ns / t_ns * hop.bound
                + ((hop.u - before.u).abs() + hop.bound) * share
                + U_UNIT * multi;
        }
        // Mantissa of 1/U; eta to 2^-37, eta/U truncated.
        let eta = 0.5 * U_UNIT * multi / self.params.eta;
        let share =
            u / (after.u - u).max(f64::MIN_POSITIVE) + (-18_f64).exp2() + (-27_f64).exp2() + eta;
        // Wc eta/U is below 2^32 in both, W_ai and W_min to 2^-11, W to 2^-16.
        let scaled =
            (before.wc * self.params.eta / after.u.max(f64::MIN_POSITIVE)).min(4_294_967_296.0);
        let w = (scaled * share).min(self.params.w_init_bytes) + (-10_f64).exp2();
        // 1/T to 2^-39 of a gain of 38 fraction bits; R, R_min and R_max to 2^-24.
        let unit = self.rate_unit_bps();
        let gain = (-39_f64).exp2() * self.config.clock_hz as f64 * t_ns / 1e9;
        let rate_bps = w * 8e9 / t_ns + (after.w * 8e9 / t_ns) * gain * 1.001 + 2.0 * unit;
        Bounds { u: u + 1e-12 * after.u + f64::MIN_POSITIVE, w, rate_bps }
    }

    fn rate_unit_bps(&self) -> f64 {
        8.0 * self.config.clock_hz as f64 / f64::from(1 << 24)
    }

    fn compare(&mut self, mut flow: Flow, psn: u32, snd_nxt: u32, tel: &Telemetry, is: &Decision) {
        let before = flow;
        let outcome = flow.new_ack(&self.params, psn, snd_nxt, tel);
        let updates = tel.is_usable() && !outcome.first;
        let old = before.records.filter(|_| updates);
        let worst = old.and_then(|old| self.worst(&old, tel));
        let bounds = self.bounds(&before, &flow, worst);
        let (found, unit) = (self.reference(), self.rate_unit_bps());
        let s = &mut self.statistics;
        s.acks += 1;
        s.full += u64::from(outcome.full);
        s.extremes.hops_0 += u64::from(tel.hop_count == 0);
        s.extremes.hops_5 += u64::from(tel.hop_count == HOPS_MAX as u32);
        s.extremes.hops_6 += u64::from(tel.hop_count > HOPS_MAX as u32);
        s.extremes.u_small += u64::from(flow.u < U_SMALL);
        s.extremes.u_large += u64::from(flow.u > 1000.0);
        if worst.is_some_and(|hop| hop.is_tie) {
            s.ties += 1;
            return;
        }
        let pairs = [
            (found.u, flow.u, U_SMALL, bounds.u),
            (found.w, flow.w, 1.0, bounds.w),
            (f64::from(is.rate) * unit, flow.rate_bps(&self.params), 1.0, bounds.rate_bps),
        ];
        for (at, (is, should_be, least, bound)) in pairs.into_iter().enumerate() {
            [&mut s.u, &mut s.w, &mut s.rate][at].add(is, should_be, least, bound);
        }
        let bytes = (found.w - flow.w).abs();
        s.w_far += u64::from(bytes > 16.0 && bytes > 0.001 * flow.w);
        let is_multiplicative =
            |u: f64| u >= self.params.eta || before.inc_stage >= self.params.max_stage;
        if updates && is_multiplicative(found.u) != is_multiplicative(flow.u) {
            let near = (flow.u - self.params.eta).abs() <= ETA_MARGIN * self.params.eta;
            s.decisions_near += u64::from(near);
            s.decisions_wrong += u64::from(!near);
            return;
        }
        let same = (is.full, is.first) == (outcome.full, outcome.first)
            && found.inc_stage == flow.inc_stage & 0xff
            && found.last_update_psn == flow.last_update_psn
            && match worst {
                Some(hop) => hop.index.is_none_or(|i| i == usize::from(is.worst_hop)),
                None => is.worst_hop == NO_HOP,
            };
        s.other_outcome += u64::from(!same);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cc_random_is_a_function_of_seed_and_chunk() {
        assert_eq!(chunk(1, 2, 500), chunk(1, 2, 500));
        assert_ne!(chunk(1, 2, 500), chunk(1, 3, 500));
    }
}
