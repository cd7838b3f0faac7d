//! Rx pipe: raw frames in; requests, ACKs, READ responses, payload and the host's frames out.
//!
//! ```text
//! raw -+-> l2 -+-> trim --> tel -+-> icrc -------> verdict --> events
//!      |       +-> checksum      +-> bth, length     |
//!      |       +-> ip            +-> payload --------+-> payload FIFO, response FIFO
//!      |           | is it RoCEv2 for us?    records-+-> m_req, m_ack
//!      +-> host <--+
//! ```
//!
//! Nothing between input and FIFOs ever waits; input is taken while there is room for whatever can
//! be on its way. The order of the reasons to drop a frame is in rx_verdict.rs. Frames above 1152
//! beats (9216 bytes) are dropped, whatever they are.
//!
//! # Source            hdl/rx.md
//! # Interface timing  cycle 0: last beat of a frame taken; cycle [`EVENT_CYCLES`]: its event;
//!                     m_req or m_ack: 1 cycle later, m_payload or m_response: 3 cycles later;
//!                     m_host: cycle 7; 1 more for payload or a host frame of one beat
//! # Latency and rate  one beat per cycle, frames of any length back to back
//! # Shape             64-bit datapath. 2048 beats of payload of requests and of READ responses,
//!                     16 records, 2048 beats for the host
//! # Reset             synchronous, high: empty, s_axis_tready = 1
//! # Twins             sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::events::RxEvents;
use crate::rx::{
    header::{bth::RxBth, checksum::RxChecksum, ip::RxIp, l2::RxL2, length::RxLength},
    host::RxHost,
    icrc::RxIcrc,
    payload::RxPayload,
    records::RxRecords,
    room::RxRoom,
    stack::{hop::RxStackHop, RxStack},
    tel::{records::RxTelRecords, RxTel},
    trim::RxTrim,
    verdict::RxVerdict,
};
use crate::streams::{Answer, Axis, AxisUser, Feedback, Request, TelemetryForm};
use crate::util::frame_fifo::FrameFifo;
use crate::{block, kernel, Wire};
use rust_hdl_core::prelude::*;

/// Cycles from the last beat of a frame to its event.
pub const EVENT_CYCLES: usize = 10;

/// Rx pipe of a 64-bit datapath.
#[block]
pub struct RxPipe {
    /// Our MAC address, first byte in bits 47:40.
    pub cfg_local_mac: Signal<In, Bits<48>>,
    /// Our IPv4 address, first byte in bits 31:24.
    pub cfg_local_ip: Signal<In, Bits<32>>,
    /// Our partition key.
    pub cfg_pkey: Signal<In, Bits<16>>,
    /// Telemetry format: 0 none, 1 paper, 2 authors, 3 INT-MD, 4 IOAM, 5 IFA.
    pub cfg_tel_format: Signal<In, Bits<3>>,
    /// How telemetry looks on the wire.
    pub cfg_tel: TelemetryForm<In>,
    /// INT-MD, IOAM and IFA count queues in bytes, else in cells.
    pub cfg_tel_queue_bytes: Signal<In, Bit>,
    /// Rate codes of their hops, by the low three bits of their egress interfaces.
    pub cfg_tel_rates: Signal<In, Bits<24>>,
    /// Raw frames.
    pub s_axis: AxisUser<In, 64, 8>,
    /// Frames for the host's own stack, whole and good.
    pub m_host: Axis<Out, 64, 8>,
    /// Payload, one frame for each request with payload.
    pub m_payload: Axis<Out, 64, 8>,
    /// Payload, one frame for each READ response with payload.
    pub m_response: Axis<Out, 64, 8>,
    /// A request stands here.
    pub m_req: Request<Out>,
    /// Solicited event.
    pub m_req_solicited: Signal<Out, Bit>,
    /// An ACK or READ response stands here.
    pub m_ack: Answer<Out>,
    /// A telemetry response stands here.
    pub m_feedback: Feedback<Out>,
    /// What it counts.
    pub event_rx: RxEvents<Out>,
    l2: RxL2,
    host: RxHost,
    trim: RxTrim,
    checksum: RxChecksum,
    ip: RxIp,
    tel: RxTel,
    tel_records: RxTelRecords,
    stack: RxStack,
    stack_hop: RxStackHop,
    icrc: RxIcrc,
    bth: RxBth,
    length: RxLength,
    payload: RxPayload,
    payload_fifo: FrameFifo<64, 8, 73, 11, 12>,
    response_fifo: FrameFifo<64, 8, 73, 11, 12>,
    verdict: RxVerdict,
    records: RxRecords,
    room: RxRoom,
    take: Signal<Local, Bit>,
    is_ifa: Signal<Local, Bit>,
}

