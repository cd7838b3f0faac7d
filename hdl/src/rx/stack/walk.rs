//! Where in a telemetry stack its words are, and whether it can be read to its end.
//!
//! # Source            INT dataplane specification 2.1, sections 5.7.2 (shim) and 5.8 (INT-MD);
//!                     RFC 9197, section 4.4 (incremental trace) behind four bytes as in RFC 9452;
//!                     draft-kumar-ippm-ifa (metadata header)
//! # Interface timing  cycle 0: s_valid, and where its pair is; cycle 1: where the next one is;
//!                     cycle 2: whole. s_start clears whole
//! # Latency and rate  1; one pair per cycle, no ready
//! # Number formats    places | UQ5.0 | words from the hop's first one
//! # Reset             synchronous, high: nothing walked
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Steps through a telemetry stack.
#[block]
pub struct RxStackWalk {
    /// The stack is IOAM's.
    pub is_ioam: Signal<In, Bit>,
    /// It is IFA's; if neither, INT-MD's.
    pub is_ifa: Signal<In, Bit>,
    /// IFA's header has the version and the name space that are known.
    pub ifa_known: Signal<In, Bit>,
    /// Words that IFA's stack may have.
    pub ifa_words_max: Signal<In, Bits<8>>,
    /// A stack begins.
    pub s_start: Signal<In, Bit>,
    /// Two words of it.
    pub s_valid: Signal<In, Bit>,
    /// First word, its first byte in bits 31:24.
    pub s_word_a: Signal<In, Bits<32>>,
    /// Second word.
    pub s_word_b: Signal<In, Bits<32>>,
    /// The second one is not the stack's.
    pub s_half: Signal<In, Bit>,
    /// Nothing of the stack follows.
    pub s_last: Signal<In, Bit>,
    /// What was asked for is enough and has room in a hop.
    pub is_enough: Signal<In, Bit>,
    /// Pair at hand: 0 the first one, 1 the second one of INT-MD and IOAM, 2 hops.
    pub step: Signal<Out, Bits<2>>,
    /// Place in the hop of the first word.
    pub place: Signal<Out, Bits<5>>,
    /// Place of a hop's last word.
    pub last_place: Signal<Out, Bits<5>>,
    /// Words of a hop.
    pub hop_words: Signal<Out, Bits<5>>,
    /// Version, option type or name space is known.
    pub is_known: Signal<Out, Bit>,
    /// The stack is over, was understood, and misses no hop.
    pub whole: Signal<Out, Bit>,
    is_whole: Unreset<Bit>,
    is_over: Reg<Bit>,
    at: Reg<Bits<2>>,
    word_at: Unreset<Bits<5>>,
    last: Unreset<Bits<5>>,
    words: Unreset<Bits<5>>,
    version_ok: Unreset<Bit>,
    is_exceeded: Unreset<Bit>,
    place_b: Signal<Local, Bits<5>>,
    is_first_end: Signal<Local, Bit>,
    is_second_end: Signal<Local, Bit>,
}

impl Logic for RxStackWalk {
    #[hdl_gen]
    fn update(&mut self) {
        self.step.next = self.at.val();
        self.place.next = self.word_at.val();
        self.last_place.next = self.last.val();
        self.hop_words.next = self.words.val();
        self.is_known.next = self.version_ok.val();
        self.whole.next = self.is_whole.val();
        self.is_first_end.next = self.word_at.val() == self.last.val();
        self.place_b.next = self.word_at.val() + 1;
        if self.is_first_end.val() {
            self.place_b.next = 0.into();
        }
        self.is_second_end.next = self.place_b.val() == self.last.val();
        comment!(
            "Shim and control word; what was asked for (IOAM: and the first node); hops. IFA:"
        );
        comment!("control word and the first node; hops.");
        if self.s_valid.val() {
            match self.at.val().index() {
                0 => {
                    self.at.next = 1.into();
                    self.version_ok.next = self.s_word_b.val().get_bits::<4>(28) == 2;
                    self.is_exceeded.next = self.s_word_b.val().get_bits::<2>(25).any();
                    self.words.next = self.s_word_b.val().get_bits::<5>(8);
                    self.last.next = self.s_word_b.val().get_bits::<5>(8) - 1;
                    if self.is_ioam.val() {
                        self.version_ok.next = self.s_word_a.val().get_bits::<8>(24) == 1;
                        self.is_exceeded.next = self.s_word_b.val().get_bit(10);
                        self.words.next = self.s_word_b.val().get_bits::<5>(11);
                        self.last.next = self.s_word_b.val().get_bits::<5>(11) - 1;
                    }
                    if self.is_ifa.val() {
                        self.at.next = 2.into();
                        self.version_ok.next = self.ifa_known.val();
                        self.is_exceeded.next = (self.s_word_a.val().get_bits::<8>(8) == 0)
                            | (self.s_word_a.val().get_bits::<8>(0) >= self.ifa_words_max.val());
                        self.words.next = 8.into();
                        self.last.next = 7.into();
                        self.word_at.next = 1.into();
                        self.is_over.next = self.s_last.val() & self.s_half.val();
                    }
                }
                1 => {
                    self.at.next = 2.into();
                    self.word_at.next = 0.into();
                    self.is_over.next = self.s_last.val() & !self.s_half.val();
                    if self.is_ioam.val() {
                        self.word_at.next = 1.into();
                        self.is_over.next = self.s_last.val() & self.s_half.val();
                    }
                }
                _ => {
                    self.word_at.next = self.place_b.val() + 1;
                    if self.is_second_end.val() {
                        self.word_at.next = 0.into();
                    }
                    self.is_over.next = self.s_last.val()
                        & ((self.s_half.val() & self.is_first_end.val())
                            | (!self.s_half.val() & self.is_second_end.val()));
                }
            }
        }
        self.is_whole.next = self.is_over.val() & self.is_enough.val() & !self.is_exceeded.val();
        if self.s_start.val() {
            self.at.next = 0.into();
            self.is_over.next = false;
            self.is_whole.next = false;
        }
    }
}
