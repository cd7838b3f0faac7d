//! The flows' owed ACKs and NAKs: a row a flow, and a queue of the flows that owe.
//!
//! # Source            InfiniBand architecture volume 1, section 9.7.5; ARCHITECTURE.md, Responder
//! # Interface timing  as `ack_gen`, of which this is the control
//! # Number formats    row | ACK: PSN \[23:0\], MSN \[47:24\], owed \[99\], with telemetry
//!                     \[101\]; NAK: PSN \[71:48\], MSN \[95:72\], outcome \[98:96\], owed
//!                     \[100\]; in error \[102\]; in the queue \[103\]
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
    /// Forget all about a flow.
    pub s_clear_valid: Signal<In, Bit>,
    /// Done.
    pub s_clear_ready: Signal<Out, Bit>,
    /// The flow.
    pub s_clear_flow: Signal<In, Bits<FB>>,
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
    /// A command has been dealt with.
    pub retired: Signal<Out, Bit>,
    /// It ended a WRITE with immediate.
    pub retired_imm: Signal<Out, Bit>,
    /// A write failed.
    pub fail_valid: Signal<Out, Bit>,
    /// Its flow.
    pub fail_flow: Signal<Out, Bits<FB>>,
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
    /// Send what was fetched, or none.
    pub tel_send: Signal<Out, Bit>,
    /// Send what was fetched.
    pub tel_send_tel: Signal<Out, Bit>,
    rows: Ram<FB, 104>,
    queue: Fifo<FB, FB, FC>,
    state: DFF<AckGenState>,
    clears: DFF<Bit>,
    tag: DFF<Bits<127>>,
    error: DFF<Bit>,
    flow: DFF<Bits<FB>>,
    scrub_flow: DFF<Bits<FB>>,
    row: DFF<Bits<104>>,
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
    fail: DFF<Bit>,
    failed_flow: DFF<Bits<FB>>,
    landed: DFF<Bit>,
    refused: DFF<Bit>,
    can_send: Signal<Local, Bit>,
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
    rows_data: Signal<Local, Bits<104>>,
    ack: Constant<Bits<3>>,
    again: Constant<Bits<3>>,
    operation: Constant<Bits<3>>,
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
            s_clear_valid: Default::default(),
            s_clear_ready: Default::default(),
            s_clear_flow: Default::default(),
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
            retired: Default::default(),
            retired_imm: Default::default(),
            fail_valid: Default::default(),
            fail_flow: Default::default(),
            event_resp_accepted: Default::default(),
            event_resp_nak_operation: Default::default(),
            tel_scrub: Default::default(),
            tel_scrub_flow: Default::default(),
            tel_fetch: Default::default(),
            tel_fetch_flow: Default::default(),
            tel_send: Default::default(),
            tel_send_tel: Default::default(),
            rows: Default::default(),
            queue: Default::default(),
            state: Default::default(),
            clears: Default::default(),
            tag: Default::default(),
            error: Default::default(),
            flow: Default::default(),
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
            fail: Default::default(),
            failed_flow: Default::default(),
            landed: Default::default(),
            refused: Default::default(),
            can_send: Default::default(),
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
            ack: Constant::new(1u64.to_bits()),
            again: Constant::new(2u64.to_bits()),
            operation: Constant::new(7u64.to_bits()),
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
            clears,
            tag,
            error,
            flow,
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
            fail,
            failed_flow,
            landed,
            refused
        );
        self.rows.clock.next = self.clock.val();
        self.queue.clock.next = self.clock.val();
        self.queue.reset.next = self.reset.val();
        comment!("outputs");
        self.s_done_ready.next = self.state.q.val() == AckGenState::Idle;
        self.s_clear_ready.next = (self.state.q.val() == AckGenState::Apply) & self.clears.q.val();
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
        self.fail_valid.next = self.fail.q.val();
        self.fail_flow.next = self.failed_flow.q.val();
        self.event_resp_accepted.next = self.landed.q.val();
        self.event_resp_nak_operation.next = self.refused.q.val();
        self.tel_scrub.next = self.state.q.val() == AckGenState::Scrub;
        self.tel_scrub_flow.next = self.scrub_flow.q.val();
        self.tel_fetch.next = self.state.q.val() == AckGenState::Fetch;
        self.tel_fetch_flow.next = self.queue.m_data.val();
        comment!("a command that has ended");
        self.outcome.next = self.tag.q.val().get_bits::<3>(122);
        self.kind.next = self.outcome.val().get_bits::<2>(0);
        self.is_nak.next = self.tag.q.val().get_bit(124);
        self.is_accepted.next = !self.is_nak.val() & !self.tag.q.val().get_bit(123);
        self.has_imm.next = self.tag.q.val().get_bit(125);
        self.tag_psn.next = self.tag.q.val().get_bits::<24>(0);
        self.tag_msn.next = self.tag.q.val().get_bits::<24>(24);
        self.ends.next = bit_cast::<24, 1>(self.tag.q.val().get_bits::<1>(126));
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
        self.closed.next = self.was_closed.val();
        self.queued.next = self.was_queued.val();
        self.nak_bits.next = self.nak_outcome.val().get_bits::<2>(0);
        self.tel_send.next =
            (self.state.q.val() == AckGenState::Send) & (self.owes_nak.val() | self.owes_ack.val());
        self.tel_send_tel.next = self.has_tel.val() & !self.owes_nak.val();
        comment!("defaults");
        self.can_send.next =
            self.queue.m_valid.val() & (!self.ack_valid.q.val() | self.m_ack_ready.val());
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
        self.fail.d.next = false;
        self.landed.d.next = false;
        self.refused.d.next = false;
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
                self.clears.d.next = !self.s_done_valid.val();
                self.rows.read_address.next = self.s_clear_flow.val();
                self.flow.d.next = self.s_clear_flow.val();
                if self.s_done_valid.val() {
                    self.rows.read_address.next = self.s_done_tag.val().get_bits::<FB>(112);
                    self.flow.d.next = self.s_done_tag.val().get_bits::<FB>(112);
                }
                if self.s_done_valid.val() | self.s_clear_valid.val() {
                    self.state.d.next = AckGenState::Load;
                } else if self.can_send.val() {
                    self.state.d.next = AckGenState::Fetch;
                }
            }
            AckGenState::Load => {
                self.state.d.next = AckGenState::Apply;
            }
            AckGenState::Apply => {
                if self.clears.q.val() | !self.waits.val() {
                    self.rows.write_enable.next = true;
                    self.state.d.next = AckGenState::Idle;
                    if self.can_send.val() {
                        self.state.d.next = AckGenState::Fetch;
                    }
                }
                if self.clears.q.val() {
                    self.owes_ack.next = false;
                    self.owes_nak.next = false;
                    self.has_tel.next = false;
                    self.closed.next = false;
                } else if !self.waits.val() {
                    self.retired_q.d.next = true;
                    self.retired_imm_q.d.next = self.has_imm.val();
                    self.landed.d.next =
                        self.is_accepted.val() & !self.error.q.val() & !self.was_closed.val();
                    self.refused.d.next =
                        self.is_accepted.val() & (self.error.q.val() | self.was_closed.val());
                    if self.was_closed.val() {
                        comment!("a flow in error answers nothing more");
                    } else if self.is_accepted.val() & self.error.q.val() {
                        self.fail.d.next = true;
                        self.failed_flow.d.next = self.flow.q.val();
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
                    if self.owes_ack.val() | self.owes_nak.val() {
                        self.queue.s_valid.next = !self.was_queued.val();
                        self.queued.next = true;
                    }
                }
            }
            AckGenState::Fetch => {
                comment!("Telemetry of the same flow is being stored: once more.");
                self.flow.d.next = self.queue.m_data.val();
                self.rows.read_enable.next = true;
                if !self.tel_store.val() | (self.tel_flow.val() != self.queue.m_data.val()) {
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
                if self.owes_nak.val() | self.owes_ack.val() {
                    self.ack_valid.d.next = true;
                    self.ack_flow.d.next = self.flow.q.val();
                }
                if self.owes_nak.val() {
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
        self.rows_data.next = bit_cast::<104, 24>(self.psn_of_ack.val())
            | (bit_cast::<104, 24>(self.msn_of_ack.val()) << 24)
            | (bit_cast::<104, 24>(self.psn_of_nak.val()) << 48)
            | (bit_cast::<104, 24>(self.msn_of_nak.val()) << 72)
            | (bit_cast::<104, 3>(self.nak_outcome.val()) << 96);
        self.rows_data.next = self.rows_data.val().replace_bit(99, self.owes_ack.val());
        self.rows_data.next = self.rows_data.val().replace_bit(100, self.owes_nak.val());
        self.rows_data.next = self.rows_data.val().replace_bit(101, self.has_tel.val());
        self.rows_data.next = self.rows_data.val().replace_bit(102, self.closed.val());
        self.rows_data.next = self.rows_data.val().replace_bit(103, self.queued.val());
        self.rows.write_data.next = self.rows_data.val();
        if self.state.q.val() == AckGenState::Scrub {
            self.rows.write_data.next = 0.into();
        }
        if self.reset.val() {
            self.state.d.next = AckGenState::Scrub;
            self.ack_valid.d.next = false;
            self.cqe_valid.d.next = false;
            self.retired_q.d.next = false;
            self.retired_imm_q.d.next = false;
            self.fail.d.next = false;
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
            self.failed_flow.d.next = 0.into();
        }
    }
}
