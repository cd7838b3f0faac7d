//! Tx pipe: makes RoCEv2 frames of packets, READ responses, ACKs and telemetry responses and sends
//! host frames between them.
//!
//! # Source            RFC 791, RFC 768, InfiniBand volume 1 sections 9.2, 9.3 and annex A17
//!                     (RoCEv2, ICRC); telemetry as HPCC (SIGCOMM 2019) figure 7, the authors'
//!                     42 bytes, P4-INT 2.1 (INT-MD), RFC 9197 (IOAM), draft-kumar-ippm-ifa (IFA)
//! # Interface timing  cycle 0: packet chosen; cycle [`HEADER_CYCLES`]: headers ready; then one
//!                     piece a cycle (`tx_seq`). A frame starts at m_axis [`OPEN_CYCLES`] behind
//!                     the state of its last payload beat, or of its second piece of BTH if it has
//!                     no payload: what is still on its way comes in time. A host frame starts
//!                     [`LATENCY_CYCLES`] behind the state of its last beat, one more if that is
//!                     its only one. A frame never has a gap at m_axis
//! # Latency and rate  137 cycles for the 136 beats of an RDMA WRITE MIDDLE of MTU 1024, the next
//!                     frame's headers being made beside it; 9 cycles for the 8 beats of an ACK
//! # Order             data (READ responses are data), ACK, telemetry response, host take turns
//!                     among those that wait
//! # Rules             64-bit datapath. UDP checksum 0, DF, IPv4 id counts up per frame. ICRC of
//!                     the packet as it would be without telemetry. A read error drops the frame and
//!                     shows in m_fail; so does, in event_tx_fail alone, a host frame of more than
//!                     4224 bytes. No frame is shorter than 60 bytes but the host's own: packets
//!                     without an extension header have payload or telemetry; a telemetry response
//!                     has 58 if telemetry was switched off while it waited
//! # Reset             synchronous, high: empty; queue pair rows are as they were
//! # Twins             sim/models/src/golden/tx/pipe.rs, tests/tx/tx_pipe.rs

use crate::events::TxEvents;
use crate::streams::{
    Ack, AnyPacket, Axis, AxisUser, CommittedRow, FeedbackPacket, Offer, ReadError, TelemetryForm,
};
use crate::tx::{
    delay::TxDelay, header::TxHeader, pack::TxPack, piece::TxPiece, room::TxRoom, seq::TxSeq,
};
use crate::util::{
    crc32::{advance, rewind, Crc32},
    frame_fifo::FrameFifo,
};
use crate::{block, kernel, Wire};
use rust_hdl_core::prelude::*;

/// Cycles from the choice of a packet to its headers.
pub const HEADER_CYCLES: usize = crate::tx::header::LATENCY_CYCLES;

/// Cycles from the state that opens a frame to its first beat.
pub const OPEN_CYCLES: usize = 3;

/// Cycles from the state of a host frame's last beat to its first one.
pub const LATENCY_CYCLES: usize = 7;

/// Tx pipe with a 64-bit datapath; `FB` = log2 of the flow count, `GB` = FB + 1.
#[block]
pub struct TxPipe<const FB: usize, const GB: usize> {
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
    pub s_data: AxisUser<In, 64, 8>,
    /// Its bytes.
    pub s_host: Axis<In, 64, 8>,
    /// Its bytes.
    pub m_axis: Axis<Out, 64, 8>,
    /// The payload of a packet could not be read.
    pub m_fail: ReadError<Out, GB>,
    /// What it counts.
    pub event_tx: TxEvents<Out>,
    header: TxHeader<FB>,
    seq: TxSeq<GB>,
    cutter: TxPiece,
    delay: TxDelay,
    crc_pack: TxPack,
    crc: Crc32<64, 8, 8>,
    pack: TxPack,
    fifo: FrameFifo<64, 8, 73, 11, 12>,
    space: TxRoom,
    #[value(u64::from(seed()))]
    seed: Constant<Bits<32>>,
    #[value(u64::from(rewind(seed(), 4)))]
    seed_behind_zeros: Constant<Bits<32>>,
    is_feedback: Signal<Local, Bit>,
}

/// CRC state behind the eight bytes of ones that stand for the Ethernet header.
fn seed() -> u32 {
    (0..8).fold(u32::MAX, |state, _| advance(state, 0xff))
}

#[kernel]
impl<const FB: usize, const GB: usize> TxPipe<FB, GB> {
    fn update(&mut self) {
        self.headers();
        self.stacks();
        self.cutter();
        self.frames();
    }

