//! Brings telemetry records of either native form into the native layout, and keeps the first five
//! records of a packet, native or of a stack.
//!
//! # Source            HPCC, SIGCOMM 2019, figure 7; its authors' simulator
//! # Interface timing  cycle 0: s_valid or stack_valid; cycle 1: tel_hop; cycle 2: tel_hops.
//!                     s_start: tel_path in cycle 1, the rest is cleared
//! # Latency and rate  1; one record per cycle, no ready
//! # Number formats    tel_hop | rate [2:0], ns [26:3], bytes/128 [46:27], queue/80 [63:47] |
//!                     tel_hops 6 = not usable (more than five hops, a rate code above 7, or a
//!                     stack that is not whole)
//! # Reset             synchronous, high: no record in progress
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Telemetry records of the packet in progress.
#[block]
pub struct RxTelRecords {
    /// Telemetry format: 1 paper, 2 authors, 3 INT-MD, 4 IOAM, 5 IFA.
    pub cfg_tel_format: Signal<In, Bits<3>>,
    /// The beat whose upper half the telemetry starts with.
    pub s_start: Signal<In, Bit>,
    /// Telemetry does start there.
    pub s_stamped: Signal<In, Bit>,
    /// A beat that completes a record.
    pub s_valid: Signal<In, Bit>,
    /// Its bytes, first one in bits 7:0.
    pub s_data: Signal<In, Bits<64>>,
    /// The telemetry of the packet is a stack.
    pub is_stack: Signal<In, Bit>,
    /// A record of a stack, never with `s_valid`.
    pub stack_valid: Signal<In, Bit>,
    /// It, in the native layout.
    pub stack_record: Signal<In, Bits<64>>,
    /// Nodes and interfaces of the stack so far.
    pub stack_path: Signal<In, Bits<12>>,
    /// The stack so far tells about every hop.
    pub stack_whole: Signal<In, Bit>,
    /// Path identifier; 0 in the authors' form.
    pub tel_path: Signal<Out, Bits<12>>,
    /// Hops, or 6.
    pub tel_hops: Signal<Out, Bits<3>>,
    /// Record of each hop; 0 where there is none in the paper's form.
    pub tel_hop: [Signal<Out, Bits<64>>; 5],
    hops: [Unreset<Bits<64>>; 5],
    odd_rate: Reg<Bit>,
    usable: Unreset<Bits<3>>,
    path: Unreset<Bits<12>>,
    count: Unreset<Bits<16>>,
    hop: Unreset<Bits<4>>,
    earlier: Unreset<Bits<64>>,
    is_paper: Signal<Local, Bit>,
    data_wide: Signal<Local, Bits<64>>,
    paper_word: Signal<Local, Bits<64>>,
    authors_word: Signal<Local, Bits<64>>,
    path_high: Signal<Local, Bits<12>>,
    path_low: Signal<Local, Bits<12>>,
    rate: Signal<Local, Bits<64>>,
    time_0: Signal<Local, Bits<64>>,
    time_1: Signal<Local, Bits<64>>,
    time_2: Signal<Local, Bits<64>>,
    time_3: Signal<Local, Bits<64>>,
    sent_0: Signal<Local, Bits<64>>,
    sent_1: Signal<Local, Bits<64>>,
    sent_2: Signal<Local, Bits<64>>,
    queue_0: Signal<Local, Bits<64>>,
    queue_1: Signal<Local, Bits<64>>,
    record: Signal<Local, Bits<64>>,
    no_use: Signal<Local, Bit>,
}

