//! Packs pieces of 2, 4, 6 or 8 bytes into full 64-bit beats; the last piece of a frame may have
//! any number of bytes.
//!
//! # Interface timing  cycle 0: s_valid, s_bytes, s_data; cycle 1: the beat that it fills, if it
//!                     fills one; cycle 2: the rest of a last piece that fills more than one
//! # Latency and rate  [`LATENCY_CYCLES`]; one piece a cycle; after a last piece that fills more
//!                     than one beat one idle cycle. No ready
//! # Shape             pieces but the last of a frame have 2, 4, 6 or 8 bytes; a last piece behind
//!                     an odd number of bytes does not exist
//! # Reset             synchronous, high: empty, outputs 0
//! # Twins             sim/models/src/golden/tx/pack.rs, tests/tx/tx_pipe.rs

use crate::streams::FramePiece;
use crate::{block, Reg};
use rust_hdl_core::prelude::*;

/// Cycles from a piece to the beat that it fills.
pub const LATENCY_CYCLES: usize = 1;

/// Packs pieces into 64-bit beats.
#[block]
pub struct TxPack {
    /// A piece.
    pub s: FramePiece<In>,
    /// A beat.
    pub m_tvalid: Signal<Out, Bit>,
    /// Its bytes.
    pub m_tdata: Signal<Out, Bits<64>>,
    /// Which of them are valid.
    pub m_tkeep: Signal<Out, Bits<8>>,
    /// Last of its frame.
    pub m_tlast: Signal<Out, Bit>,
    /// On the last beat: the frame is bad.
    pub m_tuser: Signal<Out, Bit>,
    rest: Reg<Bits<64>>,
    rest_bytes: Reg<Bits<4>>,
    flush: Reg<Bit>,
    bad: Reg<Bit>,
    valid: Reg<Bit>,
    data: Reg<Bits<64>>,
    keep: Reg<Bits<8>>,
    last: Reg<Bit>,
    user: Reg<Bit>,
    low: Signal<Local, Bits<64>>,
    high: Signal<Local, Bits<64>>,
    total: Signal<Local, Bits<4>>,
    fills: Signal<Local, Bit>,
    fits: Signal<Local, Bit>,
    keep_bytes: Signal<Local, Bits<4>>,
    ones: Signal<Local, Bits<16>>,
    mask: Signal<Local, Bits<16>>,
}

impl Logic for TxPack {
    #[hdl_gen]
    fn update(&mut self) {
        self.m_tvalid.next = self.valid.val();
        self.m_tdata.next = self.data.val();
        self.m_tkeep.next = self.keep.val();
        self.m_tlast.next = self.last.val();
        self.m_tuser.next = self.user.val();
        comment!("The piece behind the bytes that are left, and what of it does not fit.");
        self.low.next = self.s.data.val();
        self.high.next = 0.into();
        match self.rest_bytes.val().index() {
            2 => {
                self.low.next = self.s.data.val() << 16;
                self.high.next = self.s.data.val() >> 48;
            }
            4 => {
                self.low.next = self.s.data.val() << 32;
                self.high.next = self.s.data.val() >> 32;
            }
            6 => {
                self.low.next = self.s.data.val() << 48;
                self.high.next = self.s.data.val() >> 16;
            }
            _ => {}
        }
        comment!("At most 14 bytes: a filled beat leaves the sum modulo 8.");
        self.total.next = self.rest_bytes.val() + self.s.bytes.val();
        self.fills.next = self.total.val().get_bit(3);
        self.fits.next = !self.fills.val() | !self.total.val().get_bits::<3>(0).any();
        self.keep_bytes.next = 8.into();
        if self.flush.val() {
            self.keep_bytes.next = self.rest_bytes.val();
        } else if self.fits.val() {
            self.keep_bytes.next = self.total.val();
        }
        self.ones.next = 0xff.into();
        self.mask.next = self.ones.val() << self.keep_bytes.val();

        self.valid.next = false;
        self.last.next = false;
        self.user.next = false;
        self.flush.next = false;
        if self.flush.val() {
            self.valid.next = true;
            self.data.next = self.rest.val();
            self.keep.next = self.mask.val().get_bits::<8>(8);
            self.last.next = true;
            self.user.next = self.bad.val();
            self.rest.next = 0.into();
            self.rest_bytes.next = 0.into();
        } else if self.s.valid.val() {
            self.rest.next = self.rest.val() | self.low.val();
            self.rest_bytes.next = bit_cast::<4, 3>(self.total.val().get_bits::<3>(0));
            self.bad.next = self.s.bad.val();
            if self.fills.val() {
                self.rest.next = self.high.val();
            }
            if self.s.last.val() | self.fills.val() {
                self.valid.next = true;
                self.data.next = self.rest.val() | self.low.val();
                self.keep.next = self.mask.val().get_bits::<8>(8);
            }
            if self.s.last.val() & self.fits.val() {
                self.last.next = true;
                self.user.next = self.s.bad.val();
                self.rest.next = 0.into();
                self.rest_bytes.next = 0.into();
            } else if self.s.last.val() {
                self.flush.next = true;
            }
        }
    }
}
