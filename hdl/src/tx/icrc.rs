//! Puts the ICRC behind the payload of a frame.
//!
//! # Interface timing  combinational but for one bit: a beat passes when it is taken; one that has
//!                     the ICRC behind it waits for that
//! # Latency and rate  0; a beat a cycle. The ICRC behind a full beat is one of its own
//! # Shape             KB = W / 8 <= 64. Payload in front of an ICRC is a multiple of four bytes;
//!                     bytes behind its last one are 0
//! # Reset             synchronous, high: at a beat's beginning
//! # Twins             part of sim/models/src/golden/tx/pipe.rs, tests/tx/tx_pipe.rs

use crate::streams::{FramePart, Word};
use crate::tx::body::BodyBeat;
use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Puts the ICRC in its place.
#[block(mealy)]
pub struct TxIcrc<const W: usize> {
    /// A beat of payload, or of a host frame.
    pub s: Word<In, Bits<W>>,
    /// What it is.
    pub s_info: Signal<In, BodyBeat>,
    /// The ICRC of the first frame that waits for one.
    pub s_icrc: Word<In, Bits<32>>,
    /// The beat, the ICRC behind it.
    pub m: FramePart<Out, W>,
    /// Bytes of the frame's headers, modulo those of a beat.
    pub m_offset: Signal<Out, Bits<6>>,
    behind: Reg<Bit>,
    is_full: Signal<Local, Bit>,
    splits: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    passes: Signal<Local, Bit>,
    place: Signal<Local, Bits<9>>,
    placed: Signal<Local, Bits<W>>,
    longer: Signal<Local, Bits<7>>,
    #[value(W as u64 / 8)]
    beat_bytes: Constant<Bits<7>>,
    #[value(4)]
    icrc_bytes: Constant<Bits<7>>,
}

impl<const W: usize> Logic for TxIcrc<W> {
    #[hdl_gen]
    fn update(&mut self) {
        self.is_full.next = self.s_info.val().bytes == self.beat_bytes.val();
        self.splits.next = self.s_info.val().icrc & self.is_full.val() & !self.behind.val();
        comment!("The ICRC goes with this beat.");
        self.ends.next = self.s_info.val().icrc & !self.splits.val();
        self.m.valid.next = self.s.valid.val() & (!self.ends.val() | self.s_icrc.valid.val());
        self.passes.next = self.m.valid.val() & self.m.ready.val();
        self.s.ready.next = self.passes.val() & !self.splits.val();
        self.s_icrc.ready.next = self.passes.val() & self.ends.val();
        if self.passes.val() {
            self.behind.next = self.splits.val();
        }
        self.place.next = bit_cast::<9, 4>(self.s_info.val().bytes.get_bits::<4>(2)) << 5;
        if self.behind.val() {
            self.place.next = 0.into();
        }
        self.placed.next = bit_cast::<W, 32>(self.s_icrc.data.val()) << self.place.val();
        self.longer.next = self.s_info.val().bytes + self.icrc_bytes.val();
        self.m.data.next = self.s.data.val();
        self.m.bytes.next = self.s_info.val().bytes;
        if self.behind.val() {
            self.m.data.next = self.placed.val();
            self.m.bytes.next = self.icrc_bytes.val();
        } else if self.ends.val() {
            self.m.data.next = self.s.data.val() | self.placed.val();
            self.m.bytes.next = self.longer.val();
        }
        self.m.last.next = self.s_info.val().last & !self.splits.val();
        self.m.bad.next = self.s_info.val().bad;
        self.m_offset.next = self.s_info.val().offset;
    }
}
