//! The blocks of the picture, wired together, in the sizes of the preset that mounts this file
//! (`hdl/src/nic.rs`). No logic.
//!
//! # Source            ARCHITECTURE.md
//! # Interface timing  that of the blocks at the border
//! # Reset             synchronous, high
//! # Twins             sim/models/src/golden/nic.rs, tests/system/nic.rs

use super::{CongestionControl, Requester, PRESET};
use crate::cc::active::CcActive;
use crate::emit::{lanes_log2, most};
use crate::host::{
    cq::ring::CqRing, dma::read::DmaRead, dma::write::DmaWrite, interrupt::Interrupt,
    read_mux::ReadMux, registers::Registers, sq::fetch::SqFetch, sq::rows::beats_log2,
    write_mux::WriteMux,
};
use crate::rx::pipe::{self as rx, RxPipe};
use crate::sched::scheduler::Scheduler;
use crate::streams::{Axi, AxiLite, Axis, AxisUser};
use crate::transport::{
    completer::Completer,
    feedback::input::FeedbackIn,
    feedback::output::FeedbackOut,
    pkt_mux::{waiting_bytes_log2, waiting_packets_log2, PktMux},
    probe_out::ProbeOut,
    read::reply::ReadReply,
    responder::Responder,
    window::input::WindowIn,
    window::output::WindowOut,
    work_mux::WorkMux,
};
use crate::tx::pipe::{fifo_beats_log2, TxPipe};
use crate::util::{stream_mux::StreamMux, stream_route::StreamRoute};
use crate::{block, kernel, Wire};
use nic_spec::config::{
    cq_batch_log2, dma_landings, dma_waiting, read_commands_log2, ring_entries_log2, sq_batch_log2,
    write_commands_log2, NicConfig,
};
use rust_hdl_core::prelude::*;

/// Bits of the datapath.
const W: usize = PRESET.data_bits;
/// Its bytes.
const KB: usize = W / 8;
/// Bits of a queue pair's index.
const FB: usize = PRESET.flow_count.ilog2() as usize;
/// Bits of a paced flow: data and READ responses of a queue pair.
const PB: usize = FB + 1;
/// Bits of a flow of congestion control: the peer's data too.
const CB: usize = FB + 2;
/// Bits of a memory region's index.
const MB: usize = PRESET.mr_count.ilog2() as usize;
/// Bits of a place in the queue of completions.
const QB: usize = PRESET.cq_depth().ilog2() as usize;
/// Lanes of the scheduler's scan, log2.
const LB: usize = lanes_log2(PB);
/// Commands that the read engine takes ahead of memory's answers, log2.
const DB: usize = read_commands_log2(W);
/// And the write engine.
const EB: usize = write_commands_log2(W);
/// Packets that wait for the tx pipe, log2.
const PW: usize = waiting_packets_log2(W);
/// Entries of rings that are on their way, log2.
const RB: usize = ring_entries_log2(W);
/// Beats of so many work requests, log2.
const RA: usize = beats_log2(RB, W);
/// Bits of how many work requests are read at once, and how many completions are written.
const SQB: usize = sq_batch_log2(W) + 1;
const CQB: usize = cq_batch_log2(W) + 1;
/// Bits of the tag that a read error has: a flow and the mark of its row.
const MARK: usize = 4;

