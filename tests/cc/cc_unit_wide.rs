//! cc_unit_wide: Verilog against golden model, against the form with one hop a cycle, and the claims
//! of its header.

use crate::driver::{by_flow, cfg_of, parameters, port, Driver, Unit};
use nic_harness::bench::{Failure, Options, Report};
use nic_harness::lockstep::{GoldenOnly, LockStep};
use nic_harness::verilator::{Flavour, Source};
use nic_hdl::cc::wide::unit::{LATENCY_CYCLES, SAME_FLOW_CYCLES};
use nic_models::golden::cc::unit::CcUnit;
use nic_models::golden::cc::wide::unit::{self, CcUnitWide};
use nic_models::golden::cc::CcCfg;
use nic_models::streams::{AckTelemetry, Decision};
use nic_sim::bench;
use nic_sim::bench::cc::RandomAcks;
use nic_sim::replay::cc_trace::Trace;
use nic_spec::cc_params::CcConfig;
use nic_spec::NicConfig;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rdma_nic::{gbe, hundred, lock_step};
use std::collections::BTreeMap;
use std::path::Path;

/// Cycles from the start of an ACK to its `m_rate`: it starts two cycles after it was taken.
const START_CYCLES: u64 = 2;

fn emitted(config: &NicConfig) -> Source {
    bench::emitted("cc_unit_wide", config).unwrap_or_else(|e| panic!("{e}"))
}

fn run(
    config: &NicConfig,
    source: &Source,
    seed: u64,
    cycles: u64,
) -> Result<Report, Box<Failure>> {
    let bench = bench::by_name("cc_unit_wide", config).expect("the bench exists");
    println!("cc_unit_wide: {} flows, seed {seed}, {cycles} cycles", config.flow_count);
    bench.run(source, &Options { failure_dir: None, ..Options::new(seed, cycles) })
}

#[test]
fn cc_unit_wide_matches_golden() {
    for (flow_count, seeds) in [(1024, 0..4), (64, 0..4), (256, 1..2), (4, 0..2)] {
        let config = NicConfig { flow_count, ..hundred() };
        let source = emitted(&config);
        let one = |seed| run(&config, &source, seed, 60_000).unwrap_or_else(|e| panic!("{e}"));
        let reports: Vec<Report> = seeds.map(one).collect();
        let is_still = |name: &&String| reports.iter().all(|r| r.still_outputs.contains(name));
        let still: Vec<&String> = reports[0].still_outputs.iter().filter(is_still).collect();
        assert!(still.is_empty() || reports.len() < 4, "never moved: {still:?}");
    }
}

#[test]
fn cc_unit_wide_breaks_are_caught() {
    let config = NicConfig { flow_count: 64, ..hundred() };
    let whole = emitted(&config);
    let breaks = [
        // A flow may start again one cycle early; in the cycle behind its last start; never later.
        ("alive[59]", "alive[58]"),
        ("last_mark = mark;", "last_mark = started_read_data;"),
        ("if (ends && (end_flow == next_flow))", "if (1'b0)"),
        // Of equal hops the last one counts; a hop without information counts; hops change places.
        ("is_larger = b_u > a_u", "is_larger = b_u >= a_u"),
        ("!a_valid || is_larger", "is_larger"),
        (".hop(lanes_2_hop)", ".hop(lanes_3_hop)"),
        // The worst hop is the other one, another one, or that of the next ACK.
        ("hop_1_next = b_hop", "hop_1_next = a_hop"),
        (".a_hop(3'd2)", ".a_hop(3'd1)"),
        (".hop_new(worst_hops_q)", ".hop_new(worst_hops_d)"),
        // A hop too many; the records of a dropped ACK are stored.
        ("counted = 5'd7", "counted = 5'd15"),
        ("store_4 <= usable_3 && adapts_3", "store_4 <= usable_3"),
        // A bad hop does not count; an ACK of a PSN that was never sent does; it has no event.
        ("bad_7 <= lanes_0_bad | lanes_1_bad", "bad_7 <= lanes_0_bad"),
        ("if (is_bad)", "if (1'b0)"),
        ("never_4 <= never", "never_4 <= 1'b0"),
        // Results find no room; those of the neighbour come out.
        ("results_count < room_below", "results_count < 8'd128"),
        ("index - 6'd54", "index - 6'd53"),
        ("index[4:0] - 5'd16", "index[4:0] - 5'd15"),
    ];
    for (from, to) in breaks {
        let mut broken = whole.clone();
        assert!(broken.text.contains(from), "the Verilog has no {from:?}");
        broken.text = broken.text.replacen(from, to, 1);
        let caught = (1..4).any(|seed| run(&config, &broken, seed, 60_000).is_err());
        assert!(caught, "{from:?} -> {to:?} is not noticed");
    }
}

