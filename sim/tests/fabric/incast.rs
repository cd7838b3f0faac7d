//! Sixteen hosts that send 5 MB each to one, 100 Gb/s, 1 us: what the HPCC authors' ns-3 gives.

use super::{run, scenario};
use nic_sim::fabric::scenario::Engine;
use nic_sim::fabric::Results;
use std::fmt::Write;

/// Of their ns-3: the last flow ends, ns; the longest queue, bytes; when it is drained, ns.
const LAST_END_NS: f64 = 7_452_000.0;
const PEAK_BYTES: std::ops::RangeInclusive<f64> = 0.97 * 850e3..=1.03 * 870e3;
const DRAINED_NS: std::ops::RangeInclusive<u64> = 85_000..=120_000;
/// Of all flows of a host together.
const BYTES: u32 = 10_000_000;

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

/// With W_ai by the number of active flows, those of a host add together what one would. So a host
/// with one flow does the same as without it, and with many the queue that stays is shorter; what
/// each flow adds less makes shares even out later.
#[test]
fn fabric_incast_divides_the_additive_increase_by_the_active_flows() {
    let four_hosts = |flows_each: u32, cc: &str| {
        let mut text = format!("[topology]\nkind = 'star'\nhosts = 5\n[cc]\n{cc}\n");
        for at in 0..4 * flows_each {
            let src = 1 + at % 4;
            let _ =
                writeln!(text, "[[flow]]\nsrc = {src}\ndst = 0\nbytes = {}", BYTES / flows_each);
        }
        let scenario = scenario(&text);
        let meeting = nic_sim::fabric::Plan::new(&scenario).expect("it can be run").meeting_port();
        run(&scenario, meeting).1
    };
    let by_active = "active_window_ns = 20000";
    assert_eq!(four_hosts(1, "").took_ps, four_hosts(1, by_active).took_ps, "of one flow a host");

    let w_ai = |mbps: f64| format!("w_ai_mbps = {mbps}");
    let cases = [w_ai(50.0), format!("{}\n{by_active}", w_ai(50.0)), w_ai(50.0 / 32.0)];
    let [each, shared, small] = cases.map(|cc| {
        let results = four_hosts(32, &cc);
        assert_eq!((results.counters.flows_ended, results.counters.drops), (128, 0));
        let watched = results.meters.watched.windows(2);
        // Mean of the queue in the second millisecond.
        let [mut area, mut time_ps] = [0; 2];
        for pair in watched.filter(|pair| (1_000_000_000..2_000_000_000).contains(&pair[0].0)) {
            let long_ps = pair[1].0 - pair[0].0;
            (area, time_ps) = (area + pair[0].1 * long_ps, time_ps + long_ps);
        }
        let mean_bytes = area / time_ps;
        let took_ps = || results.took_ps.iter();
        let spread_us = (took_ps().max().unwrap() - took_ps().min().unwrap()) / 1_000_000;
        let what = cc.replace('\n', ", ");
        println!("{what}: queue {mean_bytes} bytes, ends within {spread_us} us");
        [mean_bytes, spread_us]
    });
    assert!(4 * each[0] > 5 * shared[0], "queue {} bytes, and {}", each[0], shared[0]);
    assert!(3 * each[1] < shared[1], "ends within {} us, and {}", each[1], shared[1]);
    // It is as if W_ai were that much smaller.
    assert!(shared[0].abs_diff(small[0]) * 4 < small[0], "{} and {} bytes", shared[0], small[0]);
}

/// A switch that fills up pauses its hosts; what those send that do not stop is dropped, and sent again.
#[test]
fn fabric_incast_drops_what_hosts_send_under_pause() {
    let run = |pfc: bool| {
        let text = format!(
            "[topology]\nkind = 'star'\nhosts = 9\n[incast]\nsenders = 8\nbytes = 500000\n\
             [switches]\nbuffer_bytes = 1000000\n[cc]\nalgorithm = 'none'\nwindow = false\n\
             [hosts]\npfc = {pfc}\n"
        );
        let c = run(&scenario(&text), None).1.counters;
        println!("hosts that stop: {pfc}; {c:?}");
        assert_eq!(c.flows_ended, 8);
        c
    };
    let [stop, go_on] = [true, false].map(run);
    assert!(stop.pauses > 8 && go_on.pauses == 0);
    assert!(stop.drops == 0 && stop.retransmitted == 0);
    assert!(go_on.drops > 100 && go_on.retransmitted > 100);
}
