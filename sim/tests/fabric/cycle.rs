//! Hosts that are whole NICs, cycle by cycle: they and hosts at event level give the same within a few
//! per cent, and their congestion control the same windows bit for bit.

use super::{run, scenario};
use nic_harness::lockstep::GoldenOnly;
use nic_models::golden::cc::wide::unit::CcUnitWide;
use nic_sim::engine::EngineKind;
use nic_sim::fabric::acks::{play, Kept, PlayError};
use nic_sim::fabric::cc::{News, Pace, State};
use nic_sim::fabric::engine::Watch;
use nic_sim::fabric::results::Counters;
use nic_sim::fabric::scenario::HostSpec;
use nic_sim::fabric::{output, Plan, Results, Scenario};
use nic_spec::NicConfig;
use std::collections::BTreeMap;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Four hosts that send 64 KB each to one; those of `cycle` are whole NICs.
fn four_to_one(cycle: &[u32], engine: EngineKind) -> Scenario {
    let text = include_str!("../../../tests/data/fabric/four_nics_to_one.toml");
    let mut four = scenario(text);
    four.hosts = HostSpec { cycle: cycle.to_vec(), cycle_engine: engine, ..HostSpec::default() };
    four
}

const ALL: &[u32] = &[0, 1, 2, 3, 4];

fn golden(cycle: &[u32]) -> Scenario {
    four_to_one(cycle, EngineKind::Golden)
}

/// How far the last completion and the longest queue are from those of another run.
fn deviations(results: &Results, expected: &Results) -> [f64; 2] {
    let end = |results: &Results| results.counters.last_end_ps as f64;
    let peak = |results: &Results| results.peak_bytes() as f64;
    [end(results) / end(expected) - 1.0, peak(results) / peak(expected) - 1.0]
}

#[test]
fn fabric_cycle_hosts_are_like_event_hosts() {
    let events = run(&golden(&[]), None).1;
    for cycle in [ALL, &[0], &[1], &[1, 2, 3, 4], &[4, 0]] {
        let results = run(&golden(cycle), None).1;
        let [end, peak] = deviations(&results, &events);
        println!("{cycle:?}: last completion {:+.2} %, queue {:+.2} %", 100.0 * end, 100.0 * peak);
        assert!(end.abs() < 0.02 && peak.abs() < 0.05, "{cycle:?}: {end}, {peak}");
        let c = results.counters;
        assert_eq!((c.flows_ended, c.packets, c.retransmitted, c.drops), (4, 256, 0, 0));
    }
    // The check can fail: each frame comes a window later.
    let mut late = golden(ALL);
    late.topology.delay_ns += 3600;
    let [end, _] = deviations(&run(&late, None).1, &events);
    assert!(end.abs() > 0.02, "a window more on each link makes only {end}");
}

/// The Verilated NIC, and both in lock-step, in the same network.
#[test]
fn fabric_cycle_hosts_run_the_verilog() {
    let golden = run(&golden(ALL), None).1;
    let rtl = run(&four_to_one(ALL, EngineKind::Rtl), None).1;
    assert_eq!(rtl.took_ps, golden.took_ps);
    assert_eq!(rtl.counters, golden.counters);
    let both = run(&four_to_one(&[0, 2], EngineKind::Both), None).1;
    assert_eq!((both.counters.flows_ended, both.counters.packets), (4, 256));
}

fn acks_of_nics() -> (Plan, Vec<Kept>) {
    let plan = Plan::new(&golden(ALL)).expect("it can be run");
    let watch = Watch { acks: 1, ..Watch::default() };
    let acks = plan.run(&watch, &Default::default()).expect("all flows end").acks;
    (plan, acks)
}

/// Window and rate of each ACK that had any, in order, by flow.
fn paces(acks: &[Kept]) -> BTreeMap<u32, Vec<Pace>> {
    let mut paces = BTreeMap::new();
    for ack in acks {
        paces.entry(ack.flow).or_insert(vec![]).extend(ack.pace);
    }
    paces
}

/// What NICs decide on ACKs is what event hosts decide on the same ACKs.
#[test]
fn fabric_cycle_hosts_give_equal_windows_for_equal_acks() {
    let (plan, acks) = acks_of_nics();
    let mut states: BTreeMap<u32, State> = BTreeMap::new();
    let by_events: Vec<Kept> = acks
        .iter()
        .map(|ack| {
            let state = states.entry(ack.flow).or_insert_with(|| plan.control.start(0).0);
            let (psn, next_psn, records) = (ack.psn, ack.next_psn, ack.records);
            let news = News { now_ps: 0, sent_ps: 0, psn, next_psn, is_marked: false, records };
            Kept { pace: plan.control.acked(state, &news), ..*ack }
        })
        .collect();
    let windows = paces(&acks);
    let count = windows.values().flatten().count();
    println!("{} ACKs of {} flows, {count} windows", acks.len(), windows.len());
    assert!(acks.len() > 200 && count > 200 && windows.len() == 4);
    assert_eq!(windows, paces(&by_events));

    // The unit of the preset `hundred`, too; and one byte off is seen.
    let config = NicConfig::preset("hundred").expect("it is a preset");
    let hpcc = plan.control.hpcc().expect("it is HPCC");
    let unit = || GoldenOnly(CcUnitWide::new(&config));
    let played = play(&mut unit(), hpcc, config.flow_count, &acks, || {}).expect("all are equal");
    assert_eq!(played.equal, count as u64);
    let mut planted = acks;
    let pace = planted.iter_mut().filter_map(|ack| ack.pace.as_mut()).nth(100);
    pace.expect("there are more").window_bytes += 1;
    let error = play(&mut unit(), hpcc, config.flow_count, &planted, || {}).unwrap_err();
    assert!(matches!(error, PlayError::Differs { .. }), "{error}");
}

