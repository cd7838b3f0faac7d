//! Frames out of a stream of bytes: flags, escapes and check sequence are taken out.
//!
//! # Source            RFC 1662 section 4 (octet-stuffed framing), appendix C.2 (FCS-16)
//! # Interface timing  cycle 0: a byte is taken; cycle 1: the item that it gives, if it gives one.
//!                     Two bytes are held back, for they may be the check sequence
//! # Latency and rate  [`LATENCY_CYCLES`]; one byte every other cycle
//! # Errors            a frame ends with `good` low if its check sequence is wrong, it is shorter
//!                     than that, or its last byte is an escape. Whatever was lost: the next flag
//!                     is in step again. Flags side by side are one
//! # Reset             synchronous, high: between frames, s_ready = 1, m_data = 0; m_data holds
//!                     its last value while m_valid is low
//! # Twins             sim/models/src/golden/host/uart.rs, tests/host/uart.rs

use super::{fcs, fcs::UartFcs, FrameItem};
use crate::streams::Word;
use crate::{block, Reg, Unreset};
use nic_spec::serial;
use rust_hdl_core::prelude::*;

/// Cycles from a byte to its item.
pub const LATENCY_CYCLES: usize = 1;

/// Bytes to frames.
#[block]
pub struct UartDeframer {
    /// A byte is offered.
    pub s: Word<In, Bits<8>>,
    /// A byte of a frame, or a frame's end.
    pub m: Word<Out, FrameItem>,
    #[reset(true)]
    ready: Reg<Bit>,
    valid: Reg<Bit>,
    item: Reg<FrameItem>,
    escaped: Reg<Bit>,
    held_count: Reg<Bits<2>>,
    newer: Unreset<Bits<8>>,
    older: Unreset<Bits<8>>,
    #[reset(fcs::START)]
    check: Reg<Bits<16>>,
    fcs: UartFcs,
    byte_in: Signal<Local, Bits<8>>,
    is_empty: Signal<Local, Bit>,
    is_good: Signal<Local, Bit>,
    #[value(u64::from(serial::FLAG))]
    flag: Constant<Bits<8>>,
    #[value(u64::from(serial::ESCAPE))]
    escape: Constant<Bits<8>>,
    #[value(u64::from(serial::TOGGLED))]
    toggled: Constant<Bits<8>>,
    #[value(fcs::START)]
    start: Constant<Bits<16>>,
    #[value(fcs::GOOD)]
    good: Constant<Bits<16>>,
    #[value(2)]
    both: Constant<Bits<2>>,
    #[value(0)]
    none: Constant<Bits<2>>,
}

impl Logic for UartDeframer {
    #[hdl_gen]
    fn update(&mut self) {
        self.s.ready.next = self.ready.val();
        self.m.valid.next = self.valid.val();
        self.m.data.next = self.item.val();
        self.byte_in.next = self.s.data.val();
        if self.escaped.val() {
            self.byte_in.next = self.s.data.val() ^ self.toggled.val();
        }
        self.fcs.fcs.next = self.check.val();
        self.fcs.data.next = self.byte_in.val();
        self.is_empty.next = (self.held_count.val() == self.none.val()) && !self.escaped.val();
        self.is_good.next = (self.held_count.val() == self.both.val())
            && !self.escaped.val()
            && (self.check.val() == self.good.val());
        if self.valid.val() && self.m.ready.val() {
            self.valid.next = false;
            self.ready.next = true;
        }
        if self.ready.val() && self.s.valid.val() {
            if self.s.data.val() == self.flag.val() {
                self.escaped.next = false;
                self.held_count.next = 0.into();
                self.check.next = self.start.val();
                self.valid.next = !self.is_empty.val();
                self.ready.next = self.is_empty.val();
                if !self.is_empty.val() {
                    self.item.next.data = 0.into();
                    self.item.next.last = true;
                    self.item.next.good = self.is_good.val();
                }
            } else if (self.s.data.val() == self.escape.val()) && !self.escaped.val() {
                self.escaped.next = true;
            } else {
                self.escaped.next = false;
                self.check.next = self.fcs.result.val();
                self.newer.next = self.byte_in.val();
                self.older.next = self.newer.val();
                if self.held_count.val() == self.both.val() {
                    self.valid.next = true;
                    self.ready.next = false;
                    self.item.next.data = self.older.val();
                    self.item.next.last = false;
                    self.item.next.good = false;
                } else {
                    self.held_count.next = self.held_count.val() + 1;
                }
            }
        }
    }
}
