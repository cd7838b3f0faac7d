//! Counts the beats in the frame FIFO: a frame starts only when the longest one would fit.
//!
//! # Interface timing  room follows a beat by three cycles
//! # Number formats    beats 0..=2048; the margin covers beats still in the pipe
//! # Reset             synchronous, high: empty, no room in the first cycles
//! # Twins             sim/models/src/golden/tx/pipe.rs, tests/tx/tx_pipe.rs

use crate::tx::seq::FRAME_BEATS_MAX;
use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Beats that may be in the pipe in front of the FIFO.
pub const MARGIN_BEATS: u64 = 32;

/// Room in a FIFO of 2048 beats.
#[block]
pub struct TxRoom {
    /// A beat goes in.
    pub push: Signal<In, Bit>,
    /// It is the last of its frame.
    pub push_last: Signal<In, Bit>,
    /// The frame is dropped.
    pub push_bad: Signal<In, Bit>,
    /// A beat comes out.
    pub pop: Signal<In, Bit>,
    /// The longest frame fits.
    pub room: Signal<Out, Bit>,
    open: Reg<Bits<12>>,
    whole: Reg<Bits<12>>,
    used: Reg<Bits<12>>,
    fits: Reg<Bit>,
    gain: Signal<Local, Bits<12>>,
    loss: Signal<Local, Bits<12>>,
    open_more: Signal<Local, Bits<12>>,
    grown: Signal<Local, Bits<12>>,
    #[value(2048 - FRAME_BEATS_MAX - MARGIN_BEATS)]
    limit: Constant<Bits<12>>,
}

impl Logic for TxRoom {
    #[hdl_gen]
    fn update(&mut self) {
        self.room.next = self.fits.val();
        self.open_more.next = self.open.val() + 1;
        self.gain.next = 0.into();
        if self.push.val() {
            self.open.next = self.open_more.val();
            if self.push_last.val() {
                self.open.next = 0.into();
                if !self.push_bad.val() {
                    self.gain.next = self.open_more.val();
                }
            }
        }
        self.loss.next = 0.into();
        if self.pop.val() {
            self.loss.next = 1.into();
        }
        self.grown.next = self.whole.val() + self.gain.val();
        self.whole.next = self.grown.val() - self.loss.val();
        self.used.next = self.whole.val() + self.open.val();
        self.fits.next = self.used.val() < self.limit.val();
    }
}
