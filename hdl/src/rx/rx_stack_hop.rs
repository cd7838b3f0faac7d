//! Makes records in the native layout of the words of a telemetry stack, and a path of its nodes
//! and interfaces.
//!
//! # Source            ARCHITECTURE.md, rx pipe
//! # Interface timing  cycle 0: words and what they are; cycle 1: m_valid, m_record, path,
//!                     is_invalid. s_start clears path and is_invalid
//! # Latency and rate  1; one pair per cycle, no ready
//! # Number formats    queue       | UQ17.0 | cells, or 64 bytes; saturates
//!                     utilisation | UQ20.0 | the network's unit; saturates
//!                     bytes sent  | UQ20.0 | 128 bytes, mod 2^20 (IOAM, instead of utilisation)
//!                     time        | UQ24.0 | ns, or 2^-30 s, mod 2^24
//!                     rate code   | by the low three bits of the egress interface; the first one
//!                                 | without interfaces
//!                     path        | for each node and interfaces: turned left by 5, then exclusive
//!                                 | or with the word's bits 11:0, 23:12 and 31:24
//! # Reset             synchronous, high: no record
//! # Twins             part of sim/src/golden/rx/rx_pipe.rs, tests/rx_pipe.rs

use crate::util::mul_pipe::MulPipe;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Hops of a telemetry stack.
#[derive(LogicBlock, Default)]
pub struct RxStackHop {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// Queues are counted in bytes, else in cells.
    pub cfg_tel_queue_bytes: Signal<In, Bit>,
    /// Telemetry format: 3 INT-MD, 4 IOAM.
    pub cfg_tel_format: Signal<In, Bits<3>>,
    /// IOAM's fractions of a second are binary.
    pub cfg_tel_time_binary: Signal<In, Bit>,
    /// Rate codes.
    pub cfg_tel_rates: Signal<In, Bits<24>>,
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
    /// The first word is a hop's, the low word of its egress time.
    pub time_a: Signal<In, Bit>,
    /// The second one is.
    pub time_b: Signal<In, Bit>,
    /// The first word is a hop's, its utilisation.
    pub used_a: Signal<In, Bit>,
    /// The second one is.
    pub used_b: Signal<In, Bit>,
    /// Seconds stand in front of the time.
    pub has_seconds: Signal<In, Bit>,
    /// A hop ends here.
    pub s_done: Signal<In, Bit>,
    /// A record is complete.
    pub m_valid: Signal<Out, Bit>,
    /// It, in the native layout.
    pub m_record: Signal<Out, Bits<64>>,
    /// Nodes and interfaces so far.
    pub path: Signal<Out, Bits<12>>,
    /// A switch could not provide a value.
    pub is_invalid: Signal<Out, Bit>,
    valid: DFF<Bit>,
    queue: DFF<Bits<17>>,
    used: DFF<Bits<20>>,
    stamp: DFF<Bits<24>>,
    seconds: DFF<Bits<15>>,
    second_ns: MulPipe<15, 15, 30>,
    second_before: DFF<Bits<15>>,
    rate: DFF<Bits<3>>,
    hash: DFF<Bits<12>>,
    invalid: DFF<Bit>,
    ones_before: DFF<Bit>,
    queue_word: Signal<Local, Bits<32>>,
    used_word: Signal<Local, Bits<32>>,
    time_word: Signal<Local, Bits<32>>,
    port: Signal<Local, Bits<3>>,
    ones_a: Signal<Local, Bit>,
    ones_b: Signal<Local, Bit>,
    turned_a: Signal<Local, Bits<12>>,
    hash_a: Signal<Local, Bits<12>>,
    turned_b: Signal<Local, Bits<12>>,
    record_low: Signal<Local, Bits<64>>,
    whole_ns: Signal<Local, Bits<24>>,
    stamp_ns: Signal<Local, Bits<24>>,
    is_ioam: Signal<Local, Bit>,
    node_ones_a: Signal<Local, Bit>,
    node_ones_b: Signal<Local, Bit>,
    top_a: Signal<Local, Bits<8>>,
    top_b: Signal<Local, Bits<8>>,
}

