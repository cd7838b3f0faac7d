//! UDP header (RFC 768).

use super::{packet, Result, WireError};

/// Where the fields are.
pub mod field {
    use crate::wire::Field;
    /// Source port.
    pub const SRC_PORT: Field = 0..2;
    /// Destination port.
    pub const DST_PORT: Field = 2..4;
    /// Bytes of header and payload.
    pub const LEN: Field = 4..6;
    /// Checksum; 0 means none.
    pub const CHECKSUM: Field = 6..8;
}

/// Bytes of the header.
pub const HEADER_BYTES: usize = 8;
/// Destination port of RoCEv2.
pub const PORT_ROCE: u16 = 4791;

packet! {
    /// View of a datagram.
    {
        /// Source port.
        src_port, set_src_port: u16 = field::SRC_PORT;
        /// Destination port.
        dst_port, set_dst_port: u16 = field::DST_PORT;
        /// Bytes of header and payload.
        len, set_len: u16 = field::LEN;
        /// Checksum; 0 means none.
        checksum, set_checksum: u16 = field::CHECKSUM;
    }
}

/// A header; the checksum is 0, as RoCEv2 is protected by its ICRC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repr {
    /// Source port.
    pub src_port: u16,
    /// Destination port.
    pub dst_port: u16,
    /// Bytes behind the header.
    pub payload_len: u16,
}

impl Repr {
    /// Reads the header.
    pub fn parse<T: AsRef<[u8]>>(packet: &Packet<T>) -> Result<Self> {
        packet.check_len()?;
        let payload_len = packet.len().checked_sub(HEADER_BYTES as u16);
        Ok(Self {
            src_port: packet.src_port(),
            dst_port: packet.dst_port(),
            payload_len: payload_len.ok_or(WireError::Malformed)?,
        })
    }

    /// Bytes that [`Repr::emit`] writes.
    pub const fn buffer_len(&self) -> usize {
        HEADER_BYTES
    }

    /// Writes the header.
    pub fn emit<T: AsRef<[u8]> + AsMut<[u8]>>(&self, packet: &mut Packet<T>) {
        packet.set_src_port(self.src_port);
        packet.set_dst_port(self.dst_port);
        packet.set_len(self.payload_len + HEADER_BYTES as u16);
        packet.set_checksum(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn udp_parses_captured_header() {
        // From tests/data/rxe/write_multi.pcap, record 5.
        let captured = [0xc1, 0x21, 0x12, 0xb7, 0x00, 0x1c, 0x00, 0x00];
        let repr = Repr::parse(&Packet::new_checked(&captured).unwrap()).unwrap();
        assert_eq!(repr, Repr { src_port: 0xc121, dst_port: PORT_ROCE, payload_len: 20 });
        let mut bytes = [0xff; 8];
        repr.emit(&mut Packet::new_unchecked(&mut bytes));
        assert_eq!(bytes, captured);
    }

    #[test]
    fn udp_refuses_lengths_below_the_header() {
        let bytes = [0, 0, 0, 0, 0, 7, 0, 0];
        assert_eq!(Repr::parse(&Packet::new_unchecked(&bytes)), Err(WireError::Malformed));
        assert_eq!(Repr::parse(&Packet::new_unchecked(&bytes[..7])), Err(WireError::Truncated));
    }
}
