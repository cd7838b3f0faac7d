//! What an ACK or a flow command does with the state of its flow.
//!
//! # Source            draft-pan-tsvwg-hpccplus-00 section 4.2, NewAck
//! # Interface timing  cycle 0: start, event_word; cycle 2: the row of its flow, and counted;
//!                     cycle [`LATENCY_CYCLES`]: the other outputs
//! # Latency and rate  [`LATENCY_CYCLES`]; one event per cycle
//! # Number formats    event_word: cc_intake_wide.rs; row: cc_state.rs
//! # Definitions       cc_unit.rs
//! # Shape             EW = FB + 385; HW = FB + 128
//! # Reset             synchronous, high: nothing under way
//! # Twins             part of sim/src/golden/cc/cc_unit_wide.rs, tests/cc_unit_wide.rs

use super::delay::Delay;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from an event to its decision.
pub const LATENCY_CYCLES: usize = 4;

/// Decision for an event in each cycle.
#[derive(LogicBlock)]
pub struct CcDecision<const FB: usize, const EW: usize, const HW: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// An event starts.
    pub start: Signal<In, Bit>,
    /// PSNs are checked.
    pub checks_psn: Signal<In, Bit>,
    /// PSNs are times.
    pub by_time: Signal<In, Bit>,
    /// The event.
    pub event_word: Signal<In, Bits<EW>>,
    /// Cycle 2: the flow exists.
    pub exists: Signal<In, Bit>,
    /// Cycle 2: its ACKs carry telemetry.
    pub telemetry: Signal<In, Bit>,
    /// Cycle 2: its last records are stored.
    pub recorded: Signal<In, Bit>,
    /// Cycle 2: number of those.
    pub hops: Signal<In, Bits<3>>,
    /// Cycle 2: path of those.
    pub path: Signal<In, Bits<12>>,
    /// Cycle 2: an ACK behind this PSN makes the next full update.
    pub last_psn: Signal<In, Bits<24>>,
    /// Cycle 2: additive steps.
    pub inc_stage: Signal<In, Bits<8>>,
    /// Cycle 2: W.
    pub w: Signal<In, Bits<48>>,
    /// Cycle 2: Wc.
    pub wc: Signal<In, Bits<48>>,
    /// Cycle 2: U.
    pub u: Signal<In, Bits<57>>,
    /// Cycle 2: bit i: the ACK has a record of hop i.
    pub counted: Signal<Out, Bits<5>>,
    /// A result follows.
    pub m_valid: Signal<Out, Bit>,
    /// Telemetry ignored: its ACK is of a PSN that was never sent.
    pub never_sent: Signal<Out, Bit>,
    /// The records replace the stored ones.
    pub store: Signal<Out, Bit>,
    /// Flow.
    pub m_flow: Signal<Out, Bits<FB>>,
    /// It is a flow command.
    pub m_command: Signal<Out, Bit>,
    /// U takes u' in.
    pub m_update: Signal<Out, Bit>,
    /// U before.
    pub m_u: Signal<Out, Bits<57>>,
    /// What the window is made of.
    pub m_base: Signal<Out, Bits<48>>,
    /// Wc before.
    pub m_wc: Signal<Out, Bits<48>>,
    /// Additive steps before.
    pub m_inc_stage: Signal<Out, Bits<8>>,
    /// Additive steps unless Wc is set.
    pub m_end_inc_stage: Signal<Out, Bits<8>>,
    /// Wc and incStage are set.
    pub m_set: Signal<Out, Bit>,
    /// Window and rate stay as the command gives them.
    pub m_fixed: Signal<Out, Bit>,
    /// 0 update, 1 create, 2 remove.
    pub m_op: Signal<Out, Bits<2>>,
    /// Window of a command.
    pub m_window: Signal<Out, Bits<32>>,
    /// Rate of a command.
    pub m_rate: Signal<Out, Bits<32>>,
    /// Wc, incStage and lastUpdateSeq are updated.
    pub m_full: Signal<Out, Bit>,
    /// The records are only stored.
    pub m_first: Signal<Out, Bit>,
    /// State after it.
    pub m_last_psn: Signal<Out, Bits<24>>,
    /// State after it.
    pub m_exists: Signal<Out, Bit>,
    /// State after it.
    pub m_telemetry: Signal<Out, Bit>,
    /// State after it.
    pub m_recorded: Signal<Out, Bit>,
    /// State after it.
    pub m_hops: Signal<Out, Bits<3>>,
    /// State after it.
    pub m_path: Signal<Out, Bits<12>>,
    head_delay: Delay<HW, 2>,
    head_delay_4: Delay<HW, 2>,
    hops_delay: Delay<3, 2>,
    path_delay: Delay<12, 2>,
    psn_delay: Delay<24, 2>,
    inc_stage_delay: Delay<8, 2>,
    w_delay: Delay<48, 2>,
    wc_delay: Delay<48, 2>,
    u_delay: Delay<57, 2>,
    alive: DFF<Bits<4>>,
    commands: DFF<Bits<4>>,
    recorded_3: DFF<Bit>,
    ahead_3: DFF<Bits<24>>,
    behind_3: DFF<Bits<24>>,
    until_3: DFF<Bits<24>>,
    same_3: DFF<Bit>,
    usable_3: DFF<Bit>,
    adapts_3: DFF<Bit>,
    recorded_4: DFF<Bit>,
    usable_4: DFF<Bit>,
    due_4: DFF<Bit>,
    first_4: DFF<Bit>,
    update_4: DFF<Bit>,
    store_4: DFF<Bit>,
    valid_4: DFF<Bit>,
    never_4: DFF<Bit>,
    never: Signal<Local, Bit>,
    is_ahead: Signal<Local, Bit>,
    snd_nxt_2: Signal<Local, Bits<24>>,
    head: Signal<Local, Bits<HW>>,
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
    youngest: Constant<Bits<4>>,
    hops_above: Constant<Bits<3>>,
    op_create: Constant<Bits<2>>,
}