impl Logic for RxStackHop {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            valid,
            queue,
            used,
            stamp,
            seconds,
            second_before,
            rate,
            hash,
            invalid,
            ones_before
        );
        self.is_ioam.next = self.cfg_tel_format.val() == 4;
        self.m_valid.next = self.valid.q.val();
        self.path.next = self.hash.q.val();
        self.is_invalid.next = self.invalid.q.val();
        comment!("10^9 is 59 x 2^24 and 19813 x 2^9: what seconds are in ns mod 2^24.");
        self.second_ns.clock.next = self.clock.val();
        self.second_ns.reset.next = self.reset.val();
        self.second_ns.a.next = self.seconds.q.val();
        self.second_ns.b.next = 19813.into();
        self.whole_ns.next = bit_cast::<24, 15>(self.second_ns.p.val().get_bits::<15>(0)) << 9;
        self.stamp_ns.next = self.stamp.q.val() + self.whole_ns.val();
        self.record_low.next =
            bit_cast::<64, 3>(self.rate.q.val()) | (bit_cast::<64, 24>(self.stamp_ns.val()) << 3);
        self.m_record.next = self.record_low.val()
            | (bit_cast::<64, 20>(self.used.q.val()) << 27)
            | (bit_cast::<64, 17>(self.queue.q.val()) << 47);
        self.valid.d.next = self.s_done.val();
        comment!("Fields; a value too large for its field is the largest.");
        self.queue_word.next = self.s_word_a.val();
        if self.queue_b.val() {
            self.queue_word.next = self.s_word_b.val();
        }
        if self.queue_a.val() | self.queue_b.val() {
            self.queue.d.next = self.queue_word.val().get_bits::<17>(0);
            if self.cfg_tel_queue_bytes.val() {
                self.queue.d.next = self.queue_word.val().get_bits::<17>(6);
                if self.queue_word.val().get_bit(23) {
                    self.queue.d.next = 0x1ffff.into();
                }
            } else if self.queue_word.val().get_bits::<7>(17).any() {
                self.queue.d.next = 0x1ffff.into();
            }
            comment!("IOAM counts in 32 bits, INT in 24 behind the number of the queue.");
            if self.is_ioam.val() & self.queue_word.val().get_bits::<8>(24).any() {
                self.queue.d.next = 0x1ffff.into();
            }
        }
        self.used_word.next = self.s_word_a.val();
        if self.used_b.val() {
            self.used_word.next = self.s_word_b.val();
        }
        if self.used_a.val() | self.used_b.val() {
            self.used.d.next = self.used_word.val().get_bits::<20>(0);
            if self.used_word.val().get_bits::<12>(20).any() {
                self.used.d.next = 0xfffff.into();
            }
            if self.is_ioam.val() {
                self.used.d.next = self.used_word.val().get_bits::<20>(7);
            }
        }
        self.time_word.next = self.s_word_a.val();
        if self.time_b.val() {
            self.time_word.next = self.s_word_b.val();
        }
        if self.time_a.val() | self.time_b.val() {
            self.stamp.d.next = self.time_word.val().get_bits::<24>(0);
            if self.is_ioam.val() & self.cfg_tel_time_binary.val() {
                self.stamp.d.next = self.time_word.val().get_bits::<24>(2);
            }
            self.seconds.d.next = self.second_before.q.val();
            if self.time_b.val() {
                self.seconds.d.next = self.s_word_a.val().get_bits::<15>(0);
            }
            if !self.has_seconds.val() {
                self.seconds.d.next = 0.into();
            }
        }
        self.port.next = self.s_word_a.val().get_bits::<3>(0);
        if self.ports_b.val() {
            self.port.next = self.s_word_b.val().get_bits::<3>(0);
        }
        if self.ports_a.val() | self.ports_b.val() {
            match self.port.val().index() {
                0 => self.rate.d.next = self.cfg_tel_rates.val().get_bits::<3>(0),
                1 => self.rate.d.next = self.cfg_tel_rates.val().get_bits::<3>(3),
                2 => self.rate.d.next = self.cfg_tel_rates.val().get_bits::<3>(6),
                3 => self.rate.d.next = self.cfg_tel_rates.val().get_bits::<3>(9),
                4 => self.rate.d.next = self.cfg_tel_rates.val().get_bits::<3>(12),
                5 => self.rate.d.next = self.cfg_tel_rates.val().get_bits::<3>(15),
                6 => self.rate.d.next = self.cfg_tel_rates.val().get_bits::<3>(18),
                _ => self.rate.d.next = self.cfg_tel_rates.val().get_bits::<3>(21),
            }
        }
        comment!("All ones are no value; of INT's time both words, of IOAM's node 24 bits.");
        self.node_ones_a.next = self.s_word_a.val().get_bits::<24>(0).all()
            & (self.is_ioam.val() | self.s_word_a.val().get_bits::<8>(24).all());
        self.node_ones_b.next = self.s_word_b.val().get_bits::<24>(0).all()
            & (self.is_ioam.val() | self.s_word_b.val().get_bits::<8>(24).all());
        self.ones_a.next = self.s_word_a.val().all();
        self.ones_b.next = self.s_word_b.val().all();
        if self.s_valid.val() {
            self.ones_before.d.next = self.ones_b.val();
            self.second_before.d.next = self.s_word_b.val().get_bits::<15>(0);
        }
        if ((self.ports_a.val() | self.queue_a.val() | self.used_a.val()) & self.ones_a.val())
            | ((self.ports_b.val() | self.queue_b.val() | self.used_b.val()) & self.ones_b.val())
            | (self.node_a.val() & self.node_ones_a.val())
            | (self.node_b.val() & self.node_ones_b.val())
            | (self.time_a.val()
                & (self.is_ioam.val() | self.ones_before.q.val())
                & self.ones_a.val())
            | (self.time_b.val() & (self.is_ioam.val() | self.ones_a.val()) & self.ones_b.val())
        {
            self.invalid.d.next = true;
        }
        comment!("The path; IOAM's hop limit in front of the node is not of it.");
        self.top_a.next = self.s_word_a.val().get_bits::<8>(24);
        if self.is_ioam.val() & self.node_a.val() {
            self.top_a.next = 0.into();
        }
        self.top_b.next = self.s_word_b.val().get_bits::<8>(24);
        if self.is_ioam.val() & self.node_b.val() {
            self.top_b.next = 0.into();
        }
        self.turned_a.next = (self.hash.q.val() << 5) | (self.hash.q.val() >> 7);
        self.hash_a.next = self.hash.q.val();
        if self.node_a.val() | self.ports_a.val() {
            self.hash_a.next = self.turned_a.val()
                ^ self.s_word_a.val().get_bits::<12>(0)
                ^ self.s_word_a.val().get_bits::<12>(12)
                ^ bit_cast::<12, 8>(self.top_a.val());
        }
        self.turned_b.next = (self.hash_a.val() << 5) | (self.hash_a.val() >> 7);
        self.hash.d.next = self.hash_a.val();
        if self.node_b.val() | self.ports_b.val() {
            self.hash.d.next = self.turned_b.val()
                ^ self.s_word_b.val().get_bits::<12>(0)
                ^ self.s_word_b.val().get_bits::<12>(12)
                ^ bit_cast::<12, 8>(self.top_b.val());
        }
        if self.s_start.val() {
            self.hash.d.next = 0.into();
            self.invalid.d.next = false;
            self.seconds.d.next = 0.into();
            self.rate.d.next = self.cfg_tel_rates.val().get_bits::<3>(0);
        }
        if self.reset.val() {
            self.valid.d.next = false;
        }
    }
}
