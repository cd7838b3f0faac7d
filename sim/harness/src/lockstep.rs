//! Engines that step a block by one clock edge: its golden model, its Verilated Verilog, or both
//! in lock-step with every output compared in every cycle.
//!
//! An environment (a stimulus, a replayed capture, a network) drives any of them through
//! [`Stepper`]: [`GoldenOnly`], [`Dut`], [`LockStep`].

use crate::verilator::{Error, Model, PinnedInstance};
use nic_models::ports::{Golden, PortDef, PortField, Ports};
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;

mod registers;
mod starts;

pub use registers::{RegisterDifference, SharedRegisters};
pub use starts::NearWraps;

/// Time between rising edges in waveforms, in ns.
pub const TRACE_PERIOD_NS: u64 = 10;

/// Something that has a block's pins and takes one clock edge at a time.
pub trait Stepper {
    /// Input pins, the clock excepted.
    type In: Ports;
    /// Output pins.
    type Out: Ports;
    /// Resets with random values on the other inputs; returns the outputs after it. Cycle 0 follows.
    fn reset(&mut self) -> Result<Self::Out, StepError>;
    /// One rising edge: samples `inputs`, returns the outputs after the edge.
    fn step(&mut self, inputs: &Self::In) -> Result<Self::Out, StepError>;
}

/// Why an engine cannot go on.
#[derive(Clone, Debug, PartialEq)]
pub enum StepError {
    /// Golden model and DUT differ, or the DUT's outputs are no registers.
    Mismatch(Box<Mismatch>),
    /// The Verilated model failed.
    Model(Error),
    /// The environment drove a bit that the port does not have.
    Input {
        /// `block.signal`.
        signal: String,
        /// Cycle after reset.
        cycle: u64,
        /// Value of the highest word.
        value: u64,
    },
}

impl core::fmt::Display for StepError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Mismatch(mismatch) => mismatch.fmt(f),
            Self::Model(error) => error.fmt(f),
            Self::Input { signal, cycle, value } => {
                write!(f, "stimulus drives {signal} to {value:#x} in cycle {cycle}: too wide")
            }
        }
    }
}

impl core::error::Error for StepError {}

impl From<Error> for StepError {
    fn from(error: Error) -> Self {
        Self::Model(error)
    }
}

/// One signal that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Port name.
    pub signal: String,
    /// What it should be, least significant word first.
    pub golden: Vec<u64>,
    /// What it is.
    pub dut: Vec<u64>,
}

/// Which rule was broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// After the edge the outputs equal the golden model's.
    EqualsGolden,
    /// Outputs move only with the clock edge; `golden` holds the value after the last edge.
    Registered,
}

/// All that differs in the first bad cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// Top module.
    pub block: String,
    /// Seed of stimulus and X-initialisation.
    pub seed: u64,
    /// Cycle after reset, from 0; `None`: at the end of reset.
    pub cycle: Option<u64>,
    /// Broken rule.
    pub rule: Rule,
    /// Differing ports, in port order; at least one.
    pub differences: Vec<Difference>,
}

impl core::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.cycle {
            Some(cycle) => write!(f, "seed {} cycle {cycle}", self.seed)?,
            None => write!(f, "seed {} end of reset", self.seed)?,
        }
        for d in &self.differences {
            let (golden, dut) = (hex(&d.golden), hex(&d.dut));
            match self.rule {
                Rule::EqualsGolden => {
                    write!(f, "\n  {}.{}: golden {golden} DUT {dut}", self.block, d.signal)?;
                }
                Rule::Registered => write!(
                    f,
                    "\n  {}.{}: moved from {golden} to {dut} before the clock edge: no register",
                    self.block, d.signal
                )?,
            }
        }
        Ok(())
    }
}

fn hex(words: &[u64]) -> String {
    let used = words.iter().rposition(|w| *w != 0).unwrap_or(0);
    let high = format!("{:#x}", words.get(used).copied().unwrap_or(0));
    words[..used].iter().rev().fold(high, |text, w| format!("{text}_{w:016x}"))
}

/// The golden model alone.
#[derive(Clone, Debug)]
pub struct GoldenOnly<G>(
    /// The model.
    pub G,
);

