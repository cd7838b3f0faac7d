//! Cycles per second of blocks: golden model, Verilated Verilog free-running, both in lock-step.
//!
//! `cargo bench -p nic-sim --bench throughput -- skid` runs one block.

use criterion::{criterion_group, criterion_main, Criterion, Throughput};
use nic_sim::bench::{benches, Engine, Options};
use nic_spec::config::NicConfig;
use std::time::Duration;

/// Cycles of one run; the reset before it is not counted.
const CYCLES: u64 = 20_000;

fn cycles_per_second(criterion: &mut Criterion) {
    let config = NicConfig::preset("gbe").expect("preset");
    for bench in benches(&config) {
        let source = bench.emitted().expect("the block is emitted");
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

criterion_group!(throughput, cycles_per_second);
criterion_main!(throughput);
