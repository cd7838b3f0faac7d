//! The congestion control unit as a core of its own: events on AXI4-Stream, parameters on
//! AXI4-Lite. [cc-core.md](../../cc-core.md) shows its streams in time and how to use it.
//!
//! # Source            cc_unit.rs, cc_unit_wide.rs, cc_unit_serial.rs, cc_active.rs; AMBA AXI4-Stream, AXI4-Lite
//! # Interface timing  that of the blocks inside; nothing is added
//! # Latency and rate  56 cycles from s_axis_ack to m_axis_rate at least, 8 more at most when idle;
//!                     one ACK every 8 cycles, the same flow every 56. With a datapath of 512 bits
//!                     50 cycles at least, one ACK per cycle, the same flow every 48. With one of up
//!                     to 32 bits one ACK at a time, 397 cycles and 211 for each hop
//! # Stream layout     nic_spec::core_events; other bits are 0, or ignored where they come in. flow is an
//!                     index below the flow count; the bits above it are ignored
//! # Number formats    cc_unit.rs
//! # Shape             F = 2^FB flows; other sizes: cc_unit.rs, cc_unit_wide.rs, cc_unit_serial.rs,
//!                     cc_active.rs
//! # Reset             synchronous, high; then F cycles of clearing with the tready low
//! # Twins             sim/models/src/golden/cc/cc_core.rs, tests/tool/cores.rs

use crate::cc::{
    active::CcActive, serial::unit::CcUnitSerial, unit::CcUnit, wide::unit::CcUnitWide,
};
use crate::events::CcEvents;
use crate::host::{
    axil_port::AxilPort,
    core_csr::{core_parts, CoreCsr},
    csr_regs::CcRegs,
};
use crate::rows::{AckEvent, FlowEvent, RateEvent};
use crate::streams::{AxiLite, AxisEvent};
use crate::{block, kernel, Wire};
use nic_spec::{regs, NicConfig};
use rust_hdl_core::prelude::*;

