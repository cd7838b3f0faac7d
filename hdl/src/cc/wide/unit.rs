//! HPCC++ congestion control, an ACK a cycle: five hops side by side.
//!
//! # Source            draft-pan-tsvwg-hpccplus-00 sections 4.2 and 6.2, sender-based
//! # Interface timing  counted t from the start of an event:
//!                     t = -2  s_ack taken
//!                     t =  0  it starts: its state and its stored records are read
//!                     t =  4  decided (cc_decision): drop, store only, update, full update; the
//!                             records are stored
//!                     t =  7  telemetry that no honest network gives ends here; its event is at 4
//!                             (PSN) or 8
//!                     t = 15  u' and the share of tau of each hop (cc_lane)
//!                     t = 17  those of the worst one (cc_worst)
//!                     t = 24  U (cc_ewma)
//!                     t = 47  W and R (cc_wind); the state is written
//!                     t = 48  m_rate, if it is not waiting
//! # Latency and rate  [`LATENCY_CYCLES`] from s_ack to m_rate at least; one ACK per cycle, the same
//!                     flow every [`SAME_FLOW_CYCLES`]; of the ACKs that come while their flow is under
//!                     way the newest waits, in a slot of its own, and starts [`AGAIN_CYCLES`] after the
//!                     one before it (`intake.rs` has the rules)
//! # Number formats    those of cc_unit.rs
//! # Definitions       those of cc_unit.rs: the same ACKs of a flow have the same results; an ACK that
//!                     another one replaces counts as one that has not come
//! # Parameters        nic_spec::cc_params derives the `cfg_*` values; they are quasi-static
//! # Shape             F = 2^FB flows; 64 results wait before ACKs wait for m_rate_ready. As many
//!                     under way and as many that wait for them find room behind those
//! # Reset             synchronous, high; then F cycles of clearing with the readies low
//! # Twins             sim/models/src/golden/cc/wide/unit.rs, sim/models/src/reference/hpcc.rs,
//!                     tests/cc/cc_unit_wide.rs

use crate::cc::{
    decision::CcDecision,
    ewma::{self, CcEwma},
    flight::ResultRow,
    state::CcState,
    unit::unit_parts,
    wide::{flight::CcFlightWide, intake::CcIntakeWide, lane::CcLane, worst::CcWorst},
    wind::CcWind,
};
use crate::events::CcEvents;
use crate::streams::{AckTelemetry, CcConfig, Decision, FlowCommand};
use crate::util::{delay::Delay, ram_fifo::RamFifo};
use crate::{block, kernel, Reg, Unreset, Wire};
use rust_hdl_core::prelude::*;

pub use crate::cc::wide::intake::{AGAIN_CYCLES, SAME_FLOW_CYCLES};
/// Cycles from the cycle that takes an ACK to its `m_rate`, at least.
pub const LATENCY_CYCLES: usize = 50;

/// HPCC++ for `2^FB` flows.
#[block]
pub struct CcUnitWide<const FB: usize> {
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
    intake: CcIntakeWide<FB>,
    state: CcState<FB>,
    decision: CcDecision<FB>,
    lanes: [CcLane<FB>; 5],
    worst_012: CcWorst,
    worst_34: CcWorst,
    worst: CcWorst,
    worst_hops: Delay<Bits<3>, { ewma::LATENCY_CYCLES }>,
    flight: CcFlightWide<FB>,
    ewma: CcEwma,
    wind: CcWind,
    results: RamFifo<ResultRow<FB>, 8, 9>,
    #[reset(true)]
    scrubs: Reg<Bit>,
    scrub_flow: Reg<Bits<FB>>,
    valid_5: Reg<Bits<13>>,
    updates: Unreset<Bits<3>>,
    bad_7: Unreset<Bits<3>>,
    e_time: Reg<Bit>,
    e_bytes: Reg<Bit>,
    e_queue: Reg<Bit>,
    updates_later: Signal<Local, Bits<3>>,
    bad: Signal<Local, Bits<3>>,
    judged: Signal<Local, Bit>,
    is_bad: Signal<Local, Bit>,
    records: Signal<Local, Bits<320>>,
    valid_later: Signal<Local, Bits<13>>,
    goes_on: Signal<Local, Bits<13>>,
    end_wc: Signal<Local, Bits<48>>,
    end_inc_stage: Signal<Local, Bits<8>>,
    end_u: Signal<Local, Bits<57>>,
    #[value(1)]
    valid_bit: Constant<Bits<13>>,
    #[value(1)]
    update_bit: Constant<Bits<3>>,
    #[value(8)]
    judged_bit: Constant<Bits<13>>,
    #[value(64)]
    room_below: Constant<Bits<9>>,
    #[value(7)]
    no_hop: Constant<Bits<3>>,
    #[value((1_u64 << FB) - 1)]
    last_flow: Constant<Bits<FB>>,
}

