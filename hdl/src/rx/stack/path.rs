//! Path of a telemetry stack, of its nodes and interfaces, and whether a switch could not provide a
//! value.
//!
//! # Source            hdl/rx.md
//! # Interface timing  cycle 0: words and what they are; cycle 1: path, is_invalid. s_start clears
//!                     both
//! # Latency and rate  1; one pair per cycle, no ready
//! # Number formats    path | for each node and interfaces: turned left by 5, then exclusive or with
//!                     the word's bits 11:0, 23:12 and 31:24. IOAM's node is 24 bits, and IFA's name
//!                     space and device
//! # Reset             none: s_start clears
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Path of a telemetry stack.
#[block(no_reset)]
pub struct RxStackPath {
    /// The stack is IOAM's.
    pub is_ioam: Signal<In, Bit>,
    /// It is IFA's; if neither, INT-MD's.
    pub is_ifa: Signal<In, Bit>,
    /// A stack begins.
    pub s_start: Signal<In, Bit>,
    /// Two words.
    pub s_valid: Signal<In, Bit>,
    /// First word.
    pub s_word_a: Signal<In, Bits<32>>,
    /// Second word.
    pub s_word_b: Signal<In, Bits<32>>,
    /// The first word is a hop's, its node.
    pub node_a: Signal<In, Bit>,
    /// The second one is.
    pub node_b: Signal<In, Bit>,
    /// The first word is a hop's, its interfaces.
    pub ports_a: Signal<In, Bit>,
    /// The second one is.
    pub ports_b: Signal<In, Bit>,
    /// The first word is a hop's, its queue.
    pub queue_a: Signal<In, Bit>,
    /// The second one is.
    pub queue_b: Signal<In, Bit>,
    /// The first word is a hop's, the low word of its time.
    pub time_a: Signal<In, Bit>,
    /// The second one is.
    pub time_b: Signal<In, Bit>,
    /// The first word is a hop's, its utilisation or bytes sent.
    pub used_a: Signal<In, Bit>,
    /// The second one is.
    pub used_b: Signal<In, Bit>,
    /// The first word is a hop's of IFA, with its speed.
    pub speed_a: Signal<In, Bit>,
    /// The second word is a hop's of IFA, the time that the packet stayed.
    pub stay_b: Signal<In, Bit>,
    /// Nodes and interfaces so far.
    pub path: Signal<Out, Bits<12>>,
    /// A switch could not provide a value.
    pub is_invalid: Signal<Out, Bit>,
    hash: Unreset<Bits<12>>,
    invalid: Unreset<Bit>,
    ones_before: Unreset<Bit>,
    ones_a: Signal<Local, Bit>,
    ones_b: Signal<Local, Bit>,
    node_ones_a: Signal<Local, Bit>,
    node_ones_b: Signal<Local, Bit>,
    queue_ones_b: Signal<Local, Bit>,
    speed_lacks: Signal<Local, Bit>,
    turned_a: Signal<Local, Bits<12>>,
    hash_a: Signal<Local, Bits<12>>,
    turned_b: Signal<Local, Bits<12>>,
    path_a: Signal<Local, Bits<32>>,
    path_b: Signal<Local, Bits<32>>,
    lone_time: Signal<Local, Bit>,
}

impl Logic for RxStackPath {
    #[hdl_gen]
    fn update(&mut self) {
        self.path.next = self.hash.val();
        self.is_invalid.next = self.invalid.val();
        comment!(
            "All ones are no value; of INT's time both words, of IOAM's node 24 bits, of IFA's"
        );
        comment!("20, of its queue 16.");
        self.lone_time.next = self.is_ioam.val() | self.is_ifa.val();
        self.ones_a.next = self.s_word_a.val().all();
        self.ones_b.next = self.s_word_b.val().all();
        self.node_ones_a.next = self.s_word_a.val().get_bits::<24>(0).all()
            & (self.is_ioam.val() | self.s_word_a.val().get_bits::<8>(24).all());
        self.node_ones_b.next = self.s_word_b.val().get_bits::<24>(0).all()
            & (self.is_ioam.val() | self.s_word_b.val().get_bits::<8>(24).all());
        self.queue_ones_b.next = self.ones_b.val();
        if self.is_ifa.val() {
            self.node_ones_b.next = self.s_word_b.val().get_bits::<20>(8).all();
            self.queue_ones_b.next = self.s_word_b.val().get_bits::<16>(0).all();
        }
        comment!("Speeds that a record has no code for: 10 Gb/s, and those above 400.");
        self.speed_lacks.next = self.s_word_a.val().get_bit(31)
            | (self.s_word_a.val().get_bits::<3>(28) == 0)
            | (self.s_word_a.val().get_bits::<3>(28) == 7);
        if self.s_valid.val() {
            self.ones_before.next = self.ones_b.val();
        }
        if ((self.ports_a.val() | self.queue_a.val() | self.used_a.val()) & self.ones_a.val())
            | ((self.ports_b.val() | self.used_b.val() | self.stay_b.val()) & self.ones_b.val())
            | (self.queue_b.val() & self.queue_ones_b.val())
            | (self.node_a.val() & self.node_ones_a.val())
            | (self.node_b.val() & self.node_ones_b.val())
            | (self.speed_a.val() & self.speed_lacks.val())
            | (self.time_a.val()
                & (self.lone_time.val() | self.ones_before.val())
                & self.ones_a.val())
            | (self.time_b.val() & (self.lone_time.val() | self.ones_a.val()) & self.ones_b.val())
        {
            self.invalid.next = true;
        }
        comment!("The path; what stands beside IOAM's and IFA's nodes is not of it.");
        self.path_a.next = self.s_word_a.val();
        if self.is_ioam.val() & self.node_a.val() {
            self.path_a.next = bit_cast::<32, 24>(self.s_word_a.val().get_bits::<24>(0));
        }
        self.path_b.next = self.s_word_b.val();
        if self.is_ioam.val() & self.node_b.val() {
            self.path_b.next = bit_cast::<32, 24>(self.s_word_b.val().get_bits::<24>(0));
        } else if self.is_ifa.val() & self.node_b.val() {
            self.path_b.next = bit_cast::<32, 24>(self.s_word_b.val().get_bits::<24>(8));
        }
        self.turned_a.next = (self.hash.val() << 5) | (self.hash.val() >> 7);
        self.hash_a.next = self.hash.val();
        if self.node_a.val() | self.ports_a.val() {
            self.hash_a.next = self.turned_a.val()
                ^ self.path_a.val().get_bits::<12>(0)
                ^ self.path_a.val().get_bits::<12>(12)
                ^ bit_cast::<12, 8>(self.path_a.val().get_bits::<8>(24));
        }
        self.turned_b.next = (self.hash_a.val() << 5) | (self.hash_a.val() >> 7);
        self.hash.next = self.hash_a.val();
        if self.node_b.val() | self.ports_b.val() {
            self.hash.next = self.turned_b.val()
                ^ self.path_b.val().get_bits::<12>(0)
                ^ self.path_b.val().get_bits::<12>(12)
                ^ bit_cast::<12, 8>(self.path_b.val().get_bits::<8>(24));
        }
        if self.s_start.val() {
            self.hash.next = 0.into();
            self.invalid.next = false;
        }
    }
}
