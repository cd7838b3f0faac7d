//! What stands behind the headers of a frame: its payload, or all of a host frame; and what the
//! ICRC covers.
//!
//! # Interface timing  cycle 0: a beat is taken; cycle 1: it is at c, if the ICRC covers it. A beat
//!                     for m is there in cycle 0, and is taken: m.ready is looked at before
//! # Latency and rate  a beat a cycle, the headers' too; one idle cycle behind payload that could
//!                     not be read
//! # Shape             KB = W / 8
//! # Reset             synchronous, high: between frames, c = 0
//! # Twins             sim/models/src/golden/tx/body.rs, tests/tx/tx_pipe.rs

use crate::streams::{Axis, AxisUser, FramePart, ReadError, Word};
use crate::util::bytes::{ByteSelect, KeptBytes};
use crate::util::ones;
use crate::{block, kernel, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Bytes of the longest host frame; a longer one is dropped.
pub const FRAME_BYTES_MAX: u64 = 4224;

/// States of the body.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum BodyState {
    /// The headers, as the ICRC covers them.
    Head,
    /// The payload.
    Payload,
    /// A host frame.
    Host,
    /// The payload could not be read.
    Fail,
}

/// What a frame is to those who have only its bytes.
#[row]
pub struct FrameKind {
    pub kind: Bits<2>,    // 0 data, 1 ACK, 2 host frame, 3 telemetry response
    pub has_payload: Bit, // It has
    pub offset: Bits<6>,  // Bytes of its headers, modulo those of a beat
    pub mark: Bits<4>,    // Mark of a data packet
}

/// What a beat behind the headers is.
#[row]
pub struct BodyBeat {
    pub bytes: Bits<7>,  // Bytes, padded in front of an ICRC
    pub offset: Bits<6>, // Bytes of the headers, modulo those of a beat
    pub last: Bit,       // Last of the frame
    pub icrc: Bit,       // The ICRC is behind it
    pub bad: Bit,        // Drop the frame
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

/// Body of frames on a `W`-bit stream; `GB` = log2 of the flow count and one, for READ responses.
#[block(mealy)]
pub struct TxBody<const W: usize, const KB: usize, const GB: usize> {
    /// The headers as the ICRC covers them; one beat of anything for a host frame.
    pub s: FramePart<In, W>,
    /// What the frame is.
    pub s_kind: Signal<In, FrameKind>,
    /// Flow of a data packet.
    pub s_flow: Signal<In, Bits<GB>>,
    /// Payload.
    pub s_data: AxisUser<In, W, KB>,
    /// Host frames.
    pub s_host: Axis<In, W, KB>,
    /// A host frame has been taken.
    pub host_done: Signal<Out, Bit>,
    /// A beat that the ICRC covers.
    pub c_valid: Signal<Out, Bit>,
    /// Its bytes.
    pub c_data: Signal<Out, Bits<W>>,
    /// Those that count.
    pub c_keep: Signal<Out, Bits<KB>>,
    /// Last of the packet.
    pub c_last: Signal<Out, Bit>,
    /// A beat behind the headers.
    pub m: Word<Out, Bits<W>>,
    /// What it is.
    pub m_info: Signal<Out, BodyBeat>,
    /// The payload of a packet could not be read.
    pub m_fail: ReadError<Out, GB>,
    /// What has left.
    pub pulse: Signal<Out, FrameEvents>,
    kept: ByteSelect<W, KB>,
    count: KeptBytes<KB>,
    #[reset(BodyState::Head)]
    state: Reg<BodyState>,
    frame: Unreset<FrameKind>,
    flow: Unreset<Bits<GB>>,
    beats_left: Unreset<Bits<10>>,
    host_end: Reg<Bit>,
    covered: Reg<Bit>,
    covered_data: Unreset<Bits<W>>,
    covered_keep: Unreset<Bits<KB>>,
    covered_last: Unreset<Bit>,
    fail: Reg<Bit>,
    fail_flow: Reg<Bits<GB>>,
    fail_mark: Reg<Bits<4>>,
    pulses: Reg<FrameEvents>,
    info: Signal<Local, BodyBeat>,
    is_host: Signal<Local, Bit>,
    takes_head: Signal<Local, Bit>,
    takes_data: Signal<Local, Bit>,
    takes_host: Signal<Local, Bit>,
    is_long: Signal<Local, Bit>,
    good_kind: Signal<Local, Bits<2>>,
    good: Signal<Local, Bit>,
    #[value(ones(KB))]
    all_bytes: Constant<Bits<KB>>,
    #[value(FRAME_BYTES_MAX / KB as u64)]
    frame_beats: Constant<Bits<10>>,
}

#[kernel]
impl<const W: usize, const KB: usize, const GB: usize> TxBody<W, KB, GB> {
    fn update(&mut self) {
        self.takes();
        self.beat();
        self.cover();
        self.states();
        self.ends();
    }

    /// What is taken in this cycle: anything but a failure needs room behind.
    fn takes(&mut self) {
        self.s.ready.next = (self.state.val() == BodyState::Head) & self.m.ready.val();
        self.s_data.tready.next = (self.state.val() == BodyState::Payload) & self.m.ready.val();
        self.s_host.tready.next = (self.state.val() == BodyState::Host) & self.m.ready.val();
        self.takes_head.next = self.s.valid.val() & self.s.ready.val();
        self.takes_data.next = self.s_data.tvalid.val() & self.s_data.tready.val();
        self.takes_host.next = self.s_host.tvalid.val() & self.s_host.tready.val();
        self.is_host.next = self.s_kind.val().kind == 2;
        self.is_long.next = !self.beats_left.val().any();
    }

