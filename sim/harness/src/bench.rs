//! A bench: a block's golden model and a seeded stimulus, the compare loop that runs them beside
//! the block's Verilog, and what it leaves behind when it fails.

use crate::caught::{catch, FailedCheck};
use crate::four_state::{Recorder, Recording, SharedRecording};
use crate::lockstep::{
    Dut, GoldenOnly, LockStep, Mismatch, NearWraps, RegisterDifference, SharedRegisters, StepError,
    Stepper, TraceWindow,
};
use crate::verilator::{Error, Flavour, Source};
use nic_models::ports::Golden;
use nic_spec::config::NicConfig;
use std::cell::Cell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// Cycles of waveform before a mismatch.
const WINDOW_BEFORE: u64 = 200;
/// Cycles of waveform after a mismatch.
const WINDOW_AFTER: u64 = 20;
/// Cycles between reports of progress.
const PROGRESS_CYCLES: u64 = 4096;

/// Makes a block's inputs, cycle by cycle, from what the block put out. A function of its seed.
pub trait Stimulus<G: Golden> {
    /// Inputs for `cycle` (from 0, after reset); `out` are the outputs before its edge.
    fn next(&mut self, cycle: u64, out: &G::Out) -> G::In;

    /// Whether what the stimulus plays goes on where the counter at `path` starts elsewhere than at
    /// 0.
    fn follows(&self, _path: &str) -> bool {
        true
    }

    /// The counter at `path` has started at `value`.
    fn started(&mut self, _path: &str, _value: u64) {}
}

/// A block's golden model and stimulus, with their types erased.
pub struct Bench {
    name: &'static str,
    config: NicConfig,
    telling_cycles: u64,
    run: Box<RunFn>,
    record: Box<RecordFn>,
}

type RecordFn = dyn Fn(u64, u64) -> Recording + Send + Sync;
type RunFn = dyn Fn(&Bench, &Source, &Options) -> Result<Report, Box<Failure>> + Send + Sync;

impl core::fmt::Debug for Bench {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Bench").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Bench {
    /// Bench of the block whose Verilog top module is `name`, in the sizes of `config`.
    pub fn new<G, S>(
        name: &'static str,
        config: &NicConfig,
        golden: impl Fn() -> G + Send + Sync + 'static,
        stimulus: impl Fn(u64) -> S + Send + Sync + 'static,
    ) -> Self
    where
        G: Golden,
        S: Stimulus<G>,
    {
        let (golden, stimulus) = (Arc::new(golden), Arc::new(stimulus));
        let record = {
            let (golden, stimulus) = (golden.clone(), stimulus.clone());
            move |seed, cycles| record(golden(), stimulus(seed), cycles)
        };
        let run = move |bench: &Bench, source: &Source, options: &Options| {
            run(bench, source, options, &*golden, &*stimulus)
        };
        let (run, record) = (Box::new(run), Box::new(record));
        Self { name, config: config.clone(), telling_cycles: 0, run, record }
    }

    /// The same for a block whose parts come into play only after so many cycles.
    pub fn telling_after(self, cycles: u64) -> Self {
        Self { telling_cycles: cycles, ..self }
    }

    /// Cycles that a run needs to tell of every part of the block.
    pub fn telling_cycles(&self) -> u64 {
        self.telling_cycles
    }

    /// Name of the block: that of its Verilog top module.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Sizes of the bench.
    pub fn config(&self) -> &NicConfig {
        &self.config
    }

    /// Runs Verilog and golden model in lock-step. After a mismatch runs the seed once more with
    /// a waveform around the bad cycle.
    pub fn run(&self, source: &Source, options: &Options) -> Result<Report, Box<Failure>> {
        (self.run)(self, source, options)
    }

    /// What goes in and out of the golden model.
    pub fn record(&self, seed: u64, cycles: u64) -> Recording {
        (self.record)(seed, cycles)
    }
}

/// Who takes the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// The golden model alone; the Verilog is not looked at.
    Golden,
    /// The Verilated Verilog alone; only the rule that outputs are registers is checked.
    Rtl,
    /// Both in lock-step, every output compared in every cycle.
    Both,
}

