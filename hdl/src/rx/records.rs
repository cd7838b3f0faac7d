//! Records of accepted packets, in order, towards responder (requests), requester (ACKs and READ
//! responses) and congestion control (telemetry responses).
//!
//! One FIFO holds all, so an ACK waits behind a request that is not taken. The fields of all
//! sources are the same words.
//!
//! # Interface timing  cycle 0: s_write with the fields; cycle 1: s_store, if they stay; cycle 2:
//!                     m_req, m_ack or m_feedback
//! # Latency and rate  2; one record per cycle
//! # Shape             holds 2^RB records
//! # Reset             synchronous, high: empty, fields 0; they hold their last value while valid
//!                     is low
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::rx::record_fifo::RxRecordFifo;
use crate::streams::{Answer, Feedback, Request, Telemetry};
use crate::{block, kernel};
use rust_hdl_core::prelude::*;

/// Records of the rx pipe. A record is 19 words: va, rkey, dma_len, imm, src_ip, `{opcode,
/// qpn}`, `{flags, psn}`, `{tel_path, tel_hops, tel_valid, payload_bytes}`, hops.
#[block]
pub struct RxRecords<const RB: usize> {
    /// A frame's record, which is not judged yet.
    pub s_write: Signal<In, Bit>,
    /// That of the cycle before stays.
    pub s_store: Signal<In, Bit>,
    /// The record is an ACK or a READ response.
    pub for_requester: Signal<In, Bit>,
    /// The record is a telemetry response.
    pub for_feedback: Signal<In, Bit>,
    /// Queue pair.
    pub qpn: Signal<In, Bits<24>>,
    /// Operation code.
    pub opcode: Signal<In, Bits<8>>,
    /// Packet sequence number.
    pub psn: Signal<In, Bits<24>>,
    /// Acknowledge request.
    pub ack_req: Signal<In, Bit>,
    /// Solicited event.
    pub solicited: Signal<In, Bit>,
    /// Bytes of payload.
    pub payload_bytes: Signal<In, Bits<13>>,
    /// RETH virtual address.
    pub va: Signal<In, Bits<64>>,
    /// RETH key.
    pub rkey: Signal<In, Bits<32>>,
    /// RETH length.
    pub dma_len: Signal<In, Bits<32>>,
    /// Immediate data or AETH.
    pub imm: Signal<In, Bits<32>>,
    /// Source address.
    pub src_ip: Signal<In, Bits<32>>,
    /// UDP source port; kept of telemetry responses alone, in the place of an AETH or ImmDt.
    pub src_port: Signal<In, Bits<16>>,
    /// Telemetry is there.
    pub tel: Telemetry<In>,
    /// A request stands here.
    pub m_req: Request<Out>,
    /// Solicited event.
    pub m_req_solicited: Signal<Out, Bit>,
    /// An ACK or READ response stands here.
    pub m_ack: Answer<Out>,
    /// A telemetry response stands here.
    pub m_feedback: Feedback<Out>,
    fifo: RxRecordFifo<RB>,
    head_for_requester: Signal<Local, Bit>,
    head_for_feedback: Signal<Local, Bit>,
    head_for_responder: Signal<Local, Bit>,
    opcode_wide: Signal<Local, Bits<32>>,
    ack_req_wide: Signal<Local, Bits<32>>,
    solicited_wide: Signal<Local, Bits<32>>,
    for_requester_wide: Signal<Local, Bits<32>>,
    for_feedback_wide: Signal<Local, Bits<32>>,
    port_wide: Signal<Local, Bits<32>>,
    tel_valid_wide: Signal<Local, Bits<32>>,
    hops_wide: Signal<Local, Bits<32>>,
    path_wide: Signal<Local, Bits<32>>,
    va_high: Signal<Local, Bits<64>>,
    hop_low_0: Signal<Local, Bits<64>>,
    hop_high_0: Signal<Local, Bits<64>>,
    hop_low_1: Signal<Local, Bits<64>>,
    hop_high_1: Signal<Local, Bits<64>>,
    hop_low_2: Signal<Local, Bits<64>>,
    hop_high_2: Signal<Local, Bits<64>>,
    hop_low_3: Signal<Local, Bits<64>>,
    hop_high_3: Signal<Local, Bits<64>>,
    hop_low_4: Signal<Local, Bits<64>>,
    hop_high_4: Signal<Local, Bits<64>>,
}

