//! Rx pipe: raw frames in; requests, ACKs, READ responses, payload and the host's frames out.
//!
//! ```text
//! raw -+-> l2 --> ip -+-> strip -+-> icrc ---------> verdict --> events
//!      |          |   |          +-> bth, length       |
//!      |          |   |               +-> cut, payload-+-> payload FIFO, response FIFO
//!      |          |   +-> tel, stack         records <-+-> m_req, m_ack, m_feedback
//!      |          +-> checksum
//!      |          | is it RoCEv2 for us?
//!      +-> host <-+
//! ```
//!
//! Nothing between input and FIFOs ever waits; input is taken while there is room for whatever can
//! be on its way. What is known of a frame moves on with its beats and its end, so that the next
//! frame may come with the next beat. The order of the reasons to drop a frame is in rx_verdict.rs.
//! Frames above 9216 bytes are dropped, whatever they are.
//!
//! # Source            hdl/rx.md
//! # Interface timing  cycle 0: last beat of a frame taken; cycle [`EVENT_CYCLES`]: its event, and
//!                     m_req or m_ack; m_payload or m_response: 3 cycles later;
//!                     m_host: cycle 9; 1 more for payload or a host frame of one beat
//! # Latency and rate  one beat per cycle, frames of any length back to back
//! # Shape             W2 = 2 W, KB = W / 8, HB beats of 64 bytes. Buffers of 2^AW beats (16 KiB)
//!                     for payload of requests, of READ responses, and for the host, and of 2^RB
//!                     records; NS = 1 reads stacks, at 64 bit alone
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
    strip::RxStrip,
    tel::RxTel,
    verdict::RxVerdict,
};
use crate::streams::{Answer, Axis, AxisUser, Feedback, Request, TelemetryForm};
use crate::util::{cut::Cut, frame_fifo::FrameFifo};
use crate::{block, kernel, Wire};
use rust_hdl_core::prelude::*;

/// Cycles from the last beat of a frame to its event.
pub const EVENT_CYCLES: usize = 14;
/// Bytes of a buffer for payload or for the host.
const BUFFER_BYTES: usize = 16384;
/// Where in the packet without telemetry the shortest payload offset is: behind the BTH.
const PAYLOAD_AT: usize = 40;

/// Beats of a buffer of beats of `beat_bytes`, log2.
pub const fn buffer_bits(beat_bytes: usize) -> usize {
    (BUFFER_BYTES / beat_bytes).ilog2() as usize
}

/// Records that are held, log2: so many that those of frames on their way find room.
pub const fn record_bits(beat_bytes: usize) -> usize {
    if beat_bytes < 16 {
        4
    } else {
        6
    }
}

/// Blocks that read a telemetry stack: from beats of 8 bytes one, else none.
pub const fn stack_readers(beat_bytes: usize) -> usize {
    if beat_bytes == 8 {
        1
    } else {
        0
    }
}

/// Rx pipe of a datapath of `W` bits.
#[block(check(W == 8 * KB && W2 == 2 * W && HB * KB == 64, RW == W + KB + 1,
    CW == AW + 1 && 1 << AW == BUFFER_BYTES / KB, 1 << LB == KB && RC == RB + 1,
    NS == stack_readers(KB)))]
pub struct RxPipe<
    const W: usize,
    const W2: usize,
    const KB: usize,
    const HB: usize,
    const LB: usize,
    const RW: usize,
    const AW: usize,
    const CW: usize,
    const RB: usize,
    const RC: usize,
    const NS: usize,
> {
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
    pub s_axis: AxisUser<In, W, KB>,
    /// Frames for the host's own stack, whole and good.
    pub m_host: Axis<Out, W, KB>,
    /// Payload, one frame for each request with payload.
    pub m_payload: Axis<Out, W, KB>,
    /// Payload, one frame for each READ response with payload.
    pub m_response: Axis<Out, W, KB>,
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
    l2: RxL2<W, W2, KB>,
    host: RxHost<W, KB, RW, AW, CW>,
    ip: RxIp<W, KB>,
    checksum: RxChecksum,
    strip: RxStrip<W, W2, KB>,
    tel: RxTel<W, W2, KB>,
    stack: [RxStack; NS],
    stack_hop: [RxStackHop; NS],
    icrc: RxIcrc<W, KB, HB>,
    bth: RxBth<W, KB>,
    length: RxLength,
    cut: Cut<W, W2, KB, 0, PAYLOAD_AT, 15>,
    payload: RxPayload<W, KB>,
    payload_fifo: FrameFifo<W, KB, RW, AW, CW>,
    response_fifo: FrameFifo<W, KB, RW, AW, CW>,
    verdict: RxVerdict<LB>,
    records: RxRecords<RB>,
    room: RxRoom<KB, AW, CW, RB, RC>,
    take: Signal<Local, Bit>,
    more_word: Signal<Local, Bits<11>>,
    more_reth: Signal<Local, Bits<11>>,
    side_bytes: Signal<Local, Bits<15>>,
    side_wanted: Signal<Local, Bits<15>>,
    side_response: Signal<Local, Bits<15>>,
}

