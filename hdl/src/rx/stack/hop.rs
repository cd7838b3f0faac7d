//! Makes records in the native layout of the words of a telemetry stack, and a path of its nodes
//! and interfaces.
//!
//! # Source            hdl/rx.md
//! # Interface timing  cycle 0: words and what they are; cycle 1: m_valid, m_record, path,
//!                     is_invalid. s_start clears path and is_invalid
//! # Latency and rate  1; one pair per cycle, no ready
//! # Number formats    queue       | UQ17.0 | cells, or 64 bytes; saturates
//!                     utilisation | UQ20.0 | the network's unit; saturates
//!                     bytes sent  | UQ20.0 | 128 bytes, mod 2^20 (IOAM, IFA, instead of utilisation)
//!                     time        | UQ24.0 | ns, or 2^-30 s, mod 2^24; IFA: ingress time and stay
//!                     rate code   | by the low three bits of the egress interface; the first one
//!                                 | without interfaces; IFA: of the speed
//!                     path        | rx_stack_path.rs
//! # Reset             synchronous, high: no record
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::rx::stack::path::RxStackPath;
use crate::util::mul_pipe::MulPipe;
use crate::{block, kernel, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Hops of a telemetry stack.
#[block]
pub struct RxStackHop {
    /// Queues are counted in bytes, else in cells.
    pub cfg_tel_queue_bytes: Signal<In, Bit>,
    /// Telemetry format: 3 INT-MD, 4 IOAM, 5 IFA.
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
    /// The first word is a hop's of IFA, with its speed and the seconds of its ingress time.
    pub speed_a: Signal<In, Bit>,
    /// The second word is a hop's of IFA, the time that the packet stayed.
    pub stay_b: Signal<In, Bit>,
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
    path_of: RxStackPath,
    valid: Reg<Bit>,
    queue: Unreset<Bits<17>>,
    used: Unreset<Bits<20>>,
    stamp: Unreset<Bits<24>>,
    seconds: Unreset<Bits<15>>,
    second_ns: MulPipe<15, 15, 30>,
    second_before: Unreset<Bits<15>>,
    rate: Unreset<Bits<3>>,
    queue_word: Signal<Local, Bits<32>>,
    used_word: Signal<Local, Bits<32>>,
    time_word: Signal<Local, Bits<32>>,
    port: Signal<Local, Bits<3>>,
    record_low: Signal<Local, Bits<64>>,
    whole_ns: Signal<Local, Bits<24>>,
    stamp_ns: Signal<Local, Bits<24>>,
    stayed: Signal<Local, Bits<24>>,
    is_ioam: Signal<Local, Bit>,
    is_ifa: Signal<Local, Bit>,
}

#[kernel]
impl RxStackHop {
    fn update(&mut self) {
        self.is_ioam.next = self.cfg_tel_format.val() == 4;
        self.is_ifa.next = self.cfg_tel_format.val() == 5;
        self.m_valid.next = self.valid.val();
        self.path_of.is_ioam.next = self.is_ioam.val();
        self.path_of.is_ifa.next = self.is_ifa.val();
        self.path_of.s_start.next = self.s_start.val();
        self.path_of.s_valid.next = self.s_valid.val();
        self.path_of.s_word_a.next = self.s_word_a.val();
        self.path_of.s_word_b.next = self.s_word_b.val();
        self.path_of.node_a.next = self.node_a.val();
        self.path_of.node_b.next = self.node_b.val();
        self.path_of.ports_a.next = self.ports_a.val();
        self.path_of.ports_b.next = self.ports_b.val();
        self.path_of.queue_a.next = self.queue_a.val();
        self.path_of.queue_b.next = self.queue_b.val();
        self.path_of.time_a.next = self.time_a.val();
        self.path_of.time_b.next = self.time_b.val();
        self.path_of.used_a.next = self.used_a.val();
        self.path_of.used_b.next = self.used_b.val();
        self.path_of.speed_a.next = self.speed_a.val();
        self.path_of.stay_b.next = self.stay_b.val();
        self.path.next = self.path_of.path.val();
        self.is_invalid.next = self.path_of.is_invalid.val();
        comment!("10^9 is 59 x 2^24 and 19813 x 2^9: what seconds are in ns mod 2^24.");
        self.second_ns.a.next = self.seconds.val();
        self.second_ns.b.next = 19813.into();
        self.whole_ns.next = bit_cast::<24, 15>(self.second_ns.p.val().get_bits::<15>(0)) << 9;
        self.stamp_ns.next = self.stamp.val() + self.whole_ns.val();
        self.record_low.next =
            bit_cast::<64, 3>(self.rate.val()) | (bit_cast::<64, 24>(self.stamp_ns.val()) << 3);
        self.m_record.next = self.record_low.val()
            | (bit_cast::<64, 20>(self.used.val()) << 27)
            | (bit_cast::<64, 17>(self.queue.val()) << 47);
        self.valid.next = self.s_done.val();
        self.fields();
        self.ifa_times();
        self.ifa_speeds();
    }

    /// Fields; a value too large for its field is the largest.
    fn fields(&mut self) {
        self.queue_word.next = self.s_word_a.val();
        if self.queue_b.val() {
            self.queue_word.next = self.s_word_b.val();
            if self.is_ifa.val() {
                self.queue_word.next = bit_cast::<32, 16>(self.s_word_b.val().get_bits::<16>(0));
            }
        }
        if self.queue_a.val() | self.queue_b.val() {
            self.queue.next = self.queue_word.val().get_bits::<17>(0);
            if self.cfg_tel_queue_bytes.val() {
                self.queue.next = self.queue_word.val().get_bits::<17>(6);
                if self.queue_word.val().get_bit(23) {
                    self.queue.next = 0x1ffff.into();
                }
            } else if self.queue_word.val().get_bits::<7>(17).any() {
                self.queue.next = 0x1ffff.into();
            }
            comment!("IOAM counts in 32 bits, IFA in 16, INT in 24 behind the queue's number.");
            if self.is_ioam.val() & self.queue_word.val().get_bits::<8>(24).any() {
                self.queue.next = 0x1ffff.into();
            }
        }
        self.used_word.next = self.s_word_a.val();
        if self.used_b.val() {
            self.used_word.next = self.s_word_b.val();
        }
        if self.used_a.val() | self.used_b.val() {
            self.used.next = self.used_word.val().get_bits::<20>(0);
            if self.used_word.val().get_bits::<12>(20).any() {
                self.used.next = 0xfffff.into();
            }
            if self.is_ioam.val() | self.is_ifa.val() {
                self.used.next = self.used_word.val().get_bits::<20>(7);
            }
        }
        self.time_word.next = self.s_word_a.val();
        if self.time_b.val() {
            self.time_word.next = self.s_word_b.val();
        }
        if self.time_a.val() | self.time_b.val() {
            self.stamp.next = self.time_word.val().get_bits::<24>(0);
            if self.is_ioam.val() & self.cfg_tel_time_binary.val() {
                self.stamp.next = self.time_word.val().get_bits::<24>(2);
            }
            self.seconds.next = self.second_before.val();
            if self.time_b.val() {
                self.seconds.next = self.s_word_a.val().get_bits::<15>(0);
            }
            if !self.has_seconds.val() {
                self.seconds.next = 0.into();
            }
            if self.is_ifa.val() {
                self.seconds.next = self.seconds.val();
            }
        }
    }

    /// IFA's packets leave when they have come and stayed: one pair tells both.
    fn ifa_times(&mut self) {
        self.stayed.next =
            self.s_word_a.val().get_bits::<24>(0) + self.s_word_b.val().get_bits::<24>(0);
        if self.stay_b.val() {
            self.stamp.next = self.stayed.val();
        }
        self.port.next = self.s_word_a.val().get_bits::<3>(0);
        if self.ports_b.val() {
            self.port.next = self.s_word_b.val().get_bits::<3>(0);
        }
        if (self.ports_a.val() | self.ports_b.val()) & !self.is_ifa.val() {
            match self.port.val().index() {
                0 => self.rate.next = self.cfg_tel_rates.val().get_bits::<3>(0),
                1 => self.rate.next = self.cfg_tel_rates.val().get_bits::<3>(3),
                2 => self.rate.next = self.cfg_tel_rates.val().get_bits::<3>(6),
                3 => self.rate.next = self.cfg_tel_rates.val().get_bits::<3>(9),
                4 => self.rate.next = self.cfg_tel_rates.val().get_bits::<3>(12),
                5 => self.rate.next = self.cfg_tel_rates.val().get_bits::<3>(15),
                6 => self.rate.next = self.cfg_tel_rates.val().get_bits::<3>(18),
                _ => self.rate.next = self.cfg_tel_rates.val().get_bits::<3>(21),
            }
        }
    }

    /// IFA's speeds: 25, 40, 50, 100, 200, 400 Gb/s from 1 on.
    fn ifa_speeds(&mut self) {
        if self.speed_a.val() {
            self.seconds.next = self.s_word_a.val().get_bits::<15>(0);
            match self.s_word_a.val().get_bits::<4>(28).index() {
                2 => self.rate.next = 7.into(),
                3 => self.rate.next = 1.into(),
                4 => self.rate.next = 2.into(),
                5 => self.rate.next = 3.into(),
                6 => self.rate.next = 4.into(),
                _ => self.rate.next = 0.into(),
            }
        }
        if self.s_valid.val() {
            self.second_before.next = self.s_word_b.val().get_bits::<15>(0);
        }
        if self.s_start.val() {
            self.seconds.next = 0.into();
            self.rate.next = self.cfg_tel_rates.val().get_bits::<3>(0);
        }
    }
}
