//! What an ACK or a flow command does with the state of its flow.
//!
//! # Source            draft-pan-tsvwg-hpccplus-00 section 4.2, NewAck
//! # Interface timing  cycle 0: start, event_word; cycle 2: the row of its flow, and counted;
//!                     cycle [`LATENCY_CYCLES`]: the other outputs
//! # Latency and rate  [`LATENCY_CYCLES`]; one event per cycle
//! # Number formats    row: cc_state.rs
//! # Definitions       cc_unit.rs
//! # Reset             synchronous, high: nothing under way
//! # Twins             part of sim/models/src/golden/cc/wide/unit.rs, tests/cc/cc_unit_wide.rs

use crate::cc::{flight::Update, state::FlowState, wide::intake::EventRow};
use crate::util::delay::Delay;
use crate::{block, kernel, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from an event to its decision.
pub const LATENCY_CYCLES: usize = 4;

/// An event without its last four records.
#[row]
struct HeadRow<const FB: usize> {
    words: Bits<128>,
    flow: Bits<FB>,
    #[at(0)]
    psn: Bits<24>,
    snd_nxt: Bits<24>,
    tel_valid: Bit,
    hops: Bits<3>,
    path: Bits<12>,
    window: Bits<32>,
    rate: Bits<32>,
    #[at(0)]
    op: Bits<2>,
    telemetry: Bit,
}

/// Decision for an event in each cycle.
#[block]
pub struct CcDecision<const FB: usize> {
    /// An event starts.
    pub start: Signal<In, Bit>,
    /// PSNs are checked.
    pub checks_psn: Signal<In, Bit>,
    /// PSNs are times.
    pub by_time: Signal<In, Bit>,
    /// The event.
    pub event_word: Signal<In, EventRow<FB>>,
    /// Cycle 2: what is known of the flow.
    #[flat]
    pub state: FlowState<In>,
    /// Cycle 2: bit i: the ACK has a record of hop i.
    pub counted: Signal<Out, Bits<5>>,
    /// A result follows.
    pub m_valid: Signal<Out, Bit>,
    /// Telemetry ignored: its ACK is of a PSN that was never sent.
    pub never_sent: Signal<Out, Bit>,
    /// The records replace the stored ones.
    pub store: Signal<Out, Bit>,
    /// What is decided.
    pub m: Update<Out, FB>,
    head_delay: Delay<HeadRow<FB>, 2>,
    head_delay_4: Delay<HeadRow<FB>, 2>,
    hops_delay: Delay<Bits<3>, 2>,
    path_delay: Delay<Bits<12>, 2>,
    psn_delay: Delay<Bits<24>, 2>,
    inc_stage_delay: Delay<Bits<8>, 2>,
    w_delay: Delay<Bits<48>, 2>,
    wc_delay: Delay<Bits<48>, 2>,
    u_delay: Delay<Bits<57>, 2>,
    alive: Reg<Bits<4>>,
    commands: Unreset<Bits<4>>,
    recorded_3: Unreset<Bit>,
    ahead_3: Unreset<Bits<24>>,
    behind_3: Unreset<Bits<24>>,
    until_3: Unreset<Bits<24>>,
    same_3: Unreset<Bit>,
    usable_3: Unreset<Bit>,
    adapts_3: Unreset<Bit>,
    recorded_4: Unreset<Bit>,
    usable_4: Unreset<Bit>,
    due_4: Unreset<Bit>,
    first_4: Unreset<Bit>,
    update_4: Unreset<Bit>,
    store_4: Reg<Bit>,
    valid_4: Reg<Bit>,
    never_4: Reg<Bit>,
    never: Signal<Local, Bit>,
    is_ahead: Signal<Local, Bit>,
    snd_nxt_2: Signal<Local, Bits<24>>,
    head: Signal<Local, HeadRow<FB>>,
    flow: Signal<Local, Bits<FB>>,
    alive_later: Signal<Local, Bits<4>>,
    commands_later: Signal<Local, Bits<4>>,
    command_2: Signal<Local, Bit>,
    psn_2: Signal<Local, Bits<24>>,
    hops_2: Signal<Local, Bits<3>>,
    path_2: Signal<Local, Bits<12>>,
    tel_valid_2: Signal<Local, Bit>,
    command_4: Signal<Local, Bit>,
    op: Signal<Local, Bits<2>>,
    command_telemetry: Signal<Local, Bit>,
    window: Signal<Local, Bits<32>>,
    window_bits: Signal<Local, Bits<48>>,
    full: Signal<Local, Bit>,
    creates: Signal<Local, Bit>,
    #[value(1)]
    youngest: Constant<Bits<4>>,
    #[value(6)]
    hops_above: Constant<Bits<3>>,
    #[value(1)]
    op_create: Constant<Bits<2>>,
}

#[kernel]
impl<const FB: usize> CcDecision<FB> {
    fn update(&mut self) {
        self.event();
        self.judgement();
        self.consequences();
    }

    /// The event through four cycles, without its last four records.
    fn event(&mut self) {
        self.flow.next = self.event_word.val().flow;
        self.head.next.words = self.event_word.val().head;
        self.head.next.flow = self.flow.val();
        self.head_delay.d.next = self.head.val();
        self.head_delay_4.d.next = self.head_delay.q.val();
        self.alive_later.next = self.alive.val() << 1;
        self.alive.next = self.alive_later.val();
        if self.start.val() {
            self.alive.next = self.alive_later.val() | self.youngest.val();
        }
        self.commands_later.next = self.commands.val() << 1;
        self.commands.next = self.commands_later.val();
        if self.event_word.val().command {
            self.commands.next = self.commands_later.val() | self.youngest.val();
        }
    }

    /// 2: what the state says about this ACK.
    fn judgement(&mut self) {
        self.command_2.next = self.commands.val().get_bit(1);
        self.psn_2.next = self.head_delay.q.val().psn;
        self.snd_nxt_2.next = self.head_delay.q.val().snd_nxt;
        self.tel_valid_2.next = self.head_delay.q.val().tel_valid;
        self.hops_2.next = self.head_delay.q.val().hops;
        self.path_2.next = self.head_delay.q.val().path;
        match self.hops_2.val().index() {
            0 => {
                self.counted.next = 0.into();
            }
            1 => {
                self.counted.next = 1.into();
            }
            2 => {
                self.counted.next = 3.into();
            }
            3 => {
                self.counted.next = 7.into();
            }
            4 => {
                self.counted.next = 15.into();
            }
            _ => {
                self.counted.next = 31.into();
            }
        }
        self.ahead_3.next = self.psn_2.val() - self.state.last_psn.val();
        self.behind_3.next = self.snd_nxt_2.val() - self.psn_2.val();
        self.until_3.next = self.state.last_psn.val() - self.psn_2.val();
        self.same_3.next = self.state.recorded.val()
            && (self.state.hops.val() == self.hops_2.val())
            && (self.state.path.val() == self.path_2.val());
        self.usable_3.next = self.hops_2.val().any()
            && (self.hops_2.val() < self.hops_above.val())
            && self.state.telemetry.val()
            && !self.command_2.val();
        self.adapts_3.next =
            self.state.exists.val() && self.state.telemetry.val() && self.tel_valid_2.val();
        self.recorded_3.next = self.state.recorded.val();
        comment!("3: the decision.");
        self.recorded_4.next = self.recorded_3.val();
        self.usable_4.next = self.usable_3.val();
        self.is_ahead.next = self.ahead_3.val().any() && !self.ahead_3.val().get_bit(23);
        if self.by_time.val() {
            self.is_ahead.next = self.until_3.val() > self.behind_3.val();
        }
        self.due_4.next =
            self.recorded_3.val() && self.is_ahead.val() && !self.commands.val().get_bit(2);
        self.first_4.next = self.usable_3.val() && !self.same_3.val();
        self.update_4.next = self.usable_3.val() && self.same_3.val();
        comment!("A PSN that is not behind snd_nxt was never sent.");
        self.never.next = self.checks_psn.val()
            && self.adapts_3.val()
            && (!self.behind_3.val().any() || self.behind_3.val().get_bit(23))
            && !self.commands.val().get_bit(2);
        self.never_4.next = self.never.val() && self.alive.val().get_bit(2);
        self.store_4.next = self.usable_3.val()
            && self.adapts_3.val()
            && !self.never.val()
            && self.alive.val().get_bit(2);
        self.valid_4.next = self.alive.val().get_bit(2)
            && !self.never.val()
            && (self.adapts_3.val() || self.commands.val().get_bit(2));
    }

    /// 4: what follows from it.
    fn consequences(&mut self) {
        self.hops_delay.d.next = self.state.hops.val();
        self.path_delay.d.next = self.state.path.val();
        self.psn_delay.d.next = self.state.last_psn.val();
        self.inc_stage_delay.d.next = self.state.inc_stage.val();
        self.w_delay.d.next = self.state.w.val();
        self.wc_delay.d.next = self.state.wc.val();
        self.u_delay.d.next = self.state.u.val();
        self.command_4.next = self.commands.val().get_bit(3);
        self.op.next = self.head_delay_4.q.val().op;
        self.command_telemetry.next = self.head_delay_4.q.val().telemetry;
        self.window.next = self.head_delay_4.q.val().window;
        self.window_bits.next = bit_cast::<48, 32>(self.window.val());
        self.full.next = self.due_4.val() || self.first_4.val();
        self.creates.next = self.op.val() == self.op_create.val();
        self.m_valid.next = self.valid_4.val();
        self.never_sent.next = self.never_4.val();
        self.store.next = self.store_4.val();
        self.m.flow.next = self.head_delay_4.q.val().flow;
        self.m.command.next = self.command_4.val();
        self.m.update.next = self.update_4.val();
        self.m.u.next = self.u_delay.q.val();
        self.m.wc.next = self.wc_delay.q.val();
        self.m.inc_stage.next = self.inc_stage_delay.q.val();
        self.m.set.next = self.update_4.val() && self.full.val();
        self.m.window.next = self.window.val();
        self.m.rate.next = self.head_delay_4.q.val().rate;
        self.m.full.next = self.full.val();
        self.m.first.next = self.first_4.val();
        self.m.base.next = self.w_delay.q.val();
        self.m.end_inc_stage.next = self.inc_stage_delay.q.val();
        self.m.last_psn.next = self.psn_delay.q.val();
        if self.full.val() {
            self.m.last_psn.next = self.head_delay_4.q.val().snd_nxt;
        }
        self.m.recorded.next = self.recorded_4.val() || self.usable_4.val();
        self.m.hops.next = self.hops_delay.q.val();
        self.m.path.next = self.path_delay.q.val();
        if self.usable_4.val() {
            self.m.hops.next = self.head_delay_4.q.val().hops;
            self.m.path.next = self.head_delay_4.q.val().path;
        }
        self.m.fixed.next = false;
        self.m.op.next = 0.into();
        self.m.exists.next = true;
        self.m.telemetry.next = true;
        if self.update_4.val() {
            self.m.base.next = self.wc_delay.q.val();
        }
        if self.command_4.val() {
            self.m.base.next = self.window_bits.val() << 16;
            self.m.fixed.next = !self.creates.val() || !self.command_telemetry.val();
            self.m.op.next = self.op.val();
            self.m.exists.next = self.creates.val();
            self.m.telemetry.next = self.command_telemetry.val();
            self.m.recorded.next = false;
            self.m.hops.next = 0.into();
            self.m.path.next = 0.into();
            self.m.last_psn.next = 0.into();
            self.m.end_inc_stage.next = 0.into();
        }
    }
}
