//! P4-INT 2.1, INT-MD: telemetry between UDP and what it carries, from the sender or the first switch
//! (In-band Network Telemetry Dataplane Specification 2.1, sections 5.7.2 and 5.8).
//!
//! A shim of four bytes, a metadata header of twelve, then for each hop, the newest first, as many
//! words as the header says; which words is what its instruction bitmap says. All big-endian.

use super::{check_len, get_be, put_be, Result, WireError};

/// Where the fields are, from the shim's first byte.
pub mod field {
    use crate::wire::Field;
    /// Type (4 bits), NPT (2) and two reserved bits.
    pub const TYPE_NPT: Field = 0..1;
    /// Words behind the shim.
    pub const LENGTH: Field = 1..2;
    /// NPT 1: the UDP destination port that the packet had; NPT 0: bits 7:2 are its DSCP.
    pub const ORIGINAL: Field = 2..4;
    /// Version (4 bits), D, E, M, 12 reserved bits, hop length (5), hops left (8).
    pub const CONTROL: Field = 4..8;
    /// Instruction bitmap, bit 0 on top.
    pub const INSTRUCTIONS: Field = 8..10;
    /// Domain, its instructions and its flags.
    pub const DOMAIN: Field = 10..16;
}

/// Bytes of the shim.
pub const SHIM_BYTES: usize = 4;
/// Bytes of shim and metadata header.
pub const HEADERS_BYTES: usize = 16;
/// Words of the metadata header, which the shim's length counts.
pub const HEADER_WORDS: usize = 3;
/// Type of INT-MD in the shim.
pub const TYPE_MD: u8 = 1;
/// NPT: the DSCP marks the packet, its UDP port is as it was.
pub const NPT_DSCP: u8 = 0;
/// NPT: the UDP destination port marks the packet, the shim has the one that it had.
pub const NPT_PORT: u8 = 1;
/// Version of the metadata header.
pub const VERSION: u8 = 2;
/// A word that a switch could not provide.
pub const INVALID: u32 = u32::MAX;

/// Bits of the instruction bitmap.
pub mod instruction {
    /// Node.
    pub const NODE: u16 = 0x8000;
    /// Level 1 interfaces: ingress 16 bits, egress 16.
    pub const INTERFACES: u16 = 0x4000;
    /// Hop latency.
    pub const LATENCY: u16 = 0x2000;
    /// Queue 8 bits, its occupancy 24.
    pub const QUEUE: u16 = 0x1000;
    /// Ingress time, 64 bits.
    pub const INGRESS_TIME: u16 = 0x0800;
    /// Egress time, 64 bits.
    pub const EGRESS_TIME: u16 = 0x0400;
    /// Level 2 interfaces, 32 bits each.
    pub const WIDE_INTERFACES: u16 = 0x0200;
    /// Utilisation of the egress link.
    pub const UTILISATION: u16 = 0x0100;
    /// Buffer, six reserved bits and the checksum complement: a word each.
    pub const BEHIND: u16 = 0x00ff;
    /// What congestion control needs.
    pub const NEEDED: u16 = NODE | QUEUE | EGRESS_TIME | UTILISATION;
    /// What HPCC's profile asks for.
    pub const HPCC: u16 = NEEDED | INTERFACES;
}

/// Where the words of a hop are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Level 1 interfaces, if asked for.
    pub interfaces: Option<usize>,
    /// Queue.
    pub queue: usize,
    /// Egress time: this word and the next.
    pub time: usize,
    /// Utilisation.
    pub utilisation: usize,
    /// Words that the bitmap asks for; a domain may add more behind them.
    pub words: usize,
}

impl Layout {
    /// Where a bitmap puts the words; `None` if it does not ask for what is [`NEEDED`].
    ///
    /// [`NEEDED`]: instruction::NEEDED
    pub fn of(instructions: u16) -> Option<Self> {
        use instruction as bit;
        if instructions & bit::NEEDED != bit::NEEDED {
            return None;
        }
        let words = |bits: u16, size: u32| ((instructions & bits).count_ones() * size) as usize;
        let queue = 1 + words(bit::INTERFACES | bit::LATENCY, 1);
        let time = queue + 1 + words(bit::INGRESS_TIME, 2);
        let utilisation = time + 2 + words(bit::WIDE_INTERFACES, 2);
        Some(Self {
            interfaces: (instructions & bit::INTERFACES != 0).then_some(1),
            queue,
            time,
            utilisation,
            words: utilisation + 1 + words(bit::BEHIND, 1),
        })
    }
}

/// What a switch wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hop {
    /// Node.
    pub node: u32,
    /// Ingress and egress interface; 0 if not asked for.
    pub interfaces: u32,
    /// Queue 8 bits, its occupancy 24.
    pub queue: u32,
    /// Egress time.
    pub time: u64,
    /// Utilisation of the egress link.
    pub utilisation: u32,
}

