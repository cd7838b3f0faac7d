//! `nic verify`: benches of the registry, seeds in parallel.

use super::error::CliError;
use super::files;
use super::preset::config;
use super::progress::Progress;
use super::table::Table;
use crate::bench;
use nic_harness::bench::{Bench, Failure, FailureCause, Options, Report};
use nic_harness::lockstep::{StepError, TraceWindow};
use nic_harness::parallel::side_by_side;
use nic_harness::verilator::{Flavour, Source};
use nic_spec::config::NicConfig;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Seeds of each block unless the user says otherwise, from 1 up.
pub const DEFAULT_SEEDS: u64 = 4;
/// Cycles of each seed unless the user says otherwise.
pub const DEFAULT_CYCLES: u64 = 100_000;
/// Cycles that a run may have.
const CYCLES: RangeInclusive<u64> = 1..=1_000_000_000_000;
/// Cycles of waveform after the last compared one, as after a mismatch.
const TRACE_AFTER: u64 = 20;

/// Arguments of `nic verify`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Configuration
    #[arg(long, default_value = "gbe")]
    preset: String,
    /// Only this block; `nic` is the whole core [default: all]
    #[arg(long)]
    block: Option<String>,
    /// Number of seeds, from 1 up
    #[arg(long, default_value_t = DEFAULT_SEEDS, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    seeds: u64,
    /// Only this seed
    #[arg(long, conflicts_with = "seeds")]
    seed: Option<u64>,
    /// Cycles after reset, for each block and seed
    #[arg(long, default_value_t = DEFAULT_CYCLES, value_parser = clap::value_parser!(u64).range(CYCLES))]
    cycles: u64,
    /// Verilog that stands in for the emitted one (a changed file, a netlist); same ports
    #[arg(long, value_name = "FILE")]
    verilog: Option<PathBuf>,
    /// More Verilog for --verilog, for example models of a netlist's cells; may be repeated
    #[arg(long, value_name = "FILE", requires = "verilog")]
    library: Vec<PathBuf>,
    /// Waveform of the run; needs --block and --seed
    #[arg(long, value_name = "FILE.fst", requires_all = ["block", "seed"])]
    trace: Option<PathBuf>,
    /// After a mismatch builds no model with a waveform, which takes minutes for the whole NIC; the
    /// command that makes it is printed
    #[arg(long, conflicts_with = "trace")]
    no_waveform: bool,
    /// First cycle of the waveform
    #[arg(long, default_value_t = 0, requires = "trace")]
    trace_from: u64,
}

/// One seed of one bench.
struct Job<'a> {
    bench: &'a Bench,
    bench_index: usize,
    source: &'a Source,
    seed: u64,
}

/// Runs the verb.
pub fn run(arguments: &Arguments) -> Result<(), CliError> {
    let config = config(&arguments.preset)?;
    if arguments.trace_from >= arguments.cycles {
        let (from, cycles) = (arguments.trace_from, arguments.cycles);
        let text = format!("--trace-from {from}: the run has only {cycles} cycles, the first is 0");
        return Err(CliError::Usage(text));
    }
    files::check_output("--trace", arguments.trace.as_deref())?;
    let benches = selected(arguments, &config)?;
    let sources = benches.iter().map(|bench| source(arguments, bench));
    let sources = sources.collect::<Result<Vec<_>, _>>()?;
    let seeds: Vec<u64> = match arguments.seed {
        Some(seed) => vec![seed],
        None => (1..=arguments.seeds).collect(),
    };
    // Seeds outside, benches inside: the builds of different models come first, side by side.
    let job = |seed: u64, bench_index: usize| {
        let (bench, source) = (&benches[bench_index], &sources[bench_index]);
        Job { bench, bench_index, source, seed }
    };
    let jobs: Vec<Job<'_>> = seeds
        .iter()
        .flat_map(|&s| (0..benches.len()).map(move |b| (s, b)))
        .map(|(s, b)| job(s, b))
        .collect();
    let results = run_jobs(arguments, &jobs);
    report(&benches, &jobs, &results)
}

fn selected(arguments: &Arguments, config: &NicConfig) -> Result<Vec<Bench>, CliError> {
    let mut benches = bench::benches(config);
    // A Verilog from outside is the whole core unless a block is named.
    let name = arguments.block.as_deref().or(arguments.verilog.as_ref().map(|_| "nic"));
    let Some(name) = name else { return Ok(benches) };
    let names: Vec<&str> = benches.iter().map(Bench::name).collect();
    let unknown = format!("--block {name}: no such block; there are {}", names.join(", "));
    benches.retain(|bench| bench.name() == name);
    if benches.is_empty() {
        return Err(CliError::Usage(unknown));
    }
    Ok(benches)
}

