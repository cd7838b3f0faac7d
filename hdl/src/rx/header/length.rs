//! Length of the payload, and whether the lengths leave room for what they must hold.
//!
//! # Source            InfiniBand architecture, volume 1, section 9.2; annex A17 (RoCEv2)
//! # Interface timing  cycle 0: ip_len; cycle 1: the BTH's fields; cycle 2: outputs
//! # Latency and rate  2; one packet per cycle, no valid
//! # Number formats    payload_bytes | UQ13.0 | valid if neither len_short nor len_big
//! # Reset             none: follows its inputs
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Payload = IP length - IP and UDP headers - BTH - ICRC - extension headers - pad.
#[block(no_reset)]
pub struct RxLength {
    /// IPv4 total length without telemetry.
    pub ip_len: Signal<In, Bits<16>>,
    /// A RETH (16 bytes) is there.
    pub has_reth: Signal<In, Bit>,
    /// Four bytes of AETH or ImmDt are there.
    pub has_word: Signal<In, Bit>,
    /// Pad bytes.
    pub pad_count: Signal<In, Bits<2>>,
    /// It is a request that the responder answers.
    pub is_request: Signal<In, Bit>,
    /// It is a READ response.
    pub is_response: Signal<In, Bit>,
    /// No room for headers, pad and ICRC.
    pub len_short: Signal<Out, Bit>,
    /// Payload above 4096 bytes.
    pub len_big: Signal<Out, Bit>,
    /// The payload is not empty.
    pub len_some: Signal<Out, Bit>,
    /// Bytes of payload.
    pub payload_bytes: Signal<Out, Bits<13>>,
    /// The payload has a legal length, and somebody who takes it.
    pub is_wanted: Signal<Out, Bit>,
    /// It is that of a READ response.
    pub for_response: Signal<Out, Bit>,
    body: Unreset<Bits<17>>,
    payload: Unreset<Bits<17>>,
    has_taker: Unreset<Bit>,
    of_response: Unreset<Bit>,
    is_short: Signal<Local, Bit>,
    is_some: Signal<Local, Bit>,
    is_big: Signal<Local, Bit>,
    extra: Signal<Local, Bits<17>>,
    ip_wide: Signal<Local, Bits<17>>,
    from_4096: Signal<Local, Bit>,
}

impl Logic for RxLength {
    #[hdl_gen]
    fn update(&mut self) {
        self.ip_wide.next = bit_cast::<17, 16>(self.ip_len.val());
        self.body.next = self.ip_wide.val() - 44;
        self.extra.next = bit_cast::<17, 2>(self.pad_count.val());
        if self.has_reth.val() & self.has_word.val() {
            self.extra.next = bit_cast::<17, 2>(self.pad_count.val()) | 20;
        } else if self.has_reth.val() {
            self.extra.next = bit_cast::<17, 2>(self.pad_count.val()) | 16;
        } else if self.has_word.val() {
            self.extra.next = bit_cast::<17, 2>(self.pad_count.val()) | 4;
        }
        self.payload.next = self.body.val() - self.extra.val();
        self.payload_bytes.next = self.payload.val().get_bits::<13>(0);
        self.has_taker.next = self.is_request.val() | self.is_response.val();
        self.of_response.next = self.is_response.val();
        self.is_short.next = self.payload.val().get_bit(16);
        self.is_some.next = self.payload.val().any();
        self.from_4096.next = self.payload.val().get_bits::<4>(12).any();
        self.is_big.next = self.from_4096.val()
            & (self.payload.val().get_bits::<3>(13).any()
                | self.payload.val().get_bits::<12>(0).any());
        self.len_short.next = self.is_short.val();
        self.len_some.next = self.is_some.val();
        self.len_big.next = self.is_big.val();
        self.is_wanted.next =
            self.has_taker.val() & self.is_some.val() & !self.is_short.val() & !self.is_big.val();
        self.for_response.next = self.of_response.val();
    }
}