impl<G: Golden> Stepper for GoldenOnly<G> {
    type In = G::In;
    type Out = G::Out;

    fn reset(&mut self) -> Result<G::Out, StepError> {
        Ok(reset_golden(&mut self.0))
    }

    fn step(&mut self, inputs: &G::In) -> Result<G::Out, StepError> {
        Ok(self.0.step(inputs))
    }
}

fn reset_golden<G: Golden>(golden: &mut G) -> G::Out {
    let mut words = vec![0; G::In::WORDS];
    if let Some(at) = reset_word(&G::In::port_defs()) {
        words[at] = 1;
    }
    golden.step(&G::In::load(&words))
}

fn reset_word(defs: &[PortDef]) -> Option<usize> {
    defs.iter().find(|d| d.name == "reset").map(|d| d.word_index)
}

/// Cycles of which a waveform is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceWindow {
    /// FST file.
    pub path: PathBuf,
    /// First cycle after reset; 0 includes the reset.
    pub first_cycle: u64,
    /// Last cycle.
    pub last_cycle: u64,
}

/// The Verilated model alone. Checks on its own that its outputs are registers.
#[derive(Debug)]
pub struct Dut<I, O> {
    pins: PinnedInstance,
    block: String,
    seed: u64,
    rng: ChaCha8Rng,
    input_words: Vec<u64>,
    /// After the last edge.
    output_words: Vec<u64>,
    /// With the clock low, before the edge.
    low_words: Vec<u64>,
    /// Whether a reset has been seen: outputs mean nothing before.
    is_reset: bool,
    cycle: u64,
    trace: Option<TraceWindow>,
    time_ns: u64,
    ports: PhantomData<fn(I) -> O>,
}

impl<I: Ports, O: Ports> Dut<I, O> {
    /// An instance whose state starts random by `seed`.
    pub fn new(model: &Arc<Model>, seed: u64) -> Result<Self, Error> {
        Self::with_extra(model, seed, &[])
    }

    /// As `new`, of a model with additional inputs that [`Dut::set_extra`] drives.
    pub fn with_extra(model: &Arc<Model>, seed: u64, extra: &[&str]) -> Result<Self, Error> {
        let (inputs, outputs) = (I::port_defs(), O::port_defs());
        let mut pins = PinnedInstance::new(model, seed, &inputs, &outputs, extra)?;
        extra.iter().for_each(|name| pins.set_extra(name, 0));
        Ok(Self {
            pins,
            block: model.top().into(),
            seed,
            rng: ChaCha8Rng::seed_from_u64(seed ^ 0x5e7_5eed),
            input_words: vec![0; I::WORDS],
            output_words: vec![0; O::WORDS],
            low_words: vec![0; O::WORDS],
            is_reset: false,
            cycle: 0,
            trace: None,
            time_ns: 0,
            ports: PhantomData,
        })
    }

    /// Drives an additional input.
    pub fn set_extra(&mut self, name: &str, value: u64) {
        self.pins.set_extra(name, value);
    }

    /// Keeps a waveform of some cycles; needs the trace flavour.
    pub fn trace(&mut self, window: TraceWindow) -> Result<(), Error> {
        self.pins.instance().trace_open(&window.path)?;
        self.trace = Some(window);
        Ok(())
    }

    /// Whether the Verilog called `$finish` or failed an assertion.
    pub fn check_status(&mut self) -> Result<(), Error> {
        self.pins.instance().check_status()
    }

    /// Writes coverage points; needs the coverage flavour.
    pub fn write_coverage(&mut self, path: &Path) -> Result<(), Error> {
        self.pins.instance().write_coverage(path)
    }

    fn dump(&mut self, offset_ns: u64) {
        let Some(window) = &self.trace else { return };
        let in_reset = !self.is_reset && window.first_cycle == 0;
        let in_window = (window.first_cycle..=window.last_cycle).contains(&self.cycle);
        if in_reset || (self.is_reset && in_window) {
            self.pins.instance().trace_dump(self.time_ns + offset_ns);
        }
    }

