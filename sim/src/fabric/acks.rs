//! ACKs of a run, played through the hardware's congestion control unit: each window and each rate
//! must be what the hosts have used.
//!
//! The unit that takes an ACK in each cycle (preset `hundred`) gets them in the order in which they
//! came, of all flows as in the run, and those of a flow as near as it uses all of them: nearer, the
//! newest alone would count.

use super::cc::{golden_ack, Hpcc, Pace, Records};
use nic_harness::lockstep::{StepError, Stepper};
use nic_models::golden::cc::flow_state::{OP_CREATE, OP_UPDATE};
use nic_models::golden::cc::unit::{CcUnitIn, CcUnitOut};
use nic_models::golden::cc::wide::unit::SAME_FLOW_CYCLES;
use nic_models::streams::FlowCommand;
use std::collections::{BTreeMap, VecDeque};

/// ACKs of the flows of so many hosts are kept, so that the unit has room for their flows.
pub const HOSTS_KEPT: u16 = 32;
/// Cycles in which the unit must take or answer.
const CYCLES_MAX: u32 = 10_000;

/// An ACK, and what it did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kept {
    /// When it came; 0 at a cycle host.
    pub at_ps: u64,
    /// Index of its flow.
    pub flow: u32,
    /// The packet that it acknowledges.
    pub psn: u32,
    /// The flow's next packet.
    pub next_psn: u32,
    /// Its telemetry.
    pub records: Records,
    /// Window and rate after it; none if its telemetry was ignored.
    pub pace: Option<Pace>,
}

/// What a unit has made of the ACKs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// ACKs that it took.
    pub acks: u64,
    /// Flows that they were of.
    pub flows: u64,
    /// Windows and rates that it gave, all equal.
    pub equal: u64,
    /// Cycles.
    pub cycles: u64,
}

/// Why the ACKs were not played to their end.
#[derive(Debug)]
pub enum PlayError {
    /// The unit has stopped.
    Step(StepError),
    /// It takes nothing, or doesn't answer.
    Silent(u64),
    /// More flows at the same time than it has.
    Flows(usize),
    /// A window or rate is another one.
    Differs {
        /// Flow of the run.
        flow: u32,
        /// In which cycle.
        cycle: u64,
        /// What the unit gave.
        unit: Pace,
        /// What the host used; none: no more answers were expected of this flow.
        host: Option<Pace>,
    },
}

impl core::fmt::Display for PlayError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Step(error) => write!(f, "{error}"),
            Self::Silent(cycle) => write!(f, "the unit stands still from cycle {cycle} on"),
            Self::Flows(count) => write!(f, "more than the unit's {count} flows run at a time"),
            Self::Differs { flow, cycle, unit, host } => write!(
                f,
                "flow {flow}, cycle {cycle}: the unit gives a window of {} bytes and {} ps a byte, \
                 the host has used {host:?}",
                unit.window_bytes, unit.ps_per_byte
            ),
        }
    }
}

impl core::error::Error for PlayError {}

impl From<StepError> for PlayError {
    fn from(error: StepError) -> Self {
        Self::Step(error)
    }
}

/// A unit at work.
struct Player<'a> {
    unit: &'a mut dyn Stepper<In = CcUnitIn, Out = CcUnitOut>,
    hpcc: &'a Hpcc,
    idle: CcUnitIn,
    /// Outputs in the present cycle.
    out: CcUnitOut,
    /// By flow of the unit: flow of the run, and what is to come.
    flows: Vec<(u32, VecDeque<Pace>)>,
    /// By flow of the unit: cycle from which on its next ACK is used whatever comes behind it.
    free_at: Vec<u64>,
    /// Flows of the unit that have been made.
    made: u64,
    played: Played,
}