impl Logic for RxTelRecords {
    #[hdl_gen]
    fn update(&mut self) {
        self.is_paper.next = self.cfg_tel_format.val() != 2;
        self.tel_hops.next = self.usable.val();
        self.tel_path.next = self.path.val();
        for i in 0..5 {
            self.hops[i].next = self.hops[i].val();
            self.tel_hop[i].next = self.hops[i].val();
        }
        self.usable.next = self.count.val().get_bits::<3>(0);
        self.no_use.next = (self.count.val() > 5)
            | self.odd_rate.val()
            | (self.is_stack.val() & !self.stack_whole.val());
        if self.no_use.val() {
            self.usable.next = 6.into();
        }
        comment!("The path of a stack, unless that is not usable.");
        if self.is_stack.val() {
            self.path.next = self.stack_path.val();
            if self.no_use.val() {
                self.path.next = 0.into();
            }
        }
        comment!("Count and path stand in front; the authors' count stands behind five records.");
        self.path_high.next = bit_cast::<12, 4>(self.s_data.val().get_bits::<4>(32));
        self.path_low.next = bit_cast::<12, 8>(self.s_data.val().get_bits::<8>(40));
        if self.s_start.val() {
            self.earlier.next = self.s_data.val();
            self.hop.next = 0.into();
            self.path.next = 0.into();
            self.count.next = 0.into();
            if self.s_stamped.val() & self.is_paper.val() & !self.is_stack.val() {
                self.path.next = (self.path_high.val() << 8) | self.path_low.val();
                self.count.next = bit_cast::<16, 4>(self.s_data.val().get_bits::<4>(36));
            }
        }
        if self.s_valid.val() {
            self.earlier.next = self.s_data.val();
            self.hop.next = self.hop.val() + 1;
            if !self.is_paper.val() & (self.hop.val() == 4) {
                self.count.next = self.s_data.val().get_bits::<16>(32);
            }
        }
        comment!("A stack is counted as it is read; six stands for more.");
        if self.stack_valid.val() & (self.hop.val() != 6) {
            self.hop.next = self.hop.val() + 1;
            self.count.next = self.count.val() + 1;
        }
        comment!("A record's eight bytes lie in two beats.");
        self.data_wide.next = self.s_data.val();
        self.paper_word.next = (self.earlier.val() >> 48) | (self.data_wide.val() << 16);
        self.authors_word.next = (self.earlier.val() >> 32) | (self.data_wide.val() << 32);
        comment!("The paper's record is big-endian: rate 4, time 24, bytes sent 20, queue 16.");
        self.rate.next = bit_cast::<64, 3>(self.paper_word.val().get_bits::<3>(4));
        self.time_3.next = bit_cast::<64, 4>(self.paper_word.val().get_bits::<4>(0));
        self.time_2.next = bit_cast::<64, 8>(self.paper_word.val().get_bits::<8>(8));
        self.time_1.next = bit_cast::<64, 8>(self.paper_word.val().get_bits::<8>(16));
        self.time_0.next = bit_cast::<64, 4>(self.paper_word.val().get_bits::<4>(28));
        self.sent_2.next = bit_cast::<64, 4>(self.paper_word.val().get_bits::<4>(24));
        self.sent_1.next = bit_cast::<64, 8>(self.paper_word.val().get_bits::<8>(32));
        self.sent_0.next = bit_cast::<64, 8>(self.paper_word.val().get_bits::<8>(40));
        self.queue_1.next = bit_cast::<64, 8>(self.paper_word.val().get_bits::<8>(48));
        self.queue_0.next = bit_cast::<64, 8>(self.paper_word.val().get_bits::<8>(56));
        self.record.next = self.authors_word.val();
        if self.is_paper.val() {
            self.record.next = self.rate.val()
                | (self.time_0.val() << 3)
                | (self.time_1.val() << 7)
                | (self.time_2.val() << 15)
                | (self.time_3.val() << 23)
                | (self.sent_0.val() << 27)
                | (self.sent_1.val() << 35)
                | (self.sent_2.val() << 43)
                | (self.queue_0.val() << 47)
                | (self.queue_1.val() << 55);
        }
        if self.is_stack.val() {
            self.record.next = self.stack_record.val();
        }
        if self.s_start.val() {
            self.odd_rate.next = false;
            for i in 0..5 {
                self.hops[i].next = 0.into();
            }
        }
        for i in 0..5 {
            if (self.s_valid.val() | self.stack_valid.val()) & (self.hop.val() == i.to_bits::<4>())
            {
                self.hops[i].next = self.record.val();
                if self.is_paper.val() & !self.is_stack.val() & self.paper_word.val().get_bit(7) {
                    self.odd_rate.next = true;
                }
            }
        }
    }
}
