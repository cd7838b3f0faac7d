//! Tx pipe: makes RoCEv2 frames of packets, READ responses, ACKs and telemetry responses and sends
//! host frames between them.
//!
//! # Source            RFC 791, RFC 768, InfiniBand volume 1 sections 9.2, 9.3 and annex A17
//!                     (RoCEv2, ICRC); telemetry as HPCC (SIGCOMM 2019) figure 7, the authors'
//!                     42 bytes, P4-INT 2.1 (INT-MD), RFC 9197 (IOAM), draft-kumar-ippm-ifa (IFA)
//! # Interface timing  cycle 0: packet chosen; its headers are there in cycle 7 or 8. A frame starts
//!                     at m_axis [`LATENCY_CYCLES`] behind its last beat in front of the FIFO, and
//!                     never has a gap there
//! # Latency and rate  a beat a cycle, a header every 2 cycles: whatever is longer
//! # Order             data (READ responses are data), ACK, telemetry response, host take turns
//!                     among those that wait
//! # Rules             UDP checksum 0, DF, IPv4 id counts up per frame. ICRC of the packet as it
//!                     would be without telemetry. A read error drops the frame and
//!                     shows in m_fail; so does, in event_tx_fail alone, a host frame of more than
//!                     4224 bytes. No frame is shorter than 60 bytes but the host's own: packets
//!                     without an extension header have payload or telemetry; a telemetry response
//!                     has 58 if telemetry was switched off while it waited
//! # Shape             W bits, KB = W / 8 <= 64, PB = log2 KB - 1; the frame FIFO has 2^AW beats
//! # Reset             synchronous, high: empty; queue pair rows are as they were
//! # Twins             sim/models/src/golden/tx/pipe.rs, tests/tx/tx_pipe.rs

use crate::events::TxEvents;
use crate::streams::{
    Ack, AnyPacket, Axis, AxisUser, CommittedRow, FeedbackPacket, Offer, ReadError, TelemetryForm,
};
use crate::tx::{
    body::{BodyBeat, TxBody},
    choice::TxChoice,
    header::TxHeader,
    icrc::TxIcrc,
    join::TxJoin,
    layout::TxLayout,
};
use crate::util::{
    crc32::{advance, rewind, Crc32},
    fifo::Fifo,
    frame_fifo::FrameFifo,
    ones,
};
use crate::{block, kernel, row, Reg, Wire};
use rust_hdl_core::prelude::*;

/// Cycles from the last beat of a frame to its first one at the source.
pub const LATENCY_CYCLES: usize = crate::util::frame_fifo::LATENCY_CYCLES;

/// Bytes of the frame FIFO, log2.
const FIFO_BYTES_LOG2: usize = 14;

/// Its beats, log2.
pub(crate) const fn fifo_beats_log2(beat_bytes: usize) -> usize {
    FIFO_BYTES_LOG2 - beat_bytes.ilog2() as usize
}

/// A beat of headers on its way.
#[row]
pub struct HeaderBeat {
    bytes: Bits<7>, // Bytes
    last: Bit,      // Last of the headers
}

/// Tx pipe; `FB` = log2 of the flow count, `GB` = FB + 1.
#[block]
pub struct TxPipe<
    const W: usize,
    const KB: usize,
    const PB: usize,
    const RW: usize,
    const AW: usize,
    const CW: usize,
    const FB: usize,
    const GB: usize,