#[kernel]
impl RxPipe {
    fn update(&mut self) {
        self.beats();
        self.telemetry();
        self.packet();
        self.verdict();
        self.records();
    }

    /// Raw beats go to both sides.
    fn beats(&mut self) {
        self.s_axis.tready.next = self.room.ready.val();
        self.take.next = self.s_axis.tvalid.val() & self.room.ready.val();
        self.l2.s_valid.next = self.take.val();
        self.l2.s_data.next = self.s_axis.tdata.val();
        self.l2.s_keep.next = self.s_axis.tkeep.val();
        self.l2.s_last.next = self.s_axis.tlast.val();
        self.l2.s_user.next = self.s_axis.tuser.val();
        self.host.s_valid.next = self.take.val();
        self.host.s_data.next = self.s_axis.tdata.val();
        self.host.s_keep.next = self.s_axis.tkeep.val();
        self.host.s_last.next = self.s_axis.tlast.val();
        self.host.s_user.next = self.s_axis.tuser.val();
        self.l2.cfg_local_mac.next = self.cfg_local_mac.val();
        comment!("The host's frames.");
        self.host.roce.next = self.ip.roce.val();
        Wire::join(&mut self.host.m_axis, &mut self.m_host);
        comment!("IP packet: end, checksum, fields.");
        self.is_ifa.next = self.cfg_tel_format.val() == 5;
        self.trim.cfg_is_ifa.next = self.is_ifa.val();
        self.trim.s_valid.next = self.l2.m_valid.val();
        self.trim.s_data.next = self.l2.m_data.val();
        self.trim.s_end.next = self.l2.m_end.val();
        self.checksum.s_valid.next = self.l2.m_valid.val();
        self.checksum.s_data.next = self.l2.m_data.val();
        self.checksum.s_end.next = self.l2.m_end.val();
        self.ip.s_valid.next = self.l2.m_valid.val();
        self.ip.s_data.next = self.l2.m_data.val();
        self.ip.s_end.next = self.l2.m_end.val();
        self.ip.s_full.next = self.l2.m_full.val();
        self.ip.s_match.next = self.l2.m_match.val();
        self.ip.s_end_user.next = self.l2.m_end_user.val();
        self.ip.s_end_oversize.next = self.l2.m_end_oversize.val();
        self.ip.s_end_bytes.next = self.l2.m_end_bytes.val();
        self.ip.ip_len.next = self.trim.ip_len.val();
        self.ip.cfg_local_ip.next = self.cfg_local_ip.val();
        self.ip.cfg_tel_format.next = self.cfg_tel_format.val();
        self.ip.cfg_tel_dscp.next = self.cfg_tel.dscp.val();
        self.ip.cfg_tel_echo_dscp.next = self.cfg_tel.echo_dscp.val();
        self.ip.cfg_tel_port.next = self.cfg_tel.port.val();
    }