/// A core around a unit; all units have the same ports.
macro_rules! core_of {
    ($doc:literal, $core:ident<$($size:ident),*>, $active:ty, $unit:ty) => {
        #[doc = $doc]
        #[block(new(config: &NicConfig), check(1 << FB == config.flow_count))]
        pub struct $core<$(const $size: usize),*> {
            /// Write address, bytes.
            pub s_axil: AxiLite<In>,
            /// An ACK is offered.
            pub s_axis_ack: AxisEvent<In, AckEvent>,
            /// A flow command is offered.
            pub s_axis_flow: AxisEvent<In, FlowEvent>,
            /// A result is offered.
            pub m_axis_rate: AxisEvent<Out, RateEvent>,
            /// Telemetry ignored: its ACK is of a PSN that was never sent.
            pub event_cc: CcEvents<Out>,
            port: AxilPort,
            #[init(CoreCsr::new(regs::CC_ID_VALUE, config))]
            decode: CoreCsr,
            registers: CcRegs,
            active: $active,
            unit: $unit,
        }

        #[kernel(core_parts)]
        impl<$(const $size: usize),*> $core<$($size),*> {
            fn update(&mut self) {
                self.registers();
                self.registers.wr_index.next = self.port.m_addr.val().get_bits::<8>(2);
                self.registers.rd_index.next = self.port.m_addr.val().get_bits::<8>(2);
                self.unit.cfg.t_ns.next = self.registers.cfg_cc_t_ns.val();
                self.unit.cfg.inv_t.next = self.registers.cfg_cc_inv_t.val();
                self.unit.cfg.queue_gain.next = self.registers.cfg_cc_queue_gain.val();
                self.unit.cfg.target.next = self.registers.cfg_cc_target.val();
                self.unit.cfg.u_one.next = self.registers.cfg_cc_u_one.val();
                self.unit.cfg.max_stage.next = self.registers.cfg_cc_max_stage.val();
                self.unit.cfg.w_ai.next = self.active.w_ai.val();
                self.unit.cfg.w_init.next = self.registers.cfg_cc_w_init.val();
                self.unit.cfg.w_min.next = self.registers.cfg_cc_w_min.val();
                self.unit.cfg.rate_gain.next = self.registers.cfg_cc_rate_gain.val();
                self.unit.cfg.rate_min.next = self.registers.cfg_cc_rate_min.val();
                self.unit.cfg.rate_max.next = self.registers.cfg_cc_rate_max.val();
                self.unit.cfg.util_gain.next = self.registers.cfg_cc_util_gain.val();
                self.unit.cfg.check.next = self.registers.cfg_cc_check.val();
                self.unit.cfg.by_time.next = self.registers.cfg_cc_mode.val().get_bit(0);
                self.active.cfg_window.next = self.registers.cfg_cc_active.val();
                self.active.cfg_w_ai.next = self.registers.cfg_cc_w_ai.val();
                self.active.cfg_by_time.next = self.registers.cfg_cc_mode.val().get_bit(0);
                self.active.watch_peer.next = false;
                self.active.watch_valid.next = self.unit.m_rate.valid.val();
                self.active.watch_ready.next = self.m_axis_rate.tready.val();
                self.active.watch_flow.next = self.unit.m_rate.flow.val();
                self.active.watch_full.next = self.unit.m_rate.full.val();
                Wire::join(&mut self.unit.event_cc, &mut self.event_cc);
                comment!("ACK");
                self.unit.s_ack.valid.next = self.s_axis_ack.tvalid.val();
                self.s_axis_ack.tready.next = self.unit.s_ack.ready.val();
                self.unit.s_ack.flow.next = self.s_axis_ack.tdata.val().flow.get_bits::<FB>(0);
                self.unit.s_ack.psn.next = self.s_axis_ack.tdata.val().psn;
                self.unit.s_ack.snd_nxt.next = self.s_axis_ack.tdata.val().snd_nxt;
                self.unit.s_ack.tel.valid.next = self.s_axis_ack.tdata.val().tel_valid;
                self.unit.s_ack.tel.hops.next = self.s_axis_ack.tdata.val().tel_hops;
                self.unit.s_ack.tel.path.next = self.s_axis_ack.tdata.val().tel_path;
                self.unit.s_ack.tel.hop[0].next = self.s_axis_ack.tdata.val().hop_0;
                self.unit.s_ack.tel.hop[1].next = self.s_axis_ack.tdata.val().hop_1;
                self.unit.s_ack.tel.hop[2].next = self.s_axis_ack.tdata.val().hop_2;
                self.unit.s_ack.tel.hop[3].next = self.s_axis_ack.tdata.val().hop_3;
                self.unit.s_ack.tel.hop[4].next = self.s_axis_ack.tdata.val().hop_4;
                comment!("flow command");
                self.unit.s_flow.valid.next = self.s_axis_flow.tvalid.val();
                self.s_axis_flow.tready.next = self.unit.s_flow.ready.val();
                self.unit.s_flow.flow.next = self.s_axis_flow.tdata.val().flow.get_bits::<FB>(0);
                self.unit.s_flow.op.next = self.s_axis_flow.tdata.val().op;
                self.unit.s_flow.telemetry.next = self.s_axis_flow.tdata.val().telemetry;
                self.unit.s_flow.window_bytes.next = self.s_axis_flow.tdata.val().window_bytes;
                self.unit.s_flow.rate.next = self.s_axis_flow.tdata.val().rate;
                comment!("result");
                self.m_axis_rate.tvalid.next = self.unit.m_rate.valid.val();
                self.unit.m_rate.ready.next = self.m_axis_rate.tready.val();
                self.m_axis_rate.tdata.next = 0.into();
                self.m_axis_rate.tdata.next.flow = bit_cast::<16, FB>(self.unit.m_rate.flow.val());
                self.m_axis_rate.tdata.next.op = self.unit.m_rate.op.val();
                self.m_axis_rate.tdata.next.full = self.unit.m_rate.full.val();
                self.m_axis_rate.tdata.next.first = self.unit.m_rate.first.val();
                self.m_axis_rate.tdata.next.worst_hop = self.unit.m_rate.worst_hop.val();
                self.m_axis_rate.tdata.next.inc_stage = self.unit.m_rate.inc_stage.val();
                self.m_axis_rate.tdata.next.window_bytes = self.unit.m_rate.window_bytes.val();
                self.m_axis_rate.tdata.next.rate = self.unit.m_rate.rate.val();
                self.m_axis_rate.tdata.next.last_update_psn = self.unit.m_rate.last_update_psn.val();
                self.m_axis_rate.tdata.next.u = self.unit.m_rate.u.val();
                self.m_axis_rate.tdata.next.wc_bytes = self.unit.m_rate.wc_bytes.val();
            }
        }
    };
}

core_of! { "The core with one hop a cycle.", CcCore<FB, HB, NB>, CcActive<FB, NB>, CcUnit<FB, HB> }
core_of! {
    "The core with one ACK a cycle.",
    CcCoreWide<FB, NB>,
    CcActive<FB, NB>,
    CcUnitWide<FB>
}
core_of! {
    "The core with one bit of a product a cycle.",
    CcCoreSerial<FB, AW, NB>,
    CcActive<FB, NB>,
    CcUnitSerial<FB, AW>
}
