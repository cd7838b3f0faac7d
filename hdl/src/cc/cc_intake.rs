//! Takes ACKs and flow commands and decides which of them starts in the next slot.
//!
//! # Source            ARCHITECTURE.md, CC unit
//! # Interface timing  phase counts 0..=7 without end. Phase 5: the candidate, a command before an ACK;
//!                     6: go, if its flow is in none of the seven youngest slots and the results
//!                     have room; 7: its state is read; 0: `now_*` show it for one slot, hop is
//!                     record i in phase i
//! # Latency and rate  one start every 8 cycles; a flow again after 64 cycles
//! # Reset             synchronous, high: nothing taken, phase 0; ready from `open` on
//! # Twins             part of sim/src/golden/cc/cc_unit.rs, tests/cc_unit.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Sinks, arbitration and the list of the flows under way; `FB = log2 F`.
#[derive(LogicBlock)]
pub struct CcIntake<const FB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// An ACK is offered.
    pub s_ack_valid: Signal<In, Bit>,
    /// It will be taken.
    pub s_ack_ready: Signal<Out, Bit>,
    /// Field of the ACK.
    pub s_ack_flow: Signal<In, Bits<FB>>,
    /// Field of the ACK.
    pub s_ack_psn: Signal<In, Bits<24>>,
    /// Field of the ACK.
    pub s_ack_snd_nxt: Signal<In, Bits<24>>,
    /// Field of the ACK.
    pub s_ack_tel_valid: Signal<In, Bit>,
    /// Field of the ACK.
    pub s_ack_tel_hops: Signal<In, Bits<3>>,
    /// Field of the ACK.
    pub s_ack_tel_path: Signal<In, Bits<12>>,
    /// Field of the ACK.
    pub s_ack_tel_hop_0: Signal<In, Bits<64>>,
    /// Field of the ACK.
    pub s_ack_tel_hop_1: Signal<In, Bits<64>>,
    /// Field of the ACK.
    pub s_ack_tel_hop_2: Signal<In, Bits<64>>,
    /// Field of the ACK.
    pub s_ack_tel_hop_3: Signal<In, Bits<64>>,
    /// Field of the ACK.
    pub s_ack_tel_hop_4: Signal<In, Bits<64>>,
    /// A flow command is offered.
    pub s_flow_valid: Signal<In, Bit>,
    /// It will be taken.
    pub s_flow_ready: Signal<Out, Bit>,
    /// Field of the command.
    pub s_flow_flow: Signal<In, Bits<FB>>,
    /// Field of the command.
    pub s_flow_op: Signal<In, Bits<2>>,
    /// Field of the command.
    pub s_flow_telemetry: Signal<In, Bit>,
    /// Field of the command.
    pub s_flow_window_bytes: Signal<In, Bits<32>>,
    /// Field of the command.
    pub s_flow_rate: Signal<In, Bits<32>>,
    /// The state is clean: begin.
    pub open: Signal<In, Bit>,
    /// The result of one more update has a place.
    pub room: Signal<In, Bit>,
    /// In phase 3: nothing comes of what started.
    pub drop: Signal<In, Bit>,
    /// Cycle of the slot.
    pub phase: Signal<Out, Bits<3>>,
    /// Number of the slot.
    pub slot: Signal<Out, Bits<3>>,
    /// Flow whose state to read in phase 7.
    pub candidate_flow: Signal<Out, Bits<FB>>,
    /// Slots with an update under way, the youngest in bit 0.
    pub alive: Signal<Out, Bits<8>>,
    /// What started is a flow command.
    pub now_command: Signal<Out, Bit>,
    /// Field of what started.
    pub now_flow: Signal<Out, Bits<FB>>,
    /// Field of what started.
    pub now_psn: Signal<Out, Bits<24>>,
    /// Field of what started.
    pub now_snd_nxt: Signal<Out, Bits<24>>,
    /// Field of what started.
    pub now_tel_valid: Signal<Out, Bit>,
    /// Field of what started.
    pub now_hops: Signal<Out, Bits<3>>,
    /// Field of what started.
    pub now_path: Signal<Out, Bits<12>>,
    /// Field of what started.
    pub now_op: Signal<Out, Bits<2>>,
    /// Field of what started.
    pub now_telemetry: Signal<Out, Bit>,
    /// Field of what started.
    pub now_window: Signal<Out, Bits<32>>,
    /// Field of what started.
    pub now_rate: Signal<Out, Bits<32>>,
    /// Record of this phase.
    pub hop: Signal<Out, Bits<64>>,
    phase_q: DFF<Bits<3>>,
    slot_q: DFF<Bits<3>>,
    ack_open: DFF<Bit>,
    ack_full: DFF<Bit>,
    ack_flow: DFF<Bits<FB>>,
    ack_psn: DFF<Bits<24>>,
    ack_snd_nxt: DFF<Bits<24>>,
    ack_tel_valid: DFF<Bit>,
    ack_tel_hops: DFF<Bits<3>>,
    ack_tel_path: DFF<Bits<12>>,
    ack_tel_hop_0: DFF<Bits<64>>,
    ack_tel_hop_1: DFF<Bits<64>>,
    ack_tel_hop_2: DFF<Bits<64>>,
    ack_tel_hop_3: DFF<Bits<64>>,
    ack_tel_hop_4: DFF<Bits<64>>,
    flow_open: DFF<Bit>,
    flow_full: DFF<Bit>,
    flow_flow: DFF<Bits<FB>>,
    flow_op: DFF<Bits<2>>,
    flow_telemetry: DFF<Bit>,
    flow_window_bytes: DFF<Bits<32>>,
    flow_rate: DFF<Bits<32>>,
    picked: DFF<Bit>,
    picked_command: DFF<Bit>,
    picked_flow: DFF<Bits<FB>>,
    go: DFF<Bit>,
    alive_q: DFF<Bits<8>>,
    command: DFF<Bit>,
    cur_flow: DFF<Bits<FB>>,
    cur_psn: DFF<Bits<24>>,
    cur_snd_nxt: DFF<Bits<24>>,
    cur_tel_valid: DFF<Bit>,
    cur_hops: DFF<Bits<3>>,
    cur_path: DFF<Bits<12>>,
    cur_op: DFF<Bits<2>>,
    cur_telemetry: DFF<Bit>,
    cur_window: DFF<Bits<32>>,
    cur_rate: DFF<Bits<32>>,
    hop_0: DFF<Bits<64>>,
    hop_1: DFF<Bits<64>>,
    hop_2: DFF<Bits<64>>,
    hop_3: DFF<Bits<64>>,
    hop_4: DFF<Bits<64>>,
    flow_1: DFF<Bits<FB>>,
    flow_2: DFF<Bits<FB>>,
    flow_3: DFF<Bits<FB>>,
    flow_4: DFF<Bits<FB>>,
    flow_5: DFF<Bits<FB>>,
    flow_6: DFF<Bits<FB>>,
    same_0: Signal<Local, Bit>,
    same_1: Signal<Local, Bit>,
    same_2: Signal<Local, Bit>,
    same_3: Signal<Local, Bit>,
    same_4: Signal<Local, Bit>,
    same_5: Signal<Local, Bit>,
    same_6: Signal<Local, Bit>,
    busy: Signal<Local, Bit>,
    alive_older: Signal<Local, Bits<8>>,
    others: Signal<Local, Bits<8>>,
    phase_drop: Constant<Bits<3>>,
    phase_pick: Constant<Bits<3>>,
    phase_start: Constant<Bits<3>>,
    youngest: Constant<Bits<8>>,
}

