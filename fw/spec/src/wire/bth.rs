//! Base transport header of InfiniBand (architecture specification, volume 1, section 9.2).

use super::{packet, Result};

/// Where the fields are.
pub mod field {
    use crate::wire::Field;
    /// Operation code.
    pub const OPCODE: Field = 0..1;
    /// Solicited event, migration request, pad count (2 bits), transport version (4 bits).
    pub const FLAGS: Field = 1..2;
    /// Partition key.
    pub const PKEY: Field = 2..4;
    /// FECN, BECN and six reserved bits: masked in the ICRC of RoCEv2.
    pub const RESERVED: Field = 4..5;
    /// Destination queue pair.
    pub const QPN: Field = 5..8;
    /// Acknowledge request and seven reserved bits.
    pub const ACK_REQ: Field = 8..9;
    /// Packet sequence number.
    pub const PSN: Field = 9..12;
}

/// Bytes of the header.
pub const HEADER_BYTES: usize = 12;

/// Operation codes of the reliable connection service, and those of telemetry:
/// [`TELEMETRY_RESPONSE`](opcode::TELEMETRY_RESPONSE), [`DIRECT_RESPONSE`](opcode::DIRECT_RESPONSE),
/// [`TELEMETRY_PROBE`](opcode::TELEMETRY_PROBE), [`PROBE_RESPONSE`](opcode::PROBE_RESPONSE) and
/// [`TELEMETRY_WINDOW`](opcode::TELEMETRY_WINDOW).
pub mod opcode {
    /// First packet of a SEND.
    pub const SEND_FIRST: u8 = 0x00;
    /// Middle packet of a SEND.
    pub const SEND_MIDDLE: u8 = 0x01;
    /// Last packet of a SEND.
    pub const SEND_LAST: u8 = 0x02;
    /// Last packet of a SEND with immediate data.
    pub const SEND_LAST_IMM: u8 = 0x03;
    /// Only packet of a SEND.
    pub const SEND_ONLY: u8 = 0x04;
    /// Only packet of a SEND with immediate data.
    pub const SEND_ONLY_IMM: u8 = 0x05;
    /// First packet of an RDMA WRITE.
    pub const WRITE_FIRST: u8 = 0x06;
    /// Middle packet of an RDMA WRITE.
    pub const WRITE_MIDDLE: u8 = 0x07;
    /// Last packet of an RDMA WRITE.
    pub const WRITE_LAST: u8 = 0x08;
    /// Last packet of an RDMA WRITE with immediate data.
    pub const WRITE_LAST_IMM: u8 = 0x09;
    /// Only packet of an RDMA WRITE.
    pub const WRITE_ONLY: u8 = 0x0a;
    /// Only packet of an RDMA WRITE with immediate data.
    pub const WRITE_ONLY_IMM: u8 = 0x0b;
    /// RDMA READ request.
    pub const READ_REQUEST: u8 = 0x0c;
    /// First packet of a READ response.
    pub const READ_RESPONSE_FIRST: u8 = 0x0d;
    /// Middle packet of a READ response.
    pub const READ_RESPONSE_MIDDLE: u8 = 0x0e;
    /// Last packet of a READ response.
    pub const READ_RESPONSE_LAST: u8 = 0x0f;
    /// Only packet of a READ response.
    pub const READ_RESPONSE_ONLY: u8 = 0x10;
    /// Acknowledge or negative acknowledge.
    pub const ACKNOWLEDGE: u8 = 0x11;
    /// Atomic acknowledge.
    pub const ATOMIC_ACKNOWLEDGE: u8 = 0x12;
    /// Compare and swap request.
    pub const COMPARE_SWAP: u8 = 0x13;
    /// Fetch and add request.
    pub const FETCH_ADD: u8 = 0x14;
    /// Last packet of a SEND with invalidate.
    pub const SEND_LAST_INVALIDATE: u8 = 0x16;
    /// Only packet of a SEND with invalidate.
    pub const SEND_ONLY_INVALIDATE: u8 = 0x17;

    /// Telemetry response: the telemetry that a READ response has collected, on its way back to the
    /// sender of that response; nothing but a BTH, whose PSN is that of the READ response. A
    /// code of the range that the standard leaves to manufacturers, 0xc0..=0xff (section 9.2.1).
    /// It takes no PSN, is not acknowledged and not sent again.
    pub const TELEMETRY_RESPONSE: u8 = 0xc0;

