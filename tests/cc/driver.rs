//! Drives a CC unit, of whichever schedule.

use nic_harness::lockstep::Stepper;
use nic_hdl::cc::wide::unit::SAME_FLOW_CYCLES;
use nic_models::events::CcEvents;
use nic_models::golden::cc::unit::{CcUnit, CcUnitIn, CcUnitOut, OP_CREATE, OP_UPDATE};
use nic_models::golden::cc::CcCfg;
use nic_models::streams::{AckTelemetry, Decision, FlowCommand, ReadyPort};
use nic_spec::cc_params::{CcConfig, CcParams};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// Parameters of a port of 100 Gb/s.
pub fn port() -> CcConfig {
    CcConfig {
        t_ns: 13_000,
        w_init_bytes: 162_500,
        w_ai_bytes: 81.25,
        rate_min_bps: 100e6,
        checks: false,
        ..CcConfig::for_line(100e9, 1024, 250_000_000)
    }
}

/// The same as the unit's parameters.
pub fn parameters() -> CcCfg {
    cfg_of(&port())
}

/// A configuration as the unit's parameters.
pub fn cfg_of(config: &CcConfig) -> CcCfg {
    CcUnit::cfg(CcParams::derive(config).expect("legal parameters"))
}

/// A unit of whichever schedule, golden or Verilog.
pub type Unit = dyn Stepper<In = CcUnitIn, Out = CcUnitOut>;

/// A unit, its outputs, and what it answered.
pub struct Driver<'a> {
    unit: &'a mut Unit,
    cfg: CcCfg,
    out: CcUnitOut,
    /// Cycles since the reset.
    pub cycle: u64,
    /// Results and when they came.
    pub answers: Vec<(u64, Decision)>,
    /// ACKs whose telemetry was ignored: PSN, time, bytes, queue.
    pub ignored: [usize; 4],
}

impl<'a> Driver<'a> {
    /// Out of reset, without a flow.
    pub fn idle_unit(unit: &'a mut Unit, cfg: CcCfg) -> Self {
        let out = unit.reset().unwrap_or_else(|e| panic!("{e}"));
        Self { unit, cfg, out, cycle: 0, answers: vec![], ignored: [0; 4] }
    }

    /// Out of reset, every flow created.
    pub fn new(unit: &'a mut Unit, cfg: CcCfg, flow_count: usize) -> Self {
        let mut driver = Self::idle_unit(unit, cfg);
        for flow in 0..flow_count as u16 {
            let command = FlowCommand {
                valid: true,
                flow,
                op: OP_CREATE,
                telemetry: true,
                window_bytes: 162_500,
                rate: 0,
            };
            driver.command(command);
        }
        driver.idle(100);
        assert_eq!(driver.answers.len(), flow_count);
        driver.answers.clear();
        driver
    }

    /// One cycle; whether ACK and command were taken.
    pub fn step(&mut self, ack: Option<AckTelemetry>, flow: Option<FlowCommand>) -> (bool, bool) {
        if self.out.m_rate.valid {
            self.answers.push((self.cycle, self.out.m_rate));
        }
        let CcEvents { psn, time, bytes, queue } = self.out.event_cc;
        for (count, event) in self.ignored.iter_mut().zip([psn, time, bytes, queue]) {
            *count += usize::from(event);
        }
        let taken =
            (ack.is_some() && self.out.s_ack.ready, flow.is_some() && self.out.s_flow.ready);
        let inputs = CcUnitIn {
            reset: false,
            cfg: self.cfg,
            s_ack: ack.unwrap_or_default(),
            s_flow: flow.unwrap_or_default(),
            m_rate: ReadyPort { ready: true },
        };
        self.out = self.unit.step(&inputs).unwrap_or_else(|e| panic!("{e}"));
        self.cycle += 1;
        taken
    }

    /// Cycles in which nothing is offered.
    pub fn idle(&mut self, cycles: u64) {
        (0..cycles).for_each(|_| {
            self.step(None, None);
        });
    }

    /// Offers in each cycle until it is taken.
    pub fn command(&mut self, command: FlowCommand) {
        while !self.step(None, Some(command)).1 {}
    }

    /// Offers in each cycle until it is taken; the cycle in which it was.
    pub fn ack(&mut self, ack: AckTelemetry) -> u64 {
        loop {
            if self.step(Some(ack), None).0 {
                return self.cycle - 1;
            }
        }
    }
}

/// Every answer of a flow but the flow itself, by flow, in order.
pub fn by_flow(answers: &[(u64, Decision)]) -> BTreeMap<u16, Vec<Decision>> {
    let mut flows = BTreeMap::<u16, Vec<Decision>>::new();
    for (_, rate) in answers {
        assert_eq!(rate.op, OP_UPDATE);
        flows.entry(rate.flow).or_default().push(*rate);
    }
    flows
}

/// Cycles between two ACKs of a flow at which each schedule uses both: of those that come nearer, one
/// ACK a cycle uses the newest.
pub const APART_CYCLES: u64 = SAME_FLOW_CYCLES as u64;

/// What a unit with `flow_count` flows answers to these ACKs, and how many it ignores, by reason.
pub fn answers(
    unit: &mut Unit,
    cfg: CcCfg,
    flow_count: usize,
    acks: &[AckTelemetry],
) -> (BTreeMap<u16, Vec<Decision>>, [usize; 4]) {
    let mut driver = Driver::new(unit, cfg, flow_count);
    let mut free_at = vec![0_u64; flow_count];
    for ack in acks {
        let free_at = &mut free_at[usize::from(ack.flow)];
        driver.idle(free_at.saturating_sub(driver.cycle));
        *free_at = driver.ack(*ack) + APART_CYCLES;
    }
    driver.idle(200);
    (by_flow(&driver.answers), driver.ignored)
}

/// Random flows; 1 in 8 is one of the last 64.
pub fn flow_order(rng: &mut ChaCha8Rng, before: &[AckTelemetry]) -> u16 {
    match rng.gen_range(0..8) {
        0 if !before.is_empty() => {
            before[before.len() - rng.gen_range(1..=before.len().min(64))].flow
        }
        _ => rng.gen_range(0..1024),
    }
}