#[kernel(unit_parts)]
impl<const FB: usize> CcUnitWide<FB> {
    fn update(&mut self) {
        self.intake();
        self.decision();
        self.worst();
        self.window();
        self.new_state();
    }

    /// Intake.
    fn intake(&mut self) {
        self.intake.s_ack_valid.next = self.s_ack.valid.val();
        self.s_ack.ready.next = self.intake.s_ack_ready.val();
        self.records.next = bit_cast::<320, 64>(self.s_ack.tel.hop[0].val())
            | (bit_cast::<320, 64>(self.s_ack.tel.hop[1].val()) << 64)
            | (bit_cast::<320, 64>(self.s_ack.tel.hop[2].val()) << 128)
            | (bit_cast::<320, 64>(self.s_ack.tel.hop[3].val()) << 192)
            | (bit_cast::<320, 64>(self.s_ack.tel.hop[4].val()) << 256);
        self.intake.s_ack_event.next.psn = self.s_ack.psn.val();
        self.intake.s_ack_event.next.snd_nxt = self.s_ack.snd_nxt.val();
        self.intake.s_ack_event.next.tel_valid = self.s_ack.tel.valid.val();
        self.intake.s_ack_event.next.hops = self.s_ack.tel.hops.val();
        self.intake.s_ack_event.next.path = self.s_ack.tel.path.val();
        self.intake.s_ack_event.next.records = self.records.val();
        self.intake.s_ack_event.next.command = false;
        self.intake.s_ack_event.next.flow = self.s_ack.flow.val();
        Wire::join(&mut self.s_flow, &mut self.intake.s_flow);
        self.intake.scrubs.next = self.scrubs.val();
        self.intake.room.next = self.results.count.val() < self.room_below.val();
        comment!("0: the state of the flow and its records are read.");
        self.state.read_enable.next = self.intake.start.val();
        self.state.read_flow.next = self.intake.event_word.val().flow;
        for i in 0..5 {
            self.lanes[i].cfg_t_ns.next = self.cfg.t_ns.val();
            self.lanes[i].cfg_inv_t.next = self.cfg.inv_t.val();
            self.lanes[i].cfg_queue_gain.next = self.cfg.queue_gain.val();
            self.lanes[i].cfg_check.next = self.cfg.check.val().into();
            self.lanes[i].read.next = self.intake.start.val();
            self.lanes[i].flow.next = self.intake.event_word.val().flow;
            self.lanes[i].hop.next = self.intake.event_word.val().records.get_bits::<64>(64 * i);
            self.lanes[i].counted.next = self.decision.counted.val().get_bit(i);
            self.lanes[i].store.next = self.decision.store.val();
            self.lanes[i].store_flow.next = self.decision.m.flow.val();
        }
        self.lanes[0].cfg_util_gain.next = self.cfg.util_gain.val().into();
        self.lanes[1].cfg_util_gain.next = self.lanes[0].m_util_gain.val();
        self.lanes[2].cfg_util_gain.next = self.lanes[1].m_util_gain.val();
        self.lanes[3].cfg_util_gain.next = self.lanes[2].m_util_gain.val();
        self.lanes[4].cfg_util_gain.next = self.lanes[3].m_util_gain.val();
    }

