//! DCTCP (Alizadeh et al., SIGCOMM 2010) as the HPCC authors simulate it: paced, the window in
//! proportion to the rate.

use super::{Limits, News};

/// Gain of alpha.
const GAIN: f64 = 1.0 / 256.0;

/// Parameters.
#[derive(Clone, Copy, Debug)]
pub struct Dctcp {
    additive_bps: f64,
}

/// State of a flow.
#[derive(Clone, Debug)]
pub struct State {
    rate_bps: f64,
    alpha: f64,
    last_update_psn: u32,
    /// Packets of the present round trip, and marked ones.
    batch: f64,
    marked: f64,
    /// The rate has fallen; it stays until this packet is acknowledged.
    reduced_until_psn: Option<u32>,
}

impl State {
    /// At line rate.
    pub fn new(line_bps: f64) -> Self {
        Self {
            rate_bps: line_bps,
            alpha: 1.0,
            last_update_psn: 0,
            batch: 1.0,
            marked: 0.0,
            reduced_until_psn: None,
        }
    }
}

impl Dctcp {
    /// A packet more in each round trip.
    pub fn new(limits: &Limits) -> Self {
        Self { additive_bps: limits.payload_bytes * 8e9 / limits.t_ns }
    }

    /// The rate, if it changes.
    pub fn acked(&self, limits: &Limits, state: &mut State, news: &News) -> Option<f64> {
        state.marked += f64::from(u8::from(news.is_marked));
        let is_new_batch = news.psn >= state.last_update_psn;
        if is_new_batch {
            if state.last_update_psn > 0 {
                let share = (state.marked / state.batch).min(1.0);
                state.alpha += GAIN * (share - state.alpha);
                state.marked = 0.0;
            }
            state.last_update_psn = news.next_psn;
            state.batch = f64::from(news.next_psn - news.psn.min(news.next_psn)).max(1.0);
        }
        if state.reduced_until_psn.is_some_and(|psn| news.psn > psn) {
            state.reduced_until_psn = None;
        }
        let before_bps = state.rate_bps;
        if state.reduced_until_psn.is_none() {
            if news.is_marked {
                state.rate_bps = limits.clamp(state.rate_bps * (1.0 - state.alpha / 2.0));
                state.reduced_until_psn = Some(news.next_psn);
            } else if is_new_batch {
                state.rate_bps = limits.clamp(state.rate_bps + self.additive_bps);
            }
        }
        (state.rate_bps != before_bps).then_some(state.rate_bps)
    }
}