    /// One edge with the inputs in `input_words`.
    fn edge(&mut self) -> Result<(), StepError> {
        self.pins.set_inputs(&self.input_words);
        self.pins.clock(false)?;
        self.dump(0);
        self.pins.outputs(&mut self.low_words);
        let moved = self.is_reset && self.low_words != self.output_words;
        self.pins.clock(true)?;
        self.dump(TRACE_PERIOD_NS / 2);
        self.time_ns += TRACE_PERIOD_NS;
        if moved {
            let (was, is) = (&self.output_words, &self.low_words);
            let mismatch = self.mismatch(Rule::Registered, was, is);
            self.pins.outputs(&mut self.output_words);
            return Err(mismatch);
        }
        self.pins.outputs(&mut self.output_words);
        Ok(())
    }

    fn step_words(&mut self) -> Result<(), StepError> {
        self.check_inputs()?;
        self.edge()
    }

    fn check_inputs(&self) -> Result<(), StepError> {
        let masks = self.pins.input_masks();
        let bad = self.input_words.iter().zip(masks).rposition(|(word, mask)| word & !mask != 0);
        let Some(bad) = bad else { return Ok(()) };
        let defs = I::port_defs();
        let def = defs.iter().rfind(|d| d.word_index <= bad).expect("first port has word 0");
        let signal = format!("{}.{}", self.block, def.name);
        Err(StepError::Input { signal, cycle: self.cycle, value: self.input_words[bad] })
    }

    /// Fills `input_words` with noise and sets reset.
    fn noise(&mut self, reset: bool) {
        for (word, mask) in self.input_words.iter_mut().zip(self.pins.input_masks()) {
            *word = self.rng.next_u64() & mask;
        }
        if let Some(at) = reset_word(&I::port_defs()) {
            self.input_words[at] = u64::from(reset);
        }
    }

    /// Some cycles of noise without reset: reset must lead out of any state.
    fn noise_before_reset(&mut self) -> Result<(), StepError> {
        self.is_reset = false;
        for _ in 0..self.rng.gen_range(NOISE_CYCLES) {
            self.noise(false);
            self.edge()?;
        }
        Ok(())
    }

    fn mismatch(&self, rule: Rule, golden: &[u64], dut: &[u64]) -> StepError {
        let difference = |def: &PortDef| {
            let range = def.word_index..def.word_index + def.word_count;
            let (golden, dut) = (&golden[range.clone()], &dut[range]);
            let (signal, golden_words, dut_words) = (def.name.clone(), golden.into(), dut.into());
            let d = Difference { signal, golden: golden_words, dut: dut_words };
            (golden != dut).then_some(d)
        };
        let differences = O::port_defs().iter().filter_map(difference).collect();
        let cycle = self.is_reset.then_some(self.cycle);
        let (block, seed) = (self.block.clone(), self.seed);
        StepError::Mismatch(Box::new(Mismatch { block, seed, cycle, rule, differences }))
    }
}

/// Cycles of noise without reset before it.
const NOISE_CYCLES: core::ops::Range<usize> = 0..4;

/// Cycles of reset: often one, which must be enough.
fn reset_cycles(rng: &mut ChaCha8Rng) -> usize {
    if rng.gen() {
        1
    } else {
        rng.gen_range(2..5)
    }
}

impl<I: Ports, O: Ports> Stepper for Dut<I, O> {
    type In = I;
    type Out = O;

    fn reset(&mut self) -> Result<O, StepError> {
        self.noise_before_reset()?;
        for _ in 0..reset_cycles(&mut self.rng) {
            self.noise(true);
            self.edge()?;
        }
        (self.is_reset, self.cycle) = (true, 0);
        Ok(O::load(&self.output_words))
    }

    #[inline]
    fn step(&mut self, inputs: &I) -> Result<O, StepError> {
        inputs.store(&mut self.input_words);
        let result = self.step_words();
        self.cycle += 1;
        result?;
        Ok(O::load(&self.output_words))
    }
}

/// Golden model and one or more DUTs with the same inputs. Outputs are the golden model's.
#[derive(Debug)]
pub struct LockStep<G: Golden> {
    golden: G,
    duts: Vec<Dut<G::In, G::Out>>,
    golden_words: Vec<u64>,
    before_words: Vec<u64>,
    last_out: G::Out,
    /// Ports whose value has changed since reset: an output that never moves was not tested.
    moved_words: Vec<u64>,
    reset_word: Option<usize>,
    /// The last edge was one of reset.
    was_reset: bool,
}

