//! What moves in a flow: PSNs, byte sequences, send queue positions, timer, retry count.
//!
//! # Source            InfiniBand, volume 1, sections 9.7.2 (PSN) and 9.7.6.1.3 (timer)
//! # Interface timing  part of `requester`: read in Idle, in registers from Check on, written in
//!                     Emit and Save
//! # Number formats    signal | bits | meaning
//!                     psn | 24 | modulo 2^24
//!                     seq | 32 | byte sequence, modulo 2^32: of the first payload byte behind the
//!                     PSN of that name
//!                     head, current, tail | 7 | send queue positions, modulo 128
//!                     deadline | 33 | ticks, modulo 2^33
//!                     open_reads | 5 | READs sent and not ended, 0..=16
//! # Invariants        una <= nxt <= high <= tail_psn; head <= current <= tail; the retransmission
//!                     timer runs only while una != nxt
//! # Reset             synchronous, high: fields 0; the sequencer scrubs the rows
//! # Twins             sim/src/golden/transport/requester.rs, tests/requester.rs

use super::requester_ctl::{Op, State};
use crate::util::ram::Ram;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Bits of a row.
pub const FLOW_BITS: usize = 262;

/// State of the operation's flow; `FB` = log2 of the flow count.
#[derive(LogicBlock)]
pub struct RequesterFlow<const FB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// State of the sequencer.
    pub state: Signal<In, State>,
    /// Its operation.
    pub op: Signal<In, Op>,
    /// Flow that is picked in Idle.
    pub read_flow: Signal<In, Bits<FB>>,
    /// Flow of the operation.
    pub flow: Signal<In, Bits<FB>>,
    /// Everything sent and not acknowledged is sent again.
    pub rewind: Signal<In, Bit>,
    /// First PSN of a queue pair row.
    pub cfg_psn: Signal<In, Bits<24>>,
    /// It is an ACK.
    pub is_ack: Signal<In, Bit>,
    /// It is an RNR NAK.
    pub is_nak_rnr: Signal<In, Bit>,
    /// It is a NAK for a PSN sequence error.
    pub is_nak_sequence: Signal<In, Bit>,
    /// The PSNs before this one are acknowledged, those of READs excepted.
    pub target: Signal<In, Bits<24>>,
    /// Retries without progress before this operation.
    pub retry_base: Signal<In, Bits<3>>,
    /// RNR retries without progress before this operation.
    pub rnr_base: Signal<In, Bits<3>>,
    /// The flow's timer has run out.
    pub expired: Signal<In, Bit>,
    /// The head leaves the queue in Retire.
    pub retires: Signal<In, Bit>,
    /// The head leaves the queue in FailEmit.
    pub fails: Signal<In, Bit>,
    /// Advance ends.
    pub advances: Signal<In, Bit>,
    /// The READ at the head ends with it.
    pub last_response: Signal<In, Bit>,
    /// The arm goes out.
    pub arms: Signal<In, Bit>,
    /// The next packet is a READ that waits for another one to end; as of Arm.
    pub limited: Signal<In, Bit>,
    /// The work request at hand is a READ.
    pub wr_is_read: Signal<In, Bit>,
    /// Its first PSN.
    pub wr_first_psn: Signal<In, Bits<24>>,
    /// PSN behind it.
    pub wr_end_psn: Signal<In, Bits<24>>,
    /// First byte sequence of the work request at hand.
    pub wr_start_seq: Signal<In, Bits<32>>,
    /// Bytes of it that are acknowledged.
    pub wr_acked_bytes: Signal<In, Bits<32>>,
    /// Payload bytes of the packet at hand.
    pub packet_bytes: Signal<In, Bits<13>>,
    /// It is the last of its message.
    pub packet_last: Signal<In, Bit>,
    /// PSN behind the posted work request.
    pub post_end_psn: Signal<In, Bits<24>>,
    /// Its bytes.
    pub post_len: Signal<In, Bits<32>>,
    /// It is a READ.
    pub post_is_read: Signal<In, Bit>,
    /// The queue pair's timeout is on.
    pub timer_on: Signal<In, Bit>,
    /// When a retransmission timer that starts now runs out.
    pub retry_deadline: Signal<In, Bits<33>>,
    /// When an RNR timer that starts now runs out.
    pub rnr_deadline: Signal<In, Bits<33>>,
    /// The queue pair is in error.
    pub error: Signal<Out, Bit>,
    /// An arm is outstanding.
    pub armed: Signal<Out, Bit>,
    /// The retransmission timer runs.
    pub timer: Signal<Out, Bit>,
    /// Waits for the RNR timer.
    pub rnr: Signal<Out, Bit>,
    /// Retries without progress.
    pub retry: Signal<Out, Bits<3>>,
    /// RNR retries without progress.
    pub rnr_retry: Signal<Out, Bits<3>>,
    /// READs that were sent and have not ended.
    pub open_reads: Signal<Out, Bits<5>>,
    /// The next packet was a READ that waits for another one to end.
    pub held: Signal<Out, Bit>,
    /// The unacknowledged PSN has moved; from Fin to Emit.
    pub has_progress: Signal<Out, Bit>,
    /// Oldest unacknowledged PSN.
    pub una: Signal<Out, Bits<24>>,
    /// Next PSN to send.
    pub nxt: Signal<Out, Bits<24>>,
    /// PSN behind the highest ever sent.
    pub high: Signal<Out, Bits<24>>,
    /// PSN of the next work request to be posted.
    pub tail_psn: Signal<Out, Bits<24>>,
    /// Its byte sequence.
    pub tail_seq: Signal<Out, Bits<32>>,
    /// Oldest work request.
    pub head: Signal<Out, Bits<7>>,
    /// The one that the next PSN belongs to.
    pub current: Signal<Out, Bits<7>>,
    /// Place of the next one to be posted.
    pub tail: Signal<Out, Bits<7>>,
    /// The next one to look at on the way to the first READ.
    pub probe: Signal<Out, Bits<7>>,
    /// When the timer runs out.
    pub deadline: Signal<Out, Bits<33>>,
    /// Bytes sent and not acknowledged; as of Emit or Arm.
    pub inflight: Signal<Out, Bits<32>>,
    /// Work requests left to send.
    pub pending: Signal<Out, Bit>,
    /// No work request.
    pub sq_empty: Signal<Out, Bit>,
    /// The head is the only work request.
    pub sq_single: Signal<Out, Bit>,
    /// No room.
    pub sq_full: Signal<Out, Bit>,
    rows: Ram<FB, FLOW_BITS>,
    r_error: DFF<Bit>,
    r_armed: DFF<Bit>,
    r_timer: DFF<Bit>,
    r_rnr: DFF<Bit>,
    r_retry: DFF<Bits<3>>,
    r_una: DFF<Bits<24>>,
    r_nxt: DFF<Bits<24>>,
    r_high: DFF<Bits<24>>,
    r_tail_psn: DFF<Bits<24>>,
    r_una_seq: DFF<Bits<32>>,
    r_nxt_seq: DFF<Bits<32>>,
    r_tail_seq: DFF<Bits<32>>,
    r_head: DFF<Bits<7>>,
    r_current: DFF<Bits<7>>,
    r_tail: DFF<Bits<7>>,
    r_deadline: DFF<Bits<33>>,
    r_rnr_retry: DFF<Bits<3>>,
    r_open_reads: DFF<Bits<5>>,
    r_held: DFF<Bit>,
    flight: DFF<Bits<32>>,
    look: DFF<Bits<7>>,
    moved: DFF<Bit>,
    news: DFF<Bit>,
    beyond_nxt: DFF<Bits<24>>,
    goal: Signal<Local, Bits<24>>,
    overtakes: Signal<Local, Bit>,
    una_next: Signal<Local, Bits<24>>,
    sent_psn: Signal<Local, Bits<24>>,
    head_next: Signal<Local, Bits<7>>,
    used: Signal<Local, Bits<7>>,
    depth: Constant<Bits<7>>,
}