#[kernel]
impl<const RB: usize> RxRecords<RB> {
    fn update(&mut self) {
        self.fifo.s_write.next = self.s_write.val();
        self.fifo.s_store.next = self.s_store.val();
        self.head_for_requester.next = self.fifo.m_word[7].val().for_requester;
        self.head_for_feedback.next = self.fifo.m_word[7].val().for_feedback;
        self.head_for_responder.next =
            !self.head_for_requester.val() & !self.head_for_feedback.val();
        self.m_req.valid.next = self.fifo.m_valid.val() & self.head_for_responder.val();
        self.m_ack.valid.next = self.fifo.m_valid.val() & self.head_for_requester.val();
        self.m_feedback.valid.next = self.fifo.m_valid.val() & self.head_for_feedback.val();
        self.fifo.m_ready.next = (self.m_req.ready.val() & self.head_for_responder.val())
            | (self.m_ack.ready.val() & self.head_for_requester.val())
            | (self.m_feedback.ready.val() & self.head_for_feedback.val());
        self.words();
        self.fields();
    }

    /// Fields to words.
    fn words(&mut self) {
        self.opcode_wide.next = bit_cast::<32, 8>(self.opcode.val());
        self.for_requester_wide.next = 0.into();
        if self.for_requester.val() {
            self.for_requester_wide.next = 0x0100_0000.into();
        }
        self.for_feedback_wide.next = 0.into();
        self.port_wide.next = 0.into();
        if self.for_feedback.val() {
            if !self.opcode.val().get_bit(2) {
                self.port_wide.next = bit_cast::<32, 16>(self.src_port.val());
            }
            self.for_feedback_wide.next = 0x0800_0000.into();
        }
        self.solicited_wide.next = 0.into();
        if self.solicited.val() {
            self.solicited_wide.next = 0x0200_0000.into();
        }
        self.ack_req_wide.next = 0.into();
        if self.ack_req.val() {
            self.ack_req_wide.next = 0x0400_0000.into();
        }
        self.tel_valid_wide.next = 0.into();
        if self.tel.valid.val() {
            self.tel_valid_wide.next = 0x2000.into();
        }
        self.hops_wide.next = bit_cast::<32, 3>(self.tel.hops.val());
        self.path_wide.next = bit_cast::<32, 12>(self.tel.path.val());
        self.fifo.s_word[0].next = self.va.val().get_bits::<32>(0);
        self.fifo.s_word[1].next = self.va.val().get_bits::<32>(32);
        self.fifo.s_word[2].next = self.rkey.val();
        self.fifo.s_word[3].next = self.dma_len.val();
        self.fifo.s_word[4].next = self.imm.val() | self.port_wide.val();
        self.fifo.s_word[5].next = self.src_ip.val();
        self.fifo.s_word[6].next =
            bit_cast::<32, 24>(self.qpn.val()) | (self.opcode_wide.val() << 24);
        self.fifo.s_word[7].next = bit_cast::<32, 24>(self.psn.val())
            | self.for_requester_wide.val()
            | self.for_feedback_wide.val()
            | self.solicited_wide.val()
            | self.ack_req_wide.val();
        self.fifo.s_word[8].next = bit_cast::<32, 13>(self.payload_bytes.val())
            | self.tel_valid_wide.val()
            | (self.hops_wide.val() << 14)
            | (self.path_wide.val() << 17);
        self.fifo.s_word[9].next = self.tel.hop[0].val().get_bits::<32>(0);
        self.fifo.s_word[10].next = self.tel.hop[0].val().get_bits::<32>(32);
        self.fifo.s_word[11].next = self.tel.hop[1].val().get_bits::<32>(0);
        self.fifo.s_word[12].next = self.tel.hop[1].val().get_bits::<32>(32);
        self.fifo.s_word[13].next = self.tel.hop[2].val().get_bits::<32>(0);
        self.fifo.s_word[14].next = self.tel.hop[2].val().get_bits::<32>(32);
        self.fifo.s_word[15].next = self.tel.hop[3].val().get_bits::<32>(0);
        self.fifo.s_word[16].next = self.tel.hop[3].val().get_bits::<32>(32);
        self.fifo.s_word[17].next = self.tel.hop[4].val().get_bits::<32>(0);
        self.fifo.s_word[18].next = self.tel.hop[4].val().get_bits::<32>(32);
    }

