//! cc_unit_wide: Verilog against golden model, and the claims of its header.

use crate::driver::{answers, by_flow, flow_order, parameters, Driver};
use nic_harness::lockstep::GoldenOnly;
use nic_harness::verilator::Source;
use nic_hdl::cc::wide::unit::{AGAIN_CYCLES, LATENCY_CYCLES, SAME_FLOW_CYCLES};
use nic_models::golden::cc::unit::CcUnit;
use nic_models::golden::cc::wide::unit::{self, CcUnitWide};
use nic_models::streams::AckTelemetry;
use nic_sim::bench;
use nic_sim::bench::cc::acks::RandomAcks;
use nic_spec::NicConfig;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rdma_nic::{assert_runs_catch, gbe, hundred, lock_step, Runs};
use std::collections::{BTreeMap, VecDeque};

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
        // A flow may start again one cycle early; in the cycle behind its last start.
        ("alive[45] && (flows_45 == look_flow)", "1'b0"),
        ("if (starts && (head_flow == look_flow))", "if (1'b0)"),
        // What waits is in the slot of a neighbour; starts though another one has started meanwhile;
        // is the older one; is forgotten.
        ("last_index - age", "index - age"),
        ("head_valid && !hit && !head_void", "head_valid && (!hit || head_again) && !head_void"),
        ("waits <= waits_now << 1", "waits <= waits << 1"),
        ("assign pends = head_valid && hit", "assign pends = head_valid && hit && !waits[3]"),
        // What may not enter is lost, or comes twice.
        ("look_next = held", "look_next = s_ack_event"),
        ("if (enters) begin", "if (1'b0) begin"),
        // A command passes its flow, or is passed by the ACKs behind it.
        ("head_void <= flow_full &&", "head_void <= 1'b0 &&"),
        ("!(starts && head_command)", "1'b1"),
        // Of equal hops the last one counts; a hop without information counts; hops change places.
        ("b_u > a_u", "b_u >= a_u"),
        ("c_u > a_u", "c_u >= a_u"),
        ("c_u > b_u", "c_u >= b_u"),
        ("!a_valid || (b_u > a_u)", "b_u > a_u"),
        (".hop(lanes_2_hop)", ".hop(lanes_3_hop)"),
        // The worst hop is the other one, another one, or that of the next ACK.
        ("hop_1_next = b_hop", "hop_1_next = a_hop"),
        (".c_hop(3'd2)", ".c_hop(3'd1)"),
        (".hop_new(worst_hops_q)", ".hop_new(worst_hops_d)"),
        // A hop too many.
        ("counted = 5'd7", "counted = 5'd15"),
        // A bad hop does not count; an ACK of a PSN that was never sent does; it has no event.
        ("bad_7 <= lanes_0_bad | lanes_1_bad", "bad_7 <= lanes_0_bad"),
        ("if (is_bad)", "if (1'b0)"),
        ("never_4 <= never", "never_4 <= 1'b0"),
        // Results find no room; those of the neighbour come out.
        ("results_count < room_below", "results_count < 8'd128"),
        ("index - 6'd41", "index - 6'd40"),
        ("index[4:0] - 5'd12", "index[4:0] - 5'd11"),
    ];
    let config = NicConfig { flow_count: 64, ..hundred() };
    assert_runs_catch(&[Runs::of_block("cc_unit_wide", &config, 1..4, 60_000)], &breaks);
}

/// What becomes of ACKs by the times at which they are looked for alone: the rules of the block's
/// header.
#[derive(Default)]
struct Schedule {
    /// Last start of each flow.
    last: BTreeMap<u16, u64>,
    /// By the start that it waits for: the newest ACK of that flow.
    waits: BTreeMap<u64, AckTelemetry>,
    /// What started, and when.
    started: Vec<(u64, AckTelemetry)>,
    /// ACKs that another one has replaced.
    replaced: usize,
}

impl Schedule {
    fn start(&mut self, cycle: u64, ack: AckTelemetry) {
        self.last.insert(ack.flow, cycle);
        self.started.push((cycle, ack));
    }

    /// What may start in `cycle`: what has waited, or a new ACK, which `next` gives.
    fn turn(&mut self, cycle: u64, next: impl FnOnce() -> Option<AckTelemetry>) {
        let ended = cycle - AGAIN_CYCLES as u64;
        if let Some(ack) = self.waits.remove(&ended) {
            match self.last[&ack.flow] == ended {
                true => self.start(cycle, ack),
                // Another one has started meanwhile, which is newer.
                false => self.replaced += 1,
            }
            return;
        }
        let Some(ack) = next() else { return };
        match self.last.get(&ack.flow) {
            Some(start) if cycle < start + SAME_FLOW_CYCLES as u64 => {
                self.replaced += usize::from(self.waits.insert(*start, ack).is_some());
            }
            _ => self.start(cycle, ack),
        }
    }
}

