//! The NIC in the sizes of the preset `gbe`: the blocks of the picture, wired together. No logic.
//!
//! # Source            ARCHITECTURE.md
//! # Interface timing  that of the blocks at the border
//! # Reset             synchronous, high
//! # Twins             sim/src/golden/nic.rs, tests/nic.rs

use crate::block;
use crate::cc::cc_active::CcActive;
use crate::cc::cc_unit::CcUnit;
use crate::emit::{self, Design, EmitError};
use crate::host::cq_ring::CqRing;
use crate::host::dma_read::DmaRead;
use crate::host::dma_write::DmaWrite;
use crate::host::interrupt::Interrupt;
use crate::host::read_mux::ReadMux;
use crate::host::registers::Registers;
use crate::host::sq_fetch::SqFetch;
use crate::host::write_mux::WriteMux;
use crate::rx::rx_pipe::RxPipe;
use crate::sched::scheduler::Scheduler;
use crate::transport::completer::Completer;
use crate::transport::feedback_in::FeedbackIn;
use crate::transport::feedback_out::FeedbackOut;
use crate::transport::pkt_mux::PktMux;
use crate::transport::probe_out::ProbeOut;
use crate::transport::read_reply::ReadReply;
use crate::transport::requester::Requester;
use crate::transport::responder::Responder;
use crate::transport::window_in::WindowIn;
use crate::transport::window_out::WindowOut;
use crate::transport::work_mux::WorkMux;
use crate::tx::tx_pipe::TxPipe;
use crate::util::stream_mux::StreamMux;
use crate::util::stream_route::StreamRoute;
use nic_spec::NicConfig;
use rust_hdl_core::prelude::*;

/// The NIC: 64-bit datapath, 64 queue pairs with two paced flows each (and one of the peer's data at the congestion
/// control), 64 memory regions, 8 work requests a flow.
#[block(new(config: &NicConfig))]
pub struct Nic {
    /// Write address, bytes.
    pub s_axil_awaddr: Signal<In, Bits<16>>,
    /// Write address is valid.
    pub s_axil_awvalid: Signal<In, Bit>,
    /// Write address is taken.
    pub s_axil_awready: Signal<Out, Bit>,
    /// Write data.
    pub s_axil_wdata: Signal<In, Bits<32>>,
    /// Write strobes; all must be high.
    pub s_axil_wstrb: Signal<In, Bits<4>>,
    /// Write data is valid.
    pub s_axil_wvalid: Signal<In, Bit>,
    /// Write data is taken.
    pub s_axil_wready: Signal<Out, Bit>,
    /// Write response is valid.
    pub s_axil_bvalid: Signal<Out, Bit>,
    /// 0 OKAY, 2 SLVERR.
    pub s_axil_bresp: Signal<Out, Bits<2>>,
    /// Write response is taken.
    pub s_axil_bready: Signal<In, Bit>,
    /// Read address, bytes.
    pub s_axil_araddr: Signal<In, Bits<16>>,
    /// Read address is valid.
    pub s_axil_arvalid: Signal<In, Bit>,
    /// Read address is taken.
    pub s_axil_arready: Signal<Out, Bit>,
    /// Read data is valid.
    pub s_axil_rvalid: Signal<Out, Bit>,
    /// Read data.
    pub s_axil_rdata: Signal<Out, Bits<32>>,
    /// 0 OKAY, 2 SLVERR.
    pub s_axil_rresp: Signal<Out, Bits<2>>,
    /// Read data is taken.
    pub s_axil_rready: Signal<In, Bit>,
    /// Write address, bytes.
    pub m_axi_awaddr: Signal<Out, Bits<64>>,
    /// Beats less one.
    pub m_axi_awlen: Signal<Out, Bits<8>>,
    /// log2 of bytes a beat.
    pub m_axi_awsize: Signal<Out, Bits<3>>,
    /// 1: INCR.
    pub m_axi_awburst: Signal<Out, Bits<2>>,
    /// Write address is valid.
    pub m_axi_awvalid: Signal<Out, Bit>,
    /// Write address is taken.
    pub m_axi_awready: Signal<In, Bit>,
    /// Write data.
    pub m_axi_wdata: Signal<Out, Bits<64>>,
    /// Bytes to write.
    pub m_axi_wstrb: Signal<Out, Bits<8>>,
    /// Last beat.
    pub m_axi_wlast: Signal<Out, Bit>,
    /// Write data is valid.
    pub m_axi_wvalid: Signal<Out, Bit>,
    /// Write data is taken.
    pub m_axi_wready: Signal<In, Bit>,
    /// Write response.
    pub m_axi_bresp: Signal<In, Bits<2>>,
    /// Write response is valid.
    pub m_axi_bvalid: Signal<In, Bit>,
    /// Write response is taken.
    pub m_axi_bready: Signal<Out, Bit>,
    /// Read address, bytes.
    pub m_axi_araddr: Signal<Out, Bits<64>>,
    /// Beats less one.
    pub m_axi_arlen: Signal<Out, Bits<8>>,
    /// log2 of bytes a beat.
    pub m_axi_arsize: Signal<Out, Bits<3>>,
    /// 1: INCR.
    pub m_axi_arburst: Signal<Out, Bits<2>>,
    /// Read address is valid.
    pub m_axi_arvalid: Signal<Out, Bit>,
    /// Read address is taken.
    pub m_axi_arready: Signal<In, Bit>,
    /// Read data.
    pub m_axi_rdata: Signal<In, Bits<64>>,
    /// Read response.
    pub m_axi_rresp: Signal<In, Bits<2>>,
    /// Last beat of a burst; the engine counts beats and does not look at it.
    pub m_axi_rlast: Signal<In, Bit>,
    /// Read data is valid.
    pub m_axi_rvalid: Signal<In, Bit>,
    /// Read data is taken.
    pub m_axi_rready: Signal<Out, Bit>,
    /// Frames from the MAC: byte 0 in bits 7:0.
    pub s_axis_rx_tdata: Signal<In, Bits<64>>,
    /// Frames from the MAC: one bit a byte.
    pub s_axis_rx_tkeep: Signal<In, Bits<8>>,
    /// Frames from the MAC: beat valid.
    pub s_axis_rx_tvalid: Signal<In, Bit>,
    /// Frames from the MAC: beat taken.
    pub s_axis_rx_tready: Signal<Out, Bit>,
    /// Frames from the MAC: last beat.
    pub s_axis_rx_tlast: Signal<In, Bit>,
    /// Frames from the MAC: on the last beat, the frame is bad.
    pub s_axis_rx_tuser: Signal<In, Bit>,
    /// Frames to the MAC: byte 0 in bits 7:0.
    pub m_axis_tx_tdata: Signal<Out, Bits<64>>,
    /// Frames to the MAC: one bit a byte.
    pub m_axis_tx_tkeep: Signal<Out, Bits<8>>,
    /// Frames to the MAC: beat valid.
    pub m_axis_tx_tvalid: Signal<Out, Bit>,
    /// Frames to the MAC: beat taken.
    pub m_axis_tx_tready: Signal<In, Bit>,
    /// Frames to the MAC: last beat.
    pub m_axis_tx_tlast: Signal<Out, Bit>,
    /// Frames to the host's own stack: byte 0 in bits 7:0.
    pub m_axis_host_tdata: Signal<Out, Bits<64>>,
    /// Frames to the host's own stack: one bit a byte.
    pub m_axis_host_tkeep: Signal<Out, Bits<8>>,
    /// Frames to the host's own stack: beat valid.
    pub m_axis_host_tvalid: Signal<Out, Bit>,
    /// Frames to the host's own stack: beat taken.
    pub m_axis_host_tready: Signal<In, Bit>,
    /// Frames to the host's own stack: last beat.
    pub m_axis_host_tlast: Signal<Out, Bit>,
    /// Frames from the host's own stack: byte 0 in bits 7:0.
    pub s_axis_host_tdata: Signal<In, Bits<64>>,
    /// Frames from the host's own stack: one bit a byte.
    pub s_axis_host_tkeep: Signal<In, Bits<8>>,
    /// Frames from the host's own stack: beat valid.
    pub s_axis_host_tvalid: Signal<In, Bit>,
    /// Frames from the host's own stack: beat taken.
    pub s_axis_host_tready: Signal<Out, Bit>,
    /// Frames from the host's own stack: last beat.
    pub s_axis_host_tlast: Signal<In, Bit>,
    /// Interrupt, level.
    pub irq: Signal<Out, Bit>,
    #[init(RxPipe::default())]
    rx: RxPipe,
    responder: Responder<64, 8, 73, 6, 7, 6>,
    read_reply: ReadReply<6, 10, 6>,
    #[init(Requester::new(config.clock_hz))]
    requester: Requester<6, 3, 9>,
    completer: Completer<64, 8, 73, 6, 7>,
    feedback_out: FeedbackOut<6, 64, 30, 7>,
    feedback_in: FeedbackIn<6, 64, 7>,
    probe_out: ProbeOut<6, 7, 14>,
    window_out: WindowOut<6, 7>,
    window_in: WindowIn<6, 7>,
    work_mux: WorkMux<6, 7, 52>,
    scheduler: Scheduler<128, 7, 8, 39>,
    grants: StreamRoute<6, 7>,
    active: CcActive<7, 8>,
    cc: CcUnit<8, 11, 216>,
    pkt_mux: PktMux<6, 7>,
    tx: TxPipe<6, 7>,
    tx_fails: StreamRoute<10, 11>,
    fails: StreamMux<10>,
    #[init(SqFetch::new(config))]
    sq_fetch: SqFetch<6, 7, 22>,
    cq_ring: CqRing,
    interrupt: Interrupt,
    ring_mux: WriteMux<64, 65, 126, 127, 128>,
    write_mux: WriteMux<64, 65, 127, 128, 129>,
    read_mux: ReadMux,
    dma_write: DmaWrite<64, 128, 8, 128>,
    dma_read: DmaRead<64, 128, 8>,
    #[init(Registers::new(config))]
    registers: Registers<1024, 10, 11>,
}

