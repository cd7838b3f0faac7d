//! The verdict on a frame: one reason, one event.
//!
//! The first reason that applies, in this order, decides:
//! mac_error; oversize (frame); host or host_overflow (not RoCEv2 for us); ip_checksum; truncated;
//! length (IP and UDP); telemetry; length (transport headers); oversize (payload); icrc; version;
//! opcode; pkey; then the frame is accepted as req, ack, response or feedback.
//!
//! # Source            hdl/rx.md
//! # Interface timing  cycle 0: s_close and the flags of IPv4 and UDP; cycle 1: s_telemetry; cycle 2:
//!                     s_overflow; cycle 4: the flags of the BTH; cycle 5: s_checksum_ok and those
//!                     of the lengths; cycle 6: m_write, s_icrc_ok, tel_unusable; cycle 7: m_store;
//!                     cycle [`LATENCY_CYCLES`]: m_event, m_accept, m_unusable
//! # Latency and rate  [`LATENCY_CYCLES`]; one frame per cycle
//! # Number formats    reason: place of the event in `m_event`; in `m_early` 15 is none yet
//! # Reset             synchronous, high: no event
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::rx::reason::RxReason;
use crate::{block, kernel, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from `s_close` to the event.
pub const LATENCY_CYCLES: usize = 8;

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

/// Verdict stage of the rx pipe; `LB` beats of payload are 2^LB bytes.
#[block]
pub struct RxVerdict<const LB: usize> {
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
    /// Telemetry does not fit.
    pub s_telemetry: Signal<In, Bit>,
    /// The host's FIFO had no room for it.
    pub s_overflow: Signal<In, Bit>,
    /// The IPv4 header checksum is right.
    pub s_checksum_ok: Signal<In, Bit>,
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
    /// Transport headers do not fit.
    pub len_short: Signal<In, Bit>,
    /// Payload too long.
    pub len_big: Signal<In, Bit>,
    /// Payload not empty.
    pub len_some: Signal<In, Bit>,
    /// Bytes of payload.
    pub payload_bytes: Signal<In, Bits<13>>,
    /// ICRC is right.
    pub s_icrc_ok: Signal<In, Bit>,
    /// Telemetry is there, but not usable.
    pub tel_unusable: Signal<In, Bit>,
    /// A frame is over: here is its record, if it is accepted.
    pub m_write: Signal<Out, Bit>,
    /// Bytes of its payload.
    pub m_payload_bytes: Signal<Out, Bits<13>>,
    /// One cycle later: it is.
    pub m_store: Signal<Out, Bit>,
    /// Another one later: a frame is accepted.
    pub m_accept: Signal<Out, Bit>,
    /// Beats of its payload.
    pub m_beats: Signal<Out, Bits<10>>,
    /// The event of the verdict.
    pub m_event: Signal<Out, VerdictEvents>,
    /// Beside it: the accepted packet has telemetry that is not usable.
    pub m_unusable: Signal<Out, Bit>,
    reason_of: RxReason,
    closes: [Reg<Bit>; 6],
    roces: [Unreset<Bit>; 5],
    users: [Unreset<Bit>; 5],
    oversizes: [Unreset<Bit>; 5],
    truncates: [Unreset<Bit>; 5],
    lengths: [Unreset<Bit>; 5],
    telemetries: [Unreset<Bit>; 4],
    overflows: [Unreset<Bit>; 3],
    request: Unreset<Bit>,
    ack: Unreset<Bit>,
    response: Unreset<Bit>,
    feedback: Unreset<Bit>,
    version: Unreset<Bit>,
    pkey: Unreset<Bit>,
    bytes_6: Unreset<Bits<13>>,
    bytes: Unreset<Bits<13>>,
    is_done: Reg<Bit>,
    is_good: Reg<Bit>,
    reason: Unreset<Bits<4>>,
    accept: Reg<Bit>,
    no_use: Unreset<Bit>,
    unusable: Reg<Bit>,
    beats: Unreset<Bits<10>>,
    events: Reg<Bits<16>>,
    ranking: Signal<Local, Bits<4>>,
    one: Signal<Local, Bits<16>>,
    whole_beats: Signal<Local, Bits<13>>,
    lanes: Signal<Local, Bits<13>>,
    #[value(LB as u64)]
    beat_shift: Constant<Bits<4>>,
    #[value((1 << LB) - 1)]
    lane_mask: Constant<Bits<13>>,
}

#[kernel]
impl<const LB: usize> RxVerdict<LB> {
    fn update(&mut self) {
        self.m_store.next = self.is_good.val();
        self.m_write.next = self.closes[5].val();
        self.m_payload_bytes.next = self.bytes_6.val();
        self.m_accept.next = self.accept.val();
        self.m_beats.next = self.beats.val();
        self.m_event.next = self.events.val().into();
        self.m_unusable.next = self.unusable.val();
        self.wait();
        self.decide();
    }

    /// What is known earlier waits for what is known later.
    fn wait(&mut self) {
        self.closes[0].next = self.s_close.val();
        self.roces[0].next = self.s_roce.val();
        self.users[0].next = self.s_user.val();
        self.oversizes[0].next = self.s_oversize.val();
        self.truncates[0].next = self.s_truncated.val();
        self.lengths[0].next = self.s_length.val();
        self.telemetries[0].next = self.s_telemetry.val();
        self.overflows[0].next = self.s_overflow.val();
        for i in 0..5 {
            self.closes[i + 1].next = self.closes[i].val();
        }
        for i in 0..4 {
            self.roces[i + 1].next = self.roces[i].val();
            self.users[i + 1].next = self.users[i].val();
            self.oversizes[i + 1].next = self.oversizes[i].val();
            self.truncates[i + 1].next = self.truncates[i].val();
            self.lengths[i + 1].next = self.lengths[i].val();
        }
        for i in 0..3 {
            self.telemetries[i + 1].next = self.telemetries[i].val();
        }
        for i in 0..2 {
            self.overflows[i + 1].next = self.overflows[i].val();
        }
        self.request.next = self.is_request.val();
        self.ack.next = self.is_ack.val();
        self.response.next = self.is_response.val();
        self.feedback.next = self.is_feedback.val();
        self.version.next = self.version_ok.val();
        self.pkey.next = self.pkey_ok.val();
        self.reason_of.s_roce.next = self.roces[4].val();
        self.reason_of.s_user.next = self.users[4].val();
        self.reason_of.s_oversize.next = self.oversizes[4].val();
        self.reason_of.s_truncated.next = self.truncates[4].val();
        self.reason_of.s_length.next = self.lengths[4].val();
        self.reason_of.s_overflow.next = self.overflows[2].val();
        self.reason_of.checksum_ok.next = self.s_checksum_ok.val();
        self.reason_of.tel_long.next = self.telemetries[3].val();
        self.reason_of.len_short.next = self.len_short.val();
        self.reason_of.len_big.next = self.len_big.val();
        self.reason_of.len_some.next = self.len_some.val();
        self.reason_of.is_request.next = self.request.val();
        self.reason_of.is_ack.next = self.ack.val();
        self.reason_of.is_response.next = self.response.val();
        self.reason_of.is_feedback.next = self.feedback.val();
        self.reason_of.version_ok.next = self.version.val();
        self.reason_of.pkey_ok.next = self.pkey.val();
        self.bytes_6.next = self.payload_bytes.val();
        self.bytes.next = self.bytes_6.val();
    }

    /// The CRC is there one cycle after the reasons that rank before and behind it.
    fn decide(&mut self) {
        self.ranking.next = self.reason_of.m_late.val();
        if self.reason_of.m_early.val() != 15 {
            self.ranking.next = self.reason_of.m_early.val();
        } else if !self.s_icrc_ok.val() {
            self.ranking.next = 9.into();
        }
        self.reason.next = self.ranking.val();
        self.is_done.next = self.closes[5].val();
        self.is_good.next = self.closes[5].val()
            & ((self.ranking.val() == 2)
                | (self.ranking.val() == 3)
                | (self.ranking.val() == 14)
                | (self.ranking.val() == 15));
        self.one.next = 1.into();
        self.events.next = 0.into();
        if self.is_done.val() {
            self.events.next = self.one.val() << self.reason.val();
        }
        self.accept.next = self.is_good.val();
        self.no_use.next = self.tel_unusable.val();
        self.unusable.next = self.is_good.val() & self.no_use.val();
        self.whole_beats.next = self.bytes.val() >> self.beat_shift.val();
        self.lanes.next = self.bytes.val() & self.lane_mask.val();
        self.beats.next = bit_cast::<10, 13>(self.whole_beats.val());
        if self.lanes.val().any() {
            self.beats.next = bit_cast::<10, 13>(self.whole_beats.val()) + 1;
        }
    }
}
