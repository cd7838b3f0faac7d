//! Outputs of the READ responses: one register a stream.
//!
//! # Source            InfiniBand architecture volume 1, section 9.7.5.1.2 (READ responses), 9.2.1
//!                     (opcodes), 9.2.5 (AETH); ARCHITECTURE.md, READ responses
//! # Interface timing  steps as `read_ctl` has them; an output stands from the next cycle on
//! # Number formats    m_pkt_opcode | 0x0d FIRST, 0x0e MIDDLE, 0x0f LAST, 0x10 ONLY
//! # Reset             synchronous, high: all outputs 0
//! # Twins             sim/src/golden/transport/read_reply.rs, tests/read_reply.rs

use crate::Module;
use nic_spec::wire::aeth::syndrome;
use nic_spec::wire::bth::opcode;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Outputs for `2^FB` flows.
#[derive(LogicBlock)]
pub struct ReadOut<const FB: usize> {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    pub m_pkt_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_pkt_ready: Signal<In, Bit>,
    /// Flow index.
    pub m_pkt_flow: Signal<Out, Bits<FB>>,
    /// Operation.
    pub m_pkt_opcode: Signal<Out, Bits<8>>,
    /// Sequence number.
    pub m_pkt_psn: Signal<Out, Bits<24>>,
    /// Bytes of payload.
    pub m_pkt_payload_bytes: Signal<Out, Bits<13>>,
    /// AETH syndrome; 0 without AETH.
    pub m_pkt_syndrome: Signal<Out, Bits<8>>,
    /// AETH MSN; 0 without AETH.
    pub m_pkt_msn: Signal<Out, Bits<24>>,
    /// Mark of its flow's row.
    pub m_pkt_mark: Signal<Out, Bits<4>>,
    /// A read command stands at the source.
    pub m_read_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_read_ready: Signal<In, Bit>,
    /// Address of the first byte.
    pub m_read_addr: Signal<Out, Bits<64>>,
    /// Bytes.
    pub m_read_bytes: Signal<Out, Bits<13>>,
    /// A flow wants to send.
    pub m_work_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_work_ready: Signal<In, Bit>,
    /// Flow index.
    pub m_work_flow: Signal<Out, Bits<FB>>,
    /// Bytes of its next frame.
    pub m_work_len_bytes: Signal<Out, Bits<14>>,
    /// A response was handed over.
    pub event_read_packet: Signal<Out, Bit>,
    pkt_valid: DFF<Bit>,
    pkt_flow: DFF<Bits<FB>>,
    pkt_opcode: DFF<Bits<8>>,
    pkt_psn: DFF<Bits<24>>,
    pkt_bytes: DFF<Bits<13>>,
    pkt_syndrome: DFF<Bits<8>>,
    pkt_msn: DFF<Bits<24>>,
    pkt_mark: DFF<Bits<4>>,
    read_valid: DFF<Bit>,
    read_addr: DFF<Bits<64>>,
    read_bytes: DFF<Bits<13>>,
    work_valid: DFF<Bit>,
    work_flow: DFF<Bits<FB>>,
    work_len: DFF<Bits<14>>,
    e_packet: DFF<Bit>,
    is_middle: Signal<Local, Bit>,
    response_first: Constant<Bits<8>>,
    response_middle: Constant<Bits<8>>,
    response_last: Constant<Bits<8>>,
    response_only: Constant<Bits<8>>,
    syndrome_ack: Constant<Bits<8>>,
}

impl<const FB: usize> Default for ReadOut<FB> {
    fn default() -> Self {
        let byte = |code: u8| Constant::new(u64::from(code).to_bits());
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            flow: Default::default(),
            sends: Default::default(),
            psn: Default::default(),
            msn: Default::default(),
            mark: Default::default(),
            addr: Default::default(),
            bytes: Default::default(),
            begun: Default::default(),
            last: Default::default(),
            work: Default::default(),
            frame_bytes: Default::default(),
            packet_free: Default::default(),
            work_free: Default::default(),
            m_pkt_valid: Default::default(),
            m_pkt_ready: Default::default(),
            m_pkt_flow: Default::default(),
            m_pkt_opcode: Default::default(),
            m_pkt_psn: Default::default(),
            m_pkt_payload_bytes: Default::default(),
            m_pkt_syndrome: Default::default(),
            m_pkt_msn: Default::default(),
            m_pkt_mark: Default::default(),
            m_read_valid: Default::default(),
            m_read_ready: Default::default(),
            m_read_addr: Default::default(),
            m_read_bytes: Default::default(),
            m_work_valid: Default::default(),
            m_work_ready: Default::default(),
            m_work_flow: Default::default(),
            m_work_len_bytes: Default::default(),
            event_read_packet: Default::default(),
            pkt_valid: Default::default(),
            pkt_flow: Default::default(),
            pkt_opcode: Default::default(),
            pkt_psn: Default::default(),
            pkt_bytes: Default::default(),
            pkt_syndrome: Default::default(),
            pkt_msn: Default::default(),
            pkt_mark: Default::default(),
            read_valid: Default::default(),
            read_addr: Default::default(),
            read_bytes: Default::default(),
            work_valid: Default::default(),
            work_flow: Default::default(),
            work_len: Default::default(),
            e_packet: Default::default(),
            is_middle: Default::default(),
            response_first: byte(opcode::READ_RESPONSE_FIRST),
            response_middle: byte(opcode::READ_RESPONSE_MIDDLE),
            response_last: byte(opcode::READ_RESPONSE_LAST),
            response_only: byte(opcode::READ_RESPONSE_ONLY),
            syndrome_ack: byte(syndrome::ACK),
        }
    }
}