/// The NIC.
#[block(new(config: &NicConfig))]
pub struct Nic {
    /// Write address, bytes.
    pub s_axil: AxiLite<In>,
    /// Write address, bytes.
    pub m_axi: Axi<Out, W, KB>,
    /// Frames from the MAC.
    pub s_axis_rx: AxisUser<In, W, KB>,
    /// Frames to the MAC.
    pub m_axis_tx: Axis<Out, W, KB>,
    /// Frames to the host's own stack.
    pub m_axis_host: Axis<Out, W, KB>,
    /// Frames from the host's own stack.
    pub s_axis_host: Axis<In, W, KB>,
    /// Interrupt, level.
    pub irq: Signal<Out, Bit>,
    rx: RxPipe<
        W,
        { 2 * W },
        KB,
        { 64 / KB },
        { KB.ilog2() as usize },
        { W + KB + 1 },
        { rx::buffer_bits(KB) },
        { rx::buffer_bits(KB) + 1 },
        { rx::record_bits(KB) },
        { rx::record_bits(KB) + 1 },
        { rx::stack_readers(KB) },
    >,
    responder: Responder<W, KB, { W + KB + 1 }, FB, { FB + 1 }, MB>,
    read_reply: ReadReply<FB, { FB + 4 }, MB>,
    #[init(Requester::new(config))]
    requester: Requester,
    completer: Completer<W, KB, { W + KB + 1 }, FB, { FB + 1 }, { EB + 1 }, { EB + 2 }>,
    feedback_out: FeedbackOut<FB, { FB + 24 }, { FB + 1 }>,
    feedback_in: FeedbackIn<FB, { FB + 1 }>,
    probe_out: ProbeOut<FB, { FB + 1 }, { 20 - FB }>,
    window_out: WindowOut<FB, { FB + 1 }>,
    window_in: WindowIn<FB, { FB + 1 }>,
    work_mux: WorkMux<FB, { FB + 1 }, { FB + 53 }>,
    #[init(Scheduler::new(config))]
    scheduler: Scheduler<
        PB,
        { PB + 3 },
        { PB + 1 },
        { most(PB, 5) },
        { 1 << LB },
        LB,
        { most(PB - LB, 5) },
    >,
    grants: StreamRoute<FB, { FB + 1 }>,
    active: CcActive<PB, CB>,
    cc: CongestionControl,
    pkt_mux: PktMux<FB, { FB + 1 }, PW, { PW + 1 }, { waiting_bytes_log2(W) }>,
    tx: TxPipe<
        W,
        KB,
        { KB.ilog2() as usize - 1 },
        { W + KB + 1 },
        { fifo_beats_log2(KB) },
        { fifo_beats_log2(KB) + 1 },
        FB,
        { FB + 1 },
    >,
    tx_fails: StreamRoute<{ FB + MARK }, { PB + MARK }>,
    fails: StreamMux<{ FB + MARK }>,
    #[init(SqFetch::new(config))]
    sq_fetch: SqFetch<
        W,
        { W + 1 },
        RB,
        { RB + 1 },
        RA,
        { RA + 1 },
        SQB,
        FB,
        { FB + 1 },
        { FB + 16 + SQB },
    >,
    cq_ring: CqRing<W, RB, { RB + 1 }, CQB, { RB + CQB - 1 }, { 64 << CQB }>,
    interrupt: Interrupt,
    write_mux: WriteMux<W, { W + 1 }>,
    read_mux: ReadMux<W, KB, { W + KB + 2 }, { DB + 1 }, { DB + 2 }, PW, { PW + 1 }>,
    dma_write: DmaWrite<W, { 2 * W }, KB, 128, EB, { EB + 1 }, { dma_waiting(W) }>,
    dma_read: DmaRead<W, { W + 1 }, { 2 * W }, KB, DB, { DB + 1 }, { dma_landings(W) }>,
    #[init(Registers::new(config))]
    registers: Registers<{ 1 << QB }, QB, { QB + 1 }>,
    #[value(FB as u64)]
    reply_bit: Constant<Bits<4>>,
    #[value(PB as u64)]
    peer_bit: Constant<Bits<4>>,
    #[value(MARK as u64)]
    above_mark: Constant<Bits<4>>,
}

#[kernel]
impl Nic {
    fn update(&mut self) {
        self.requests();
        self.acknowledgements();
        self.pacing();
        self.congestion_control();
        self.receiver_windows();
        self.telemetry_responses();
        self.probes();
        self.packets();
        self.failures();
        self.host();
        self.configuration();
        self.table_rows();
        self.completions();
        self.rings();
        self.events();
    }