    /// Telemetry.
    fn telemetry(&mut self) {
        self.tel.cfg_tel_format.next = self.cfg_tel_format.val();
        self.tel.tel_expected.next = self.ip.tel_expected.val();
        self.tel.tel_stack.next = self.ip.tel_stack.val();
        self.tel.tel_by_port.next = self.ip.tel_by_port.val();
        self.tel.tel_ifa.next = self.ip.tel_ifa.val();
        self.tel.ifa_more.next = self.ip.ifa_more.val();
        Wire::join(&mut self.trim.m, &mut self.tel.s);
        self.tel_records.cfg_tel_format.next = self.cfg_tel_format.val();
        self.tel_records.s_start.next = self.tel.rec_start.val();
        self.tel_records.s_stamped.next = self.tel.tel_valid.val();
        self.tel_records.s_valid.next = self.tel.rec_valid.val();
        self.tel_records.s_data.next = self.tel.m.data.val();
        self.stack.ifa_known.next = self.ip.ifa_known.val();
        self.stack.ifa_words_max.next = self.ip.ifa_words_max.val();
        self.stack.s_start.next = self.tel.rec_start.val();
        self.stack.s_valid.next = self.tel.pair_valid.val();
        self.stack.s_pair.next = self.tel.pair.val();
        self.stack.s_half.next = self.tel.pair_half.val();
        self.stack.s_last.next = self.tel.pair_last.val();
        self.stack.cfg_tel_format.next = self.cfg_tel_format.val();
        self.stack.cfg_tel_time_binary.next = self.cfg_tel.time_binary.val();
        self.stack_hop.cfg_tel_format.next = self.cfg_tel_format.val();
        self.stack_hop.cfg_tel_time_binary.next = self.cfg_tel.time_binary.val();
        self.stack_hop.has_seconds.next = self.stack.seconds.val();
        self.stack_hop.cfg_tel_queue_bytes.next = self.cfg_tel_queue_bytes.val();
        self.stack_hop.cfg_tel_rates.next = self.cfg_tel_rates.val();
        self.stack_hop.s_start.next = self.tel.rec_start.val();
        self.stack_hop.s_valid.next = self.stack.m_valid.val();
        self.stack_hop.s_word_a.next = self.stack.m_word_a.val();
        self.stack_hop.s_word_b.next = self.stack.m_word_b.val();
        self.stack_hop.node_a.next = self.stack.node_a.val();
        self.stack_hop.node_b.next = self.stack.node_b.val();
        self.stack_hop.ports_a.next = self.stack.ports_a.val();
        self.stack_hop.ports_b.next = self.stack.ports_b.val();
        self.stack_hop.queue_a.next = self.stack.queue_a.val();
        self.stack_hop.queue_b.next = self.stack.queue_b.val();
        self.stack_hop.time_a.next = self.stack.time_a.val();
        self.stack_hop.time_b.next = self.stack.time_b.val();
        self.stack_hop.used_a.next = self.stack.used_a.val();
        self.stack_hop.used_b.next = self.stack.used_b.val();
        self.stack_hop.speed_a.next = self.stack.speed_a.val();
        self.stack_hop.stay_b.next = self.stack.stay_b.val();
        self.stack_hop.s_done.next = self.stack.m_done.val();
        self.tel_records.is_stack.next = self.tel.is_stack.val();
        self.tel_records.stack_valid.next = self.stack_hop.m_valid.val();
        self.tel_records.stack_record.next = self.stack_hop.m_record.val();
        self.tel_records.stack_path.next = self.stack_hop.path.val();
        self.tel_records.stack_whole.next =
            self.stack.whole.val() & !self.stack_hop.is_invalid.val();
    }