impl<const FB: usize> Logic for ReadOut<FB> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            pkt_valid,
            pkt_flow,
            pkt_opcode,
            pkt_psn,
            pkt_bytes,
            pkt_syndrome,
            pkt_msn,
            pkt_mark,
            read_valid,
            read_addr,
            read_bytes,
            work_valid,
            work_flow,
            work_len,
            e_packet
        );
        self.m_pkt_valid.next = self.pkt_valid.q.val();
        self.m_pkt_flow.next = self.pkt_flow.q.val();
        self.m_pkt_opcode.next = self.pkt_opcode.q.val();
        self.m_pkt_psn.next = self.pkt_psn.q.val();
        self.m_pkt_payload_bytes.next = self.pkt_bytes.q.val();
        self.m_pkt_syndrome.next = self.pkt_syndrome.q.val();
        self.m_pkt_msn.next = self.pkt_msn.q.val();
        self.m_pkt_mark.next = self.pkt_mark.q.val();
        self.m_read_valid.next = self.read_valid.q.val();
        self.m_read_addr.next = self.read_addr.q.val();
        self.m_read_bytes.next = self.read_bytes.q.val();
        self.m_work_valid.next = self.work_valid.q.val();
        self.m_work_flow.next = self.work_flow.q.val();
        self.m_work_len_bytes.next = self.work_len.q.val();
        self.event_read_packet.next = self.e_packet.q.val();
        self.packet_free.next = !self.pkt_valid.q.val() & !self.read_valid.q.val();
        self.work_free.next = !self.work_valid.q.val();
        self.is_middle.next = self.begun.val() & !self.last.val();
        self.e_packet.d.next = self.sends.val();
        if self.m_pkt_ready.val() {
            self.pkt_valid.d.next = false;
        }
        if self.m_read_ready.val() {
            self.read_valid.d.next = false;
        }
        if self.m_work_ready.val() {
            self.work_valid.d.next = false;
        }
        comment!("the packet");
        if self.sends.val() {
            self.pkt_valid.d.next = true;
            self.pkt_flow.d.next = self.flow.val();
            self.pkt_psn.d.next = self.psn.val();
            self.pkt_bytes.d.next = self.bytes.val();
            self.pkt_syndrome.d.next = self.syndrome_ack.val();
            self.pkt_msn.d.next = self.msn.val();
            self.pkt_mark.d.next = self.mark.val();
            self.pkt_opcode.d.next = self.response_first.val();
            if self.last.val() {
                self.pkt_opcode.d.next = self.response_only.val();
                if self.begun.val() {
                    self.pkt_opcode.d.next = self.response_last.val();
                }
            }
            if self.is_middle.val() {
                self.pkt_opcode.d.next = self.response_middle.val();
                self.pkt_syndrome.d.next = 0.into();
                self.pkt_msn.d.next = 0.into();
            }
            if self.bytes.val().any() {
                self.read_valid.d.next = true;
                self.read_addr.d.next = self.addr.val();
                self.read_bytes.d.next = self.bytes.val();
            }
        }
        if self.work.val() {
            self.work_valid.d.next = true;
            self.work_flow.d.next = self.flow.val();
            self.work_len.d.next = self.frame_bytes.val();
        }
        if self.reset.val() {
            self.pkt_valid.d.next = false;
            self.pkt_flow.d.next = 0.into();
            self.pkt_opcode.d.next = 0.into();
            self.pkt_psn.d.next = 0.into();
            self.pkt_bytes.d.next = 0.into();
            self.pkt_syndrome.d.next = 0.into();
            self.pkt_msn.d.next = 0.into();
            self.pkt_mark.d.next = 0.into();
            self.read_valid.d.next = false;
            self.read_addr.d.next = 0.into();
            self.read_bytes.d.next = 0.into();
            self.work_valid.d.next = false;
            self.work_flow.d.next = 0.into();
            self.work_len.d.next = 0.into();
            self.e_packet.d.next = false;
        }
    }
}
