//! The flow scheduler as a core of its own: events on AXI4-Stream, flows also by AXI4-Lite.
//! [sched-core.md](../../sched-core.md) shows its streams in time and how to use it.
//!
//! # Source            scheduler.rs; AMBA AXI4-Stream, AXI4-Lite
//! # Interface timing  that of the blocks inside. A write to FLOW_COMMAND becomes a flow command that
//!                     goes before s_axis_rate; until the scheduler has taken it (clearing after
//!                     reset) another write is refused
//! # Latency and rate  that of scheduler.rs
//! # Stream layout     nic_spec::core_events; other bits are ignored. s_axis_work is a WorkEvent;
//!                     s_axis_rate is a FlowEvent, without telemetry: the low bits of cc_core's
//!                     m_axis_rate; m_axis_grant is the flow, 16 bits
//! # Number formats    scheduler.rs
//! # Shape             scheduler.rs
//! # Reset             synchronous, high; then the cycles of clearing with the tready low
//! # Twins             sim/models/src/golden/sched/sched_core.rs, tests/tool/cores.rs

use crate::host::{
    axil_port::AxilPort,
    core_csr::{core_parts, CoreCsr},
    csr_regs::SchedRegs,
};
use crate::rows::{FlowEvent, WorkEvent};
use crate::sched::scheduler::Scheduler;
use crate::streams::{AxiLite, AxisEvent};
use crate::{block, kernel, Reg, Wire};
use nic_spec::{regs, NicConfig};
use rust_hdl_core::prelude::*;

/// The core.
#[block(new(config: &NicConfig), check(1 << FB == config.flow_count))]
pub struct SchedCore<
    const FB: usize,
    const AW: usize,
    const IB: usize,
    const CB: usize,
    const L: usize,
    const LB: usize,
    const RB: usize,
> {
    /// Write address, bytes.
    pub s_axil: AxiLite<In>,
    /// A flow has work, or its bytes in flight have changed.
    pub s_axis_work: AxisEvent<In, WorkEvent>,
    /// Window and rate have changed.
    pub s_axis_rate: AxisEvent<In, FlowEvent>,
    /// A flow may send.
    pub m_axis_grant: AxisEvent<Out, Bits<16>>,
    port: AxilPort,
    #[init(CoreCsr::new(regs::SCHED_ID_VALUE, config))]
    decode: CoreCsr,
    registers: SchedRegs,
    #[init(Scheduler::new(config))]
    unit: Scheduler<FB, AW, IB, CB, L, LB, RB>,
    commanded: Reg<Bit>,
    index: Signal<Local, Bits<8>>,
    is_command: Signal<Local, Bit>,
    #[value(u64::from(regs::sched_offset::flow_command / 4).to_bits())]
    command_index: Constant<Bits<8>>,
}

#[kernel(core_parts)]
impl<
        const FB: usize,
        const AW: usize,
        const IB: usize,
        const CB: usize,
        const L: usize,
        const LB: usize,
        const RB: usize,
    > SchedCore<FB, AW, IB, CB, L, LB, RB>
{
    fn update(&mut self) {
        self.registers();
        self.index.next = self.port.m_addr.val().get_bits::<8>(2);
        self.is_command.next = self.index.val() == self.command_index.val();
        self.registers.wr_index.next = self.index.val();
        self.registers.rd_index.next = self.index.val();
        comment!("a command that waits: no second one");
        if self.commanded.val() && self.is_command.val() && self.port.m_write.val() {
            self.decode.regs_hit.next = false;
        }
        if self.unit.s_rate.ready.val() {
            self.commanded.next = false;
        }
        if self.decode.regs_wr_valid.val() && self.is_command.val() {
            self.commanded.next = true;
        }
        comment!("flow command, of the registers first");
        self.s_axis_rate.tready.next = self.unit.s_rate.ready.val() && !self.commanded.val();
        self.unit.s_rate.valid.next = self.s_axis_rate.tvalid.val() || self.commanded.val();
        if self.commanded.val() {
            self.unit.s_rate.flow.next = self.registers.cfg_flow_command.val().get_bits::<FB>(0);
            self.unit.s_rate.op.next = self.registers.cfg_flow_command.val().get_bits::<2>(16);
            self.unit.s_rate.window_bytes.next = self.registers.cfg_flow_window.val();
            self.unit.s_rate.rate.next = self.registers.cfg_flow_rate.val();
        } else {
            self.unit.s_rate.flow.next = self.s_axis_rate.tdata.val().flow.get_bits::<FB>(0);
            self.unit.s_rate.op.next = self.s_axis_rate.tdata.val().op;
            self.unit.s_rate.window_bytes.next = self.s_axis_rate.tdata.val().window_bytes;
            self.unit.s_rate.rate.next = self.s_axis_rate.tdata.val().rate;
        }
        comment!("work");
        self.unit.s_work.valid.next = self.s_axis_work.tvalid.val();
        self.s_axis_work.tready.next = self.unit.s_work.ready.val();
        self.unit.s_work.flow.next = self.s_axis_work.tdata.val().flow.get_bits::<FB>(0);
        self.unit.s_work.len_bytes.next = self.s_axis_work.tdata.val().len_bytes;
        self.unit.s_work.frame_count.next = self.s_axis_work.tdata.val().frame_count;
        self.unit.s_work.inflight_bytes.next = self.s_axis_work.tdata.val().inflight_bytes;
        self.unit.cfg_line.next = self.registers.cfg_line.val().into();
        comment!("grant");
        self.m_axis_grant.tvalid.next = self.unit.m_grant.valid.val();
        self.unit.m_grant.ready.next = self.m_axis_grant.tready.val();
        self.m_axis_grant.tdata.next = bit_cast::<16, FB>(self.unit.m_grant.flow.val());
    }
}
