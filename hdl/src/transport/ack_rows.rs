//! The flows' owed ACKs and NAKs: a row a flow, and a queue of the flows that owe.
//!
//! # Source            InfiniBand architecture volume 1, section 9.7.5; ARCHITECTURE.md, Responder
//! # Interface timing  as `ack_gen`, of which this is the control
//! # Number formats    row | ACK: PSN \[23:0\], MSN \[47:24\], owed \[99\], of a packet that
//!                     was not there before \[101\]; NAK: PSN \[71:48\], MSN \[95:72\], outcome \[98:96\], owed
//!                     \[100\]; in error \[102\]; in the queue \[103\]; jobs of READs that have
//!                     not ended \[109:104\]; READs that have, modulo 32 \[114:110\]
//! # Reset             synchronous, high: rows are cleared, one a cycle
//! # Twins             sim/src/golden/transport/ack_gen.rs, tests/ack_gen.rs

use crate::util::fifo::Fifo;
use crate::util::ram::Ram;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// What the block does in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
pub enum AckGenState {
    Scrub,
    Idle,
    Load,
    Apply,
    Fetch,
    Choose,
    Send,
}

/// Rows of `2^FB` flows; `FC = FB + 1`.
#[derive(LogicBlock)]
pub struct AckRows<const FB: usize, const FC: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// A DMA command has ended.
    pub s_done_valid: Signal<In, Bit>,
    /// It is taken.
    pub s_done_ready: Signal<Out, Bit>,
    /// Its tag.
    pub s_done_tag: Signal<In, Bits<127>>,
    /// Host memory refused the write.
    pub s_done_error: Signal<In, Bit>,
    /// Jobs have ended, or a row is in force.
    pub s_end_valid: Signal<In, Bit>,
    /// It is taken.
    pub s_end_ready: Signal<Out, Bit>,
    /// Flow index.
    pub s_end_flow: Signal<In, Bits<FB>>,
    /// Jobs that have ended.
    pub s_end_jobs: Signal<In, Bits<5>>,
    /// Those that were no restarts.
    pub s_end_reads: Signal<In, Bits<5>>,
    /// The flow is in error.
    pub s_end_error: Signal<In, Bit>,
    /// Forget all about the flow.
    pub s_end_cleared: Signal<In, Bit>,
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
    pub m_job_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_job_ready: Signal<In, Bit>,
    /// Flow index.
    pub m_job_flow: Signal<Out, Bits<FB>>,
    /// PSN of the first response.
    pub m_job_psn: Signal<Out, Bits<24>>,
    /// MSN of its responses.
    pub m_job_msn: Signal<Out, Bits<24>>,
    /// Address of the first byte.
    pub m_job_addr: Signal<Out, Bits<64>>,
    /// Bytes.
    pub m_job_bytes: Signal<Out, Bits<32>>,
    /// It was asked for before.
    pub m_job_restart: Signal<Out, Bit>,
    /// Virtual address that the peer has asked for.
    pub m_job_va: Signal<Out, Bits<64>>,
    /// Remote key.
    pub m_job_rkey: Signal<Out, Bits<32>>,
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
    rows: Ram<FB, 115>,
    queue: Fifo<FB, FB, FC>,
    state: DFF<AckGenState>,
    is_end: DFF<Bit>,
    end_jobs: DFF<Bits<5>>,
    end_reads: DFF<Bits<5>>,
    end_error: DFF<Bit>,
    end_clears: DFF<Bit>,
    tag: DFF<Bits<127>>,
    error: DFF<Bit>,
    flow: DFF<Bits<FB>>,
    fresh: DFF<Bit>,
    scrub_flow: DFF<Bits<FB>>,
    row: DFF<Bits<115>>,
    ack_valid: DFF<Bit>,
    ack_flow: DFF<Bits<FB>>,
    ack_syndrome: DFF<Bits<8>>,
    ack_msn: DFF<Bits<24>>,
    ack_psn: DFF<Bits<24>>,
    cqe_valid: DFF<Bit>,
    cqe_kind: DFF<Bits<8>>,
    cqe_flow: DFF<Bits<FB>>,
    cqe_imm: DFF<Bits<32>>,
    cqe_byte_len: DFF<Bits<32>>,
    retired_q: DFF<Bit>,
    retired_imm_q: DFF<Bit>,
    job_valid: DFF<Bit>,
    job_flow: DFF<Bits<FB>>,
    job_psn: DFF<Bits<24>>,
    job_msn: DFF<Bits<24>>,
    job_addr: DFF<Bits<64>>,
    job_bytes: DFF<Bits<32>>,
    job_restart: DFF<Bit>,
    job_va: DFF<Bits<64>>,
    job_rkey: DFF<Bits<32>>,
    note: DFF<Bit>,
    note_flow: DFF<Bits<FB>>,
    note_failed: DFF<Bit>,
    note_reads: DFF<Bits<5>>,
    cleared_q: DFF<Bit>,
    landed: DFF<Bit>,
    refused: DFF<Bit>,
    can_send: Signal<Local, Bit>,
    ack_free: Signal<Local, Bit>,
    direct: Signal<Local, Bit>,
    tel_row: Signal<Local, Bits<FB>>,
    stores: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    outcome: Signal<Local, Bits<3>>,
    is_accepted: Signal<Local, Bit>,
    has_imm: Signal<Local, Bit>,
    tag_psn: Signal<Local, Bits<24>>,
    tag_msn: Signal<Local, Bits<24>>,
    ends: Signal<Local, Bits<24>>,
    msn_before: Signal<Local, Bits<24>>,
    was_closed: Signal<Local, Bit>,
    was_queued: Signal<Local, Bit>,
    psn_of_ack: Signal<Local, Bits<24>>,
    msn_of_ack: Signal<Local, Bits<24>>,
    psn_of_nak: Signal<Local, Bits<24>>,
    msn_of_nak: Signal<Local, Bits<24>>,
    nak_outcome: Signal<Local, Bits<3>>,
    owes_ack: Signal<Local, Bit>,
    owes_nak: Signal<Local, Bit>,
    has_tel: Signal<Local, Bit>,
    closed: Signal<Local, Bit>,
    queued: Signal<Local, Bit>,
    kind: Signal<Local, Bits<2>>,
    nak_bits: Signal<Local, Bits<2>>,
    is_nak: Signal<Local, Bit>,
    rows_data: Signal<Local, Bits<115>>,
    was_jobs: Signal<Local, Bits<6>>,
    jobs: Signal<Local, Bits<6>>,
    jobs_less: Signal<Local, Bits<6>>,
    was_ended: Signal<Local, Bits<5>>,
    ended: Signal<Local, Bits<5>>,
    ended_more: Signal<Local, Bits<5>>,
    is_read: Signal<Local, Bit>,
    is_new: Signal<Local, Bit>,
    holds: Signal<Local, Bit>,
    notes: Signal<Local, Bit>,
    ack: Constant<Bits<3>>,
    again: Constant<Bits<3>>,
    operation: Constant<Bits<3>>,
    read: Constant<Bits<3>>,
    syndrome_ack: Constant<Bits<8>>,
    syndrome_rnr: Constant<Bits<8>>,
    syndrome_nak: Constant<Bits<8>>,
    last_flow: Constant<Bits<FB>>,
}