impl<const FB: usize> Default for CcIntake<FB> {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_ack_valid: Default::default(),
            s_ack_ready: Default::default(),
            s_ack_flow: Default::default(),
            s_ack_psn: Default::default(),
            s_ack_snd_nxt: Default::default(),
            s_ack_tel_valid: Default::default(),
            s_ack_tel_hops: Default::default(),
            s_ack_tel_path: Default::default(),
            s_ack_tel_hop_0: Default::default(),
            s_ack_tel_hop_1: Default::default(),
            s_ack_tel_hop_2: Default::default(),
            s_ack_tel_hop_3: Default::default(),
            s_ack_tel_hop_4: Default::default(),
            s_flow_valid: Default::default(),
            s_flow_ready: Default::default(),
            s_flow_flow: Default::default(),
            s_flow_op: Default::default(),
            s_flow_telemetry: Default::default(),
            s_flow_window_bytes: Default::default(),
            s_flow_rate: Default::default(),
            open: Default::default(),
            room: Default::default(),
            drop: Default::default(),
            phase: Default::default(),
            slot: Default::default(),
            candidate_flow: Default::default(),
            alive: Default::default(),
            now_command: Default::default(),
            now_flow: Default::default(),
            now_psn: Default::default(),
            now_snd_nxt: Default::default(),
            now_tel_valid: Default::default(),
            now_hops: Default::default(),
            now_path: Default::default(),
            now_op: Default::default(),
            now_telemetry: Default::default(),
            now_window: Default::default(),
            now_rate: Default::default(),
            hop: Default::default(),
            phase_q: Default::default(),
            slot_q: Default::default(),
            ack_open: Default::default(),
            ack_full: Default::default(),
            ack_flow: Default::default(),
            ack_psn: Default::default(),
            ack_snd_nxt: Default::default(),
            ack_tel_valid: Default::default(),
            ack_tel_hops: Default::default(),
            ack_tel_path: Default::default(),
            ack_tel_hop_0: Default::default(),
            ack_tel_hop_1: Default::default(),
            ack_tel_hop_2: Default::default(),
            ack_tel_hop_3: Default::default(),
            ack_tel_hop_4: Default::default(),
            flow_open: Default::default(),
            flow_full: Default::default(),
            flow_flow: Default::default(),
            flow_op: Default::default(),
            flow_telemetry: Default::default(),
            flow_window_bytes: Default::default(),
            flow_rate: Default::default(),
            picked: Default::default(),
            picked_command: Default::default(),
            picked_flow: Default::default(),
            go: Default::default(),
            alive_q: Default::default(),
            command: Default::default(),
            cur_flow: Default::default(),
            cur_psn: Default::default(),
            cur_snd_nxt: Default::default(),
            cur_tel_valid: Default::default(),
            cur_hops: Default::default(),
            cur_path: Default::default(),
            cur_op: Default::default(),
            cur_telemetry: Default::default(),
            cur_window: Default::default(),
            cur_rate: Default::default(),
            hop_0: Default::default(),
            hop_1: Default::default(),
            hop_2: Default::default(),
            hop_3: Default::default(),
            hop_4: Default::default(),
            flow_1: Default::default(),
            flow_2: Default::default(),
            flow_3: Default::default(),
            flow_4: Default::default(),
            flow_5: Default::default(),
            flow_6: Default::default(),
            same_0: Default::default(),
            same_1: Default::default(),
            same_2: Default::default(),
            same_3: Default::default(),
            same_4: Default::default(),
            same_5: Default::default(),
            same_6: Default::default(),
            busy: Default::default(),
            alive_older: Default::default(),
            others: Default::default(),
            phase_drop: Constant::new(3.into()),
            phase_pick: Constant::new(5.into()),
            phase_start: Constant::new(7.into()),
            youngest: Constant::new(1.into()),
        }
    }
}

