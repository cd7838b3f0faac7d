//! Sequencer of the tx pipe: which piece of a frame comes next.
//!
//! # Source            InfiniBand, volume 1, sections 9.2 (BTH) and 9.3; annex A17; HPCC paper,
//!                     figure 7, the authors' IntHeader, P4-INT 2.1, RFC 9197
//!                     and draft-kumar-ippm-ifa (telemetry)
//! # Interface timing  part of `tx_pipe`. Cycle 0: Start or Icrc with an item and room; cycle 1:
//!                     C0, or Host; one piece a cycle
//! # Latency and rate  Ethernet and IPv4 to UDP length 5 pieces, UDP checksum and BTH 2, RETH 2,
//!                     ImmDt or AETH 1, payload 1 a beat, ICRC 1. Telemetry 1 and 1 a record; the
//!                     paper's form has ImmDt or AETH in the BTH's. One idle cycle behind a frame
//!                     whose ICRC ends in a beat of its own, and behind a host frame
//! # Reset             synchronous, high: between frames
//! # Twins             sim/models/src/golden/tx/pipe.rs, tests/tx/tx_pipe.rs

use crate::streams::ReadError;
use crate::{block, kernel, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Beats of the longest frame: 4224 bytes. A longer host frame is dropped.
pub const FRAME_BEATS_MAX: u64 = 528;

/// States of the sequencer: one a piece.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum SeqState {
    /// Waits for an item and room.
    Start,
    /// Destination MAC, source MAC.
    C0,
    /// Source MAC, type, version, ToS.
    C1,
    /// IPv4 length, id, flags, TTL, protocol.
    C2,
    /// Checksum, source address, target address.
    C3,
    /// Target address, UDP ports, length; with IFA its header in front of UDP.
    C4,
    /// With telemetry: UDP checksum, and the count of the paper's form or what begins INT-MD or IOAM;
    /// with IFA from the UDP target port on.
    C5,
    /// A telemetry record, or the middle of INT-MD's or IOAM's header.
    Hop,
    /// BTH to its byte 6, behind the UDP checksum or the last two bytes of telemetry; with the
    /// paper's form to byte 8.
    B0,
    /// The rest of the BTH; with the paper's form ImmDt or AETH too.
    B1,
    /// RETH: address.
    R0,
    /// RETH: key, length.
    R1,
    /// ImmDt or AETH.
    Word,
    /// Payload.
    Pay,
    /// Place of the ICRC.
    Icrc,
    /// A host frame.
    Host,
}

/// What has left, a pulse each.
#[row]
pub struct FrameEvents {
    pub data: Bit,     // A data frame
    pub ack: Bit,      // An ACK
    pub host: Bit,     // A frame of the host's
    pub fail: Bit,     // A dropped frame
    pub feedback: Bit, // A telemetry response
}

