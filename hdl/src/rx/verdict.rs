//! The verdict on a frame: one reason, one event.
//!
//! The first reason that applies, in this order, decides:
//! mac_error; oversize (frame); host or host_overflow (not RoCEv2 for us); ip_checksum; truncated;
//! length (IP and UDP); telemetry; length (transport headers); oversize (payload); icrc; version;
//! opcode; pkey; then the frame is accepted as req, ack, response or feedback.
//!
//! # Source            hdl/rx.md
//! # Interface timing  cycle 0: s_close and its flags; cycle 1: s_overflow; cycle 2: the other
//!                     flags; cycle 3: m_store, tel_unusable; cycle 4: s_icrc_ok; cycle [`LATENCY_CYCLES`]:
//!                     m_event, m_verdict, m_accept, m_unusable
//! # Latency and rate  [`LATENCY_CYCLES`]; one frame per cycle
//! # Number formats    reason: place of the event in `m_event`; in `m_early` 15 is none yet
//! # Reset             synchronous, high: no event
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::rx::reason::RxReason;
use crate::{block, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from `s_close` to the event.
pub const LATENCY_CYCLES: usize = 5;

/// Events of the verdict, one at a time: those of the specification's list in their order, then
/// response and feedback.
#[row]
pub struct VerdictEvents {
    pub host: Bit,
    pub host_overflow: Bit,
    pub req: Bit,
    pub ack: Bit,
    pub drop_mac_error: Bit,
    pub drop_truncated: Bit,
    pub drop_oversize: Bit,
    pub drop_ip_checksum: Bit,
    pub drop_length: Bit,
    pub drop_icrc: Bit,
    pub drop_opcode: Bit,
    pub drop_version: Bit,
    pub drop_pkey: Bit,
    pub drop_telemetry: Bit,
    pub response: Bit,
    pub feedback: Bit,
}

/// Verdict stage of the rx pipe.
#[block]
pub struct RxVerdict {
    /// A frame is over.
    pub s_close: Signal<In, Bit>,
    /// It is RoCEv2 for us.
    pub s_roce: Signal<In, Bit>,
    /// The MAC called it bad.
    pub s_user: Signal<In, Bit>,
    /// It is too long.
    pub s_oversize: Signal<In, Bit>,
    /// It ends before its IP packet.
    pub s_truncated: Signal<In, Bit>,
    /// IP and UDP lengths disagree.
    pub s_length: Signal<In, Bit>,
    /// The host's FIFO had no room for it.
    pub s_overflow: Signal<In, Bit>,
    /// The IPv4 header checksum is right.
    pub checksum_ok: Signal<In, Bit>,
    /// Telemetry does not fit.
    pub tel_long: Signal<In, Bit>,
    /// Telemetry is there, but not usable.
    pub tel_unusable: Signal<In, Bit>,
    /// Transport headers do not fit.
    pub len_short: Signal<In, Bit>,
    /// Payload too long.
    pub len_big: Signal<In, Bit>,
    /// Payload not empty.
    pub len_some: Signal<In, Bit>,
    /// Opcode of a request.
    pub is_request: Signal<In, Bit>,
    /// Opcode of an ACK.
    pub is_ack: Signal<In, Bit>,
    /// Opcode of a READ response.
    pub is_response: Signal<In, Bit>,
    /// Opcode of a telemetry response.
    pub is_feedback: Signal<In, Bit>,
    /// Transport version 0.
    pub version_ok: Signal<In, Bit>,
    /// Partition keys match.
    pub pkey_ok: Signal<In, Bit>,
    /// Bytes of payload.
    pub payload_bytes: Signal<In, Bits<13>>,
    /// ICRC is right.
    pub s_icrc_ok: Signal<In, Bit>,
    /// A frame is over, one cycle after `s_close`.
    pub m_close: Signal<Out, Bit>,
    /// Keep the record of the frame: it may be accepted.
    pub m_store: Signal<Out, Bit>,
    /// The verdict on a frame.
    pub m_verdict: Signal<Out, Bit>,
    /// With it: accepted.
    pub m_accept: Signal<Out, Bit>,
    /// Beats of its payload.
    pub m_beats: Signal<Out, Bits<10>>,
    /// The event of the verdict.
    pub m_event: Signal<Out, VerdictEvents>,
    /// Beside it: the accepted packet has telemetry that is not usable.
    pub m_unusable: Signal<Out, Bit>,
    reason_of: RxReason,
    close_1: Reg<Bit>,
    roce_1: Unreset<Bit>,
    user_1: Unreset<Bit>,
    oversize_1: Unreset<Bit>,
    truncated_1: Unreset<Bit>,
    length_1: Unreset<Bit>,
    close_2: Reg<Bit>,
    roce_2: Unreset<Bit>,
    user_2: Unreset<Bit>,
    oversize_2: Unreset<Bit>,
    truncated_2: Unreset<Bit>,
    length_2: Unreset<Bit>,
    overflow_2: Unreset<Bit>,
    close_3: Reg<Bit>,
    close_4: Reg<Bit>,
    early_4: Unreset<Bits<4>>,
    late_4: Unreset<Bits<4>>,
    unusable_4: Unreset<Bit>,
    unusable: Reg<Bit>,
    is_done: Reg<Bit>,
    accept: Reg<Bit>,
    beats: Unreset<Bits<10>>,
    events: Reg<Bits<16>>,
    keep_record: Signal<Local, Bit>,
    reason: Signal<Local, Bits<4>>,
    one: Signal<Local, Bits<16>>,
    whole_beats: Signal<Local, Bits<10>>,
    good: Signal<Local, Bit>,
}

impl Logic for RxVerdict {
    #[hdl_gen]
    fn update(&mut self) {
        comment!(
            "A frame that only its ICRC, version, opcode or key can still spoil has 8 beats or"
        );
        comment!("more: the next such frame ends after this one's verdict.");
        self.keep_record.next = self.close_3.val() & (self.reason_of.m_early.val() == 15);
        self.m_close.next = self.close_1.val();
        self.m_store.next = self.keep_record.val();
        self.m_verdict.next = self.is_done.val();
        self.m_accept.next = self.accept.val();
        self.m_beats.next = self.beats.val();
        self.m_event.next = self.events.val().into();
        self.m_unusable.next = self.unusable.val();
        self.close_1.next = self.s_close.val();
        self.roce_1.next = self.s_roce.val();
        self.user_1.next = self.s_user.val();
        self.oversize_1.next = self.s_oversize.val();
        self.truncated_1.next = self.s_truncated.val();
        self.length_1.next = self.s_length.val();
        self.close_2.next = self.close_1.val();
        self.roce_2.next = self.roce_1.val();
        self.user_2.next = self.user_1.val();
        self.oversize_2.next = self.oversize_1.val();
        self.truncated_2.next = self.truncated_1.val();
        self.length_2.next = self.length_1.val();
        self.overflow_2.next = self.s_overflow.val();
        self.close_3.next = self.close_2.val();
        self.reason_of.s_roce.next = self.roce_2.val();
        self.reason_of.s_user.next = self.user_2.val();
        self.reason_of.s_oversize.next = self.oversize_2.val();
        self.reason_of.s_truncated.next = self.truncated_2.val();
        self.reason_of.s_length.next = self.length_2.val();
        self.reason_of.s_overflow.next = self.overflow_2.val();
        self.reason_of.checksum_ok.next = self.checksum_ok.val();
        self.reason_of.tel_long.next = self.tel_long.val();
        self.reason_of.len_short.next = self.len_short.val();
        self.reason_of.len_big.next = self.len_big.val();
        self.reason_of.len_some.next = self.len_some.val();
        self.reason_of.is_request.next = self.is_request.val();
        self.reason_of.is_ack.next = self.is_ack.val();
        self.reason_of.is_response.next = self.is_response.val();
        self.reason_of.is_feedback.next = self.is_feedback.val();
        self.reason_of.version_ok.next = self.version_ok.val();
        self.reason_of.pkey_ok.next = self.pkey_ok.val();
        self.whole_beats.next = self.payload_bytes.val().get_bits::<10>(3);
        if self.keep_record.val() {
            self.beats.next = self.whole_beats.val();
            if self.payload_bytes.val().get_bits::<3>(0).any() {
                self.beats.next = self.whole_beats.val() + 1;
            }
        }
        comment!("The CRC is there one cycle later.");
        self.close_4.next = self.close_3.val();
        self.early_4.next = self.reason_of.m_early.val();
        self.late_4.next = self.reason_of.m_late.val();
        self.unusable_4.next = self.tel_unusable.val();
        self.reason.next = self.late_4.val();
        if self.early_4.val() != 15 {
            self.reason.next = self.early_4.val();
        } else if !self.s_icrc_ok.val() {
            self.reason.next = 9.into();
        }
        self.one.next = 1.into();
        self.events.next = 0.into();
        if self.close_4.val() {
            self.events.next = self.one.val() << self.reason.val();
        }
        self.is_done.next = self.close_4.val();
        self.good.next = self.close_4.val()
            & ((self.reason.val() == 2)
                | (self.reason.val() == 3)
                | (self.reason.val() == 14)
                | (self.reason.val() == 15));
        self.accept.next = self.good.val();
        self.unusable.next = self.good.val() & self.unusable_4.val();
    }
}
