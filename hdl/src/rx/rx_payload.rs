//! Moves the payload to byte 0 and holds its last beat until the verdict.
//!
//! # Source            ARCHITECTURE.md, rx pipe
//! # Interface timing  cycle 0: s_valid; m_axis: one beat later, the last one 1 cycle after the
//!                     verdict
//! # Latency and rate  one beat per cycle, no ready: rx_room sees to it that there is room
//! # Number formats    payload_bytes | UQ13.0 | 1..=4096
//! # Reset             synchronous, high: no frame
//! # Twins             part of sim/src/golden/rx/rx_pipe.rs, tests/rx_pipe.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Payload stage of the 64-bit rx pipe: the payload starts at byte 0 or byte 4 of a beat.
#[derive(LogicBlock, Default)]
pub struct RxPayload {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    beat: DFF<Bits<4>>,
    in_valid: DFF<Bit>,
    in_data: DFF<Bits<64>>,
    in_index: DFF<Bits<4>>,
    earlier: DFF<Bits<64>>,
    running: DFF<Bit>,
    left: DFF<Bits<13>>,
    response: DFF<Bit>,
    word_valid: DFF<Bit>,
    word: DFF<Bits<64>>,
    word_keep: DFF<Bits<8>>,
    held_valid: DFF<Bit>,
    held: DFF<Bits<64>>,
    held_keep: DFF<Bits<8>>,
    held_response: DFF<Bit>,
    out_valid: DFF<Bit>,
    out_data: DFF<Bits<64>>,
    out_keep: DFF<Bits<8>>,
    out_last: DFF<Bit>,
    out_user: DFF<Bit>,
    out_response: DFF<Bit>,
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
        dff_setup!(
            self,
            clock,
            beat,
            in_valid,
            in_data,
            in_index,
            earlier,
            running,
            left,
            response,
            word_valid,
            word,
            word_keep,
            held_valid,
            held,
            held_keep,
            held_response,
            out_valid,
            out_data,
            out_keep,
            out_last,
            out_user,
            out_response
        );
        self.m_axis_tvalid.next = self.out_valid.q.val();
        self.m_axis_tdata.next = self.out_data.q.val();
        self.m_axis_tkeep.next = self.out_keep.q.val();
        self.m_axis_tlast.next = self.out_last.q.val();
        self.m_axis_tuser.next = self.out_user.q.val();
        self.m_axis_response.next = self.out_response.q.val();
        comment!("A cycle for the length to become known.");
        self.index.next = self.beat.q.val();
        if self.s_first.val() {
            self.index.next = 0.into();
        }
        if self.s_valid.val() {
            self.beat.d.next = self.index.val();
            if self.index.val() != 15 {
                self.beat.d.next = self.index.val() + 1;
            }
        }
        self.in_valid.d.next = self.s_valid.val();
        self.in_data.d.next = self.s_data.val();
        self.in_index.d.next = self.index.val();
        comment!("Payload beats, from the first complete one until no byte is left, or until the");
        comment!("next packet starts: this one was cut off.");
        self.first_word.next = self.in_valid.q.val()
            & self.payload_wanted.val()
            & (self.in_index.q.val() == self.payload_beat.val());
        self.active.next = self.first_word.val()
            | (self.in_valid.q.val() & self.running.q.val() & (self.in_index.q.val() != 0));
        self.left_now.next = self.left.q.val();
        if self.first_word.val() {
            self.left_now.next = self.payload_bytes.val();
            self.response.d.next = self.payload_response.val();
        }
        self.at_end.next = self.left_now.val() < 9;
        self.tail.next = self.left_now.val().get_bits::<4>(0);
        if self.in_valid.q.val() {
            self.earlier.d.next = self.in_data.q.val();
            self.left.d.next = self.left_now.val() - 8;
            self.running.d.next = self.active.val() & !self.at_end.val();
        }
        self.old_4.next = self.earlier.q.val() >> 32;
        self.data_wide.next = self.in_data.q.val();
        self.word_valid.d.next = self.active.val();
        self.word.d.next = self.in_data.q.val();
        if self.payload_half.val() {
            self.word.d.next = self.old_4.val() | (self.data_wide.val() << 32);
        }
        self.word_keep.d.next = 255.into();
        if self.at_end.val() {
            match self.tail.val().index() {
                1 => self.word_keep.d.next = 1.into(),
                2 => self.word_keep.d.next = 3.into(),
                3 => self.word_keep.d.next = 7.into(),
                4 => self.word_keep.d.next = 15.into(),
                5 => self.word_keep.d.next = 31.into(),
                6 => self.word_keep.d.next = 63.into(),
                7 => self.word_keep.d.next = 127.into(),
                _ => self.word_keep.d.next = 255.into(),
            }
        }
        comment!("Pad and ICRC are no payload.");
        self.none.next = 0.into();
        self.all.next = !self.none.val();
        match self.word_keep.q.val().index() {
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
        self.out_valid.d.next =
            self.held_valid.q.val() & (self.word_valid.q.val() | self.s_verdict.val());
        self.out_data.d.next = self.held.q.val();
        self.out_keep.d.next = self.held_keep.q.val();
        self.out_last.d.next = self.s_verdict.val();
        self.out_user.d.next = !self.s_accept.val();
        self.out_response.d.next = self.held_response.q.val();
        if self.word_valid.q.val() {
            self.held_valid.d.next = true;
            self.held.d.next = self.word.q.val() & self.mask.val();
            self.held_keep.d.next = self.word_keep.q.val();
            self.held_response.d.next = self.response.q.val();
        } else if self.s_verdict.val() {
            self.held_valid.d.next = false;
        }
        if self.reset.val() {
            self.running.d.next = false;
            self.in_valid.d.next = false;
            self.word_valid.d.next = false;
            self.held_valid.d.next = false;
            self.out_valid.d.next = false;
        }
    }
}