/// Sequencer; `GB` = log2 of the flow count and one, for READ responses.
#[block]
pub struct TxSeq<const GB: usize> {
    /// The frame FIFO has room for the longest frame.
    pub room: Signal<In, Bit>,
    /// An item stands at the header builder.
    pub s_valid: Signal<In, Bit>,
    /// 0 data, 1 ACK, 2 host frame, 3 telemetry response.
    pub s_kind: Signal<In, Bits<2>>,
    /// Form of the telemetry that it carries, as `tx_header` m_form.
    pub s_form: Signal<In, Bits<3>>,
    /// It is taken.
    pub s_ready: Signal<Out, Bit>,
    /// IPv4 length, bits 2:0, in C1.
    pub ip_len_low: Signal<In, Bits<3>>,
    /// Data packet: flow.
    pub pkt_flow: Signal<In, Bits<GB>>,
    /// Its mark.
    pub pkt_mark: Signal<In, Bits<4>>,
    /// Data packet: BTH operation code.
    pub pkt_opcode: Signal<In, Bits<8>>,
    /// Data packet: payload bytes.
    pub pkt_payload_bytes: Signal<In, Bits<13>>,
    /// ACK, telemetry response: records.
    pub ack_tel_hops: Signal<In, Bits<3>>,
    /// A payload beat.
    pub data_valid: Signal<In, Bit>,
    /// It is the last one.
    pub data_last: Signal<In, Bit>,
    /// It could not be read.
    pub data_error: Signal<In, Bit>,
    /// A host frame beat.
    pub host_valid: Signal<In, Bit>,
    /// It is the last one.
    pub host_last: Signal<In, Bit>,
    /// The fields of the next frame are copied: nothing needs those of the last one.
    pub copy: Signal<Out, Bit>,
    /// The records move: the next frame's are copied, or in Hop this one's are shifted.
    pub hops_move: Signal<Out, Bit>,
    /// State.
    pub state: Signal<Out, SeqState>,
    /// Takes payload.
    pub data_ready: Signal<Out, Bit>,
    /// Takes host beats.
    pub host_ready: Signal<Out, Bit>,
    /// A host frame has been taken.
    pub host_done: Signal<Out, Bit>,
    /// The frame has a RETH.
    pub has_reth: Signal<Out, Bit>,
    /// The frame has an ImmDt or AETH.
    pub has_word: Signal<Out, Bit>,
    /// The frame has payload.
    pub has_payload: Signal<Out, Bit>,
    /// The frame is dropped.
    pub is_bad: Signal<Out, Bit>,
    /// The frame's ICRC has to wait for the fail slot.
    pub is_stuck: Signal<Out, Bit>,
    /// The host frame is too long.
    pub is_long: Signal<Out, Bit>,
    /// The frame is good and its last pieces follow without a gap: it may begin to leave.
    pub open: Signal<Out, Bit>,
    /// Records of the frame.
    pub hop_count: Signal<Out, Bits<3>>,
    /// The payload of a packet could not be read.
    pub m_fail: ReadError<Out, GB>,
    /// What has left.
    pub pulse: Signal<Out, FrameEvents>,
    #[reset(SeqState::Start)]
    now: Reg<SeqState>,
    #[reset(true)]
    copies: Reg<Bit>,
    #[reset(true)]
    moves: Reg<Bit>,
    has_room: Reg<Bit>,
    flow: Unreset<Bits<GB>>,
    is_ack: Unreset<Bit>,
    is_feedback: Unreset<Bit>,
    form: Unreset<Bits<3>>,
    with_reth: Unreset<Bit>,
    with_word: Unreset<Bit>,
    with_payload: Unreset<Bit>,
    late: Unreset<Bit>,
    hops: Unreset<Bits<3>>,
    hops_left: Unreset<Bits<3>>,
    beats_left: Unreset<Bits<10>>,
    bad: Reg<Bit>,
    host_end: Reg<Bit>,
    opens: Reg<Bit>,
    fail: Reg<Bit>,
    fail_flow: Reg<Bits<GB>>,
    mark: Unreset<Bits<4>>,
    fail_mark: Reg<Bits<4>>,
    pulses: Reg<FrameEvents>,
    free: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    goto: Signal<Local, SeqState>,
    body: Signal<Local, SeqState>,
    stuck: Signal<Local, Bit>,
    #[value(FRAME_BEATS_MAX)]
    frame_beats: Constant<Bits<10>>,
}

#[kernel]
impl<const GB: usize> TxSeq<GB> {
    fn update(&mut self) {
        self.state.next = self.now.val();
        self.has_room.next = self.room.val();
        self.data_ready.next = self.now.val() == SeqState::Pay;
        self.host_ready.next = self.now.val() == SeqState::Host;
        self.host_done.next = self.host_end.val();
        self.has_reth.next = self.with_reth.val();
        self.has_word.next = self.with_word.val();
        self.has_payload.next = self.with_payload.val();
        self.is_bad.next = self.bad.val();
        self.stuck.next = self.bad.val() & self.fail.val();
        self.is_stuck.next = self.stuck.val();
        self.choice();
        self.hops();
        self.states();
        self.next();
    }

    /// The next frame follows the ICRC at once unless that ends in a beat of its own.
    fn choice(&mut self) {
        self.free.next = (self.now.val() == SeqState::Start)
            | ((self.now.val() == SeqState::Icrc) & !self.stuck.val());
        self.ready.next = self.free.val()
            & self.has_room.val()
            & ((self.now.val() == SeqState::Start) | !self.late.val());
        self.copy.next = self.copies.val();
        self.hops_move.next = self.moves.val();
        self.s_ready.next = self.ready.val();
        self.is_long.next = !self.beats_left.val().any();
        self.hop_count.next = self.hops.val();
        self.m_fail.valid.next = self.fail.val();
        self.m_fail.flow.next = self.fail_flow.val();
        self.m_fail.mark.next = self.fail_mark.val();
        self.pulse.next = self.pulses.val();
        self.pulses.next = 0.into();
        self.host_end.next = false;
        self.opens.next = false;
        self.open.next = self.opens.val();
        if self.m_fail.ready.val() {
            self.fail.next = false;
        }
        self.goto.next = self.now.val();
        self.body.next = SeqState::Icrc;
        if self.with_payload.val() {
            self.body.next = SeqState::Pay;
        }
        if self.free.val() {
            self.flow.next = self.pkt_flow.val();
            self.mark.next = self.pkt_mark.val();
            self.is_ack.next = self.s_kind.val() == 1;
            self.is_feedback.next = self.s_kind.val() == 3;
            self.bad.next = false;
        }
    }