impl Player<'_> {
    /// A cycle with these inputs.
    fn step(&mut self, inputs: &CcUnitIn) -> Result<(), PlayError> {
        let rate = self.out.m_rate;
        if rate.valid && rate.op == OP_CREATE {
            self.made += 1;
        }
        if rate.valid && rate.op == OP_UPDATE {
            let unit = self.hpcc.golden_pace(rate.window_bytes, rate.rate);
            let (flow, expected) = &mut self.flows[usize::from(rate.flow)];
            let host = expected.pop_front();
            if host != Some(unit) {
                let (flow, cycle) = (*flow, self.played.cycles);
                return Err(PlayError::Differs { flow, cycle, unit, host });
            }
            self.played.equal += 1;
        }
        self.out = self.unit.step(inputs)?;
        self.played.cycles += 1;
        Ok(())
    }

    /// Offers `inputs` until they are taken.
    fn send(
        &mut self,
        inputs: &CcUnitIn,
        is_ready: impl Fn(&CcUnitOut) -> bool,
    ) -> Result<(), PlayError> {
        for _ in 0..CYCLES_MAX {
            let is_taken = is_ready(&self.out);
            self.step(inputs)?;
            if is_taken {
                return Ok(());
            }
        }
        Err(PlayError::Silent(self.played.cycles))
    }

    /// Idle cycles until `is_done`.
    fn wait(&mut self, is_done: impl Fn(&Self) -> bool) -> Result<(), PlayError> {
        for _ in 0..CYCLES_MAX {
            if is_done(self) {
                return Ok(());
            }
            let idle = self.idle;
            self.step(&idle)?;
        }
        Err(PlayError::Silent(self.played.cycles))
    }

    fn create(&mut self, flow: u16, window_bytes: u32) -> Result<(), PlayError> {
        let (op, telemetry) = (OP_CREATE, true);
        let create = FlowCommand { valid: true, flow, op, telemetry, window_bytes, rate: 0 };
        let inputs = CcUnitIn { s_flow: create, ..self.idle };
        let made = self.made + 1;
        self.send(&inputs, |out| out.s_flow.ready)?;
        self.wait(|player| player.made == made)
    }
}

/// Plays `acks` through a unit of `flow_count` flows; `done` is called after each.
///
/// # Errors
/// The first window or rate that is another one, or why the unit did not go on.
pub fn play(
    unit: &mut dyn Stepper<In = CcUnitIn, Out = CcUnitOut>,
    hpcc: &Hpcc,
    flow_count: usize,
    acks: &[Kept],
    mut done: impl FnMut(),
) -> Result<Played, PlayError> {
    let last: BTreeMap<u32, usize> = acks.iter().enumerate().map(|(at, a)| (a.flow, at)).collect();
    let mut idle = CcUnitIn { cfg: *hpcc.cfg(), ..CcUnitIn::default() };
    idle.m_rate.ready = true;
    let out = unit.reset()?;
    let (flows, played) = (vec![Default::default(); flow_count], Played::default());
    let free_at = vec![0; flow_count];
    let mut player = Player { unit, hpcc, idle, out, flows, free_at, made: 0, played };
    let mut free: VecDeque<u16> = (0..flow_count as u16).collect();
    let mut of_flow: BTreeMap<u32, u16> = BTreeMap::new();
    for (at, ack) in acks.iter().enumerate() {
        let flow = match of_flow.get(&ack.flow) {
            Some(flow) => *flow,
            None => {
                let flow = free.pop_front().ok_or(PlayError::Flows(flow_count))?;
                // What ran there before has had its answers.
                player.wait(|player| player.flows[usize::from(flow)].1.is_empty())?;
                player.flows[usize::from(flow)].0 = ack.flow;
                player.create(flow, hpcc.config().w_init_bytes)?;
                of_flow.insert(ack.flow, flow);
                player.played.flows += 1;
                flow
            }
        };
        player.flows[usize::from(flow)].1.extend(ack.pace);
        let mut inputs =
            CcUnitIn { s_ack: golden_ack(ack.psn, ack.next_psn, &ack.records), ..idle };
        inputs.s_ack.flow = flow;
        player.wait(|player| player.played.cycles >= player.free_at[usize::from(flow)])?;
        player.send(&inputs, |out| out.s_ack.ready)?;
        player.free_at[usize::from(flow)] = player.played.cycles + SAME_FLOW_CYCLES;
        player.played.acks += 1;
        if last[&ack.flow] == at {
            of_flow.remove(&ack.flow);
            free.push_back(flow);
        }
        done();
    }
    player.wait(|player| player.flows.iter().all(|(_, expected)| expected.is_empty()))?;
    Ok(player.played)
}
