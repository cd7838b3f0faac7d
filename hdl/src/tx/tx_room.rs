//! Counts the beats in the frame FIFO: a frame starts only when the longest one would fit.
//!
//! # Interface timing  room follows a beat by three cycles
//! # Number formats    beats 0..=2048; the margin covers beats still in the pipe
//! # Reset             synchronous, high: empty, no room in the first cycles
//! # Twins             sim/src/golden/tx/tx_pipe.rs, tests/tx_pipe.rs

use super::tx_seq::FRAME_BEATS_MAX;
use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Beats that may be in the pipe in front of the FIFO.
pub const MARGIN_BEATS: u64 = 32;

/// Room in a FIFO of 2048 beats.
#[derive(LogicBlock)]
pub struct TxRoom {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    open: DFF<Bits<12>>,
    whole: DFF<Bits<12>>,
    used: DFF<Bits<12>>,
    fits: DFF<Bit>,
    gain: Signal<Local, Bits<12>>,
    loss: Signal<Local, Bits<12>>,
    open_more: Signal<Local, Bits<12>>,
    grown: Signal<Local, Bits<12>>,
    limit: Constant<Bits<12>>,
}

impl Default for TxRoom {
    fn default() -> Self {
        Self {
            module_type: Default::default(),
            clock: Default::default(),
            reset: Default::default(),
            push: Default::default(),
            push_last: Default::default(),
            push_bad: Default::default(),
            pop: Default::default(),
            room: Default::default(),
            open: Default::default(),
            whole: Default::default(),
            used: Default::default(),
            fits: Default::default(),
            gain: Default::default(),
            loss: Default::default(),
            open_more: Default::default(),
            grown: Default::default(),
            limit: Constant::new((2048 - FRAME_BEATS_MAX - MARGIN_BEATS).into()),
        }
    }
}

impl Logic for TxRoom {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, open, whole, used, fits);
        self.room.next = self.fits.q.val();
        self.open_more.next = self.open.q.val() + 1;
        self.gain.next = 0.into();
        if self.push.val() {
            self.open.d.next = self.open_more.val();
            if self.push_last.val() {
                self.open.d.next = 0.into();
                if !self.push_bad.val() {
                    self.gain.next = self.open_more.val();
                }
            }
        }
        self.loss.next = 0.into();
        if self.pop.val() {
            self.loss.next = 1.into();
        }
        self.grown.next = self.whole.q.val() + self.gain.val();
        self.whole.d.next = self.grown.val() - self.loss.val();
        self.used.d.next = self.whole.q.val() + self.open.q.val();
        self.fits.d.next = self.used.q.val() < self.limit.val();
        if self.reset.val() {
            self.open.d.next = 0.into();
            self.whole.d.next = 0.into();
            self.used.d.next = 0.into();
            self.fits.d.next = false;
        }
    }
}