/// One run of a bench.
#[derive(Clone, Debug)]
pub struct Options {
    /// Seed of the stimulus, the stalls and the X-initialisation.
    pub seed: u64,
    /// Cycles after reset.
    pub cycles: u64,
    /// Who takes the steps.
    pub engine: Engine,
    /// Build of the model.
    pub flavour: Flavour,
    /// Keep a waveform of this window, mismatch or not.
    pub trace: Option<TraceWindow>,
    /// Where the waveform of a mismatch goes; `None`: no waveform.
    pub failure_dir: Option<PathBuf>,
    /// A mismatch is run again for that waveform: the model is built once more, which takes minutes
    /// for the whole NIC. Else only the command that does so is told.
    pub has_waveform: bool,
    /// Verilog that is known to be right: after a mismatch the first register that differs from it
    /// is looked for.
    pub reference: Option<Source>,
    /// Counts the cycles done, for a progress bar.
    pub progress: Option<Arc<AtomicU64>>,
    /// What a replay line must say about the Verilog: empty, or ` --verilog FILE`.
    pub verilog_arguments: String,
    /// Additional inputs of the Verilog and their constant values.
    pub extra_inputs: Vec<(String, u64)>,
}

impl Options {
    /// `cycles` cycles from `seed`; the waveform of a mismatch goes to `build/`.
    pub fn new(seed: u64, cycles: u64) -> Self {
        Self {
            seed,
            cycles,
            engine: Engine::Both,
            flavour: Flavour::Fast,
            trace: None,
            failure_dir: Some("build".into()),
            has_waveform: true,
            reference: None,
            progress: None,
            verilog_arguments: String::new(),
            extra_inputs: Vec::new(),
        }
    }
}

/// A run without mismatch.
#[derive(Clone, Debug)]
pub struct Report {
    /// Cycles compared.
    pub cycles: u64,
    /// Time of the compare loop, the model's build not included.
    pub elapsed: Duration,
    /// Outputs that never changed, so that the run said nothing about them.
    pub still_outputs: Vec<String>,
    /// Registers of counters that were to start near their wraps, and that the Verilog lacks.
    pub missing_registers: Vec<String>,
}

/// Why a run failed.
#[derive(Clone, Debug, PartialEq)]
pub enum FailureCause {
    /// The first cycle in which golden model and DUT differ.
    Mismatch(Mismatch),
    /// The model cannot be built or run, or the stimulus drives a value that does not exist.
    Other(StepError),
    /// A check of the bench failed while golden model and DUT were equal, or had not been compared.
    Check(FailedCheck),
}

/// A failed run and how to see it again.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// What happened.
    pub cause: FailureCause,
    /// Seed of the run.
    pub seed: u64,
    /// Cycle after reset in which it failed, 0 also at the end of reset; `None`: it didn't begin.
    pub cycle: Option<u64>,
    /// The first register that differs from the reference's, of those that both have.
    pub register: Option<Box<RegisterDifference>>,
    /// Waveform around the bad cycle.
    pub waveform: Option<PathBuf>,
    /// Whether the run with waveform met the same mismatch.
    pub waveform_reproduces: bool,
    /// Command line that runs into the failure again.
    pub replay: Option<String>,
}

impl Failure {
    /// The mismatch, if it was one.
    pub fn mismatch(&self) -> Option<&Mismatch> {
        match &self.cause {
            FailureCause::Mismatch(mismatch) => Some(mismatch),
            _ => None,
        }
    }
}

impl core::fmt::Display for Failure {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let cycle = self.cycle.map_or(String::new(), |cycle| format!(" cycle {cycle}"));
        let seed = self.seed;
        match &self.cause {
            FailureCause::Mismatch(mismatch) => write!(f, "mismatch: {mismatch}")?,
            FailureCause::Other(error) => write!(f, "seed {seed}{cycle}: {error}")?,
            FailureCause::Check(failed) => write!(f, "seed {seed}{cycle}: check failed: {failed}")?,
        }
        if let Some(register) = &self.register {
            write!(f, "\n  {register}")?;
        }
        if let Some(waveform) = &self.waveform {
            write!(f, "\n  waveform: {}", waveform.display())?;
            if !self.waveform_reproduces {
                f.write_str(" (of a run that went otherwise)")?;
            }
        }
        if let Some(replay) = &self.replay {
            write!(f, "\n  replay: {replay}")?;
        }
        Ok(())
    }
}

impl core::error::Error for Failure {}

