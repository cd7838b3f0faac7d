//! IPv4 header without options (RFC 791).

use super::{packet, Result, WireError};

/// Where the fields are.
pub mod field {
    use crate::wire::Field;
    /// Version (4 bits) and header length in words (4 bits).
    pub const VERSION_IHL: Field = 0..1;
    /// DSCP (6 bits) and ECN (2 bits).
    pub const TOS: Field = 1..2;
    /// Length of header and payload.
    pub const TOTAL_LEN: Field = 2..4;
    /// Identification.
    pub const IDENT: Field = 4..6;
    /// Reserved bit, DF, MF (3 bits) and fragment offset (13 bits).
    pub const FLAGS_OFFSET: Field = 6..8;
    /// Time to live.
    pub const TTL: Field = 8..9;
    /// Protocol of the payload.
    pub const PROTOCOL: Field = 9..10;
    /// Header checksum.
    pub const CHECKSUM: Field = 10..12;
    /// Source address.
    pub const SRC: Field = 12..16;
    /// Destination address.
    pub const DST: Field = 16..20;
}

/// Bytes of a header without options.
pub const HEADER_BYTES: usize = 20;
/// First byte of a header without options.
pub const VERSION_IHL: u8 = 0x45;
/// Protocol number of UDP.
pub const PROTOCOL_UDP: u8 = 17;
/// "Don't fragment" in [`field::FLAGS_OFFSET`].
pub const DONT_FRAGMENT: u16 = 0x4000;
/// "More fragments" and the offset in [`field::FLAGS_OFFSET`]: any of them set is a fragment.
pub const FRAGMENT_MASK: u16 = 0x3fff;

packet! {
    /// View of a header.
    {
        /// Version and header length.
        version_ihl, set_version_ihl: u8 = field::VERSION_IHL;
        /// DSCP in bits 7:2, ECN in bits 1:0.
        tos, set_tos: u8 = field::TOS;
        /// Bytes of header and payload.
        total_len, set_total_len: u16 = field::TOTAL_LEN;
        /// Identification.
        ident, set_ident: u16 = field::IDENT;
        /// Flags and fragment offset.
        flags_offset, set_flags_offset: u16 = field::FLAGS_OFFSET;
        /// Time to live.
        ttl, set_ttl: u8 = field::TTL;
        /// Protocol of the payload.
        protocol, set_protocol: u8 = field::PROTOCOL;
        /// Header checksum.
        checksum, set_checksum: u16 = field::CHECKSUM;
        /// Source address.
        src, set_src: u32 = field::SRC;
        /// Destination address.
        dst, set_dst: u32 = field::DST;
    }
}

impl<T: AsRef<[u8]>> Packet<T> {
    /// Differentiated services code point.
    pub fn dscp(&self) -> u8 {
        self.tos() >> 2
    }

    /// Whether this is a piece of a larger datagram.
    pub fn is_fragment(&self) -> bool {
        self.flags_offset() & FRAGMENT_MASK != 0
    }

    /// Whether the header checksum is right.
    pub fn verify_checksum(&self) -> bool {
        ones_complement_sum(&self.buffer.as_ref()[..HEADER_BYTES]) == 0xffff
    }
}

impl<T: AsRef<[u8]> + AsMut<[u8]>> Packet<T> {
    /// Computes and sets the header checksum.
    pub fn fill_checksum(&mut self) {
        self.set_checksum(0);
        let sum = ones_complement_sum(&self.buffer.as_ref()[..HEADER_BYTES]);
        self.set_checksum(!sum);
    }
}

/// One's complement sum of big-endian 16-bit words (RFC 1071); an odd byte is padded with zero.
pub fn ones_complement_sum(bytes: &[u8]) -> u16 {
    let word = |pair: &[u8]| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0));
    let mut sum: u32 = bytes.chunks(2).map(word).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

