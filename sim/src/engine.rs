//! Which engine runs the NIC: the golden model, the Verilated Verilog, or both in lock-step.

use crate::env::station::NicEngine;
use nic_harness::lockstep::{Dut, GoldenOnly, LockStep};
use nic_harness::verilator::{Error, Flavour, Source};
use nic_models::golden::nic::{Nic, NicIn, NicOut};
use nic_spec::config::NicConfig;

/// Choice of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum EngineKind {
    /// The golden model.
    Golden,
    /// The Verilated Verilog.
    Rtl,
    /// Both, every output compared in every cycle.
    Both,
}

impl EngineKind {
    /// Whether the Verilated Verilog takes part.
    pub fn has_rtl(self) -> bool {
        self != Self::Golden
    }

    /// A NIC of the sizes of `config`; `source` is its Verilog, `seed` that of the X-initialisation.
    pub fn nic(self, config: &NicConfig, source: &Source, seed: u64) -> Result<NicEngine, Error> {
        Ok(match self {
            Self::Golden => Box::new(GoldenOnly(Nic::new(config))),
            Self::Rtl => Box::new(Dut::<NicIn, NicOut>::new(&source.model(Flavour::Fast)?, seed)?),
            Self::Both => {
                let models = [source.model(Flavour::Fast)?];
                Box::new(LockStep::new(Nic::new(config), &models, seed)?)
            }
        })
    }
}
