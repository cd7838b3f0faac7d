//! Responder of RoCEv2 RC: RDMA WRITE with and without immediate, and RDMA READ requests.
//!
//! # Source            InfiniBand architecture volume 1, section 9.7; hdl/transport.md
//! # Interface timing  cycle 0: s_req taken; cycle 8: m_cmd, events; its payload follows, in order
//!                     of the requests. Every answer goes as a command through the DMA and comes
//!                     back as s_done; m_ack, m_cqe and m_job are made of that, see `ack_gen`
//! # Latency and rate  [`LATENCY_CYCLES`]; one request every 8 cycles, one beat a cycle
//! # Shape             W bits, KB bytes a beat, B = W + KB + 1, 2^FB flows, FC = FB + 1,
//!                     2^MB memory regions
//! # Number formats    s_req_psn | 24 bits, serial; m_cmd_bytes | 0..=4096; tags see `ack_gen`
//! # Reset             synchronous, high: readies low for 2^max(FB, MB) + 1 cycles
//! # Twins             sim/models/src/golden/transport/responder.rs, tests/transport/responder.rs

pub mod check;
pub mod ctl;
pub mod mover;
pub mod tables;

use crate::events::ResponderEvents;
use crate::streams::{
    Ack, Axis, CommittedRow, DecisionTap, Offer, ReadJob, ReadJobEnd, Request, ResponderCompletion,
    WriteCommand, WriteDone,
};
use crate::transport::{
    ack::gen::AckGen,
    responder::{check::RespCheck, ctl::RespCtl, mover::RespMove},
};
use crate::util::ram_fifo::RamFifo;
use crate::{block, row, Wire};
use rust_hdl_core::prelude::*;

/// Cycles from a request to its command.
pub const LATENCY_CYCLES: usize = ctl::LATENCY_CYCLES;

/// What the tag of a READ's command has no room for.
#[row]
struct ReadPlace {
    addr: Bits<64>, // Address of the first byte
    va: Bits<64>,   // Virtual address
    rkey: Bits<32>, // Remote key
}

/// The responder.
#[block]
pub struct Responder<
    const W: usize,
    const KB: usize,
    const B: usize,
    const FB: usize,
    const FC: usize,
    const MB: usize,
> {
    /// A request is offered.
    pub s_req: Request<In>,
    /// Bytes.
    pub s_payload: Axis<In, W, KB>,
    /// A table row is offered.
    pub s_cfg: Offer<In>,
    /// The committed row.
    pub cfg: CommittedRow<In>,
    /// A DMA command has ended.
    pub s_done: WriteDone<In, 127>,
    /// Jobs have ended, or a row is in force.
    pub s_end: ReadJobEnd<In, FB>,
    /// At least 32 more completions fit.
    pub cfg_cq_space: Signal<In, Bit>,
    /// ACKs echo the record of the most loaded hop alone.
    pub cfg_worst_hop: Signal<In, Bit>,
    /// An answer of the congestion control stands.
    pub watch: DecisionTap<In, FB>,
    /// Timer code of RNR NAKs.
    pub cfg_rnr_timer: Signal<In, Bits<5>>,
    /// Command to the DMA.
    pub m_cmd: WriteCommand<Out, 127>,
    /// Bytes.
    pub m_data: Axis<Out, W, KB>,
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
    /// A row that was taken is offered to the READ responses, behind the READs before it.
    pub m_cfg: Offer<Out>,
    /// What it counts.
    pub event_resp: ResponderEvents<Out>,
    control: RespCtl,
    check: RespCheck<FB, MB>,
    mover: RespMove<W, KB, B>,
    ack_gen: AckGen<FB, FC>,
    reads: RamFifo<ReadPlace, 6, 7>,
    take: Signal<Local, Bit>,
}

