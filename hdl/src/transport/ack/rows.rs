//! The flows' owed ACKs and NAKs: a row a flow, and a queue of the flows that owe.
//!
//! # Source            InfiniBand architecture volume 1, section 9.7.5; hdl/transport.md
//! # Interface timing  as `ack_gen`, of which this is the control. An operation reads its flow's
//!                     row in cycle 0 and changes it in cycle 2, in which the next one is chosen and
//!                     reads; one of the same flow goes on with the row as it was changed
//! # Latency and rate  an operation every 2 cycles: the end of a command with its answer, that of a
//!                     READ's job, or an answer that waited
//! # Number formats    [`AnswerRow`], [`CommandTag`]
//! # Reset             synchronous, high: rows are cleared, one a cycle
//! # Twins             sim/models/src/golden/transport/ack/gen.rs, tests/transport/ack_gen.rs

use crate::streams::{ReadJob, ReadJobEnd, WriteDone};
use crate::util::{fifo::Fifo, ram::Ram};
use crate::{block, kernel, row, Reg, Regs, Unreset, Wire};
use rust_hdl_core::prelude::*;

/// What the block does in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum AckGenState {
    Scrub,
    Idle,
    Load,
    Apply,
}

/// What a flow owes its peer.
#[row]
struct AnswerRow {
    ack_psn: Bits<24>,    // PSN to acknowledge
    ack_msn: Bits<24>,    // MSN to say with it
    nak_psn: Bits<24>,    // PSN of the NAK
    nak_msn: Bits<24>,    // Its MSN
    nak_outcome: Bits<3>, // Its reason
    owes_ack: Bit,        // An ACK is to be sent
    owes_nak: Bit,        // A NAK is
    has_tel: Bit,         // The ACK echoes telemetry
    closed: Bit,          // The flow is in error
    queued: Bit,          // The flow waits to answer
    jobs: Bits<6>,        // READs that wait for responses
    ended: Bits<5>,       // READs that have ended, modulo 32
}

/// Tag of a command for the DMA.
#[row]
pub struct CommandTag {
    /// PSN to answer with.
    pub psn: Bits<24>,
    /// MSN to answer with.
    pub msn: Bits<24>,
    /// Immediate data.
    pub imm: Bits<32>,
    /// Bytes of the message.
    pub bytes: Bits<32>,
    /// Flow.
    pub flow: Bits<10>,
    /// 0 accepted, 1 accepted with AckReq, 2 duplicate, 3 RNR, 4 sequence, 5 invalid, 6 access,
    /// 7 READ: its bytes instead of the message's.
    pub outcome: Bits<3>,
    /// It brings immediate data.
    pub has_imm: Bit,
    /// The message ends with it.
    pub ends: Bit,
}

