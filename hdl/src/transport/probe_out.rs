//! Probes: packets that ask for the telemetry of a flow's way when its data carry none.
//!
//! # Source            HPCC++ drafts (probes, about one in a round trip); hdl/feedback.md
//! # Interface timing  the queue pairs have their turns one after the other, cfg_probe_cycles / F
//!                     cycles apart, 2 at least; cycle 0: turn; cycle 2: m_probe_valid,
//!                     event_probe_lost; the cycle after m_probe_ready: event_probe_sent. A turn is put
//!                     off while a probe waits, and by the cycles in which something else is noted
//! # Latency and rate  2 cycles from a turn to its probe; a turn every 2 cycles
//! # Shape             F = 2^FB = 64 queue pairs, FP1 = FB + 1, TW + FB = 20
//! # Number formats    cfg_probe_cycles | UQ20.0 | cycles; below F: no probes
//! # Rules             a queue pair is probed if a data packet with payload has gone without telemetry
//!                     since its last probe, not all that it has sent is acknowledged, and the last
//!                     probe is answered or lost: without an answer for [`LOST_TURNS`] turns. The PSN is that
//!                     of the latest data packet. A row makes its queue pair forget. That all is
//!                     acknowledged is noted last, and is forgotten when another queue pair's comes
//!                     before: at worst a probe that was not needed leaves
//! # Rates             what is watched comes at least so many cycles apart, so that each finds its
//!                     place: packets 3, answers 6, rows 12; bytes in flight 2. What comes in the first
//!                     F cycles after reset is not noticed
//! # Reset             synchronous, high: the rows are cleared, one a cycle; outputs 0
//! # Twins             sim/models/src/golden/transport/probe_out.rs, tests/transport/probe_out.rs

use crate::events::ProbeEvents;
use crate::streams::{FlowPulse, Probe};
use crate::util::{lut_ram::LutRam, ram::Ram};
use crate::{block, kernel, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Turns of a queue pair after which a probe without an answer is lost.
pub const LOST_TURNS: usize = 4;

/// What happens to the note of a queue pair.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum ProbeOp {
    /// Nothing.
    None,
    /// A data packet has been sent.
    Sent,
    /// All is acknowledged.
    Quiet,
    /// The probe is answered.
    Answered,
    /// A row, or reset.
    Forget,
    /// The queue pair has its turn; its PSN has been looked up.
    Turn,
}

/// What is noted of a flow.
#[row]
struct NoteRow {
    is_new: Bit,    // Sent since the probe
    is_open: Bit,   // Probe without answer
    round: Bits<2>, // Round of the probe
}

