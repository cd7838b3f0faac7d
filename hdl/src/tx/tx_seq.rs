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
//! # Twins             sim/src/golden/tx/tx_pipe.rs, tests/tx_pipe.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

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

/// Sequencer; `GB` = log2 of the flow count and one, for READ responses.
#[derive(LogicBlock)]
pub struct TxSeq<const GB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    pub m_fail_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_fail_ready: Signal<In, Bit>,
    /// Flow of the packet.
    pub m_fail_flow: Signal<Out, Bits<GB>>,
    /// Mark of the packet.
    pub m_fail_mark: Signal<Out, Bits<4>>,
    /// A data frame, an ACK, a host frame, a dropped frame, a telemetry response.
    pub pulse: Signal<Out, Bits<5>>,
    now: DFF<SeqState>,
    copies: DFF<Bit>,
    moves: DFF<Bit>,
    has_room: DFF<Bit>,
    flow: DFF<Bits<GB>>,
    is_ack: DFF<Bit>,
    is_feedback: DFF<Bit>,
    form: DFF<Bits<3>>,
    with_reth: DFF<Bit>,
    with_word: DFF<Bit>,
    with_payload: DFF<Bit>,
    late: DFF<Bit>,
    hops: DFF<Bits<3>>,
    hops_left: DFF<Bits<3>>,
    beats_left: DFF<Bits<10>>,
    bad: DFF<Bit>,
    host_end: DFF<Bit>,
    opens: DFF<Bit>,
    fail: DFF<Bit>,
    fail_flow: DFF<Bits<GB>>,
    mark: DFF<Bits<4>>,
    fail_mark: DFF<Bits<4>>,
    pulses: DFF<Bits<5>>,
    free: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    goto: Signal<Local, SeqState>,
    body: Signal<Local, SeqState>,
    stuck: Signal<Local, Bit>,
    frame_beats: Constant<Bits<10>>,
}

impl<const GB: usize> Default for TxSeq<GB> {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            room: Default::default(),
            s_valid: Default::default(),
            s_kind: Default::default(),
            s_form: Default::default(),
            s_ready: Default::default(),
            ip_len_low: Default::default(),
            pkt_flow: Default::default(),
            pkt_mark: Default::default(),
            pkt_opcode: Default::default(),
            pkt_payload_bytes: Default::default(),
            ack_tel_hops: Default::default(),
            data_valid: Default::default(),
            data_last: Default::default(),
            data_error: Default::default(),
            host_valid: Default::default(),
            host_last: Default::default(),
            copy: Default::default(),
            hops_move: Default::default(),
            state: Default::default(),
            data_ready: Default::default(),
            host_ready: Default::default(),
            host_done: Default::default(),
            has_reth: Default::default(),
            has_word: Default::default(),
            has_payload: Default::default(),
            is_bad: Default::default(),
            is_stuck: Default::default(),
            is_long: Default::default(),
            open: Default::default(),
            hop_count: Default::default(),
            m_fail_valid: Default::default(),
            m_fail_ready: Default::default(),
            m_fail_flow: Default::default(),
            m_fail_mark: Default::default(),
            pulse: Default::default(),
            now: Default::default(),
            copies: Default::default(),
            moves: Default::default(),
            has_room: Default::default(),
            flow: Default::default(),
            is_ack: Default::default(),
            is_feedback: Default::default(),
            form: Default::default(),
            with_reth: Default::default(),
            with_word: Default::default(),
            with_payload: Default::default(),
            late: Default::default(),
            hops: Default::default(),
            hops_left: Default::default(),
            beats_left: Default::default(),
            bad: Default::default(),
            host_end: Default::default(),
            opens: Default::default(),
            fail: Default::default(),
            fail_flow: Default::default(),
            mark: Default::default(),
            fail_mark: Default::default(),
            pulses: Default::default(),
            free: Default::default(),
            ready: Default::default(),
            goto: Default::default(),
            body: Default::default(),
            stuck: Default::default(),
            frame_beats: Constant::new(FRAME_BEATS_MAX.into()),
        }
    }
}