/// Rows of `2^FB` flows; `FC = FB + 1`.
#[block(mealy, check(FC == FB + 1 && FB <= 10))]
pub struct AckRows<const FB: usize, const FC: usize> {
    /// A DMA command has ended.
    pub s_done: WriteDone<In, 127>,
    /// Jobs have ended, or a row is in force.
    pub s_end: ReadJobEnd<In, FB>,
    /// Address of the oldest READ whose command has not ended.
    pub s_read_addr: Signal<In, Bits<64>>,
    /// Its virtual address.
    pub s_read_va: Signal<In, Bits<64>>,
    /// Its remote key.
    pub s_read_rkey: Signal<In, Bits<32>>,
    /// Its command has.
    pub s_read_ready: Signal<Out, Bit>,
    /// A flow's telemetry is being stored.
    pub tel_store: Signal<In, Bit>,
    /// The flow.
    pub tel_flow: Signal<In, Bits<FB>>,
    /// Timer code of RNR NAKs.
    pub cfg_rnr_timer: Signal<In, Bits<5>>,
    /// An ACK or NAK stands at the source.
    pub m_ack_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_ack_ready: Signal<In, Bit>,
    /// Flow index.
    pub m_ack_flow: Signal<Out, Bits<FB>>,
    /// AETH syndrome.
    pub m_ack_syndrome: Signal<Out, Bits<8>>,
    /// Messages completed.
    pub m_ack_msn: Signal<Out, Bits<24>>,
    /// PSN that is answered.
    pub m_ack_psn: Signal<Out, Bits<24>>,
    /// A WRITE with immediate has landed.
    pub m_cqe_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_cqe_ready: Signal<In, Bit>,
    /// 1 while valid.
    pub m_cqe_kind: Signal<Out, Bits<8>>,
    /// Flow index.
    pub m_cqe_flow: Signal<Out, Bits<FB>>,
    /// Immediate data.
    pub m_cqe_imm: Signal<Out, Bits<32>>,
    /// Bytes of the message.
    pub m_cqe_byte_len: Signal<Out, Bits<32>>,
    /// A READ stands at the source.
    pub m_job: ReadJob<Out, FB>,
    /// A command has been dealt with.
    pub retired: Signal<Out, Bit>,
    /// It ended a WRITE with immediate.
    pub retired_imm: Signal<Out, Bit>,
    /// Something has ended in a flow.
    pub ended_valid: Signal<Out, Bit>,
    /// The flow.
    pub ended_flow: Signal<Out, Bits<FB>>,
    /// It is in error.
    pub ended_failed: Signal<Out, Bit>,
    /// READs that have ended, modulo 32.
    pub ended_reads: Signal<Out, Bits<5>>,
    /// All is forgotten about a flow.
    pub cleared: Signal<Out, Bit>,
    /// An accepted packet's bytes have landed.
    pub event_resp_accepted: Signal<Out, Bit>,
    /// They have not.
    pub event_resp_nak_operation: Signal<Out, Bit>,
    /// Clear a flow's telemetry.
    pub tel_scrub: Signal<Out, Bit>,
    /// Its index.
    pub tel_scrub_flow: Signal<Out, Bits<FB>>,
    /// Fetch a flow's telemetry.
    pub tel_fetch: Signal<Out, Bit>,
    /// Its index.
    pub tel_fetch_flow: Signal<Out, Bits<FB>>,
    /// The flow whose row is changed, or that sends.
    pub tel_now: Signal<Out, Bits<FB>>,
    /// Its telemetry is not to be sent.
    pub tel_forget: Signal<Out, Bit>,
    /// Show what was fetched.
    pub tel_show: Signal<Out, Bit>,
    /// It is sent, if it was not before.
    pub tel_send: Signal<Out, Bit>,
    rows: Ram<FB, AnswerRow>,
    queue: Fifo<Bits<FB>, FB, FC>,
    #[reset(AckGenState::Scrub)]
    state: Reg<AckGenState>,
    is_end: Unreset<Bit>,
    is_send: Unreset<Bit>,
    end_jobs: Unreset<Bits<5>>,
    end_reads: Unreset<Bits<5>>,
    end_error: Unreset<Bit>,
    end_clears: Unreset<Bit>,
    tag: Unreset<CommandTag>,
    error: Unreset<Bit>,
    flow: Unreset<Bits<FB>>,
    same: Unreset<Bit>,
    fresh: Unreset<Bit>,
    end_waits: Reg<Bit>,
    ends_since: Reg<Bits<3>>,
    brings: Unreset<Bit>,
    may_show: Reg<Bit>,
    joins: Reg<Bit>,
    joining: Unreset<Bits<FB>>,
    is_accepted: Unreset<Bit>,
    is_read: Unreset<Bit>,
    is_fatal: Unreset<Bit>,
    fails: Unreset<Bit>,
    tag_acks: Unreset<Bit>,
    tag_naks: Unreset<Bit>,
    scrub_flow: Reg<Bits<FB>>,
    row: Unreset<AnswerRow>,
    ack_valid: Reg<Bit>,
    ack_flow: Reg<Bits<FB>>,
    ack_syndrome: Reg<Bits<8>>,
    ack_msn: Reg<Bits<24>>,
    ack_psn: Reg<Bits<24>>,
    cqe_valid: Reg<Bit>,
    cqe_kind: Reg<Bits<8>>,
    cqe_flow: Reg<Bits<FB>>,
    cqe_imm: Reg<Bits<32>>,
    cqe_byte_len: Reg<Bits<32>>,
    retired_q: Reg<Bit>,
    retired_imm_q: Reg<Bit>,
    job: ReadJob<Regs, FB>,
    note: Reg<Bit>,
    note_flow: Reg<Bits<FB>>,
    note_failed: Reg<Bit>,
    note_reads: Reg<Bits<5>>,
    cleared_q: Reg<Bit>,
    landed: Reg<Bit>,
    refused: Reg<Bit>,
    applies: Signal<Local, Bit>,
    is_done: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    finishes: Signal<Local, Bit>,
    chooses: Signal<Local, Bit>,
    end_due: Signal<Local, Bit>,
    can_send: Signal<Local, Bit>,
    hands_over: Signal<Local, Bit>,
    done_ready: Signal<Local, Bit>,
    takes: Signal<Local, Bit>,
    at: Signal<Local, Bits<FB>>,
    accepted: Signal<Local, Bit>,
    retires: Signal<Local, Bit>,
    completes: Signal<Local, Bit>,
    msn_of_answer: Signal<Local, Bits<24>>,
    stores: Signal<Local, Bit>,
    ack_free: Signal<Local, Bit>,
    direct: Signal<Local, Bit>,
    outcome: Signal<Local, Bits<3>>,
    has_imm: Signal<Local, Bit>,
    tag_psn: Signal<Local, Bits<24>>,
    tag_msn: Signal<Local, Bits<24>>,
    ends: Signal<Local, Bits<24>>,
    msn_before: Signal<Local, Bits<24>>,
    was_closed: Signal<Local, Bit>,
    was_queued: Signal<Local, Bit>,
    owed_ack: Signal<Local, Bit>,
    owed_nak: Signal<Local, Bit>,
    psn_of_ack: Signal<Local, Bits<24>>,
    msn_of_ack: Signal<Local, Bits<24>>,
    psn_of_nak: Signal<Local, Bits<24>>,
    msn_of_nak: Signal<Local, Bits<24>>,
    nak_outcome: Signal<Local, Bits<3>>,
    owes_ack: Signal<Local, Bit>,
    owes_nak: Signal<Local, Bit>,
    has_tel: Signal<Local, Bit>,
    had_tel: Signal<Local, Bit>,
    closed: Signal<Local, Bit>,
    queued: Signal<Local, Bit>,
    sends: Signal<Local, Bit>,
    answers: Signal<Local, Bit>,
    may_send: Signal<Local, Bit>,
    says_nak: Signal<Local, Bit>,
    nak_bits: Signal<Local, Bits<2>>,
    rows_data: Signal<Local, Bits<115>>,
    was_jobs: Signal<Local, Bits<6>>,
    jobs: Signal<Local, Bits<6>>,
    jobs_less: Signal<Local, Bits<6>>,
    was_ended: Signal<Local, Bits<5>>,
    ended: Signal<Local, Bits<5>>,
    ended_more: Signal<Local, Bits<5>>,
    is_new: Signal<Local, Bit>,
    holds: Signal<Local, Bit>,
    notes: Signal<Local, Bit>,
    #[value(1)]
    one_end: Constant<Bits<3>>,
    #[init(Constant::new(1u64.to_bits()))]
    ack: Constant<Bits<3>>,
    #[init(Constant::new(2u64.to_bits()))]
    again: Constant<Bits<3>>,
    #[init(Constant::new(3u64.to_bits()))]
    not_ready: Constant<Bits<3>>,
    #[init(Constant::new(5u64.to_bits()))]
    invalid: Constant<Bits<3>>,
    #[init(Constant::new(6u64.to_bits()))]
    access: Constant<Bits<3>>,
    #[init(Constant::new(7u64.to_bits()))]
    operation: Constant<Bits<3>>,
    #[init(Constant::new(7u64.to_bits()))]
    read: Constant<Bits<3>>,
    #[init(Constant::new(0x1fu64.to_bits()))]
    syndrome_ack: Constant<Bits<8>>,
    #[init(Constant::new(0x20u64.to_bits()))]
    syndrome_rnr: Constant<Bits<8>>,
    #[init(Constant::new(0x60u64.to_bits()))]
    syndrome_nak: Constant<Bits<8>>,
    #[init(Constant::new(((1_u64 << FB) - 1).to_bits()))]
    last_flow: Constant<Bits<FB>>,
}

