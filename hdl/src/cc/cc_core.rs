//! The congestion control unit as a core of its own: events on AXI4-Stream, parameters on
//! AXI4-Lite. [cc-core.md](../../cc-core.md) shows its streams in time and how to use it.
//!
//! # Source            cc_unit.rs, cc_unit_wide.rs, cc_unit_serial.rs, cc_active.rs; AMBA AXI4-Stream, AXI4-Lite
//! # Interface timing  that of the blocks inside; nothing is added
//! # Latency and rate  69 cycles from s_axis_ack to m_axis_rate at least, 8 more at most when idle;
//!                     one ACK every 8 cycles, the same flow every 64. With a datapath of 512 bits
//!                     66 cycles at least, one ACK per cycle, the same flow every 61. With one of up
//!                     to 32 bits one ACK at a time, 397 cycles and 211 for each hop
//! # Stream layout     bits of tdata, the lowest first; others are 0, or ignored where they come in
//!                     s_axis_ack   0 flow 16, 16 psn 24, 40 snd_nxt 24, 64 tel_valid 1,
//!                                  65 tel_hops 3, 68 tel_path 12, 96 five records of 64
//!                     s_axis_flow  0 flow 16, 16 op 2, 18 telemetry 1, 32 window_bytes 32, 64 rate 32
//!                     m_axis_rate  0 flow 16, 16 op 2, 18 full 1, 19 first 1, 20 worst_hop 3, 24 inc_stage 8,
//!                                  32 window_bytes 32, 64 rate 32, 96 last_update_psn 24, 128 u 57,
//!                                  192 wc_bytes 48
//!                     flow is an index below the flow count; the bits above it are ignored
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
            /// The event; layout above.
            pub s_axis_ack: AxisEvent<In, 416>,
            /// The event; layout above.
            pub s_axis_flow: AxisEvent<In, 96>,
            /// The event; layout above.
            pub m_axis_rate: AxisEvent<Out, 256>,
            /// Telemetry ignored: its ACK is of a PSN that was never sent.
            pub event_cc: CcEvents<Out>,
            port: AxilPort,
            #[init(CoreCsr::new(regs::CC_ID_VALUE, config))]
            decode: CoreCsr,
            registers: CcRegs,
            active: $active,
            unit: $unit,
            low_word: Signal<Local, Bits<256>>,
            psn_word: Signal<Local, Bits<256>>,
            u_word: Signal<Local, Bits<256>>,
            flags: Signal<Local, Bits<256>>,
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
                self.unit.s_ack.flow.next = self.s_axis_ack.tdata.val().get_bits::<FB>(0);
                self.unit.s_ack.psn.next = self.s_axis_ack.tdata.val().get_bits::<24>(16);
                self.unit.s_ack.snd_nxt.next = self.s_axis_ack.tdata.val().get_bits::<24>(40);
                self.unit.s_ack.tel.valid.next = self.s_axis_ack.tdata.val().get_bit(64);
                self.unit.s_ack.tel.hops.next = self.s_axis_ack.tdata.val().get_bits::<3>(65);
                self.unit.s_ack.tel.path.next = self.s_axis_ack.tdata.val().get_bits::<12>(68);
                self.unit.s_ack.tel.hop[0].next = self.s_axis_ack.tdata.val().get_bits::<64>(96);
                self.unit.s_ack.tel.hop[1].next = self.s_axis_ack.tdata.val().get_bits::<64>(160);
                self.unit.s_ack.tel.hop[2].next = self.s_axis_ack.tdata.val().get_bits::<64>(224);
                self.unit.s_ack.tel.hop[3].next = self.s_axis_ack.tdata.val().get_bits::<64>(288);
                self.unit.s_ack.tel.hop[4].next = self.s_axis_ack.tdata.val().get_bits::<64>(352);
                comment!("flow command");
                self.unit.s_flow.valid.next = self.s_axis_flow.tvalid.val();
                self.s_axis_flow.tready.next = self.unit.s_flow.ready.val();
                self.unit.s_flow.flow.next = self.s_axis_flow.tdata.val().get_bits::<FB>(0);
                self.unit.s_flow.op.next = self.s_axis_flow.tdata.val().get_bits::<2>(16);
                self.unit.s_flow.telemetry.next = self.s_axis_flow.tdata.val().get_bit(18);
                self.unit.s_flow.window_bytes.next = self.s_axis_flow.tdata.val().get_bits::<32>(32);
                self.unit.s_flow.rate.next = self.s_axis_flow.tdata.val().get_bits::<32>(64);
                comment!("result");
                self.m_axis_rate.tvalid.next = self.unit.m_rate.valid.val();
                self.unit.m_rate.ready.next = self.m_axis_rate.tready.val();
                self.flags.next = bit_cast::<256, 1>(self.unit.m_rate.full.val().into())
                    | (bit_cast::<256, 1>(self.unit.m_rate.first.val().into()) << 1);
                self.low_word.next = bit_cast::<256, FB>(self.unit.m_rate.flow.val())
                    | (bit_cast::<256, 2>(self.unit.m_rate.op.val()) << 16)
                    | (self.flags.val() << 18)
                    | (bit_cast::<256, 3>(self.unit.m_rate.worst_hop.val()) << 20)
                    | (bit_cast::<256, 8>(self.unit.m_rate.inc_stage.val()) << 24);
                self.psn_word.next = (bit_cast::<256, 32>(self.unit.m_rate.window_bytes.val()) << 32)
                    | (bit_cast::<256, 32>(self.unit.m_rate.rate.val()) << 64)
                    | (bit_cast::<256, 24>(self.unit.m_rate.last_update_psn.val()) << 96);
                self.u_word.next = (bit_cast::<256, 57>(self.unit.m_rate.u.val()) << 128)
                    | (bit_cast::<256, 48>(self.unit.m_rate.wc_bytes.val()) << 192);
                self.m_axis_rate.tdata.next = self.low_word.val() | self.psn_word.val() | self.u_word.val();
            }
        }
    };
}

core_of! { "The core with one hop a cycle.", CcCore<FB, HB, IW, NB>, CcActive<FB, NB>, CcUnit<FB, HB, IW> }
core_of! {
    "The core with one ACK a cycle.",
    CcCoreWide<FB, IW, NB>,
    CcActive<FB, NB>,
    CcUnitWide<FB, IW>
}
core_of! {
    "The core with one bit of a product a cycle.",
    CcCoreSerial<FB, AW, NB>,
    CcActive<FB, NB>,
    CcUnitSerial<FB, AW>
}
