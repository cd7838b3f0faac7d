//! Inband Flow Analyzer 2.0 (draft-kumar-ippm-ifa) with the hop that HPCC asks for in a local name
//! space, from the sender or the first switch.
//!
//! A header of four bytes stands between IPv4, whose protocol is 253, and UDP. Behind UDP come a
//! metadata header of four bytes and the hops, the newest first. All big-endian. UDP's length need not
//! count what was inserted: the draft's authors leave it as it was.

use super::{check_len, get_be, put_be, Result, WireError};

/// Where the fields are: of the header, of the metadata header, of a hop.
pub mod field {
    use crate::wire::Field;
    /// Version (4 bits) and global name space (4 bits).
    pub const VERSION_NAME_SPACE: Field = 0..1;
    /// Protocol behind the header.
    pub const NEXT_HEADER: Field = 1..2;
    /// Flags.
    pub const FLAGS: Field = 2..3;
    /// Words that the stack may have.
    pub const WORDS_MAX: Field = 3..4;
    /// Metadata header: request and action vector.
    pub const VECTORS: Field = 0..2;
    /// Hops that may still add theirs.
    pub const HOP_LIMIT: Field = 2..3;
    /// Words of the stack.
    pub const WORDS: Field = 3..4;
    /// Hop: local name space (4 bits), device (20), reserved (8).
    pub const DEVICE: Field = 0..4;
    /// Speed (4 bits), reserved (8), seconds of the ingress time (20).
    pub const SPEED_SECONDS: Field = 4..8;
    /// Egress and ingress interface, 16 bits each.
    pub const INTERFACES: Field = 8..12;
    /// Nanoseconds of the ingress time.
    pub const NS: Field = 12..16;
    /// Nanoseconds from ingress to egress.
    pub const STAY: Field = 16..20;
    /// Bytes sent by the egress interface.
    pub const TX_BYTES: Field = 20..24;
    /// Cells in the queue, behind 16 reserved bits.
    pub const QUEUE: Field = 26..28;
}

/// Protocol number in IPv4.
pub const PROTOCOL: u8 = 253;
/// Bytes in front of UDP.
pub const HEADER_BYTES: usize = 4;
/// Bytes of the metadata header.
pub const METADATA_BYTES: usize = 4;
/// Hop limit that a sender sets; one of 0 would look like hops that are missing.
pub const HOP_LIMIT: u8 = 64;
/// Bytes of a hop.
pub const HOP_BYTES: usize = 32;
/// Version that is understood.
pub const VERSION: u8 = 2;
/// Name spaces are those of the hops.
pub const NAME_SPACE_LOCAL: u8 = 15;

/// Flags of the header.
pub mod flag {
    /// Metadata come in several packets, with a header of their own.
    pub const FRAGMENTED: u8 = 1 << 4;
    /// The stack stands behind the payload.
    pub const TAIL: u8 = 1 << 3;
    /// The packet is live traffic: it goes on without IFA where IFA ends.
    pub const INBAND: u8 = 1 << 2;
    /// A checksum header is there.
    pub const CHECKSUM: u8 = 1;
    /// What moves the stack, or puts more beside it.
    pub const MORE: u8 = FRAGMENTED | TAIL | CHECKSUM;
}

/// The header in front of UDP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Version, 4 bits.
    pub version: u8,
    /// Global name space, 4 bits.
    pub name_space: u8,
    /// Protocol behind the header.
    pub next_header: u8,
    /// Flags.
    pub flags: u8,
    /// Words that the stack may have.
    pub words_max: u8,
}

impl Default for Header {
    fn default() -> Self {
        Self {
            version: VERSION,
            name_space: NAME_SPACE_LOCAL,
            next_header: super::ipv4::PROTOCOL_UDP,
            flags: 0,
            words_max: 255,
        }
    }
}

impl Header {
    /// Reads the header.
    ///
    /// # Errors
    /// `Truncated` if it is not all there.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        check_len(bytes, HEADER_BYTES)?;
        let first = get_be(bytes, field::VERSION_NAME_SPACE) as u8;
        Ok(Self {
            version: first >> 4,
            name_space: first & 15,
            next_header: get_be(bytes, field::NEXT_HEADER) as u8,
            flags: get_be(bytes, field::FLAGS) as u8,
            words_max: get_be(bytes, field::WORDS_MAX) as u8,
        })
    }

    /// Its bytes.
    pub fn emit(&self) -> [u8; HEADER_BYTES] {
        let first = self.version << 4 | self.name_space & 15;
        [first, self.next_header, self.flags, self.words_max]
    }
}

