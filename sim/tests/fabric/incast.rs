//! Sixteen hosts that send 5 MB each to one, 100 Gb/s, 1 us: what the HPCC authors' ns-3 gives.

use super::{run, scenario};
use nic_sim::fabric::scenario::Engine;
use nic_sim::fabric::Results;

/// Of their ns-3: the last flow ends, ns; the longest queue, bytes; when it is drained, ns.
const LAST_END_NS: f64 = 7_452_000.0;
const PEAK_BYTES: std::ops::RangeInclusive<f64> = 0.97 * 850e3..=1.03 * 870e3;
const DRAINED_NS: std::ops::RangeInclusive<u64> = 85_000..=120_000;

fn incast(text: &str) -> Results {
    let base = "[topology]\nkind = 'star'\nhosts = 17\n[incast]\nsenders = 16\nbytes = 5000000\n";
    let scenario = scenario(&format!("{base}{text}"));
    let plan = nic_sim::fabric::Plan::new(&scenario).expect("it can be run");
    let receiver = plan.topology.way(1, 0, 0).iter().last();
    run(&scenario, receiver).1
}

#[test]
fn fabric_incast_is_that_of_ns3() {
    let [golden, model] = [Engine::Golden, Engine::Model].map(|engine| {
        let results = incast(match engine {
            Engine::Golden => "",
            Engine::Model => "[cc]\nengine = 'model'\n",
        });
        let c = results.counters;
        assert_eq!((c.flows_ended, c.packets, c.drops, c.pauses), (16, 80_000, 0, 0));
        let end_ns = c.last_end_ps as f64 / 1e3;
        assert!((end_ns / LAST_END_NS - 1.0).abs() < 0.02, "the last flow ends at {end_ns} ns");
        let peak_bytes = results.peak_bytes() as f64;
        assert!(PEAK_BYTES.contains(&peak_bytes), "the queue has {peak_bytes} bytes");
        let drained_ns = results.drained_ps().expect("it is watched") / 1000;
        assert!(DRAINED_NS.contains(&drained_ns), "the queue is drained at {drained_ns} ns");
        end_ns
    });
    assert!((golden / model - 1.0).abs() < 0.002, "golden {golden} ns, f64 {model} ns");
}

/// The larger W_ai, the sooner flows are fair; what the queue grows by stays small.
#[test]
fn fabric_incast_is_fairer_with_more_additive_increase() {
    let spreads = [5, 50, 300].map(|mbps| {
        let results = incast(&format!("[cc]\nw_ai_mbps = {mbps}\n"));
        let took_ps = || results.took_ps.iter();
        let after_ms = results.meters.watched.iter().filter(|(at_ps, _)| *at_ps > 1_000_000_000);
        let queue = after_ms.map(|(_, bytes)| *bytes).max().expect("flows run longer");
        assert!(queue <= 35_000, "{queue} bytes after 1 ms at {mbps} Mb/s");
        took_ps().max().unwrap() - took_ps().min().unwrap()
    });
    assert!(spreads.is_sorted_by(|a, b| a > b), "{spreads:?} ps");
}
