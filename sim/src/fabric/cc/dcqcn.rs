//! DCQCN (Zhu et al., SIGCOMM 2015) with the HPCC authors' settings: a rate that falls with marks and
//! comes back by a timer. ACKs bring the marks back, as in the authors' simulator.
//!
//! The timers are settled when an ACK comes. Between two ACKs the rate stays, so a flow that is slower
//! than its timer finds its increases late.

use super::{Limits, News};

/// Gain of alpha.
const GAIN: f64 = 1.0 / 256.0;
/// Alpha is updated so often.
const ALPHA_PS: u64 = 1_000_000;
/// A rate falls at most so often.
const DECREASE_PS: u64 = 4_000_000;
/// And grows so often.
const INCREASE_PS: u64 = 300_000_000;
/// Steps half-way back to the target, before it grows itself.
const RECOVERY_STEPS: u32 = 1;

/// Parameters.
#[derive(Clone, Copy, Debug)]
pub struct Dcqcn {
    additive_bps: f64,
    hyper_bps: f64,
}

/// State of a flow.
#[derive(Clone, Debug)]
pub struct State {
    rate_bps: f64,
    target_bps: f64,
    alpha: f64,
    steps: u32,
    /// Marks since alpha was updated, and since the rate was.
    is_marked: [bool; 2],
    /// Whether the flow has ever been marked; before, no timer runs.
    was_marked: bool,
    alpha_ps: u64,
    decrease_ps: u64,
    increase_ps: u64,
}

impl State {
    /// At line rate.
    pub fn new(line_bps: f64, now_ps: u64) -> Self {
        Self {
            rate_bps: line_bps,
            target_bps: line_bps,
            alpha: 1.0,
            steps: 0,
            is_marked: [false; 2],
            was_marked: false,
            alpha_ps: now_ps,
            decrease_ps: now_ps,
            increase_ps: now_ps,
        }
    }
}

impl Dcqcn {
    /// Increases in proportion to the line: 5 and 50 Mb/s at 25 Gb/s.
    pub fn new(limits: &Limits) -> Self {
        let scale = limits.line_bps / 25e9;
        Self { additive_bps: 5e6 * scale, hyper_bps: 50e6 * scale }
    }

    /// The rate after an ACK.
    pub fn acked(&self, limits: &Limits, state: &mut State, news: &News) -> f64 {
        if !state.was_marked && !news.is_marked {
            return state.rate_bps;
        }
        if !state.was_marked {
            state.was_marked = true;
            (state.alpha_ps, state.increase_ps) = (news.now_ps, news.now_ps);
            // The first mark counts at once.
            state.decrease_ps = news.now_ps - DECREASE_PS.min(news.now_ps);
        }
        self.settle(limits, state, news.now_ps);
        if news.is_marked {
            state.is_marked = [true; 2];
        }
        if state.is_marked[1] && news.now_ps >= state.decrease_ps + DECREASE_PS {
            if state.steps > 0 {
                state.target_bps = state.rate_bps;
            }
            state.rate_bps = limits.clamp(state.rate_bps * (1.0 - state.alpha / 2.0));
            (state.steps, state.is_marked[1]) = (0, false);
            (state.decrease_ps, state.increase_ps) = (news.now_ps, news.now_ps);
        }
        state.rate_bps
    }

    /// What the timers have done until now.
    fn settle(&self, limits: &Limits, state: &mut State, now_ps: u64) {
        let periods = (now_ps - state.alpha_ps) / ALPHA_PS;
        if periods > 0 {
            // The marks were met in the first of the periods.
            if std::mem::take(&mut state.is_marked[0]) {
                state.alpha += GAIN * (1.0 - state.alpha);
            } else {
                state.alpha *= 1.0 - GAIN;
            }
            state.alpha *= (1.0 - GAIN).powi(periods as i32 - 1);
            state.alpha_ps += periods * ALPHA_PS;
        }
        while now_ps >= state.increase_ps + INCREASE_PS {
            state.increase_ps += INCREASE_PS;
            let increase = match state.steps.cmp(&RECOVERY_STEPS) {
                std::cmp::Ordering::Less => 0.0,
                std::cmp::Ordering::Equal => self.additive_bps,
                std::cmp::Ordering::Greater => self.hyper_bps,
            };
            state.target_bps = limits.clamp(state.target_bps + increase);
            state.rate_bps = (state.rate_bps + state.target_bps) / 2.0;
            state.steps += 1;
        }
    }
}
