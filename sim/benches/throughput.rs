//! Cycles per second of blocks: golden model, Verilated Verilog free-running, both in lock-step.
//!
//! `cargo bench -p nic-bench --bench throughput -- skid` runs one block.

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use nic_harness::bench::{Engine, Options};
use nic_models::golden::cc::unit::{CcUnit, FlowState, OP_CREATE};
use nic_models::streams::{AckTelemetry, FlowCommand, Telemetry};
use nic_sim::bench::{self, benches};
use nic_sim::replay::cc_trace::{Ack, Trace};
use nic_spec::cc_params::{CcConfig, CcParams};
use nic_spec::config::NicConfig;
use std::path::Path;
use std::time::Duration;

/// Cycles of one run; the reset before it is not counted.
const CYCLES: u64 = 20_000;

fn cycles_per_second(criterion: &mut Criterion) {
    let config = NicConfig::preset("gbe").expect("preset");
    for bench in benches(&config) {
        let source = bench::verilog(&bench).expect("the block is emitted");
        let mut group = criterion.benchmark_group(bench.name());
        group.throughput(Throughput::Elements(CYCLES)).sample_size(10);
        group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
        let engines =
            [("golden", Engine::Golden), ("rtl", Engine::Rtl), ("lock_step", Engine::Both)];
        for (name, engine) in engines {
            group.bench_function(name, |b| {
                b.iter_custom(|runs| {
                    let run = |run: u64| {
                        let mut options = Options::new(1 + run % 8, CYCLES);
                        options.engine = engine;
                        bench.run(&source, &options).expect("no mismatch").elapsed
                    };
                    (0..runs).map(run).sum()
                });
            });
        }
        group.finish();
    }
}

/// Congestion control updates per second, without the timing of the block.
fn cc_updates_per_second(criterion: &mut Criterion) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/hpcc/b_5hop_random_mi5.csv");
    let trace = Trace::read(Path::new(path)).expect("the trace is committed");
    let port = CcConfig::for_line(100e9, 100, 250_000_000);
    let config = CcConfig { t_ns: 13_000, w_init_bytes: 162_500, ..port };
    let cfg = CcUnit::cfg(CcParams::derive(&config).expect("legal parameters"));
    let ack = |a: &Ack| {
        let tel = Telemetry { valid: true, hops: 5, path: 0, hop: a.tel.hops };
        AckTelemetry { valid: true, flow: 0, psn: a.psn, snd_nxt: a.snd_nxt, tel }
    };
    let acks: Vec<AckTelemetry> = trace.acks.iter().map(ack).collect();
    let mut group = criterion.benchmark_group("cc_update_5_hops");
    group.throughput(Throughput::Elements(acks.len() as u64)).sample_size(10);
    group.warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    group.bench_function("reference", |b| b.iter(|| trace.run_reference(&config, || {})));
    group.bench_function("golden", |b| {
        let window_bytes = config.w_init_bytes;
        let create =
            FlowCommand { op: OP_CREATE, telemetry: true, window_bytes, ..FlowCommand::default() };
        b.iter(|| {
            let mut flow = FlowState::default();
            flow.command(&cfg, &create);
            acks.iter().filter_map(|a| flow.new_ack(&cfg, a).ok()?).map(|r| r.rate).max()
        });
    });
    group.finish();
}

criterion_group!(throughput, cycles_per_second, cc_updates_per_second);
criterion_main!(throughput);