/// The Verilog to verify; one from outside must have the ports of the emitted one.
fn source(arguments: &Arguments, bench: &Bench) -> Result<Source, CliError> {
    let emitted = bench::verilog(bench).map_err(CliError::failed)?;
    let Some(path) = &arguments.verilog else { return Ok(emitted) };
    let at_file = |e| CliError::Usage(format!("--verilog {}: {e}", path.display()));
    let mut given = Source::read(bench.name(), path).map_err(CliError::usage)?;
    given.files.clone_from(&arguments.library);
    let model = given.model(flavour(arguments)).map_err(at_file)?;
    let expected = emitted.model(Flavour::Fast).map_err(CliError::failed)?;
    model.check_same_ports(&expected).map_err(at_file)?;
    Ok(given)
}

/// The build of each block's model: `Fast` for short runs too, as longer ones have often built it.
fn flavour(arguments: &Arguments) -> Flavour {
    let seeds = if arguments.seed.is_some() { 1 } else { arguments.seeds };
    match Flavour::for_cycles(seeds.saturating_mul(arguments.cycles)) {
        Flavour::Quick => Flavour::Fast,
        flavour => flavour,
    }
}

type Outcome = Result<Report, Box<Failure>>;

fn run_jobs(arguments: &Arguments, jobs: &[Job<'_>]) -> Vec<Outcome> {
    let progress = Progress::new("cycles", arguments.cycles * jobs.len() as u64);
    let trace = |path: &PathBuf| TraceWindow {
        path: path.clone(),
        first_cycle: arguments.trace_from,
        last_cycle: arguments.cycles.saturating_add(TRACE_AFTER),
    };
    side_by_side(jobs, |_, job| {
        let mut options = Options::new(job.seed, arguments.cycles);
        options.flavour = flavour(arguments);
        options.progress = Some(progress.counter());
        options.has_waveform = !arguments.no_waveform;
        options.trace = arguments.trace.as_ref().map(trace);
        options.verilog_arguments = verilog_arguments(arguments);
        if arguments.verilog.is_some() {
            options.reference = bench::verilog(job.bench).ok();
        }
        job.bench.run(job.source, &options)
    })
}

/// What the replay line must repeat.
fn verilog_arguments(arguments: &Arguments) -> String {
    let verilog = arguments.verilog.iter().map(|p| format!(" --verilog {}", p.display()));
    let library = arguments.library.iter().map(|p| format!(" --library {}", p.display()));
    verilog.chain(library).collect()
}

/// Prints failures and the summary.
fn report(benches: &[Bench], jobs: &[Job<'_>], results: &[Outcome]) -> Result<(), CliError> {
    let mut table = Table::new(["block", "seeds", "cycles", "mismatches", "kcycles/s"]);
    let (mut mismatches_total, mut failures_total) = (0, 0);
    let mut input_error = None;
    for (bench_index, bench) in benches.iter().enumerate() {
        let of_bench = jobs.iter().zip(results).filter(|(job, _)| job.bench_index == bench_index);
        let (mut seeds, mut cycles, mut seconds, mut mismatches) = (0, 0, 0.0, 0);
        for (_, result) in of_bench {
            seeds += 1;
            match result {
                Ok(report) => {
                    cycles += report.cycles;
                    seconds += report.elapsed.as_secs_f64();
                }
                Err(failure) => {
                    println!("{}: {failure}", bench.name());
                    mismatches += u64::from(failure.mismatch().is_some());
                    cycles += failure.cycle.unwrap_or(0);
                    failures_total += 1;
                    if let FailureCause::Other(StepError::Model(error)) = &failure.cause {
                        input_error = Some(error.clone());
                    }
                }
            }
        }
        mismatches_total += mismatches;
        let rate = if seconds > 0.0 { cycles as f64 / seconds / 1e3 } else { 0.0 };
        let counts = [seeds.to_string(), cycles.to_string(), mismatches.to_string()];
        let [seeds, cycles, mismatches] = counts;
        table.row([bench.name().into(), seeds, cycles, mismatches, format!("{rate:.0}")]);
    }
    print!("{table}");
    print_still(benches, jobs, results);
    match (failures_total, input_error) {
        (0, _) => Ok(()),
        (_, Some(error)) => Err(CliError::failed(error)),
        _ => Err(CliError::Failed(format!(
            "{failures_total} of {} runs failed, {mismatches_total} of them by a mismatch",
            jobs.len()
        ))),
    }
}

/// Names the outputs that no seed moved: the run says nothing about them.
fn print_still(benches: &[Bench], jobs: &[Job<'_>], results: &[Outcome]) {
    for (bench_index, bench) in benches.iter().enumerate() {
        let of_bench = jobs.iter().zip(results).filter(|(job, _)| job.bench_index == bench_index);
        let reports: Vec<&Report> = of_bench.filter_map(|(_, r)| r.as_ref().ok()).collect();
        let Some(first) = reports.first() else { continue };
        let is_still = |name: &&String| reports.iter().all(|r| r.still_outputs.contains(name));
        let still: Vec<&str> =
            first.still_outputs.iter().filter(is_still).map(String::as_str).collect();
        if !still.is_empty() {
            println!("{}: never moved: {}", bench.name(), still.join(", "));
        }
    }
}
