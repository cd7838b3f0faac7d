//! What is published of HPCC beside others holds in its order, here in a small network.

use super::{run, scenario};
use nic_sim::fabric::results::percentile;

/// 95th percentile of the slowdown of flows up to 7 KB, and of those above 100 KB.
fn p95(cc: &str) -> [f64; 2] {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/fabric");
    let text = format!(
        "[topology]\nkind = 'two_tiers'\nhosts = 32\nswitches = 4\nspines = 2\n[poisson]\n\
         cdf = '{folder}/fb_hadoop.cdf'\nload = 0.5\nms = 1.5\nmargin_ms = 0.5\n[cc]\n{cc}\n"
    );
    let (plan, results) = run(&scenario(&text), None);
    assert_eq!((results.counters.drops, results.counters.lost), (0, 0));
    let completions = results.completions(&plan);
    [0..=7_000, 100_000..=u64::MAX].map(|sizes| {
        let flows = completions.iter().filter(|completion| sizes.contains(&completion.bytes));
        let mut slowdowns: Vec<f64> = flows.map(|completion| completion.slowdown()).collect();
        slowdowns.sort_by(f64::total_cmp);
        assert!(slowdowns.len() > 100, "{} flows", slowdowns.len());
        percentile(&slowdowns, 95)
    })
}

#[test]
fn fabric_orders_algorithms_as_published() {
    let of = |algorithm: &str| p95(&format!("algorithm = '{algorithm}'"))[0];
    let [hpcc, dctcp, timely, dcqcn] = ["hpcc", "dctcp", "timely", "dcqcn"].map(of);
    println!("p95 of short flows: HPCC {hpcc}, DCTCP {dctcp}, TIMELY {timely}, DCQCN {dcqcn}");
    assert!(1.3 * hpcc < dctcp, "HPCC {hpcc}, DCTCP {dctcp}");
    assert!(dctcp < timely.min(dcqcn), "DCTCP {dctcp}, TIMELY {timely}, DCQCN {dcqcn}");
}

/// Short flows meet longer queues, long ones have more of the link.
#[test]
fn fabric_eta_moves_short_and_long_flows_as_published() {
    let [low, high] = [0.95, 0.99].map(|eta| p95(&format!("eta = {eta}")));
    assert!(high[0] > low[0], "short flows: {} at 95 %, {} at 99 %", low[0], high[0]);
    assert!(high[1] < low[1], "long flows: {} at 95 %, {} at 99 %", low[1], high[1]);
}
