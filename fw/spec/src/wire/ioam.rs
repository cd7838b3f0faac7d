//! IOAM incremental trace (RFC 9197) with the additional data fields of
//! draft-gafni-ippm-ioam-additional-data-fields, between UDP and what it carries, from the sender or
//! the first switch.
//!
//! No standard says how IOAM stands behind UDP: the four bytes in front of the trace are those that
//! RFC 9452 puts there behind an NSH. Then come the trace's header of eight bytes and the data of each
//! node, the newest first. All big-endian.

use super::{check_len, get_be, put_be, Result, WireError};

/// Where the fields are, from the first byte.
pub mod field {
    use crate::wire::Field;
    /// IOAM option type.
    pub const TYPE: Field = 0..1;
    /// Words behind the first four bytes.
    pub const LENGTH: Field = 1..2;
    /// Namespace.
    pub const NAMESPACE: Field = 4..6;
    /// Words of a node (5 bits), flags (4 bits, overflow on top), words that are left (7).
    pub const NODE_FLAGS_LEFT: Field = 6..8;
    /// Trace type (24 bits, bit 0 on top) and a reserved byte.
    pub const TRACE_TYPE: Field = 8..12;
}

/// Bytes in front of the trace.
pub const SHIM_BYTES: usize = 4;
/// Bytes in front of the nodes' data.
pub const HEADERS_BYTES: usize = 12;
/// Words of the trace's header, which the length counts.
pub const HEADER_WORDS: usize = 2;
/// Option type of the incremental trace.
pub const TYPE_INCREMENTAL: u8 = 1;

/// Bits of the trace type.
pub mod trace {
    /// Hop limit 8 bits, node 24.
    pub const NODE: u32 = 1 << 23;
    /// Ingress and egress interface, 16 bits each.
    pub const INTERFACES: u32 = 1 << 22;
    /// Time, seconds.
    pub const SECONDS: u32 = 1 << 21;
    /// Time, fraction of a second.
    pub const FRACTION: u32 = 1 << 20;
    /// Transit delay and namespace data.
    pub const BEHIND_TIME: u32 = 0b11 << 18;
    /// Queue depth.
    pub const QUEUE: u32 = 1 << 17;
    /// Checksum complement and buffer occupancy.
    pub const BEHIND_QUEUE: u32 = 1 << 16 | 1 << 12;
    /// Node, interfaces and namespace data in wide form: two words each.
    pub const WIDE: u32 = 0b111 << 13;
    /// Bytes sent by the egress interface.
    pub const TX_BYTES: u32 = 1 << 11;
    /// Speed and errors, and what is not defined: a word each.
    pub const BEHIND: u32 = 0x1ff << 2;
    /// Opaque state, of any length.
    pub const OPAQUE: u32 = 1 << 1;
    /// What congestion control needs.
    pub const NEEDED: u32 = NODE | FRACTION | QUEUE | TX_BYTES;
    /// What HPCC asks for.
    pub const HPCC: u32 = NEEDED | INTERFACES;
}

/// Where the words of a node are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Interfaces, if asked for.
    pub interfaces: Option<usize>,
    /// Seconds, if asked for.
    pub seconds: Option<usize>,
    /// Fraction of a second.
    pub fraction: usize,
    /// Queue depth.
    pub queue: usize,
    /// Bytes sent.
    pub tx_bytes: usize,
    /// Words that the trace type asks for.
    pub words: usize,
}

impl Layout {
    /// Where a trace type puts the words; `None` if it does not ask for what is needed, or for
    /// opaque state.
    pub fn of(trace_type: u32) -> Option<Self> {
        if trace_type & (trace::NEEDED | trace::OPAQUE) != trace::NEEDED {
            return None;
        }
        let words = |bits: u32, size: u32| ((trace_type & bits).count_ones() * size) as usize;
        let has = |bit: u32| trace_type & bit != 0;
        let seconds = 1 + words(trace::INTERFACES, 1);
        let fraction = seconds + words(trace::SECONDS, 1);
        let queue = fraction + 1 + words(trace::BEHIND_TIME, 1);
        let tx_bytes = queue + 1 + words(trace::BEHIND_QUEUE, 1) + words(trace::WIDE, 2);
        Some(Self {
            interfaces: has(trace::INTERFACES).then_some(1),
            seconds: has(trace::SECONDS).then_some(seconds),
            fraction,
            queue,
            tx_bytes,
            words: tx_bytes + 1 + words(trace::BEHIND, 1),
        })
    }
}

