//! Delays the pieces of a frame until its ICRC is known, and puts it in its place.
//!
//! # Interface timing  a piece at s_ in cycle 0 is at m_ in cycle [`LATENCY_CYCLES`]; the piece
//!                     with s_icrc takes icrc in cycle 2: that of its own frame, whose last
//!                     covered piece was there at cycle -1 at the latest
//! # Latency and rate  [`LATENCY_CYCLES`]; one piece a cycle
//! # Reset             synchronous, high: no piece
//! # Twins             sim/models/src/golden/tx/pipe.rs, tests/tx/tx_pipe.rs

use crate::{block, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a piece to itself: packer, CRC-32 and the cycle between.
pub const LATENCY_CYCLES: usize = 3;

/// Delay of the frame's pieces.
#[block]
pub struct TxDelay {
    /// A piece.
    pub s_valid: Signal<In, Bit>,
    /// Its bytes.
    pub s_data: Signal<In, Bits<64>>,
    /// How many.
    pub s_bytes: Signal<In, Bits<4>>,
    /// Last of the frame.
    pub s_last: Signal<In, Bit>,
    /// On the last piece: drop the frame.
    pub s_bad: Signal<In, Bit>,
    /// The ICRC goes here.
    pub s_icrc: Signal<In, Bit>,
    /// Last CRC.
    pub icrc: Signal<In, Bits<32>>,
    /// A piece.
    pub m_valid: Signal<Out, Bit>,
    /// Its bytes.
    pub m_data: Signal<Out, Bits<64>>,
    /// How many.
    pub m_bytes: Signal<Out, Bits<4>>,
    /// Last of the frame.
    pub m_last: Signal<Out, Bit>,
    /// On the last piece: drop the frame.
    pub m_bad: Signal<Out, Bit>,
    valid_1: Reg<Bit>,
    piece_1: Unreset<Bits<71>>,
    valid_2: Reg<Bit>,
    piece_2: Unreset<Bits<71>>,
    valid_3: Reg<Bit>,
    piece_3: Unreset<Bits<71>>,
}

impl Logic for TxDelay {
    #[hdl_gen]
    fn update(&mut self) {
        self.valid_1.next = self.s_valid.val();
        self.piece_1.next = bit_cast::<71, 64>(self.s_data.val())
            | (bit_cast::<71, 4>(self.s_bytes.val()) << 64)
            | (bit_cast::<71, 1>(self.s_last.val().into()) << 68)
            | (bit_cast::<71, 1>(self.s_bad.val().into()) << 69)
            | (bit_cast::<71, 1>(self.s_icrc.val().into()) << 70);
        self.valid_2.next = self.valid_1.val();
        self.piece_2.next = self.piece_1.val();
        self.valid_3.next = self.valid_2.val();
        self.piece_3.next = self.piece_2.val();
        if self.piece_2.val().get_bit(70) {
            self.piece_3.next = self.piece_2.val() | bit_cast::<71, 32>(self.icrc.val());
        }
        self.m_valid.next = self.valid_3.val();
        self.m_data.next = self.piece_3.val().get_bits::<64>(0);
        self.m_bytes.next = self.piece_3.val().get_bits::<4>(64);
        self.m_last.next = self.piece_3.val().get_bit(68);
        self.m_bad.next = self.piece_3.val().get_bit(69);
    }
}
