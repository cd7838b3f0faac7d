//! What fields that are known late come to in the CRC of their packet.
//!
//! The total length without telemetry and, behind IFA's header, the UDP source port are not known yet
//! when their places pass. They pass as zeros. The CRC is linear, so what the fields would have
//! become by then is exclusive-ored to bytes 40..44, which pass when they are known.
//!
//! # Source            linearity of CRC-32
//! # Interface timing  cycle 0: the fields; cycle 1: contribution
//! # Latency and rate  1; one packet per cycle
//! # Reset             none: follows its input
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::block;
use crate::util::crc32::advance;
use rust_hdl_core::prelude::*;

/// Byte of the packet from which on the contribution is added.
pub const PLACE: usize = 40;
/// Bytes of the total length and of the source port.
const IP_LEN_AT: usize = 2;
const SRC_PORT_AT: usize = 20;

/// Linear map of 32 to 32 bits.
#[block(no_reset)]
pub struct RxIcrcLate {
    /// IPv4 total length without telemetry.
    pub ip_len: Signal<In, Bits<16>>,
    /// UDP source port.
    pub src_port: Signal<In, Bits<16>>,
    /// Contribution to the CRC register.
    pub contribution: Signal<Out, Bits<32>>,
}

/// What a 1 in bit `bit` of a field of two bytes becomes that begins at byte `at`, the most
/// significant one first.
fn column(at: usize, bit: usize) -> u32 {
    let at = if bit < 8 { at + 1 } else { at };
    (0..PLACE).fold(0, |state, i| advance(state, if i == at { 1 << (bit % 8) } else { 0 }))
}

impl Logic for RxIcrcLate {
    fn update(&mut self) {}

    fn hdl(&self) -> Verilog {
        let mask = |at: usize, row: usize| {
            let bits = (0..16).filter(|bit| column(at, *bit) >> row & 1 == 1);
            bits.fold(0_u32, |mask, bit| mask | 1 << bit)
        };
        let row = |row: usize| {
            format!(
                "    contribution[{row}] <= ^(ip_len & 16'h{:04x}) ^ ^(src_port & 16'h{:04x});\n",
                mask(IP_LEN_AT, row),
                mask(SRC_PORT_AT, row)
            )
        };
        let rows: String = (0..32).map(row).collect();
        Verilog::Custom(format!("always @(posedge clock) begin\n{rows}end\n"))
    }
}