    /// frames from the MAC
    fn requests(&mut self) {
        Wire::join(&mut self.s_axis_rx, &mut self.rx.s_axis);
        Wire::join(&mut self.rx.m_host, &mut self.m_axis_host);
        comment!("requests");
        Wire::join(&mut self.rx.m_req, &mut self.responder.s_req);
        Wire::join(&mut self.rx.m_payload, &mut self.responder.s_payload);
        comment!("writes to host memory, and what becomes of them");
        Wire::join(&mut self.responder.m_cmd, &mut self.write_mux.s_a_cmd);
        self.write_mux.s_a_data.tvalid.next = self.responder.m_data.tvalid.val();
        self.responder.m_data.tready.next = self.write_mux.s_a_data.tready.val();
        self.write_mux.s_a_data.tdata.next = self.responder.m_data.tdata.val();
        self.write_mux.s_a_data.tlast.next = self.responder.m_data.tlast.val();
        Wire::join(&mut self.write_mux.m_a_done, &mut self.responder.s_done);
        self.write_mux.s_b_cmd.valid.next = self.completer.m_cmd.valid.val();
        self.completer.m_cmd.ready.next = self.write_mux.s_b_cmd.ready.val();
        self.write_mux.s_b_cmd.addr.next = self.completer.m_cmd.addr.val();
        self.write_mux.s_b_cmd.bytes.next = self.completer.m_cmd.bytes.val();
        self.write_mux.s_b_cmd.tag.next = bit_cast::<126, FB>(self.completer.m_cmd.tag.val());
        self.write_mux.s_b_data.tvalid.next = self.completer.m_data.tvalid.val();
        self.completer.m_data.tready.next = self.write_mux.s_b_data.tready.val();
        self.write_mux.s_b_data.tdata.next = self.completer.m_data.tdata.val();
        self.write_mux.s_b_data.tlast.next = self.completer.m_data.tlast.val();
        self.completer.s_done.valid.next = self.write_mux.m_b_done.valid.val();
        self.write_mux.m_b_done.ready.next = self.completer.s_done.ready.val();
        self.completer.s_done.error.next = self.write_mux.m_b_done.error.val();
        Wire::join(&mut self.cq_ring.m_cmd, &mut self.write_mux.s_c_cmd);
        Wire::join(&mut self.cq_ring.m_data, &mut self.write_mux.s_c_data);
        Wire::join(&mut self.write_mux.m_c_done, &mut self.cq_ring.s_done);
        self.completer.s_done.tag.next = bit_cast::<FB, 126>(self.write_mux.m_b_done.tag.val());
        Wire::join(&mut self.write_mux.m_cmd, &mut self.dma_write.s_cmd);
        self.dma_write.s_axis.tvalid.next = self.write_mux.m_data.tvalid.val();
        self.write_mux.m_data.tready.next = self.dma_write.s_axis.tready.val();
        self.dma_write.s_axis.tdata.next = self.write_mux.m_data.tdata.val();
        Wire::join(&mut self.dma_write.m_done, &mut self.write_mux.s_done);
    }

    /// READs of the peer
    fn acknowledgements(&mut self) {
        Wire::join(&mut self.responder.m_job, &mut self.read_reply.s_job);
        Wire::join(&mut self.read_reply.m_end, &mut self.pkt_mux.s_end);
        Wire::join(&mut self.pkt_mux.m_end, &mut self.responder.s_end);
        comment!("acknowledgements and READ responses");
        Wire::join(&mut self.rx.m_ack, &mut self.requester.s_ack);
        Wire::join(&mut self.rx.m_response, &mut self.completer.s_response);
        Wire::join(&mut self.requester.m_order, &mut self.completer.s_order);
    }

    /// work, pacing and window
    fn pacing(&mut self) {
        Wire::join(&mut self.requester.m_work, &mut self.work_mux.s_data);
        Wire::join(&mut self.read_reply.m_work, &mut self.work_mux.s_reply);
        Wire::join(&mut self.work_mux.m_work, &mut self.scheduler.s_work);
        self.scheduler.cfg_line.next = self.registers.cfg_line.val().into();
        self.grants.s.valid.next = self.scheduler.m_grant.valid.val();
        self.scheduler.m_grant.ready.next = self.grants.s.ready.val();
        self.grants.s.data.next = self.scheduler.m_grant.flow.val();
        self.requester.s_grant.valid.next = self.grants.m_a.valid.val();
        self.grants.m_a.ready.next = self.requester.s_grant.ready.val();
        self.requester.s_grant.flow.next = self.grants.m_a.data.val();
        self.read_reply.s_grant.valid.next = self.grants.m_b.valid.val();
        self.grants.m_b.ready.next = self.read_reply.s_grant.ready.val();
        self.read_reply.s_grant.flow.next = self.grants.m_b.data.val();
    }

