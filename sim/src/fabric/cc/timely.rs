//! TIMELY (Mittal et al., SIGCOMM 2015) with the HPCC authors' settings: a rate that follows the
//! gradient of the round-trip time, once a round trip.

use super::{Limits, News};

const GAIN: f64 = 0.875;
const BETA: f64 = 0.8;
const LOW_NS: f64 = 50_000.0;
const HIGH_NS: f64 = 500_000.0;
/// Round trip by which gradients are divided.
const LEAST_NS: f64 = 20_000.0;
/// Increases before they become larger.
const STAGES: u32 = 5;

/// Parameters.
#[derive(Clone, Copy, Debug)]
pub struct Timely {
    additive_bps: f64,
    hyper_bps: f64,
}

/// State of a flow.
#[derive(Clone, Debug)]
pub struct State {
    rate_bps: f64,
    stage: u32,
    last_update_psn: u32,
    round_trip_ns: Option<f64>,
    difference_ns: f64,
}

impl State {
    /// At line rate.
    pub fn new(line_bps: f64) -> Self {
        Self {
            rate_bps: line_bps,
            stage: 0,
            last_update_psn: 0,
            round_trip_ns: None,
            difference_ns: 0.0,
        }
    }
}

impl Timely {
    /// Increases in proportion to the line: 10 and 50 Mb/s at 10 Gb/s.
    pub fn new(limits: &Limits) -> Self {
        let scale = limits.line_bps / 10e9;
        Self { additive_bps: 10e6 * scale, hyper_bps: 50e6 * scale }
    }

    /// The rate, if a round trip is over.
    pub fn acked(&self, limits: &Limits, state: &mut State, news: &News) -> Option<f64> {
        if news.psn < state.last_update_psn {
            return None;
        }
        state.last_update_psn = news.next_psn;
        let now_ns = (news.now_ps - news.sent_ps) as f64 / 1e3;
        let before_ns = state.round_trip_ns.replace(now_ns)?;
        let difference_ns = now_ns - before_ns;
        state.difference_ns += GAIN * (difference_ns - state.difference_ns);
        let gradient = state.difference_ns / LEAST_NS;
        let factor = if now_ns < LOW_NS {
            None
        } else if now_ns > HIGH_NS {
            Some(1.0 - BETA * (1.0 - HIGH_NS / now_ns))
        } else if gradient <= 0.0 {
            None
        } else {
            Some((1.0 - BETA * gradient).max(0.0))
        };
        let wanted = match factor {
            Some(factor) => state.rate_bps * factor,
            None if state.stage < STAGES => state.rate_bps + self.additive_bps,
            None => state.rate_bps + self.hyper_bps,
        };
        state.stage = if factor.is_some() { 0 } else { state.stage + 1 };
        state.rate_bps = limits.clamp(wanted);
        Some(state.rate_bps)
    }
}