impl<const GB: usize> Logic for TxSeq<GB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            now,
            copies,
            moves,
            has_room,
            flow,
            is_ack,
            is_feedback,
            form,
            with_reth,
            with_word,
            with_payload,
            late,
            hops,
            hops_left,
            beats_left,
            bad,
            host_end,
            opens,
            fail,
            fail_flow,
            mark,
            fail_mark,
            pulses
        );
        self.state.next = self.now.q.val();
        self.has_room.d.next = self.room.val();
        self.data_ready.next = self.now.q.val() == SeqState::Pay;
        self.host_ready.next = self.now.q.val() == SeqState::Host;
        self.host_done.next = self.host_end.q.val();
        self.has_reth.next = self.with_reth.q.val();
        self.has_word.next = self.with_word.q.val();
        self.has_payload.next = self.with_payload.q.val();
        self.is_bad.next = self.bad.q.val();
        self.stuck.next = self.bad.q.val() & self.fail.q.val();
        self.is_stuck.next = self.stuck.val();
        comment!("The next frame follows the ICRC at once unless that ends in a beat of its own.");
        self.free.next = (self.now.q.val() == SeqState::Start)
            | ((self.now.q.val() == SeqState::Icrc) & !self.stuck.val());
        self.ready.next = self.free.val()
            & self.has_room.q.val()
            & ((self.now.q.val() == SeqState::Start) | !self.late.q.val());
        self.copy.next = self.copies.q.val();
        self.hops_move.next = self.moves.q.val();
        self.s_ready.next = self.ready.val();
        self.is_long.next = !self.beats_left.q.val().any();
        self.hop_count.next = self.hops.q.val();
        self.m_fail_valid.next = self.fail.q.val();
        self.m_fail_flow.next = self.fail_flow.q.val();
        self.m_fail_mark.next = self.fail_mark.q.val();
        self.pulse.next = self.pulses.q.val();
        self.pulses.d.next = 0.into();
        self.host_end.d.next = false;
        self.opens.d.next = false;
        self.open.next = self.opens.q.val();
        if self.m_fail_ready.val() {
            self.fail.d.next = false;
        }
        self.goto.next = self.now.q.val();
        self.body.next = SeqState::Icrc;
        if self.with_payload.q.val() {
            self.body.next = SeqState::Pay;
        }
        if self.free.val() {
            self.flow.d.next = self.pkt_flow.val();
            self.mark.d.next = self.pkt_mark.val();
            self.is_ack.d.next = self.s_kind.val() == 1;
            self.is_feedback.d.next = self.s_kind.val() == 3;
            self.bad.d.next = false;
        }
        comment!("From behind the last header on, so that one register is the enable.");
        if self.copies.q.val() {
            self.form.d.next = self.s_form.val();
            self.with_payload.d.next =
                (self.s_kind.val() == 0) & self.pkt_payload_bytes.val().any();
            self.with_reth.d.next = (self.s_kind.val() == 0)
                & ((self.pkt_opcode.val() == 6)
                    | (self.pkt_opcode.val() == 10)
                    | (self.pkt_opcode.val() == 11)
                    | (self.pkt_opcode.val() == 12));
            self.with_word.d.next = (self.s_kind.val() == 1)
                | ((self.s_kind.val() == 0)
                    & ((self.pkt_opcode.val() == 9)
                        | (self.pkt_opcode.val() == 11)
                        | (self.pkt_opcode.val() == 13)
                        | (self.pkt_opcode.val() == 15)
                        | (self.pkt_opcode.val() == 16)
                        | (self.pkt_opcode.val() == 196)));
            self.hops.d.next = 0.into();
            if self.s_kind.val().get_bit(0) {
                self.hops.d.next = self.ack_tel_hops.val();
            }
            self.hops_left.d.next = 5.into();
        }
        if self.now.q.val() != SeqState::Host {
            self.beats_left.d.next = self.frame_beats.val();
        }
        match self.now.q.val() {
            SeqState::Start => {
                self.copies.d.next = true;
                self.moves.d.next = true;
            }
            SeqState::C0 => {
                comment!("The authors' form always has five records, the paper's those there are;");
                comment!("INT-MD and IOAM have one piece in their place, IFA none.");
                match self.form.q.val().index() {
                    1 => self.hops_left.d.next = self.hops.q.val(),
                    3 => self.hops_left.d.next = 1.into(),
                    4 => self.hops_left.d.next = 1.into(),
                    5 => self.hops_left.d.next = 0.into(),
                    6 => self.hops_left.d.next = 1.into(),
                    _ => {}
                }
                self.goto.next = SeqState::C1;
            }
            SeqState::C1 => {
                self.late.d.next = self.ip_len_low.val() == 4;
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
                if self.form.q.val().any() {
                    self.goto.next = SeqState::C5;
                }
            }
            SeqState::C5 => {
                self.moves.d.next = true;
                self.goto.next = SeqState::B0;
                if self.hops_left.q.val().any() {
                    self.goto.next = SeqState::Hop;
                }
            }
            SeqState::Hop => {
                self.hops_left.d.next = self.hops_left.q.val() - 1;
                if self.hops_left.q.val() == 1 {
                    self.goto.next = SeqState::B0;
                }
            }
            SeqState::B0 => {
                self.moves.d.next = true;
                self.goto.next = SeqState::B1;
            }
            SeqState::B1 => {
                comment!("Without payload nothing can fail any more, nor come late.");
                self.opens.d.next = !self.with_payload.q.val();
                self.goto.next = self.body.val();
                self.copies.d.next = true;
                if self.with_reth.q.val() {
                    self.goto.next = SeqState::R0;
                    self.copies.d.next = false;
                } else if self.with_word.q.val() & (self.form.q.val() != 1) {
                    self.goto.next = SeqState::Word;
                    self.copies.d.next = false;
                }
            }
            SeqState::R0 => {
                self.goto.next = SeqState::R1;
            }
            SeqState::R1 => {
                self.goto.next = self.body.val();
                self.copies.d.next = true;
                if self.with_word.q.val() {
                    self.goto.next = SeqState::Word;
                    self.copies.d.next = false;
                }
            }
            SeqState::Word => {
                self.copies.d.next = true;
                self.goto.next = self.body.val();
            }
            SeqState::Pay => {
                if self.data_valid.val() & self.data_last.val() {
                    self.bad.d.next = self.data_error.val();
                    self.opens.d.next = !self.data_error.val();
                    self.goto.next = SeqState::Icrc;
                }
            }
            SeqState::Icrc => {
                if !self.stuck.val() {
                    self.goto.next = SeqState::Start;
                    self.pulses.d.next = 1.into();
                    if self.bad.q.val() {
                        self.pulses.d.next = 8.into();
                        self.fail.d.next = true;
                        self.fail_flow.d.next = self.flow.q.val();
                        self.fail_mark.d.next = self.mark.q.val();
                    } else if self.is_ack.q.val() {
                        self.pulses.d.next = 2.into();
                    } else if self.is_feedback.q.val() {
                        self.pulses.d.next = 16.into();
                    }
                }
            }
            SeqState::Host => {
                self.copies.d.next = true;
                self.moves.d.next = true;
                if self.host_valid.val() & self.beats_left.q.val().any() {
                    self.beats_left.d.next = self.beats_left.q.val() - 1;
                }
                if self.host_valid.val() & self.host_last.val() {
                    self.goto.next = SeqState::Start;
                    self.host_end.d.next = true;
                    self.pulses.d.next = 4.into();
                    if !self.beats_left.q.val().any() {
                        self.pulses.d.next = 8.into();
                    }
                }
            }
        }
        self.now.d.next = self.goto.val();
        if self.s_valid.val() & self.ready.val() {
            self.now.d.next = SeqState::C0;
            self.copies.d.next = false;
            self.moves.d.next = false;
            if self.s_kind.val() == 2 {
                self.now.d.next = SeqState::Host;
            }
        }
        if self.reset.val() {
            self.now.d.next = SeqState::Start;
            self.copies.d.next = true;
            self.moves.d.next = true;
            self.has_room.d.next = false;
            self.host_end.d.next = false;
            self.opens.d.next = false;
            self.bad.d.next = false;
            self.fail.d.next = false;
            self.fail_flow.d.next = 0.into();
            self.fail_mark.d.next = 0.into();
            self.pulses.d.next = 0.into();
        }
    }
}