    /// congestion control
    fn congestion_control(&mut self) {
        Wire::join(&mut self.requester.m_cc, &mut self.feedback_in.s_cc);
        self.cc.s_ack.valid.next = self.feedback_in.m_cc_valid.val();
        self.feedback_in.m_cc_ready.next = self.cc.s_ack.ready.val();
        self.cc.s_ack.flow.next = bit_cast::<CB, PB>(self.feedback_in.m_cc_flow.val())
            | (bit_cast::<CB, 1>(self.feedback_in.m_cc_peer.val().into()) << self.peer_bit.val());
        self.cc.s_ack.psn.next = self.feedback_in.m_cc_psn.val();
        self.cc.s_ack.snd_nxt.next = self.feedback_in.m_cc_snd_nxt.val();
        Wire::join(&mut self.feedback_in.m_cc_tel, &mut self.cc.s_ack.tel);
        self.window_in.s_rate_valid.next = self.cc.m_rate.valid.val();
        self.cc.m_rate.ready.next = self.window_in.s_rate_ready.val();
        self.window_in.s_rate_flow.next = self.cc.m_rate.flow.val().get_bits::<PB>(0);
        self.window_in.s_rate_peer.next =
            self.cc.m_rate.flow.val().get_bit(self.peer_bit.val().index());
        self.window_in.s_rate_op.next = self.cc.m_rate.op.val();
        self.window_in.s_rate_window_bytes.next = self.cc.m_rate.window_bytes.val();
        self.window_in.s_rate_rate.next = self.cc.m_rate.rate.val();
        Wire::join(&mut self.window_in.m_rate, &mut self.scheduler.s_rate);
        comment!("what may leave at once");
        self.requester.watch_valid.next = self.window_in.m_rate.valid.val();
        self.requester.watch_ready.next = self.scheduler.s_rate.ready.val();
        self.requester.watch_reply.next =
            self.window_in.m_rate.flow.val().get_bit(self.reply_bit.val().index());
        self.requester.watch_flow.next = self.window_in.m_rate.flow.val().get_bits::<FB>(0);
        self.requester.watch_window.next = self.window_in.m_rate.window_bytes.val();
        comment!("active flows");
        self.active.cfg_window.next = self.registers.cfg_cc_active.val();
        self.active.cfg_w_ai.next = self.registers.cfg_cc_w_ai.val();
        self.active.watch_valid.next = self.cc.m_rate.valid.val();
        self.active.watch_ready.next = self.window_in.s_rate_ready.val();
        self.active.cfg_by_time.next = self.registers.cfg_cc_mode.val().get_bit(0);
        self.active.watch_peer.next =
            self.cc.m_rate.flow.val().get_bit(self.peer_bit.val().index());
        self.active.watch_flow.next = self.cc.m_rate.flow.val().get_bits::<PB>(0);
        self.active.watch_full.next = self.cc.m_rate.full.val();
        comment!("echo of the most loaded hop alone");
        self.responder.cfg_worst_hop.next = self.registers.cfg_tel_echo_hop.val();
        self.responder.watch.valid.next = self.cc.m_rate.valid.val();
        self.responder.watch.ready.next = self.window_in.s_rate_ready.val();
        self.responder.watch.peer.next =
            self.cc.m_rate.flow.val().get_bit(self.peer_bit.val().index());
        self.responder.watch.flow.next = self.cc.m_rate.flow.val().get_bits::<FB>(0);
        self.responder.watch.op.next = self.cc.m_rate.op.val();
        self.responder.watch.worst_hop.next = self.cc.m_rate.worst_hop.val();
    }

    /// windows of a receiver
    fn receiver_windows(&mut self) {
        self.window_out.cfg_by_time.next = self.registers.cfg_cc_mode.val().get_bit(0);
        self.window_out.row_valid.next = self.registers.m_cfg_tx.valid.val();
        self.window_out.watch_valid.next = self.cc.m_rate.valid.val();
        self.window_out.watch_ready.next = self.window_in.s_rate_ready.val();
        self.window_out.watch_flow.next = self.cc.m_rate.flow.val().get_bits::<FB>(0);
        self.window_out.watch_peer.next =
            self.cc.m_rate.flow.val().get_bit(self.peer_bit.val().index());
        self.window_out.watch_op.next = self.cc.m_rate.op.val();
        self.window_out.watch_full.next = self.cc.m_rate.full.val();
        self.window_out.watch_window_bytes.next = self.cc.m_rate.window_bytes.val();
        self.window_out.watch_time.next = self.cc.m_rate.last_update_psn.val();
        Wire::join(&mut self.window_out.m_window, &mut self.pkt_mux.s_window);
        self.window_in.cfg_w_init.next = self.registers.cfg_cc_w_init.val();
        self.window_in.cfg_w_min.next = self.registers.cfg_cc_w_min.val();
        self.window_in.cfg_rate_gain.next = self.registers.cfg_cc_rate_gain.val();
        self.window_in.cfg_rate_min.next = self.registers.cfg_cc_rate_min.val();
        self.window_in.cfg_rate_max.next = self.registers.cfg_cc_rate_max.val();
        Wire::join(&mut self.feedback_in.m_window, &mut self.window_in.s_window);
        self.window_in.s_window_bytes.next = self.rx.m_req.imm.val();
        self.feedback_in.cfg_worst_hop.next = self.registers.cfg_tel_echo_hop.val();
        self.feedback_in.cfg_by_time.next = self.registers.cfg_cc_mode.val().get_bit(0);
        self.feedback_in.cfg_feedback_cycles.next = self.registers.cfg_feedback_cycles.val();
        self.feedback_in.req_valid.next = self.rx.m_req.valid.val();
        self.feedback_in.req_ready.next = self.responder.s_req.ready.val();
        self.tx.cfg_by_time.next = self.registers.cfg_cc_mode.val().get_bit(0);
    }