impl<const FB: usize, const EW: usize, const HW: usize> Default for CcDecision<FB, EW, HW> {
    fn default() -> Self {
        assert!(EW == FB + 385 && HW == FB + 128, "EW = FB + 385, HW = FB + 128");
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            start: Default::default(),
            checks_psn: Default::default(),
            by_time: Default::default(),
            event_word: Default::default(),
            exists: Default::default(),
            telemetry: Default::default(),
            recorded: Default::default(),
            hops: Default::default(),
            path: Default::default(),
            last_psn: Default::default(),
            inc_stage: Default::default(),
            w: Default::default(),
            wc: Default::default(),
            u: Default::default(),
            counted: Default::default(),
            m_valid: Default::default(),
            never_sent: Default::default(),
            store: Default::default(),
            m_flow: Default::default(),
            m_command: Default::default(),
            m_update: Default::default(),
            m_u: Default::default(),
            m_base: Default::default(),
            m_wc: Default::default(),
            m_inc_stage: Default::default(),
            m_end_inc_stage: Default::default(),
            m_set: Default::default(),
            m_fixed: Default::default(),
            m_op: Default::default(),
            m_window: Default::default(),
            m_rate: Default::default(),
            m_full: Default::default(),
            m_first: Default::default(),
            m_last_psn: Default::default(),
            m_exists: Default::default(),
            m_telemetry: Default::default(),
            m_recorded: Default::default(),
            m_hops: Default::default(),
            m_path: Default::default(),
            head_delay: Default::default(),
            head_delay_4: Default::default(),
            hops_delay: Default::default(),
            path_delay: Default::default(),
            psn_delay: Default::default(),
            inc_stage_delay: Default::default(),
            w_delay: Default::default(),
            wc_delay: Default::default(),
            u_delay: Default::default(),
            alive: Default::default(),
            commands: Default::default(),
            recorded_3: Default::default(),
            ahead_3: Default::default(),
            behind_3: Default::default(),
            until_3: Default::default(),
            same_3: Default::default(),
            usable_3: Default::default(),
            adapts_3: Default::default(),
            recorded_4: Default::default(),
            usable_4: Default::default(),
            due_4: Default::default(),
            first_4: Default::default(),
            update_4: Default::default(),
            store_4: Default::default(),
            valid_4: Default::default(),
            never_4: Default::default(),
            never: Default::default(),
            is_ahead: Default::default(),
            snd_nxt_2: Default::default(),
            head: Default::default(),
            flow: Default::default(),
            alive_later: Default::default(),
            commands_later: Default::default(),
            command_2: Default::default(),
            psn_2: Default::default(),
            hops_2: Default::default(),
            path_2: Default::default(),
            tel_valid_2: Default::default(),
            command_4: Default::default(),
            op: Default::default(),
            command_telemetry: Default::default(),
            window: Default::default(),
            window_bits: Default::default(),
            full: Default::default(),
            creates: Default::default(),
            youngest: Constant::new(1.into()),
            hops_above: Constant::new(6.into()),
            op_create: Constant::new(1.into()),
        }
    }
}