impl<const FB: usize> RequesterFlow<FB> {
    /// A queue of `sq_depth` work requests a flow: a power of two, 2..=64.
    pub fn new(sq_depth: usize) -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            state: Default::default(),
            op: Default::default(),
            read_flow: Default::default(),
            flow: Default::default(),
            rewind: Default::default(),
            cfg_psn: Default::default(),
            is_ack: Default::default(),
            is_nak_rnr: Default::default(),
            is_nak_sequence: Default::default(),
            target: Default::default(),
            retry_base: Default::default(),
            rnr_base: Default::default(),
            expired: Default::default(),
            retires: Default::default(),
            fails: Default::default(),
            advances: Default::default(),
            last_response: Default::default(),
            arms: Default::default(),
            limited: Default::default(),
            wr_is_read: Default::default(),
            wr_first_psn: Default::default(),
            wr_end_psn: Default::default(),
            wr_start_seq: Default::default(),
            wr_acked_bytes: Default::default(),
            packet_bytes: Default::default(),
            packet_last: Default::default(),
            post_end_psn: Default::default(),
            post_len: Default::default(),
            post_is_read: Default::default(),
            timer_on: Default::default(),
            retry_deadline: Default::default(),
            rnr_deadline: Default::default(),
            error: Default::default(),
            armed: Default::default(),
            timer: Default::default(),
            rnr: Default::default(),
            retry: Default::default(),
            rnr_retry: Default::default(),
            open_reads: Default::default(),
            held: Default::default(),
            has_progress: Default::default(),
            una: Default::default(),
            nxt: Default::default(),
            high: Default::default(),
            tail_psn: Default::default(),
            tail_seq: Default::default(),
            head: Default::default(),
            current: Default::default(),
            tail: Default::default(),
            probe: Default::default(),
            deadline: Default::default(),
            inflight: Default::default(),
            pending: Default::default(),
            sq_empty: Default::default(),
            sq_single: Default::default(),
            sq_full: Default::default(),
            rows: Default::default(),
            r_error: Default::default(),
            r_armed: Default::default(),
            r_timer: Default::default(),
            r_rnr: Default::default(),
            r_retry: Default::default(),
            r_una: Default::default(),
            r_nxt: Default::default(),
            r_high: Default::default(),
            r_tail_psn: Default::default(),
            r_una_seq: Default::default(),
            r_nxt_seq: Default::default(),
            r_tail_seq: Default::default(),
            r_head: Default::default(),
            r_current: Default::default(),
            r_tail: Default::default(),
            r_deadline: Default::default(),
            r_rnr_retry: Default::default(),
            r_open_reads: Default::default(),
            r_held: Default::default(),
            flight: Default::default(),
            look: Default::default(),
            moved: Default::default(),
            news: Default::default(),
            beyond_nxt: Default::default(),
            goal: Default::default(),
            overtakes: Default::default(),
            una_next: Default::default(),
            sent_psn: Default::default(),
            head_next: Default::default(),
            used: Default::default(),
            depth: Constant::new((sq_depth as u64).into()),
        }
    }
}

