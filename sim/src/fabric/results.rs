//! What a run has found, and what follows from it.

use super::acks::Kept;
use super::engine::Plan;
use super::histogram::Histogram;
use super::lines::Meters;
use std::ops::RangeBounds;

/// A queue below this, after its peak, is drained.
pub const DRAINED_BYTES: u64 = 20_000;
/// Short flows have at most so many bytes.
pub const SHORT_BYTES: u64 = 7_000;
/// Flows that start together have settled after so long: 1 ms.
pub const TRANSIENT_PS: u64 = 1_000_000_000;
/// Size quantiles at which slowdowns are told, per cent of the flows.
pub const QUANTILES_PERCENT: [u32; 17] =
    [5, 10, 20, 30, 40, 50, 60, 68, 72, 75, 80, 85, 90, 92, 95, 97, 99];
/// Flows that count at a quantile: those in so many per cent below it.
const QUANTILE_WIDTH_PERCENT: u32 = 2;
/// Quantiles of fewer flows than that say nothing.
const FLOWS_MIN: usize = 500;

/// What was counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Events.
    pub events: u64,
    /// Data packets that hosts have sent.
    pub packets: u64,
    /// Of them, those that had been sent before.
    pub retransmitted: u64,
    /// Packets that links have lost.
    pub lost: u64,
    /// Packets that found no room in a switch.
    pub drops: u64,
    /// NAKs that have come back.
    pub naks: u64,
    /// Times that a flow has waited in vain.
    pub timeouts: u64,
    /// Times that a port was paused.
    pub pauses: u64,
    /// For how long, all ports together.
    pub pause_ps: u64,
    /// Flows that have ended.
    pub flows_ended: u64,
    /// When the last one did.
    pub last_end_ps: u64,
}

/// The whole outcome.
#[derive(Clone, Debug)]
pub struct Results {
    /// Completion time of each flow.
    pub took_ps: Vec<u64>,
    /// Counters.
    pub counters: Counters,
    /// Queues.
    pub meters: Meters,
    /// When the last event was.
    pub end_ps: u64,
    /// CPU time of the run, seconds.
    pub cpu_s: f64,
    /// Cycles of hosts that are whole NICs.
    pub nic_cycles: u64,
    /// ACKs that were to be kept.
    pub acks: Vec<Kept>,
}

/// A flow's completion time against that in an empty network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Completion {
    /// Payload.
    pub bytes: u64,
    /// Took.
    pub took_ps: u64,
    /// Would have taken.
    pub ideal_ps: u64,
}

impl Completion {
    /// How many times longer; at least 1.
    pub fn slowdown(&self) -> f64 {
        (self.took_ps as f64 / self.ideal_ps as f64).max(1.0)
    }
}

/// Slowdowns of the flows of about one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowdownRow {
    /// Share of the flows that are not larger.
    pub percent: u32,
    /// The largest of the flows that count here.
    pub bytes: u64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
}

/// Percentile of the slowdowns of the flows of some sizes.
pub fn slowdown_percentile(
    completions: &[Completion],
    sizes: impl RangeBounds<u64>,
    percent: usize,
) -> f64 {
    let flows = completions.iter().filter(|completion| sizes.contains(&completion.bytes));
    let mut slowdowns: Vec<f64> = flows.map(Completion::slowdown).collect();
    slowdowns.sort_by(f64::total_cmp);
    percentile(&slowdowns, percent)
}

/// The value below which a share of the sorted `values` is.
pub fn percentile(values: &[f64], percent: usize) -> f64 {
    let at = values.len() * percent / 100;
    values.get(at.min(values.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}

impl Results {
    /// Completion of each flow that counts. As the HPCC authors count: a round trip of an empty network with full
    /// packets, and all bytes with their headers, telemetry left out, at the rate of the host's link.
    pub fn completions(&self, plan: &Plan) -> Vec<Completion> {
        let ps_per_byte = plan.topology.links[plan.topology.uplink(0)].ps_per_byte();
        let payload_bytes = plan.wire.payload_bytes;
        // Ways of the same pair have the same length, unless somebody has chosen routes.
        let ideal_ps = |(src, dst, bytes): (u16, u16, u64)| {
            let way = plan.topology.way(src.into(), dst.into(), 0);
            let headers = bytes.div_ceil(payload_bytes) * plan.wire.header_bytes;
            plan.topology.round_trip_ps(&way, payload_bytes, 0) + (bytes + headers) * ps_per_byte
        };
        plan.counted()
            .map(|(at, demand)| Completion {
                bytes: demand.bytes,
                took_ps: self.took_ps[at],
                ideal_ps: ideal_ps((demand.src, demand.dst, demand.bytes)),
            })
            .collect()
    }

    /// Peak of the longest queue of all switch ports.
    pub fn peak_bytes(&self) -> u64 {
        self.meters.classes.iter().map(|class| class.peak_bytes).max().unwrap_or(0)
    }

    /// When the watched queue was below [`DRAINED_BYTES`] again, after its peak.
    pub fn drained_ps(&self) -> Option<u64> {
        let watched = &self.meters.watched;
        let peak = watched.iter().map(|(_, bytes)| *bytes).max()?;
        let at = watched.iter().position(|(_, bytes)| *bytes == peak)?;
        let low = watched[at..].iter().find(|(_, bytes)| *bytes < DRAINED_BYTES);
        low.map(|(at_ps, _)| *at_ps)
    }

    /// The longest that the watched queue was once [`TRANSIENT_PS`] had gone by.
    pub fn peak_after_transient_bytes(&self) -> Option<u64> {
        let watched = self.meters.watched.iter().filter(|(at_ps, _)| *at_ps > TRANSIENT_PS);
        watched.map(|(_, bytes)| *bytes).max()
    }

    /// For how long the watched queue was how long.
    pub fn watched_histogram(&self) -> Option<Histogram> {
        let watched = &self.meters.watched;
        let mut histogram = Histogram::default();
        for pair in watched.windows(2) {
            histogram.add(pair[0].1, pair[1].0 - pair[0].0);
        }
        (!watched.is_empty()).then_some(histogram)
    }
}

/// Slowdowns at the size quantiles; nothing of too few flows.
pub fn slowdown_rows(completions: &[Completion]) -> Vec<SlowdownRow> {
    let mut sorted: Vec<Completion> = completions.to_vec();
    sorted.sort_by_key(|completion| completion.bytes);
    let count = sorted.len();
    if count < FLOWS_MIN {
        return vec![];
    }
    let at = |percent: u32| percent as usize * count / 100;
    let row = |percent: u32| {
        let part = &sorted[at(percent - QUANTILE_WIDTH_PERCENT)..at(percent)];
        let mut slowdowns: Vec<f64> = part.iter().map(Completion::slowdown).collect();
        slowdowns.sort_by(f64::total_cmp);
        let bytes = part.last()?.bytes;
        let [p50, p95, p99] = [50, 95, 99].map(|p| percentile(&slowdowns, p));
        Some(SlowdownRow { percent, bytes, p50, p95, p99 })
    };
    QUANTILES_PERCENT.into_iter().filter_map(row).collect()
}