    /// telemetry responses
    fn telemetry_responses(&mut self) {
        self.feedback_out.watch_valid.next = self.rx.m_ack.valid.val();
        self.feedback_out.watch_ready.next = self.requester.s_ack.ready.val();
        self.feedback_out.watch_opcode.next = self.rx.m_ack.opcode.val();
        self.feedback_out.watch_qpn.next = self.rx.m_ack.qpn.val();
        self.feedback_out.watch_psn.next = self.rx.m_ack.psn.val();
        self.feedback_out.watch_src_ip.next = self.rx.m_ack.src_ip.val();
        Wire::join(&mut self.rx.m_ack.tel, &mut self.feedback_out.watch_tel);
        Wire::join(&mut self.feedback_out.m_feedback, &mut self.tx.s_feedback);
        Wire::join(&mut self.rx.m_feedback, &mut self.feedback_in.s_feedback);
        self.feedback_in.sent_valid.next = self.pkt_mux.sent_valid.val();
        self.feedback_in.sent_ready.next = self.tx.s_pkt.ready.val();
        self.feedback_in.sent_flow.next = self.pkt_mux.m_pkt.flow.val();
        self.feedback_in.sent_psn.next = self.pkt_mux.m_pkt.psn.val();
        Wire::join(&mut self.feedback_in.m_probe, &mut self.feedback_out.s_probe);
        self.feedback_out.cfg_feedback_cycles.next = self.registers.cfg_feedback_cycles.val();
        self.feedback_out.cfg_index.next = self.registers.cfg.index.val();
        self.feedback_out.cfg_row.next = self.registers.cfg.row.val();
        self.feedback_in.cfg_index.next = self.registers.cfg.index.val();
        self.feedback_in.cfg_row.next = self.registers.cfg.row.val();
        self.feedback_in.row_valid.next = self.registers.m_cfg_tx.valid.val();
        self.feedback_in.row_ready.next = self.feedback_out.s_cfg.ready.val();
    }

    /// probes
    fn probes(&mut self) {
        self.probe_out.cfg_probe_cycles.next = self.registers.cfg_probe_cycles.val();
        self.probe_out.row_valid.next = self.registers.m_cfg_tx.valid.val();
        self.probe_out.row_ready.next = self.feedback_out.s_cfg.ready.val();
        self.probe_out.cfg_index.next = self.registers.cfg.index.val();
        self.probe_out.sent_valid.next = self.pkt_mux.sent_valid.val();
        self.probe_out.sent_ready.next = self.tx.s_pkt.ready.val();
        self.probe_out.sent_flow.next = self.pkt_mux.m_pkt.flow.val();
        self.probe_out.sent_psn.next = self.pkt_mux.m_pkt.psn.val();
        self.probe_out.sent_payload_bytes.next = self.pkt_mux.m_pkt.payload_bytes.val();
        self.probe_out.sent_bare.next = self.pkt_mux.m_pkt.bare.val();
        self.probe_out.inflight_valid.next = self.requester.m_work.valid.val();
        self.probe_out.inflight_ready.next = self.work_mux.s_data.ready.val();
        self.probe_out.inflight_flow.next = self.requester.m_work.flow.val();
        self.probe_out.inflight_bytes.next = self.requester.m_work.inflight_bytes.val();
        Wire::join(&mut self.feedback_in.m_answer, &mut self.probe_out.answer);
        Wire::join(&mut self.probe_out.m_probe, &mut self.pkt_mux.s_probe);
    }