impl Hop {
    /// Whether a switch could not provide one of the values.
    pub fn is_invalid(&self) -> bool {
        [self.node, self.interfaces, self.queue, self.utilisation].contains(&INVALID)
            || self.time == u64::MAX
    }
}

/// Shim and metadata header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    /// [`NPT_DSCP`] or [`NPT_PORT`].
    pub npt: u8,
    /// UDP destination port that the packet had, or its DSCP in bits 7:2.
    pub original: u16,
    /// Version of the metadata header.
    pub version: u8,
    /// A hop found no hops left.
    pub hops_exceeded: bool,
    /// A hop found no room in its link's MTU.
    pub mtu_exceeded: bool,
    /// Words of a hop, 5 bits.
    pub hop_words: u8,
    /// Hops that may still add their words.
    pub hops_left: u8,
    /// Instruction bitmap.
    pub instructions: u16,
}

impl Headers {
    /// What a source writes that asks for HPCC's profile, at most five hops.
    pub const fn hpcc(npt: u8, original: u16) -> Self {
        Self {
            npt,
            original,
            version: VERSION,
            hops_exceeded: false,
            mtu_exceeded: false,
            hop_words: 6,
            hops_left: 5,
            instructions: instruction::HPCC,
        }
    }

    /// Writes the headers, with `stack_bytes` of metadata to follow.
    ///
    /// # Panics
    /// If the buffer has less than [`HEADERS_BYTES`] bytes.
    pub fn emit(&self, stack_bytes: usize, buffer: &mut [u8]) {
        let length = HEADER_WORDS + stack_bytes / 4;
        put_be(buffer, field::TYPE_NPT, u64::from(TYPE_MD << 4 | (self.npt & 3) << 2));
        put_be(buffer, field::LENGTH, length as u64);
        put_be(buffer, field::ORIGINAL, self.original.into());
        let control = u32::from(self.version & 15) << 28
            | u32::from(self.hops_exceeded) << 26
            | u32::from(self.mtu_exceeded) << 25
            | u32::from(self.hop_words & 31) << 8
            | u32::from(self.hops_left);
        put_be(buffer, field::CONTROL, control.into());
        put_be(buffer, field::INSTRUCTIONS, self.instructions.into());
        put_be(buffer, field::DOMAIN, 0);
    }
}

/// Telemetry in front of a packet's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stack<'a> {
    /// The bytes, shim included.
    bytes: &'a [u8],
}

impl<'a> Stack<'a> {
    /// The telemetry at the front of `bytes`.
    ///
    /// # Errors
    /// `Truncated` if it is longer than they are, `Malformed` if it is no INT-MD with this NPT,
    /// or, with [`NPT_PORT`], the packet had another port than `port`.
    pub fn parse(bytes: &'a [u8], npt: u8, port: u16) -> Result<Self> {
        check_len(bytes, SHIM_BYTES)?;
        let byte_count = SHIM_BYTES + 4 * usize::from(bytes[field::LENGTH.start]);
        let type_npt = bytes[field::TYPE_NPT.start] >> 2;
        let original = get_be(bytes, field::ORIGINAL) as u16;
        if type_npt != TYPE_MD << 2 | npt || (npt == NPT_PORT && original != port) {
            return Err(WireError::Malformed);
        }
        check_len(bytes, byte_count)?;
        Ok(Self { bytes: &bytes[..byte_count] })
    }

    /// Bytes, shim included.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Always false: there is a shim.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Shim and metadata header.
    ///
    /// # Errors
    /// `Truncated` if there is no whole metadata header.
    pub fn headers(&self) -> Result<Headers> {
        check_len(self.bytes, HEADERS_BYTES)?;
        let control = get_be(self.bytes, field::CONTROL) as u32;
        Ok(Headers {
            npt: self.bytes[0] >> 2 & 3,
            original: get_be(self.bytes, field::ORIGINAL) as u16,
            version: (control >> 28) as u8,
            hops_exceeded: control >> 26 & 1 != 0,
            mtu_exceeded: control >> 25 & 1 != 0,
            hop_words: (control >> 8 & 31) as u8,
            hops_left: control as u8,
            instructions: get_be(self.bytes, field::INSTRUCTIONS) as u16,
        })
    }

    /// Headers that can be understood, with the layout of the hops.
    ///
    /// # Errors
    /// `Malformed` if the version is another one, or a hop has not the room for what congestion
    /// control needs.
    pub fn layout(&self) -> Result<(Headers, Layout)> {
        let headers = self.headers()?;
        let layout = Layout::of(headers.instructions).ok_or(WireError::Malformed)?;
        let fits = layout.words <= usize::from(headers.hop_words);
        let good = headers.version == VERSION && fits;
        good.then_some((headers, layout)).ok_or(WireError::Malformed)
    }

