//! First stage of the responder: takes a request and finds out what follows from it and from its
//! queue pair alone.
//!
//! # Source            InfiniBand architecture volume 1, sections 9.7.4.1.2 (opcodes), 9.7.4.1.6
//!                     (length); hdl/transport.md
//! # Interface timing  cycle 0: step, take, s_req; the queue pair's row follows in cycle 1, so m_
//!                     stands from cycle 3 at the latest, and holds until the next step
//! # Latency and rate  one request a step
//! # Number formats    [`Asked`]
//! # Reset             synchronous, high: m_valid = 0
//! # Twins             sim/models/src/golden/transport/responder.rs, tests/transport/responder.rs

use crate::transport::responder::tables::ReceiverRow;
use crate::{block, kernel, row, Reg, Unreset};
use nic_spec::wire::bth::opcode;
use rust_hdl_core::prelude::*;

/// What is known of a request without the flow's state.
#[row]
pub struct Asked {
    /// Its PSN.
    pub psn: Bits<24>,
    /// Bytes of payload.
    pub payload: Bits<13>,
    /// Immediate data.
    pub imm: Bits<32>,
    /// PSNs that it takes: of a READ those of its responses.
    pub packets: Bits<24>,
    /// log2(MTU) - 8.
    pub mtu_code: Bits<3>,
    /// An ACK is asked for.
    pub ack_req: Bit,
    /// It is of this queue pair, and comes from its peer.
    pub is_ours: Bit,
    /// Its flow has telemetry.
    pub telemetry: Bit,
    /// A READ.
    pub is_read: Bit,
    /// Asked for again it gets no ACK: a READ or an atomic operation.
    pub is_silent: Bit,
    /// A message starts with it.
    pub starts: Bit,
    /// One ends with it.
    pub ends: Bit,
    /// It brings immediate data.
    pub has_imm: Bit,
    /// The queue pair lets the peer do this.
    pub may: Bit,
    /// The payload is as long as a packet of this kind may be.
    pub is_sized: Bit,
}

/// Intake of requests.
#[block]
pub struct RespIntake<const FB: usize> {
    /// The stages move on.
    pub step: Signal<In, Bit>,
    /// With a request.
    pub take: Signal<In, Bit>,
    /// Queue pair.
    pub s_req_qpn: Signal<In, Bits<24>>,
    /// Operation.
    pub s_req_opcode: Signal<In, Bits<8>>,
    /// Sequence number.
    pub s_req_psn: Signal<In, Bits<24>>,
    /// An ACK is asked for.
    pub s_req_ack_req: Signal<In, Bit>,
    /// Bytes of payload.
    pub s_req_payload_bytes: Signal<In, Bits<13>>,
    /// RETH: virtual address.
    pub s_req_va: Signal<In, Bits<64>>,
    /// RETH: rkey.
    pub s_req_rkey: Signal<In, Bits<32>>,
    /// RETH: bytes of the message.
    pub s_req_dma_len: Signal<In, Bits<32>>,
    /// Immediate data.
    pub s_req_imm: Signal<In, Bits<32>>,
    /// Sender.
    pub s_req_src_ip: Signal<In, Bits<32>>,
    /// Row of its queue pair, from the cycle behind the step on.
    pub qp: Signal<In, ReceiverRow>,
    /// A request is here.
    pub m_valid: Signal<Out, Bit>,
    /// Its flow.
    pub m_flow: Signal<Out, Bits<FB>>,
    /// What it asks for.
    pub m_asked: Signal<Out, Asked>,
    /// RETH: virtual address.
    pub m_va: Signal<Out, Bits<64>>,
    /// RETH: rkey.
    pub m_rkey: Signal<Out, Bits<32>>,
    /// RETH: bytes of the message.
    pub m_dma_len: Signal<Out, Bits<32>>,
    valid: Reg<Bit>,
    qpn: Unreset<Bits<24>>,
    psn: Unreset<Bits<24>>,
    ack_req: Unreset<Bit>,
    payload: Unreset<Bits<13>>,
    va: Unreset<Bits<64>>,
    rkey: Unreset<Bits<32>>,
    dma_len: Unreset<Bits<32>>,
    imm: Unreset<Bits<32>>,
    src_ip: Unreset<Bits<32>>,
    is_write: Unreset<Bit>,
    is_read: Unreset<Bit>,
    is_atomic: Unreset<Bit>,
    starts: Unreset<Bit>,
    ends: Unreset<Bit>,
    has_imm: Unreset<Bit>,
    len_less: Unreset<Bits<32>>,
    is_single: Unreset<Bit>,
    qp_q: Unreset<ReceiverRow>,
    opcode: Signal<Local, Bits<8>>,
    first: Signal<Local, Bit>,
    middle: Signal<Local, Bit>,
    last: Signal<Local, Bit>,
    only: Signal<Local, Bit>,
    read: Signal<Local, Bit>,
    mtu: Signal<Local, Bits<13>>,
    packets_less: Signal<Local, Bits<24>>,
    asked: Signal<Local, Asked>,
    #[init(Constant::new(u64::from(opcode::WRITE_FIRST).to_bits()))]
    write_first: Constant<Bits<8>>,
    #[init(Constant::new(u64::from(opcode::WRITE_MIDDLE).to_bits()))]
    write_middle: Constant<Bits<8>>,
    #[init(Constant::new(u64::from(opcode::WRITE_LAST).to_bits()))]
    write_last: Constant<Bits<8>>,
    #[init(Constant::new(u64::from(opcode::WRITE_LAST_IMM).to_bits()))]
    write_last_imm: Constant<Bits<8>>,
    #[init(Constant::new(u64::from(opcode::WRITE_ONLY).to_bits()))]
    write_only: Constant<Bits<8>>,
    #[init(Constant::new(u64::from(opcode::WRITE_ONLY_IMM).to_bits()))]
    write_only_imm: Constant<Bits<8>>,
    #[init(Constant::new(u64::from(opcode::READ_REQUEST).to_bits()))]
    read_request: Constant<Bits<8>>,
    #[init(Constant::new(u64::from(opcode::COMPARE_SWAP).to_bits()))]
    compare_swap: Constant<Bits<8>>,
    #[init(Constant::new(u64::from(opcode::FETCH_ADD).to_bits()))]
    fetch_add: Constant<Bits<8>>,
}

