//! Output slots of the requester: one register a stream.
//!
//! # Interface timing  part of `requester`: filled in Send, Arm, Emit, Order, Retire, Advance,
//!                     FailEmit, Flush, and only when empty
//! # Reset             synchronous, high: empty, fields 0; they hold their last value while empty
//! # Twins             sim/src/golden/transport/requester.rs, tests/requester.rs

use super::requester_ctl::{Op, State};
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Output registers; `FB` = log2 of the flow count.
#[derive(LogicBlock, Default)]
pub struct RequesterOut<const FB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// State of the sequencer.
    pub state: Signal<In, State>,
    /// Its operation.
    pub op: Signal<In, Op>,
    /// Its flow.
    pub flow: Signal<In, Bits<FB>>,
    /// Completion status of a failed work request.
    pub status: Signal<In, Bits<8>>,
    /// It is an ACK.
    pub is_ack: Signal<In, Bit>,
    /// Its PSN.
    pub ack_psn: Signal<In, Bits<24>>,
    /// ACK: Telemetry came with it.
    pub ack_tel_valid: Signal<In, Bit>,
    /// ACK: Records; 6: not usable.
    pub ack_tel_hops: Signal<In, Bits<3>>,
    /// ACK: XOR of the switches' identifiers.
    pub ack_tel_path: Signal<In, Bits<12>>,
    /// ACK: Record of hop 0.
    pub ack_tel_hop_0: Signal<In, Bits<64>>,
    /// ACK: Record of hop 1.
    pub ack_tel_hop_1: Signal<In, Bits<64>>,
    /// ACK: Record of hop 2.
    pub ack_tel_hop_2: Signal<In, Bits<64>>,
    /// ACK: Record of hop 3.
    pub ack_tel_hop_3: Signal<In, Bits<64>>,
    /// ACK: Record of hop 4.
    pub ack_tel_hop_4: Signal<In, Bits<64>>,
    /// Next PSN to send.
    pub nxt: Signal<In, Bits<24>>,
    /// Bytes sent and not acknowledged.
    pub inflight: Signal<In, Bits<32>>,
    /// The payload at hand lands; else it is dropped.
    pub lands: Signal<In, Bit>,
    /// Its bytes.
    pub payload_bytes: Signal<In, Bits<13>>,
    /// It ends the READ.
    pub last_response: Signal<In, Bit>,
    /// The packet that was prepared may not be sent yet.
    pub blocked: Signal<In, Bit>,
    /// The head ends in Retire.
    pub covered: Signal<In, Bit>,
    /// Operation code of the packet.
    pub opcode: Signal<In, Bits<8>>,
    /// It asks for an ACK.
    pub ack_req: Signal<In, Bit>,
    /// It asks for an event.
    pub solicited: Signal<In, Bit>,
    /// Its payload bytes.
    pub bytes: Signal<In, Bits<13>>,
    /// Their local address.
    pub address: Signal<In, Bits<64>>,
    /// Frame bytes of the next packet.
    pub frame_bytes: Signal<In, Bits<14>>,
    /// Remote address of the work request at hand.
    pub va: Signal<In, Bits<64>>,
    /// Its remote key.
    pub rkey: Signal<In, Bits<32>>,
    /// Bytes of the message, or that a READ asks for.
    pub dma_len: Signal<In, Bits<32>>,
    /// Bytes of the work request.
    pub len: Signal<In, Bits<32>>,
    /// Its immediate data.
    pub imm: Signal<In, Bits<32>>,
    /// Its id.
    pub wr_id: Signal<In, Bits<32>>,
    /// It wants a completion on success.
    pub signalled: Signal<In, Bit>,
    /// Work request row: id.
    pub cfg_wr_id: Signal<In, Bits<32>>,
    /// Work request row: bytes.
    pub cfg_len: Signal<In, Bits<32>>,
    /// Work request row: signalled.
    pub cfg_signalled: Signal<In, Bit>,
    /// The packet slots are free.
    pub packet_free: Signal<Out, Bit>,
    /// The in-flight slot or the telemetry slot is taken.
    pub inflight_busy: Signal<Out, Bit>,
    /// The arm slot is taken.
    pub work_busy: Signal<Out, Bit>,
    /// The order slot is taken.
    pub order_busy: Signal<Out, Bit>,
    /// A packet for the tx pipe.
    pub m_pkt_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_pkt_ready: Signal<In, Bit>,
    /// Flow.
    pub m_pkt_flow: Signal<Out, Bits<FB>>,
    /// BTH operation code.
    pub m_pkt_opcode: Signal<Out, Bits<8>>,
    /// PSN.
    pub m_pkt_psn: Signal<Out, Bits<24>>,
    /// An ACK is asked for.
    pub m_pkt_ack_req: Signal<Out, Bit>,
    /// An event is asked for.
    pub m_pkt_solicited: Signal<Out, Bit>,
    /// Payload, 0..=4096.
    pub m_pkt_payload_bytes: Signal<Out, Bits<13>>,
    /// Remote address of the message.
    pub m_pkt_va: Signal<Out, Bits<64>>,
    /// Remote key.
    pub m_pkt_rkey: Signal<Out, Bits<32>>,
    /// Bytes of the message.
    pub m_pkt_dma_len: Signal<Out, Bits<32>>,
    /// Immediate data.
    pub m_pkt_imm: Signal<Out, Bits<32>>,
    /// A read command, one for each packet with payload.
    pub m_read_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_read_ready: Signal<In, Bit>,
    /// Local address of the payload.
    pub m_read_addr: Signal<Out, Bits<64>>,
    /// Its bytes, 1..=4096.
    pub m_read_bytes: Signal<Out, Bits<13>>,
    /// Arms the flow in the scheduler.
    pub m_work_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_work_ready: Signal<In, Bit>,
    /// Flow.
    pub m_work_flow: Signal<Out, Bits<FB>>,
    /// Frame bytes of its next packet.
    pub m_work_len_bytes: Signal<Out, Bits<14>>,
    /// Bytes sent and not acknowledged.
    pub m_work_inflight_bytes: Signal<Out, Bits<32>>,
    /// After an ACK or a rewind.
    pub m_inflight_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_inflight_ready: Signal<In, Bit>,
    /// Flow.
    pub m_inflight_flow: Signal<Out, Bits<FB>>,
    /// Bytes sent and not acknowledged.
    pub m_inflight_inflight_bytes: Signal<Out, Bits<32>>,
    /// Telemetry of an ACK.
    pub m_cc_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_cc_ready: Signal<In, Bit>,
    /// Flow.
    pub m_cc_flow: Signal<Out, Bits<FB>>,
    /// PSN of the ACK.
    pub m_cc_psn: Signal<Out, Bits<24>>,
    /// Next PSN to send.
    pub m_cc_snd_nxt: Signal<Out, Bits<24>>,
    /// Telemetry came with it.
    pub m_cc_tel_valid: Signal<Out, Bit>,
    /// Records; 6: not usable.
    pub m_cc_tel_hops: Signal<Out, Bits<3>>,
    /// XOR of the switches' identifiers.
    pub m_cc_tel_path: Signal<Out, Bits<12>>,
    /// Record of hop 0.
    pub m_cc_tel_hop_0: Signal<Out, Bits<64>>,
    /// Record of hop 1.
    pub m_cc_tel_hop_1: Signal<Out, Bits<64>>,
    /// Record of hop 2.
    pub m_cc_tel_hop_2: Signal<Out, Bits<64>>,
    /// Record of hop 3.
    pub m_cc_tel_hop_3: Signal<Out, Bits<64>>,
    /// Record of hop 4.
    pub m_cc_tel_hop_4: Signal<Out, Bits<64>>,
    /// An order for the completer.
    pub m_order_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_order_ready: Signal<In, Bit>,
    /// 0: a work request has ended, 1: the payload at hand lands, 2: it is dropped.
    pub m_order_op: Signal<Out, Bits<2>>,
    /// Flow.
    pub m_order_flow: Signal<Out, Bits<FB>>,
    /// Local address where the payload lands.
    pub m_order_addr: Signal<Out, Bits<64>>,
    /// Bytes of the payload.
    pub m_order_bytes: Signal<Out, Bits<13>>,
    /// How the work request ended.
    pub m_order_status: Signal<Out, Bits<8>>,
    /// Its id.
    pub m_order_wr_id: Signal<Out, Bits<32>>,
    /// Bytes of its message.
    pub m_order_byte_len: Signal<Out, Bits<32>>,
    /// It wants a completion on success.
    pub m_order_signalled: Signal<Out, Bit>,
    pkt_valid: DFF<Bit>,
    pkt_flow: DFF<Bits<FB>>,
    pkt_opcode: DFF<Bits<8>>,
    pkt_psn: DFF<Bits<24>>,
    pkt_ack_req: DFF<Bit>,
    pkt_solicited: DFF<Bit>,
    pkt_payload_bytes: DFF<Bits<13>>,
    pkt_va: DFF<Bits<64>>,
    pkt_rkey: DFF<Bits<32>>,
    pkt_dma_len: DFF<Bits<32>>,
    pkt_imm: DFF<Bits<32>>,
    read_valid: DFF<Bit>,
    read_addr: DFF<Bits<64>>,
    read_bytes: DFF<Bits<13>>,
    work_valid: DFF<Bit>,
    work_flow: DFF<Bits<FB>>,
    work_len_bytes: DFF<Bits<14>>,
    work_inflight_bytes: DFF<Bits<32>>,
    inflight_valid: DFF<Bit>,
    inflight_flow: DFF<Bits<FB>>,
    inflight_inflight_bytes: DFF<Bits<32>>,
    cc_valid: DFF<Bit>,
    cc_flow: DFF<Bits<FB>>,
    cc_psn: DFF<Bits<24>>,
    cc_snd_nxt: DFF<Bits<24>>,
    cc_tel_valid: DFF<Bit>,
    cc_tel_hops: DFF<Bits<3>>,
    cc_tel_path: DFF<Bits<12>>,
    cc_tel_hop_0: DFF<Bits<64>>,
    cc_tel_hop_1: DFF<Bits<64>>,
    cc_tel_hop_2: DFF<Bits<64>>,
    cc_tel_hop_3: DFF<Bits<64>>,
    cc_tel_hop_4: DFF<Bits<64>>,
    order_valid: DFF<Bit>,
    order_op: DFF<Bits<2>>,
    order_addr: DFF<Bits<64>>,
    order_bytes: DFF<Bits<13>>,
    order_status: DFF<Bits<8>>,
    order_flow: DFF<Bits<FB>>,
    order_wr_id: DFF<Bits<32>>,
    order_byte_len: DFF<Bits<32>>,
    order_signalled: DFF<Bit>,
}