    /// Hops of which all words are there, the newest first; none if there is no layout.
    pub fn hops(&self) -> impl Iterator<Item = Hop> + 'a {
        let layout = self.layout().ok();
        let bytes: &'a [u8] = if layout.is_some() { &self.bytes[HEADERS_BYTES..] } else { &[] };
        let hop_bytes = layout.map_or(4, |(headers, _)| 4 * usize::from(headers.hop_words));
        bytes.chunks_exact(hop_bytes).map(move |words| {
            let (_, layout) = layout.expect("there are no words without a layout");
            let word = |at: usize| get_be(words, 4 * at..4 * at + 4) as u32;
            Hop {
                node: word(0),
                interfaces: layout.interfaces.map_or(0, word),
                queue: word(layout.queue),
                time: u64::from(word(layout.time)) << 32 | u64::from(word(layout.time + 1)),
                utilisation: word(layout.utilisation),
            }
        })
    }

    /// Whether congestion control can use it: understood, from every hop, nothing left over.
    pub fn is_whole(&self) -> bool {
        self.layout().is_ok_and(|(headers, _)| {
            let stack = self.bytes.len() - HEADERS_BYTES;
            let is_even = stack.is_multiple_of(4 * usize::from(headers.hop_words));
            is_even && !headers.hops_exceeded && !headers.mtu_exceeded
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HPCC's profile with one hop, typed from the figures of the specification.
    const ONE_HOP: [u8; 40] = [
        0x14, 0x09, 0x12, 0xb7, // INT-MD, NPT 1, nine words, port 4791
        0x20, 0x00, 0x06, 0x04, // version 2, six words a hop, four hops left
        0xd5, 0x00, 0x00, 0x00, // node, interfaces, queue, egress time, utilisation
        0x00, 0x00, 0x00, 0x00, // no domain
        0x0a, 0x0b, 0x0c, 0x0d, // node
        0x00, 0x11, 0x00, 0x22, // ingress, egress
        0x07, 0x01, 0x02, 0x03, // queue, occupancy
        0x00, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, // egress time
        0x00, 0x00, 0x13, 0x88, // utilisation
    ];

    #[test]
    fn int_md_reads_the_hpcc_profile() {
        let stack = Stack::parse(&ONE_HOP, NPT_PORT, 4791).unwrap();
        assert!(stack.is_whole() && stack.len() == 40);
        let headers = stack.headers().unwrap();
        assert_eq!(headers, Headers { hops_left: 4, ..Headers::hpcc(NPT_PORT, 4791) });
        let hops: [Hop; 1] = core::array::from_fn(|at| stack.hops().nth(at).unwrap());
        let hop = Hop {
            node: 0x0a0b_0c0d,
            interfaces: 0x0011_0022,
            queue: 0x0701_0203,
            time: 0x0102_0304_0506,
            utilisation: 5000,
        };
        assert_eq!((hops[0], stack.hops().count()), (hop, 1));
        let mut bytes = [0xee; 16];
        headers.emit(24, &mut bytes);
        assert_eq!(bytes, ONE_HOP[..16]);
    }

    #[test]
    fn int_md_layout_follows_the_bitmap() {
        let hpcc = Layout::of(0xd500).unwrap();
        let places = (hpcc.interfaces, hpcc.queue, hpcc.time, hpcc.utilisation, hpcc.words);
        assert_eq!(places, (Some(1), 2, 3, 5, 6));
        let all = Layout::of(0xffff).unwrap();
        let places = (all.interfaces, all.queue, all.time, all.utilisation, all.words);
        assert_eq!(places, (Some(1), 3, 6, 10, 19));
        let least = Layout::of(0x9500).unwrap();
        let places = (least.interfaces, least.queue, least.time, least.utilisation, least.words);
        assert_eq!(places, (None, 1, 2, 4, 5));
        for missing in [0x5500, 0xc500, 0xd100, 0xd400] {
            assert_eq!(Layout::of(missing), None);
        }
    }

    #[test]
    fn int_md_refuses_what_is_not_for_it() {
        let parse = |at: usize, value: u8| {
            let mut bytes = ONE_HOP;
            bytes[at] = value;
            Stack::parse(&bytes, NPT_PORT, 4791).map(|stack| (stack.is_whole(), stack.len()))
        };
        assert_eq!(parse(0, 0x24), Err(WireError::Malformed));
        assert_eq!(parse(0, 0x10), Err(WireError::Malformed));
        assert_eq!(parse(3, 0xb8), Err(WireError::Malformed));
        assert_eq!(parse(1, 10), Err(WireError::Truncated));
        for (at, value) in [(1, 8), (1, 3 + 5), (1, 2), (4, 0x10), (4, 0x24), (4, 0x22), (6, 5)] {
            assert!(!parse(at, value).unwrap().0, "byte {at} = {value}");
        }
        assert_eq!(Stack::parse(&ONE_HOP[..39], NPT_PORT, 4791), Err(WireError::Truncated));
        let mut invalid = ONE_HOP;
        invalid[36..].fill(0xff);
        assert!(Stack::parse(&invalid, NPT_PORT, 4791).unwrap().hops().all(|h| h.is_invalid()));
    }
}
