//! What a telemetry stack was asked to tell: places of the words in a hop.
//!
//! # Source            INT dataplane specification 2.1, section 5.8 (instruction bitmap); RFC 9197,
//!                     section 4.4.1 (trace type); draft-gafni-ippm-ioam-additional-data-fields;
//!                     the hop of IFA's local name space for HPCC, 32 bytes
//! # Interface timing  cycle 0: s_valid, s_word; cycle 1: all outputs, until the next s_valid
//! # Latency and rate  1; one word per cycle, no ready
//! # Number formats    places, words | UQ5.0 | words from the hop's first one, the node
//! # Reset             none: follows its inputs
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Places in the hops of a telemetry stack.
#[block(no_reset)]
pub struct RxStackAsk {
    /// The word is IOAM's trace type; else it has INT's instruction bitmap.
    pub is_ioam: Signal<In, Bit>,
    /// The stack is IFA's, whose hops are all alike.
    pub is_ifa: Signal<In, Bit>,
    /// IOAM's fractions of a second are binary.
    pub time_binary: Signal<In, Bit>,
    /// The word is here.
    pub s_valid: Signal<In, Bit>,
    /// It, bit 0 of the bitmap on top.
    pub s_word: Signal<In, Bits<32>>,
    /// What congestion control needs is asked for, and nothing that has no length.
    pub enough: Signal<Out, Bit>,
    /// Interfaces stand behind the node.
    pub has_interfaces: Signal<Out, Bit>,
    /// Seconds stand in front of the time, and matter.
    pub has_seconds: Signal<Out, Bit>,
    /// Place of the queue.
    pub queue_at: Signal<Out, Bits<5>>,
    /// Place of the time, of its low word.
    pub time_at: Signal<Out, Bits<5>>,
    /// Place of the utilisation, or of the bytes sent.
    pub used_at: Signal<Out, Bits<5>>,
    /// Words that are asked for.
    pub words: Signal<Out, Bits<5>>,
    is_enough: Unreset<Bit>,
    interfaces: Unreset<Bit>,
    seconds: Unreset<Bit>,
    queue: Unreset<Bits<5>>,
    low_time: Unreset<Bits<5>>,
    used: Unreset<Bits<5>>,
    count: Unreset<Bits<5>>,
    asked: Signal<Local, Bits<21>>,
    one: [Signal<Local, Bits<5>>; 21],
    ports: Signal<Local, Bits<5>>,
    int_queue: Signal<Local, Bits<5>>,
    int_time: Signal<Local, Bits<5>>,
    int_used: Signal<Local, Bits<5>>,
    trace_time: Signal<Local, Bits<5>>,
    trace_queue: Signal<Local, Bits<5>>,
    wide: Signal<Local, Bits<5>>,
    trace_used: Signal<Local, Bits<5>>,
    behind: Signal<Local, Bits<5>>,
    int_behind: Signal<Local, Bits<5>>,
    trace_behind: Signal<Local, Bits<5>>,
}

impl Logic for RxStackAsk {
    #[hdl_gen]
    fn update(&mut self) {
        self.enough.next = self.is_enough.val();
        self.has_interfaces.next = self.interfaces.val();
        self.has_seconds.next = self.seconds.val();
        self.queue_at.next = self.queue.val();
        self.time_at.next = self.low_time.val();
        self.used_at.next = self.used.val();
        self.words.next = self.count.val();
        comment!("Each bit behind the node as a number of words.");
        self.asked.next = self.s_word.val().get_bits::<21>(10);
        for i in 0..21 {
            self.one[i].next = 0.into();
            if self.asked.val().get_bit(i) {
                self.one[i].next = 1.into();
            }
        }
        self.ports.next = self.one[20].val() + self.one[19].val();
        comment!("INT: node, interfaces, latency, queue, ingress time 2, egress time 2, wide");
        comment!("interfaces 2, utilisation.");
        self.int_queue.next = self.ports.val() + 1;
        self.int_time.next = self.int_queue.val() + (self.one[17].val() << 1) + 2;
        self.int_used.next = self.int_time.val() + (self.one[15].val() << 1) + 1;
        comment!(
            "IOAM: node, interfaces, seconds, fraction, transit delay, namespace data, queue,"
        );
        comment!("checksum, wide node, interfaces and namespace data 2 each, buffer, bytes sent.");
        self.trace_time.next = self.ports.val() + 1;
        self.trace_queue.next = self.trace_time.val() + self.one[17].val() + self.one[16].val() + 1;
        self.wide.next = self.one[13].val() + self.one[12].val() + self.one[11].val();
        self.trace_used.next = self.trace_queue.val()
            + self.one[14].val()
            + (self.wide.val() << 1)
            + self.one[10].val()
            + 1;
        comment!("What stands behind is a word each.");
        self.behind.next = self.one[8].val() + self.one[7].val() + self.one[6].val();
        self.int_behind.next =
            self.behind.val() + self.wide.val() + self.one[10].val() + self.one[9].val();
        self.trace_behind.next = self.behind.val()
            + self.one[5].val()
            + self.one[4].val()
            + self.one[3].val()
            + self.one[2].val()
            + self.one[1].val()
            + self.one[0].val();
        if self.s_valid.val() {
            self.interfaces.next = self.s_word.val().get_bit(30);
            self.seconds.next = false;
            self.is_enough.next = self.s_word.val().get_bit(31)
                & self.s_word.val().get_bit(28)
                & self.s_word.val().get_bit(26)
                & self.s_word.val().get_bit(24);
            self.queue.next = self.int_queue.val();
            self.low_time.next = self.int_time.val();
            self.used.next = self.int_used.val();
            self.count.next = self.int_used.val() + self.int_behind.val() + 1;
            if self.is_ioam.val() {
                self.seconds.next = self.s_word.val().get_bit(29) & !self.time_binary.val();
                self.is_enough.next = self.s_word.val().get_bit(31)
                    & self.s_word.val().get_bit(28)
                    & self.s_word.val().get_bit(25)
                    & self.s_word.val().get_bit(19)
                    & !self.s_word.val().get_bit(9)
                    & (self.s_word.val().get_bit(29) | self.time_binary.val());
                self.queue.next = self.trace_queue.val();
                self.low_time.next = self.trace_time.val();
                self.used.next = self.trace_used.val();
                self.count.next = self.trace_used.val() + self.trace_behind.val() + 1;
            }
            comment!(
                "IFA: node, speed and seconds, interfaces, ns, stay, bytes sent, queue, reserved."
            );
            if self.is_ifa.val() {
                self.interfaces.next = true;
                self.is_enough.next = true;
                self.low_time.next = 3.into();
                self.used.next = 5.into();
                self.queue.next = 6.into();
                self.count.next = 8.into();
            }
        }
    }
}
