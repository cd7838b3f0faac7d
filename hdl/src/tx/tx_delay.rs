//! Delays the pieces of a frame until its ICRC is known, and puts it in its place.
//!
//! # Interface timing  a piece at s_ in cycle 0 is at m_ in cycle [`LATENCY_CYCLES`]; the piece
//!                     with s_icrc takes icrc in cycle 2: that of its own frame, whose last
//!                     covered piece was there at cycle -1 at the latest
//! # Latency and rate  [`LATENCY_CYCLES`]; one piece a cycle
//! # Reset             synchronous, high: no piece
//! # Twins             sim/src/golden/tx/tx_pipe.rs, tests/tx_pipe.rs

use crate::Module;
use rust_hdl_core::prelude::*;
use rust_hdl_widgets::prelude::*;

/// Cycles from a piece to itself: packer, CRC-32 and the cycle between.
pub const LATENCY_CYCLES: usize = 3;

/// Delay of the frame's pieces.
#[derive(LogicBlock, Default)]
pub struct TxDelay {
    module_type: Module<Self>,
    /// Core clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high.
    pub reset: Signal<In, Bit>,
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
    valid_1: DFF<Bit>,
    piece_1: DFF<Bits<71>>,
    valid_2: DFF<Bit>,
    piece_2: DFF<Bits<71>>,
    valid_3: DFF<Bit>,
    piece_3: DFF<Bits<71>>,
}

impl Logic for TxDelay {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, valid_1, piece_1, valid_2, piece_2, valid_3, piece_3);
        self.valid_1.d.next = self.s_valid.val();
        self.piece_1.d.next = bit_cast::<71, 64>(self.s_data.val())
            | (bit_cast::<71, 4>(self.s_bytes.val()) << 64)
            | (bit_cast::<71, 1>(self.s_last.val().into()) << 68)
            | (bit_cast::<71, 1>(self.s_bad.val().into()) << 69)
            | (bit_cast::<71, 1>(self.s_icrc.val().into()) << 70);
        self.valid_2.d.next = self.valid_1.q.val();
        self.piece_2.d.next = self.piece_1.q.val();
        self.valid_3.d.next = self.valid_2.q.val();
        self.piece_3.d.next = self.piece_2.q.val();
        if self.piece_2.q.val().get_bit(70) {
            self.piece_3.d.next = self.piece_2.q.val() | bit_cast::<71, 32>(self.icrc.val());
        }
        self.m_valid.next = self.valid_3.q.val();
        self.m_data.next = self.piece_3.q.val().get_bits::<64>(0);
        self.m_bytes.next = self.piece_3.q.val().get_bits::<4>(64);
        self.m_last.next = self.piece_3.q.val().get_bit(68);
        self.m_bad.next = self.piece_3.q.val().get_bit(69);
        if self.reset.val() {
            self.valid_1.d.next = false;
            self.valid_2.d.next = false;
            self.valid_3.d.next = false;
        }
    }
}
