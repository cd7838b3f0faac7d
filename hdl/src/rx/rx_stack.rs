//! Walks a telemetry stack of INT-MD, two words at a time, and says which word is what.
//!
//! # Source            INT dataplane specification 2.1, sections 5.7.2 (shim) and 5.8 (INT-MD)
//! # Interface timing  cycle 0: s_valid; cycle 1: m_* and what they are; cycle 2: whole. s_start
//!                     clears whole. Pairs of a packet: shim and control word, instructions and domain, then hops
//! # Latency and rate  1; one pair per cycle, no ready
//! # Number formats    places | UQ5.0 | words from the hop's first one
//! # Reset             synchronous, high: nothing walked
//! # Twins             part of sim/src/golden/rx/rx_pipe.rs, tests/rx_pipe.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Places in a telemetry stack, from its instruction bitmap.
#[derive(LogicBlock, Default)]
pub struct RxStack {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    /// A hop ends here; what is behind it in the pair is the next one's node.
    pub m_done: Signal<Out, Bit>,
    /// The stack is over, was understood, and misses no hop.
    pub whole: Signal<Out, Bit>,
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
    asked_ok: DFF<Bit>,
    has_interfaces: DFF<Bit>,
    queue_at: DFF<Bits<5>>,
    time_at: DFF<Bits<5>>,
    used_at: DFF<Bits<5>>,
    words: DFF<Bits<5>>,
    a: Signal<Local, Bits<32>>,
    b: Signal<Local, Bits<32>>,
    queue_place: Signal<Local, Bits<5>>,
    time_place: Signal<Local, Bits<5>>,
    used_place: Signal<Local, Bits<5>>,
    behind: Signal<Local, Bits<5>>,
    place_b: Signal<Local, Bits<5>>,
    is_first_end: Signal<Local, Bit>,
    is_second_end: Signal<Local, Bit>,
    understood: Signal<Local, Bit>,
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
            asked_ok,
            is_exceeded,
            has_interfaces,
            queue_at,
            time_at,
            used_at,
            words
        );
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
        comment!("The bitmap: node, interfaces, latency, queue, ingress time, egress time, wide");
        comment!("interfaces, utilisation; what follows is not needed, and a word each.");
        self.queue_place.next = bit_cast::<5, 1>(self.a.val().get_bits::<1>(30))
            + bit_cast::<5, 1>(self.a.val().get_bits::<1>(29))
            + 1;
        self.time_place.next =
            self.queue_place.val() + (bit_cast::<5, 1>(self.a.val().get_bits::<1>(27)) << 1) + 2;
        self.used_place.next =
            self.time_place.val() + (bit_cast::<5, 1>(self.a.val().get_bits::<1>(25)) << 1) + 1;
        self.behind.next = bit_cast::<5, 1>(self.a.val().get_bits::<1>(23))
            + bit_cast::<5, 1>(self.a.val().get_bits::<1>(22))
            + bit_cast::<5, 1>(self.a.val().get_bits::<1>(21))
            + bit_cast::<5, 1>(self.a.val().get_bits::<1>(20))
            + bit_cast::<5, 1>(self.a.val().get_bits::<1>(19))
            + bit_cast::<5, 1>(self.a.val().get_bits::<1>(18))
            + bit_cast::<5, 1>(self.a.val().get_bits::<1>(17))
            + bit_cast::<5, 1>(self.a.val().get_bits::<1>(16));
        comment!("Places in the hop of both words.");
        self.is_first_end.next = self.place.q.val() == self.last_place.q.val();
        self.place_b.next = self.place.q.val() + 1;
        if self.is_first_end.val() {
            self.place_b.next = 0.into();
        }
        self.is_second_end.next = self.place_b.val() == self.last_place.q.val();
        self.understood.next = self.version_ok.q.val()
            & self.asked_ok.q.val()
            & (self.words.q.val() <= self.hop_words.q.val());
        self.in_hops.next = self.s_valid.val() & (self.step.q.val() == 2) & self.understood.val();
        self.is_second.next = self.in_hops.val() & !self.s_half.val();
        self.is_node_a.d.next = self.in_hops.val() & (self.place.q.val() == 0);
        self.is_node_b.d.next = self.is_second.val() & (self.place_b.val() == 0);
        self.is_ports_a.d.next =
            self.in_hops.val() & self.has_interfaces.q.val() & (self.place.q.val() == 1);
        self.is_ports_b.d.next =
            self.is_second.val() & self.has_interfaces.q.val() & (self.place_b.val() == 1);
        self.is_queue_a.d.next = self.in_hops.val() & (self.place.q.val() == self.queue_at.q.val());
        self.is_queue_b.d.next =
            self.is_second.val() & (self.place_b.val() == self.queue_at.q.val());
        self.is_time_a.d.next = self.in_hops.val() & (self.place.q.val() == self.time_at.q.val());
        self.is_time_b.d.next = self.is_second.val() & (self.place_b.val() == self.time_at.q.val());
        self.is_used_a.d.next = self.in_hops.val() & (self.place.q.val() == self.used_at.q.val());
        self.is_used_b.d.next = self.is_second.val() & (self.place_b.val() == self.used_at.q.val());
        self.ends.next = (self.in_hops.val() & self.is_first_end.val())
            | (self.is_second.val() & self.is_second_end.val());
        self.done.d.next = self.ends.val();
        comment!("Control word; instructions; hops.");
        if self.s_valid.val() {
            match self.step.q.val().index() {
                0 => {
                    self.step.d.next = 1.into();
                    self.version_ok.d.next = self.b.val().get_bits::<4>(28) == 2;
                    self.is_exceeded.d.next = self.b.val().get_bits::<2>(25).any();
                    self.hop_words.d.next = self.b.val().get_bits::<5>(8);
                    self.last_place.d.next = self.b.val().get_bits::<5>(8) - 1;
                }
                1 => {
                    self.step.d.next = 2.into();
                    self.asked_ok.d.next = self.a.val().get_bit(31)
                        & self.a.val().get_bit(28)
                        & self.a.val().get_bit(26)
                        & self.a.val().get_bit(24);
                    self.has_interfaces.d.next = self.a.val().get_bit(30);
                    self.queue_at.d.next = self.queue_place.val();
                    self.time_at.d.next = self.time_place.val();
                    self.used_at.d.next = self.used_place.val();
                    self.words.d.next = self.used_place.val() + self.behind.val() + 1;
                    self.place.d.next = 0.into();
                    self.is_over.d.next = self.s_last.val() & !self.s_half.val();
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
        }
    }
}
