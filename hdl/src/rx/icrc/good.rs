//! What the CRC over whole beats is when the ICRC is right: it depends on the zeros behind the last
//! byte alone.
//!
//! # Source            IEEE 802.3 section 3.2.9: the CRC of a message with its own behind it
//! # Interface timing  cycle 0: s_bytes; cycle 1: m_crc
//! # Latency and rate  1; one packet per cycle
//! # Reset             none: follows its input
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::block;
use crate::util::crc32::advance;
use rust_hdl_core::prelude::*;
use std::fmt::Write;

/// What the CRC of a message with its own ICRC behind it is.
const GOOD_CRC: u32 = 0x2144_df1c;

/// The same with so many zeros behind the ICRC.
fn good_crc(zero_count: usize) -> u32 {
    !(0..zero_count).fold(!GOOD_CRC, |state, _| advance(state, 0))
}

/// Table of the CRCs of good packets in beats of `KB` bytes.
#[block(no_reset)]
pub struct RxIcrcGood<const KB: usize> {
    /// Bytes of the last beat.
    pub s_bytes: Signal<In, Bits<7>>,
    /// The CRC.
    pub m_crc: Signal<Out, Bits<32>>,
}

impl<const KB: usize> Logic for RxIcrcGood<KB> {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        let mut text = "always @(posedge clock) begin\n    case (s_bytes)\n".to_string();
        for bytes in 1..KB {
            let (crc, bits) = (good_crc(KB - bytes), format!("7'd{bytes}"));
            let _ = writeln!(
                text,
                "        {bits}: m_crc <= 32'h{:04x}_{:04x};",
                crc >> 16,
                crc & 0xffff
            );
        }
        let _ = writeln!(
            text,
            "        default: m_crc <= 32'h{:04x}_{:04x};",
            GOOD_CRC >> 16,
            GOOD_CRC & 0xffff
        );
        Verilog::Custom(text + "    endcase\nend\n")
    }
}
