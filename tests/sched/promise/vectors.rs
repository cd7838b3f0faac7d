//! The 20 rate vectors that stand still: equal, one flow, skews, random.

use super::load::HOT_FLOW;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub const COUNT: usize = 20;

const NAMED: [&str; 6] =
    ["equal", "one at line rate", "1000:1", "1:1000", "half 1000:1", "ramp 1000:1"];

pub fn name(index: usize) -> String {
    match NAMED.get(index) {
        Some(name) => (*name).into(),
        None if is_log(index) => format!("random log {index}"),
        None => format!("random {index}"),
    }
}

fn is_log(index: usize) -> bool {
    index.is_multiple_of(2)
}

fn rng(index: usize) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(20 + index as u64)
}

/// Shares in any unit; 0: no such flow.
pub fn weights(index: usize, flow_count: usize) -> Vec<f64> {
    let mut rng = rng(index);
    let one = |flow: usize, hot: f64, rest: f64| if flow == HOT_FLOW { hot } else { rest };
    let weight = |flow: usize| match index {
        0 => 1.0,
        1 => one(flow, 1.0, 0.0),
        2 => one(flow, 1000.0, 1.0),
        3 => one(flow, 1.0, 1000.0),
        4 => [1000.0, 1.0][flow % 2],
        5 => 1000_f64.powf(flow as f64 / (flow_count - 1) as f64),
        _ if is_log(index) => 1000_f64.powf(rng.gen_range(0.0..1.0)),
        _ => rng.gen_range(1.0..1000.0),
    };
    (0..flow_count).map(weight).collect()
}

/// Short frames, long ones, or both.
pub fn lens_bytes(index: usize, flow_count: usize) -> Vec<u16> {
    // The weights have used up the first words of the sequence.
    let mut rng = rng(index + COUNT);
    let len = |_| match index % 3 {
        _ if index < NAMED.len() => 1082,
        0 => 1082,
        1 => 4154,
        _ => rng.gen_range(300..1500),
    };
    (0..flow_count).map(len).collect()
}