/// What a switch wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Node, 24 bits.
    pub node: u32,
    /// Ingress and egress interface; 0 if not asked for.
    pub interfaces: u32,
    /// Time, seconds; 0 if not asked for.
    pub seconds: u32,
    /// Time, fraction of a second.
    pub fraction: u32,
    /// Queue depth.
    pub queue: u32,
    /// Bytes sent by the egress interface.
    pub tx_bytes: u32,
}

impl Node {
    /// Whether a switch could not provide one of the values.
    pub fn is_invalid(&self) -> bool {
        let words = [self.interfaces, self.fraction, self.queue, self.tx_bytes];
        self.node == 0xff_ffff || words.contains(&u32::MAX)
    }
}

/// Headers of a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    /// Option type.
    pub option_type: u8,
    /// Namespace.
    pub namespace: u16,
    /// Words of a node, 5 bits.
    pub node_words: u8,
    /// A node found no room.
    pub overflow: bool,
    /// Words that nodes may still add, 7 bits.
    pub words_left: u8,
    /// Trace type, 24 bits.
    pub trace_type: u32,
}

impl Headers {
    /// What an encapsulating node writes that asks for HPCC's fields of at most five nodes; seconds are
    /// needed unless the fractions are binary.
    pub const fn hpcc(time_is_binary: bool) -> Self {
        let node_words = if time_is_binary { 5 } else { 6 };
        let seconds = if time_is_binary { 0 } else { trace::SECONDS };
        Self {
            option_type: TYPE_INCREMENTAL,
            namespace: 0,
            node_words,
            overflow: false,
            words_left: 5 * node_words,
            trace_type: trace::HPCC | seconds,
        }
    }

    /// Writes the headers, with `data_bytes` of nodes to follow.
    ///
    /// # Panics
    /// If the buffer has less than [`HEADERS_BYTES`] bytes.
    pub fn emit(&self, data_bytes: usize, buffer: &mut [u8]) {
        let node_flags_left = u16::from(self.node_words & 31) << 11
            | u16::from(self.overflow) << 10
            | u16::from(self.words_left & 0x7f);
        put_be(buffer, 0..SHIM_BYTES, 0);
        put_be(buffer, field::TYPE, self.option_type.into());
        put_be(buffer, field::LENGTH, (HEADER_WORDS + data_bytes / 4) as u64);
        put_be(buffer, field::NAMESPACE, self.namespace.into());
        put_be(buffer, field::NODE_FLAGS_LEFT, node_flags_left.into());
        put_be(buffer, field::TRACE_TYPE, u64::from(self.trace_type) << 8);
    }
}

/// Telemetry in front of a packet's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trace<'a> {
    bytes: &'a [u8],
}