#[kernel]
impl<const FB: usize, const FC: usize> AckRows<FB, FC> {
    fn update(&mut self) {
        self.outputs();
        self.ended();
        self.row();
        self.choice();
        self.answer();
        self.hand_on();
        self.operation();
        self.row_after();
    }

    /// outputs
    fn outputs(&mut self) {
        Wire::join(&mut self.job, &mut self.m_job);
        self.m_ack_valid.next = self.ack_valid.val();
        self.m_ack_flow.next = self.ack_flow.val();
        self.m_ack_syndrome.next = self.ack_syndrome.val();
        self.m_ack_msn.next = self.ack_msn.val();
        self.m_ack_psn.next = self.ack_psn.val();
        self.m_cqe_valid.next = self.cqe_valid.val();
        self.m_cqe_kind.next = self.cqe_kind.val();
        self.m_cqe_flow.next = self.cqe_flow.val();
        self.m_cqe_imm.next = self.cqe_imm.val();
        self.m_cqe_byte_len.next = self.cqe_byte_len.val();
        self.retired.next = self.retired_q.val();
        self.retired_imm.next = self.retired_imm_q.val();
        self.ended_valid.next = self.note.val();
        self.ended_flow.next = self.note_flow.val();
        self.ended_failed.next = self.note_failed.val();
        self.ended_reads.next = self.note_reads.val();
        self.cleared.next = self.cleared_q.val();
        self.event_resp_accepted.next = self.landed.val();
        self.event_resp_nak_operation.next = self.refused.val();
        self.tel_scrub.next = self.state.val() == AckGenState::Scrub;
        self.tel_scrub_flow.next = self.scrub_flow.val();
    }