/// When ACKs are taken and start, from the order of their flows alone: one a cycle, in order, a flow
/// again after so many cycles. Two wait in the skid, and one stands at the head.
#[derive(Default)]
struct Schedule {
    /// Cycles in which each ACK was taken and started, less that in which the first one was offered.
    taken: Vec<u64>,
    started: Vec<u64>,
    last: BTreeMap<u16, u64>,
    /// Cycles without a start, because of the spacing of a flow.
    stalls: u64,
}

impl Schedule {
    fn next(&mut self, flow: u16) {
        let n = self.taken.len();
        let behind = |cycles: &[u64], back: usize| match n >= back {
            true => cycles[n - back] + 1,
            false => 0,
        };
        // The third one before has left the head, so the one behind it the skid.
        let taken = behind(&self.taken, 1).max(behind(&self.started, 3));
        let turn = (taken + START_CYCLES).max(behind(&self.started, 1));
        let again = self.last.get(&flow).map_or(0, |start| start + SAME_FLOW_CYCLES as u64);
        let started = turn.max(again);
        self.stalls += started - turn;
        self.taken.push(taken);
        self.started.push(started);
        self.last.insert(flow, started);
    }
}

/// Random flows; 1 in 8 is one of the last 80.
fn flow_order(rng: &mut ChaCha8Rng, before: &[AckTelemetry]) -> u16 {
    match rng.gen_range(0..8) {
        0 if !before.is_empty() => {
            before[before.len() - rng.gen_range(1..=before.len().min(80))].flow
        }
        _ => rng.gen_range(0..1024),
    }
}

/// An ACK is offered in each cycle of a million. All outputs equal the golden model's in each of
/// them, ACKs are taken exactly when the order of their flows says, and each flow's results are those
/// of the form with one hop a cycle.
#[test]
fn cc_unit_wide_takes_an_ack_a_cycle_for_a_million_cycles() {
    const CYCLES: u64 = 1_000_000;
    let mut rng = ChaCha8Rng::seed_from_u64(27);
    let mut peers = RandomAcks::new(27, 1024);
    let cfg = parameters();
    let mut unit = lock_step(CcUnitWide::new(&hundred()), &emitted(&hundred()), 27);
    let mut driver = Driver::new(&mut unit, cfg, 1024);
    let begin = driver.cycle;
    let (mut schedule, mut acks, mut taken) = (Schedule::default(), vec![], vec![]);
    while driver.cycle - begin < CYCLES {
        let flow = flow_order(&mut rng, &acks);
        let ack = peers.ack_of(flow);
        acks.push(ack);
        taken.push(driver.ack(ack) - begin);
        schedule.next(flow);
    }
    driver.idle(200);
    let answers = std::mem::take(&mut driver.answers);
    assert!(taken == schedule.taken, "ACKs are not taken when the order of their flows says");
    // Nothing but the spacing of a flow stalls.
    let starts = schedule.started.last().expect("there were ACKs") - START_CYCLES + 1;
    assert_eq!(starts, acks.len() as u64 + schedule.stalls);
    assert!(acks.len() > 100_000 && schedule.stalls > 100_000, "{} ACKs", acks.len());
    println!("{} ACKs, {} cycles of same-flow spacing", acks.len(), schedule.stalls);
    // Results leave so many cycles after the start, in order; dropped ACKs have none.
    let latency = LATENCY_CYCLES as u64 - START_CYCLES;
    let due: BTreeMap<u64, u16> =
        schedule.started.iter().zip(&acks).map(|(s, a)| (begin + s + latency, a.flow)).collect();
    let in_time = |(cycle, rate): &(u64, Decision)| due.get(cycle) == Some(&rate.flow);
    assert!(answers.iter().all(in_time), "a result comes at another time");
    let dropped = acks.iter().filter(|a| !a.tel.valid).count();
    assert_eq!(answers.len() + dropped, acks.len());
    let full = answers.iter().filter(|(_, r)| r.full).count();
    assert!(full > 10_000 && full < answers.len() - 10_000, "{full} of {} full", answers.len());

    // One hop a cycle, the same ACKs.
    let config = NicConfig { flow_count: 1024, ..gbe() };
    let mut narrow = GoldenOnly(CcUnit::new(&config));
    let mut narrow = Driver::new(&mut narrow, cfg, 1024);
    acks.iter().for_each(|ack| {
        narrow.ack(*ack);
    });
    narrow.idle(200);
    assert!(by_flow(&narrow.answers) == by_flow(&answers), "the schedules differ in a result");
}

/// The Verilog of both schedules, from the same ACKs: bit for bit the same W, R, U, Wc, incStage and
/// lastUpdateSeq of each flow.
#[test]
fn cc_unit_wide_verilog_equals_that_of_one_hop_a_cycle() {
    let ignored_with = |checks: bool| ignored_by_both(cfg_of(&CcConfig { checks, ..port() }));
    assert_eq!(ignored_with(false), 0);
    let ignored = ignored_with(true);
    assert!((1000..25_000).contains(&ignored), "{ignored} ACKs ignored");
}