> {
    /// Our MAC address, first byte in bits 47:40.
    pub cfg_local_mac: Signal<In, Bits<48>>,
    /// Our IPv4 address.
    pub cfg_local_ip: Signal<In, Bits<32>>,
    /// Partition key.
    pub cfg_pkey: Signal<In, Bits<16>>,
    /// Time to live.
    pub cfg_ttl: Signal<In, Bits<8>>,
    /// Form of the telemetry header of data packets: 0 to 2 as `cfg_tel_echo`, 3 INT-MD that
    /// `cfg_tel_dscp` marks, 4 IOAM, 5 IFA, 6 INT-MD that `cfg_tel_port` marks.
    pub cfg_tel_data: Signal<In, Bits<3>>,
    /// Form of telemetry in ACKs and telemetry responses: 0 none, 1 paper, 2 authors' 42 bytes.
    pub cfg_tel_echo: Signal<In, Bits<2>>,
    /// How telemetry looks on the wire.
    pub cfg_tel: TelemetryForm<In>,
    /// The receiver of data computes its window: ACKs go without telemetry.
    pub cfg_by_time: Signal<In, Bit>,
    /// A table row; rows of other tables are taken and ignored.
    pub s_cfg: Offer<In>,
    /// The committed row.
    pub cfg: CommittedRow<In>,
    /// A packet of the requester, or a READ response.
    pub s_pkt: AnyPacket<In, GB>,
    /// An ACK or NAK.
    pub s_ack: Ack<In, FB>,
    /// A telemetry response waits.
    pub s_feedback: FeedbackPacket<In, FB>,
    /// Its bytes.
    pub s_data: AxisUser<In, W, KB>,
    /// Its bytes.
    pub s_host: Axis<In, W, KB>,
    /// Its bytes.
    pub m_axis: Axis<Out, W, KB>,
    /// The payload of a packet could not be read.
    pub m_fail: ReadError<Out, GB>,
    /// What it counts.
    pub event_tx: TxEvents<Out>,
    choice: TxChoice<FB, GB>,
    header: TxHeader<GB>,
    layout: TxLayout<W, KB, PB, GB>,
    body: TxBody<W, KB, GB>,
    crc: Crc32<W, KB, 4>,
    headers: TxJoin<W, KB, PB>,
    header_fifo: Fifo<Bits<W>, 4, 5>,
    header_info: Fifo<HeaderBeat, 4, 5>,
    body_fifo: Fifo<Bits<W>, 4, 5>,
    body_info: Fifo<BodyBeat, 4, 5>,
    icrc_fifo: Fifo<Bits<32>, 4, 5>,
    icrc: TxIcrc<W>,
    frames: TxJoin<W, KB, PB>,
    fifo: FrameFifo<W, KB, RW, AW, CW>,
    zeros_1: Reg<Bits<6>>,
    zeros_2: Reg<Bits<6>>,
    more: Signal<Local, Bits<KB>>,
    #[value(ones(KB))]
    all_bytes: Constant<Bits<KB>>,
    #[value(u64::from(seed(0)))]
    seed_0: Constant<Bits<32>>,
    #[value(u64::from(seed(4)))]
    seed_4: Constant<Bits<32>>,
    #[value(u64::from(seed(8)))]
    seed_8: Constant<Bits<32>>,
    #[value(u64::from(seed(20)))]
    seed_20: Constant<Bits<32>>,
    #[value(u64::from(seed(24)))]
    seed_24: Constant<Bits<32>>,
}

/// CRC state behind the eight bytes of ones that stand for the Ethernet header, and in front of
/// `zeros` bytes that the packet does not have.
fn seed(zeros: usize) -> u32 {
    rewind((0..8).fold(u32::MAX, |state, _| advance(state, 0xff)), zeros)
}