/// Probes of `F = 2^FB` queue pairs.
#[block(check(FP1 == FB + 1 && TW == 20 - FB))]
pub struct ProbeOut<const FB: usize, const FP1: usize, const TW: usize> {
    /// Cycles from one turn of a queue pair to the next one.
    pub cfg_probe_cycles: Signal<In, Bits<20>>,
    /// A queue pair row waits.
    pub row_valid: Signal<In, Bit>,
    /// It is taken.
    pub row_ready: Signal<In, Bit>,
    /// Its index.
    pub cfg_index: Signal<In, Bits<16>>,
    /// A packet waits to be sent.
    pub sent_valid: Signal<In, Bit>,
    /// It is sent.
    pub sent_ready: Signal<In, Bit>,
    /// Its paced flow; top bit: a READ response.
    pub sent_flow: Signal<In, Bits<FP1>>,
    /// Its PSN.
    pub sent_psn: Signal<In, Bits<24>>,
    /// Its payload.
    pub sent_payload_bytes: Signal<In, Bits<13>>,
    /// It goes without telemetry.
    pub sent_bare: Signal<In, Bit>,
    /// Bytes in flight are told.
    pub inflight_valid: Signal<In, Bit>,
    /// They are taken.
    pub inflight_ready: Signal<In, Bit>,
    /// Of this flow.
    pub inflight_flow: Signal<In, Bits<FB>>,
    /// So many.
    pub inflight_bytes: Signal<In, Bits<32>>,
    /// A probe is answered.
    pub answer: FlowPulse<In, FB>,
    /// A probe stands at the source.
    pub m_probe: Probe<Out, FB>,
    /// What it counts.
    pub event_probe: ProbeEvents<Out>,
    psns: Ram<FB, Bits<24>>,
    notes: LutRam<FB, NoteRow>,
    #[reset(ProbeOp::None)]
    op: Reg<ProbeOp>,
    op_at: Reg<Bits<FB>>,
    #[reset(true)]
    clears: Reg<Bit>,
    at: Reg<Bits<FB>>,
    round: Reg<Bits<2>>,
    elapsed: Reg<Bits<TW>>,
    is_time: Reg<Bit>,
    sent: Reg<Bit>,
    sent_at: Unreset<Bits<FB>>,
    quiet: Reg<Bit>,
    quiet_at: Unreset<Bits<FB>>,
    answered: Reg<Bit>,
    answered_at: Unreset<Bits<FB>>,
    row: Reg<Bit>,
    row_at: Unreset<Bits<FB>>,
    full: Reg<Bit>,
    flow: Reg<Bits<FB>>,
    psn: Reg<Bits<24>>,
    sent_event: Reg<Bit>,
    lost_event: Reg<Bit>,
    sends: Signal<Local, Bit>,
    turns: Signal<Local, Bit>,
    period: Signal<Local, Bits<TW>>,
    next_elapsed: Signal<Local, Bits<TW>>,
    is_new: Signal<Local, Bit>,
    is_open: Signal<Local, Bit>,
    is_lost: Signal<Local, Bit>,
    probes: Signal<Local, Bit>,
    is_last: Signal<Local, Bit>,
    #[init(Constant::new(((1u64 << FB) - 1).to_bits()))]
    last: Constant<Bits<FB>>,
    #[init(Constant::new(0u64.to_bits()))]
    nothing: Constant<Bits<32>>,
    #[init(Constant::new((1u64 << FB).to_bits()))]
    top: Constant<Bits<FP1>>,
    sent_top: Signal<Local, Bits<FP1>>,
    #[value(FB as u64)]
    below_turn: Constant<Bits<5>>,
}

#[kernel]
impl<const FB: usize, const FP1: usize, const TW: usize> ProbeOut<FB, FP1, TW> {
    fn update(&mut self) {
        self.m_probe.valid.next = self.full.val();
        self.m_probe.flow.next = self.flow.val();
        self.m_probe.psn.next = self.psn.val();
        self.event_probe.sent.next = self.sent_event.val();
        self.event_probe.lost.next = self.lost_event.val();
        self.watched();
        self.turns();
        self.notes();
        self.probe();
    }

    /// What is watched waits until it is noted, in this order; of two flows with nothing in flight
    /// only the newer one.
    fn watched(&mut self) {
        self.sent_top.next = self.sent_flow.val() & self.top.val();
        self.sends.next = self.sent_valid.val()
            & self.sent_ready.val()
            & self.sent_bare.val()
            & self.sent_payload_bytes.val().any()
            & !self.sent_top.val().any();
        self.psns.write_enable.next = self.sends.val();
        self.psns.write_address.next = self.sent_flow.val().get_bits::<FB>(0);
        self.psns.write_data.next = self.sent_psn.val();
        self.sent.next = self.sends.val();
        self.sent_at.next = self.sent_flow.val().get_bits::<FB>(0);
        if !self.sent.val() {
            self.answered.next = false;
            if !self.answered.val() {
                self.row.next = false;
                if !self.row.val() {
                    self.quiet.next = false;
                }
            }
        }
        if self.answer.valid.val() {
            self.answered.next = true;
            self.answered_at.next = self.answer.flow.val();
        }
        if self.row_valid.val() & self.row_ready.val() {
            self.row.next = true;
            self.row_at.next = self.cfg_index.val().get_bits::<FB>(0);
        }
        if self.inflight_valid.val()
            & self.inflight_ready.val()
            & (self.inflight_bytes.val() == self.nothing.val())
        {
            self.quiet.next = true;
            self.quiet_at.next = self.inflight_flow.val();
        }
    }

