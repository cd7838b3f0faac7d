//! HPCC++ congestion control: NewAck for every flow.
//!
//! # Source            draft-pan-tsvwg-hpccplus-00 sections 4.2 and 6.2, sender-based
//! # Interface timing  slots of 8 cycles, phases 0..=7, counted t from the start of an ACK's slot:
//!                     t =  0  flow, PSN and hop 0 stand in cc_intake; its state was read
//!                     t =  3  decided: drop, store only, update, full update
//!                     t = 20  u' of the worst hop, and its share of tau (cc_records)
//!                     t = 27  U (cc_ewma); telemetry that no honest network gives ends here
//!                     t = 50  W and R (cc_wind); the state is written
//!                     t = 52  m_rate, if it is not waiting
//! # Latency and rate  [`LATENCY_CYCLES`] from s_ack to m_rate at least, 8 more at most when idle; one
//!                     ACK every [`SLOT_CYCLES`], the same flow every [`SAME_FLOW_CYCLES`]; an ACK
//!                     whose flow is under way waits and holds up those behind it; a flow command
//!                     starts before an ACK that waits
//! # Number formats    U         | UQ21.36 | in units of 1024/25: U = 1 is 25/1024 (x 1/multi)
//!                     W, Wc     | UQ32.16 | bytes; in [w_min, w_init]
//!                     R         | UQ8.24  | bytes a cycle; in [rate_min, rate_max]
//!                     incStage  | UQ8.0   |
//!                     T         | UQ20.0  | ns, 257..=2^20-1
//!                     hop by hop: cc_hop.rs; average: cc_ewma.rs; window: cc_wind.rs
//! # Definitions       A hop whose time stands still or whose rate code is 5 or 6 is skipped; all hops
//!                     skipped leave U alone. tau is the first usable hop's when all u' are 0. U = 0
//!                     gives the largest window. The first records of a flow and the first after a
//!                     change of path or hop count are only stored, and lastUpdateSeq = snd_nxt.
//!                     Telemetry with a PSN that is not behind snd_nxt is dropped; such of which a hop is
//!                     bad (cc_hop) is only stored: state and window stay and no answer comes. One
//!                     event for each, of the first reason: psn, time, bytes, queue.
//!                     With cfg_by_time PSN is the time of a packet and snd_nxt that time + T (NewINT):
//!                     a full update is due unless lastUpdateSeq is 0 to T ahead, mod 2^24.
//!                     hops 0, 6, 7: records ignored, lastUpdateSeq advances if due. An ACK without
//!                     telemetry, or of a flow that has none or does not exist, is dropped
//! # Parameters        nic_spec::cc_params derives the `cfg_*` values; they are quasi-static
//! # Shape             F = 2^FB flows, HB = FB + 3
//! # Reset             synchronous, high; then F cycles of clearing with the readies low
//! # Twins             sim/models/src/golden/cc/unit.rs, sim/models/src/reference/hpcc.rs,
//!                     tests/cc/cc_unit.rs

use crate::cc::{
    ewma::CcEwma,
    flight::{CcFlight, ResultRow},
    intake::CcIntake,
    records::CcRecords,
    state::CcState,
    wind::CcWind,
};
use crate::events::CcEvents;
use crate::streams::{AckTelemetry, CcConfig, Decision, FlowCommand};
use crate::util::fifo::Fifo;
use crate::{block, kernel, Reg, Unreset, Wire};
use rust_hdl_core::prelude::*;

/// Cycles from the cycle that takes an ACK to its `m_rate`, at least.
pub const LATENCY_CYCLES: usize = 56;
/// Cycles between two starts.
pub const SLOT_CYCLES: usize = 8;
/// Cycles between two starts of the same flow.
pub const SAME_FLOW_CYCLES: usize = 56;