impl<const FB: usize, const FC: usize> Default for AckRows<FB, FC> {
    fn default() -> Self {
        assert!(FC == FB + 1 && FB <= 10, "FC = FB + 1, FB <= 10");
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            s_done_valid: Default::default(),
            s_done_ready: Default::default(),
            s_done_tag: Default::default(),
            s_done_error: Default::default(),
            s_end_valid: Default::default(),
            s_end_ready: Default::default(),
            s_end_flow: Default::default(),
            s_end_jobs: Default::default(),
            s_end_reads: Default::default(),
            s_end_error: Default::default(),
            s_end_cleared: Default::default(),
            s_read_addr: Default::default(),
            s_read_va: Default::default(),
            s_read_rkey: Default::default(),
            s_read_ready: Default::default(),
            tel_store: Default::default(),
            tel_flow: Default::default(),
            cfg_rnr_timer: Default::default(),
            m_ack_valid: Default::default(),
            m_ack_ready: Default::default(),
            m_ack_flow: Default::default(),
            m_ack_syndrome: Default::default(),
            m_ack_msn: Default::default(),
            m_ack_psn: Default::default(),
            m_cqe_valid: Default::default(),
            m_cqe_ready: Default::default(),
            m_cqe_kind: Default::default(),
            m_cqe_flow: Default::default(),
            m_cqe_imm: Default::default(),
            m_cqe_byte_len: Default::default(),
            m_job_valid: Default::default(),
            m_job_ready: Default::default(),
            m_job_flow: Default::default(),
            m_job_psn: Default::default(),
            m_job_msn: Default::default(),
            m_job_addr: Default::default(),
            m_job_bytes: Default::default(),
            m_job_restart: Default::default(),
            m_job_va: Default::default(),
            m_job_rkey: Default::default(),
            retired: Default::default(),
            retired_imm: Default::default(),
            ended_valid: Default::default(),
            ended_flow: Default::default(),
            ended_failed: Default::default(),
            ended_reads: Default::default(),
            cleared: Default::default(),
            event_resp_accepted: Default::default(),
            event_resp_nak_operation: Default::default(),
            tel_scrub: Default::default(),
            tel_scrub_flow: Default::default(),
            tel_fetch: Default::default(),
            tel_fetch_flow: Default::default(),
            tel_now: Default::default(),
            tel_forget: Default::default(),
            tel_show: Default::default(),
            tel_send: Default::default(),
            rows: Default::default(),
            queue: Default::default(),
            state: Default::default(),
            is_end: Default::default(),
            end_jobs: Default::default(),
            end_reads: Default::default(),
            end_error: Default::default(),
            end_clears: Default::default(),
            tag: Default::default(),
            error: Default::default(),
            flow: Default::default(),
            fresh: Default::default(),
            scrub_flow: Default::default(),
            row: Default::default(),
            ack_valid: Default::default(),
            ack_flow: Default::default(),
            ack_syndrome: Default::default(),
            ack_msn: Default::default(),
            ack_psn: Default::default(),
            cqe_valid: Default::default(),
            cqe_kind: Default::default(),
            cqe_flow: Default::default(),
            cqe_imm: Default::default(),
            cqe_byte_len: Default::default(),
            retired_q: Default::default(),
            retired_imm_q: Default::default(),
            job_valid: Default::default(),
            job_flow: Default::default(),
            job_psn: Default::default(),
            job_msn: Default::default(),
            job_addr: Default::default(),
            job_bytes: Default::default(),
            job_restart: Default::default(),
            job_va: Default::default(),
            job_rkey: Default::default(),
            note: Default::default(),
            note_flow: Default::default(),
            note_failed: Default::default(),
            note_reads: Default::default(),
            cleared_q: Default::default(),
            landed: Default::default(),
            refused: Default::default(),
            can_send: Default::default(),
            ack_free: Default::default(),
            direct: Default::default(),
            tel_row: Default::default(),
            stores: Default::default(),
            waits: Default::default(),
            outcome: Default::default(),
            is_accepted: Default::default(),
            has_imm: Default::default(),
            tag_psn: Default::default(),
            tag_msn: Default::default(),
            ends: Default::default(),
            msn_before: Default::default(),
            was_closed: Default::default(),
            was_queued: Default::default(),
            psn_of_ack: Default::default(),
            msn_of_ack: Default::default(),
            psn_of_nak: Default::default(),
            msn_of_nak: Default::default(),
            nak_outcome: Default::default(),
            owes_ack: Default::default(),
            owes_nak: Default::default(),
            has_tel: Default::default(),
            closed: Default::default(),
            queued: Default::default(),
            kind: Default::default(),
            nak_bits: Default::default(),
            is_nak: Default::default(),
            rows_data: Default::default(),
            was_jobs: Default::default(),
            jobs: Default::default(),
            jobs_less: Default::default(),
            was_ended: Default::default(),
            ended: Default::default(),
            ended_more: Default::default(),
            is_read: Default::default(),
            is_new: Default::default(),
            holds: Default::default(),
            notes: Default::default(),
            ack: Constant::new(1u64.to_bits()),
            again: Constant::new(2u64.to_bits()),
            operation: Constant::new(7u64.to_bits()),
            read: Constant::new(7u64.to_bits()),
            syndrome_ack: Constant::new(0x1fu64.to_bits()),
            syndrome_rnr: Constant::new(0x20u64.to_bits()),
            syndrome_nak: Constant::new(0x60u64.to_bits()),
            last_flow: Constant::new(((1_u64 << FB) - 1).to_bits()),
        }
    }
}