/// Runs `bench` and, after a mismatch, once more for the waveform.
fn run<G: Golden, S: Stimulus<G>>(
    bench: &Bench,
    source: &Source,
    options: &Options,
    golden: &dyn Fn() -> G,
    stimulus: &dyn Fn(u64) -> S,
) -> Result<Report, Box<Failure>> {
    let once = |options: &Options| {
        let course = Course::default();
        let run = || run_once(source, options, golden(), stimulus(options.seed), &course);
        // After a mismatch the stimulus goes on for the waveform's sake alone.
        let check = |failed| Err(course.met.take().unwrap_or(FailureCause::Check(failed)));
        let result = catch(run).unwrap_or_else(check);
        result.map_err(|cause| (cause, course.cycle.get(), course.register.take()))
    };
    let (cause, cycle, mut register) = match once(options) {
        Ok(report) => return Ok(report),
        Err(failed) => failed,
    };
    if options.reference.is_some() && register.is_none() && options.flavour != Flavour::Open {
        let open =
            Options { flavour: Flavour::Open, trace: None, progress: None, ..options.clone() };
        register = once(&open).err().and_then(|(_, _, register)| register);
    }
    let seed = options.seed;
    let (waveform, replay) = (None, None);
    let waveform_reproduces = false;
    let mut failure =
        Failure { cause, seed, cycle, register, waveform, waveform_reproduces, replay };
    let Some(cycle) = cycle else { return Err(Box::new(failure)) };
    if let Some(window) = &options.trace {
        // The run that failed has left the waveform itself.
        (failure.waveform, failure.waveform_reproduces) = (Some(window.path.clone()), true);
        return Err(Box::new(failure));
    }
    let Some(dir) = &options.failure_dir else { return Err(Box::new(failure)) };
    let (first_cycle, last_cycle) = (cycle.saturating_sub(WINDOW_BEFORE), cycle + WINDOW_AFTER);
    let path = dir.join(format!("{}_{seed}.fst", bench.name));
    failure.replay = Some(format!(
        "nic verify --preset {} --block {} --seed {seed} --cycles {}{} --trace {} \
         --trace-from {first_cycle}",
        bench.config.name,
        bench.name,
        cycle + 1,
        options.verilog_arguments,
        path.display()
    ));
    let window = TraceWindow { path: path.clone(), first_cycle, last_cycle };
    let traced = Options { trace: Some(window), progress: None, ..options.clone() };
    if options.has_waveform && std::fs::create_dir_all(dir).is_ok() {
        let again = once(&traced).err().map(|(cause, cycle, _)| (cause, cycle));
        failure.waveform_reproduces = again == Some((failure.cause.clone(), Some(cycle)));
        failure.waveform = path.exists().then_some(path);
    }
    Err(Box::new(failure))
}

/// How far a run has come, also when a check ends it.
#[derive(Default)]
struct Course {
    /// As [`Failure::cycle`].
    cycle: Cell<Option<u64>>,
    /// The first failure, while the run goes on for the waveform.
    met: Cell<Option<FailureCause>>,
    /// The first register that differs from the reference's.
    register: Cell<Option<Box<RegisterDifference>>>,
}