/// What a switch wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hop {
    /// Local name space, 4 bits, and device, 20.
    pub device: u32,
    /// Speed of the egress interface: 0 to 6 are 10, 25, 40, 50, 100, 200, 400 Gb/s.
    pub speed: u8,
    /// Ingress time, seconds, 20 bits.
    pub seconds: u32,
    /// Egress and ingress interface.
    pub interfaces: u32,
    /// Ingress time, nanoseconds.
    pub ns: u32,
    /// Nanoseconds from ingress to egress.
    pub stay_ns: u32,
    /// Bytes sent by the egress interface.
    pub tx_bytes: u32,
    /// Cells in the queue.
    pub queue: u16,
}

impl Hop {
    fn parse(bytes: &[u8]) -> Self {
        let speed_seconds = get_be(bytes, field::SPEED_SECONDS) as u32;
        Self {
            device: (get_be(bytes, field::DEVICE) >> 8) as u32,
            speed: (speed_seconds >> 28) as u8,
            seconds: speed_seconds & 0xf_ffff,
            interfaces: get_be(bytes, field::INTERFACES) as u32,
            ns: get_be(bytes, field::NS) as u32,
            stay_ns: get_be(bytes, field::STAY) as u32,
            tx_bytes: get_be(bytes, field::TX_BYTES) as u32,
            queue: get_be(bytes, field::QUEUE) as u16,
        }
    }

    /// Its bytes; what is reserved is 0.
    pub fn emit(&self) -> [u8; HOP_BYTES] {
        let mut bytes = [0; HOP_BYTES];
        put_be(&mut bytes, field::DEVICE, u64::from(self.device) << 8);
        let speed_seconds = u64::from(self.speed) << 28 | u64::from(self.seconds & 0xf_ffff);
        put_be(&mut bytes, field::SPEED_SECONDS, speed_seconds);
        put_be(&mut bytes, field::INTERFACES, self.interfaces.into());
        put_be(&mut bytes, field::NS, self.ns.into());
        put_be(&mut bytes, field::STAY, self.stay_ns.into());
        put_be(&mut bytes, field::TX_BYTES, self.tx_bytes.into());
        put_be(&mut bytes, field::QUEUE, self.queue.into());
        bytes
    }

    /// Time at which the packet left the switch, ns.
    pub fn egress_ns(&self) -> u64 {
        let ingress = u64::from(self.seconds) * 1_000_000_000 + u64::from(self.ns);
        ingress + u64::from(self.stay_ns)
    }

    /// Rate code of a telemetry record; none for 10 Gb/s and what has no meaning.
    pub fn rate_code(&self) -> Option<u8> {
        [None, Some(0), Some(7), Some(1), Some(2), Some(3), Some(4)]
            .get(usize::from(self.speed))
            .copied()
            .flatten()
    }

    /// Whether a switch could not provide one of the values: all ones.
    pub fn is_invalid(&self) -> bool {
        let words = [self.interfaces, self.ns, self.stay_ns, self.tx_bytes];
        self.device & 0xf_ffff == 0xf_ffff || words.contains(&u32::MAX) || self.queue == u16::MAX
    }
}

/// Metadata behind a packet's UDP header, with the header in front of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stack<'a> {
    header: Header,
    bytes: &'a [u8],
}

impl<'a> Stack<'a> {
    /// The metadata at the front of `bytes`.
    ///
    /// # Errors
    /// `Truncated` if they are longer than `bytes`; `Malformed` if the header says that they are
    /// elsewhere, or more than them.
    pub fn parse(header: Header, bytes: &'a [u8]) -> Result<Self> {
        if header.flags & flag::MORE != 0 {
            return Err(WireError::Malformed);
        }
        check_len(bytes, METADATA_BYTES)?;
        let byte_count = METADATA_BYTES + 4 * get_be(bytes, field::WORDS) as usize;
        check_len(bytes, byte_count)?;
        Ok(Self { header, bytes: &bytes[..byte_count] })
    }

    /// Bytes, the metadata header included.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Always false: there are four bytes.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Whether version and name space are known.
    pub fn is_known(&self) -> bool {
        (self.header.version, self.header.name_space) == (VERSION, NAME_SPACE_LOCAL)
    }

