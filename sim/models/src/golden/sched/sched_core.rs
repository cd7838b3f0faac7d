//! Twin of `hdl/src/sched/sched_core.rs`: the scheduler behind AXI4-Stream events and AXI4-Lite
//! registers, composed of its blocks' twins.

use super::scheduler::{Scheduler, SchedulerIn};
use crate::golden::host::core_csr::CoreRegisters;
use crate::ports::Golden;
use crate::starts::Starts;
use crate::streams::{back, AxiLite, AxisEvent, FlowCommand, Rate, ReadyPort, TreadyPort};
use nic_spec::regs::{sched_offset, SCHED_ID_VALUE, SCHED_REGISTERS};
use nic_spec::NicConfig;

crate::ports! {
    /// Inputs.
    pub struct SchedCoreIn {
        pub reset: bool,
        pub s_axil: AxiLite,
        pub s_axis_work: AxisEvent<u128>,
        pub s_axis_rate: AxisEvent<u128>,
        pub m_axis_grant: TreadyPort,
    }
}
crate::ports! {
    /// Outputs.
    pub struct SchedCoreOut {
        pub s_axil: back::AxiLite,
        pub s_axis_work: TreadyPort,
        pub s_axis_rate: TreadyPort,
        pub m_axis_grant: AxisEvent<u16>,
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
    out: SchedCoreOut,
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
            out: SchedCoreOut::default(),
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
        let unit = self.unit.step(&SchedulerIn {
            reset: i.reset,
            s_work: i.s_axis_work.work(self.flow_mask),
            s_rate,
            m_grant: ReadyPort { ready: i.m_axis_grant.tready },
            cfg_line,
        });
        self.takes_command = unit.s_rate.ready;
        self.out = SchedCoreOut {
            s_axil: self.registers.pins(),
            s_axis_work: TreadyPort { tready: unit.s_work.ready },
            s_axis_rate: TreadyPort { tready: unit.s_rate.ready && !self.commanded },
            m_axis_grant: AxisEvent { tvalid: unit.m_grant.valid, tdata: unit.m_grant.flow },
        };
        self.out
    }

    fn starts(&mut self, starts: &mut Starts<'_>) -> Option<SchedCoreOut> {
        starts.within("unit", |s| self.unit.starts(s)).map(|_| self.out)
    }
}