    /// Direct telemetry response: a switch tells the requester of a data packet about the way of that
    /// packet. It is the data packet with its addresses exchanged: the same UDP ports, destination queue
    /// pair and PSN, with this code, telemetry as in an echo, and nothing behind the BTH. A switch does not know
    /// the requester's queue pair; the low bits of the UDP source port find it
    /// (hdl/feedback.md).
    /// It takes no PSN, is not acknowledged and not sent again.
    pub const DIRECT_RESPONSE: u8 = 0xc1;

    /// Probe: a packet with the addresses and the telemetry header of a data packet, but nothing behind
    /// the BTH, whose PSN is that of the flow's latest data packet. It takes no PSN, is not
    /// acknowledged and not sent again.
    pub const TELEMETRY_PROBE: u8 = 0xc2;

    /// Answer to a probe: the telemetry that it has collected, to the queue pair that sent it, with the
    /// PSN of the probe and nothing behind the BTH. It takes no PSN, is not acknowledged and not sent
    /// again.
    pub const PROBE_RESPONSE: u8 = 0xc3;

    /// Window: what a receiver has computed from the telemetry of data packets, in bytes, to the queue pair that
    /// sent them; an ImmDt behind the BTH, whose PSN is a time of the receiver, in any unit, so that
    /// an older window is known. It takes no PSN, is not acknowledged and not sent again.
    pub const TELEMETRY_WINDOW: u8 = 0xc4;

    /// Whether the packet is about telemetry and nothing else.
    pub const fn is_telemetry_only(opcode: u8) -> bool {
        matches!(opcode, TELEMETRY_RESPONSE..=TELEMETRY_WINDOW)
    }

    /// Whether a RETH follows the BTH.
    pub const fn has_reth(opcode: u8) -> bool {
        matches!(opcode, WRITE_FIRST | WRITE_ONLY | WRITE_ONLY_IMM | READ_REQUEST)
    }

    /// Whether an AETH follows the BTH.
    pub const fn has_aeth(opcode: u8) -> bool {
        matches!(
            opcode,
            READ_RESPONSE_FIRST
                | READ_RESPONSE_LAST
                | READ_RESPONSE_ONLY
                | ACKNOWLEDGE
                | ATOMIC_ACKNOWLEDGE
        )
    }

    /// Whether immediate data follows (behind the RETH if there is one).
    pub const fn has_immdt(opcode: u8) -> bool {
        matches!(
            opcode,
            SEND_LAST_IMM | SEND_ONLY_IMM | WRITE_LAST_IMM | WRITE_ONLY_IMM | TELEMETRY_WINDOW
        )
    }

    /// Whether the packet is (part of) the answer to a READ request.
    pub const fn is_read_response(opcode: u8) -> bool {
        matches!(
            opcode,
            READ_RESPONSE_FIRST | READ_RESPONSE_MIDDLE | READ_RESPONSE_LAST | READ_RESPONSE_ONLY
        )
    }

    /// Whether a responder must answer: SEND, WRITE, READ request and atomics.
    pub const fn is_request(opcode: u8) -> bool {
        opcode <= READ_REQUEST
            || matches!(
                opcode,
                COMPARE_SWAP | FETCH_ADD | SEND_LAST_INVALIDATE | SEND_ONLY_INVALIDATE
            )
    }
}

packet! {
    /// View of a header.
    {
        /// Operation code.
        opcode, set_opcode: u8 = field::OPCODE;
        /// Solicited event, migration request, pad count, transport version.
        flags, set_flags: u8 = field::FLAGS;
        /// Partition key.
        pkey, set_pkey: u16 = field::PKEY;
        /// FECN, BECN and reserved bits.
        reserved, set_reserved: u8 = field::RESERVED;
        /// Destination queue pair, 24 bits.
        qpn, set_qpn: u32 = field::QPN;
        /// Acknowledge request (bit 7) and reserved bits.
        ack_req_byte, set_ack_req_byte: u8 = field::ACK_REQ;
        /// Packet sequence number, 24 bits.
        psn, set_psn: u32 = field::PSN;
    }
}

impl<T: AsRef<[u8]>> Packet<T> {
    /// Whether the receiver shall raise an event.
    pub fn solicited(&self) -> bool {
        self.flags() & 0x80 != 0
    }

    /// Bytes that pad the payload to a multiple of four: 0..=3.
    pub fn pad_count(&self) -> u8 {
        self.flags() >> 4 & 3
    }

    /// Transport version; 0 is the only one.
    pub fn transport_version(&self) -> u8 {
        self.flags() & 0xf
    }