#[kernel]
impl<
        const W: usize,
        const KB: usize,
        const PB: usize,
        const RW: usize,
        const AW: usize,
        const CW: usize,
        const FB: usize,
        const GB: usize,
    > TxPipe<W, KB, PB, RW, AW, CW, FB, GB>
{
    fn update(&mut self) {
        self.choice();
        self.header();
        self.body();
        self.icrc();
        self.join();
        self.frames();
    }

    fn choice(&mut self) {
        self.choice.cfg_by_time.next = self.cfg_by_time.val();
        Wire::join(&mut self.s_cfg, &mut self.choice.s_cfg);
        Wire::join(&mut self.cfg, &mut self.choice.cfg);
        Wire::join(&mut self.s_pkt, &mut self.choice.s_pkt);
        Wire::join(&mut self.s_ack, &mut self.choice.s_ack);
        Wire::join(&mut self.s_feedback, &mut self.choice.s_feedback);
        self.choice.s_host_valid.next = self.s_host.tvalid.val();
        self.choice.host_done.next = self.body.host_done.val();
        self.choice.room.next = self.header.room.val();
    }

    fn header(&mut self) {
        self.header.cfg_local_ip.next = self.cfg_local_ip.val();
        self.header.cfg_ttl.next = self.cfg_ttl.val();
        self.header.cfg_tel_data.next = self.cfg_tel_data.val();
        self.header.cfg_tel_echo.next = self.cfg_tel_echo.val();
        self.header.cfg_tel_dscp.next = self.cfg_tel.dscp.val();
        self.header.cfg_tel_echo_dscp.next = self.cfg_tel.echo_dscp.val();
        self.header.go.next = self.choice.go.val();
        self.header.s_valid.next = self.choice.m_valid.val();
        self.header.s_peer.next = self.choice.m_peer.val();
        self.header.s_fields.next = self.choice.m_fields.val();
        self.header.s_flow.next = self.choice.m_flow.val();
        self.layout.cfg_local_mac.next = self.cfg_local_mac.val();
        self.layout.cfg_local_ip.next = self.cfg_local_ip.val();
        self.layout.cfg_pkey.next = self.cfg_pkey.val();
        self.layout.cfg_ttl.next = self.cfg_ttl.val();
        self.layout.cfg_tel_port.next = self.cfg_tel.port.val();
        self.layout.cfg_tel_time_binary.next = self.cfg_tel.time_binary.val();
        self.layout.s_valid.next = self.header.m_valid.val();
        self.header.m_ready.next = self.layout.s_ready.val();
        self.layout.s_peer.next = self.header.m_peer.val();
        self.layout.s_fields.next = self.header.m_fields.val();
        self.layout.s_flow.next = self.header.m_flow.val();
        self.layout.s_sizes.next = self.header.m_sizes.val();
        for i in 0..5 {
            self.header.s_hop[i].next = self.choice.m_hop[i].val();
            self.layout.s_hop[i].next = self.header.m_hop[i].val();
        }
    }

    fn body(&mut self) {
        Wire::join(&mut self.layout.m_cover, &mut self.body.s);
        self.body.s_kind.next = self.layout.m_kind.val();
        self.body.s_flow.next = self.layout.m_flow.val();
        Wire::join(&mut self.s_data, &mut self.body.s_data);
        Wire::join(&mut self.s_host, &mut self.body.s_host);
        Wire::join(&mut self.body.m_fail, &mut self.m_fail);
        Wire::join(&mut self.body.m, &mut self.body_fifo.s);
        self.body_info.s.valid.next = self.body.m.valid.val();
        self.body_info.s.data.next = self.body.m_info.val();
        self.event_tx.data.next = self.body.pulse.val().data;
        self.event_tx.ack.next = self.body.pulse.val().ack;
        self.event_tx.host.next = self.body.pulse.val().host;
        self.event_tx.fail.next = self.body.pulse.val().fail;
        self.event_tx.feedback.next = self.body.pulse.val().feedback;
    }

    /// The CRC of what is covered, for the frame's place in the body's FIFO.
    fn icrc(&mut self) {
        self.crc.s_valid.next = self.body.c_valid.val();
        self.crc.s_data.next = self.body.c_data.val();
        self.crc.s_keep.next = self.body.c_keep.val();
        self.crc.s_last.next = self.body.c_last.val();
        comment!("The seed is looked at in the cycle behind a packet's first beat.");
        self.zeros_1.next = self.layout.m_cover_zeros.val();
        self.zeros_2.next = self.zeros_1.val();
        self.crc.cfg_seed.next = self.seed_0.val();
        match self.zeros_2.val().index() {
            4 => self.crc.cfg_seed.next = self.seed_4.val(),
            8 => self.crc.cfg_seed.next = self.seed_8.val(),
            20 => self.crc.cfg_seed.next = self.seed_20.val(),
            24 => self.crc.cfg_seed.next = self.seed_24.val(),
            _ => {}
        }
        self.icrc_fifo.s.valid.next = self.crc.m_valid.val();
        self.icrc_fifo.s.data.next = self.crc.m_crc.val();
        Wire::join(&mut self.body_fifo.m, &mut self.icrc.s);
        self.body_info.m.ready.next = self.icrc.s.ready.val();
        self.icrc.s_info.next = self.body_info.m.data.val();
        Wire::join(&mut self.icrc_fifo.m, &mut self.icrc.s_icrc);
    }

    /// Front and back are the headers; the body follows them.
    fn join(&mut self) {
        Wire::join(&mut self.layout.m_front, &mut self.headers.a);
        Wire::join(&mut self.layout.m_back, &mut self.headers.b);
        self.headers.b_offset.next = self.layout.m_back_offset.val();
        self.header_fifo.s.valid.next = self.headers.m.valid.val();
        self.header_fifo.s.data.next = self.headers.m.data.val();
        self.header_info.s.valid.next = self.headers.m.valid.val();
        self.header_info.s.data.next.bytes = self.headers.m.bytes.val();
        self.header_info.s.data.next.last = self.headers.m.last.val();
        self.headers.m.ready.next = self.header_fifo.s.ready.val();
        self.frames.a.valid.next = self.header_fifo.m.valid.val();
        self.frames.a.data.next = self.header_fifo.m.data.val();
        self.frames.a.bytes.next = self.header_info.m.data.val().bytes;
        self.frames.a.last.next = self.header_info.m.data.val().last;
        self.frames.a.bad.next = false;
        self.header_fifo.m.ready.next = self.frames.a.ready.val();
        self.header_info.m.ready.next = self.frames.a.ready.val();
        Wire::join(&mut self.icrc.m, &mut self.frames.b);
        self.frames.b_offset.next = self.icrc.m_offset.val();
    }

    fn frames(&mut self) {
        self.more.next = self.all_bytes.val() << self.frames.m.bytes.val();
        self.fifo.s_axis.tdata.next = self.frames.m.data.val();
        self.fifo.s_axis.tkeep.next = self.more.val() ^ self.all_bytes.val();
        self.fifo.s_axis.tvalid.next = self.frames.m.valid.val();
        self.fifo.s_axis.tlast.next = self.frames.m.last.val();
        self.fifo.s_axis.tuser.next = self.frames.m.bad.val();
        self.frames.m.ready.next = self.fifo.s_axis.tready.val();
        self.fifo.s_open.next = false;
        self.fifo.cfg_drop_when_full.next = false;
        Wire::join(&mut self.fifo.m_axis, &mut self.m_axis);
    }
}
