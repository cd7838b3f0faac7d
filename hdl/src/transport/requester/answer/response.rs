//! A READ response against the packet that is due.
//!
//! # Source            InfiniBand, volume 1, section 9.7.5.1 (READ responses)
//! # Interface timing  part of `requester`, registered: from Match to Answer
//! # Rules             Its turn: the oldest PSN that is not acknowledged, or the first one of the
//!                     READ while WRITEs stand before it. FIRST or MIDDLE bring a whole MTU, LAST
//!                     or ONLY the rest; an AETH holds an ACK. The first response is FIRST or ONLY.
//!                     A READ that is asked for again in the middle is answered with FIRST or ONLY
//!                     by some peers, with MIDDLE or LAST by others
//! # Reset             none: every result is used only after its operands were valid
//! # Twins             sim/models/src/golden/transport/requester.rs, tests/transport/requester.rs

use crate::{block, Unreset};
use nic_spec::wire::bth::opcode;
use rust_hdl_core::prelude::*;

/// Judges READ responses.
#[block(no_reset)]
pub struct RequesterResponse {
    /// Operation code of the response.
    pub opcode: Signal<In, Bits<8>>,
    /// Its AETH syndrome.
    pub syndrome: Signal<In, Bits<8>>,
    /// Its bytes.
    pub payload_bytes: Signal<In, Bits<13>>,
    /// Its PSN is the oldest that is not acknowledged.
    pub is_oldest: Signal<In, Bit>,
    /// Its PSN from the first one of the READ.
    pub index: Signal<In, Bits<24>>,
    /// It is the first one of the READ.
    pub first: Signal<In, Bit>,
    /// WRITEs stand before the READ.
    pub passed: Signal<In, Bit>,
    /// Bytes that are due.
    pub due_bytes: Signal<In, Bits<13>>,
    /// They end the READ.
    pub last: Signal<In, Bit>,
    /// It has payload.
    pub has_payload: Signal<Out, Bit>,
    /// It is the response whose turn it is.
    pub due: Signal<Out, Bit>,
    /// Its PSN is before the READ.
    pub behind: Signal<Out, Bit>,
    /// It has the opcode and the bytes that are due.
    pub good: Signal<Out, Bit>,
    some: Unreset<Bit>,
    in_turn: Unreset<Bit>,
    in_front: Unreset<Bit>,
    fits: Unreset<Bit>,
    has_place: Signal<Local, Bit>,
    #[value(u64::from(opcode::READ_RESPONSE_FIRST))]
    read_first: Constant<Bits<8>>,
    #[value(u64::from(opcode::READ_RESPONSE_MIDDLE))]
    read_middle: Constant<Bits<8>>,
    #[value(u64::from(opcode::READ_RESPONSE_LAST))]
    read_last: Constant<Bits<8>>,
    #[value(u64::from(opcode::READ_RESPONSE_ONLY))]
    read_only: Constant<Bits<8>>,
}

impl Logic for RequesterResponse {
    #[hdl_gen]
    fn update(&mut self) {
        self.has_payload.next = self.some.val();
        self.due.next = self.in_turn.val();
        self.behind.next = self.in_front.val();
        self.good.next = self.fits.val();
        self.some.next = self.payload_bytes.val().any();
        self.in_turn.next = self.is_oldest.val();
        self.in_front.next = false;
        if self.passed.val() {
            self.in_turn.next = !self.index.val().any();
            self.in_front.next = self.index.val().get_bit(23);
        }
        self.has_place.next = (self.opcode.val() == self.read_first.val())
            | ((self.opcode.val() == self.read_middle.val()) & !self.first.val());
        if self.last.val() {
            self.has_place.next = (self.opcode.val() == self.read_only.val())
                | ((self.opcode.val() == self.read_last.val()) & !self.first.val());
        }
        self.fits.next = self.has_place.val()
            & (self.payload_bytes.val() == self.due_bytes.val())
            & (self.syndrome.val().get_bits::<3>(5) == 0);
    }
}
