//! Frames into a stream of bytes: check sequence, escapes and the flag at the end are put in.
//!
//! # Source            RFC 1662 section 4 (octet-stuffed framing), appendix C.2 (FCS-16)
//! # Interface timing  cycle 0: an item is taken; cycle 2: its byte at the source, if nothing waits
//! # Latency and rate  [`LATENCY_CYCLES`]; one byte every 3 cycles. An end gives check sequence and
//!                     flag, a byte that is a flag or an escape gives two
//! # Reset             synchronous, high: between frames, s_ready = 1, m_data = 0; m_data holds
//!                     its last value while m_valid is low
//! # Twins             sim/models/src/golden/host/uart.rs, tests/host/uart.rs

use super::{fcs, fcs::UartFcs, FrameItem};
use crate::streams::Word;
use crate::{block, Reg, Unreset};
use nic_spec::serial;
use rust_hdl_core::prelude::*;

/// Cycles from an item to its byte.
pub const LATENCY_CYCLES: usize = 2;

/// What is sent of an item.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Part {
    Byte,
    CheckLow,
    CheckHigh,
    Flag,
}

/// Frames to bytes.
#[block]
pub struct UartFramer {
    /// A byte of a frame, or a frame's end, is offered.
    pub s: Word<In, FrameItem>,
    /// A byte.
    pub m: Word<Out, Bits<8>>,
    #[reset(true)]
    ready: Reg<Bit>,
    valid: Reg<Bit>,
    data: Reg<Bits<8>>,
    part: Unreset<Part>,
    value: Unreset<Bits<8>>,
    #[reset(fcs::START)]
    check: Reg<Bits<16>>,
    fcs: UartFcs,
    inverse: Signal<Local, Bits<16>>,
    is_special: Signal<Local, Bit>,
    #[value(u64::from(serial::FLAG))]
    flag: Constant<Bits<8>>,
    #[value(u64::from(serial::ESCAPE))]
    escape: Constant<Bits<8>>,
    #[value(u64::from(serial::TOGGLED))]
    toggled: Constant<Bits<8>>,
    #[value(fcs::START)]
    start: Constant<Bits<16>>,
}

impl Logic for UartFramer {
    #[hdl_gen]
    fn update(&mut self) {
        self.s.ready.next = self.ready.val();
        self.m.valid.next = self.valid.val();
        self.m.data.next = self.data.val();
        self.inverse.next = self.check.val() ^ self.start.val();
        self.fcs.fcs.next = self.check.val();
        self.fcs.data.next = self.s.data.val().data;
        self.is_special.next = (self.part.val() != Part::Flag)
            && ((self.value.val() == self.flag.val()) || (self.value.val() == self.escape.val()));
        if self.m.ready.val() {
            self.valid.next = false;
        }
        if self.ready.val() {
            self.value.next = self.s.data.val().data;
            self.part.next = Part::Byte;
            if self.s.data.val().last {
                self.value.next = self.inverse.val().get_bits::<8>(0);
                self.part.next = Part::CheckLow;
            }
            if self.s.valid.val() {
                self.ready.next = false;
                if !self.s.data.val().last {
                    self.check.next = self.fcs.result.val();
                }
            }
        } else if !self.valid.val() || self.m.ready.val() {
            self.valid.next = true;
            self.data.next = self.value.val();
            if self.is_special.val() {
                comment!("Toggled it is special no more.");
                self.data.next = self.escape.val();
                self.value.next = self.value.val() ^ self.toggled.val();
            } else {
                match self.part.val() {
                    Part::CheckLow => {
                        self.value.next = self.inverse.val().get_bits::<8>(8);
                        self.part.next = Part::CheckHigh;
                    }
                    Part::CheckHigh => {
                        self.value.next = self.flag.val();
                        self.part.next = Part::Flag;
                    }
                    Part::Flag => {
                        self.ready.next = true;
                        self.check.next = self.start.val();
                    }
                    Part::Byte => {
                        self.ready.next = true;
                    }
                }
            }
        }
    }
}