/// HPCC++ for `2^FB` flows; `HB = FB + 3`.
#[block(check(HB == FB + 3))]
pub struct CcUnit<const FB: usize, const HB: usize> {
    /// T in ns.
    pub cfg: CcConfig<In>,
    /// An ACK is offered.
    pub s_ack: AckTelemetry<In, FB>,
    /// A flow command is offered.
    pub s_flow: FlowCommand<In, FB>,
    /// A result is offered.
    pub m_rate: Decision<Out, FB>,
    /// Telemetry ignored: its ACK is of a PSN that was never sent.
    pub event_cc: CcEvents<Out>,
    intake: CcIntake<FB>,
    state: CcState<FB>,
    records: CcRecords<FB, HB>,
    flight: CcFlight<FB>,
    ewma: CcEwma,
    wind: CcWind,
    results: Fifo<ResultRow<FB>, 4, 5>,
    #[reset(true)]
    scrubs: Reg<Bit>,
    scrub_flow: Reg<Bits<FB>>,
    ahead_2: Unreset<Bits<24>>,
    behind_2: Unreset<Bits<24>>,
    until_2: Unreset<Bits<24>>,
    same_2: Unreset<Bit>,
    usable_2: Unreset<Bit>,
    adapts_2: Unreset<Bit>,
    due_3: Unreset<Bit>,
    first_3: Unreset<Bit>,
    update_3: Unreset<Bit>,
    store_3: Unreset<Bit>,
    drop_3: Unreset<Bit>,
    worst_ewma: Unreset<Bits<3>>,
    e_psn: Reg<Bit>,
    e_time: Reg<Bit>,
    e_bytes: Reg<Bit>,
    e_queue: Reg<Bit>,
    never: Signal<Local, Bit>,
    is_ahead: Signal<Local, Bit>,
    judged: Signal<Local, Bit>,
    is_bad: Signal<Local, Bit>,
    phase: Signal<Local, Bits<3>>,
    alive: Signal<Local, Bits<6>>,
    creates: Signal<Local, Bit>,
    full: Signal<Local, Bit>,
    window_bits: Signal<Local, Bits<48>>,
    end_wc: Signal<Local, Bits<48>>,
    end_inc_stage: Signal<Local, Bits<8>>,
    end_u: Signal<Local, Bits<57>>,
    #[value(2)]
    phase_2: Constant<Bits<3>>,
    #[value(3)]
    phase_3: Constant<Bits<3>>,
    #[value(4)]
    phase_4: Constant<Bits<3>>,
    #[value(7)]
    phase_7: Constant<Bits<3>>,
    #[value(7)]
    no_hop: Constant<Bits<3>>,
    #[value(6)]
    hops_above: Constant<Bits<3>>,
    #[value(1)]
    op_create: Constant<Bits<2>>,
    #[value(9)]
    room_below: Constant<Bits<5>>,
    #[value((1_u64 << FB) - 1)]
    last_flow: Constant<Bits<FB>>,
}