impl<const FB: usize> Logic for RequesterFlow<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            r_error,
            r_armed,
            r_timer,
            r_rnr,
            r_retry,
            r_una,
            r_nxt,
            r_high,
            r_tail_psn,
            r_una_seq,
            r_nxt_seq,
            r_tail_seq,
            r_head,
            r_current,
            r_tail,
            r_deadline,
            r_rnr_retry,
            r_open_reads,
            r_held,
            flight,
            look,
            moved,
            news,
            beyond_nxt
        );
        self.rows.clock.next = self.clock.val();
        self.error.next = self.r_error.q.val();
        self.armed.next = self.r_armed.q.val();
        self.timer.next = self.r_timer.q.val();
        self.rnr.next = self.r_rnr.q.val();
        self.retry.next = self.r_retry.q.val();
        self.rnr_retry.next = self.r_rnr_retry.q.val();
        self.open_reads.next = self.r_open_reads.q.val();
        self.held.next = self.r_held.q.val();
        self.has_progress.next = self.news.q.val();
        self.una.next = self.r_una.q.val();
        self.nxt.next = self.r_nxt.q.val();
        self.high.next = self.r_high.q.val();
        self.tail_psn.next = self.r_tail_psn.q.val();
        self.tail_seq.next = self.r_tail_seq.q.val();
        self.head.next = self.r_head.q.val();
        self.current.next = self.r_current.q.val();
        self.tail.next = self.r_tail.q.val();
        self.probe.next = self.look.q.val();
        self.deadline.next = self.r_deadline.q.val();
        self.inflight.next = self.flight.q.val();
        self.pending.next = self.r_current.q.val() != self.r_tail.q.val();
        self.sq_empty.next = self.r_head.q.val() == self.r_tail.q.val();
        self.head_next.next = self.r_head.q.val() + 1;
        self.sq_single.next = self.head_next.val() == self.r_tail.q.val();
        self.used.next = self.r_tail.q.val() - self.r_head.q.val();
        self.sq_full.next = self.used.val() == self.depth.val();
        self.rows.read_enable.next = self.state.val() == State::Idle;
        self.rows.read_address.next = self.read_flow.val();
        self.rows.write_enable.next = (self.state.val() == State::Scrub)
            | (self.state.val() == State::Emit)
            | (self.state.val() == State::Save);
        self.rows.write_address.next = self.flow.val();
        self.rows.write_data.next = bit_cast::<FLOW_BITS, 1>(self.r_error.q.val().into())
            | (bit_cast::<FLOW_BITS, 1>(self.r_armed.q.val().into()) << 1)
            | (bit_cast::<FLOW_BITS, 1>(self.r_timer.q.val().into()) << 2)
            | (bit_cast::<FLOW_BITS, 1>(self.r_rnr.q.val().into()) << 3)
            | (bit_cast::<FLOW_BITS, 3>(self.r_retry.q.val()) << 4)
            | (bit_cast::<FLOW_BITS, 24>(self.r_una.q.val()) << 7)
            | (bit_cast::<FLOW_BITS, 24>(self.r_nxt.q.val()) << 31)
            | (bit_cast::<FLOW_BITS, 24>(self.r_high.q.val()) << 55)
            | (bit_cast::<FLOW_BITS, 24>(self.r_tail_psn.q.val()) << 79)
            | (bit_cast::<FLOW_BITS, 32>(self.r_una_seq.q.val()) << 103)
            | (bit_cast::<FLOW_BITS, 32>(self.r_nxt_seq.q.val()) << 135)
            | (bit_cast::<FLOW_BITS, 32>(self.r_tail_seq.q.val()) << 167)
            | (bit_cast::<FLOW_BITS, 7>(self.r_head.q.val()) << 199)
            | (bit_cast::<FLOW_BITS, 7>(self.r_current.q.val()) << 206)
            | (bit_cast::<FLOW_BITS, 7>(self.r_tail.q.val()) << 213)
            | (bit_cast::<FLOW_BITS, 33>(self.r_deadline.q.val()) << 220)
            | (bit_cast::<FLOW_BITS, 3>(self.r_rnr_retry.q.val()) << 253)
            | (bit_cast::<FLOW_BITS, 5>(self.r_open_reads.q.val()) << 256)
            | (bit_cast::<FLOW_BITS, 1>(self.r_held.q.val().into()) << 261);
        self.sent_psn.next = self.r_nxt.q.val() + 1;
        if self.wr_is_read.val() {
            self.sent_psn.next = self.wr_end_psn.val();
        }
        comment!("Of a READ only its responses acknowledge.");
        self.una_next.next = self.r_una.q.val() + 1;
        self.goal.next = self.target.val();
        if self.state.val() == State::Advance {
            self.goal.next = self.una_next.val();
        } else if self.wr_is_read.val() {
            self.goal.next = self.r_una.q.val();
            if self.moved.q.val() {
                self.goal.next = self.wr_first_psn.val();
            }
        }
        if (self.state.val() == State::Seq) | (self.state.val() == State::Advance) {
            self.news.d.next = self.goal.val() != self.r_una.q.val();
        }
        self.beyond_nxt.d.next = self.goal.val() - self.r_nxt.q.val();
        self.overtakes.next = !self.beyond_nxt.q.val().get_bit(23);
        match self.state.val() {
            State::Load => {
                self.r_error.d.next = self.rows.read_data.val().get_bit(0);
                self.r_armed.d.next = self.rows.read_data.val().get_bit(1);
                self.r_timer.d.next = self.rows.read_data.val().get_bit(2);
                self.r_rnr.d.next = self.rows.read_data.val().get_bit(3);
                self.r_retry.d.next = self.rows.read_data.val().get_bits::<3>(4);
                self.r_una.d.next = self.rows.read_data.val().get_bits::<24>(7);
                self.r_nxt.d.next = self.rows.read_data.val().get_bits::<24>(31);
                self.r_high.d.next = self.rows.read_data.val().get_bits::<24>(55);
                self.r_tail_psn.d.next = self.rows.read_data.val().get_bits::<24>(79);
                self.r_una_seq.d.next = self.rows.read_data.val().get_bits::<32>(103);
                self.r_nxt_seq.d.next = self.rows.read_data.val().get_bits::<32>(135);
                self.r_tail_seq.d.next = self.rows.read_data.val().get_bits::<32>(167);
                self.r_head.d.next = self.rows.read_data.val().get_bits::<7>(199);
                self.r_current.d.next = self.rows.read_data.val().get_bits::<7>(206);
                self.r_tail.d.next = self.rows.read_data.val().get_bits::<7>(213);
                self.r_deadline.d.next = self.rows.read_data.val().get_bits::<33>(220);
                self.r_rnr_retry.d.next = self.rows.read_data.val().get_bits::<3>(253);
                self.r_open_reads.d.next = self.rows.read_data.val().get_bits::<5>(256);
                self.r_held.d.next = self.rows.read_data.val().get_bit(261);
                self.moved.d.next = false;
            }
            State::Check => {
                self.look.d.next = self.head_next.val();
                if self.op.val() == Op::Grant {
                    self.r_armed.d.next = false;
                } else if self.op.val() == Op::Qp {
                    self.r_error.d.next = false;
                    self.r_armed.d.next = false;
                    self.r_timer.d.next = false;
                    self.r_rnr.d.next = false;
                    self.r_retry.d.next = 0.into();
                    self.r_una.d.next = self.cfg_psn.val();
                    self.r_nxt.d.next = self.cfg_psn.val();
                    self.r_high.d.next = self.cfg_psn.val();
                    self.r_tail_psn.d.next = self.cfg_psn.val();
                    self.r_una_seq.d.next = 0.into();
                    self.r_nxt_seq.d.next = 0.into();
                    self.r_tail_seq.d.next = 0.into();
                    self.r_head.d.next = 0.into();
                    self.r_current.d.next = 0.into();
                    self.r_tail.d.next = 0.into();
                    self.r_rnr_retry.d.next = 0.into();
                    self.r_open_reads.d.next = 0.into();
                    self.r_held.d.next = false;
                }
            }
            State::SeekLoad => {
                self.look.d.next = self.look.q.val() + 1;
            }
            State::Decide => {
                comment!("The RNR timer has run out: sending goes on.");
                if (self.op.val() == Op::Scan) & self.expired.val() {
                    self.r_rnr.d.next = false;
                }
            }
            State::Retire => {
                if self.retires.val() {
                    self.r_head.d.next = self.head_next.val();
                    self.moved.d.next = true;
                }
            }
            State::Advance => {
                if self.advances.val() {
                    self.r_una.d.next = self.goal.val();
                    if self.last_response.val() {
                        self.r_head.d.next = self.head_next.val();
                        self.r_open_reads.d.next = self.r_open_reads.q.val() - 1;
                    }
                }
            }
            State::Seq => {
                self.r_una.d.next = self.goal.val();
                self.r_una_seq.d.next = self.wr_start_seq.val() + self.wr_acked_bytes.val();
                if self.wr_is_read.val() {
                    self.r_una_seq.d.next = self.wr_start_seq.val();
                }
                if self.r_head.q.val() == self.r_tail.q.val() {
                    self.r_una_seq.d.next = self.r_tail_seq.q.val();
                }
            }
            State::Fin => {
                self.flight.d.next = self.r_nxt_seq.q.val() - self.r_una_seq.q.val();
                self.r_retry.d.next = self.retry_base.val();
                self.r_rnr_retry.d.next = self.rnr_base.val();
                if self.rewind.val() {
                    self.r_timer.d.next = false;
                    if self.op.val() == Op::Scan {
                        self.r_retry.d.next = self.retry_base.val() + 1;
                    } else if self.is_nak_sequence.val() {
                        self.r_retry.d.next = self.retry_base.val() + 1;
                    } else if self.is_nak_rnr.val() {
                        self.r_rnr_retry.d.next = self.rnr_base.val() + 1;
                        self.r_rnr.d.next = true;
                        self.r_deadline.d.next = self.rnr_deadline.val();
                    }
                } else if self.overtakes.val() {
                    self.r_timer.d.next = false;
                } else if self.news.q.val() & !self.r_rnr.q.val() {
                    self.r_timer.d.next = self.timer_on.val();
                    self.r_deadline.d.next = self.retry_deadline.val();
                }
                if self.rewind.val() | self.overtakes.val() {
                    self.r_nxt.d.next = self.r_una.q.val();
                    self.r_nxt_seq.d.next = self.r_una_seq.q.val();
                    self.r_current.d.next = self.r_head.q.val();
                    self.flight.d.next = 0.into();
                }
            }
            State::Send => {
                self.r_nxt.d.next = self.sent_psn.val();
                if self.r_nxt.q.val() == self.r_high.q.val() {
                    self.r_high.d.next = self.sent_psn.val();
                    if self.wr_is_read.val() {
                        self.r_open_reads.d.next = self.r_open_reads.q.val() + 1;
                    }
                }
                self.r_nxt_seq.d.next =
                    self.r_nxt_seq.q.val() + bit_cast::<32, 13>(self.packet_bytes.val());
                if self.packet_last.val() {
                    self.r_current.d.next = self.r_current.q.val() + 1;
                }
                if !self.r_timer.q.val() {
                    self.r_timer.d.next = self.timer_on.val();
                    self.r_deadline.d.next = self.retry_deadline.val();
                }
            }
            State::Len => {
                self.flight.d.next = self.r_nxt_seq.q.val() - self.r_una_seq.q.val();
            }
            State::Arm => {
                self.r_held.d.next = self.limited.val();
                if self.arms.val() {
                    self.r_armed.d.next = true;
                }
            }
            State::Post2 => {
                self.r_tail.d.next = self.r_tail.q.val() + 1;
                self.r_tail_psn.d.next = self.post_end_psn.val();
                if !self.post_is_read.val() {
                    self.r_tail_seq.d.next = self.r_tail_seq.q.val() + self.post_len.val();
                }
                self.flight.d.next = self.r_nxt_seq.q.val() - self.r_una_seq.q.val();
            }
            State::FailEmit => {
                if self.fails.val() {
                    self.r_head.d.next = self.head_next.val();
                }
            }
            State::FailEnd => {
                self.r_error.d.next = true;
                self.r_timer.d.next = false;
                self.r_rnr.d.next = false;
                self.r_open_reads.d.next = 0.into();
                self.r_current.d.next = self.r_head.q.val();
            }
            _ => {}
        }
        if self.reset.val() {
            self.r_error.d.next = false;
            self.r_armed.d.next = false;
            self.r_timer.d.next = false;
            self.r_rnr.d.next = false;
            self.r_retry.d.next = 0.into();
            self.r_una.d.next = 0.into();
            self.r_nxt.d.next = 0.into();
            self.r_high.d.next = 0.into();
            self.r_tail_psn.d.next = 0.into();
            self.r_una_seq.d.next = 0.into();
            self.r_nxt_seq.d.next = 0.into();
            self.r_tail_seq.d.next = 0.into();
            self.r_head.d.next = 0.into();
            self.r_current.d.next = 0.into();
            self.r_tail.d.next = 0.into();
            self.r_deadline.d.next = 0.into();
            self.r_rnr_retry.d.next = 0.into();
            self.r_open_reads.d.next = 0.into();
            self.r_held.d.next = false;
            self.flight.d.next = 0.into();
        }
    }
}