    fn headers(&mut self) {
        self.header.cfg_local_ip.next = self.cfg_local_ip.val();
        self.header.cfg_ttl.next = self.cfg_ttl.val();
        self.header.cfg_tel_data.next = self.cfg_tel_data.val();
        self.header.cfg_tel_echo.next = self.cfg_tel_echo.val();
        self.header.cfg_tel_dscp.next = self.cfg_tel.dscp.val();
        self.header.cfg_tel_echo_dscp.next = self.cfg_tel.echo_dscp.val();
        self.header.cfg_by_time.next = self.cfg_by_time.val();
        Wire::join(&mut self.s_cfg, &mut self.header.s_cfg);
        Wire::join(&mut self.cfg, &mut self.header.cfg);
        self.header.s_pkt_valid.next = self.s_pkt.valid.val();
        self.header.s_pkt_flow.next = self.s_pkt.flow.val().get_bits::<FB>(0);
        self.header.s_pkt_bare.next = self.s_pkt.bare.val();
        self.header.s_pkt_opcode.next = self.s_pkt.opcode.val();
        self.header.s_pkt_payload_bytes.next = self.s_pkt.payload_bytes.val();
        self.header.s_ack.valid.next = self.s_ack.valid.val();
        self.header.s_ack.flow.next = self.s_ack.flow.val();
        self.header.s_ack_tel_valid.next = self.s_ack.tel.valid.val();
        self.header.s_ack_tel_hops.next = self.s_ack.tel.hops.val();
        self.header.s_feedback.valid.next = self.s_feedback.valid.val();
        self.header.s_feedback.flow.next = self.s_feedback.flow.val();
        self.header.s_feedback_tel_valid.next = self.s_feedback.tel.valid.val();
        self.header.s_feedback_tel_hops.next = self.s_feedback.tel.hops.val();
        self.header.s_host_valid.next = self.s_host.tvalid.val();
        self.header.host_done.next = self.seq.host_done.val();
        self.header.m_ready.next = self.seq.s_ready.val();
        self.seq.room.next = self.space.room.val();
        self.seq.s_valid.next = self.header.m_valid.val();
        self.seq.s_kind.next = self.header.m_kind.val();
        self.seq.s_form.next = self.header.m.form.val();
        self.seq.ip_len_low.next = self.header.m.ip_len.val().get_bits::<3>(0);
        self.seq.pkt_flow.next = self.s_pkt.flow.val();
        self.seq.pkt_mark.next = self.s_pkt.mark.val();
        self.seq.pkt_opcode.next = self.s_pkt.opcode.val();
        self.seq.pkt_payload_bytes.next = self.s_pkt.payload_bytes.val();
    }

    /// What an ACK and a telemetry response have in common.
    fn stacks(&mut self) {
        self.is_feedback.next = self.header.m_kind.val() == 3;
        self.seq.ack_tel_hops.next = self.s_ack.tel.hops.val();
        self.cutter.ack_psn.next = self.s_ack.psn.val();
        self.cutter.ack_tel_path.next = self.s_ack.tel.path.val();
        for i in 0..5 {
            self.cutter.ack_tel_hop[i].next = self.s_ack.tel.hop[i].val();
        }
        if self.is_feedback.val() {
            self.seq.ack_tel_hops.next = self.s_feedback.tel.hops.val();
            self.cutter.ack_psn.next = self.s_feedback.psn.val();
            self.cutter.ack_tel_path.next = self.s_feedback.tel.path.val();
            for i in 0..5 {
                self.cutter.ack_tel_hop[i].next = self.s_feedback.tel.hop[i].val();
            }
        }
        self.seq.data_valid.next = self.s_data.tvalid.val();
        self.seq.data_last.next = self.s_data.tlast.val();
        self.seq.data_error.next = self.s_data.tuser.val();
        self.seq.host_valid.next = self.s_host.tvalid.val();
        self.seq.host_last.next = self.s_host.tlast.val();
        Wire::join(&mut self.seq.m_fail, &mut self.m_fail);
    }

