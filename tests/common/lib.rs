//! Helpers shared by the tests of the root package.

use nic_harness::bench::{Bench, Failure, Options, Report};
use nic_harness::lockstep::{LockStep, Stepper};
use nic_harness::mutate::{Change, Mistake, Mistaken};
use nic_harness::parallel::side_by_side;
use nic_harness::verilator::{Flavour, Source};
use nic_models::ports::Golden;
use nic_sim::bench;
use nic_spec::config::NicConfig;

/// The configuration that tests run unless they say otherwise.
pub fn gbe() -> NicConfig {
    NicConfig::preset("gbe").expect("the preset exists")
}

/// The NIC of `NIC_PRESET`, without it `gbe`: the same tests for each width.
pub fn preset() -> NicConfig {
    let name = std::env::var("NIC_PRESET").unwrap_or_else(|_| "gbe".into());
    NicConfig::preset(&name).unwrap_or_else(|e| panic!("NIC_PRESET: {e}"))
}

/// The same with more of everything.
pub fn ten() -> NicConfig {
    NicConfig::preset("ten").expect("the preset exists")
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
    let runs = Runs::of_block(block, &gbe(), [], 0);
    (runs.bench, runs.source)
}

/// Runs of a bench: so many cycles from each seed.
pub struct Runs {
    bench: Bench,
    source: Source,
    seeds: Vec<u64>,
    cycles: u64,
}

impl Runs {
    /// Runs of a bench and the Verilog that is emitted for it.
    pub fn of(bench: Bench, seeds: impl IntoIterator<Item = u64>, cycles: u64) -> Self {
        let source = bench::verilog(&bench);
        let source = source.unwrap_or_else(|e| panic!("{} is not emitted: {e}", bench.name()));
        Self { bench, source, seeds: seeds.into_iter().collect(), cycles }
    }

    /// Runs of the registered bench of `block` in the sizes of `config`.
    pub fn of_block(
        block: &str,
        config: &NicConfig,
        seeds: impl IntoIterator<Item = u64>,
        cycles: u64,
    ) -> Self {
        let bench = bench::by_name(block, config).unwrap_or_else(|| panic!("no bench {block}"));
        Self::of(bench, seeds, cycles)
    }

    /// The Verilog.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// All seeds side by side; panics with the first mismatch, its waveform and its replay line.
    pub fn reports(&self) -> Vec<Report> {
        let (block, flow_count) = (self.bench.name(), self.bench.config().flow_count);
        let run = |seed: u64| -> Result<Report, Box<Failure>> {
            println!("{block}: {flow_count} flows, seed {seed}, {} cycles", self.cycles);
            self.bench.run(&self.source, &Options::new(seed, self.cycles))
        };
        std::thread::scope(|scope| {
            let run = &run;
            let runs: Vec<_> =
                self.seeds.iter().map(|seed| scope.spawn(move || run(*seed))).collect();
            let report = |result: Result<Report, Box<Failure>>| {
                result.unwrap_or_else(|failure| panic!("{block}, {flow_count} flows: {failure}"))
            };
            let join = |r: std::thread::ScopedJoinHandle<'_, _>| {
                report(r.join().expect("the run itself never panics"))
            };
            runs.into_iter().map(join).collect()
        })
    }

    /// As [`Runs::reports`]; panics as well if the Verilog lacks the register of a counter that is
    /// to start near its wrap, or if an output never moved from any seed, unless `still_allowed`
    /// names it.
    pub fn assert_match_golden(&self, still_allowed: &[&str]) {
        let reports = self.reports();
        let first = reports.first().expect("at least one seed");
        let missing: Vec<&String> = reports.iter().flat_map(|r| &r.missing_registers).collect();
        assert!(missing.is_empty(), "{}: no such register: {missing:?}", self.bench.name());
        let is_still = |name: &&String| reports.iter().all(|r| r.still_outputs.contains(name));
        let is_new = |name: &&String| !still_allowed.contains(&name.as_str());
        let still: Vec<&String> =
            first.still_outputs.iter().filter(is_still).filter(is_new).collect();
        assert!(still.is_empty(), "{}: outputs that never moved: {still:?}", self.bench.name());
    }

    /// The breaks that no run notices.
    fn missed<'a>(&self, breaks: &[&'a Break<'a>]) -> Vec<&'a Break<'a>> {
        let change = |(from, to): &Break| Change::first(&self.source.text, from, to);
        let mistakes: Vec<Mistake> =
            breaks.iter().map(|planted| change(planted).into_iter().collect()).collect();
        let mistaken = Mistaken::new(&self.source, &mistakes);
        // Most are noticed early.
        let cycles = self.cycles * (self.seeds.len() * breaks.len()) as u64 / 8;
        let options = |seed| Options {
            flavour: Flavour::for_cycles(cycles),
            failure_dir: None,
            ..Options::new(seed, self.cycles)
        };
        if let Some(seed) = self.seeds.first() {
            let right = mistaken.run_right(&self.bench, &options(*seed));
            right.unwrap_or_else(|failure| panic!("{}: {failure}", self.bench.name()));
        }
        let is_caught = |at: usize| {
            self.seeds.iter().any(|seed| match mistaken.run(&self.bench, at, &options(*seed)) {
                Ok(_) => false,
                Err(failure) if failure.cycle.is_some() => true,
                Err(failure) => panic!("{:?} cannot be run: {failure}", breaks[at]),
            })
        };
        let caught = side_by_side(breaks, |at, _| is_caught(at));
        breaks.iter().zip(caught).filter(|(_, is_caught)| !is_caught).map(|(b, _)| *b).collect()
    }
}

