//! Walks a telemetry stack of INT-MD or IOAM, two words at a time, and says which word is what.
//!
//! # Source            INT dataplane specification 2.1, sections 5.7.2 (shim) and 5.8 (INT-MD);
//!                     RFC 9197, section 4.4 (incremental trace) behind four bytes as in RFC 9452
//! # Interface timing  cycle 0: s_valid; cycle 1: m_* and what they are; cycle 2: whole. s_start
//!                     clears whole. Pairs of a packet: shim and control word, instructions and domain, then hops
//! # Latency and rate  1; one pair per cycle, no ready
//! # Number formats    places | UQ5.0 | words from the hop's first one
//! # Reset             synchronous, high: nothing walked
//! # Twins             part of sim/src/golden/rx/rx_pipe.rs, tests/rx_pipe.rs

use super::rx_stack_ask::RxStackAsk;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Walk through a telemetry stack.
#[derive(LogicBlock, Default)]
pub struct RxStack {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
    /// Telemetry format: 3 INT-MD, 4 IOAM.
    pub cfg_tel_format: Signal<In, Bits<3>>,
    /// IOAM's fractions of a second are binary.
    pub cfg_tel_time_binary: Signal<In, Bit>,
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
    /// Seconds stand in front of the time.
    pub seconds: Signal<Out, Bit>,
    /// A hop ends here; what is behind it in the pair is the next one's node.
    pub m_done: Signal<Out, Bit>,
    /// The stack is over, was understood, and misses no hop.
    pub whole: Signal<Out, Bit>,
    ask: RxStackAsk,
    valid: DFF<Bit>,
    word_a: DFF<Bits<32>>,
    word_b: DFF<Bits<32>>,
    is_node_a: DFF<Bit>,
    is_node_b: DFF<Bit>,
    is_ports_a: DFF<Bit>,
    is_ports_b: DFF<Bit>,
    is_queue_a: DFF<Bit>,
    is_queue_b: DFF<Bit>,
    is_time_a: DFF<Bit>,
    is_time_b: DFF<Bit>,
    is_used_a: DFF<Bit>,
    is_used_b: DFF<Bit>,
    done: DFF<Bit>,
    is_whole: DFF<Bit>,
    is_over: DFF<Bit>,
    step: DFF<Bits<2>>,
    place: DFF<Bits<5>>,
    last_place: DFF<Bits<5>>,
    hop_words: DFF<Bits<5>>,
    version_ok: DFF<Bit>,
    a: Signal<Local, Bits<32>>,
    b: Signal<Local, Bits<32>>,
    place_b: Signal<Local, Bits<5>>,
    is_first_end: Signal<Local, Bit>,
    is_second_end: Signal<Local, Bit>,
    understood: Signal<Local, Bit>,
    is_ioam: Signal<Local, Bit>,
    in_hops: Signal<Local, Bit>,
    is_second: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    is_exceeded: DFF<Bit>,
}