fn run_once<G: Golden, S: Stimulus<G>>(
    source: &Source,
    options: &Options,
    golden: G,
    mut stimulus: S,
    course: &Course,
) -> Result<Report, FailureCause> {
    match options.engine {
        Engine::Golden => {
            return run_free(GoldenOnly(golden), options, stimulus, course).map_err(cause)
        }
        Engine::Rtl => {
            let dut = dut::<G>(source, options).map_err(|e| cause(e.into()))?;
            return run_free(dut, options, stimulus, course).map_err(cause);
        }
        Engine::Both => {}
    }
    // The reference is a second DUT of the run that looks for a register.
    let reference = options.reference.as_ref().filter(|_| options.flavour == Flavour::Open);
    let duts = [source].into_iter().chain(reference).map(|source| dut::<G>(source, options));
    let duts = duts.collect::<Result<Vec<_>, _>>().map_err(|e| cause(e.into()))?;
    let mut engine = LockStep::with_duts(golden, duts);
    let mut registers = reference.map(|other| SharedRegisters::new(&mut engine, [source, other]));
    let start = Instant::now();
    let is_traced = options.trace.is_some();
    let mut end = options.cycles;
    let mut has_failed = false;
    course.cycle.set(Some(0));
    let mut out = match engine.reset() {
        Ok(out) => out,
        Err(error) => {
            end = if is_traced { WINDOW_AFTER } else { 0 };
            has_failed = true;
            course.met.set(Some(cause(error)));
            engine.last_out().clone()
        }
    };
    watch(&mut registers, &engine, None, course);
    let mut wraps = NearWraps::new(options.seed);
    for cycle in 0.. {
        if cycle >= end {
            break;
        }
        if !has_failed {
            let follows = |path: &str| stimulus.follows(path);
            let started = engine.start_counters(&mut wraps, &follows);
            out = started.map_err(|e| cause(e.into()))?.unwrap_or(out);
            wraps.started.iter().for_each(|(path, value)| stimulus.started(path, *value));
            course.cycle.set(Some(cycle));
        }
        let inputs = stimulus.next(cycle, &out);
        out = match engine.step(&inputs) {
            Ok(out) => out,
            Err(error) => {
                // After a mismatch go on only for the rest of the waveform.
                if !has_failed {
                    end = if is_traced { cycle + WINDOW_AFTER + 1 } else { 0 };
                    has_failed = true;
                    course.met.set(Some(cause(error)));
                }
                engine.last_out().clone()
            }
        };
        watch(&mut registers, &engine, Some(cycle), course);
        if let (Some(progress), true) = (&options.progress, (cycle + 1) % PROGRESS_CYCLES == 0) {
            progress.fetch_add(PROGRESS_CYCLES, Ordering::Relaxed);
        }
    }
    if let Some(failure) = course.met.take() {
        return Err(failure);
    }
    engine.duts()[0].check_status().map_err(|e| cause(e.into()))?;
    let (cycles, elapsed) = (options.cycles, start.elapsed());
    let (still_outputs, missing_registers) =
        (engine.still_outputs(), wraps.missing.into_iter().collect());
    Ok(Report { cycles, elapsed, still_outputs, missing_registers })
}

/// Notes the first register that differs from the reference's.
fn watch<G: Golden>(
    registers: &mut Option<SharedRegisters>,
    engine: &LockStep<G>,
    cycle: Option<u64>,
    course: &Course,
) {
    let difference = registers.as_ref().and_then(|shared| shared.difference(engine, cycle));
    if difference.is_some() {
        course.register.set(difference.map(Box::new));
        *registers = None;
    }
}

/// One engine on its own.
fn run_free<G: Golden, S: Stimulus<G>>(
    mut engine: impl Stepper<In = G::In, Out = G::Out>,
    options: &Options,
    mut stimulus: S,
    course: &Course,
) -> Result<Report, StepError> {
    let start = Instant::now();
    course.cycle.set(Some(0));
    let mut out = engine.reset()?;
    for cycle in 0..options.cycles {
        course.cycle.set(Some(cycle));
        out = engine.step(&stimulus.next(cycle, &out))?;
    }
    let (cycles, elapsed) = (options.cycles, start.elapsed());
    let (still_outputs, missing_registers) = (Vec::new(), Vec::new());
    Ok(Report { cycles, elapsed, still_outputs, missing_registers })
}

fn record<G: Golden>(golden: G, mut stimulus: impl Stimulus<G>, cycles: u64) -> Recording {
    let recording = SharedRecording::default();
    let mut engine = Recorder::new(golden, &recording);
    let mut out = engine.reset().expect("a golden model alone doesn't fail");
    for cycle in 0..cycles {
        let inputs = stimulus.next(cycle, &out);
        out = engine.step(&inputs).expect("a golden model alone doesn't fail");
    }
    let recorded = std::mem::take(&mut *recording.lock().unwrap_or_else(PoisonError::into_inner));
    recorded
}

fn dut<G: Golden>(source: &Source, options: &Options) -> Result<Dut<G::In, G::Out>, Error> {
    let flavour = if options.trace.is_some() { Flavour::Trace } else { options.flavour };
    let model = source.model(flavour)?;
    let names: Vec<&str> = options.extra_inputs.iter().map(|(name, _)| &**name).collect();
    let mut dut = Dut::with_extra(&model, options.seed, &names)?;
    for (name, value) in &options.extra_inputs {
        dut.set_extra(name, *value);
    }
    if let Some(window) = &options.trace {
        dut.trace(window.clone())?;
    }
    Ok(dut)
}

fn cause(error: StepError) -> FailureCause {
    match error {
        StepError::Mismatch(mismatch) => FailureCause::Mismatch(*mismatch),
        other => FailureCause::Other(other),
    }
}
