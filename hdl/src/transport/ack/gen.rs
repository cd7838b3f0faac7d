//! ACKs and NAKs that the flows owe: at most one of each a flow, sent when tx has room. READs on
//! their way to the READ responses, which nothing of their flow overtakes.
//!
//! # Source            InfiniBand architecture volume 1, section 9.7.5.1 (acknowledge), 9.7.5.2
//!                     (NAK), tables 45 and 46 (syndromes); hdl/transport.md
//! # Interface timing  cycle 0: s_done taken; cycle 2: its flow's row is changed; cycle 3:
//!                     m_cqe, m_job, retired, ended, events, and m_ack, if it is free, no other
//!                     flow waits for it and no telemetry of the flow was stored in cycle 0.
//!                     Otherwise the flow waits its turn. Of s_end: cycle 0: s_end_valid, nothing
//!                     under way; cycle 3: s_end_ready
//! # Latency and rate  every 2 cycles one s_done with its m_ack, one s_end, or one m_ack of a flow
//!                     that waited; s_done never waits for m_ack, only for s_end, its turn beside
//!                     flows that can send, and m_job behind a READ
//! # Number formats    s_done_tag | PSN \[23:0\], MSN \[47:24\], immediate \[79:48\],
//!                     message bytes \[111:80\], flow \[121:112\], outcome \[124:122\] (0 accepted,
//!                     1 accepted with AckReq, 2 duplicate, 3 RNR, 4 sequence, 5 invalid,
//!                     6 access, 7 READ: its bytes instead of the message's), with immediate
//!                     \[125\], ends its message \[126\]; a READ that does not was asked for again
//! # Rules             a later ACK replaces an earlier one, a NAK goes out before an ACK, and a
//!                     flow with a fatal NAK answers nothing more until it is cleared. While a READ
//!                     of the flow has not ended, its answers wait; a READ makes those that it finds
//!                     void, as its response acknowledges all before it
//!                     With cfg_worst_hop telemetry is that of the flow's most loaded hop alone, if there is
//!                     one and its stack has it: one record, and the path with hop + 1 in its bits 11:9 (exclusive
//!                     or), so that another hop is another path
//! # Reset             synchronous, high: s_done_ready = 0 for 2^FB cycles while rows are cleared
//! # Twins             sim/models/src/golden/transport/ack/gen.rs, tests/transport/ack_gen.rs

use crate::streams::{
    Ack, DecisionTap, FlowEnd, ReadJob, ReadJobEnd, ResponderCompletion, Telemetry, WriteDone,
};
use crate::transport::ack::{hop::AckHop, rows::AckRows, tel::AckTel};
use crate::{block, Wire};
use rust_hdl_core::prelude::*;

/// Bits of the tag that a DMA command carries for this block.
pub const TAG_BITS: usize = 127;

/// ACK generator for `2^FB` flows; `FC = FB + 1`.
#[block]
pub struct AckGen<const FB: usize, const FC: usize> {
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
    /// Hold this packet's telemetry, of up to 4 packets; not in the 2^FB cycles behind a reset.
    pub tel_take: Signal<In, Bit>,
    /// There is telemetry.
    pub s_tel: Telemetry<In>,
    /// The oldest of these packets is done with.
    pub tel_leave: Signal<In, Bit>,
    /// It was accepted: keep what it brought, if it is telemetry.
    pub tel_store: Signal<In, Bit>,
    /// Its flow has telemetry.
    pub tel_enable: Signal<In, Bit>,
    /// Its flow.
    pub tel_flow: Signal<In, Bits<FB>>,
    /// ACKs echo the record of the most loaded hop alone.
    pub cfg_worst_hop: Signal<In, Bit>,
    /// An answer of the congestion control stands.
    pub watch: DecisionTap<In, FB>,
    /// Timer code of RNR NAKs.
    pub cfg_rnr_timer: Signal<In, Bits<5>>,
    /// An ACK or NAK stands at the source.
    pub m_ack: Ack<Out, FB>,
    /// A WRITE with immediate has landed.
    pub m_cqe: ResponderCompletion<Out>,
    /// 1 while valid.
    pub m_cqe_kind: Signal<Out, Bits<8>>,
    /// Always 0.
    pub m_cqe_wr_id: Signal<Out, Bits<32>>,
    /// A READ stands at the source.
    pub m_job: ReadJob<Out, FB>,
    /// A command has been dealt with.
    pub retired: Signal<Out, Bit>,
    /// It ended a WRITE with immediate.
    pub retired_imm: Signal<Out, Bit>,
    /// Something has ended in a flow.
    pub ended: FlowEnd<Out, FB>,
    /// All is forgotten about a flow.
    pub cleared: Signal<Out, Bit>,
    /// An accepted packet's bytes have landed.
    pub event_resp_accepted: Signal<Out, Bit>,
    /// They have not.
    pub event_resp_nak_operation: Signal<Out, Bit>,
    rows: AckRows<FB, FC>,
    telemetry: AckTel<FB>,
    hops: AckHop<FB>,
}