    /// The packet without telemetry: ICRC, headers, payload.
    fn packet(&mut self) {
        self.icrc.s_valid.next = self.tel.m.valid.val();
        self.icrc.s_data.next = self.tel.m.data.val();
        self.icrc.s_first.next = self.tel.m.first.val();
        self.icrc.s_last.next = self.tel.m.last.val();
        self.icrc.s_bytes.next = self.tel.m.bytes.val();
        self.icrc.s_close.next = self.verdict.m_close.val();
        self.icrc.tel_valid.next = self.tel.tel_valid.val();
        self.icrc.tel_bytes.next = self.tel.tel_bytes.val();
        self.icrc.ip_len.next = self.trim.ip_len.val();
        self.icrc.udp_len.next = self.ip.udp_len.val();
        self.bth.s_valid.next = self.tel.m.valid.val();
        self.bth.s_data.next = self.tel.m.data.val();
        self.bth.s_first.next = self.tel.m.first.val();
        self.payload.s_valid.next = self.tel.m.valid.val();
        self.payload.s_data.next = self.tel.m.data.val();
        self.payload.s_first.next = self.tel.m.first.val();
        self.bth.cfg_pkey.next = self.cfg_pkey.val();
        self.length.udp_len.next = self.ip.udp_len.val();
        self.length.tel_bytes.next = self.tel.tel_bytes.val();
        self.length.head_bytes.next = self.tel.head_bytes.val();
        self.length.has_reth.next = self.bth.has_reth.val();
        self.length.has_word.next = self.bth.has_word.val();
        self.length.pad_count.next = self.bth.pad_count.val();
        self.payload.payload_wanted.next = (self.bth.is_request.val() | self.bth.is_response.val())
            & self.length.len_some.val()
            & !self.length.len_short.val()
            & !self.length.len_big.val();
        self.payload.payload_response.next = self.bth.is_response.val();
        self.payload.payload_bytes.next = self.length.payload_bytes.val();
        self.payload.payload_beat.next = self.length.payload_beat.val();
        self.payload.payload_half.next = self.length.payload_half.val();
        self.payload.s_verdict.next = self.verdict.m_verdict.val();
        self.payload.s_accept.next = self.verdict.m_accept.val();
        self.payload_fifo.cfg_drop_when_full.next = false;
        self.payload_fifo.s_open.next = false;
        self.payload_fifo.s_axis.tvalid.next =
            self.payload.m_axis_tvalid.val() & !self.payload.m_axis_response.val();
        self.payload_fifo.s_axis.tdata.next = self.payload.m_axis_tdata.val();
        self.payload_fifo.s_axis.tkeep.next = self.payload.m_axis_tkeep.val();
        self.payload_fifo.s_axis.tlast.next = self.payload.m_axis_tlast.val();
        self.payload_fifo.s_axis.tuser.next = self.payload.m_axis_tuser.val();
        Wire::join(&mut self.payload_fifo.m_axis, &mut self.m_payload);
        self.response_fifo.cfg_drop_when_full.next = false;
        self.response_fifo.s_open.next = false;
        self.response_fifo.s_axis.tvalid.next =
            self.payload.m_axis_tvalid.val() & self.payload.m_axis_response.val();
        self.response_fifo.s_axis.tdata.next = self.payload.m_axis_tdata.val();
        self.response_fifo.s_axis.tkeep.next = self.payload.m_axis_tkeep.val();
        self.response_fifo.s_axis.tlast.next = self.payload.m_axis_tlast.val();
        self.response_fifo.s_axis.tuser.next = self.payload.m_axis_tuser.val();
        Wire::join(&mut self.response_fifo.m_axis, &mut self.m_response);
    }