impl Logic for Nic {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("frames from the MAC");
        self.rx.s_axis_tdata.next = self.s_axis_rx_tdata.val();
        self.rx.s_axis_tkeep.next = self.s_axis_rx_tkeep.val();
        self.rx.s_axis_tvalid.next = self.s_axis_rx_tvalid.val();
        self.s_axis_rx_tready.next = self.rx.s_axis_tready.val();
        self.rx.s_axis_tlast.next = self.s_axis_rx_tlast.val();
        self.rx.s_axis_tuser.next = self.s_axis_rx_tuser.val();
        self.m_axis_host_tdata.next = self.rx.m_host_tdata.val();
        self.m_axis_host_tkeep.next = self.rx.m_host_tkeep.val();
        self.m_axis_host_tvalid.next = self.rx.m_host_tvalid.val();
        self.rx.m_host_tready.next = self.m_axis_host_tready.val();
        self.m_axis_host_tlast.next = self.rx.m_host_tlast.val();
        comment!("requests");
        self.responder.s_req_valid.next = self.rx.m_req_valid.val();
        self.rx.m_req_ready.next = self.responder.s_req_ready.val();
        self.responder.s_req_qpn.next = self.rx.m_req_qpn.val();
        self.responder.s_req_opcode.next = self.rx.m_req_opcode.val();
        self.responder.s_req_psn.next = self.rx.m_req_psn.val();
        self.responder.s_req_ack_req.next = self.rx.m_req_ack_req.val();
        self.responder.s_req_payload_bytes.next = self.rx.m_req_payload_bytes.val();
        self.responder.s_req_va.next = self.rx.m_req_va.val();
        self.responder.s_req_rkey.next = self.rx.m_req_rkey.val();
        self.responder.s_req_dma_len.next = self.rx.m_req_dma_len.val();
        self.responder.s_req_imm.next = self.rx.m_req_imm.val();
        self.responder.s_req_src_ip.next = self.rx.m_req_src_ip.val();
        self.responder.s_req_tel_valid.next = self.rx.m_req_tel_valid.val();
        self.responder.s_req_tel_hops.next = self.rx.m_req_tel_hops.val();
        self.responder.s_req_tel_path.next = self.rx.m_req_tel_path.val();
        self.responder.s_req_tel_hop_0.next = self.rx.m_req_tel_hop[0].val();
        self.responder.s_req_tel_hop_1.next = self.rx.m_req_tel_hop[1].val();
        self.responder.s_req_tel_hop_2.next = self.rx.m_req_tel_hop[2].val();
        self.responder.s_req_tel_hop_3.next = self.rx.m_req_tel_hop[3].val();
        self.responder.s_req_tel_hop_4.next = self.rx.m_req_tel_hop[4].val();
        self.responder.s_payload_tvalid.next = self.rx.m_payload_tvalid.val();
        self.rx.m_payload_tready.next = self.responder.s_payload_tready.val();
        self.responder.s_payload_tdata.next = self.rx.m_payload_tdata.val();
        self.responder.s_payload_tkeep.next = self.rx.m_payload_tkeep.val();
        self.responder.s_payload_tlast.next = self.rx.m_payload_tlast.val();
        comment!("writes to host memory, and what becomes of them");
        self.write_mux.s_a_cmd_valid.next = self.responder.m_cmd_valid.val();
        self.responder.m_cmd_ready.next = self.write_mux.s_a_cmd_ready.val();
        self.write_mux.s_a_cmd_addr.next = self.responder.m_cmd_addr.val();
        self.write_mux.s_a_cmd_bytes.next = self.responder.m_cmd_bytes.val();
        self.write_mux.s_a_cmd_tag.next = self.responder.m_cmd_tag.val();
        self.write_mux.s_a_data_tvalid.next = self.responder.m_data_tvalid.val();
        self.responder.m_data_tready.next = self.write_mux.s_a_data_tready.val();
        self.write_mux.s_a_data_tdata.next = self.responder.m_data_tdata.val();
        self.write_mux.s_a_data_tlast.next = self.responder.m_data_tlast.val();
        self.responder.s_done_valid.next = self.write_mux.m_a_done_valid.val();
        self.write_mux.m_a_done_ready.next = self.responder.s_done_ready.val();
        self.responder.s_done_tag.next = self.write_mux.m_a_done_tag.val();
        self.responder.s_done_error.next = self.write_mux.m_a_done_error.val();
        self.ring_mux.s_a_cmd_valid.next = self.completer.m_cmd_valid.val();
        self.completer.m_cmd_ready.next = self.ring_mux.s_a_cmd_ready.val();
        self.ring_mux.s_a_cmd_addr.next = self.completer.m_cmd_addr.val();
        self.ring_mux.s_a_cmd_bytes.next = self.completer.m_cmd_bytes.val();
        self.ring_mux.s_a_cmd_tag.next = bit_cast::<126, 127>(self.completer.m_cmd_tag.val());
        self.ring_mux.s_a_data_tvalid.next = self.completer.m_data_tvalid.val();
        self.completer.m_data_tready.next = self.ring_mux.s_a_data_tready.val();
        self.ring_mux.s_a_data_tdata.next = self.completer.m_data_tdata.val();
        self.ring_mux.s_a_data_tlast.next = self.completer.m_data_tlast.val();
        self.completer.s_done_valid.next = self.ring_mux.m_a_done_valid.val();
        self.ring_mux.m_a_done_ready.next = self.completer.s_done_ready.val();
        self.completer.s_done_error.next = self.ring_mux.m_a_done_error.val();
        self.ring_mux.s_b_cmd_valid.next = self.cq_ring.m_cmd_valid.val();
        self.cq_ring.m_cmd_ready.next = self.ring_mux.s_b_cmd_ready.val();
        self.ring_mux.s_b_cmd_addr.next = self.cq_ring.m_cmd_addr.val();
        self.ring_mux.s_b_cmd_bytes.next = self.cq_ring.m_cmd_bytes.val();
        self.ring_mux.s_b_cmd_tag.next = self.cq_ring.m_cmd_tag.val();
        self.ring_mux.s_b_data_tvalid.next = self.cq_ring.m_data_tvalid.val();
        self.cq_ring.m_data_tready.next = self.ring_mux.s_b_data_tready.val();
        self.ring_mux.s_b_data_tdata.next = self.cq_ring.m_data_tdata.val();
        self.ring_mux.s_b_data_tlast.next = self.cq_ring.m_data_tlast.val();
        self.cq_ring.s_done_valid.next = self.ring_mux.m_b_done_valid.val();
        self.ring_mux.m_b_done_ready.next = self.cq_ring.s_done_ready.val();
        self.cq_ring.s_done_error.next = self.ring_mux.m_b_done_error.val();
        self.completer.s_done_tag.next = bit_cast::<127, 126>(self.ring_mux.m_a_done_tag.val());
        self.write_mux.s_b_cmd_valid.next = self.ring_mux.m_cmd_valid.val();
        self.ring_mux.m_cmd_ready.next = self.write_mux.s_b_cmd_ready.val();
        self.write_mux.s_b_cmd_addr.next = self.ring_mux.m_cmd_addr.val();
        self.write_mux.s_b_cmd_bytes.next = self.ring_mux.m_cmd_bytes.val();
        self.write_mux.s_b_cmd_tag.next = self.ring_mux.m_cmd_tag.val();
        self.write_mux.s_b_data_tvalid.next = self.ring_mux.m_data_tvalid.val();
        self.ring_mux.m_data_tready.next = self.write_mux.s_b_data_tready.val();
        self.write_mux.s_b_data_tdata.next = self.ring_mux.m_data_tdata.val();
        self.write_mux.s_b_data_tlast.next = self.ring_mux.m_data_tlast.val();
        self.ring_mux.s_done_valid.next = self.write_mux.m_b_done_valid.val();
        self.write_mux.m_b_done_ready.next = self.ring_mux.s_done_ready.val();
        self.ring_mux.s_done_tag.next = self.write_mux.m_b_done_tag.val();
        self.ring_mux.s_done_error.next = self.write_mux.m_b_done_error.val();
        self.dma_write.s_cmd_valid.next = self.write_mux.m_cmd_valid.val();
        self.write_mux.m_cmd_ready.next = self.dma_write.s_cmd_ready.val();
        self.dma_write.s_cmd_addr.next = self.write_mux.m_cmd_addr.val();
        self.dma_write.s_cmd_bytes.next = self.write_mux.m_cmd_bytes.val();
        self.dma_write.s_cmd_tag.next = self.write_mux.m_cmd_tag.val();
        self.dma_write.s_axis_tvalid.next = self.write_mux.m_data_tvalid.val();
        self.write_mux.m_data_tready.next = self.dma_write.s_axis_tready.val();
        self.dma_write.s_axis_tdata.next = self.write_mux.m_data_tdata.val();
        self.write_mux.s_done_valid.next = self.dma_write.m_done_valid.val();
        self.dma_write.m_done_ready.next = self.write_mux.s_done_ready.val();
        self.write_mux.s_done_tag.next = self.dma_write.m_done_tag.val();
        self.write_mux.s_done_error.next = self.dma_write.m_done_error.val();
        comment!("READs of the peer");
        self.read_reply.s_job_valid.next = self.responder.m_job_valid.val();
        self.responder.m_job_ready.next = self.read_reply.s_job_ready.val();
        self.read_reply.s_job_flow.next = self.responder.m_job_flow.val();
        self.read_reply.s_job_psn.next = self.responder.m_job_psn.val();
        self.read_reply.s_job_msn.next = self.responder.m_job_msn.val();
        self.read_reply.s_job_addr.next = self.responder.m_job_addr.val();
        self.read_reply.s_job_bytes.next = self.responder.m_job_bytes.val();
        self.read_reply.s_job_restart.next = self.responder.m_job_restart.val();
        self.read_reply.s_job_va.next = self.responder.m_job_va.val();
        self.read_reply.s_job_rkey.next = self.responder.m_job_rkey.val();
        self.responder.s_end_valid.next = self.read_reply.m_end_valid.val();
        self.read_reply.m_end_ready.next = self.responder.s_end_ready.val();
        self.responder.s_end_flow.next = self.read_reply.m_end_flow.val();
        self.responder.s_end_jobs.next = self.read_reply.m_end_jobs.val();
        self.responder.s_end_reads.next = self.read_reply.m_end_reads.val();
        self.responder.s_end_error.next = self.read_reply.m_end_error.val();
        self.responder.s_end_cleared.next = self.read_reply.m_end_cleared.val();
        comment!("acknowledgements and READ responses");
        self.requester.s_ack_valid.next = self.rx.m_ack_valid.val();
        self.rx.m_ack_ready.next = self.requester.s_ack_ready.val();
        self.requester.s_ack_qpn.next = self.rx.m_ack_qpn.val();
        self.requester.s_ack_psn.next = self.rx.m_ack_psn.val();
        self.requester.s_ack_syndrome.next = self.rx.m_ack_syndrome.val();
        self.requester.s_ack_msn.next = self.rx.m_ack_msn.val();
        self.requester.s_ack_opcode.next = self.rx.m_ack_opcode.val();
        self.requester.s_ack_payload_bytes.next = self.rx.m_ack_payload_bytes.val();
        self.requester.s_ack_src_ip.next = self.rx.m_ack_src_ip.val();
        self.requester.s_ack_tel_valid.next = self.rx.m_ack_tel_valid.val();
        self.requester.s_ack_tel_hops.next = self.rx.m_ack_tel_hops.val();
        self.requester.s_ack_tel_path.next = self.rx.m_ack_tel_path.val();
        self.requester.s_ack_tel_hop_0.next = self.rx.m_ack_tel_hop[0].val();
        self.requester.s_ack_tel_hop_1.next = self.rx.m_ack_tel_hop[1].val();
        self.requester.s_ack_tel_hop_2.next = self.rx.m_ack_tel_hop[2].val();
        self.requester.s_ack_tel_hop_3.next = self.rx.m_ack_tel_hop[3].val();
        self.requester.s_ack_tel_hop_4.next = self.rx.m_ack_tel_hop[4].val();
        self.completer.s_response_tvalid.next = self.rx.m_response_tvalid.val();
        self.rx.m_response_tready.next = self.completer.s_response_tready.val();
        self.completer.s_response_tdata.next = self.rx.m_response_tdata.val();
        self.completer.s_response_tkeep.next = self.rx.m_response_tkeep.val();
        self.completer.s_response_tlast.next = self.rx.m_response_tlast.val();
        self.completer.s_order_valid.next = self.requester.m_order_valid.val();
        self.requester.m_order_ready.next = self.completer.s_order_ready.val();
        self.completer.s_order_op.next = self.requester.m_order_op.val();
        self.completer.s_order_flow.next = self.requester.m_order_flow.val();
        self.completer.s_order_addr.next = self.requester.m_order_addr.val();
        self.completer.s_order_bytes.next = self.requester.m_order_bytes.val();
        self.completer.s_order_status.next = self.requester.m_order_status.val();
        self.completer.s_order_wr_id.next = self.requester.m_order_wr_id.val();
        self.completer.s_order_byte_len.next = self.requester.m_order_byte_len.val();
        self.completer.s_order_signalled.next = self.requester.m_order_signalled.val();
        comment!("work, pacing and window");
        self.work_mux.s_data_valid.next = self.requester.m_work_valid.val();
        self.requester.m_work_ready.next = self.work_mux.s_data_ready.val();
        self.work_mux.s_data_flow.next = self.requester.m_work_flow.val();
        self.work_mux.s_data_len_bytes.next = self.requester.m_work_len_bytes.val();
        self.work_mux.s_data_inflight_bytes.next = self.requester.m_work_inflight_bytes.val();
        self.work_mux.s_reply_valid.next = self.read_reply.m_work_valid.val();
        self.read_reply.m_work_ready.next = self.work_mux.s_reply_ready.val();
        self.work_mux.s_reply_flow.next = self.read_reply.m_work_flow.val();
        self.work_mux.s_reply_len_bytes.next = self.read_reply.m_work_len_bytes.val();
        self.work_mux.s_reply_inflight_bytes.next = self.read_reply.m_work_inflight_bytes.val();
        self.scheduler.s_work_valid.next = self.work_mux.m_work_valid.val();
        self.work_mux.m_work_ready.next = self.scheduler.s_work_ready.val();
        self.scheduler.s_work_flow.next = self.work_mux.m_work_flow.val();
        self.scheduler.s_work_len_bytes.next = self.work_mux.m_work_len_bytes.val();
        self.scheduler.s_work_inflight_bytes.next = self.work_mux.m_work_inflight_bytes.val();
        self.scheduler.s_inflight_valid.next = self.requester.m_inflight_valid.val();
        self.requester.m_inflight_ready.next = self.scheduler.s_inflight_ready.val();
        self.scheduler.s_inflight_inflight_bytes.next =
            self.requester.m_inflight_inflight_bytes.val();
        self.scheduler.s_inflight_flow.next =
            bit_cast::<7, 6>(self.requester.m_inflight_flow.val());
        self.grants.s_valid.next = self.scheduler.m_grant_valid.val();
        self.scheduler.m_grant_ready.next = self.grants.s_ready.val();
        self.grants.s_data.next = self.scheduler.m_grant_flow.val();
        self.requester.s_grant_valid.next = self.grants.m_a_valid.val();
        self.grants.m_a_ready.next = self.requester.s_grant_ready.val();
        self.requester.s_grant_flow.next = self.grants.m_a_data.val();
        self.read_reply.s_grant_valid.next = self.grants.m_b_valid.val();
        self.grants.m_b_ready.next = self.read_reply.s_grant_ready.val();
        self.read_reply.s_grant_flow.next = self.grants.m_b_data.val();
        comment!("congestion control");
        self.feedback_in.s_cc_valid.next = self.requester.m_cc_valid.val();
        self.requester.m_cc_ready.next = self.feedback_in.s_cc_ready.val();
        self.feedback_in.s_cc_flow.next = self.requester.m_cc_flow.val();
        self.feedback_in.s_cc_psn.next = self.requester.m_cc_psn.val();
        self.feedback_in.s_cc_snd_nxt.next = self.requester.m_cc_snd_nxt.val();
        self.feedback_in.s_cc_tel_valid.next = self.requester.m_cc_tel_valid.val();
        self.feedback_in.s_cc_tel_hops.next = self.requester.m_cc_tel_hops.val();
        self.feedback_in.s_cc_tel_path.next = self.requester.m_cc_tel_path.val();
        self.feedback_in.s_cc_tel_hop[0].next = self.requester.m_cc_tel_hop_0.val();
        self.feedback_in.s_cc_tel_hop[1].next = self.requester.m_cc_tel_hop_1.val();
        self.feedback_in.s_cc_tel_hop[2].next = self.requester.m_cc_tel_hop_2.val();
        self.feedback_in.s_cc_tel_hop[3].next = self.requester.m_cc_tel_hop_3.val();
        self.feedback_in.s_cc_tel_hop[4].next = self.requester.m_cc_tel_hop_4.val();
        self.cc.s_ack_valid.next = self.feedback_in.m_cc_valid.val();
        self.feedback_in.m_cc_ready.next = self.cc.s_ack_ready.val();
        self.cc.s_ack_flow.next = bit_cast::<8, 7>(self.feedback_in.m_cc_flow.val())
            | (bit_cast::<8, 1>(self.feedback_in.m_cc_peer.val().into()) << 7);
        self.cc.s_ack_psn.next = self.feedback_in.m_cc_psn.val();
        self.cc.s_ack_snd_nxt.next = self.feedback_in.m_cc_snd_nxt.val();
        self.cc.s_ack_tel_valid.next = self.feedback_in.m_cc_tel_valid.val();
        self.cc.s_ack_tel_hops.next = self.feedback_in.m_cc_tel_hops.val();
        self.cc.s_ack_tel_path.next = self.feedback_in.m_cc_tel_path.val();
        self.cc.s_ack_tel_hop_0.next = self.feedback_in.m_cc_tel_hop[0].val();
        self.cc.s_ack_tel_hop_1.next = self.feedback_in.m_cc_tel_hop[1].val();
        self.cc.s_ack_tel_hop_2.next = self.feedback_in.m_cc_tel_hop[2].val();
        self.cc.s_ack_tel_hop_3.next = self.feedback_in.m_cc_tel_hop[3].val();
        self.cc.s_ack_tel_hop_4.next = self.feedback_in.m_cc_tel_hop[4].val();
        self.window_in.s_rate_valid.next = self.cc.m_rate_valid.val();
        self.cc.m_rate_ready.next = self.window_in.s_rate_ready.val();
        self.window_in.s_rate_flow.next = self.cc.m_rate_flow.val().get_bits::<7>(0);
        self.window_in.s_rate_peer.next = self.cc.m_rate_flow.val().get_bit(7);
        self.window_in.s_rate_op.next = self.cc.m_rate_op.val();
        self.window_in.s_rate_window_bytes.next = self.cc.m_rate_window_bytes.val();
        self.window_in.s_rate_rate.next = self.cc.m_rate_rate.val();
        self.scheduler.s_rate_valid.next = self.window_in.m_rate_valid.val();
        self.window_in.m_rate_ready.next = self.scheduler.s_rate_ready.val();
        self.scheduler.s_rate_flow.next = self.window_in.m_rate_flow.val();
        self.scheduler.s_rate_op.next = self.window_in.m_rate_op.val();
        self.scheduler.s_rate_window_bytes.next = self.window_in.m_rate_window_bytes.val();
        self.scheduler.s_rate_rate.next = self.window_in.m_rate_rate.val();
        comment!("windows of a receiver");
        self.window_out.cfg_by_time.next = self.registers.cfg_cc_mode.val().get_bit(0);
        self.window_out.row_valid.next = self.registers.m_cfg_tx_valid.val();
        self.window_out.watch_valid.next = self.cc.m_rate_valid.val();
        self.window_out.watch_ready.next = self.window_in.s_rate_ready.val();
        self.window_out.watch_flow.next = self.cc.m_rate_flow.val().get_bits::<6>(0);
        self.window_out.watch_peer.next = self.cc.m_rate_flow.val().get_bit(7);
        self.window_out.watch_op.next = self.cc.m_rate_op.val();
        self.window_out.watch_full.next = self.cc.m_rate_full.val();
        self.window_out.watch_window_bytes.next = self.cc.m_rate_window_bytes.val();
        self.window_out.watch_time.next = self.cc.m_rate_last_update_psn.val();
        self.pkt_mux.s_window_valid.next = self.window_out.m_window_valid.val();
        self.window_out.m_window_ready.next = self.pkt_mux.s_window_ready.val();
        self.pkt_mux.s_window_flow.next = self.window_out.m_window_flow.val();
        self.pkt_mux.s_window_psn.next = self.window_out.m_window_psn.val();
        self.pkt_mux.s_window_bytes.next = self.window_out.m_window_bytes.val();
        self.window_in.cfg_w_init.next = self.registers.cfg_cc_w_init.val();
        self.window_in.cfg_w_min.next = self.registers.cfg_cc_w_min.val();
        self.window_in.cfg_rate_gain.next = self.registers.cfg_cc_rate_gain.val();
        self.window_in.cfg_rate_min.next = self.registers.cfg_cc_rate_min.val();
        self.window_in.cfg_rate_max.next = self.registers.cfg_cc_rate_max.val();
        self.window_in.s_window_valid.next = self.feedback_in.m_window_valid.val();
        self.feedback_in.m_window_ready.next = self.window_in.s_window_ready.val();
        self.window_in.s_window_flow.next = self.feedback_in.m_window_flow.val();
        self.window_in.s_window_bytes.next = self.rx.m_req_imm.val();
        self.feedback_in.cfg_worst_hop.next = self.registers.cfg_tel_echo_hop.val();
        self.feedback_in.cfg_by_time.next = self.registers.cfg_cc_mode.val().get_bit(0);
        self.feedback_in.cfg_feedback_cycles.next = self.registers.cfg_feedback_cycles.val();
        self.feedback_in.req_valid.next = self.rx.m_req_valid.val();
        self.feedback_in.req_ready.next = self.responder.s_req_ready.val();
        self.tx.cfg_by_time.next = self.registers.cfg_cc_mode.val().get_bit(0);
        comment!("echo of the most loaded hop alone");
        self.responder.cfg_worst_hop.next = self.registers.cfg_tel_echo_hop.val();
        self.responder.watch_valid.next = self.cc.m_rate_valid.val();
        self.responder.watch_ready.next = self.window_in.s_rate_ready.val();
        self.responder.watch_peer.next = self.cc.m_rate_flow.val().get_bit(7);
        self.responder.watch_flow.next = self.cc.m_rate_flow.val().get_bits::<6>(0);
        self.responder.watch_op.next = self.cc.m_rate_op.val();
        self.responder.watch_worst_hop.next = self.cc.m_rate_worst_hop.val();
        comment!("telemetry responses");
        self.feedback_out.watch_valid.next = self.rx.m_ack_valid.val();
        self.feedback_out.watch_ready.next = self.requester.s_ack_ready.val();
        self.feedback_out.watch_opcode.next = self.rx.m_ack_opcode.val();
        self.feedback_out.watch_qpn.next = self.rx.m_ack_qpn.val();
        self.feedback_out.watch_psn.next = self.rx.m_ack_psn.val();
        self.feedback_out.watch_src_ip.next = self.rx.m_ack_src_ip.val();
        self.feedback_out.watch_tel_valid.next = self.rx.m_ack_tel_valid.val();
        self.feedback_out.watch_tel_hops.next = self.rx.m_ack_tel_hops.val();
        self.feedback_out.watch_tel_path.next = self.rx.m_ack_tel_path.val();
        self.feedback_out.watch_tel_hop_0.next = self.rx.m_ack_tel_hop[0].val();
        self.feedback_out.watch_tel_hop_1.next = self.rx.m_ack_tel_hop[1].val();
        self.feedback_out.watch_tel_hop_2.next = self.rx.m_ack_tel_hop[2].val();
        self.feedback_out.watch_tel_hop_3.next = self.rx.m_ack_tel_hop[3].val();
        self.feedback_out.watch_tel_hop_4.next = self.rx.m_ack_tel_hop[4].val();
        self.tx.s_feedback_valid.next = self.feedback_out.m_feedback_valid.val();
        self.feedback_out.m_feedback_ready.next = self.tx.s_feedback_ready.val();
        self.tx.s_feedback_flow.next = self.feedback_out.m_feedback_flow.val();
        self.tx.s_feedback_psn.next = self.feedback_out.m_feedback_psn.val();
        self.tx.s_feedback_answer.next = self.feedback_out.m_feedback_answer.val();
        self.tx.s_feedback_tel_valid.next = self.feedback_out.m_feedback_tel_valid.val();
        self.tx.s_feedback_tel_hops.next = self.feedback_out.m_feedback_tel_hops.val();
        self.tx.s_feedback_tel_path.next = self.feedback_out.m_feedback_tel_path.val();
        self.tx.s_feedback_tel_hop_0.next = self.feedback_out.m_feedback_tel_hop_0.val();
        self.tx.s_feedback_tel_hop_1.next = self.feedback_out.m_feedback_tel_hop_1.val();
        self.tx.s_feedback_tel_hop_2.next = self.feedback_out.m_feedback_tel_hop_2.val();
        self.tx.s_feedback_tel_hop_3.next = self.feedback_out.m_feedback_tel_hop_3.val();
        self.tx.s_feedback_tel_hop_4.next = self.feedback_out.m_feedback_tel_hop_4.val();
        self.feedback_in.s_feedback_valid.next = self.rx.m_feedback_valid.val();
        self.rx.m_feedback_ready.next = self.feedback_in.s_feedback_ready.val();
        self.feedback_in.s_feedback_qpn.next = self.rx.m_feedback_qpn.val();
        self.feedback_in.s_feedback_psn.next = self.rx.m_feedback_psn.val();
        self.feedback_in.s_feedback_src_ip.next = self.rx.m_feedback_src_ip.val();
        self.feedback_in.s_feedback_direct.next = self.rx.m_feedback_direct.val();
        self.feedback_in.s_feedback_probe.next = self.rx.m_feedback_probe.val();
        self.feedback_in.s_feedback_window.next = self.rx.m_feedback_window.val();
        self.feedback_in.s_feedback_port.next = self.rx.m_feedback_port.val();
        self.feedback_in.s_feedback_tel_valid.next = self.rx.m_feedback_tel_valid.val();
        self.feedback_in.s_feedback_tel_hops.next = self.rx.m_feedback_tel_hops.val();
        self.feedback_in.s_feedback_tel_path.next = self.rx.m_feedback_tel_path.val();
        self.feedback_in.s_feedback_tel_hop[0].next = self.rx.m_feedback_tel_hop[0].val();
        self.feedback_in.s_feedback_tel_hop[1].next = self.rx.m_feedback_tel_hop[1].val();
        self.feedback_in.s_feedback_tel_hop[2].next = self.rx.m_feedback_tel_hop[2].val();
        self.feedback_in.s_feedback_tel_hop[3].next = self.rx.m_feedback_tel_hop[3].val();
        self.feedback_in.s_feedback_tel_hop[4].next = self.rx.m_feedback_tel_hop[4].val();
        self.feedback_in.sent_valid.next = self.pkt_mux.sent_valid.val();
        self.feedback_in.sent_ready.next = self.tx.s_pkt_ready.val();
        self.feedback_in.sent_flow.next = self.pkt_mux.m_pkt_flow.val();
        self.feedback_in.sent_psn.next = self.pkt_mux.m_pkt_psn.val();
        self.feedback_out.s_probe_valid.next = self.feedback_in.m_probe_valid.val();
        self.feedback_in.m_probe_ready.next = self.feedback_out.s_probe_ready.val();
        self.feedback_in.m_probe_accepted.next = self.feedback_out.s_probe_accepted.val();
        self.feedback_out.cfg_feedback_cycles.next = self.registers.cfg_feedback_cycles.val();
        self.feedback_out.cfg_index.next = self.registers.cfg_index.val();
        self.feedback_out.cfg_row.next = self.registers.cfg_row.val();
        self.feedback_in.cfg_index.next = self.registers.cfg_index.val();
        self.feedback_in.cfg_row.next = self.registers.cfg_row.val();
        self.feedback_in.row_valid.next = self.registers.m_cfg_tx_valid.val();
        self.feedback_in.row_ready.next = self.feedback_out.s_cfg_ready.val();
        comment!("probes");
        self.probe_out.cfg_probe_cycles.next = self.registers.cfg_probe_cycles.val();
        self.probe_out.row_valid.next = self.registers.m_cfg_tx_valid.val();
        self.probe_out.row_ready.next = self.feedback_out.s_cfg_ready.val();
        self.probe_out.cfg_index.next = self.registers.cfg_index.val();
        self.probe_out.sent_valid.next = self.pkt_mux.sent_valid.val();
        self.probe_out.sent_ready.next = self.tx.s_pkt_ready.val();
        self.probe_out.sent_flow.next = self.pkt_mux.m_pkt_flow.val();
        self.probe_out.sent_psn.next = self.pkt_mux.m_pkt_psn.val();
        self.probe_out.sent_payload_bytes.next = self.pkt_mux.m_pkt_payload_bytes.val();
        self.probe_out.sent_bare.next = self.pkt_mux.m_pkt_bare.val();
        self.probe_out.inflight_valid.next = self.requester.m_inflight_valid.val();
        self.probe_out.inflight_ready.next = self.scheduler.s_inflight_ready.val();
        self.probe_out.inflight_flow.next = self.requester.m_inflight_flow.val();
        self.probe_out.inflight_bytes.next = self.requester.m_inflight_inflight_bytes.val();
        self.probe_out.answer_valid.next = self.feedback_in.m_answer_valid.val();
        self.probe_out.answer_flow.next = self.feedback_in.m_answer_flow.val();
        self.pkt_mux.s_probe_valid.next = self.probe_out.m_probe_valid.val();
        self.probe_out.m_probe_ready.next = self.pkt_mux.s_probe_ready.val();
        self.pkt_mux.s_probe_flow.next = self.probe_out.m_probe_flow.val();
        self.pkt_mux.s_probe_psn.next = self.probe_out.m_probe_psn.val();
        comment!("packets to send");
        self.pkt_mux.s_data_pkt_valid.next = self.requester.m_pkt_valid.val();
        self.requester.m_pkt_ready.next = self.pkt_mux.s_data_pkt_ready.val();
        self.pkt_mux.s_data_pkt_flow.next = self.requester.m_pkt_flow.val();
        self.pkt_mux.s_data_pkt_opcode.next = self.requester.m_pkt_opcode.val();
        self.pkt_mux.s_data_pkt_psn.next = self.requester.m_pkt_psn.val();
        self.pkt_mux.s_data_pkt_ack_req.next = self.requester.m_pkt_ack_req.val();
        self.pkt_mux.s_data_pkt_solicited.next = self.requester.m_pkt_solicited.val();
        self.pkt_mux.s_data_pkt_payload_bytes.next = self.requester.m_pkt_payload_bytes.val();
        self.pkt_mux.s_data_pkt_va.next = self.requester.m_pkt_va.val();
        self.pkt_mux.s_data_pkt_rkey.next = self.requester.m_pkt_rkey.val();
        self.pkt_mux.s_data_pkt_dma_len.next = self.requester.m_pkt_dma_len.val();
        self.pkt_mux.s_data_pkt_imm.next = self.requester.m_pkt_imm.val();
        self.pkt_mux.s_data_pkt_mark.next = self.requester.m_pkt_mark.val();
        self.pkt_mux.s_data_pkt_bare.next = self.requester.m_pkt_bare.val();
        self.pkt_mux.s_data_read_valid.next = self.requester.m_read_valid.val();
        self.requester.m_read_ready.next = self.pkt_mux.s_data_read_ready.val();
        self.pkt_mux.s_data_read_addr.next = self.requester.m_read_addr.val();
        self.pkt_mux.s_data_read_bytes.next = self.requester.m_read_bytes.val();
        self.pkt_mux.s_reply_pkt_valid.next = self.read_reply.m_pkt_valid.val();
        self.read_reply.m_pkt_ready.next = self.pkt_mux.s_reply_pkt_ready.val();
        self.pkt_mux.s_reply_pkt_flow.next = self.read_reply.m_pkt_flow.val();
        self.pkt_mux.s_reply_pkt_opcode.next = self.read_reply.m_pkt_opcode.val();
        self.pkt_mux.s_reply_pkt_psn.next = self.read_reply.m_pkt_psn.val();
        self.pkt_mux.s_reply_pkt_payload_bytes.next = self.read_reply.m_pkt_payload_bytes.val();
        self.pkt_mux.s_reply_pkt_syndrome.next = self.read_reply.m_pkt_syndrome.val();
        self.pkt_mux.s_reply_pkt_msn.next = self.read_reply.m_pkt_msn.val();
        self.pkt_mux.s_reply_pkt_mark.next = self.read_reply.m_pkt_mark.val();
        self.pkt_mux.s_reply_read_valid.next = self.read_reply.m_read_valid.val();
        self.read_reply.m_read_ready.next = self.pkt_mux.s_reply_read_ready.val();
        self.pkt_mux.s_reply_read_addr.next = self.read_reply.m_read_addr.val();
        self.pkt_mux.s_reply_read_bytes.next = self.read_reply.m_read_bytes.val();
        self.tx.s_pkt_valid.next = self.pkt_mux.m_pkt_valid.val();
        self.pkt_mux.m_pkt_ready.next = self.tx.s_pkt_ready.val();
        self.tx.s_pkt_flow.next = self.pkt_mux.m_pkt_flow.val();
        self.tx.s_pkt_opcode.next = self.pkt_mux.m_pkt_opcode.val();
        self.tx.s_pkt_psn.next = self.pkt_mux.m_pkt_psn.val();
        self.tx.s_pkt_ack_req.next = self.pkt_mux.m_pkt_ack_req.val();
        self.tx.s_pkt_solicited.next = self.pkt_mux.m_pkt_solicited.val();
        self.tx.s_pkt_payload_bytes.next = self.pkt_mux.m_pkt_payload_bytes.val();
        self.tx.s_pkt_va.next = self.pkt_mux.m_pkt_va.val();
        self.tx.s_pkt_rkey.next = self.pkt_mux.m_pkt_rkey.val();
        self.tx.s_pkt_dma_len.next = self.pkt_mux.m_pkt_dma_len.val();
        self.tx.s_pkt_imm.next = self.pkt_mux.m_pkt_imm.val();
        self.tx.s_pkt_mark.next = self.pkt_mux.m_pkt_mark.val();
        self.tx.s_pkt_bare.next = self.pkt_mux.m_pkt_bare.val();
        self.tx.s_pkt_syndrome.next = self.pkt_mux.m_pkt_syndrome.val();
        self.tx.s_pkt_msn.next = self.pkt_mux.m_pkt_msn.val();
        self.read_mux.s_pkt_valid.next = self.pkt_mux.m_read_valid.val();
        self.pkt_mux.m_read_ready.next = self.read_mux.s_pkt_ready.val();
        self.read_mux.s_pkt_addr.next = self.pkt_mux.m_read_addr.val();
        self.read_mux.s_pkt_bytes.next = self.pkt_mux.m_read_bytes.val();
        self.read_mux.s_wr_valid.next = self.sq_fetch.m_cmd_valid.val();
        self.sq_fetch.m_cmd_ready.next = self.read_mux.s_wr_ready.val();
        self.read_mux.s_wr_addr.next = self.sq_fetch.m_cmd_addr.val();
        self.read_mux.s_wr_bytes.next = self.sq_fetch.m_cmd_bytes.val();
        self.dma_read.s_cmd_valid.next = self.read_mux.m_cmd_valid.val();
        self.read_mux.m_cmd_ready.next = self.dma_read.s_cmd_ready.val();
        self.dma_read.s_cmd_addr.next = self.read_mux.m_cmd_addr.val();
        self.dma_read.s_cmd_bytes.next = self.read_mux.m_cmd_bytes.val();
        self.read_mux.s_axis_tvalid.next = self.dma_read.m_axis_tvalid.val();
        self.dma_read.m_axis_tready.next = self.read_mux.s_axis_tready.val();
        self.read_mux.s_axis_tdata.next = self.dma_read.m_axis_tdata.val();
        self.read_mux.s_axis_tkeep.next = self.dma_read.m_axis_tkeep.val();
        self.read_mux.s_axis_tlast.next = self.dma_read.m_axis_tlast.val();
        self.read_mux.s_axis_tuser.next = self.dma_read.m_axis_tuser.val();
        self.sq_fetch.s_axis_tvalid.next = self.read_mux.m_wr_tvalid.val();
        self.read_mux.m_wr_tready.next = self.sq_fetch.s_axis_tready.val();
        self.sq_fetch.s_axis_tdata.next = self.read_mux.m_wr_tdata.val();
        self.sq_fetch.s_axis_tlast.next = self.read_mux.m_wr_tlast.val();
        self.sq_fetch.s_axis_tuser.next = self.read_mux.m_wr_tuser.val();
        self.tx.s_data_tvalid.next = self.read_mux.m_pkt_tvalid.val();
        self.read_mux.m_pkt_tready.next = self.tx.s_data_tready.val();
        self.tx.s_data_tdata.next = self.read_mux.m_pkt_tdata.val();
        self.tx.s_data_tkeep.next = self.read_mux.m_pkt_tkeep.val();
        self.tx.s_data_tlast.next = self.read_mux.m_pkt_tlast.val();
        self.tx.s_data_tuser.next = self.read_mux.m_pkt_tuser.val();
        self.tx.s_ack_valid.next = self.responder.m_ack_valid.val();
        self.responder.m_ack_ready.next = self.tx.s_ack_ready.val();
        self.tx.s_ack_flow.next = self.responder.m_ack_flow.val();
        self.tx.s_ack_syndrome.next = self.responder.m_ack_syndrome.val();
        self.tx.s_ack_msn.next = self.responder.m_ack_msn.val();
        self.tx.s_ack_psn.next = self.responder.m_ack_psn.val();
        self.tx.s_ack_tel_valid.next = self.responder.m_ack_tel_valid.val();
        self.tx.s_ack_tel_hops.next = self.responder.m_ack_tel_hops.val();
        self.tx.s_ack_tel_path.next = self.responder.m_ack_tel_path.val();
        self.tx.s_ack_tel_hop_0.next = self.responder.m_ack_tel_hop_0.val();
        self.tx.s_ack_tel_hop_1.next = self.responder.m_ack_tel_hop_1.val();
        self.tx.s_ack_tel_hop_2.next = self.responder.m_ack_tel_hop_2.val();
        self.tx.s_ack_tel_hop_3.next = self.responder.m_ack_tel_hop_3.val();
        self.tx.s_ack_tel_hop_4.next = self.responder.m_ack_tel_hop_4.val();
        comment!("host memory that could not be read or written");
        self.tx_fails.s_valid.next = self.tx.m_fail_valid.val();
        self.tx.m_fail_ready.next = self.tx_fails.s_ready.val();
        comment!("Read errors: the flow above the mark of its queue pair's row.");
        self.tx_fails.s_data.next = bit_cast::<11, 4>(self.tx.m_fail_mark.val())
            | (bit_cast::<11, 7>(self.tx.m_fail_flow.val()) << 4);
        self.fails.s_a_valid.next = self.tx_fails.m_a_valid.val();
        self.tx_fails.m_a_ready.next = self.fails.s_a_ready.val();
        self.fails.s_a_data.next = self.tx_fails.m_a_data.val();
        self.read_reply.s_fail_valid.next = self.tx_fails.m_b_valid.val();
        self.tx_fails.m_b_ready.next = self.read_reply.s_fail_ready.val();
        self.read_reply.s_fail_flow.next = self.tx_fails.m_b_data.val().get_bits::<6>(4);
        self.read_reply.s_fail_mark.next = self.tx_fails.m_b_data.val().get_bits::<4>(0);
        self.fails.s_b_valid.next = self.completer.m_fail_valid.val();
        self.completer.m_fail_ready.next = self.fails.s_b_ready.val();
        self.fails.s_b_data.next = bit_cast::<10, 6>(self.completer.m_fail_flow.val()) << 4;
        self.requester.s_fail_valid.next = self.fails.m_valid.val();
        self.fails.m_ready.next = self.requester.s_fail_ready.val();
        self.requester.s_fail_flow.next = self.fails.m_data.val().get_bits::<6>(4);
        self.requester.s_fail_mark.next = self.fails.m_data.val().get_bits::<4>(0);
        comment!("frames of the host and to the MAC");
        self.tx.s_host_tvalid.next = self.s_axis_host_tvalid.val();
        self.s_axis_host_tready.next = self.tx.s_host_tready.val();
        self.tx.s_host_tdata.next = self.s_axis_host_tdata.val();
        self.tx.s_host_tkeep.next = self.s_axis_host_tkeep.val();
        self.tx.s_host_tlast.next = self.s_axis_host_tlast.val();
        self.m_axis_tx_tvalid.next = self.tx.m_axis_tvalid.val();
        self.tx.m_axis_tready.next = self.m_axis_tx_tready.val();
        self.m_axis_tx_tdata.next = self.tx.m_axis_tdata.val();
        self.m_axis_tx_tkeep.next = self.tx.m_axis_tkeep.val();
        self.m_axis_tx_tlast.next = self.tx.m_axis_tlast.val();
        comment!("host memory");
        self.m_axi_awaddr.next = self.dma_write.m_axi_awaddr.val();
        self.m_axi_awlen.next = self.dma_write.m_axi_awlen.val();
        self.m_axi_awsize.next = self.dma_write.m_axi_awsize.val();
        self.m_axi_awburst.next = self.dma_write.m_axi_awburst.val();
        self.m_axi_awvalid.next = self.dma_write.m_axi_awvalid.val();
        self.dma_write.m_axi_awready.next = self.m_axi_awready.val();
        self.m_axi_wdata.next = self.dma_write.m_axi_wdata.val();
        self.m_axi_wstrb.next = self.dma_write.m_axi_wstrb.val();
        self.m_axi_wlast.next = self.dma_write.m_axi_wlast.val();
        self.m_axi_wvalid.next = self.dma_write.m_axi_wvalid.val();
        self.dma_write.m_axi_wready.next = self.m_axi_wready.val();
        self.dma_write.m_axi_bresp.next = self.m_axi_bresp.val();
        self.dma_write.m_axi_bvalid.next = self.m_axi_bvalid.val();
        self.m_axi_bready.next = self.dma_write.m_axi_bready.val();
        self.m_axi_araddr.next = self.dma_read.m_axi_araddr.val();
        self.m_axi_arlen.next = self.dma_read.m_axi_arlen.val();
        self.m_axi_arsize.next = self.dma_read.m_axi_arsize.val();
        self.m_axi_arburst.next = self.dma_read.m_axi_arburst.val();
        self.m_axi_arvalid.next = self.dma_read.m_axi_arvalid.val();
        self.dma_read.m_axi_arready.next = self.m_axi_arready.val();
        self.dma_read.m_axi_rdata.next = self.m_axi_rdata.val();
        self.dma_read.m_axi_rresp.next = self.m_axi_rresp.val();
        self.dma_read.m_axi_rvalid.next = self.m_axi_rvalid.val();
        self.m_axi_rready.next = self.dma_read.m_axi_rready.val();
        comment!("registers");
        self.registers.s_axil_awaddr.next = self.s_axil_awaddr.val();
        self.registers.s_axil_awvalid.next = self.s_axil_awvalid.val();
        self.registers.s_axil_wdata.next = self.s_axil_wdata.val();
        self.registers.s_axil_wstrb.next = self.s_axil_wstrb.val();
        self.registers.s_axil_wvalid.next = self.s_axil_wvalid.val();
        self.registers.s_axil_bready.next = self.s_axil_bready.val();
        self.registers.s_axil_araddr.next = self.s_axil_araddr.val();
        self.registers.s_axil_arvalid.next = self.s_axil_arvalid.val();
        self.registers.s_axil_rready.next = self.s_axil_rready.val();
        self.s_axil_awready.next = self.registers.s_axil_awready.val();
        self.s_axil_wready.next = self.registers.s_axil_wready.val();
        self.s_axil_bvalid.next = self.registers.s_axil_bvalid.val();
        self.s_axil_bresp.next = self.registers.s_axil_bresp.val();
        self.s_axil_arready.next = self.registers.s_axil_arready.val();
        self.s_axil_rvalid.next = self.registers.s_axil_rvalid.val();
        self.s_axil_rdata.next = self.registers.s_axil_rdata.val();
        self.s_axil_rresp.next = self.registers.s_axil_rresp.val();
        self.rx.cfg_local_mac.next = self.registers.cfg_local_mac.val();
        self.tx.cfg_local_mac.next = self.registers.cfg_local_mac.val();
        self.rx.cfg_local_ip.next = self.registers.cfg_local_ip.val();
        self.tx.cfg_local_ip.next = self.registers.cfg_local_ip.val();
        self.rx.cfg_pkey.next = self.registers.cfg_pkey.val();
        self.tx.cfg_pkey.next = self.registers.cfg_pkey.val();
        self.tx.cfg_ttl.next = self.registers.cfg_ttl.val();
        self.rx.cfg_tel_format.next = self.registers.cfg_tel_format.val();
        self.rx.cfg_tel_port.next = self.registers.cfg_tel_port.val();
        self.tx.cfg_tel_port.next = self.registers.cfg_tel_port.val();
        self.rx.cfg_tel_queue_bytes.next = self.registers.cfg_tel_queue_bytes.val();
        self.rx.cfg_tel_time_binary.next = self.registers.cfg_tel_time_binary.val();
        self.tx.cfg_tel_time_binary.next = self.registers.cfg_tel_time_binary.val();
        self.rx.cfg_tel_rates.next = self.registers.cfg_tel_rates.val();
        self.tx.cfg_tel_data.next = self.registers.cfg_tel_data.val();
        self.tx.cfg_tel_echo.next = self.registers.cfg_tel_echo.val();
        self.requester.cfg_tel_data.next = self.registers.cfg_tel_data.val();
        self.requester.cfg_tel_every.next = self.registers.cfg_tel_every.val();
        self.read_reply.cfg_tel_data.next = self.registers.cfg_tel_data.val();
        self.rx.cfg_tel_dscp.next = self.registers.cfg_tel_dscp.val();
        self.tx.cfg_tel_dscp.next = self.registers.cfg_tel_dscp.val();
        self.rx.cfg_tel_echo_dscp.next = self.registers.cfg_tel_echo_dscp.val();
        self.tx.cfg_tel_echo_dscp.next = self.registers.cfg_tel_echo_dscp.val();
        self.responder.cfg_rnr_timer.next = self.registers.cfg_rnr_timer.val();
        self.responder.cfg_table.next = self.registers.cfg_table.val();
        self.sq_fetch.cfg_table.next = self.registers.cfg_table.val();
        self.requester.cfg_table.next = self.sq_fetch.m_cfg_table.val();
        self.tx.cfg_table.next = self.registers.cfg_table.val();
        self.read_reply.cfg_table.next = self.registers.cfg_table.val();
        self.responder.cfg_index.next = self.registers.cfg_index.val();
        self.sq_fetch.cfg_index.next = self.registers.cfg_index.val();
        self.requester.cfg_index.next = self.sq_fetch.m_cfg_index.val();
        self.tx.cfg_index.next = self.registers.cfg_index.val();
        self.completer.cfg_index.next = self.registers.cfg_index.val();
        self.read_reply.cfg_index.next = self.registers.cfg_index.val();
        self.responder.cfg_row.next = self.registers.cfg_row.val();
        self.sq_fetch.cfg_row.next = self.registers.cfg_row.val();
        self.requester.cfg_row.next = self.sq_fetch.m_cfg_row.val();
        self.tx.cfg_row.next = self.registers.cfg_row.val();
        self.read_reply.cfg_row.next = self.registers.cfg_row.val();
        self.responder.cfg_cq_space.next = self.registers.cq_space.val();
        self.cc.cfg_t_ns.next = self.registers.cfg_cc_t_ns.val();
        self.cc.cfg_inv_t.next = self.registers.cfg_cc_inv_t.val();
        self.cc.cfg_queue_gain.next = self.registers.cfg_cc_queue_gain.val();
        self.cc.cfg_util_gain.next = self.registers.cfg_cc_util_gain.val();
        self.cc.cfg_check.next = self.registers.cfg_cc_check.val();
        self.cc.cfg_by_time.next = self.registers.cfg_cc_mode.val().get_bit(0);
        self.cc.cfg_target.next = self.registers.cfg_cc_target.val();
        self.cc.cfg_u_one.next = self.registers.cfg_cc_u_one.val();
        self.cc.cfg_max_stage.next = self.registers.cfg_cc_max_stage.val();
        self.cc.cfg_w_ai.next = self.active.w_ai.val();
        self.cc.cfg_w_init.next = self.registers.cfg_cc_w_init.val();
        self.cc.cfg_w_min.next = self.registers.cfg_cc_w_min.val();
        self.cc.cfg_rate_gain.next = self.registers.cfg_cc_rate_gain.val();
        self.cc.cfg_rate_min.next = self.registers.cfg_cc_rate_min.val();
        self.cc.cfg_rate_max.next = self.registers.cfg_cc_rate_max.val();
        comment!("table rows");
        self.responder.s_cfg_valid.next = self.registers.m_cfg_responder_valid.val();
        self.registers.m_cfg_responder_ready.next = self.responder.s_cfg_ready.val();
        self.sq_fetch.s_cfg_valid.next = self.registers.m_cfg_requester_valid.val();
        self.registers.m_cfg_requester_ready.next = self.sq_fetch.s_cfg_ready.val();
        self.requester.s_cfg_valid.next = self.sq_fetch.m_cfg_valid.val();
        self.sq_fetch.m_cfg_ready.next = self.requester.s_cfg_ready.val();
        self.feedback_out.s_cfg_valid.next = self.registers.m_cfg_tx_valid.val();
        self.registers.m_cfg_tx_ready.next = self.feedback_out.s_cfg_ready.val();
        self.tx.s_cfg_valid.next = self.feedback_out.m_cfg_valid.val();
        self.feedback_out.m_cfg_ready.next = self.tx.s_cfg_ready.val();
        self.read_reply.s_cfg_valid.next = self.responder.m_cfg_valid.val();
        self.responder.m_cfg_ready.next = self.read_reply.s_cfg_ready.val();
        self.completer.s_cfg_valid.next = self.registers.m_cfg_completer_valid.val();
        self.registers.m_cfg_completer_ready.next = self.completer.s_cfg_ready.val();
        self.cc.s_flow_valid.next = self.registers.m_flow_valid.val();
        self.registers.m_flow_ready.next = self.cc.s_flow_ready.val();
        self.cc.s_flow_flow.next = self.registers.m_flow_flow.val().get_bits::<8>(0);
        self.cc.s_flow_op.next = self.registers.m_flow_op.val();
        self.cc.s_flow_telemetry.next = self.registers.m_flow_telemetry.val();
        self.cc.s_flow_window_bytes.next = self.registers.m_flow_window_bytes.val();
        self.cc.s_flow_rate.next = self.registers.m_flow_rate.val();
        comment!("completions");
        self.registers.s_requester_valid.next = self.completer.m_cqe_valid.val();
        self.completer.m_cqe_ready.next = self.registers.s_requester_ready.val();
        self.registers.s_requester_status.next = self.completer.m_cqe_status.val();
        self.registers.s_requester_flow.next = self.completer.m_cqe_flow.val();
        self.registers.s_requester_wr_id.next = self.completer.m_cqe_wr_id.val();
        self.registers.s_requester_byte_len.next = self.completer.m_cqe_byte_len.val();
        self.registers.s_requester_signalled.next = self.completer.m_cqe_signalled.val();
        self.registers.s_responder_valid.next = self.responder.m_cqe_valid.val();
        self.registers.s_responder_status.next = self.responder.m_cqe_status.val();
        self.registers.s_responder_flow.next = self.responder.m_cqe_flow.val();
        self.registers.s_responder_imm.next = self.responder.m_cqe_imm.val();
        self.registers.s_responder_byte_len.next = self.responder.m_cqe_byte_len.val();
        self.responder.m_cqe_ready.next = self.registers.s_responder_ready.val();
        comment!("active flows");
        self.active.cfg_window.next = self.registers.cfg_cc_active.val();
        self.active.cfg_w_ai.next = self.registers.cfg_cc_w_ai.val();
        self.active.watch_valid.next = self.cc.m_rate_valid.val();
        self.active.watch_ready.next = self.window_in.s_rate_ready.val();
        self.active.cfg_by_time.next = self.registers.cfg_cc_mode.val().get_bit(0);
        self.active.watch_peer.next = self.cc.m_rate_flow.val().get_bit(7);
        self.active.watch_flow.next = self.cc.m_rate_flow.val().get_bits::<7>(0);
        self.active.watch_full.next = self.cc.m_rate_full.val();
        comment!("window and rate that software watches");
        self.registers.watch_valid.next = self.window_in.m_rate_valid.val();
        self.registers.watch_flow.next = bit_cast::<16, 7>(self.window_in.m_rate_flow.val());
        self.registers.watch_window.next = self.window_in.m_rate_window_bytes.val();
        self.registers.watch_rate.next = self.window_in.m_rate_rate.val();
        comment!("rings in host memory");
        self.sq_fetch.s_doorbell_valid.next = self.registers.m_doorbell_valid.val();
        self.registers.m_doorbell_ready.next = self.sq_fetch.s_doorbell_ready.val();
        self.sq_fetch.s_doorbell_flow.next = self.registers.m_doorbell_flow.val();
        self.sq_fetch.s_doorbell_index.next = self.registers.m_doorbell_index.val();
        self.sq_fetch.wr_room.next = self.registers.wr_room.val();
        self.requester.hint_valid.next = self.sq_fetch.hint_valid.val();
        self.requester.hint_flow.next = self.sq_fetch.hint_flow.val();
        self.sq_fetch.watch_valid.next = self.requester.m_order_valid.val();
        self.sq_fetch.watch_ready.next = self.completer.s_order_ready.val();
        self.sq_fetch.watch_op.next = self.requester.m_order_op.val();
        self.sq_fetch.watch_flow.next = self.requester.m_order_flow.val();
        self.registers.s_lost_valid.next = self.sq_fetch.m_cqe_valid.val();
        self.sq_fetch.m_cqe_ready.next = self.registers.s_lost_ready.val();
        self.registers.s_lost_flow.next = self.sq_fetch.m_cqe_flow.val();
        self.registers.s_lost_wr_id.next = self.sq_fetch.m_cqe_wr_id.val();
        self.cq_ring.cfg_base_lo.next = self.registers.cfg_cq_base_lo.val();
        self.cq_ring.cfg_base_hi.next = self.registers.cfg_cq_base_hi.val();
        self.cq_ring.cfg_log2.next = self.registers.cfg_cq_log2.val();
        self.cq_ring.head_valid.next = self.registers.head_valid.val();
        self.cq_ring.head.next = self.registers.head.val();
        self.registers.ring_owns.next = self.cq_ring.owns.val();
        self.registers.ring_take.next = self.cq_ring.head_take.val();
        self.registers.ring_commit.next = self.cq_ring.head_commit.val();
        self.registers.ring_rewind.next = self.cq_ring.head_rewind.val();
        self.registers.cq_landed.next = self.cq_ring.landed.val();
        self.cq_ring.s_consumer_valid.next = self.registers.m_consumer_valid.val();
        self.cq_ring.s_consumer_index.next = self.registers.m_consumer_index.val();
        self.cq_ring.s_consumer_arm.next = self.registers.m_consumer_arm.val();
        self.interrupt.cfg_enable.next = self.registers.cfg_irq_enable.val();
        self.interrupt.arm.next = self.cq_ring.armed.val();
        self.interrupt.waiting.next = self.cq_ring.waiting.val();
        self.interrupt.full.next = self.cq_ring.full.val();
        self.interrupt.ring_owns.next = self.cq_ring.owns.val();
        self.interrupt.error[0].next = self.sq_fetch.event_sq_doorbell_refused.val();
        self.interrupt.error[1].next = self.sq_fetch.event_sq_read_error.val();
        self.interrupt.error[2].next = self.cq_ring.event_cq_error.val();
        self.interrupt.error[3].next = self.cq_ring.event_cq_refused.val();
        self.interrupt.doorbell_flow.next = self.registers.m_doorbell_flow.val();
        self.interrupt.clear_valid.next = self.registers.m_clear_valid.val();
        self.interrupt.clear_bits.next = self.registers.m_clear_bits.val();
        self.registers.host_status.next = self.interrupt.status.val();
        self.irq.next = self.interrupt.irq.val();
        comment!("events");
        self.registers.event[0].next = self.rx.event_rx_host.val();
        self.registers.event[1].next = self.rx.event_rx_host_overflow.val();
        self.registers.event[2].next = self.rx.event_rx_req.val();
        self.registers.event[3].next = self.rx.event_rx_ack.val();
        self.registers.event[4].next = self.rx.event_rx_drop_mac_error.val();
        self.registers.event[5].next = self.rx.event_rx_drop_truncated.val();
        self.registers.event[6].next = self.rx.event_rx_drop_oversize.val();
        self.registers.event[7].next = self.rx.event_rx_drop_ip_checksum.val();
        self.registers.event[8].next = self.rx.event_rx_drop_length.val();
        self.registers.event[9].next = self.rx.event_rx_drop_icrc.val();
        self.registers.event[10].next = self.rx.event_rx_drop_opcode.val();
        self.registers.event[11].next = self.rx.event_rx_drop_version.val();
        self.registers.event[12].next = self.rx.event_rx_drop_pkey.val();
        self.registers.event[13].next = self.rx.event_rx_drop_telemetry.val();
        self.registers.event[14].next = self.responder.event_resp_accepted.val();
        self.registers.event[15].next = self.responder.event_resp_duplicate.val();
        self.registers.event[16].next = self.responder.event_resp_out_of_sequence.val();
        self.registers.event[17].next = self.responder.event_resp_nak_invalid.val();
        self.registers.event[18].next = self.responder.event_resp_nak_access.val();
        self.registers.event[19].next = self.responder.event_resp_nak_operation.val();
        self.registers.event[20].next = self.responder.event_resp_rnr.val();
        self.registers.event[21].next = self.responder.event_resp_no_qp.val();
        self.registers.event[22].next = self.requester.event_reqr_ack.val();
        self.registers.event[23].next = self.requester.event_reqr_ack_coalesced_stale.val();
        self.registers.event[24].next = self.requester.event_reqr_ack_ghost.val();
        self.registers.event[25].next = self.requester.event_reqr_nak_sequence.val();
        self.registers.event[26].next = self.requester.event_reqr_nak_rnr.val();
        self.registers.event[27].next = self.requester.event_reqr_nak_fatal.val();
        self.registers.event[28].next = self.requester.event_reqr_no_qp.val();
        self.registers.event[29].next = self.requester.event_reqr_retransmit_packet.val();
        self.registers.event[30].next = self.requester.event_reqr_timeout.val();
        self.registers.event[31].next = self.requester.event_reqr_wr_refused.val();
        self.registers.event[32].next = self.tx.event_tx_data.val();
        self.registers.event[33].next = self.tx.event_tx_ack.val();
        self.registers.event[34].next = self.tx.event_tx_host.val();
        self.registers.event[35].next = self.tx.event_tx_fail.val();
        self.registers.event[36].next = self.rx.event_rx_response.val();
        self.registers.event[37].next = self.read_reply.event_read_packet.val();
        self.registers.event[38].next = self.read_reply.event_read_restart.val();
        self.registers.event[39].next = self.read_reply.event_read_dropped.val();
        self.registers.event[40].next = self.sq_fetch.event_sq_doorbell_refused.val();
        self.registers.event[41].next = self.sq_fetch.event_sq_wr_refused.val();
        self.registers.event[42].next = self.sq_fetch.event_sq_read_error.val();
        self.registers.event[43].next = self.cq_ring.event_cq_full.val();
        self.registers.event[44].next = self.cq_ring.event_cq_error.val();
        self.registers.event[45].next = self.cq_ring.event_cq_refused.val();
        self.registers.event[46].next = self.rx.event_rx_feedback.val();
        self.registers.event[47].next = self.tx.event_tx_feedback.val();
        self.registers.event[48].next = self.feedback_in.event_feedback_accepted.val();
        self.registers.event[49].next = self.feedback_in.event_feedback_dropped.val();
        self.registers.event[50].next = self.rx.event_rx_telemetry_unusable.val();
        self.registers.event[51].next = self.cc.event_cc_psn.val();
        self.registers.event[52].next = self.cc.event_cc_time.val();
        self.registers.event[53].next = self.cc.event_cc_bytes.val();
        self.registers.event[54].next = self.cc.event_cc_queue.val();
        self.registers.event[55].next = self.probe_out.event_probe_sent.val();
        self.registers.event[56].next = self.probe_out.event_probe_lost.val();
        self.registers.event[57].next = self.window_out.event_window_sent.val();
    }
}

/// Emits the NIC.
pub fn emit(config: &NicConfig) -> Result<Design, EmitError> {
    let sizes = (config.data_bits, config.flow_count, config.mr_count, config.sq_depth);
    match sizes {
        (64, 64, 64, 8) => emit::on_a_large_stack(|| emit::emit("nic", Nic::new(config), config)),
        _ => Err(emit::no_such_size("nic", config)),
    }
}