/// The parts of the kernel that every schedule has.
macro_rules! unit_parts {
    ([$($unit:tt)*] { $($own:tt)* }) => {
        #[kernel]
        $($unit)* {
            $($own)*

            fn average_and_window(&mut self) {
                self.wind.cfg_target.next = self.cfg.target.val();
                self.wind.cfg_max_stage.next = self.cfg.max_stage.val();
                self.wind.cfg_w_ai.next = self.cfg.w_ai.val();
                self.wind.cfg_w_init.next = self.cfg.w_init.val();
                self.wind.cfg_w_min.next = self.cfg.w_min.val();
                self.wind.cfg_rate_gain.next = self.cfg.rate_gain.val();
                self.wind.cfg_rate_min.next = self.cfg.rate_min.val();
                self.wind.cfg_rate_max.next = self.cfg.rate_max.val();
                self.ewma.u_old.next = self.flight.ewma.u.val();
                self.flight.u_new.next = self.ewma.u.val();
                self.wind.hold.next = self.flight.wind.hold.val();
                self.wind.u.next = self.ewma.u.val();
                self.wind.wc.next = self.flight.wind.wc.val();
                self.wind.inc_stage.next = self.flight.wind.inc_stage.val();
            }

            /// The new state. Before the first start all rows are cleared.
            fn new_state(&mut self) {
                self.state.write_enable.next = self.wind.m_valid.val() || self.scrubs.val();
                self.state.write_flow.next = self.flight.end.flow.val();
                self.state.write.exists.next = self.flight.end.exists.val();
                self.state.write.telemetry.next = self.flight.end.telemetry.val();
                self.state.write.recorded.next = self.flight.end.recorded.val();
                self.state.write.hops.next = self.flight.end.hops.val();
                self.state.write.path.next = self.flight.end.path.val();
                self.end_wc.next = self.flight.end.wc.val();
                if self.flight.end.set.val() || self.flight.end.command.val() {
                    self.end_wc.next = self.wind.w.val();
                }
                self.end_inc_stage.next = self.flight.end.inc_stage.val();
                if self.flight.end.set.val() {
                    self.end_inc_stage.next = self.wind.m_inc_stage.val();
                }
                self.end_u.next = self.flight.end.u.val();
                if self.flight.end.command.val() {
                    self.end_u.next = bit_cast::<57, 32>(self.cfg.u_one.val());
                }
                self.state.write.last_psn.next = self.flight.end.last_psn.val();
                self.state.write.inc_stage.next = self.end_inc_stage.val();
                self.state.write.w.next = self.wind.w.val();
                self.state.write.wc.next = self.end_wc.val();
                self.state.write.u.next = self.end_u.val();
                if self.scrubs.val() {
                    self.state.write_flow.next = self.scrub_flow.val();
                    self.state.write.exists.next = false;
                    self.state.write.telemetry.next = false;
                    self.state.write.recorded.next = false;
                    self.scrub_flow.next = self.scrub_flow.val() + 1;
                    self.scrubs.next = self.scrub_flow.val() != self.last_flow.val();
                }
                comment!("The result goes to the FIFO, which was seen to have room.");
                self.results.s.valid.next = self.wind.m_valid.val();
                self.results.s.data.next.flow = self.flight.end.flow.val();
                self.results.s.data.next.op = self.flight.end.op.val();
                self.results.s.data.next.window = self.wind.w.val().get_bits::<32>(16);
                self.results.s.data.next.rate = self.wind.rate.val();
                if self.flight.end.fixed.val() {
                    self.results.s.data.next.window = self.flight.end.window.val();
                    self.results.s.data.next.rate = self.flight.end.rate.val();
                }
                self.results.s.data.next.u = self.end_u.val();
                self.results.s.data.next.wc = self.end_wc.val();
                self.results.s.data.next.inc_stage = self.end_inc_stage.val();
                self.results.s.data.next.last_psn = self.flight.end.last_psn.val();
                self.results.s.data.next.full = self.flight.end.full.val();
                self.results.s.data.next.first = self.flight.end.first.val();
                self.results.s.data.next.worst_hop = self.flight.end.hop.val();
                self.results.m.ready.next = self.m_rate.ready.val();
                self.m_rate.valid.next = self.results.m.valid.val();
                self.m_rate.first.next = self.results.m.data.val().first;
                self.m_rate.worst_hop.next = self.results.m.data.val().worst_hop;
                self.m_rate.full.next = self.results.m.data.val().full;
                self.m_rate.flow.next = self.results.m.data.val().flow;
                self.m_rate.op.next = self.results.m.data.val().op;
                self.m_rate.window_bytes.next = self.results.m.data.val().window;
                self.m_rate.rate.next = self.results.m.data.val().rate;
                self.m_rate.u.next = self.results.m.data.val().u;
                self.m_rate.wc_bytes.next = self.results.m.data.val().wc;
                self.m_rate.inc_stage.next = self.results.m.data.val().inc_stage;
                self.m_rate.last_update_psn.next = self.results.m.data.val().last_psn;
            }
        }
    };
}
pub(super) use unit_parts;

#[kernel(unit_parts)]
impl<const FB: usize, const HB: usize> CcUnit<FB, HB> {
    fn update(&mut self) {
        self.intake();
        self.decision();
        self.records();
        self.window();
        self.new_state();
    }

