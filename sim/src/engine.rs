//! Which engine runs the NIC: the golden model, the Verilated Verilog, or both in lock-step.

use crate::env::station::NicEngine;
use nic_harness::lockstep::{Dut, GoldenOnly, LockStep};
use nic_harness::verilator::{Error, Flavour, Source};
use nic_models::golden::nic::{Nic, NicIn, NicOut, Pace};
use nic_models::ports::Golden;
use nic_models::streams::AckTelemetry;
use nic_spec::config::NicConfig;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex};

/// Choice of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
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

    /// Whether the golden model takes part.
    pub fn has_golden(self) -> bool {
        self != Self::Rtl
    }

    /// A NIC of the sizes of `config`; `source` is its Verilog, `seed` that of the X-initialisation.
    pub fn nic(self, config: &NicConfig, source: &Source, seed: u64) -> Result<NicEngine, Error> {
        self.around(config, Nic::new(config), source, seed)
    }

    /// A NIC whose golden model, where it has one, is `golden`.
    fn around<G>(
        self,
        config: &NicConfig,
        golden: G,
        source: &Source,
        seed: u64,
    ) -> Result<NicEngine, Error>
    where
        G: Golden<In = NicIn, Out = NicOut> + Send + 'static,
    {
        let model = || source.model(Flavour::Fast);
        Ok(match self {
            Self::Golden => NicEngine::new(config, GoldenOnly(golden)),
            Self::Rtl => NicEngine::new(config, Dut::<NicIn, NicOut>::new(&model()?, seed)?),
            Self::Both => NicEngine::new(config, LockStep::new(golden, &[model()?], seed)?),
        })
    }

    /// As [`EngineKind::nic`], with a view of what the golden model's flows are given; without a golden
    /// model it stays at 0.
    pub fn nic_with_paces(
        self,
        config: &NicConfig,
        source: &Source,
        seed: u64,
    ) -> Result<(NicEngine, Paces), Error> {
        let paces = Paces::new(config);
        let watched = Watched { nic: Nic::new(config), paces: paces.clone() };
        let engine = self.around(config, watched, source, seed)?;
        Ok((engine, paces))
    }

    /// As [`EngineKind::nic`], with what the golden model's congestion control is told and decides;
    /// without a golden model that is nothing.
    pub fn nic_with_decisions(
        self,
        config: &NicConfig,
        source: &Source,
        seed: u64,
    ) -> Result<(NicEngine, Decisions), Error> {
        let decisions = Decisions::default();
        let heard = Overheard { nic: Nic::new(config), decisions: decisions.clone() };
        let engine = self.around(config, heard, source, seed)?;
        Ok((engine, decisions))
    }
}

/// What happens at the congestion control unit of a NIC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decision {
    /// It takes an ACK.
    Ack(AckTelemetry),
    /// It gives a flow a window and a rate.
    Pace(usize, Pace),
}

/// All of that, in order, while the NIC runs.
#[derive(Clone, Debug, Default)]
pub struct Decisions(Arc<Mutex<Vec<Decision>>>);

impl Decisions {
    /// Those since the last call.
    pub fn take(&self) -> Vec<Decision> {
        std::mem::take(&mut self.0.lock().expect("no holder panics"))
    }
}

/// A golden NIC whose congestion control is overheard.
struct Overheard {
    nic: Nic,
    decisions: Decisions,
}

impl Golden for Overheard {
    type In = NicIn;
    type Out = NicOut;

    fn step(&mut self, inputs: &NicIn) -> NicOut {
        let out = self.nic.step(inputs);
        let ack = self.nic.ack().map(Decision::Ack);
        let pace = self.nic.decision().map(|(flow, pace)| Decision::Pace(flow, pace));
        if ack.is_some() || pace.is_some() {
            self.decisions.0.lock().expect("no holder panics").extend(ack.into_iter().chain(pace));
        }
        out
    }
}

/// Window and rate that each flow of a NIC was last given, while the NIC runs.
#[derive(Clone, Debug)]
pub struct Paces(Arc<Mutex<Vec<Pace>>>);

impl Paces {
    fn new(config: &NicConfig) -> Self {
        Self(Arc::new(Mutex::new(vec![Pace::default(); 2 * config.flow_count])))
    }

    /// Those of a flow: from the number of queue pairs on, their READ responses.
    pub fn of(&self, flow: usize) -> Pace {
        self.0.lock().expect("no holder panics")[flow]
    }
}

/// A golden NIC that shows its flows' windows and rates.
struct Watched {
    nic: Nic,
    paces: Paces,
}

impl Golden for Watched {
    type In = NicIn;
    type Out = NicOut;

    fn step(&mut self, inputs: &NicIn) -> NicOut {
        let out = self.nic.step(inputs);
        if let Some((flow, pace)) = self.nic.pace() {
            self.paces.0.lock().expect("no holder panics")[flow] = pace;
        }
        out
    }
}
