//! Twin of `hdl/src/cc/cc_core.rs`: the congestion control unit behind AXI4-Stream events and
//! AXI4-Lite registers, composed of its blocks' twins.

use super::active::{CcActive, CcActiveIn, WatchPorts};
use super::serial::unit::CcUnitSerial;
use super::unit::{CcUnit, CcUnitIn, CcUnitOut};
use super::wide::unit::CcUnitWide;
use super::CcCfg;
use crate::events::CcEvents;
use crate::golden::host::core_csr::CoreRegisters;
use crate::ports::{Golden, Wide};
use crate::starts::Starts;
use crate::streams::{back, AxiLite, AxisEvent, Decision, ReadyPort, TreadyPort};
use nic_spec::regs::{CC_ID_VALUE, CC_REGISTERS};
use nic_spec::NicConfig;

crate::ports! {
    /// Inputs.
    pub struct CcCoreIn {
        pub reset: bool,
        pub s_axil: AxiLite,
        pub s_axis_ack: AxisEvent<Wide<7>>,
        pub s_axis_flow: AxisEvent<u128>,
        pub m_axis_rate: TreadyPort,
    }
}
crate::ports! {
    /// Outputs.
    pub struct CcCoreOut {
        pub s_axil: back::AxiLite,
        pub s_axis_ack: TreadyPort,
        pub s_axis_flow: TreadyPort,
        pub m_axis_rate: AxisEvent<Wide<4>>,
        pub event_cc: CcEvents,
    }
}

fn value(values: &[u32], name: &str) -> u32 {
    let at = CC_REGISTERS.iter().position(|r| r.name == name);
    values[at.expect("a register of the table")]
}

/// The registers as the unit's parameters.
fn parameters(values: &[u32]) -> CcCfg {
    let value = |name| value(values, name);
    CcCfg {
        t_ns: value("cc_t_ns"),
        inv_t: value("cc_inv_t"),
        queue_gain: value("cc_queue_gain"),
        target: value("cc_target"),
        u_one: value("cc_u_one"),
        max_stage: value("cc_max_stage") as u8,
        w_ai: value("cc_w_ai"),
        w_init: value("cc_w_init"),
        w_min: value("cc_w_min"),
        rate_gain: value("cc_rate_gain"),
        rate_min: value("cc_rate_min"),
        rate_max: value("cc_rate_max"),
        util_gain: value("cc_util_gain"),
        check: value("cc_check"),
        by_time: value("cc_mode") & 1 != 0,
    }
}

/// The core around a unit.
#[derive(Clone, Debug)]
pub struct CcCore<U = CcUnit> {
    registers: CoreRegisters,
    /// Values of the registers.
    cfg: CcCfg,
    active_window: u32,
    active: CcActive,
    /// W_ai of the unit.
    w_ai: u32,
    /// The result that the unit offers.
    offered: Decision,
    unit: U,
    flow_mask: u16,
    out: CcCoreOut,
}

impl CcCore {
    /// The core with the flows of `config`, one hop a cycle.
    pub fn new(config: &NicConfig) -> Self {
        Self::of(CcUnit::new(config), config)
    }
}

impl CcCore<CcUnitWide> {
    /// The core with the flows of `config`, one ACK a cycle.
    pub fn wide(config: &NicConfig) -> Self {
        Self::of(CcUnitWide::new(config), config)
    }
}

impl CcCore<CcUnitSerial> {
    /// The core with the flows of `config`, one bit of a product a cycle.
    pub fn serial(config: &NicConfig) -> Self {
        Self::of(CcUnitSerial::new(config), config)
    }
}

impl<U> CcCore<U> {
    fn of(unit: U, config: &NicConfig) -> Self {
        let registers = CoreRegisters::new(CC_ID_VALUE, CC_REGISTERS, config);
        Self {
            cfg: parameters(registers.values()),
            active_window: value(registers.values(), "cc_active"),
            active: CcActive::new(config),
            w_ai: 0,
            offered: Decision::default(),
            registers,
            unit,
            flow_mask: (config.flow_count - 1) as u16,
            out: CcCoreOut::default(),
        }
    }
}

impl<U: Golden<In = CcUnitIn, Out = CcUnitOut>> Golden for CcCore<U> {
    type In = CcCoreIn;
    type Out = CcCoreOut;

    fn step(&mut self, i: &CcCoreIn) -> CcCoreOut {
        let (cfg, cfg_window, rate) = (self.cfg, self.active_window, self.offered);
        if self.registers.step(i.reset, i.s_axil, None).is_some() || i.reset {
            self.cfg = parameters(self.registers.values());
            self.active_window = value(self.registers.values(), "cc_active");
        }
        let cfg_w_ai = cfg.w_ai;
        let cfg = CcCfg { w_ai: self.w_ai, ..cfg };
        let watch = WatchPorts {
            valid: rate.valid,
            ready: i.m_axis_rate.tready,
            flow: rate.flow,
            peer: false,
            full: rate.full,
        };
        let active =
            CcActiveIn { reset: i.reset, cfg_window, cfg_w_ai, cfg_by_time: cfg.by_time, watch };
        self.w_ai = self.active.step(&active).w_ai;
        let unit = self.unit.step(&CcUnitIn {
            reset: i.reset,
            cfg,
            s_ack: i.s_axis_ack.ack(self.flow_mask),
            s_flow: i.s_axis_flow.flow(self.flow_mask),
            m_rate: ReadyPort { ready: i.m_axis_rate.tready },
        });
        self.offered = unit.m_rate;
        self.out = CcCoreOut {
            s_axil: self.registers.pins(),
            s_axis_ack: TreadyPort { tready: unit.s_ack.ready },
            s_axis_flow: TreadyPort { tready: unit.s_flow.ready },
            m_axis_rate: AxisEvent::of_decision(&unit.m_rate),
            event_cc: unit.event_cc,
        };
        self.out
    }

    fn starts(&mut self, starts: &mut Starts<'_>) -> Option<CcCoreOut> {
        starts.within("active", |s| self.active.starts(s)).map(|_| self.out)
    }
}