    /// a command that has ended
    fn ended(&mut self) {
        self.outcome.next = self.tag.val().outcome;
        self.has_imm.next = self.tag.val().has_imm;
        self.tag_psn.next = self.tag.val().psn;
        self.tag_msn.next = self.tag.val().msn;
        self.ends.next = bit_cast::<24, 1>(self.tag.val().ends.into());
        self.is_new.next = self.tag.val().ends;
        self.msn_before.next = self.tag_msn.val() - self.ends.val();
        comment!("The answer that it asks for is known before the row is.");
        self.accepted.next = !self.outcome.val().get_bit(2) & !self.outcome.val().get_bit(1);
        self.is_accepted.next = self.accepted.val();
        self.is_read.next = self.outcome.val() == self.read.val();
        self.is_fatal.next =
            (self.outcome.val() == self.invalid.val()) | (self.outcome.val() == self.access.val());
        self.fails.next = self.accepted.val() & self.error.val();
        self.tag_acks.next = ((self.outcome.val() == self.ack.val()) & !self.error.val())
            | (self.outcome.val() == self.again.val());
        self.tag_naks.next = (self.accepted.val() & self.error.val())
            | (self.outcome.val() == self.not_ready.val())
            | (self.outcome.val().get_bit(2) & (self.outcome.val() != self.read.val()));
    }

