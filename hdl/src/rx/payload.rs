//! Moves the payload to byte 0 and holds its last beat until the verdict.
//!
//! # Source            hdl/rx.md
//! # Interface timing  cycle 0: s_valid; m_axis: one beat later, the last one 1 cycle after the
//!                     verdict
//! # Latency and rate  one beat per cycle, no ready: rx_room sees to it that there is room
//! # Number formats    payload_bytes | UQ13.0 | 1..=4096
//! # Reset             synchronous, high: no frame
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Payload stage of the 64-bit rx pipe: the payload starts at byte 0 or byte 4 of a beat.
#[block]
pub struct RxPayload {
    /// A beat of the packet without telemetry.
    pub s_valid: Signal<In, Bit>,
    /// Its bytes.
    pub s_data: Signal<In, Bits<64>>,
    /// First beat.
    pub s_first: Signal<In, Bit>,
    /// A request or READ response with a payload of a legal length.
    pub payload_wanted: Signal<In, Bit>,
    /// It is a READ response.
    pub payload_response: Signal<In, Bit>,
    /// Its length.
    pub payload_bytes: Signal<In, Bits<13>>,
    /// Beat with which the first payload beat is complete.
    pub payload_beat: Signal<In, Bits<4>>,
    /// The payload starts at byte 4.
    pub payload_half: Signal<In, Bit>,
    /// The verdict on the frame.
    pub s_verdict: Signal<In, Bit>,
    /// The frame is accepted.
    pub s_accept: Signal<In, Bit>,
    /// A beat for the frame FIFO.
    pub m_axis_tvalid: Signal<Out, Bit>,
    /// Its bytes.
    pub m_axis_tdata: Signal<Out, Bits<64>>,
    /// Its valid bytes.
    pub m_axis_tkeep: Signal<Out, Bits<8>>,
    /// Last beat of the frame.
    pub m_axis_tlast: Signal<Out, Bit>,
    /// On the last beat: drop the frame.
    pub m_axis_tuser: Signal<Out, Bit>,
    /// The frame is that of a READ response.
    pub m_axis_response: Signal<Out, Bit>,
    beat: Unreset<Bits<4>>,
    in_valid: Reg<Bit>,
    in_data: Unreset<Bits<64>>,
    in_index: Unreset<Bits<4>>,
    earlier: Unreset<Bits<64>>,
    running: Reg<Bit>,
    left: Unreset<Bits<13>>,
    response: Unreset<Bit>,
    word_valid: Reg<Bit>,
    word: Unreset<Bits<64>>,
    word_keep: Unreset<Bits<8>>,
    held_valid: Reg<Bit>,
    held: Unreset<Bits<64>>,
    held_keep: Unreset<Bits<8>>,
    held_response: Unreset<Bit>,
    out_valid: Reg<Bit>,
    out_data: Unreset<Bits<64>>,
    out_keep: Unreset<Bits<8>>,
    out_last: Unreset<Bit>,
    out_user: Unreset<Bit>,
    out_response: Unreset<Bit>,
    index: Signal<Local, Bits<4>>,
    first_word: Signal<Local, Bit>,
    active: Signal<Local, Bit>,
    at_end: Signal<Local, Bit>,
    left_now: Signal<Local, Bits<13>>,
    tail: Signal<Local, Bits<4>>,
    old_4: Signal<Local, Bits<64>>,
    data_wide: Signal<Local, Bits<64>>,
    none: Signal<Local, Bits<64>>,
    all: Signal<Local, Bits<64>>,
    mask: Signal<Local, Bits<64>>,
}

impl Logic for RxPayload {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_axis_tvalid.next = self.out_valid.val();
        self.m_axis_tdata.next = self.out_data.val();
        self.m_axis_tkeep.next = self.out_keep.val();
        self.m_axis_tlast.next = self.out_last.val();
        self.m_axis_tuser.next = self.out_user.val();
        self.m_axis_response.next = self.out_response.val();
        comment!("A cycle for the length to become known.");
        self.index.next = self.beat.val();
        if self.s_first.val() {
            self.index.next = 0.into();
        }
        if self.s_valid.val() {
            self.beat.next = self.index.val();
            if self.index.val() != 15 {
                self.beat.next = self.index.val() + 1;
            }
        }
        self.in_valid.next = self.s_valid.val();
        self.in_data.next = self.s_data.val();
        self.in_index.next = self.index.val();
        comment!("Payload beats, from the first complete one until no byte is left, or until the");
        comment!("next packet starts: this one was cut off.");
        self.first_word.next = self.in_valid.val()
            & self.payload_wanted.val()
            & (self.in_index.val() == self.payload_beat.val());
        self.active.next = self.first_word.val()
            | (self.in_valid.val() & self.running.val() & (self.in_index.val() != 0));
        self.left_now.next = self.left.val();
        if self.first_word.val() {
            self.left_now.next = self.payload_bytes.val();
            self.response.next = self.payload_response.val();
        }
        self.at_end.next = self.left_now.val() < 9;
        self.tail.next = self.left_now.val().get_bits::<4>(0);
        if self.in_valid.val() {
            self.earlier.next = self.in_data.val();
            self.left.next = self.left_now.val() - 8;
            self.running.next = self.active.val() & !self.at_end.val();
        }
        self.old_4.next = self.earlier.val() >> 32;
        self.data_wide.next = self.in_data.val();
        self.word_valid.next = self.active.val();
        self.word.next = self.in_data.val();
        if self.payload_half.val() {
            self.word.next = self.old_4.val() | (self.data_wide.val() << 32);
        }
        self.word_keep.next = 255.into();
        if self.at_end.val() {
            match self.tail.val().index() {
                1 => self.word_keep.next = 1.into(),
                2 => self.word_keep.next = 3.into(),
                3 => self.word_keep.next = 7.into(),
                4 => self.word_keep.next = 15.into(),
                5 => self.word_keep.next = 31.into(),
                6 => self.word_keep.next = 63.into(),
                7 => self.word_keep.next = 127.into(),
                _ => self.word_keep.next = 255.into(),
            }
        }
        comment!("Pad and ICRC are no payload.");
        self.none.next = 0.into();
        self.all.next = !self.none.val();
        match self.word_keep.val().index() {
            1 => self.mask.next = self.all.val() >> 56,
            3 => self.mask.next = self.all.val() >> 48,
            7 => self.mask.next = self.all.val() >> 40,
            15 => self.mask.next = self.all.val() >> 32,
            31 => self.mask.next = self.all.val() >> 24,
            63 => self.mask.next = self.all.val() >> 16,
            127 => self.mask.next = self.all.val() >> 8,
            _ => self.mask.next = self.all.val(),
        }
        comment!("The newest beat waits: it may be the last one, which carries the verdict.");
        self.out_valid.next =
            self.held_valid.val() & (self.word_valid.val() | self.s_verdict.val());
        self.out_data.next = self.held.val();
        self.out_keep.next = self.held_keep.val();
        self.out_last.next = self.s_verdict.val();
        self.out_user.next = !self.s_accept.val();
        self.out_response.next = self.held_response.val();
        if self.word_valid.val() {
            self.held_valid.next = true;
            self.held.next = self.word.val() & self.mask.val();
            self.held_keep.next = self.word_keep.val();
            self.held_response.next = self.response.val();
        } else if self.s_verdict.val() {
            self.held_valid.next = false;
        }
    }
}