    /// Whether an acknowledge is asked for.
    pub fn ack_req(&self) -> bool {
        self.ack_req_byte() & 0x80 != 0
    }
}

/// A header of transport version 0 without congestion marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repr {
    /// Operation code: [`opcode`].
    pub opcode: u8,
    /// Whether the receiver shall raise an event.
    pub solicited: bool,
    /// Migration request.
    pub migrate: bool,
    /// Bytes that pad the payload: 0..=3.
    pub pad_count: u8,
    /// Partition key.
    pub pkey: u16,
    /// Destination queue pair, 24 bits.
    pub qpn: u32,
    /// Whether an acknowledge is asked for.
    pub ack_req: bool,
    /// Packet sequence number, 24 bits.
    pub psn: u32,
}

impl Repr {
    /// Reads the header. The transport version is the caller's matter.
    pub fn parse<T: AsRef<[u8]>>(packet: &Packet<T>) -> Result<Self> {
        packet.check_len()?;
        Ok(Self {
            opcode: packet.opcode(),
            solicited: packet.solicited(),
            migrate: packet.flags() & 0x40 != 0,
            pad_count: packet.pad_count(),
            pkey: packet.pkey(),
            qpn: packet.qpn(),
            ack_req: packet.ack_req(),
            psn: packet.psn(),
        })
    }

    /// Bytes that [`Repr::emit`] writes.
    pub const fn buffer_len(&self) -> usize {
        HEADER_BYTES
    }

    /// Writes the header.
    pub fn emit<T: AsRef<[u8]> + AsMut<[u8]>>(&self, packet: &mut Packet<T>) {
        let solicited = u8::from(self.solicited) << 7;
        packet.set_opcode(self.opcode);
        packet.set_flags(solicited | u8::from(self.migrate) << 6 | (self.pad_count & 3) << 4);
        packet.set_pkey(self.pkey);
        packet.set_reserved(0);
        packet.set_qpn(self.qpn);
        packet.set_ack_req_byte(u8::from(self.ack_req) << 7);
        packet.set_psn(self.psn);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::WireError;

    #[test]
    fn bth_parses_captured_header() {
        // Fetch-and-add of tests/data/rxe/send_imm_atomic.pcap, record 12.
        let captured = [0x14, 0x00, 0xff, 0xff, 0, 0, 0, 0x13, 0x80, 0, 1, 9];
        let repr = Repr::parse(&Packet::new_checked(&captured).unwrap()).unwrap();
        let expected = Repr {
            opcode: opcode::FETCH_ADD,
            pkey: 0xffff,
            qpn: 0x13,
            ack_req: true,
            psn: 0x109,
            ..Repr::default()
        };
        assert_eq!(repr, expected);
        let mut bytes = [0xff; 12];
        repr.emit(&mut Packet::new_unchecked(&mut bytes));
        assert_eq!(bytes, captured);
    }

    #[test]
    fn bth_flags_are_where_the_standard_has_them() {
        let bytes = [0x0a, 0xf5, 0x80, 0x01, 0xff, 1, 2, 3, 0x7f, 4, 5, 6];
        let packet = Packet::new_unchecked(&bytes);
        assert!(packet.solicited() && !packet.ack_req());
        assert_eq!((packet.pad_count(), packet.transport_version()), (3, 5));
        assert_eq!((packet.qpn(), packet.psn(), packet.pkey()), (0x010203, 0x040506, 0x8001));
        assert_eq!(Packet::new_checked(&bytes[..11]), Err(WireError::Truncated));
    }

    #[test]
    fn bth_opcode_sets() {
        // Table of the opcodes of the reliable connection service.
        let with = |f: fn(u8) -> bool| (0..=0xff).filter(move |&code| f(code));
        assert!(with(opcode::has_reth).eq([0x06, 0x0a, 0x0b, 0x0c]));
        assert!(with(opcode::has_aeth).eq([0x0d, 0x0f, 0x10, 0x11, 0x12]));
        assert!(with(opcode::has_immdt).eq([0x03, 0x05, 0x09, 0x0b, 0xc4]));
        assert!(with(opcode::is_read_response).eq([0x0d, 0x0e, 0x0f, 0x10]));
        assert_eq!(with(opcode::is_request).count(), 17);
        // Manufacturer's codes that are no requests and have no payload.
        assert_eq!(opcode::TELEMETRY_RESPONSE >> 6, 3);
        assert!(with(opcode::is_telemetry_only).eq([0xc0, 0xc1, 0xc2, 0xc3, 0xc4]));
    }
}