    /// the flow's row
    fn row(&mut self) {
        self.owed_ack.next = self.row.val().owes_ack;
        self.owed_nak.next = self.row.val().owes_nak;
        self.had_tel.next = self.row.val().has_tel;
        self.was_closed.next = self.row.val().closed;
        self.was_queued.next = self.row.val().queued;
        self.was_jobs.next = self.row.val().jobs;
        self.was_ended.next = self.row.val().ended;
        self.jobs_less.next = self.was_jobs.val() - bit_cast::<6, 5>(self.end_jobs.val());
        self.ended_more.next = self.was_ended.val() + self.end_reads.val();
        self.owes_ack.next = self.owed_ack.val();
        self.owes_nak.next = self.owed_nak.val();
        self.has_tel.next = self.had_tel.val();
        self.jobs.next = self.was_jobs.val();
        self.ended.next = self.was_ended.val();
        self.closed.next = self.was_closed.val();
        self.queued.next = self.was_queued.val();
        comment!("An answer must not overtake READ responses.");
        self.holds.next = self.was_jobs.val().any();
    }

    /// What comes next. The end of a job goes first, as nothing of its flow is answered before; an
    /// answer that waits goes behind three ends of commands at the latest: a later one may replace it.
    fn choice(&mut self) {
        self.applies.next = self.state.val() == AckGenState::Apply;
        self.is_done.next = !self.is_end.val() & !self.is_send.val();
        self.brings.next = self.is_done.val() & self.has_imm.val();
        self.waits.next = self.brings.val() & self.cqe_valid.val();
        self.finishes.next = self.applies.val() & !self.waits.val();
        self.chooses.next = (self.state.val() == AckGenState::Idle) | self.finishes.val();
        self.s_end.ready.next = self.applies.val() & self.is_end.val();
        self.end_waits.next = self.s_end.valid.val() & !(self.applies.val() & self.is_end.val());
        self.end_due.next = self.end_waits.val() & !(self.applies.val() & self.is_end.val());
        self.can_send.next = self.queue.m.valid.val() & !self.ack_valid.val();
        comment!("Behind a READ none is taken until it has gone on: its end waits for nothing.");
        self.hands_over.next = self.applies.val() & self.is_done.val() & self.is_read.val();
        self.done_ready.next = self.chooses.val()
            & !self.end_due.val()
            & !self.job.valid.val()
            & !self.hands_over.val()
            & !(self.can_send.val() & self.ends_since.val().get_bit(2));
        self.s_done.ready.next = self.done_ready.val();
        self.s_read_ready.next = self.hands_over.val() & self.finishes.val();
        self.takes.next = self.s_done.valid.val() & self.done_ready.val();
        self.at.next = self.queue.m.data.val();
        if self.takes.val() {
            self.at.next = self.s_done.tag.val().get_bits::<FB>(112);
        }
        if self.end_due.val() {
            self.at.next = self.s_end.flow.val();
        }
        self.rows.read_enable.next = self.chooses.val();
        self.rows.read_address.next = self.at.val();
        self.tel_fetch.next = self.chooses.val();
        self.tel_fetch_flow.next = self.at.val();
        self.tel_now.next = self.flow.val();
        self.stores.next = self.tel_store.val() & (self.tel_flow.val() == self.at.val());
        if self.chooses.val() {
            self.flow.next = self.at.val();
            self.same.next = self.finishes.val() & (self.flow.val() == self.at.val());
            self.fresh.next = !self.stores.val();
            self.is_end.next = self.end_due.val();
            self.is_send.next = !self.end_due.val() & !self.takes.val();
            self.tag.next = self.s_done.tag.val().into();
            self.error.next = self.s_done.error.val();
            self.end_jobs.next = self.s_end.jobs.val();
            self.end_reads.next = self.s_end.reads.val();
            self.end_error.next = self.s_end.error.val();
            self.end_clears.next = self.s_end.cleared.val();
            if self.takes.val() {
                self.ends_since.next = (self.ends_since.val() << 1) | self.one_end.val();
            } else if !self.end_due.val() {
                self.ends_since.next = 0.into();
            }
        }
    }

