//! Takes telemetry out of a packet, and IFA's header with it: what is left begins with an IP header,
//! and its BTH stands at byte 28.
//!
//! The four bytes of IFA's header in front of UDP are cut together with what stands behind UDP. So
//! of such a packet the last four bytes in front of the BTH are UDP's first ones.
//!
//! # Source            hdl/rx.md
//! # Interface timing  cycle 0: s, and what is known of its packet; cycle 2: m of what this beat
//!                     completes; cycle 3: what is left behind a last beat, and m.end
//! # Latency and rate  2, for the end 3; one beat per cycle, no ready
//! # Number formats    m_ip_len | UQ16.0 | bytes, without telemetry
//! # Reset             synchronous, high: between packets
//! # Twins             part of sim/models/src/golden/rx/pipe.rs, tests/rx/rx_pipe.rs

use crate::streams::PacketBeat;
use crate::util::cut::Cut;
use crate::{block, Unreset, Wire};
use rust_hdl_core::prelude::*;

/// Byte behind which telemetry stands: IP and UDP headers.
const AT: usize = 28;

/// Strips telemetry.
#[block]
pub struct RxStrip<const W: usize, const W2: usize, const KB: usize> {
    /// A beat of the IP packet.
    pub s: PacketBeat<In, W>,
    /// Bytes of its telemetry.
    pub tel_bytes: Signal<In, Bits<11>>,
    /// IPv4 total length.
    pub ip_len: Signal<In, Bits<16>>,
    /// UDP source port.
    pub src_port: Signal<In, Bits<16>>,
    /// A beat of the packet without telemetry.
    pub m: PacketBeat<Out, W>,
    /// IPv4 total length of that.
    pub m_ip_len: Signal<Out, Bits<16>>,
    /// UDP source port.
    pub m_src_port: Signal<Out, Bits<16>>,
    cut: Cut<W, W2, KB, AT, 0, 32>,
    net_len: Unreset<Bits<16>>,
    port: Unreset<Bits<16>>,
    side_port: Signal<Local, Bits<32>>,
}

impl<const W: usize, const W2: usize, const KB: usize> Logic for RxStrip<W, W2, KB> {
    #[hdl_gen]
    fn update(&mut self) {
        Wire::join(&mut self.s, &mut self.cut.s);
        self.cut.s_more.next = self.tel_bytes.val();
        self.net_len.next = self.ip_len.val() - bit_cast::<16, 11>(self.tel_bytes.val());
        self.port.next = self.src_port.val();
        self.side_port.next = bit_cast::<32, 16>(self.port.val());
        self.cut.s_side.next =
            bit_cast::<32, 16>(self.net_len.val()) | (self.side_port.val() << 16);
        Wire::join(&mut self.cut.m, &mut self.m);
        self.m_ip_len.next = self.cut.m_side.val().get_bits::<16>(0);
        self.m_src_port.next = self.cut.m_side.val().get_bits::<16>(16);
    }
}
