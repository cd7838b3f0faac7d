//! The three schedules of the CC unit are one function: from the same ACKs bit for bit the same W,
//! R, U, Wc, incStage and lastUpdateSeq of each flow, and the same ACKs ignored, for the same reason.

use crate::driver::{answers, cfg_of, flow_order, parameters, port, Driver, Unit};
use nic_harness::lockstep::GoldenOnly;
use nic_models::golden::cc::serial::unit::CcUnitSerial;
use nic_models::golden::cc::unit::CcUnit;
use nic_models::golden::cc::wide::unit::CcUnitWide;
use nic_models::golden::cc::CcCfg;
use nic_models::streams::AckTelemetry;
use nic_sim::bench;
use nic_sim::bench::cc::acks::RandomAcks;
use nic_sim::replay::cc_trace::Trace;
use nic_spec::cc_params::CcConfig;
use nic_spec::NicConfig;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rdma_nic::{cu, gbe, hundred, lock_step};
use std::path::Path;

/// A schedule with so many flows.
#[expect(clippy::enum_variant_names, reason = "they are named as in the configuration")]
enum Schedule {
    BitPerCycle,
    HopPerCycle(usize),
    AckPerCycle(usize),
}

use Schedule::{AckPerCycle, BitPerCycle, HopPerCycle};

impl Schedule {
    fn config(&self) -> NicConfig {
        match *self {
            BitPerCycle => cu(),
            HopPerCycle(flow_count) => NicConfig { flow_count, ..gbe() },
            AckPerCycle(flow_count) => NicConfig { flow_count, ..hundred() },
        }
    }

    fn golden(&self) -> Box<Unit> {
        let config = self.config();
        match self {
            BitPerCycle => Box::new(GoldenOnly(CcUnitSerial::new(&config))),
            HopPerCycle(_) => Box::new(GoldenOnly(CcUnit::new(&config))),
            AckPerCycle(_) => Box::new(GoldenOnly(CcUnitWide::new(&config))),
        }
    }

    /// The golden unit and its Verilog.
    fn both(&self, seed: u64) -> Box<Unit> {
        let config = self.config();
        let source = |block| bench::emitted(block, &config).unwrap_or_else(|e| panic!("{e}"));
        match self {
            BitPerCycle => {
                let golden = CcUnitSerial::new(&config);
                Box::new(lock_step(golden, &source("cc_unit_serial"), seed))
            }
            HopPerCycle(_) => Box::new(lock_step(CcUnit::new(&config), &source("cc_unit"), seed)),
            AckPerCycle(_) => {
                Box::new(lock_step(CcUnitWide::new(&config), &source("cc_unit_wide"), seed))
            }
        }
    }
}

#[test]
fn cc_unit_schedules_give_the_same_results() {
    let of_use = Some(10_000);
    let configs = [
        port(),
        CcConfig { checks: true, ..port() },
        CcConfig { checks: true, queue_max_bytes: 80.0 * 1900.0, t_ns: 300, ..port() },
        CcConfig { utilisation_full: of_use, checks: true, ..port() },
        CcConfig { sojourn_unit_ns: Some(16.0), eta: 1.4, max_stage: 0, ..port() },
        CcConfig { utilisation_full: of_use, sojourn_unit_ns: Some(1.0), multi: 4, ..port() },
    ];
    let mut ignored = [0; 4];
    for (seed, config) in (40..).zip(configs) {
        let mut peers = RandomAcks::new(seed, 8);
        let acks: Vec<AckTelemetry> =
            (0..1500).map(|n| peers.ack_of((n * n / 7 % 8) as u16)).collect();
        let cfg = CcCfg { by_time: seed % 2 == 1, ..cfg_of(&config) };
        let of = |schedule: Schedule| answers(&mut *schedule.both(seed), cfg, 8, &acks);
        let serial = of(BitPerCycle);
        assert_eq!(serial.0.len(), 8);
        assert!(serial == of(HopPerCycle(64)), "seed {seed}: one hop a cycle differs");
        assert!(serial == of(AckPerCycle(64)), "seed {seed}: one ACK a cycle differs");
        ignored.iter_mut().zip(serial.1).for_each(|(sum, n)| *sum += n);
    }
    println!("ignored (PSN, time, bytes, queue): {ignored:?}");
    assert!(ignored.iter().all(|n| *n > 5), "{ignored:?}");
}

#[test]
fn cc_unit_schedules_of_1024_flows_give_the_same_results() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut peers = RandomAcks::new(5, 1024);
    let mut acks: Vec<AckTelemetry> = vec![];
    for _ in 0..30_000 {
        // Few flows, so that each has a long history.
        let flow = flow_order(&mut rng, &acks) % 97;
        acks.push(peers.ack_of(flow));
    }
    for checks in [false, true] {
        let cfg = cfg_of(&CcConfig { checks, ..port() });
        let of = |schedule: Schedule| answers(&mut *schedule.both(5), cfg, 1024, &acks);
        let (wide, narrow) = (of(AckPerCycle(1024)), of(HopPerCycle(1024)));
        assert_eq!(wide.0.len(), 97);
        assert!(wide == narrow, "the schedules differ in a result");
        // The compare would see one bit.
        let mut other = wide.clone();
        other.0.get_mut(&3).expect("the flow has results")[0].inc_stage ^= 1;
        assert!(other != narrow);
        let ignored: usize = wide.1.iter().sum();
        let expected = if checks { 1000..25_000 } else { 0..1 };
        assert!(expected.contains(&ignored), "{ignored} ACKs ignored");
    }
}

/// However far apart a flow's ACKs come; with one ACK a cycle, from where all are used.
#[test]
fn cc_unit_schedules_do_not_depend_on_the_spacing_of_acks() {
    let gaps: [&[u64]; 3] =
        [&[0, 1, 40, 400], &[0, 1, 7, 8, 9, 63, 64, 200], &[60, 61, 63, 64, 200]];
    for (schedule, gaps) in [BitPerCycle, HopPerCycle(64), AckPerCycle(1024)].iter().zip(gaps) {
        let results = |gap: u64| {
            let mut peers = RandomAcks::new(8, 1024);
            let mut unit = schedule.golden();
            let mut driver = Driver::new(&mut *unit, parameters(), 8);
            for _ in 0..60 {
                driver.ack(peers.ack_of(3));
                driver.idle(gap);
            }
            driver.idle(300);
            driver.answers.iter().map(|(_, rate)| *rate).collect::<Vec<_>>()
        };
        let close = results(gaps[0]);
        assert!(close.len() > 50);
        for gap in gaps {
            assert!(results(*gap) == close, "gap {gap}");
        }
    }
}

#[test]
fn cc_unit_schedules_follow_a_trace_bit_by_bit() {
    let path = format!("{}/tests/data/hpcc/b_5hop_random_mi5.csv", env!("CARGO_MANIFEST_DIR"));
    let trace = Trace::read(Path::new(&path)).expect("the trace is there");
    let states = |mut unit: Box<Unit>| {
        trace
            .run_unit(&mut *unit, &port(), parameters(), 7, || {})
            .unwrap_or_else(|e| panic!("{e}"))
    };
    let golden = states(HopPerCycle(64).golden());
    for schedule in [BitPerCycle, HopPerCycle(64), AckPerCycle(1024)] {
        assert_eq!(states(schedule.both(5)), golden);
    }
}