impl<G: Golden> LockStep<G> {
    /// `golden` beside one instance of each model.
    pub fn new(golden: G, models: &[Arc<Model>], seed: u64) -> Result<Self, Error> {
        let duts = models.iter().map(|model| Dut::new(model, seed)).collect::<Result<_, _>>()?;
        Ok(Self::with_duts(golden, duts))
    }

    /// `golden` beside these DUTs.
    pub fn with_duts(golden: G, duts: Vec<Dut<G::In, G::Out>>) -> Self {
        Self {
            golden,
            duts,
            golden_words: vec![0; G::Out::WORDS],
            before_words: vec![0; G::Out::WORDS],
            last_out: G::Out::default(),
            moved_words: vec![0; G::Out::WORDS],
            reset_word: reset_word(&G::In::port_defs()),
            was_reset: false,
        }
    }

    /// The DUTs.
    pub fn duts(&mut self) -> &mut [Dut<G::In, G::Out>] {
        &mut self.duts
    }

    /// The golden model.
    pub fn golden(&self) -> &G {
        &self.golden
    }

    /// The golden outputs after the last edge, also after a mismatch.
    pub fn last_out(&self) -> &G::Out {
        &self.last_out
    }

    /// Outputs that have not moved since reset.
    pub fn still_outputs(&self) -> Vec<String> {
        let is_still = |def: &&PortDef| {
            let range = def.word_index..def.word_index + def.word_count;
            self.moved_words[range].iter().all(|w| *w == 0)
        };
        G::Out::port_defs().iter().filter(is_still).map(|d| d.name.clone()).collect()
    }

    fn golden_edge(&mut self, inputs: &G::In) {
        self.last_out = self.golden.step(inputs);
        core::mem::swap(&mut self.golden_words, &mut self.before_words);
        self.last_out.store(&mut self.golden_words);
        let words = self.before_words.iter().zip(&self.golden_words);
        for (moved, (before, after)) in self.moved_words.iter_mut().zip(words) {
            *moved |= before ^ after;
        }
    }

    fn compare(&self) -> Result<(), StepError> {
        match self.duts.iter().find(|dut| dut.output_words != self.golden_words) {
            None => Ok(()),
            Some(dut) => {
                Err(dut.mismatch(Rule::EqualsGolden, &self.golden_words, &dut.output_words))
            }
        }
    }
}

impl<G: Golden> Stepper for LockStep<G> {
    type In = G::In;
    type Out = G::Out;

    fn reset(&mut self) -> Result<G::Out, StepError> {
        let Some(first) = self.duts.first_mut() else {
            self.last_out = reset_golden(&mut self.golden);
            return Ok(self.last_out.clone());
        };
        let reset_cycles = reset_cycles(&mut first.rng);
        let noise_cycles = first.rng.gen_range(NOISE_CYCLES);
        self.duts.iter_mut().for_each(|dut| dut.is_reset = false);
        for cycle in 0..noise_cycles + reset_cycles {
            let reset = cycle >= noise_cycles;
            self.duts[0].noise(reset);
            let words = self.duts[0].input_words.clone();
            for dut in &mut self.duts {
                dut.input_words.copy_from_slice(&words);
                dut.edge()?;
            }
            if reset {
                self.golden_edge(&G::In::load(&words));
            }
        }
        let result = self.compare();
        self.moved_words.fill(0);
        self.duts.iter_mut().for_each(|dut| (dut.is_reset, dut.cycle) = (true, 0));
        self.was_reset = true;
        result.map(|()| self.last_out.clone())
    }

    fn step(&mut self, inputs: &G::In) -> Result<G::Out, StepError> {
        self.golden_edge(inputs);
        let mut result = Ok(());
        for dut in &mut self.duts {
            inputs.store(&mut dut.input_words);
            self.was_reset = self.reset_word.is_some_and(|at| dut.input_words[at] != 0);
            let stepped = dut.step_words();
            result = result.and(stepped);
        }
        let result = result.and_then(|()| self.compare());
        self.duts.iter_mut().for_each(|dut| dut.cycle += 1);
        result.map(|()| self.last_out.clone())
    }
}