    /// Intake.
    fn intake(&mut self) {
        Wire::join(&mut self.s_ack, &mut self.intake.s_ack);
        Wire::join(&mut self.s_flow, &mut self.intake.s_flow);
        self.intake.open.next =
            self.scrubs.val() && (self.scrub_flow.val() == self.last_flow.val());
        self.intake.room.next = self.results.count.val() < self.room_below.val();
        self.phase.next = self.intake.phase.val();
        self.alive.next = self.intake.alive.val();
        comment!("t = 1: what the state says about this ACK.");
        self.state.read_enable.next = self.phase.val() == self.phase_7.val();
        self.state.read_flow.next = self.intake.candidate_flow.val();
        self.ahead_2.next = self.intake.now_psn.val() - self.state.row.last_psn.val();
        self.behind_2.next = self.intake.now_snd_nxt.val() - self.intake.now_psn.val();
        self.until_2.next = self.state.row.last_psn.val() - self.intake.now_psn.val();
        self.same_2.next = self.state.row.recorded.val()
            && (self.state.row.hops.val() == self.intake.now_hops.val())
            && (self.state.row.path.val() == self.intake.now_path.val());
        self.usable_2.next = self.intake.now_hops.val().any()
            && (self.intake.now_hops.val() < self.hops_above.val())
            && self.state.row.telemetry.val()
            && !self.intake.now_command.val();
        self.adapts_2.next = self.state.row.exists.val()
            && self.state.row.telemetry.val()
            && self.intake.now_tel_valid.val();
    }

    /// t = 2: the decision.
    fn decision(&mut self) {
        self.is_ahead.next = self.ahead_2.val().any() && !self.ahead_2.val().get_bit(23);
        if self.cfg.by_time.val() {
            self.is_ahead.next = self.until_2.val() > self.behind_2.val();
        }
        self.due_3.next =
            self.state.row.recorded.val() && self.is_ahead.val() && !self.intake.now_command.val();
        self.first_3.next = self.usable_2.val() && !self.same_2.val();
        self.update_3.next = self.usable_2.val() && self.same_2.val();
        self.never.next = self.cfg.check.val().get_bit(0)
            && (!self.behind_2.val().any() || self.behind_2.val().get_bit(23));
        self.store_3.next = self.usable_2.val()
            && self.adapts_2.val()
            && !self.never.val()
            && self.alive.val().get_bit(0);
        self.drop_3.next =
            (!self.adapts_2.val() || self.never.val()) && !self.intake.now_command.val();
        self.e_psn.next = self.never.val()
            && self.adapts_2.val()
            && !self.intake.now_command.val()
            && self.alive.val().get_bit(0)
            && (self.phase.val() == self.phase_2.val());
        self.intake.drop.next = self.drop_3.val();
    }

