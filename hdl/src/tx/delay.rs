//! Delays the pieces of a frame until its ICRC is known, and puts it in its place.
//!
//! # Interface timing  a piece at s_ in cycle 0 is at m_ in cycle [`LATENCY_CYCLES`]; the piece
//!                     with s_icrc takes icrc in cycle 2: that of its own frame, whose last
//!                     covered piece was there at cycle -1 at the latest
//! # Latency and rate  [`LATENCY_CYCLES`]; one piece a cycle
//! # Reset             synchronous, high: no piece
//! # Twins             sim/models/src/golden/tx/pipe.rs, tests/tx/tx_pipe.rs

use crate::streams::{CoveredPiece, FramePiece};
use crate::{block, row, Reg, Unreset};
use rust_hdl_core::prelude::*;

/// Cycles from a piece to itself: packer, CRC-32 and the cycle between.
pub const LATENCY_CYCLES: usize = 3;

/// A piece of a frame.
#[row]
struct Piece {
    data: Bits<64>, // Bytes
    bytes: Bits<4>, // How many
    last: Bit,      // Last of the frame
    bad: Bit,       // Drop the frame
    icrc: Bit,      // Its place is for the CRC
}

/// Delay of the frame's pieces.
#[block]
pub struct TxDelay {
    /// A piece.
    pub s: CoveredPiece<In>,
    /// Last CRC.
    pub icrc: Signal<In, Bits<32>>,
    /// A piece.
    pub m: FramePiece<Out>,
    valid_1: Reg<Bit>,
    piece_1: Unreset<Piece>,
    valid_2: Reg<Bit>,
    piece_2: Unreset<Piece>,
    valid_3: Reg<Bit>,
    piece_3: Unreset<Piece>,
}

impl Logic for TxDelay {
    #[hdl_gen]
    fn update(&mut self) {
        self.valid_1.next = self.s.valid.val();
        self.piece_1.next.data = self.s.data.val();
        self.piece_1.next.bytes = self.s.bytes.val();
        self.piece_1.next.last = self.s.last.val();
        self.piece_1.next.bad = self.s.bad.val();
        self.piece_1.next.icrc = self.s.icrc.val();
        self.valid_2.next = self.valid_1.val();
        self.piece_2.next = self.piece_1.val();
        self.valid_3.next = self.valid_2.val();
        self.piece_3.next = self.piece_2.val();
        if self.piece_2.val().icrc {
            self.piece_3.next =
                (self.piece_2.val().to_bits::<71>() | bit_cast::<71, 32>(self.icrc.val())).into();
        }
        self.m.valid.next = self.valid_3.val();
        self.m.data.next = self.piece_3.val().data;
        self.m.bytes.next = self.piece_3.val().bytes;
        self.m.last.next = self.piece_3.val().last;
        self.m.bad.next = self.piece_3.val().bad;
    }
}
