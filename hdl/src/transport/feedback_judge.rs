//! Whether a telemetry response, a window or the telemetry of a request counts, and the PSN that the congestion
//! control sees of it.
//!
//! # Source            ARCHITECTURE.md, telemetry responses, windows of a receiver
//! # Interface timing  cycle 0: look; cycle 1: outputs, until the next look's
//! # Number formats    PSNs | UQ24.0 | serial numbers
//! # Reset             none: follows its inputs
//! # Twins             part of sim/src/golden/transport/feedback_in.rs, tests/feedback_in.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Verdict on a telemetry response.
#[derive(LogicBlock)]
pub struct FeedbackJudge {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
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
    known: DFF<Bit>,
    from_peer: DFF<Bit>,
    own: DFF<Bit>,
    remote: DFF<Bit>,
    followed: DFF<Bit>,
    fresh: DFF<Bit>,
    counts: DFF<Bit>,
    fills: DFF<Bit>,
    copies: DFF<Bit>,
    is_good: Signal<Local, Bit>,
    ours: DFF<Bit>,
    is_back: DFF<Bit>,
    snd_nxt: DFF<Bits<24>>,
    step: DFF<Bits<24>>,
    far: DFF<Bits<24>>,
    shown: DFF<Bits<24>>,
    behind: Signal<Local, Bits<24>>,
    steps_back: Signal<Local, Bit>,
    is_far: Signal<Local, Bit>,
    is_right: Signal<Local, Bit>,
    is_ours: Signal<Local, Bit>,
    is_stale: Signal<Local, Bit>,
    far_step: Constant<Bits<24>>,
    back_bits: Constant<Bits<8>>,
}

impl Default for FeedbackJudge {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            look: Default::default(),
            compare: Default::default(),
            may: Default::default(),
            psn: Default::default(),
            direct: Default::default(),
            by_port: Default::default(),
            window: Default::default(),
            request: Default::default(),
            qpn: Default::default(),
            src_ip: Default::default(),
            row_qpn: Default::default(),
            row_remote: Default::default(),
            row_ip: Default::default(),
            row_snd_nxt: Default::default(),
            row_last: Default::default(),
            is_on: Default::default(),
            is_followed: Default::default(),
            is_seen: Default::default(),
            m_counts: Default::default(),
            m_fills: Default::default(),
            m_copies: Default::default(),
            m_is_ours: Default::default(),
            m_is_back: Default::default(),
            m_psn: Default::default(),
            m_snd_nxt: Default::default(),
            known: Default::default(),
            from_peer: Default::default(),
            own: Default::default(),
            remote: Default::default(),
            followed: Default::default(),
            fresh: Default::default(),
            counts: Default::default(),
            fills: Default::default(),
            copies: Default::default(),
            is_good: Default::default(),
            ours: Default::default(),
            is_ours: Default::default(),
            is_back: Default::default(),
            snd_nxt: Default::default(),
            step: Default::default(),
            far: Default::default(),
            shown: Default::default(),
            behind: Default::default(),
            steps_back: Default::default(),
            is_far: Default::default(),
            is_right: Default::default(),
            is_stale: Default::default(),
            far_step: Constant::new((1u64 << 22).to_bits()),
            back_bits: Constant::new(0xffu64.to_bits()),
        }
    }
}

impl Logic for FeedbackJudge {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, known, from_peer, own, remote, followed, fresh, counts, fills, copies,
            ours, is_back, snd_nxt, step, far, shown
        );
        self.m_counts.next = self.counts.q.val();
        self.m_fills.next = self.fills.q.val();
        self.m_copies.next = self.copies.q.val();
        self.m_is_ours.next = self.ours.q.val();
        self.m_is_back.next = self.is_back.q.val();
        self.m_psn.next = self.shown.q.val();
        self.m_snd_nxt.next = self.snd_nxt.q.val();
        if self.look.val() {
            self.snd_nxt.d.next = self.row_snd_nxt.val();
            self.step.d.next = self.psn.val() - self.row_last.val();
            self.far.d.next = self.row_last.val() + self.far_step.val();
            self.followed.d.next = self.is_followed.val();
            self.fresh.d.next = self.window.val() & !self.is_seen.val();
            self.known.d.next = self.is_on.val() & self.may.val();
            self.from_peer.d.next = self.row_ip.val() == self.src_ip.val();
            self.own.d.next = self.row_qpn.val() == self.qpn.val();
            self.remote.d.next = self.row_remote.val() == self.qpn.val();
        }
        comment!(
            "A switch knows the queue pair that the packet went to, a peer that which it came from."
        );
        self.is_right.next =
            (!self.by_port.val() & self.own.q.val()) | (self.by_port.val() & self.remote.q.val());
        self.is_ours.next = self.known.q.val() & self.from_peer.q.val() & self.is_right.val();
        comment!("Behind the next PSN, and how far from the telemetry response before.");
        self.behind.next = self.psn.val() - self.snd_nxt.q.val();
        self.steps_back.next = self.step.q.val().get_bits::<8>(16) == self.back_bits.val();
        comment!("The first window of a queue pair is new, whatever its time.");
        self.is_stale.next = self.direct.val()
            & !self.fresh.q.val()
            & (self.steps_back.val() | !self.step.q.val().any());
        self.is_far.next = self.followed.q.val()
            & !self.direct.val()
            & !self.steps_back.val()
            & self.step.q.val().get_bits::<2>(22).any();
        self.is_good.next = self.is_ours.val()
            & (self.request.val()
                | ((self.behind.val().get_bit(23) | self.window.val()) & !self.is_stale.val()));
        if self.compare.val() {
            self.ours.d.next = self.is_ours.val();
            self.counts.d.next = self.is_good.val();
            self.fills.d.next = self.is_good.val() & !self.window.val();
            self.copies.d.next = self.is_good.val() & !self.window.val() & !self.request.val();
            self.is_back.d.next =
                self.followed.q.val() & self.steps_back.val() & !self.fresh.q.val();
            self.shown.d.next = self.psn.val();
            if self.is_far.val() {
                self.shown.d.next = self.far.q.val();
            }
        }
    }
}