    /// Records.
    fn records(&mut self) {
        self.records.cfg_t_ns.next = self.cfg.t_ns.val();
        self.records.cfg_inv_t.next = self.cfg.inv_t.val();
        self.records.cfg_queue_gain.next = self.cfg.queue_gain.val();
        self.records.cfg_util_gain.next = self.cfg.util_gain.val().into();
        self.records.cfg_check.next = self.cfg.check.val().into();
        self.records.phase.next = self.phase.val();
        self.records.flow.next = self.intake.now_flow.val();
        self.records.hops.next = self.intake.now_hops.val();
        self.records.hop.next = self.intake.hop.val();
        self.records.store.next = self.store_3.val();
        comment!("t = 3: what is needed later.");
        self.creates.next = self.intake.now_op.val() == self.op_create.val();
        self.full.next = self.due_3.val() || self.first_3.val();
        self.flight.slot.next = self.intake.slot.val();
        self.flight.start_write.next = self.phase.val() == self.phase_3.val();
        self.flight.s.flow.next = self.intake.now_flow.val();
        self.flight.s.update.next = self.update_3.val();
        self.flight.s.u.next = self.state.row.u.val();
        self.flight.s_hold.next = !self.update_3.val();
        self.flight.s.inc_stage.next = self.state.row.inc_stage.val();
        self.window_bits.next = bit_cast::<48, 32>(self.intake.now_window.val());
        self.flight.s.base.next = self.state.row.w.val();
        if self.intake.now_command.val() {
            self.flight.s.base.next = self.window_bits.val() << 16;
        } else if self.update_3.val() {
            self.flight.s.base.next = self.state.row.wc.val();
        }
        self.flight.s.command.next = self.intake.now_command.val();
        self.flight.s.set.next = self.update_3.val() && self.full.val();
        self.flight.s.full.next = self.full.val();
        self.flight.s.first.next = self.first_3.val();
        self.flight.s.window.next = self.intake.now_window.val();
        self.flight.s.rate.next = self.intake.now_rate.val();
        self.flight.s.wc.next = self.state.row.wc.val();
        self.flight.s.end_inc_stage.next = self.state.row.inc_stage.val();
        self.flight.s.last_psn.next = self.state.row.last_psn.val();
        if self.full.val() {
            self.flight.s.last_psn.next = self.intake.now_snd_nxt.val();
        }
        self.flight.s.fixed.next = false;
        self.flight.s.op.next = 0.into();
        self.flight.s.exists.next = true;
        self.flight.s.telemetry.next = true;
        self.flight.s.recorded.next = self.state.row.recorded.val() || self.usable_2.val();
        self.flight.s.hops.next = self.state.row.hops.val();
        self.flight.s.path.next = self.state.row.path.val();
        if self.usable_2.val() {
            self.flight.s.hops.next = self.intake.now_hops.val();
            self.flight.s.path.next = self.intake.now_path.val();
        }
        if self.intake.now_command.val() {
            self.flight.s.fixed.next = !self.creates.val() || !self.intake.now_telemetry.val();
            self.flight.s.op.next = self.intake.now_op.val();
            self.flight.s.exists.next = self.creates.val();
            self.flight.s.telemetry.next = self.intake.now_telemetry.val();
            self.flight.s.recorded.next = false;
            self.flight.s.hops.next = 0.into();
            self.flight.s.path.next = 0.into();
            self.flight.s.last_psn.next = 0.into();
            self.flight.s.end_inc_stage.next = 0.into();
        }
    }

    /// t = 20: U; t = 27: W and R.
    fn window(&mut self) {
        self.ewma.s_valid.next = self.phase.val() == self.phase_4.val();
        self.ewma.update.next = self.flight.ewma.update.val() && self.records.worst_valid.val();
        self.ewma.u_hop.next = self.records.worst_u.val();
        self.ewma.share.next = self.records.worst_share.val();
        self.flight.u_write.next = self.ewma.m_valid.val();
        if self.phase.val() == self.phase_4.val() {
            self.worst_ewma.next = self.no_hop.val();
            if self.flight.ewma.update.val() {
                self.worst_ewma.next = self.records.worst_hop.val();
            }
        }
        self.flight.hop_new.next = self.worst_ewma.val();
        comment!("Telemetry of which a hop is bad gets no further.");
        self.judged.next =
            self.ewma.m_valid.val() && self.alive.val().get_bit(3) && !self.flight.wind.hold.val();
        self.is_bad.next = self.judged.val() && self.records.bad.val().any();
        self.e_time.next = self.judged.val() && self.records.bad.val().get_bit(0);
        self.e_bytes.next = self.judged.val()
            && self.records.bad.val().get_bit(1)
            && !self.records.bad.val().get_bit(0);
        self.e_queue.next = self.judged.val()
            && self.records.bad.val().get_bit(2)
            && !self.records.bad.val().get_bit(1)
            && !self.records.bad.val().get_bit(0);
        self.event_cc.psn.next = self.e_psn.val();
        self.event_cc.time.next = self.e_time.val();
        self.event_cc.bytes.next = self.e_bytes.val();
        self.event_cc.queue.next = self.e_queue.val();
        self.wind.s_valid.next =
            self.ewma.m_valid.val() && self.alive.val().get_bit(3) && !self.is_bad.val();
        self.average_and_window();
    }
}