impl<
        const W: usize,
        const KB: usize,
        const B: usize,
        const FB: usize,
        const FC: usize,
        const MB: usize,
    > Logic for Responder<W, KB, B, FB, FC, MB>
{
    #[hdl_gen]
    fn update(&mut self) {
        comment!("requests");
        self.take.next = self.s_req.valid.val() & self.control.s_req_ready.val();
        self.control.s_req_valid.next = self.s_req.valid.val();
        self.s_req.ready.next = self.control.s_req_ready.val();
        self.check.take.next = self.take.val();
        self.check.s_req_qpn.next = self.s_req.qpn.val();
        self.check.s_req_opcode.next = self.s_req.opcode.val();
        self.check.s_req_psn.next = self.s_req.psn.val();
        self.check.s_req_ack_req.next = self.s_req.ack_req.val();
        self.check.s_req_payload_bytes.next = self.s_req.payload_bytes.val();
        self.check.s_req_va.next = self.s_req.va.val();
        self.check.s_req_rkey.next = self.s_req.rkey.val();
        self.check.s_req_dma_len.next = self.s_req.dma_len.val();
        self.check.s_req_imm.next = self.s_req.imm.val();
        self.check.s_req_src_ip.next = self.s_req.src_ip.val();
        self.check.commit.next = self.control.commit.val();
        self.check.cq_room.next = self.cfg_cq_space.val() & !self.control.imm_full.val();
        self.control.tables_ready.next = self.check.ready.val();
        self.control.no_qp.next = self.check.no_qp.val();
        self.control.duplicate.next = self.check.duplicate.val();
        self.control.ahead.next = self.check.ahead.val();
        self.control.invalid.next = self.check.invalid.val();
        self.control.access.next = self.check.access.val();
        self.control.not_ready.next = self.check.not_ready.val();
        self.control.accept_imm.next = self.check.accept_imm.val();
        self.control.has_cmd.next = self.check.has_cmd.val();
        self.control.cmd_addr.next = self.check.cmd_addr.val();
        self.control.cmd_bytes.next = self.check.cmd_bytes.val();
        self.control.cmd_tag.next = self.check.cmd_tag.val();
        comment!("table rows");
        Wire::join(&mut self.s_cfg, &mut self.control.s_cfg);
        self.control.cfg_table.next = self.cfg.table.val();
        self.check.cfg_index.next = self.cfg.index.val();
        self.check.cfg_row.next = self.cfg.row.val();
        self.check.qp_write.next = self.control.qp_write.val();
        self.check.region_write.next = self.control.region_write.val();
        comment!("payload");
        self.control.order_ready.next = self.mover.order_ready.val();
        self.mover.order_valid.next = self.control.commit.val() & self.check.has_payload.val();
        self.mover.order_drop.next = !self.check.accept.val();
        Wire::join(&mut self.s_payload, &mut self.mover.s_axis);
        Wire::join(&mut self.mover.m_axis, &mut self.m_data);
        comment!("commands");
        Wire::join(&mut self.control.m_cmd, &mut self.m_cmd);
        Wire::join(&mut self.s_done, &mut self.ack_gen.s_done);
        self.control.retired.next = self.ack_gen.retired.val();
        self.control.retired_imm.next = self.ack_gen.retired_imm.val();
        Wire::join(&mut self.ack_gen.ended, &mut self.check.ended);
        comment!(
            "READs: what their commands' tags have no room for, at most one a command in flight"
        );
        self.reads.s.valid.next = self.control.commit.val() & self.check.is_job.val();
        self.reads.s.data.next.addr = self.check.job_addr.val();
        self.reads.s.data.next.va = self.check.job_va.val();
        self.reads.s.data.next.rkey = self.check.job_rkey.val();
        self.reads.m.ready.next = self.ack_gen.s_read_ready.val();
        self.ack_gen.s_read_addr.next = self.reads.m.data.val().addr;
        self.ack_gen.s_read_va.next = self.reads.m.data.val().va;
        self.ack_gen.s_read_rkey.next = self.reads.m.data.val().rkey;
        Wire::join(&mut self.s_end, &mut self.ack_gen.s_end);
        Wire::join(&mut self.ack_gen.m_job, &mut self.m_job);
        self.control.job_waits.next = self.ack_gen.m_job.valid.val();
        Wire::join(&mut self.control.m_cfg, &mut self.m_cfg);
        self.control.cleared.next = self.ack_gen.cleared.val();
        comment!("answers");
        self.ack_gen.cfg_worst_hop.next = self.cfg_worst_hop.val();
        Wire::join(&mut self.watch, &mut self.ack_gen.watch);
        self.ack_gen.tel_take.next = self.take.val();
        self.ack_gen.s_tel.valid.next = self.s_req.tel.valid.val();
        self.ack_gen.s_tel.hops.next = self.s_req.tel.hops.val();
        self.ack_gen.s_tel.path.next = self.s_req.tel.path.val();
        self.ack_gen.s_tel.hop[0].next = self.s_req.tel.hop[0].val();
        self.ack_gen.s_tel.hop[1].next = self.s_req.tel.hop[1].val();
        self.ack_gen.s_tel.hop[2].next = self.s_req.tel.hop[2].val();
        self.ack_gen.s_tel.hop[3].next = self.s_req.tel.hop[3].val();
        self.ack_gen.s_tel.hop[4].next = self.s_req.tel.hop[4].val();
        self.ack_gen.tel_store.next = self.control.commit.val() & self.check.accept.val();
        self.ack_gen.tel_enable.next = self.check.telemetry.val();
        self.ack_gen.tel_flow.next = self.check.flow.val();
        self.ack_gen.cfg_rnr_timer.next = self.cfg_rnr_timer.val();
        Wire::join(&mut self.ack_gen.m_ack, &mut self.m_ack);
        Wire::join(&mut self.ack_gen.m_cqe, &mut self.m_cqe);
        self.m_cqe_kind.next = self.ack_gen.m_cqe_kind.val();
        self.m_cqe_wr_id.next = self.ack_gen.m_cqe_wr_id.val();
        comment!("events");
        self.event_resp.accepted.next = self.ack_gen.event_resp_accepted.val();
        self.event_resp.nak_operation.next = self.ack_gen.event_resp_nak_operation.val();
        self.event_resp.duplicate.next = self.control.event_resp_duplicate.val();
        self.event_resp.out_of_sequence.next = self.control.event_resp_out_of_sequence.val();
        self.event_resp.nak_invalid.next = self.control.event_resp_nak_invalid.val();
        self.event_resp.nak_access.next = self.control.event_resp_nak_access.val();
        self.event_resp.rnr.next = self.control.event_resp_rnr.val();
        self.event_resp.no_qp.next = self.control.event_resp_no_qp.val();
    }
}
