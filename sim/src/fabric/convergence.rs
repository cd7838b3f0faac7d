//! Flows that join one after the other, and leave: how their rates and windows come together.

use super::acks::Kept;
use super::cc::Pace;
use super::plots::{Chart, Mark, Place};
use super::scenario::{FlowSpec, Kind, Scenario, TopologySpec};

/// So long after one flow the next one joins or leaves.
pub const STEP_PS: u64 = 2_000_000_000;
/// Flows end so much early or late at most.
const SLACK_PS: u64 = STEP_PS / 10;
/// Rates and windows are told so often.
const PERIOD_PS: u64 = 20_000_000;

/// Window and rate of each flow over time: the last one of each period.
pub fn paces(acks: &[Kept]) -> Vec<Vec<(u64, Pace)>> {
    let mut flows: Vec<Vec<(u64, Pace)>> = vec![];
    for ack in acks {
        let Some(pace) = ack.pace else { continue };
        let at = ack.flow as usize;
        flows.resize_with(flows.len().max(at + 1), Vec::new);
        match flows[at].last_mut() {
            Some(last) if last.0 / PERIOD_PS == ack.at_ps / PERIOD_PS => *last = (ack.at_ps, pace),
            _ => flows[at].push((ack.at_ps, pace)),
        }
    }
    flows
}

fn gbps(pace: &Pace) -> f64 {
    8e3 / pace.ps_per_byte
}

/// Four hosts begin to send to a fifth one after the other, and end in the same order: with equal shares
/// there are 1, 2, 3, 4, 3, 2 and 1 of them, each time for [`STEP_PS`].
pub fn scenario(w_ai_mbps: f64) -> Scenario {
    let mut scenario = Scenario::new(TopologySpec::new(Kind::Star, 5));
    scenario.cc.w_ai_mbps = w_ai_mbps;
    // What a flow can send of its payload in one step, alone.
    let step_bytes = scenario.cc.eta * 1000.0 / 1090.0 * STEP_PS as f64 / 80.0;
    let steps = [25.0 / 12.0, 17.0 / 12.0, 17.0 / 12.0, 25.0 / 12.0];
    let flow = |(at, steps): (u32, f64)| FlowSpec {
        src: 1 + at,
        dst: 0,
        bytes: (steps * step_bytes) as u64,
        start_ns: u64::from(at) * STEP_PS / 1000,
    };
    scenario.flow = (0..).zip(steps).map(flow).collect();
    scenario
}

/// Rates or windows of the flows of [`scenario`].
pub fn chart(flows: &[Vec<(u64, Pace)>], is_rate: bool) -> Chart {
    let what = if is_rate { "rate, Gb/s" } else { "window, KB" };
    let title = "Four flows join one after the other, and leave";
    let mut chart = Chart::new(title, "time, ms", what);
    for (at, paces) in flows.iter().enumerate() {
        let value = |pace: &Pace| match is_rate {
            true => gbps(pace),
            false => pace.window_bytes as f64 / 1e3,
        };
        let points = paces.iter().map(|(at_ps, pace)| (*at_ps as f64 / 1e9, value(pace)));
        chart.add(&format!("flow {}", at + 1), Mark::Steps, points.collect());
    }
    chart.place = Place::UpperMiddle;
    chart
}

/// How long after the beginning of step `step` the rates of its flows are within 10 % of their mean, and
/// stay so until its end; none if they don't.
pub fn fair_ps(flows: &[Vec<(u64, Pace)>], step: u64) -> Option<u64> {
    let (from_ps, to_ps) = (step * STEP_PS, (step + 1) * STEP_PS - SLACK_PS);
    let is_here = |paces: &&Vec<(u64, Pace)>| {
        let [first, last] = [paces.first(), paces.last()].map(|end| end.map_or(0, |(at, _)| *at));
        first <= from_ps + SLACK_PS && last >= to_ps
    };
    let flows: Vec<&Vec<(u64, Pace)>> = flows.iter().filter(is_here).collect();
    let rate_at = |paces: &[(u64, Pace)], at_ps: u64| {
        let next = paces.partition_point(|(paced_ps, _)| *paced_ps <= at_ps);
        next.checked_sub(1).map(|at| gbps(&paces[at].1))
    };
    let mut fair = None;
    for at_ps in (from_ps..to_ps).step_by(PERIOD_PS as usize) {
        let rates: Option<Vec<f64>> = flows.iter().map(|paces| rate_at(paces, at_ps)).collect();
        let is_fair = rates.is_some_and(|rates| {
            let mean = rates.iter().sum::<f64>() / rates.len() as f64;
            rates.iter().all(|rate| (rate / mean - 1.0).abs() < 0.1)
        });
        fair = if is_fair { fair.or(Some(at_ps - from_ps)) } else { None };
    }
    fair
}