    /// Verdict.
    fn verdict(&mut self) {
        self.verdict.s_close.next = self.ip.m_close.val();
        self.verdict.s_roce.next = self.ip.m_close_roce.val();
        self.verdict.s_user.next = self.ip.m_close_user.val();
        self.verdict.s_oversize.next = self.ip.m_close_oversize.val();
        self.verdict.s_truncated.next = self.ip.m_close_truncated.val();
        self.verdict.s_length.next = self.ip.m_close_length.val();
        self.verdict.s_overflow.next = self.host.overflow.val();
        self.verdict.checksum_ok.next = self.checksum.ok.val();
        self.verdict.tel_long.next = self.length.tel_long.val() | self.tel.bad_shim.val();
        self.verdict.tel_unusable.next =
            self.tel.tel_valid.val() & (self.tel_records.tel_hops.val() == 6);
        self.verdict.len_short.next = self.length.len_short.val();
        self.verdict.len_big.next = self.length.len_big.val();
        self.verdict.len_some.next = self.length.len_some.val();
        self.verdict.payload_bytes.next = self.length.payload_bytes.val();
        self.verdict.is_request.next = self.bth.is_request.val();
        self.verdict.is_ack.next = self.bth.is_ack.val();
        self.verdict.is_response.next = self.bth.is_response.val();
        self.verdict.is_feedback.next = self.bth.is_feedback.val();
        self.verdict.version_ok.next = self.bth.version_ok.val();
        self.verdict.pkey_ok.next = self.bth.pkey_ok.val();
        self.verdict.s_icrc_ok.next = self.icrc.ok.val();
        self.event_rx.host.next = self.verdict.m_event.val().host;
        self.event_rx.host_overflow.next = self.verdict.m_event.val().host_overflow;
        self.event_rx.req.next = self.verdict.m_event.val().req;
        self.event_rx.ack.next = self.verdict.m_event.val().ack;
        self.event_rx.drop_mac_error.next = self.verdict.m_event.val().drop_mac_error;
        self.event_rx.drop_truncated.next = self.verdict.m_event.val().drop_truncated;
        self.event_rx.drop_oversize.next = self.verdict.m_event.val().drop_oversize;
        self.event_rx.drop_ip_checksum.next = self.verdict.m_event.val().drop_ip_checksum;
        self.event_rx.drop_length.next = self.verdict.m_event.val().drop_length;
        self.event_rx.drop_icrc.next = self.verdict.m_event.val().drop_icrc;
        self.event_rx.drop_opcode.next = self.verdict.m_event.val().drop_opcode;
        self.event_rx.drop_version.next = self.verdict.m_event.val().drop_version;
        self.event_rx.drop_pkey.next = self.verdict.m_event.val().drop_pkey;
        self.event_rx.drop_telemetry.next = self.verdict.m_event.val().drop_telemetry;
        self.event_rx.response.next = self.verdict.m_event.val().response;
        self.event_rx.feedback.next = self.verdict.m_event.val().feedback;
        self.event_rx.telemetry_unusable.next = self.verdict.m_unusable.val();
    }