#[kernel]
impl<
        const W: usize,
        const W2: usize,
        const KB: usize,
        const HB: usize,
        const LB: usize,
        const RW: usize,
        const AW: usize,
        const CW: usize,
        const RB: usize,
        const RC: usize,
        const NS: usize,
    > RxPipe<W, W2, KB, HB, LB, RW, AW, CW, RB, RC, NS>
{
    fn update(&mut self) {
        self.beats();
        self.telemetry();
        self.packet();
        self.payload();
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
        self.host.roce.next = self.ip.m_close_roce.val();
        Wire::join(&mut self.host.m_axis, &mut self.m_host);
        comment!("IP packet: end, fields, checksum.");
        Wire::join(&mut self.l2.m, &mut self.ip.s);
        self.ip.s_end_match.next = self.l2.m_end_match.val();
        self.ip.s_end_user.next = self.l2.m_end_user.val();
        self.ip.s_end_oversize.next = self.l2.m_end_oversize.val();
        self.ip.s_end_bytes.next = self.l2.m_end_bytes.val();
        self.ip.cfg_local_ip.next = self.cfg_local_ip.val();
        self.ip.cfg_tel_format.next = self.cfg_tel_format.val();
        self.ip.cfg_tel_dscp.next = self.cfg_tel.dscp.val();
        self.ip.cfg_tel_echo_dscp.next = self.cfg_tel.echo_dscp.val();
        self.ip.cfg_tel_port.next = self.cfg_tel.port.val();
        self.checksum.s_head.next = self.ip.m_head.val();
    }

    /// Telemetry. A stack that is not read is not usable.
    fn telemetry(&mut self) {
        self.tel.cfg_tel_format.next = self.cfg_tel_format.val();
        self.tel.s.valid.next = self.ip.m.valid.val();
        self.tel.s.data.next = self.ip.m.data.val();
        self.tel.s.first.next = self.ip.m.first.val();
        self.tel.s.last.next = self.ip.m.last.val();
        self.tel.s.bytes.next = self.ip.m.bytes.val();
        self.tel.s.end.next = self.ip.m.end.val();
        self.tel.tel_valid.next = self.ip.tel_valid.val();
        self.tel.tel_stack.next = self.ip.tel_stack.val();
        self.tel.tel_ifa.next = self.ip.tel_ifa.val();
        self.tel.tel_bytes.next = self.ip.tel_bytes.val();
        self.tel.tel_words.next = self.ip.tel_words.val();
        self.tel.stack_valid.next = false;
        self.tel.stack_record.next = 0.into();
        self.tel.stack_path.next = 0.into();
        self.tel.stack_whole.next = false;
        for i in 0..NS {
            self.stack[i].ifa_known.next = self.ip.ifa_known.val();
            self.stack[i].ifa_words_max.next = self.ip.ifa_words_max.val();
            self.stack[i].s_start.next = self.tel.pair_start.val();
            self.stack[i].s_valid.next = self.tel.pair_valid.val();
            self.stack[i].s_pair.next = self.tel.pair.val();
            self.stack[i].s_half.next = self.tel.pair_half.val();
            self.stack[i].s_last.next = self.tel.pair_last.val();
            self.stack[i].cfg_tel_format.next = self.cfg_tel_format.val();
            self.stack[i].cfg_tel_time_binary.next = self.cfg_tel.time_binary.val();
            self.stack_hop[i].cfg_tel_format.next = self.cfg_tel_format.val();
            self.stack_hop[i].cfg_tel_time_binary.next = self.cfg_tel.time_binary.val();
            self.stack_hop[i].has_seconds.next = self.stack[i].seconds.val();
            self.stack_hop[i].cfg_tel_queue_bytes.next = self.cfg_tel_queue_bytes.val();
            self.stack_hop[i].cfg_tel_rates.next = self.cfg_tel_rates.val();
            self.stack_hop[i].s_start.next = self.tel.pair_start.val();
            self.stack_hop[i].s_valid.next = self.stack[i].m_valid.val();
            self.stack_hop[i].s_word_a.next = self.stack[i].m_word_a.val();
            self.stack_hop[i].s_word_b.next = self.stack[i].m_word_b.val();
            self.stack_hop[i].node_a.next = self.stack[i].node_a.val();
            self.stack_hop[i].node_b.next = self.stack[i].node_b.val();
            self.stack_hop[i].ports_a.next = self.stack[i].ports_a.val();
            self.stack_hop[i].ports_b.next = self.stack[i].ports_b.val();
            self.stack_hop[i].queue_a.next = self.stack[i].queue_a.val();
            self.stack_hop[i].queue_b.next = self.stack[i].queue_b.val();
            self.stack_hop[i].time_a.next = self.stack[i].time_a.val();
            self.stack_hop[i].time_b.next = self.stack[i].time_b.val();
            self.stack_hop[i].used_a.next = self.stack[i].used_a.val();
            self.stack_hop[i].used_b.next = self.stack[i].used_b.val();
            self.stack_hop[i].speed_a.next = self.stack[i].speed_a.val();
            self.stack_hop[i].stay_b.next = self.stack[i].stay_b.val();
            self.stack_hop[i].s_done.next = self.stack[i].m_done.val();
            self.tel.stack_valid.next = self.stack_hop[i].m_valid.val();
            self.tel.stack_record.next = self.stack_hop[i].m_record.val();
            self.tel.stack_path.next = self.stack_hop[i].path.val();
            self.tel.stack_whole.next =
                self.stack[i].whole.val() & !self.stack_hop[i].is_invalid.val();
        }
    }

    /// The packet without telemetry: ICRC, headers.
    fn packet(&mut self) {
        Wire::join(&mut self.ip.m, &mut self.strip.s);
        self.strip.tel_bytes.next = self.ip.tel_bytes.val();
        self.strip.ip_len.next = self.ip.ip_len.val();
        self.strip.src_port.next = self.ip.src_port.val();
        self.icrc.s.valid.next = self.strip.m.valid.val();
        self.icrc.s.data.next = self.strip.m.data.val();
        self.icrc.s.first.next = self.strip.m.first.val();
        self.icrc.s.last.next = self.strip.m.last.val();
        self.icrc.s.bytes.next = self.strip.m.bytes.val();
        self.icrc.s.end.next = self.strip.m.end.val();
        self.icrc.ip_len.next = self.strip.m_ip_len.val();
        self.icrc.src_port.next = self.strip.m_src_port.val();
        Wire::join(&mut self.strip.m, &mut self.bth.s);
        self.bth.cfg_pkey.next = self.cfg_pkey.val();
        self.bth.s_src_port.next = self.strip.m_src_port.val();
        self.length.ip_len.next = self.strip.m_ip_len.val();
        self.length.has_reth.next = self.bth.has_reth.val();
        self.length.has_word.next = self.bth.has_word.val();
        self.length.pad_count.next = self.bth.pad_count.val();
        self.length.is_request.next = self.bth.is_request.val();
        self.length.is_response.next = self.bth.is_response.val();
    }

    /// What follows the headers.
    fn payload(&mut self) {
        Wire::join(&mut self.bth.m, &mut self.cut.s);
        self.more_word.next = 0.into();
        if self.bth.has_word.val() {
            self.more_word.next = 4.into();
        }
        self.more_reth.next = 0.into();
        if self.bth.has_reth.val() {
            self.more_reth.next = 16.into();
        }
        self.cut.s_more.next = self.more_word.val() | self.more_reth.val();
        self.side_bytes.next = bit_cast::<15, 13>(self.length.payload_bytes.val());
        self.side_wanted.next = 0.into();
        if self.length.is_wanted.val() {
            self.side_wanted.next = 0x2000.into();
        }
        self.side_response.next = 0.into();
        if self.length.for_response.val() {
            self.side_response.next = 0x4000.into();
        }
        self.cut.s_side.next =
            self.side_bytes.val() | self.side_wanted.val() | self.side_response.val();
        Wire::join(&mut self.cut.m, &mut self.payload.s);
        self.payload.payload_bytes.next = self.cut.m_side.val().get_bits::<13>(0);
        self.payload.payload_wanted.next = self.cut.m_side.val().get_bit(13);
        self.payload.payload_response.next = self.cut.m_side.val().get_bit(14);
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
        self.verdict.s_close.next = self.ip.m.end.val();
        self.verdict.s_roce.next = self.ip.m_close_roce.val();
        self.verdict.s_user.next = self.ip.m_close_user.val();
        self.verdict.s_oversize.next = self.ip.m_close_oversize.val();
        self.verdict.s_truncated.next = self.ip.m_close_truncated.val();
        self.verdict.s_length.next = self.ip.m_close_length.val();
        self.verdict.s_telemetry.next = self.ip.m_close_telemetry.val();
        self.verdict.s_overflow.next = self.host.overflow.val();
        self.verdict.s_checksum_ok.next = self.checksum.ok.val();
        self.verdict.tel_unusable.next = self.tel.m.valid.val() & (self.tel.m.hops.val() == 6);
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
        self.records.s_write.next = self.verdict.m_write.val();
        self.records.s_store.next = self.verdict.m_store.val();
        self.records.for_requester.next = self.bth.for_requester.val();
        self.records.for_feedback.next = self.bth.for_feedback.val();
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
        self.records.payload_bytes.next = self.verdict.m_payload_bytes.val();
        self.records.tel.valid.next = self.tel.m.valid.val();
        self.records.tel.hops.next = self.tel.m.hops.val();
        self.records.tel.path.next = self.tel.m.path.val();
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
            self.records.tel.hop[i].next = self.tel.m.hop[i].val();
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