    /// packets to send
    fn packets(&mut self) {
        Wire::join(&mut self.requester.m_pkt, &mut self.pkt_mux.s_data_pkt);
        Wire::join(&mut self.requester.m_read, &mut self.pkt_mux.s_data_read);
        Wire::join(&mut self.read_reply.m_pkt, &mut self.pkt_mux.s_reply_pkt);
        Wire::join(&mut self.read_reply.m_read, &mut self.pkt_mux.s_reply_read);
        Wire::join(&mut self.pkt_mux.m_pkt, &mut self.tx.s_pkt);
        Wire::join(&mut self.pkt_mux.m_read, &mut self.read_mux.s_pkt);
        Wire::join(&mut self.sq_fetch.m_cmd, &mut self.read_mux.s_wr);
        Wire::join(&mut self.read_mux.m_cmd, &mut self.dma_read.s_cmd);
        Wire::join(&mut self.dma_read.m_axis, &mut self.read_mux.s_axis);
        Wire::join(&mut self.read_mux.m_wr, &mut self.sq_fetch.s_axis);
        Wire::join(&mut self.read_mux.m_pkt, &mut self.tx.s_data);
        Wire::join(&mut self.responder.m_ack, &mut self.tx.s_ack);
    }

    /// host memory that could not be read or written
    fn failures(&mut self) {
        self.tx_fails.s.valid.next = self.tx.m_fail.valid.val();
        self.tx.m_fail.ready.next = self.tx_fails.s.ready.val();
        comment!("Read errors: the flow above the mark of its queue pair's row.");
        self.tx_fails.s.data.next = bit_cast::<{ PB + MARK }, MARK>(self.tx.m_fail.mark.val())
            | (bit_cast::<{ PB + MARK }, PB>(self.tx.m_fail.flow.val()) << self.above_mark.val());
        Wire::join(&mut self.tx_fails.m_a, &mut self.fails.s_a);
        self.read_reply.s_fail.valid.next = self.tx_fails.m_b.valid.val();
        self.tx_fails.m_b.ready.next = self.read_reply.s_fail.ready.val();
        self.read_reply.s_fail.flow.next =
            self.tx_fails.m_b.data.val().get_bits::<FB>(self.above_mark.val().index());
        self.read_reply.s_fail.mark.next = self.tx_fails.m_b.data.val().get_bits::<MARK>(0);
        self.fails.s_b.valid.next = self.completer.m_fail.valid.val();
        self.completer.m_fail.ready.next = self.fails.s_b.ready.val();
        self.fails.s_b.data.next = bit_cast::<{ FB + MARK }, FB>(self.completer.m_fail.flow.val())
            << self.above_mark.val();
        self.requester.s_fail.valid.next = self.fails.m_valid.val();
        self.fails.m_ready.next = self.requester.s_fail.ready.val();
        self.requester.s_fail.flow.next =
            self.fails.m_data.val().get_bits::<FB>(self.above_mark.val().index());
        self.requester.s_fail.mark.next = self.fails.m_data.val().get_bits::<MARK>(0);
    }

    /// frames of the host and to the MAC
    fn host(&mut self) {
        Wire::join(&mut self.s_axis_host, &mut self.tx.s_host);
        Wire::join(&mut self.tx.m_axis, &mut self.m_axis_tx);
        comment!("host memory");
        Wire::join(&mut self.dma_write.m_axi, &mut self.m_axi.write);
        Wire::join(&mut self.dma_read.m_axi, &mut self.m_axi.read);
    }