/// A header without options of an unfragmented datagram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repr {
    /// Differentiated services code point, 6 bits.
    pub dscp: u8,
    /// Explicit congestion notification, 2 bits.
    pub ecn: u8,
    /// Identification.
    pub ident: u16,
    /// Whether DF is set.
    pub dont_fragment: bool,
    /// Time to live.
    pub ttl: u8,
    /// Protocol of the payload.
    pub protocol: u8,
    /// Source address.
    pub src: u32,
    /// Destination address.
    pub dst: u32,
    /// Bytes behind the header.
    pub payload_len: u16,
}

impl Repr {
    /// Reads the header; fails for options, fragments and a total length below the header's.
    /// The checksum is the caller's matter.
    pub fn parse<T: AsRef<[u8]>>(packet: &Packet<T>) -> Result<Self> {
        packet.check_len()?;
        if packet.version_ihl() != VERSION_IHL || packet.is_fragment() {
            return Err(WireError::Malformed);
        }
        let payload_len = packet.total_len().checked_sub(HEADER_BYTES as u16);
        Ok(Self {
            dscp: packet.dscp(),
            ecn: packet.tos() & 3,
            ident: packet.ident(),
            dont_fragment: packet.flags_offset() & DONT_FRAGMENT != 0,
            ttl: packet.ttl(),
            protocol: packet.protocol(),
            src: packet.src(),
            dst: packet.dst(),
            payload_len: payload_len.ok_or(WireError::Malformed)?,
        })
    }

    /// Bytes that [`Repr::emit`] writes.
    pub const fn buffer_len(&self) -> usize {
        HEADER_BYTES
    }

    /// Writes the header, checksum included.
    pub fn emit<T: AsRef<[u8]> + AsMut<[u8]>>(&self, packet: &mut Packet<T>) {
        packet.set_version_ihl(VERSION_IHL);
        packet.set_tos(self.dscp << 2 | self.ecn & 3);
        packet.set_total_len(self.payload_len + HEADER_BYTES as u16);
        packet.set_ident(self.ident);
        packet.set_flags_offset(if self.dont_fragment { DONT_FRAGMENT } else { 0 });
        packet.set_ttl(self.ttl);
        packet.set_protocol(self.protocol);
        packet.set_src(self.src);
        packet.set_dst(self.dst);
        packet.fill_checksum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // From tests/data/rxe/write_multi.pcap, record 5.
    const CAPTURED: [u8; 20] = [
        0x45, 0x00, 0x00, 0x30, 0x3b, 0xe6, 0x40, 0x00, 0x40, 0x11, 0xea, 0xd4, 0x0a, 0x00, 0x00,
        0x02, 0x0a, 0x00, 0x00, 0x01,
    ];

    #[test]
    fn ipv4_parses_captured_header() {
        let packet = Packet::new_checked(&CAPTURED).unwrap();
        assert!(packet.verify_checksum());
        let repr = Repr::parse(&packet).unwrap();
        let expected = Repr {
            dscp: 0,
            ecn: 0,
            ident: 0x3be6,
            dont_fragment: true,
            ttl: 64,
            protocol: PROTOCOL_UDP,
            src: 0x0a00_0002,
            dst: 0x0a00_0001,
            payload_len: 28,
        };
        assert_eq!(repr, expected);
        let mut bytes = [0; 20];
        repr.emit(&mut Packet::new_unchecked(&mut bytes));
        assert_eq!(bytes, CAPTURED);
    }

    #[test]
    fn ipv4_finds_wrong_checksum_options_and_fragments() {
        let mut bytes = CAPTURED;
        bytes[15] ^= 1;
        assert!(!Packet::new_unchecked(&bytes).verify_checksum());
        bytes[6] = 0x20;
        assert!(Packet::new_unchecked(&bytes).is_fragment());
        assert_eq!(Repr::parse(&Packet::new_unchecked(&bytes)), Err(WireError::Malformed));
        let short = Packet::new_checked(&CAPTURED[..19]).unwrap_err();
        assert_eq!(short, WireError::Truncated);
    }
}