    /// 2, 4: the decision.
    fn decision(&mut self) {
        self.decision.start.next = self.intake.start.val();
        self.decision.checks_psn.next = self.cfg.check.val().get_bit(0);
        self.decision.by_time.next = self.cfg.by_time.val();
        self.decision.event_word.next = self.intake.event_word.val();
        Wire::join(&mut self.state.row, &mut self.decision.state);
        self.valid_later.next = self.valid_5.val() << 1;
        comment!("7: an update of which a hop is bad ends; its records are stored.");
        self.updates_later.next = self.updates.val() << 1;
        self.updates.next = self.updates_later.val();
        if self.decision.m.update.val() {
            self.updates.next = self.updates_later.val() | self.update_bit.val();
        }
        self.bad_7.next = self.lanes[0].bad.val()
            | self.lanes[1].bad.val()
            | self.lanes[2].bad.val()
            | self.lanes[3].bad.val()
            | self.lanes[4].bad.val();
        self.bad.next = self.bad_7.val();
        self.judged.next = self.valid_5.val().get_bit(2) && self.updates.val().get_bit(2);
        self.is_bad.next = self.judged.val() && self.bad.val().any();
        self.goes_on.next = self.valid_later.val();
        if self.is_bad.val() {
            self.goes_on.next = self.valid_later.val() ^ self.judged_bit.val();
        }
        self.valid_5.next = self.goes_on.val();
        if self.decision.m_valid.val() {
            self.valid_5.next = self.goes_on.val() | self.valid_bit.val();
        }
        self.e_time.next = self.judged.val() && self.bad.val().get_bit(0);
        self.e_bytes.next =
            self.judged.val() && self.bad.val().get_bit(1) && !self.bad.val().get_bit(0);
        self.e_queue.next = self.judged.val()
            && self.bad.val().get_bit(2)
            && !self.bad.val().get_bit(1)
            && !self.bad.val().get_bit(0);
        self.event_cc.psn.next = self.decision.never_sent.val();
        self.event_cc.time.next = self.e_time.val();
        self.event_cc.bytes.next = self.e_bytes.val();
        self.event_cc.queue.next = self.e_queue.val();
        Wire::join(&mut self.decision.m, &mut self.flight.s);
        self.flight.s_hold.next = !self.decision.m.update.val();
    }

    /// 15..17: the hop with the largest u'; of equal ones the first.
    fn worst(&mut self) {
        self.worst_012.a_valid.next = self.lanes[0].m_valid.val();
        self.worst_012.a_u.next = self.lanes[0].u.val();
        self.worst_012.a_share.next = self.lanes[0].share.val();
        self.worst_012.a_hop.next = 0.into();
        self.worst_012.b_valid.next = self.lanes[1].m_valid.val();
        self.worst_012.b_u.next = self.lanes[1].u.val();
        self.worst_012.b_share.next = self.lanes[1].share.val();
        self.worst_012.b_hop.next = 1.into();
        self.worst_012.c_valid.next = self.lanes[2].m_valid.val();
        self.worst_012.c_u.next = self.lanes[2].u.val();
        self.worst_012.c_share.next = self.lanes[2].share.val();
        self.worst_012.c_hop.next = 2.into();
        self.worst_34.a_valid.next = self.lanes[3].m_valid.val();
        self.worst_34.a_u.next = self.lanes[3].u.val();
        self.worst_34.a_share.next = self.lanes[3].share.val();
        self.worst_34.a_hop.next = 3.into();
        self.worst_34.b_valid.next = self.lanes[4].m_valid.val();
        self.worst_34.b_u.next = self.lanes[4].u.val();
        self.worst_34.b_share.next = self.lanes[4].share.val();
        self.worst_34.b_hop.next = 4.into();
        self.worst.a_valid.next = self.worst_012.m_valid.val();
        self.worst.a_u.next = self.worst_012.u.val();
        self.worst.a_share.next = self.worst_012.share.val();
        self.worst.a_hop.next = self.worst_012.hop.val();
        self.worst.b_valid.next = self.worst_34.m_valid.val();
        self.worst.b_u.next = self.worst_34.u.val();
        self.worst.b_share.next = self.worst_34.share.val();
        self.worst.b_hop.next = self.worst_34.hop.val();
        comment!("Of two there is no third one.");
        self.worst_34.c_valid.next = false;
        self.worst_34.c_u.next = 0.into();
        self.worst_34.c_share.next = 0.into();
        self.worst_34.c_hop.next = 0.into();
        self.worst.c_valid.next = false;
        self.worst.c_u.next = 0.into();
        self.worst.c_share.next = 0.into();
        self.worst.c_hop.next = 0.into();
    }

    /// 17: U; 24: W and R.
    fn window(&mut self) {
        self.ewma.s_valid.next = self.valid_5.val().get_bit(12);
        self.ewma.update.next = self.flight.ewma.update.val() && self.worst.m_valid.val();
        self.ewma.u_hop.next = self.worst.u.val();
        self.ewma.share.next = self.worst.share.val();
        self.worst_hops.d.next = self.no_hop.val();
        if self.flight.ewma.update.val() && self.worst.m_valid.val() {
            self.worst_hops.d.next = self.worst.hop.val();
        }
        self.flight.hop_new.next = self.worst_hops.q.val();
        self.wind.s_valid.next = self.ewma.m_valid.val();
        self.average_and_window();
    }
}