    /// registers
    fn configuration(&mut self) {
        Wire::join(&mut self.s_axil, &mut self.registers.s_axil);
        self.rx.cfg_local_mac.next = self.registers.cfg_local_mac.val();
        self.tx.cfg_local_mac.next = self.registers.cfg_local_mac.val();
        self.rx.cfg_local_ip.next = self.registers.cfg_local_ip.val();
        self.tx.cfg_local_ip.next = self.registers.cfg_local_ip.val();
        self.rx.cfg_pkey.next = self.registers.cfg_pkey.val();
        self.tx.cfg_pkey.next = self.registers.cfg_pkey.val();
        self.tx.cfg_ttl.next = self.registers.cfg_ttl.val();
        self.rx.cfg_tel_format.next = self.registers.cfg_tel_format.val();
        Wire::join(&mut self.registers.cfg_tel, &mut self.rx.cfg_tel);
        Wire::join(&mut self.registers.cfg_tel, &mut self.tx.cfg_tel);
        self.rx.cfg_tel_queue_bytes.next = self.registers.cfg_tel_queue_bytes.val();
        self.rx.cfg_tel_rates.next = self.registers.cfg_tel_rates.val();
        self.tx.cfg_tel_data.next = self.registers.cfg_tel_data.val();
        self.tx.cfg_tel_echo.next = self.registers.cfg_tel_echo.val();
        self.requester.cfg_tel_data.next = self.registers.cfg_tel_data.val();
        self.requester.cfg_tel_every.next = self.registers.cfg_tel_every.val();
        self.requester.cfg_sq_scale.next = self.registers.cfg_sq_scale.val();
        self.sq_fetch.cfg_sq_scale.next = self.registers.cfg_sq_scale.val();
        self.read_reply.cfg_tel_data.next = self.registers.cfg_tel_data.val();
        self.responder.cfg_rnr_timer.next = self.registers.cfg_rnr_timer.val();
        Wire::join(&mut self.registers.cfg, &mut self.responder.cfg);
        Wire::join(&mut self.registers.cfg, &mut self.sq_fetch.cfg);
        self.requester.cfg_table.next = self.sq_fetch.m_cfg.table.val();
        Wire::join(&mut self.registers.cfg, &mut self.tx.cfg);
        Wire::join(&mut self.registers.cfg, &mut self.read_reply.cfg);
        self.requester.cfg_index.next = self.sq_fetch.m_cfg.index.val();
        self.completer.cfg_index.next = self.registers.cfg.index.val();
        self.requester.cfg_row.next = self.sq_fetch.m_cfg.row.val().into();
        self.responder.cfg_cq_space.next = self.registers.cq_space.val();
        self.cc.cfg.t_ns.next = self.registers.cfg_cc_t_ns.val();
        self.cc.cfg.inv_t.next = self.registers.cfg_cc_inv_t.val();
        self.cc.cfg.queue_gain.next = self.registers.cfg_cc_queue_gain.val();
        self.cc.cfg.util_gain.next = self.registers.cfg_cc_util_gain.val();
        self.cc.cfg.check.next = self.registers.cfg_cc_check.val();
        self.cc.cfg.by_time.next = self.registers.cfg_cc_mode.val().get_bit(0);
        self.cc.cfg.target.next = self.registers.cfg_cc_target.val();
        self.cc.cfg.u_one.next = self.registers.cfg_cc_u_one.val();
        self.cc.cfg.max_stage.next = self.registers.cfg_cc_max_stage.val();
        self.cc.cfg.w_ai.next = self.active.w_ai.val();
        self.cc.cfg.w_init.next = self.registers.cfg_cc_w_init.val();
        self.cc.cfg.w_min.next = self.registers.cfg_cc_w_min.val();
        self.cc.cfg.rate_gain.next = self.registers.cfg_cc_rate_gain.val();
        self.cc.cfg.rate_min.next = self.registers.cfg_cc_rate_min.val();
        self.cc.cfg.rate_max.next = self.registers.cfg_cc_rate_max.val();
    }

    /// table rows
    fn table_rows(&mut self) {
        Wire::join(&mut self.registers.m_cfg_responder, &mut self.responder.s_cfg);
        Wire::join(&mut self.registers.m_cfg_requester, &mut self.sq_fetch.s_cfg);
        self.requester.s_cfg.valid.next = self.sq_fetch.m_cfg.valid.val();
        self.sq_fetch.m_cfg.ready.next = self.requester.s_cfg.ready.val();
        Wire::join(&mut self.registers.m_cfg_tx, &mut self.feedback_out.s_cfg);
        Wire::join(&mut self.feedback_out.m_cfg, &mut self.tx.s_cfg);
        Wire::join(&mut self.responder.m_cfg, &mut self.read_reply.s_cfg);
        Wire::join(&mut self.registers.m_cfg_completer, &mut self.completer.s_cfg);
        self.cc.s_flow.valid.next = self.registers.m_flow.valid.val();
        self.registers.m_flow.ready.next = self.cc.s_flow.ready.val();
        self.cc.s_flow.flow.next = self.registers.m_flow.flow.val().get_bits::<CB>(0);
        self.cc.s_flow.op.next = self.registers.m_flow.op.val();
        self.cc.s_flow.telemetry.next = self.registers.m_flow.telemetry.val();
        self.cc.s_flow.window_bytes.next = self.registers.m_flow.window_bytes.val();
        self.cc.s_flow.rate.next = self.registers.m_flow.rate.val();
    }

