//! Walks a telemetry stack of INT-MD, IOAM or IFA, two words at a time, and says which word is what.
//!
//! # Source            INT dataplane specification 2.1, sections 5.7.2 (shim) and 5.8 (INT-MD);
//!                     RFC 9197, section 4.4 (incremental trace) behind four bytes as in RFC 9452;
//!                     draft-kumar-ippm-ifa
//! # Interface timing  cycle 0: s_valid; cycle 1: m_* and what they are; cycle 2: whole. s_start
//!                     clears whole. Pairs of a packet: shim and control word, instructions and
//!                     domain, then hops; IFA: control word and the first hop's first one, then hops
//! # Latency and rate  1; one pair per cycle, no ready
//! # Number formats    places | UQ5.0 | words from the hop's first one
//! # Reset             synchronous, high: nothing walked
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

pub mod ask;
pub mod hop;
pub mod path;
pub mod walk;

use crate::rx::stack::{ask::RxStackAsk, walk::RxStackWalk};
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Walk through a telemetry stack.
#[block]
pub struct RxStack {
    /// Telemetry format: 3 INT-MD, 4 IOAM, 5 IFA.
    pub cfg_tel_format: Signal<In, Bits<3>>,
    /// IOAM's fractions of a second are binary.
    pub cfg_tel_time_binary: Signal<In, Bit>,
    /// IFA's header has the version and the name space that are known.
    pub ifa_known: Signal<In, Bit>,
    /// Words that IFA's stack may have.
    pub ifa_words_max: Signal<In, Bits<8>>,
    /// A stack begins.
    pub s_start: Signal<In, Bit>,
    /// Two words of it.
    pub s_valid: Signal<In, Bit>,
    /// The first one in bits 31:0, as in the packet.
    pub s_pair: Signal<In, Bits<64>>,
    /// The second one is not the stack's.
    pub s_half: Signal<In, Bit>,
    /// Nothing of the stack follows.
    pub s_last: Signal<In, Bit>,
    /// Two words.
    pub m_valid: Signal<Out, Bit>,
    /// First word, its first byte in bits 31:24.
    pub m_word_a: Signal<Out, Bits<32>>,
    /// Second word.
    pub m_word_b: Signal<Out, Bits<32>>,
    /// The first word is a hop's, its node.
    pub node_a: Signal<Out, Bit>,
    /// The second one is.
    pub node_b: Signal<Out, Bit>,
    /// The first word is a hop's, its interfaces.
    pub ports_a: Signal<Out, Bit>,
    /// The second one is.
    pub ports_b: Signal<Out, Bit>,
    /// The first word is a hop's, its queue.
    pub queue_a: Signal<Out, Bit>,
    /// The second one is.
    pub queue_b: Signal<Out, Bit>,
    /// The first word is a hop's, the low word of its egress time.
    pub time_a: Signal<Out, Bit>,
    /// The second one is.
    pub time_b: Signal<Out, Bit>,
    /// The first word is a hop's, its utilisation.
    pub used_a: Signal<Out, Bit>,
    /// The second one is.
    pub used_b: Signal<Out, Bit>,
    /// The first word is a hop's of IFA, with its speed and the seconds of its ingress time.
    pub speed_a: Signal<Out, Bit>,
    /// The second word is a hop's of IFA, the time that the packet stayed.
    pub stay_b: Signal<Out, Bit>,
    /// Seconds stand in front of the time.
    pub seconds: Signal<Out, Bit>,
    /// A hop ends here; what is behind it in the pair is the next one's node.
    pub m_done: Signal<Out, Bit>,
    /// The stack is over, was understood, and misses no hop.
    pub whole: Signal<Out, Bit>,
    ask: RxStackAsk,
    walk: RxStackWalk,
    valid: Reg<Bit>,
    word_a: Unreset<Bits<32>>,
    word_b: Unreset<Bits<32>>,
    is_node_a: Unreset<Bit>,
    is_node_b: Unreset<Bit>,
    is_ports_a: Unreset<Bit>,
    is_ports_b: Unreset<Bit>,
    is_queue_a: Unreset<Bit>,
    is_queue_b: Unreset<Bit>,
    is_time_a: Unreset<Bit>,
    is_time_b: Unreset<Bit>,
    is_used_a: Unreset<Bit>,
    is_used_b: Unreset<Bit>,
    is_speed_a: Unreset<Bit>,
    is_stay_b: Unreset<Bit>,
    done: Reg<Bit>,
    a: Signal<Local, Bits<32>>,
    b: Signal<Local, Bits<32>>,
    place: Signal<Local, Bits<5>>,
    place_b: Signal<Local, Bits<5>>,
    ports_at: Signal<Local, Bits<5>>,
    is_first_end: Signal<Local, Bit>,
    is_second_end: Signal<Local, Bit>,
    understood: Signal<Local, Bit>,
    is_ioam: Signal<Local, Bit>,
    is_ifa: Signal<Local, Bit>,
    asks: Signal<Local, Bit>,
    in_hops: Signal<Local, Bit>,
    is_second: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
}