/// All files but for the row that is a measurement.
fn files(scenario: &Scenario) -> (Vec<(String, String)>, Counters) {
    let (plan, results) = run(scenario, None);
    let files = output::tables(&plan, &results, "a test").into_iter().map(|(name, content)| {
        let lines = content.lines().filter(|line| !line.starts_with("user_seconds,"));
        (name, lines.collect::<Vec<_>>().join("\n"))
    });
    (files.collect(), results.counters)
}

/// Flows of all kinds over two switches, with losses: go-back-N passes between the NICs and hosts at
/// event level, in both directions.
fn mixed(seed: u64, is_plain: bool) -> Scenario {
    let mut text = format!(
        "seed = {seed}\nplain = {is_plain}\n[topology]\nkind = 'dumbbell'\nhosts = 4\n\
         host_gbps = 25\nfabric_gbps = 25\ndelay_ns = 2000\n[wire]\nprofile = 'nic'\n\
         timeout_us = 100\n[switches]\nloss_ppm = 10000\n[hosts]\ncycle = [0, 2]\n"
    );
    let flows = [(0, 1), (1, 0), (0, 2), (2, 0), (1, 3), (3, 2), (2, 3), (0, 3)];
    for (at, (src, dst)) in flows.into_iter().enumerate() {
        let (bytes, start_ns) = (20_001 + 3_000 * at, 1_000 * at);
        text += &format!(
            "[[flow]]\nsrc = {src}\ndst = {dst}\nbytes = {bytes}\nstart_ns = {start_ns}\n"
        );
    }
    scenario(&text)
}

#[test]
fn fabric_cycle_hosts_recover_losses_and_repeat_byte_for_byte() {
    let mut met = [0; 3];
    for seed in 1..=3 {
        println!("seed {seed}");
        let (once, c) = files(&mixed(seed, false));
        assert_eq!((c.flows_ended, c.drops), (8, 0));
        for (met, count) in met.iter_mut().zip([c.retransmitted, c.naks, c.timeouts]) {
            *met += count;
        }
        let (again, _) = files(&mixed(seed, false));
        assert!(once == again, "the same seed gives other files");
        let (_, plain) = files(&mixed(seed, true));
        assert_eq!(Counters { events: c.events, ..plain }, c, "the two ways differ");
    }
    println!("packets sent again, NAKs, timeouts: {met:?}");
    assert!(met.iter().all(|count| *count > 0), "too little has happened: {met:?}");
}

/// A switch that fills up pauses NICs, so that its queue stays shorter.
#[test]
fn fabric_cycle_hosts_are_paused() {
    let small = |plain: bool, is_pfc: bool| {
        let mut scenario = Scenario { plain, ..golden(ALL) };
        (scenario.switches.buffer_bytes, scenario.switches.pfc) = (200_000, is_pfc);
        run(&scenario, None).1
    };
    let [fast, plain] = [false, true].map(|plain| small(plain, true));
    let peak_bytes = [small(false, false).peak_bytes(), fast.peak_bytes()];
    println!("longest queue without and with pauses, bytes: {peak_bytes:?}");
    assert!(peak_bytes[0] * 9 > peak_bytes[1] * 10, "pauses do little: {peak_bytes:?}");
    let c = fast.counters;
    assert!(c.pauses > 4 && c.pause_ps > 0, "{c:?}");
    assert_eq!((c.flows_ended, c.drops, c.retransmitted), (4, 0, 0));
    assert_eq!(fast.took_ps, plain.took_ps);
}

/// A frame that a window too long or a lag too short makes late stops the run.
#[test]
fn fabric_cycle_hosts_refuse_late_frames() {
    let plan = Plan::new(&golden(ALL)).expect("it can be run");
    let message = |window_factor: u64, lag_factor: u64| {
        let mut plan = plan.clone();
        let setup = plan.cycle.as_mut().expect("it has NICs");
        setup.window_ps *= window_factor;
        setup.lag_ps *= lag_factor;
        let run = || plan.run(&Watch::default(), &Default::default()).map(|_| ());
        let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("it must stop");
        *panic.downcast::<String>().expect("a text")
    };
    let text = message(2, 1);
    assert!(text.contains("late for the network"), "{text}");
    let text = message(1, 0);
    assert!(text.contains("late for host"), "{text}");
}