/// A mistake: the first place in the Verilog with this text, and what stands there instead.
pub type Break<'a> = (&'a str, &'a str);

/// Of mistakes that each take seconds a third, the first one included; with `NIC_PLANTED_ALL` all.
pub fn tried<T>(planted: &[T]) -> impl Iterator<Item = &T> {
    let one_of = if std::env::var_os("NIC_PLANTED_ALL").is_some() { 1 } else { 3 };
    planted.iter().step_by(one_of)
}

/// Makes the mistakes in the Verilog, one at a time; panics unless some of the runs, which are of
/// the same design, go red, or if the Verilog has no place for one.
pub fn assert_runs_catch(runs: &[Runs], breaks: &[Break]) {
    let block = runs[0].bench.name();
    for (from, _) in breaks {
        assert!(runs[0].source.text.contains(from), "the Verilog of {block} has no {from:?}");
    }
    let missed = runs.iter().fold(breaks.iter().collect(), |missed: Vec<_>, r| r.missed(&missed));
    assert!(missed.is_empty(), "{block}: not noticed: {missed:?}");
}

/// The table of `block`'s deliberate mistakes: seed 1 must notice each within `cycles`.
pub fn assert_catches(block: &str, cycles: u64, breaks: &[Break]) {
    assert_runs_catch(&[Runs::of_block(block, &gbe(), [1], cycles)], breaks);
}

/// Runs the bench of `block` in the sizes of [`gbe`], see [`Runs::assert_match_golden`].
pub fn assert_matches_golden(
    block: &str,
    seeds: impl IntoIterator<Item = u64>,
    cycles: u64,
    still_allowed: &[&str],
) {
    Runs::of_block(block, &gbe(), seeds, cycles).assert_match_golden(still_allowed);
}

/// The emitted Verilog of a block in sizes of its own, for tests beside the catalogue's sizes.
pub fn verilog_of(design: Result<nic_hdl::emit::Design, nic_hdl::emit::EmitError>) -> Source {
    let design = design.unwrap_or_else(|error| panic!("not emitted: {error}"));
    Source::new(&design.top, &design.single_file())
}

/// `golden` beside the Verilog, out of reset, for directed tests. Prints the seed.
pub fn lock_step<G: Golden>(golden: G, source: &Source, seed: u64) -> LockStep<G> {
    lock_step_as(Flavour::Fast, golden, source, seed)
}

/// The same for some thousand cycles of a large block, whose model builds for longer than it runs.
pub fn brief_lock_step<G: Golden>(golden: G, source: &Source, seed: u64) -> LockStep<G> {
    lock_step_as(Flavour::Quick, golden, source, seed)
}

fn lock_step_as<G: Golden>(flavour: Flavour, golden: G, source: &Source, seed: u64) -> LockStep<G> {
    println!("{}: seed {seed}", source.top);
    let model = source.model(flavour).unwrap_or_else(|error| panic!("{error}"));
    let mut engine = LockStep::new(golden, &[model], seed).unwrap_or_else(|e| panic!("{e}"));
    engine.reset().unwrap_or_else(|error| panic!("{error}"));
    engine
}