    /// From behind the last header on, so that one register is the enable.
    fn hops(&mut self) {
        if self.copies.val() {
            self.form.next = self.s_form.val();
            self.with_payload.next = (self.s_kind.val() == 0) & self.pkt_payload_bytes.val().any();
            self.with_reth.next = (self.s_kind.val() == 0)
                & ((self.pkt_opcode.val() == 6)
                    | (self.pkt_opcode.val() == 10)
                    | (self.pkt_opcode.val() == 11)
                    | (self.pkt_opcode.val() == 12));
            self.with_word.next = (self.s_kind.val() == 1)
                | ((self.s_kind.val() == 0)
                    & ((self.pkt_opcode.val() == 9)
                        | (self.pkt_opcode.val() == 11)
                        | (self.pkt_opcode.val() == 13)
                        | (self.pkt_opcode.val() == 15)
                        | (self.pkt_opcode.val() == 16)
                        | (self.pkt_opcode.val() == 196)));
            self.hops.next = 0.into();
            if self.s_kind.val().get_bit(0) {
                self.hops.next = self.ack_tel_hops.val();
            }
            self.hops_left.next = 5.into();
        }
        if self.now.val() != SeqState::Host {
            self.beats_left.next = self.frame_beats.val();
        }
    }

    // Longer than 120 lines because it is one table: each state, what it does, what follows it.
    fn states(&mut self) {
        match self.now.val() {
            SeqState::Start => {
                self.copies.next = true;
                self.moves.next = true;
            }
            SeqState::C0 => {
                comment!("The authors' form always has five records, the paper's those there are;");
                comment!("INT-MD and IOAM have one piece in their place, IFA none.");
                match self.form.val().index() {
                    1 => self.hops_left.next = self.hops.val(),
                    3 => self.hops_left.next = 1.into(),
                    4 => self.hops_left.next = 1.into(),
                    5 => self.hops_left.next = 0.into(),
                    6 => self.hops_left.next = 1.into(),
                    _ => {}
                }
                self.goto.next = SeqState::C1;
            }
            SeqState::C1 => {
                self.late.next = self.ip_len_low.val() == 4;
                self.goto.next = SeqState::C2;
            }
            SeqState::C2 => {
                self.goto.next = SeqState::C3;
            }
            SeqState::C3 => {
                self.goto.next = SeqState::C4;
            }
            SeqState::C4 => {
                self.goto.next = SeqState::B0;
                if self.form.val().any() {
                    self.goto.next = SeqState::C5;
                }
            }
            SeqState::C5 => {
                self.moves.next = true;
                self.goto.next = SeqState::B0;
                if self.hops_left.val().any() {
                    self.goto.next = SeqState::Hop;
                }
            }
            SeqState::Hop => {
                self.hops_left.next = self.hops_left.val() - 1;
                if self.hops_left.val() == 1 {
                    self.goto.next = SeqState::B0;
                }
            }
            SeqState::B0 => {
                self.moves.next = true;
                self.goto.next = SeqState::B1;
            }
            SeqState::B1 => {
                comment!("Without payload nothing can fail any more, nor come late.");
                self.opens.next = !self.with_payload.val();
                self.goto.next = self.body.val();
                self.copies.next = true;
                if self.with_reth.val() {
                    self.goto.next = SeqState::R0;
                    self.copies.next = false;
                } else if self.with_word.val() & (self.form.val() != 1) {
                    self.goto.next = SeqState::Word;
                    self.copies.next = false;
                }
            }
            SeqState::R0 => {
                self.goto.next = SeqState::R1;
            }
            SeqState::R1 => {
                self.goto.next = self.body.val();
                self.copies.next = true;
                if self.with_word.val() {
                    self.goto.next = SeqState::Word;
                    self.copies.next = false;
                }
            }
            SeqState::Word => {
                self.copies.next = true;
                self.goto.next = self.body.val();
            }
            SeqState::Pay => {
                if self.data_valid.val() & self.data_last.val() {
                    self.bad.next = self.data_error.val();
                    self.opens.next = !self.data_error.val();
                    self.goto.next = SeqState::Icrc;
                }
            }
            SeqState::Icrc => {
                if !self.stuck.val() {
                    self.goto.next = SeqState::Start;
                    if self.bad.val() {
                        self.pulses.next.fail = true;
                        self.fail.next = true;
                        self.fail_flow.next = self.flow.val();
                        self.fail_mark.next = self.mark.val();
                    } else if self.is_ack.val() {
                        self.pulses.next.ack = true;
                    } else if self.is_feedback.val() {
                        self.pulses.next.feedback = true;
                    } else {
                        self.pulses.next.data = true;
                    }
                }
            }
            SeqState::Host => {
                self.copies.next = true;
                self.moves.next = true;
                if self.host_valid.val() & self.beats_left.val().any() {
                    self.beats_left.next = self.beats_left.val() - 1;
                }
                if self.host_valid.val() & self.host_last.val() {
                    self.goto.next = SeqState::Start;
                    self.host_end.next = true;
                    if self.beats_left.val().any() {
                        self.pulses.next.host = true;
                    } else {
                        self.pulses.next.fail = true;
                    }
                }
            }
        }
    }

    fn next(&mut self) {
        self.now.next = self.goto.val();
        if self.s_valid.val() & self.ready.val() {
            self.now.next = SeqState::C0;
            self.copies.next = false;
            self.moves.next = false;
            if self.s_kind.val() == 2 {
                self.now.next = SeqState::Host;
            }
        }
    }
}