    /// completions
    fn completions(&mut self) {
        Wire::join(&mut self.completer.m_cqe, &mut self.registers.s_requester);
        Wire::join(&mut self.responder.m_cqe, &mut self.registers.s_responder);
        comment!("window and rate that software watches");
        self.registers.watch_valid.next = self.window_in.m_rate.valid.val();
        self.registers.watch_flow.next = bit_cast::<16, PB>(self.window_in.m_rate.flow.val());
        self.registers.watch_window.next = self.window_in.m_rate.window_bytes.val();
        self.registers.watch_rate.next = self.window_in.m_rate.rate.val();
    }

    /// rings in host memory
    fn rings(&mut self) {
        Wire::join(&mut self.registers.m_doorbell, &mut self.sq_fetch.s_doorbell);
        self.sq_fetch.wr_room.next = self.registers.wr_room.val();
        Wire::join(&mut self.sq_fetch.hint, &mut self.requester.hint);
        self.sq_fetch.watch_valid.next = self.requester.m_order.valid.val();
        self.sq_fetch.watch_ready.next = self.completer.s_order.ready.val();
        self.sq_fetch.watch_op.next = self.requester.m_order.op.val();
        self.sq_fetch.watch_flow.next = self.requester.m_order.flow.val();
        Wire::join(&mut self.sq_fetch.m_cqe, &mut self.registers.s_lost);
        self.dma_read.cfg_reads_max.next = self.registers.cfg_reads_max.val();
        self.cq_ring.cfg_base_lo.next = self.registers.cfg_cq_base_lo.val();
        self.cq_ring.cfg_base_hi.next = self.registers.cfg_cq_base_hi.val();
        self.cq_ring.cfg_log2.next = self.registers.cfg_cq_log2.val();
        Wire::join(&mut self.registers.head, &mut self.cq_ring.head);
        self.registers.ring_owns.next = self.cq_ring.ring.owns.val();
        self.registers.cq_landed.next = self.cq_ring.landed.val();
        Wire::join(&mut self.registers.m_consumer, &mut self.cq_ring.s_consumer);
        self.interrupt.cfg_enable.next = self.registers.cfg_irq_enable.val();
        Wire::join(&mut self.cq_ring.ring, &mut self.interrupt.ring);
        self.interrupt.error_doorbell.next = self.sq_fetch.event_sq.doorbell_refused.val();
        self.interrupt.error_sq.next = self.sq_fetch.event_sq.read_error.val();
        self.interrupt.error_cq.next = self.cq_ring.event_cq.error.val();
        self.interrupt.error_consumer.next = self.cq_ring.event_cq.refused.val();
        self.interrupt.doorbell_flow.next = self.registers.m_doorbell.flow.val();
        Wire::join(&mut self.registers.m_clear, &mut self.interrupt.clear);
        self.registers.host_status.next = self.interrupt.status.val();
        self.irq.next = self.interrupt.irq.val();
    }

    /// events
    fn events(&mut self) {
        Wire::join(&mut self.rx.event_rx, &mut self.registers.event.rx);
        Wire::join(&mut self.responder.event_resp, &mut self.registers.event.resp);
        Wire::join(&mut self.requester.event_reqr, &mut self.registers.event.reqr);
        Wire::join(&mut self.tx.event_tx, &mut self.registers.event.tx);
        Wire::join(&mut self.read_reply.event_read, &mut self.registers.event.read);
        Wire::join(&mut self.sq_fetch.event_sq, &mut self.registers.event.sq);
        Wire::join(&mut self.cq_ring.event_cq, &mut self.registers.event.cq);
        Wire::join(&mut self.feedback_in.event_feedback, &mut self.registers.event.feedback);
        Wire::join(&mut self.cc.event_cc, &mut self.registers.event.cc);
        Wire::join(&mut self.probe_out.event_probe, &mut self.registers.event.probe);
        Wire::join(&mut self.window_out.event_window, &mut self.registers.event.window);
    }
}
