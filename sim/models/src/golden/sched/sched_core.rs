//! Twin of `hdl/src/sched/sched_core.rs`: the scheduler behind AXI4-Stream events and AXI4-Lite
//! registers, composed of its blocks' twins.

use super::scheduler::{Scheduler, SchedulerIn};
use crate::golden::host::core_csr::CoreRegisters;
use crate::ports::Golden;
use crate::streams::{
    back, AxiLite, AxisEvent, FlowCommand, InFlight, Rate, ReadyPort, TreadyPort, Work,
};
use nic_spec::regs::{sched_offset, SCHED_ID_VALUE, SCHED_REGISTERS};
use nic_spec::NicConfig;

crate::ports! {
    /// Inputs.
    pub struct SchedCoreIn {
        pub reset: bool,
        pub s_axil: AxiLite,
        pub s_axis_work: AxisEvent<u128>,
        pub s_axis_inflight: AxisEvent,
        pub s_axis_rate: AxisEvent<u128>,
        pub m_axis_grant: TreadyPort,
    }
}
crate::ports! {
    /// Outputs.
    pub struct SchedCoreOut {
        pub s_axil: back::AxiLite,
        pub s_axis_work: TreadyPort,
        pub s_axis_inflight: TreadyPort,
        pub s_axis_rate: TreadyPort,
        pub m_axis_grant: AxisEvent<u16>,
    }
}

impl From<Work> for AxisEvent<u128> {
    fn from(w: Work) -> Self {
        let head = u128::from(w.flow) | u128::from(w.len_bytes) << 16;
        let tdata = head | u128::from(w.inflight_bytes) << 32 | u128::from(w.frame_count) << 64;
        Self { tvalid: w.valid, tdata }
    }
}

impl From<InFlight> for AxisEvent {
    fn from(i: InFlight) -> Self {
        let tdata = u64::from(i.flow) | u64::from(i.inflight_bytes) << 32;
        Self { tvalid: i.valid, tdata }
    }
}

impl From<Rate> for AxisEvent<u128> {
    fn from(r: Rate) -> Self {
        let Rate { valid, flow, op, window_bytes, rate } = r;
        Self::of_flow(&FlowCommand { valid, flow, op, telemetry: false, window_bytes, rate })
    }
}

/// The core.
#[derive(Clone, Debug)]
pub struct SchedCore {
    registers: CoreRegisters,
    unit: Scheduler,
    flow_mask: u16,
    /// The command of the registers waits for the scheduler.
    commanded: bool,
    /// The scheduler takes a command at the coming edge.
    takes_command: bool,
}

impl SchedCore {
    /// The core with the flows of `config`.
    pub fn new(config: &NicConfig) -> Self {
        Self {
            registers: CoreRegisters::new(SCHED_ID_VALUE, SCHED_REGISTERS, config),
            unit: Scheduler::new(config),
            flow_mask: (config.flow_count - 1) as u16,
            commanded: false,
            takes_command: false,
        }
    }

    /// What the scheduler sees as a flow command: that of the registers first.
    fn rate(&self, stream: &AxisEvent<u128>) -> Rate {
        let [window, rate, command] = [0, 1, 2].map(|i| u128::from(self.registers.values()[i]));
        let commanded = AxisEvent { tvalid: true, tdata: command | window << 32 | rate << 64 };
        let event = if self.commanded { &commanded } else { stream };
        let FlowCommand { valid, flow, op, window_bytes, rate, .. } = event.flow(self.flow_mask);
        Rate { valid, flow, op, window_bytes, rate }
    }
}

impl Golden for SchedCore {
    type In = SchedCoreIn;
    type Out = SchedCoreOut;

    fn step(&mut self, i: &SchedCoreIn) -> SchedCoreOut {
        let s_rate = self.rate(&i.s_axis_rate);
        let cfg_line = self.registers.values()[3];
        let refused = self.commanded.then_some(sched_offset::flow_command);
        let written = self.registers.step(i.reset, i.s_axil, refused);
        self.commanded = !i.reset
            && (written == Some(sched_offset::flow_command)
                || self.commanded && !self.takes_command);
        let (work, inflight) = (i.s_axis_work, i.s_axis_inflight);
        let unit = self.unit.step(&SchedulerIn {
            reset: i.reset,
            s_work: Work {
                valid: work.tvalid,
                flow: work.tdata as u16 & self.flow_mask,
                len_bytes: (work.tdata >> 16 & 0x3fff) as u16,
                frame_count: (work.tdata >> 64 & 0x7f) as u8,
                inflight_bytes: (work.tdata >> 32) as u32,
            },
            s_inflight: InFlight {
                valid: inflight.tvalid,
                flow: inflight.tdata as u16 & self.flow_mask,
                inflight_bytes: (inflight.tdata >> 32) as u32,
            },
            s_rate,
            m_grant: ReadyPort { ready: i.m_axis_grant.tready },
            cfg_line,
        });
        self.takes_command = unit.s_rate.ready;
        SchedCoreOut {
            s_axil: self.registers.pins(),
            s_axis_work: TreadyPort { tready: unit.s_work.ready },
            s_axis_inflight: TreadyPort { tready: unit.s_inflight.ready },
            s_axis_rate: TreadyPort { tready: unit.s_rate.ready && !self.commanded },
            m_axis_grant: AxisEvent { tvalid: unit.m_grant.valid, tdata: unit.m_grant.flow },
        }
    }
}