    /// Hops of which all bytes are there, the newest first; none if they are not known.
    pub fn hops(&self) -> impl Iterator<Item = Hop> + 'a {
        let bytes: &'a [u8] = if self.is_known() { &self.bytes[METADATA_BYTES..] } else { &[] };
        bytes.chunks_exact(HOP_BYTES).map(Hop::parse)
    }

    /// Whether it tells about every hop: known, whole hops, and one more would have had its place.
    pub fn is_whole(&self) -> bool {
        let words = get_be(self.bytes, field::WORDS);
        self.is_known()
            && words.is_multiple_of(HOP_BYTES as u64 / 4)
            && get_be(self.bytes, field::HOP_LIMIT) > 0
            && words < u64::from(self.header.words_max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One hop, typed from the layout.
    const ONE_HOP: [u8; 36] = [
        0x00, 0x00, 0x3f, 0x08, // vectors, hop limit 63, eight words
        0x10, 0x00, 0x2a, 0x00, // name space 1, device 42
        0x10, 0x00, 0x00, 0x03, // 25 Gb/s, 3 s
        0x00, 0x09, 0x00, 0x04, // out by 9, in by 4
        0x3b, 0x9a, 0xc9, 0xff, // 999999999 ns
        0x00, 0x00, 0x03, 0xe8, // stays 1000 ns
        0x00, 0x12, 0x34, 0x80, // bytes sent
        0x00, 0x00, 0x01, 0x00, // 256 cells
        0x00, 0x00, 0x00, 0x00, // reserved
    ];

    #[test]
    fn ifa_reads_hpccs_hop() {
        let header = Header::parse(&[0x2f, 0x11, 0x04, 0xff]).unwrap();
        assert_eq!(header, Header { flags: 4, ..Header::default() });
        assert_eq!(header.emit(), [0x2f, 17, 4, 255]);
        let stack = Stack::parse(header, &ONE_HOP).unwrap();
        assert!(stack.is_whole() && stack.len() == 36);
        let hop = Hop {
            device: 0x10_002a,
            speed: 1,
            seconds: 3,
            interfaces: 0x0009_0004,
            ns: 999_999_999,
            stay_ns: 1000,
            tx_bytes: 0x0012_3480,
            queue: 256,
        };
        assert_eq!((stack.hops().next(), stack.hops().count()), (Some(hop), 1));
        assert_eq!((hop.egress_ns(), hop.rate_code()), (4_000_000_999, Some(0)));
        assert_eq!(hop.emit(), ONE_HOP[4..]);
        let codes = [0, 2, 3, 4, 5, 6, 7].map(|speed| Hop { speed, ..hop }.rate_code());
        assert_eq!(codes, [None, Some(7), Some(1), Some(2), Some(3), Some(4), None]);
    }

    #[test]
    fn ifa_tells_whole_stacks() {
        let good = Header::default();
        let is_whole = |header: Header, at: usize, value: u8| {
            let mut bytes = ONE_HOP;
            bytes[at] = value;
            Stack::parse(header, &bytes).map(|stack| stack.is_whole())
        };
        assert_eq!(is_whole(Header { words_max: 9, ..good }, 2, 1), Ok(true));
        for (at, value) in [(2, 0), (3, 7), (3, 1)] {
            assert_eq!(is_whole(good, at, value), Ok(false), "byte {at} = {value}");
        }
        let version = Header { version: 1, ..good };
        let name_space = Header { name_space: 0, ..good };
        let full = Header { words_max: 8, ..good };
        for header in [version, name_space, full] {
            assert_eq!(is_whole(header, 2, 63), Ok(false), "{header:?}");
        }
        assert_eq!(is_whole(good, 3, 9), Err(WireError::Truncated));
        for flags in [1, 8, 16] {
            let malformed = is_whole(Header { flags, ..good }, 2, 63);
            assert_eq!(malformed, Err(WireError::Malformed));
        }
        for field in [5..7, 12..16, 16..20, 20..24, 24..28, 30..32] {
            let mut bytes = ONE_HOP;
            bytes[field.clone()].fill(0xff);
            if field.start == 5 {
                bytes[4] = 0x1f;
            }
            let hop = Stack::parse(good, &bytes).unwrap().hops().next().unwrap();
            assert!(hop.is_invalid(), "{field:?}");
        }
    }
}
