//! Ends of an event of the serial schedule: its ready, its result, or why its telemetry is ignored.
//!
//! # Interface timing  cycle 0: to, word; done, shows, never_sent, is_bad; cycle 1: ready for one cycle,
//!                     m_rate, or an event for one cycle
//! # Latency and rate  [`LATENCY_CYCLES`]; the words of a result come before it is shown, and not while
//!                     one waits
//! # Reset             synchronous, high; m_rate is 0 unless it is valid
//! # Twins             part of sim/models/src/golden/cc/serial/unit.rs, tests/cc/cc_unit_serial.rs

use crate::events::CcEvents;
use crate::streams::Decision;
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from the end of an event to its result.
pub const LATENCY_CYCLES: usize = 1;

/// Result and events.
#[block]
pub struct CcSerialResult<const FB: usize> {
    /// Where a word goes; 40 to 47: into the result.
    pub to: Signal<In, Bits<6>>,
    /// Word.
    pub word: Signal<In, Bits<32>>,
    /// The event has been carried out.
    pub done: Signal<In, Bit>,
    /// Its result is complete.
    pub shows: Signal<In, Bit>,
    /// The ACK was of a PSN that was never sent.
    pub never_sent: Signal<In, Bit>,
    /// A hop is bad.
    pub is_bad: Signal<In, Bit>,
    /// It was a command.
    pub is_command: Signal<In, Bit>,
    /// Flags of the event; [0] full, [1] first, [3] to [5] what is bad.
    pub flags: Signal<In, Bits<8>>,
    /// Hop with the largest u'; 7: none.
    pub worst_hop: Signal<In, Bits<3>>,
    /// Flow.
    pub flow: Signal<In, Bits<FB>>,
    /// What the command does.
    pub s_flow_op: Signal<In, Bits<2>>,
    /// The ACK is taken.
    pub s_ack_ready: Signal<Out, Bit>,
    /// The command is taken.
    pub s_flow_ready: Signal<Out, Bit>,
    /// A result is offered.
    pub m_rate: Decision<Out, FB>,
    /// Telemetry ignored: its ACK is of a PSN that was never sent.
    pub event_cc: CcEvents<Out>,
    window: Unreset<Bits<32>>,
    rate: Unreset<Bits<32>>,
    u_high: Unreset<Bits<32>>,
    u_low: Unreset<Bits<32>>,
    wc_high: Unreset<Bits<32>>,
    wc_low: Unreset<Bits<32>>,
    psn: Unreset<Bits<32>>,
    inc_stage: Unreset<Bits<32>>,
    result_flow: Unreset<Bits<FB>>,
    op: Unreset<Bits<2>>,
    full: Unreset<Bit>,
    first: Unreset<Bit>,
    worst: Unreset<Bits<3>>,
    waits: Reg<Bit>,
    ack_done: Reg<Bit>,
    flow_done: Reg<Bit>,
    e_psn: Reg<Bit>,
    e_time: Reg<Bit>,
    e_bytes: Reg<Bit>,
    e_queue: Reg<Bit>,
}

impl<const FB: usize> Logic for CcSerialResult<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        match self.to.val().index() {
            40 => {
                self.window.next = self.word.val();
            }
            41 => {
                self.rate.next = self.word.val();
            }
            42 => {
                self.u_high.next = self.word.val();
            }
            43 => {
                self.u_low.next = self.word.val();
            }
            44 => {
                self.wc_high.next = self.word.val();
            }
            45 => {
                self.wc_low.next = self.word.val();
            }
            46 => {
                self.psn.next = self.word.val();
            }
            47 => {
                self.inc_stage.next = self.word.val();
            }
            _ => {}
        }
        if self.shows.val() {
            self.result_flow.next = self.flow.val();
            self.full.next = self.flags.val().get_bit(0);
            self.first.next = self.flags.val().get_bit(1);
            self.worst.next = self.worst_hop.val();
            self.op.next = 0.into();
            if self.is_command.val() {
                self.op.next = self.s_flow_op.val();
            }
            self.waits.next = true;
        } else if self.m_rate.ready.val() {
            self.waits.next = false;
        }
        self.m_rate.valid.next = self.waits.val();
        self.m_rate.flow.next = 0.into();
        self.m_rate.op.next = 0.into();
        self.m_rate.window_bytes.next = 0.into();
        self.m_rate.rate.next = 0.into();
        self.m_rate.u.next = 0.into();
        self.m_rate.wc_bytes.next = 0.into();
        self.m_rate.inc_stage.next = 0.into();
        self.m_rate.last_update_psn.next = 0.into();
        self.m_rate.worst_hop.next = 0.into();
        self.m_rate.full.next = self.waits.val() && self.full.val();
        self.m_rate.first.next = self.waits.val() && self.first.val();
        if self.waits.val() {
            self.m_rate.flow.next = self.result_flow.val();
            self.m_rate.op.next = self.op.val();
            self.m_rate.worst_hop.next = self.worst.val();
            self.m_rate.window_bytes.next = self.window.val();
            self.m_rate.rate.next = self.rate.val();
            self.m_rate.u.next = bit_cast::<57, 32>(self.u_low.val())
                | (bit_cast::<57, 25>(self.u_high.val().get_bits::<25>(0)) << 32);
            self.m_rate.wc_bytes.next = bit_cast::<48, 16>(self.wc_low.val().get_bits::<16>(16))
                | (bit_cast::<48, 32>(self.wc_high.val()) << 16);
            self.m_rate.inc_stage.next = self.inc_stage.val().get_bits::<8>(24);
            self.m_rate.last_update_psn.next = self.psn.val().get_bits::<24>(8);
        }
        self.s_ack_ready.next = self.ack_done.val();
        self.s_flow_ready.next = self.flow_done.val();
        self.ack_done.next = self.done.val() && !self.is_command.val();
        self.flow_done.next = self.done.val() && self.is_command.val();
        comment!("One event for an ACK whose telemetry is ignored: the first reason.");
        self.e_psn.next = self.never_sent.val();
        self.e_time.next = self.is_bad.val() && self.flags.val().get_bit(3);
        self.e_bytes.next =
            self.is_bad.val() && self.flags.val().get_bit(4) && !self.flags.val().get_bit(3);
        self.e_queue.next = self.is_bad.val()
            && self.flags.val().get_bit(5)
            && !self.flags.val().get_bit(4)
            && !self.flags.val().get_bit(3);
        self.event_cc.psn.next = self.e_psn.val();
        self.event_cc.time.next = self.e_time.val();
        self.event_cc.bytes.next = self.e_bytes.val();
        self.event_cc.queue.next = self.e_queue.val();
    }
}
