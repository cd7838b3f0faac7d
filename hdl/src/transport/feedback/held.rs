//! The READ response or probe that has just come, and whether its queue pair answers it with telemetry.
//!
//! # Interface timing  cycle 0: watch_valid and watch_ready; cycle 1: busy; cycle 4: m_valid, until
//!                     taken. READ responses are so far apart that none comes while one is held
//! # Shape             m_word: PSN \[23:0\], hops \[26:24\], path \[38:27\], records \[358:39\]
//! # Reset             synchronous, high: nothing held; rows are as they were. Nothing is taken until
//!                     is_open
//! # Twins             part of sim/models/src/golden/transport/feedback/output.rs,
//!                     tests/transport/feedback_out.rs

use crate::streams::Telemetry;
use crate::util::ram::Ram;
use crate::{block, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Whose feedback a flow holds.
#[row]
struct HeldRow {
    qpn: Bits<24>, // Our QPN
    ip: Bits<32>,  // The peer's address
}

/// Telemetry that a flow holds for its peer.
#[row]
pub struct HeldTelemetry {
    /// PSN that it acknowledges.
    pub psn: Bits<24>,
    /// Records.
    pub hops: Bits<3>,
    /// Path.
    pub path: Bits<12>,
    /// Record.
    pub hop_0: Bits<64>,
    /// Record.
    pub hop_1: Bits<64>,
    /// Record.
    pub hop_2: Bits<64>,
    /// Record.
    pub hop_3: Bits<64>,
    /// Record.
    pub hop_4: Bits<64>,
}

/// Holds a READ response of `2^FB` flows.
#[block]
pub struct FeedbackHeld<const FB: usize> {
    /// READ responses and probes are looked at.
    pub is_open: Signal<In, Bit>,
    /// An answer stands at the requester.
    pub watch_valid: Signal<In, Bit>,
    /// The requester takes it.
    pub watch_ready: Signal<In, Bit>,
    /// Its operation code.
    pub watch_opcode: Signal<In, Bits<8>>,
    /// Its queue pair.
    pub watch_qpn: Signal<In, Bits<24>>,
    /// Its PSN.
    pub watch_psn: Signal<In, Bits<24>>,
    /// Its source address.
    pub watch_src_ip: Signal<In, Bits<32>>,
    /// It has telemetry.
    pub watch_tel: Telemetry<In>,
    /// What is offered beside the requester's answers is a probe.
    pub probe_valid: Signal<In, Bit>,
    /// Store the row of a flow; not while a READ response is held, nor in cycle 1.
    pub row_write: Signal<In, Bit>,
    /// The flow.
    pub row_flow: Signal<In, Bits<FB>>,
    /// Its QPN.
    pub row_qpn: Signal<In, Bits<24>>,
    /// Its peer's address.
    pub row_ip: Signal<In, Bits<32>>,
    /// One is held.
    pub busy: Signal<Out, Bit>,
    /// It has been looked up.
    pub m_valid: Signal<Out, Bit>,
    /// Forget it.
    pub m_take: Signal<In, Bit>,
    /// It is a probe.
    pub m_probe: Signal<Out, Bit>,
    /// Its flow.
    pub m_flow: Signal<Out, Bits<FB>>,
    /// QPN and address are those of the row.
    pub m_match: Signal<Out, Bit>,
    /// PSN and telemetry.
    pub m_word: Signal<Out, HeldTelemetry>,
    rows: Ram<FB, HeldRow>,
    held: Reg<Bit>,
    #[reset(true)]
    empty: Reg<Bit>,
    read: Reg<Bit>,
    keep: Reg<Bit>,
    judge: Reg<Bit>,
    checked: Reg<Bit>,
    is_match: Unreset<Bit>,
    is_probe: Reg<Bit>,
    row: Unreset<HeldRow>,
    qpn: Unreset<Bits<24>>,
    src_ip: Unreset<Bits<32>>,
    word: Unreset<HeldTelemetry>,
    is_response: Signal<Local, Bit>,
    takes_probe: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
}

impl<const FB: usize> Logic for FeedbackHeld<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.busy.next = self.held.val();
        self.m_valid.next = self.checked.val();
        self.m_flow.next = self.qpn.val().get_bits::<FB>(0);
        self.m_match.next = self.is_match.val();
        self.m_probe.next = self.is_probe.val();
        self.m_word.next = self.word.val();
        self.is_response.next = (self.watch_opcode.val() == 0x0d)
            | (self.watch_opcode.val() == 0x0e)
            | (self.watch_opcode.val() == 0x0f)
            | (self.watch_opcode.val() == 0x10);
        self.takes_probe.next = self.probe_valid.val() & !self.held.val();
        self.load.next = self.is_open.val()
            & (self.takes_probe.val()
                | (self.watch_valid.val()
                    & self.watch_ready.val()
                    & self.watch_tel.valid.val()
                    & self.is_response.val()));
        if self.m_take.val() {
            self.held.next = false;
            self.empty.next = true;
            self.checked.next = false;
        }
        comment!("What stands is copied until it is held, so that one register is the enable.");
        if self.load.val() {
            self.held.next = true;
            self.empty.next = false;
            self.is_probe.next = self.takes_probe.val();
        }
        if self.empty.val() {
            self.qpn.next = self.watch_qpn.val();
            self.src_ip.next = self.watch_src_ip.val();
            self.word.next.psn = self.watch_psn.val();
            self.word.next.hops = self.watch_tel.hops.val();
            self.word.next.path = self.watch_tel.path.val();
            self.word.next.hop_0 = self.watch_tel.hop[0].val();
            self.word.next.hop_1 = self.watch_tel.hop[1].val();
            self.word.next.hop_2 = self.watch_tel.hop[2].val();
            self.word.next.hop_3 = self.watch_tel.hop[3].val();
            self.word.next.hop_4 = self.watch_tel.hop[4].val();
        }
        comment!("The row: address, word, verdict.");
        self.read.next = self.load.val();
        self.keep.next = self.read.val();
        self.judge.next = self.keep.val();
        self.rows.write_enable.next = self.row_write.val();
        self.rows.write_address.next = self.row_flow.val();
        self.rows.write_data.next.qpn = self.row_qpn.val();
        self.rows.write_data.next.ip = self.row_ip.val();
        self.rows.read_enable.next = self.read.val();
        self.rows.read_address.next = self.qpn.val().get_bits::<FB>(0);
        if self.keep.val() {
            self.row.next = self.rows.read_data.val();
        }
        if self.judge.val() {
            self.checked.next = true;
            self.is_match.next =
                (self.row.val().qpn == self.qpn.val()) & (self.row.val().ip == self.src_ip.val());
        }
    }
}
