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
use crate::streams::{
    back, AckTelemetry, AxiLite, AxisEvent, Decision, FlowCommand, ReadyPort, Telemetry, TreadyPort,
};
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

/// `width` bits of `words` from bit `lsb`; both within one word.
fn bits(words: &[u64], lsb: usize, width: usize) -> u64 {
    words[lsb / 64] >> (lsb % 64) & (u64::MAX >> (64 - width))
}

impl AxisEvent<Wide<7>> {
    /// An ACK as its event.
    pub fn of_ack(ack: &AckTelemetry) -> Self {
        let mut words = [0; 7];
        words[0] = u64::from(ack.flow) | u64::from(ack.psn) << 16 | u64::from(ack.snd_nxt) << 40;
        let tel = ack.tel;
        words[1] = u64::from(tel.valid) | u64::from(tel.hops) << 1 | u64::from(tel.path) << 4;
        // Records begin at bit 96, in the middle of a word.
        for (i, hop) in tel.hop.iter().enumerate() {
            words[1 + i] |= hop << 32;
            words[2 + i] = hop >> 32;
        }
        Self { tvalid: ack.valid, tdata: Wide(words) }
    }

    /// The ACK that the event says.
    fn ack(&self, flow_mask: u16) -> AckTelemetry {
        let w = &self.tdata.0;
        AckTelemetry {
            valid: self.tvalid,
            flow: bits(w, 0, 16) as u16 & flow_mask,
            psn: bits(w, 16, 24) as u32,
            snd_nxt: bits(w, 40, 24) as u32,
            tel: Telemetry {
                valid: bits(w, 64, 1) != 0,
                hops: bits(w, 65, 3) as u8,
                path: bits(w, 68, 12) as u16,
                hop: core::array::from_fn(|i| w[1 + i] >> 32 | w[2 + i] << 32),
            },
        }
    }
}

impl AxisEvent<u128> {
    /// A flow command as its event.
    pub fn of_flow(flow: &FlowCommand) -> Self {
        let low = u128::from(flow.flow) | u128::from(flow.op) << 16;
        let tdata = low
            | u128::from(flow.telemetry) << 18
            | u128::from(flow.window_bytes) << 32
            | u128::from(flow.rate) << 64;
        Self { tvalid: flow.valid, tdata }
    }

    /// The flow command that the event says.
    pub(crate) fn flow(&self, flow_mask: u16) -> FlowCommand {
        FlowCommand {
            valid: self.tvalid,
            flow: self.tdata as u16 & flow_mask,
            op: (self.tdata >> 16 & 3) as u8,
            telemetry: self.tdata >> 18 & 1 != 0,
            window_bytes: (self.tdata >> 32) as u32,
            rate: (self.tdata >> 64) as u32,
        }
    }
}

impl AxisEvent<Wide<4>> {
    /// A result as its event.
    fn of_decision(rate: &Decision) -> Self {
        let flags = u64::from(rate.full) << 18 | u64::from(rate.first) << 19;
        let hop = u64::from(rate.worst_hop) << 20;
        let stage = u64::from(rate.inc_stage) << 24;
        let head = u64::from(rate.flow) | u64::from(rate.op) << 16 | flags | hop | stage;
        let words = [
            head | u64::from(rate.window_bytes) << 32,
            u64::from(rate.rate) | u64::from(rate.last_update_psn) << 32,
            rate.u,
            rate.wc_bytes,
        ];
        Self { tvalid: rate.valid, tdata: Wide(words) }
    }

    /// The result that the event says.
    pub fn decision(&self) -> Decision {
        let w = &self.tdata.0;
        Decision {
            valid: self.tvalid,
            flow: bits(w, 0, 16) as u16,
            op: bits(w, 16, 2) as u8,
            full: bits(w, 18, 1) != 0,
            first: bits(w, 19, 1) != 0,
            worst_hop: bits(w, 20, 3) as u8,
            inc_stage: bits(w, 24, 8) as u8,
            window_bytes: bits(w, 32, 32) as u32,
            rate: bits(w, 64, 32) as u32,
            last_update_psn: bits(w, 96, 24) as u32,
            u: w[2],
            wc_bytes: w[3],
        }
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
        CcCoreOut {
            s_axil: self.registers.pins(),
            s_axis_ack: TreadyPort { tready: unit.s_ack.ready },
            s_axis_flow: TreadyPort { tready: unit.s_flow.ready },
            m_axis_rate: AxisEvent::of_decision(&unit.m_rate),
            event_cc: unit.event_cc,
        }
    }
}