    /// The answer that goes out: the command's own if nobody waits and its flow owes nothing, or
    /// what the flow owes. A command leaves its answer in the row in any case; `owe` says if it counts.
    fn answer(&mut self) {
        self.ack_free.next = !self.ack_valid.val() | self.m_ack_ready.val();
        self.retires.next = self.finishes.val() & self.is_done.val() & !self.was_closed.val();
        self.answers.next = self.tag_acks.val() | self.tag_naks.val();
        self.direct.next = self.answers.val()
            & !self.was_closed.val()
            & !self.queue.m.valid.val()
            & !self.owed_ack.val()
            & !self.owed_nak.val()
            & !self.holds.val();
        self.may_send.next = (self.is_done.val() & self.direct.val())
            | (self.is_send.val()
                & (self.owed_ack.val() | self.owed_nak.val())
                & !self.holds.val());
        self.msn_of_answer.next = self.tag_msn.val();
        if self.fails.val() {
            self.msn_of_answer.next = self.msn_before.val();
        }
        self.psn_of_ack.next = self.row.val().ack_psn;
        self.msn_of_ack.next = self.row.val().ack_msn;
        self.psn_of_nak.next = self.row.val().nak_psn;
        self.msn_of_nak.next = self.row.val().nak_msn;
        self.nak_outcome.next = self.row.val().nak_outcome;
        if self.retires.val() & self.tag_acks.val() {
            self.psn_of_ack.next = self.tag_psn.val();
            self.msn_of_ack.next = self.tag_msn.val();
        }
        if self.retires.val() & self.tag_naks.val() {
            self.psn_of_nak.next = self.tag_psn.val();
            self.msn_of_nak.next = self.msn_of_answer.val();
            self.nak_outcome.next = self.outcome.val();
            if self.fails.val() {
                self.nak_outcome.next = self.operation.val();
            }
        }
        self.nak_bits.next = self.nak_outcome.val().get_bits::<2>(0);
        self.says_nak.next =
            (self.is_send.val() & self.owed_nak.val()) | (self.is_done.val() & self.tag_naks.val());
        comment!("Is the operation to show telemetry, once it finishes?");
        self.may_show.next = self.may_show.val() & !self.finishes.val();
        if (self.state.val() == AckGenState::Load) & !self.is_end.val() & self.fresh.val() {
            self.may_show.next = true;
        }
        self.tel_show.next = self.may_show.val() & !self.waits.val() & self.ack_free.val();
        self.sends.next = self.tel_show.val() & self.may_send.val();
        self.tel_send.next = self.may_send.val() & self.had_tel.val() & !self.owed_nak.val();
        if self.is_done.val() {
            self.tel_send.next =
                self.may_send.val() & (self.outcome.val() == self.ack.val()) & !self.error.val();
        }
        if self.m_ack_ready.val() {
            self.ack_valid.next = false;
        }
        if self.sends.val() {
            self.ack_valid.next = true;
            self.ack_flow.next = self.flow.val();
            self.ack_psn.next = self.psn_of_ack.val();
            self.ack_msn.next = self.msn_of_ack.val();
            self.ack_syndrome.next = self.syndrome_ack.val();
            if self.says_nak.val() {
                self.ack_psn.next = self.psn_of_nak.val();
                self.ack_msn.next = self.msn_of_nak.val();
                self.ack_syndrome.next =
                    bit_cast::<8, 5>(self.cfg_rnr_timer.val()) | self.syndrome_rnr.val();
                if self.nak_outcome.val().get_bit(2) {
                    self.ack_syndrome.next =
                        bit_cast::<8, 2>(self.nak_bits.val()) | self.syndrome_nak.val();
                }
            }
        }
    }