    /// Turns: the time counts from turn to turn. One operation in a cycle is chosen.
    fn turns(&mut self) {
        self.period.next =
            self.cfg_probe_cycles.val().get_bits::<TW>(self.below_turn.val().index());
        self.next_elapsed.next = self.elapsed.val() + 1;
        self.is_time.next = self.next_elapsed.val() >= self.period.val();
        if !self.is_time.val() {
            self.elapsed.next = self.next_elapsed.val();
        }
        self.psns.read_enable.next = false;
        self.psns.read_address.next = self.at.val();
        self.is_last.next = self.at.val() == self.last.val();
        self.op.next = ProbeOp::None;
        self.op_at.next = self.at.val();
        if self.clears.val() {
            self.op.next = ProbeOp::Forget;
            self.at.next = self.at.val() + 1;
            self.clears.next = !self.is_last.val();
            self.sent.next = false;
            self.quiet.next = false;
            self.answered.next = false;
            self.row.next = false;
        } else if self.sent.val() {
            self.op.next = ProbeOp::Sent;
            self.op_at.next = self.sent_at.val();
        } else if self.answered.val() {
            self.op.next = ProbeOp::Answered;
            self.op_at.next = self.answered_at.val();
        } else if self.row.val() {
            self.op.next = ProbeOp::Forget;
            self.op_at.next = self.row_at.val();
        } else if self.quiet.val() {
            self.op.next = ProbeOp::Quiet;
            self.op_at.next = self.quiet_at.val();
        } else if self.is_time.val()
            & self.period.val().any()
            & !self.full.val()
            & !self.sends.val()
        {
            self.op.next = ProbeOp::Turn;
            self.psns.read_enable.next = true;
            self.at.next = self.at.val() + 1;
            self.elapsed.next = 1.into();
            self.is_time.next = false;
            if self.is_last.val() {
                self.round.next = self.round.val() + 1;
            }
        }
    }

    /// Notes.
    fn notes(&mut self) {
        self.notes.read_address.next = self.op_at.val();
        self.notes.write_address.next = self.op_at.val();
        self.notes.write_enable.next = self.op.val() != ProbeOp::None;
        self.is_new.next = self.notes.read_data.val().is_new;
        self.is_open.next = self.notes.read_data.val().is_open;
        self.is_lost.next =
            self.is_open.val() & (self.notes.read_data.val().round == self.round.val());
        self.turns.next = self.op.val() == ProbeOp::Turn;
        self.probes.next =
            self.turns.val() & self.is_new.val() & (!self.is_open.val() | self.is_lost.val());
        self.notes.write_data.next = self.notes.read_data.val();
        match self.op.val() {
            ProbeOp::None => {}
            ProbeOp::Sent => {
                self.notes.write_data.next.is_new = true;
            }
            ProbeOp::Quiet => {
                self.notes.write_data.next.is_new = false;
            }
            ProbeOp::Answered => {
                self.notes.write_data.next.is_open = false;
            }
            ProbeOp::Forget => {
                self.notes.write_data.next = 0.into();
            }
            ProbeOp::Turn => {
                if self.probes.val() {
                    self.notes.write_data.next.is_new = false;
                    self.notes.write_data.next.is_open = true;
                    self.notes.write_data.next.round = self.round.val();
                } else if self.is_lost.val() {
                    self.notes.write_data.next.is_open = false;
                }
            }
        }
    }

    /// The probe.
    fn probe(&mut self) {
        self.lost_event.next = self.turns.val() & self.is_lost.val();
        self.sent_event.next = self.full.val() & self.m_probe.ready.val();
        if self.m_probe.ready.val() {
            self.full.next = false;
        }
        if self.probes.val() {
            self.full.next = true;
            self.flow.next = self.op_at.val();
            self.psn.next = self.psns.read_data.val();
        }
    }
}