impl<const FB: usize, const FC: usize> Logic for AckRows<FB, FC> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            state,
            is_end,
            end_jobs,
            end_reads,
            end_error,
            end_clears,
            tag,
            error,
            flow,
            fresh,
            scrub_flow,
            row,
            ack_valid,
            ack_flow,
            ack_syndrome,
            ack_msn,
            ack_psn,
            cqe_valid,
            cqe_kind,
            cqe_flow,
            cqe_imm,
            cqe_byte_len,
            retired_q,
            retired_imm_q,
            job_valid,
            job_flow,
            job_psn,
            job_msn,
            job_addr,
            job_bytes,
            job_restart,
            job_va,
            job_rkey,
            note,
            note_flow,
            note_failed,
            note_reads,
            cleared_q,
            landed,
            refused
        );
        self.rows.clock.next = self.clock.val();
        self.queue.clock.next = self.clock.val();
        self.queue.reset.next = self.reset.val();
        comment!("outputs");
        self.s_done_ready.next =
            (self.state.q.val() == AckGenState::Idle) & !self.job_valid.q.val();
        self.s_end_ready.next = (self.state.q.val() == AckGenState::Apply) & self.is_end.q.val();
        self.s_read_ready.next = (self.state.q.val() == AckGenState::Apply)
            & !self.is_end.q.val()
            & (self.tag.q.val().get_bits::<3>(122) == self.read.val());
        self.m_job_valid.next = self.job_valid.q.val();
        self.m_job_flow.next = self.job_flow.q.val();
        self.m_job_psn.next = self.job_psn.q.val();
        self.m_job_msn.next = self.job_msn.q.val();
        self.m_job_addr.next = self.job_addr.q.val();
        self.m_job_bytes.next = self.job_bytes.q.val();
        self.m_job_restart.next = self.job_restart.q.val();
        self.m_job_va.next = self.job_va.q.val();
        self.m_job_rkey.next = self.job_rkey.q.val();
        self.m_ack_valid.next = self.ack_valid.q.val();
        self.m_ack_flow.next = self.ack_flow.q.val();
        self.m_ack_syndrome.next = self.ack_syndrome.q.val();
        self.m_ack_msn.next = self.ack_msn.q.val();
        self.m_ack_psn.next = self.ack_psn.q.val();
        self.m_cqe_valid.next = self.cqe_valid.q.val();
        self.m_cqe_kind.next = self.cqe_kind.q.val();
        self.m_cqe_flow.next = self.cqe_flow.q.val();
        self.m_cqe_imm.next = self.cqe_imm.q.val();
        self.m_cqe_byte_len.next = self.cqe_byte_len.q.val();
        self.retired.next = self.retired_q.q.val();
        self.retired_imm.next = self.retired_imm_q.q.val();
        self.ended_valid.next = self.note.q.val();
        self.ended_flow.next = self.note_flow.q.val();
        self.ended_failed.next = self.note_failed.q.val();
        self.ended_reads.next = self.note_reads.q.val();
        self.cleared.next = self.cleared_q.q.val();
        self.event_resp_accepted.next = self.landed.q.val();
        self.event_resp_nak_operation.next = self.refused.q.val();
        self.tel_scrub.next = self.state.q.val() == AckGenState::Scrub;
        self.tel_scrub_flow.next = self.scrub_flow.q.val();
        self.tel_fetch.next =
            (self.state.q.val() == AckGenState::Fetch) | (self.state.q.val() == AckGenState::Load);
        self.tel_row.next = self.queue.m_data.val();
        if self.state.q.val() == AckGenState::Load {
            self.tel_row.next = self.flow.q.val();
        }
        self.tel_fetch_flow.next = self.tel_row.val();
        self.tel_now.next = self.flow.q.val();
        self.tel_forget.next = (self.state.q.val() == AckGenState::Apply)
            & self.is_end.q.val()
            & self.end_clears.q.val();
        comment!("a command that has ended");
        self.outcome.next = self.tag.q.val().get_bits::<3>(122);
        self.kind.next = self.outcome.val().get_bits::<2>(0);
        self.is_nak.next = self.tag.q.val().get_bit(124);
        self.is_accepted.next = !self.is_nak.val() & !self.tag.q.val().get_bit(123);
        self.has_imm.next = self.tag.q.val().get_bit(125);
        self.tag_psn.next = self.tag.q.val().get_bits::<24>(0);
        self.tag_msn.next = self.tag.q.val().get_bits::<24>(24);
        self.ends.next = bit_cast::<24, 1>(self.tag.q.val().get_bits::<1>(126));
        self.is_read.next = self.outcome.val() == self.read.val();
        self.is_new.next = self.tag.q.val().get_bit(126);
        self.msn_before.next = self.tag_msn.val() - self.ends.val();
        comment!("the flow's row");
        self.psn_of_ack.next = self.row.q.val().get_bits::<24>(0);
        self.msn_of_ack.next = self.row.q.val().get_bits::<24>(24);
        self.psn_of_nak.next = self.row.q.val().get_bits::<24>(48);
        self.msn_of_nak.next = self.row.q.val().get_bits::<24>(72);
        self.nak_outcome.next = self.row.q.val().get_bits::<3>(96);
        self.owes_ack.next = self.row.q.val().get_bit(99);
        self.owes_nak.next = self.row.q.val().get_bit(100);
        self.has_tel.next = self.row.q.val().get_bit(101);
        self.was_closed.next = self.row.q.val().get_bit(102);
        self.was_queued.next = self.row.q.val().get_bit(103);
        self.was_jobs.next = self.row.q.val().get_bits::<6>(104);
        self.was_ended.next = self.row.q.val().get_bits::<5>(110);
        self.jobs_less.next = self.was_jobs.val() - bit_cast::<6, 5>(self.end_jobs.q.val());
        self.ended_more.next = self.was_ended.val() + self.end_reads.q.val();
        self.jobs.next = self.was_jobs.val();
        self.ended.next = self.was_ended.val();
        self.closed.next = self.was_closed.val();
        self.queued.next = self.was_queued.val();
        self.nak_bits.next = self.nak_outcome.val().get_bits::<2>(0);
        comment!("An answer must not overtake READ responses.");
        self.holds.next = self.was_jobs.val().any();
        self.tel_show.next = self.state.q.val() == AckGenState::Send;
        self.tel_send.next =
            self.has_tel.val() & self.owes_ack.val() & !self.owes_nak.val() & !self.holds.val();
        comment!("defaults");
        self.ack_free.next = !self.ack_valid.q.val() | self.m_ack_ready.val();
        self.can_send.next = self.queue.m_valid.val() & self.ack_free.val();
        self.direct.next = !self.queue.m_valid.val() & self.ack_free.val() & self.fresh.q.val();
        self.stores.next = self.tel_store.val() & (self.tel_flow.val() == self.tel_row.val());
        self.waits.next = self.has_imm.val() & self.cqe_valid.q.val() & !self.m_cqe_ready.val();
        self.rows.write_enable.next = false;
        self.rows.write_address.next = self.flow.q.val();
        self.rows.read_enable.next = false;
        self.rows.read_address.next = self.queue.m_data.val();
        self.row.d.next = self.rows.read_data.val();
        self.queue.s_valid.next = false;
        self.queue.s_data.next = self.flow.q.val();
        self.queue.m_ready.next = false;
        self.retired_q.d.next = false;
        self.retired_imm_q.d.next = false;
        self.note.d.next = false;
        self.notes.next = false;
        self.cleared_q.d.next = false;
        self.landed.d.next = false;
        self.refused.d.next = false;
        if self.m_job_ready.val() {
            self.job_valid.d.next = false;
        }
        if self.m_ack_ready.val() {
            self.ack_valid.d.next = false;
        }
        if self.m_cqe_ready.val() {
            self.cqe_valid.d.next = false;
        }
        match self.state.q.val() {
            AckGenState::Scrub => {
                self.rows.write_enable.next = true;
                self.rows.write_address.next = self.scrub_flow.q.val();
                self.scrub_flow.d.next = self.scrub_flow.q.val() + 1;
                if self.scrub_flow.q.val() == self.last_flow.val() {
                    self.state.d.next = AckGenState::Idle;
                }
            }
            AckGenState::Idle => {
                self.rows.read_enable.next = true;
                self.tag.d.next = self.s_done_tag.val();
                self.error.d.next = self.s_done_error.val();
                self.end_jobs.d.next = self.s_end_jobs.val();
                self.end_reads.d.next = self.s_end_reads.val();
                self.end_error.d.next = self.s_end_error.val();
                self.end_clears.d.next = self.s_end_cleared.val();
                self.is_end.d.next = true;
                self.rows.read_address.next = self.s_end_flow.val();
                self.flow.d.next = self.s_end_flow.val();
                if self.s_done_valid.val() & !self.job_valid.q.val() {
                    self.is_end.d.next = false;
                    self.rows.read_address.next = self.s_done_tag.val().get_bits::<FB>(112);
                    self.flow.d.next = self.s_done_tag.val().get_bits::<FB>(112);
                    self.state.d.next = AckGenState::Load;
                } else if self.s_end_valid.val() {
                    self.state.d.next = AckGenState::Load;
                } else if self.can_send.val() {
                    self.state.d.next = AckGenState::Fetch;
                }
            }
            AckGenState::Load => {
                self.fresh.d.next = !self.stores.val();
                self.state.d.next = AckGenState::Apply;
            }
            AckGenState::Apply => {
                if self.is_end.q.val() | !self.waits.val() {
                    self.rows.write_enable.next = true;
                    self.state.d.next = AckGenState::Idle;
                    if self.can_send.val() {
                        self.state.d.next = AckGenState::Fetch;
                    }
                }
                if self.is_end.q.val() {
                    self.jobs.next = self.jobs_less.val();
                    self.ended.next = self.ended_more.val();
                    self.notes.next = true;
                    if self.end_error.q.val() | self.end_clears.q.val() {
                        self.owes_ack.next = false;
                        self.owes_nak.next = false;
                        self.has_tel.next = false;
                        self.closed.next = true;
                    }
                    if self.end_clears.q.val() {
                        self.jobs.next = 0.into();
                        self.ended.next = 0.into();
                        self.closed.next = false;
                        self.cleared_q.d.next = true;
                    }
                } else if !self.waits.val() {
                    self.retired_q.d.next = true;
                    self.retired_imm_q.d.next = self.has_imm.val();
                    self.landed.d.next =
                        self.is_accepted.val() & !self.error.q.val() & !self.was_closed.val();
                    self.refused.d.next =
                        self.is_accepted.val() & (self.error.q.val() | self.was_closed.val());
                    if self.is_read.val() {
                        self.landed.d.next = self.is_new.val() & !self.was_closed.val();
                        self.refused.d.next = self.is_new.val() & self.was_closed.val();
                    }
                    if self.was_closed.val() {
                        comment!("A flow in error answers nothing more: its READ has ended.");
                        if self.is_read.val() & self.is_new.val() {
                            self.ended.next = self.was_ended.val() + 1;
                            self.notes.next = true;
                        }
                    } else if self.is_read.val() {
                        self.jobs.next = self.was_jobs.val() + 1;
                        self.job_valid.d.next = true;
                        self.job_flow.d.next = self.flow.q.val();
                        self.job_psn.d.next = self.tag_psn.val();
                        self.job_msn.d.next = self.tag_msn.val();
                        self.job_addr.d.next = self.s_read_addr.val();
                        self.job_bytes.d.next = self.tag.q.val().get_bits::<32>(80);
                        self.job_restart.d.next = !self.is_new.val();
                        self.job_va.d.next = self.s_read_va.val();
                        self.job_rkey.d.next = self.s_read_rkey.val();
                        if self.is_new.val() {
                            comment!("Its response acknowledges all before it.");
                            self.owes_ack.next = false;
                            self.owes_nak.next = false;
                        }
                    } else if self.is_accepted.val() & self.error.q.val() {
                        self.notes.next = true;
                        self.psn_of_nak.next = self.tag_psn.val();
                        self.msn_of_nak.next = self.msn_before.val();
                        self.nak_outcome.next = self.operation.val();
                        self.owes_nak.next = true;
                        self.closed.next = true;
                    } else if self.is_accepted.val() | (self.outcome.val() == self.again.val()) {
                        if self.kind.val().any() {
                            self.psn_of_ack.next = self.tag_psn.val();
                            self.msn_of_ack.next = self.tag_msn.val();
                            self.owes_ack.next = true;
                        }
                        if self.outcome.val() == self.ack.val() {
                            self.has_tel.next = true;
                        }
                        if self.is_accepted.val() & self.has_imm.val() {
                            self.cqe_valid.d.next = true;
                            self.cqe_kind.d.next = 1.into();
                            self.cqe_flow.d.next = self.flow.q.val();
                            self.cqe_imm.d.next = self.tag.q.val().get_bits::<32>(48);
                            self.cqe_byte_len.d.next = self.tag.q.val().get_bits::<32>(80);
                        }
                    } else {
                        self.psn_of_nak.next = self.tag_psn.val();
                        self.msn_of_nak.next = self.tag_msn.val();
                        self.nak_outcome.next = self.outcome.val();
                        self.owes_nak.next = true;
                        self.closed.next = self.is_nak.val() & self.kind.val().any();
                    }
                }
                if (self.is_end.q.val() | !self.waits.val())
                    & (self.owes_ack.val() | self.owes_nak.val())
                    & !self.jobs.val().any()
                {
                    self.queue.s_valid.next = !self.was_queued.val();
                    self.queued.next = true;
                    if self.direct.val() & !self.was_queued.val() {
                        comment!("Nobody waits: the answer goes out at once.");
                        self.queue.s_valid.next = false;
                        self.state.d.next = AckGenState::Send;
                    }
                }
                if self.notes.val() {
                    self.note.d.next = true;
                    self.note_flow.d.next = self.flow.q.val();
                    self.note_failed.d.next = self.closed.val();
                    self.note_reads.d.next = self.ended.val();
                }
            }
            AckGenState::Fetch => {
                comment!("Telemetry of the same flow is being stored: once more.");
                self.flow.d.next = self.queue.m_data.val();
                self.rows.read_enable.next = true;
                if !self.stores.val() {
                    self.queue.m_ready.next = true;
                    self.state.d.next = AckGenState::Choose;
                }
            }
            AckGenState::Choose => {
                self.state.d.next = AckGenState::Send;
            }
            AckGenState::Send => {
                self.state.d.next = AckGenState::Idle;
                self.rows.write_enable.next = true;
                self.queued.next = false;
                if (self.owes_nak.val() | self.owes_ack.val()) & !self.holds.val() {
                    self.ack_valid.d.next = true;
                    self.ack_flow.d.next = self.flow.q.val();
                }
                if self.holds.val() {
                    comment!("It comes back with the end of the last job.");
                } else if self.owes_nak.val() {
                    self.ack_syndrome.d.next =
                        bit_cast::<8, 5>(self.cfg_rnr_timer.val()) | self.syndrome_rnr.val();
                    if self.nak_outcome.val().get_bit(2) {
                        self.ack_syndrome.d.next =
                            bit_cast::<8, 2>(self.nak_bits.val()) | self.syndrome_nak.val();
                    }
                    self.ack_psn.d.next = self.psn_of_nak.val();
                    self.ack_msn.d.next = self.msn_of_nak.val();
                    self.owes_nak.next = false;
                    comment!("an ACK waits behind the NAK");
                    self.queue.s_valid.next = self.owes_ack.val();
                    self.queued.next = self.owes_ack.val();
                } else if self.owes_ack.val() {
                    self.ack_syndrome.d.next = self.syndrome_ack.val();
                    self.ack_psn.d.next = self.psn_of_ack.val();
                    self.ack_msn.d.next = self.msn_of_ack.val();
                    self.owes_ack.next = false;
                    self.has_tel.next = false;
                }
            }
        }
        comment!("the row as it will be");
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
        self.rows.write_data.next = self.rows_data.val();
        if self.state.q.val() == AckGenState::Apply {
            self.row.d.next = self.rows_data.val();
        }
        if self.state.q.val() == AckGenState::Scrub {
            self.rows.write_data.next = 0.into();
        }
        if self.reset.val() {
            self.state.d.next = AckGenState::Scrub;
            self.ack_valid.d.next = false;
            self.cqe_valid.d.next = false;
            self.retired_q.d.next = false;
            self.retired_imm_q.d.next = false;
            self.note.d.next = false;
            self.note_flow.d.next = 0.into();
            self.note_failed.d.next = false;
            self.note_reads.d.next = 0.into();
            self.cleared_q.d.next = false;
            self.job_valid.d.next = false;
            self.job_flow.d.next = 0.into();
            self.job_psn.d.next = 0.into();
            self.job_msn.d.next = 0.into();
            self.job_addr.d.next = 0.into();
            self.job_bytes.d.next = 0.into();
            self.job_restart.d.next = false;
            self.job_va.d.next = 0.into();
            self.job_rkey.d.next = 0.into();
            self.landed.d.next = false;
            self.refused.d.next = false;
            self.scrub_flow.d.next = 0.into();
            self.ack_flow.d.next = 0.into();
            self.ack_syndrome.d.next = 0.into();
            self.ack_msn.d.next = 0.into();
            self.ack_psn.d.next = 0.into();
            self.cqe_kind.d.next = 0.into();
            self.cqe_flow.d.next = 0.into();
            self.cqe_imm.d.next = 0.into();
            self.cqe_byte_len.d.next = 0.into();
        }
    }
}
