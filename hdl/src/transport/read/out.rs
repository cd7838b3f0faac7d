//! Outputs of the READ responses: one register a stream.
//!
//! # Source            InfiniBand architecture volume 1, section 9.7.5.1.2 (READ responses), 9.2.1
//!                     (opcodes), 9.2.5 (AETH); hdl/transport.md
//! # Interface timing  steps as `read_ctl` has them; an output stands from the next cycle on
//! # Number formats    m_pkt_opcode | 0x0d FIRST, 0x0e MIDDLE, 0x0f LAST, 0x10 ONLY
//! # Reset             synchronous, high: all outputs 0
//! # Twins             sim/models/src/golden/transport/read/reply.rs, tests/transport/read_reply.rs

use crate::streams::{ReadCommand, Reply, Work};
use crate::{block, Reg, Regs, Wire};
use nic_spec::wire::aeth::syndrome;
use nic_spec::wire::bth::opcode;
use rust_hdl_core::prelude::*;

/// Outputs for `2^FB` flows.
#[block]
pub struct ReadOut<const FB: usize> {
    /// Flow of the operation.
    pub flow: Signal<In, Bits<FB>>,
    /// The packet leaves.
    pub sends: Signal<In, Bit>,
    /// PSN of the packet.
    pub psn: Signal<In, Bits<24>>,
    /// Its MSN.
    pub msn: Signal<In, Bits<24>>,
    /// Mark of its flow's row.
    pub mark: Signal<In, Bits<4>>,
    /// Address of its bytes.
    pub addr: Signal<In, Bits<64>>,
    /// Bytes.
    pub bytes: Signal<In, Bits<13>>,
    /// It is in the middle or at the end of its READ.
    pub begun: Signal<In, Bit>,
    /// It is the last of its job.
    pub last: Signal<In, Bit>,
    /// Step: arm the flow.
    pub work: Signal<In, Bit>,
    /// Bytes of the next frame.
    pub frame_bytes: Signal<In, Bits<14>>,
    /// Nothing stands at m_pkt and m_read.
    pub packet_free: Signal<Out, Bit>,
    /// Nothing stands at m_work.
    pub work_free: Signal<Out, Bit>,
    /// A response stands at the source.
    pub m_pkt: Reply<Out, FB>,
    /// A read command stands at the source.
    pub m_read: ReadCommand<Out>,
    /// The flow has a packet to send.
    pub m_work: Work<Out, FB>,
    /// A response was handed over.
    pub event_read_packet: Signal<Out, Bit>,
    pkt_valid: Reg<Bit>,
    pkt_flow: Reg<Bits<FB>>,
    pkt_psn: Reg<Bits<24>>,
    pkt_opcode: Reg<Bits<8>>,
    pkt_bytes: Reg<Bits<13>>,
    pkt_syndrome: Reg<Bits<8>>,
    pkt_msn: Reg<Bits<24>>,
    pkt_mark: Reg<Bits<4>>,
    read: ReadCommand<Regs>,
    arm: Work<Regs, FB>,
    e_packet: Reg<Bit>,
    is_middle: Signal<Local, Bit>,
    #[init(Constant::new(u64::from(opcode::READ_RESPONSE_FIRST).to_bits()))]
    response_first: Constant<Bits<8>>,
    #[init(Constant::new(u64::from(opcode::READ_RESPONSE_MIDDLE).to_bits()))]
    response_middle: Constant<Bits<8>>,
    #[init(Constant::new(u64::from(opcode::READ_RESPONSE_LAST).to_bits()))]
    response_last: Constant<Bits<8>>,
    #[init(Constant::new(u64::from(opcode::READ_RESPONSE_ONLY).to_bits()))]
    response_only: Constant<Bits<8>>,
    #[init(Constant::new(u64::from(syndrome::ACK).to_bits()))]
    syndrome_ack: Constant<Bits<8>>,
}

impl<const FB: usize> Logic for ReadOut<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_pkt.valid.next = self.pkt_valid.val();
        self.m_pkt.flow.next = self.pkt_flow.val();
        self.m_pkt.opcode.next = self.pkt_opcode.val();
        self.m_pkt.psn.next = self.pkt_psn.val();
        self.m_pkt.payload_bytes.next = self.pkt_bytes.val();
        self.m_pkt.syndrome.next = self.pkt_syndrome.val();
        self.m_pkt.msn.next = self.pkt_msn.val();
        self.m_pkt.mark.next = self.pkt_mark.val();
        Wire::join(&mut self.read, &mut self.m_read);
        Wire::join(&mut self.arm, &mut self.m_work);
        self.event_read_packet.next = self.e_packet.val();
        self.packet_free.next = !self.pkt_valid.val() & !self.read.valid.val();
        self.work_free.next = !self.arm.valid.val();
        self.is_middle.next = self.begun.val() & !self.last.val();
        self.e_packet.next = self.sends.val();
        if self.m_pkt.ready.val() {
            self.pkt_valid.next = false;
        }
        if self.m_read.ready.val() {
            self.read.valid.next = false;
        }
        if self.m_work.ready.val() {
            self.arm.valid.next = false;
        }
        comment!("the packet");
        if self.sends.val() {
            self.pkt_valid.next = true;
            self.pkt_flow.next = self.flow.val();
            self.pkt_psn.next = self.psn.val();
            self.pkt_bytes.next = self.bytes.val();
            self.pkt_syndrome.next = self.syndrome_ack.val();
            self.pkt_msn.next = self.msn.val();
            self.pkt_mark.next = self.mark.val();
            self.pkt_opcode.next = self.response_first.val();
            if self.last.val() {
                self.pkt_opcode.next = self.response_only.val();
                if self.begun.val() {
                    self.pkt_opcode.next = self.response_last.val();
                }
            }
            if self.is_middle.val() {
                self.pkt_opcode.next = self.response_middle.val();
                self.pkt_syndrome.next = 0.into();
                self.pkt_msn.next = 0.into();
            }
            if self.bytes.val().any() {
                self.read.valid.next = true;
                self.read.addr.next = self.addr.val();
                self.read.bytes.next = self.bytes.val();
            }
        }
        if self.work.val() {
            self.arm.valid.next = true;
            self.arm.flow.next = self.flow.val();
            self.arm.frame_count.next = 1.into();
            self.arm.len_bytes.next = self.frame_bytes.val();
        }
    }
}
