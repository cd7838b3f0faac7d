//! One bench a block: its golden model, a seeded stimulus, and the run that compares them.
//!
//! A bench is registered under the name of its Verilog top module in the file of its area, and
//! is then known to `nic verify --block`, to the tests and to the mutation test.

mod run;

pub mod axil;
pub mod cc;
pub mod dma;
pub mod feedback;
pub mod host;
pub mod nic;
pub mod read;
pub mod read_reply;
pub mod requester;
pub mod responder;
pub mod rings;
pub mod rx;
pub mod sched;
pub mod tx;
pub mod util;
pub mod window;

pub use run::{Engine, Failure, FailureCause, Options, Report};

use crate::ports::Golden;
use crate::verilator::Source;
use nic_spec::config::{CcSchedule, NicConfig};

/// Makes a block's inputs, cycle by cycle, from what the block put out. A function of its seed.
pub trait Stimulus<G: Golden> {
    /// Inputs for `cycle` (from 0, after reset); `out` are the outputs before its edge.
    fn next(&mut self, cycle: u64, out: &G::Out) -> G::In;
}

/// A block's golden model and stimulus, with their types erased.
pub struct Bench {
    name: &'static str,
    config: NicConfig,
    telling_cycles: u64,
    run: Box<RunFn>,
}

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
        let run = move |bench: &Bench, source: &Source, options: &Options| {
            run::run(bench, source, options, &golden, &stimulus)
        };
        Self { name, config: config.clone(), telling_cycles: 0, run: Box::new(run) }
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

    /// The Verilog that the emitter makes of the block.
    pub fn emitted(&self) -> Result<Source, String> {
        emitted(self.name, &self.config)
    }

    /// Runs Verilog and golden model in lock-step. After a mismatch runs the seed once more with
    /// a waveform around the bad cycle.
    pub fn run(&self, source: &Source, options: &Options) -> Result<Report, Box<Failure>> {
        (self.run)(self, source, options)
    }
}

/// All benches of a configuration, in the order of the data path.
pub fn benches(config: &NicConfig) -> Vec<Bench> {
    match config.cc_schedule() {
        CcSchedule::HopPerCycle => {}
        // No other block has their datapaths yet.
        CcSchedule::BitPerCycle => return cc::benches(config),
        CcSchedule::AckPerCycle => {
            return cc::benches(config).into_iter().chain(sched::benches(config)).collect()
        }
    }
    let areas = [
        util::benches,
        rx::benches,
        cc::benches,
        sched::benches,
        responder::benches,
        read_reply::benches,
        requester::benches,
        read::benches,
        feedback::benches,
        window::benches,
        tx::benches,
        host::benches,
        nic::benches,
        dma::benches,
        rings::benches,
    ];
    areas.iter().flat_map(|area| area(config)).collect()
}

/// The bench called `name`.
pub fn by_name(name: &str, config: &NicConfig) -> Option<Bench> {
    benches(config).into_iter().find(|bench| bench.name == name)
}

/// The Verilog that the emitter makes of `block`, as one text.
pub fn emitted(block: &str, config: &NicConfig) -> Result<Source, String> {
    let design = nic_hdl::emit::by_name(block, config).map_err(|e| e.to_string())?;
    Ok(Source::new(&design.top, &design.single_file()))
}
