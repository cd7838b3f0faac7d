//! Takes ACKs and flow commands and decides which of them starts in the next slot.
//!
//! # Source            hdl/cc.md
//! # Interface timing  phase counts 0..=7 without end. Phase 5: the candidate, a command before an ACK;
//!                     6: go, if its flow is in none of the six youngest slots and the results
//!                     have room; 7: its state is read; 0: `now_*` show it for one slot, hop is
//!                     record i in phase i
//! # Latency and rate  one start every 8 cycles; a flow again after 56 cycles
//! # Reset             synchronous, high: nothing taken, phase 0; ready from `open` on
//! # Twins             part of sim/models/src/golden/cc/unit.rs, tests/cc/cc_unit.rs

use crate::streams::{AckTelemetry, FlowCommand};
use crate::{block, kernel, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Sinks, arbitration and the list of the flows under way; `FB = log2 F`.
#[block]
pub struct CcIntake<const FB: usize> {
    /// An ACK is offered.
    pub s_ack: AckTelemetry<In, FB>,
    /// A flow command is offered.
    pub s_flow: FlowCommand<In, FB>,
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
    pub alive: Signal<Out, Bits<6>>,
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
    phase_q: Reg<Bits<3>>,
    slot_q: Reg<Bits<3>>,
    ack_open: Reg<Bit>,
    ack_full: Reg<Bit>,
    ack_flow: Unreset<Bits<FB>>,
    ack_psn: Unreset<Bits<24>>,
    ack_snd_nxt: Unreset<Bits<24>>,
    ack_tel_valid: Unreset<Bit>,
    ack_tel_hops: Unreset<Bits<3>>,
    ack_tel_path: Unreset<Bits<12>>,
    ack_tel_hop_0: Unreset<Bits<64>>,
    ack_tel_hop_1: Unreset<Bits<64>>,
    ack_tel_hop_2: Unreset<Bits<64>>,
    ack_tel_hop_3: Unreset<Bits<64>>,
    ack_tel_hop_4: Unreset<Bits<64>>,
    flow_open: Reg<Bit>,
    flow_full: Reg<Bit>,
    flow_flow: Unreset<Bits<FB>>,
    flow_op: Unreset<Bits<2>>,
    flow_telemetry: Unreset<Bit>,
    flow_window_bytes: Unreset<Bits<32>>,
    flow_rate: Unreset<Bits<32>>,
    picked: Reg<Bit>,
    picked_command: Unreset<Bit>,
    picked_flow: Unreset<Bits<FB>>,
    go: Reg<Bit>,
    alive_q: Reg<Bits<6>>,
    command: Unreset<Bit>,
    cur_flow: Unreset<Bits<FB>>,
    cur_psn: Unreset<Bits<24>>,
    cur_snd_nxt: Unreset<Bits<24>>,
    cur_tel_valid: Unreset<Bit>,
    cur_hops: Unreset<Bits<3>>,
    cur_path: Unreset<Bits<12>>,
    cur_op: Unreset<Bits<2>>,
    cur_telemetry: Unreset<Bit>,
    cur_window: Unreset<Bits<32>>,
    cur_rate: Unreset<Bits<32>>,
    hop_0: Unreset<Bits<64>>,
    hop_1: Unreset<Bits<64>>,
    hop_2: Unreset<Bits<64>>,
    hop_3: Unreset<Bits<64>>,
    hop_4: Unreset<Bits<64>>,
    flow_1: Unreset<Bits<FB>>,
    flow_2: Unreset<Bits<FB>>,
    flow_3: Unreset<Bits<FB>>,
    flow_4: Unreset<Bits<FB>>,
    flow_5: Unreset<Bits<FB>>,
    same_0: Signal<Local, Bit>,
    same_1: Signal<Local, Bit>,
    same_2: Signal<Local, Bit>,
    same_3: Signal<Local, Bit>,
    same_4: Signal<Local, Bit>,
    same_5: Signal<Local, Bit>,
    busy: Signal<Local, Bit>,
    alive_older: Signal<Local, Bits<6>>,
    others: Signal<Local, Bits<6>>,
    #[value(3)]
    phase_drop: Constant<Bits<3>>,
    #[value(5)]
    phase_pick: Constant<Bits<3>>,
    #[value(7)]
    phase_start: Constant<Bits<3>>,
    #[value(1)]
    youngest: Constant<Bits<6>>,
}

#[kernel]
impl<const FB: usize> CcIntake<FB> {
    fn update(&mut self) {
        self.slots();
        self.candidate();
        self.start();
    }

    /// One ACK and one command wait here.
    fn slots(&mut self) {
        self.s_ack.ready.next = self.ack_open.val();
        if self.s_ack.valid.val() && self.ack_open.val() {
            self.ack_open.next = false;
            self.ack_full.next = true;
            self.ack_flow.next = self.s_ack.flow.val();
            self.ack_psn.next = self.s_ack.psn.val();
            self.ack_snd_nxt.next = self.s_ack.snd_nxt.val();
            self.ack_tel_valid.next = self.s_ack.tel.valid.val();
            self.ack_tel_hops.next = self.s_ack.tel.hops.val();
            self.ack_tel_path.next = self.s_ack.tel.path.val();
            self.ack_tel_hop_0.next = self.s_ack.tel.hop[0].val();
            self.ack_tel_hop_1.next = self.s_ack.tel.hop[1].val();
            self.ack_tel_hop_2.next = self.s_ack.tel.hop[2].val();
            self.ack_tel_hop_3.next = self.s_ack.tel.hop[3].val();
            self.ack_tel_hop_4.next = self.s_ack.tel.hop[4].val();
        }
        self.s_flow.ready.next = self.flow_open.val();
        if self.s_flow.valid.val() && self.flow_open.val() {
            self.flow_open.next = false;
            self.flow_full.next = true;
            self.flow_flow.next = self.s_flow.flow.val();
            self.flow_op.next = self.s_flow.op.val();
            self.flow_telemetry.next = self.s_flow.telemetry.val();
            self.flow_window_bytes.next = self.s_flow.window_bytes.val();
            self.flow_rate.next = self.s_flow.rate.val();
        }
        if self.open.val() {
            self.ack_open.next = true;
            self.flow_open.next = true;
        }
        self.phase_q.next = self.phase_q.val() + 1;
    }

    /// Phase 5: the candidate.
    fn candidate(&mut self) {
        if self.phase_q.val() == self.phase_pick.val() {
            self.picked.next = self.ack_full.val() || self.flow_full.val();
            self.picked_command.next = self.flow_full.val();
            self.picked_flow.next = self.ack_flow.val();
            if self.flow_full.val() {
                self.picked_flow.next = self.flow_flow.val();
            }
        }
        comment!("Phase 6: not while its flow is under way, whose state is written in slot 6.");
        self.same_0.next =
            self.alive_q.val().get_bit(0) && (self.picked_flow.val() == self.cur_flow.val());
        self.same_1.next =
            self.alive_q.val().get_bit(1) && (self.picked_flow.val() == self.flow_1.val());
        self.same_2.next =
            self.alive_q.val().get_bit(2) && (self.picked_flow.val() == self.flow_2.val());
        self.same_3.next =
            self.alive_q.val().get_bit(3) && (self.picked_flow.val() == self.flow_3.val());
        self.same_4.next =
            self.alive_q.val().get_bit(4) && (self.picked_flow.val() == self.flow_4.val());
        self.same_5.next =
            self.alive_q.val().get_bit(5) && (self.picked_flow.val() == self.flow_5.val());
        self.busy.next = self.same_0.val()
            || self.same_1.val()
            || self.same_2.val()
            || self.same_3.val()
            || self.same_4.val()
            || self.same_5.val();
        self.go.next = self.picked.val() && self.room.val() && !self.busy.val();
    }

    /// Phase 7: the start. The records move down by one in each cycle.
    fn start(&mut self) {
        self.alive_older.next = self.alive_q.val() << 1;
        self.hop_0.next = self.hop_1.val();
        self.hop_1.next = self.hop_2.val();
        self.hop_2.next = self.hop_3.val();
        self.hop_3.next = self.hop_4.val();
        if self.phase_q.val() == self.phase_start.val() {
            self.slot_q.next = self.slot_q.val() + 1;
            self.alive_q.next = self.alive_older.val();
            self.flow_1.next = self.cur_flow.val();
            self.flow_2.next = self.flow_1.val();
            self.flow_3.next = self.flow_2.val();
            self.flow_4.next = self.flow_3.val();
            self.flow_5.next = self.flow_4.val();
            if self.go.val() {
                self.alive_q.next = self.alive_older.val() | self.youngest.val();
                if self.picked_command.val() {
                    self.flow_full.next = false;
                    self.flow_open.next = true;
                } else {
                    self.ack_full.next = false;
                    self.ack_open.next = true;
                }
            }
            self.command.next = self.picked_command.val();
            self.cur_flow.next = self.picked_flow.val();
            self.cur_psn.next = self.ack_psn.val();
            self.cur_snd_nxt.next = self.ack_snd_nxt.val();
            self.cur_tel_valid.next = self.ack_tel_valid.val();
            self.cur_hops.next = self.ack_tel_hops.val();
            self.cur_path.next = self.ack_tel_path.val();
            self.cur_op.next = self.flow_op.val();
            self.cur_telemetry.next = self.flow_telemetry.val();
            self.cur_window.next = self.flow_window_bytes.val();
            self.cur_rate.next = self.flow_rate.val();
            self.hop_0.next = self.ack_tel_hop_0.val();
            self.hop_1.next = self.ack_tel_hop_1.val();
            self.hop_2.next = self.ack_tel_hop_2.val();
            self.hop_3.next = self.ack_tel_hop_3.val();
            self.hop_4.next = self.ack_tel_hop_4.val();
        }
        self.others.next = !self.youngest.val();
        if (self.phase_q.val() == self.phase_drop.val()) && self.drop.val() {
            self.alive_q.next = self.alive_q.val() & self.others.val();
        }
        self.phase.next = self.phase_q.val();
        self.slot.next = self.slot_q.val();
        self.candidate_flow.next = self.picked_flow.val();
        self.alive.next = self.alive_q.val();
        self.now_command.next = self.command.val();
        self.hop.next = self.hop_0.val();
        self.now_flow.next = self.cur_flow.val();
        self.now_psn.next = self.cur_psn.val();
        self.now_snd_nxt.next = self.cur_snd_nxt.val();
        self.now_tel_valid.next = self.cur_tel_valid.val();
        self.now_hops.next = self.cur_hops.val();
        self.now_path.next = self.cur_path.val();
        self.now_op.next = self.cur_op.val();
        self.now_telemetry.next = self.cur_telemetry.val();
        self.now_window.next = self.cur_window.val();
        self.now_rate.next = self.cur_rate.val();
    }
}
