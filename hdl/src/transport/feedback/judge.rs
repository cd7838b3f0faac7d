//! Whether a telemetry response, a window or the telemetry of a request counts, and the PSN that the congestion
//! control sees of it.
//!
//! # Source            hdl/feedback.md
//! # Interface timing  cycle 0: look; cycle 1: outputs, until the next look's
//! # Number formats    PSNs | UQ24.0 | serial numbers
//! # Reset             none: follows its inputs
//! # Twins             part of sim/models/src/golden/transport/feedback/input.rs,
//!                     tests/transport/feedback_in.rs

use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Verdict on a telemetry response.
#[block(no_reset)]
pub struct FeedbackJudge {
    /// The inputs stand: first half of the work.
    pub look: Signal<In, Bit>,
    /// The cycle after: second half.
    pub compare: Signal<In, Bit>,
    /// It has what it needs, telemetry mostly.
    pub may: Signal<In, Bit>,
    /// Its PSN.
    pub psn: Signal<In, Bits<24>>,
    /// It is about data.
    pub direct: Signal<In, Bit>,
    /// It has the peer's queue pair, not ours.
    pub by_port: Signal<In, Bit>,
    /// It is a window.
    pub window: Signal<In, Bit>,
    /// It is a request.
    pub request: Signal<In, Bit>,
    /// Its queue pair.
    pub qpn: Signal<In, Bits<24>>,
    /// Its source address.
    pub src_ip: Signal<In, Bits<32>>,
    /// QPN of the row.
    pub row_qpn: Signal<In, Bits<24>>,
    /// Peer's QPN in the row.
    pub row_remote: Signal<In, Bits<24>>,
    /// Peer's address in the row.
    pub row_ip: Signal<In, Bits<32>>,
    /// PSN behind the latest packet.
    pub row_snd_nxt: Signal<In, Bits<24>>,
    /// PSN of the latest telemetry.
    pub row_last: Signal<In, Bits<24>>,
    /// The flow has telemetry and has sent packets.
    pub is_on: Signal<In, Bit>,
    /// `row_last` is known.
    pub is_followed: Signal<In, Bit>,
    /// `row_last` is of telemetry or a window.
    pub is_seen: Signal<In, Bit>,
    /// It counts.
    pub m_counts: Signal<Out, Bit>,
    /// It counts for the congestion control.
    pub m_fills: Signal<Out, Bit>,
    /// And is no request.
    pub m_copies: Signal<Out, Bit>,
    /// It is from the peer, about this flow, with telemetry: if it answers a probe, that one is answered.
    pub m_is_ours: Signal<Out, Bit>,
    /// It was overtaken.
    pub m_is_back: Signal<Out, Bit>,
    /// PSN for the congestion control.
    pub m_psn: Signal<Out, Bits<24>>,
    /// Next PSN to send.
    pub m_snd_nxt: Signal<Out, Bits<24>>,
    known: Unreset<Bit>,
    from_peer: Unreset<Bit>,
    own: Unreset<Bit>,
    remote: Unreset<Bit>,
    followed: Unreset<Bit>,
    fresh: Unreset<Bit>,
    counts: Unreset<Bit>,
    fills: Unreset<Bit>,
    copies: Unreset<Bit>,
    is_good: Signal<Local, Bit>,
    ours: Unreset<Bit>,
    is_back: Unreset<Bit>,
    snd_nxt: Unreset<Bits<24>>,
    step: Unreset<Bits<24>>,
    far: Unreset<Bits<24>>,
    shown: Unreset<Bits<24>>,
    behind: Signal<Local, Bits<24>>,
    steps_back: Signal<Local, Bit>,
    is_far: Signal<Local, Bit>,
    is_right: Signal<Local, Bit>,
    is_ours: Signal<Local, Bit>,
    is_stale: Signal<Local, Bit>,
    #[init(Constant::new((1u64 << 22).to_bits()))]
    far_step: Constant<Bits<24>>,
    #[init(Constant::new(0xffu64.to_bits()))]
    back_bits: Constant<Bits<8>>,
}

impl Logic for FeedbackJudge {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_counts.next = self.counts.val();
        self.m_fills.next = self.fills.val();
        self.m_copies.next = self.copies.val();
        self.m_is_ours.next = self.ours.val();
        self.m_is_back.next = self.is_back.val();
        self.m_psn.next = self.shown.val();
        self.m_snd_nxt.next = self.snd_nxt.val();
        if self.look.val() {
            self.snd_nxt.next = self.row_snd_nxt.val();
            self.step.next = self.psn.val() - self.row_last.val();
            self.far.next = self.row_last.val() + self.far_step.val();
            self.followed.next = self.is_followed.val();
            self.fresh.next = self.window.val() & !self.is_seen.val();
            self.known.next = self.is_on.val() & self.may.val();
            self.from_peer.next = self.row_ip.val() == self.src_ip.val();
            self.own.next = self.row_qpn.val() == self.qpn.val();
            self.remote.next = self.row_remote.val() == self.qpn.val();
        }
        comment!(
            "A switch knows the queue pair that the packet went to, a peer that which it came from."
        );
        self.is_right.next =
            (!self.by_port.val() & self.own.val()) | (self.by_port.val() & self.remote.val());
        self.is_ours.next = self.known.val() & self.from_peer.val() & self.is_right.val();
        comment!("Behind the next PSN, and how far from the telemetry response before.");
        self.behind.next = self.psn.val() - self.snd_nxt.val();
        self.steps_back.next = self.step.val().get_bits::<8>(16) == self.back_bits.val();
        comment!("The first window of a queue pair is new, whatever its time.");
        self.is_stale.next = self.direct.val()
            & !self.fresh.val()
            & (self.steps_back.val() | !self.step.val().any());
        self.is_far.next = self.followed.val()
            & !self.direct.val()
            & !self.steps_back.val()
            & self.step.val().get_bits::<2>(22).any();
        self.is_good.next = self.is_ours.val()
            & (self.request.val()
                | ((self.behind.val().get_bit(23) | self.window.val()) & !self.is_stale.val()));
        if self.compare.val() {
            self.ours.next = self.is_ours.val();
            self.counts.next = self.is_good.val();
            self.fills.next = self.is_good.val() & !self.window.val();
            self.copies.next = self.is_good.val() & !self.window.val() & !self.request.val();
            self.is_back.next = self.followed.val() & self.steps_back.val() & !self.fresh.val();
            self.shown.next = self.psn.val();
            if self.is_far.val() {
                self.shown.next = self.far.val();
            }
        }
    }
}
