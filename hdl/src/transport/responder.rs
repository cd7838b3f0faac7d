//! Responder of RoCEv2 RC: RDMA WRITE with and without immediate, and RDMA READ requests.
//!
//! # Source            InfiniBand architecture volume 1, section 9.7; hdl/transport.md
//! # Interface timing  cycle 0: s_req taken; cycle 7: m_cmd, events; its payload follows, in order
//!                     of the requests. Every answer goes as a command through the DMA and comes
//!                     back as s_done; m_ack, m_cqe and m_job are made of that, see `ack_gen`
//! # Latency and rate  [`LATENCY_CYCLES`]; one request every 2 cycles, one beat a cycle
//! # Stages            all step at once, every other cycle: `resp_intake` (the queue pair),
//!                     `resp_sequence` (the flow's state, which moves on), `resp_verdict` (the
//!                     region); then `resp_command`. Rows wait until the stages are empty
//! # Shape             W bits, KB bytes a beat, B = W + KB + 1, 2^FB flows, FC = FB + 1,
//!                     2^MB memory regions
//! # Number formats    s_req_psn | 24 bits, serial; m_cmd_bytes | 0..=4096; tags see `ack_gen`
//! # Reset             synchronous, high: readies low for 2^max(FB, MB) + 1 cycles
//! # Twins             sim/models/src/golden/transport/responder.rs, tests/transport/responder.rs

pub mod command;
pub mod intake;
pub mod mover;
pub mod pace;
pub mod rows;
pub mod sequence;
pub mod tables;
pub mod verdict;

use crate::events::ResponderEvents;
use crate::streams::{
    Ack, Axis, CommittedRow, DecisionTap, Offer, ReadJob, ReadJobEnd, Request, ResponderCompletion,
    WriteCommand, WriteDone,
};
use crate::transport::{
    ack::gen::AckGen,
    responder::{
        command::RespCommand, intake::RespIntake, mover::RespMove, pace::RespPace, rows::RespRows,
        sequence::RespSequence, tables::RespTables, verdict::RespVerdict,
    },
};
use crate::util::ram_fifo::RamFifo;
use crate::{block, kernel, row, Wire};
use rust_hdl_core::prelude::*;

/// Cycles from a request to its command.
pub const LATENCY_CYCLES: usize = 3 * pace::STEP_CYCLES + 1;

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
    pace: RespPace,
    rows: RespRows,
    tables: RespTables<FB, MB>,
    intake: RespIntake<FB>,
    seq: RespSequence<FB>,
    verdict: RespVerdict<FB>,
    command: RespCommand<FB>,
    mover: RespMove<W, KB, B>,
    ack_gen: AckGen<FB, FC>,
    reads: RamFifo<ReadPlace, 8, 9>,
    step: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    issue: Signal<Local, Bit>,
    rkey: Signal<Local, Bits<32>>,
}