impl<const FB: usize> Logic for CcIntake<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            phase_q,
            slot_q,
            ack_open,
            ack_full,
            ack_flow,
            ack_psn,
            ack_snd_nxt,
            ack_tel_valid,
            ack_tel_hops,
            ack_tel_path,
            ack_tel_hop_0,
            ack_tel_hop_1,
            ack_tel_hop_2,
            ack_tel_hop_3,
            ack_tel_hop_4,
            flow_open,
            flow_full,
            flow_flow,
            flow_op,
            flow_telemetry,
            flow_window_bytes,
            flow_rate,
            picked,
            picked_command,
            picked_flow,
            go,
            alive_q,
            command,
            cur_flow,
            cur_psn,
            cur_snd_nxt,
            cur_tel_valid,
            cur_hops,
            cur_path,
            cur_op,
            cur_telemetry,
            cur_window,
            cur_rate,
            hop_0,
            hop_1,
            hop_2,
            hop_3,
            hop_4,
            flow_1,
            flow_2,
            flow_3,
            flow_4,
            flow_5,
            flow_6
        );
        comment!("One ACK and one command wait here.");
        self.s_ack_ready.next = self.ack_open.q.val();
        if self.s_ack_valid.val() && self.ack_open.q.val() {
            self.ack_open.d.next = false;
            self.ack_full.d.next = true;
            self.ack_flow.d.next = self.s_ack_flow.val();
            self.ack_psn.d.next = self.s_ack_psn.val();
            self.ack_snd_nxt.d.next = self.s_ack_snd_nxt.val();
            self.ack_tel_valid.d.next = self.s_ack_tel_valid.val();
            self.ack_tel_hops.d.next = self.s_ack_tel_hops.val();
            self.ack_tel_path.d.next = self.s_ack_tel_path.val();
            self.ack_tel_hop_0.d.next = self.s_ack_tel_hop_0.val();
            self.ack_tel_hop_1.d.next = self.s_ack_tel_hop_1.val();
            self.ack_tel_hop_2.d.next = self.s_ack_tel_hop_2.val();
            self.ack_tel_hop_3.d.next = self.s_ack_tel_hop_3.val();
            self.ack_tel_hop_4.d.next = self.s_ack_tel_hop_4.val();
        }
        self.s_flow_ready.next = self.flow_open.q.val();
        if self.s_flow_valid.val() && self.flow_open.q.val() {
            self.flow_open.d.next = false;
            self.flow_full.d.next = true;
            self.flow_flow.d.next = self.s_flow_flow.val();
            self.flow_op.d.next = self.s_flow_op.val();
            self.flow_telemetry.d.next = self.s_flow_telemetry.val();
            self.flow_window_bytes.d.next = self.s_flow_window_bytes.val();
            self.flow_rate.d.next = self.s_flow_rate.val();
        }
        if self.open.val() {
            self.ack_open.d.next = true;
            self.flow_open.d.next = true;
        }
        self.phase_q.d.next = self.phase_q.q.val() + 1;
        comment!("Phase 5: the candidate.");
        if self.phase_q.q.val() == self.phase_pick.val() {
            self.picked.d.next = self.ack_full.q.val() || self.flow_full.q.val();
            self.picked_command.d.next = self.flow_full.q.val();
            self.picked_flow.d.next = self.ack_flow.q.val();
            if self.flow_full.q.val() {
                self.picked_flow.d.next = self.flow_flow.q.val();
            }
        }
        comment!("Phase 6: not while its flow is under way, whose state is written in slot 7.");
        self.same_0.next =
            self.alive_q.q.val().get_bit(0) && (self.picked_flow.q.val() == self.cur_flow.q.val());
        self.same_1.next =
            self.alive_q.q.val().get_bit(1) && (self.picked_flow.q.val() == self.flow_1.q.val());
        self.same_2.next =
            self.alive_q.q.val().get_bit(2) && (self.picked_flow.q.val() == self.flow_2.q.val());
        self.same_3.next =
            self.alive_q.q.val().get_bit(3) && (self.picked_flow.q.val() == self.flow_3.q.val());
        self.same_4.next =
            self.alive_q.q.val().get_bit(4) && (self.picked_flow.q.val() == self.flow_4.q.val());
        self.same_5.next =
            self.alive_q.q.val().get_bit(5) && (self.picked_flow.q.val() == self.flow_5.q.val());
        self.same_6.next =
            self.alive_q.q.val().get_bit(6) && (self.picked_flow.q.val() == self.flow_6.q.val());
        self.busy.next = self.same_0.val()
            || self.same_1.val()
            || self.same_2.val()
            || self.same_3.val()
            || self.same_4.val()
            || self.same_5.val()
            || self.same_6.val();
        self.go.d.next = self.picked.q.val() && self.room.val() && !self.busy.val();
        comment!("Phase 7: the start. The records move down by one in each cycle.");
        self.alive_older.next = self.alive_q.q.val() << 1;
        self.hop_0.d.next = self.hop_1.q.val();
        self.hop_1.d.next = self.hop_2.q.val();
        self.hop_2.d.next = self.hop_3.q.val();
        self.hop_3.d.next = self.hop_4.q.val();
        if self.phase_q.q.val() == self.phase_start.val() {
            self.slot_q.d.next = self.slot_q.q.val() + 1;
            self.alive_q.d.next = self.alive_older.val();
            self.flow_1.d.next = self.cur_flow.q.val();
            self.flow_2.d.next = self.flow_1.q.val();
            self.flow_3.d.next = self.flow_2.q.val();
            self.flow_4.d.next = self.flow_3.q.val();
            self.flow_5.d.next = self.flow_4.q.val();
            self.flow_6.d.next = self.flow_5.q.val();
            if self.go.q.val() {
                self.alive_q.d.next = self.alive_older.val() | self.youngest.val();
                if self.picked_command.q.val() {
                    self.flow_full.d.next = false;
                    self.flow_open.d.next = true;
                } else {
                    self.ack_full.d.next = false;
                    self.ack_open.d.next = true;
                }
            }
            self.command.d.next = self.picked_command.q.val();
            self.cur_flow.d.next = self.picked_flow.q.val();
            self.cur_psn.d.next = self.ack_psn.q.val();
            self.cur_snd_nxt.d.next = self.ack_snd_nxt.q.val();
            self.cur_tel_valid.d.next = self.ack_tel_valid.q.val();
            self.cur_hops.d.next = self.ack_tel_hops.q.val();
            self.cur_path.d.next = self.ack_tel_path.q.val();
            self.cur_op.d.next = self.flow_op.q.val();
            self.cur_telemetry.d.next = self.flow_telemetry.q.val();
            self.cur_window.d.next = self.flow_window_bytes.q.val();
            self.cur_rate.d.next = self.flow_rate.q.val();
            self.hop_0.d.next = self.ack_tel_hop_0.q.val();
            self.hop_1.d.next = self.ack_tel_hop_1.q.val();
            self.hop_2.d.next = self.ack_tel_hop_2.q.val();
            self.hop_3.d.next = self.ack_tel_hop_3.q.val();
            self.hop_4.d.next = self.ack_tel_hop_4.q.val();
        }
        self.others.next = !self.youngest.val();
        if (self.phase_q.q.val() == self.phase_drop.val()) && self.drop.val() {
            self.alive_q.d.next = self.alive_q.q.val() & self.others.val();
        }
        self.phase.next = self.phase_q.q.val();
        self.slot.next = self.slot_q.q.val();
        self.candidate_flow.next = self.picked_flow.q.val();
        self.alive.next = self.alive_q.q.val();
        self.now_command.next = self.command.q.val();
        self.hop.next = self.hop_0.q.val();
        self.now_flow.next = self.cur_flow.q.val();
        self.now_psn.next = self.cur_psn.q.val();
        self.now_snd_nxt.next = self.cur_snd_nxt.q.val();
        self.now_tel_valid.next = self.cur_tel_valid.q.val();
        self.now_hops.next = self.cur_hops.q.val();
        self.now_path.next = self.cur_path.q.val();
        self.now_op.next = self.cur_op.q.val();
        self.now_telemetry.next = self.cur_telemetry.q.val();
        self.now_window.next = self.cur_window.q.val();
        self.now_rate.next = self.cur_rate.q.val();
        if self.reset.val() {
            self.phase_q.d.next = 0.into();
            self.slot_q.d.next = 0.into();
            self.ack_open.d.next = false;
            self.ack_full.d.next = false;
            self.flow_open.d.next = false;
            self.flow_full.d.next = false;
            self.picked.d.next = false;
            self.go.d.next = false;
            self.alive_q.d.next = 0.into();
        }
    }
}