impl Logic for RxStack {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            valid,
            word_a,
            word_b,
            is_node_a,
            is_node_b,
            is_ports_a,
            is_ports_b,
            is_queue_a,
            is_queue_b,
            is_time_a,
            is_time_b,
            is_used_a,
            is_used_b,
            done,
            is_whole,
            is_over,
            step,
            place,
            last_place,
            hop_words,
            version_ok,
            is_exceeded
        );
        self.m_valid.next = self.valid.q.val();
        self.valid.d.next = self.s_valid.val();
        self.m_word_a.next = self.word_a.q.val();
        self.m_word_b.next = self.word_b.q.val();
        self.node_a.next = self.is_node_a.q.val();
        self.node_b.next = self.is_node_b.q.val();
        self.ports_a.next = self.is_ports_a.q.val();
        self.ports_b.next = self.is_ports_b.q.val();
        self.queue_a.next = self.is_queue_a.q.val();
        self.queue_b.next = self.is_queue_b.q.val();
        self.time_a.next = self.is_time_a.q.val();
        self.time_b.next = self.is_time_b.q.val();
        self.used_a.next = self.is_used_a.q.val();
        self.used_b.next = self.is_used_b.q.val();
        self.m_done.next = self.done.q.val();
        self.whole.next = self.is_whole.q.val();
        self.is_ioam.next = self.cfg_tel_format.val() == 4;
        self.a.next = bit_cast::<32, 8>(self.s_pair.val().get_bits::<8>(24))
            | (bit_cast::<32, 8>(self.s_pair.val().get_bits::<8>(16)) << 8)
            | (bit_cast::<32, 8>(self.s_pair.val().get_bits::<8>(8)) << 16)
            | (bit_cast::<32, 8>(self.s_pair.val().get_bits::<8>(0)) << 24);
        self.b.next = bit_cast::<32, 8>(self.s_pair.val().get_bits::<8>(56))
            | (bit_cast::<32, 8>(self.s_pair.val().get_bits::<8>(48)) << 8)
            | (bit_cast::<32, 8>(self.s_pair.val().get_bits::<8>(40)) << 16)
            | (bit_cast::<32, 8>(self.s_pair.val().get_bits::<8>(32)) << 24);
        self.word_a.d.next = self.a.val();
        self.word_b.d.next = self.b.val();
        comment!("Third word: what was asked for.");
        self.ask.clock.next = self.clock.val();
        self.ask.is_ioam.next = self.is_ioam.val();
        self.ask.time_binary.next = self.cfg_tel_time_binary.val();
        self.ask.s_valid.next = self.s_valid.val() & (self.step.q.val() == 1);
        self.ask.s_word.next = self.a.val();
        comment!("Places in the hop of both words.");
        self.is_first_end.next = self.place.q.val() == self.last_place.q.val();
        self.place_b.next = self.place.q.val() + 1;
        if self.is_first_end.val() {
            self.place_b.next = 0.into();
        }
        self.is_second_end.next = self.place_b.val() == self.last_place.q.val();
        self.understood.next = self.version_ok.q.val()
            & self.ask.enough.val()
            & (self.ask.words.val() <= self.hop_words.q.val());
        self.in_hops.next = self.s_valid.val() & (self.step.q.val() == 2) & self.understood.val();
        self.is_second.next = self.in_hops.val() & !self.s_half.val();
        self.is_node_a.d.next = self.in_hops.val() & (self.place.q.val() == 0);
        self.is_node_b.d.next = (self.is_second.val() & (self.place_b.val() == 0))
            | (self.is_ioam.val()
                & self.s_valid.val()
                & !self.s_half.val()
                & (self.step.q.val() == 1));
        self.is_ports_a.d.next =
            self.in_hops.val() & self.ask.has_interfaces.val() & (self.place.q.val() == 1);
        self.is_ports_b.d.next =
            self.is_second.val() & self.ask.has_interfaces.val() & (self.place_b.val() == 1);
        self.is_queue_a.d.next =
            self.in_hops.val() & (self.place.q.val() == self.ask.queue_at.val());
        self.is_queue_b.d.next =
            self.is_second.val() & (self.place_b.val() == self.ask.queue_at.val());
        self.is_time_a.d.next = self.in_hops.val() & (self.place.q.val() == self.ask.time_at.val());
        self.is_time_b.d.next =
            self.is_second.val() & (self.place_b.val() == self.ask.time_at.val());
        self.is_used_a.d.next = self.in_hops.val() & (self.place.q.val() == self.ask.used_at.val());
        self.is_used_b.d.next =
            self.is_second.val() & (self.place_b.val() == self.ask.used_at.val());
        self.ends.next = (self.in_hops.val() & self.is_first_end.val())
            | (self.is_second.val() & self.is_second_end.val());
        self.done.d.next = self.ends.val();
        self.seconds.next = self.ask.has_seconds.val();
        comment!("Shim and control word; what was asked for (IOAM: and the first node); hops.");
        if self.s_valid.val() {
            match self.step.q.val().index() {
                0 => {
                    self.step.d.next = 1.into();
                    self.version_ok.d.next = self.b.val().get_bits::<4>(28) == 2;
                    self.is_exceeded.d.next = self.b.val().get_bits::<2>(25).any();
                    self.hop_words.d.next = self.b.val().get_bits::<5>(8);
                    self.last_place.d.next = self.b.val().get_bits::<5>(8) - 1;
                    if self.is_ioam.val() {
                        self.version_ok.d.next = self.a.val().get_bits::<8>(24) == 1;
                        self.is_exceeded.d.next = self.b.val().get_bit(10);
                        self.hop_words.d.next = self.b.val().get_bits::<5>(11);
                        self.last_place.d.next = self.b.val().get_bits::<5>(11) - 1;
                    }
                }
                1 => {
                    self.step.d.next = 2.into();
                    self.place.d.next = 0.into();
                    self.is_over.d.next = self.s_last.val() & !self.s_half.val();
                    if self.is_ioam.val() {
                        self.place.d.next = 1.into();
                        self.is_over.d.next = self.s_last.val() & self.s_half.val();
                    }
                }
                _ => {
                    self.place.d.next = self.place_b.val() + 1;
                    if self.is_second_end.val() {
                        self.place.d.next = 0.into();
                    }
                    self.is_over.d.next = self.s_last.val()
                        & ((self.s_half.val() & self.is_first_end.val())
                            | (!self.s_half.val() & self.is_second_end.val()));
                }
            }
        }
        self.is_whole.d.next =
            self.is_over.q.val() & self.understood.val() & !self.is_exceeded.q.val();
        if self.s_start.val() {
            self.step.d.next = 0.into();
            self.is_over.d.next = false;
            self.is_whole.d.next = false;
        }
        if self.reset.val() {
            self.step.d.next = 0.into();
            self.is_over.d.next = false;
            self.done.d.next = false;
            self.valid.d.next = false;
        }
    }
}