    /// Records of requests, of ACKs and READ responses, and of telemetry responses.
    fn records(&mut self) {
        self.records.s_store.next = self.verdict.m_store.val();
        self.records.s_commit.next = self.verdict.m_accept.val();
        self.records.for_requester.next = self.bth.is_ack.val() | self.bth.is_response.val();
        self.records.for_feedback.next = self.bth.is_feedback.val();
        self.records.qpn.next = self.bth.qpn.val();
        self.records.opcode.next = self.bth.opcode.val();
        self.records.psn.next = self.bth.psn.val();
        self.records.ack_req.next = self.bth.ack_req.val();
        self.records.solicited.next = self.bth.solicited.val();
        self.records.va.next = self.bth.va.val();
        self.records.rkey.next = self.bth.rkey.val();
        self.records.dma_len.next = self.bth.dma_len.val();
        self.records.imm.next = self.bth.imm.val();
        self.records.src_ip.next = self.bth.src_ip.val();
        self.records.src_port.next = self.bth.src_port.val();
        self.records.payload_bytes.next = self.length.payload_bytes.val();
        self.records.tel.valid.next = self.tel.tel_valid.val();
        self.records.tel.hops.next = self.tel_records.tel_hops.val();
        self.records.tel.path.next = self.tel_records.tel_path.val();
        self.m_req.valid.next = self.records.m_req.valid.val();
        self.records.m_req.ready.next = self.m_req.ready.val();
        self.m_req.qpn.next = self.records.m_req.qpn.val();
        self.m_req.opcode.next = self.records.m_req.opcode.val();
        self.m_req.psn.next = self.records.m_req.psn.val();
        self.m_req.ack_req.next = self.records.m_req.ack_req.val();
        self.m_req_solicited.next = self.records.m_req_solicited.val();
        self.m_req.payload_bytes.next = self.records.m_req.payload_bytes.val();
        self.m_req.va.next = self.records.m_req.va.val();
        self.m_req.rkey.next = self.records.m_req.rkey.val();
        self.m_req.dma_len.next = self.records.m_req.dma_len.val();
        self.m_req.imm.next = self.records.m_req.imm.val();
        self.m_req.src_ip.next = self.records.m_req.src_ip.val();
        self.m_req.tel.valid.next = self.records.m_req.tel.valid.val();
        self.m_req.tel.hops.next = self.records.m_req.tel.hops.val();
        self.m_req.tel.path.next = self.records.m_req.tel.path.val();
        self.m_ack.valid.next = self.records.m_ack.valid.val();
        self.records.m_ack.ready.next = self.m_ack.ready.val();
        self.m_ack.qpn.next = self.records.m_ack.qpn.val();
        self.m_ack.psn.next = self.records.m_ack.psn.val();
        self.m_ack.opcode.next = self.records.m_ack.opcode.val();
        self.m_ack.payload_bytes.next = self.records.m_ack.payload_bytes.val();
        self.m_ack.syndrome.next = self.records.m_ack.syndrome.val();
        self.m_ack.msn.next = self.records.m_ack.msn.val();
        self.m_ack.src_ip.next = self.records.m_ack.src_ip.val();
        self.m_ack.tel.valid.next = self.records.m_ack.tel.valid.val();
        self.m_ack.tel.hops.next = self.records.m_ack.tel.hops.val();
        self.m_ack.tel.path.next = self.records.m_ack.tel.path.val();
        self.m_feedback.valid.next = self.records.m_feedback.valid.val();
        self.records.m_feedback.ready.next = self.m_feedback.ready.val();
        self.m_feedback.qpn.next = self.records.m_feedback.qpn.val();
        self.m_feedback.psn.next = self.records.m_feedback.psn.val();
        self.m_feedback.src_ip.next = self.records.m_feedback.src_ip.val();
        self.m_feedback.direct.next = self.records.m_feedback.direct.val();
        self.m_feedback.probe.next = self.records.m_feedback.probe.val();
        self.m_feedback.window.next = self.records.m_feedback.window.val();
        self.m_feedback.port.next = self.records.m_feedback.port.val();
        self.m_feedback.tel.valid.next = self.records.m_feedback.tel.valid.val();
        self.m_feedback.tel.hops.next = self.records.m_feedback.tel.hops.val();
        self.m_feedback.tel.path.next = self.records.m_feedback.tel.path.val();
        for i in 0..5 {
            self.records.tel.hop[i].next = self.tel_records.tel_hop[i].val();
            self.m_req.tel.hop[i].next = self.records.m_req.tel.hop[i].val();
            self.m_ack.tel.hop[i].next = self.records.m_ack.tel.hop[i].val();
            self.m_feedback.tel.hop[i].next = self.records.m_feedback.tel.hop[i].val();
        }
        comment!("Room for what is on its way.");
        self.room.s_commit.next = self.verdict.m_accept.val();
        self.room.s_beats.next = self.verdict.m_beats.val();
        self.room.pop_payload.next =
            self.payload_fifo.m_axis.tvalid.val() & self.m_payload.tready.val();
        self.room.pop_response.next =
            self.response_fifo.m_axis.tvalid.val() & self.m_response.tready.val();
        self.room.pop_record.next = (self.records.m_req.valid.val() & self.m_req.ready.val())
            | (self.records.m_ack.valid.val() & self.m_ack.ready.val())
            | (self.records.m_feedback.valid.val() & self.m_feedback.ready.val());
    }
}