impl<'a> Trace<'a> {
    /// The telemetry at the front of `bytes`.
    ///
    /// # Errors
    /// `Truncated` if it is longer than they are.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        check_len(bytes, SHIM_BYTES)?;
        let byte_count = SHIM_BYTES + 4 * usize::from(bytes[field::LENGTH.start]);
        check_len(bytes, byte_count)?;
        Ok(Self { bytes: &bytes[..byte_count] })
    }

    /// Bytes, the first four included.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Always false: there are four bytes.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The headers.
    ///
    /// # Errors
    /// `Truncated` if they are not all there.
    pub fn headers(&self) -> Result<Headers> {
        check_len(self.bytes, HEADERS_BYTES)?;
        let node_flags_left = get_be(self.bytes, field::NODE_FLAGS_LEFT) as u16;
        Ok(Headers {
            option_type: self.bytes[field::TYPE.start],
            namespace: get_be(self.bytes, field::NAMESPACE) as u16,
            node_words: (node_flags_left >> 11) as u8,
            overflow: node_flags_left >> 10 & 1 != 0,
            words_left: (node_flags_left & 0x7f) as u8,
            trace_type: (get_be(self.bytes, field::TRACE_TYPE) >> 8) as u32,
        })
    }

    /// Headers that can be understood, with the layout of a node's data.
    ///
    /// # Errors
    /// `Malformed` if it is another option than the incremental trace, or a node has not the room for
    /// what congestion control needs.
    pub fn layout(&self) -> Result<(Headers, Layout)> {
        let headers = self.headers()?;
        let layout = Layout::of(headers.trace_type).ok_or(WireError::Malformed)?;
        let fits = layout.words <= usize::from(headers.node_words);
        let good = headers.option_type == TYPE_INCREMENTAL && fits;
        good.then_some((headers, layout)).ok_or(WireError::Malformed)
    }

    /// Nodes of which all words are there, the newest first; none if there is no layout.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + 'a {
        let layout = self.layout().ok();
        let bytes: &'a [u8] = if layout.is_some() { &self.bytes[HEADERS_BYTES..] } else { &[] };
        let node_bytes = layout.map_or(4, |(headers, _)| 4 * usize::from(headers.node_words));
        bytes.chunks_exact(node_bytes).map(move |words| {
            let (_, layout) = layout.expect("there are no words without a layout");
            let word = |at: usize| get_be(words, 4 * at..4 * at + 4) as u32;
            Node {
                node: word(0) & 0xff_ffff,
                interfaces: layout.interfaces.map_or(0, word),
                seconds: layout.seconds.map_or(0, word),
                fraction: word(layout.fraction),
                queue: word(layout.queue),
                tx_bytes: word(layout.tx_bytes),
            }
        })
    }

    /// Whether it tells about every hop: understood, no overflow, nothing left over.
    pub fn is_whole(&self) -> bool {
        self.layout().is_ok_and(|(headers, _)| {
            let data = self.bytes.len() - HEADERS_BYTES;
            data.is_multiple_of(4 * usize::from(headers.node_words)) && !headers.overflow
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HPCC's fields with seconds, one node, typed from the figures of RFC 9197.
    const ONE_NODE: [u8; 36] = [
        0x01, 0x08, 0x00, 0x00, // incremental trace, eight words
        0x00, 0x01, 0x30, 0x18, // namespace 1, six words a node, no flags, 24 words left
        0xf2, 0x08, 0x00, 0x00, // bits 0, 1, 2, 3, 6, 12
        0x3f, 0x0b, 0x0c, 0x0d, // hop limit, node
        0x00, 0x11, 0x00, 0x22, // ingress, egress
        0x65, 0x00, 0x00, 0x01, // seconds
        0x07, 0x5b, 0xcd, 0x15, // nanoseconds
        0x00, 0x00, 0x01, 0x00, // queue
        0x00, 0x12, 0x34, 0x80, // bytes sent
    ];

    #[test]
    fn ioam_reads_hpccs_fields() {
        let trace = Trace::parse(&ONE_NODE).unwrap();
        assert!(trace.is_whole() && trace.len() == 36);
        let headers = trace.headers().unwrap();
        let expected = Headers {
            option_type: 1,
            namespace: 1,
            node_words: 6,
            overflow: false,
            words_left: 24,
            trace_type: 0xf2_0800,
        };
        assert_eq!((headers, trace::HPCC), (expected, 0xd2_0800));
        let node = Node {
            node: 0x0b_0c0d,
            interfaces: 0x0011_0022,
            seconds: 0x6500_0001,
            fraction: 123_456_789,
            queue: 256,
            tx_bytes: 0x0012_3480,
        };
        assert_eq!((trace.nodes().next(), trace.nodes().count()), (Some(node), 1));
        let mut bytes = [0xee; 12];
        headers.emit(24, &mut bytes);
        assert_eq!(bytes, ONE_NODE[..12]);
    }

    #[test]
    fn ioam_layout_follows_the_trace_type() {
        let places = |trace_type| {
            let l = Layout::of(trace_type)?;
            Some((l.interfaces, l.seconds, l.fraction, l.queue, l.tx_bytes, l.words))
        };
        assert_eq!(places(0xd2_0800), Some((Some(1), None, 2, 3, 4, 5)));
        assert_eq!(places(0xf2_0c00), Some((Some(1), Some(2), 3, 4, 5, 7)));
        assert_eq!(places(0xff_fffc), Some((Some(1), Some(2), 3, 6, 15, 25)));
        assert_eq!(places(0x92_0800), Some((None, None, 1, 2, 3, 4)));
        for missing in [0x52_0800, 0xc2_0800, 0xd0_0800, 0xd2_0000, 0xd2_0802] {
            assert_eq!(places(missing), None);
        }
    }

    #[test]
    fn ioam_tells_whole_traces() {
        let is_whole = |at: usize, value: u8| {
            let mut bytes = ONE_NODE;
            bytes[at] = value;
            Trace::parse(&bytes).map(|trace| trace.is_whole())
        };
        assert_eq!(is_whole(5, 7), Ok(true));
        for (at, value) in [(0, 0), (1, 7), (1, 1), (6, 0x34), (6, 0x28), (6, 0x38)] {
            assert_eq!(is_whole(at, value), Ok(false), "byte {at} = {value}");
        }
        assert_eq!(is_whole(1, 9), Err(WireError::Truncated));
        let mut invalid = ONE_NODE;
        invalid[13..16].fill(0xff);
        assert!(Trace::parse(&invalid).unwrap().nodes().all(|node| node.is_invalid()));
    }
}
