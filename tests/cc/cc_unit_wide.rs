//! cc_unit_wide: Verilog against golden model, and the claims of its header.

use crate::driver::{answers, by_flow, flow_order, parameters, Driver};
use nic_harness::lockstep::GoldenOnly;
use nic_harness::verilator::Source;
use nic_hdl::cc::wide::unit::{LATENCY_CYCLES, SAME_FLOW_CYCLES};
use nic_models::golden::cc::unit::CcUnit;
use nic_models::golden::cc::wide::unit::{self, CcUnitWide};
use nic_models::streams::Decision;
use nic_sim::bench;
use nic_sim::bench::cc::acks::RandomAcks;
use nic_spec::NicConfig;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rdma_nic::{assert_runs_catch, gbe, hundred, lock_step, Runs};
use std::collections::BTreeMap;

/// Cycles from the start of an ACK to its `m_rate`: it starts two cycles after it was taken.
const START_CYCLES: u64 = 2;

fn emitted(config: &NicConfig) -> Source {
    bench::emitted("cc_unit_wide", config).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn cc_unit_wide_matches_golden() {
    for (flow_count, seeds) in [(1024, 0..4), (64, 0..4)] {
        let config = NicConfig { flow_count, ..hundred() };
        Runs::of_block("cc_unit_wide", &config, seeds, 60_000).assert_match_golden(&[]);
    }
    for (flow_count, seeds) in [(256, 1..2), (4, 0..2)] {
        let config = NicConfig { flow_count, ..hundred() };
        Runs::of_block("cc_unit_wide", &config, seeds, 60_000).reports();
    }
}

#[test]
fn cc_unit_wide_breaks_are_caught() {
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
    let config = NicConfig { flow_count: 64, ..hundred() };
    assert_runs_catch(&[Runs::of_block("cc_unit_wide", &config, 1..4, 60_000)], &breaks);
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
    let told = std::mem::take(&mut driver.answers);
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
    assert!(told.iter().all(in_time), "a result comes at another time");
    let dropped = acks.iter().filter(|a| !a.tel.valid).count();
    assert_eq!(told.len() + dropped, acks.len());
    let full = told.iter().filter(|(_, r)| r.full).count();
    assert!(full > 10_000 && full < told.len() - 10_000, "{full} of {} full", told.len());

    // One hop a cycle, the same ACKs.
    let config = NicConfig { flow_count: 1024, ..gbe() };
    let mut narrow = GoldenOnly(CcUnit::new(&config));
    let (results, _) = answers(&mut narrow, cfg, 1024, &acks);
    assert!(results == by_flow(&told), "the schedules differ in a result");
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