/// Both schedules with the same ACKs; how many of those they ignored.
fn ignored_by_both(cfg: CcCfg) -> usize {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut peers = RandomAcks::new(5, 1024);
    let mut acks: Vec<AckTelemetry> = vec![];
    for _ in 0..30_000 {
        // Few flows, so that each has a long history.
        let flow = flow_order(&mut rng, &acks) % 97;
        acks.push(peers.ack_of(flow));
    }
    let answers = |unit: &mut Unit| {
        let mut driver = Driver::new(unit, cfg, 1024);
        acks.iter().for_each(|ack| {
            driver.ack(*ack);
        });
        driver.idle(200);
        (by_flow(&driver.answers), driver.ignored)
    };
    let wide = answers(&mut lock_step(CcUnitWide::new(&hundred()), &emitted(&hundred()), 5));
    let config = NicConfig { flow_count: 1024, ..gbe() };
    let source = bench::emitted("cc_unit", &config).unwrap_or_else(|e| panic!("{e}"));
    let narrow = answers(&mut lock_step(CcUnit::new(&config), &source, 5));
    assert_eq!(wide.0.len(), 97);
    assert!(wide == narrow, "the schedules differ in a result");
    // The compare would see one bit.
    let mut other = wide.clone();
    other.0.get_mut(&3).expect("the flow has results")[0].inc_stage ^= 1;
    assert!(other != narrow);
    wide.1.iter().sum()
}

/// ACKs of different flows: one in each cycle, no stall at all.
#[test]
fn cc_unit_wide_keeps_its_latency_and_rate() {
    assert_eq!(SAME_FLOW_CYCLES as u64, unit::SAME_FLOW_CYCLES);
    let mut peers = RandomAcks::new(1, 1024);
    let mut unit = lock_step(CcUnitWide::new(&hundred()), &emitted(&hundred()), 1);
    let mut driver = Driver::new(&mut unit, parameters(), 1024);
    let taken: Vec<u64> =
        (0..100_000).map(|n| driver.ack(peers.ack_of((n % 1024) as u16))).collect();
    assert!(taken.windows(2).all(|pair| pair[1] == pair[0] + 1));
    // As near as the spacing allows, without a stall.
    let near = SAME_FLOW_CYCLES as u16;
    driver.idle(100);
    let taken: Vec<u64> = (0..10_000).map(|n| driver.ack(peers.ack_of(n % near))).collect();
    assert!(taken.windows(2).all(|pair| pair[1] == pair[0] + 1));
    // One nearer: a cycle is lost in each round.
    driver.idle(100);
    let order = (0..60 * 100).map(|n| n % (near - 1));
    let taken: Vec<u64> = order.map(|flow| driver.ack(peers.ack_of(flow))).collect();
    assert_eq!(taken[5940] - taken[540], 5400 + 90);
    // The same flow.
    driver.idle(100);
    let taken: Vec<u64> = (0..20).map(|_| driver.ack(peers.ack_of(9))).collect();
    assert_eq!(taken[19] - taken[9], 10 * SAME_FLOW_CYCLES as u64);
    driver.idle(400);
    driver.answers.clear();
    let mut ack = peers.ack_of(700);
    ack.tel.valid = true;
    let taken = driver.ack(ack);
    driver.idle(100);
    assert_eq!(driver.answers[0].0 - taken, LATENCY_CYCLES as u64);
}

#[test]
fn cc_unit_wide_spacing_of_a_flows_acks_changes_nothing() {
    let answers = |gap: u64| {
        let mut peers = RandomAcks::new(8, 1024);
        let mut unit = GoldenOnly(CcUnitWide::new(&hundred()));
        let mut driver = Driver::new(&mut unit, parameters(), 16);
        for _ in 0..60 {
            driver.ack(peers.ack_of(3));
            driver.idle(gap);
        }
        driver.idle(300);
        driver.answers.iter().map(|(_, rate)| *rate).collect::<Vec<_>>()
    };
    let close = answers(0);
    assert!(close.len() > 50);
    for gap in [1, 59, 60, 61, 200] {
        assert!(answers(gap) == close, "gap {gap}");
    }
}

#[test]
fn cc_unit_wide_follows_a_trace_as_one_hop_a_cycle_does() {
    let path = format!("{}/tests/data/hpcc/b_5hop_random_mi5.csv", env!("CARGO_MANIFEST_DIR"));
    let trace = Trace::read(Path::new(&path)).expect("the trace is there");
    let states = |unit: &mut Unit| {
        trace.run_unit(unit, &port(), parameters(), 7, || {}).unwrap_or_else(|e| panic!("{e}"))
    };
    let model = emitted(&hundred()).model(Flavour::Fast).unwrap_or_else(|e| panic!("{e}"));
    let wide = LockStep::new(CcUnitWide::new(&hundred()), &[model], 5);
    let wide = states(&mut wide.unwrap_or_else(|e| panic!("{e}")));
    assert_eq!(wide, states(&mut GoldenOnly(CcUnit::new(&gbe()))));
}