impl Logic for RxStack {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_valid.next = self.valid.val();
        self.valid.next = self.s_valid.val();
        self.m_word_a.next = self.word_a.val();
        self.m_word_b.next = self.word_b.val();
        self.node_a.next = self.is_node_a.val();
        self.node_b.next = self.is_node_b.val();
        self.ports_a.next = self.is_ports_a.val();
        self.ports_b.next = self.is_ports_b.val();
        self.queue_a.next = self.is_queue_a.val();
        self.queue_b.next = self.is_queue_b.val();
        self.time_a.next = self.is_time_a.val();
        self.time_b.next = self.is_time_b.val();
        self.used_a.next = self.is_used_a.val();
        self.used_b.next = self.is_used_b.val();
        self.speed_a.next = self.is_speed_a.val();
        self.stay_b.next = self.is_stay_b.val();
        self.m_done.next = self.done.val();
        self.is_ioam.next = self.cfg_tel_format.val() == 4;
        self.is_ifa.next = self.cfg_tel_format.val() == 5;
        self.a.next = bit_cast::<32, 8>(self.s_pair.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.s_pair.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.s_pair.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.s_pair.val().get_bits::<8>(0)) << 24);
        self.b.next = bit_cast::<32, 8>(self.s_pair.val().get_bits::<8>(56))
            | (bit_cast::<32, 8>(self.s_pair.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<32, 8>(self.s_pair.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<32, 8>(self.s_pair.val().get_bits::<8>(32)) << 24);
        self.word_a.next = self.a.val();
        self.word_b.next = self.b.val();
        comment!("Third word: what was asked for; IFA's hops are all alike.");
        self.ask.is_ioam.next = self.is_ioam.val();
        self.ask.is_ifa.next = self.is_ifa.val();
        self.ask.time_binary.next = self.cfg_tel_time_binary.val();
        self.asks.next =
            (self.walk.step.val() == 1) | (self.is_ifa.val() & (self.walk.step.val() == 0));
        self.ask.s_valid.next = self.s_valid.val() & self.asks.val();
        self.ask.s_word.next = self.a.val();
        self.walk.is_ioam.next = self.is_ioam.val();
        self.walk.is_ifa.next = self.is_ifa.val();
        self.walk.ifa_known.next = self.ifa_known.val();
        self.walk.ifa_words_max.next = self.ifa_words_max.val();
        self.walk.s_start.next = self.s_start.val();
        self.walk.s_valid.next = self.s_valid.val();
        self.walk.s_word_a.next = self.a.val();
        self.walk.s_word_b.next = self.b.val();
        self.walk.s_half.next = self.s_half.val();
        self.walk.s_last.next = self.s_last.val();
        self.understood.next = self.walk.is_known.val()
            & self.ask.enough.val()
            & (self.ask.words.val() <= self.walk.hop_words.val());
        self.walk.is_enough.next = self.understood.val();
        self.whole.next = self.walk.whole.val();
        comment!("Places in the hop of both words.");
        self.place.next = self.walk.place.val();
        self.is_first_end.next = self.place.val() == self.walk.last_place.val();
        self.place_b.next = self.walk.place.val() + 1;
        if self.is_first_end.val() {
            self.place_b.next = 0.into();
        }
        self.is_second_end.next = self.place_b.val() == self.walk.last_place.val();
        self.ports_at.next = 1.into();
        if self.is_ifa.val() {
            self.ports_at.next = 2.into();
        }
        self.in_hops.next =
            self.s_valid.val() & (self.walk.step.val() == 2) & self.understood.val();
        self.is_second.next = self.in_hops.val() & !self.s_half.val();
        self.is_node_a.next = self.in_hops.val() & (self.place.val() == 0);
        self.is_node_b.next = (self.is_second.val() & (self.place_b.val() == 0))
            | (self.s_valid.val()
                & !self.s_half.val()
                & ((self.is_ioam.val() & (self.walk.step.val() == 1))
                    | (self.is_ifa.val() & (self.walk.step.val() == 0))));
        self.is_ports_a.next = self.in_hops.val()
            & self.ask.has_interfaces.val()
            & (self.place.val() == self.ports_at.val());
        self.is_ports_b.next = self.is_second.val()
            & self.ask.has_interfaces.val()
            & (self.place_b.val() == self.ports_at.val());
        self.is_speed_a.next = self.in_hops.val() & self.is_ifa.val() & (self.place.val() == 1);
        self.is_stay_b.next = self.is_second.val() & self.is_ifa.val() & (self.place_b.val() == 4);
        self.is_queue_a.next = self.in_hops.val() & (self.place.val() == self.ask.queue_at.val());
        self.is_queue_b.next =
            self.is_second.val() & (self.place_b.val() == self.ask.queue_at.val());
        self.is_time_a.next = self.in_hops.val() & (self.place.val() == self.ask.time_at.val());
        self.is_time_b.next = self.is_second.val() & (self.place_b.val() == self.ask.time_at.val());
        self.is_used_a.next = self.in_hops.val() & (self.place.val() == self.ask.used_at.val());
        self.is_used_b.next = self.is_second.val() & (self.place_b.val() == self.ask.used_at.val());
        self.ends.next = (self.in_hops.val() & self.is_first_end.val())
            | (self.is_second.val() & self.is_second_end.val());
        self.done.next = self.ends.val();
        self.seconds.next = self.ask.has_seconds.val();
    }
}