impl<const FB: usize> Logic for RequesterOut<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            pkt_valid,
            pkt_flow,
            pkt_opcode,
            pkt_psn,
            pkt_ack_req,
            pkt_solicited,
            pkt_payload_bytes,
            pkt_va,
            pkt_rkey,
            pkt_dma_len,
            pkt_imm,
            read_valid,
            read_addr,
            read_bytes,
            work_valid,
            work_flow,
            work_len_bytes,
            work_inflight_bytes,
            inflight_valid,
            inflight_flow,
            inflight_inflight_bytes,
            cc_valid,
            cc_flow,
            cc_psn,
            cc_snd_nxt,
            cc_tel_valid,
            cc_tel_hops,
            cc_tel_path,
            cc_tel_hop_0,
            cc_tel_hop_1,
            cc_tel_hop_2,
            cc_tel_hop_3,
            cc_tel_hop_4,
            order_valid,
            order_op,
            order_addr,
            order_bytes,
            order_status,
            order_flow,
            order_wr_id,
            order_byte_len,
            order_signalled
        );
        self.m_pkt_valid.next = self.pkt_valid.q.val();
        self.m_pkt_flow.next = self.pkt_flow.q.val();
        self.m_pkt_opcode.next = self.pkt_opcode.q.val();
        self.m_pkt_psn.next = self.pkt_psn.q.val();
        self.m_pkt_ack_req.next = self.pkt_ack_req.q.val();
        self.m_pkt_solicited.next = self.pkt_solicited.q.val();
        self.m_pkt_payload_bytes.next = self.pkt_payload_bytes.q.val();
        self.m_pkt_va.next = self.pkt_va.q.val();
        self.m_pkt_rkey.next = self.pkt_rkey.q.val();
        self.m_pkt_dma_len.next = self.pkt_dma_len.q.val();
        self.m_pkt_imm.next = self.pkt_imm.q.val();
        self.m_read_valid.next = self.read_valid.q.val();
        self.m_read_addr.next = self.read_addr.q.val();
        self.m_read_bytes.next = self.read_bytes.q.val();
        self.m_work_valid.next = self.work_valid.q.val();
        self.m_work_flow.next = self.work_flow.q.val();
        self.m_work_len_bytes.next = self.work_len_bytes.q.val();
        self.m_work_inflight_bytes.next = self.work_inflight_bytes.q.val();
        self.m_inflight_valid.next = self.inflight_valid.q.val();
        self.m_inflight_flow.next = self.inflight_flow.q.val();
        self.m_inflight_inflight_bytes.next = self.inflight_inflight_bytes.q.val();
        self.m_cc_valid.next = self.cc_valid.q.val();
        self.m_cc_flow.next = self.cc_flow.q.val();
        self.m_cc_psn.next = self.cc_psn.q.val();
        self.m_cc_snd_nxt.next = self.cc_snd_nxt.q.val();
        self.m_cc_tel_valid.next = self.cc_tel_valid.q.val();
        self.m_cc_tel_hops.next = self.cc_tel_hops.q.val();
        self.m_cc_tel_path.next = self.cc_tel_path.q.val();
        self.m_cc_tel_hop_0.next = self.cc_tel_hop_0.q.val();
        self.m_cc_tel_hop_1.next = self.cc_tel_hop_1.q.val();
        self.m_cc_tel_hop_2.next = self.cc_tel_hop_2.q.val();
        self.m_cc_tel_hop_3.next = self.cc_tel_hop_3.q.val();
        self.m_cc_tel_hop_4.next = self.cc_tel_hop_4.q.val();
        self.m_order_valid.next = self.order_valid.q.val();
        self.m_order_op.next = self.order_op.q.val();
        self.m_order_addr.next = self.order_addr.q.val();
        self.m_order_bytes.next = self.order_bytes.q.val();
        self.m_order_signalled.next = self.order_signalled.q.val();
        self.m_order_status.next = self.order_status.q.val();
        self.m_order_flow.next = self.order_flow.q.val();
        self.m_order_wr_id.next = self.order_wr_id.q.val();
        self.m_order_byte_len.next = self.order_byte_len.q.val();
        self.packet_free.next = !self.pkt_valid.q.val() & !self.read_valid.q.val();
        self.inflight_busy.next = self.inflight_valid.q.val() | self.cc_valid.q.val();
        self.work_busy.next = self.work_valid.q.val();
        self.order_busy.next = self.order_valid.q.val();
        if self.m_pkt_ready.val() {
            self.pkt_valid.d.next = false;
        }
        if self.m_read_ready.val() {
            self.read_valid.d.next = false;
        }
        if self.m_work_ready.val() {
            self.work_valid.d.next = false;
        }
        if self.m_inflight_ready.val() {
            self.inflight_valid.d.next = false;
        }
        if self.m_cc_ready.val() {
            self.cc_valid.d.next = false;
        }
        if self.m_order_ready.val() {
            self.order_valid.d.next = false;
        }
        if self.state.val() == State::Send {
            self.pkt_valid.d.next = true;
            self.pkt_flow.d.next = self.flow.val();
            self.pkt_opcode.d.next = self.opcode.val();
            self.pkt_psn.d.next = self.nxt.val();
            self.pkt_ack_req.d.next = self.ack_req.val();
            self.pkt_solicited.d.next = self.solicited.val();
            self.pkt_payload_bytes.d.next = self.bytes.val();
            self.pkt_va.d.next = self.va.val();
            self.pkt_rkey.d.next = self.rkey.val();
            self.pkt_dma_len.d.next = self.dma_len.val();
            self.pkt_imm.d.next = self.imm.val();
            if self.bytes.val().any() {
                self.read_valid.d.next = true;
                self.read_addr.d.next = self.address.val();
                self.read_bytes.d.next = self.bytes.val();
            }
        }
        if (self.state.val() == State::Arm) & !self.work_valid.q.val() & !self.blocked.val() {
            self.work_valid.d.next = true;
            self.work_flow.d.next = self.flow.val();
            self.work_len_bytes.d.next = self.frame_bytes.val();
            self.work_inflight_bytes.d.next = self.inflight.val();
        }
        if (self.state.val() == State::Emit) & !self.inflight_valid.q.val() & !self.cc_valid.q.val()
        {
            self.inflight_valid.d.next = true;
            self.inflight_flow.d.next = self.flow.val();
            self.inflight_inflight_bytes.d.next = self.inflight.val();
            if (self.op.val() == Op::Ack) & self.is_ack.val() & self.ack_tel_valid.val() {
                self.cc_valid.d.next = true;
                self.cc_flow.d.next = self.flow.val();
                self.cc_psn.d.next = self.ack_psn.val();
                self.cc_snd_nxt.d.next = self.nxt.val();
                self.cc_tel_valid.d.next = self.ack_tel_valid.val();
                self.cc_tel_hops.d.next = self.ack_tel_hops.val();
                self.cc_tel_path.d.next = self.ack_tel_path.val();
                self.cc_tel_hop_0.d.next = self.ack_tel_hop_0.val();
                self.cc_tel_hop_1.d.next = self.ack_tel_hop_1.val();
                self.cc_tel_hop_2.d.next = self.ack_tel_hop_2.val();
                self.cc_tel_hop_3.d.next = self.ack_tel_hop_3.val();
                self.cc_tel_hop_4.d.next = self.ack_tel_hop_4.val();
            }
        }
        if !self.order_valid.q.val() {
            if ((self.state.val() == State::Retire) & self.covered.val())
                | ((self.state.val() == State::Advance) & self.last_response.val())
                | (self.state.val() == State::FailEmit)
                | (self.state.val() == State::Flush)
            {
                self.order_valid.d.next = true;
                self.order_flow.d.next = self.flow.val();
                self.order_op.d.next = 0.into();
                self.order_status.d.next = 0.into();
                self.order_wr_id.d.next = self.wr_id.val();
                self.order_byte_len.d.next = self.len.val();
                self.order_signalled.d.next = self.signalled.val();
                if self.state.val() == State::FailEmit {
                    self.order_status.d.next = self.status.val();
                } else if self.state.val() == State::Flush {
                    self.order_status.d.next = 6.into();
                    self.order_wr_id.d.next = self.cfg_wr_id.val();
                    self.order_byte_len.d.next = self.cfg_len.val();
                    self.order_signalled.d.next = self.cfg_signalled.val();
                }
            }
        }
        if (self.state.val() == State::Order) & !self.order_valid.q.val() {
            self.order_valid.d.next = true;
            self.order_flow.d.next = self.flow.val();
            self.order_bytes.d.next = self.payload_bytes.val();
            self.order_op.d.next = 2.into();
            if self.lands.val() {
                self.order_op.d.next = 1.into();
                self.order_addr.d.next = self.address.val();
            }
        }
        if self.reset.val() {
            self.pkt_valid.d.next = false;
            self.pkt_flow.d.next = 0.into();
            self.pkt_opcode.d.next = 0.into();
            self.pkt_psn.d.next = 0.into();
            self.pkt_ack_req.d.next = false;
            self.pkt_solicited.d.next = false;
            self.pkt_payload_bytes.d.next = 0.into();
            self.pkt_va.d.next = 0.into();
            self.pkt_rkey.d.next = 0.into();
            self.pkt_dma_len.d.next = 0.into();
            self.pkt_imm.d.next = 0.into();
            self.read_valid.d.next = false;
            self.read_addr.d.next = 0.into();
            self.read_bytes.d.next = 0.into();
            self.work_valid.d.next = false;
            self.work_flow.d.next = 0.into();
            self.work_len_bytes.d.next = 0.into();
            self.work_inflight_bytes.d.next = 0.into();
            self.inflight_valid.d.next = false;
            self.inflight_flow.d.next = 0.into();
            self.inflight_inflight_bytes.d.next = 0.into();
            self.cc_valid.d.next = false;
            self.cc_flow.d.next = 0.into();
            self.cc_psn.d.next = 0.into();
            self.cc_snd_nxt.d.next = 0.into();
            self.cc_tel_valid.d.next = false;
            self.cc_tel_hops.d.next = 0.into();
            self.cc_tel_path.d.next = 0.into();
            self.cc_tel_hop_0.d.next = 0.into();
            self.cc_tel_hop_1.d.next = 0.into();
            self.cc_tel_hop_2.d.next = 0.into();
            self.cc_tel_hop_3.d.next = 0.into();
            self.cc_tel_hop_4.d.next = 0.into();
            self.order_valid.d.next = false;
            self.order_op.d.next = 0.into();
            self.order_addr.d.next = 0.into();
            self.order_bytes.d.next = 0.into();
            self.order_status.d.next = 0.into();
            self.order_flow.d.next = 0.into();
            self.order_wr_id.d.next = 0.into();
            self.order_byte_len.d.next = 0.into();
            self.order_signalled.d.next = false;
        }
    }
}