    /// Words to fields.
    fn fields(&mut self) {
        self.m_req.qpn.next = self.fifo.m_word[6].val().qpn;
        self.m_req.opcode.next = self.fifo.m_word[6].val().opcode;
        self.m_req.psn.next = self.fifo.m_word[7].val().psn;
        self.m_req_solicited.next = self.fifo.m_word[7].val().solicited;
        self.m_req.ack_req.next = self.fifo.m_word[7].val().ack_req;
        self.m_req.payload_bytes.next = self.fifo.m_word[8].val().payload_bytes;
        self.va_high.next = bit_cast::<64, 32>(self.fifo.m_word[1].val().into());
        self.m_req.va.next =
            bit_cast::<64, 32>(self.fifo.m_word[0].val().into()) | (self.va_high.val() << 32);
        self.m_req.rkey.next = self.fifo.m_word[2].val().into();
        self.m_req.dma_len.next = self.fifo.m_word[3].val().into();
        self.m_req.imm.next = self.fifo.m_word[4].val().into();
        self.m_req.src_ip.next = self.fifo.m_word[5].val().into();
        self.m_ack.qpn.next = self.fifo.m_word[6].val().qpn;
        self.m_ack.psn.next = self.fifo.m_word[7].val().psn;
        self.m_ack.opcode.next = self.fifo.m_word[6].val().opcode;
        self.m_ack.payload_bytes.next = self.fifo.m_word[8].val().payload_bytes;
        self.m_ack.syndrome.next = self.fifo.m_word[4].val().syndrome;
        self.m_ack.msn.next = self.fifo.m_word[4].val().msn;
        self.m_ack.src_ip.next = self.fifo.m_word[5].val().into();
        self.m_req.tel.valid.next = self.fifo.m_word[8].val().tel_valid;
        self.m_req.tel.hops.next = self.fifo.m_word[8].val().hops;
        self.m_req.tel.path.next = self.fifo.m_word[8].val().path;
        self.m_ack.tel.valid.next = self.fifo.m_word[8].val().tel_valid;
        self.m_ack.tel.hops.next = self.fifo.m_word[8].val().hops;
        self.m_ack.tel.path.next = self.fifo.m_word[8].val().path;
        self.m_feedback.qpn.next = self.fifo.m_word[6].val().qpn;
        self.m_feedback.psn.next = self.fifo.m_word[7].val().psn;
        self.m_feedback.src_ip.next = self.fifo.m_word[5].val().into();
        self.m_feedback.direct.next = self.fifo.m_word[6].val().direct;
        self.m_feedback.probe.next = self.fifo.m_word[6].val().probe;
        self.m_feedback.window.next = self.fifo.m_word[6].val().window;
        self.m_feedback.port.next = self.fifo.m_word[4].val().port;
        self.m_feedback.tel.valid.next = self.fifo.m_word[8].val().tel_valid;
        self.m_feedback.tel.hops.next = self.fifo.m_word[8].val().hops;
        self.m_feedback.tel.path.next = self.fifo.m_word[8].val().path;
        self.hop_low_0.next = bit_cast::<64, 32>(self.fifo.m_word[9].val().into());
        self.hop_high_0.next = bit_cast::<64, 32>(self.fifo.m_word[10].val().into());
        self.m_req.tel.hop[0].next = self.hop_low_0.val() | (self.hop_high_0.val() << 32);
        self.m_ack.tel.hop[0].next = self.hop_low_0.val() | (self.hop_high_0.val() << 32);
        self.m_feedback.tel.hop[0].next = self.hop_low_0.val() | (self.hop_high_0.val() << 32);
        self.hop_low_1.next = bit_cast::<64, 32>(self.fifo.m_word[11].val().into());
        self.hop_high_1.next = bit_cast::<64, 32>(self.fifo.m_word[12].val().into());
        self.m_req.tel.hop[1].next = self.hop_low_1.val() | (self.hop_high_1.val() << 32);
        self.m_ack.tel.hop[1].next = self.hop_low_1.val() | (self.hop_high_1.val() << 32);
        self.m_feedback.tel.hop[1].next = self.hop_low_1.val() | (self.hop_high_1.val() << 32);
        self.hop_low_2.next = bit_cast::<64, 32>(self.fifo.m_word[13].val().into());
        self.hop_high_2.next = bit_cast::<64, 32>(self.fifo.m_word[14].val().into());
        self.m_req.tel.hop[2].next = self.hop_low_2.val() | (self.hop_high_2.val() << 32);
        self.m_ack.tel.hop[2].next = self.hop_low_2.val() | (self.hop_high_2.val() << 32);
        self.m_feedback.tel.hop[2].next = self.hop_low_2.val() | (self.hop_high_2.val() << 32);
        self.hop_low_3.next = bit_cast::<64, 32>(self.fifo.m_word[15].val().into());
        self.hop_high_3.next = bit_cast::<64, 32>(self.fifo.m_word[16].val().into());
        self.m_req.tel.hop[3].next = self.hop_low_3.val() | (self.hop_high_3.val() << 32);
        self.m_ack.tel.hop[3].next = self.hop_low_3.val() | (self.hop_high_3.val() << 32);
        self.m_feedback.tel.hop[3].next = self.hop_low_3.val() | (self.hop_high_3.val() << 32);
        self.hop_low_4.next = bit_cast::<64, 32>(self.fifo.m_word[17].val().into());
        self.hop_high_4.next = bit_cast::<64, 32>(self.fifo.m_word[18].val().into());
        self.m_req.tel.hop[4].next = self.hop_low_4.val() | (self.hop_high_4.val() << 32);
        self.m_ack.tel.hop[4].next = self.hop_low_4.val() | (self.hop_high_4.val() << 32);
        self.m_feedback.tel.hop[4].next = self.hop_low_4.val() | (self.hop_high_4.val() << 32);
    }
}
