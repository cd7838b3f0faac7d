//! Helpers shared by the tests of the root package.

use nic_harness::bench::{Bench, Failure, Options, Report};
use nic_harness::lockstep::{LockStep, Stepper};
use nic_harness::verilator::{Flavour, Source};
use nic_models::ports::Golden;
use nic_sim::bench;
use nic_spec::config::NicConfig;

/// The configuration that tests run unless they say otherwise.
pub fn gbe() -> NicConfig {
    NicConfig::preset("gbe").expect("the preset exists")
}

/// The configuration of the cores with one ACK and one grant a cycle.
pub fn hundred() -> NicConfig {
    NicConfig::preset("hundred").expect("the preset exists")
}

/// The configuration of the CC core with one bit of a product a cycle.
pub fn cu() -> NicConfig {
    NicConfig::preset("cu").expect("the preset exists")
}

/// The registered bench of `block` in the sizes of [`gbe`], and the emitted Verilog.
pub fn bench_and_verilog(block: &str) -> (Bench, Source) {
    let bench = bench::by_name(block, &gbe()).unwrap_or_else(|| panic!("no bench {block}"));
    let source =
        bench::verilog(&bench).unwrap_or_else(|error| panic!("{block} is not emitted: {error}"));
    (bench, source)
}

/// Runs the bench of `block` from each seed, side by side; panics with the first mismatch, its
/// waveform and its replay line. Also panics if an output never moved from any seed, unless
/// `still_allowed` names it.
pub fn assert_matches_golden(
    block: &str,
    seeds: impl IntoIterator<Item = u64>,
    cycles: u64,
    still_allowed: &[&str],
) {
    let (bench, source) = bench_and_verilog(block);
    let run = |seed: u64| -> Result<Report, Box<Failure>> {
        println!("{block}: seed {seed}, {cycles} cycles");
        bench.run(&source, &Options::new(seed, cycles))
    };
    let seeds: Vec<u64> = seeds.into_iter().collect();
    let reports: Vec<Report> = std::thread::scope(|scope| {
        let runs: Vec<_> = seeds.iter().map(|seed| scope.spawn(|| run(*seed))).collect();
        let report = |result: Result<Report, Box<Failure>>| {
            result.unwrap_or_else(|failure| panic!("{block}: {failure}"))
        };
        runs.into_iter().map(|r| report(r.join().expect("the run itself never panics"))).collect()
    });
    let first = reports.first().expect("at least one seed");
    let is_still = |name: &&String| reports.iter().all(|r| r.still_outputs.contains(name));
    let still: Vec<&String> = first.still_outputs.iter().filter(is_still).collect();
    let unexpected: Vec<&&String> =
        still.iter().filter(|name| !still_allowed.contains(&name.as_str())).collect();
    assert!(unexpected.is_empty(), "{block}: outputs that never moved: {unexpected:?}");
}

/// Replaces `from` by `to` once in the emitted Verilog of `block`; panics unless the bench goes
/// red within `cycles`. Returns the failure for a closer look.
pub fn assert_catches(block: &str, from: &str, to: &str, cycles: u64) -> Box<Failure> {
    let (bench, mut source) = bench_and_verilog(block);
    assert!(source.text.contains(from), "the Verilog of {block} has no {from:?}");
    source.text = source.text.replacen(from, to, 1);
    let options = Options { failure_dir: None, ..Options::new(1, cycles) };
    match bench.run(&source, &options) {
        Err(failure) => failure,
        Ok(_) => panic!("{block}: the bench does not notice {from:?} -> {to:?}"),
    }
}

/// The emitted Verilog of a block in sizes of its own, for tests beside the catalogue's sizes.
pub fn verilog_of(design: Result<nic_hdl::emit::Design, nic_hdl::emit::EmitError>) -> Source {
    let design = design.unwrap_or_else(|error| panic!("not emitted: {error}"));
    Source::new(&design.top, &design.single_file())
}

/// `golden` beside the Verilog, out of reset, for directed tests. Prints the seed.
pub fn lock_step<G: Golden>(golden: G, source: &Source, seed: u64) -> LockStep<G> {
    println!("{}: seed {seed}", source.top);
    let model = source.model(Flavour::Fast).unwrap_or_else(|error| panic!("{error}"));
    let mut engine = LockStep::new(golden, &[model], seed).unwrap_or_else(|e| panic!("{e}"));
    engine.reset().unwrap_or_else(|error| panic!("{error}"));
    engine
}
