//! What telemetry responses are judged by: each flow's row, the PSN behind its latest READ response,
//! and the PSN of its latest telemetry response.
//!
//! # Interface timing  cycle 0: look, without row_comes and sends; cycle 1: the words, is_on and
//!                     is_followed, until the next look
//! # Reset             synchronous, high: no flow has telemetry, none has sent
//! # Twins             part of sim/src/golden/transport/feedback_in.rs, tests/feedback_in.rs

use crate::util::ram::Ram;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Tables of `F = 2^FB` flows.
#[derive(LogicBlock)]
pub struct FeedbackFlows<const FB: usize, const F: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// A queue pair row comes into force.
    pub row_comes: Signal<In, Bit>,
    /// Its flow.
    pub row_flow: Signal<In, Bits<FB>>,
    /// It is valid and has telemetry.
    pub row_telemetry: Signal<In, Bit>,
    /// Its QPN.
    pub row_qpn: Signal<In, Bits<24>>,
    /// Its peer's address.
    pub row_ip: Signal<In, Bits<32>>,
    /// A READ response is sent.
    pub sends: Signal<In, Bit>,
    /// Its flow.
    pub sent_flow: Signal<In, Bits<FB>>,
    /// Its PSN.
    pub sent_psn: Signal<In, Bits<24>>,
    /// Look a flow up.
    pub look: Signal<In, Bit>,
    /// The flow.
    pub flow: Signal<In, Bits<FB>>,
    /// A telemetry response of it counts.
    pub count: Signal<In, Bit>,
    /// It is ahead of the one before.
    pub count_ahead: Signal<In, Bit>,
    /// Its PSN.
    pub count_psn: Signal<In, Bits<24>>,
    /// QPN of the row.
    pub qpn: Signal<Out, Bits<24>>,
    /// Address of the row.
    pub ip: Signal<Out, Bits<32>>,
    /// PSN behind the latest READ response.
    pub snd_nxt: Signal<Out, Bits<24>>,
    /// PSN of the latest telemetry response that counted.
    pub last: Signal<Out, Bits<24>>,
    /// The flow has telemetry and has sent READ responses.
    pub is_on: Signal<Out, Bit>,
    /// A telemetry response has counted before.
    pub is_followed: Signal<Out, Bit>,
    rows: Ram<FB, 56>,
    sent: Ram<FB, 24>,
    seen: Ram<FB, 24>,
    enabled: DFF<Bits<F>>,
    has_sent: DFF<Bits<F>>,
    has_seen: DFF<Bits<F>>,
    on: DFF<Bit>,
    followed: DFF<Bit>,
    row_mask: Signal<Local, Bits<F>>,
    not_row: Signal<Local, Bits<F>>,
    enable_mask: Signal<Local, Bits<F>>,
    sent_mask: Signal<Local, Bits<F>>,
    seen_mask: Signal<Local, Bits<F>>,
    one: Constant<Bits<F>>,
}

impl<const FB: usize, const F: usize> Default for FeedbackFlows<FB, F> {
    fn default() -> Self {
        assert!(F == 1 << FB, "F = 2^FB");
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            row_comes: Default::default(),
            row_flow: Default::default(),
            row_telemetry: Default::default(),
            row_qpn: Default::default(),
            row_ip: Default::default(),
            sends: Default::default(),
            sent_flow: Default::default(),
            sent_psn: Default::default(),
            look: Default::default(),
            flow: Default::default(),
            count: Default::default(),
            count_ahead: Default::default(),
            count_psn: Default::default(),
            qpn: Default::default(),
            ip: Default::default(),
            snd_nxt: Default::default(),
            last: Default::default(),
            is_on: Default::default(),
            is_followed: Default::default(),
            rows: Default::default(),
            sent: Default::default(),
            seen: Default::default(),
            enabled: Default::default(),
            has_sent: Default::default(),
            has_seen: Default::default(),
            on: Default::default(),
            followed: Default::default(),
            row_mask: Default::default(),
            not_row: Default::default(),
            enable_mask: Default::default(),
            sent_mask: Default::default(),
            seen_mask: Default::default(),
            one: Constant::new(1u64.to_bits()),
        }
    }
}

impl<const FB: usize, const F: usize> Logic for FeedbackFlows<FB, F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, enabled, has_sent, has_seen, on, followed);
        clock!(self, clock, rows, sent, seen);
        self.qpn.next = self.rows.read_data.val().get_bits::<24>(0);
        self.ip.next = self.rows.read_data.val().get_bits::<32>(24);
        self.snd_nxt.next = self.sent.read_data.val();
        self.last.next = self.seen.read_data.val();
        self.is_on.next = self.on.q.val();
        self.is_followed.next = self.followed.q.val();
        self.rows.write_enable.next = self.row_comes.val();
        self.rows.write_address.next = self.row_flow.val();
        self.rows.write_data.next =
            bit_cast::<56, 24>(self.row_qpn.val()) | (bit_cast::<56, 32>(self.row_ip.val()) << 24);
        self.rows.read_enable.next = self.look.val();
        self.rows.read_address.next = self.flow.val();
        self.sent.write_enable.next = self.sends.val();
        self.sent.write_address.next = self.sent_flow.val();
        self.sent.write_data.next = self.sent_psn.val() + 1;
        self.sent.read_enable.next = self.look.val();
        self.sent.read_address.next = self.flow.val();
        self.seen.write_enable.next = self.count.val() & self.count_ahead.val();
        self.seen.write_address.next = self.flow.val();
        self.seen.write_data.next = self.count_psn.val();
        self.seen.read_enable.next = self.look.val();
        self.seen.read_address.next = self.flow.val();
        comment!("A row makes its flow forget what was sent and seen.");
        self.row_mask.next = 0.into();
        self.enable_mask.next = 0.into();
        self.sent_mask.next = 0.into();
        self.seen_mask.next = 0.into();
        if self.row_comes.val() {
            self.row_mask.next = self.one.val() << self.row_flow.val();
            if self.row_telemetry.val() {
                self.enable_mask.next = self.one.val() << self.row_flow.val();
            }
        }
        if self.sends.val() {
            self.sent_mask.next = self.one.val() << self.sent_flow.val();
        }
        if self.count.val() {
            self.seen_mask.next = self.one.val() << self.flow.val();
        }
        self.not_row.next = !self.row_mask.val();
        self.enabled.d.next = (self.enabled.q.val() & self.not_row.val()) | self.enable_mask.val();
        self.has_sent.d.next = (self.has_sent.q.val() | self.sent_mask.val()) & self.not_row.val();
        self.has_seen.d.next = (self.has_seen.q.val() | self.seen_mask.val()) & self.not_row.val();
        if self.look.val() {
            self.on.d.next = self.enabled.q.val().get_bit(self.flow.val().index())
                & self.has_sent.q.val().get_bit(self.flow.val().index());
            self.followed.d.next = self.has_seen.q.val().get_bit(self.flow.val().index());
        }
        if self.reset.val() {
            self.enabled.d.next = 0.into();
            self.has_sent.d.next = 0.into();
            self.has_seen.d.next = 0.into();
        }
    }
}