#[kernel]
impl<
        const W: usize,
        const KB: usize,
        const B: usize,
        const FB: usize,
        const FC: usize,
        const MB: usize,
    > Responder<W, KB, B, FB, FC, MB>
{
    fn update(&mut self) {
        self.pace();
        self.rows();
        self.stages();
        self.tables();
        self.payload();
        self.commands();
        self.reads();
        self.answers();
        self.events();
    }

    /// pace
    fn pace(&mut self) {
        self.step.next = self.pace.step.val();
        self.pace.leaves.next = self.verdict.m_valid.val();
        self.issue.next = self.pace.issue.val();
        self.pace.cmd_valid.next = self.command.m_cmd.valid.val();
        self.pace.cmd_ready.next = self.m_cmd.ready.val();
        self.pace.order_ready.next = self.mover.order_ready.val();
        self.pace.issues.next = self.command.issues.val();
        self.pace.issues_imm.next = self.command.issues_imm.val();
        self.pace.promises.next = self.verdict.promises.val();
        self.pace.retired.next = self.ack_gen.retired.val();
        self.pace.retired_imm.next = self.ack_gen.retired_imm.val();
    }

    /// table rows
    fn rows(&mut self) {
        self.rows.tables_ready.next = self.tables.ready.val();
        self.rows.step.next = self.step.val();
        self.rows.is_idle.next = self.pace.is_idle.val()
            & !self.intake.m_valid.val()
            & !self.seq.m_valid.val()
            & !self.verdict.m_valid.val();
        self.rows.job_waits.next = self.ack_gen.m_job.valid.val();
        self.rows.cleared.next = self.ack_gen.cleared.val();
        Wire::join(&mut self.s_cfg, &mut self.rows.s_cfg);
        self.rows.cfg_table.next = self.cfg.table.val();
        Wire::join(&mut self.rows.m_cfg, &mut self.m_cfg);
    }

    /// stages
    fn stages(&mut self) {
        self.s_req.ready.next = self.step.val() & self.rows.is_open.val();
        self.take.next = self.s_req.valid.val() & self.step.val() & self.rows.is_open.val();
        self.intake.step.next = self.step.val();
        self.intake.take.next = self.take.val();
        self.intake.s_req_qpn.next = self.s_req.qpn.val();
        self.intake.s_req_opcode.next = self.s_req.opcode.val();
        self.intake.s_req_psn.next = self.s_req.psn.val();
        self.intake.s_req_ack_req.next = self.s_req.ack_req.val();
        self.intake.s_req_payload_bytes.next = self.s_req.payload_bytes.val();
        self.intake.s_req_va.next = self.s_req.va.val();
        self.intake.s_req_rkey.next = self.s_req.rkey.val();
        self.intake.s_req_dma_len.next = self.s_req.dma_len.val();
        self.intake.s_req_imm.next = self.s_req.imm.val();
        self.intake.s_req_src_ip.next = self.s_req.src_ip.val();
        self.intake.qp.next = self.tables.qp.val();
        self.seq.step.next = self.step.val();
        self.seq.s_valid.next = self.intake.m_valid.val();
        self.seq.s_flow.next = self.intake.m_flow.val();
        self.seq.s_asked.next = self.intake.m_asked.val();
        self.seq.s_va.next = self.intake.m_va.val();
        self.seq.s_rkey.next = self.intake.m_rkey.val();
        self.seq.s_dma_len.next = self.intake.m_dma_len.val();
        self.seq.s_state.next = self.tables.flow_state.val();
        self.seq.failed.next = self.tables.failed.val();
        self.seq.reads_ended.next = self.tables.reads_ended.val();
        self.seq.cq_room.next = self.cfg_cq_space.val() & !self.pace.imm_full.val();
        self.verdict.step.next = self.step.val();
        self.verdict.issue.next = self.issue.val();
        self.verdict.s_valid.next = self.seq.m_valid.val();
        self.verdict.s_flow.next = self.seq.flow.val();
        self.verdict.s_judged.next = self.seq.m_judged.val();
        self.verdict.s_region.next = self.tables.region.val();
        self.verdict.s_marks.next = self.tables.marks.val();
    }

    /// tables
    fn tables(&mut self) {
        self.tables.step.next = self.step.val();
        self.tables.take.next = self.take.val();
        self.tables.qp_flow.next = self.s_req.qpn.val().get_bits::<FB>(0);
        self.tables.state_flow.next = self.intake.m_flow.val();
        self.rkey.next = self.seq.rkey.val();
        self.tables.region_index.next = self.rkey.val().get_bits::<MB>(8);
        self.tables.marks_flow.next = self.seq.flow.val();
        self.tables.state_write.next = self.seq.state_write.val();
        self.tables.new_state.next = self.seq.new_state.val();
        self.tables.marks_write.next = self.verdict.marks_write.val();
        self.tables.marks_write_flow.next = self.verdict.flow.val();
        self.tables.new_marks.next = self.verdict.new_marks.val();
        self.tables.qp_write.next = self.rows.qp_write.val();
        self.tables.region_write.next = self.rows.region_write.val();
        Wire::join(&mut self.cfg, &mut self.tables.cfg);
        Wire::join(&mut self.ack_gen.ended, &mut self.tables.ended);
    }

    /// payload
    fn payload(&mut self) {
        self.mover.order_valid.next = self.command.order_valid.val();
        self.mover.order_drop.next = self.command.order_drop.val();
        Wire::join(&mut self.s_payload, &mut self.mover.s_axis);
        Wire::join(&mut self.mover.m_axis, &mut self.m_data);
    }

    /// commands
    fn commands(&mut self) {
        self.command.issue.next = self.issue.val();
        self.command.flow.next = self.verdict.flow.val();
        self.command.judged.next = self.verdict.m_judged.val();
        self.command.addr.next = self.verdict.m_addr.val();
        self.command.verdict.next = self.verdict.m_verdict.val();
        Wire::join(&mut self.command.m_cmd, &mut self.m_cmd);
        Wire::join(&mut self.s_done, &mut self.ack_gen.s_done);
    }

    /// READs: what their commands' tags have no room for, at most one a command in flight
    fn reads(&mut self) {
        self.reads.s.valid.next = self.command.is_job.val();
        self.reads.s.data.next.addr = self.verdict.m_addr.val();
        self.reads.s.data.next.va = self.verdict.m_judged.val().va;
        self.reads.s.data.next.rkey = self.verdict.m_judged.val().rkey;
        self.reads.m.ready.next = self.ack_gen.s_read_ready.val();
        self.ack_gen.s_read_addr.next = self.reads.m.data.val().addr;
        self.ack_gen.s_read_va.next = self.reads.m.data.val().va;
        self.ack_gen.s_read_rkey.next = self.reads.m.data.val().rkey;
        Wire::join(&mut self.s_end, &mut self.ack_gen.s_end);
        Wire::join(&mut self.ack_gen.m_job, &mut self.m_job);
    }

    /// answers
    fn answers(&mut self) {
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
        self.ack_gen.tel_leave.next = self.issue.val();
        self.ack_gen.tel_store.next = self.command.accepts.val();
        self.ack_gen.tel_enable.next = self.verdict.m_judged.val().telemetry;
        self.ack_gen.tel_flow.next = self.verdict.flow.val();
        self.ack_gen.cfg_rnr_timer.next = self.cfg_rnr_timer.val();
        Wire::join(&mut self.ack_gen.m_ack, &mut self.m_ack);
        Wire::join(&mut self.ack_gen.m_cqe, &mut self.m_cqe);
        self.m_cqe_kind.next = self.ack_gen.m_cqe_kind.val();
        self.m_cqe_wr_id.next = self.ack_gen.m_cqe_wr_id.val();
    }

    /// events
    fn events(&mut self) {
        self.event_resp.accepted.next = self.ack_gen.event_resp_accepted.val();
        self.event_resp.nak_operation.next = self.ack_gen.event_resp_nak_operation.val();
        self.event_resp.duplicate.next = self.command.events.val().duplicate;
        self.event_resp.out_of_sequence.next = self.command.events.val().ahead;
        self.event_resp.nak_invalid.next = self.command.events.val().invalid;
        self.event_resp.nak_access.next = self.command.events.val().access;
        self.event_resp.rnr.next = self.command.events.val().not_ready;
        self.event_resp.no_qp.next = self.command.events.val().no_qp;
    }
}
