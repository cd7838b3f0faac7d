//! What telemetry responses are judged by: each queue pair's row, and of its data and of its READ
//! responses the PSN behind the latest packet and the PSN of the latest telemetry.
//!
//! # Interface timing  cycle 0: look, without row_comes and sends; cycle 1: the words, is_on and
//!                     is_followed, until the next look. row_writes, sends, count and ack: one of
//!                     them in a cycle. Each half of the words has a row_writes of its own
//! # Number formats    words of paced flows: `{0, flow}` data, `{1, flow}` READ responses. A row sets both
//!                     to `first_psn` and the PSN before it: nothing is sent, nothing is new; nor is
//!                     anything seen
//! # Reset             synchronous, high: 2^FB cycles of scrubbing without look and row_comes, then no
//!                     flow has telemetry
//! # Twins             part of sim/models/src/golden/transport/feedback/input.rs,
//!                     tests/transport/feedback_in.rs

use crate::util::ram::Ram;
use crate::{block, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Whom a flow's feedback is from.
#[row]
struct FeedbackRow {
    qpn: Bits<24>,        // Our QPN
    ip: Bits<32>,         // The peer's address
    remote_qpn: Bits<24>, // The peer's QPN
    telemetry: Bit,       // It is valid and has telemetry
}

/// What a flow has sent.
#[row]
struct SentRow {
    psn: Bits<24>, // PSN behind the latest packet
    is_sent: Bit,  // There was one since the row
}

/// The latest telemetry or window of a flow.
#[row]
struct SeenRow {
    psn: Bits<24>, // Its PSN
    is_seen: Bit,  // There was one since the row
}

/// Tables of `2^FB` queue pairs, `FP1 = FB + 1`.
#[block(check(FP1 == FB + 1))]
pub struct FeedbackFlows<const FB: usize, const FP1: usize> {
    /// The tables are clear.
    pub ready: Signal<Out, Bit>,
    /// A queue pair row comes into force: until the last `row_writes`.
    pub row_comes: Signal<In, Bit>,
    /// The words of its data or READ responses take it.
    pub row_writes: Signal<In, Bit>,
    /// Those of its READ responses.
    pub row_replies: Signal<In, Bit>,
    /// Its flow.
    pub row_flow: Signal<In, Bits<FB>>,
    /// It is valid and has telemetry.
    pub row_telemetry: Signal<In, Bit>,
    /// Its QPN.
    pub row_qpn: Signal<In, Bits<24>>,
    /// Its peer's address.
    pub row_ip: Signal<In, Bits<32>>,
    /// Its peer's QPN.
    pub row_remote: Signal<In, Bits<24>>,
    /// The PSN before its first data packet.
    pub row_before: Signal<In, Bits<24>>,
    /// A packet is sent.
    pub sends: Signal<In, Bit>,
    /// Its paced flow; top bit: a READ response.
    pub sent_flow: Signal<In, Bits<FP1>>,
    /// Its PSN.
    pub sent_psn: Signal<In, Bits<24>>,
    /// Look a flow up.
    pub look: Signal<In, Bit>,
    /// The flow.
    pub flow: Signal<In, Bits<FB>>,
    /// Its data; else its READ responses.
    pub direct: Signal<In, Bit>,
    /// Telemetry or a window of a flow counts.
    pub count: Signal<In, Bit>,
    /// The flow.
    pub count_flow: Signal<In, Bits<FB>>,
    /// Its data; else its READ responses.
    pub count_direct: Signal<In, Bit>,
    /// It is ahead of the one before.
    pub count_ahead: Signal<In, Bit>,
    /// Its PSN.
    pub count_psn: Signal<In, Bits<24>>,
    /// An ACK has brought telemetry.
    pub ack: Signal<In, Bit>,
    /// Its flow.
    pub ack_flow: Signal<In, Bits<FB>>,
    /// Its PSN.
    pub ack_psn: Signal<In, Bits<24>>,
    /// QPN of the row.
    pub qpn: Signal<Out, Bits<24>>,
    /// Address of the row.
    pub ip: Signal<Out, Bits<32>>,
    /// QPN of the row's peer.
    pub remote: Signal<Out, Bits<24>>,
    /// PSN behind the latest packet.
    pub snd_nxt: Signal<Out, Bits<24>>,
    /// PSN of the latest telemetry.
    pub last: Signal<Out, Bits<24>>,
    /// The flow has telemetry and has sent READ responses, or its data is asked for.
    pub is_on: Signal<Out, Bit>,
    /// `last` is known.
    pub is_followed: Signal<Out, Bit>,
    /// `last` is of telemetry or a window, since its row.
    pub is_seen: Signal<Out, Bit>,
    rows: Ram<FB, FeedbackRow>,
    sent: Ram<FP1, SentRow>,
    seen: Ram<FP1, SeenRow>,
    scrub: Reg<Bits<FP1>>,
    of_data: Unreset<Bit>,
    clear: Signal<Local, Bit>,
    of_reply: Signal<Local, Bits<FP1>>,
    read_flow: Signal<Local, Bits<FP1>>,
    of_count: Signal<Local, Bits<FP1>>,
    of_row: Signal<Local, Bits<FP1>>,
    sent_before: Signal<Local, Bits<24>>,
    #[init(Constant::new((1u64 << FB).to_bits()))]
    top: Constant<Bits<FP1>>,
}

impl<const FB: usize, const FP1: usize> Logic for FeedbackFlows<FB, FP1> {
    #[hdl_gen]
    fn update(&mut self) {
        self.clear.next = (self.scrub.val() & self.top.val()).any();
        self.ready.next = self.clear.val();
        if !self.clear.val() {
            self.scrub.next = self.scrub.val() + 1;
        }
        self.qpn.next = self.rows.read_data.val().qpn;
        self.ip.next = self.rows.read_data.val().ip;
        self.remote.next = self.rows.read_data.val().remote_qpn;
        self.snd_nxt.next = self.sent.read_data.val().psn;
        self.last.next = self.seen.read_data.val().psn;
        self.is_seen.next = self.seen.read_data.val().is_seen;
        self.is_on.next = self.rows.read_data.val().telemetry
            & (self.sent.read_data.val().is_sent | self.of_data.val());
        self.is_followed.next = self.seen.read_data.val().is_seen | self.of_data.val();
        self.rows.write_enable.next = self.row_comes.val() | !self.clear.val();
        self.rows.write_address.next = self.scrub.val().get_bits::<FB>(0);
        self.rows.write_data.next.telemetry = false;
        if self.clear.val() {
            self.rows.write_address.next = self.row_flow.val();
            self.rows.write_data.next.telemetry = self.row_telemetry.val();
        }
        self.rows.write_data.next.qpn = self.row_qpn.val();
        self.rows.write_data.next.ip = self.row_ip.val();
        self.rows.write_data.next.remote_qpn = self.row_remote.val();
        self.rows.read_enable.next = self.look.val();
        self.rows.read_address.next = self.flow.val();
        self.of_reply.next = self.top.val();
        if self.direct.val() {
            self.of_reply.next = 0.into();
        }
        self.read_flow.next = bit_cast::<FP1, FB>(self.flow.val()) | self.of_reply.val();
        self.sent.write_enable.next = self.sends.val() | self.row_writes.val();
        self.sent.write_address.next = self.sent_flow.val();
        self.sent_before.next = self.sent_psn.val();
        self.sent.read_enable.next = self.look.val();
        self.sent.read_address.next = self.read_flow.val();
        self.seen.write_enable.next =
            (self.count.val() & self.count_ahead.val()) | self.ack.val() | self.row_writes.val();
        self.of_count.next = self.top.val();
        if self.count_direct.val() {
            self.of_count.next = 0.into();
        }
        self.seen.write_address.next =
            bit_cast::<FP1, FB>(self.count_flow.val()) | self.of_count.val();
        self.seen.write_data.next.psn = self.count_psn.val();
        self.seen.write_data.next.is_seen = !self.row_writes.val();
        if self.ack.val() {
            self.seen.write_address.next = bit_cast::<FP1, FB>(self.ack_flow.val());
            self.seen.write_data.next.psn = self.ack_psn.val();
        }
        comment!("A row makes its flow forget what was sent and seen.");
        self.of_row.next = 0.into();
        if self.row_replies.val() {
            self.of_row.next = self.top.val();
        }
        if self.row_writes.val() {
            self.sent.write_address.next =
                bit_cast::<FP1, FB>(self.row_flow.val()) | self.of_row.val();
            self.sent_before.next = self.row_before.val();
            self.seen.write_address.next =
                bit_cast::<FP1, FB>(self.row_flow.val()) | self.of_row.val();
            self.seen.write_data.next.psn = self.row_before.val();
        }
        self.sent.write_data.next.psn = self.sent_before.val() + 1;
        self.sent.write_data.next.is_sent = !self.row_writes.val();
        self.seen.read_enable.next = self.look.val();
        self.seen.read_address.next = self.read_flow.val();
        if self.look.val() {
            self.of_data.next = self.direct.val();
        }
    }
}