#[kernel]
impl<const FB: usize> RespIntake<FB> {
    fn update(&mut self) {
        self.take();
        self.sizes();
        self.outputs();
    }

    /// The request, and what its opcode says.
    fn take(&mut self) {
        self.opcode.next = self.s_req_opcode.val();
        self.first.next = self.opcode.val() == self.write_first.val();
        self.middle.next = self.opcode.val() == self.write_middle.val();
        self.last.next = (self.opcode.val() == self.write_last.val())
            | (self.opcode.val() == self.write_last_imm.val());
        self.only.next = (self.opcode.val() == self.write_only.val())
            | (self.opcode.val() == self.write_only_imm.val());
        self.read.next = self.opcode.val() == self.read_request.val();
        if self.step.val() {
            self.valid.next = self.take.val();
            self.qpn.next = self.s_req_qpn.val();
            self.psn.next = self.s_req_psn.val();
            self.ack_req.next = self.s_req_ack_req.val();
            self.payload.next = self.s_req_payload_bytes.val();
            self.va.next = self.s_req_va.val();
            self.rkey.next = self.s_req_rkey.val();
            self.dma_len.next = self.s_req_dma_len.val();
            self.imm.next = self.s_req_imm.val();
            self.src_ip.next = self.s_req_src_ip.val();
            self.starts.next = self.first.val() | self.only.val() | self.read.val();
            self.ends.next = self.last.val() | self.only.val() | self.read.val();
            self.has_imm.next = (self.opcode.val() == self.write_last_imm.val())
                | (self.opcode.val() == self.write_only_imm.val());
            self.is_write.next =
                self.first.val() | self.middle.val() | self.last.val() | self.only.val();
            self.is_read.next = self.read.val();
            self.is_atomic.next = (self.opcode.val() == self.compare_swap.val())
                | (self.opcode.val() == self.fetch_add.val());
        }
    }

    /// A cycle behind the step: packets of a READ, less one; one packet, whatever the MTU.
    fn sizes(&mut self) {
        self.qp_q.next = self.qp.val();
        self.len_less.next = self.dma_len.val() - 1;
        self.is_single.next = !self.is_read.val() | !self.dma_len.val().any();
        match self.qp_q.val().mtu_code.index() {
            0 => {
                self.mtu.next = 256.into();
                self.packets_less.next = self.len_less.val().get_bits::<24>(8);
            }
            1 => {
                self.mtu.next = 512.into();
                self.packets_less.next = bit_cast::<24, 23>(self.len_less.val().get_bits::<23>(9));
            }
            2 => {
                self.mtu.next = 1024.into();
                self.packets_less.next = bit_cast::<24, 22>(self.len_less.val().get_bits::<22>(10));
            }
            3 => {
                self.mtu.next = 2048.into();
                self.packets_less.next = bit_cast::<24, 21>(self.len_less.val().get_bits::<21>(11));
            }
            _ => {
                self.mtu.next = 4096.into();
                self.packets_less.next = bit_cast::<24, 20>(self.len_less.val().get_bits::<20>(12));
            }
        }
        if self.is_single.val() {
            self.packets_less.next = 0.into();
        }
    }

    fn outputs(&mut self) {
        self.m_valid.next = self.valid.val();
        self.m_flow.next = self.qpn.val().get_bits::<FB>(0);
        self.m_va.next = self.va.val();
        self.m_rkey.next = self.rkey.val();
        self.m_dma_len.next = self.dma_len.val();
        self.asked.next.psn = self.psn.val();
        self.asked.next.payload = self.payload.val();
        self.asked.next.imm = self.imm.val();
        self.asked.next.packets = self.packets_less.val() + 1;
        self.asked.next.mtu_code = self.qp_q.val().mtu_code;
        self.asked.next.ack_req = self.ack_req.val();
        self.asked.next.is_ours = self.qp_q.val().valid
            & (self.qp_q.val().qpn == self.qpn.val())
            & (self.qp_q.val().remote_ip == self.src_ip.val());
        self.asked.next.telemetry = self.qp_q.val().telemetry;
        self.asked.next.is_read = self.is_read.val();
        self.asked.next.is_silent = self.is_read.val() | self.is_atomic.val();
        self.asked.next.starts = self.starts.val();
        self.asked.next.ends = self.ends.val();
        self.asked.next.has_imm = self.has_imm.val();
        self.asked.next.may = (self.is_write.val() & self.qp_q.val().remote_write)
            | (self.is_read.val() & self.qp_q.val().remote_read);
        self.asked.next.is_sized = self.payload.val() == self.mtu.val();
        if self.ends.val() {
            self.asked.next.is_sized = self.payload.val() <= self.mtu.val();
        }
        if self.is_read.val() {
            self.asked.next.is_sized = !self.payload.val().any();
        }
        self.m_asked.next = self.asked.val();
    }
}
