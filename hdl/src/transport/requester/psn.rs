//! PSNs and byte sequences of a flow, and what an answer acknowledges.
//!
//! # Source            InfiniBand, volume 1, section 9.7.2 (PSN)
//! # Interface timing  part of `requester`: read in Idle and Save, in registers from Check on, written in
//!                     Save
//! # Number formats    signal | bits | meaning
//!                     psn | 24 | modulo 2^24
//!                     seq | 32 | byte sequence, modulo 2^32: of the first payload byte behind the
//!                     PSN of that name; READs send none. It begins at 256 times the first PSN,
//!                     and so wraps as the PSNs do
//! # Invariants        una <= nxt <= high <= tail_psn; nxt is inside of a READ only where una is
//! # Reset             synchronous, high: fields 0; the sequencer scrubs the rows
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::transport::requester::state::State;
use crate::util::ram::Ram;
use crate::{block, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Row of a flow's PSNs and byte sequences.
#[row]
struct PsnRow {
    una: Bits<24>,
    nxt: Bits<24>,
    high: Bits<24>,
    tail_psn: Bits<24>,
    una_seq: Bits<32>,
    nxt_seq: Bits<32>,
    tail_seq: Bits<32>,
    stamped: Bits<24>,
}

/// PSNs of the operation's flow; `FB` = log2 of the flow count.
#[block]
pub struct RequesterPsn<const FB: usize> {
    /// State of the sequencer.
    pub state: Signal<In, State>,
    /// The next operation may be chosen.
    pub is_open: Signal<In, Bit>,
    /// Flow that is read then.
    pub read_flow: Signal<In, Bits<FB>>,
    /// Flow of the operation.
    pub flow: Signal<In, Bits<FB>>,
    /// First PSN of a queue pair row.
    pub cfg_psn: Signal<In, Bits<24>>,
    /// The PSNs before this one are acknowledged, those of READs excepted.
    pub target: Signal<In, Bits<24>>,
    /// Everything sent and not acknowledged is sent again.
    pub rewind: Signal<In, Bit>,
    /// The head leaves the queue in Retire.
    pub retires: Signal<In, Bit>,
    /// Advance ends.
    pub advances: Signal<In, Bit>,
    /// No work request is left.
    pub sq_empty: Signal<In, Bit>,
    /// The work request at hand is a READ.
    pub wr_is_read: Signal<In, Bit>,
    /// Its first PSN.
    pub wr_first_psn: Signal<In, Bits<24>>,
    /// PSN behind it.
    pub wr_end_psn: Signal<In, Bits<24>>,
    /// Its first byte sequence.
    pub wr_start_seq: Signal<In, Bits<32>>,
    /// Bytes of it that are acknowledged.
    pub wr_acked_bytes: Signal<In, Bits<32>>,
    /// Payload bytes of the packet at hand.
    pub packet_bytes: Signal<In, Bits<13>>,
    /// PSN behind the posted work request.
    pub post_end_psn: Signal<In, Bits<24>>,
    /// Its bytes.
    pub post_len: Signal<In, Bits<32>>,
    /// It is a READ.
    pub post_is_read: Signal<In, Bit>,
    /// The packet goes without telemetry.
    pub bare: Signal<In, Bit>,
    /// Only a part of the messages that wait leaves; in P2.
    pub part: Signal<In, Bit>,
    /// Byte sequence of the first one behind it.
    pub part_seq: Signal<In, Bits<32>>,
    /// Oldest unacknowledged PSN.
    pub una: Signal<Out, Bits<24>>,
    /// Next PSN to send.
    pub nxt: Signal<Out, Bits<24>>,
    /// PSN behind the highest ever sent.
    pub high: Signal<Out, Bits<24>>,
    /// The next PSN has been sent before, a cycle late.
    pub is_resend: Signal<Out, Bit>,
    /// PSN of the last packet that left room for telemetry; the first one before any has.
    pub stamped: Signal<Out, Bits<24>>,
    /// PSN of the next work request to be posted.
    pub tail_psn: Signal<Out, Bits<24>>,
    /// Its byte sequence.
    pub tail_seq: Signal<Out, Bits<32>>,
    /// Bytes sent and not acknowledged; as of Emit or Arm.
    pub inflight: Signal<Out, Bits<32>>,
    /// Bytes of the WRITEs that are left to send, or of the part of them that leaves; a cycle late.
    pub rest: Signal<Out, Bits<32>>,
    /// The unacknowledged PSN has moved; from Fin to Emit.
    pub has_progress: Signal<Out, Bit>,
    /// It is at or behind the next PSN to send; in Fin.
    pub overtakes: Signal<Out, Bit>,
    rows: Ram<FB, PsnRow>,
    r_una: Reg<Bits<24>>,
    r_nxt: Reg<Bits<24>>,
    r_high: Reg<Bits<24>>,
    r_tail_psn: Reg<Bits<24>>,
    r_stamped: Reg<Bits<24>>,
    r_una_seq: Reg<Bits<32>>,
    r_nxt_seq: Reg<Bits<32>>,
    r_tail_seq: Reg<Bits<32>>,
    flight: Reg<Bits<32>>,
    left: Unreset<Bits<32>>,
    has_part: Unreset<Bit>,
    again: Unreset<Bit>,
    moved: Unreset<Bit>,
    news: Unreset<Bit>,
    beyond_nxt: Unreset<Bits<24>>,
    end_seq: Signal<Local, Bits<32>>,
    goal: Signal<Local, Bits<24>>,
    una_next: Signal<Local, Bits<24>>,
    sent_psn: Signal<Local, Bits<24>>,
    is_ahead: Signal<Local, Bit>,
    first_seq: Signal<Local, Bits<32>>,
}

impl<const FB: usize> Logic for RequesterPsn<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.una.next = self.r_una.val();
        self.nxt.next = self.r_nxt.val();
        self.high.next = self.r_high.val();
        self.tail_psn.next = self.r_tail_psn.val();
        self.again.next = self.r_nxt.val() != self.r_high.val();
        self.is_resend.next = self.again.val();
        self.stamped.next = self.r_stamped.val();
        self.tail_seq.next = self.r_tail_seq.val();
        self.inflight.next = self.flight.val();
        self.rest.next = self.left.val();
        if self.state.val() == State::P2 {
            self.has_part.next = self.part.val();
        } else if (self.state.val() == State::Load) | (self.state.val() == State::Send) {
            self.has_part.next = false;
        }
        self.end_seq.next = self.r_tail_seq.val();
        if self.has_part.val() {
            self.end_seq.next = self.part_seq.val();
        }
        self.left.next = self.end_seq.val() - self.r_nxt_seq.val();
        self.has_progress.next = self.news.val();
        self.is_ahead.next = !self.beyond_nxt.val().get_bit(23);
        self.overtakes.next = self.is_ahead.val();
        self.rows.read_enable.next = self.is_open.val();
        self.rows.read_address.next = self.read_flow.val();
        self.rows.write_enable.next =
            (self.state.val() == State::Scrub) | (self.state.val() == State::Save);
        self.rows.write_address.next = self.flow.val();
        self.rows.write_data.next.una = self.r_una.val();
        self.rows.write_data.next.nxt = self.r_nxt.val();
        self.rows.write_data.next.high = self.r_high.val();
        self.rows.write_data.next.tail_psn = self.r_tail_psn.val();
        self.rows.write_data.next.una_seq = self.r_una_seq.val();
        self.rows.write_data.next.nxt_seq = self.r_nxt_seq.val();
        self.rows.write_data.next.tail_seq = self.r_tail_seq.val();
        self.rows.write_data.next.stamped = self.r_stamped.val();
        self.first_seq.next = bit_cast::<32, 24>(self.cfg_psn.val()) << 8;
        self.sent_psn.next = self.r_nxt.val() + 1;
        if self.wr_is_read.val() {
            self.sent_psn.next = self.wr_end_psn.val();
        }
        comment!("Of a READ only its responses acknowledge.");
        self.una_next.next = self.r_una.val() + 1;
        self.goal.next = self.target.val();
        if self.state.val() == State::Advance {
            self.goal.next = self.una_next.val();
        } else if self.wr_is_read.val() {
            self.goal.next = self.r_una.val();
            if self.moved.val() {
                self.goal.next = self.wr_first_psn.val();
            }
        }
        self.beyond_nxt.next = self.goal.val() - self.r_nxt.val();
        if (self.state.val() == State::Seq) | (self.state.val() == State::Advance) {
            self.news.next = self.goal.val() != self.r_una.val();
        }
        self.flight.next = self.r_nxt_seq.val() - self.r_una_seq.val();
        match self.state.val() {
            State::Load => {
                self.r_una.next = self.rows.read_data.val().una;
                self.r_nxt.next = self.rows.read_data.val().nxt;
                self.r_high.next = self.rows.read_data.val().high;
                self.r_tail_psn.next = self.rows.read_data.val().tail_psn;
                self.r_una_seq.next = self.rows.read_data.val().una_seq;
                self.r_nxt_seq.next = self.rows.read_data.val().nxt_seq;
                self.r_tail_seq.next = self.rows.read_data.val().tail_seq;
                self.r_stamped.next = self.rows.read_data.val().stamped;
                self.moved.next = false;
            }
            State::Begin => {
                self.r_una.next = self.cfg_psn.val();
                self.r_nxt.next = self.cfg_psn.val();
                self.r_high.next = self.cfg_psn.val();
                self.r_tail_psn.next = self.cfg_psn.val();
                self.r_stamped.next = self.cfg_psn.val();
                self.r_una_seq.next = self.first_seq.val();
                self.r_nxt_seq.next = self.first_seq.val();
                self.r_tail_seq.next = self.first_seq.val();
            }
            State::Retire => {
                self.moved.next = self.moved.val() | self.retires.val();
            }
            State::Advance => {
                if self.advances.val() {
                    self.r_una.next = self.goal.val();
                }
            }
            State::Seq => {
                self.r_una.next = self.goal.val();
                self.r_una_seq.next = self.wr_start_seq.val() + self.wr_acked_bytes.val();
                if self.sq_empty.val() {
                    self.r_una_seq.next = self.r_tail_seq.val();
                } else if self.wr_is_read.val() {
                    self.r_una_seq.next = self.wr_start_seq.val();
                }
            }
            State::Fin => {
                if self.rewind.val() | self.is_ahead.val() {
                    self.r_nxt.next = self.r_una.val();
                    self.r_nxt_seq.next = self.r_una_seq.val();
                    self.flight.next = 0.into();
                }
            }
            State::Send => {
                self.r_nxt.next = self.sent_psn.val();
                if !self.bare.val() {
                    self.r_stamped.next = self.r_nxt.val();
                }
                if !self.again.val() {
                    self.r_high.next = self.sent_psn.val();
                }
                self.r_nxt_seq.next =
                    self.r_nxt_seq.val() + bit_cast::<32, 13>(self.packet_bytes.val());
            }
            State::Post2 => {
                self.r_tail_psn.next = self.post_end_psn.val();
                if !self.post_is_read.val() {
                    self.r_tail_seq.next = self.r_tail_seq.val() + self.post_len.val();
                }
            }
            _ => {}
        }
    }
}