impl<const FB: usize, const FC: usize> Logic for AckGen<FB, FC> {
    #[hdl_gen]
    fn update(&mut self) {
        Wire::join(&mut self.s_done, &mut self.rows.s_done);
        Wire::join(&mut self.s_end, &mut self.rows.s_end);
        self.rows.s_read_addr.next = self.s_read_addr.val();
        self.rows.s_read_va.next = self.s_read_va.val();
        self.rows.s_read_rkey.next = self.s_read_rkey.val();
        self.s_read_ready.next = self.rows.s_read_ready.val();
        Wire::join(&mut self.rows.m_job, &mut self.m_job);
        self.rows.tel_store.next = self.tel_store.val();
        self.rows.tel_flow.next = self.tel_flow.val();
        self.rows.cfg_rnr_timer.next = self.cfg_rnr_timer.val();
        self.rows.m_ack_ready.next = self.m_ack.ready.val();
        self.rows.m_cqe_ready.next = self.m_cqe.ready.val();
        Wire::join(&mut self.watch, &mut self.hops.watch);
        self.hops.scrub.next = self.rows.tel_scrub.val();
        self.hops.scrub_flow.next = self.rows.tel_scrub_flow.val();
        self.hops.look.next = self.rows.tel_fetch.val();
        self.hops.look_flow.next = self.rows.tel_fetch_flow.val();
        self.telemetry.cfg_worst_hop.next = self.cfg_worst_hop.val();
        self.telemetry.hop.next = self.hops.hop.val();
        self.telemetry.take.next = self.tel_take.val();
        Wire::join(&mut self.s_tel, &mut self.telemetry.s_tel);
        self.telemetry.leave.next = self.tel_leave.val();
        self.telemetry.store.next = self.tel_store.val();
        self.telemetry.store_enable.next = self.tel_enable.val();
        self.telemetry.store_flow.next = self.tel_flow.val();
        self.telemetry.scrub.next = self.rows.tel_scrub.val();
        self.telemetry.scrub_flow.next = self.rows.tel_scrub_flow.val();
        self.telemetry.fetch.next = self.rows.tel_fetch.val();
        self.telemetry.fetch_flow.next = self.rows.tel_fetch_flow.val();
        self.telemetry.flow.next = self.rows.tel_now.val();
        self.telemetry.forget.next = self.rows.tel_forget.val();
        self.telemetry.show.next = self.rows.tel_show.val();
        self.telemetry.send.next = self.rows.tel_send.val();
        self.m_ack.valid.next = self.rows.m_ack_valid.val();
        self.m_ack.flow.next = self.rows.m_ack_flow.val();
        self.m_ack.syndrome.next = self.rows.m_ack_syndrome.val();
        self.m_ack.msn.next = self.rows.m_ack_msn.val();
        self.m_ack.psn.next = self.rows.m_ack_psn.val();
        self.m_cqe.valid.next = self.rows.m_cqe_valid.val();
        self.m_cqe_kind.next = self.rows.m_cqe_kind.val();
        self.m_cqe.imm.next = self.rows.m_cqe_imm.val();
        self.m_cqe.byte_len.next = self.rows.m_cqe_byte_len.val();
        self.retired.next = self.rows.retired.val();
        self.retired_imm.next = self.rows.retired_imm.val();
        self.ended.valid.next = self.rows.ended_valid.val();
        self.ended.flow.next = self.rows.ended_flow.val();
        self.ended.failed.next = self.rows.ended_failed.val();
        self.ended.reads.next = self.rows.ended_reads.val();
        self.cleared.next = self.rows.cleared.val();
        self.event_resp_accepted.next = self.rows.event_resp_accepted.val();
        self.event_resp_nak_operation.next = self.rows.event_resp_nak_operation.val();
        self.m_cqe.flow.next = bit_cast::<16, FB>(self.rows.m_cqe_flow.val());
        self.m_cqe.status.next = 0.into();
        self.m_cqe_wr_id.next = 0.into();
        Wire::join(&mut self.telemetry.m_tel, &mut self.m_ack.tel);
    }
}
