//! Answers that wait for an engine. The last one that waits gives way to a newer ACK of its queue
//! pair: what the older one acknowledges the newer one does too, and its telemetry is fresher.
//!
//! # Source            InfiniBand, volume 1, section 9.7.5.1.2 (an ACK covers all PSNs before it)
//! # Interface timing  cycle 0: s_valid; cycle 2: m_valid, while nothing waits. s_ready: in this cycle
//!                     and the next one an answer may come; it is taken whenever it comes. merged: a
//!                     cycle behind the ACK that another one gave way to
//! # Latency and rate  2 cycles; an answer a cycle
//! # Rules             One gives way only if both are positive ACKs of the same QPN and source, the
//!                     newer one's PSN is not behind, and it has telemetry if the older one has. The
//!                     one at the source never does
//! # Shape             16 answers and the last one
//! # Reset             synchronous, high: empty, s_ready = 1, m_data = 0
//! # Twins             sim/models/src/golden/transport/requester/answers.rs,
//!                     tests/transport/requester_array.rs

use crate::streams::Word;
use crate::util::fifo::Fifo;
use crate::{block, row, Reg, Unreset};
use nic_spec::wire::bth::opcode;
use rust_hdl_core::prelude::*;

/// An ACK, NAK or READ response on its way to its engine.
#[row]
pub struct WaitingAnswer {
    pub qpn: Bits<24>,
    pub opcode: Bits<8>,
    pub psn: Bits<24>,
    pub syndrome: Bits<8>,
    pub payload_bytes: Bits<13>,
    pub src_ip: Bits<32>,
    pub has_tel: Bit,
    pub hops: Bits<3>,
    pub path: Bits<12>,
    pub hop_0: Bits<64>,
    pub hop_1: Bits<64>,
    pub hop_2: Bits<64>,
    pub hop_3: Bits<64>,
    pub hop_4: Bits<64>,
}

/// Waiting answers.
#[block]
pub struct RequesterAnswers {
    /// An answer comes.
    pub s: Word<In, WaitingAnswer>,
    /// The oldest one.
    pub m: Word<Out, WaitingAnswer>,
    /// An ACK has given way.
    pub merged: Signal<Out, Bit>,
    fifo: Fifo<WaitingAnswer, 4, 5>,
    last_full: Reg<Bit>,
    last: Unreset<WaitingAnswer>,
    has_merged: Reg<Bit>,
    is_empty: Signal<Local, Bit>,
    newer: Signal<Local, Bits<24>>,
    gives_way: Signal<Local, Bit>,
    #[value(u64::from(opcode::ACKNOWLEDGE))]
    acknowledge: Constant<Bits<8>>,
    #[value(15)]
    room_below: Constant<Bits<5>>,
}

impl Logic for RequesterAnswers {
    #[hdl_gen]
    fn update(&mut self) {
        self.m.valid.next = self.fifo.m.valid.val();
        self.m.data.next = self.fifo.m.data.val();
        self.fifo.m.ready.next = self.m.ready.val();
        self.merged.next = self.has_merged.val();
        self.s.ready.next = self.fifo.count.val() < self.room_below.val();
        self.is_empty.next = !self.fifo.count.val().any();
        self.newer.next = self.s.data.val().psn - self.last.val().psn;
        self.gives_way.next = (self.last.val().opcode == self.acknowledge.val())
            & (self.s.data.val().opcode == self.acknowledge.val())
            & !self.last.val().syndrome.get_bits::<3>(5).any()
            & !self.s.data.val().syndrome.get_bits::<3>(5).any()
            & (self.s.data.val().qpn == self.last.val().qpn)
            & (self.s.data.val().src_ip == self.last.val().src_ip)
            & (self.s.data.val().has_tel | !self.last.val().has_tel)
            & !self.newer.val().get_bit(23);
        self.has_merged.next = false;
        self.fifo.s.valid.next = false;
        self.fifo.s.data.next = self.last.val();
        if self.last_full.val() {
            if self.is_empty.val() {
                self.fifo.s.valid.next = true;
                self.last_full.next = self.s.valid.val();
            } else if self.s.valid.val() {
                self.fifo.s.valid.next = !self.gives_way.val();
                self.has_merged.next = self.gives_way.val();
            }
        } else if self.is_empty.val() {
            self.fifo.s.valid.next = self.s.valid.val();
            self.fifo.s.data.next = self.s.data.val();
        } else {
            self.last_full.next = self.s.valid.val();
        }
        if self.s.valid.val() {
            self.last.next = self.s.data.val();
        }
    }
}