    fn cutter(&mut self) {
        self.cutter.cfg_local_mac.next = self.cfg_local_mac.val();
        self.cutter.cfg_local_ip.next = self.cfg_local_ip.val();
        self.cutter.cfg_pkey.next = self.cfg_pkey.val();
        self.cutter.cfg_ttl.next = self.cfg_ttl.val();
        self.cutter.cfg_tel_port.next = self.cfg_tel.port.val();
        self.cutter.cfg_tel_time_binary.next = self.cfg_tel.time_binary.val();
        self.cutter.s_copy.next = self.seq.copy.val();
        self.cutter.s_hops_move.next = self.seq.hops_move.val();
        self.cutter.state.next = self.seq.state.val();
        Wire::join(&mut self.header.m, &mut self.cutter.s);
        self.cutter.pkt_opcode.next = self.s_pkt.opcode.val();
        self.cutter.pkt_psn.next = self.s_pkt.psn.val();
        self.cutter.pkt_ack_req.next = self.s_pkt.ack_req.val();
        self.cutter.pkt_solicited.next = self.s_pkt.solicited.val();
        self.cutter.pkt_payload_bytes.next = self.s_pkt.payload_bytes.val();
        self.cutter.pkt_va.next = self.s_pkt.va.val();
        self.cutter.pkt_rkey.next = self.s_pkt.rkey.val();
        self.cutter.pkt_dma_len.next = self.s_pkt.dma_len.val();
        self.cutter.pkt_imm.next = self.s_pkt.imm.val();
        self.cutter.pkt_syndrome.next = self.s_pkt.syndrome.val();
        self.cutter.pkt_msn.next = self.s_pkt.msn.val();
        self.cutter.ack_syndrome.next = self.s_ack.syndrome.val();
        self.cutter.ack_msn.next = self.s_ack.msn.val();
        self.cutter.has_reth.next = self.seq.has_reth.val();
        self.cutter.has_word.next = self.seq.has_word.val();
        self.cutter.has_payload.next = self.seq.has_payload.val();
        self.cutter.is_bad.next = self.seq.is_bad.val();
        self.cutter.is_stuck.next = self.seq.is_stuck.val();
        self.cutter.is_long.next = self.seq.is_long.val();
        self.cutter.hop_count.next = self.seq.hop_count.val();
        self.cutter.s_data_tvalid.next = self.s_data.tvalid.val();
        self.cutter.s_data_tdata.next = self.s_data.tdata.val();
        self.cutter.s_data_tkeep.next = self.s_data.tkeep.val();
        self.cutter.s_data_tlast.next = self.s_data.tlast.val();
        self.cutter.s_host_tvalid.next = self.s_host.tvalid.val();
        self.cutter.s_host_tdata.next = self.s_host.tdata.val();
        self.cutter.s_host_tkeep.next = self.s_host.tkeep.val();
        self.cutter.s_host_tlast.next = self.s_host.tlast.val();
        self.cutter.s_is_ack.next = self.header.m_kind.val().get_bit(0);
        self.cutter.s_is_feedback.next = self.is_feedback.val();
        self.cutter.s_is_answer.next = self.s_feedback.answer.val();
        Wire::join(&mut self.cutter.p, &mut self.delay.s);
    }

    fn frames(&mut self) {
        self.delay.icrc.next = self.crc.m_crc.val();
        self.crc_pack.s.valid.next = self.cutter.c_valid.val();
        self.crc_pack.s.data.next = self.cutter.c_data.val();
        self.crc_pack.s.bytes.next = self.cutter.c_bytes.val();
        self.crc_pack.s.last.next = self.cutter.c_last.val();
        self.crc_pack.s.bad.next = false;
        self.crc.s_valid.next = self.crc_pack.m_tvalid.val();
        self.crc.s_data.next = self.crc_pack.m_tdata.val();
        self.crc.s_keep.next = self.crc_pack.m_tkeep.val();
        self.crc.s_last.next = self.crc_pack.m_tlast.val();
        self.crc.cfg_seed.next = self.seed.val();
        if self.cutter.c_skip.val() {
            self.crc.cfg_seed.next = self.seed_behind_zeros.val();
        }
        Wire::join(&mut self.delay.m, &mut self.pack.s);
        self.fifo.s_axis.tdata.next = self.pack.m_tdata.val();
        self.fifo.s_axis.tkeep.next = self.pack.m_tkeep.val();
        self.fifo.s_axis.tvalid.next = self.pack.m_tvalid.val();
        self.fifo.s_axis.tlast.next = self.pack.m_tlast.val();
        self.fifo.s_axis.tuser.next = self.pack.m_tuser.val();
        Wire::join(&mut self.fifo.m_axis, &mut self.m_axis);
        self.fifo.cfg_drop_when_full.next = false;
        self.fifo.s_open.next = self.seq.open.val();
        self.space.push.next = self.pack.m_tvalid.val();
        self.space.push_last.next = self.pack.m_tlast.val();
        self.space.push_bad.next = self.pack.m_tuser.val();
        self.space.pop.next = self.fifo.m_axis.tvalid.val() & self.m_axis.tready.val();
        self.s_pkt.ready.next = self.header.s_pkt_ready.val();
        self.s_ack.ready.next = self.header.s_ack.ready.val();
        self.s_feedback.ready.next = self.header.s_feedback.ready.val();
        self.s_data.tready.next = self.seq.data_ready.val();
        self.s_host.tready.next = self.seq.host_ready.val();
        self.event_tx.data.next = self.seq.pulse.val().data;
        self.event_tx.ack.next = self.seq.pulse.val().ack;
        self.event_tx.host.next = self.seq.pulse.val().host;
        self.event_tx.fail.next = self.seq.pulse.val().fail;
        self.event_tx.feedback.next = self.seq.pulse.val().feedback;
    }
}
