//! Length of the payload, and whether the lengths leave room for what they must hold.
//!
//! # Source            InfiniBand architecture, volume 1, section 9.2; annex A17 (RoCEv2)
//! # Interface timing  tel_long: 2 cycles after udp_len and 1 after tel_bytes; the rest: 3 cycles
//!                     after them, 2 after the BTH's fields. They stay until those change
//! # Latency and rate  a pipeline, no valid
//! # Number formats    payload_bytes | UQ13.0 | valid if neither len_short nor len_big
//! # Reset             none: follows its inputs
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::{block, Unreset};
use rust_hdl_core::prelude::*;

/// Payload = UDP length - UDP header - telemetry - BTH - ICRC - extension headers - pad.
#[block(no_reset)]
pub struct RxLength {
    /// UDP length of the header.
    pub udp_len: Signal<In, Bits<16>>,
    /// Bytes of telemetry.
    pub tel_bytes: Signal<In, Bits<11>>,
    /// Bytes of UDP header, telemetry, BTH and ICRC.
    pub head_bytes: Signal<In, Bits<11>>,
    /// A RETH (16 bytes) is there.
    pub has_reth: Signal<In, Bit>,
    /// Four bytes of AETH or ImmDt are there.
    pub has_word: Signal<In, Bit>,
    /// Pad bytes.
    pub pad_count: Signal<In, Bits<2>>,
    /// Telemetry is longer than the UDP payload.
    pub tel_long: Signal<Out, Bit>,
    /// No room for headers, pad and ICRC.
    pub len_short: Signal<Out, Bit>,
    /// Payload above 4096 bytes.
    pub len_big: Signal<Out, Bit>,
    /// The payload is not empty.
    pub len_some: Signal<Out, Bit>,
    /// Bytes of payload.
    pub payload_bytes: Signal<Out, Bits<13>>,
    /// Beat of the packet with which the first payload beat is complete: 5..=8.
    pub payload_beat: Signal<Out, Bits<4>>,
    /// The payload starts in the middle of a beat.
    pub payload_half: Signal<Out, Bit>,
    body: Unreset<Bits<17>>,
    payload: Unreset<Bits<17>>,
    udp_rest: Unreset<Bits<16>>,
    long_tel: Unreset<Bit>,
    short_len: Unreset<Bit>,
    big_len: Unreset<Bit>,
    some_len: Unreset<Bit>,
    start: Unreset<Bits<4>>,
    half: Unreset<Bit>,
    extra: Signal<Local, Bits<17>>,
    udp_wide: Signal<Local, Bits<17>>,
    head_wide: Signal<Local, Bits<17>>,
    tel_wide: Signal<Local, Bits<16>>,
    from_4096: Signal<Local, Bit>,
}

impl Logic for RxLength {
    #[hdl_gen]
    fn update(&mut self) {
        self.tel_long.next = self.long_tel.val();
        self.len_short.next = self.short_len.val();
        self.len_big.next = self.big_len.val();
        self.len_some.next = self.some_len.val();
        self.payload_bytes.next = self.payload.val().get_bits::<13>(0);
        self.payload_beat.next = self.start.val();
        self.payload_half.next = self.half.val();
        self.udp_wide.next = bit_cast::<17, 16>(self.udp_len.val());
        self.head_wide.next = bit_cast::<17, 11>(self.head_bytes.val());
        self.tel_wide.next = bit_cast::<16, 11>(self.tel_bytes.val());
        self.udp_rest.next = self.udp_len.val() - 8;
        self.long_tel.next = self.udp_rest.val() < self.tel_wide.val();
        self.extra.next = bit_cast::<17, 2>(self.pad_count.val());
        self.start.next = 5.into();
        self.half.next = self.has_word.val();
        if self.has_reth.val() & self.has_word.val() {
            self.extra.next = bit_cast::<17, 2>(self.pad_count.val()) | 20;
            self.start.next = 8.into();
        } else if self.has_reth.val() {
            self.extra.next = bit_cast::<17, 2>(self.pad_count.val()) | 16;
            self.start.next = 7.into();
        } else if self.has_word.val() {
            self.extra.next = bit_cast::<17, 2>(self.pad_count.val()) | 4;
            self.start.next = 6.into();
        }
        self.body.next = self.udp_wide.val() - self.head_wide.val();
        self.payload.next = self.body.val() - self.extra.val();
        self.short_len.next = self.body.val().get_bit(16) | self.payload.val().get_bit(16);
        self.some_len.next = self.payload.val().any();
        self.from_4096.next = self.payload.val().get_bits::<4>(12).any();
        self.big_len.next = self.from_4096.val()
            & (self.payload.val().get_bits::<3>(13).any()
                | self.payload.val().get_bits::<12>(0).any());
    }
}