    /// the operation under way
    fn operation(&mut self) {
        self.rows.write_enable.next = self.finishes.val();
        self.rows.write_address.next = self.flow.val();
        self.joins.next = false;
        self.joining.next = self.flow.val();
        self.queue.s.valid.next = self.joins.val();
        self.queue.s.data.next = self.joining.val();
        self.queue.m.ready.next = false;
        self.retired_q.next = false;
        self.retired_imm_q.next = false;
        self.notes.next = false;
        self.cleared_q.next = false;
        self.landed.next = false;
        self.refused.next = false;
        self.tel_forget.next = self.finishes.val() & self.is_end.val() & self.end_clears.val();
        if self.chooses.val() {
            self.state.next = AckGenState::Idle;
            if self.end_due.val() | self.takes.val() | self.can_send.val() {
                self.state.next = AckGenState::Load;
            }
        }
        match self.state.val() {
            AckGenState::Scrub => {
                self.rows.write_enable.next = true;
                self.rows.write_address.next = self.scrub_flow.val();
                self.scrub_flow.next = self.scrub_flow.val() + 1;
                if self.scrub_flow.val() == self.last_flow.val() {
                    self.state.next = AckGenState::Idle;
                }
            }
            AckGenState::Load => {
                self.state.next = AckGenState::Apply;
                self.queue.m.ready.next = self.is_send.val();
            }
            AckGenState::Apply => {
                if self.is_end.val() {
                    self.end();
                } else if self.is_send.val() {
                    self.send();
                } else if self.finishes.val() {
                    self.retire();
                }
            }
            _ => {}
        }
        self.note.next = self.notes.val();
        if self.notes.val() {
            self.note_flow.next = self.flow.val();
            self.note_failed.next = self.closed.val();
            self.note_reads.next = self.ended.val();
        }
    }

    /// What a command hands on: a completion, or a READ.
    fn hand_on(&mut self) {
        if self.m_cqe_ready.val() {
            self.cqe_valid.next = false;
        }
        self.completes.next =
            self.retires.val() & self.is_accepted.val() & self.has_imm.val() & !self.error.val();
        if self.completes.val() {
            self.cqe_valid.next = true;
            self.cqe_kind.next = 1.into();
            self.cqe_flow.next = self.flow.val();
            self.cqe_imm.next = self.tag.val().imm;
            self.cqe_byte_len.next = self.tag.val().bytes;
        }
        if self.m_job.ready.val() {
            self.job.valid.next = false;
        }
        if self.retires.val() & self.is_read.val() {
            self.job.valid.next = true;
            self.job.flow.next = self.flow.val();
            self.job.psn.next = self.tag_psn.val();
            self.job.msn.next = self.tag_msn.val();
            self.job.addr.next = self.s_read_addr.val();
            self.job.bytes.next = self.tag.val().bytes;
            self.job.restart.next = !self.is_new.val();
            self.job.va.next = self.s_read_va.val();
            self.job.rkey.next = self.s_read_rkey.val();
        }
    }

    // Jobs have ended, or a row is in force.
    fn end(&mut self) {
        self.notes.next = true;
        self.jobs.next = self.jobs_less.val();
        self.ended.next = self.ended_more.val();
        if self.end_error.val() | self.end_clears.val() {
            self.owes_ack.next = false;
            self.owes_nak.next = false;
            self.has_tel.next = false;
            self.closed.next = true;
        }
        if self.end_clears.val() {
            self.jobs.next = 0.into();
            self.ended.next = 0.into();
            self.closed.next = false;
            self.cleared_q.next = true;
        }
        if (self.owes_ack.val() | self.owes_nak.val()) & !self.jobs.val().any() {
            self.joins.next = !self.was_queued.val();
            self.queued.next = true;
        }
    }