impl<const FB: usize, const EW: usize, const HW: usize> Logic for CcDecision<FB, EW, HW> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, alive, commands, recorded_3, ahead_3, behind_3, until_3, never_4, same_3,
            usable_3, adapts_3, recorded_4, usable_4, due_4, first_4, update_4, store_4, valid_4
        );
        clock!(
            self,
            clock,
            head_delay,
            head_delay_4,
            hops_delay,
            path_delay,
            psn_delay,
            inc_stage_delay,
            w_delay,
            wc_delay,
            u_delay
        );
        self.head_delay.reset.next = self.reset.val();
        self.head_delay_4.reset.next = self.reset.val();
        self.hops_delay.reset.next = self.reset.val();
        self.path_delay.reset.next = self.reset.val();
        self.psn_delay.reset.next = self.reset.val();
        self.inc_stage_delay.reset.next = self.reset.val();
        self.w_delay.reset.next = self.reset.val();
        self.wc_delay.reset.next = self.reset.val();
        self.u_delay.reset.next = self.reset.val();
        comment!("The event through four cycles, without its last four records.");
        self.flow.next = self.event_word.val().get_bits::<FB>(385);
        self.head.next = bit_cast::<HW, 128>(self.event_word.val().get_bits::<128>(0))
            | (bit_cast::<HW, FB>(self.flow.val()) << 128);
        self.head_delay.d.next = self.head.val();
        self.head_delay_4.d.next = self.head_delay.q.val();
        self.alive_later.next = self.alive.q.val() << 1;
        self.alive.d.next = self.alive_later.val();
        if self.start.val() {
            self.alive.d.next = self.alive_later.val() | self.youngest.val();
        }
        self.commands_later.next = self.commands.q.val() << 1;
        self.commands.d.next = self.commands_later.val();
        if self.event_word.val().get_bit(384) {
            self.commands.d.next = self.commands_later.val() | self.youngest.val();
        }
        comment!("2: what the state says about this ACK.");
        self.command_2.next = self.commands.q.val().get_bit(1);
        self.psn_2.next = self.head_delay.q.val().get_bits::<24>(0);
        self.snd_nxt_2.next = self.head_delay.q.val().get_bits::<24>(24);
        self.tel_valid_2.next = self.head_delay.q.val().get_bit(48);
        self.hops_2.next = self.head_delay.q.val().get_bits::<3>(49);
        self.path_2.next = self.head_delay.q.val().get_bits::<12>(52);
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
        self.ahead_3.d.next = self.psn_2.val() - self.last_psn.val();
        self.behind_3.d.next = self.snd_nxt_2.val() - self.psn_2.val();
        self.until_3.d.next = self.last_psn.val() - self.psn_2.val();
        self.same_3.d.next = self.recorded.val()
            && (self.hops.val() == self.hops_2.val())
            && (self.path.val() == self.path_2.val());
        self.usable_3.d.next = self.hops_2.val().any()
            && (self.hops_2.val() < self.hops_above.val())
            && self.telemetry.val()
            && !self.command_2.val();
        self.adapts_3.d.next = self.exists.val() && self.telemetry.val() && self.tel_valid_2.val();
        self.recorded_3.d.next = self.recorded.val();
        comment!("3: the decision.");
        self.recorded_4.d.next = self.recorded_3.q.val();
        self.usable_4.d.next = self.usable_3.q.val();
        self.is_ahead.next = self.ahead_3.q.val().any() && !self.ahead_3.q.val().get_bit(23);
        if self.by_time.val() {
            self.is_ahead.next = self.until_3.q.val() > self.behind_3.q.val();
        }
        self.due_4.d.next =
            self.recorded_3.q.val() && self.is_ahead.val() && !self.commands.q.val().get_bit(2);
        self.first_4.d.next = self.usable_3.q.val() && !self.same_3.q.val();
        self.update_4.d.next = self.usable_3.q.val() && self.same_3.q.val();
        comment!("A PSN that is not behind snd_nxt was never sent.");
        self.never.next = self.checks_psn.val()
            && self.adapts_3.q.val()
            && (!self.behind_3.q.val().any() || self.behind_3.q.val().get_bit(23))
            && !self.commands.q.val().get_bit(2);
        self.never_4.d.next = self.never.val() && self.alive.q.val().get_bit(2);
        self.store_4.d.next = self.usable_3.q.val()
            && self.adapts_3.q.val()
            && !self.never.val()
            && self.alive.q.val().get_bit(2);
        self.valid_4.d.next = self.alive.q.val().get_bit(2)
            && !self.never.val()
            && (self.adapts_3.q.val() || self.commands.q.val().get_bit(2));
        comment!("4: what follows from it.");
        self.hops_delay.d.next = self.hops.val();
        self.path_delay.d.next = self.path.val();
        self.psn_delay.d.next = self.last_psn.val();
        self.inc_stage_delay.d.next = self.inc_stage.val();
        self.w_delay.d.next = self.w.val();
        self.wc_delay.d.next = self.wc.val();
        self.u_delay.d.next = self.u.val();
        self.command_4.next = self.commands.q.val().get_bit(3);
        self.op.next = self.head_delay_4.q.val().get_bits::<2>(0);
        self.command_telemetry.next = self.head_delay_4.q.val().get_bit(2);
        self.window.next = self.head_delay_4.q.val().get_bits::<32>(64);
        self.window_bits.next = bit_cast::<48, 32>(self.window.val());
        self.full.next = self.due_4.q.val() || self.first_4.q.val();
        self.creates.next = self.op.val() == self.op_create.val();
        self.m_valid.next = self.valid_4.q.val();
        self.never_sent.next = self.never_4.q.val();
        self.store.next = self.store_4.q.val();
        self.m_flow.next = self.head_delay_4.q.val().get_bits::<FB>(128);
        self.m_command.next = self.command_4.val();
        self.m_update.next = self.update_4.q.val();
        self.m_u.next = self.u_delay.q.val();
        self.m_wc.next = self.wc_delay.q.val();
        self.m_inc_stage.next = self.inc_stage_delay.q.val();
        self.m_set.next = self.update_4.q.val() && self.full.val();
        self.m_window.next = self.window.val();
        self.m_rate.next = self.head_delay_4.q.val().get_bits::<32>(96);
        self.m_full.next = self.full.val();
        self.m_first.next = self.first_4.q.val();
        self.m_base.next = self.w_delay.q.val();
        self.m_end_inc_stage.next = self.inc_stage_delay.q.val();
        self.m_last_psn.next = self.psn_delay.q.val();
        if self.full.val() {
            self.m_last_psn.next = self.head_delay_4.q.val().get_bits::<24>(24);
        }
        self.m_recorded.next = self.recorded_4.q.val() || self.usable_4.q.val();
        self.m_hops.next = self.hops_delay.q.val();
        self.m_path.next = self.path_delay.q.val();
        if self.usable_4.q.val() {
            self.m_hops.next = self.head_delay_4.q.val().get_bits::<3>(49);
            self.m_path.next = self.head_delay_4.q.val().get_bits::<12>(52);
        }
        self.m_fixed.next = false;
        self.m_op.next = 0.into();
        self.m_exists.next = true;
        self.m_telemetry.next = true;
        if self.update_4.q.val() {
            self.m_base.next = self.wc_delay.q.val();
        }
        if self.command_4.val() {
            self.m_base.next = self.window_bits.val() << 16;
            self.m_fixed.next = !self.creates.val() || !self.command_telemetry.val();
            self.m_op.next = self.op.val();
            self.m_exists.next = self.creates.val();
            self.m_telemetry.next = self.command_telemetry.val();
            self.m_recorded.next = false;
            self.m_hops.next = 0.into();
            self.m_path.next = 0.into();
            self.m_last_psn.next = 0.into();
            self.m_end_inc_stage.next = 0.into();
        }
        if self.reset.val() {
            self.alive.d.next = 0.into();
            self.never_4.d.next = false;
            self.store_4.d.next = false;
            self.valid_4.d.next = false;
        }
    }
}