    /// Payload, host frame, or nothing but the place of the ICRC.
    fn beat(&mut self) {
        self.kept.chosen.next = 0.into();
        self.kept.a.next = self.s_data.tdata.val();
        self.kept.b.next = 0.into();
        self.info.next = 0.into();
        self.info.next.offset = self.frame.val().offset;
        self.info.next.last = true;
        self.info.next.icrc = true;
        if self.state.val() == BodyState::Payload {
            self.kept.chosen.next = self.s_data.tkeep.val();
            self.info.next.last = self.s_data.tlast.val();
            self.info.next.icrc = self.s_data.tlast.val();
            self.info.next.bad = self.s_data.tuser.val();
        } else if self.state.val() == BodyState::Host {
            self.kept.chosen.next = self.s_host.tkeep.val();
            self.kept.a.next = self.s_host.tdata.val();
            self.info.next.last = self.s_host.tlast.val();
            self.info.next.icrc = false;
            self.info.next.bad = self.is_long.val();
        } else {
            self.info.next.offset = self.s_kind.val().offset;
        }
        self.count.keep.next = self.kept.chosen.val();
        self.count.pads.next = self.state.val() == BodyState::Payload;
        self.m_info.next = self.info.val();
        self.m_info.next.bytes = self.count.count.val();
        self.m.data.next = self.kept.q.val();
        self.m.valid.next = self.takes_data.val()
            | (self.takes_host.val() & (!self.is_long.val() | self.s_host.tlast.val()))
            | (self.takes_head.val()
                & self.s.last.val()
                & !self.is_host.val()
                & !self.s_kind.val().has_payload);
    }

    /// What the ICRC covers.
    fn cover(&mut self) {
        self.covered.next = self.takes_data.val() | (self.takes_head.val() & !self.is_host.val());
        self.covered_data.next = self.s.data.val();
        self.covered_keep.next = self.all_bytes.val();
        self.covered_last.next = self.s.last.val() & !self.s_kind.val().has_payload;
        if self.state.val() == BodyState::Payload {
            self.covered_data.next = self.s_data.tdata.val();
            self.covered_keep.next = self.s_data.tkeep.val();
            self.covered_last.next = self.s_data.tlast.val();
        }
        self.c_valid.next = self.covered.val();
        self.c_data.next = self.covered_data.val();
        self.c_keep.next = self.covered_keep.val();
        self.c_last.next = self.covered_last.val();
    }

    fn states(&mut self) {
        self.good.next = false;
        self.good_kind.next = self.frame.val().kind;
        match self.state.val() {
            BodyState::Head => {
                self.good_kind.next = self.s_kind.val().kind;
                self.frame.next = self.s_kind.val();
                self.flow.next = self.s_flow.val();
                self.beats_left.next = self.frame_beats.val();
                if self.takes_head.val() & self.s.last.val() {
                    if self.is_host.val() {
                        self.state.next = BodyState::Host;
                    } else if self.s_kind.val().has_payload {
                        self.state.next = BodyState::Payload;
                    } else {
                        self.good.next = true;
                    }
                }
            }
            BodyState::Payload => {
                if self.takes_data.val() & self.s_data.tlast.val() {
                    self.state.next = BodyState::Head;
                    self.good.next = !self.s_data.tuser.val();
                    if self.s_data.tuser.val() {
                        self.state.next = BodyState::Fail;
                    }
                }
            }
            BodyState::Host => {
                if self.takes_host.val() {
                    if !self.is_long.val() {
                        self.beats_left.next = self.beats_left.val() - 1;
                    }
                    if self.s_host.tlast.val() {
                        self.state.next = BodyState::Head;
                        self.good.next = !self.is_long.val();
                    }
                }
            }
            BodyState::Fail => {
                if !self.fail.val() {
                    self.state.next = BodyState::Head;
                }
            }
        }
    }

    /// What is told of a frame's end.
    fn ends(&mut self) {
        self.host_end.next = self.takes_host.val() & self.s_host.tlast.val();
        self.host_done.next = self.host_end.val();
        self.pulses.next = 0.into();
        if self.good.val() {
            match self.good_kind.val().index() {
                0 => self.pulses.next.data = true,
                1 => self.pulses.next.ack = true,
                2 => self.pulses.next.host = true,
                _ => self.pulses.next.feedback = true,
            }
        }
        if self.takes_host.val() & self.s_host.tlast.val() & self.is_long.val() {
            self.pulses.next.fail = true;
        }
        if self.m_fail.ready.val() {
            self.fail.next = false;
        }
        if (self.state.val() == BodyState::Fail) & !self.fail.val() {
            self.fail.next = true;
            self.fail_flow.next = self.flow.val();
            self.fail_mark.next = self.frame.val().mark;
            self.pulses.next.fail = true;
        }
        self.pulse.next = self.pulses.val();
        self.m_fail.valid.next = self.fail.val();
        self.m_fail.flow.next = self.fail_flow.val();
        self.m_fail.mark.next = self.fail_mark.val();
    }
}
