//! Takes the payload out of what follows the headers, and holds its last beat until the verdict.
//!
//! # Source            hdl/rx.md
//! # Interface timing  cycle 0: s, and what is known of its packet; m_axis: one beat later, the last
//!                     one in cycle 2 after s.end; s_accept: cycle 1 after it
//! # Latency and rate  one beat per cycle, no ready: rx_room sees to it that there is room
//! # Number formats    payload_bytes | UQ13.0 | 1..=4096
//! # Reset             synchronous, high: no frame
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::streams::PacketBeat;
use crate::util::ones;
use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Payload stage of the rx pipe.
#[block(check(W == 8 * KB))]
pub struct RxPayload<const W: usize, const KB: usize> {
    /// A beat of the packet from its payload on.
    pub s: PacketBeat<In, W>,
    /// A request or READ response with a payload of a legal length.
    pub payload_wanted: Signal<In, Bit>,
    /// It is a READ response.
    pub payload_response: Signal<In, Bit>,
    /// Its length.
    pub payload_bytes: Signal<In, Bits<13>>,
    /// The frame is accepted.
    pub s_accept: Signal<In, Bit>,
    /// A beat for the frame FIFO.
    pub m_axis_tvalid: Signal<Out, Bit>,
    /// Its bytes.
    pub m_axis_tdata: Signal<Out, Bits<W>>,
    /// Its valid bytes.
    pub m_axis_tkeep: Signal<Out, Bits<KB>>,
    /// Last beat of the frame.
    pub m_axis_tlast: Signal<Out, Bit>,
    /// On the last beat: drop the frame.
    pub m_axis_tuser: Signal<Out, Bit>,
    /// The frame is that of a READ response.
    pub m_axis_response: Signal<Out, Bit>,
    is_running: Unreset<Bit>,
    left: Unreset<Bits<13>>,
    is_over: Reg<Bit>,
    held_valid: Reg<Bit>,
    held: Unreset<Bits<W>>,
    held_mask: Unreset<Bits<W>>,
    held_keep: Unreset<Bits<KB>>,
    held_response: Unreset<Bit>,
    out_valid: Reg<Bit>,
    out_data: Unreset<Bits<W>>,
    out_keep: Unreset<Bits<KB>>,
    out_last: Unreset<Bit>,
    out_user: Unreset<Bit>,
    out_response: Unreset<Bit>,
    is_word: Signal<Local, Bit>,
    at_end: Signal<Local, Bit>,
    left_now: Signal<Local, Bits<13>>,
    absent: Signal<Local, Bits<7>>,
    absent_bits: Signal<Local, Bits<10>>,
    mask: Signal<Local, Bits<W>>,
    keep: Signal<Local, Bits<KB>>,
    #[value(KB as u64)]
    beat_bytes: Constant<Bits<13>>,
    #[value(KB as u64)]
    beat_lanes: Constant<Bits<7>>,
    #[value(ones(W))]
    all_bits: Constant<Bits<W>>,
    #[value(ones(KB))]
    all_lanes: Constant<Bits<KB>>,
}

impl<const W: usize, const KB: usize> Logic for RxPayload<W, KB> {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_axis_tvalid.next = self.out_valid.val();
        self.m_axis_tdata.next = self.out_data.val();
        self.m_axis_tkeep.next = self.out_keep.val();
        self.m_axis_tlast.next = self.out_last.val();
        self.m_axis_tuser.next = self.out_user.val();
        self.m_axis_response.next = self.out_response.val();
        comment!("Beats until no byte of the payload is left; pad and ICRC are none.");
        self.is_word.next = self.s.valid.val()
            & ((self.s.first.val() & self.payload_wanted.val())
                | (!self.s.first.val() & self.is_running.val()));
        self.left_now.next = self.left.val();
        if self.s.first.val() {
            self.left_now.next = self.payload_bytes.val();
        }
        self.at_end.next = self.left_now.val() <= self.beat_bytes.val();
        if self.s.valid.val() {
            self.left.next = self.left_now.val() - self.beat_bytes.val();
            self.is_running.next = self.is_word.val() & !self.at_end.val();
        }
        self.absent.next = self.beat_lanes.val() - bit_cast::<7, 13>(self.left_now.val());
        self.absent_bits.next = bit_cast::<10, 7>(self.absent.val()) << 3;
        self.mask.next = self.all_bits.val();
        self.keep.next = self.all_lanes.val();
        if self.at_end.val() {
            self.mask.next = self.all_bits.val() >> self.absent_bits.val();
            self.keep.next = self.all_lanes.val() >> self.absent.val();
        }
        comment!("The newest beat waits: it may be the last one, which carries the verdict.");
        self.is_over.next = self.s.end.val();
        self.out_valid.next = self.held_valid.val() & (self.is_word.val() | self.is_over.val());
        self.out_data.next = self.held.val() & self.held_mask.val();
        self.out_keep.next = self.held_keep.val();
        self.out_last.next = self.is_over.val();
        self.out_user.next = !self.s_accept.val();
        self.out_response.next = self.held_response.val();
        if self.is_word.val() {
            self.held_valid.next = true;
            self.held.next = self.s.data.val();
            self.held_mask.next = self.mask.val();
            self.held_keep.next = self.keep.val();
            self.held_response.next = self.payload_response.val();
        } else if self.is_over.val() {
            self.held_valid.next = false;
        }
    }
}