    // A packet has been done.
    fn retire(&mut self) {
        self.retired_q.next = true;
        self.retired_imm_q.next = self.has_imm.val();
        self.landed.next = self.is_accepted.val() & !self.error.val() & !self.was_closed.val();
        self.refused.next = self.is_accepted.val() & (self.error.val() | self.was_closed.val());
        if self.is_read.val() {
            self.landed.next = self.is_new.val() & !self.was_closed.val();
            self.refused.next = self.is_new.val() & self.was_closed.val();
        }
        if self.was_closed.val() {
            comment!("A flow in error answers nothing more: its READ has ended.");
            if self.is_read.val() & self.is_new.val() {
                self.ended.next = self.was_ended.val() + 1;
                self.notes.next = true;
            }
        } else if self.is_read.val() {
            comment!("Its response acknowledges all before it.");
            self.jobs.next = self.was_jobs.val() + 1;
            if self.is_new.val() {
                self.owes_ack.next = false;
                self.owes_nak.next = false;
            }
        } else {
            self.closed.next = self.fails.val() | self.is_fatal.val();
            self.notes.next = self.fails.val();
            if !self.sends.val() {
                self.owe();
            }
        }
    }

    // The answer waits: a later ACK replaces an earlier one.
    fn owe(&mut self) {
        if self.tag_naks.val() {
            self.owes_nak.next = true;
        }
        if self.tag_acks.val() {
            self.owes_ack.next = true;
        }
        if self.tag_acks.val() & (self.outcome.val() == self.ack.val()) {
            self.has_tel.next = true;
        }
        if self.answers.val() & !self.holds.val() {
            self.joins.next = !self.was_queued.val();
            self.queued.next = true;
        }
    }

    // A flow that waited: what it owes goes out, the NAK first, or it waits again.
    fn send(&mut self) {
        if self.may_send.val() {
            if self.sends.val() {
                self.owes_nak.next = false;
                if !self.owed_nak.val() {
                    self.owes_ack.next = false;
                    self.has_tel.next = false;
                }
            }
            self.queued.next = !self.sends.val() | (self.owed_nak.val() & self.owed_ack.val());
            self.joins.next = self.queued.val();
        } else {
            comment!("With a job of the flow it comes back at the end of the last one.");
            self.queued.next = false;
        }
    }

    /// the row as it will be
    fn row_after(&mut self) {
        self.rows_data.next = bit_cast::<115, 24>(self.psn_of_ack.val())
            | (bit_cast::<115, 24>(self.msn_of_ack.val()) << 24)
            | (bit_cast::<115, 24>(self.psn_of_nak.val()) << 48)
            | (bit_cast::<115, 24>(self.msn_of_nak.val()) << 72)
            | (bit_cast::<115, 3>(self.nak_outcome.val()) << 96);
        self.rows_data.next = self.rows_data.val()
            | (bit_cast::<115, 6>(self.jobs.val()) << 104)
            | (bit_cast::<115, 5>(self.ended.val()) << 110);
        self.rows_data.next = self.rows_data.val().replace_bit(99, self.owes_ack.val());
        self.rows_data.next = self.rows_data.val().replace_bit(100, self.owes_nak.val());
        self.rows_data.next = self.rows_data.val().replace_bit(101, self.has_tel.val());
        self.rows_data.next = self.rows_data.val().replace_bit(102, self.closed.val());
        self.rows_data.next = self.rows_data.val().replace_bit(103, self.queued.val());
        comment!("What is read while it is written is old.");
        self.row.next = self.rows_data.val().into();
        if (self.state.val() == AckGenState::Load) & !self.same.val() {
            self.row.next = self.rows.read_data.val();
        }
        self.rows.write_data.next = self.rows_data.val().into();
        if self.state.val() == AckGenState::Scrub {
            self.rows.write_data.next = 0.into();
        }
    }
}
