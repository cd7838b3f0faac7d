//! What an opcode says about its packet.
//!
//! # Source            InfiniBand architecture, volume 1, section 9.2.1; 0xc0 to 0xc4, manufacturer's codes:
//!                     hdl/feedback.md
//! # Interface timing  cycle 0: s_valid, s_code; cycle 1: all of the outputs, until the next
//!                     s_valid
//! # Latency and rate  1; one opcode per cycle, no ready
//! # Reset             none: follows its inputs
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Opcode decoder of the rx pipe.
#[block(no_reset)]
pub struct RxOpcode {
    /// An opcode.
    pub s_valid: Signal<In, Bit>,
    /// Its value.
    pub s_code: Signal<In, Bits<8>>,
    /// A RETH (16 bytes) follows the BTH.
    pub has_reth: Signal<Out, Bit>,
    /// Four bytes of AETH or ImmDt follow.
    pub has_word: Signal<Out, Bit>,
    /// A request that the responder answers.
    pub is_request: Signal<Out, Bit>,
    /// An ACKNOWLEDGE.
    pub is_ack: Signal<Out, Bit>,
    /// A READ response.
    pub is_response: Signal<Out, Bit>,
    /// A telemetry response of any kind, or a probe.
    pub is_feedback: Signal<Out, Bit>,
    reth: Unreset<Bit>,
    word: Unreset<Bit>,
    request: Unreset<Bit>,
    ack: Unreset<Bit>,
    response: Unreset<Bit>,
    feedback: Unreset<Bit>,
    code: Signal<Local, Bits<8>>,
    code_reth: Signal<Local, Bit>,
    code_window: Signal<Local, Bit>,
    code_imm: Signal<Local, Bit>,
    code_aeth: Signal<Local, Bit>,
    code_response: Signal<Local, Bit>,
    code_atomic: Signal<Local, Bit>,
    code_invalidate: Signal<Local, Bit>,
}

impl Logic for RxOpcode {
    #[hdl_gen]
    fn update(&mut self) {
        self.has_reth.next = self.reth.val();
        self.has_word.next = self.word.val();
        self.is_request.next = self.request.val();
        self.is_ack.next = self.ack.val();
        self.is_response.next = self.response.val();
        self.is_feedback.next = self.feedback.val();
        self.code.next = self.s_code.val();
        self.code_reth.next = (self.code.val() == 0x06)
            | (self.code.val() == 0x0a)
            | (self.code.val() == 0x0b)
            | (self.code.val() == 0x0c);
        self.code_window.next = self.code.val() == 0xc4;
        self.code_imm.next = (self.code.val() == 0x03)
            | (self.code.val() == 0x05)
            | (self.code.val() == 0x09)
            | (self.code.val() == 0x0b)
            | self.code_window.val();
        self.code_aeth.next = (self.code.val() == 0x0d)
            | (self.code.val() == 0x0f)
            | (self.code.val() == 0x10)
            | (self.code.val() == 0x11)
            | (self.code.val() == 0x12);
        self.code_response.next = (self.code.val() == 0x0d)
            | (self.code.val() == 0x0e)
            | (self.code.val() == 0x0f)
            | (self.code.val() == 0x10);
        self.code_atomic.next = (self.code.val() == 0x13) | (self.code.val() == 0x14);
        self.code_invalidate.next = (self.code.val() == 0x16) | (self.code.val() == 0x17);
        if self.s_valid.val() {
            self.reth.next = self.code_reth.val();
            self.word.next = self.code_imm.val() | self.code_aeth.val();
            self.request.next =
                (self.code.val() < 0x0d) | self.code_atomic.val() | self.code_invalidate.val();
            self.ack.next = self.code.val() == 0x11;
            self.response.next = self.code_response.val();
            self.feedback.next =
                (self.code.val().get_bits::<6>(2) == 0x30) | self.code_window.val();
        }
    }
}