/// An ACK is offered in each cycle of a million. All outputs equal the golden model's in each of
/// them; the newest ACK of each flow starts when the rules say, whatever else is under way; and each
/// flow's results are those that the form with one hop a cycle has of the ACKs that started.
#[test]
fn cc_unit_wide_takes_an_ack_a_cycle_for_a_million_cycles() {
    const CYCLES: u64 = 1_000_000;
    let mut rng = ChaCha8Rng::seed_from_u64(27);
    let mut peers = RandomAcks::new(27, 1024);
    let cfg = parameters();
    let mut unit = lock_step(CcUnitWide::new(&hundred()), &emitted(&hundred()), 27);
    let mut driver = Driver::new(&mut unit, cfg, 1024);
    let begin = driver.cycle;
    let (mut acks, mut taken) = (vec![], vec![]);
    while driver.cycle - begin < CYCLES {
        let flow = flow_order(&mut rng, &acks);
        let ack = peers.ack_of(flow);
        acks.push(ack);
        taken.push(driver.ack(ack));
    }
    driver.idle(400);
    let told = std::mem::take(&mut driver.answers);
    // From the times at which they were taken: one without telemetry is not looked for.
    let mut schedule = Schedule::default();
    let known = taken.iter().zip(&acks).filter(|(_, ack)| ack.tel.valid);
    let mut waiting: VecDeque<(u64, AckTelemetry)> = known.map(|(t, ack)| (*t, *ack)).collect();
    for cycle in begin..driver.cycle {
        schedule.turn(cycle, || {
            let is_due = waiting.front().is_some_and(|(taken, _)| taken + START_CYCLES <= cycle);
            is_due.then(|| waiting.pop_front().expect("one waits").1)
        });
    }
    let used: Vec<AckTelemetry> = schedule.started.iter().map(|(_, ack)| *ack).collect();
    let (replaced, count) = (schedule.replaced, used.len());
    println!("{} ACKs taken, {count} used, {replaced} replaced", acks.len());
    assert!(acks.len() > 850_000 && replaced > 10_000, "{} ACKs, {replaced}", acks.len());
    // Results leave so many cycles after the start, in order; one that finds another one in the FIFO
    // two cycles later.
    let latency = LATENCY_CYCLES as u64 - START_CYCLES;
    assert_eq!(told.len(), schedule.started.len());
    let mut before = 0;
    for ((start, ack), (cycle, rate)) in schedule.started.iter().zip(&told) {
        let alone = start + latency;
        let due = if before + 1 < alone { alone } else { alone + 2 };
        assert_eq!((*cycle, rate.flow), (due, ack.flow), "a result comes at another time");
        before = due;
    }
    let full = told.iter().filter(|(_, r)| r.full).count();
    assert!(full > 10_000 && full < told.len() - 10_000, "{full} of {} full", told.len());

    // One hop a cycle, the ACKs that were used.
    let config = NicConfig { flow_count: 1024, ..gbe() };
    let mut narrow = GoldenOnly(CcUnit::new(&config));
    let (results, _) = answers(&mut narrow, cfg, 1024, &used);
    assert!(results == by_flow(&told), "the schedules differ in a result");
}

/// ACKs of different flows: one in each cycle, no stall at all.
#[test]
fn cc_unit_wide_keeps_its_latency_and_rate() {
    assert_eq!(SAME_FLOW_CYCLES as u64, unit::SAME_FLOW_CYCLES);
    assert_eq!(AGAIN_CYCLES as u64, unit::AGAIN_CYCLES);
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
    // The same flow: all are taken, the first one and then the newest every so many cycles are used.
    driver.idle(400);
    driver.answers.clear();
    let mut ack = peers.ack_of(9);
    ack.tel.valid = true;
    let taken: Vec<u64> = (0..1000).map(|_| driver.ack(ack)).collect();
    driver.idle(400);
    // What has waited takes the place of a new one.
    let again = 1000_u64.div_ceil(SAME_FLOW_CYCLES as u64 - 1);
    assert!(taken[999] - taken[0] < 1000 + again);
    let times: Vec<u64> = driver.answers.iter().map(|(cycle, _)| cycle - taken[0]).collect();
    assert_eq!(times[0], LATENCY_CYCLES as u64);
    let apart = times.windows(2).map(|pair| pair[1] - pair[0]);
    let near = SAME_FLOW_CYCLES as u64..=AGAIN_CYCLES as u64;
    assert!(apart.clone().all(|cycles| near.contains(&cycles)), "{:?}", apart.collect::<Vec<_>>());
    driver.idle(400);
    driver.answers.clear();
    let mut ack = peers.ack_of(700);
    ack.tel.valid = true;
    let taken = driver.ack(ack);
    let next = driver.ack(ack);
    driver.idle(200);
    assert_eq!(driver.answers[0].0 - taken, LATENCY_CYCLES as u64);
    // The longest wait: close behind one of its flow.
    assert_eq!(next, taken + 1);
    assert_eq!(driver.answers[1].0 - next, 100);
}
