//! FIFO of records of 19 words.
//!
//! # Interface timing  cycle 0: s_write with the words; cycle 1: s_store, if they are a record that
//!                     stays, else the next words take their place; cycle 2: m_valid
//! # Latency and rate  2; one record per cycle
//! # Shape             holds 2^RB records; rx_room sees to it that there is room
//! # Reset             synchronous, high: empty, words 0; they hold their last value while m_valid
//!                     is low
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::util::lut_ram::LutRam;
use crate::{block, row, Reg};
use rust_hdl_core::prelude::*;

/// A word of a record.
#[row(32)]
pub struct RecordWord {
    // Word 4 of an ACK, of feedback
    pub msn: Bits<24>,
    pub syndrome: Bits<8>,
    #[at(0)]
    pub port: Bits<16>,
    // Word 6, of feedback
    #[at(0)]
    pub qpn: Bits<24>,
    pub opcode: Bits<8>,
    #[at(24)]
    pub direct: Bit,
    pub probe: Bit,
    pub window: Bit,
    // Word 7
    #[at(0)]
    pub psn: Bits<24>,
    pub for_requester: Bit,
    pub solicited: Bit,
    pub ack_req: Bit,
    pub for_feedback: Bit,
    // Word 8
    #[at(0)]
    pub payload_bytes: Bits<13>,
    pub tel_valid: Bit,
    pub hops: Bits<3>,
    pub path: Bits<12>,
}

/// Record FIFO of the rx pipe.
#[block]
pub struct RxRecordFifo<const RB: usize> {
    /// Words come.
    pub s_write: Signal<In, Bit>,
    /// Those of the cycle before are a record that stays.
    pub s_store: Signal<In, Bit>,
    /// The words.
    pub s_word: [Signal<In, Bits<32>>; 19],
    /// A record stands at the source.
    pub m_valid: Signal<Out, Bit>,
    /// It is taken.
    pub m_ready: Signal<In, Bit>,
    /// Its words.
    pub m_word: [Signal<Out, RecordWord>; 19],
    ram: [LutRam<RB, Bits<32>>; 19],
    head: [Reg<Bits<32>>; 19],
    head_valid: Reg<Bit>,
    write_index: Reg<Bits<RB>>,
    read_index: Reg<Bits<RB>>,
    more: Reg<Bit>,
    load: Signal<Local, Bit>,
    write_next: Signal<Local, Bits<RB>>,
    read_next: Signal<Local, Bits<RB>>,
}

impl<const RB: usize> Logic for RxRecordFifo<RB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_valid.next = self.head_valid.val();
        comment!("The head's load enables hundreds of registers, so it compares no indexes.");
        self.load.next =
            (self.m_ready.val() | !self.head_valid.val()) & (self.more.val() | self.s_store.val());
        self.read_next.next = self.read_index.val();
        if self.load.val() {
            self.head_valid.next = true;
            self.read_next.next = self.read_index.val() + 1;
        } else if self.m_ready.val() {
            self.head_valid.next = false;
        }
        self.write_next.next = self.write_index.val();
        if self.s_store.val() {
            self.write_next.next = self.write_index.val() + 1;
        }
        self.write_index.next = self.write_next.val();
        self.read_index.next = self.read_next.val();
        self.more.next = self.write_next.val() != self.read_next.val();
        for i in 0..19 {
            self.ram[i].write_enable.next = self.s_write.val();
            self.ram[i].write_address.next = self.write_next.val();
            self.ram[i].write_data.next = self.s_word[i].val();
            self.ram[i].read_address.next = self.read_index.val();
            self.head[i].next = self.head[i].val();
            self.m_word[i].next = self.head[i].val().into();
            if self.load.val() {
                self.head[i].next = self.ram[i].read_data.val();
            }
        }
    }
}
